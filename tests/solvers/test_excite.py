"""Motions by which numbers of a model are found: inside the limits, at rest at both ends, and better than others."""

import re

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.lab.excite import _columns
from kinetree.motion import check, excite, point_to_point

MASSES = """<inertial><origin xyz='0.1 0.02 0'/><mass value='{}'/>
<inertia ixx='0.02' iyy='0.03' izz='0.04' ixy='0' ixz='0' iyz='0'/></inertial>"""
JOINT = """<joint name='{2}' type='{3}'><parent link='{0}'/><child link='{1}'/><origin xyz='0.4 0 0' rpy='{4} 0 0'/>
<axis xyz='0 0 1'/><limit lower='-1.5' upper='2' velocity='2' effort='{5}'/></joint>"""


def arm(effort=60, more="", limits=()):
    links = "".join(
        f"<link name='{name}'>{MASSES.format(mass)}</link>" for name, mass in zip("abcd", (3, 2, 1, 0.5), strict=True)
    )
    joints = JOINT.format("a", "b", "one", "revolute", 1.2, effort) + JOINT.format(
        "b", "c", "two", "revolute", 0.9, effort
    )
    joints += JOINT.format("c", "d", "three", "prismatic", 0.5, effort)
    for one in limits:  # of the joints in turn
        joints = joints.replace("lower='-1.5' upper='2'", one, 1)
    return kt.load(f"<robot name='r'>{links}{joints}{more}</robot>", format="urdf")


def combinations(motion):
    note, *others = motion.notes
    assert (note.code, note.severity) == ("excitation", "info")
    assert {one.severity for one in others} <= {"info"}
    found = re.fullmatch(
        r"the motion determines (\d+) combinations of the .*, with a condition number of (\S+)", note.message
    )
    return int(found[1]), float(found[2])


@pytest.mark.slow
def test_limits_are_kept_and_used_and_the_ends_are_at_rest_in_one_place():
    robot = arm()
    motion = excite(robot, duration=6.0, period=0.005, acceleration=[8.0, 9.0, 10.0], tries=30)
    q, qd, qdd, t = motion.q, motion.qd, motion.qdd, motion.times
    assert (len(t), t[0], t[-1]) == (1201, 0.0, 6.0)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-12)
    np.testing.assert_allclose([*qd[[0, -1]], *qdd[[0, -1]]], 0.0, atol=1e-11)
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-3)
    np.testing.assert_allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-2)
    tau = np.asarray(kt.inverse_dynamics(robot)(q, qd, qdd))
    shares = [np.abs(qd) / 2, np.abs(qdd) / [8, 9, 10], np.abs(tau) / 60]
    shares += [np.maximum(q / [2, 2, 2], q / [-1.5, -1.5, -1.5])]
    most = np.array([share.max(axis=0) for share in shares])
    assert most.max() <= 1.0
    assert (most.max(axis=0) > 0.6).all()  # each joint comes near to one of its limits, but for the shared torque
    assert [one for one in check(motion, acceleration=[8.0, 9.0, 10.0]) if one.severity != "info"] == []


