"""Rules of REP-199 about base_link, the foot of an arm, and base, the controller's own frame."""

from collections.abc import Iterator, Mapping

import numpy as np

from kinetree.conventions.options import CheckOptions
from kinetree.conventions.quality import lowest_point
from kinetree.conventions.rep199.arms import Arm
from kinetree.conventions.rep199.clause import (
    EXACT,
    STRICT,
    NoGeometry,
    Rep199,
    angle,
    own_joint,
    parent,
)
from kinetree.conventions.rep199.fixes import add_base, hang, move_geometry, name_base_link
from kinetree.conventions.rep199.makers import Maker
from kinetree.conventions.rule import link_or_frame
from kinetree.errors import Finding
from kinetree.model.robot import Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

UPRIGHT = 5.0
"""Largest angle of an upright first axis from the vertical, deg."""
BOTTOM = 0.02
"""Largest distance of base_link from the bottom of its shapes, m."""


class BaseLink(Rep199):
    """base_link is there, on the body that carries the first joint.

    Whoever mounts the arm, or plans with it, asks for this frame.
    """

    code = "R199-101"
    level = "MUST"
    clause = "base_link shall be rigidly attached to the robot root body"
    context = STRICT
    good = '"base_link"'
    bad = '"foot"'
    mend = staticmethod(name_base_link)
    safe = False

    def check(self, robot: Robot, arms: tuple[Arm, ...], bodies: Mapping[str, str], strict: bool) -> Iterator[Finding]:
        """An arm has no base_link, or it is on another body than the one where the arm begins."""
        for arm in arms:
            if arm.astray is not None:
                message = f"is on {bodies[arm.astray]!r}, but the arm begins on {arm.foot!r}"
                yield self.finding(message, link_or_frame(robot, arm.astray))
            elif arm.base_link is None:
                yield self.absent(robot, arms, arm, "base_link", strict)


class BaseLinkAtBottom(Rep199):
    """base_link is at the bottom of the foot, where it is mounted.

    Judged by the boxes, cylinders and spheres of base_link: nothing is to stand out of the mounting surface.
    """

    code = "R199-102"
    evidence = "advice"
    clause = "expected to be located at the bottom of the first link"
    good = """<collision><origin xyz="0 0 0.1"/><geometry><box size="0.4 0.4 0.2"/>"""
    bad = """<collision><origin xyz="0 0 0.5"/><geometry><box size="0.4 0.4 0.2"/>"""

    def check(self, robot: Robot, arms: tuple[Arm, ...]) -> Iterator[Finding]:
        """The lowest point of the shapes of base_link is not at its origin's height."""
        for link in {arm.base_link: robot.links.get(arm.base_link or "") for arm in arms}.values():
            judged = link is not None and not any(shape.shape.kind == "capsule" for shape in link.collisions)
            shapes = [lowest_point(shape.origin, shape) for shape in link.collisions] if link and judged else []
            if link is None or not shapes or None in shapes:
                continue
            lowest = min(height for height in shapes if height is not None)
            if abs(lowest) > BOTTOM:
                yield self.finding(f"the lowest point of its shapes is at z = {lowest:.3g} m", link)


class BaseLinkUpright(Rep199):
    """base_link has x forward, y left and z up.

    Judged by the first joint of arms with five or more, which turns about the vertical, and by where the arm reaches
    with all joints at zero: forwards, or nowhere in particular.
    """

    code = "R199-105"
    level = "MUST"
    evidence = "heuristic"
    clause = "shall follow ROS conventions for both chirality and orientation"
    good = '<axis xyz="0 0 1"/>'
    bad = '<axis xyz="1 0 0"/>'

    def check(self, robot: Robot, arms: tuple[Arm, ...], poses: Mapping[str, Array]) -> Iterator[Finding]:
        """The first axis is not along z, or the arm reaches backwards or sideways."""
        for arm in arms:
            first = robot.joints[arm.moving[0]]
            shared = sum(other.base_link == arm.base_link for other in arms) > 1  # two arms on a body lean as they like
            if (
                arm.base_link is None
                or shared
                or len(arm.moving) < 5
                or first.axis is None
                or not first.kind.angular[0]
            ):
                continue
            R = poses[arm.base_link][:3, :3]
            axis = R.T @ poses[first.parent][:3, :3] @ first.origin[:3, :3] @ first.axis
            leaning = float(np.rad2deg(np.arccos(np.clip(abs(axis[2]), 0.0, 1.0))))
            if leaning > UPRIGHT:
                message = f"the first joint, {first.name!r}, leans {leaning:.4g} degrees from its z"
                yield self.finding(message, link_or_frame(robot, arm.base_link))
            reach = R.T @ (poses[arm.flange or arm.tool0 or arm.end] - poses[arm.base_link])[:3, 3]
            if np.hypot(reach[0], reach[1]) > 0.3 * np.linalg.norm(reach) and reach[0] < abs(reach[1]):
                message = f"with all joints at zero the arm reaches to x = {reach[0]:.3g}, y = {reach[1]:.3g} m"
                yield self.remark(message, link_or_frame(robot, arm.base_link))


