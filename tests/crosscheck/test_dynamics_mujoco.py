"""Dynamics against MuJoCo: every joint of MJCF with armature, damping and springs, random trees, real robots."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.mjcf import write
from kinetree.model.names import NamedValues
from kinetree.model.robot import Dynamics, Robot
from kinetree.spatial import se3
from physics import with_dynamics
from support import example_robot_urdfs, icub_urdfs, random_q

mujoco = pytest.importorskip("mujoco")
pytestmark = pytest.mark.crosscheck

FREE = '<option timestep="0.001"><flag constraint="disable" contact="disable" eulerdamp="disable"/></option>'
TIMES = 5


class Peer:
    """A robot as MuJoCo has it. A free joint's linear velocity is in the world's axes there, in the body's here."""

    def __init__(self, text: str, robot: Robot) -> None:
        self.robot, self.model = robot, mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.v, order = {}, []
        for name in robot.joint_names:
            nv = robot.joints[name].kind.nv
            self.v[name] = slice(len(order), len(order) + nv)
            order += range(first := int(self.model.joint(self.id(name)).dofadr[0]), first + nv)
        self.from_order = np.argsort(order)
        assert sorted(order) == [*range(self.model.nv)]

    def id(self, name: str) -> int:
        """The joint's number; where it has no name, joints are in the order of the text."""
        known = mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        return int(known if known >= 0 else self.robot.joint_names.index(name))

    def place(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Set positions and velocities; return G (nv there, nv here), which maps velocities."""
        G = np.eye(self.robot.nv)
        for name, where in self.robot.q_slices.items():
            kind, values = self.robot.joints[name].kind, q[where]
            if kind.quaternion:
                values = [*values[:-4], values[-1], *values[-4:-1]]
            self.data.joint(self.id(name)).qpos[:] = values
            if kind.name == "floating":
                own = slice(self.v[name].start, self.v[name].start + 3)
                G[own, own] = se3.rotation_from_quaternion(q[where][3:])
        G = G[self.from_order]
        self.data.qvel[:] = G @ qd
        return G

    def turning(self, q: np.ndarray, qd: np.ndarray, G: np.ndarray) -> np.ndarray:
        """dG/dt qd: accelerations there when those here are zero."""
        rest = np.zeros(len(qd))
        for name, own in self.v.items():
            if self.robot.joints[name].type == "floating":
                rest[own.start : own.start + 3] = np.cross(qd[own][3:], qd[own][:3])
        return G @ rest

    def inverse(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        G = self.place(q, qd)
        self.data.qacc[:] = G @ qdd + self.turning(q, qd, G)
        mujoco.mj_inverse(self.model, self.data)
        return G.T @ self.data.qfrc_inverse

    def forward(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        G = self.place(q, qd)
        self.data.qfrc_applied[:] = np.linalg.solve(G.T, tau)
        mujoco.mj_forward(self.model, self.data)
        return np.linalg.solve(G, self.data.qacc - self.turning(q, qd, G))

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        G, M = self.place(q, np.zeros(self.robot.nv)), np.zeros((self.model.nv,) * 2)
        mujoco.mj_forward(self.model, self.data)
        mujoco.mj_fullM(self.model, self.data, M)
        return G.T @ M @ G


def agree(got: np.ndarray, expected: Any, name: Any = "", bound: float = 1e-11) -> None:
    expected = np.array(expected)
    error = np.abs(got - expected).max() / np.abs(expected).max()
    assert error < bound, (name, error)


def compare(text: str, name: str = "", seed: int = 0) -> None:
    """Inverse and forward dynamics and the mass matrix."""
    robot, rng = kt.load(text, format="mjcf"), np.random.default_rng(seed)
    peer = Peer(text, robot)
    q = np.array([random_q(robot, rng) for _ in range(TIMES)])
    qd, x = rng.normal(size=(2, TIMES, robot.nv))
    agree(kt.mass_matrix(robot).interpret(q), [peer.mass_matrix(a) for a in q], f"{name} H")
    expected = [peer.inverse(*each) for each in zip(q, qd, x, strict=True)]
    agree(kt.inverse_dynamics(robot).interpret(q, qd, x), expected, f"{name} ID")
    expected = [peer.forward(*each) for each in zip(q, qd, x, strict=True)]
    agree(kt.forward_dynamics(robot).interpret(q, qd, x), expected, f"{name} FD")


def numbers(x: Any) -> str:
    return " ".join(map(repr, np.asarray(x).tolist()))


def body(rng: np.random.Generator, name: str, joints: str, children: str) -> str:
    inertia = rng.uniform(1.0, 1.9, 3) * rng.uniform(0.01, 0.1)
    inertial = (
        f'<inertial pos="{numbers(rng.normal(size=3) / 5)}" quat="{numbers(rng.normal(size=4))}"'
        f' mass="{rng.uniform(0.1, 3)}" diaginertia="{numbers(inertia)}"/>'
    )
    pose = f'pos="{numbers(rng.normal(size=3) / 2)}" quat="{numbers(rng.normal(size=4))}"'
    return f'<body name="{name}" {pose}>{inertial}{joints}{children}</body>'


def joint(rng: np.random.Generator, name: str, kind: str) -> str:
    passive = f'armature="{rng.uniform(0, 0.2)}" damping="{rng.uniform(0, 0.5)}"'
    if kind != "free":
        passive += f' stiffness="{rng.uniform(0, 3)}"'
    place = "" if kind == "free" else f'pos="{numbers(rng.normal(size=3) / 3)}"'
    if kind in ("hinge", "slide"):
        place += f' axis="{numbers(rng.normal(size=3))}" springref="{rng.uniform(-1, 1)}" ref="{rng.uniform(-1, 1)}"'
    return f'<joint name="{name}" type="{kind}" {place} {passive}/>'


KINDS = (("hinge",), ("slide",), ("ball",), ("hinge", "hinge"), ("slide", "hinge"), ("slide", "slide", "ball"), ())
KINDS += (("hinge", "slide", "hinge"),)


def tree(rng: np.random.Generator, n: int, first: tuple[str, ...] = ()) -> str:
    """MJCF of a random tree of n bodies, with zero to three joints each; `first` are those of the first one."""
    parents = [-1] + [int(rng.integers(-1, i)) for i in range(1, n)]
    texts = [""] * n
    for i in reversed(range(n)):
        kinds = first or ("hinge",) if i == 0 else KINDS[rng.integers(len(KINDS))]
        joints = "".join(joint(rng, f"j{i}_{k}", kind) for k, kind in enumerate(kinds))
        below = "".join(texts[j] for j in range(n) if parents[j] == i)
        texts[i] = body(rng, f"b{i}", joints, below)
    whole = "".join(texts[j] for j in range(n) if parents[j] == -1)
    return f'<mujoco><compiler angle="radian"/>{FREE}<worldbody>{whole}</worldbody></mujoco>'


@pytest.mark.parametrize("kinds", [*KINDS[:6], KINDS[-1], ("free",)], ids="-".join)
def test_every_joint(kinds):
    rng = np.random.default_rng(20261123)
    compare(tree(rng, 1, kinds))
    compare(tree(rng, 2, kinds))


@pytest.mark.parametrize("seed", range(12))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    compare(tree(rng, int(rng.integers(2, 9)), ("free",) if seed % 3 == 0 else ()))


REAL = ("ur5_robot.urdf", "solo12.urdf", "talos_reduced.urdf", "iCubGazeboV2_5/model.urdf")


def real(dynamics: Dynamics) -> list[str]:
    """MJCF that we write of robots without followers, and without their servos, which push back."""
    paths = [path for path in (*icub_urdfs(), *example_robot_urdfs()) if str(path).endswith(REAL)]
    assert len(paths) == len(REAL)
    robots = [replace(with_dynamics(kt.load(path), dynamics), actuators=NamedValues("actuator", ())) for path in paths]
    texts = [write(robot, without=("geometry", "limit")) for robot in robots]
    return [text.replace("<worldbody>", f"{FREE}<worldbody>") for text in texts]


def test_spring_of_a_free_joint():
    """To where the body is drawn, which is at the world's origin."""
    text = '<joint type="free" armature="0.1" damping="0.2" stiffness="3"/>'
    inertial = '<inertial pos="0.1 0.2 0.3" mass="2" diaginertia="0.3 0.4 0.5"/>'
    compare(f'<mujoco>{FREE}<worldbody><body name="b">{text}{inertial}</body></worldbody></mujoco>')


def test_real_robots():
    """With an armature and a spring, which URDF lacks, and damping."""
    for text in real(Dynamics(damping=0.2, stiffness=1.5, reference=0.3, armature=0.05)):
        compare(text)


def test_a_thousand_steps():
    """Real robots fall for a second; a tree with joints of every kind moves under torques, with springs and dampers."""
    texts = [
        *real(Dynamics(armature=0.01)),
        *(tree(np.random.default_rng(seed), 5, first) for seed in (1, 2) for first in (("ball",), ("free",))),
    ]
    for text in texts:
        robot, rng = kt.load(text, format="mjcf"), np.random.default_rng(7)
        peer = Peer(text, robot)
        step = kt.dynamics.step(robot, peer.model.opt.timestep)
        q, qd, tau = random_q(robot, rng), 0.1 * rng.normal(size=robot.nv), rng.normal(size=robot.nv)
        tau *= text in texts[len(REAL) :]
        floating = [
            robot.joints[name].type == "floating"
            for name in robot.joint_names
            for _ in robot.joints[name].kind.velocities
        ]
        tau[floating] = 0.0  # it has other axes there
        G = peer.place(q, qd)
        peer.data.qfrc_applied[:] = G @ tau
        for _ in range(1000):
            q, qd = step(q, qd, tau)
            mujoco.mj_step(peer.model, peer.data)
        place, velocity = peer.data.qpos.copy(), peer.data.qvel.copy()
        agree(peer.place(q, qd) @ qd, velocity, robot.name, 1e-9)
        agree(peer.data.qpos, place, robot.name, 1e-9)


def test_the_model_that_comes_with_mujoco():
    """Its tendons, actuators, medium and motors against weight have forces of their own, and a mesh has a mass that
    MuJoCo alone knows, so the comparison leaves them out."""
    path = Path(mujoco.__file__).parent / "testdata" / "model.xml"
    text = re.sub(r"<(tendon|actuator|sensor|equality)>.*?</\1>", "", path.read_text(), flags=re.S)
    text = re.sub(r"<option.*?</option>", FREE, text, flags=re.S)
    text = text.replace('type="mesh" mesh="icosahedron"', 'type="sphere"').replace('gravcomp="0.5"', "")
    compare(text)


def test_a_spring_of_a_free_joint():
    """It pulls to where its body is in the file, which is known where q is zero there."""
    free = '<mujoco>{}<worldbody><body pos="{}"><joint name="f" type="free" stiffness="3" armature="0.5"/>'
    rest = '<inertial pos="0.1 0.02 0.03" mass="1.5" diaginertia="0.1 0.2 0.25"/></body></worldbody></mujoco>'
    compare(free.format(FREE, "0 0 0") + rest)
    with pytest.raises(kt.KinetreeError, match=r"'f'.*spring"):
        kt.inverse_dynamics(kt.load(free.format(FREE, "0.1 0.2 0.3") + rest, format="mjcf"))


ARM = """<mujoco>{head}<worldbody><body name="b" {body}><joint name="j" axis="0 1 0" {joint}/>
  <geom size="0.1" pos="1 0 0.2"/></body></worldbody>{tail}</mujoco>"""
TENDON = '<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("part", "attribute", "value"),
    [
        ("body", "gravcomp", "0.5"),
        ("joint", "springdamper", "0.5 1"),
        ("joint", "stiffness", "1 2"),
        ("tendon", "stiffness", "2"),
        ("tendon", "damping", "2"),
        ("tendon", "armature", "2"),
        ("motor", "armature", "2"),
        ("motor", "damping", "2"),
        ("option", "density", "1000"),
        ("option", "viscosity", "1"),
    ],
)
def test_what_is_refused_changes_torques_in_mujoco(part, attribute, value):
    """And the same attribute of zero is computed."""

    def made(value: str) -> str:
        given = f'{attribute}="{value}"'
        tail = TENDON.replace('"t"', f'"t" {given}') if part == "tendon" else ""
        tail += f'<actuator><motor name="m" joint="j" {given}/></actuator>' if part == "motor" else ""
        head = f"<option {given}/>" if part == "option" else ""
        own = {name: given if part == name else "" for name in ("body", "joint")}
        return ARM.format(head=head + FREE, tail=tail, **own)

    idle = "0 0" if attribute == "springdamper" else "0"
    robot = kt.load(made(idle), format="mjcf")
    at = np.array([[0.3], [0.7], [1.1]])
    compare(made(idle))
    with pytest.raises(kt.KinetreeError, match=attribute):
        kt.inverse_dynamics(kt.load(made(value), format="mjcf"))
    with_it, without = (Peer(made(each), robot).inverse(*at) for each in (value, idle))
    assert abs(with_it - without) > 1e-5 * abs(without)


def test_gravity_of_the_file_is_what_its_note_asks_for():
    """Without gravity, gravcomp has no effect."""
    at = np.array([[0.3], [0.7], [1.1]])
    for gravity, flags in (((0.5, 0.0, -1.62), ""), ((0.0, 0.0, 0.0), '<flag gravity="disable"/>')):
        head = f'<option gravity="0.5 0 -1.62">{flags}</option>'
        text = ARM.format(head=head, body="" if any(gravity) else 'gravcomp="1"', joint="", tail="")
        robot = kt.load(text, format="mjcf")
        assert f"gravity=({', '.join(f'{x:g}' for x in gravity)})" in str([note.fix for note in robot.notes])
        agree(kt.inverse_dynamics(robot, gravity=gravity).interpret(*at), Peer(text, robot).inverse(*at))
