"""Torques, accelerations, masses, momentum and energy: identities of physics hold them to one another and to poses and
velocities, which are held to other libraries elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Robot
from physics import everything, moved, random_tree, rates, solid, with_dynamics
from support import random_q

N, h = 3, 1e-5
PASSIVE = Dynamics(damping=0.1, stiffness=2.0, reference=0.3, armature=0.5)


def lively(robot: Robot) -> Robot:
    """The robot with armature, damping and springs."""
    return with_dynamics(robot, PASSIVE)


EVERYTHING = lively(solid(everything(1), np.random.default_rng(1)))
ARM = kt.load(
    '<robot name="arm"><link name="l0"/>'
    + "".join(
        f'<link name="l{i}"><inertial><origin xyz="0.1 0.{i} 0.2"/><mass value="{i}"/>'
        f'<inertia ixx="0.{i}" iyy="0.{i}" izz="0.{i}" ixy="0.01" ixz="0" iyz="0.02"/></inertial></link>'
        f'<joint name="j{i}" type="{"prismatic" if i == 3 else "continuous"}"><parent link="l{i - 1}"/>'
        f'<child link="l{i}"/><origin xyz="0 0.1 0.{i}" rpy="0.{i} 1 0"/><axis xyz="0 {i % 2} {1 - i % 2}"/></joint>'
        for i in range(1, 5)
    )
    + "</robot>",
    format="urdf",
)
"""Four links on single joints without followers, for which the articulated-body algorithm serves."""
TREES = [lively(random_tree(seed, 4)) for seed in range(6)]
SMALL = [lively(solid(ARM, np.random.default_rng(0))), *(pytest.param(tree, marks=pytest.mark.slow) for tree in TREES)]
every = pytest.mark.parametrize("robot", [EVERYTHING, *SMALL])
longer = pytest.mark.parametrize("robot", [pytest.param(EVERYTHING, marks=pytest.mark.slow), *SMALL])
small = pytest.mark.parametrize("robot", SMALL)


def some(robot: Robot, seed: int = 0) -> tuple[np.ndarray, ...]:
    """q (N, nq), qd and qdd or tau (N, nv)."""
    rng = np.random.default_rng(seed)
    q = np.array([random_q(robot, rng) for _ in range(N)])
    return q, *rng.normal(size=(2, N, robot.nv))


def parameters_of(robot: Robot) -> np.ndarray:
    return np.array([*kt.dynamics.inertial_parameters(robot).values()])


def close(got: np.ndarray, expected: np.ndarray, bound: float = 1e-12) -> None:
    """Compare relative to the largest entry, or one."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=bound * max(1.0, np.abs(expected).max(initial=0.0)))


