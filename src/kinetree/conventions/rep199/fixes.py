"""Repairs of the rules of REP-199 for frames that are missing, have the wrong parent, or have geometry.

Each function is the repair of some rules: it yields edits for their findings, or why there are none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.conventions.arms import Arm
from kinetree.conventions.edit import Edit, Mend, NewNames, edited, insert_after, insert_inside, remove, set_attribute
from kinetree.conventions.fixes import EXACT, Elements, exact, new_frame, origins_of, rpy_text, set_origin, vector_text
from kinetree.conventions.places import places
from kinetree.conventions.rename_references import rename_references
from kinetree.conventions.rep199.clause import ALONG, children, flange_off, geometry, joints_of, outwards, own_joint
from kinetree.conventions.rep199.makers import Maker
from kinetree.display import number
from kinetree.errors import KinetreeError
from kinetree.formats.xml import Element
from kinetree.model.edit.subtree import links_below
from kinetree.model.robot import Joint, Robot
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:  # whose rules have methods from here
    from kinetree.conventions.rep199.tools import Tool

LEVEL = 0.5
"""Largest vertical part of a flange's X for which its Z is chosen by the direction of up."""
AWAY = 1e-6
"""Largest distance of a flange from where it is given, m."""
AT_END = ("flange", "tool0")
"""Frames at the end of an arm."""

Poses = Mapping[str, Array]


def name_base_link(robot: Robot, arms: tuple[Arm, ...], elements: Elements) -> Iterator[Mend]:
    """Rename the link that carries the first joint of an arm to base_link."""
    carriers = [robot.joints[arm.moving[0]].parent for arm in arms]
    for arm, carrier in zip(arms, carriers, strict=True):
        name = f"{arm.prefix}base_link"
        if arm.astray is not None:
            yield _not(f"link {arm.astray!r}", f"the arm begins on {carrier!r}; rename one of the two")
        elif arm.base_link is None and (carriers.count(carrier) > 1 or not geometry(robot, carrier)):
            why = "has no shape" if carriers.count(carrier) == 1 else "carries several arms"
            yield _not(f"frame {name!r}", f"the first joint is on {carrier!r}, which {why}; add a link {name!r} there")
        elif arm.base_link is None:
            yield from _renamed(robot, elements, {("link", carrier): name}, [], about=[f"frame {name!r}"])


def add_base(
    robot: Robot,
    arms: tuple[Arm, ...],
    poses: Poses,
    bodies: Mapping[str, str],
    maker: Maker,
    frames: Mapping[str, str],
    elements: Elements,
) -> Iterator[Mend]:
    """Add base to base_link, where the options have it or else as in the maker's models."""
    for arm in arms:
        if arm.base is not None:
            continue
        name, carrier = f"frame '{arm.prefix}base'", arm.base_link
        if carrier is None:
            yield _not(name, "there is no base_link to attach it to; repair R199-101 first")
            continue
        R, p = maker.base_rotation, maker.base_position(robot, arm, poses)
        measured = None if R is None or p is None else se3.homogeneous(R, p)
        T = _given("base", arm, carrier, poses, bodies, frames)
        T = T if T is not None else measured
        if T is None or isinstance(T, str):
            yield _not(name, T or _unknown("base", carrier, maker))
        else:
            yield _added(robot, elements, arm, "base", carrier, T)


def add_tool0(
    robot: Robot,
    arms: tuple[Arm, ...],
    poses: Poses,
    bodies: Mapping[str, str],
    maker: Maker,
    frames: Mapping[str, str],
    elements: Elements,
) -> Iterator[Mend]:
    """Add tool0 to flange, where the options have it or else turned as in the maker's models."""
    for arm in arms:
        name = f"frame '{arm.prefix}tool0'"
        if arm.tool0 is not None:
            yield _not(f"link {arm.tool0!r}", "a turn would move it; edit its joint by hand")
        elif arm.flange is None:
            yield _not(name, f"it is attached to flange, which is missing, too; {_how('flange', arm.end)}")
        elif flange_off(arm, robot, poses) is not None:
            yield _not(name, f"X of {arm.flange!r} does not point outwards (R199-403), so tool0 would not either")
        else:
            R = maker.tool0_rotation
            T = _given("tool0", arm, arm.flange, poses, bodies, frames)
            T = T if T is not None or R is None else se3.homogeneous(R, np.zeros(3))
            if T is None or isinstance(T, str):
                yield _not(name, T or _unknown("tool0", arm.flange, maker))
            else:
                yield _added(robot, elements, arm, "tool0", arm.flange, T)


