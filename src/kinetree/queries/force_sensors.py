"""Force/torque sensors as computed: which wrench they measure, where, and into which parts they cut a robot."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms import differential
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.force_torque import MEASURES, Place, reading_place
from kinetree.model.placed import check_placed
from kinetree.model.robot import Robot, Sensor
from kinetree.model.tree import Tree
from kinetree.queries.query import one_of, origin_input
from kinetree.robots.icub.naming import sensor as sensor_named
from kinetree.spatial.plucker import moved_wrench
from kinetree.spatial.se3 import Array, homogeneous, inverse

MUJOCO = dict.fromkeys(("force", "torque"), "parent_on_child")
"""What the sensors of MJCF measure, which read one half of a wrench."""


FORCES = ("force_torque", *MUJOCO)
"""Types of sensors that measure the wrench of a joint."""


class Meter(NamedTuple):
    """A force/torque sensor of a joint: the link that the joint moves, what it measures, and where."""

    sensor: str
    joint: str
    child: str
    measures: str
    place: Place

    @property
    def sign(self) -> float:
        """1 for what the parent exerts on the child, -1 for the opposite."""
        return 1.0 if self.measures == MEASURES[0] else -1.0

    def frames(self) -> tuple[str, ...]:
        """Return the frames that a reading depends on."""
        return (self.child, self.place.frame, self.place.on)

    def key(self) -> tuple[Any, ...]:
        """Return all that tells readings of two sensors apart."""
        R, p = self.place.R_frame_reading, self.place.p
        return (self.sensor, self.joint, self.measures, *self.frames()[1:], *R.ravel().tolist(), *p.tolist())

    def _pose(self, model: Tree, q: Any) -> Array:
        """Return T_frame_reading (4, 4)."""
        place = self.place
        return homogeneous(place.R_frame_reading, differential.point(model, q, place.p, place.on, place.frame))

    def reading(self, model: Tree, q: Any, f: Any) -> Array:
        """Return the reading (6,) where the joint exerts f (6,) on its body, moment first."""
        w = differential.wrench(model, q, of_link(model, f, self.child), self.child, self.place.frame)
        return self.sign * moved_wrench(inverse(self._pose(model, q)), w)

    def wrench(self, model: Tree, q: Any, reading: Any) -> Array:
        """Return f (6,) of a reading."""
        w = differential.wrench(model, q, moved_wrench(self._pose(model, q), reading), self.place.frame, self.child)
        moved = moved_wrench(model.frame(self.child)[1], self.sign * w)
        return np.array([*moved[3:], *moved[:3]])


def of_link(model: Tree, f: Any, link: str) -> Array:
    """Return a wrench f (6,) on a body, moment first, in the frame of its link, force first."""
    return moved_wrench(inverse(model.frame(link)[1]), np.array([*f[3:], *f[:3]]))


def meter_of(robot: Robot, name: str, measures: str | None) -> Meter:
    """Return a force/torque sensor that can be computed; raise KinetreeError for others."""
    it = sensor_named(robot, name)
    joint = _joint_of(robot, it)
    if measures is None:
        measures = it.force_torque.measures if it.force_torque else MUJOCO.get(it.type)
    if measures is None:
        legal = " or ".join(f"measures={word!r}" for word in MEASURES)
        raise fail("measures", f"the model does not say what it measures; pass {legal}", element=f"sensor {name!r}")
    one_of("measures", measures, MEASURES)
    place = reading_place(robot, it, fixed=origin_input(robot) is None)
    for frame in (place.frame, place.on):
        check_placed(robot, frame, f"sensor {it.name!r}")
    return Meter(it.name, joint, robot.joints[joint].child, measures, place)


def _joint_of(robot: Robot, sensor: Sensor) -> str:
    """Return the joint that a force/torque sensor measures; raise KinetreeError for other sensors."""
    if sensor.type in FORCES and sensor.joint is not None:
        return sensor.joint
    legal = [s.name for s in robot.sensors.values() if s.type in FORCES and s.joint is not None]
    what = f"is of type {sensor.type!r}" if sensor.type not in FORCES else "is of no joint"
    there = ", ".join(map(repr, legal)) or "there are none"
    message = f"{what}; expected force_torque sensors of joints: {there}"
    raise KinetreeError(Finding("sensor", "error", message, sensor.source, f"sensor {sensor.name!r}"))


def parts_of(robot: Robot, model: Tree, meters: Sequence[Meter], frames: Sequence[str], base: str | None) -> list[str]:
    """Return the first link of the part that each frame is on; raise KinetreeError if its contact cannot be found."""
    starts: dict[str, str] = {}
    for meter in meters:
        if other := starts.get(meter.joint):
            raise fail("sensors", f"{other!r} and {meter.sensor!r} both measure joint {meter.joint!r}; use one of them")
        starts[meter.joint] = meter.sensor
    if not meters:
        raise fail("sensors", "no sensor is given, so no contact can be found; give force/torque sensors of the robot")
    floating = {name for name, joint in robot.joints.items() if joint.kind.nv == 6}
    parts: dict[str, str] = {}
    for frame in frames:
        body = model.frame(frame)[0]
        while body >= 0 and model.joints[body] not in starts.keys() | floating:
            body = model.parent[body]
        link = robot.joints[model.joints[body]].child if body >= 0 else robot.root
        if body < 0 and base is None:
            message = "is on the part of the root link, whose support is unknown, so its contact cannot be found"
            fix = f"expected frames behind these joints: {', '.join(starts)}; with `base`, also this one"
            raise fail("support", message, element=f"frame {frame!r}", fix=fix)
        if link in parts:
            message = f"no sensor lies between {parts[link]!r} and {frame!r}, so only the sum of both is known"
            raise fail("contacts", message, fix="give one frame for both, or a sensor between them")
        parts[link] = frame
    return list(parts)
