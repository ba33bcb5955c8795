"""Repairs of the rules of REP-199: for frames that are missing, have the wrong parent, or have geometry; other names.

Each function is the repair of some rules: it yields edits for their findings, or why there are none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.model.edit.subtree import links_below
from kinetree.repairs.edit import Edit, Repair, edited, insert_after, insert_inside, remove, set_attribute
from kinetree.repairs.fixes import Elements, exact, new_frame, origins_of, set_origin
from kinetree.repairs.rename_references import rename_repairs
from kinetree.robot_kinds.arms import Arm
from kinetree.rules.rep199.clause import Arms, children, flange_off, geometry, joints_of, own_joint
from kinetree.rules.rep199.controller_frames import ControllerFrames
from kinetree.rules.rep199.placement import AWAY, Given, checked, flange_at_tool0, how, oriented, unknown, without_noise
from kinetree.rules.rule import Array, Bodies, Element, Poses, Robot, number
from kinetree.spatial import se3

if TYPE_CHECKING:  # whose rules have methods from here
    from kinetree.rules.rep199.tools import Tool

AT_END = ("flange", "tool0")
"""Frames at the end of an arm."""


def add_base(
    robot: Robot, arms: Arms, poses: Poses, controller_frames: ControllerFrames, given: Given, elements: Elements
) -> Iterator[Repair]:
    """Add base to base_link, where the options have it or else as in the maker's models."""
    for arm in arms:
        if arm.base is not None:
            continue
        name, carrier = f"frame '{arm.prefix}base'", arm.base_link
        if carrier is None:
            yield _not(name, "there is no base_link to attach it to; repair R199-101 first")
            continue
        R, p = controller_frames.base_rotation, controller_frames.base_position(robot, arm, poses)
        measured = None if R is None or p is None else se3.homogeneous(R, p)
        T = given("base", arm, carrier)
        T = T if T is not None else measured
        if T is None or isinstance(T, str):
            yield _not(name, T or unknown("base", carrier, controller_frames))
        else:
            yield _added(robot, elements, arm, "base", carrier, T)


def add_tool0(
    robot: Robot, arms: Arms, poses: Poses, controller_frames: ControllerFrames, given: Given, elements: Elements
) -> Iterator[Repair]:
    """Add tool0 to flange, where the options have it or else turned as in the maker's models."""
    for arm in arms:
        name = f"frame '{arm.prefix}tool0'"
        if arm.tool0 is not None:
            yield _not(f"link {arm.tool0!r}", "a turn would move it; edit its joint by hand")
        elif arm.flange is None:
            why = how("flange", arm.end) if given("flange", arm, arm.end) is None else "its own repair says why"
            yield _not(name, f"it is attached to flange, which is missing, too; {why}")
        elif flange_off(arm, robot, poses) is not None:
            yield _not(name, f"X of {arm.flange!r} does not point outwards (R199-403), so tool0 would not either")
        else:
            R = controller_frames.tool0_rotation
            T = given("tool0", arm, arm.flange)
            T = T if T is not None or R is None else se3.homogeneous(R, np.zeros(3))
            if T is None or isinstance(T, str):
                yield _not(name, T or unknown("tool0", arm.flange, controller_frames))
            else:
                yield _added(robot, elements, arm, "tool0", arm.flange, T)


