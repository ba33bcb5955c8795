"""What other libraries make of a text: Pinocchio of URDF, Drake (libsdformat) of SDF, MuJoCo of MJCF.

Each class is made of the text that Kinetree wrote of a robot, and answers by the names in the file.
Robots are only asked which joints are theirs.

links, joints: names that the library knows. limits: name of a joint of one number to its lower and upper limit.
dust: the mass of bodies of a milligram or less, which stand for links without mass, kg.
free: links that hang on nothing, whose pose in the world is set by place(link, T).
move(values): sets joints by name, (nq_joint,) as Kinetree has them; returns the joints that it cannot move.
T(link): the pose (4, 4) of a link in the library's world. mass, center: of the whole robot, kg and m, in its world.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.spatial import se3

Values = dict[str, np.ndarray]


class Pinocchio:
    free: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, text: str, robot: kt.Robot) -> None:
        self.pin = pin = pytest.importorskip("pinocchio")
        self.model = model = pin.buildModelFromXML(text)
        self.data = model.createData()
        kinds = pin.FrameType
        self.links = {frame.name for frame in model.frames if frame.type == kinds.BODY}
        moving = dict(zip(list(model.names)[1:], list(model.joints)[1:], strict=True))
        self.joints = {*moving, *(frame.name for frame in model.frames if frame.type == kinds.FIXED_JOINT)}
        self.moving = moving
        lower, upper = model.lowerPositionLimit, model.upperPositionLimit
        self.limits = {
            name: ends_of(lower[joint.idx_q], upper[joint.idx_q]) if joint.nq == 1 else (-np.inf, np.inf)
            for name, joint in moving.items()
            if joint.nv == 1
        }
        self.mass, self.dust = _masses(inertia.mass for inertia in model.inertias)

    def move(self, values: Values) -> set[str]:
        q = self.pin.neutral(self.model)
        for name, value in values.items():
            joint = self.moving[name]
            if joint.nq == 2:
                value = np.array([np.cos(value[0]), np.sin(value[0])])
            q[joint.idx_q : joint.idx_q + joint.nq] = value
        self.pin.framesForwardKinematics(self.model, self.data, q)
        return set()

    def T(self, link: str) -> np.ndarray:
        return np.array(self.data.oMf[self.model.getFrameId(link, self.pin.FrameType.BODY)].homogeneous)

    @property
    def center(self) -> np.ndarray:
        bodies = zip(self.model.inertias, self.data.oMi, strict=True)
        return np.array(sum(body.mass * np.asarray(oMi.act(body.lever)) for body, oMi in bodies) / self.mass)


class Drake:
    def __init__(self, text: str, robot: kt.Robot) -> None:
        logging.getLogger("drake").setLevel(logging.CRITICAL)
        self.plant = plant = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
        pytest.importorskip("pydrake.multibody.parsing").Parser(plant).AddModelsFromString(text, "sdf")
        plant.Finalize()
        self.context = plant.CreateDefaultContext()
        self.prefix = f"{robot.name}::" if plant.HasModelInstanceNamed(robot.name) else ""
        indices = pytest.importorskip("pydrake.multibody.tree")
        frames = [plant.get_frame(indices.FrameIndex(i)) for i in range(plant.num_frames())]
        self.frames = {self.name(frame): frame for frame in frames if frame.model_instance() != 0}
        self.frames["world"] = plant.world_frame()
        self.links = {*self.frames}
        joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
        self.free = {self.name(j.child_body()): j.child_body() for j in joints if j.num_positions() == 7}
        self.own = {self.of(j, robot): j for j in joints if j.num_positions() != 7}
        self.joints = {*self.own}
        self.limits = {
            name: ends_of(*joint.position_lower_limits(), *joint.position_upper_limits())
            for name, joint in self.own.items()
            if joint.num_positions() == 1 and joint.type_name() != "screw"  # whose limits Drake's reader drops
        }
        self.bodies = [plant.get_body(i) for i in map(indices.BodyIndex, range(1, plant.num_bodies()))]
        self.mass, self.dust = _masses(body.default_mass() for body in self.bodies)

    def of(self, joint: Any, robot: kt.Robot) -> str:
        """The name of a joint, which Drake may have under another model than the file: that of one of its links."""
        ends, local = {self.name(joint.parent_body()), self.name(joint.child_body())}, joint.name()
        for one in robot.joints.values():
            if ends & {one.parent, one.child} == ends - {"world"} and one.name.rpartition("::")[2] == local:
                return one.name
        return self.name(joint)

    def name(self, thing: Any) -> str:
        if thing.model_instance() == 0:
            return "world"
        return f"{self.plant.GetModelInstanceName(thing.model_instance())}::{thing.name()}".removeprefix(self.prefix)

    def move(self, values: Values) -> set[str]:
        positions, still = self.plant.GetPositions(self.context).copy(), set()
        for name, value in values.items():
            joint = self.own.get(name)
            if joint is None or joint.num_positions() == 0:
                still.add(name)
                continue
            if len(value) == 4:
                value = se3.rpy_from_rotation(se3.rotation_from_quaternion(value))
            positions[joint.position_start() : joint.position_start() + joint.num_positions()] = value
        self.plant.SetPositions(self.context, positions)
        return still

    def place(self, link: str, T: np.ndarray) -> None:
        from pydrake.math import RigidTransform, RotationMatrix

        X = RigidTransform(RotationMatrix.ProjectToRotationMatrix(T[:3, :3]), T[:3, 3])
        self.plant.SetFreeBodyPose(self.context, self.free[link], X)

    def T(self, link: str) -> np.ndarray:
        return np.array(self.frames[link].CalcPoseInWorld(self.context).GetAsMatrix4())

    @property
    def center(self) -> np.ndarray:
        at = [(body.default_mass(), self.plant.EvalBodyPoseInWorld(self.context, body)) for body in self.bodies]
        centers = [X.multiply(body.default_com()) for body, (_, X) in zip(self.bodies, at, strict=True)]
        return np.array(sum(mass * center for (mass, _), center in zip(at, centers, strict=True)) / self.mass)


class MuJoCo:
    def __init__(self, text: str, robot: kt.Robot) -> None:
        self.mujoco = mujoco = pytest.importorskip("mujoco")
        self.model = model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(model)
        self.links = {model.body(i).name for i in range(model.nbody)}
        names = [model.joint(i).name for i in range(model.njnt)]
        kinds = mujoco.mjtJoint
        self.free = {
            model.body(int(model.jnt_bodyid[i])).name: name
            for i, name in enumerate(names)
            if model.jnt_type[i] == kinds.mjJNT_FREE
        }
        self.joints = {*names} - {*self.free.values()}
        self.limits = {
            name: tuple(joint.range.tolist()) if joint.limited[0] else (-np.inf, np.inf)
            for name, joint in ((name, model.joint(name)) for name in names)
            if joint.type[0] in (kinds.mjJNT_SLIDE, kinds.mjJNT_HINGE)
        }
        self.mass, self.dust = _masses(model.body_mass[1:])

    def move(self, values: Values) -> set[str]:
        for name, value in values.items():
            if len(value) == 4:
                value = np.r_[value[-1], value[:-1]]
            self.data.joint(name).qpos[:] = value
        self.mujoco.mj_kinematics(self.model, self.data)
        self.mujoco.mj_comPos(self.model, self.data)
        return set()

    def place(self, link: str, T: np.ndarray) -> None:
        x, y, z, w = se3.quaternion_from_rotation(T[:3, :3])
        self.data.joint(self.free[link]).qpos[:] = (*T[:3, 3], w, x, y, z)

    def T(self, link: str) -> np.ndarray:
        body = self.data.body(link)
        return se3.homogeneous(body.xmat.reshape(3, 3), body.xpos)

    @property
    def center(self) -> np.ndarray:
        return np.array(self.data.subtree_com[0])


def _masses(masses: Iterable[float]) -> tuple[float, float]:
    """Return the sum of masses, and that of those up to a milligram."""
    all_of_them = np.array([*masses])
    return float(all_of_them.sum()), float(all_of_them[all_of_them <= 1.001e-6].sum())


def ends_of(lower: float, upper: float) -> tuple[float, float]:
    """Return limits; what a library has for no limit is infinite."""
    return -np.inf if lower <= -1e16 else float(lower), np.inf if upper >= 1e16 else float(upper)


READERS = {"urdf": Pinocchio, "sdf": Drake, "mjcf": MuJoCo}
"""By the format that the library reads."""
