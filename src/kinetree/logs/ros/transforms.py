"""Transforms of a robot over time as topics of ROS 2, as robot_state_publisher makes them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import TF, TF_MESSAGE, TF_STATIC, Poses
from kinetree.logs.ros.cdr import encoded
from kinetree.logs.ros.joints import JOINT_STATE
from kinetree.model.robot import Robot
from kinetree.queries.transforms import Transforms, transforms
from kinetree.saving import text
from kinetree.spatial.se3 import Array

AT_ONCE = 10_000
"""Number of configurations whose transforms are computed together."""
DESCRIPTION, STRING = "/robot_description", "std_msgs/String"

_QOS = """- history: keep_last
  depth: {depth}
  reliability: reliable
  durability: {durability}
  deadline: {{sec: 9223372036, nsec: 854775807}}
  lifespan: {{sec: 9223372036, nsec: 854775807}}
  liveliness: automatic
  liveliness_lease_duration: {{sec: 9223372036, nsec: 854775807}}
  avoid_ros_namespace_conventions: false
"""
LATCHED = _QOS.format(depth=1, durability="transient_local")
"""Profile of topics that late subscribers get too (rosbag2, version 9 of its metadata)."""
STREAMED = _QOS.format(depth=100, durability="volatile")
Times = NDArray[np.int64]


def transform_topics(robot: Robot, q: Array, stamps: Times, log_times: Times, base: Poses | None) -> list[Topic]:
    """Return `/tf_static`, one message at the first time, and `/tf`, one for each configuration q (n, nq).

    stamps, log_times (n,): ns. base: poses of the link that floats, which `/tf` has at stamps of their own; its pose by
    q is left out.
    """
    first = min([log_times[0], *([] if base is None else base.log_times[:1])])
    static = transforms(robot, which="static")
    topics = []
    if static.names:
        topics.append(extended(Topic(TF_STATIC, TF_MESSAGE, LATCHED), _messages(static, stamps[:1]), np.array([first])))
    tf = Topic(TF, TF_MESSAGE, STREAMED)
    moving = [joint.child for name in robot.placed if (joint := robot.joints[name]).kind.nq]
    if moved := [name for name in moving if base is None or name != base.child]:
        for start in range(0, len(q), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            found = transforms(robot, q[rows], which="moving")
            extended(tf, _messages(found, stamps[rows], moved), log_times[rows])
    if base is not None:
        poses = Transforms((base.child,), (base.parent,), np.zeros(1, bool), base.T[:, None], base.quat_xyzw[:, None])
        extended(tf, _messages(poses, base.stamps), base.log_times)
    return [*topics, tf] if tf.data else topics


def description_topic(robot: Robot, time: int) -> Topic:
    """Return `/robot_description`: the text that the robot was read from, if that is URDF, else its text in URDF.
    Raises KinetreeError for a robot that URDF cannot represent."""
    own = robot.text.text if robot.text and robot.text.format == "urdf" else text(robot, "urdf")
    return extended(Topic(DESCRIPTION, STRING, LATCHED), encoded(STRING, {"data": own}), np.array([time]))


def joint_state_topic(name: str, robot: Robot, q: Array, stamps: Times) -> Topic:
    """Return joint states of configurations q (n, nq), of the joints of one coordinate."""
    own = [i for i, one in enumerate(robot.coordinate_names) if one in robot.joints]
    message = {
        "header": {**_stamp(stamps), "frame_id": ""},
        "name": [robot.coordinate_names[i] for i in own],
        "position": q[:, own],
        "velocity": np.zeros(0),
        "effort": np.zeros(0),
    }
    return extended(Topic(name, JOINT_STATE, STREAMED), encoded(JOINT_STATE, message), stamps)


def _messages(found: Transforms, stamps: Times, names: Sequence[str] | None = None) -> list[bytes]:
    """Return messages of transforms. names: those that are written, None for all."""
    values: list[Any] = []
    p, quat = found.positions, found.quat_xyzw
    for k, (name, parent) in enumerate(zip(found.names, found.parents, strict=True)):
        if names is None or name in names:
            pose = {
                "translation": {axis: p[..., k, i] for i, axis in enumerate("xyz")},
                "rotation": {axis: quat[..., k, i] for i, axis in enumerate("xyzw")},
            }
            header = {**_stamp(stamps), "frame_id": parent}
            values.append({"header": header, "child_frame_id": name, "transform": pose})
    return encoded(TF_MESSAGE, {"transforms": values})


def _stamp(stamps: Times) -> dict[str, Any]:
    return {"stamp": {"sec": stamps // 10**9, "nanosec": stamps % 10**9}}


def extended(topic: Topic, messages: list[bytes], log_times: Times) -> Topic:
    """Return a topic with more messages, at their times (n,), ns."""
    times = log_times.tolist()
    topic.data += messages
    topic.log_times += times
    topic.publish_times += times
    topic.places += [(0, "", topic.name)] * len(times)
    topic.count += len(times)
    return topic