class ChainBeginsAtBaseLink(Rep199):
    """The chain of links begins with base_link.

    Tools take base_link for the first link of the chain.
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

    def check(self, robot: Robot, arms: tuple[Arm, ...]) -> Iterator[Finding]:
        """The link that the first joint hangs on is not base_link nor fixed below it."""
        for arm in arms:
            if arm.base_link is None:
                continue
            link = robot.joints[arm.moving[0]].parent
            while link != arm.base_link and (joint := robot.parent_joint(link)) and not joint.kind.nv:
                link = joint.parent
            if link != arm.base_link:
                first = robot.joints[arm.moving[0]]
                message = f"the first joint, {first.name!r}, hangs on {first.parent!r}, which is not behind it"
                yield self.finding(message, link_or_frame(robot, arm.base_link))


class BaseFixed(Rep199):
    """base does not move against base_link.

    The controller's frame stands still, whatever the joints do.
    """

    code = "R199-203"
    level = "MUST"
    clause = "the transform between parent and base is fixed"
    good = """<parent link="base_link"/>
    <child link="base"/>"""
    bad = """<parent link="link_1"/>
    <child link="base"/>"""

    def check(self, robot: Robot, arms: tuple[Arm, ...], bodies: Mapping[str, str]) -> Iterator[Finding]:
        """base is carried by a joint that moves, or fixed to a link that does."""
        for arm in arms:
            if arm.base is None:
                continue
            joint = own_joint(robot, arm.base)
            if joint is not None and joint.kind.nv:
                message = f"joint {joint.name!r}, which carries it, is {joint.type}"
                yield self.finding(message, link_or_frame(robot, arm.base))
            elif bodies[arm.base] != arm.foot:
                message = f"is fixed to {bodies[arm.base]!r}, which moves against {(arm.base_link or arm.foot)!r}"
                yield self.finding(message, link_or_frame(robot, arm.base))


class BaseOrientation(Rep199):
    """base is turned against base_link as the controller's frame is.

    What a controller's frame has other than REP-103 is said by this transform, and nowhere else. Judged by what models
    of the maker agree on.
    """

    code = "R199-106"
    level = "MUST"
    evidence = "heuristic"
    clause = "shall be resolved by defining the correct transform between base_link … and the base frame"
    requires = ("R199-203",)
    context = CheckOptions(vendor="abb")
    good = '<origin xyz="0 0 0.5" rpy="0 0 0"/>'
    bad = '<origin xyz="0 0 0.5" rpy="0 0 3.141592653589793"/>'

    def check(self, robot: Robot, arms: tuple[Arm, ...], poses: Mapping[str, Array], maker: Maker) -> Iterator[Finding]:
        """The rotation from base_link to base is another than those of the maker's models."""
        for arm in arms:
            expected = maker.base_rotation
            if expected is None or arm.base is None or arm.base_link is None:
                continue
            R = (se3.inverse(poses[arm.base_link]) @ poses[arm.base])[:3, :3]
            off = angle(expected.T @ R)
            if np.deg2rad(off) > EXACT:
                message = f"is turned by {angle(R):.4g} degrees in {arm.base_link!r}; that of {maker.name} is "
                turned = f"turned by {angle(expected):.4g} degrees" if angle(expected) > 0.01 else "not turned"
                yield self.finding(message + turned, link_or_frame(robot, arm.base))


class BasePosition(Rep199):
    """base is where the controller has its own frame.

    Poses that the controller shows are in this frame. Judged by what models of the maker agree on; `kinetree calibrate`
    tells it from poses of the real robot.
    """

    code = "R199-201"
    level = "MUST"
    evidence = "heuristic"
    clause = "shall be coincident with the default Cartesian coordinate system"
    requires = ("R199-203",)
    context = CheckOptions(vendor="fanuc")
    good = '<origin xyz="0 0 0.5" rpy="0 0 0"/>'
    bad = '<origin xyz="0 0 0.3" rpy="0 0 0"/>'

    def check(self, robot: Robot, arms: tuple[Arm, ...], poses: Mapping[str, Array], maker: Maker) -> Iterator[Finding]:
        """base is elsewhere than in the maker's models."""
        for arm in arms:
            if arm.base is None or arm.base_link is None:
                continue
            expected = maker.base_position(robot, arm, poses)
            if expected is None:
                continue
            p = (se3.inverse(poses[arm.base_link]) @ poses[arm.base])[:3, 3]
            off = float(np.linalg.norm(p - expected))
            if off > EXACT:
                where = " ".join(f"{x:.4g}" for x in expected)
                message = f"is {off:.4g} m from where models of {maker.name} have it, {where} m in {arm.base_link!r}"
                yield self.finding(message, link_or_frame(robot, arm.base))


class BaseParent(Rep199):
    """base is a child of base_link.

    Other parents are allowed, but nobody looks for base there.
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
    mend = hang("base", "base_link")

    def check(self, robot: Robot, arms: tuple[Arm, ...]) -> Iterator[Finding]:
        """base hangs on another link."""
        for arm in arms:
            if arm.base is None or arm.base_link is None:
                continue
            link = parent(robot, arm.base)
            if link != arm.base_link:
                message = f"hangs on {link!r}, not on {arm.base_link!r}" if link else f"carries {arm.base_link!r}"
                yield self.finding(message, link_or_frame(robot, arm.base))


class BaseGeometry(NoGeometry):
    """base has no geometry.

    It is a frame, not a body.
    """

    code = "R199-206"
    clause = "base shall not have any geometry associated with it"
    good = '<link name="base"/>'
    bad = '<link name="base"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>'
    frame = "base"
    instead = ", which belongs to base_link"
    mend = move_geometry("base")


class Base(Rep199):
    """base is there.

    Without it nothing says where the controller's coordinates are.
    """

    code = "R199-208"
    level = "MUST"
    clause = "must however support transforms from anywhere in the chain to base"
    context = STRICT
    good = '"base"'
    bad = '"controller_frame"'
    mend = staticmethod(add_base)

    def check(self, robot: Robot, arms: tuple[Arm, ...], strict: bool) -> Iterator[Finding]:
        """An arm has no base."""
        for arm in arms:
            if arm.base is None:
                yield self.absent(robot, arms, arm, "base", strict)
