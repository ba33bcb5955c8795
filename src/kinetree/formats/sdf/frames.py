"""Named places of an SDF file (links, joints, frames, models) and the pose of any of them in any other.

Every place is an `Entry` whose full name is scoped from the top: link `hand` of model `arm` in model `robot` is
`robot::arm::hand`, and that model's own frame is `robot::arm::__model__`. The poses form a graph of their own, in
which each place hangs on the one that its pose is relative to (sdformat.org, "Specifying pose" and "Pose frame
semantics").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.sdf.values import Version
from kinetree.formats.xml import Element, Report
from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array, frozen

Kind = Literal["world", "model", "link", "frame", "joint"]
WORLD = "world"
MODEL = "__model__"


@dataclass(slots=True, eq=False)
class Entry:
    """A named place. All names are full ones.

    element: where it is written; version: that of its file.
    prefix: what the names that it refers to begin with; home: what `__model__` means to it.
    T: its pose (4, 4) as written, relative to `relative_to`, said in `pose_element`.
    attached_to: what it is fixed to; a link is fixed to itself.
    placement: the frame inside a model that the pose places, where it is not the model's own.
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
        """The full name of what a reference means here."""
        return self.home if reference == MODEL else self.prefix + reference


class Frames:
    """All places of a file by full name, and the graph of their poses. Each fault is reported once."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.entries: list[Entry] = []
        self._by_name: dict[str, Entry] = {}
        self._chains: dict[str, dict[str, Array] | None] = {}
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
        """The place of a full name."""
        return self._by_name.get(name)

    def find(self, name: str, at: Entry, element: Element, what: str) -> Entry | None:
        """The place that `at` refers to by a full name; an error at `element` where there is none."""
        found = self._by_name.get(name)
        if found is None:
            known = [n.removeprefix(at.prefix) for n in self._by_name if n.startswith(at.prefix)]
            reference = name.removeprefix(at.prefix)
            near = nearest_names(reference, known)
            code = "unknown-child" if what == "child" else "unknown-parent" if what == "parent" else "unknown-frame"
            message = f"{what} {reference!r} is no link, joint, frame or model of this scope; {near}"
            self._error(code, message, element, at)
        return found

    def _error(self, code: str, message: str, element: Element, at: Entry) -> None:
        if (at.name, message) not in self._said:
            self._said.add((at.name, message))
            self.report.error(code, message, element, owner=at.element)

    def link_of(self, entry: Entry) -> Entry | None:
        """The link, or the world, that a place is fixed to; None where that is unknown."""
        seen: list[Entry] = []
        while entry.kind not in ("link", "world"):
            if entry in seen:
                self._cycle("attached_to", seen[seen.index(entry) :])
                return None
            seen.append(entry)
            what = {"joint": "child", "model": "canonical_link"}.get(entry.kind, "attached_to")
            if not entry.attached_to and entry.implied:
                self._error("no-links", "the model has no link that its frame could be fixed to", entry.element, entry)
            after = self.find(entry.attached_to, entry, entry.element, what) if entry.attached_to else None
            if after is None:
                return None
            entry = after
        return entry

    def _cycle(self, what: str, loop: list[Entry]) -> None:
        first = min(loop, key=lambda entry: entry.name)
        at = loop.index(first)
        names = [entry.name for entry in (*loop[at:], *loop[:at], first)]
        message = f"{what} goes in a circle: {' -> '.join(names)}"
        self._error("cycle", message, first.pose_element or first.element, first)

    def between(self, a: Entry, b: Entry) -> Array | None:
        """T_ab (4, 4) with all joints at zero, or None, with an error, where the file does not say."""
        if a is b:
            return IDENTITY
        chain_a, chain_b = self._chain(a), self._chain(b)
        if chain_a is None or chain_b is None:
            return None
        common = next((name for name in chain_a if name in chain_b), None)
        if common is None:
            return None
        with np.errstate(all="ignore"):  # numbers near the largest double are found below
            T = se3.inverse(chain_a[common]) @ chain_b[common] if common != a.name else chain_b[common]
        if not np.isfinite(T).all():
            self._error("number", "its pose is too large to be computed with", b.pose_element or b.element, b)
            return None
        return frozen(T)

    def _chain(self, entry: Entry) -> dict[str, Array] | None:
        """T_x_entry by the name of x, for the place itself and everything that its pose hangs on, nearest first."""
        if entry.name not in self._chains:
            self._chains[entry.name] = None  # asked for again on the way: a circle through a placement frame
            self._chains[entry.name] = self._walk(entry)
        return self._chains[entry.name]

    def _walk(self, start: Entry) -> dict[str, Array] | None:
        chain = {start.name: IDENTITY}
        T, entry, seen = IDENTITY, start, [start]
        while entry.relative_to:
            what = "relative_to" if entry.kind != "joint" else "child or relative_to"
            after = self.find(entry.relative_to, entry, entry.pose_element or entry.element, what)
            T_up = self._placed(entry)
            if after is None or T_up is None:
                return None
            if after in seen:
                self._cycle("relative_to", seen[seen.index(after) :])
                return None
            with np.errstate(all="ignore"):
                T = T_up @ T
            chain[after.name] = T
            entry = after
            seen.append(entry)
        return chain

    def _placed(self, entry: Entry) -> Array | None:
        """The pose of a place itself: a pose that places a frame inside it is taken back to it."""
        if not entry.placement:
            return entry.T
        inner = self.find(entry.placement, entry, entry.element, "placement_frame")
        T = self._below(entry, inner) if inner else None
        return None if T is None else frozen(entry.T @ se3.inverse(T))

    def _below(self, outer: Entry, inner: Entry) -> Array | None:
        """T_outer_inner, for a place whose pose hangs on `outer`."""
        T, entry, seen = IDENTITY, inner, [inner]
        while entry is not outer:
            after = self._by_name.get(entry.relative_to)
            T_up = self._placed(entry)
            if after is None or T_up is None:
                if entry.relative_to:
                    self.find(entry.relative_to, entry, entry.pose_element or entry.element, "relative_to")
                else:
                    self._error("placement-frame", f"{inner.name!r} is not inside", outer.element, outer)
                return None
            if after in seen:
                self._cycle("relative_to", seen[seen.index(after) :])
                return None
            seen.append(after)
            T = T_up @ T
            entry = after
        return T
