"""Named places of an SDF file (links, joints, frames, models) and the pose of any of them in any other.

Every place is an `Entry` whose full name is scoped from the top: link `hand` of model `arm` in model `robot` is
`robot::arm::hand`, and that model's own frame is `robot::arm::__model__`. The poses form a graph, in which each place
has an edge to the one that its pose is relative to (sdformat.org, "Specifying pose" and "Pose frame semantics").
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kinetree.display import some
from kinetree.errors import nearest_names
from kinetree.formats.sdf.gazebo_models import OF_PLANE
from kinetree.formats.sdf.values import TRUTH, Version
from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array, frozen
from kinetree.syntax.xml.reader import Element, Report

Kind = Literal["world", "model", "link", "frame", "joint"]
NEAR = 16  # number of steps up in which a common place of two poses is looked for
HINTS = 10  # number of unknown names for which near names are looked for, which takes time
WORLD = "world"
MODEL = "__model__"


@dataclass(slots=True, eq=False)
class Entry:
    """A named place. All names are full ones.

    element: where it is written; version: that of its file.
    prefix: beginning of the names that it refers to; home: full name of `__model__` in its scope.
    T: its pose (4, 4) as written, relative to `relative_to`, from `pose_element`.
    attached_to: what it is fixed to; a link is fixed to itself.
    placement: the frame inside a model that the pose places, if it is not the model's own.
    implied: whether it is the frame of a model, which no element names.
    """

    kind: Kind
    name: str
    element: Element
    version: Version
    prefix: str = ""
    home: str = WORLD
    T: Array = field(default_factory=lambda: IDENTITY)
    relative_to: str = ""
    pose_element: Element | None = None
    attached_to: str = ""
    placement: str = ""
    implied: bool = False
    others: list[Element] = field(default_factory=list)

    def full(self, reference: str) -> str:
        """Return the full name of a reference of this place."""
        return self.home if reference == MODEL else self.prefix + reference


def is_static(model: Entry) -> bool:
    """Return whether a model says that it is static."""
    return any(e.tag == "static" and TRUTH.get(e.text.strip().lower(), False) for e in model.others)


def static_scopes(frames: "Frames") -> tuple[str, ...]:
    """Return the beginnings of the full names in static models."""
    return tuple(e.name.removesuffix(MODEL) for e in frames.entries if e.kind == "model" and is_static(e))


class Frames:
    """All places of a file by full name, and the graph of their poses. Each fault is reported once."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.entries: list[Entry] = []
        self.lost: dict[str, bool] = {}  # lines of models that were not found, and whether they are merged into a scope
        self._by_name: dict[str, Entry] = {}
        self._links: dict[Entry, Entry | None] = {}
        self._tops: dict[Entry, Array | None] = {}
        self._placements: dict[Entry, Array | None] = {}
        self._said: set[tuple[str, str]] = set()

    def add(self, entry: Entry, alias: str = "") -> bool:
        """Add a place, unless its name is taken; then report that and return False."""
        for name in (entry.name, alias) if alias else (entry.name,):
            other = self._by_name.get(name)
            if other is None or (entry.kind == "link" != other.kind and entry.version < (1, 7)):
                self._by_name[name] = entry
            elif other.kind == entry.kind or entry.version >= (1, 7):
                what = "" if other.kind == entry.kind else "; links, joints, frames and models share one name space"
                message = f"there is already a {other.kind} of this name at {other.element.source}{what}"
                self.report.error("duplicate-name", message, entry.element)
                return False  # up to 1.6 a joint may be called like a link; then the name means the link
        self.entries.append(entry)
        return True

    def get(self, name: str) -> Entry | None:
        return self._by_name.get(name)

    def find(self, name: str, at: Entry, element: Element, what: str) -> Entry | None:
        """Return the place of a full name, the world for that in Gazebo's ground; None with an error at `element`."""
        reference = name.removeprefix(at.prefix)
        found = self._by_name.get(name) or (self.entries[0] if OF_PLANE.match(reference) else None)
        if found is None and not (at.kind == "joint" and reference == WORLD):  # of which the joint's reader complains
            inside = [full.removeprefix(at.prefix) for full in self._by_name if full.startswith(at.prefix)]
            near = nearest_names(reference, inside) if len(self._said) < HINTS else "see the first"
            code = "unknown-child" if what == "child" else "unknown-parent" if what == "parent" else "unknown-frame"
            message = f"{what} {reference!r} is not a link, joint, frame or model of this scope; {near}"
            if self.lost and ("::" in reference or any(self.lost.values())):
                lines = f"line{'s' * (len(self.lost) > 1)} {some([*self.lost])}"
                message = f"{what} {reference!r} is unknown; it may be in a model that was not found ({lines})"
                code = "missing-model"
            self._error(code, message, element, at, name)
        return found

    def _error(self, code: str, message: str, element: Element, at: Entry, about: str = "") -> None:
        if (at.name, about or message) not in self._said:
            self._said.add((at.name, about or message))
            self.report.error(code, message, element, owner=at.element)

    def link_of(self, entry: Entry) -> Entry | None:
        """Return the link, or the world, that a place is fixed to; None if that is unknown."""
        path: dict[Entry, None] = {}  # a set that keeps its order
        at: Entry | None = entry
        while at is not None and at.kind not in ("link", "world") and at not in self._links:
            if at in path:
                self._cycle("attached_to", [*path][[*path].index(at) :])
                at = None
                break
            path[at] = None
            at = self._attached(at)
        link = self._links.get(at, at) if at else None
        self._links.update(dict.fromkeys(path, link))
        return link

    def _attached(self, entry: Entry) -> Entry | None:
        if entry.attached_to:
            what = {"joint": "child", "model": "canonical_link"}.get(entry.kind, "attached_to")
            return self.find(entry.attached_to, entry, entry.element, what)
        if entry.implied and is_static(entry):
            return self.entries[0]  # such a model may have no link
        if entry.implied:
            self._error("no-links", "the model has no link that its frame could be fixed to", entry.element, entry)
        return None

    def _cycle(self, what: str, loop: list[Entry]) -> None:
        first = min(loop, key=lambda entry: entry.name)
        at = loop.index(first)
        names = [entry.name for entry in (*loop[at:], *loop[:at], first)]
        message = f"{what} is circular: {' -> '.join(names)}"
        self._error("cycle", message, first.pose_element or first.element, first)

    def between(self, a: Entry, b: Entry) -> Array | None:
        """Return T_ab (4, 4) with all joints at zero, or None with an error if the file does not define it."""
        if a is b:
            return IDENTITY
        with np.errstate(all="ignore"):  # numbers near the largest double are found below
            T_top_a, T_top_b = self._from_top(a), self._from_top(b)
            if T_top_a is None or T_top_b is None:
                return None
            near_a, near_b = self._near(a), self._near(b)
            common = next((place for place in near_a if place in near_b), None)
            if common is a:
                T = near_b[common]
            elif common is not None:
                T = se3.inverse(near_a[common]) @ near_b[common]
            else:
                T = se3.inverse(T_top_a) @ T_top_b
        if not np.isfinite(T).all():
            self._error("number", "its pose is too large to be computed with", b.pose_element or b.element, b)
            return None
        return frozen(T)

    def _near(self, entry: Entry) -> dict[Entry, Array]:
        """Return T_x_entry by x, for the place itself and the next that its pose is relative to. A common place
        nearby gives two places' relative pose with fewer roundings than the way over the top."""
        near = {entry: IDENTITY}
        T, at = IDENTITY, entry
        while at.relative_to and len(near) < NEAR:
            T_up, after = self._placed(at), self._by_name[at.relative_to]
            assert T_up is not None, "the way to the top has been found before"
            T, at = T_up @ T, after
            near[at] = T
        return near

    def _from_top(self, entry: Entry) -> Array | None:
        """Return T (4, 4) of a place in the world, or the top of the file; None with an error if it is undefined."""
        path: dict[Entry, None] = {}
        at: Entry | None = entry
        while at is not None and at.relative_to and at not in self._tops:
            if at in path:
                self._cycle("relative_to", [*path][[*path].index(at) :])
                at = None
                break
            path[at] = None
            what = "relative_to" if at.kind != "joint" else "child or relative_to"
            at = self.find(at.relative_to, at, at.pose_element or at.element, what)
        T = self._tops.get(at, IDENTITY) if at else None
        for step in reversed(path):
            T_up = self._placed(step) if T is not None else None
            T = None if T is None or T_up is None else T @ T_up
            self._tops[step] = T
        return T

    def _placed(self, entry: Entry) -> Array | None:
        """Return the pose of a place itself, computed back if its pose places a frame inside it."""
        if not entry.placement:
            return entry.T
        if entry not in self._placements:
            inner = self.find(entry.placement, entry, entry.element, "placement_frame")
            T = self._below(entry, inner) if inner else None
            self._placements[entry] = None if T is None else frozen(entry.T @ se3.inverse(T))
        return self._placements[entry]

    def _below(self, outer: Entry, inner: Entry) -> Array | None:
        """Return T_outer_inner, for a place whose pose depends on `outer`."""
        T, at, path = IDENTITY, inner, {inner: None}
        while at is not outer:
            what = at.pose_element or at.element
            after = self.find(at.relative_to, at, what, "relative_to") if at.relative_to else None
            T_up = self._placed(at)
            if after is None or T_up is None:
                return None
            if after in path:
                self._cycle("relative_to", [*path][[*path].index(after) :])
                return None
            path[after] = None
            T, at = T_up @ T, after
        return T
