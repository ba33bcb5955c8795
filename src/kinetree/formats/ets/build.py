"""Terms and words of a text, or sequences in Python, to links, joints and frames."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinetree.errors import KinetreeError, Source, fail, nearest_names
from kinetree.formats.ets.elements import ET, ETS
from kinetree.model.assemble import Parts, assemble
from kinetree.model.robot import Frame, Inertial, Joint, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

NAMES = {"name": "robot", "base": "base_link", "tip": "tip"}
"""Names that a text may give, and their defaults."""
WORDS = ("from", "link", "frame", "fixed", "mass")
"""Words besides the elementary transforms; "from" stands before a name and a colon, the others have arguments."""
MASSES = (1, 4, 10)
"""How many numbers "mass" may have; the rest of the ten are zeros."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of WORDS with its name, or "mass" with its ten numbers: see `inertial_of`."""

    kind: str
    name: str = ""
    numbers: Sequence[float] = ()


Branch = tuple[str, ET | ETS] | tuple[str, ET | ETS, Inertial]
"""The parent of a link, the sequence from there to the link, and the link's inertia."""


def robot_of(ets: ET | ETS | Mapping[str, Branch], name: str = "robot") -> Robot:
    """Return the robot of a sequence, or of several that branch.

    ets: a sequence, whose links are `base_link`, `q1_link` … and whose end is the frame `tip`; or for each link its
    parent, the sequence from there, and if known its inertia, parents first: {"hand": ("chest", Rz("elbow"))}.
    The frame of such a link is the end of its sequence; the last joint in it moves the link, and a sequence without a
    joint fixes it by the joint `hand_joint`. The first parent is the root. Raises KinetreeError for unknown parents,
    and for names that stand twice.
    """

    def refuse(code: str, message: str) -> None:
        raise fail(code, message)

    if not isinstance(ets, Mapping):
        builder = Builder(name, NAMES["base"], refuse)
        for item in (*(ETS() * ets), Word("frame", NAMES["tip"])):
            builder.add(item)
    else:
        builder = Builder(name, next(iter(ets.values()))[0] if ets else NAMES["base"], refuse)
        for link, (parent, sequence, *inertial) in ets.items():
            terms = ETS() * sequence
            fixed = () if terms.joints else (Word("fixed", f"{link}_joint"),)
            for item in (Word("from", parent), *terms, *fixed, Word("link", link)):
                builder.add(item)
            if inertial:
                builder.masses[link] = inertial[0]
    robot, findings = assemble(builder.parts())
    if robot is None:
        raise KinetreeError(findings)
    return robot


class Builder:
    """The links, joints and frames of terms and words that are added one after the other.

    link, T: where the next term stands, a link and a pose T_link_here (4, 4). named: whether a link or frame stands
    there. error: notes a fault, by code and message.
    """

    def __init__(self, name: str, base: str, error: Callable[[str, str], None]) -> None:
        self.error = error
        self._parts = Parts(name, [Link(base)])
        self.masses: dict[str, Inertial] = {}
        self.places: dict[str, tuple[str, Array]] = {base: (base, se3.IDENTITY)}  # link or frame: link, T_link_frame
        self.link, self.T = base, se3.IDENTITY
        self.behind_joint = False  # whether only constants stand behind the last joint
        self.named = False

    def add(self, item: ET | Word, source: Source | None = None) -> None:
        """Add a term or a word."""
        if isinstance(item, Word):
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

    # words

    def _from(self, word: Word, source: Source | None) -> None:
        if word.name not in self.places:
            near = nearest_names(word.name, list(self.places))
            self.error("unknown-frame", f"there is no link or frame {word.name!r} before this; {near}")
            return
        self.link, self.T = self.places[word.name]
        self.behind_joint = False

    def _fixed(self, word: Word, source: Source | None) -> None:
        self.joint(word.name, "fixed", np.zeros((0, 3)), source)

    def _link(self, word: Word, source: Source | None) -> None:
        if not self.behind_joint:
            legal = "legal is behind a joint, whose link it names, with constants at most between the two"
            self.error("ets-link", f"link({word.name}) has no joint before it; {legal}")
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
            self.error("ets-mass", f"link {self.link!r} has a mass already; legal is one mass(…) a link")
        inertial = inertial_of(word.numbers)
        self.masses[self.link] = replace(inertial, origin=frozen(self.T @ inertial.origin))
        self.behind_joint = False


def inertial_of(numbers: Sequence[float]) -> Inertial:
    """Return the inertia of ten numbers: mass in kg, centre of mass x, y, z in m, and ixx, ixy, ixz, iyy, iyz, izz in
    kg m² about it."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = numbers
    return Inertial(m, frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), frozen(se3.translation((x, y, z))))


def numbers_of(inertial: Inertial) -> list[float]:
    """Return the ten numbers of an inertia in its link's frame, as `inertial_of` takes them."""
    R, I = inertial.origin[:3, :3], inertial.inertia
    I = I if np.array_equal(R, np.eye(3)) else R @ I @ R.T
    return [inertial.mass, *inertial.origin[:3, 3].tolist(), *I[np.triu_indices(3)].tolist()]
