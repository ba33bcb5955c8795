"""Rule about the files that materials and plug-ins name."""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Literal

from kinetree.confine import Confinement
from kinetree.files.opener import Files
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Robot, fact
from kinetree.rules.shapes.meshes import MeshRule, path_of
from kinetree.rules.structure import Plugin
from kinetree.xacro_text.known_packages import is_missing, packages_on_disk

NAMED = re.compile(r"\s*((?:package|model)://[\w.-]+/[^$*?{}\s]+|/[^$*?{}\s]+\.ya?ml)\s*")
"""Name of a file that is the same for every program."""
TEXTURE = re.compile(r"[^$*?{}\s:]+\.(?:png|jpe?g|tga|bmp|dds|tiff?)", re.IGNORECASE)
"""Name of an image beside an SDF file."""
MAPS = ("albedo_map", "normal_map", "roughness_map", "metalness_map", "environment_map", "emissive_map", "light_map")
"""Elements of SDF's materials whose text is the name of an image."""


class MissingFiles(Quality):
    """The files that materials and plug-ins name exist.

    A plug-in without its parameters does not start, and a part without its texture is white.
    """

    code = "MSH-008"
    clause = "the file must be available locally"
    url = MeshRule.url
    base = with_blocks(
        '  <gazebo><plugin filename="libdrive.so" name="drive">\n'
        "    <parameters>package://arm/meshes/link_4.stl</parameters>\n  </plugin></gazebo>"
    )
    good = "link_4.stl</parameters>"
    bad = "controllers.yaml</parameters>"
    context = MeshRule.context

    def check(self, named_files: tuple[tuple[Element, str, bool], ...]) -> Found:
        """A file or folder that is not in its package or model, which is there; an image that is not where its relative
        name leads from the SDF file; each once."""
        seen = set()
        for element, name, exists in named_files:
            if not exists and name not in seen:
                seen.add(name)
                yield self.finding(f"the file {name!r} does not exist", element)


@fact
def named_files(
    robot: Robot,
    document: Element | None,
    sdf_document: Element | None,
    plugins: tuple[Plugin, ...],
    packages: Mapping[str, str | os.PathLike[str]],
    confined: Confinement | Literal[False],
) -> tuple[tuple[Element, str, bool], ...]:
    """Return the elements of materials and plug-ins that name files which may be read, the names, and whether the files
    exist; or are written in xacro, of which XAC-010 is."""
    if robot.source is None:
        return ()
    files = Files({})
    files.packages = packages_on_disk(packages, confined)
    folders: dict[str, str | None] = {}
    found = []
    texts = tuple(robot.text.files.values()) if robot.text and robot.text.files else ()
    for element, name in (*_of_plugins(plugins), *_of_materials(document, sdf_document)):
        path = path_of(name, robot.source.file, files, folders)
        if path is not None and files.packages.may_read(path):
            is_written = texts and any("/".join(name.split("/")[-2:]) in text for text in texts)
            found.append((element, name, is_written or not is_missing(path)))
    return tuple(found)


def _of_plugins(plugins: tuple[Plugin, ...]) -> Iterator[tuple[Element, str]]:
    for _, _, block in plugins:
        for part in block.walk():
            if not part.children and (match := NAMED.fullmatch(part.text)):
                yield part, match[1]


def _of_materials(document: Element | None, sdf_document: Element | None) -> Iterator[tuple[Element, str]]:
    for element in document.walk() if document else ():
        if element.tag == "texture" and (match := NAMED.fullmatch(element.get("filename") or "")):
            yield element, match[1]
    for element in sdf_document.walk() if sdf_document else ():
        name = element.text.strip()
        if element.tag in MAPS and (NAMED.fullmatch(name) or TEXTURE.fullmatch(name)):
            yield element, name