def derivative(kernel, robot: Robot, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Rate of the answer of a kernel on q (N, nq) while the robot moves with qd (N, nv)."""
    after, before = ([moved(robot, a, b, s) for a, b in zip(q, qd, strict=True)] for s in (h, -h))
    return (kernel.interpret(np.array(after)) - kernel.interpret(np.array(before))) / (2 * h)


@pytest.mark.slow
@every
def test_forward_dynamics_is_the_inverse(robot):
    q, qd, tau = some(robot)
    qdd = kt.forward_dynamics(robot).interpret(q, qd, tau)
    close(kt.inverse_dynamics(robot).interpret(q, qd, qdd), tau, 1e-10)


@pytest.mark.slow
@every
def test_mass_matrix(robot):
    """Symmetric, positive definite, of the kinetic energy, and the slope of torques by accelerations."""
    q, qd, qdd = some(robot)
    H = kt.mass_matrix(robot).interpret(q)
    assert np.array_equal(H, H.swapaxes(1, 2))
    assert (np.linalg.eigvalsh(H) > 0).all()
    close(kt.mass_matrix(robot, packed=True).interpret(q), H[:, *np.tril_indices(robot.nv)], 1e-15)
    T = kt.dynamics.energy(robot).interpret(q, qd)[:, 0]
    close(np.einsum("ni,nij,nj->n", qd, H, qd) / 2, T)
    C = kt.dynamics.bias_torques(robot).interpret(q, qd)
    close(kt.inverse_dynamics(robot).interpret(q, qd, qdd), np.einsum("nij,nj->ni", H, qdd) + C)


@pytest.mark.slow
@every
def test_power_goes_into_energy_and_dampers(robot):
    q, qd, qdd = some(robot)
    energy = kt.dynamics.energy(robot).interpret
    ends = (
        energy(np.array([moved(robot, a, b, s) for a, b in zip(q, qd, strict=True)]), qd + s * qdd) for s in (h, -h)
    )
    after, before = (E.sum(axis=1) for E in ends)
    tau = kt.inverse_dynamics(robot).interpret(q, qd, qdd)
    loss = [sum(PASSIVE.damping * (rate @ rate) for rate in rates(robot, one).values()) for one in qd]
    close((after - before) / (2 * h), np.einsum("ni,ni->n", tau, qd) - loss, 1e-7)


@longer
def test_torques_against_weight_are_the_slope_of_the_potential(robot):
    q, _, _ = some(robot)
    still = with_dynamics(robot)
    tau = kt.gravity_torques(still).interpret(q)
    energy = kt.dynamics.energy(still).interpret
    for j, one in enumerate(np.eye(robot.nv)):
        V = [energy(np.array([moved(robot, a, one, s) for a in q]), 0 * tau)[:, 1] for s in (h, -h)]
        close((V[0] - V[1]) / (2 * h), tau[:, j], 1e-7)
    close(kt.gravity_torques(robot).interpret(q), tau, 1e-14)  # springs do not count
    close(kt.dynamics.bias_torques(still).interpret(q, 0 * tau), tau)


@pytest.mark.slow
@small
def test_gravity_as_an_input(robot):
    q, qd, x = some(robot)
    for falls in ((0.0, 0.0, -9.81), (1.0, 2.0, 3.0)):
        for query, motion in (
            (kt.inverse_dynamics, (q, qd, x)),
            (kt.forward_dynamics, (q, qd, x)),
            (kt.gravity_torques, (q,)),
            (kt.dynamics.energy, (q, qd)),
        ):
            expected = query(robot, gravity=falls).interpret(*motion)
            close(query(robot, gravity=None).interpret(*motion, falls), expected, 1e-11)
    weightless = kt.gravity_torques(robot, gravity=None).interpret(q, np.zeros(3))
    assert not weightless.any()


@pytest.mark.slow
@longer
def test_wrenches_from_outside_are_the_torques_that_they_cause(robot):
    """Torques are linear in them, and each counts as `joint_torques` of its frame; two on one link, one on the base."""
    q, qd, x = some(robot)
    frames = [*[*robot.frames][-2:], robot.root, [*robot.frames][-1]]
    w = np.random.default_rng(5).normal(size=(N, len(frames), 6))
    tau = kt.inverse_dynamics(robot).interpret(q, qd, x)
    acting = sum(kt.dynamics.joint_torques(robot, name).interpret(q, w[:, k]) for k, name in enumerate(frames))
    close(kt.inverse_dynamics(robot, frames).interpret(q, qd, x, w), tau - acting)
    close(
        kt.dynamics.bias_torques(robot, frames).interpret(q, qd, w),
        kt.dynamics.bias_torques(robot).interpret(q, qd) - acting,
    )
    qdd = kt.forward_dynamics(robot, frames).interpret(q, qd, tau, w)
    close(qdd, kt.forward_dynamics(robot).interpret(q, qd, tau + acting), 1e-10)


@every
@pytest.mark.slow
def test_inertial_parameters(robot):
    """The robot's own as an input change nothing; torques are the regressor times them."""
    q, qd, x = some(robot)
    parameters, still = parameters_of(robot), with_dynamics(robot)
    tau = kt.inverse_dynamics(robot, parameters=True).interpret(q, qd, x, parameters)
    close(tau, kt.inverse_dynamics(robot).interpret(q, qd, x))
    Y = kt.dynamics.inertial_regressor(robot).interpret(q, qd, x)
    close(Y @ parameters.ravel(), kt.inverse_dynamics(still).interpret(q, qd, x))
    other = parameters * np.random.default_rng(2).uniform(0.5, 2, parameters.shape)
    passive = tau - kt.inverse_dynamics(still).interpret(q, qd, x)
    tau = kt.inverse_dynamics(robot, parameters=True).interpret(q, qd, x, other)
    close(Y @ other.ravel() + passive, tau)


@pytest.mark.slow
@small
@pytest.mark.sampled(3)
def test_every_answer_takes_parameters(robot):
    q, qd, x = some(robot)
    parameters = parameters_of(robot)
    for query, motion in (
        (kt.forward_dynamics, (q, qd, x)),
        (kt.mass_matrix, (q,)),
        (kt.center_of_mass, (q,)),
        (kt.dynamics.energy, (q, qd)),
        (kt.dynamics.centroidal_momentum_matrix, (q,)),
        (kt.dynamics.centroidal_momentum_matrix_dot, (q, qd)),
    ):
        close(query(robot, parameters=True).interpret(*motion, parameters), query(robot).interpret(*motion), 1e-10)


def test_parameters_of_a_link_and_labels_of_the_regressor():
    link = EVERYTHING.links["trunk1"]
    T, I, m = link.inertial.origin, link.inertial.inertia, link.inertial.mass
    R, c = T[:3, :3], T[:3, 3]
    about = R @ I @ R.T + m * (c @ c * np.eye(3) - np.outer(c, c))
    rows = kt.dynamics.inertial_parameters(EVERYTHING)
    close(rows["trunk1"], [m, *(m * c), *(about[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)))])
    assert list(rows) == list(EVERYTHING.links)
    labels = kt.dynamics.inertial_regressor(EVERYTHING).output.labels
    at = list(rows).index("trunk1")
    names = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
    assert labels[10 * at : 10 * at + 10] == tuple(f"trunk1.{name}" for name in names)


