"""Elements of MJCF that make bodies, expanded by MuJoCo in a limited child process.

MuJoCo compiles the whole model and writes it out. The elements that it makes stand at the place of their maker in the
file, all others at their own.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from kinetree.confine import Confinement, real, refusal
from kinetree.errors import Source
from kinetree.formats.mjcf.by_mujoco import Made
from kinetree.formats.xml import Derived, Element, Report, parse
from kinetree.formats.xml_writer import attributes_text, element_text
from kinetree.isolated import FailedError, call

MAKERS = ("attach", "composite", "flexcomp")
"""Elements that make bodies which the file does not contain."""
PREFIXES = {"attach": "prefix", "composite": "prefix", "flexcomp": "name"}
"""Attribute of a maker with which the names of what it makes begin."""
NAMED = ("body", "joint", "freejoint", "geom", "site", "camera", "light", "frame")
MARK = "kinetree:"
SECONDS, MEGABYTES = 60, 4096
INSTALL = "pip install 'kinetree[mujoco]'"
FIX = f"load it with expand='mujoco' (--expand mujoco), which needs MuJoCo: {INSTALL}"


def makers(root: Element) -> list[Element]:
    """Return the elements of the bodies that make other bodies."""
    return [e for world in root.find_all("worldbody") for e in world.walk() if e.tag in MAKERS]


def expanded(report: Report, root: Element, confinement: Confinement | None) -> Element | None:
    """Return the root of the model that MuJoCo makes of a file whose includes are replaced; None with an error.

    confinement: MuJoCo reads nothing outside of its folders.
    """
    if confinement is not None and _leads_outside(report, root, confinement):
        return None
    texts: list[str] = []
    lines = dict(_lines(_marked(root), texts))
    made = _made(report, root, "\n".join(texts), confinement)
    if made is None:
        return None
    if made.error:
        found = re.findall(r"\bline (\d+)", made.error)
        at = lines.get(int(found[-1]), root) if found else root
        said = "; ".join(
            line for line in made.error.splitlines() if line and not re.match(r"Element .*line \d+$", line)
        )
        report.error("expand", f"MuJoCo {made.version} refuses this model: {said}", at)
        return None
    whole = parse(made.text, f"{root.document.file} (expanded)", Report())
    if whole is None:
        report.error("expand", f"MuJoCo {made.version} makes a model that is larger than what is read", makers(root)[0])
        return None
    origins = _Origins(root)
    sources = list(origins.all(whole))
    _clean(whole, made.files or {})
    _notes(report, root, made, origins)
    text = Derived(element_text(whole), sources)
    return parse(text, whole.document.file, report)


def _leads_outside(report: Report, root: Element, confinement: Confinement) -> bool:
    """Return whether the model names files outside of the confinement, with an error for each. The child process reads
    nothing else there, but for what Python needs."""
    folder = Path(root.source.file).absolute().parent
    settings = ("assetdir", "meshdir", "texturedir")
    within = {"", *(e.get(name) or "" for e in root.find_all("compiler") for name in settings)}
    count = len(report.findings)
    for element in root.walk():
        for name, file in element.attributes.items():
            places = [folder / below / file for below in within] if name.startswith("file") else []
            for place in places:
                if os.path.exists(place) and not confinement.holds(place):
                    refused = refusal(repr(file), real(place), confinement).findings[0]
                    report.error(refused.code, refused.message, element, attribute=name, fix=refused.fix)
    return len(report.findings) > count


def _made(report: Report, root: Element, text: str, confinement: Confinement | None) -> Made | None:
    """Return what MuJoCo makes of a text, or None with an error."""
    if importlib.util.find_spec("mujoco") is None:
        report.error("expand", "expand='mujoco' needs MuJoCo, which is not installed", makers(root)[0], fix=INSTALL)
        return None
    file = root.source.file
    is_file = not file.startswith("<")
    readable = None
    if confinement is not None or not is_file:
        readable = [*map(str, confinement.folders if confinement else ()), *([os.path.realpath(file)] * is_file)]
    folder = str(Path(file).absolute().parent) if is_file else os.sep
    function = "kinetree.formats.mjcf.by_mujoco:expand"
    try:
        answer = call(function, text, folder, seconds=SECONDS, megabytes=MEGABYTES, readable=readable)
    except FailedError as error:
        message = f"MuJoCo cannot expand this model: the process that it ran in ended with {error}"
        report.error("expand", f"MuJoCo takes longer than {SECONDS} s" if error.late else message, makers(root)[0])
        return None
    return Made(*answer)


def _marked(root: Element) -> Element:
    """Return a copy of the elements in which those of the bodies without a name have one with their number."""
    worlds = [element for element in root.children if element.tag == "worldbody"]
    inside = {id(e) for world in worlds for e in world.walk()} - {id(e) for m in makers(root) for e in m.walk()}

    def copy(element: Element) -> Element:
        attributes = dict(element.attributes)
        if element.tag in NAMED and id(element) in inside and not attributes.get("name"):
            attributes["name"] = f"{MARK}{numbers[id(element)]}:"
        twin = Element(element.tag, attributes, element.document, element.start)
        twin.children = [copy(child) for child in element.children]
        return twin

    numbers = {id(element): i for i, element in enumerate(root.walk())}
    return copy(root)


def _lines(element: Element, texts: list[str]) -> Iterator[tuple[int, Element]]:
    """Write an element and its children into lines, and yield the number of the line of each."""
    end = "" if element.children else "/"
    texts.append(f"<{element.tag} {attributes_text(element.attributes)}{end}>")
    yield len(texts), element
    for child in element.children:
        yield from _lines(child, texts)
    if element.children:
        texts.append(f"</{element.tag}>")


class _Origins:
    """Search for the places in the file of the elements that MuJoCo wrote."""

    def __init__(self, root: Element) -> None:
        self.root = root
        self.elements = list(root.walk())
        self.own: dict[tuple[str, ...], Element] = {}
        self.makers: dict[int, list[Element]] = {}  # by the body or frame around them
        self.made: Counter[Element] = Counter()  # bodies
        for element in self.elements:
            if key := _key(element):
                self.own.setdefault(key, element)
        for parent in self.elements:
            around = [child for child in parent.children if child.tag in MAKERS]
            if around:
                self.makers[id(parent)] = around
        self.prefixes = sorted(
            ((e.get(PREFIXES[e.tag]) or "", e) for e in makers(root)), key=lambda pair: -len(pair[0])
        )

    def all(self, whole: Element) -> Iterator[Source | None]:
        """Yield the place of each element of MuJoCo's text, in order."""
        yield from self._below(whole, self.root)

    def _below(self, element: Element, around: Element) -> Iterator[Source | None]:
        origin = self._of(element, around)
        self.made[origin] += element.tag == "body" and origin.tag in MAKERS
        yield origin.source
        for child in element.children:
            yield from self._below(child, origin)

    def _of(self, element: Element, around: Element) -> Element:
        """Return the element of the file from which another one comes; around: the origin of its parent."""
        if found := re.search(rf"{MARK}(\d+):", element.get("name") or ""):
            return self.elements[int(found[1])]
        if around.tag in MAKERS:
            return around
        key = _key(element)
        if key is not None and key in self.own:
            return self.own[key]
        for value in element.attributes.values():
            for prefix, maker in self.prefixes:
                if prefix and any(name.startswith(prefix) for name in value.split()):
                    return maker
        near = self.makers.get(id(around), [])
        if element.tag in NAMED and near:
            return near[0]
        return next((e for e in self.root.find_all(element.tag)), around) if around is self.root else around


