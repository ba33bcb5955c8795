"""Base of the rules of REP-199, with their examples and shared measures."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kinetree.robot_kinds.arms import Arm
from kinetree.robot_kinds.kinds import GIVEN, Kinds
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from kinetree.rules.rule import Array, Bodies, Finding, Found, Joint, Poses, Robot, Rule, Threshold, fact

URL = "https://github.com/gavanderhoorn/rep/blob/coord_frames_ind_robots/rep-0199.rst"


EXACT = Threshold(1e-3, "m or rad", "largest error of the place or the turn of a frame")
ALONG = Threshold(0.999, "cosine", "largest angle between two directions that are the same")

MEANING = {
    "base_link": "the frame at its foot",
    "base": "the frame in which its controller shows poses",
    "flange": "the frame to which tools are attached",
    "tool0": "the controller's TCP if no tool is set",
}
"""What the frames of REP-199 are for."""
STRICT = CheckOptions("industrial-strict")
"""Context for the examples of missing-frame rules."""


WITH_ARMS = ("arm", "mobile-manipulator")
"""Kinds of robots whose arms are judged as industrial manipulators."""


Arms = tuple[Arm, ...]


@fact
def arms(serial_chains: tuple[Arm, ...], kinds: Kinds) -> Arms:
    """Return the arms that are judged as industrial manipulators, in the order of their last links in the file."""
    if kinds.kind not in WITH_ARMS:
        return ()
    others = {link for chain in kinds.chains if chain.kind != "arm" for link in chain.links}
    return tuple(arm for arm in serial_chains if kinds.reasons == (GIVEN,) or arm.end not in others)


class Rep199(Rule):
    """A clause of REP-199; its examples are pieces of an arm that follows them all."""

    url: ClassVar[str] = URL
    base: ClassVar[str | None] = ARM
    of_robot: ClassVar[bool] = True

    def absent(self, robot: Robot, arms: Sequence[Arm], arm: Arm, name: str, strict: bool) -> Finding:
        """Return the finding that an arm lacks a frame of a name. It is a warning, since the REP defines the frame and
        does not require it; a strict profile uses the REP's own level."""
        prefix = arm.prefix.lstrip("/")  # names without a slash in front, see NAM-004
        wanted = f"{prefix}{name}"
        theirs = {getattr(other, name) for other in arms}
        friends = {other for other in robot.frames if other.endswith(f"_{name}") or other == wanted} - theirs
        near = f"; {min(friends)!r} is another frame" if len(friends) == 1 else ""
        if len(arms) == 1 and arm.prefix and name in ("flange", "tool0") and name in robot.frames:
            near = f"; {name!r} lacks the prefix {arm.prefix!r}"
        severity = self.severity() if strict else "warning"
        place = arm.end if name in ("flange", "tool0") else arm.foot
        on = {"base": arm.base_link or arm.foot, "flange": arm.end}.get(name, arm.flange or f"{prefix}flange")
        fix = f"kinetree fix adds it, with --{name} 'X Y Z R P Y' (m, rad, in {on}) if its place is unknown"
        if robot.text is None or robot.text.format != "urdf":
            fix = f"add it, fixed to {on!r}"
        if name == "base_link":
            place = robot.joints[arm.moving[0]].parent
            shared = sum(robot.joints[other.moving[0]].parent == place for other in arms) > 1
            rename = f", or rename {place!r}" if not shared and geometry(robot, place) else ""
            fix = f"add a link {wanted} that is fixed to {place!r}{rename}"
        message = f"the arm that ends with {arm.end!r} has no {wanted}, {MEANING[name]}{near}"
        if name == "base" and wanted in friends:
            message = f"the link {wanted!r} is a body of the arm that ends with {arm.end!r}, not {MEANING[name]}"
            fix, place = f"rename it to '{prefix}base_link', and add the frame {wanted!r}", wanted
        return self.finding(message, f"frame {wanted!r}", source=robot.links[place].source, severity=severity, fix=fix)


class NoGeometry(Rep199):
    """A clause that a frame has no geometry. frame: field of `Arm` with its name. instead: the place for it."""

    level = "MUST"
    frame: ClassVar[str]
    instead: ClassVar[str]

    def check(self, robot: Robot, arms: Arms) -> Found:
        """A frame of an arm that has shapes."""
        for name in (getattr(arm, self.frame) for arm in arms):
            if name and geometry(robot, name):
                yield self.finding(f"this frame has geometry, which belongs to {self.instead}", robot.frames[name])