@every
@pytest.mark.slow
def test_centre_of_mass_and_momentum_are_sums_over_links(robot):
    q, qd, _ = some(robot)
    total, linear, moment, angular = 0.0, np.zeros((N, 3)), np.zeros((N, 3)), np.zeros((N, 3))
    for name, link in robot.links.items():
        m, T = link.inertial.mass, kt.fk(robot, name).interpret(q) @ link.inertial.origin
        V = kt.velocity(robot, name).interpret(q, qd)
        R, c, w = T[:, :3, :3], T[:, :3, 3], V[:, 3:]
        v = V[:, :3] + np.cross(w, R @ (link.inertial.origin[:3, :3].T @ link.inertial.origin[:3, 3]))
        total, moment, linear = total + m, moment + m * c, linear + m * v
        spin = np.einsum("nij,jk,nlk,nl->ni", R, link.inertial.inertia, R, w)
        angular += spin + m * np.cross(c, v)
    centre = moment / total
    assert kt.dynamics.mass(robot) == pytest.approx(total, rel=1e-14)
    close(kt.center_of_mass(robot).interpret(q), centre)
    A = kt.dynamics.centroidal_momentum_matrix(robot).interpret(q)
    expected = np.concatenate([linear, angular - np.cross(centre, linear)], axis=1)
    close(np.einsum("nij,nj->ni", A, qd), expected)
    J = kt.dynamics.center_of_mass_jacobian(robot).interpret(q)
    close(np.einsum("nij,nj->ni", J, qd), linear / total)
    close(np.einsum("nij,nj->ni", J, qd), derivative(kt.center_of_mass(robot), robot, q, qd), 1e-8)


@longer
def test_rate_of_the_momentum(robot):
    q, qd, _ = some(robot)
    A, Ad = kt.dynamics.centroidal_momentum_matrix(robot), kt.dynamics.centroidal_momentum_matrix_dot(robot)
    close(Ad.interpret(q, qd), derivative(A, robot, q, qd), 1e-7)


@pytest.mark.slow
@every
def test_acceleration_is_the_rate_of_the_velocity(robot):
    q, qd, qdd = some(robot)
    frames = [*robot.frames]
    for frame, base, axes in ((frames[-1], None, "base"), (frames[-2], frames[2], "frame")):
        velocity = kt.velocity(robot, frame, base, axes).interpret
        V = [
            velocity(np.array([moved(robot, a, b, s) for a, b in zip(q, qd, strict=True)]), qd + s * qdd)
            for s in (h, -h)
        ]
        A = kt.dynamics.acceleration(robot, frame, base, axes).interpret(q, qd, qdd)
        close(A, (V[0] - V[1]) / (2 * h), 1e-7)
        J, Jd = kt.jacobian(robot, frame, base, axes), kt.jacobian_dot(robot, frame, base, axes)
        sums = np.einsum("nij,nj->ni", J.interpret(q), qdd) + np.einsum("nij,nj->ni", Jd.interpret(q, qd), qd)
        close(A, sums)


