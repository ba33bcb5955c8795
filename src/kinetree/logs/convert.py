"""Motions as bags with the transforms of a robot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kinetree.display import some
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.logs.read import is_bag, read_motion
from kinetree.logs.ros.bag import Topic
from kinetree.logs.ros.base import TF, Poses, floating_joint
from kinetree.logs.ros.joints import JOINT_STATE, USUAL
from kinetree.logs.ros.motion import recording
from kinetree.logs.ros.transforms import Times, description_topic, joint_state_topic, transform_topics
from kinetree.model.robot import Robot
from kinetree.queries.transforms import left_out
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import Motion, filled, motion_of

LATEST = 2**31
"""Time in s that a stamp of ROS cannot represent any more."""


@dataclass(frozen=True, slots=True, eq=False)
class ConvertedMotion:
    """A motion with its transforms as topics. q (n, nq): the configurations. placed: coordinates of a floating
    joint that has poses at stamps of their own. notes: warnings."""

    topics: Sequence[Topic]
    motion: Motion
    q: Array
    placed: Sequence[str]
    notes: Sequence[Finding]


def converted(
    robot: Robot,
    file: Path,
    unit: Literal["rad", "deg"] = "rad",
    joints: str | None = None,
    odometry: str | None = None,
    moved: Motion | None = None,
) -> ConvertedMotion:
    """Return the transforms of a robot in a motion, with its joint states and its description.

    file: a CSV with a column of times, or a bag. unit: of a CSV. joints, odometry: topics of a bag. moved: the
    motion in a CSV, if it was read before. Raises
    KinetreeError for a motion that cannot be read, and times that ROS cannot represent.
    """
    if is_bag(file):
        if unit != "rad":
            raise fail("unit", f"unit is {unit!r}; the angles in a bag of ROS 2 are in rad")
        found = recording(robot, file, joints, odometry, with_base=False)
        motion, stamps, base, notes = motion_of(robot, found.columns, "rad"), found.stamps, found.base, []
        if found.topic.type == JOINT_STATE:
            states, log_times = found.topic, np.array(found.topic.log_times, dtype=np.int64)[found.messages]
        else:  # a joint trajectory, whose points have one log time
            states, log_times = None, stamps
    else:
        if joints or odometry:
            raise fail("topic", f"{file.name} has no topics; --joint-states and --odometry are about bags")
        motion, base = moved or read_motion(robot, file, unit=unit), None
        stamps = log_times = _stamps(motion, file)
        states, notes = None, _unnamed(robot)
    q = filled(robot, motion, robot.q())
    base, placing = _in_model(robot, base)
    notes = [*placing, *notes, *left_out(robot)]
    states = states or joint_state_topic(USUAL, robot, q, stamps)
    topics = [states, *transform_topics(robot, q, stamps, log_times, base)]
    try:
        topics.append(description_topic(robot, min(topic.log_times[0] for topic in topics if topic.data)))
    except KinetreeError as error:
        message = f"is left out, because the robot cannot be written as URDF: {error.findings[0].message}"
        notes = [*notes, Finding("description", "warning", message, element="topic /robot_description")]
    floating = floating_joint(robot) if base is not None else None
    placed = robot.coordinate_names[robot.q_slices[floating.name]] if floating else ()
    return ConvertedMotion(topics, motion, q, placed, notes)


def _unnamed(robot: Robot) -> list[Finding]:
    """Return the note about joints that joint states of ROS cannot have."""
    names = [name for name in robot.joint_names if not robot.joints[name].kind.single]
    message = f"is without joints of several coordinates: {some(names)}; their values are in {TF} alone"
    return [Finding("joints", "warning", message, element=f"topic {USUAL}")] if names else []


def _stamps(motion: Motion, file: Path) -> Times:
    """Return the times of a motion in ns."""
    if motion.times is None:
        raise fail("times", f"{file.name} has no times; expected a column `time`, in s")
    if motion.times[0] < 0 or motion.times[-1] >= LATEST:
        bad = motion.times[0] if motion.times[0] < 0 else motion.times[-1]
        raise fail("times", f"{file.name} has the time {bad:.12g} s; expected 0 to {LATEST} s")
    return np.round(motion.times * 1e9).astype(np.int64)


def _in_model(robot: Robot, base: Poses | None) -> tuple[Poses | None, Sequence[Finding]]:
    """Return the poses of the base in the frame that the model has for them, and notes."""
    joint = floating_joint(robot)
    if base is None or joint is None or base.parent == joint.parent:
        return base, ()
    message = f"its poses are those in frame {base.parent!r}, which is taken as {joint.parent!r}"
    return base._replace(parent=joint.parent), [Finding("base", "warning", message, element=f"joint {joint.name!r}")]
