"""Rules of REP-199 about base_link, the foot of an arm, and base, the controller's own frame."""

import re

import numpy as np

from kinetree.robot_kinds.arms import Arm
from kinetree.rules.examples import SMALL_ARM
from kinetree.rules.options import CheckOptions
from kinetree.rules.rep199.clause import EXACT, STRICT, Arms, FixedFrame, NoGeometry, Rep199, angle, geometry, parent
from kinetree.rules.rep199.controller_frames import ControllerFrames
from kinetree.rules.rep199.fixes import add_base, hang, move_geometry, name_base_link
from kinetree.rules.rep199.placement import Given
from kinetree.rules.rule import Array, Bodies, Finding, Found, Poses, Robot, Threshold, number, numbers
from kinetree.shapes.lowest import lowest_point
from kinetree.spatial import se3

OTHER_BASE = re.compile(r".*[/_]base")
"""Name of a base with a prefix."""
UPRIGHT = Threshold(5.0, "degrees", "largest angle of the first axis from z")
AXES = Threshold(5, "joints", "smallest number of joints of an arm whose first axis is judged")
REACH = Threshold(0.3, "", "smallest horizontal part of the reach that shows where the arm points")
NEAR = Threshold(1.0, "m", "largest distance of base from base_link that needs no remark")
BOTTOM = Threshold(0.02, "m", "largest height of the lowest point of the shapes above or below base_link")


class BaseLink(Rep199):
    """Each arm has a base_link on its foot, where the first joint begins.

    Programs that mount the arm or plan with it look for this frame.
    """

    code = "R199-101"
    level = "MUST"
    clause = "base_link shall be rigidly attached to the robot root body"
    context = STRICT
    base = good = SMALL_ARM
    bad = SMALL_ARM.replace("base_link", "foot")
    repair = staticmethod(name_base_link)
    safe = False

    def check(self, robot: Robot, arms: Arms, bodies: Bodies, strict: bool) -> Found:
        """An arm has no base_link, or it is on another body than the one where the arm begins."""
        for arm in arms:
            if (other := arm.other_base_link) is not None:
                message = f"this frame moves with {bodies[other]!r}; expected on {arm.foot!r}, where the arm begins"
                yield self.finding(message, robot.frames[other])
            elif arm.base_link is None:
                yield self.absent(robot, arms, arm, "base_link", strict)


class BaseLinkAtBottom(Rep199):
    """base_link is at the bottom of the foot, where the arm is mounted.

    Judged by the boxes, cylinders and spheres of base_link, which are expected to stand on the mounting surface, z = 0.
    """

    code = "R199-102"
    thresholds = (BOTTOM,)
    evidence = "advice"
    clause = "expected to be located at the bottom of the first link"
    good = """<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/>"""
    bad = """<collision><origin xyz="0 0 0.5"/><geometry><box size="0.4 0.4 0.2"/>"""

    def check(self, robot: Robot, arms: Arms) -> Found:
        """The lowest point of the shapes of base_link is not at its origin's height. Capsules and meshes are not
        judged."""
        for link in {arm.base_link: robot.links.get(arm.base_link or "") for arm in arms}.values():
            judged = link is not None and not any(shape.shape.kind == "capsule" for shape in link.collisions)
            shapes = [lowest_point(shape.origin, shape) for shape in link.collisions] if link and judged else []
            if link is None or not shapes or None in shapes:
                continue
            lowest = min(height for height in shapes if height is not None)
            if abs(lowest) > BOTTOM:
                message = f"the lowest point of its shapes is at z = {number(lowest)} m;"
                message += " expected 0, where it is mounted"
                yield self.finding(message, link)


class BaseLinkUpright(Rep199):
    """base_link has x forward, y left and z up.

    Judged by the first joint of arms with five or more, which turns about the vertical, and by the direction in which
    the arm reaches with all joints at zero.
    """

    code = "R199-105"
    thresholds = (AXES, UPRIGHT, REACH)
    level = "MUST"
    evidence = "heuristic"
    clause = "shall follow ROS conventions for both chirality and orientation"
    good = '<axis xyz="0 0 1"/>'
    bad = '<axis xyz="1 0 0"/>'

    def check(self, robot: Robot, arms: Arms, poses: Poses) -> Found:
        """The first axis is not along z, or the arm reaches backwards or sideways. Arms that share a base_link may
        lean."""
        for arm in arms:
            first = robot.joints[arm.moving[0]]
            shared = sum(other.base_link == arm.base_link for other in arms) > 1  # two arms on a body lean as they like
            if arm.base_link is None or shared or len(arm.moving) < AXES:
                continue
            if first.axis is None or not first.kind.angular[0]:
                continue
            R = poses[arm.base_link][:3, :3]
            axis = R.T @ poses[first.parent][:3, :3] @ first.origin[:3, :3] @ first.axis
            leaning = float(np.rad2deg(np.arccos(np.clip(abs(axis[2]), 0.0, 1.0))))
            if leaning > UPRIGHT:
                message = f"the axis of {first.name!r}, the first joint, is {number(leaning)} degrees off z;"
                message += " expected along z"
                yield self.finding(message, robot.frames[arm.base_link])
            reach = R.T @ (poses[arm.flange or arm.tool0 or arm.end] - poses[arm.base_link])[:3, 3]
            if np.hypot(reach[0], reach[1]) > REACH * np.linalg.norm(reach) and reach[0] < abs(reach[1]):
                x, y = map(number, reach[:2])
                message = f"with all joints at zero the arm reaches to x = {x}, y = {y} m; expected x forward"
                yield self.remark(message, robot.frames[arm.base_link])


