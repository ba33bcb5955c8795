"""Points, wrenches and joint torques: power, energy and composition hold them to the velocities and poses, which are
held to other libraries elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms import differential
from kinetree.model.force_torque import MEASURES
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.spatial import se3
from physics import everything, moved
from support import icub_urdfs, random_q

ROBOT = everything()
WAYS = [("on_trunk5", None), ("on_branch4", "finger_link"), ("thumb_link", "on_branch4")]
UP = np.array([0.0, 0.0, 9.81])
N = 4


def some(robot, seed=0):
    """q (N, nq), qd (N, nv) and w (N, 6)."""
    rng = np.random.default_rng(seed)
    q = np.array([random_q(robot, rng) for _ in range(N)])
    return q, rng.normal(size=(N, robot.nv)), rng.normal(size=(N, 6))


def power(a, b):
    return np.einsum("...i,...i", a, b)


@pytest.mark.slow
@pytest.mark.parametrize(("frame", "base"), WAYS)
def test_the_torques_have_the_power_of_the_wrench(frame, base):
    q, qd, w = some(ROBOT)
    tau = kt.dynamics.joint_torques(ROBOT, frame, base).interpret(q, w)
    V = kt.velocity(ROBOT, frame, base, "frame").interpret(q, qd)
    np.testing.assert_allclose(power(tau, qd), power(w, V), rtol=0, atol=1e-12)
    J = kt.jacobian(ROBOT, frame, base, "frame").interpret(q)
    np.testing.assert_allclose(tau, np.einsum("nij,ni->nj", J, w), rtol=0, atol=1e-13)
    assert (tau == 0).all(axis=0).tolist() == (J == 0).all(axis=(0, 1)).tolist()  # exactly, where no joint is between


def test_torques_between_two_frames_are_those_of_both_ends():
    """w on the frame and its opposite on the base: the joints before both feel nothing."""
    frame, base = "finger_link", "on_trunk1"
    q, _, w = some(ROBOT, 1)
    back = kt.dynamics.wrench(ROBOT, frame, base).interpret(q, w)
    both = kt.dynamics.joint_torques(ROBOT, frame).interpret(q, w) - kt.dynamics.joint_torques(ROBOT, base).interpret(
        q, back
    )
    np.testing.assert_allclose(kt.dynamics.joint_torques(ROBOT, frame, base).interpret(q, w), both, rtol=0, atol=1e-12)


def test_a_wrench_is_the_same_from_every_frame_of_its_link():
    """Its power, its torques, and it itself when it is taken back."""
    q, qd, w = some(ROBOT, 2)
    a, b = "trunk5", "on_trunk5"
    moved_w = kt.dynamics.wrench(ROBOT, a, b).interpret(q, w)
    powers = [
        power(x, kt.velocity(ROBOT, frame, "on_base", "frame").interpret(q, qd)) for frame, x in ((a, w), (b, moved_w))
    ]
    np.testing.assert_allclose(*powers, rtol=0, atol=1e-12)
    torques = [kt.dynamics.joint_torques(ROBOT, frame).interpret(q, x) for frame, x in ((a, w), (b, moved_w))]
    np.testing.assert_allclose(*torques, rtol=0, atol=1e-12)
    np.testing.assert_allclose(kt.dynamics.wrench(ROBOT, b, a).interpret(q, moved_w), w, rtol=0, atol=1e-13)


@pytest.mark.slow
@each("frame, base", WAYS)
def test_wrenches_and_points_go_there_and_back_and_by_way_of_another_frame(frame, base):
    q, _, w = some(ROBOT, 3)
    for query, x in ((kt.dynamics.wrench, w), (kt.kinematics.point, w[:, :3])):
        there = query(ROBOT, frame, base).interpret(q, x)
        np.testing.assert_allclose(query(ROBOT, base or "base", frame).interpret(q, there), x, rtol=0, atol=1e-11)
        between = query(ROBOT, frame, "trunk2").interpret(q, x)
        np.testing.assert_allclose(query(ROBOT, "trunk2", base).interpret(q, between), there, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(query(ROBOT, frame, frame).interpret(q, x), x)


@pytest.mark.slow
@each("frame, base", WAYS)
def test_points_and_contacts(frame, base):
    """A force at a point is that force at the point, wherever one looks from."""
    q, _, x = some(ROBOT, 4)
    p, f = x[:, :3], x[:, 3:]
    T = kt.fk(ROBOT, frame, base).interpret(q)
    at = kt.kinematics.point(ROBOT, frame, base).interpret(q, p)
    np.testing.assert_allclose(at, (T @ np.append(p, np.ones((N, 1)), axis=1)[..., None])[:, :3, 0], rtol=0, atol=1e-13)
    turned = np.einsum("nij,nj->ni", T[:, :3, :3], f)
    seen = kt.dynamics.wrench(ROBOT, frame, base).interpret(q, kt.dynamics.contact_wrench(p, f))
    np.testing.assert_allclose(seen, kt.dynamics.contact_wrench(at, turned), rtol=0, atol=1e-12)


@pytest.mark.slow
@each("frame, base", WAYS)
def test_kernels_are_the_algorithms(frame, base):
    (q, _, w), tree = some(ROBOT, 5), build_tree(ROBOT)
    asked = ((kt.dynamics.wrench, w), (kt.dynamics.joint_torques, w), (kt.kinematics.point, w[:, :3]))
    for function, x in asked:
        kernel, algorithm = function(ROBOT, frame, base), getattr(differential, function.__name__)
        expected = [algorithm(tree, q[i], x[i], frame, base) for i in range(N)]
        np.testing.assert_allclose(kernel.interpret(q, x), expected, rtol=0, atol=1e-13)


def weights(robot: Robot, q, links):
    """Of these links, as wrenches in their own frames."""
    T = kt.fk(robot, links).interpret(q)
    wrenches = {}
    for k, name in enumerate(links):
        if it := robot.links[name].inertial:
            wrenches[name] = kt.dynamics.contact_wrench(it.origin[:3, 3], T[k, :3, :3].T @ (-it.mass * UP))
    return wrenches


@pytest.mark.slow
def test_the_torques_of_gravity_are_the_slope_of_the_potential_energy():
    (q, _, _), h = some(ROBOT, 6), 1e-5

    def energy(x):
        return kt.dynamics.mass(ROBOT) * UP @ kt.dynamics.center_of_mass(ROBOT).interpret(x)

    for at in q[:2]:
        found = weights(ROBOT, at, list(ROBOT.links))
        tau = sum(kt.dynamics.joint_torques(ROBOT, name).interpret(at, w) for name, w in found.items())
        slope = [(energy(moved(ROBOT, at, d, h)) - energy(moved(ROBOT, at, d, -h))) / (2 * h) for d in np.eye(len(tau))]
        np.testing.assert_allclose(tau, -np.array(slope), rtol=1e-7, atol=1e-7)


@pytest.fixture(scope="module")
def icub():
    return kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_7"))


def beyond(robot: Robot, link: str) -> list[str]:
    found = [link]
    for name in robot.placed:
        if robot.joints[name].parent in found:
            found.append(robot.joints[name].child)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("sensor", [pytest.param("l_arm_ft", marks=pytest.mark.slow), "r_leg_ft"])
def test_a_sensor_holds_the_limb_that_hangs_on_it(icub, sensor):
    """The part above holds the part below: straight up, with its weight, at its centre of mass."""
    link = icub.joints[icub.sensors[sensor].joint].child
    limb = kt.edit.cut(icub, link)
    q = random_q(icub, np.random.default_rng(7))
    held = kt.dynamics.sensor_reading(icub, sensor, measures="parent_on_child", at_rest=True)(q)
    below = weights(icub, q, beyond(icub, link))
    reading = kt.dynamics.sensor_reading(
        icub, sensor, list(below), measures="parent_on_child", at_rest=True, gravity=(0, 0, 0)
    )
    np.testing.assert_allclose(reading(q, list(below.values())), held, rtol=0, atol=1e-12)
    com = kt.dynamics.center_of_mass(limb)([q[icub.joint_names.index(name)] for name in limb.joint_names])
    in_root = kt.dynamics.wrench(icub, link).interpret(q, held)
    expected = kt.dynamics.contact_wrench(
        kt.kinematics.point(icub, link).interpret(q, com), kt.dynamics.mass(limb) * UP
    )
    np.testing.assert_allclose(in_root, expected, rtol=0, atol=1e-12)
    assert kt.dynamics.mass(limb) > 1


def test_the_centre_of_mass_of_what_does_not_move():
    text = """<robot name="r"><link name="a"><inertial><origin xyz="1 2 3"/><mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    rigid = kt.load(text, format="urdf")
    assert kt.dynamics.center_of_mass(rigid)([]).tolist() == [1, 2, 3]
    assert kt.dynamics.center_of_mass(rigid)(np.zeros((4, 2, 0))).shape == (4, 2, 3)


