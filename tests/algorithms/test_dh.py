"""Extraction of DH and MDH parameters from serial chains."""

from math import pi

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.dh import extract_dh
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.algorithms.serial import serial_chain
from kinetree.formats import ets
from kinetree.model.dh import DHChain, DHRow
from kinetree.model.tree import build_tree
from kinetree.spatial.dh import common_normal, sine_between, x_screw, z_screw
from support import all_frames, icub_urdfs

PANDA = (
    "tz(0.333) Rz(q1) Rx(-90°) Rz(q2) Rx(90°) tz(0.316) Rz(q3) tx(0.0825) Rx(90°) Rz(q4) "
    "tx(-0.0825) Rx(-90°) tz(0.384) Rz(q5) Rx(90°) Rz(q6) tx(0.088) Rx(90°) tz(0.107) Rz(q7)"
)


def numbers(chain: DHChain) -> np.ndarray:
    return np.array([(row.a, row.d, row.alpha, row.theta) for row in chain.rows])


def extracted(text: str, convention: str = "dh") -> DHChain:
    found = extract_dh(serial_chain(ets.robot_of(ets.parse(text)), None, "tip"), convention)
    assert found.residual < 1e-12
    return found.chain


def test_the_two_screws_make_the_published_matrix():
    """Siciliano et al., Robotics (2009), equation 2.52: the standard convention; Craig, equation 3.6: the modified."""
    theta, d, alpha, a = 0.4, 0.3, -0.9, 0.2
    (st, sa), (ct, ca) = np.sin([theta, alpha]), np.cos([theta, alpha])
    standard = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    modified = [[ct, -st, 0, a], [st * ca, ct * ca, -sa, -sa * d], [st * sa, ct * sa, ca, ca * d], [0, 0, 0, 1]]
    np.testing.assert_allclose(z_screw(theta, d) @ x_screw(alpha, a), standard, atol=1e-15)
    np.testing.assert_allclose(x_screw(alpha, a) @ z_screw(theta, d), modified, atol=1e-15)
    assert sine_between(np.asarray(standard)[:3, 2]) == pytest.approx(abs(sa))


def test_the_modified_parameters_of_the_panda_are_the_published_ones():
    chain = extracted(PANDA, "mdh")
    published = [  # Franka Emika, robot and interface specifications: a, d, alpha
        (0, 0.333, 0),
        (0, 0, -pi / 2),
        (0, 0.316, pi / 2),
        (0.0825, 0, pi / 2),
        (-0.0825, 0.384, -pi / 2),
        (0, 0, pi / 2),
        (0.088, 0.107, pi / 2),
    ]
    assert np.abs(numbers(chain)[:, :3] - published).max() < 1e-12
    assert np.abs(numbers(chain)[:, 3]).max() == 0
    assert np.array_equal(chain.base, np.eye(4))


@pytest.mark.slow
@each("convention", ["dh", "mdh"])
@each(
    "text",
    [
        "Rz(a) tx(1) Rz(b) tx(1) Rz(c)",  # parallel
        "Rz(a) tz(1) Rz(b) tx(0.2)",  # coincident
        "Rz(a) tx(1) Rx(180°) Rz(b) tx(0.2)",  # antiparallel
        "Rz(a) tz(1) Rx(180°) Rz(b)",  # coincident, opposite
        "Rz(a) Ry(b) Rx(c)",  # intersecting
        "tx(a) ty(b) tz(c)",  # prismatic, at right angles
        "tx(a) tx(b) Ry(0.3) tx(c) Rz(d) tx(0.3) tz(-e)",  # prismatic, parallel and oblique
        "Rz(a) tx(1) Ry(0.0000001) Rz(b) tx(1)",  # nearly parallel
        "Rz(a) Ry(0.00001) Rz(b) tx(1)",  # nearly parallel and meeting
        "Rz(a) tx(1) Rx(179.99999°) Rz(b) ty(1) SE3(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)",  # nearly antiparallel
        "SE3(0.1, 0.2, 0.3, 0.4, 0.5, 0.6) Rx(-a) SE3(1, 2, 3, 4, 5, 6) Ry(b) SE3(-1, 2, 3, -0.4, 2, 6) tz(c)",
        "tz(0.5)",  # no joint at all
    ],
)
def test_every_chain_of_lines_has_parameters(text, convention):
    sequence = ets.parse(text)
    chain = extracted(text, convention)
    rng = np.random.default_rng(7)
    for _ in range(10):
        q = rng.uniform(-3, 3, len(sequence.joints))
        assert np.abs(chain.transform(q) - sequence.A(q)).max() < 1e-12
    assert np.abs(numbers(chain)).max(initial=0) < 100  # no normal far away


