"""A small robot in other libraries: poses, masses, limits, springs, loops, batches, and what they do not take."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinetree as kt
from bridged import IN, agrees, bridge
from each import each
from every_operation import every_operation, kernel
from kinetree.bridges.bodies import bodies_of
from kinetree.compiler.program import trace
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.robot import Dynamics, Frame, Inertial, Joint, Limit, Link, Mimic
from kinetree.spatial import se3
from physics import random_inertial, random_joint, random_pose
from support import random_q

LIBRARIES = ("pinocchio", "mujoco", "drake")
KINDS = {
    "base-0": "floating",
    "0-1": "revolute",
    "1-2": "continuous",
    "2-3": "ball",
    "1-4": "prismatic",
    "4-5": "fixed",
}


@cache
def small() -> kt.Robot:
    """A floating base, a hinge with all numbers, an endless one, a ball and a slide that follows the hinge."""
    rng, joints = np.random.default_rng(3), []
    for name, kind in KINDS.items():
        joint = random_joint(rng, name, kind, *name.split("-"))
        joints.append(replace(joint, dynamics=(), limits=joint.limits if kind == "revolute" else ()))
    joints[1] = replace(
        joints[1], limits=(Limit(-1.0, 2.0, 3.0, 4.0),), dynamics=(Dynamics(0.5, 0.25, armature=0.125),)
    )
    joints[4] = replace(joints[4], mimic=Mimic("0-1", -0.5, 0.1))
    links = [Link("base")] + [Link(str(i), random_inertial(rng)) for i in range(6)]
    return build(
        Parts("small", links, joints, [Frame("on", "5", random_pose(rng)), Frame("off", "base", random_pose(rng))])
    )


@cache
def expected() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A configuration, its mass matrix and its torques of gravity."""
    q = random_q(small(), np.random.default_rng(1))
    return q, kt.mass_matrix(small()).interpret(q), kt.gravity_torques(small()).interpret(q)


def changed(joint: str, **values: object) -> kt.Robot:
    parts = parts_of(small())
    parts.joints = [replace(j, **values) if j.name == joint else j for j in parts.joints]
    return build(parts)