class ChainBeginsAtBaseLink(Rep199):
    """The chain of links begins with base_link.

    Planners take base_link for the first link of the chain.
    """

    code = "R199-108"
    clause = "considered the start of a ROS kinematic (sub) chain"
    good = """<joint name="joint_1" type="revolute">
    <origin xyz="0 0 0.3"/>
    <parent link="base_link"/>"""
    bad = """<link name="plate"/>
  <joint name="plate-base_link" type="fixed"><parent link="plate"/><child link="base_link"/></joint>
  <joint name="joint_1" type="revolute">
    <origin xyz="0 0 0.3"/>
    <parent link="plate"/>"""

    def check(self, robot: Robot, arms: Arms) -> Found:
        """The link that the first joint hangs on is not base_link nor fixed below it."""
        for arm in arms:
            if arm.base_link is None:
                continue
            link = robot.joints[arm.moving[0]].parent
            while link != arm.base_link and (joint := robot.parent_joint(link)) and not joint.kind.nv:
                link = joint.parent
            if link != arm.base_link:
                first = robot.joints[arm.moving[0]]
                message = f"the first joint, {first.name!r}, begins on {first.parent!r}; expected on base_link"
                yield self.finding(message, robot.frames[arm.base_link])


class FixedBase(FixedFrame):
    """base does not move against base_link.

    The controller's frame stands still, whatever the joints do.
    """

    code = "R199-203"
    clause = "the transform between parent and base is fixed"
    good = """<parent link="base_link"/>
    <child link="base"/>"""
    bad = """<parent link="link_1"/>
    <child link="base"/>"""
    frame = "base"


class BaseOrientation(Rep199):
    """base is rotated in base_link as the controller's own frame is.

    This transform is the only place where a model has the difference between the controller's frame and REP-103. Judged
    by the place that the settings give, or else by the frame that models of the maker have in common.
    """

    code = "R199-106"
    thresholds = (EXACT,)
    level = "MUST"
    evidence = "heuristic"
    clause = "shall be resolved by defining the correct transform between base_link … and the base frame"
    requires = ("R199-203",)
    context = CheckOptions(controller="abb")
    good = '<origin xyz="0 0 0.5" rpy="0 0 0"/>'
    bad = '<origin xyz="0 0 0.5" rpy="0 0 3.141592653589793"/>'

    def check(self, robot: Robot, arms: Arms, poses: Poses, controller_frames: ControllerFrames, given: Given) -> Found:
        """The rotation from base_link to base is another than it is given, or than those of the maker's models."""
        for arm in arms:
            if arm.base is None or arm.base_link is None:
                continue
            T = given("base", arm, arm.base_link)
            expected = T[:3, :3] if isinstance(T, np.ndarray) else controller_frames.base_rotation
            if expected is None:
                continue
            R = (se3.inverse(poses[arm.base_link]) @ poses[arm.base])[:3, :3]
            off = angle(expected.T @ R)
            if np.deg2rad(off) > EXACT:
                turned, meant = number(angle(R)), number(angle(expected))
                message = f"is rotated {turned} degrees in {arm.base_link!r}; expected {meant} degrees"
                if turned == meant:
                    message = f"is rotated {number(off)} degrees from the expected orientation in {arm.base_link!r}"
                yield self.finding(f"{message}, {_as(T, controller_frames)}", robot.frames[arm.base])


