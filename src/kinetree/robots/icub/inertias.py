"""Masses, inertias and places of sensors, taken from another model of the iCub."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from kinetree.algorithms.kinematics import body_poses
from kinetree.arguments import explain_type_errors
from kinetree.errors import Finding, fail, nearest_names
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.merge import combined
from kinetree.model.force_torque import reading_place
from kinetree.model.robot import Frame, Inertial, Link, Robot, Sensor
from kinetree.model.tree import Tree, build_tree
from kinetree.robots.installed import PACKAGES
from kinetree.spatial.se3 import Array, frozen, homogeneous, inverse, translation

APART, TURNED = 1e-3, 1e-2
"""Distance, m, and angle, rad, between axes of a joint in two models above which they are listed as different."""


def model_file(name: str) -> Path:
    """Return the file of a model of the installed package icub-models, such as "iCubGazeboV2_5". Raises KinetreeError
    if the package is not installed or has no model of this name."""
    models = PACKAGES["icub-models"]()
    if not models:
        message = f"inertias={name!r} needs the package icub-models, which is not installed"
        fix = 'pip install icub-models; expected then the names of its robots, such as inertias="iCubGazeboV2_5"'
        raise fail("package", message, fix=fix)
    if name not in models:
        raise fail("unknown-name", f"icub-models has no model {name!r}; {nearest_names(name, list(models))}")
    return models[name].file


@explain_type_errors
def with_inertias(robot: Robot, model: Robot) -> Robot:
    """Return an iCub with the masses and inertias of another model of it, and places of its sensors without one.

    Links are matched by name, and joints by name decide which bodies are the same. Both robots stand at zero with their
    `root_link` in the same place. There every body of `model` is moved, without turning it, so that the axis of its
    joint lies on that of `robot`; along the axis it moves with the body that carries it. Sensors of a frame with
    `Frame.unplaced` move with their bodies. A link that has no counterpart loses its mass.

    Notes list joints whose axes are more than 1 mm or 0.01 rad apart as seen from the body that carries them, links
    without counterpart, and sensors that stay without a place. Raises KinetreeError if no joint has the same name, or
    the same joint is carried by different bodies, as in the torso of the iCub 3.

    Examples:
        >>> import kinetree as kt
        >>> trunk = {"joint": "torso_pitch", "axis": [0, -1, 0], "link": "torso_1", "m": 3}
        >>> model = kt.edit.rename(kt.chain([trunk]), {"base_link": "root_link"})  # or kt.load of a URDF of an iCub
        >>> heavy = kt.icub.with_inertias(kt.load("icub"), model)
        >>> heavy.links["torso_1"].inertial.mass, kt.dynamics.mass(heavy)
        (3.0, 3.0)
    """
    pair = _Pair(_Side(robot), _Side(model))
    homes = {link: pair.home(link) for link in model.links}
    inertials: dict[str, list[Inertial]] = {}
    for name, home in homes.items():
        if home and (inertial := model.links[name].inertial):
            origin = frozen(pair.pose(name, home) @ inertial.origin)
            inertials.setdefault(home, []).append(replace(inertial, origin=origin))
    parts = parts_of(robot)
    masses = {name: combined(found, name) for name, found in inertials.items()}
    parts.links = [replace(link, inertial=masses.get(link.name)) for link in parts.links]
    placed = {frame.name: frame for frame in pair.placed()}
    parts.frames = [placed.get(frame.name, frame) for frame in parts.frames]
    kept = [note for note in parts.notes if note.code != "unplaced" or not placed]
    left = [model.links[name] for name, home in homes.items() if not home and model.links[name].inertial]
    parts.notes = (
        *kept,
        _summary(parts.links, parts.frames, model, list(placed)),
        *pair.differences(),
        *map(_left, left),
    )
    return build(parts)


@dataclass(frozen=True)
class _Side:
    """One of two robots, at zero, seen from its root_link."""

    robot: Robot

    @cached_property
    def tree(self) -> Tree:
        return build_tree(self.robot)

    @cached_property
    def poses(self) -> list[Array]:
        """Poses (4, 4) of the bodies in root_link; that of the base is last."""
        T = body_poses(self.tree)
        body, T_body_root = self.tree.frame("root_link")
        return [inverse(T[body] @ T_body_root) @ pose for pose in T]

    def pose(self, frame: str) -> Array:
        body, T_body_frame = self.tree.frame(frame)
        return np.asarray(self.poses[body] @ T_body_frame)

    def joint(self, frame: str) -> str:
        """Return the moving joint that carries a frame, "" for none."""
        return self._named(self.tree.frame(frame)[0])

    def carrier(self, joint: str) -> str:
        """Return the moving joint that carries a joint, "" for none."""
        return self._named(self.tree.parent[self.tree.joints.index(joint)])

    def turns(self, joint: str) -> bool:
        """Return whether the robot has a joint of this name that turns about one axis."""
        return joint in self.tree.joints and self.robot.joints[joint].type in ("revolute", "continuous")

    def line(self, joint: str) -> tuple[Array, Array]:
        """Return a point (3,) on the axis of a joint and its direction (3,)."""
        i = self.tree.joints.index(joint)
        return self.poses[i][:3, 3], self.poses[i][:3, :3] @ self.tree.axes[i][0]

    def _named(self, body: int) -> str:
        return self.tree.joints[body] if body >= 0 else ""


@dataclass(frozen=True)
class _Pair:
    """The robot that gets masses, and the model that has them."""

    own: _Side
    other: _Side

    @cached_property
    def shifts(self) -> dict[str, Array]:
        """How far (3,) each body of the model is moved in root_link, by the name of its joint, "" for the base."""
        shifts = {"": np.zeros(3)}
        for joint in self.own.tree.joints:
            if not (self.own.turns(joint) and self.other.turns(joint)):
                continue
            carriers = self.own.carrier(joint), self.other.carrier(joint)
            if carriers[0] != carriers[1]:
                here, there = (f"joint {name!r}" if name else "the root" for name in carriers)
                message = f"is carried by {here}, and in {self.other.robot.name!r} by {there}: the bodies differ"
                raise fail("family", message, element=f"joint {joint!r}")
            (p, axis), (p_other, _) = self.own.line(joint), self.other.line(joint)
            apart = p - p_other - shifts[carriers[0]]
            shifts[joint] = shifts[carriers[0]] + apart - axis * (axis @ apart)
        if len(shifts) == 1:
            raise fail(
                "not-an-icub", f"has no joint of {self.other.robot.name!r}", element=f"robot {self.own.robot.name!r}"
            )
        return shifts

    def home(self, link: str) -> str | None:
        """Return the link of the robot that has the name of a link of the model, or of the nearest link that carries it
        by fixed joints; None if another joint moves that, or the robot lacks the joint."""
        joint, own = self.other.joint(link), self.own.robot
        if joint not in self.shifts:
            return None
        while link not in own.links:
            above = self.other.robot.parent_joint(link)
            if above is None or above.name == joint:
                return own.joints[joint].child if joint else own.root
            link = above.parent
        return link if self.own.joint(link) == joint else None

    def pose(self, frame: str, home: str) -> Array:
        """Return the pose (4, 4) of a frame of the model, moved with its body, in a link of the robot."""
        moved = translation(self.shifts[self.other.joint(frame)]) @ self.other.pose(frame)
        return np.asarray(inverse(self.own.pose(home)) @ moved)

    def placed(self) -> Iterator[Frame]:
        """Yield the frames of sensors without a place, put where the same sensor of the model reads."""
        for sensor in self.own.robot.sensors.values():
            frame = self.own.robot.frames[sensor.frame]
            twin = next((it for it in self.other.robot.sensors.values() if _is_same(sensor, it)), None)
            if not (frame.unplaced and twin):
                continue
            reads = reading_place(self.other.robot, twin)
            if self.other.joint(reads.on) == self.own.joint(frame.link):
                R = self.pose(reads.frame, frame.link)[:3, :3] @ reads.R_frame_reading
                p = (self.pose(reads.on, frame.link) @ (*reads.p, 1.0))[:3]
                yield replace(frame, origin=frozen(homogeneous(R, p) @ inverse(sensor.origin)), unplaced="")

    def differences(self) -> Iterator[Finding]:
        """Yield a note for each joint whose axis lies elsewhere in the model."""
        for joint in list(self.shifts)[1:]:
            away = float(np.linalg.norm(self.shifts[joint] - self.shifts[self.own.carrier(joint)]))
            (_, a), (_, b) = self.own.line(joint), self.other.line(joint)
            angle = float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
            if away > APART or angle > TURNED:
                said = " and ".join(
                    [f"{1000 * away:.2f} mm"] * (away > APART) + [f"{np.degrees(angle):.1f} deg"] * (angle > TURNED)
                )
                message = (
                    f"its axis is {said} from that in {self.other.robot.name!r}, relative to the body that carries it; "
                    "the masses that it moves are placed relative to the axis of this robot"
                )
                source = self.other.robot.joints[joint].source
                yield Finding("sources-differ", "warning", message, source, f"joint {joint!r}")


def _is_same(sensor: Sensor, other: Sensor) -> bool:
    same = sensor.joint == other.joint if sensor.joint else sensor.name == other.name
    return same and sensor.type == other.type


def _summary(links: list[Link], frames: list[Frame], model: Robot, placed: list[str]) -> Finding:
    mass = sum(link.inertial.mass for link in links if link.inertial)
    message = f"masses, {mass:.4g} kg in all, and inertias are those of {model.name!r}"
    if placed:
        message += f", and so are the places of {', '.join(placed)}"
    if unplaced := [frame.name for frame in frames if frame.unplaced]:
        message += f"; {', '.join(unplaced)} have no place there, so that readings of their sensors are refused"
    if empty := [link.name for link in links if not link.inertial]:
        message += f"; links without a counterpart have no mass: {', '.join(empty)}"
    return Finding("other-source", "info", message, model.source)


def _left(link: Link) -> Finding:
    mass = link.inertial.mass if link.inertial else 0.0
    message = f"this robot has no link for it that the same joint moves; its mass of {mass:.4g} kg is left out"
    return Finding("left-out", "warning", message, link.source, f"link {link.name!r}")
