"""Derivatives of every query, in both modes, against finite differences; motions of ball and floating joints."""

import pickle

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli._queries import QUERIES
from physics import everything, floated, random_pose, random_tree, solid
from support import example_robot_urdfs, icub_urdfs

ONE_SUBJECT = {"": (), "frame": ("FRAME",), "dt": (0.01,)}
"""Arguments of queries by the kind of their subject; those of sensors are tested apart."""
MORE = {
    "margin": lambda robot, frame: kt.margin(robot),
    "manipulability": kt.manipulability,
    "rpy": kt.kinematics.analytical_jacobian,
    "rotation_vector": lambda robot, frame: kt.kinematics.analytical_jacobian(robot, frame, None, "rotation_vector"),
}
ASKED = [*(name for name, row in QUERIES.items() if row.of in ONE_SUBJECT), *MORE]


def asked(name, robot, frame):
    """The kernel of a query about a robot or one of its frames."""
    if name in MORE:
        return MORE[name](robot, frame)
    subject = [frame if one == "FRAME" else one for one in ONE_SUBJECT[QUERIES[name].of]]
    return QUERIES[name].ask(robot, *subject)


def flat(result):
    return np.concatenate([np.ravel(a) for a in (result if isinstance(result, tuple) else (result,))])


def given(port, rng):
    """Random numbers, those of a rotation or above zero where a query asks for that."""
    if port.name == "target":
        return random_pose(rng)
    drawn = rng.normal(size=port.shape)
    return 1.0 + np.abs(drawn) if port.name == "stride" else drawn


def agrees(kernel, x, rng, tolerance=1e-7):
    """Compare both modes with each other and with central differences, along one direction at random."""
    dx, g = ([rng.normal(size=port.shape) for port in ports] for ports in (kernel.inputs, kernel.outputs))
    h = 1e-6
    ahead, behind = (flat(kernel.interpret(*(a + s * d for a, d in zip(x, dx, strict=True)))) for s in (h, -h))
    expected = (ahead - behind) @ flat(tuple(g)) / (2 * h)
    forward = flat(kt.jvp(kernel).interpret(*x, *dx)) @ flat(tuple(g))
    reverse = flat(kt.vjp(kernel).interpret(*x, *g)) @ flat(tuple(dx))
    scale = 1 + abs(expected) + np.abs(ahead).max(initial=0)
    assert abs(forward - expected) < tolerance * scale
    assert abs(reverse - forward) < 1e-10 * scale