@each("library", LIBRARIES)
def test_poses_masses_and_coordinates(library):
    q, H, tau = expected()
    state = IN[library](small(), q)
    agrees(small(), q, state, H, tau)
    maps, rng = state.maps, np.random.default_rng(4)
    v = rng.normal(size=(2, small().nv))
    both = np.stack([q, random_q(small(), rng)])
    np.testing.assert_allclose(maps.q(both)[0], maps.q(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(maps.v_back(maps.v(v, both), both), v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(maps.v(v, both)[1], maps.G(both[1]) @ v[1], rtol=0, atol=1e-14)
    at = small().q_slices["2-3"]
    long = q.copy()
    long[at] *= 3.0
    np.testing.assert_allclose(maps.q(long), maps.q(q), rtol=0, atol=1e-14)
    if library != "pinocchio":
        with pytest.raises(kt.KinetreeError, match=r"of joint .* have other axes there, .*\n.*pass q, too"):
            maps.v(v)


def bodies_in_drake(model) -> list[str]:
    own = model.GetModelInstanceByName("DefaultModelInstance")
    return [model.get_body(i).name() for i in model.GetBodyIndices(own)]


FOUND = {
    "pinocchio": lambda m: {
        "name": m.name,
        "joints": [*m.names][1:],
        "lower": m.lowerPositionLimit[[7, 8, 9, 14]],
        "upper": m.upperPositionLimit[[7, 8, 9, 14]],
        "velocity": m.velocityLimit[[6, 7]],
        "effort": m.effortLimit[[6, 7]],
        "damping": m.damping[5:8],
        "armature": m.armature[5:8],
        "body": m.frames[m.getFrameId("3")].type.name,
        "frame": m.frames[m.getFrameId("on")].type.name,
    },
    "mujoco": lambda m: {
        "joints": [m.joint(i).name for i in range(m.njnt)],
        "bodies": [m.body(i).name for i in range(m.nbody)],
        "limited": m.jnt_limited,
        "range": m.jnt_range[1],
        "effort": (*m.jnt_actfrclimited, *m.jnt_actfrcrange[1]),
        "damping": m.dof_damping[5:8],
        "friction": m.dof_frictionloss[5:8],
        "armature": m.dof_armature[5:8],
        "equality": (*m.eq_data[0][:5], *m.eq_obj1id, *m.eq_obj2id),
    },
    "drake": lambda m: {
        "bodies": bodies_in_drake(m),
        "lower": m.GetPositionLowerLimits()[7:9],
        "upper": m.GetPositionUpperLimits()[7:9],
        "velocity": (*m.GetVelocityLowerLimits()[6:8], *m.GetVelocityUpperLimits()[6:8]),
        "damping": [m.GetJointByName(name).default_damping_vector()[0] for name in ("0-1", "1-2")],
        "armature": [
            (a.joint().name(), a.default_rotor_inertia(), a.default_gear_ratio())
            for a in map(m.get_joint_actuator, m.GetJointActuatorIndices())
        ],
    },
}
NUMBERS = {
    "pinocchio": {
        "name": "small",
        "joints": ["base-0", "0-1", "1-2", "2-3", "1-4"],
        "lower": [-1.0, -1.01, -1.01, -np.inf],
        "upper": [2.0, 1.01, 1.01, np.inf],
        "velocity": [3.0, np.inf],
        "effort": [4.0, np.inf],
        "damping": [0.0, 0.5, 0.0],
        "armature": [0.0, 0.125, 0.0],
        "body": "BODY",
        "frame": "OP_FRAME",
    },
    "mujoco": {
        "joints": ["base-0", "0-1", "1-2", "2-3", "1-4"],
        "bodies": ["world", "base-0_body", "0-1_body", "1-2_body", "2-3_body", "1-4_body"],
        "limited": [0, 1, 0, 0, 0],
        "range": [-1.0, 2.0],
        "effort": [0, 1, 0, 0, 0, -4.0, 4.0],
        "damping": [0.0, 0.5, 0.0],
        "friction": [0.0, 0.25, 0.0],
        "armature": [0.0, 0.125, 0.0],
        "equality": [0.1, -0.5, 0.0, 0.0, 0.0, 4, 1],
    },
    "drake": {
        "bodies": ["base-0_body", "0-1_body", "1-2_body", "2-3_body", "1-4_body"],
        "lower": [-1.0, -np.inf],
        "upper": [2.0, np.inf],
        "velocity": [-3.0, -np.inf, 3.0, np.inf],
        "damping": [0.5, 0.0],
        "armature": [("0-1", 0.125, 1.0)],
    },
}


@each("library", LIBRARIES)
def test_names_limits_and_what_resists_arrive(library):
    found = FOUND[library](bridge(library).export(small())[0])
    for what, wanted in NUMBERS[library].items():
        assert np.array_equal(found[what], wanted), (what, found[what])


def test_a_link_whose_frame_is_that_of_its_joint_keeps_its_name_but_for_the_world():
    for library, child in (("mujoco", "tip"), ("drake", "tip"), ("mujoco", "world")):
        joint = Joint("j", "revolute", "base", child, axes=se3.frozen([(0.0, 0.0, 1.0)]))
        body = Inertial(1.0, se3.frozen(np.diag([0.1, 0.2, 0.25])))
        model, _ = bridge(library).export(build(Parts("r", [Link("base"), Link(child, body)], [joint])))
        names = [model.body(1).name] if library == "mujoco" else bodies_in_drake(model)
        assert names == [child if child == "tip" else "j_body"]


def test_springs_and_loops_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    robot = changed("0-1", dynamics=(Dynamics(stiffness=1.5, reference=0.3),))
    parts, rng = parts_of(robot), np.random.default_rng(9)
    kinds = ("fixed", "ball", "revolute")
    parts.loops = [replace(random_joint(rng, f"l{k}", k, "3", "5"), limits=(), dynamics=()) for k in kinds]
    robot = build(parts)
    q, still = expected()[0], np.zeros(robot.nv)
    model, maps = bridge("mujoco").export(robot)
    names = [mujoco.mjtEq(int(number)).name for number in model.eq_type]
    assert names == [f"mjEQ_{k}" for k in ("JOINT", "WELD", "CONNECT", "CONNECT", "CONNECT")]
    data = mujoco.MjData(model)
    data.qpos[:] = maps.q(q)
    mujoco.mj_forward(model, data)
    tau = maps.G(q).T @ (data.qfrc_bias - data.qfrc_passive)
    np.testing.assert_allclose(
        tau, kt.inverse_dynamics(robot, loops="ignore").interpret(q, still, still), rtol=0, atol=1e-9
    )
    off = data.efc_pos[1:16].reshape(5, 3)  # after the follower
    error = kt.kinematics.loop_error(robot).interpret(q)
    assert np.linalg.norm(off[[0, 2, 3]], axis=1) == pytest.approx(error[:, 0], abs=1e-12)
    assert np.linalg.norm(off[1]) == pytest.approx(np.sin(error[0, 1] / 2), abs=1e-12)  # the sine of half the angle
    assert np.linalg.norm(off[4] - off[3]) == pytest.approx(2 * np.sin(error[2, 1] / 2), abs=1e-12)  # points 1 m apart


TWO = (Dynamics(damping=0.1), Dynamics(damping=0.2), Dynamics(damping=0.1))
REFUSED = {
    "mujoco": [
        ({"type": "screw", "pitch": 0.1}, "it is a screw joint, which MuJoCo does not take"),
        ({"type": "floating", "axes": np.zeros((0, 3)), "limits": ()}, "it floats behind a joint that moves, which"),
        (
            {"type": "ball", "axes": np.zeros((0, 3)), "limits": (), "dynamics": TWO},
            "has a different damping in each coo",
        ),
    ],
    "drake": [
        ({"dynamics": (Dynamics(stiffness=1.0),)}, "it has a spring, which Drake does not take"),
        ({"limits": (Limit(2.0, 1.0),)}, "it has limits that nothing is inside, which Drake does not take"),
        ({"limits": (Limit(velocity=-1.0),)}, "it has limits that nothing is inside, which Drake does not take"),
        (
            {"type": "ball", "axes": np.zeros((0, 3)), "limits": (), "dynamics": TWO},
            "has a different damping in each coo",
        ),
        (
            {"type": "ball", "axes": np.zeros((0, 3)), "limits": (), "dynamics": (Dynamics(armature=2.0),) * 3},
            "it has armature in several coordinates, which Drake does not take",
        ),
    ],
    "pinocchio": [({"dynamics": (Dynamics(stiffness=1.0),)}, "it has a spring, which Pinocchio does not take")],
}


@each("library", LIBRARIES)
def test_what_is_refused(library):
    for values, message in REFUSED[library]:
        with pytest.raises(kt.KinetreeError) as error:
            bridge(library).export(changed("1-2", **values))
        (finding,) = error.value.findings
        assert (finding.code, finding.element) == ("bridge", "joint '1-2'")
        assert message in finding.message


def test_kernels_in_casadi():
    casadi = pytest.importorskip("casadi")
    wrap = bridge("casadi").wrap
    every, x = kernel(every_operation()), np.array([0.7, -0.4, 0.9])
    np.testing.assert_allclose(np.array(wrap(every)(x)).ravel(), every.interpret(x), rtol=1e-14, atol=0)
    arm = kt.chain("Rz(q1) tx(0.5) Ry(q2) tx(0.3)")
    frames, both = kt.fk(arm, ["tip", arm.root]), kt.vjp(kt.velocity(arm, "tip"))
    function = wrap(frames)
    assert (function.name(), function.name_in(), function.name_out()) == ("fk", ["q"], ["T"])
    np.testing.assert_allclose(np.array(function([0.3, 0.4])), frames.interpret([0.3, 0.4]).reshape(8, 4), atol=1e-15)
    given = [np.arange(1.0, 1 + np.prod(port.shape)).reshape(port.shape) for port in both.inputs]
    many = wrap(both)
    assert many.name_out() == [port.name for port in both.outputs]
    for a, b in zip(many.call(given), both.interpret(*given), strict=True):
        np.testing.assert_allclose(np.array(a).reshape(b.shape), b, rtol=1e-13)
    q = casadi.SX.sym("q", 2)
    slope = casadi.Function("slope", [q], [casadi.jacobian(wrap(kt.fk(arm, "tip"))(q)[:3, 3], q)])
    np.testing.assert_allclose(
        np.array(slope([0.3, 0.4])), kt.jacobian(arm, "tip").interpret([0.3, 0.4])[:3], atol=1e-15
    )
    with pytest.raises(kt.KinetreeError, match="f repeats its steps until it is done; expected kernels that do not"):
        wrap(kernel(trace(lambda x: x, (2,), repeated=True)))


class TestSymPy:
    @pytest.fixture
    def expressions(self):
        pytest.importorskip("sympy")
        return bridge("sympy").expressions

    @pytest.mark.slow
    def test_a_planar_arm_reads_as_in_the_book(self, expressions):
        """Lynch and Park, Modern Robotics, equations 4.1 and 8.9 to 8.12, with numbers."""
        rows = [{"a": 0.5, "m": 1.0, "r": [0, 0, 0]}, {"a": 0.3, "m": 0.7, "r": [0, 0, 0]}]
        arm = kt.chain(rows, convention="dh")
        T = expressions(kt.fk(arm, "tip"))
        assert [str(x) for x in T[:, 3]] == [
            "0.5*cos(q1) + 0.3*cos(q1 + q2)",
            "0.5*sin(q1) + 0.3*sin(q1 + q2)",
            "0",
            "1",
        ]
        assert [str(x) for x in T[0, :3]] == ["cos(q1 + q2)", "-sin(q1 + q2)", "0"]
        M = expressions(kt.mass_matrix(arm))
        l1, l2, m1, m2 = 0.5, 0.3, 1.0, 0.7
        assert str(M[0, 1]) == f"{l1 * l2 * m2:g}*cos(q2) + {m2 * l2**2:g}"
        assert str(M[0, 0]) == f"{2 * m2 * l1 * l2:g}*cos(q2) + {m1 * l1**2 + m2 * (l1**2 + l2**2):g}"

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore:expressions of")
    @pytest.mark.parametrize("make", [kt.mass_matrix, kt.inverse_dynamics, lambda arm: kt.vjp(kt.velocity(arm, "tip"))])
    def test_numbers_put_in_give_what_the_kernel_gives(self, expressions, make):
        import sympy

        rows = [{"a": 0.5, "alpha": 1.0, "m": 1.0, "r": [-0.1, 0.2, 0]}, {"d": 0.3, "m": 0.7, "r": [0, 0.15, 0.1]}]
        made = make(kt.chain(rows, convention="dh"))
        given = [np.linspace(0.3, 0.9, np.prod(port.shape)).reshape(port.shape) for port in made.inputs]
        symbols = [
            np.array(sympy.symbols(f"{port.name}_1:{np.prod(port.shape) + 1}")).reshape(port.shape)
            for port in made.inputs
        ]
        found = expressions(made, *symbols)
        expected = made.interpret(*given)
        values = {
            s: x
            for own, numbers in zip(symbols, given, strict=True)
            for s, x in zip(own.ravel(), numbers.ravel(), strict=True)
        }
        several = (found, expected) if isinstance(found, tuple) else ((found,), (expected,))
        for a, b in zip(*several, strict=True):
            assert a.shape == b.shape
            np.testing.assert_allclose([float(x.subs(values)) for x in a.ravel()], b.ravel(), rtol=1e-11, atol=1e-12)

    @pytest.mark.slow
    def test_every_operation(self, expressions):
        every, x = kernel(every_operation()), np.array([0.7, -0.4, 0.9])
        found = expressions(every, *[[*x]], simplify=False)
        np.testing.assert_allclose([float(value) for value in found], every.interpret(x), rtol=1e-11)

    def test_long_expressions_are_said_and_not_simplified(self, expressions):
        arm = kt.load("ur5e")
        with pytest.warns(UserWarning, match="fk in 6 numbers are long and are not simplified; up to 3 are"):
            T = expressions(kt.fk(arm, "tool0"))
        assert {str(s) for s in T[0, 3].free_symbols} == {"q1", "q2", "q3", "q4", "q5"}
        assert expressions(kt.fk(kt.chain("Rz(q1) tx(0.5) tx(q2)"), "tip"), [0, 2], simplify=False)[0, 3] == 2.5

    def test_what_has_no_expressions(self, expressions):
        fk = kt.fk(kt.load("ur5e"), "tool0")
        for arguments, message in (
            ((fk, [0, 0]), "q has shape (2,); expected (6,)"),
            ((fk, [0], [0]), "fk takes q; expected symbols for each of them"),
            ((kernel(trace(lambda x: x, (2,), repeated=True)),), "f repeats its steps until it is done"),
            ((abs,), "a builtin_function_or_method cannot be wrapped"),
        ):
            with pytest.raises(kt.KinetreeError, match=re.escape(message)):
                expressions(*arguments)


def test_a_robot_with_an_unknown_mass_is_refused_unless_masses_do_not_matter():
    parts = parts_of(small())
    parts.links = [
        replace(one, inertial=None, unweighed="its mesh is missing") if one.name == "3" else one for one in parts.links
    ]
    robot = build(parts)
    with pytest.raises(kt.KinetreeError, match="its mesh is missing"):
        bodies_of(robot, "a library", tuple(KINDS.values()))
    bodies, _ = bodies_of(robot, "a library", tuple(KINDS.values()), weighed=False)
    assert {"0-1", "2-3"} <= {body.joint.name for body in bodies}
