"""The choice of joints: answers for some joints are those of the whole robot while the others stand."""

from __future__ import annotations

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree import dynamics, kinematics
from kinetree.errors import KinetreeError
from kinetree.model.robot import Robot
from kinetree.model.tree import _still
from kinetree.queries.joint_choice import with_moving_joints
from physics import everything, solid
from support import example_robot_urdfs, icub_urdfs, random_q

ROBOT = solid(everything(2), np.random.default_rng(2))
ICUB = kt.load("icub")
ARM = ICUB.groups["left_arm"]


def columns(robot: Robot, names: tuple[str, ...], of: str = "q") -> np.ndarray:
    """Where the numbers of some joints stand in q or qd of the whole robot."""
    starts, at = {}, 0
    for name in robot.joint_names:
        n = robot.joints[name].kind.nq if of == "q" else robot.joints[name].kind.nv
        starts[name] = np.arange(at, at + n)
        at += n
    return np.concatenate([starts[name] for name in names])


@pytest.fixture(params=(0, pytest.param(2, marks=pytest.mark.slow)))
def choice(request) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Some joints in any order, q of all, and the places of theirs in q and qd."""
    rng = np.random.default_rng(request.param)
    names = tuple(rng.permutation(ROBOT.joint_names)[: 2 + 2 * request.param].tolist())
    return names, random_q(ROBOT, rng), columns(ROBOT, names), columns(ROBOT, names, "v")


@pytest.mark.parametrize("given", ["compiled", "input"])
@pytest.mark.slow
def test_poses_and_jacobians_are_those_of_the_whole_robot(choice, given):
    names, q, own, rates = choice
    options = {"joints": names, "at": q if given == "compiled" else "input"}
    more = [] if given == "compiled" else [q]
    for frame in ("trunk5", "branch4", ROBOT.joints[names[0]].child):
        T = kt.fk(ROBOT, frame, **options)(q[own], *more)
        J = kt.jacobian(ROBOT, frame, **options)(q[own], *more)
        np.testing.assert_allclose(T, kt.fk(ROBOT, frame)(q), atol=1e-13)
        np.testing.assert_allclose(J, kt.jacobian(ROBOT, frame)(q)[:, rates], atol=1e-13)


@pytest.mark.parametrize("given", ["compiled", "input"])
@pytest.mark.slow
@pytest.mark.sampled(3)
def test_forces_are_those_of_the_whole_robot_whose_other_joints_are_still(choice, given):
    """Inverse dynamics without motion of the others; forward dynamics is its inverse on the joints that move."""
    names, q, own, rates = choice
    options = {"joints": names, "at": q if given == "compiled" else "input"}
    more = [] if given == "compiled" else [q]
    rng = np.random.default_rng(5)
    qd, qdd = rng.normal(size=(2, len(rates)))
    all_qd, all_qdd = np.zeros((2, ROBOT.nv))
    all_qd[rates], all_qdd[rates] = qd, qdd
    tau = dynamics.inverse_dynamics(ROBOT, **options)(q[own], qd, qdd, *more)
    np.testing.assert_allclose(tau, dynamics.inverse_dynamics(ROBOT)(q, all_qd, all_qdd)[rates], atol=1e-9)
    H = dynamics.mass_matrix(ROBOT, **options)(q[own], *more)
    np.testing.assert_allclose(H, dynamics.mass_matrix(ROBOT)(q)[np.ix_(rates, rates)], atol=1e-9)
    back = dynamics.forward_dynamics(ROBOT, **options)(q[own], qd, tau, *more)
    np.testing.assert_allclose(back, qdd, atol=1e-7)
    after, _ = dynamics.step(ROBOT, 0.01, **options)(q[own], qd, tau, *more)
    assert after.shape == own.shape


@pytest.mark.slow
@pytest.mark.parametrize("stem", ["panda", "talos_reduced"])
@pytest.mark.sampled(1)
def test_every_question_takes_a_choice(stem):
    robot = kt.load(next(path for path in example_robot_urdfs() if path.stem == stem))
    names, at = robot.joint_names[::-3], random_q(robot, np.random.default_rng(0))
    ask = [
        *(
            lambda f=f, **o: f(robot, "base_link" if stem != "panda" else "panda_hand", **o)
            for f in (
                kt.jacobian_dot,
                kt.hessian,
                kt.velocity,
                dynamics.acceleration,
                kinematics.analytical_jacobian,
                kt.manipulability,
                kinematics.point,
                dynamics.wrench,
                dynamics.joint_torques,
            )
        ),
        *(
            lambda f=f, **o: f(robot, **o)
            for f in (
                dynamics.gravity_torques,
                dynamics.bias_torques,
                dynamics.coriolis_matrix,
                dynamics.center_of_mass,
                dynamics.energy,
                kt.margin,
            )
        ),
    ]
    rng = np.random.default_rng(1)
    for make in ask:
        compiled, given = make(joints=names, at=at), make(joints=names, at="input")
        assert compiled.inputs[0].labels == names
        numbers = [rng.normal(size=port.shape) for port in compiled.inputs]
        np.testing.assert_allclose(compiled(*numbers), given(*numbers, at), atol=1e-8)


@pytest.mark.slow
def test_the_order_is_the_callers_and_a_group_is_its_joints():
    q = ICUB.limits.sample(1)[0]
    own = columns(ICUB, ARM)
    T = kt.fk(ICUB, "l_hand", joints="left_arm", at=q)(q[own])
    np.testing.assert_allclose(T, kt.fk(ICUB, "l_hand", joints=ARM[::-1], at=q)(q[own][::-1]), atol=1e-14)
    np.testing.assert_allclose(T, kt.fk(ICUB, "l_hand")(q), atol=1e-14)


@pytest.mark.slow
def test_rows_over_joints_that_stand_limit_those_that_move():
    """The tendons couple the shoulder; with its pitch fixed, they bound the other two joints by the same amount."""
    shoulder = [name for name in ARM if "shoulder" in name]
    q = ICUB.limits.sample(1)[0]
    own = columns(ICUB, tuple(shoulder[1:]))
    whole = dict(zip(kt.margin(ICUB).output.labels, kt.margin(ICUB)(q), strict=True))
    for kernel, more in (
        (kt.margin(ICUB, joints=shoulder[1:], at=q), []),
        (kt.margin(ICUB, joints=shoulder[1:], at="input"), [q]),
    ):
        labels = kernel.output.labels
        assert any("tendons" in label for label in labels)
        assert not any("wrist" in label or "shoulder_pitch" in label for label in labels)
        expected = [whole[label] for label in labels]
        np.testing.assert_allclose(kernel(q[own], *more), expected, atol=1e-12)


@pytest.mark.slow
def test_a_guard_keeps_joints_inside_rows_over_joints_that_stand():
    shoulder = tuple(name for name in ARM if "shoulder" in name)
    q = ICUB.limits.sample(1)[0]
    with pytest.raises(KinetreeError):
        kt.guard(ICUB, shoulder[1:])
    step = kt.guard(ICUB, shoulder[1:], at=q)
    own, inside = columns(ICUB, shoulder[1:]), q.copy()
    for _ in range(500):
        inside[own] = step(inside[own], inside[own] + [0.05, 0.05], 0.01).command
    assert ICUB.limits.margin(inside)[np.isfinite(ICUB.limits.margin(inside))].min() >= -1e-9
    assert np.abs(inside - q).max() > 0.01


@pytest.mark.slow
def test_inverse_kinematics_moves_the_chosen_joints_alone():
    q = ICUB.limits.sample(200, seed=3)
    own = columns(ICUB, ARM)
    at = ICUB.limits.sample(1, seed=4)[0]
    q[:, np.setdiff1d(np.arange(ICUB.nq), own)] = np.delete(at, own)
    q[:, own] = ICUB.limits.project(q)[:, own]
    targets = kt.fk(ICUB, "l_hand")(q)
    solver = kt.ik(ICUB, "l_hand", joints=ARM, at=at)
    found = solver(targets, q0=at[own])
    assert found.q.shape == (200, len(ARM))
    assert np.mean(found.success) > 0.95
    whole = np.tile(at, (200, 1))
    whole[:, own] = found.q
    T = kt.fk(ICUB, "l_hand")(whole)
    np.testing.assert_allclose(T[found.success], targets[found.success], atol=1e-5)
    assert ICUB.limits.contains(whole[found.success]).all()


def test_joints_stand_inside_the_limits_by_default():
    names = ICUB.joint_names[:1]
    stands = kt.fk(ICUB, "l_hand", joints=names)
    q = ICUB.limits.project(ICUB.q())
    np.testing.assert_allclose(stands(q[:1]), kt.fk(ICUB, "l_hand")(q), atol=1e-14)


@each(
    "joints, at, code",
    [
        (["elbow"], None, "unknown-name"),
        (["left_arm", "l_elbow"], None, "unknown-name"),
        (["l_elbow", "l_elbow"], None, "joints"),
        ([], None, "joints"),
        (["l_elbow"], np.zeros(3), "q-shape"),
        (["l_elbow"], "inputs", "at"),
        (["l_elbow"], np.full(35, np.nan), "at"),
        (None, np.zeros(35), "at"),
    ],
)
def test_what_is_not_legal_is_refused(joints, at, code):
    with pytest.raises(KinetreeError) as caught:
        kt.fk(ICUB, "l_hand", joints=joints, at=at)
    assert caught.value.findings[0].code == code


def test_the_name_of_a_group_that_does_not_exist_gives_the_nearest_one():
    with pytest.raises(KinetreeError, match="no group or joint 'leftarm'; did you mean 'left_arm'"):
        kt.fk(ICUB, "l_hand", joints="leftarm")
    with pytest.raises(KinetreeError, match="no joint 'l_elbo'; did you mean 'l_elbow'"):
        kt.fk(ICUB, "l_hand", joints=["l_elbo"])


def test_followers_and_fixed_joints_cannot_be_chosen():
    robot = kt.load(icub_urdfs()[0])
    fixed = next(joint.name for joint in robot.joints.values() if joint.type == "fixed")
    with pytest.raises(KinetreeError, match="fixed"):
        kt.fk(robot, robot.root, joints=[fixed])


def test_one_kernel_for_one_choice():
    q = ICUB.q()
    assert kt.fk(ICUB, "l_hand", joints=ARM, at=q) is kt.fk(ICUB, "l_hand", joints=list(ARM), at=q.copy())


def test_integration_with_standing_joints_as_an_input_returns_the_joints_that_move():
    robot = kt.load("icub")
    whole, q, v = dynamics.integrate(robot), robot.q(), np.linspace(-0.1, 0.1, 7)
    kernel = dynamics.integrate(with_moving_joints(robot, "left_arm", "input"))
    assert kernel.output.shape == (7,)
    columns = [robot.coordinate_names.index(name) for name in kernel.output.labels]
    expected = whole(q, np.eye(robot.nv)[:, columns] @ v)[columns]
    np.testing.assert_allclose(kernel(q[columns], v, q), expected, atol=1e-15)
    assert "q2[7]" not in kernel.c_source().source


def test_a_name_that_is_neither_joint_nor_group():
    with pytest.raises(KinetreeError, match="no group or joint 'left_arn'; did you mean 'left_arm'"):
        kt.fk(ICUB, "l_hand", base="chest", joints="left_arn")
    with pytest.raises(KinetreeError, match="no joint 'l_elbo'; did you mean 'l_elbow'"):
        kt.fk(ICUB, "l_hand", base="chest", joints=["l_elbo"])


def test_the_input_of_joints_that_stand_says_what_it_is():
    fk = kt.fk(ROBOT, "trunk5", joints=[ROBOT.joint_names[0]], at="input")
    assert (fk.inputs[1].name, fk.inputs[1].about) == ("at", "where the other joints stand; m, rad")


def test_a_joint_that_stands_has_no_velocity_and_stays():
    kind = _still(ROBOT.joints[ROBOT.joint_names[0]].kind)
    q = np.array([0.5])
    assert (kind.rates(q, np.zeros(0)) == 0).all()
    assert kind.motion_subspace((), 0.0, q).shape == (6, 0)
    assert (kind.bias((), 0.0, q, np.zeros(0)) == 0).all()
    assert kind.integrate(q, np.zeros(0)) == q
    assert kind.difference(q, q).shape == kind.drift(q, np.zeros(0)).shape == (0,)


def test_robots_with_other_places_of_standing_joints_do_not_share_code():
    """Only the order of the input differs: the order of all joints, while that of the tree is the same."""
    one = kt.chain("Rz(a) tx(0.4) Ry(b) tx(0.3) Rx(c) tz(0.2)")
    other = one.order(["b", "a", "c"])
    kernels = [kt.fk(robot, "tip", joints=["b"], at="input") for robot in (one, other)]
    assert kernels[0]._key != kernels[1]._key
    T = [kernel([0.3], at) for kernel, at in zip(kernels, ([0.5, 0, 1.0], [0, 0.5, 1.0]), strict=True)]
    np.testing.assert_array_equal(*T)
    solvers = [kt.ik(robot, "tip", joints=["b"], at="input") for robot in (one, other)]
    assert solvers[0]._kernel._key != solvers[1]._kernel._key
