"""Elements of MJCF that make bodies, expanded by MuJoCo in a limited child process.

MuJoCo compiles the whole model and writes it out. The elements that it makes have the place of their maker in the file,
copies of <replicate> that of what they copy, and all others their own.
"""

import importlib.util
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from kinetree.confine import Confinement, real, refusal
from kinetree.errors import Source
from kinetree.formats.mjcf.by_mujoco import INSTALL, Expansion, as_made
from kinetree.syntax.xml.reader import DerivedText, Element, Report, parse
from kinetree.syntax.xml.writer import attributes_text, element_text

MAKERS = ("attach", "composite", "flexcomp")
"""Elements that make bodies which the file does not contain."""
PREFIXES = {"attach": "prefix", "composite": "prefix", "flexcomp": "name"}
"""Attribute of a maker with which the names of what it makes begin."""
NAMED = ("body", "joint", "freejoint", "geom", "site", "camera", "light", "frame")
SECONDS, MEGABYTES = 60, 4096


def makers(root: Element) -> list[Element]:
    """Return the elements of the bodies that make other bodies and that only MuJoCo expands."""
    return [e for world in root.find_all("worldbody") for e in world.walk() if e.tag in MAKERS]


def _first(root: Element) -> Element:
    """Return the element that messages of an expansion name."""
    return next(iter(makers(root)), root)


def expanded(report: Report, root: Element, confinement: Confinement | None) -> Element | None:
    """Return the root of the model that MuJoCo makes of a file whose includes are replaced; None with an error.

    confinement: MuJoCo reads nothing outside of its folders.
    """
    if confinement is not None and _leads_outside(report, root, confinement):
        return None
    texts: list[str] = []
    mark = _unused(root)
    lines = dict(zip(_lines(_marked(root, mark), texts), root.walk(), strict=True))
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
        report.error("expand", f"MuJoCo {made.version} makes a model that is larger than what is read", _first(root))
        return None
    origins = _Origins(root, re.compile(rf"{mark}(\d{{1,9}}):"))
    sources = list(origins.all(whole))
    _clean(whole, mark, made.files)
    _notes(report, root, made, origins)
    text = DerivedText(element_text(whole), sources)
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
            places = {folder / below / file for below in within} if name.startswith("file") else ()
            for place in places:
                if os.path.exists(place) and not confinement.holds(place):
                    refused = refusal(repr(file), real(place), confinement).findings[0]
                    report.error(refused.code, refused.message, element, attribute=name, fix=refused.fix)
    return len(report.findings) > count


def _made(report: Report, root: Element, text: str, confinement: Confinement | None) -> Expansion | None:
    """Return what MuJoCo makes of a text, or None with an error."""
    if importlib.util.find_spec("mujoco") is None:
        report.error("expand", "expand='mujoco' needs MuJoCo, which is not installed", _first(root), fix=INSTALL)
        return None
    from kinetree.isolated import ChildError, call  # not needed to read other files

    file = root.source.file
    is_file = not file.startswith("<")
    readable = None
    if confinement is not None or not is_file:
        readable = [*map(str, confinement.folders if confinement else ()), *([os.path.realpath(file)] * is_file)]
    folder = str(Path(file).absolute().parent) if is_file else os.sep
    function = "kinetree.formats.mjcf.by_mujoco:expand"
    try:
        return as_made(call(function, text, folder, seconds=SECONDS, megabytes=MEGABYTES, readable=readable))
    except ChildError as error:
        message = f"the process in which MuJoCo expands this model {error}"
    except (TypeError, ValueError):
        message = "the process in which MuJoCo expands this model gives an answer that is not a model"
    report.error("expand", message, _first(root))
    return None


def _unused(root: Element) -> str:
    """Return a word that no name contains."""
    names, word = "\n".join(e.get("name") or "" for e in root.walk()), "unnamed"
    while word in names:
        word += "_"
    return word


def _marked(root: Element, mark: str) -> Element:
    """Return a copy of the elements in which those of the bodies without a name have one of the mark and their number,
    for the way through MuJoCo."""
    worlds = [element for element in root.children if element.tag == "worldbody"]
    inside = {id(e) for world in worlds for e in world.walk()}
    inside -= {id(e) for maker in makers(root) for e in maker.walk()}

    def copy(element: Element) -> Element:
        attributes = dict(element.attributes)
        if element.tag in NAMED and id(element) in inside and not attributes.get("name"):
            attributes["name"] = f"{mark}{numbers[id(element)]}:"
        twin = Element(element.tag, attributes, element.document, element.start)
        twin.children = [copy(child) for child in element.children]
        return twin

    numbers = {id(element): i for i, element in enumerate(root.walk())}
    return copy(root)