def _key(element: Element) -> tuple[str, ...] | None:
    """Return what is equal for an element of the file and for the one that MuJoCo writes for it."""
    tag = "joint" if element.tag == "freejoint" else element.tag
    if name := element.get("class" if tag == "default" else "name"):
        return tag, name
    if file := element.get("file"):
        return tag, PurePosixPath(file.replace("\\", "/")).stem
    references = [
        v for k, v in element.attributes.items() if re.sub(r"\d$", "", k) in ("joint", "body", "site", "geom")
    ]
    return (tag, "", *references) if references and tag not in NAMED else None


def _clean(whole: Element, files: dict[str, str]) -> None:
    """Take the marks out of the names, unless something refers to them, and give assets their files."""
    elements = list(whole.walk())
    used = Counter(word for e in elements for value in e.attributes.values() for word in value.split())
    for element in elements:
        name = element.get("name") or ""
        if MARK in name and used[name] == 1:
            del element.attributes["name"]
        if "file" in element.attributes:
            stem = PurePosixPath(element.attributes["file"].replace("\\", "/")).stem
            element.attributes["file"] = files.get(f"{element.tag} {name or stem}", element.attributes["file"])
        if element.tag == "compiler":
            for attribute in ("assetdir", "meshdir", "texturedir", "strippath", "inertiafromgeom", "settotalmass"):
                element.attributes.pop(attribute, None)


def _notes(report: Report, root: Element, made: Made, origins: _Origins) -> None:
    for maker in makers(root):
        message = f"MuJoCo {made.version} makes {origins.made[maker]} bodies of <{maker.tag}>; they stand at its place"
        report.add("info", "expanded", message, maker)
    for warning in made.warnings:
        report.warning("expanded", f"MuJoCo {made.version} warns: {'; '.join(warning.splitlines())}", makers(root)[0])
    if not made.exact:
        message = f"MuJoCo {made.version} writes numbers with 6 digits only; lengths and angles are rounded"
        report.warning("expanded", message, makers(root)[0])