class BasePosition(Rep199):
    """base is where the controller has its own frame.

    Poses that the controller shows are in this frame. Judged by the place that the settings give, or else by the one
    that models of the maker have in common; `kinetree calibrate` finds it from poses of the real robot. If neither is
    known, a remark says so: in a strict profile, for a controller that is known, and if base is far from base_link.
    """

    code = "R199-201"
    thresholds = (EXACT, NEAR)
    level = "MUST"
    evidence = "heuristic"
    clause = "shall be coincident with the default Cartesian coordinate system"
    requires = ("R199-203",)
    context = CheckOptions(controller="fanuc")
    good = '<origin xyz="0 0 0.5" rpy="0 0 0"/>'
    bad = '<origin xyz="0 0 0.3" rpy="0 0 0"/>'

    def check(
        self, robot: Robot, arms: Arms, poses: Poses, controller_frames: ControllerFrames, given: Given, strict: bool
    ) -> Found:
        """base is elsewhere than it is given, or than in the maker's models."""
        for arm in arms:
            if arm.base is None or arm.base_link is None:
                continue
            T = given("base", arm, arm.base_link)
            expected = T[:3, 3] if isinstance(T, np.ndarray) else controller_frames.base_position(robot, arm, poses)
            p = (se3.inverse(poses[arm.base_link]) @ poses[arm.base])[:3, 3]
            if expected is None:
                if T is None and (strict or controller_frames.controller or np.linalg.norm(p) > NEAR):
                    yield self._not_judged(robot, arm, p, controller_frames)
                continue
            off = float(np.linalg.norm(p - expected))
            if off > EXACT:
                texts = numbers(np.round((*p, *expected), 6).tolist())
                message = f"is at {' '.join(texts[:3])} m in {arm.base_link!r}; expected {' '.join(texts[3:])} m"
                message += f", {_as(T, controller_frames)}"
                yield self.finding(message, robot.frames[arm.base])

    def _not_judged(self, robot: Robot, arm: Arm, p: Array, who: ControllerFrames) -> Finding:
        why = f"no place is known for {who.name}" if who.controller else "the controller is not known"
        there = " ".join(map(number, np.round(p, 6)))
        message = f"is at {there} m in {arm.base_link!r}, which is not judged, because {why}"
        fix = "name it with --controller, or write base = 'X Y Z R P Y' (m, rad) into [[models]] of the settings"
        return self.finding(message, robot.frames[arm.base or ""], severity="info", fix=fix)


def _as(T: Array | str | None, who: ControllerFrames) -> str:
    """Return who says where base is expected. T: of base as it is given."""
    return "as given" if isinstance(T, np.ndarray) else f"as in models of {who.name}"


class BaseParent(Rep199):
    """base is a child of base_link.

    Other parents are allowed, but few programs look for base there.
    """

    code = "R199-205"
    clause = "expected … that base_link will often be the parent of base"
    requires = ("R199-203",)
    good = """<parent link="base_link"/>
    <child link="base"/>"""
    bad = """<parent link="mount"/>
    <child link="base"/>
  </joint>
  <link name="mount"/>
  <joint name="base_link-mount" type="fixed">
    <parent link="base_link"/>
    <child link="mount"/>"""
    repair = hang("base", "base_link")

    def check(self, robot: Robot, arms: Arms) -> Found:
        """base hangs on another link."""
        for arm in arms:
            if arm.base is None or arm.base_link is None:
                continue
            link = parent(robot, arm.base)
            if link != arm.base_link:
                message = (
                    f"is attached to {link!r}; expected {arm.base_link!r}"
                    if link
                    else f"is the parent of {arm.base_link!r}; expected its child"
                )
                yield self.finding(message, robot.frames[arm.base])


class BaseGeometry(NoGeometry):
    """base has no geometry.

    It is a frame, not a body.
    """

    code = "R199-206"
    clause = "base shall not have any geometry associated with it"
    good = '<link name="base"/>'
    bad = '<link name="base"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
    frame = "base"
    instead = "base_link"
    repair = move_geometry("base")


class Base(Rep199):
    """Each arm has a base.

    Without it, the model does not say where the controller's coordinates are. If it is where other models of the maker
    have it, `kinetree fix` adds it; otherwise give `kinetree fix` its place with `--base`.
    """

    code = "R199-208"
    level = "MUST"
    clause = "must however support transforms from anywhere in the chain to base"
    context = STRICT
    good = """<link name="base"/>
  <joint name="base_link-base" type="fixed">
    <origin xyz="0 0 0.5" rpy="0 0 0"/>
    <parent link="base_link"/>
    <child link="base"/>
  </joint>"""
    bad = good.replace('base"', 'controller_frame"')
    repair = staticmethod(add_base)

    def check(self, robot: Robot, arms: Arms, bodies: Bodies, strict: bool) -> Found:
        """An arm has no base, and no frame of that name with another prefix is attached to its base_link; nor have
        several arms one base in common."""
        common = robot.links.get("base") if len(arms) > 1 and not geometry(robot, "base") else None
        for arm in arms:
            if common is not None and bodies["base"] == bodies[arm.foot]:
                continue
            near = [joint.child for joint in robot.child_joints(arm.base_link)] if arm.base_link else []
            if arm.base is None and not any(OTHER_BASE.fullmatch(link) and not geometry(robot, link) for link in near):
                yield self.absent(robot, arms, arm, "base", strict)
