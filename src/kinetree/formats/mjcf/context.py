"""What the parts of the MJCF reader share, and how they name things without a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kinetree.formats.fields import name_of
from kinetree.formats.mjcf.assets import Assets
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.defaults import Classes
from kinetree.formats.xml import Element, Report
from kinetree.formats.xml_writer import attributes_text
from kinetree.model.assemble import Parts
from kinetree.model.robot import Extension

FORMAT = "mjcf"
ATTRIBUTES = "attributes"  # tag of an Extension whose text are attributes of the element, not an element


@dataclass
class Names:
    """Names that are taken, and what things are called here where that differs from the file.

    MuJoCo keeps apart the names of bodies, sites, joints, cameras and sensors; here links and frames share one name
    space, and so do sensors and cameras. `renamed` maps (kind, name in the file) to the name here.
    """

    frames: set[str]
    joints: set[str]
    sensors: set[str]
    geoms: set[str] = field(default_factory=set)  # of those that are read so far
    renamed: dict[tuple[str, str], str] = field(default_factory=dict)

    def here(self, kind: str, name: str) -> str:
        """What a site or camera of the file is called here."""
        return self.renamed.get((kind, name), name)


@dataclass
class Context:
    """One reading: the settings and tables of the file, and the parts that are filled."""

    report: Report
    compiler: Compiler
    classes: Classes
    assets: Assets
    parts: Parts
    names: Names
    refs: dict[str, float] = field(default_factory=dict)  # joint: its value in the configuration that is drawn
    held: dict[str, tuple[float, Element]] = field(default_factory=dict)  # joint: where an equality holds it
    joint_at: dict[str, int] = field(default_factory=dict)  # where each joint is in the parts, once all are read
    fixed_names: dict[str, str] = field(default_factory=dict)  # body: the name that its fixed joint is to have
    bodies: int = 0  # how many are read, which is MuJoCo's number of the last one


def collect_names(root: Element) -> Names:
    """The names of the file, by name space."""
    names = Names({"world"}, set(), set())
    bodies = {e.get("name", "") or "" for e in _below(root, "body")}
    sites = {e.get("name", "") or "" for e in _below(root, "site")}
    names.frames |= bodies | sites
    names.joints |= {e.get("name", "") or "" for e in (*_below(root, "joint"), *_below(root, "freejoint"))}
    for site in sorted(sites & (bodies | {"world"})):
        names.renamed["site", site] = free(f"{site}_site", names.frames)
    names.sensors |= {e.get("name", "") or "" for s in root.find_all("sensor") for e in s.children}
    for camera in sorted({e.get("name", "") or "" for e in _below(root, "camera")} & names.sensors):
        names.renamed["camera", camera] = free(f"{camera}_camera", names.sensors)
    return names


def _below(root: Element, tag: str) -> list[Element]:
    return [e for world in root.find_all("worldbody") for e in world.walk() if e.tag == tag and e.get("name")]


def free(wanted: str, taken: set[str]) -> str:
    """`wanted`, or with _2, _3 … where that is taken; it is taken from now on."""
    name, i = wanted, 1
    while name in taken and i < 100:
        i += 1
        name = f"{wanted}_{i}"
    if name in taken:  # of very many, to try each one takes their square
        while f"{wanted}_{2 * i}" in taken:
            i *= 2
        low, high = i, 2 * i  # of which the first is taken, and the last is not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if f"{wanted}_{middle}" in taken else (low, middle)
        name = f"{wanted}_{high}"
    taken.add(name)
    return name


def name_or_free(context: Context, element: Element, wanted: str, taken: set[str]) -> str:
    """The name of an element, or one that is made for it, with a note that says so."""
    if element.get("name"):
        return name_of(context.report, element)
    name = free(wanted, taken)
    kind = "joint" if element.tag == "freejoint" else element.tag
    context.report.add("info", "no-name", f"this {kind} has no name; it is called {name!r} here", element)
    return name


def attributes_extension(element: Element, kept: Mapping[str, str]) -> tuple[Extension, ...]:
    """Attributes of the simulation that the model has no place for, kept for a file of the same format."""
    if not kept:
        return ()
    return (Extension(FORMAT, ATTRIBUTES, attributes_text(kept), element.source),)