class FixedFrame(Rep199):
    """A clause that a frame does not move on its arm. frame: field of `Arm` with its name."""

    level = "MUST"
    frame: ClassVar[str]

    def check(self, robot: Robot, arms: Arms, bodies: Bodies) -> Found:
        """A frame of an arm that a joint moves, or that is fixed to another body."""
        for arm in arms:
            name = getattr(arm, self.frame)
            joint = own_joint(robot, name)
            right = {"base": (arm.foot,), "flange": (arm.end,), "tool0": (arm.end, arm.flange)}[self.frame]
            message = ""
            if joint is not None and joint.kind.nv:
                message = f"the joint {joint.name!r} to this frame is {joint.type}; expected fixed"
            elif name and bodies[name] not in right:  # tool0 on a flange that turns is right
                foot = repr(arm.base_link or arm.foot)
                expected = foot if self.frame == "base" else f"{arm.end!r}, where the arm ends"
                message = f"this frame moves with {bodies[name]!r}; expected fixed to {expected}"
            if message:
                yield self.finding(message, robot.frames[name])


def parent(robot: Robot, name: str) -> str | None:
    """Return the link that carries a frame, None for the root."""
    joint = own_joint(robot, name)
    return joint.parent if joint else robot.frames[name].link if name not in robot.links else None


def geometry(robot: Robot, name: str) -> int:
    """Return the number of shapes of a frame, visual and collision."""
    link = robot.links.get(name)
    return len(link.visuals) + len(link.collisions) if link else 0


def own_joint(robot: Robot, name: str | None) -> Joint | None:
    """Return the joint that carries a frame; None for the root, for a frame that is not a link, and for None."""
    return robot.parent_joint(name) if name and name in robot.links else None


def children(robot: Robot, name: str | None) -> tuple[Joint, ...]:
    """Return the joints on a frame; none on a frame that is not a link."""
    return robot.child_joints(name) if name and name in robot.links else ()


def between(a: Array, b: Array) -> float:
    """Return the angle between two unit vectors (3,), deg."""
    return float(np.rad2deg(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)))


def angle(R: Array) -> float:
    """Return the angle of a rotation (3, 3), deg."""
    return float(np.rad2deg(np.arccos(np.clip((np.trace(R) - 1) / 2, -1.0, 1.0))))


def last_axis(arm: Arm, robot: Robot, poses: Poses) -> Array | None:
    """Return the axis (3,) about which the last joint turns, or along which it slides if the joint before turns about
    it, as in the quill of a SCARA; else None."""
    joint, before = (robot.joints[name] for name in arm.moving[:-3:-1])
    axis, other = (_axis(joint, poses), _axis(before, poses))
    if axis is None or joint.kind.angular[0]:
        return axis
    turns = other is not None and before.kind.angular[0]
    return axis if turns and abs(axis @ other) > ALONG else None


def _axis(joint: Joint, poses: Poses) -> Array | None:
    return None if joint.axis is None else poses[joint.parent][:3, :3] @ joint.origin[:3, :3] @ joint.axis


def outwards(arm: Arm, robot: Robot, poses: Poses) -> Array | None:
    """Return the direction out of the last link: along the last joint's axis, away from the joint before, or as tool0's
    Z; None if it is unknown."""
    axis = last_axis(arm, robot, poses)
    if axis is None:
        return None
    before = robot.joints[arm.moving[-2]]
    wrist = (poses[before.parent] @ before.origin)[:3, 3]
    along = float(axis @ (poses[arm.flange or arm.tool0 or arm.end][:3, 3] - wrist))
    if abs(along) < 1e-6 and arm.tool0 is not None:
        along = float(axis @ poses[arm.tool0][:3, 2])
    return axis * np.sign(along) if abs(along) > 1e-6 else None


def off_the_way_out(direction: Array, arm: Arm, robot: Robot, poses: Poses) -> float | None:
    """Return the angle between a direction (3,) and that out of the last link, deg. If only its axis is known, it is
    the smaller angle to that; if nothing is, None."""
    axis, out = last_axis(arm, robot, poses), outwards(arm, robot, poses)
    if out is not None:
        return between(direction, out)
    return None if axis is None else min(between(direction, axis), between(direction, -axis))


def flange_off(arm: Arm, robot: Robot, poses: Poses) -> float | None:
    """Return the angle of X of an arm's flange from the direction out of the last link, deg; None if it is correct or
    unknown."""
    off = off_the_way_out(poses[arm.flange][:3, 0], arm, robot, poses) if arm.flange else None
    return off if off is not None and np.cos(np.deg2rad(off)) < ALONG else None


def joints_of(arm: Arm, robot: Robot) -> list[Joint]:
    """Return the joints of an arm to its frames, with fixed ones, from its base_link or from the first that moves."""
    found: dict[str, Joint] = {}
    for frame in (arm.end, arm.flange, arm.tool0, arm.base):
        way = robot.joints_to(robot.frames[frame].link) if frame else ()
        starts = [i for i, joint in enumerate(way) if joint.name == arm.moving[0] or joint.parent == arm.base_link]
        found |= {joint.name: joint for joint in way[starts[-1] :]} if starts else {}
    return list(found.values())
