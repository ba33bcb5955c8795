"""Robots taken apart and put together."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import change_extensions, names_in, stale, undriven
from kinetree.model.edit.frames import pose
from kinetree.model.edit.naming import with_prefix
from kinetree.model.edit.own_files import with_own_files
from kinetree.model.joints import JOINT_TYPES, JointType
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.placed import check_placed
from kinetree.model.robot import NO_AXES, Joint, Limit, Link, Material, Mimic, Robot
from kinetree.model.semantic import Semantic
from kinetree.model.semantic_groups import FLOATING
from kinetree.spatial import se3
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.xml.element import declared


@explain_type_errors
def cut(robot: Robot, link: str) -> Robot:
    """Return the sub-tree at `link` as a robot of its own, with `link` as its root.

    Sensors, groups, coupled limits and elements of other tools are trimmed to it; what is dropped because it refers to
    other parts is on the notes. Raises UnknownNameError for an unknown link, and KinetreeError if a joint follows one
    outside of the sub-tree: lock the leader first, which fixes the follower too.

    Examples:
        >>> import kinetree as kt
        >>> forearm = kt.edit.cut(kt.load("icub"), "l_forearm")
        >>> forearm.root, forearm.joint_names
        ('l_forearm', ('l_wrist_pitch', 'l_wrist_yaw'))
    """
    return build(_trim(robot, links_below(robot, link)))


@explain_type_errors
def remove(robot: Robot, link: str) -> Robot:
    """Return the robot without the sub-tree at `link` and the joint that carries it. Trims and raises as `cut` does,
    and raises KinetreeError for the root, without which nothing is left.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> without = kt.edit.remove(kt.edit.remove(icub, "l_hip_1"), "r_hip_1")
        >>> icub.nq, without.nq  # the legs have six joints each
        (35, 23)
    """
    gone = links_below(robot, link)
    if link == robot.root:
        raise fail("root", "is the root: nothing would be left", element=f"link {link!r}", fix="reroot first")
    return build(_trim(robot, {name for name in robot.links if name not in gone}))


@explain_type_errors
def attach(
    robot: Robot,
    other: Robot,
    frame: str,
    origin: Any = se3.IDENTITY,
    *,
    prefix: str = "",
    joint_name: str | None = None,
    type: str = "fixed",
    axes: Any = NO_AXES,
    pitch: float = 0.0,
    limits: Iterable[Limit] = (),
) -> Robot:
    """Return one robot made of two: the root of `other` is attached to `frame` of `robot` by a new joint.

    origin: T_frame_root (4, 4), the pose of the other's root in the frame, with the joint at neutral.
    prefix: put before every name of `other`, also that of a root `world`, which is the root no more; needed if the two
    share names. joint_name: "ROOT_attachment" if None.
    type, axes (k, 3) of any length, pitch in m/rad, limits: of the new joint, which is fixed by default.

    q is that of `robot`, then the new joint's, then that of `other`. Raises UnknownNameError for an unknown frame,
    KinetreeError for one without a known place, for names that are taken, and for a type, axes or a pitch that make no
    joint.

    Examples:
        >>> import kinetree as kt
        >>> arm, gripper = kt.chain("Rz(q1) tx(0.4)"), kt.chain("ty(q1)", name="gripper")
        >>> both = kt.edit.attach(arm, gripper, "tip", prefix="gripper_")
        >>> both.joint_names
        ('q1', 'gripper_q1')
        >>> kt.fk(both, "gripper_tip")([0.0, 0.02])[:3, 3].round(3)  # m
        array([0.4 , 0.02, 0.  ])
    """
    kind = _kind(type, pitch)
    anchor = robot.frames[frame]
    check_placed(robot, frame)
    other = with_own_files(other, robot)
    if prefix:
        other = with_prefix(other, prefix)
    joint = Joint(
        joint_name or f"{other.root}_attachment",
        type,
        anchor.link,
        other.root,
        frozen(anchor.origin),
        _unit_axes(kind, axes),
        pitch=float(pitch),
        limits=tuple(limits),
    )
    parts = _joined(robot, other, joint)
    at = parts.joints.index(joint)
    parts.joints[at] = replace(joint, origin=frozen(anchor.origin @ pose(origin, parts)))
    parts.joint_order = (*robot.joint_names, *((joint.name,) if kind.nq else ()), *other.joint_names)
    return build(parts)


@explain_type_errors
def floating(robot: Robot) -> Robot:
    """Return the robot with a root link `world`, in which its old root floats by the joint `floating_base`.

    All names stay. q begins with the seven numbers of the new joint, x y z and a quaternion xyzw. A robot that floats
    already stays as it is. If the root is an empty link `world` with one fixed joint, as in MJCF, this joint becomes
    the floating one, and keeps its name. Raises KinetreeError if the robot has a joint, link or frame of these names.

    Examples:
        >>> import kinetree as kt
        >>> walker = kt.edit.floating(kt.load("icub"))
        >>> walker.root, walker.joint_names[0], walker.nq
        ('world', 'floating_base', 42)
    """
    carried = [joint for joint in robot.joints.values() if joint.parent == robot.root]
    if [joint.type for joint in carried] == ["floating"]:
        return robot
    root, parts, joint = robot.links[robot.root], parts_of(robot), "floating_base"
    is_bare = root.name == "world" and not (root.inertial or root.visuals or root.collisions)
    if is_bare and [one.type for one in carried] == ["fixed"]:
        joint = carried[0].name
        parts.joints = [replace(one, type="floating") if one.name == joint else one for one in parts.joints]
    else:
        if "world" in robot.links:
            fix = "rename it, as by kt.edit.rename(robot, {'world': 'ground'})"
            raise fail("duplicate-name", "a floating base needs this name", element="link 'world'", fix=fix)
        parts.links.insert(0, Link("world"))
        parts.joints.insert(0, Joint(joint, "floating", "world", robot.root))
    parts.joint_order = (joint, *robot.joint_names)
    parts.semantic = robot.semantic and _with_base(robot.semantic, robot, joint)
    return build(parts)


def _with_base(semantic: Semantic, robot: Robot, joint: str) -> Semantic:
    """Return a description in which a joint is the virtual one that lets the root of a robot float."""
    known = {*robot.joints, *robot.loops}
    own = {one.name for one in semantic.virtual_joints if one.type == "floating" and one.child_link == robot.root}
    own |= {v.name for one in semantic.group_states for v in one.joints if len(v.value) == FLOATING} - known
    virtual = tuple(one for one in semantic.virtual_joints if one.name not in own)
    named = replace(semantic, virtual_joints=virtual)
    return named.renamed(lambda kind, name: joint if kind == "joint" and name in own else name)


def _joined(robot: Robot, other: Robot, joint: Joint) -> Parts:
    """Return the parts of both robots and the joint between them; the order of q is that of the first alone."""
    parts, more = parts_of(robot), parts_of(other)
    shared = set(parts.groups) & set(more.groups)
    if shared:
        raise fail("duplicate-name", f"both have groups {sorted(shared)}", fix="give a prefix")
    clash = {k: v for k, v in more.header.items() if k[:6] == "xmlns:" and v != parts.header.get(k, v)}
    change_extensions(more, lambda one: replace(one, text=declared(one.text, clash)))
    parts.links += more.links
    parts.joints += [joint, *more.joints]
    parts.loops += more.loops
    parts.frames += more.frames
    parts.sensors += more.sensors
    parts.actuators += more.actuators
    parts.materials += [m for m in more.materials if not _there(m, robot.materials)]
    parts.coupled_limits += more.coupled_limits
    parts.extensions += more.extensions
    parts.header = {**more.header, **parts.header}
    if versions := [one["version"] for one in (robot.header, other.header) if "version" in one]:
        parts.header["version"] = max(versions)
    parts.groups = {**parts.groups, **more.groups}
    if other.semantic:
        added = other.semantic.without_virtual()
        parts.semantic = robot.semantic.joined(added) if robot.semantic else replace(added, name="", source=None)
    parts.notes += more.notes
    parts.places = robot.places.joined(other.places)
    return parts


def _kind(type: str, pitch: float) -> JointType:
    """Return the row of a joint type. Raises KinetreeError for a pitch that it cannot have."""
    if type not in JOINT_TYPES:
        raise fail("joint-type", f"type={type!r} is not legal; expected a type among {', '.join(JOINT_TYPES)}")
    kind = JOINT_TYPES[type]
    if not isfinite(pitch) or (pitch and not kind.has_pitch):
        screws = " or ".join(row.name for row in JOINT_TYPES.values() if row.has_pitch)
        message = f"pitch={pitch!r} of a {type} joint is not legal; expected finite m/rad, of a {screws} joint alone"
        raise fail("pitch", message)
    return kind


def _unit_axes(kind: JointType, axes: Any) -> Array:
    """Return the axes (k, 3) as unit vectors, as many as the type has."""
    legal = f"a {kind.name} joint is attached with {kind.axes} axes: vectors (3,) of finite numbers, not all zero"
    array = numbers(axes, "axes", f"{legal}; axes is")
    if array.size == 0 and kind.axes == 0:
        return NO_AXES
    if array.shape != (kind.axes, 3):
        raise fail("axes", f"axes has shape {array.shape}; {legal}")
    largest = np.abs(array).max(axis=1, keepdims=True)
    if not (np.isfinite(array).all() and largest.all()):
        raise fail("axes", f"axes is {array.tolist()}; {legal}")
    array = array / largest  # for its square neither to overflow nor to vanish
    return frozen(array / np.linalg.norm(array, axis=1, keepdims=True))


def _there(material: Material, materials: Mapping[str, Material]) -> bool:
    """Return whether there is the same material already; a different one of the same name is refused as a duplicate."""
    before = materials.get(material.name)
    return before is not None and replace(before, source=None) == replace(material, source=None)


def links_below(robot: Robot, link: str) -> set[str]:
    """Return a link and every link that it carries."""
    found: set[str] = set()
    waiting = [link]
    while waiting:
        link = waiting.pop()
        found.add(link)
        waiting += [joint.child for joint in robot.child_joints(link)]
    return found


def _trim(robot: Robot, links: set[str]) -> Parts:
    """Return the parts of the robot that belong to `links`, which are connected; notes list what is dropped."""
    parts = parts_of(robot)
    parts.links = [link for link in parts.links if link.name in links]
    kept = [joint for joint in parts.joints if joint.parent in links and joint.child in links]
    names = {joint.name for joint in kept}
    parts.joints = [_kept_mimic(robot, joint, names) for joint in kept]
    _check_leaders(parts.joints, names)
    parts.frames = [frame for frame in parts.frames if frame.link in links]
    _trim_references(robot, parts, names)
    _trim_extensions(robot, parts)
    return parts


def _kept_mimic(robot: Robot, joint: Joint, names: set[str]) -> Joint:
    """Return the joint as a follower of the first of its leaders that is kept, if there is one."""
    if joint.mimic is None:
        return joint
    leader, (offset, multiplier, *higher) = mimic_polynomial(robot, joint.name, names)
    return replace(joint, mimic=Mimic(leader, multiplier, offset, tuple(higher)))


def _check_leaders(joints: Iterable[Joint], names: set[str]) -> None:
    faults = [
        Finding(
            "lost-leader",
            "error",
            f"follows joint {joint.mimic.joint!r}, which is cut away",
            joint.source,
            f"joint {joint.name!r}",
            f"lock the leader first: lock(robot, {{{joint.mimic.joint!r}: …}})",
        )
        for joint in joints
        if joint.mimic and joint.mimic.joint not in names
    ]
    if faults:
        raise KinetreeError(faults)


def _trim_references(robot: Robot, parts: Parts, joints: set[str]) -> None:
    frames = {*(link.name for link in parts.links), *(frame.name for frame in parts.frames)}
    notes = [
        Finding(
            "dropped", "warning", f"closes a loop to {end!r}, cut away; it is dropped", loop.source, f"joint {name!r}"
        )
        for name, loop in robot.loops.items()
        for end, other in ((loop.parent, loop.child), (loop.child, loop.parent))
        if end not in frames and other in frames
    ]
    parts.loops = [loop for loop in parts.loops if {loop.parent, loop.child} <= frames]
    sensors, parts.sensors = parts.sensors, []
    for sensor in sensors:
        if sensor.frame not in frames:
            continue  # it goes with its link
        if sensor.joint is None or sensor.joint in joints:
            parts.sensors.append(sensor)
        else:
            message = f"measures joint {sensor.joint!r}, which is cut away; it is dropped"
            notes.append(Finding("dropped", "warning", message, sensor.source, f"sensor {sensor.name!r}"))
    notes += undriven(parts, joints, "cut away")
    parts.actuators = [one for one in parts.actuators if one.joint in joints]
    coupled_limits, parts.coupled_limits = parts.coupled_limits, []
    for coupled in coupled_limits:
        lost = [name for name in coupled.coefficients if name not in joints]
        if not lost:
            parts.coupled_limits.append(coupled)
        elif len(lost) < len(coupled.coefficients):
            message = f"names {', '.join(map(repr, lost))}, which are cut away; it is dropped"
            notes.append(Finding("dropped", "warning", message, coupled.source, f"coupled limit {coupled.name!r}"))
    parts.groups = {name: tuple(one for one in members if one in joints) for name, members in robot.groups.items()}
    notes += [note for name in robot.groups for note in _lost_members(name, robot.groups[name], parts.groups[name])]
    parts.groups = {name: rest for name, rest in parts.groups.items() if rest or not robot.groups[name]}
    if robot.semantic:
        gone = {("link", name) for name in robot.frames.keys() - frames}
        gone |= {("joint", name) for name in robot.joints.keys() - joints}
        parts.semantic = robot.semantic.without(gone, robot.groups)
    parts.notes += tuple(notes)


def _lost_members(group: str, members: Iterable[str], rest: Collection[str]) -> Iterator[Finding]:
    """Yield a note on a group that has lost joints; an empty group is dropped."""
    lost = ", ".join(repr(joint) for joint in members if joint not in rest)
    if lost and rest:
        yield Finding("dropped", "warning", f"has lost {lost}, which are cut away", element=f"group {group!r}")
    elif lost:
        yield Finding("dropped", "info", f"is of {lost} alone, cut away; it is dropped", element=f"group {group!r}")


def _trim_extensions(robot: Robot, parts: Parts) -> None:
    """Drop the robot's extensions that mention only removed names; warn of others that mention such names too."""
    all_kept = (parts.links, parts.joints, parts.loops, parts.frames, parts.sensors, parts.actuators)
    here = {thing.name for things in all_kept for thing in things}
    gone = {*robot.frames, *robot.joints, *robot.loops, *robot.sensors, *robot.actuators} - here
    extensions, parts.extensions = parts.extensions, []
    for extension in extensions:
        mentioned = names_in(extension)
        if mentioned & here or not mentioned & gone:
            parts.extensions.append(extension)
        else:
            hit = sorted(mentioned & gone)
            message = f"is about {', '.join(map(repr, hit[:8]))}, cut away; it is dropped"
            note = Finding("dropped", "info", message, extension.source, f"<{extension.tag}>")
            parts.notes += (note,)
    parts.notes += tuple(stale(parts.extensions, gone, "cut away"))
