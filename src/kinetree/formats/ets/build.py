"""Terms and words of a text, or sequences in Python, to links, joints and frames."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from kinetree.errors import KinetreeError, Source, fail, nearest_names
from kinetree.formats.ets.elements import ET, ETS, NAMES, Word, inertial_of
from kinetree.model.assemble import Parts, assemble
from kinetree.model.robot import NO_AXES, Frame, Inertial, Joint, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

Branch = tuple[str, ET | ETS] | tuple[str, ET | ETS, Inertial]
"""The parent of a link, the sequence from there to the link, and the link's inertia."""


def robot_of(ets: ET | ETS | Mapping[str, Branch], name: str = "robot", source: Source | None = None) -> Robot:
    """Return the robot of a sequence, or of several that branch.

    ets: a sequence, whose links are `base_link`, `q1_link` … and whose end is the frame `tip`; or for each link its
    parent, the sequence from there, and if known its inertia, parents first: {"hand": ("chest", Rz("elbow"))}.
    The frame of such a link is the end of its sequence; the last joint in it moves the link, and a sequence without a
    joint fixes it by the joint `hand_joint`. The first parent is the root. Raises KinetreeError for unknown parents,
    and for names that stand twice. source: that of its parts.
    """

    def refuse(code: str, message: str) -> None:
        raise fail(code, message)

    alone = () if isinstance(ets, Mapping) else (*(ETS() * ets), Word("frame", NAMES["tip"]))
    branches = ets if isinstance(ets, Mapping) else {}
    builder = Builder(name, next((parent for parent, *_ in branches.values()), NAMES["base"]), refuse)
    for item in alone:
        builder.add(item, source)
    for link, (parent, sequence, *inertial) in branches.items():
        terms = ETS() * sequence
        fixed = () if terms.joints else (Word("fixed", f"{link}_joint"),)
        for item in (Word("from", parent), *terms, *fixed, Word("link", link)):
            builder.add(item, source)
        if inertial:
            builder.masses[link] = inertial[0]
    robot, findings = assemble(replace(builder.parts(), source=source))
    if robot is None:
        raise KinetreeError(findings)
    return robot


class Builder:
    """Links, joints and frames of terms and words that are added one after the other.

    link, T: where the next term stands, a link and a pose T_link_here (4, 4). named: whether a link or frame stands
    there. behind_joint: whether only constants stand behind the last joint. error: notes a fault, by code and message.
    """

    def __init__(self, name: str, base: str, error: Callable[[str, str], None]) -> None:
        self.error = error
        self._parts = Parts(name, [Link(base)])
        self.masses: dict[str, Inertial] = {}
        self.places: dict[str, tuple[str, Array]] = {base: (base, se3.IDENTITY)}  # link or frame: link, T_link_frame
        self.link, self.T = base, se3.IDENTITY
        self.named = self.behind_joint = False

    def add(self, item: ET | Word, source: Source | None = None) -> None:
        """Add a term or a word."""
        if isinstance(item, Word) and item.kind == "fixed":
            self.joint(item.name, "fixed", NO_AXES, source)
        elif isinstance(item, Word):
            getattr(self, f"_{item.kind}")(item, source)
        elif item.joint:
            kind = "revolute" if item.kind.startswith("R") else "prismatic"
            self.joint(item.joint, kind, frozen([item.axis]), source)
        else:
            self.T = self.T @ item.T()
        if item.kind != "mass":
            self.named = item.kind in ("link", "frame")

    def joint(self, name: str, kind: str, axes: Array, source: Source | None) -> None:
        """Add a joint; its link has the frame of the joint after its motion, until `link` gives it another."""
        child = f"{name}_link"
        self._parts.joints.append(Joint(name, kind, self.link, child, frozen(self.T), axes, source=source))
        self._parts.links.append(Link(child))
        self.places.setdefault(child, (child, se3.IDENTITY))
        self.link, self.T, self.behind_joint = child, se3.IDENTITY, True

    def parts(self) -> Parts:
        """Return what has been made."""
        links = [replace(link, inertial=self.masses.get(link.name)) for link in self._parts.links]
        return replace(self._parts, links=links)

    def _from(self, word: Word, source: Source | None) -> None:
        if word.name not in self.places:
            near = nearest_names(word.name, [*self.places])
            self.error("unknown-frame", f"there is no link or frame {word.name!r} before this; {near}")
            return
        self.link, self.T = self.places[word.name]
        self.behind_joint = False

    def _link(self, word: Word, source: Source | None) -> None:
        if not self.behind_joint:
            self.error("ets-link", f"link({word.name}) needs a joint before it, with constants at most between the two")
            return
        parts = self._parts
        parts.joints[-1] = replace(parts.joints[-1], child=word.name, child_origin=frozen(self.T))
        parts.links[-1] = Link(word.name, source=source)
        if self.places[self.link][0] == self.link:
            del self.places[self.link]
        self.places.setdefault(word.name, (word.name, se3.IDENTITY))
        self.link, self.T, self.behind_joint = word.name, se3.IDENTITY, False

    def _frame(self, word: Word, source: Source | None) -> None:
        self._parts.frames.append(Frame(word.name, self.link, frozen(self.T), source))
        self.places.setdefault(word.name, (self.link, self.T))
        self.behind_joint = False

    def _mass(self, word: Word, source: Source | None) -> None:
        if self.link in self.masses:
            self.error("ets-mass", f"link {self.link!r} has a mass already; expected one mass(…) a link")
        self.masses[self.link] = inertial_of(word.numbers, self.T)
        self.behind_joint = False