def _given(
    which: str, arm: Arm, carrier: str, poses: Poses, bodies: Mapping[str, str], frames: Mapping[str, str]
) -> Array | str | None:
    """Return T_carrier_frame (4, 4) of base, flange or tool0 in the options, why it is wrong, or None if it is not
    given."""
    found = places(which, frames[which]) if which in frames else {}
    place = found.get(arm.prefix, found.get(""))
    if not isinstance(place, str):
        return place
    if bodies.get(place) == bodies[carrier]:
        return se3.inverse(poses[carrier]) @ poses[place]
    fixed = sorted(name for name, body in bodies.items() if body == bodies[carrier])
    why = "moves against it" if place in bodies else "does not exist"
    return f"{which} is given as frame {place!r}, which {why}; frames fixed to {carrier!r} are {', '.join(fixed)}"


def misplaced(arms: tuple[Arm, ...], poses: Poses, bodies: Mapping[str, str], frames: Mapping[str, str]) -> str | None:
    """Return why base, flange or tool0 is elsewhere than the options have it, or None."""
    for arm in arms:
        for which, own, carrier in (
            ("base", arm.base, arm.base_link),
            ("flange", arm.flange, arm.end),
            ("tool0", arm.tool0, arm.flange),
        ):
            T = _given(which, arm, carrier, poses, bodies, frames) if own and carrier else None
            if own and carrier and T is not None and not isinstance(T, str):
                off = np.abs(se3.inverse(poses[carrier]) @ poses[own] - T).max()
                if off > AWAY:
                    return f"{own!r} would be {number(float(off))} off from where it is given"
    return None


def _how(which: str, carrier: str) -> str:
    return f'give its pose in {carrier!r} with --{which} "X Y Z R P Y" (m, rad), or as {which} in [[models]]'


def _unknown(which: str, carrier: str, maker: Maker) -> str:
    why = f"models of {maker.name} do not tell where" if maker.controller else "the maker is unknown"
    return f"{why}; {_how(which, carrier)}" + ("" if maker.controller else ", or name the maker with --vendor")


def add_flange(
    robot: Robot,
    arms: tuple[Arm, ...],
    poses: Poses,
    bodies: Mapping[str, str],
    maker: Maker,
    frames: Mapping[str, str],
    elements: Elements,
) -> Iterator[Mend]:
    """Add flange where the options have it or else where tool0 is, and attach the links at the end of an arm to it."""
    for arm in arms:
        if arm.flange is not None:
            yield from _hung(robot, poses, elements, [arm.end, arm.tool0 or arm.end], arm)
            continue
        name = f"{arm.prefix}flange"
        T = _given("flange", arm, arm.end, poses, bodies, frames)
        found: Array | str | None
        if T is None or isinstance(T, str):
            found = (
                T
                or _inexact(robot, elements, arm.end, arm.tool0 or arm.end)
                or _flange(arm, robot, poses, bodies, maker)
            )
        else:
            found = _checked(arm, robot, poses, maker, poses[arm.end] @ T)
        if isinstance(found, str):
            yield _not(f"frame {name!r}", found)
            continue
        T = _without_noise(se3.inverse(poses[arm.end]) @ found)
        new = _added(robot, elements, arm, "flange", arm.end, T)
        if new.edits and arm.tool0 and (joint := own_joint(robot, arm.tool0)):
            moved = _on(elements.joints[joint.name], name, se3.inverse(poses[arm.end] @ T) @ poses[arm.tool0])
            new = replace(new, edits=(*new.edits, *moved))
        yield new


def _checked(arm: Arm, robot: Robot, poses: Poses, maker: Maker, T: Array) -> Array | str:
    """Return T_root_flange (4, 4) as it is given, or why it is wrong: X must point out of the last link."""
    name = f"{arm.prefix}flange"
    known, arm = {**poses, name: T}, replace(arm, flange=name)
    off = flange_off(arm, robot, known)
    if off is None:
        return T
    why = f"X of flange as it is given is {number(off)} degrees off the way out of {arm.end!r}"
    right = _oriented(T, arm, robot, known, Maker())
    if isinstance(right, str):
        return f"{why}, along the axis of {arm.moving[-1]!r}"
    T = se3.inverse(poses[arm.end]) @ right
    return f'{why}; --flange "{vector_text(T[:3, 3])} {rpy_text(T[:3, :3])}" points outwards'


