"""Renaming of links, frames, joints and other parts; and ordered groups of joints, such as control boards."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from kinetree.arguments import as_names, explain_type_errors
from kinetree.errors import Finding, KinetreeError, fail, unknown_name
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.edit.extensions import change_extensions, replace_names
from kinetree.model.names import HasName
from kinetree.model.references import fields_of
from kinetree.model.robot import Actuator, Extension, Frame, Geometry, Joint, Link, Robot, Sensor

Renaming = Mapping[str, str]
WORLD = "world"


@explain_type_errors
def rename(
    robot: Robot,
    names: Renaming | None = None,
    *,
    links: Renaming | None = None,
    joints: Renaming | None = None,
    frames: Renaming | None = None,
    sensors: Renaming | None = None,
    coupled_limits: Renaming | None = None,
) -> Robot:
    """Return the robot with other names, {old: new}. References follow. All are renamed at once, so that two things can
    swap their names.

    names: of links, extra frames and joints. A name that a joint shares with a link or frame needs its keyword.
    frames: takes the names of links too, as a link and its own frame have one name.

    In kept elements of other tools (extensions) the attributes and elements that refer to a part follow (`link=`,
    `<joint name=…>`, `<frameName>`). Names within longer texts, such as lists or scoped names, are not changed.

    Raises UnknownNameError for a name that the robot does not have. Raises KinetreeError for a new name that is taken,
    and for an extension that mentions a name of several parts without telling which, if they get different names.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.edit.rename(kt.chain("Rz(q1) tx(0.4)"), {"q1": "elbow", "q1_link": "fore", "tip": "tool0"})
        >>> arm.joint_names, list(arm.frames)
        (('elbow',), ['base_link', 'fore', 'tool0'])
    """
    to = Names(dict(links or {}), dict(joints or {}), dict(sensors or {}), coupled_limits=dict(coupled_limits or {}))
    _all_known("link", links, robot.links)
    _all_known("frame", frames, robot.frames)
    known_joints = {**robot.joints, **robot.loops}
    _all_known("joint", joints, known_joints)
    _all_known("sensor", sensors, robot.sensors)
    _all_known("coupled limit", coupled_limits, {limit.name: limit for limit in robot.coupled_limits})
    to.frames.update(frames or {})
    for old, new in (names or {}).items():
        if old in robot.frames and old in known_joints:
            message = f"{old!r} is a joint and a frame; say joints={{…}} or frames={{…}}"
            raise fail("ambiguous-name", message)
        if old not in robot.frames and old not in known_joints:
            raise unknown_name("link, frame or joint", old, [*robot.frames, *known_joints])
        _check_name(new)
        (to.frames if old in robot.frames else to.joints)[old] = new
    return build(renamed_parts(parts_of(robot), to))


@explain_type_errors
def prefix(robot: Robot, text: str) -> Robot:
    """Return the robot with `text` before the name of every link, frame, joint, sensor, group, material and coupled
    limit; references follow, as in `rename`. The robot's own name stays, and so does a root link `world`: in SDF, MJCF
    and by custom in URDF it is the world, which two robots share.

    Examples:
        >>> import kinetree as kt
        >>> left = kt.edit.prefix(kt.chain("Rz(q1) tx(0.4)"), "left_")
        >>> left.joint_names, list(left.frames)
        (('left_q1',), ['left_base_link', 'left_q1_link', 'left_tip'])
    """
    return with_prefix(robot, text, {WORLD} & {robot.root})


def with_prefix(robot: Robot, text: str, kept: Collection[str] = ()) -> Robot:
    """Return the robot with `text` before all names but those of the links that are kept."""
    virtual, groups = list[str](), list[str]()
    if robot.semantic:
        virtual = [joint.name for joint in robot.semantic.virtual_joints]
        groups = [group.name for group in robot.semantic.groups]
    inline = [g.material.name for link in robot.links.values() for g in link.visuals if g.material]
    to = Names(
        _prefixed((name for name in robot.frames if name not in kept), text),
        _prefixed((*robot.joints, *robot.loops, *virtual), text),
        _prefixed(robot.sensors, text),
        _prefixed((*robot.groups, *groups), text),
        _prefixed((*robot.materials, *inline), text),
        _prefixed((coupled.name for coupled in robot.coupled_limits), text),
        _prefixed(robot.actuators, text),
    )
    return build(renamed_parts(parts_of(robot), to))


@dataclass
class Names:
    """Old names to new ones, by kind; names that are not here stay."""

    frames: dict[str, str] = field(default_factory=dict)  # links too
    joints: dict[str, str] = field(default_factory=dict)
    sensors: dict[str, str] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    materials: dict[str, str] = field(default_factory=dict)
    coupled_limits: dict[str, str] = field(default_factory=dict)
    actuators: dict[str, str] = field(default_factory=dict)  # those named as their joint follow it

    def of(self, kind: str) -> dict[str, str]:
        """Return the names of a kind, such as "link", to change them in place."""
        names: dict[str, str] = getattr(self, "frames" if kind == "link" else f"{kind}s")
        return names


def _all_known(kind: str, names: Renaming | None, known: Mapping[str, object]) -> None:
    for old, new in (names or {}).items():
        if old not in known:
            raise unknown_name(kind, old, list(known))
        _check_name(new)


def _check_name(new: object) -> None:
    if not isinstance(new, str):
        raise fail("no-name", f"a name is a text, not {new!r}")


def _prefixed(names: Iterable[str], text: str) -> dict[str, str]:
    return {name: text + name for name in names if name}


def renamed_parts(parts: Parts, to: Names, format: str | None = None) -> Parts:
    """Return parts with other names; references follow, in extensions of a format if that is given, else in all."""
    before, parts = parts, replace(parts)
    parts.links = [_link(link, to) for link in parts.links]
    parts.joints = [_joint(joint, to) for joint in parts.joints]
    parts.loops = [_joint(loop, to) for loop in parts.loops]
    parts.frames = [_frame(frame, to) for frame in parts.frames]
    parts.sensors = [_sensor(sensor, to) for sensor in parts.sensors]
    parts.actuators = [_actuator(actuator, to) for actuator in parts.actuators]
    parts.materials = [replace(m, name=to.materials.get(m.name, m.name)) for m in parts.materials]
    parts.coupled_limits = [
        replace(
            coupled,
            name=to.coupled_limits.get(coupled.name, coupled.name),
            coefficients={to.joints.get(k, k): v for k, v in coupled.coefficients.items()},
        )
        for coupled in parts.coupled_limits
    ]
    parts.groups = {to.groups.get(k, k): _each(v, to.joints) for k, v in parts.groups.items()}
    if parts.semantic:
        parts.semantic = parts.semantic.renamed(lambda kind, name: to.of(kind).get(name, name))
    parts.joint_order = None if parts.joint_order is None else _each(parts.joint_order, to.joints)
    parts.extensions = [*parts.extensions]
    _rename_in_extensions(before, parts, to, format)
    return parts


def _each(names: Iterable[str], to: Renaming) -> tuple[str, ...]:
    return tuple(to.get(name, name) for name in names)


def _link(link: Link, to: Names) -> Link:
    name = to.frames.get(link.name, link.name)
    return replace(link, name=name, visuals=tuple(_look(g, to.materials) for g in link.visuals))


def _look(geometry: Geometry, to: Renaming) -> Geometry:
    material = geometry.material
    if material is None or material.name not in to:
        return geometry
    return replace(geometry, material=replace(material, name=to[material.name]))


def _joint(joint: Joint, to: Names) -> Joint:
    mimic = joint.mimic and replace(joint.mimic, joint=to.joints.get(joint.mimic.joint, joint.mimic.joint))
    parent, child = _each((joint.parent, joint.child), to.frames)
    return replace(joint, name=to.joints.get(joint.name, joint.name), parent=parent, child=child, mimic=mimic)


def _frame(frame: Frame, to: Names) -> Frame:
    name, link = _each((frame.name, frame.link), to.frames)
    return replace(frame, name=name, link=link)


def _sensor(sensor: Sensor, to: Names) -> Sensor:
    joint = sensor.joint and to.joints.get(sensor.joint, sensor.joint)
    (frame,) = _each((sensor.frame,), to.frames)
    return replace(sensor, name=to.sensors.get(sensor.name, sensor.name), frame=frame, joint=joint)


def _actuator(actuator: Actuator, to: Names) -> Actuator:
    joint = to.joints.get(actuator.joint, actuator.joint)
    name = joint if actuator.name == actuator.joint else actuator.name
    return replace(actuator, name=to.actuators.get(actuator.name, name), joint=joint)


def _rename_in_extensions(before: Parts, parts: Parts, to: Names, format: str | None) -> None:
    """Rename what extensions mention. Raises KinetreeError for an ambiguous name whose parts get different names."""
    known: dict[str, list[HasName]] = {"frames": [*before.links, *before.frames]}
    known |= {field: getattr(before, field) for field in ("joints", "sensors", "coupled_limits", "actuators")}
    known["joints"] = [*before.joints, *before.loops]
    news = {key: {one.name: getattr(to, key).get(one.name, one.name) for one in all} for key, all in known.items()}
    news["actuators"] = {old.name: new.name for old, new in zip(before.actuators, parts.actuators, strict=True)}

    def change(extension: Extension) -> Extension:
        if format is not None and extension.format != format:
            return extension
        scope, at, tag = extension.tag.rpartition("::")
        if not at:
            return replace_names(extension, partial(_new_name, news, extension))
        local, new_scope = _in_scope(news, scope)
        changed = replace_names(extension, partial(_new_name, local, extension))
        return changed if new_scope == scope else replace(changed, tag=f"{new_scope}::{tag}")

    change_extensions(parts, change)


def _in_scope(news: Mapping[str, Renaming], scope: str) -> tuple[Mapping[str, Renaming], str]:
    """Return the new names as an element of a model of SDF has them, without that of the model, and the model's own
    new name, if all of its parts agree in it."""
    inside = [(old, new) for names in news.values() for old, new in names.items() if old.startswith(f"{scope}::")]
    scopes = {new.removesuffix(old.removeprefix(scope)) for old, new in inside if new.endswith(old[len(scope) :])}
    new_scope = scopes.pop() if len(scopes) == 1 else scope
    start, new_start = f"{scope}::", f"{new_scope}::"
    local = {
        field: {
            old.removeprefix(start): new.removeprefix(new_start)
            if new.startswith(new_start)
            else old.removeprefix(start)
            for old, new in names.items()
            if old.startswith(start)
        }
        for field, names in news.items()
    }
    return local, new_scope


def _new_name(news: Mapping[str, Renaming], extension: Extension, kind: str, old: str) -> str:
    """Return what a name in an extension becomes. A name that no part of the kind has is that of any part.

    news: fields of a robot to the new names of all its parts there. kind: of the place; see `model.references`.
    """
    if fields_of(kind) == {"actuators"}:  # which share no names with other parts
        return news["actuators"].get(old, old)
    having = {field: names[old] for field, names in news.items() if old in names}
    meant = {field: new for field, new in having.items() if field in fields_of(kind)} or having
    if len({*meant.values()}) > 1:
        which = " and ".join(f"a {field.removesuffix('s').replace('_', ' ')}" for field in meant)
        message = f"mentions {old!r}, which is the name of {which}, and these would get different names"
        fix = "give them the same new name, or take the element out of the robot"
        place = extension.source, f"<{extension.tag}>"
        raise KinetreeError(Finding("ambiguous-name", "error", message, *place, fix))
    return next(iter(meant.values()), old)


@explain_type_errors
def set_groups(robot: Robot, groups: Mapping[str, Iterable[str]]) -> Robot:
    """Return the robot with these groups, {name: ordered joint names}, and no others.

    Raises UnknownNameError for a joint that the robot does not have, KinetreeError for one named twice in a group.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.edit.set_groups(kt.chain("Rz(q1) tx(0.4) Rz(q2)"), {"arm": ["q1", "q2"]})
        >>> dict(arm.groups)
        {'arm': ('q1', 'q2')}
    """
    parts = parts_of(robot)
    parts.groups = {name: _members(robot, name, joints) for name, joints in groups.items()}
    return build(parts)


@explain_type_errors
def group(robot: Robot, name: str, joints: Iterable[str]) -> Robot:
    """Return the robot with the group `name` of these joints, in this order; a group of this name is replaced.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.edit.group(kt.load("icub"), "left_wrist", ["l_wrist_prosup", "l_wrist_pitch", "l_wrist_yaw"])
        >>> kt.fk(arm, "l_hand", "l_forearm", joints="left_wrist").inputs[0].labels
        ('l_wrist_prosup', 'l_wrist_pitch', 'l_wrist_yaw')
    """
    return set_groups(robot, {**robot.groups, name: joints})


def _members(robot: Robot, name: str, joints: Iterable[str]) -> tuple[str, ...]:
    members = as_names(joints)
    for joint in members:
        if joint not in robot.joints:
            raise unknown_name("joint", joint, list(robot.joints))
        if members.count(joint) > 1:
            raise fail("duplicate-name", f"names joint {joint!r} twice", element=f"group {name!r}")
    return members