def test_nearly_parallel_axes_get_a_constant_row_or_are_taken_as_parallel():
    chain = serial_chain(ets.robot_of(ets.parse("Rz(a) tx(1) Ry(1e-6) Rz(b) tx(1)")), None, "tip")
    assert extract_dh(chain).constant_rows == (2,)
    loose = extract_dh(chain, parallel=1e-5)
    assert loose.constant_rows == ()
    assert 1e-7 < loose.residual < 1e-5  # and says how far it is off


@pytest.mark.parametrize("along", [-50.0, 50.0])
def test_it_does_not_matter_where_on_a_nearly_parallel_axis_its_joint_is(along):
    text = "Rz(a) tx(1) ty(0.5) Ry(5e-4) tz({}) Rz(b) tz({}) tx(1)"
    here, there = (numbers(extracted(text.format(z, -z))) for z in (0.0, along))
    assert here.shape == (3, 4)
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-9)


def test_conventions_are_the_same_numbers_regrouped():
    rng = np.random.default_rng(8)
    text = " ".join(f"Rz(q{i}) SE3({', '.join(map(str, rng.uniform(-1, 1, 6)))})" for i in range(6))
    standard, modified = numbers(extracted(text)), numbers(extracted(text, "mdh"))
    assert np.abs(standard[:-1, [0, 2]] - modified[1:, [0, 2]]).max() < 1e-12
    assert np.abs(standard[:, [1, 3]] - modified[:, [1, 3]]).max() < 1e-12


def test_random_lines():
    rng = np.random.default_rng(9)
    for _ in range(200):
        point, direction = rng.normal(size=3), rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        T = common_normal(point, direction, 1e-13).transform
        assert np.abs(T[:3, 2] - direction).max() < 1e-13
        assert np.abs(np.cross(T[:3, 3] - point, direction)).max() < 1e-11
        assert abs(T[:3, 0] @ (0, 0, 1)) < 1e-15


@pytest.mark.slow
def test_any_frame_of_a_robot_against_any_other():
    rng = np.random.default_rng(10)
    for path in icub_urdfs()[::4]:
        robot = kt.load(path)
        tree = build_tree(robot)
        names = list(robot.frames)
        for _ in range(6):
            base, tip = rng.choice(names, 2)
            chain = serial_chain(robot, base, tip)
            own = dict.fromkeys((joint.joint.name for joint in chain.joints), 0.0)
            own = {name: float(rng.uniform(-2, 2)) for name in own}
            expected = forward_kinematics(tree, robot.q(own), [tip], base)[0]
            assert np.abs(chain.transform(list(own.values())) - expected).max() < 1e-12
            for convention in ("dh", "mdh"):
                found = extract_dh(chain, convention, samples=3)
                assert found.residual < 1e-12
                assert np.abs(found.chain.transform(list(own.values())) - expected).max() < 1e-12


def test_a_follower_counts_by_its_own_number():
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        '<joint name="lead" type="continuous"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>'
        '<joint name="follow" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>'
        '<origin xyz="0 1 0"/>'
        '<mimic joint="lead" multiplier="-2" offset="0.1"/></joint></robot>'
    )
    robot = kt.load(text, format="urdf")
    found = extract_dh(serial_chain(robot))
    lead, follow = found.chain.rows
    assert lead.mimic is None
    assert follow.mimic is not None
    assert follow.mimic.joint == "lead"
    expected = all_frames(robot, np.array([0.3]))["c"]
    assert np.abs(found.chain.transform([0.3, -0.5]) - expected).max() < 1e-14