def _flange(arm: Arm, robot: Robot, poses: Poses, bodies: Mapping[str, str], maker: Maker) -> Array | str:
    """Return T_root_flange (4, 4) of an arm that has a tool0, or why it is unknown."""
    joint = own_joint(robot, arm.tool0)
    if arm.tool0 is None or joint is None:
        return f"there is no tool0 that would show its place; {_how('flange', arm.end)}"
    if bodies[arm.tool0] != arm.end or joint.kind.nv or _between(robot, joint, arm):
        return f"{arm.tool0!r} is not fixed to {arm.end!r}, the last link; {_how('flange', arm.end)}"
    return _oriented(poses[arm.tool0], replace(arm, flange=arm.tool0), robot, poses, maker)


def _oriented(T: Array, arm: Arm, robot: Robot, poses: Poses, maker: Maker) -> Array | str:
    """Return T_root_flange (4, 4) at the same place with X out of the last link: turned against tool0 as in models of
    the maker, or with Z up; or why that is unknown. arm: with a frame at that place as flange."""
    out = outwards(arm, robot, poses)
    if out is None:
        return f"the model does not show the way out of the last link; {_how('flange', arm.end)}"
    T = np.array(T)
    if maker.tool0_rotation is not None and arm.tool0:
        T[:3, :3] = poses[arm.tool0][:3, :3] @ maker.tool0_rotation.T
        if T[:3, 0] @ out < 1 - ALONG:
            return f"{arm.tool0!r} is not turned as in models of {maker.name}, so X of flange would not point outwards"
        return T
    up = poses[arm.base_link or arm.foot][:3, 2]
    if abs(out @ up) > LEVEL:
        return f"its turn about X is unknown, since X is upright; {_how('flange', arm.end)}"
    z = up - out * (out @ up)
    z /= np.linalg.norm(z)
    T[:3, :3] = np.column_stack((out, np.cross(z, out), z))
    return T


def turn_flange(
    robot: Robot,
    arms: tuple[Arm, ...],
    poses: Poses,
    bodies: Mapping[str, str],
    maker: Maker,
    frames: Mapping[str, str],
    elements: Elements,
) -> Iterator[Mend]:
    """Turn flange so that X points out of the last link; what is attached to it stays where it is."""
    for arm in arms:
        joint = own_joint(robot, arm.flange)
        if arm.flange is None or joint is None:
            continue
        about = f"link {arm.flange!r}"
        T = _given("flange", arm, arm.end, poses, bodies, frames)
        old = poses[arm.flange]
        if T is None or isinstance(T, str):
            found = T or _oriented(old, arm, robot, poses, maker)
        else:
            found = _checked(arm, robot, poses, maker, poses[arm.end] @ T)
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
            yield Mend(about, tuple(turned), turned={arm.flange: R}, keeps=tuple(keeps))


def _without_noise(T: Array) -> Array:
    """Return a pose (4, 4) with roll, pitch and yaw at the twelfths of π that they are near."""
    rpy = [se3.rpy_from_rotation(T[:3, :3])[i] for i in range(3)]
    near = [round(angle * 12 / np.pi) * np.pi / 12 for angle in rpy]
    return se3.pose_from_xyz_rpy(T[:3, 3], [b if abs(a - b) < EXACT else a for a, b in zip(rpy, near, strict=True)])


def _between(robot: Robot, joint: Joint, arm: Arm) -> bool:
    """Return whether there is a body between the last link and the joint of tool0."""
    links = [before.child for before in robot.joints_to(joint.parent)]
    return any(geometry(robot, link) for link in links[links.index(arm.end) + 1 :])


def hang(frame: str, on: str) -> object:
    """Return the repair that attaches one frame of an arm, base or tool0, to another in its place."""

    def mend(robot: Robot, arms: tuple[Arm, ...], poses: Poses, elements: Elements) -> Iterator[Mend]:
        for link, carrier in ((getattr(arm, frame), getattr(arm, on)) for arm in arms):
            if link and carrier:
                yield from _rehung(robot, poses, elements, link, carrier)

    return staticmethod(mend)


def hang_on_flange(robot: Robot, arms: tuple[Arm, ...], poses: Poses, elements: Elements) -> Iterator[Mend]:
    """Attach the children of tool0 to flange."""
    for arm in arms:
        if arm.flange and arm.tool0:
            yield from _hung(robot, poses, elements, [arm.tool0], arm)
        elif arm.tool0:
            for joint in children(robot, arm.tool0):
                yield _not(f"link {joint.child!r}", f"there is no flange to attach it to; {_how('flange', arm.end)}")


