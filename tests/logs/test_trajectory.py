"""Motions as joint trajectories of ROS 2: written, read back, and refused."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.logs import Motion, read_motion, write_motion
from kinetree.logs.convert import converted
from kinetree.logs.ros.cdr import decoded, encoded
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.joints import stamps_of
from kinetree.logs.ros.trajectories import TRAJECTORY, USUAL, trajectory_topic
from kinetree.logs.ros.transforms import joint_state_topic
from ros_bags import FLOATING, Topic, arm, extend, motion, written

pytest.importorskip("mcap")


@pytest.fixture(scope="module")
def robot():
    return arm()


@pytest.fixture(scope="module")
def moved(robot):
    """A motion with rates, whose times begin at 2 s."""
    t = np.linspace(0, 1.5, 31)
    q = np.stack([np.sin(t), 0.2 * t**2, 0.1 * np.cos(t)], -1)
    qd = np.stack([np.cos(t), 0.4 * t, -0.1 * np.sin(t)], -1)
    return Motion(("a", "b", "c"), 2.0 + t, q, (), robot, qd, np.stack([-q[:, 0], 0.4 + 0 * t, -q[:, 2]], -1))


def bag(path, *messages, topic=USUAL, more=()):
    made = Topic(topic, TRAJECTORY)
    for message in messages:
        extend(made, [encoded(TRAJECTORY, message)[0]], np.array([7 * 10**9]))
    return written(path, [made, *more])


def message(names, points, stamp=(0, 0)):
    header = {"stamp": {"sec": stamp[0], "nanosec": stamp[1]}, "frame_id": ""}
    parts = ("positions", "velocities", "accelerations", "effort")
    rows = [
        {part: point.get(part, ()) for part in parts}
        | {"time_from_start": {"sec": int(point["t"]), "nanosec": round(point["t"] % 1 * 1e9)}}
        for point in points
    ]
    return {"header": header, "joint_names": names, "points": rows}


@pytest.mark.parametrize("rates", [0, 1, 2])
def test_a_motion_comes_back_with_its_rates(robot, moved, tmp_path, rates):
    """Exactly, but for the ns of times."""
    own = [moved.qd, moved.qdd][:rates] + [None, None][rates:]
    write_motion(Motion(moved.names, moved.times, moved.q, (), robot, *own), tmp_path / "m.mcap")
    again = read_motion(robot, tmp_path / "m.mcap")
    assert again.names == moved.names
    np.testing.assert_allclose(again.times, moved.times - 2.0, atol=5.1e-10)
    np.testing.assert_array_equal(again.q, moved.q)
    for found, wanted in zip((again.qd, again.qdd), own, strict=True):
        assert (found is None) is (wanted is None)
        if wanted is not None:
            np.testing.assert_array_equal(found, wanted)
    whole = read_motion(robot, Motion(moved.names, moved.times, moved.q, (), robot, *own))
    assert (whole.qd is None, whole.qdd is None) == (rates < 1, rates < 2)


def test_rates_of_a_trajectory_are_checked(robot, moved, tmp_path):
    write_motion(moved, tmp_path / "m.mcap")
    found = kt.motion.check(read_motion(robot, tmp_path / "m.mcap"), velocity={"b": 0.5}, acceleration=1.0)
    assert [one.element for one in found if one.code == "motion-velocity"] == ["joint 'b'"]
    assert "0.6 rad/s" in found[0].message  # the last one, 0.4 * 1.5, which is between no two samples


def test_joints_in_another_order_and_followers(robot, tmp_path):
    points = [
        {"t": 0.25 + i, "positions": [0.1 * i, 0.1 - 0.1 * i, 0.2 * i], "velocities": [1, 2, 3]} for i in range(3)
    ]
    file = bag(tmp_path / "m.mcap", message(["c", "f", "b"], points))
    found = read_motion(robot, file)
    assert found.names == ("b", "c")
    assert found.times.tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_allclose(found.q, [[0, 0], [0.2, 0.1], [0.4, 0.2]], atol=1e-15)
    assert found.qd.tolist() == [[3, 1]] * 3
    assert found.qdd is None


def test_rates_of_some_points_alone_are_left_out(robot, tmp_path):
    points = [{"t": 0, "positions": [0.0], "velocities": [1.0]}, {"t": 1, "positions": [1.0]}]
    assert read_motion(robot, bag(tmp_path / "m.mcap", message(["a"], points))).qd is None


def test_joint_states_count_before_trajectories(robot, tmp_path):
    q, stamps = motion(5)
    states = joint_state_topic("/arm/states", robot, q, stamps)
    file = bag(tmp_path / "m.mcap", message(["a"], [{"t": 0, "positions": [0.5]}]), more=[states])
    np.testing.assert_array_equal(read_motion(robot, file).q, q)


@pytest.mark.parametrize(("stamp", "first"), [((0, 0), 7.0), ((3, 5), 3.000000005)])
def test_transforms_of_a_trajectory(robot, tmp_path, stamp, first):
    """Its points have the stamps of its header, else of its message; joint states are made of them."""
    points = [{"t": i / 2, "positions": [0.1 * i, 0.2, 0.0]} for i in range(4)]
    found = converted(robot, bag(tmp_path / "m.mcap", message(["a", "b", "c"], points, stamp)))
    topics = {topic.name: topic for topic in found.topics}
    times = [round(first * 1e9) + i * 500_000_000 for i in range(4)]
    assert topics["/tf"].log_times == topics["/joint_states"].log_times == times
    np.testing.assert_allclose(found.q[:, 0], [0, 0.1, 0.2, 0.3], atol=1e-15)


@pytest.mark.parametrize(
    ("names", "points", "error"),
    [
        (["a"], [], "the joint trajectory has no points"),
        (["a", "b"], [{"t": 0, "positions": [1.0]}], "point 0 has 1 positions for 2 joints; expected one for each"),
        (["a"], [{"t": 0, "positions": [0.0]}, {"t": 1}], "point 1 has 0 positions for 1 joints"),
        (["a"], [{"t": 0, "positions": [0.0], "accelerations": [1, 2]}], "point 0 has 2 accelerations for 1 joints"),
        (["a"], [{"t": 1, "positions": [0.0]}, {"t": 1, "positions": [0.0]}], "the time is 0 after 0"),
        (["a", "z"], [{"t": 0, "positions": [0.0, 0.0]}], "column 'z' is not a joint that moves"),
        (["a"], [{"t": 0, "positions": [np.nan]}], "column 'a' is nan"),
        ([], [{"t": 0}], "there are no names of joints that move"),
    ],
)
def test_what_is_refused(robot, tmp_path, names, points, error):
    with pytest.raises(kt.KinetreeError, match=error):
        read_motion(robot, bag(tmp_path / "m.mcap", message(names, points)))


def test_several_trajectories_are_refused(robot, tmp_path):
    one = message(["a"], [{"t": 0, "positions": [0.0]}])
    with pytest.raises(kt.KinetreeError, match="there are 2 joint trajectories; expected one"):
        read_motion(robot, bag(tmp_path / "m.mcap", one, one))
    other = extend(Topic("/other", TRAJECTORY), [encoded(TRAJECTORY, one)[0]], np.array([1]))
    file = bag(tmp_path / "two.mcap", one, topic="/mine", more=[other])
    with pytest.raises(
        kt.KinetreeError, match=r"there are 2 topics of type .*; legal for --joint-states are /mine, /oth"
    ):
        read_motion(robot, file)
    assert len(converted(robot, file, joints="/mine").q) == 1
    with pytest.raises(kt.KinetreeError, match="no messages of type sensor_msgs/JointState; the bag has /mine"):
        converted(robot, file, joints="/else")


def test_what_cannot_be_written(robot, tmp_path):
    floating = arm(FLOATING)
    q = floating.q()[None]
    for wrong, unit, error in (
        (Motion(("a",), None, [[0.0]], robot=robot), "rad", "the motion has no times"),
        (Motion(("a",), [0.0, 1e-10], [[0.0], [0.0]], robot=robot), "rad", "samples 0 and 1 are less than 1 ns apart"),
        (Motion(floating.coordinate_names, [0.0], q, robot=floating), "rad", "it cannot have free.x, free.y"),
        (Motion(("a",), [0.0], [[0.0]], robot=robot), "deg", "the angles in a bag of ROS 2 are in rad"),
    ):
        with pytest.raises(kt.KinetreeError, match=error):
            write_motion(wrong, tmp_path / "m.mcap", unit=unit)
    assert not (tmp_path / "m.mcap").exists()


def test_the_message_starts_when_it_is_received(moved, tmp_path):
    """A stamp of zero means now for a controller, and the first point is due at once."""
    topics = read_bag(written(tmp_path / "m.mcap", [trajectory_topic(moved)]), (TRAJECTORY,))
    assert [*topics] == ["/joint_trajectory_controller/joint_trajectory"]
    (data,) = topics[USUAL].data
    assert data[4:16] == bytes(8) + b"\x01\x00\x00\x00"  # sec, nanosec, and the empty text of frame_id
    ((_, message, table),) = decoded(TRAJECTORY, [data], topics[USUAL].fault)
    since = [stamps_of({"stamp": point["time_from_start"]}, table)[0] for point in message["points"]]
    assert since[:2] == [0, 50_000_000]
