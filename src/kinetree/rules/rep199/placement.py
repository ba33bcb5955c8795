"""Places of base, flange and tool0: as the options have them, or as the model shows them."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from kinetree.repairs.fixes import EXACT, rpy_text, vector_text
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.rep199.clause import ALONG, Arms, flange_off, geometry, outwards, own_joint
from kinetree.rules.rep199.controller_frames import ControllerFrames
from kinetree.rules.rep199.places import places
from kinetree.rules.rule import Array, Bodies, Joint, Poses, Robot, fact, number
from kinetree.spatial import se3

LEVEL = 0.5
"""Largest vertical part of a flange's X for which its Z is chosen by the direction of up."""
AWAY = 1e-6
"""Largest distance of a frame from where it is given, m."""


Given = Callable[[str, Arm, str], Array | str | None]
"""(which, arm, carrier) -> T_carrier_frame (4, 4) of base, flange or tool0 in the options, why it is wrong, or None if
it is not given."""


@fact
def given(poses: Poses, bodies: Bodies, frames: Mapping[str, str]) -> Given:
    """Return the function that finds the place of a frame in the options."""

    def find(which: str, arm: Arm, carrier: str) -> Array | str | None:
        found = places(which, frames[which]) if which in frames else {}
        place = found.get(arm.prefix, found.get(""))
        if not isinstance(place, str):
            return place
        if bodies.get(place) == bodies[carrier]:
            return se3.inverse(poses[carrier]) @ poses[place]
        fixed = sorted(name for name, body in bodies.items() if body == bodies[carrier])
        why = "moves against it" if place in bodies else "does not exist"
        return f"{which} is given as frame {place!r}, which {why}; frames fixed to {carrier!r} are {', '.join(fixed)}"

    return find


def misplaced(arms: Arms, poses: Poses, given: Given) -> str | None:
    """Return why base, flange or tool0 is elsewhere than the options have it, or None."""
    for arm in arms:
        for which, own, carrier in (
            ("base", arm.base, arm.base_link),
            ("flange", arm.flange, arm.end),
            ("tool0", arm.tool0, arm.flange),
        ):
            T = given(which, arm, carrier) if own and carrier else None
            if own and carrier and T is not None and not isinstance(T, str):
                off = np.abs(se3.inverse(poses[carrier]) @ poses[own] - T).max()
                if off > AWAY:
                    return f"{own!r} would be {number(float(off))} off from where it is given"
    return None


def how(which: str, carrier: str) -> str:
    """Return how the place of a frame is given."""
    return f'give its pose in {carrier!r} with --{which} "X Y Z R P Y" (m, rad), or as {which} in [[models]]'


def unknown(which: str, carrier: str, who: ControllerFrames) -> str:
    """Return why the place of a frame is unknown, and how it is given."""
    why = f"models of {who.name} do not tell where" if who.controller else "the controller is unknown"
    return f"{why}; {how(which, carrier)}" + ("" if who.controller else ", or name the controller with --controller")


def checked(arm: Arm, robot: Robot, poses: Poses, who: ControllerFrames, T: Array) -> Array | str:
    """Return T_root_flange (4, 4) as it is given, or why it is wrong: X must point out of the last link."""
    name = f"{arm.prefix}flange"
    known, arm = {**poses, name: T}, replace(arm, flange=name)
    off = flange_off(arm, robot, known)
    if off is None:
        return T
    why = f"X of flange as it is given is {number(off)} degrees off the way out of {arm.end!r}"
    out = outwards(arm, robot, known)
    right = pose_with_z_up(arm, robot, known)
    if right is None and out is not None:  # X is upright; of all turns about it, the nearest
        turned = se3.homogeneous(se3.rotation_between(T[:3, 0], out) @ T[:3, :3], T[:3, 3])
        right = _pose_text(arm, poses, turned)
    return f"{why}; --flange {right} points outwards" if right else f"{why}, along the axis of {arm.moving[-1]!r}"


def _pose_text(arm: Arm, poses: Poses, T: Array) -> str:
    """Return the text, as options have it, of T_root_flange (4, 4) in the last link."""
    T = without_noise(se3.inverse(poses[arm.end]) @ T)
    return f'"{vector_text(T[:3, 3])} {rpy_text(T[:3, :3])}"'


def pose_with_z_up(arm: Arm, robot: Robot, poses: Poses) -> str | None:
    """Return the text of the pose in the last link of the same flange with X out of it and Z up, None if unknown."""
    right = oriented(poses[arm.flange or arm.end], arm, robot, poses, ControllerFrames())
    return None if isinstance(right, str) else _pose_text(arm, poses, right)


def flange_at_tool0(arm: Arm, robot: Robot, poses: Poses, bodies: Bodies, who: ControllerFrames) -> Array | str:
    """Return T_root_flange (4, 4) of an arm that has a tool0, or why it is unknown."""
    joint = own_joint(robot, arm.tool0)
    if arm.tool0 is None or joint is None:
        return f"there is no tool0 that would show its place; {how('flange', arm.end)}"
    if bodies[arm.tool0] != arm.end or joint.kind.nv or _between(robot, joint, arm):
        return f"{arm.tool0!r} is not fixed to {arm.end!r}, the last link; {how('flange', arm.end)}"
    return oriented(poses[arm.tool0], replace(arm, flange=arm.tool0), robot, poses, who)


def oriented(T: Array, arm: Arm, robot: Robot, poses: Poses, who: ControllerFrames) -> Array | str:
    """Return T_root_flange (4, 4) at the same place with X out of the last link: turned against tool0 as in models of
    the maker, or with Z up; or why that is unknown. arm: with a frame at that place as flange."""
    out = outwards(arm, robot, poses)
    if out is None:
        return f"the model does not show the way out of the last link; {how('flange', arm.end)}"
    T = np.array(T)
    if who.tool0_rotation is not None and arm.tool0:
        T[:3, :3] = poses[arm.tool0][:3, :3] @ who.tool0_rotation.T
        if T[:3, 0] @ out < ALONG:
            return f"{arm.tool0!r} is not turned as in models of {who.name}, so X of flange would not point outwards"
        return T
    up = poses[arm.base_link or arm.foot][:3, 2]
    if abs(out @ up) > LEVEL:
        return f"its turn about X is unknown, since X is upright; {how('flange', arm.end)}"
    z = up - out * (out @ up)
    z /= np.linalg.norm(z)
    T[:3, :3] = np.column_stack((out, np.cross(z, out), z))
    return T


def without_noise(T: Array) -> Array:
    """Return a pose (4, 4) with roll, pitch and yaw at the twelfths of π that they are near."""
    rpy = [se3.rpy_from_rotation(T[:3, :3])[i] for i in range(3)]
    near = [round(angle * 12 / np.pi) * np.pi / 12 for angle in rpy]
    rpy = [b if abs(a - b) < EXACT else a for a, b in zip(rpy, near, strict=True)]
    return se3.pose_from_xyz_rpy(T[:3, 3].tolist(), rpy)


def _between(robot: Robot, joint: Joint, arm: Arm) -> bool:
    """Return whether there is a body between the last link and the joint of tool0."""
    links = [before.child for before in robot.joints_to(joint.parent)]
    return any(geometry(robot, link) for link in links[links.index(arm.end) + 1 :])
