"""Recorded transforms against the model: each planted fault is named."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.logs.ros.compare import _pose_text, compared
from kinetree.logs.ros.transforms import joint_state_topic, transform_topics
from kinetree.spatial import se3
from ros_bags import ARM, FLOATING, ODOMETRY, POSE, TF, arm, base_poses, motion, placed, recorded, states, written

TOLERANCE = (0.1, 0.01)


@pytest.fixture(scope="module")
def robot():
    return arm()


@pytest.mark.slow
def test_equal_transforms_are_equal(robot, tmp_path):
    found = compared(robot, recorded(tmp_path / "bag.mcap", robot), TOLERANCE)
    assert (found.compared, found.differences, found.missing, found.outside) == (5, [], [], 0)
    assert not found.unknown
    assert not found.torn


PLANTED = {
    "5 mm": (
        {"others": ARM.replace("0.4 0 0", "0.405 0 0")},
        {"lower": (5.0, 0.0, "a constant offset of (5, 0, 0) mm in the axes of upper")},
    ),
    "5 mm, of a fixed joint": (
        {"others": ARM.replace('0.1 0 0" rpy="0 0.5 0', '0.1 0 0.005" rpy="0 0.5 0')},
        {"tip": (5.0, 0.0, "a constant offset of (0, 0, 5) mm in the axes of slide")},
    ),
    "sign": (
        {"others": ARM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 -1 0"/>')},
        {"lower": (0.0, None, "joint b with the other sign")},
    ),
    "joint": (
        {"as_q": lambda q: q[:, [0, 0, 2]]},
        {
            "lower": (0.0, None, "the values of joint a instead of b"),
            "finger": (0.0, None, "the values of joint a instead of b"),
        },
    ),
    "late": (
        {"late": 0.1},
        dict.fromkeys(("upper", "lower", "slide", "finger"), (None, None, "stamps that are 0.1 s late")),
    ),
    "early": (
        {"late": -0.037},
        dict.fromkeys(("upper", "lower", "slide", "finger"), (None, None, "stamps that are 0.037 s early")),
    ),
    "zero": (
        {"as_q": lambda q: q + np.array([np.deg2rad(2), 0, 0])},
        {"upper": (0.0, 2.0, "joint a with its zero moved by 2 deg")},
    ),
    "zero of a slide": (
        {"as_q": lambda q: q + np.array([0, 0, -0.01])},
        {"slide": (10.0, 0.0, "joint c with its zero moved by -10 mm")},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_named(robot, fault, tmp_path):
    planted, expected = PLANTED[fault]
    if "others" in planted:
        planted = {**planted, "others": arm(planted["others"])}
    found = compared(robot, recorded(tmp_path / "bag.mcap", robot, **planted), TOLERANCE)
    assert {one.frame for one in found.differences} == expected.keys()
    for one in found.differences:
        mm, deg, cause = expected[one.frame]
        assert one.causes == (cause,)
        assert mm is None or one.mm == pytest.approx(mm, abs=1e-9)
        assert deg is None or one.deg == pytest.approx(deg, abs=1e-9)


@pytest.mark.parametrize("late", [0.3, -0.4])
def test_a_delay_is_named_if_the_recording_begins_in_motion(robot, late, tmp_path):
    """The joint values of the first or last transforms are then unknown."""
    q, stamps = motion()
    topics = [joint_state_topic("/joint_states", robot, q, stamps)]
    t = (stamps - stamps[0]) / 1e9 - late
    q = np.stack([0.9 * np.sin(1.3 * t), 0.2 + np.cos(0.7 * t), 0.3 * np.sin(2.1 * t + 1)], -1)  # that of `motion`
    topics += transform_topics(robot, q, stamps, stamps, None)
    found = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE).differences
    assert {one.frame for one in found} == {"upper", "lower", "slide", "finger"}
    assert {one.causes for one in found} == {(f"stamps that are {abs(late)} s {'late' if late > 0 else 'early'}",)}


def test_a_fault_says_since_when(robot, tmp_path):
    """From the middle on, no change of the model explains it."""
    q, stamps = motion()
    bad = np.where(np.arange(len(q))[:, None] < 150, q, q * [2, 1, 1])
    topics = [joint_state_topic("/joint_states", robot, q, stamps), *transform_topics(robot, bad, stamps, stamps, None)]
    (one,) = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE).differences
    assert (one.frame, one.first, one.samples, one.causes) == ("upper", 3.0, 300, ())
    assert one.deg == pytest.approx(np.rad2deg(np.abs(q[150:, 0]).max()))


def test_what_is_not_compared_is_listed(robot, tmp_path):
    """Joint values with a hole, and frames that only one of the two has."""
    q, stamps = motion()
    kept = np.r_[0:100, 150:300]
    states = joint_state_topic("/joint_states", robot, q[kept], stamps[kept])
    more = arm(ARM.replace('"tip"', '"gripper"'))
    topics = [states, *transform_topics(more, q, stamps, stamps, None)]
    found = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE)
    assert (found.missing, dict(found.unknown), found.outside) == (["tip"], {("gripper", "slide"): 1}, 4 * 50)
    assert found.differences == []


def test_frames_of_joints_without_values_are_not_compared(robot, tmp_path):
    q, stamps = motion()
    topics = [states(["a", "c"], q[:, [0, 2]], stamps), *transform_topics(robot, q, stamps, stamps, None)]
    found = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE)
    assert (found.compared, found.differences, sorted(found.valueless)) == (3, [], ["finger", "lower"])


@pytest.mark.slow
def test_a_frame_with_two_parents(robot, tmp_path):
    q, stamps = motion()
    other = arm(ARM.replace('<parent link="slide"/><child link="tip"/>', '<parent link="base"/><child link="tip"/>'))
    topics = [joint_state_topic("/joint_states", robot, q, stamps)]
    topics += transform_topics(robot, q, stamps, stamps, None)
    (static,) = [topic for topic in transform_topics(other, q, stamps, stamps, None) if topic.name == "/tf_static"]
    topics[1].data += static.data
    topics[1].log_times += static.log_times
    topics[1].publish_times += static.publish_times
    found = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE)
    assert {child: sorted(above) for child, above in found.torn.items()} == {"tip": ["base", "slide"]}
    (one,) = found.differences
    assert (one.frame, one.parent) == ("tip", "base")
    assert one.causes[0] == "a static transform of a frame that joints move"


def test_a_floating_base_is_compared_with_odometry(tmp_path):
    floating, poses = arm(FLOATING), base_poses()
    q, stamps = motion()
    states = joint_state_topic("/joint_states", arm(), q, stamps)
    full = np.zeros((len(q), floating.nq))
    full[:, [floating.coordinate_names.index(name) for name in "abc"]] = q
    full[:, floating.coordinate_names.index("free.qw")] = 1.0
    transforms = transform_topics(floating, full, stamps, stamps, poses._replace(parent="world"))
    bag = written(tmp_path / "bag.mcap", [states, *transforms])
    assert compared(floating, bag, TOLERANCE).compared == 5
    moved = poses._replace(positions=poses.positions + np.array([0.02, 0, 0]))
    bag = written(tmp_path / "bag.mcap", [states, *transforms, placed(moved, ODOMETRY, "/odom")])
    (one,) = compared(floating, bag, TOLERANCE).differences
    assert (one.frame, one.mm) == ("base", pytest.approx(20))
    assert one.causes[0] == "a constant offset of (-20, 0, 0) mm in the axes of world"
    bag = written(tmp_path / "bag.mcap", [states, *transforms, placed(poses, POSE, "/pose")])
    assert compared(floating, bag, TOLERANCE, odometry="/pose").compared == 6


def test_stamps_of_zero_become_the_times_of_the_log(robot, tmp_path):
    q, stamps = motion(30)
    topics = [joint_state_topic("/joint_states", robot, q, 0 * stamps)]
    topics += transform_topics(robot, q * [2, 1, 1], 0 * stamps, stamps, None)
    topics[0].log_times = stamps.tolist()
    found = compared(robot, written(tmp_path / "bag.mcap", topics), TOLERANCE)
    assert (found.compared, [one.frame for one in found.differences], found.untimed) == (5, ["upper"], [])


def test_a_bag_without_transforms(robot, tmp_path):
    q, stamps = motion(9)
    bag = written(tmp_path / "bag.mcap", [joint_state_topic("/joint_states", robot, q, stamps)])
    with pytest.raises(kt.KinetreeError, match="has no transforms to compare; expected topics /tf and /tf_static"):
        compared(robot, bag, TOLERANCE)


def test_poses_that_are_none_matter_only_in_frames_of_the_model(robot, tmp_path):
    """Some programs send zeros before they know better."""
    q, stamps = motion(20)
    states, broken = joint_state_topic("/joint_states", robot, q, stamps), base_poses(5)
    broken.quat_xyzw[2] = 0
    for frames, is_refused in ((("map", "laser"), False), (("slide", "tip"), True)):
        parent, child = frames
        bag = written(tmp_path / "bag.mcap", [states, placed(broken._replace(parent=parent, child=child), TF, "/tf")])
        if is_refused:
            with pytest.raises(kt.KinetreeError, match="the pose of 'tip' in 'slide' is no pose; expected finite"):
                compared(robot, bag, TOLERANCE)
        else:
            assert dict(compared(robot, bag, TOLERANCE).unknown) == {("laser", "map"): 5}


def test_poses_are_said_in_mm_and_degrees():
    """Less than 0.1 µm and 0.1 millidegree is nothing."""
    for mm, degrees, said in (
        ((0, 0, 0), 0, "nothing"),
        ((-9e-5, 0, 9e-5), 9e-5, "nothing"),
        ((0, 1.1e-4, 0), 0, "(0, 0.00011, 0) mm"),
        ((0, -1.1e-4, 0), 9e-5, "(0, -0.00011, 0) mm"),
        ((9e-5, 0, 0), -1.1e-4, "(0, 0, -0.00011) deg"),
        ((5, 0, -2.5), 30, "(5, 0, -2.5) mm and (0, 0, 30) deg"),
    ):
        R = se3.rotation([0, 0, 1], np.deg2rad(degrees))
        assert _pose_text(se3.homogeneous(R, np.array(mm) / 1e3)) == said
