"""Both sides of the thresholds of paths, fastest motions and checks."""

import re

import numpy as np
import pytest
from scipy.optimize import brentq

import kinetree as kt
from each import each
from kinetree.motion import Motion, check, poses, retime, through
from kinetree.spatial.se3 import homogeneous, rotation_from_vector
from kinetree.trajectories.along import grid_of, pieces_of

GANTRY = kt.chain("tx(x) ty(y) tz(z) Rz(c)")
BOX = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"


def slides(*axes, effort=(8.0, 8.0), parts=""):
    """Return masses of 2 kg on slides x and y, one on the other."""
    text = "<link name='l0'/>"
    for i, (axis, name) in enumerate(zip(axes, "xy", strict=False)):
        text += f"<link name='l{i + 1}'>{BOX}</link><joint name='{name}' type='prismatic'><parent link='l{i}'/>"
        text += f"<child link='l{i + 1}'/><axis xyz='{axis}'/>{parts}"
        text += f"<limit lower='-9' upper='9' velocity='100' effort='{effort[i]}'/></joint>"
    return kt.load(f"<robot name='slides'>{text}</robot>", format="urdf")


def fix_of(motion, **options):
    return [one.fix for one in check(motion, clearance=None, **options) if one.code == "motion-limit"]


@each("name, beyond, said", [("c", 6.2, False), ("c", 6.4, True), ("x", 6.4, False)])
def test_angles_that_are_a_turn_outside_may_be_degrees(name, beyond, said):
    robot = kt.chain(
        [
            {"joint": "x", "type": "prismatic", "axis": [1, 0, 0], "qlim": [-1, 1]},
            {"joint": "c", "axis": [0, 0, 1], "qlim": [-1, 1]},
        ]
    )
    motion = Motion((name,), [0.0, 1.0], [[0.0], [-1.0 - beyond]], robot=robot)
    assert ['unit="deg"' in (fix or "") for fix in fix_of(motion)] == [said]


def test_collisions_are_of_the_robot_and_the_pairs_of_the_motion():
    """Balls of radius 0.1 m: b beside a by j, and c by k."""
    ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    text = f"<robot name='r'><link name='a'>{ball}</link>"
    for joint, link in ("jb", "kc"):
        text += f"<link name='{link}'>{ball}</link><joint name='{joint}' type='prismatic'><parent link='a'/>"
        text += f"<child link='{link}'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"
    robot, twin = (kt.load(f"{text}</robot>", format="urdf") for _ in range(2))
    pairs = [("a", "b"), ("a", "c")]
    for j, k, expected in ((0.5, -0.5, []), (0.5, -0.15, ["c"]), (0.15, -0.5, ["b"]), (0.15, -0.15, ["b", "c"])):
        motion = Motion(("j", "k"), [0.0, 1.0], [[j, k], [j, k]], robot=robot)
        found = [one for one in check(motion, clearance=kt.collisions(robot, pairs)) if one.code == "motion-contact"]
        assert [one.element for one in found] == [f"links 'a' and {link!r}" for link in expected]
    for wrong in (kt.collisions(twin, pairs), kt.collisions(robot, pairs, moving=["b"])):
        with pytest.raises(kt.KinetreeError, match="clearance is about another robot, or links that move by themselv"):
            check(motion, clearance=wrong)


@pytest.mark.slow
@each("angle, is_corner", [(0.19, False), (0.21, True)])
def test_a_radian_counts_as_a_tenth_of_a_metre_at_corners(angle, is_corner):
    """The default tolerances are 1e-4 m and 1e-3 rad. Here the frame turns in the second of two parts of 0.2 m: by
    0.2 rad, 0.02 m, which is a tenth of it."""
    places = ((0.0, 0.0), (0.2, 0.0), (0.4, angle))
    T = np.array([homogeneous(rotation_from_vector(np.array([0, 0, a])), [x, 0, 0]) for x, a in places])
    path = poses(GANTRY, "tip", T, GANTRY.zero)
    jump = np.ptp(path([0.2 - 1e-9, 0.2], 1)[:, 3])
    assert bool(jump > 0.9 * angle / 0.2) is is_corner
    assert np.array_equal(poses(GANTRY, "tip", T, GANTRY.zero, tolerance=(1e-4, 1e-3)).coefficients, path.coefficients)


