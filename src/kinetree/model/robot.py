"""The robot as written: links, joints, frames, sensors and limits, each with the place it came from. All frozen.

Units are SI and radians. `T_AB` is (4, 4) and maps coordinates in B to coordinates in A.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from kinetree.arguments import as_names, explain_type_errors
from kinetree.confine import Places
from kinetree.display import Brief, Displayable, counted, shortened
from kinetree.errors import Doubt, Finding, Source, fail, unknown_name
from kinetree.model.actuator import Actuator as Actuator
from kinetree.model.coordinates import neutral, not_a_coordinate, q_of
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.limits import Limits
from kinetree.model.link import (
    Geometry as Geometry,
    Inertial as Inertial,
    Link as Link,
    Material as Material,
    Shape as Shape,
    Surface as Surface,
)
from kinetree.model.names import NamedValues
from kinetree.model.robot_limits import robot_limits
from kinetree.model.text import Extension as Extension, Text as Text, in_text
from kinetree.other_names import no_attribute
from kinetree.spatial.se3 import IDENTITY, Array, frozen

if TYPE_CHECKING:
    from kinetree.model.semantic import Semantic


@dataclass(frozen=True, slots=True)
class Limit:
    """Limits of a coordinate: position in m or rad, velocity in m/s or rad/s, effort in N or N m, acceleration and
    deceleration in m/s² or rad/s², jerk in m/s³ or rad/s³; inf without one."""

    lower: float = -inf
    upper: float = inf
    velocity: float = inf
    effort: float = inf
    acceleration: float = inf
    deceleration: float = inf
    jerk: float = inf


UNLIMITED = Limit()
RATES = ("acceleration", "deceleration", "jerk")
"""Fields of a limit that only URDF 1.2 and tables have."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """A follower's rule: its coordinate is multiplier * x + offset, in the units of the two joints, with x that of
    `joint`; higher: coefficients of x², x³ …, which are added."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0
    higher: tuple[float, ...] = ()

    def __str__(self) -> str:
        terms = [f"{self.multiplier:.4g} x", *(f"{c:.4g} x^{k}" for k, c in enumerate(self.higher, 2))]
        return f"{' + '.join(terms)} + {self.offset:.4g} of {self.joint}, in rad and m"


@dataclass(frozen=True, slots=True)
class Dynamics:
    """Passive behaviour of a joint, SI: N m s/rad or N s/m, N m or N, N m/rad or N/m, rad or m, kg m² or kg."""

    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    reference: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True, slots=True)
class Safety:
    """URDF's safety_controller."""

    k_velocity: float
    k_position: float = 0.0
    lower: float = 0.0
    upper: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """URDF's calibration: positions of the edges of a reference switch."""

    rising: float | None = None
    falling: float | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Joint(Brief):
    """A connection of `parent` to `child`: T_parent_child(q) = origin @ (motion of the type) @ child_origin.

    axes (k, 3): unit vectors in the joint frame, as many as the type has. pitch: metres per radian of a screw.
    limits: one a velocity coordinate, or none.
    """

    name: str
    type: str
    parent: str
    child: str
    origin: Array = field(default_factory=lambda: IDENTITY)
    axes: Array = field(default_factory=lambda: NO_AXES)
    child_origin: Array = field(default_factory=lambda: IDENTITY)
    pitch: float = 0.0
    limits: tuple[Limit, ...] = ()
    mimic: Mimic | None = None
    dynamics: tuple[Dynamics, ...] = ()
    safety: Safety | None = None
    calibration: Calibration | None = None
    extensions: tuple[Extension, ...] = ()
    source: Source | None = None

    @property
    def kind(self) -> JointType:
        """Its row of JOINT_TYPES."""
        return JOINT_TYPES[self.type]

    @property
    def coordinated(self) -> bool:
        """Whether it has numbers of its own in q: it moves and has no leader."""
        return self.kind.nq > 0 and self.mimic is None

    @property
    def axis(self) -> Array | None:
        """The (first) axis (3,), or None for a type without one."""
        return self.axes[0] if len(self.axes) else None

    @property
    def limit(self) -> Limit:
        """The limit of the (first) coordinate."""
        return self.limits[0] if self.limits else UNLIMITED


NO_AXES: Array = np.zeros((0, 3))
NO_AXES.setflags(write=False)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Frame(Brief):
    """A named frame that is fixed to a link: origin is T_link_frame (4, 4), which is a guess if `unplaced` says why."""

    name: str
    link: str
    origin: Array = field(default_factory=lambda: IDENTITY)
    source: Source | None = None
    unplaced: str = ""


