"""State that the parts of the MJCF reader share, and names for elements without one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kinetree.formats.fields import name_of
from kinetree.formats.mjcf.assets import Assets
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.defaults import Classes
from kinetree.model.assemble import Parts
from kinetree.model.robot import Extension
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.reader import Element, Report
from kinetree.syntax.xml.writer import attributes_text

FORMAT = "mjcf"
WORLD = "world"
OPEN = 1e10
"""MuJoCo's largest number, mjMAXVAL, which means no limit: a range of MJCF has two ends."""
ATTRIBUTES = "attributes"  # tag of an Extension whose text is attributes of the element
EQUALITY, MESH = "equality", "mesh"
"""Tags of those whose text is attributes of the equality that a joint follows by, and of the mesh of a geom."""


@dataclass
class Names:
    """Names in use, and names in the model that differ from the file.

    MuJoCo has a name space each for bodies, sites, joints, cameras and sensors; in the model links and frames share
    one, and so do sensors and cameras. `renamed` maps (kind, name in the file) to the name in the model.
    """

    frames: set[str]
    joints: set[str]
    sensors: set[str]
    geoms: set[str] = field(default_factory=set)  # of geoms that are read so far
    renamed: dict[tuple[str, str], str] = field(default_factory=dict)

    def here(self, kind: str, name: str) -> str:
        """Return the name in the model of a site or camera of the file."""
        return self.renamed.get((kind, name), name)


@dataclass
class Context:
    """State of one reading: settings and tables of the file, and the parts that are filled."""

    report: Report
    compiler: Compiler
    classes: Classes
    assets: Assets
    parts: Parts
    names: Names
    refs: dict[str, float] = field(default_factory=dict)  # joint: its value in the drawn configuration
    held: dict[str, tuple[float, Element]] = field(default_factory=dict)  # joint: value fixed by an equality
    joint_at: dict[str, int] = field(default_factory=dict)  # index of each joint in the parts, once all are read
    counted: tuple[str, ...] = ()  # free joints whose coordinates count from where their body is drawn
    drawn: dict[str, Array] = field(default_factory=dict)  # body: T_world_body as the file draws it
    mocap: set[str] = field(default_factory=set)  # bodies that are moved from outside
    bodies: int = 0  # number of bodies read, which is MuJoCo's number of the last one


def collect_names(root: Element) -> Names:
    """Return the names of the file, by name space."""
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
    """Return `wanted`, or if it is taken the name with _2, _3 … that is free; add it to `taken`."""
    name, i = wanted, 1
    while name in taken and i < 100:
        i += 1
        name = f"{wanted}_{i}"
    if name in taken:  # trying each of very many takes the square of their number
        while f"{wanted}_{2 * i}" in taken:
            i *= 2
        low, high = i, 2 * i  # the first is taken, the last is free
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if f"{wanted}_{middle}" in taken else (low, middle)
        name = f"{wanted}_{high}"
    taken.add(name)
    return name


def name_or_free(context: Context, element: Element, wanted: str, taken: set[str]) -> str:
    """Return the name of an element; a free one, with a note, if it has none."""
    if element.get("name"):
        return name_of(context.report, element)
    name = free(wanted, taken)
    kind = "joint" if element.tag == "freejoint" else element.tag
    context.report.add("info", "no-name", f"this {kind} has no name; it is called {name!r} here", element)
    return name


def attributes_extension(element: Element, kept: Mapping[str, str], tag: str = ATTRIBUTES) -> tuple[Extension, ...]:
    """Return attributes that only the simulation uses as an extension, kept for a file of the same format."""
    if not kept:
        return ()
    return (Extension(FORMAT, tag, attributes_text(kept), element.source),)
