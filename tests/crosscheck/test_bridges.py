"""Robots exported to other libraries: every frame, mass matrices, limits, followers, and what they do not take."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinetree as kt
from bridged import IN, LIBRARIES, agrees, bridge
from kinetree.algorithms.dynamics.mass_matrix import crba
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Inertial, Joint, Link, Mimic
from kinetree.model.tree import build_tree
from kinetree.spatial import se3
from physics import everything, floated, random_joint, solid, with_dynamics
from pinocchio_robot import loadable
from support import icub_urdfs, random_q

pytestmark = pytest.mark.crosscheck

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "bridges.md"
NOT_TAKEN = {"mujoco": {"iCubNancy01/model.urdf", "urdf/romeo_laas_small.urdf", "urdf/romeo_small.urdf"}}
"""Robots with a link whose moments of inertia no rigid body has."""
SEVERAL = ("planar", "universal", "ball", "floating")


@cache
def real_robots() -> list[tuple[str, kt.Robot, np.ndarray, Any]]:
    """Robots without shapes, a configuration of each and its mass matrix."""
    rng, made = np.random.default_rng(20261127), []
    for path in [*icub_urdfs(), *loadable()]:
        robot = kt.load(path, without=["geometry"])
        q = random_q(robot, rng)
        made.append((f"{path.parent.name}/{path.name}", robot, q, crba(build_tree(robot), q).astype(float)))
    return made


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.sampled(1)
def test_real_robots(library):
    refused = set()
    for name, robot, q, H in real_robots():
        try:
            state = IN[library](robot, q)
        except kt.KinetreeError:
            refused.add(name)
        else:
            agrees(robot, q, state, H)
    assert refused == NOT_TAKEN.get(library, set())


@pytest.mark.parametrize("library", ["pinocchio", "drake", "roboticstoolbox"])
def test_robots_with_loops_are_not_taken(library):
    for name in ("reduced", "simple", "v2", "wo_gearbox_spring"):
        with pytest.raises(kt.KinetreeError, match="loop"):
            bridge(library).export(kt.load(f"example-robot-data:cassie_{name}"))


@pytest.mark.parametrize("library", ["pinocchio", "mujoco", "drake"])
def test_real_robots_on_a_floating_base(library):
    names = ("model.urdf", "solo12.urdf", "talos_reduced.urdf", "panda.urdf")
    robots = [robot for name, robot, *_ in real_robots() if name.endswith(names)][-6:]
    for robot in map(floated, robots):
        q = random_q(robot, np.random.default_rng(1))
        H, tau = (query(robot).interpret(q) for query in (kt.mass_matrix, kt.gravity_torques))
        agrees(robot, q, IN[library](robot, q), H, tau)


def every_joint(library: str, seed: int) -> kt.Robot:
    """A robot with every joint that a library takes, and followers of followers."""
    robot = solid(everything(seed), np.random.default_rng(seed))
    parts = parts_of(robot)
    lacks = {"mujoco": ("screw",), "roboticstoolbox": ("screw", "ball", "floating")}.get(library, ())
    parts.joints = [
        replace(j, type="fixed", axes=j.axes[:0], limits=()) if j.type in lacks else j for j in parts.joints
    ]
    if library == "mujoco":  # a joint floats in the world alone
        parts.joints = [replace(j, parent="base") if j.type == "floating" else j for j in parts.joints]
    parts.coupled_limits, parts.groups = [], {}
    return build(parts)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_joint(library, seed):
    robot = every_joint(library, seed)
    q = random_q(robot, np.random.default_rng(seed))
    H, tau = (query(robot).interpret(q) for query in (kt.mass_matrix, kt.gravity_torques))
    agrees(robot, q, IN[library](robot, q), H, tau)


def test_inverse_dynamics_of_the_robotics_toolbox():
    """Of a robot with a follower and a branch, at random motions."""
    name, robot, q, _ = next(each for each in real_robots() if each[0].endswith("/panda.urdf"))
    assert any(joint.mimic for joint in robot.joints.values()), name
    model, maps = bridge("roboticstoolbox").export(robot)
    qd, qdd = np.random.default_rng(2).normal(size=(2, robot.nv))
    tau = maps.G().T @ model.rne(maps.q(q), maps.v(qd), maps.v(qdd))
    np.testing.assert_allclose(tau, kt.inverse_dynamics(robot).interpret(q, qd, qdd), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("library", ["pinocchio", "mujoco", "drake", "roboticstoolbox"])
def test_batches_there_and_back(library):
    robot, rng = every_joint(library, 0), np.random.default_rng(3)
    _, maps = bridge(library).export(robot)
    q = np.array([[random_q(robot, rng) for _ in range(3)] for _ in range(2)])
    v = rng.normal(size=(2, 3, robot.nv))
    assert maps.q(q).shape == (2, 3, maps.nq)
    assert maps.v(v, q).shape == (2, 3, maps.nv)
    for at in np.ndindex(2, 3):
        np.testing.assert_allclose(maps.q(q)[at], maps.q(q[at]), rtol=0, atol=1e-15)
        np.testing.assert_allclose(maps.v(v, q)[at], maps.v(v[at], q[at]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(maps.v_back(maps.v(v, q), q), v, rtol=0, atol=1e-14)
    fk = kt.fk(robot, [*robot.frames])
    np.testing.assert_allclose(fk(maps.q_back(maps.q(q))), fk(q), rtol=0, atol=1e-12)
    long = q.copy()
    for name, where in robot.q_slices.items():
        if at := robot.joints[name].kind.quaternion:
            long[..., where][..., at] *= 3.0
    np.testing.assert_allclose(maps.q(long), maps.q(q), rtol=0, atol=1e-14)
    with pytest.raises(kt.KinetreeError, match=r"q has shape \(3,\)"):
        maps.q([1.0, 2.0, 3.0])
    with pytest.raises(kt.KinetreeError, match="do not go together"):
        maps.v(np.zeros((5, robot.nv)), np.zeros((4, robot.nq)))
    with pytest.raises(kt.KinetreeError, match="no frame 'trunk9'; did you mean"):
        maps.frames["trunk9"]
    if library in ("mujoco", "drake"):
        with pytest.raises(kt.KinetreeError, match="pass q, too"):
            maps.v(v)


@pytest.mark.parametrize("library", ["pinocchio", "mujoco", "drake"])
def test_velocities_are_the_rates_of_coordinates(library):
    robot, h = every_joint(library, 1), 1e-6
    model, maps = bridge(library).export(robot)
    rng = np.random.default_rng(4)
    q, v = random_q(robot, rng), rng.normal(size=robot.nv)
    move = kt.dynamics.integrate(robot).interpret
    there, before, after = maps.v(v, q), maps.q(move(q, -h * v)), maps.q(move(q, h * v))
    if library == "pinocchio":
        moved = import_module("pinocchio").integrate(model, maps.q(q), there)
        np.testing.assert_allclose(moved, maps.q(move(q, v)), rtol=0, atol=1e-12)
    elif library == "mujoco":
        rates = np.zeros(maps.nv)
        import_module("mujoco").mj_differentiatePos(model, rates, 2 * h, before, after)
        np.testing.assert_allclose(there, rates, rtol=0, atol=1e-5)  # turns of the body from `before` on
    else:
        context = model.CreateDefaultContext()
        model.SetPositions(context, maps.q(q))
        rates = (after - before) / (2 * h)
        np.testing.assert_allclose(model.MapVelocityToQDot(context, there), rates, rtol=0, atol=1e-8)


def test_limits_damping_and_armature_arrive():
    robot = next(robot for name, robot, *_ in real_robots() if name.endswith("/panda.urdf"))
    parts = parts_of(robot)
    parts.joints = [
        replace(j, dynamics=(Dynamics(damping=0.5, friction=0.25, armature=0.125),)) if j.kind.nv else j
        for j in parts.joints
    ]
    robot = build(parts)
    lower, upper = (
        np.array([getattr(robot.joints[n].limit, end) for n in robot.joint_names]) for end in ("lower", "upper")
    )
    models = {library: bridge(library).export(robot) for library in LIBRARIES[:4]}
    found = {
        "pinocchio": lambda m: (m.lowerPositionLimit, m.upperPositionLimit, m.damping, m.armature),
        "mujoco": lambda m: (*m.jnt_range.T, m.dof_damping, m.dof_armature),
        "roboticstoolbox": lambda m: (
            *m.qlim,
            [x.B for x in m.links if x.isjoint],
            [x.Jm for x in m.links if x.isjoint],
        ),
        "drake": lambda m: (
            m.GetPositionLowerLimits(),
            m.GetPositionUpperLimits(),
            np.concatenate([m.get_joint(i).default_damping_vector() for i in m.GetJointIndices()]),
            [m.get_joint_actuator(i).default_rotor_inertia() for i in m.GetJointActuatorIndices()],
        ),
    }
    for library, (model, maps) in models.items():
        low, high, damping, armature = map(np.ravel, found[library](model))
        np.testing.assert_array_equal(maps.q_back(low), lower, library)
        np.testing.assert_array_equal(maps.q_back(high), upper, library)
        assert {*damping} == {0.5}, library
        assert {*armature} == {0.125}, library
    q = random_q(robot, np.random.default_rng(5))
    for library in ("pinocchio", "mujoco", "drake"):
        agrees(robot, q, IN[library](robot, q), kt.mass_matrix(robot).interpret(q))


def test_springs_arrive_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    robot = with_dynamics(every_joint("mujoco", 1), Dynamics(stiffness=1.5, reference=0.3, armature=0.1))
    q, still = random_q(robot, np.random.default_rng(8)), np.zeros(robot.nv)
    model, maps = bridge("mujoco").export(robot)
    data = mujoco.MjData(model)
    data.qpos[:] = maps.q(q)
    mujoco.mj_forward(model, data)
    tau = maps.G(q).T @ (data.qfrc_bias - data.qfrc_passive)
    np.testing.assert_allclose(tau, kt.inverse_dynamics(robot).interpret(q, still, still), rtol=0, atol=1e-9)


def test_followers_in_mujoco_are_where_its_constraints_want_them():
    mujoco = pytest.importorskip("mujoco")
    robot = every_joint("mujoco", 2)
    model, maps = bridge("mujoco").export(robot)
    data = mujoco.MjData(model)
    data.qpos[:] = maps.q(random_q(robot, np.random.default_rng(6)))
    model.jnt_limited[:] = 0
    mujoco.mj_forward(model, data)
    assert data.ne == model.neq == 2
    np.testing.assert_allclose(data.efc_pos[: data.ne], 0.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize("kind", ["fixed", "ball", "revolute"])
def test_loops_are_as_open_in_mujoco(kind):
    mujoco = pytest.importorskip("mujoco")
    robot, rng = every_joint("mujoco", 0), np.random.default_rng(9)
    loop = random_joint(rng, "closing", kind, "trunk5", "branch4")
    robot = with_joint(robot, replace(loop, limits=(), dynamics=()), loop=True)
    model, maps = bridge("mujoco").export(robot)
    q, data = random_q(robot, rng), mujoco.MjData(model)
    data.qpos[:] = maps.q(q)
    mujoco.mj_forward(model, data)
    distance, angle = kt.kinematics.loop_error(robot).interpret(q)[0]
    one, two = np.split(np.r_[data.efc_pos[2 : data.ne], np.zeros(6)][:6], 2)  # after those of two followers
    assert abs(distance - np.linalg.norm(one)) < 1e-12
    if kind == "fixed":  # the sine of half the angle
        assert abs(np.sin(angle / 2) - np.linalg.norm(two)) < 1e-12
    elif kind == "revolute":  # of two points of the axis, 1 m apart
        assert abs(2 * np.sin(angle / 2) - np.linalg.norm(two - one)) < 1e-12


# What a library does not take: the table of docs/how-to/bridges.md


def small(kind: str = "revolute", **more: Any) -> kt.Robot:
    """Two links and a joint, about or along y and z."""
    k = kt.model.joints.JOINT_TYPES[kind].axes
    joint = Joint("joint", kind, "base", "link", axes=se3.frozen(np.eye(3)[1 : 1 + k]), **more)
    body = Inertial(1.0, se3.frozen(np.diag([0.1, 0.2, 0.25])))
    return build(kt.model.assemble.Parts("small", [Link("base"), Link("link", body)], [joint]))


def with_link(robot: kt.Robot, inertial: Inertial | None) -> kt.Robot:
    parts = parts_of(robot)
    parts.links = [replace(link, inertial=inertial) if link.name == "link" else link for link in parts.links]
    return build(parts)


def with_joint(robot: kt.Robot, joint: Joint, *, loop: bool = False) -> kt.Robot:
    parts = parts_of(robot)
    if loop:
        parts.loops = [joint]
    else:
        parts.links.append(Link(joint.child, robot.links["link"].inertial))
        parts.joints.append(joint)
    return build(parts)


AXIS = {"axes": se3.frozen([(0.0, 0.0, 1.0)])}
CASES: dict[str, Callable[[], kt.Robot]] = {
    "fixed, revolute, continuous, prismatic": lambda: small(),
    "screw": lambda: small("screw", pitch=0.1),
    "planar": lambda: small("planar"),
    "universal": lambda: small("universal"),
    "ball": lambda: small("ball"),
    "floating": lambda: small("floating"),
    "floating, behind a joint that moves": lambda: with_joint(small(), Joint("free", "floating", "link", "tip")),
    "follower": lambda: with_joint(
        small(), Joint("f", "revolute", "link", "tip", mimic=Mimic("joint", 2.0, 0.1), **AXIS)
    ),
    "hinge, ball or fixed joint that closes a loop": lambda: with_joint(
        small(), Joint("l", "revolute", "base", "link", **AXIS), loop=True
    ),
    "prismatic joint that closes a loop": lambda: with_joint(
        small(), Joint("l", "prismatic", "base", "link", **AXIS), loop=True
    ),
    "spring of a joint": lambda: small(dynamics=(Dynamics(stiffness=2.0),)),
    "armature of a joint of one coordinate": lambda: small(dynamics=(Dynamics(armature=2.0),)),
    "armature of a ball or floating joint": lambda: small("ball", dynamics=(Dynamics(armature=2.0),) * 3),
    "moving link without mass": lambda: with_link(small(), None),
    "inertia that no rigid body has": lambda: with_link(small(), Inertial(1.0, se3.frozen(np.diag([0.1, 0.1, 0.5])))),
}


def table() -> str:
    """The table of the page, from what the bridges do."""
    names = ("Pinocchio", "MuJoCo", "Drake", "Robotics Toolbox")
    lines = [f"| | {' | '.join(names)} |", f"|---{'|---' * len(names)}|"]
    for what, make in CASES.items():
        cells = []
        for library in LIBRARIES[:4]:
            try:
                bridge(library).export(make())
                cells.append("yes")
            except kt.KinetreeError as error:
                assert error.findings[0].code == "bridge", error
                cells.append("no")
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return "\n".join(lines)


def test_the_table_of_the_page():
    page = PAGE.read_text(encoding="utf-8")
    assert table() in page, table()


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_is_refused_says_why(library):
    export = bridge(library).export
    with pytest.raises(kt.KinetreeError, match="asked of a robot"):
        export("panda.urdf")
    if library == "trimesh":
        return
    with pytest.raises(
        kt.KinetreeError,
        match=r"joint 'l': it is a prismatic joint that closes a loop, which .*\s+fix: .*without=\['loop'\]",
    ):
        export(CASES["prismatic joint that closes a loop"]())
    if library == "roboticstoolbox":
        with pytest.raises(
            kt.KinetreeError,
            match=r"'joint': it is a screw joint, .*\s+fix: expected one of revolute, continuous, prismatic$",
        ):
            export(small("screw", pitch=0.1))
    if library == "mujoco":
        with pytest.raises(kt.KinetreeError, match=r"inertia must satisfy A \+ B >= C.*'link'"):
            export(CASES["inertia that no rigid body has"]())


def test_the_page_prints_what_stands_below(capsys):
    for library in LIBRARIES:
        bridge(library)
    pytest.importorskip("casadi")
    variables: dict[str, object] = {}
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    for language, text in blocks:
        if language == "py":
            exec(compile(text, str(PAGE), "exec"), variables)
        else:
            assert capsys.readouterr().out == text