def add_flange(
    robot: Robot,
    arms: Arms,
    poses: Poses,
    bodies: Bodies,
    controller_frames: ControllerFrames,
    given: Given,
    elements: Elements,
) -> Iterator[Repair]:
    """Add flange where the options have it or else where tool0 is, and attach the links at the end of an arm to it."""
    for arm in arms:
        if arm.flange is not None:
            yield from _hung(robot, poses, elements, [arm.end, arm.tool0 or arm.end], arm)
            continue
        name = f"{arm.prefix}flange"
        T = given("flange", arm, arm.end)
        found: Array | str | None
        if T is None or isinstance(T, str):
            found = T or _inexact(robot, elements, arm.end, arm.tool0 or arm.end)
            found = found or flange_at_tool0(arm, robot, poses, bodies, controller_frames)
        else:
            found = checked(arm, robot, poses, controller_frames, poses[arm.end] @ T)
        if isinstance(found, str):
            yield _not(f"frame {name!r}", found)
            continue
        T = without_noise(se3.inverse(poses[arm.end]) @ found)
        new = _added(robot, elements, arm, "flange", arm.end, T)
        if new.edits and arm.tool0 and (joint := own_joint(robot, arm.tool0)):
            moved = _on(elements.joints[joint.name], name, se3.inverse(poses[arm.end] @ T) @ poses[arm.tool0])
            new = replace(new, edits=(*new.edits, *moved))
        yield new


def turn_flange(
    robot: Robot, arms: Arms, poses: Poses, controller_frames: ControllerFrames, given: Given, elements: Elements
) -> Iterator[Repair]:
    """Turn flange so that X points out of the last link; what is attached to it stays where it is."""
    for arm in arms:
        joint = own_joint(robot, arm.flange)
        if arm.flange is None or joint is None:
            continue
        about = f"link {arm.flange!r}"
        T = given("flange", arm, arm.end)
        old = poses[arm.flange]
        if T is None or isinstance(T, str):
            found = T or oriented(old, arm, robot, poses, controller_frames)
        else:
            found = checked(arm, robot, poses, controller_frames, poses[arm.end] @ T)
        if isinstance(found, str):
            yield _not(about, found)
        elif np.abs(old[:3, 3] - found[:3, 3]).max() > AWAY:
            off = number(float(np.linalg.norm(old[:3, 3] - found[:3, 3])))
            yield _not(about, f"it is {off} m from where it is given; a repair turns it, and does not move it")
        elif geometry(robot, arm.flange) or robot.links[arm.flange].inertial or _referred(elements, arm.flange):
            yield _not(about, "it has a shape, a mass or a <gazebo> block, which would turn with it")
        else:
            R = se3.inverse(old) @ found
            R[:3, 3] = 0.0
            turned = set_origin(elements.joints[joint.name], joint.origin @ R)
            behind = [(elements.joints[other.name], other) for other in robot.child_joints(arm.flange)]
            keeps = [edit for element, other in behind for edit in set_origin(element, se3.inverse(R) @ other.origin)]
            yield Repair(about, tuple(turned), turned={arm.flange: R}, keeps=tuple(keeps))


def hang(frame: str, on: str) -> object:
    """Return the repair that attaches one frame of an arm, base or tool0, to another in its place."""

    def repair(robot: Robot, arms: Arms, poses: Poses, elements: Elements) -> Iterator[Repair]:
        for link, carrier in ((getattr(arm, frame), getattr(arm, on)) for arm in arms):
            if link and carrier:
                yield from _rehung(robot, poses, elements, link, carrier)

    return staticmethod(repair)


def hang_on_flange(robot: Robot, arms: Arms, poses: Poses, elements: Elements) -> Iterator[Repair]:
    """Attach the children of tool0 to flange."""
    for arm in arms:
        if arm.flange and arm.tool0:
            yield from _hung(robot, poses, elements, [arm.tool0], arm)
        elif arm.tool0:
            for joint in children(robot, arm.tool0):
                yield _not(f"link {joint.child!r}", f"there is no flange to attach it to; {how('flange', arm.end)}")


def hang_tools(robot: Robot, tools: tuple[Tool, ...], poses: Poses, elements: Elements) -> Iterator[Repair]:
    """Attach frames of tools to flange."""
    for tool in tools:
        if tool.arm.flange:
            yield from _rehung(robot, poses, elements, tool.name, tool.arm.flange)


def _hung(robot: Robot, poses: Poses, elements: Elements, places: list[str], arm: Arm) -> Iterator[Repair]:
    for place in places:
        for joint in children(robot, place):
            if arm.flange and joint.child not in (arm.flange, arm.tool0):
                yield from _rehung(robot, poses, elements, joint.child, arm.flange)