@dataclass(frozen=True, slots=True)
class ForceTorque:
    """Reading of a force/torque sensor of a joint.

    measures: the wrench that the joint's parent link exerts on its child link, or the other way about.
    axes: the frame whose axes are used: the child link's, the parent link's, or the sensor's own.
    point: about which its moment is taken: the origin of the joint, which moves with the child link, or of that frame.
    """

    measures: Literal["parent_on_child", "child_on_parent"]
    axes: Literal["child", "parent", "sensor"]
    point: Literal["joint", "frame"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sensor(Brief):
    """A sensor ("imu", "force_torque", "camera" …) on a frame; origin is T_frame_sensor (4, 4).

    joint: the joint whose wrench it measures, and force_torque its reading, if the model has them. update_rate in Hz.
    `extensions` have its other settings.
    """

    name: str
    type: str
    frame: str
    origin: Array = field(default_factory=lambda: IDENTITY)
    joint: str | None = None
    update_rate: float | None = None
    force_torque: ForceTorque | None = None
    extensions: tuple[Extension, ...] = ()
    source: Source | None = None


@dataclass(frozen=True, slots=True, repr=False)
class CoupledLimit(Brief):
    """lower <= sum of coefficient * coordinate <= upper, over joints of one coordinate, by name."""

    name: str
    coefficients: Mapping[str, float]
    lower: float = -inf
    upper: float = inf
    source: Source | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Robot(Displayable):
    """A robot description. Made by `kinetree.load` and by the edits; equal only to itself.

    links, joints, sensors, materials: ordered mappings by name, in the order of the file.
    actuators: drives of joints, by name, in the order of their controls.
    loops: joints that close a loop, by name: the tree is without them, q may open them (`kt.kinematics.loop_error`).
    groups: names of joints by group. coupled_limits: limits over several joints; `limits` has all limits of q.
    frames: every link's own frame and every extra frame, in one name space. root: the link that no joint moves.
    joint_names: the order of q, without fixed joints and followers. coordinate_names, velocity_names: of q, of qd.
    placed: every joint, parents before children: repeatedly the first in the file whose parent link is placed.
    notes: the warnings of the reader. places: where files are looked for. doubts: what errors leave unknown, or ().
    semantic: what an SRDF describes, as written, or None.
    header: attributes of the root element of its file that are written back: URDF's version, name spaces (xmlns:…).

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> icub.nq, icub.root, icub.groups["torso"]
        (35, 'root_link', ('torso_yaw', 'torso_roll', 'torso_pitch'))
        >>> icub.joints["l_elbow"].parent, icub.joints["l_elbow"].child, icub.q_slices["l_elbow"]
        ('l_upper_arm', 'l_elbow_1', slice(9, 10, None))
    """

    name: str
    links: NamedValues[Link]
    joints: NamedValues[Joint]
    frames: NamedValues[Frame]
    root: str
    joint_names: tuple[str, ...]
    placed: tuple[str, ...]
    sensors: NamedValues[Sensor]
    groups: Mapping[str, tuple[str, ...]]
    materials: NamedValues[Material]
    loops: NamedValues[Joint]
    coupled_limits: tuple[CoupledLimit, ...] = ()
    extensions: tuple[Extension, ...] = ()
    notes: tuple[Finding, ...] = ()
    text: Text | None = None
    source: Source | None = None
    places: Places = Places()
    doubts: tuple[Doubt, ...] = ()
    semantic: "Semantic | None" = None
    header: Mapping[str, str] = field(default_factory=dict)
    actuators: NamedValues[Actuator] = field(default_factory=lambda: NamedValues("actuator", ()))

    def __post_init__(self) -> None:
        if self.text and any(a is not b for a, b in zip(self.text.parts, in_text(self), strict=False)):
            object.__setattr__(self, "text", None)  # `dataclasses.replace` made another robot

    def __repr__(self) -> str:
        counts = ", ".join(counted(len(getattr(self, f"{what}s")), what) for what in ("link", "joint", "frame"))
        return f"Robot({shortened(repr(self.name), 200)}, {counts}, nq={self.nq})"

    @property
    def nq(self) -> int:
        """Length of q."""
        return sum(self.joints[name].kind.nq for name in self.joint_names)

    @property
    def nv(self) -> int:
        """Length of qd."""
        return sum(self.joints[name].kind.nv for name in self.joint_names)

    @property
    def q_slices(self) -> dict[str, slice]:
        """Slice of each joint's numbers in q."""
        return slices(self, "nq")

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of the numbers of q: `elbow`, or `base.x` for a joint of several numbers."""
        return self._names("coordinates")

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """Names of the numbers of qd, likewise."""
        return self._names("velocities")

    def _names(self, numbers: str) -> tuple[str, ...]:
        all_joints = ((name, getattr(self.joints[name].kind, numbers)) for name in self.joint_names)
        return tuple(f"{joint}.{number}" if number else joint for joint, own in all_joints for number in own)

    @cached_property
    def limits(self) -> Limits:
        """All limits on q: the box of the joints, and rows G q <= h for followers and coupled limits."""
        return robot_limits(self)

    def parent_joint(self, link: str) -> Joint | None:
        """Return the joint that carries a link, None for the root. Raises UnknownNameError for an unknown link."""
        joint = self._parent_joints.get(link)
        if joint is None and link != self.root:
            raise unknown_name("link", link, list(self.links))
        return joint

    def child_joints(self, link: str) -> tuple[Joint, ...]:
        """Return the joints that a link carries, in the order of the file. Raises UnknownNameError likewise."""
        return self._child_joints.get(link) or self._child_joints[self.links[link].name]

    def joints_to(self, link: str) -> tuple[Joint, ...]:
        """Return the joints from the root to a link, in this order. Raises UnknownNameError likewise."""
        joints: list[Joint] = []
        while joint := self.parent_joint(link):
            joints.append(joint)
            link = joint.parent
        return tuple(reversed(joints))

    @cached_property
    def _parent_joints(self) -> dict[str, Joint]:
        return {joint.child: joint for joint in self.joints.values()}

    @cached_property
    def _child_joints(self) -> dict[str, tuple[Joint, ...]]:
        joints: dict[str, list[Joint]] = {link: [] for link in self.links}
        for joint in self.joints.values():
            joints[joint.parent].append(joint)
        return {link: tuple(below) for link, below in joints.items()}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            raise AttributeError(no_attribute("a Robot", name), name=name, obj=self)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is copied and pickled: the fields, without cached results."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def zero(self) -> Array:
        """q (nq,) at which no joint has moved, maybe outside the limits: zeros, and the identity as quaternion.

        Tables, axes, DH parameters, comparisons and the rules of REP-199 are about it. Read-only.
        """
        return frozen(np.array([x for name in self.joint_names for x in self.joints[name].kind.neutral], dtype=float))

    @cached_property
    def _polynomials(self) -> dict[str, tuple[str, list[float]]]:
        """Return what `mimic_polynomial` found so far."""
        return {}

    @cached_property
    def _neutral(self) -> Array:
        return neutral(self)

    @explain_type_errors
    def q(
        self,
        values: Mapping[str, float | Iterable[float]] | None = None,
        /,
        *,
        unit: Literal["rad", "deg"] = "rad",
        at: Any = None,
        **named: float | Iterable[float],
    ) -> Array:
        """Return a full q (nq,) from joint names; joints that are not named stay neutral, or as in the full q `at`.

        Neutral is zero where that is inside the limits, else the middle of the range or, without one, the nearest
        limit; then the nearest q inside the limits over several joints, if some q is. `zero` has all joints at zero.
        unit="deg" takes every angle that is named in degrees; lengths are always metres. A joint of several
        numbers takes them all. Raises KinetreeError for an unknown name or a wrong count. Warns if an angle in rad is
        more than a turn and outside of its limits, because degrees may be meant.

        Examples:
            >>> import kinetree as kt
            >>> icub = kt.load("icub")
            >>> icub.q({"l_elbow": 60}, unit="deg")[icub.q_slices["l_elbow"]].round(3)  # rad
            array([1.047])
        """
        return q_of(self, values, named, unit, at)

    @explain_type_errors
    def order(self, joint_names: Iterable[str]) -> "Robot":
        """Return the same robot with q in the given order, which must name every moving joint once."""
        names = as_names(joint_names)
        for name in names:
            if name not in self.joint_names:
                raise not_a_coordinate(self, name)
        missing = [name for name in self.joint_names if name not in names]
        if missing or len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise fail("order", f"an order names every moving joint once; missing: {missing}, named twice: {twice}")
        return replace(self, joint_names=names, text=None)


def slices(robot: Robot, count: Literal["nq", "nv"]) -> dict[str, slice]:
    """Return the slice of each joint's numbers, of which there are `count`, in q or qd."""
    found, start = {}, 0
    for name in robot.joint_names:
        found[name] = slice(start, start + getattr(robot.joints[name].kind, count))
        start = found[name].stop
    return found
