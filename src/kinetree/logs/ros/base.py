"""Poses of a floating base over time, from odometry, poses or transforms of a bag."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from kinetree.display import some
from kinetree.errors import fail
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.cdr import MOST_ENTRIES, decoded
from kinetree.logs.ros.joints import chosen_topic, stamps_of
from kinetree.model.magnitudes import LARGEST
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import build_tree
from kinetree.spatial import Array, se3

TF, TF_STATIC = "/tf", "/tf_static"
TF_MESSAGE = "tf2_msgs/TFMessage"
ODOMETRY = "nav_msgs/Odometry"
POSES = (ODOMETRY, "geometry_msgs/PoseStamped", "geometry_msgs/PoseWithCovarianceStamped", TF_MESSAGE)
"""Types of messages from which the poses of a base are taken."""
UNIT_LENGTH = 0.1
"""How far from 1 the length of a quaternion may be; a flipped bit makes it other."""


class Poses(NamedTuple):
    """Poses of a frame in another, as written. topic: where they are from. child: "" if the messages do not name it.
    stamps, log_times (n,): ns. positions (n, 3): m. quat_xyzw (n, 4): of about length 1."""

    topic: str
    parent: str
    child: str
    stamps: NDArray[np.int64]
    log_times: NDArray[np.int64]
    positions: Array
    quat_xyzw: Array

    @property
    def T(self) -> Array:
        """T_parent_child (n, 4, 4)."""
        return se3.poses_from(Rotation.from_quat(self.quat_xyzw).as_matrix(), self.positions)


def poses_of(topic: Topic, needed: Callable[[str, str], bool]) -> dict[tuple[str, str], Poses]:
    """Return the poses of a topic by the names of their frames, parent and child, in the order of the messages.

    needed: whether the poses of a parent and child must be whole. Stamps that are all zero become the times of the
    log. Raises KinetreeError, with the byte, for messages
    that are damaged, and numbers that are no pose but must be.
    """
    parts: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for rows, message, data in decoded(topic.type, topic.data, topic.fault):
        for one, pose, point, turn in _stated(message):
            positions, *turns = (
                np.stack([pose[part][x].of(data) for x in axes], -1)
                for part, axes in ((point, "xyz"), (turn, "xyzw"))
                if part
            )
            numbers = positions, *(turns or [np.tile([0.0, 0.0, 0.0, 1.0], (len(rows), 1))])
            frames = (one["header"]["frame_id"].lstrip("/"), one.get("child_frame_id", "").lstrip("/"))
            if len(parts) > MOST_ENTRIES:
                raise topic.fault(int(rows[0]), 0, f"there are more than {MOST_ENTRIES:,} frames, which are not read")
            parts.setdefault(frames, []).append((rows, stamps_of(one["header"], data), *numbers))
            if needed(*frames) and not (good := _is_pose(*numbers)).all():
                what = f"the pose of {frames[1] or 'the frame'!r} in {frames[0]!r} is no pose"
                message = f"{what}; expected finite numbers and a quaternion of length 1"
                raise topic.fault(int(rows[np.argmin(good)]), pose[point]["x"].offset, message)
    found = {}
    for frames, several in parts.items():
        rows, stamps, positions, quats = (np.concatenate(column) for column in zip(*several, strict=True))
        order = np.argsort(rows, kind="stable")
        log_times = np.array(topic.log_times, dtype=np.int64)[rows[order]]
        found[frames] = Poses(topic.name, *frames, stamps[order], log_times, positions[order], quats[order])
    if not any(poses.stamps.any() for poses in found.values()):
        found = {frames: poses._replace(stamps=poses.log_times) for frames, poses in found.items()}
    return found


def _is_pose(positions: Array, quat_xyzw: Array) -> NDArray[np.bool_]:
    whole = (np.abs(np.hstack([positions, quat_xyzw])) <= LARGEST).all(axis=1)
    length = np.linalg.norm(np.where(whole[:, None], quat_xyzw, 0.0), axis=1)
    return np.asarray(np.abs(length - 1) <= UNIT_LENGTH)


def _stated(message: Any) -> Iterator[tuple[Any, Any, str, str]]:
    """Yield each pose of a message: what has its frames, what has its numbers, and their names, "" for none."""
    for one in message.get("transforms", [message]):
        if "transform" in one:
            yield one, one["transform"], "translation", "rotation"
        elif "point" in one:
            yield one, one, "point", ""
        else:
            pose = one["pose"]
            yield one, pose.get("pose", pose), "position", "orientation"


def floating_joint(robot: Robot) -> Joint | None:
    """Return the joint by which the robot floats in its root link, None if there is none or are several."""
    joints = [joint for joint in robot.joints.values() if joint.type == "floating" and joint.parent == robot.root]
    return joints[0] if len(joints) == 1 else None


def base_poses(robot: Robot, topics: Mapping[str, Topic], asked: str | None) -> Poses | None:
    """Return the poses of the child of the robot's floating joint, or of its root link, in the frame of odometry.

    asked: the topic. None is the only topic of odometry, else the transforms of `/tf`, if the robot has a floating
    joint. Raises KinetreeError for a topic without poses of that link, or of a frame that is fixed to it.
    """
    joint = floating_joint(robot)
    if asked is None and joint is None:
        return None
    if asked is None and not any(topic.type == ODOMETRY and topic.count for topic in topics.values()):
        if TF not in topics:
            return None
        topic = topics[TF]
    else:
        topic = chosen_topic(topics, POSES if asked else (ODOMETRY,), asked, "/odom", "--odometry")
    link, places = joint.child if joint else robot.root, build_tree(robot).frames

    def is_fitting(parent: str, child: str) -> bool:
        if topic.type == TF_MESSAGE:  # which also has the robot's own frames
            return child == link and (parent not in places or (joint is not None and parent == joint.parent))
        return not child or (child in places and places[child][0] == places[link][0])

    found = poses_of(topic, is_fitting)
    fitting = [poses for frames, poses in found.items() if is_fitting(*frames)]
    if len(fitting) != 1 or (topic.type != TF_MESSAGE and len(found) > 1):
        if asked is None:
            return None
        pairs = some(f"{child or 'a frame without a name'} in {parent}" for parent, child in found) or "nothing"
        raise fail("base", f"topic {topic.name} has poses of {pairs}; expected those of {link!r} in one frame")
    (poses,) = fitting
    if poses.child in ("", link):
        return poses._replace(child=link)
    T_child_link = se3.inverse(places[poses.child][1]) @ places[link][1]
    return moved(poses._replace(child=link), se3.IDENTITY, T_child_link)


def of_joint(joint: Joint, poses: Poses) -> Poses:
    """Return the motion of a floating joint whose child has these poses in its parent."""
    return moved(poses, se3.inverse(joint.origin), se3.inverse(joint.child_origin))


def moved(poses: Poses, before: Array, after: Array) -> Poses:
    """Return the poses before @ T @ after, with constant (4, 4)."""
    if np.array_equal(before, se3.IDENTITY) and np.array_equal(after, se3.IDENTITY):
        return poses
    T = before @ poses.T @ after
    return poses._replace(positions=T[:, :3, 3], quat_xyzw=se3.quaternions_from_rotations(T))


def at_times(poses: Poses, stamps: NDArray[np.int64]) -> tuple[Array, NDArray[np.bool_]]:
    """Return the positions and quaternions (n, 7) of poses at stamps (n,), between the two nearest, and whether each
    stamp lies within those of the poses."""
    start = poses.stamps.min()
    known, order = np.unique((poses.stamps - start) / 1e9, return_index=True)
    positions, quats = poses.positions[order], poses.quat_xyzw[order]
    inside = (stamps >= start) & (stamps <= poses.stamps.max())
    since = np.clip((stamps - start) / 1e9, 0, known[-1])
    if len(known) == 1:
        return np.tile(np.r_[positions[0], quats[0]], (len(stamps), 1)), inside
    turned = Slerp(known, Rotation.from_quat(quats))(since).as_quat()
    moved = np.stack([np.interp(since, known, x) for x in positions.T], -1)
    return np.hstack([moved, turned]), inside