def test_refusals():
    robot = kt.load("icub")
    with pytest.raises(kt.KinetreeError, match="branches"):
        serial_chain(robot)
    with pytest.raises(kt.KinetreeError, match="no frame 'l_hadn'"):
        serial_chain(robot, None, "l_hadn")
    joint = '<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/></joint>'
    planar = kt.load(f'<robot name="r"><link name="a"/><link name="b"/>{joint}</robot>', format="urdf")
    with pytest.raises(kt.KinetreeError, match="is a planar joint"):
        serial_chain(planar)


class _Dual:
    """A number with its derivative, standing in for a symbolic scalar."""

    def __init__(self, value, derivative=0.0):
        self.value, self.derivative = value, derivative

    def __add__(self, other):
        other = other if isinstance(other, _Dual) else _Dual(other)
        return _Dual(self.value + other.value, self.derivative + other.derivative)

    def __mul__(self, other):
        other = other if isinstance(other, _Dual) else _Dual(other)
        return _Dual(self.value * other.value, self.derivative * other.value + self.value * other.derivative)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return _Dual(np.sin(self.value), np.cos(self.value) * self.derivative)

    def cos(self):
        return _Dual(np.cos(self.value), -np.sin(self.value) * self.derivative)


@pytest.mark.parametrize("convention", ["dh", "mdh"])
def test_a_chain_runs_on_symbolic_scalars(convention):
    rows = (DHRow(0.1, 0.2, 0.3, 0.4), DHRow(0.5, 0.1, -0.2, 0.3, "prismatic"), DHRow(0.1, 0.2, 1.0, 0.0, flip=True))
    chain = DHChain("", convention, rows)
    q, qd, step = np.array([0.3, -0.7, 1.1]), np.array([1.0, -2.0, 0.5]), 1e-6
    T = chain.transform([_Dual(*pair) for pair in zip(q, qd, strict=True)])[:3]
    value = np.vectorize(lambda x: getattr(x, "value", x))(T).astype(float)
    derivative = np.vectorize(lambda x: getattr(x, "derivative", 0.0))(T).astype(float)
    assert np.abs(value - chain.transform(q)[:3]).max() < 1e-15
    difference = (chain.transform(q + step * qd) - chain.transform(q - step * qd))[:3] / (2 * step)
    assert np.abs(derivative - difference).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("convention", "later"), [("dh", 1), ("mdh", 0)])
def test_a_convention_puts_the_frame_of_a_link_on_the_axis_before_or_behind_it(convention, later):
    """Denavit and Hartenberg put the frame of link i on the axis of the joint that it carries, the modified convention
    and URDF on the axis of the joint that carries it. The axes are those of the robot's own joints."""
    robot = kt.load("icub")
    chain = serial_chain(robot, None, "l_hand_dh_frame")
    names = [joint.joint.name for joint in chain.joints]
    q = np.random.default_rng(3).uniform(-1, 1, len(names))
    frames = all_frames(robot, robot.q(dict(zip(names, q, strict=True))))
    lines = []
    for name in names:
        T = frames[robot.joints[name].child]
        lines.append((T[:3, 3], T[:3, :3] @ robot.joints[name].axes[0]))
    found = extract_dh(chain, convention).chain
    T = found.base
    for i, row in enumerate(found.rows[: len(names) - later]):
        T = T @ row.transform(convention, q[i])
        point, direction = lines[i + later]
        assert np.linalg.norm(np.cross(T[:3, 3] - point, direction)) < 1e-12, names[i]
        assert np.linalg.norm(np.cross(T[:3, 2], direction)) < 1e-12


def test_urdf_puts_the_frame_of_a_link_on_the_axis_of_the_joint_that_carries_it():
    robot = kt.load(icub_urdfs()[0])
    rng = np.random.default_rng(4)
    at, moved = (all_frames(robot, rng.uniform(-1, 1, robot.nq)) for _ in range(2))
    for joint in robot.joints.values():
        if joint.kind.nq:  # seen from the parent, the origin of the child stays where it is
            there = [np.linalg.inv(T[joint.parent]) @ T[joint.child] for T in (at, moved)]
            assert np.abs(there[0][:3, 3] - there[1][:3, 3]).max() < 1e-12, joint.name
            assert np.abs(there[0] - there[1]).max() > 1e-3
