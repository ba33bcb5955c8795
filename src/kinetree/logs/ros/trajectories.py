"""Motions as joint trajectories of ROS 2, which controllers take: one message with all points."""

import numpy as np

from kinetree.display import listed
from kinetree.errors import KinetreeError, fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.cdr import decoded, encoded
from kinetree.logs.ros.joints import JointStates, stamps_of
from kinetree.logs.ros.transforms import STREAMED, extended
from kinetree.trajectories.motion import Columns, Motion

TRAJECTORY = "trajectory_msgs/JointTrajectory"
USUAL = "/joint_trajectory_controller/joint_trajectory"
"""Topic of ros2_control's JointTrajectoryController by its usual name."""
FIELDS = ("positions", "velocities", "accelerations")
"""Parts of a point: q, qd and qdd of a motion."""


def trajectory_topic(motion: Motion) -> Topic:
    """Return a topic with a motion as one message, from time 0 on, with its rates if it has them.

    Raises KinetreeError for a motion without times, with coordinates that are no joints of one coordinate, which the
    message lacks, and for times that are the same in ns.
    """
    assert motion.robot is not None
    if motion.times is None or not len(motion.times):
        raise fail("times", "the motion has no times; expected times in s, which a joint trajectory needs")
    if wrong := [name for name in motion.names if name not in motion.robot.joints]:
        message = f"a joint trajectory has joints of one coordinate; it cannot have {listed(wrong)}"
        raise fail("motion", message, fix="write a .csv, or leave these coordinates out of the motion")
    stamps = np.round((motion.times - motion.times[0]) * 1e9).astype(np.int64)
    if (same := np.flatnonzero(np.diff(stamps) <= 0)).size:
        i = int(same[0])
        raise fail("times", f"samples {i} and {i + 1} are less than 1 ns apart; expected times that increase")
    rates = {name: x for name, x in zip(FIELDS, (motion.q, motion.qd, motion.qdd), strict=True) if x is not None}
    points = [
        {name: rates[name][i] if name in rates else () for name in FIELDS}
        | {"effort": (), "time_from_start": {"sec": t // 10**9, "nanosec": t % 10**9}}
        for i, t in enumerate(stamps.tolist())
    ]
    header = {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}  # to begin when it is received
    messages = encoded(TRAJECTORY, {"header": header, "joint_names": motion.names, "points": points})
    return extended(Topic(USUAL, TRAJECTORY, STREAMED), messages, np.zeros(1, dtype=np.int64))


def trajectory(topic: Topic) -> JointStates:
    """Return the points of the only message of a topic, in the form of joint states, with their rates.

    Raises KinetreeError for several messages, of which each would replace the one before, and for points without a
    position for each joint.
    """
    if topic.count != 1:
        raise topic.fault(1, 0, f"there are {topic.count} joint trajectories; expected one")
    ((_, message, data),) = decoded(TRAJECTORY, topic.data, topic.fault)
    names, points = message["joint_names"], message["points"]
    if not points:
        raise topic.fault(0, 0, "the joint trajectory has no points")
    for i, point in enumerate(points):
        for name in FIELDS:
            size, at = point[name].size, point[name].offset
            if size != len(names) and (size or name == "positions"):
                what = f"point {i} has {size} {name} for {len(names)} joints; expected one for each"
                raise topic.fault(0, at, what)
    q, *rates = (
        np.concatenate([point[name].of(data) for point in points])
        if all(point[name].size for point in points)
        else None
        for name in FIELDS
    )
    since = np.concatenate([stamps_of({"stamp": point["time_from_start"]}, data) for point in points])
    start = int(stamps_of(message["header"], data)[0]) or topic.log_times[0]
    values = np.zeros((len(points), 0)) if q is None else q

    def fault_at(sample: int | None, text: str) -> KinetreeError:
        return topic.fault(0, 0 if sample is None else points[sample]["positions"].offset, text)

    columns = Columns(tuple(names), values, fault_at, (since - since[0]) / 1e9, (), *rates)
    return JointStates(columns, start + since, np.zeros(len(points), np.int64))
