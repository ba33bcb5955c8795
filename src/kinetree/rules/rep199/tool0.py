"""Rules of REP-199 about tool0, the controller's tool of zeros."""

import numpy as np

from kinetree.model.edit.subtree import links_below
from kinetree.rules.quality import with_blocks
from kinetree.rules.rep199.clause import (
    EXACT,
    STRICT,
    Arms,
    FixedFrame,
    NoGeometry,
    Rep199,
    angle,
    children,
    geometry,
    off_the_way_out,
    parent,
)
from kinetree.rules.rep199.controller_frames import ControllerFrames
from kinetree.rules.rep199.fixes import add_tool0, hang, hang_on_flange, move_geometry
from kinetree.rules.rep199.flange import GRIPPER, OWN
from kinetree.rules.rep199.placement import Given
from kinetree.rules.rule import Bodies, Found, Joint, Poses, Robot, Threshold, number
from kinetree.xacro_text.calls import AttachedAt

TOGETHER = Threshold(1e-6, "m", "largest distance between the origins of flange and tool0")


class Tool0(Rep199):
    """Each arm has a tool0, rotated as the controller's tool of zeros.

    Poses that the controller shows without a tool are poses of this frame. Its orientation is judged by the one that
    the settings give, or else by the one that models of the maker have in common; `kinetree calibrate` finds it from
    poses of the real robot.
    """

    code = "R199-501"
    thresholds = (EXACT,)
    level = "MUST"
    clause = "shall match exactly an all-zeros TCP as defined by the robot controller"
    context = STRICT
    good = """<link name="tool0"/>
  <joint name="flange-tool0" type="fixed">
    <origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/>
    <parent link="flange"/>
    <child link="tool0"/>
  </joint>"""
    bad = good.replace('tool0"', 'gripper_tcp"')
    repair = staticmethod(add_tool0)

    def check(
        self,
        robot: Robot,
        arms: Arms,
        bodies: Bodies,
        poses: Poses,
        controller_frames: ControllerFrames,
        given: Given,
        strict: bool,
    ) -> Found:
        """An arm has no tool0, or it is turned otherwise than it is given, or than in the maker's models."""
        for arm in arms:
            T = given("tool0", arm, arm.flange) if arm.flange else None
            expected = T[:3, :3] if isinstance(T, np.ndarray) else controller_frames.tool0_rotation
            if arm.tool0 is None:
                yield self.absent(robot, arms, arm, "tool0", strict)
            elif expected is None or bodies[arm.tool0] != bodies[arm.flange or arm.end]:
                continue  # R199-404 or R199-504 reports it
            elif arm.flange is None:
                off = off_the_way_out(poses[arm.tool0][:3, :3] @ expected[0], arm, robot, poses) or 0.0
                if np.deg2rad(off) > EXACT:
                    message = f"is rotated {number(off)} degrees off the last axis"
                    message += f", unlike in other models of {controller_frames.name}"
                    yield self.finding(message, robot.frames[arm.tool0], severity="warning")
            else:
                R = poses[arm.flange][:3, :3].T @ poses[arm.tool0][:3, :3]
                off = angle(expected.T @ R)
                if np.deg2rad(off) > EXACT:
                    other = f"against tool0 in other models of {controller_frames.name}"
                    other = other if T is None else "from the orientation that is given"
                    message = f"is rotated {number(off)} degrees {other}"
                    yield self.finding(message, robot.frames[arm.tool0], severity="warning")


class Tool0AtFlange(Rep199):
    """tool0 and flange have the same origin.

    A tool of zeros is at the flange; only its axes are the controller's.
    """

    code = "R199-503"
    thresholds = (TOGETHER,)
    clause = "the only expected difference between tool0 and flange is the orientation"
    good = '<origin xyz="0 0 0" rpy="0 1.5707963267948966 0"/>'
    bad = '<origin xyz="0 0 0.1" rpy="0 1.5707963267948966 0"/>'

    def check(self, robot: Robot, arms: Arms, poses: Poses, bodies: Bodies) -> Found:
        """tool0 is elsewhere than flange."""
        for arm in arms:
            if arm.tool0 and arm.flange and bodies[arm.tool0] == bodies[arm.flange]:
                off = float(np.linalg.norm((poses[arm.tool0] - poses[arm.flange])[:3, 3]))
                if off > TOGETHER:
                    yield self.finding(
                        f"is {number(off)} m from {arm.flange!r}; expected the same origin", robot.frames[arm.tool0]
                    )


class FixedTool0(FixedFrame):
    """tool0 does not move against the last link.

    The controller's frame moves with the last joint alone.
    """

    code = "R199-504"
    clause = "the transform between that parent and tool0 is fixed"
    good = '<joint name="flange-tool0" type="fixed">'
    bad = '<joint name="flange-tool0" type="continuous"><axis xyz="0 0 1"/>'
    frame = "tool0"


class Tool0Parent(Rep199):
    """tool0 is a child of flange.

    REP-199 asks for a documented reason if it has another parent.
    """

    code = "R199-505"
    clause = "expected that in most cases tool0 will be a child of the flange frame"
    requires = ("R199-404", "R199-504")
    good = """<parent link="flange"/>
    <child link="tool0"/>"""
    bad = """<parent link="link_6"/>
    <child link="tool0"/>"""
    repair = hang("tool0", "flange")

    def check(self, robot: Robot, arms: Arms) -> Found:
        """tool0 hangs on another link."""
        for arm in arms:
            link = parent(robot, arm.tool0) if arm.tool0 else None
            if arm.tool0 and arm.flange and link != arm.flange:
                yield self.finding(f"is attached to {link!r}; expected {arm.flange!r}", robot.frames[arm.tool0])


class Tool0Leaf(Rep199):
    """Nothing is attached to tool0; grippers and frames of tools are attached to flange.

    tool0 belongs to the controller, which may have its axes in another direction than flange. A gripper that is
    attached to it is wrong by that rotation as soon as the arm has a controller of another maker.
    """

    code = "R199-508"
    clause = "application-specific tool frames should be added as siblings of tool0"
    base = with_blocks(f"  {GRIPPER}")
    good = GRIPPER
    bad = GRIPPER.replace("flange", "tool0")
    repair = staticmethod(hang_on_flange)

    def check(self, robot: Robot, arms: Arms, attached_at: AttachedAt) -> Found:
        """A link is attached to tool0."""
        for arm in arms:
            for joint in children(robot, arm.tool0):
                if joint.child != arm.flange:
                    to = repr(arm.flange) if arm.flange else "a flange, which is missing"
                    message = f"this {_what(joint, robot)} is attached to {arm.tool0!r}; attach it to {to}"
                    message += ", and keep tool0 for the controller"
                    yield self.finding(message, robot.links[joint.child], source=attached_at(joint))


def _what(joint: Joint, robot: Robot) -> str:
    """Return a word for what a fixed joint carries."""
    links = links_below(robot, joint.child)
    if joint.kind.nv or any(below.kind.nv for link in links for below in robot.child_joints(link)):
        return "gripper"
    solid = [link for link in links if geometry(robot, link)]
    if not solid:
        return "frame"
    return "body" if all(map(OWN.fullmatch, solid)) else "end effector"


class Tool0Geometry(NoGeometry):
    """tool0 has no geometry.

    It is a frame, not a body.
    """

    code = "R199-509"
    clause = "tool0 shall not have any geometry associated with it"
    good = '<link name="tool0"/>'
    bad = '<link name="tool0"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>'
    frame = "tool0"
    instead = "the last link, or a tool on flange"
    repair = move_geometry("tool0")