def hang_tools(robot: Robot, tools: tuple[Tool, ...], poses: Poses, elements: Elements) -> Iterator[Mend]:
    """Attach frames of tools to flange."""
    for tool in tools:
        if tool.arm.flange:
            yield from _rehung(robot, poses, elements, tool.name, tool.arm.flange)


def _hung(robot: Robot, poses: Poses, elements: Elements, places: list[str], arm: Arm) -> Iterator[Mend]:
    for place in places:
        for joint in children(robot, place):
            if arm.flange and joint.child not in (arm.flange, arm.tool0):
                yield from _rehung(robot, poses, elements, joint.child, arm.flange)


def _rehung(robot: Robot, poses: Poses, elements: Elements, link: str, on: str) -> Iterator[Mend]:
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
        yield Mend(f"link {link!r}", tuple(_on(elements.joints[joint.name], on, T)))


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

    def mend(robot: Robot, arms: tuple[Arm, ...], poses: Poses, elements: Elements) -> Iterator[Mend]:
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
                yield Mend(f"link {name!r}", tuple(_moved(robot, elements, name, carrier, T)))

    return staticmethod(mend)


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


def _added(robot: Robot, elements: Elements, arm: Arm, which: str, parent: str, T: Array) -> Mend:
    """Return the repair that adds a frame after its parent link and that link's joint; on base_link after all links and
    joints; in xacro after the link alone, since other elements may belong to another macro."""
    name = arm.prefix + which
    joint = next((j for j in (f"{parent}-{which}", f"{parent}_to_{which}") if j not in robot.joints), None)
    if name in robot.links or joint is None:
        return _not(f"frame {name!r}", "there are a link or joints of these names already")
    near = [elements.links[parent]]
    if not elements.root.document.origins:
        carrier = robot.parent_joint(parent)
        carriers = [elements.joints[carrier.name]] if carrier else []
        everything = [child for child in elements.root.children if child.tag in ("link", "joint")]
        near += carriers if which in AT_END else everything
    last = max(near, key=lambda element: element.start)
    return Mend(f"frame {name!r}", (insert_after(last, *new_frame(name, joint, parent, T)),))


def _not(element: str, why: str) -> Mend:
    return Mend(element, because=why)


def number_links(robot: Robot, arms: tuple[Arm, ...], elements: Elements) -> Iterator[Mend]:
    """Rename the links of a chain to link_1, link_2, …, with the prefix of their arm."""
    for arm in arms:
        links = [robot.joints[name].child for name in arm.moving]
        if sum(other.prefix == arm.prefix for other in arms) > 1:
            yield from (Mend(f"link {link!r}", because="another arm has the same prefix") for link in links)
            continue
        wanted = {("link", link): f"{arm.prefix}link_{i}" for i, link in enumerate(links, 1)}
        yield from _renamed(robot, elements, wanted, links)


def add_prefixes(robot: Robot, arms: tuple[Arm, ...], elements: Elements) -> Iterator[Mend]:
    """Put the prefix of an arm before the names of its links and joints."""
    for arm in arms:
        joints = joints_of(arm, robot)
        names = [("joint", joint.name) for joint in joints] + [("link", joint.child) for joint in joints]
        bare = {(kind, name): f"{arm.prefix}{name}" for kind, name in names if not name.startswith(arm.prefix)}
        yield from _renamed(robot, elements, bare, [], about=[f"{kind} {name!r}" for kind, name in bare])


def _renamed(
    robot: Robot, elements: Elements, wanted: NewNames, links: Sequence[str], about: Sequence[str] = ()
) -> Iterator[Mend]:
    """Yield one repair with all new names, for each element with a finding."""
    about = about or [f"link {link!r}" for link in links]
    names = {key: new for key, new in wanted.items() if key[1] != new}
    taken = {"link": set(robot.frames), "joint": set(robot.joints)}
    for (kind, _), new in names.items():
        if new in taken[kind] and (kind, new) not in names:
            yield from (Mend(element, because=f"there is a {kind} {new!r} already") for element in about)
            return
    try:
        edits = tuple(rename_references(elements.root, "urdf", names, robot))
    except KinetreeError as error:
        yield from (Mend(element, because=error.findings[0].message) for element in about)
        return
    yield from (Mend(element, edits, renamed=names) for element in about)
