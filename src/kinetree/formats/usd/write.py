"""A robot to USD text: a rigid body for each link, beside each other, and their joints."""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from math import inf
from typing import Any

import numpy as np

from kinetree.display import listed
from kinetree.errors import Finding
from kinetree.formats.losses.capabilities import lost_joint, lost_shape, where
from kinetree.formats.losses.losses import Losses
from kinetree.formats.losses.sidecar.write import guessed_places
from kinetree.formats.usd.read import WORLD
from kinetree.formats.usd.usda import Names, Usda, numbers, quaternion
from kinetree.formats.usd.write_joints import KINDS, write_joint
from kinetree.formats.usd.write_shapes import SHAPES, meshes_of, write_shape
from kinetree.model.drawn import DRAWN
from kinetree.model.robot import RATES, Inertial, Link, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number

HEAD = """#usda 1.0
(
    defaultPrim = "{name}"
    kilogramsPerUnit = 1
    metersPerUnit = 1
    upAxis = "Z"
)

"""
MOST_SHOWN = 8
IN_PLACE = (("mjcf", "asset"), ("mjcf", "sites"), ("mjcf", DRAWN))
"""Elements of MJCF whose contents are written: meshes, and the places of loops."""


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the robot as USD text, in metres and kilograms, with the schemas UsdPhysics and Newton's.

    A root "world" without mass, shapes and frames is the world itself. A robot that was read from USD text and not
    edited gives the same text. notes: a list that gets remarks on what simulators read otherwise. Raises KinetreeError
    for a part that USD cannot represent and that `without` does not name.
    """
    losses = Losses("usd", without)
    if robot.text and robot.text.format == "usd" and not without:
        return robot.text.text
    meshes = meshes_of(robot)
    robot = losses.without_parts(robot)
    single = where(lambda joint: joint.kind.nv > 1, "{0.type} joints with limits")
    what = "limits of acceleration and jerk"
    rates = where(lambda joint: any(getattr(x, rate) < inf for x in joint.limits for rate in RATES), what)
    finders: Any = {
        "geometry": lambda shape: () if shape.shape.parameters.get("mesh") in meshes else lost_shape(SHAPES, shape),
        "extension": where(lambda one: (one.format, one.tag) not in IN_PLACE, "<{0.tag}>"),
        **dict.fromkeys(("joint", "loop"), lost_joint(lambda joint: joint.type not in KINDS)),
        "loop.limit": rates,
        "joint.limit": lambda joint: [*(single(joint) if joint.limits else ()), *rates(joint)],
        "joint.dynamics": where(lambda one: one.kind.nv > 1 and one.dynamics, "the dynamics of a {0.type} joint"),
        "joint.mimic": partial(_lost_mimic, robot),
    }
    losses.find(robot, finders)
    losses.check()
    if notes is not None:
        notes += [*_massless(robot), *_unfelt(robot), *guessed_places(robot)]
    return _Writer(robot, meshes).text()


def _lost_mimic(robot: Robot, joint: object) -> Iterator[str]:
    """Yield what USD cannot express of a joint that follows another one."""
    mimic, types = joint.mimic, ("revolute", "continuous")  # type: ignore[attr-defined]
    if mimic.higher:
        yield "a joint that follows another by a polynomial"
    if (joint.type in types) != (robot.joints[mimic.joint].type in types):  # type: ignore[attr-defined]
        yield "a joint that turns and follows one that slides, or the other way round"


def _massless(robot: Robot) -> list[Finding]:
    """Return a remark on the links without mass, of which USD has none."""
    names = [link.name for link in robot.links.values() if not (_is_heavy(link) or is_world(robot, link))]
    message = f"simulators give each body a mass, also these without one: {listed(map(repr, names), MOST_SHOWN)}"
    message += "; PhysX takes that of their shapes, or 1 kg"
    return [Finding("massless", "warning", message, robot.source, f"robot {robot.name!r}")] if names else []


def _unfelt(robot: Robot) -> list[Finding]:
    """Return a remark on the links whose shapes have what is not written to USD."""
    shapes = [(name, s) for name, link in robot.links.items() for s in (*link.visuals, *link.collisions)]
    names = [*dict.fromkeys(repr(name) for name, shape in shapes if shape.surface or shape.extensions)]
    message = f"friction and other settings of shapes are not written to USD: {listed(names, MOST_SHOWN)}"
    return [Finding("left-out", "info", message, robot.source, f"robot {robot.name!r}")] if names else []


def _is_heavy(link: Link) -> bool:
    return link.inertial is not None and link.inertial.mass > 0


def is_world(robot: Robot, link: Link) -> bool:
    """Return whether a link is the world of USD, to which nothing belongs but joints."""
    bare = not (link.inertial or link.visuals or link.collisions) and len(robot.links) > 1
    frames = any(frame.link == link.name for frame in robot.frames.values() if frame.name != link.name)
    return link.name == WORLD == robot.root and bare and not frames


class _Writer:
    def __init__(self, robot: Robot, meshes: Mapping[str, tuple[Array, Array]]) -> None:
        self.robot, self.meshes = robot, meshes
        self.name = Names()(robot.name)
        names = Names()
        names.taken.add("Joints")
        links = {link.name: names(link.name) for link in robot.links.values() if not is_world(robot, link)}
        self.paths = {name: f"/{self.name}/{prim}" for name, prim in links.items()}
        joints = Names()
        both = [*robot.joints.values(), *robot.loops.values()]
        self.joints = {joint.name: f"/{self.name}/Joints/{joints(joint.name)}" for joint in both}
        self.poses = {robot.root: se3.IDENTITY}
        for joint in map(robot.joints.__getitem__, robot.placed):
            self.poses[joint.child] = self.poses[joint.parent] @ joint.origin @ joint.child_origin

    def text(self) -> str:
        """Return the text of the stage."""
        usda, robot = Usda(), self.robot
        with usda.prim("Xform", self.name, robot.name, kind="component"):
            top = robot.root if robot.root in self.paths else next(iter(self.paths))
            for link in robot.links.values():
                if link.name in self.paths:
                    self._link(usda, link, link.name == top)
            if self.joints:
                with usda.prim("Scope", "Joints"):
                    for joint in (*robot.joints.values(), *robot.loops.values()):
                        write_joint(usda, robot, joint, self.paths, self.joints, joint.name in robot.loops)
        return HEAD.format(name=self.name) + usda.text()

    def _link(self, usda: Usda, link: Link, is_top: bool) -> None:
        path = self.paths[link.name]
        apis = ["PhysicsRigidBodyAPI", *(["PhysicsArticulationRootAPI"] if is_top else [])]
        apis += ["PhysicsMassAPI", "NewtonMassAPI"] if link.inertial else []
        with usda.prim("Xform", path.rpartition("/")[2], link.name, apis):
            usda.pose(self.poses[link.name])
            if link.inertial:
                _mass(usda, link.inertial)
            if not _is_heavy(link):
                usda.line("custom bool kinetree:massless = true")
            names = Names()
            for kind, shapes in (("visual", link.visuals), ("collision", link.collisions)):
                for i, shape in enumerate(shapes):
                    is_felt, looks = kind == "collision", self.robot.materials
                    write_shape(usda, shape, names(f"{kind}_{i}"), is_felt, looks, self.meshes)
            for frame in self.robot.frames.values():
                if frame.link == link.name and frame.name != link.name:
                    with usda.prim("Xform", names(frame.name), frame.name):
                        usda.pose(frame.origin)


def _mass(usda: Usda, inertial: Inertial) -> None:
    """Write mass, centre, and inertia: its principal moments and axes, and as Newton reads it, all digits in the axes
    of the link. Kinetree also reads the axes in which it was written."""
    R = inertial.origin[:3, :3]
    full = R @ inertial.inertia @ R.T
    moments, axes = np.linalg.eigh((full + full.T) / 2)
    axes = axes if np.linalg.det(axes) > 0 else -axes
    if not np.any(full - np.diag(np.diag(full))):
        moments, axes = np.diag(full), np.eye(3)
    usda.line(f"float physics:mass = {format_number(inertial.mass)}")
    usda.line(f"point3f physics:centerOfMass = {numbers(inertial.origin[:3, 3])}")
    if moments.any():  # zeros mean that it is not given
        usda.line(f"float3 physics:diagonalInertia = {numbers(moments)}")
        usda.line(f"quatf physics:principalAxes = {quaternion(axes)}")
    six = full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    usda.line(f"double[] newton:inertia = [{numbers(six)[1:-1]}]")
    if not np.array_equal(R, np.eye(3)):
        usda.line(f"custom quatd kinetree:inertiaAxes = {quaternion(R)}")