def test_a_step_is_semi_implicit():
    """The velocity changes first, and the new one moves the robot."""
    q, qd, tau = some(ARM)
    dt = 0.01
    after = kt.dynamics.step(ARM, dt).interpret(q, qd, tau)
    expected = qd + dt * kt.forward_dynamics(ARM).interpret(q, qd, tau)
    close(after.qd, expected)
    close(after.q, kt.dynamics.integrate(ARM).interpret(q, dt * expected))
    for bad in (np.nan, np.inf, 0.0, -0.1):
        with pytest.raises(KinetreeError, match=r"dt is .*; expected a finite time"):
            kt.dynamics.step(ARM, bad)


def test_a_free_body_keeps_its_velocity_while_it_spins():
    """In the axes of the world, however fast it turns and however long the step is."""
    body = kt.load('<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>', format="mjcf")
    q, qd = body.q(), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 10.0])
    step = kt.dynamics.step(body, 0.01, gravity=(0, 0, 0))
    for _ in range(100):
        q, qd = step.interpret(q, qd, np.zeros(6))
    close(q[:3], [1.0, 0.0, 0.0])
    close(kt.velocity(body, list(body.links)[1], body.root).interpret(q, qd), [1.0, 0.0, 0.0, 0.0, 0.0, 10.0])


@pytest.mark.slow
def test_dampers_armature_and_friction_add_their_own():
    """On a chain of single joints, each by itself."""
    robot = with_dynamics(ARM)
    q, qd, x = some(robot)
    tau = kt.inverse_dynamics(robot).interpret(q, qd, x)
    for dynamics, more in (
        (Dynamics(damping=0.2), 0.2 * qd),
        (Dynamics(armature=0.3), 0.3 * x),
        (Dynamics(stiffness=2.0, reference=0.4), 2.0 * (q - 0.4)),
        (Dynamics(friction=0.7), 0 * qd),
    ):
        close(kt.inverse_dynamics(with_dynamics(robot, dynamics)).interpret(q, qd, x), tau + more)
    rough = with_dynamics(robot, Dynamics(friction=0.7))
    qd[0] = 0
    for query, sign in ((kt.inverse_dynamics, 1), (kt.dynamics.bias_torques, 1), (kt.forward_dynamics, -1)):
        motion = (q, qd) if query is kt.dynamics.bias_torques else (q, qd, x)
        without = query(robot).interpret(*motion if sign > 0 else (q, qd, x - 0.7 * np.sign(qd)))
        got = query(rough, friction=True).interpret(*motion)
        close(got, without + (0.7 * np.sign(qd) if sign > 0 else 0), 1e-10)
        assert np.array_equal(query(rough).interpret(*motion), query(robot).interpret(*motion))


def test_armature_of_a_floating_joint_resists_velocities_in_constant_axes():
    """As in MuJoCo: what it resists is the rate of R v, which has v in the axes of the parent."""
    text = '<body><joint type="free" armature="{}"/><geom size="0.1" pos="1 2 3"/></body>'
    plain, heavy = (kt.load(f"<mujoco><worldbody>{text.format(a)}</worldbody></mujoco>", format="mjcf") for a in (0, 2))
    q, qd, x = some(plain)
    more = 2 * np.concatenate([x[:, :3] + np.cross(qd[:, 3:], qd[:, :3]), x[:, 3:]], axis=1)
    tau = kt.inverse_dynamics(plain).interpret(q, qd, x) + more
    close(kt.inverse_dynamics(heavy).interpret(q, qd, x), tau)
    close(kt.forward_dynamics(heavy).interpret(q, qd, tau), x)


@pytest.mark.slow
def test_batches_out_threads_and_single_precision():
    rng = np.random.default_rng(4)
    q, qd, x = rng.normal(size=(3, 2, 50, ARM.nv))
    for query, arrays in ((kt.inverse_dynamics, (q, qd, x)), (kt.forward_dynamics, (q, qd, x)), (kt.mass_matrix, (q,))):
        kernel = query(ARM)
        expected = kernel.interpret(*arrays)
        got = kernel(*arrays)
        close(got, expected, 1e-13)
        assert np.array_equal(kernel(*arrays, threads=2), got)
        assert kernel(*arrays, out=(out := np.empty_like(got))) is out
        assert np.array_equal(out, got)
        close(kernel(*(a[1, 7] for a in arrays)), expected[1, 7], 1e-13)
        single = kernel(*arrays, dtype=np.float32)
        assert single.dtype == np.float32
        close(single, expected, 1e-5)
        some_nan = [a.copy() for a in arrays]
        some_nan[0][0, 3] = np.nan
        got = kernel(*some_nan)
        assert np.isnan(got[0, 3]).any()
        close(np.delete(got[0], 3, 0), np.delete(expected[0], 3, 0), 1e-13)
    shared = kt.inverse_dynamics(ARM)(q, qd[0, 0], x[0])  # axes in front are broadcast
    close(shared, kt.inverse_dynamics(ARM).interpret(q, qd[0, 0] + 0 * q, x[0] + 0 * q), 1e-13)