def _rehung(robot: Robot, poses: Poses, elements: Elements, link: str, on: str) -> Iterator[Repair]:
    """Attach a link to another in its place with all joints at zero; only its origin changes."""
    joint = own_joint(robot, link)
    if joint is None or joint.parent == on:
        return
    if on in links_below(robot, link):
        yield _not(f"link {link!r}", f"{on!r} itself is attached to it")
    elif why := _inexact(robot, elements, on, link):
        yield _not(f"link {link!r}", why)
    else:
        T = se3.inverse(poses[on]) @ poses[joint.parent] @ joint.origin
        yield Repair(f"link {link!r}", tuple(_on(elements.joints[joint.name], on, T)))


def _inexact(robot: Robot, elements: Elements, a: str, b: str, *more: Element) -> str | None:
    """Return why the pose of link b in link a, and of more elements with an origin, must not be computed, or None. The
    reason is an angle with a finding of R103-007, whose error would be hidden in the result."""
    one, other = (robot.joints_to(robot.frames[frame].link)[::-1] for frame in (a, b))
    owners = [elements.joints[joint.name] for joint in (*one, *other) if (joint in one) != (joint in other)]
    for owner in (*owners, *more):
        for text in (text for origin in origins_of(owner) for text in (origin.get("rpy") or "").split()):
            if true := exact(text):
                return f"rpy {text} of {owner.label} is inexact, meant to be {true}; R103-007 repairs that first"
    return None


def _on(joint: Element, link: str, T: Array) -> list[Edit]:
    """Attach a joint to a link at T_link_joint (4, 4)."""
    parent_element = joint.find("parent")
    assert parent_element is not None, "the reader refuses joints without"
    return [set_attribute(parent_element, "link", link), *set_origin(joint, T)]


def move_geometry(which: str) -> object:
    """Return the repair that moves the geometry of a frame, base, flange or tool0, to its parent link."""

    def repair(robot: Robot, arms: Arms, poses: Poses, elements: Elements) -> Iterator[Repair]:
        for arm in arms:
            name = getattr(arm, which)
            if not name or not geometry(robot, name):
                continue
            carrier = _carrier(robot, arm, name)
            if carrier is None:
                yield _not(f"link {name!r}", "it is a body that a joint moves, or the root; give it another name")
            elif _referred(elements, name):
                yield _not(f"link {name!r}", "a <gazebo> block refers to it")
            elif why := _inexact(robot, elements, carrier, name, *_shapes(elements.links[name])):
                yield _not(f"link {name!r}", why)
            else:
                T = se3.inverse(poses[carrier]) @ poses[name]
                yield Repair(f"link {name!r}", tuple(_moved(robot, elements, name, carrier, T)))

    return staticmethod(repair)


def _carrier(robot: Robot, arm: Arm, name: str) -> str | None:
    """Return the nearest ancestor that is not base, flange or tool0; None behind a joint that moves."""
    link = name
    while link in (arm.base, arm.flange, arm.tool0):
        joint = robot.parent_joint(link)
        if joint is None or joint.kind.nv:
            return None
        link = joint.parent
    return link


def _referred(elements: Elements, name: str) -> bool:
    return any(block.get("reference") == name for block in elements.root.find_all("gazebo"))


def _shapes(link: Element) -> list[Element]:
    return [*link.find_all("visual"), *link.find_all("collision")]


def _moved(robot: Robot, elements: Elements, name: str, carrier: str, T: Array) -> Iterator[Edit]:
    """Move the shapes of a link to another, at T_carrier_link (4, 4)."""
    link = elements.links[name]
    texts = []
    for tag, shapes in (("visual", robot.links[name].visuals), ("collision", robot.links[name].collisions)):
        for element, shape in zip(link.find_all(tag), shapes, strict=True):
            texts.append(edited(element, set_origin(element, T @ shape.origin)))
            yield remove(element)
    yield insert_inside(elements.links[carrier], *texts)