@pytest.mark.slow
def test_what_an_icub_says_of_its_own_sensors(icub):
    """At rest the arms and feet of the iCub 3 read a positive Fz (robotology/icub-models, issue 71): the sensors' z
    points down, and what their files declare, child to parent, is the weight itself."""
    q = icub.q()
    for sensor in ("l_arm_ft", "r_arm_ft", "l_leg_ft", "r_leg_ft", "l_foot_ft", "r_foot_ft"):
        link = icub.joints[icub.sensors[sensor].joint].child
        f_z = kt.dynamics.sensor_reading(icub, sensor, at_rest=True)(q)[2]
        assert f_z == pytest.approx(9.81 * kt.dynamics.mass(kt.edit.cut(icub, link)), rel=1e-12)


def test_a_wrench_of_a_contact():
    assert kt.dynamics.contact_wrench([1, 2, 0], [0, 0, 3]).tolist() == [0, 0, 3, 6, -3, 0]
    rng = np.random.default_rng(9)
    p, f = rng.normal(size=(4, 1, 3)), rng.normal(size=(5, 3))
    w = kt.dynamics.contact_wrench(p, f)
    assert w.shape == (4, 5, 6)
    np.testing.assert_array_equal(w[2, 3], [*f[3], *np.cross(p[2, 0], f[3])])
    assert kt.dynamics.contact_wrench(np.zeros((0, 3)), [0, 0, 1]).shape == (0, 6)
    with pytest.raises(kt.KinetreeError, match=re.escape("f has shape (2,); expected real numbers of shape (…, 3)")):
        kt.dynamics.contact_wrench([0, 0, 0], [1, 2])
    with pytest.raises(kt.KinetreeError, match="do not go together"):
        kt.dynamics.contact_wrench(np.zeros((2, 3)), np.zeros((3, 3)))