def without_masses(robot: Robot, *links: str) -> Robot:
    """The robot without the inertials of these links, or of all."""
    parts = parts_of(robot)
    parts.links = [replace(l, inertial=None) if l.name in (links or robot.links) else l for l in parts.links]
    return build(parts)


@each(
    "ask, message",
    [
        (lambda: kt.inverse_dynamics(ARM, "l9"), r"no frame 'l9'"),
        (lambda: kt.inverse_dynamics(ARM, ["l1", "j2"]), r"no frame 'j2', which is a joint; .*'l2'"),
        (lambda: kt.inverse_dynamics(ARM, gravity=(0, 0)), r"gravity is \(0, 0\); expected three finite numbers"),
        (lambda: kt.gravity_torques(ARM, gravity=(0, 0, np.nan)), "expected three finite numbers, or None"),
        (lambda: kt.dynamics.energy(ARM, gravity="down"), "gravity"),
        (lambda: kt.inverse_dynamics(ARM, loops="yes"), "loops is 'yes'; expected one of 'refuse', 'ignore'"),
        (lambda: kt.mass_matrix(without_masses(ARM)), "no link of the robot has a mass"),
        (lambda: kt.center_of_mass(without_masses(ARM)), "no link of the robot has a mass"),
        (
            lambda: kt.forward_dynamics(without_masses(ARM, "l4")),
            r"no mass resists the motion of 'j4'.*kt.edit.lock",
        ),
        (lambda: kt.inverse_dynamics("ARM"), "robot"),
    ],
)
def test_what_has_no_answer(ask, message):
    with pytest.raises(KinetreeError, match=f"(?s){message}"):
        ask()


def test_a_joint_without_mass_has_torques_and_may_have_an_armature():
    light = without_masses(ARM, "l4")
    q, qd, x = some(light)
    tau = kt.inverse_dynamics(light).interpret(q, qd, x)
    assert np.array_equal(tau[:, 3], np.zeros(N))
    driven = with_dynamics(light, Dynamics(armature=0.1))
    close(kt.forward_dynamics(driven).interpret(q, qd, tau + 0.1 * x), x, 1e-10)


LOOP = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1" pos="1 0 0"/></body><body name="b"><joint
name="k"/><geom size="0.1" pos="0 1 0"/></body></worldbody><equality><connect name="tie" body1="a" body2="b" anchor="1
0 0"/></equality></mujoco>"""


def test_loops_are_named_unless_they_are_ignored():
    robot = kt.load(LOOP, format="mjcf")
    with pytest.raises(KinetreeError, match=r"close loops, .*: tie(?s:.*)loops='ignore'"):
        kt.inverse_dynamics(robot)
    kernel = kt.inverse_dynamics(robot, loops="ignore")
    open_ = kt.load(LOOP.replace(LOOP[LOOP.index("<equality") : LOOP.index("</mujoco")], ""), format="mjcf")
    q, qd, x = some(robot)
    assert np.array_equal(kernel.interpret(q, qd, x), kt.inverse_dynamics(open_).interpret(q, qd, x))


@pytest.mark.parametrize(
    ("attributes", "body", "message"),
    [
        ('type="free" stiffness="1"', 'pos="1 0 0"', "joint 'j': its spring pulls to where its body is drawn"),
        ('frictionloss="1"', "", "joint 'j': frictionloss is a constraint"),
    ],
)
def test_springs_and_friction_of_mjcf_that_are_not_computed_are_refused(attributes, body, message):
    """Only where they count."""
    text = f'<body name="b" {body}><joint name="j" {attributes}/><geom size="1"/></body>'
    robot = kt.load(f"<mujoco><worldbody>{text}</worldbody></mujoco>", format="mjcf")
    with pytest.raises(KinetreeError, match=message):
        kt.inverse_dynamics(robot, friction=True)
    assert np.isfinite(kt.mass_matrix(robot).interpret(np.ones(robot.nq))).all()
    assert np.isfinite(kt.gravity_torques(robot).interpret(np.ones(robot.nq))).all()