def _added(robot: Robot, elements: Elements, arm: Arm, which: str, parent: str, T: Array) -> Repair:
    """Return the repair that adds a frame after its parent link and that link's joint; on base_link after all links and
    joints; in xacro after the link, since other elements may belong to another macro, or after its joint if that comes
    next."""
    name = arm.prefix.lstrip("/") + which
    joint = next((j for j in (f"{parent}-{which}", f"{parent}_to_{which}") if j not in robot.joints), None)
    if name in robot.links or joint is None:
        return _not(f"frame {name!r}", "there are a link or joints of these names already")
    near = [elements.links[parent]]
    carrier = robot.parent_joint(parent)
    carriers = [elements.joints[carrier.name]] if carrier else []
    if elements.root.document.origins:
        near += [joint for joint in carriers if _follows(joint, near[0], elements.root)]
    else:
        everything = [child for child in elements.root.children if child.tag in ("link", "joint")]
        near += carriers if which in AT_END else everything
    last = max(near, key=lambda element: element.start)
    return Repair(f"frame {name!r}", (insert_after(last, *new_frame(name, joint, parent, T)),))


def _follows(joint: Element, link: Element, root: Element) -> bool:
    """Return whether a joint comes next to an empty link in the same file, as a frame and its joint are written."""
    at = root.children.index(link) + 1
    return not link.children and root.children[at : at + 1] == [joint] and joint.source.file == link.source.file


def _not(element: str, why: str) -> Repair:
    return Repair(element, because=why)


def name_base_link(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Rename the link that carries the first joint of an arm to base_link."""
    carriers = [robot.joints[arm.moving[0]].parent for arm in arms]
    for arm, carrier in zip(arms, carriers, strict=True):
        name = f"{arm.prefix}base_link"
        if arm.other_base_link is not None:
            yield Repair(f"link {arm.other_base_link!r}", because=f"the arm begins on {carrier!r}; rename one of both")
        elif arm.base_link is None and (carriers.count(carrier) > 1 or not geometry(robot, carrier)):
            why = "has no shape" if carriers.count(carrier) == 1 else "carries several arms"
            yield Repair(
                f"frame {name!r}", because=f"the first joint is on {carrier!r}, which {why}; add a link {name!r} there"
            )
        elif arm.base_link is None:
            yield from rename_repairs(robot, elements, {("link", carrier): name}, [f"frame {name!r}"])


def numbered_links(robot: Robot, arm: Arm) -> list[str]:
    """Return the links that the axes of an arm move, without rods of parallelograms, which follow an axis."""
    moving = [robot.joints[name] for name in arm.moving]
    return [joint.child for joint in moving if not joint.mimic] or [joint.child for joint in moving]


def number_links(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Rename the links of a chain to link_1, link_2, …, with the prefix of their arm."""
    for arm in arms:
        links = numbered_links(robot, arm)
        if sum(other.prefix == arm.prefix for other in arms) > 1:
            yield from (Repair(f"link {link!r}", because="another arm has the same prefix") for link in links)
            continue
        wanted = {("link", link): f"{arm.prefix}link_{i}" for i, link in enumerate(links, 1)}
        yield from rename_repairs(robot, elements, wanted, [f"link {link!r}" for link in links])


def add_prefixes(robot: Robot, arms: Arms, elements: Elements) -> Iterator[Repair]:
    """Put the prefix of an arm before the names of its links and joints."""
    for arm in arms:
        joints = joints_of(arm, robot)
        names = [("joint", joint.name) for joint in joints] + [("link", joint.child) for joint in joints]
        bare = {(kind, name): f"{arm.prefix}{name}" for kind, name in names if not name.startswith(arm.prefix)}
        yield from rename_repairs(robot, elements, bare, [f"{kind} {name!r}" for kind, name in bare])
