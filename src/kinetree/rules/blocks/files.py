"""Rule about the files that materials and plug-ins name."""

import re
from collections.abc import Iterator

from kinetree.files.opener import Files
from kinetree.rules.quality import Quality, with_blocks
from kinetree.rules.rule import Element, Found, Robot, fact, others
from kinetree.rules.shapes.addresses import Confined
from kinetree.rules.shapes.meshes import MeshRule, path_of
from kinetree.rules.structure import Block, Plugin
from kinetree.xacro_text.known_packages import Folders, is_missing, packages_on_disk

Root = Element | None
NAMED = re.compile(r"\s*((?:package|model)://[\w.-]+/[^$*?{}\s]+|/[^$*?{}\s]+\.ya?ml)\s*")
"""Name of a file that is the same for every program."""
TEXTURE = re.compile(r"[^$*?{}\s:]+\.(?:png|jpe?g|tga|bmp|dds|tiff?)", re.IGNORECASE)
"""Name of an image beside an SDF file."""
MAPS = ("albedo_map", "normal_map", "roughness_map", "metalness_map", "environment_map", "emissive_map", "light_map")
"""Elements of SDF's materials whose text is the name of an image."""


GENERATIONS = {
    "Classic": re.compile(r"libgazebo_|gazebo_ros2_control"),
    "Sim": re.compile(r"(?:gz|ign|ignition)(?:-|_|::)(?:sim|gazebo|ros2_control)"),
}
"""Generations of Gazebo to names of plug-ins and of their classes, of which each has its own."""


class ScriptedMaterial(Quality):
    """Models for the new Gazebo have no materials of Gazebo Classic.

    The new Gazebo reads no scripts of materials. Of Gazebo/… it knows plain colours since Harmonic; other parts are
    white.
    """

    code = "XML-016"
    evidence = "heuristic"
    clause = "Gazebo does not support Ogre material scripts"
    url = "https://gazebosim.org/api/sim/8/migrationsdf.html"
    base = with_blocks(
        '  <gazebo><plugin filename="gz-sim-imu-system" name="gz::sim::systems::Imu"/></gazebo>\n'
        '  <gazebo reference="link_2"><mu1>0.5</mu1></gazebo>'
    )
    good = "<mu1>0.5</mu1>"
    bad = "<material>Gazebo/Blue</material>"

    def check(self, scripted: tuple[tuple[Element, str], ...]) -> Found:
        """The name of a material in a block of Gazebo, or a script without colours beside it in SDF, of a model with
        plug-ins of the new Gazebo alone; one finding for all."""
        for part, name in scripted[:1]:
            message = f"the material {name!r} is of Gazebo Classic{others(sorted({n for _, n in scripted} - {name}))}"
            yield self.finding(f"{message}; write <ambient>, <diffuse> and <specular>", part)


@fact
def scripted(blocks: tuple[Block, ...], sdf_document: Element | None) -> tuple[tuple[Element, str], ...]:
    """Return the materials with the name of a script and no colours, in a model for the new Gazebo alone."""
    tops = [block for _, block in blocks] + ([sdf_document] if sdf_document else [])
    parts = [part for top in tops for part in top.walk()]
    named = " ".join(f"{one.get('filename')} {one.get('name')} {one.text}" for one in parts if one.tag == "plugin")
    if [name for name, pattern in GENERATIONS.items() if pattern.search(named)] != ["Sim"]:
        return ()
    found = []
    for part in (part for part in parts if part.tag == "material"):
        script = None if any(map(part.find, ("ambient", "diffuse", "pbr"))) else part.find("script")
        name = script.find("name") if script else None
        found.append((part, (name.text if name else "" if part.children else part.text).strip()))
    return tuple(row for row in found if row[1])


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
    robot: Robot, document: Root, sdf_document: Root, inside: tuple[Plugin, ...], packages: Folders, confined: Confined
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
    plain = [(part, NAMED.fullmatch(part.text)) for _, _, part in inside if part.text and not part.children]
    named = [(part, match[1]) for part, match in plain if match]
    for element, name in (*named, *_of_materials(document, sdf_document)):
        path = path_of(name, robot.source.file, files, folders)
        if path is not None and files.packages.may_read(path):
            is_written = texts and any("/".join(name.split("/")[-2:]) in text for text in texts)
            found.append((element, name, is_written or not is_missing(path)))
    return tuple(found)


def _of_materials(document: Element | None, sdf_document: Element | None) -> Iterator[tuple[Element, str]]:
    for element in document.walk() if document and b"<texture" in document.document.data else ():
        if element.tag == "texture" and (match := NAMED.fullmatch(element.get("filename") or "")):
            yield element, match[1]
    for element in sdf_document.walk() if sdf_document else ():
        name = element.text.strip()
        if element.tag in MAPS and (NAMED.fullmatch(name) or TEXTURE.fullmatch(name)):
            yield element, name
