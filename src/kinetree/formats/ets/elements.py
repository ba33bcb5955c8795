"""Elementary transform sequences as objects: `ET` is one term, `ETS` a sequence, `ETSLink` constants and one joint.

    from kinetree.formats.ets import Rz, tx
    arm = Rz("q1") * tx(1.0) * Rz("q2") * tx(0.5)
    arm.A([0.3, -0.2])

Metres and radians (Corke and Haviland, "Not your grandmother's toolbox", 2021, for the notation).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import pi
from typing import Any

import numpy as np

from kinetree.display import counted
from kinetree.errors import fail
from kinetree.formats.kinematic import quoted
from kinetree.model.robot import Inertial
from kinetree.spatial import se3
from kinetree.spatial.se3 import IDENTITY, Array, frozen
from kinetree.syntax.numbers import ANGLES, PER_METRE, PI_WORDS, format_number

_E = np.eye(3)
UNITS = (*PI_WORDS, *ANGLES, *PER_METRE, "nan", "inf", "infinity")
"""Words that stand for a number or a unit, and name a joint only between quotes."""
KINDS: dict[str, Callable[[Any], Array]] = {
    "Rx": lambda x: se3.turn(_E[0], x),
    "Ry": lambda x: se3.turn(_E[1], x),
    "Rz": lambda x: se3.turn(_E[2], x),
    "tx": lambda x: se3.translation(_E[0] * x),
    "ty": lambda x: se3.translation(_E[1] * x),
    "tz": lambda x: se3.translation(_E[2] * x),
}
"""Elementary transforms, from an angle or length to T (4, 4)."""

NAMES = {"name": "robot", "base": "base_link", "tip": "tip"}
"""Names that a text may give, and their defaults."""
WORDS = ("from", "link", "frame", "fixed", "mass")
"""Words besides the elementary transforms; "from" stands before a name and a colon, the others have arguments."""
MASSES = (1, 4, 10)
"""How many numbers "mass" may have; the rest of the ten are zeros."""
RIGHT_ANGLES = {pi: "pi", -pi: "-pi", pi / 2: "pi/2", -pi / 2: "-pi/2"}


@dataclass(frozen=True, slots=True, eq=False)
class ET:
    """One elementary transform: constant if `joint` is empty, else moved by that joint.

    kind: a key of KINDS, or "SE3" for any constant pose. value: of a constant, in rad or m.
    flip: whether the joint's number counts backwards. pose: T (4, 4) of an "SE3".
    """

    kind: str
    value: float = 0.0
    joint: str = ""
    flip: bool = False
    pose: Array = field(default_factory=lambda: IDENTITY)

    def __post_init__(self) -> None:
        if self.kind not in KINDS and (self.kind != "SE3" or self.joint):
            raise fail("ets-term", f"{self.kind!r} is not an elementary transform; expected {', '.join(KINDS)} and SE3")

    @property
    def axis(self) -> Array:
        """Direction (3,) of its motion, reversed by flip."""
        return np.asarray((-1.0 if self.flip else 1.0) * _E["xyz".index(self.kind[1])])

    def T(self, q: Any = 0.0) -> Array:
        """Return T (4, 4) at the joint's number q, which a constant ignores."""
        if self.kind == "SE3":
            return self.pose
        number = self.value if not self.joint else -q if self.flip else q
        return np.asarray(KINDS[self.kind](number))

    def __mul__(self, other: "ET | ETS") -> "ETS":
        return ETS((self,)) * other

    def __str__(self) -> str:
        if self.joint:
            name = self.joint if self.joint.isidentifier() and self.joint not in UNITS else quoted(self.joint)
            return f"{self.kind}({'-' if self.flip else ''}{name})"
        if self.kind == "SE3":
            rpy = se3.rpy_from_rotation(self.pose[:3, :3])
            return f"SE3({', '.join(format_number(v) for v in (*self.pose[:3, 3], *rpy))})"
        turn = RIGHT_ANGLES.get(self.value) if self.kind.startswith("R") else None
        return f"{self.kind}({turn or format_number(self.value)})"


