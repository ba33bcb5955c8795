"""What a robot answers: shapes, values, names, what is refused, and that nothing keeps a robot alive."""

import gc
import inspect
import weakref

import numpy as np
import pytest

import kinetree as kt
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.tree import build_tree
from support import icub_urdfs, random_q

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/>
    <origin xyz="1 0 0"/></joint>
</robot>"""
BALLOON = """<robot name="balloon"><link name="ground"/><link name="balloon"/>
  <joint name="free" type="floating"><parent link="ground"/><child link="balloon"/></joint></robot>"""


@pytest.fixture
def arm():
    return kt.load(ARM, format="urdf")


def planar(x, y, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, 0], [0, 0, 0, 1]])


def test_an_arm_in_the_plane(arm):
    a, b = 0.3, -1.1
    poses = kt.fk(arm, ["lower", "upper", "base"])([a, b])
    expected = [planar(np.cos(a), np.sin(a), a + b), planar(0, 0, a), np.eye(4)]
    np.testing.assert_allclose(poses, expected, rtol=0, atol=1e-15)
    back = kt.fk(arm, "base", base="lower")([a, b])
    np.testing.assert_allclose(back @ expected[0], np.eye(4), rtol=0, atol=1e-15)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3), (0,), (2, 0)])
def test_any_number_of_leading_axes(arm, batch):
    q = np.random.default_rng(1).uniform(-3, 3, (*batch, 2))
    one, several = kt.fk(arm, "lower")(q), kt.fk(arm, ["lower", "upper"])(q)
    assert one.shape == (*batch, 4, 4)
    assert several.shape == (*batch, 2, 4, 4)
    np.testing.assert_array_equal(several[..., 0, :, :], one)
    for at in np.ndindex(batch):
        np.testing.assert_array_equal(one[at], kt.fk(arm, "lower")(q[at]))


def test_one_frame_in_a_list_keeps_its_axis(arm):
    assert kt.fk(arm, ["lower"])([0, 0]).shape == (1, 4, 4)
    assert kt.fk(arm, "lower")([0, 0]).shape == (4, 4)
    assert kt.fk(arm, [])([0, 0]).shape == (0, 4, 4)


@pytest.mark.slow
def test_all_frames_of_an_icub():
    robot = kt.load(icub_urdfs()[0])
    q = random_q(robot, np.random.default_rng(2))
    expected = np.array(forward_kinematics(build_tree(robot), q, robot.frames))
    # the program leaves out what is multiplied by zero and adds in another order, so the last digits differ
    np.testing.assert_allclose(kt.fk(robot, list(robot.frames)).interpret(q), expected, rtol=0, atol=1e-14)
    for base in list(robot.frames)[::70]:
        in_base = kt.fk(robot, list(robot.frames), base).interpret(q)
        T_root_base = expected[list(robot.frames).index(base)]
        np.testing.assert_allclose(T_root_base @ in_base, expected, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(kt.fk(robot, base, base).interpret(q), np.eye(4))


def test_the_answer_is_the_callers_own(arm):
    T = kt.fk(arm, "base")([0, 0])
    T[0, 3] = 7.0
    np.testing.assert_array_equal(kt.fk(arm, "base")([0, 0]), np.eye(4))


def test_a_query_is_made_once(arm):
    assert kt.fk(arm, "lower") is kt.fk(arm, "lower")
    assert kt.fk(arm, ["lower", "upper"]) is kt.fk(arm, ("lower", "upper"))
    assert kt.fk(arm, "lower") is not kt.fk(arm, ["lower"])
    assert kt.fk(arm, "lower") is not kt.fk(arm, "lower", base="upper")
    assert kt.fk(arm, "lower") is not kt.fk(kt.load(ARM, format="urdf"), "lower")


def test_a_query_does_not_keep_the_robot_alive():
    robot = kt.load(ARM, format="urdf")
    kernel, seen = kt.fk(robot, "lower"), weakref.ref(robot)
    del robot
    gc.collect()
    assert seen() is None
    assert kernel([0, 0])[0, 3] == 1.0


@pytest.mark.parametrize(
    ("q", "said"),
    [
        (0.0, "q has shape ()"),
        ([0.0], "q has shape (1,)"),
        (np.zeros((2, 3)), "q has shape (2, 3)"),
        (np.zeros((2, 0)), "q has shape (2, 0)"),
        ([[0.0, 1.0], [0.0]], "not an array"),
        (["a", "b"], "type <U1"),
        ([1j, 0], "complex"),
        ([None, 0.0], "object"),
    ],
)
def test_a_wrong_q_is_told_what_is_legal(arm, q, said):
    with pytest.raises(kt.KinetreeError) as error:
        kt.fk(arm, "lower")(q)
    assert said in str(error.value)
    assert "shape (…, 2), in this order: shoulder, elbow" in str(error.value)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_gives_nan_where_the_output_depends_on_it(arm, bad):
    q = np.zeros((3, 2))
    q[2, 1] = bad
    poses = kt.fk(arm, ["upper", "lower"])(q)
    assert np.isfinite(poses[:2]).all()
    assert np.isfinite(poses[2, 0]).all()  # the upper arm knows nothing of the elbow
    assert np.isnan(poses[2, 1, :2, :2]).all()
    np.testing.assert_array_equal(poses[2, 1, :, 2:], [[0, 1], [0, 0], [1, 0], [0, 1]])


def test_a_quaternion_may_have_any_length_but_zero():
    robot = kt.load(BALLOON, format="urdf")
    fk = kt.fk(robot, "balloon")
    half_turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    for length in (1.0, 1e-3, 1e6, 5e-324, 1e-200, 1e200, 1.7e308):
        np.testing.assert_allclose(fk([0, 0, 0, 0, 0, length, 0]), half_turn, rtol=0, atol=1e-15)
    for bad in (0.0, np.nan, np.inf):
        T = fk([1, 2, 3, 0, 0, bad, 0])
        assert np.isnan(T[:3, :3]).all()
        np.testing.assert_array_equal(T[:, 3], [1, 2, 3, 1])


def test_unknown_frames_list_the_nearest(arm):
    for names, base in (("lowr", None), (["lower", "lowr"], None), ("lower", "lowr")):
        with pytest.raises(kt.KinetreeError, match="no frame 'lowr'; did you mean 'lower'"):
            kt.fk(arm, names, base)


def test_a_robot_that_does_not_move():
    robot = kt.load("<robot name='r'><link name='a'/></robot>", format="urdf")
    np.testing.assert_array_equal(kt.fk(robot, "a")(np.zeros((2, 0))), np.broadcast_to(np.eye(4), (2, 4, 4)))
    with pytest.raises(kt.KinetreeError, match=r"q has shape \(1,\); expected real numbers of shape \(…, 0\)"):
        kt.fk(robot, "a")([1.0])


def test_mass_and_its_centre(arm):
    a, b = 0.7, 0.4
    expected = 2 * np.array([np.cos(a), np.sin(a), 0]) / 2
    expected += np.array([np.cos(a) + np.cos(a + b) / 4, np.sin(a) + np.sin(a + b) / 4, 0])
    assert kt.dynamics.mass(arm) == 3.0
    np.testing.assert_allclose(kt.dynamics.center_of_mass(arm)([a, b]), expected / 3, rtol=0, atol=1e-15)
    assert kt.dynamics.center_of_mass(arm)(np.zeros((5, 2))).shape == (5, 3)
    with pytest.raises(kt.KinetreeError, match="no link of the robot has a mass"):
        kt.dynamics.center_of_mass(kt.load(BALLOON, format="urdf"))([0, 0, 0, 0, 0, 0, 1])


@pytest.mark.crosscheck
def test_mass_and_its_centre_agree_with_pinocchio():
    pinocchio = pytest.importorskip("pinocchio")
    rng = np.random.default_rng(3)
    for path in icub_urdfs():
        model = pinocchio.buildModelFromUrdf(str(path))
        data = model.createData()
        names = [name for name in model.names if name != "universe"]
        robot = kt.load(path).order(names)
        q = rng.uniform(-1, 1, robot.nq)
        # Pinocchio leaves the root link's mass out of the moving tree, but keeps it in inertias[0]
        com = pinocchio.centerOfMass(model, data, q)
        moving, fixed = data.mass[0], model.inertias[0]
        total = moving + fixed.mass
        expected = (moving * com + fixed.mass * fixed.lever) / total
        assert abs(kt.dynamics.mass(robot) - total) < 1e-12
        np.testing.assert_allclose(kt.dynamics.center_of_mass(robot)(q), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        ("elbow", "no frame 'elbow', which is a joint; the link that it moves is 'lower'"),
        (3, "by name"),
        ([3], "by name"),
    ],
)
def test_what_is_no_frame_is_said(arm, frames, message):
    with pytest.raises((kt.KinetreeError, TypeError), match=message):
        kt.fk(arm, frames)


def test_a_question_wants_a_robot(arm):
    with pytest.raises(TypeError, match="not of a str"):
        kt.fk("arm.urdf", "lower")
    with pytest.raises(kt.KinetreeError, match="lacks 'shoulder'"):
        kt.fk(arm, "lower")({"elbow": 1.0})
    with pytest.raises(kt.KinetreeError, match=r"q \(5, 2\) and qd \(7, 2\) do not go together"):
        kt.velocity(arm, "lower")(np.zeros((5, 2)), np.zeros((7, 2)))


def test_kernels_say_what_they_take(arm):
    velocity = kt.velocity(arm, "lower")
    assert str(inspect.signature(velocity)) == "(q, qd, *, out=None, dtype=None, threads=1)"
    assert velocity.__name__ == "velocity"


@pytest.mark.slow
def test_large_angles_lose_nothing():
    """No constant is added to an angle: its last digits are all there is left of it."""
    robot = kt.load(icub_urdfs()[0])
    fk, rng = kt.fk(robot, "l_hand"), np.random.default_rng(4)
    for size in (1e3, 1e8, 1e15):
        q = rng.uniform(-size, size, robot.nq)
        expected = forward_kinematics(build_tree(robot), q, ["l_hand"])[0]
        np.testing.assert_allclose(fk.interpret(q), expected, rtol=0, atol=1e-14)
        q = q.astype(np.float32)
        np.testing.assert_allclose(fk(q, dtype=np.float32), fk(q), rtol=0, atol=2e-6)