KERNELS = {
    "point": (kt.kinematics.point(ROBOT, "on_trunk5", "on_branch4"), 3, 3),
    "wrench": (kt.dynamics.wrench(ROBOT, "on_trunk5", "on_branch4"), 6, 6),
    "joint_torques": (kt.dynamics.joint_torques(ROBOT, "on_trunk5", "on_branch4"), 6, ROBOT.nv),
}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.slow
def test_batches_outputs_and_single_precision(name):
    kernel, n, m = KERNELS[name]
    q, _, w = some(ROBOT, 10)
    x = w[:, :n]
    y = kernel(q, x)
    assert y.shape == (N, m)
    np.testing.assert_array_equal(kernel(q[1], x[1]), y[1])
    np.testing.assert_array_equal(kernel(q[:, None], x)[2, 3], kernel(q[2], x[3]))
    assert kernel(q[:0], x[0]).shape == (0, m)
    out = np.empty((N, m))
    assert kernel(q, x, out=out) is out
    np.testing.assert_array_equal(out, y)
    single = kernel(q, x, dtype=np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, y, rtol=0, atol=1e-4)
    assert kernel.name == name
    assert kernel.output.shape == (m,) == (len(kernel.output.labels),)
    assert f"void {name}(" in kernel.c_source().header
    with pytest.raises(kt.KinetreeError, match=r"expected real numbers of shape \(…, \d\), in this order: "):
        kernel(q[0], np.zeros(7))


def test_kernels_are_made_once():
    for query in (kt.kinematics.point, kt.dynamics.wrench, kt.dynamics.joint_torques):
        assert query(ROBOT, "trunk5") is query(ROBOT, "trunk5", "base")
        assert query(ROBOT, "trunk5") is not query(ROBOT, "trunk5", "trunk1")
        with pytest.raises(kt.KinetreeError, match="no frame 'trunk9'; did you mean 'trunk"):
            query(ROBOT, "trunk9")
    readings = [
        kt.dynamics.sensor_reading(ROBOT, "ft", "trunk5", measures=word) for word in (*MEASURES, "child_on_parent")
    ]
    assert readings[1] is readings[2]
    assert readings[0] is not readings[1]


def test_a_robot_that_does_not_move():
    robot = kt.load("<robot name='r'><link name='a'/></robot>", format="urdf")
    assert kt.dynamics.joint_torques(robot, "a")(np.zeros((2, 0)), np.ones(6)).shape == (2, 0)
    assert kt.dynamics.wrench(robot, "a")([], np.arange(6.0)).tolist() == [0, 1, 2, 3, 4, 5]
    assert kt.kinematics.point(robot, "a")([], [1, 2, 3]).tolist() == [1, 2, 3]


@pytest.mark.slow
def test_a_place_in_another_frame():
    """Half a turn about z and a metre along x, by hand."""
    T = se3.homogeneous(np.diag([-1.0, -1.0, 1.0]), (1.0, 0.0, 0.0))
    robot = kt.load(
        """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>
        <child link="b"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/></joint></robot>""",
        format="urdf",
    )
    q = [np.pi]
    np.testing.assert_allclose(kt.fk(robot, "b")(q), T, rtol=0, atol=1e-15)
    np.testing.assert_allclose(kt.kinematics.point(robot, "b")(q, [1, 2, 3]), [0, -2, 3], rtol=0, atol=1e-15)
    w = kt.dynamics.contact_wrench([1, 0, 0], [0, 5, 0])  # pushes the tip, which is at the origin of a, along -y
    np.testing.assert_allclose(kt.dynamics.wrench(robot, "b")(q, w), [0, -5, 0, 0, 0, 0], rtol=0, atol=1e-14)
    assert kt.dynamics.joint_torques(robot, "b")(q, w).tolist() == [5.0]
