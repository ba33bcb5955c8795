"""A robot as the page reads it: bodies, links, frames, joints, limits and sensors."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np

from kinetree.compiler.kernel import Kernel
from kinetree.display import counted
from kinetree.errors import fail
from kinetree.model.limits import Limits, checked_q
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Inertial, Joint, Robot
from kinetree.spatial.se3 import IDENTITY, Array
from kinetree.viewing.scene.roles import roles_of
from kinetree.viewing.scene.shapes import Shapes

Indices = Mapping[str, int]


def bodies_of(robot: Robot) -> dict[str, int]:
    """Return the links that move by themselves, with their numbers: the root, and the children of moving joints."""
    moved = (robot.joints[name].child for name in robot.placed if robot.joints[name].kind.nq)
    return {link: number for number, link in enumerate((robot.root, *moved))}


def configuration(robot: Robot, q: Any) -> Array:
    """Return q (nq,), given as numbers or as a mapping by name as for `robot.q`.

    Raises KinetreeError if q is not nq finite numbers, or names no joint of the robot.
    """
    if isinstance(q, Mapping):
        return robot.q(q)
    given = checked_q(robot.limits, q, "q")
    if given.ndim != 1 or not np.isfinite(given).all():
        raise fail("q-shape", f"q is {q!r}; expected one configuration of {robot.nq} finite numbers")
    return given


def described_robot(robot: Robot, bodies: Indices, kernel: Kernel, q: Array, shapes: Shapes) -> dict[str, Any]:
    """Return all of a robot but its function and its findings. shapes: those of its links."""
    links = {name: number for number, name in enumerate(robot.links)}
    joints = {name: number for number, name in enumerate(robot.placed)}
    places = _places(robot, bodies)
    roles = roles_of(robot)
    poses = kernel.interpret(q)
    T_root = {name: poses[body] @ T for name, (body, T) in places.items()}
    return {
        "name": robot.name,
        "about": _about(robot),
        "size": shapes.size(T_root),
        "bodies": list(bodies),
        "links": [
            {
                "name": name,
                "role": roles.get(name),
                "body": places[name][0],
                "T": flat(places[name][1]),
                "joint": joints[joint.name] if (joint := robot.parent_joint(name)) else None,
                "visuals": shapes.visuals[name],
                "collisions": shapes.collisions[name],
                "missing": shapes.missing[name],
                "inertia": inertia(link.inertial),
            }
            for name, link in robot.links.items()
        ],
        "frames": [
            {"name": name, "link": links[frame.link], "T": flat(frame.origin), "role": roles.get(name)}
            for name, frame in robot.frames.items()
            if name not in robot.links and not frame.unplaced
        ],
        "joints": [_joint(robot, robot.joints[name], links, joints) for name in robot.placed],
        "coordinates": [
            {"name": name, "joint": joints[joint], "unit": unit}
            for name, (joint, unit) in zip(robot.coordinate_names, _units(robot), strict=True)
        ],
        "groups": [{"name": name, "joints": list(members)} for name, members in robot.groups.items()],
        "limits": _limits(robot.limits),
        "q": q.tolist(),
        "sensors": [
            {"name": name, "link": links[frame.link], "T": flat(frame.origin @ sensor.origin)}
            for name, sensor in robot.sensors.items()
            if not (frame := robot.frames[sensor.frame]).unplaced
        ],
    }


def _about(robot: Robot) -> str:
    sensors = f", {counted(len(robot.sensors), 'sensor')}" if robot.sensors else ""
    coupled = f", {len(robot.limits.G)} coupled limits" if len(robot.limits.G) else ""
    counts = (counted(len(robot.links), "link"), counted(len(robot.joint_names), "moving joint"))
    return f"{', '.join(counts)}, {counted(robot.nq, 'coordinate')}{coupled}{sensors}"


def _places(robot: Robot, bodies: Indices) -> dict[str, tuple[int, Array]]:
    """Return the body that carries each link and T_body_link (4, 4)."""
    places = {robot.root: (0, IDENTITY)}
    for name in robot.placed:
        joint = robot.joints[name]
        body, T = places[joint.parent]
        if joint.child in bodies:
            places[joint.child] = bodies[joint.child], IDENTITY
        else:
            places[joint.child] = body, T @ joint.origin @ joint.child_origin
    return places


def _joint(robot: Robot, joint: Joint, links: Indices, joints: Indices) -> dict[str, Any]:
    leader = None
    if joint.mimic:
        name, (offset, multiplier, *higher) = mimic_polynomial(robot, joint.name)
        leader = None if higher else {"joint": joints[name], "multiplier": multiplier, "offset": offset}
    return {
        "name": joint.name,
        "type": joint.type,
        "parent": links[joint.parent],
        "child": links[joint.child],
        "origin": flat(joint.origin),
        "child_origin": flat(joint.child_origin),
        "axes": joint.axes.tolist(),
        "first": robot.q_slices[joint.name].start if joint.coordinated else None,
        "coordinates": joint.kind.nq,
        "leader": leader,
    }


def _limits(limits: Limits) -> dict[str, Any]:
    return {
        "lower": list(map(number, limits.lower)),
        "upper": list(map(number, limits.upper)),
        "rows": [
            {"name": name, "terms": [[int(i), float(row[i])] for i in np.flatnonzero(row)], "h": number(h)}
            for name, row, h in zip(limits.row_names, limits.G, limits.h, strict=True)
        ],
    }


def _units(robot: Robot) -> list[tuple[str, str]]:
    """Return the joint and the unit of every coordinate."""
    units = []
    for name in robot.joint_names:
        kind = robot.joints[name].kind
        turned = range(kind.nq)[kind.quaternion] if kind.quaternion else ()
        units += [
            (name, "quaternion" if i in turned else "rad" if angular else "m") for i, angular in enumerate(kind.angular)
        ]
    return units


def inertia(inertial: Inertial | None) -> dict[str, Any] | None:
    """Return mass, T_link_principal and the radii of the solid ellipsoid of equal inertia, None without a mass.

    For an ellipsoid of mass m, I_x = m/5 (b² + c²) and likewise; so a² = 5/(2 m) (I_y + I_z - I_x). The radii are None
    if no body has such an inertia.
    """
    if inertial is None or not (isfinite(inertial.mass) and inertial.mass > 0 and np.isfinite(inertial.inertia).all()):
        return None
    moments, axes = np.linalg.eigh(inertial.inertia)
    T = IDENTITY.copy()
    T[:3, :3] = axes * np.sign(np.linalg.det(axes))
    squares = 2.5 / inertial.mass * (moments.sum() - 2 * moments)
    rounded = np.where(np.abs(squares) < 1e-12 * np.abs(squares).max(), 0.0, squares)
    radii = np.sqrt(rounded).tolist() if (rounded >= 0).all() else None
    return {"mass": inertial.mass, "T": flat(inertial.origin @ T), "radii": radii}


def flat(T: Array) -> list[float]:
    """Return a matrix as the list of its numbers, row by row."""
    return [float(x) for x in np.ravel(T)]


def number(x: float) -> float | None:
    """Return a number for JSON: None if it is not finite."""
    return float(x) if isfinite(x) else None