def _lines(element: Element, texts: list[str]) -> Iterator[int]:
    """Write an element and its children into lines, and yield the number of the line of each."""
    end = "" if element.children else "/"
    texts.append(f"<{element.tag} {attributes_text(element.attributes)}{end}>")
    yield len(texts)
    for child in element.children:
        yield from _lines(child, texts)
    if element.children:
        texts.append(f"</{element.tag}>")


class _Origins:
    """Search for the places in the file of the elements that MuJoCo wrote."""

    def __init__(self, root: Element, mark: re.Pattern[str]) -> None:
        self.root, self.mark = root, mark
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
        self.prefixes = _longest_first((e.get(PREFIXES[e.tag]) or "", e) for e in makers(root))
        replicas = (e for around in self.elements if around.tag == "replicate" for e in around.walk())
        self.copied = _longest_first((e.get("name") or "", e) for e in replicas)

    def all(self, whole: Element) -> Iterator[Source | None]:
        """Yield the place of each element of MuJoCo's text, in order."""
        yield from self._below(whole, self.root)

    def _below(self, element: Element, around: Element) -> Iterator[Source | None]:
        origin = self._of(element, around)
        self.made[origin] += element.tag == "body"
        yield origin.source
        for child in element.children:
            yield from self._below(child, around if _is_made_frame(element) else origin)

    def _of(self, element: Element, around: Element) -> Element:
        """Return the element of the file from which another one comes; around: the origin of its parent."""
        found = self.mark.search(element.get("name") or "")
        if found and int(found[1]) < len(self.elements):
            return self.elements[int(found[1])]
        if _is_made_frame(element) and element.children:
            return self._of(element.children[0], around)
        if around.tag in MAKERS:
            return around
        key = _key(element)
        if key is not None and key in self.own:
            return self.own[key]
        for name, copied in self.copied if element.tag in NAMED else ():
            if (element.get("name") or "").startswith(name) and (copied.tag.removeprefix("free") == element.tag):
                return copied
        for value in element.attributes.values():
            for prefix, maker in self.prefixes:
                if any(name.startswith(prefix) for name in value.split()):
                    return maker
        near = self.makers.get(id(around), [])
        if element.tag in NAMED and near:
            return near[0]
        return next((e for e in self.root.find_all(element.tag)), around) if around is self.root else around


def _is_made_frame(element: Element) -> bool:
    """Return whether a frame has no name: it is of a copy of a <replicate>, or inside of what another maker makes."""
    return element.tag == "frame" and not element.get("name")


def _longest_first(pairs: Iterable[tuple[str, Element]]) -> list[tuple[str, Element]]:
    return sorted((pair for pair in pairs if pair[0]), key=lambda pair: -len(pair[0]))


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


def _clean(whole: Element, mark: str, files: Mapping[str, str]) -> None:
    """Take the marks out of the names, unless something refers to them, and give assets their files with folders."""
    elements = list(whole.walk())
    used = Counter(word for e in elements for value in e.attributes.values() for word in value.split())
    settings = [e.attributes for e in whole.find_all("compiler")]
    folders = {tag: _setting(settings, attribute) for tag, attribute in (("texture", "texturedir"), ("", "meshdir"))}
    for attributes in settings:
        for attribute in ("assetdir", "meshdir", "texturedir", "strippath", "inertiafromgeom", "settotalmass"):
            attributes.pop(attribute, None)
    for element in elements:
        name = element.get("name") or ""
        if mark in name and used[name] == 1:
            del element.attributes["name"]
        for attribute in [attribute for attribute in element.attributes if attribute.startswith("file")]:
            file = PurePosixPath(element.attributes[attribute].replace("\\", "/"))
            known = files.get(f"{element.tag} {name or file.stem}") if attribute == "file" else None
            element.attributes[attribute] = known or str(folders.get(element.tag, folders[""]) / file)


def _setting(settings: list[dict[str, str]], attribute: str) -> PurePosixPath:
    given = (found[name] for found in settings for name in (attribute, "assetdir") if name in found)
    return PurePosixPath(next(given, ""))


def _notes(report: Report, root: Element, made: Expansion, origins: _Origins) -> None:
    for maker in makers(root):
        count = sum(origins.made[element] for element in maker.walk())
        message = f"MuJoCo {made.version} makes {count} bodies of <{maker.tag}>; they have its place in the file"
        report.add("info", "expanded", message, maker)
    if not makers(root):
        message = f"MuJoCo {made.version} gives masses and inertias, for some follow from meshes that only it makes"
        report.add("info", "expanded", message, root)
    for warning in made.warnings:
        report.warning("expanded", f"MuJoCo {made.version} warns: {'; '.join(warning.splitlines())}", _first(root))
    if not made.exact:
        message = f"MuJoCo {made.version} writes numbers with 6 digits only; lengths and angles are rounded"
        report.warning("expanded", message, _first(root))
