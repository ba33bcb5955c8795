"""Jacobians and what follows from them, asked of a robot: the kernels give what the algorithms and finite differences
give, in the shapes, frames and names that they promise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.algorithms import differential
from kinetree.model.tree import build_tree
from kinetree.queries.motion import SingularValues
from physics import everything, moved
from support import icub_urdfs, random_q

ARM = """<robot name="arm">
  <link name="base"/><link name="upper"/><link name="lower"/><link name="hand"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <origin xyz="2 0 0"/></joint>
  <joint name="wrist" type="fixed"><parent link="lower"/><child link="hand"/><origin xyz="1 0 0"/></joint>
</robot>"""
"""Two joints in the plane, two metres and one metre long."""

ROBOT = everything()
WAYS = [("on_trunk5", None), ("on_branch4", "finger_link"), ("thumb_link", "on_branch4")]
AXES = ["base", "frame"]
h = 1e-5


@pytest.fixture(scope="module")
def arm():
    return kt.load(ARM, format="urdf")


def some(robot, n=4, seed=0):
    """q (n, nq) and qd (n, nv)."""
    rng = np.random.default_rng(seed)
    return np.array([random_q(robot, rng) for _ in range(n)]), rng.normal(size=(n, build_tree(robot).nv))


def rate_along(function, robot, q, qd):
    """By finite differences, for one q and one qd."""
    before, after = (function(moved(robot, q, qd, s)) for s in (-h, h))
    return (after - before) / (2 * h)


@pytest.mark.slow
def test_an_arm_in_the_plane(arm):
    a, b = 0.4, -1.3
    s, c, s2, c2 = np.sin(a), np.cos(a), np.sin(a + b), np.cos(a + b)
    J = np.zeros((6, 2))
    J[:2] = [[-2 * s - s2, -s2], [2 * c + c2, c2]]
    J[5] = 1
    np.testing.assert_allclose(kt.jacobian(arm, "hand")([a, b]), J, rtol=0, atol=1e-15)
    x, y = -2 * c - c2, -2 * s - s2
    H = np.zeros((2, 6, 2))
    H[0, :2] = [[x, -c2], [y, -s2]]
    H[1, :2] = [[-c2, -c2], [-s2, -s2]]
    np.testing.assert_allclose(kt.hessian(arm, "hand")([a, b]), H, rtol=0, atol=1e-15)
    np.testing.assert_allclose(kt.velocity(arm, "hand")([a, b], [0.5, -2]), J @ [0.5, -2], rtol=0, atol=1e-15)


FEW = [WAYS[0], *(pytest.param(*way, marks=pytest.mark.slow) for way in WAYS[1:])]
"""The first way, and slowly the others."""


@pytest.mark.slow
@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(("frame", "base"), FEW)
@pytest.mark.sampled
def test_kernels_are_the_algorithms(frame, base, axes):
    (q, qd), tree = some(ROBOT), build_tree(ROBOT)
    J, H, V = (f(ROBOT, frame, base, axes) for f in (kt.jacobian, kt.hessian, kt.velocity))
    for i in range(len(q)):
        for kernel, algorithm in ((J, differential.jacobian), (H, differential.hessian)):
            expected = algorithm(tree, q[i], frame, base, axes)
            np.testing.assert_allclose(kernel.interpret(q)[i], expected, rtol=0, atol=1e-13)
    np.testing.assert_allclose(V(q, qd), np.einsum("bij,bj->bi", J(q), qd), rtol=0, atol=1e-13)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize(("frame", "base"), FEW)
@pytest.mark.parametrize("length", [1.0, pytest.param(3.0, marks=pytest.mark.slow)])
@pytest.mark.slow
@pytest.mark.sampled
def test_the_rate_of_the_jacobian(frame, base, axes, length):
    (q, qd), tree = some(ROBOT, seed=1), build_tree(ROBOT)
    given = q.copy()
    for name, where in ROBOT.q_slices.items():
        if quaternion := ROBOT.joints[name].kind.quaternion:
            given[:, where][:, quaternion] *= length
    Jd = kt.jacobian_dot(ROBOT, frame, base, axes)(given, qd)
    for i in range(len(q)):
        expected = rate_along(lambda x: differential.jacobian(tree, x, frame, base, axes), ROBOT, q[i], qd[i])
        np.testing.assert_allclose(Jd[i], expected, rtol=0, atol=1e-7)
    H = kt.hessian(ROBOT, frame, base, axes)(given)
    np.testing.assert_allclose(Jd, np.einsum("bi,bikj->bkj", qd, H), rtol=0, atol=1e-12)


def rpy(R):
    return Rotation.from_matrix(R).as_euler("xyz")


def rotation_vector(R):
    return Rotation.from_matrix(R).as_rotvec()


@pytest.mark.slow
@pytest.mark.parametrize(("representation", "numbers"), [("rpy", rpy), ("rotation_vector", rotation_vector)])
@pytest.mark.parametrize(("frame", "base"), FEW)
def test_analytical_jacobians(frame, base, representation, numbers):
    (q, qd), fk = some(ROBOT, seed=2), kt.fk(ROBOT, frame, base)
    J = kt.kinematics.analytical_jacobian(ROBOT, frame, base, representation)(q)

    def six(x):
        T = fk(x)
        return np.concatenate([T[:3, 3], numbers(T[:3, :3])])

    for i in range(len(q)):
        expected = rate_along(six, ROBOT, q[i], qd[i])
        np.testing.assert_allclose(J[i] @ qd[i], expected, rtol=1e-7, atol=1e-7)


BALL = """<sdf version="1.7"><model name="m"><link name="a"/><link name="b"/>
  <joint name="j" type="ball"><parent>a</parent><child>b</child></joint></model></sdf>"""
NEAR = [0.0, 1e-200, 1e-18, 1e-12, 1e-9, 1e-7, 1e-5, 1e-3]


@pytest.fixture(scope="module")
def ball():
    return kt.load(BALL, format="sdf")


def left_jacobian(v):
    """Of SO(3) at a rotation vector, by its series: the sum of [v]^n / (n + 1)!."""
    total, term = np.eye(3), np.eye(3)
    A = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    for n in range(1, 60):
        term = term @ A / (n + 1)
        total = total + term
    return total


@pytest.mark.parametrize("near", NEAR)
@pytest.mark.parametrize("about", [0.0, 0.5, np.pi / 2, np.pi])
def test_a_rotation_vector_has_rates_everywhere(ball, near, about):
    """Also at no turn and at half a turn, where they are those of one of the two vectors."""
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    angle = about + (near if about < 3 else -near)
    v = axis * angle
    q = [*np.sin(angle / 2) * axis, np.cos(angle / 2)]
    E = kt.kinematics.analytical_jacobian(ball, "b", representation="rotation_vector")(q)[3:]
    R = kt.fk(ball, "b")(q)[:3, :3]
    # the vector's rates u turn the frame at J_l(v) u in the base's axes, and J is for the child's
    np.testing.assert_allclose(left_jacobian(v) @ E, R, rtol=0, atol=1e-12)


@pytest.mark.parametrize("near", [1e-1, 1e-3, 1e-5, 1e-7])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_roll_and_yaw_near_the_gimbals_lock(ball, near, side):
    """Their rates grow as 1 / cos(pitch), and keep as many digits as the rotation leaves them."""
    roll, pitch, yaw = 0.3, side * (np.pi / 2 - near), -1.1
    q = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_quat()
    E = kt.kinematics.analytical_jacobian(ball, "b")(q)[3:]
    R = kt.fk(ball, "b")(q)[:3, :3]
    s, c = np.sin(yaw), np.cos(yaw)
    columns = np.array([[c * np.sin(near), s * np.sin(near), -side * np.cos(near)], [-s, c, 0], [0, 0, 1]]).T
    np.testing.assert_allclose(columns @ E, R, rtol=0, atol=1e-14 / near**2)
    assert 0.1 / near < np.abs(E[0]).max() < 10 / near


def test_at_the_gimbals_lock_roll_and_yaw_have_no_rates():
    robot = kt.load(
        """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous">
        <parent link="a"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>""",
        format="urdf",
    )
    J = kt.kinematics.analytical_jacobian(robot, "b")
    np.testing.assert_array_equal(J([0.0])[:, 0], [0, 0, 0, 0, 1, 0])
    T = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    with np.errstate(all="ignore"):
        assert not np.isfinite(differential._rpy_rates(T)).all()


@pytest.mark.slow
def test_manipulability_of_an_arm_in_the_plane(arm):
    """Two links in the plane: w = l1 l2 |sin(elbow)|, Yoshikawa 1985; a turn about z and two directions."""
    q = np.array([[0.3, 1.1], [0.3, -0.2], [-2.0, 0.0]])
    robot = kt.load(ARM.replace('"0 0 1"', '"0 1 0"', 1), format="urdf")
    for method in ("yoshikawa", "minimum_singular_value", "condition"):
        assert kt.manipulability(arm, "hand", method=method)(q).tolist() == [0, 0, 0]  # two joints, six directions
        assert kt.manipulability(robot, "hand", method=method, rows="linear")(q).tolist() == [0, 0, 0]
    flat = 2 * np.abs(np.sin([1.1, -0.2, 0.0]))
    for rows in ("x y", ["y", "x"], "x, y"):
        np.testing.assert_allclose(kt.manipulability(arm, "hand", rows=rows)(q), flat, rtol=0, atol=1e-15)
    values = np.linalg.svdvals(kt.jacobian(arm, "hand")(q)[:, [0, 5]])
    for method, expected in (("minimum_singular_value", values[:, 1]), ("condition", values[:, 1] / values[:, 0])):
        np.testing.assert_allclose(kt.manipulability(arm, "hand", method=method, rows="x rz")(q), expected, rtol=1e-12)
    for rows in ("", "x w", [], 3):
        with pytest.raises(kt.KinetreeError, match=r"(?s)rows.*expected"):
            kt.manipulability(arm, "hand", rows=rows)
    three = kt.load(
        ARM.replace(
            '<link name="hand"/>',
            '<link name="hand"/><link name="rail"/><joint name="lift" type="prismatic"><parent link="rail"/>'
            '<child link="base"/><axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint>',
        ),
        format="urdf",
    )
    q = np.array([three.q(shoulder=a, elbow=b) for a, b in q])
    w = kt.manipulability(three, "hand", rows="linear")(q)
    np.testing.assert_allclose(w, flat, rtol=0, atol=1e-15)
    least = kt.manipulability(three, "hand", rows="linear", method="minimum_singular_value")(q)
    assert least[2] < 1e-15
    assert kt.manipulability(three, "hand", rows="angular")(q).tolist() == [0, 0, 0]


@pytest.mark.slow
def test_methods_of_manipulability_agree_on_a_real_robot():
    robot = kt.load(icub_urdfs()[0])
    q, _ = some(robot, 20, seed=3)
    for rows, part in (("all", slice(0, 6)), ("linear", slice(0, 3)), ("angular", slice(3, 6))):
        values = np.linalg.svd(kt.jacobian(robot, "l_hand", "head")(q)[:, part], compute_uv=False)
        w, least, condition = (
            kt.manipulability(robot, "l_hand", "head", method, rows)(q)
            for method in ("yoshikawa", "minimum_singular_value", "condition")
        )
        np.testing.assert_allclose(w, values.prod(axis=-1), rtol=1e-11)
        np.testing.assert_allclose(least, values[:, -1], rtol=1e-12)
        np.testing.assert_allclose(condition, values[:, -1] / values[:, 0], rtol=1e-12)
        assert ((condition > 0) & (condition < 1)).all()


@pytest.mark.slow
@each("method", ["yoshikawa", "minimum_singular_value", "condition"])
def test_manipulability_of_what_cannot_be(method):
    robot = everything()
    w = kt.manipulability(robot, "on_branch4", method=method)
    q, _ = some(robot, 2, seed=4)
    q[1, -1] = np.nan
    assert w(q)[0] > 0
    assert np.isnan(w(q)[1])
    assert w(q[:0]).shape == (0,)
    assert w(q[0]).shape == ()
    assert kt.manipulability(robot, "trunk1", "trunk1", method)(q).tolist() == [0, 0]


def test_a_condition_where_nothing_moves_is_zero(ball):
    turning = kt.jacobian(ball, "b")
    assert SingularValues(turning, slice(0, 3), True, relative=True)([0, 0, 0, 1]) == 0.0
    assert kt.manipulability(ball, "b", method="condition", rows="angular")([0, 0, 0, 1]) == pytest.approx(1.0)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3), (0,)])
def test_shapes(arm, batch):
    q, qd = np.zeros((*batch, 2)), np.ones(2)
    assert kt.jacobian(arm, "hand")(q).shape == (*batch, 6, 2)
    assert kt.kinematics.analytical_jacobian(arm, "hand")(q).shape == (*batch, 6, 2)
    assert kt.jacobian_dot(arm, "hand")(q, qd).shape == (*batch, 6, 2)
    assert kt.hessian(arm, "hand")(q).shape == (*batch, 2, 6, 2)
    assert kt.velocity(arm, "hand")(q, qd).shape == (*batch, 6)
    assert kt.manipulability(arm, "hand")(q).shape == batch
    assert kt.manipulability(arm, "hand", method="condition")(q).shape == batch


def test_a_robot_that_does_not_move():
    robot = kt.load("<robot name='r'><link name='a'/></robot>", format="urdf")
    q = np.zeros((2, 0))
    assert kt.jacobian(robot, "a")(q).shape == (2, 6, 0)
    assert kt.hessian(robot, "a")(q).shape == (2, 0, 6, 0)
    assert kt.jacobian_dot(robot, "a")(q, q).shape == (2, 6, 0)
    assert kt.kinematics.analytical_jacobian(robot, "a")(q).shape == (2, 6, 0)
    assert kt.velocity(robot, "a")(q, q).tolist() == [[0] * 6] * 2
    for method in ("yoshikawa", "minimum_singular_value", "condition"):
        assert kt.manipulability(robot, "a", method=method)(q).tolist() == [0, 0]


@pytest.mark.slow
def test_a_frame_against_itself_is_exactly_at_rest():
    q, qd = some(ROBOT)
    for axes in AXES:
        for kernel in (kt.jacobian(ROBOT, "trunk5", "trunk5", axes), kt.hessian(ROBOT, "trunk5", "trunk5", axes)):
            assert not kernel(q).any()
        for kernel in (kt.velocity, kt.jacobian_dot):
            assert not kernel(ROBOT, "trunk5", "trunk5", axes)(q, qd).any()
    assert not kt.kinematics.analytical_jacobian(ROBOT, "trunk5", "trunk5")(q).any()


def test_ports_say_what_they_hold(arm):
    J = kt.jacobian(arm, "hand", expressed_in="frame")
    assert J.output.labels == ("shoulder", "elbow")
    assert J.output.about == "hand relative to base, linear then angular, in the axes of hand; m, rad, s"
    assert [port.name for port in kt.velocity(arm, "hand").inputs] == ["q", "qd"]
    assert kt.jacobian(arm, "hand") is kt.jacobian(arm, "hand", "base")
    assert kt.fk(arm, "hand") is kt.fk(arm, "hand", "base")
    assert kt.manipulability(arm, "hand", method="condition") is kt.manipulability(arm, "hand", method="condition")
    with pytest.raises(kt.KinetreeError, match=r"qd has shape \(3,\).*in this order: shoulder, elbow"):
        kt.velocity(arm, "hand")([0, 0], [1, 2, 3])


@pytest.mark.parametrize(
    ("query", "options", "said"),
    [
        (kt.jacobian, {"expressed_in": "world"}, "expressed_in is 'world'; expected 'base', 'frame' or a name"),
        (kt.velocity, {"expressed_in": "uper"}, "a name; did you mean 'upper'"),
        (kt.velocity, {"base": "bse"}, "no frame 'bse'; did you mean 'base'"),
        (
            kt.kinematics.analytical_jacobian,
            {"representation": "quaternion"},
            "expected one of 'rpy', 'rotation_vector'",
        ),
        (
            kt.manipulability,
            {"method": "inverse"},
            "expected one of 'yoshikawa', 'minimum_singular_value', 'condition'",
        ),
        (kt.manipulability, {"rows": ["every"]}, "expected one of 'all', 'linear', 'angular'"),
        (kt.hessian, {"expressed_in": None}, "expressed_in is None"),
    ],
)
def test_what_is_wrong_is_said(arm, query, options, said):
    with pytest.raises(kt.KinetreeError, match=said):
        query(arm, "hand", **options)


@pytest.mark.slow
def test_single_precision():
    q, qd = some(ROBOT)
    for kernel, inputs in (
        (kt.jacobian(ROBOT, "on_branch4", "finger_link"), (q,)),
        (kt.kinematics.analytical_jacobian(ROBOT, "on_branch4", None, "rotation_vector"), (q,)),
        (kt.velocity(ROBOT, "on_branch4", "finger_link"), (q, qd)),
    ):
        single = kernel(*inputs, dtype=np.float32)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, kernel(*inputs), rtol=0, atol=1e-4)
    level = kt.kinematics.analytical_jacobian(kt.load(ARM, format="urdf"), "hand", None, "rotation_vector")
    np.testing.assert_allclose(level([0, 0], dtype=np.float32)[3:], [[0, 0], [0, 0], [1, 1]], rtol=0, atol=1e-6)


def test_what_is_not_finite_stays_where_it_matters(arm):
    J = kt.jacobian(arm, "hand")([np.nan, 0.0])
    assert np.isnan(J[:2]).all()
    np.testing.assert_array_equal(J[2:], [[0, 0], [0, 0], [0, 0], [1, 1]])
    assert np.isfinite(kt.jacobian(arm, "hand", "upper")([np.nan, 0.0])).all()


@pytest.mark.slow
@each("axes", ["finger_link", "on_trunk5"])
@each("frame, base", WAYS)
@pytest.mark.nightly
def test_axes_of_a_third_frame(frame, base, axes):
    """They turn the numbers in the base's axes; rates and derivatives are those of the turned numbers."""
    q, qd = some(ROBOT)
    turn = kt.fk(ROBOT, base or ROBOT.root, axes).interpret(q)[:, :3, :3]  # R_axes_base
    J, own = (kt.jacobian(ROBOT, frame, base, *given).interpret for given in ((axes,), ()))
    for rows in (slice(3), slice(3, 6)):
        np.testing.assert_allclose(J(q)[:, rows], turn @ own(q)[:, rows], rtol=0, atol=1e-13)
    Jd = kt.jacobian_dot(ROBOT, frame, base, axes).interpret(q, qd)
    for one, v, found in zip(q, qd, Jd, strict=True):
        np.testing.assert_allclose(found, rate_along(J, ROBOT, one, v), rtol=0, atol=1e-7)
    H = kt.hessian(ROBOT, frame, base, axes).interpret(q)
    np.testing.assert_allclose(np.einsum("ni,nikj->nkj", qd, H), Jd, rtol=0, atol=1e-11)
    V = kt.velocity(ROBOT, frame, base, axes)
    np.testing.assert_allclose(V.interpret(q, qd), np.einsum("nij,nj->ni", J(q), qd), rtol=0, atol=1e-13)
    assert f"in the axes of {axes};" in V.output.about
    assert kt.jacobian(ROBOT, frame, base, frame).output.about == kt.jacobian(ROBOT, frame, base, "frame").output.about
