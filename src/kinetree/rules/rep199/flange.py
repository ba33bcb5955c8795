"""Rules of REP-199 about flange, to which end effectors are bolted."""

import re
from collections.abc import Iterator

import numpy as np

from kinetree.model.edit.subtree import links_below
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.quality import with_blocks
from kinetree.rules.rep199.clause import (
    ALONG,
    Arms,
    FixedFrame,
    NoGeometry,
    Rep199,
    between,
    flange_off,
    geometry,
    last_axis,
    parent,
)
from kinetree.rules.rep199.fixes import add_flange, move_geometry, turn_flange
from kinetree.rules.rep199.placement import pose_with_z_up
from kinetree.rules.rule import Bodies, Found, Joint, Poses, Robot, Threshold, number

OWN = re.compile(
    r"(?i)(.*[_/-])?(cover|cap|shell|housing|bumper|skin|cable|hose|dress(pack)?|guide|camera|sensor|light|led|label|logo"
    r"|counterweight|motor|brake|gear|encoder|bearing|seal|screw|bolt|washer)s?\d*([_/-].*)?"
)
"""Names of bodies on the last link that are not end effectors: parts of the arm, and sensors."""
SERIAL = Threshold(4, "joints", "smallest number of joints of an arm whose flange is judged; positioners have fewer")
BESIDE = Threshold(0.02, "m", "largest distance of flange from the last axis")
FARTHEST = Threshold(0.5, "", "largest distance of flange along the last axis, as a part of the length of the arm")
NEAR = Threshold(0.5, "m", "largest distance of flange along the last axis of a short arm")
LEVEL = Threshold(0.5, "sine", "largest slope of an x axis that points forward")


GRIPPER = """<link name="gripper"><visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>
  <joint name="gripper_mount" type="fixed">
    <parent link="flange"/><child link="gripper"/>
  </joint>"""


class Flange(Rep199):
    """Each arm has a flange, and end effectors are attached to it.

    Models of grippers are made to be attached to flange. A body that is attached to the last link beside flange and
    moves, or has a shape, is taken for an end effector, unless its name is that of a cover, a cable or a sensor of the
    arm itself. (Bodies on tool0 are R199-508.)
    """

    code = "R199-401"
    evidence = "heuristic"
    clause = "should be used to attach EEF models to the main kinematic chain"
    base = with_blocks(f"  {GRIPPER}")
    good = GRIPPER
    bad = GRIPPER.replace("flange", "link_6")
    repair = staticmethod(add_flange)

    def check(self, robot: Robot, arms: Arms, strict: bool) -> Found:
        """An arm has no flange, or a body hangs elsewhere at its end."""
        for arm in arms:
            if arm.flange is None:
                yield self.absent(robot, arms, arm, "flange", strict)
                continue
            for joint in _beside_flange(arm, robot):
                branch = links_below(robot, joint.child)
                moves = joint.kind.nv or any(below.kind.nv for link in branch for below in robot.child_joints(link))
                solid = [link for link in branch if geometry(robot, link)]
                if moves or not all(OWN.fullmatch(link) for link in solid):
                    message = f"this end effector is attached to {joint.parent!r}; attach it to {arm.flange!r}"
                    yield self.finding(message, robot.links[joint.child])


def _beside_flange(arm: Arm, robot: Robot) -> Iterator[Joint]:
    """Yield the joints at the end of an arm that branch off before flange and tool0."""
    waiting = [arm.end]
    while waiting:
        for joint in robot.child_joints(waiting.pop()):
            if joint.child in (arm.flange, arm.tool0):
                continue
            if {arm.flange, arm.tool0} & links_below(robot, joint.child):
                waiting.append(joint.child)
            else:
                yield joint


class FixedFlange(FixedFrame):
    """flange does not move against the last link.

    A tool turns with the last joint alone.
    """

    code = "R199-404"
    clause = "the transform between that parent and flange is fixed"
    good = '<joint name="link_6-flange" type="fixed">'
    bad = '<joint name="link_6-flange" type="continuous"><axis xyz="1 0 0"/>'
    frame = "flange"


class FlangeAxis(Rep199):
    """The x axis of flange points away from the last link.

    Models of grippers are made to be attached with their x axis outwards. If flange points elsewhere, they stand
    sideways in the model. To correct it, change rpy of the joint that carries flange.
    """

    code = "R199-403"
    thresholds = (ALONG,)
    level = "MUST"
    clause = "must always point away from the last link"
    requires = ("R199-404",)
    good = """<origin xyz="0.09 0 0" rpy="0 0 0"/>"""
    bad = """<origin xyz="0.09 0 0" rpy="0 -1.5707963267948966 0"/>"""
    repair = staticmethod(turn_flange)
    safe = False

    def check(self, robot: Robot, arms: Arms, poses: Poses) -> Found:
        """X of a flange is not the axis of the last joint, away from the wrist."""
        for arm in arms:
            if arm.flange and (off := flange_off(arm, robot, poses)) is not None:
                axis = f"the axis of {arm.moving[-1]!r}"
                message = f"its x axis is {number(off)} degrees off {axis}; expected along it, away from the arm"
                yield self.finding(message, robot.frames[arm.flange])