@pytest.fixture(scope="module")
def tree():
    """Joints of every type, with a mass on every link."""
    return solid(everything(), np.random.default_rng(3))


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.slow
def test_every_query(name):
    """Two ball joints among them."""
    robot, rng = random_tree(3), np.random.default_rng(4)
    kernel = asked(name, robot, list(robot.links)[-1])
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fk", "jacobian", "inverse_dynamics", "energy", "integrate", "difference"])
def test_every_joint_type(name, tree):
    rng = np.random.default_rng(5)
    kernel = asked(name, tree, "branch4")
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_every_query_of_every_joint_type(name, tree):
    rng = np.random.default_rng(5)
    kernel = asked(name, tree, "branch4")
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.slow
def test_readings_of_sensors(tree):
    rng = np.random.default_rng(6)
    kernel = kt.dynamics.sensor_reading(tree, "ft", measures="parent_on_child")
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.crosscheck
@pytest.mark.parametrize("name", ASKED)
def test_every_query_of_an_arm(name):
    """The UR5."""
    (file,) = [path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf"]
    robot, rng = kt.load(file), np.random.default_rng(7)
    kernel = asked(name, robot, "tool0")
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*ASKED} - {"hessian", "inertial_regressor", "forward_dynamics_derivatives"}))
def test_every_query_of_a_humanoid(name):
    """Without the largest, which take minutes."""
    (file,) = [path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7"]
    robot, rng = kt.load(file), np.random.default_rng(8)
    kernel = asked(name, robot, "l_hand")
    agrees(kernel, [rng.uniform(-0.4, 0.4, port.shape) for port in kernel.inputs], rng)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fk", "jacobian", "gravity_torques", "center_of_mass"])
def test_tangents_are_derivatives_along_motions(name):
    """Along q ⊕ v at v = 0, whatever the lengths of the quaternions."""
    robot, rng = floated(random_tree(3)), np.random.default_rng(9)
    kernel = asked(name, robot, list(robot.links)[-1])
    q, v, g = rng.normal(size=robot.nq), rng.normal(size=robot.nv), rng.normal(size=kernel.output.shape)
    h, moved = 1e-6, kt.dynamics.integrate(robot).interpret
    expected = (kernel.interpret(moved(q, h * v)) - kernel.interpret(moved(q, -h * v))) / (2 * h)
    forward, reverse = kt.jvp(kernel, tangent=True), kt.vjp(kernel, tangent=True)
    assert (forward.inputs[1].shape, reverse.output.shape) == ((robot.nv,), (robot.nv,))
    assert reverse.output.labels == robot.velocity_names
    np.testing.assert_allclose(forward.interpret(q, v), expected, rtol=0, atol=1e-7)
    assert reverse.interpret(q, g) @ v == pytest.approx(np.sum(expected * g), abs=1e-6)


@pytest.mark.slow
def test_tangents_of_joints_that_stand_where_an_input_says():
    robot, rng = floated(random_tree(3)), np.random.default_rng(10)
    kernel = kt.fk(robot, list(robot.links)[-1], joints=["root_joint"], at="input")
    found = kt.vjp(kernel, tangent=True)
    assert [port.shape for port in found.outputs] == [(6,), (robot.nv,)]
    agrees(kernel, [given(port, rng) for port in kernel.inputs], rng)


@pytest.mark.slow
def test_tangents_of_robots_without_quaternions_are_their_coordinates():
    robot = kt.load("icub")
    kernel, rng = kt.fk(robot, "l_hand"), np.random.default_rng(11)
    q, g = rng.uniform(-1, 1, robot.nq), rng.normal(size=(4, 4))
    np.testing.assert_array_equal(kt.vjp(kernel)(q, g), kt.vjp(kernel, tangent=True)(q, g))


@pytest.mark.slow
def test_gradients_where_series_take_over():
    """A motion of zero, and none between two configurations; there kernels choose between series and closed forms."""
    robot, rng = floated(random_tree(3)), np.random.default_rng(12)
    q = kt.dynamics.integrate(robot)(robot.q(), rng.normal(size=robot.nv))
    agrees(kt.dynamics.integrate(robot), [q, np.zeros(robot.nv)], rng)
    agrees(kt.dynamics.difference(robot), [q, q], rng)
    for name in ("rotation_vector", "fk", "inverse_dynamics"):
        kernel = asked(name, robot, list(robot.links)[-1])
        agrees(kernel, [robot.q(), *(np.zeros(port.shape) for port in kernel.inputs[1:])], rng)


@pytest.mark.slow
def test_gradients_in_batches_and_twice():
    robot, rng = kt.load("icub"), np.random.default_rng(13)
    kernel = kt.fk(robot, "l_hand")
    first = kt.vjp(kernel)
    q, g = rng.uniform(-1, 1, (5, 1, robot.nq)), rng.normal(size=(3, 4, 4))
    found = first(q, g)
    assert found.shape == (5, 3, robot.nq)
    np.testing.assert_allclose(found, first.interpret(q, g), rtol=0, atol=1e-14)
    agrees(first, [q[0, 0], g[0]], rng)
    agrees(kt.vjp(first), [q[0, 0], g[0], rng.normal(size=robot.nq)], rng)
    again = pickle.loads(pickle.dumps(first))
    np.testing.assert_array_equal(again(q, g), found)


@pytest.mark.slow
def test_the_gradient_of_a_position_is_a_row_of_the_jacobian():
    robot, rng = kt.load("icub"), np.random.default_rng(14)
    q, unit = rng.uniform(-1, 1, (4, robot.nq)), np.zeros((3, 1, 4, 4))
    unit[[0, 1, 2], 0, [0, 1, 2], 3] = 1.0
    rows = kt.vjp(kt.fk(robot, "l_hand"))(q, unit)
    np.testing.assert_allclose(rows.transpose(1, 0, 2), kt.jacobian(robot, "l_hand")(q)[:, :3], rtol=0, atol=1e-14)


def test_gradients_are_written_as_c():
    kernel = kt.vjp(kt.fk(kt.load("icub"), "l_hand", base="chest"))
    assert "q_bar" in kernel.c_source().source
