"""Motions of robots from bags."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import Finding
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import POSES, Poses, at_times, base_poses, floating_joint, of_joint
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.joints import JOINT_STATE, USUAL, JointStates, chosen_topic, joint_states
from kinetree.logs.ros.trajectories import TRAJECTORY, USUAL as USUAL_TRAJECTORY, trajectory
from kinetree.model.robot import Joint, Robot
from kinetree.trajectories.motion import Columns


class Recording(NamedTuple):
    """Contents of a bag about a robot.

    columns: joint values, and those of a floating joint. stamps (n,): ns, of its rows. messages (n,): numbers of those
    that made the rows. base: poses of the floating base, as written. topic: that of the joint states. topics: by name.
    """

    columns: Columns
    stamps: NDArray[np.int64]
    messages: NDArray[np.int64]
    base: Poses | None
    topic: Topic
    topics: Mapping[str, Topic]


def read(file: Path, robot: Robot) -> Columns:
    """Return the columns of a bag, with the times from its first row."""
    return recording(robot, file).columns


def recording(
    robot: Robot,
    path: Path,
    joints: str | None = None,
    odometry: str | None = None,
    *,
    with_base: bool = True,
    also: Collection[str] = (),
) -> Recording:
    """Return what a bag has of a robot.

    joints, odometry: topics, None for the usual or the only one. Where there are no joint states, a joint trajectory
    is read. with_base: whether the rows have a floating joint, and
    so are within the times of its poses. also: types of messages that topics have besides.
    """
    wanted = POSES if odometry or floating_joint(robot) else ()
    topics = read_bag(path, (JOINT_STATE, TRAJECTORY, *wanted, *also))
    kinds = {topic.type for name, topic in topics.items() if topic.count and joints in (None, name)}
    if TRAJECTORY in kinds and JOINT_STATE not in kinds:
        topic = chosen_topic(topics, (TRAJECTORY,), joints, USUAL_TRAJECTORY, "--joint-states")
        found = trajectory(topic)
    else:
        topic = chosen_topic(topics, (JOINT_STATE,), joints, USUAL, "--joint-states")
        found = joint_states(robot, topic)
    base = base_poses(robot, topics, odometry)
    if with_base and base is not None and (joint := floating_joint(robot)):
        found = _with_base(robot, joint, found, base)
    return Recording(*found, base, topic, topics)


def _with_base(robot: Robot, joint: Joint, found: JointStates, base: Poses) -> JointStates:
    """Return joint states with the coordinates of the floating base, at the stamps that its poses span."""
    columns, (values, inside) = found.columns, at_times(of_joint(joint, base), found.stamps)
    if not inside.any():
        raise columns.fault(None, f"no stamp of the joint states is among those of the poses of {base.child!r}")
    kept, notes = np.flatnonzero(inside), columns.notes
    if len(kept) < len(inside):
        message = f"{len(inside) - len(kept):,} of {len(inside):,} samples are outside of the times of its poses"
        notes = (*notes, Finding("motion", "warning", f"{message}, and left out", element=f"joint {joint.name!r}"))
    assert columns.times is not None
    made = Columns(
        (*columns.names, *robot.coordinate_names[robot.q_slices[joint.name]]),
        np.hstack([columns.values, values])[kept],
        lambda sample, message: columns.fault(None if sample is None else int(kept[sample]), message),
        columns.times[kept] - columns.times[kept[0]],
        notes,
    )
    return JointStates(made, found.stamps[kept], found.messages[kept])