class FlangePlace(Rep199):
    """flange is on the axis of the last joint, on the last link.

    The face that tools are bolted to is round that axis. Only the drawing of the maker shows where on it the face is:
    compare the model with it. Judged by the distance from the axis, and along it by the size of the arm.
    """

    code = "R199-405"
    thresholds = (SERIAL, BESIDE, FARTHEST, NEAR)
    level = "MUST"
    evidence = "heuristic"
    clause = "located in the correct location and has the correct orientation"
    requires = ("R199-404",)
    good = """<origin xyz="0.09 0 0" rpy="0 0 0"/>"""
    bad = """<origin xyz="0.09 0.7 0" rpy="0 0 0"/>"""

    def check(self, robot: Robot, arms: Arms, poses: Poses) -> Found:
        """flange is beside the axis of the last joint, or far along it."""
        for arm in arms:
            axis = last_axis(arm, robot, poses)
            if arm.flange is None or axis is None or len(arm.moving) < SERIAL:
                continue
            starts = [(poses[j.parent] @ j.origin)[:3, 3] for j in map(robot.joints.__getitem__, arm.moving)]
            off = poses[arm.flange][:3, 3] - starts[-1]
            along = float(off @ axis)
            beside = float(np.linalg.norm(off - along * axis))
            long = float(np.linalg.norm(np.diff(starts, axis=0), axis=1).sum())
            last = f"the axis of {arm.moving[-1]!r}"
            message = f"is {number(beside)} m beside {last}; expected on it" if beside > BESIDE else ""
            if not message and abs(along) > max(FARTHEST * long, NEAR):
                message = f"is {number(abs(along))} m along {last}, of an arm that is {number(long)} m long to there"
            if message:
                fix = "compare its place with the drawing of the maker"
                yield self.finding(message, robot.frames[arm.flange], fix=fix)


class FlangeOrientation(Rep199):
    """flange has z up when its x axis points forward, as REP-103 has it.

    Judged with all joints at zero, if x is then level. Good models of some makers choose another zero, so this is
    advice.
    """

    code = "R199-402"
    thresholds = (LEVEL, ALONG)
    level = "MUST"
    evidence = "advice"
    clause = "shall always be oriented such that it complies with REP 103"
    requires = ("R199-403",)
    good = """<origin xyz="0.09 0 0" rpy="0 0 0"/>"""
    bad = """<origin xyz="0.09 0 0" rpy="1.5707963267948966 0 0"/>"""
    repair = staticmethod(turn_flange)
    safe = False

    def check(self, arms: Arms, robot: Robot, poses: Poses) -> Found:
        """Z of a flange that points forwards is not up."""
        for arm in arms:
            if arm.flange is None:
                continue
            R = poses[arm.base_link or arm.foot][:3, :3].T @ poses[arm.flange][:3, :3]
            if abs(R[2, 0]) < LEVEL and R[2, 2] < ALONG:
                off = between(R[:, 2], np.array([0.0, 0.0, 1.0]))
                message = f"with all joints at zero its z axis is {number(off)} degrees from vertical; expected up"
                right = pose_with_z_up(arm, robot, poses)
                fix = f"with z up its pose in {arm.end!r} is {right}" if right else None
                yield self.finding(message, robot.frames[arm.flange], fix=fix)


class FlangeParent(Rep199):
    """flange is a child of the last link that a joint moves.

    Other parents are allowed if the place is right.
    """

    code = "R199-406"
    clause = "in most cases flange will be a child of the last physical link"
    good = """<parent link="link_6"/>
    <child link="flange"/>"""
    bad = """<parent link="adapter"/>
    <child link="flange"/>
  </joint>
  <link name="adapter"/>
  <joint name="link_6-adapter" type="fixed">
    <parent link="link_6"/>
    <child link="adapter"/>"""

    def check(self, robot: Robot, arms: Arms, bodies: Bodies) -> Found:
        """flange hangs on another link."""
        for arm in arms:
            link = parent(robot, arm.flange) if arm.flange else None
            if arm.flange and arm.flange != arm.end and link != arm.end and bodies[arm.flange] == arm.end:
                yield self.finding(
                    f"is attached to {link!r}; expected {arm.end!r}, the last link that a joint moves",
                    robot.frames[arm.flange],
                )


class FlangeGeometry(NoGeometry):
    """flange has no geometry.

    It is a frame, not a body.
    """

    code = "R199-408"
    clause = "flange shall not have any geometry associated with it"
    good = '<link name="flange"/>'
    bad = '<link name="flange"><visual><geometry><sphere radius="0.03"/></geometry></visual></link>'
    frame = "flange"
    instead = "the last link"
    repair = move_geometry("flange")