@pytest.mark.slow
def test_a_seed_gives_one_motion_and_more_tries_are_not_worse():
    robot = arm()
    one, again, other = (excite(robot, duration=5.0, tries=10, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.q, again.q)
    assert np.abs(one.q - other.q).max() > 0.1
    assert combinations(excite(robot, duration=5.0, tries=60, seed=1))[0] == combinations(one)[0]


@pytest.mark.slow
def test_torques_are_found_with_smaller_deviations_than_by_a_motion_from_point_to_point():
    """Least squares by the regressor, one N m of noise: the covariance of the sums that the torques show."""
    robot, q0, q1 = arm(), np.array([-1.4, -1.4, -1.4]), np.array([1.9, 1.9, 1.9])
    there = point_to_point(robot, q0, q1, acceleration=8.0)
    ours = excite(robot, ["inertia"], duration=2 * there.times[-1], acceleration=8.0, tries=60)
    regressor = kt.dynamics.inertial_regressor(robot)
    columns = [np.asarray(regressor(m.q, m.qd, m.qdd)).reshape(-1, 40) for m in (ours, there)]
    _, values, V = np.linalg.svd(columns[0] / np.linalg.norm(columns[0]))
    base = V[: (values > 1e-9 * values[0]).sum()].T
    worst = [np.linalg.svd(W @ base / np.sqrt(len(W)), compute_uv=False)[-1] for W in columns]
    assert worst[0] > 3 * worst[1]


@each("name, unknown, expected", [("puma560", ["inertia"], 36), ("panda", ["inertia"], 43), ("ur5e", ["geometry"], 30)])
@pytest.mark.slow
def test_as_many_combinations_as_are_published(name, unknown, expected):
    """Base parameters of the Puma 560: Gautier & Khalil, 1990; of the Panda: Gaz et al., 2019. Poses show 4 R + 2 P + 6
    numbers of an arm: Everett, Driels & Mooring, 1987."""
    robot = kt.load(name)
    motion = excite(robot, unknown, frame="tool0" if name == "ur5e" else None, torque=False, clearance=None, tries=3)
    assert combinations(motion)[0] == expected


@pytest.mark.slow
@pytest.mark.nightly
def test_limits_of_several_joints_are_kept():
    shoulder = kt.edit.cut(kt.load("icub"), "l_shoulder_1")
    motion = excite(shoulder, ["geometry"], frame="l_hand", tries=30)
    assert shoulder.limits.contains(motion.q).all()
    assert combinations(motion)[1] < 100


@pytest.mark.slow
@pytest.mark.nightly
def test_links_keep_apart():
    wall = "<link name='wall'><collision><geometry><box size='0.02 2 2'/></geometry></collision></link>"
    wall += "<joint name='w' type='fixed'><parent link='a'/><child link='wall'/><origin xyz='{} 0 0'/></joint>"
    ball = "<link name='ball'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>"
    ball += "<joint name='s' type='fixed'><parent link='d'/><child link='ball'/><origin xyz='0.2 0 0'/></joint>"
    robot = arm(more=wall.format(1.3) + ball)
    options = {"unknown": ["geometry"], "frame": "ball", "torque": False, "duration": 5.0, "tries": 20}
    ours, free = excite(robot, **options, clearance=0.02), excite(robot, **options, clearance=None)
    contact = kt.collisions(robot, margin=0.02)
    assert not np.asarray(contact(ours.q)).any()
    assert np.asarray(contact(free.q)).any()


@pytest.mark.slow
@each(
    "options, message",
    [
        ({"unknown": "inertia"}, "unknown is 'inertia'; expected a list of some of inertia, friction, geometry"),
        ({"unknown": []}, "expected a list of some of inertia, friction, geometry"),
        ({"unknown": ["mass"]}, "no kind of numbers 'mass'"),
        ({"unknown": ["geometry"]}, "geometry is found by poses of a frame"),
        ({"period": 1.0}, "a period of at most a twentieth of the duration"),
        ({"duration": -1.0}, "a period of at most a twentieth of the duration"),
        ({"tries": 0}, "at least one try"),
        ({"frame": "tol0"}, "no frame 'tol0'"),
        ({"seed": -1}, "seed=-1; expected .* and a seed from 0"),
        ({"period": 1e-9}, "period is 1e-09; expected .* at most 10,000,000"),
        ({"clearance": -1.0}, "clearance is -1.0; expected a distance from 0, m"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(kt.KinetreeError, match=message):
        excite(arm(), **options)


@pytest.mark.slow
def test_what_cannot_be_done_is_said():
    with pytest.raises(kt.KinetreeError, match="none of 5 motions is inside the limits"):
        excite(arm(effort=0.5), tries=5)
    floating = kt.load(
        "<mujoco><worldbody><body name='b'><freejoint name='f'/><geom size='1'/></body></worldbody></mujoco>",
        format="mjcf",
    )
    with pytest.raises(kt.KinetreeError, match="joint 'f' has several coordinates; expected joints that turn or slide"):
        excite(floating)
    with pytest.raises(kt.KinetreeError, match="no joint moves"):
        excite(kt.load("<robot name='r'><link name='a'/></robot>", format="urdf"))


@pytest.mark.slow
def test_joints_that_cannot_move_are_not_determined():
    """A URDF without lower and upper has the limits 0 and 0."""
    number, ratio = combinations(excite(arm(limits=["lower='0' upper='0'"]), tries=10))
    assert (number < combinations(excite(arm(), tries=3))[0], ratio < 1e4) == (True, True)
    with pytest.raises(kt.KinetreeError, match="no joint moves"):
        excite(arm(limits=[""] * 2 + ["lower='0' upper='0'"]))
    with pytest.raises(kt.KinetreeError, match="limit 'one lower': no configuration fulfils this limit"):
        excite(arm(limits=["lower='2' upper='-2'"]))
    with pytest.raises(kt.KinetreeError, match=r"none of 3 motions .* determines all combinations"):
        excite(arm(), acceleration=1e-6, tries=3)


@pytest.mark.slow
def test_limits_of_joints_that_follow_are_kept_from_the_start():
    follower = JOINT.format("c", "e", "follower", "revolute", 0.5, 60).replace("velocity='2'", "velocity='0.1'")
    follower = follower.replace("</joint>", "<mimic joint='one' multiplier='-3' offset='0.2'/></joint>")
    motion = excite(arm(more=f"<link name='e'/>{follower}"), duration=5.0, tries=10)
    assert 0.02 < np.abs(motion.qd[:, 0]).max() <= 0.1 / 3
    assert np.abs(motion.qd[:, 2]).max() > 1.0  # others are as fast as before


@pytest.mark.slow
def test_a_robot_without_pairs_of_links_needs_no_test_of_contact():
    ball = "<link name='ball'><collision><geometry><sphere radius='0.05'/></geometry></collision></link>"
    ball += "<joint name='s' type='fixed'><parent link='d'/><child link='ball'/></joint>"
    motion = excite(arm(more=ball), tries=5)
    assert "no two links are left to be tested" in " ".join(note.message for note in motion.notes)


def test_the_period_is_not_exceeded():
    motion = excite(arm(), ["inertia"], duration=1.0, period=0.03, tries=3)
    assert np.diff(motion.times).max() <= 0.03


def test_joints_at_rest_have_no_sign():
    """Rates of the ends are zero but for rounding, which differs between processors."""
    robot, q = arm(), np.zeros((3, 3))
    columns = _columns(robot, ["friction"], None, np.ones(3))
    still, rounded = (columns((q, np.array([[0.0], [x], [0.5]]) * np.ones(3), q)) for x in (0.0, -1e-16))
    assert np.abs(still - rounded).max() < 1e-15
    assert np.abs(columns((q, q - 1e-6, q))).max() == 1.0
