"""Dynamics against Drake, for the joints that Pinocchio's and MuJoCo's files do not have: screw, universal, planar."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.urdf.write import write
from kinetree.model.mimic import resolve_mimic
from kinetree.model.robot import Dynamics, Robot
from kinetree.spatial import se3
from physics import random_inertial, with_dynamics
from support import example_robot_urdfs, random_q

pytestmark = pytest.mark.crosscheck
TIMES = 4


@pytest.fixture(scope="module")
def drake() -> Any:
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    return pytest.importorskip("pydrake.all")


class Peer:
    """A robot as Drake has it, its root held to the world. The velocity of a ball joint is in the parent's axes
    there, and a follower has numbers of its own."""

    def __init__(self, drake: Any, robot: Robot, text: str, format: str = "sdf") -> None:
        self.drake, self.robot, self.plant = drake, robot, drake.MultibodyPlant(0.0)
        parser = drake.Parser(self.plant)
        parser.AddModelsFromString(text, format)
        if format == "urdf" and robot.root != "world":
            self.plant.WeldFrames(self.plant.world_frame(), self.plant.GetFrameByName(robot.root))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        starts = np.cumsum([0, *(robot.joints[name].kind.nv for name in robot.joint_names)]).tolist()
        self.v = {n: slice(a, b) for n, a, b in zip(robot.joint_names, starts, starts[1:], strict=False)}

    def place(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Set positions and velocities; return G (nv there, nv here), which maps velocities and accelerations."""
        plant = self.plant
        positions, G = plant.GetPositions(self.context).copy(), np.zeros((plant.num_velocities(), self.robot.nv))
        for joint in (joint for joint in self.robot.joints.values() if joint.kind.nq):
            leader, multiplier, offset = resolve_mimic(self.robot, joint.name)
            values, own = multiplier * q[self.robot.q_slices[leader]] + offset, self.v[leader]
            there = plant.GetJointByName(joint.name)
            at = slice(there.velocity_start(), there.velocity_start() + there.num_velocities())
            G[at, own] = multiplier * np.eye(joint.kind.nv)
            if joint.type == "ball":
                G[at, own] = R = se3.rotation_from_quaternion(values)
                values = se3.rpy_from_rotation(R)
            positions[there.position_start() : there.position_start() + there.num_positions()] = values
        plant.SetPositions(self.context, positions)
        plant.SetVelocities(self.context, G @ qd)
        return G

    def torques(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        G = self.place(q, qd)
        forces = self.drake.MultibodyForces(self.plant)
        self.plant.CalcForceElementsContribution(self.context, forces)
        return G.T @ self.plant.CalcInverseDynamics(self.context, G @ qdd, forces)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        G = self.place(q, np.zeros(self.robot.nv))
        return G.T @ self.plant.CalcMassMatrix(self.context) @ G

    def gravity(self, q: np.ndarray) -> np.ndarray:
        G = self.place(q, np.zeros(self.robot.nv))
        return -G.T @ self.plant.CalcGravityGeneralizedForces(self.context)


def compare(peer: Peer, name: Any = "") -> None:
    robot, rng = peer.robot, np.random.default_rng(20261123)
    q = np.array([random_q(robot, rng) for _ in range(TIMES)])
    qd, x = rng.normal(size=(2, TIMES, robot.nv))
    falls = peer.plant.gravity_field().gravity_vector()
    expected = np.array([peer.torques(*each) for each in zip(q, qd, x, strict=True)])
    agree(kt.inverse_dynamics(robot, gravity=falls).interpret(q, qd, x), expected, 1e-12, f"{name} ID")
    H = np.array([peer.mass_matrix(each) for each in q])
    agree(kt.mass_matrix(robot).interpret(q), H, 1e-12, f"{name} H")
    agree(kt.gravity_torques(robot, gravity=falls).interpret(q), np.array([peer.gravity(each) for each in q]), 1e-12)
    agree(kt.forward_dynamics(robot, gravity=falls).interpret(q, qd, expected), x, 1e-10, f"{name} FD")


def agree(got: np.ndarray, expected: np.ndarray, bound: float, name: str = "") -> None:
    error = np.abs(got - expected).max() / np.abs(expected).max()
    assert error < bound, (name, error)


def numbers(x: Any) -> str:
    return " ".join(map(repr, np.asarray(x).tolist()))


def link(rng: np.random.Generator, name: str) -> str:
    inertial = random_inertial(rng)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertial.inertia
    entries = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    inertia = "".join(f"<{tag}>{value}</{tag}>" for tag, value in entries.items())
    return (
        f'<link name="{name}"><pose>{numbers(rng.uniform(-1, 1, 6))}</pose><inertial><mass>{inertial.mass}</mass>'
        f"<pose>{numbers(rng.uniform(-1, 1, 6))}</pose><inertia>{inertia}</inertia></inertial></link>"
    )


def joint(rng: np.random.Generator, name: str, kind: str, parent: str, child: str) -> str:
    passive = "<dynamics><damping>0.3</damping>"
    if kind in ("revolute", "prismatic"):
        passive += "<spring_stiffness>1.5</spring_stiffness><spring_reference>0.4</spring_reference>"
    passive += "</dynamics>"
    axes = "" if kind in ("ball", "fixed") else f"<axis><xyz>{numbers(rng.normal(size=3))}</xyz>{passive}</axis>"
    if kind == "universal":
        axes = f"<axis><xyz>0 0 1</xyz>{passive}</axis><axis2><xyz>1 0 0</xyz>{passive}</axis2>"
    pitch = "<screw_thread_pitch>0.7</screw_thread_pitch>" if kind == "screw" else ""
    return (
        f'<joint name="{name}" type="{kind}"><pose>{numbers(rng.uniform(-1, 1, 6))}</pose><parent>{parent}</parent>'
        f"<child>{child}</child>{axes}{pitch}</joint>"
    )


def model(seed: int, kinds: list[str]) -> str:
    """SDF of a random tree with joints of these types, held to the world."""
    rng = np.random.default_rng(seed)
    parts = [link(rng, "l0"), '<joint name="hold" type="fixed"><parent>world</parent><child>l0</child></joint>']
    for i, kind in enumerate(kinds, 1):
        parts += [link(rng, f"l{i}"), joint(rng, f"j{i}", kind, f"l{rng.integers(i)}", f"l{i}")]
    return f'<sdf version="1.10"><model name="m">{"".join(parts)}</model></sdf>'


KINDS = ("revolute", "prismatic", "continuous", "screw", "universal", "ball", "fixed")


@pytest.mark.parametrize("kind", KINDS[:-1])
def test_every_joint_of_sdf(drake, kind):
    text = model(1, [kind, kind])
    compare(Peer(drake, kt.load(text, format="sdf"), text), kind)


@pytest.mark.parametrize("seed", range(10))
def test_random_trees_of_sdf(drake, seed):
    kinds = np.random.default_rng(seed).choice(KINDS, 7)
    text = model(seed, [*map(str, kinds)])
    compare(Peer(drake, kt.load(text, format="sdf"), text), str(seed))


BODY = (
    '<link name="{}"><inertial><origin xyz="0.1 0.2 -0.3" rpy="0.3 0.2 0.1"/><mass value="2.5"/>'
    '<inertia ixx="1.1" iyy="1.2" izz="1.3" ixy="0.1" ixz="-0.2" iyz="0.15"/></inertial></link>'
)


@pytest.mark.parametrize("axis", ["0 0 1", "1 0 0", "0.48 0.6 0.64", "1 -2 -3"])
def test_planar_joints(drake, axis):
    links = "".join(map(BODY.format, "abcd"))
    joints = "".join(
        f'<joint name="{child}" type="{kind}"><origin xyz="0.3 0.1 -0.2" rpy="1 2 3"/><parent link="{parent}"/>'
        f'<child link="{child}"/><axis xyz="{axis}"/></joint>'
        for parent, child, kind in (("a", "b", "planar"), ("b", "c", "continuous"), ("c", "d", "planar"))
    )
    text = f'<robot name="r">{links}{joints}</robot>'
    compare(Peer(drake, kt.load(text, format="urdf"), text, "urdf"), axis)


@pytest.mark.parametrize("name", ["ur5_robot.urdf", "panda.urdf", "solo12.urdf", "talos_reduced.urdf"])
def test_real_robots(drake, name):
    """As we write them, with dampers and without shapes and limits. Panda's fingers follow each other."""
    path = next(path for path in example_robot_urdfs() if path.name == name)
    robot = with_dynamics(kt.load(path), Dynamics(damping=0.2))
    text = write(robot, ("geometry", "limit"))
    compare(Peer(drake, kt.load(text, format="urdf"), text, "urdf"), name)
