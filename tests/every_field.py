"""Robots in which one field of the model has a value. The fields are found in the classes, so that new ones are tested
on arrival."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from kinetree.model import robot as model
from kinetree.model.assemble import Parts, build
from kinetree.model.force_torque import reading_place
from kinetree.model.robot import (
    Actuator,
    Calibration,
    CoupledLimit,
    Dynamics,
    Extension,
    ForceTorque,
    Frame,
    Geometry,
    Inertial,
    Joint,
    Limit,
    Link,
    Material,
    Mimic,
    Robot,
    Safety,
    Sensor,
    Shape,
    Surface,
)
from kinetree.model.semantic import (
    CollisionPair,
    EndEffector,
    Group,
    GroupState,
    JointProperty,
    JointValue,
    Member,
    PassiveJoint,
    Semantic,
    Sphere,
    SphereApproximation,
    UncheckedLink,
    VirtualJoint,
)
from kinetree.model.semantic_groups import groups_of
from kinetree.spatial import se3
from support import all_frames

Path = tuple[str, ...]
Values = dict[str, Any]

NOT_DESCRIBED: Mapping[str, str] = {
    "Robot.root": "follows from the joints",
    "Robot.placed": "follows from the joints",
    "Robot.notes": "remarks of the reader",
    "Robot.text": "the text of the file",
    "Robot.places": "where files are looked for",
    "Robot.header": "how its file is written",
    "Robot.doubts": "what errors of a file leave unknown",
    "Semantic.name": "is that of the robot",
}
"""Fields that are not part of the description of a robot, and why; nor is any field `source`."""

POSE = se3.frozen(se3.pose_from_xyz_rpy((0.1, 0.2, 0.3), (0.3, 0.2, 0.1)))
Z = se3.frozen(((0.0, 0.0, 1.0),))
LINKS = ("base", "arm", "wrist", "hand")

LEAST: Mapping[type, Any] = {
    type(one): one
    for one in (
        Inertial(2.0, np.diag([0.3, 0.4, 0.5])),
        Geometry(Shape("cylinder", {"radius": 0.25, "length": 1.0})),
        Material("red", (1.0, 0.0, 0.0, 1.0)),
        Surface(),
        Limit(),
        Mimic("turn"),
        Dynamics(),
        Safety(1.0),
        Calibration(),
        Extension("urdf", "gazebo", "<gazebo/>"),
        Frame("eye", "hand"),
        Sensor("gauge", "force_torque", "hand", joint="swing"),
        ForceTorque("child_on_parent", "child", "frame"),
        Actuator("servo", "turn", "motor"),
        CoupledLimit("both", {"turn": 1.0, "bend": 1.0}, -2.0, 2.0),
        Joint("closing", "revolute", "base", "hand", axes=Z),
        Semantic("robot"),
        Group("arm", (Member("joint", "turn"),)),
        GroupState("home", "arm", (JointValue("turn", (0.5,)),)),
        EndEffector("gripper", "hand", "arm"),
        VirtualJoint("virtual", "fixed", "world", "base"),
        PassiveJoint("bend"),
        CollisionPair("base", "hand"),
        UncheckedLink("hand"),
        SphereApproximation("hand", (Sphere((0.0, 0.0, 0.0), 0.25),)),
        JointProperty("bend", "weight", "2"),
    )
}
"""An element of each class, with no more than it needs."""

SHAPES: Mapping[str, Values] = {
    "box": {"size": (1.0, 2.0, 3.0)},
    "sphere": {"radius": 0.5},
    "capsule": {"radius": 0.5, "length": 2.0},
    "ellipsoid": {"radii": (1.0, 2.0, 3.0)},
    "plane": {"normal": (0.0, 0.0, 1.0), "size": (1.0, 2.0)},
    "mesh": {"filename": "hand.stl", "scale": (1.0, 2.0, 3.0)},
}
ELEMENTS = [{"format": format, "tag": "planted", "text": '<planted a="1"/>'} for format in ("urdf", "sdf", "mjcf")]
NO_ELEMENTS = {"format": "mjcf", "tag": "attributes"}
"""A joint of MJCF has no elements of others, but attributes."""

VALUES: Mapping[str, list[Values]] = {
    "Joint.type": [
        {"type": "prismatic"},
        {"type": "continuous", "limits": (Limit(effort=2.0),)},
        {"type": "ball", "axes": Z[:0]},
        {"type": "planar"},
        {"type": "screw", "pitch": 0.5},
    ],
    "Joint.pitch": [{"type": "screw", "pitch": 0.25}],
    "joints.parent": [{"parent": "arm"}],
    "loops.parent": [{"parent": "arm"}],
    "loops.child": [{"child": "wrist"}],
    "Joint.axes": [{"axes": se3.frozen(((0.6, 0.8, 0.0),))}],
    "Inertial.inertia": [{"inertia": np.diag([0.3, 0.4, 0.5]) + 0.01}],
    "Shape.kind": [{"kind": kind, "parameters": parameters} for kind, parameters in SHAPES.items()],
    "Shape.parameters": [{"parameters": {"radius": 0.75, "length": 2.0}}],
    "Geometry.origin": [{"origin": POSE}, {"origin": POSE, "shape": Shape("box", SHAPES["box"])}],
    "Material.texture": [{"texture": "wood.png"}, {"texture": "wood.png", "rgba": None}],
    "Mimic.joint": [{"joint": "bend"}],
    "Mimic.higher": [{"higher": (0.5, 0.25)}],
    "Frame.link": [{"link": "arm"}],
    "Sensor.frame": [{"frame": "arm", "joint": None}],
    "Sensor.joint": [{"joint": "bend"}],
    "Sensor.type": [{"type": kind, "joint": None} for kind in ("imu", "camera", "planted")],
    "CoupledLimit.coefficients": [{"coefficients": {"turn": 1.0, "bend": 2.0}}],
    "Actuator.joint": [{"joint": "bend"}],
    "Actuator.kind": [{"kind": "position"}, {"kind": "velocity"}],
    "Actuator.control": [{"control": (-0.5, 0.75)}],
    "Actuator.force": [{"force": (-0.5, 0.75)}],
    "Actuator.kp": [{"kind": "position", "kp": 0.75}],
    "Actuator.kv": [{"kind": "velocity", "kv": 0.75}],
    "Robot.joint_names": [{"joint_order": ("swing", "bend", "turn")}],
    "Robot.groups": [{"groups": {"arm": ("turn", "bend")}}],
    "Member.kind": [{"kind": "link", "name": "hand"}],
    "Member.name": [{"name": "bend"}],
    "Member.tip_link": [{"kind": "chain", "name": "base", "tip_link": "hand"}],
    "VirtualJoint.type": [{"type": "planar"}],
    "Sphere.center": [{"center": (0.1, 0.2, 0.3)}],
}
for _name in ("format", "tag", "text"):
    VALUES |= {  # type: ignore[operator]
        f"Extension.{_name}": ELEMENTS,
        f"joints.extensions.{_name}": [*ELEMENTS[:2], {**NO_ELEMENTS, "text": 'group="3"'}],
        f"loops.extensions.{_name}": [*ELEMENTS[:2], {**NO_ELEMENTS, "text": 'solref="0.01 1"'}],
        f"semantic.extensions.{_name}": [{**ELEMENTS[0], "format": "srdf"}],
    }
"""Values by path or by class, where the type of a field is not enough, with the other fields that go with them."""

BY_TYPE: Mapping[Any, Any] = {float: 0.75, str: "planted", bool: True, int: 7, se3.Array: POSE}


def all_paths(kind: type = Robot, start: Path = ()) -> Iterator[tuple[Path, type]]:
    """Yield the path to each field of numbers or text below a class, with the class that has the field."""
    hints = _hints(kind)
    for one in fields(kind):
        if one.name == "source" or f"{kind.__name__}.{one.name}" in NOT_DESCRIBED:
            continue
        if inner := _class_in(hints[one.name]):
            yield from all_paths(inner, (*start, one.name))
        else:
            yield (*start, one.name), kind


def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, {**vars(model), "Semantic": Semantic})


def _class_in(hint: Any) -> Any:
    """Return the class of the parts in a field, or None."""
    return next((one for one in (hint, *get_args(hint)) if is_dataclass(one)), None)


def values(path: Path, kind: type) -> list[Values]:
    """Return values of a field, each with those of other fields that go with it. Raises LookupError without a rule."""
    label = f"{kind.__name__}.{path[-1]}"
    for key in (".".join(path), label):
        if key in VALUES:
            return VALUES[key]
    try:
        return [{path[-1]: _by_type(_hints(kind)[path[-1]])}]
    except KeyError as error:
        raise LookupError(f"no value for {label}; add one to VALUES in tests/every_field.py") from error


def _by_type(hint: Any) -> Any:
    if NoneType in get_args(hint):
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    if get_origin(hint) is Literal:
        return get_args(hint)[0]
    if get_origin(hint) is tuple:
        return tuple(_by_type(one) for one in get_args(hint) if one is not ...)
    return BY_TYPE[hint]


def plain() -> Parts:
    """Return the parts of an arm of three joints."""
    bend, swing = (se3.frozen(se3.pose_from_xyz_rpy(xyz, (1, 0, 0))) for xyz in ((0.5, 0, 0), (0, 0.5, 0)))
    joints = [
        Joint("turn", "revolute", "base", "arm", axes=Z),
        Joint("bend", "revolute", "arm", "wrist", bend, axes=Z),
        Joint("swing", "revolute", "wrist", "hand", swing, axes=Z),
    ]
    return Parts("robot", [Link(name) for name in LINKS], joints)


def planted(path: Path, value: Values) -> Robot:
    """Return the arm in which the last element of the path has these values; missing elements are made."""
    parts, (first, *rest) = plain(), path
    if not rest:
        return build(replace(parts, **value))
    if first == "semantic":
        parts.semantic = _changed(Semantic, LEAST[Semantic], rest, value)
        parts.groups = groups_of(parts.semantic, build(parts))[0]
        return build(parts)
    kind = _class_in(_hints(Robot)[first])
    things = getattr(parts, first) or [_least(kind)]
    made = _changed(kind, things[-1], rest, value)
    setattr(parts, first, [*things[:-1], made])
    if path == ("links", "name"):
        parts.joints[-1] = replace(parts.joints[-1], child=made.name)
    if path == ("joints", "child"):
        parts.links[-1] = replace(parts.links[-1], name=made.child)
    return build(parts)


def _least(kind: type) -> Any:
    if kind not in LEAST:
        raise LookupError(f"no element of class {kind.__name__}; add one to LEAST in tests/every_field.py")
    return LEAST[kind]


def _changed(kind: Any, thing: Any, path: list[str], value: Values) -> Any:
    name, *rest = path
    if not rest:
        return replace(thing, **value)
    inner, old = _class_in(_hints(kind)[name]), getattr(thing, name)
    if isinstance(old, tuple):
        items = old or (_least(inner),)
        return replace(thing, **{name: (*items[:-1], _changed(inner, items[-1], rest, value))})
    return replace(thing, **{name: _changed(inner, _least(inner) if old is None else old, rest, value)})


def value_at(robot: Robot, path: Path) -> Any:
    """Return what a robot has at a path, as numbers that are equal if they mean the same; None without the element."""
    thing: Any = robot
    for name in path[:-1]:
        found = getattr(thing, name)
        found = [*found.values()] if isinstance(found, Mapping) else found
        if name == "frames":
            found = [frame for frame in found if frame.name not in LINKS]  # one of URDF is a link
        thing = (found[-1] if found else None) if isinstance(found, (tuple, list)) else found
        if thing is None:
            return None
    same = SAME.get((type(thing), path[-1]))
    return same(robot, thing) if same else getattr(thing, path[-1])


def _pose(robot: Robot, frame: str) -> Any:
    q = {"turn": 0.4, "bend": 0.7, "swing": 1.1}
    numbers = [np.full(robot.joints[name].kind.nq, q.get(name, 0.2)) for name in robot.joint_names]
    poses = all_frames(robot, np.concatenate(numbers))
    return np.linalg.inv(poses[robot.root]) @ poses[frame]


def _type(robot: Robot, joint: Joint) -> str:
    return "revolute" if joint.type == "continuous" and not joint.limits else joint.type


def _inertia(robot: Robot, body: Inertial) -> Any:
    R = body.origin[:3, :3]
    return body.origin[:3, 3], R @ body.inertia @ R.T


def _reading(robot: Robot, reading: ForceTorque) -> Any:
    place = reading_place(robot, [*robot.sensors.values()][-1])
    return _pose(robot, place.frame)[:3, :3] @ place.R_frame_reading, _pose(robot, place.on) @ (*place.p, 1.0)


def _colour(robot: Robot, look: Material) -> Any:
    known = robot.materials.get(look.name)
    return known.rgba if known and not (look.rgba or look.texture) else look.rgba


SAME: Mapping[tuple[type, str], Callable[[Robot, Any], Any]] = {
    (Joint, "type"): _type,
    **{(Joint, name): lambda robot, _: _pose(robot, "hand") for name in ("origin", "axes", "child_origin", "pitch")},
    **{(Frame, name): lambda robot, frame: _pose(robot, frame.name) for name in ("origin", "link")},
    **{(Inertial, name): _inertia for name in ("origin", "inertia")},
    (Geometry, "origin"): lambda _, one: one.origin[:, 2:] if one.shape.kind == "cylinder" else one.origin,
    (Material, "rgba"): _colour,
    **{(Sensor, name): lambda robot, one: _pose(robot, one.frame) @ one.origin for name in ("origin", "frame")},
    **{(ForceTorque, name): _reading for name in ("axes", "point")},
}
"""What stays the same, for fields that formats may write in another way."""


def equal(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(equal(one[name], other[name]) for name in one)
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(one) == len(other) and all(map(equal, one, other))
    numbers = (np.ndarray, float)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-12, atol=1e-12))
    return type(one) is type(other) and bool(one == other)