@each(
    "count, lengths, expected",
    [(2, [5.0], [2]), (12, [1, 1, 4], [4, 2, 6]), (14, [1e-9, 1.0], [2, 12]), (8, [2, 1, 1], [4, 2, 2])],
)
def test_intervals_are_shared_out_by_length_an_even_number_for_each_piece(count, lengths, expected):
    s = np.r_[0.0, np.cumsum(lengths)]
    grid = grid_of(pieces_of([through(GANTRY, s[:, None] * [1, 0, 0, 0], s=s, degree=1)]), count)
    piece, since, step = (x[:, 0] for x in grid[:3])
    assert np.bincount(piece).tolist() == expected
    np.testing.assert_allclose(step, np.repeat(np.divide(lengths, expected), expected))
    np.testing.assert_allclose(s[piece] + since, np.r_[0.0, np.cumsum(step)[:-1]], atol=1e-12)


def test_a_joint_that_stands_still_bears_its_weight():
    """x is level and moves; y lifts 2 kg, which takes 19.6 N, and stands still."""
    way = [[0.0, 0.0], [1.0, 0.0]]
    strong = through(slides("1 0 0", "0 0 1", effort=(16.0, 20.0)), way)
    assert retime(strong, torque=True, points=20).times[-1] == pytest.approx(1.0, abs=1e-9)  # 16 N on 4 kg
    with pytest.raises(
        kt.KinetreeError, match=r"standing still takes 19\.6 of joint 'y', .* its limit is 19, at s = 0"
    ):
        retime(through(slides("1 0 0", "0 0 1", effort=(16.0, 19.0)), way), torque=True, points=20)


def test_a_motor_that_just_bears_the_weight_leaves_no_speed():
    robot = slides("0 0 1")
    weight = float(kt.gravity_torques(robot)([0.0])[0])
    line = through(robot, [[0.0], [1.0]])
    with pytest.raises(kt.KinetreeError, match="the limits leave no speed at s = 0"):
        retime(line, torque=weight, points=10)
    assert retime(line, torque=2 * weight, points=10).times[-1] > 0.5


def test_a_damper_slows_a_motion_and_helps_to_brake():
    """m v' = F - c v, then -F - c v: v = (F - (F - c v0) exp(-c t / m)) / c."""
    F, c, m = 8.0, 3.0, 2.0

    def way_and_time(top):
        up, down = -m / c * np.log(1 - c * top / F), m / c * np.log(1 + c * top / F)
        return (F * up - m * top) / c + (m * top - F * down) / c, up + down

    fastest = way_and_time(brentq(lambda top: way_and_time(top)[0] - 1.0, 0.1, 0.999 * F / c))[1]
    path = through(slides("1 0 0", parts=f"<dynamics damping='{c}'/>"), [[0.0], [1.0]])
    assert fastest - 1e-3 <= retime(path, torque=True, points=60).times[-1] <= 1.03 * fastest


@each(
    "gap, size, expected",
    [(0.09, 0.27, []), (0.09, 0.05, []), (0.09, 4.0, ["motion-jump"]), (0.11, 4.9, []), (0.01, 0.35, ["motion-jump"])],
)
def test_jumps_are_quicker_than_the_steps_beside_them(gap, size, expected):
    """3 m/s each 10 ms, but for a step of another size and time: ten times as fast in at most 0.1 s is a jump."""
    t = np.arange(12) * 0.01
    q = 3.0 * t - 0.5
    t[6:] += gap - 0.01
    q[6:] += size - 0.03
    motion = Motion(("x",), t, q[:, None], robot=slides("1 0 0"))
    found = check(motion, clearance=None, velocity=1e3, acceleration=False, torque=False)
    assert [one.code for one in found if one.severity != "info" and one.code != "motion-velocity"] == expected
    assert not [one for one in found if re.search("nan", str(one))]