def _term(kind: str) -> Callable[..., ET]:
    def make(argument: float | str, flip: bool = False) -> ET:
        if isinstance(argument, str):
            return ET(kind, joint=argument, flip=flip)
        return ET(kind, float(argument))

    make.__name__ = kind
    make.__doc__ = f"{kind} by a number in {'rad' if kind[0] == 'R' else 'm'}, or by the joint of that name."
    return make


Rx, Ry, Rz, tx, ty, tz = (_term(kind) for kind in KINDS)


def SE3(pose: Any) -> ET:
    """Return a constant pose T (4, 4)."""
    return ET("SE3", pose=frozen(pose))


@dataclass(frozen=True, slots=True, eq=False)
class ETSLink:
    """A link as a sequence defines it: constants Ts (4, 4), then the one joint v, or None behind the last joint."""

    Ts: Array
    v: ET | None

    def A(self, q: Any = 0.0) -> Array:
        """Return T (4, 4) of the link in its parent: Ts v(q)."""
        return self.Ts if self.v is None else np.asarray(self.Ts @ self.v.T(q))


@dataclass(frozen=True, slots=True, eq=False)
class ETS:
    """A sequence of elementary transforms; `*` joins sequences."""

    terms: tuple[ET, ...] = ()

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, base to tip: the order of q."""
        return tuple(term.joint for term in self.terms if term.joint)

    def A(self, q: Sequence[Any] | Array = ()) -> Array:
        """Return T (4, 4) of the end in the base, for q with one number a joint."""
        if len(q) != len(self.joints):
            raise fail("count", f"takes {counted(len(self.joints), 'number')} ({', '.join(self.joints)}), got {len(q)}")
        T, values = IDENTITY, iter(q)
        for term in self.terms:
            T = T @ (term.T(next(values)) if term.joint else term.T())
        return np.asarray(T)

    def compile(self) -> "ETS":
        """Return the same sequence with every run of constants multiplied to one, and identities left out."""
        terms: list[ET] = []
        for link in self.links():
            if not np.array_equal(link.Ts, IDENTITY):
                terms.append(SE3(link.Ts))
            if link.v:
                terms.append(link.v)
        return ETS(tuple(terms))

    def links(self) -> tuple[ETSLink, ...]:
        """Return the sequence cut behind every joint; the last link has what follows the last joint, if any."""
        links: list[ETSLink] = []
        Ts = IDENTITY
        for term in self.terms:
            if term.joint:
                links.append(ETSLink(frozen(Ts), term))
                Ts = IDENTITY
            else:
                Ts = Ts @ term.T()
        if Ts is not IDENTITY:
            links.append(ETSLink(frozen(Ts), None))
        return tuple(links)

    def __mul__(self, other: "ET | ETS") -> "ETS":
        return ETS((*self.terms, *((other,) if isinstance(other, ET) else other.terms)))

    def __iter__(self) -> Iterator[ET]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        return " ".join(map(str, self.terms))


@dataclass(frozen=True, slots=True)
class Word:
    """A word of WORDS with its name, or "mass" with its ten numbers: see `inertial_of`."""

    kind: str
    name: str = ""
    numbers: Sequence[float] = ()


def inertial_of(numbers: Sequence[float], T: Array) -> Inertial:
    """Return the inertia of ten numbers in a frame T (4, 4) of its link: mass in kg, centre of mass x, y, z in m, and
    ixx, ixy, ixz, iyy, iyz, izz in kg m² about it."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = numbers
    return Inertial(m, frozen(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))), frozen(T @ se3.translation((x, y, z))))


def numbers_of(inertial: Inertial) -> list[float]:
    """Return the ten numbers of an inertia in its link's frame, as `inertial_of` takes them."""
    R, I = inertial.origin[:3, :3], inertial.inertia
    I = I if np.array_equal(R, np.eye(3)) else R @ I @ R.T
    return [inertial.mass, *inertial.origin[:3, 3].tolist(), *I[np.triu_indices(3)].tolist()]
