"""Joints of UsdPhysics: the bodies that they connect, their frames, degrees of freedom, limits and drives.

Sources: the schema UsdPhysics (https://openusd.org/release/api/usd_physics_page_front.html), whose angles are degrees;
Newton's schemas (https://github.com/newton-physics/newton-usd-schemas) and PhysX's for velocities, friction, armature
and joints that follow others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, radians, ulp
from typing import Any

import numpy as np

from kinetree.errors import nearest_names
from kinetree.formats.usd.prim import Prim, Stage
from kinetree.formats.usd.transforms import Transforms, rotation_of
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.robot import NO_AXES, UNLIMITED, Dynamics, Joint, Limit, Mimic
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

TYPES = {
    "PhysicsRevoluteJoint": "revolute",
    "PhysicsPrismaticJoint": "prismatic",
    "PhysicsFixedJoint": "fixed",
    "PhysicsSphericalJoint": "ball",
    "PhysicsJoint": "",
    "PhysicsDistanceJoint": "distance",
}
"""Kinds of joints by the types of their prims; "" has the freedom that its limits leave."""
BOUNDS = ("physics:lowerLimit", "physics:upperLimit")
FREEDOMS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
COMBINED: Mapping[frozenset[str], str] = {
    frozenset(): "fixed",
    frozenset(FREEDOMS[3:]): "ball",
    frozenset(FREEDOMS): "floating",
    frozenset(("transX", "transY", "rotZ")): "planar",
}
"""Types of joints with several degrees of freedom, or none, by these."""
APART = (1e-4, 1e-3)
"""Least distance, m, and angle, rad, by which the two frames of a joint are apart for a finding."""


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A joint between two bodies: their paths, "" for the world, and the joint's frame in each, (4, 4) in metres.

    moves: the degree of freedom of a joint that has one, such as "rotX".
    """

    prim: Prim
    type: str
    ends: tuple[str, str]
    frames: tuple[Array, Array]
    moves: str = ""

    @property
    def is_loop(self) -> bool:
        return self.prim.flag("physics:excludeFromArticulation", False)


def edges_of(stage: Stage, transforms: Transforms, bodies: Mapping[str, Prim], T_up: Array) -> Iterator[Edge]:
    """Yield the joints of a stage that connect two bodies, or a body and the world. T_up: the stage in a world whose z
    points up (4, 4)."""
    for prim in stage.prims.values():
        if prim.type not in TYPES:
            continue
        if not prim.flag("physics:jointEnabled", True):
            stage.note("info", "usd-joint", "physics:jointEnabled is false; the joint is left out", prim)
            continue
        found = [_end(stage, transforms, bodies, prim, i, T_up) for i in (0, 1)]
        if any(one is None for one in found):
            continue
        (first, T_first), (second, T_second) = (one for one in found if one)
        type, moves = _motion(stage, prim)
        if first == second:
            what = f"connects body {first} to itself" if first else "connects the world to itself"
            stage.note("error", "usd-joint", f"it {what}; expected two bodies, or one and the world", prim)
        elif type:
            edge = Edge(prim, type, (first, second), (T_first, T_second), moves)
            _check_apart(stage, transforms, edge, T_up)
            yield edge


def _end(
    stage: Stage, transforms: Transforms, bodies: Mapping[str, Prim], prim: Prim, i: int, T_up: Array
) -> tuple[str, Array] | None:
    """Return the body at an end of a joint, "" for the world, and the joint's frame in it; None with an error."""
    name = f"physics:body{i}"
    paths = prim.targets.get(name, ())
    target = stage.prims.get(paths[0]) if paths else None
    if len(paths) > 1 or (paths and target is None):
        what = f"{name} has {len(paths)} targets; expected one" if len(paths) > 1 else f"{name} is <{paths[0]}>, "
        what += "" if len(paths) > 1 else f"which does not exist; {nearest_names(paths[0], list(bodies))}"
        stage.note("error", "usd-joint", what, prim)
        return None
    point, quat = prim.numbers(f"physics:localPos{i}", 3), prim.numbers(f"physics:localRot{i}", 4)
    point = np.zeros(3) if point is None else point
    local = se3.homogeneous(np.eye(3) if quat is None else rotation_of(quat), point)
    if not np.isfinite(local).all():
        stage.note("error", "usd-joint", f"physics:localPos{i} is {point.tolist()}; expected finite numbers", prim)
        return None
    T_target = transforms.world(target)
    T = transforms.pose(T_target)  # of a target that is scaled, its axes are not, but its points are
    T_joint = se3.homogeneous(T[:3, :3] @ local[:3, :3], (T_target @ [*point, 1.0])[:3] * stage.metres)
    body = next((one for one in target.above() if one.path in bodies), None) if target else None
    if body is None:
        return "", T_up @ T_joint
    return body.path, se3.inverse(transforms.pose(transforms.world(body))) @ T_joint


def _motion(stage: Stage, prim: Prim) -> tuple[str, str]:
    """Return the type of a joint in Kinetree, "" if it has none, and its only degree of freedom."""
    type = TYPES[prim.type]
    if type == "distance":
        message = "a PhysicsDistanceJoint only limits a distance; it is left out, and holds no body"
        stage.note("warning", "usd-joint", message, prim)
        return "", ""
    if type in ("revolute", "prismatic"):
        axis = prim.word("physics:axis", "X")
        if axis not in ("X", "Y", "Z"):
            stage.note("error", "usd-joint", f"physics:axis is {axis!r}; expected X, Y or Z", prim)
            return "", ""
        return type, ("rot" if type == "revolute" else "trans") + axis
    if type == "ball" and max(prim.number(f"physics:coneAngle{i}Limit", -1.0) for i in (0, 1)) >= 0:
        message = "it limits a ball by a cone, which Kinetree does not; the ball is without limits"
        stage.note("warning", "usd-joint", message, prim)
    if type:
        return type, ""
    free = frozenset(name for name in FREEDOMS if not np.greater(*_limits(prim, name, True)))
    if len(free) == 1:
        (only,) = free
        return ("revolute" if only.startswith("rot") else "prismatic"), only
    if free not in COMBINED:
        message = f"it leaves {', '.join(sorted(free))} free, for which Kinetree has no joint; expected one of these, "
        message += "none, all, the three rotations, or transX, transY and rotZ"
        stage.note("error", "usd-joint", message, prim, "write a joint for each, with a body of its own between them")
    return COMBINED.get(free, ""), ""


def _limits(prim: Prim, moves: str, is_generic: bool) -> tuple[float, float]:
    """Return the limits of a degree of freedom, in degrees or units of length; of a locked one the lower is higher."""
    low, high = (f"limit:{moves}:physics:low", f"limit:{moves}:physics:high") if is_generic else BOUNDS
    return prim.number(low, -inf), prim.number(high, inf)


def _check_apart(stage: Stage, transforms: Transforms, edge: Edge, T_up: Array) -> None:
    """Note a joint whose two frames are not where its motion can bring them, in the poses of the stage."""
    poses = [T_up @ transforms.pose(transforms.world(stage.prims.get(end))) if end else np.eye(4) for end in edge.ends]
    first, second = (T @ frame for T, frame in zip(poses, edge.frames, strict=True))
    distance, angle = map(float, JOINT_TYPES[edge.type].gap(_axes(edge), 0.0, se3.inverse(first) @ second))
    if distance > APART[0] or angle > APART[1]:
        message = f"its frames in the two bodies are {distance * 1e3:.3g} mm and {np.degrees(angle):.3g} deg apart in "
        message += "the poses of the stage; the frames of the joint count, as in simulators"
        fix = "correct physics:localPos0, localRot0, localPos1, localRot1, or the transforms of the bodies"
        stage.note("warning", "usd-apart", message, edge.prim, fix)


def _axes(edge: Edge) -> Array:
    if edge.type == "planar":
        return np.array([[0.0, 0.0, 1.0]])
    return np.eye(3)[["XYZ".index(edge.moves[-1])]] if edge.moves else NO_AXES


def joint_of(stage: Stage, edge: Edge, name: str, links: Mapping[str, str], reverse: bool, leaders: Any) -> Joint:
    """Return the joint of an edge. links: names of links by path. reverse: whether its body1 is the parent. leaders:
    names of the joints of one degree of freedom by path."""
    parent, child = edge.ends[::-1] if reverse else edge.ends
    T_parent, T_child = edge.frames[::-1] if reverse else edge.frames
    axes, type = _axes(edge), edge.type
    limits: tuple[Limit, ...] = ()
    dynamics: tuple[Dynamics, ...] = ()
    if reverse and type in ("planar", "ball", "floating"):
        message = "its body1 is nearer to the root than its body0; its coordinates are those of the joint turned around"
        stage.note("info", "usd-joint", message, edge.prim)
    if edge.moves:
        limits, dynamics = _numbers(stage, edge)
        if type == "revolute" and limits[0].lower == -inf and limits[0].upper == inf:
            type = "continuous"
    if type == "fixed" or (edge.moves and not T_child[:3, 3].any()):  # then the frame of the link can be the joint's
        T_parent, axes = T_parent @ se3.inverse(T_child), axes @ T_child[:3, :3].T
        T_child = se3.IDENTITY
    given: Any = {"mimic": _mimic(stage, edge, leaders), "source": stage.source(edge.prim)}
    given["limits"] = limits if limits and limits[0] != UNLIMITED else ()
    given["dynamics"] = dynamics if dynamics and dynamics[0] != Dynamics() else ()
    poses = frozen(T_parent), frozen(-axes if reverse else axes), frozen(se3.inverse(T_child))
    return Joint(name, type, links[parent], links[child], *poses, **given)


def _numbers(stage: Stage, edge: Edge) -> tuple[tuple[Limit], tuple[Dynamics]]:
    """Return limit and dynamics of the degree of freedom of a joint, in SI units."""
    prim, turns = edge.prim, edge.moves.startswith("rot")
    unit = radians(1.0) if turns else stage.metres  # of a coordinate
    effort = stage.kilograms * stage.metres ** (2 if turns else 1)
    lower, upper = _limits(prim, edge.moves, prim.type == "PhysicsJoint")
    velocity = prim.number("newton:velocityLimit", prim.number("physxJoint:maxJointVelocity", inf)) * unit
    armature = prim.number("newton:armature", prim.number("physxJoint:armature", 0.0))
    drive = f"drive:{edge.moves if prim.type == 'PhysicsJoint' else 'angular' if turns else 'linear'}:physics:"
    most = prim.number(f"{drive}maxForce", inf) * effort
    most = min(most, prim.number("urdf:limit:effort", inf))  # as urdf-usd-converter writes it, in SI units
    damping, stiffness, reference = prim.number("newton:damping", 0.0), 0.0, 0.0
    if any(name.startswith(drive) for name in prim.values):
        gains = {name: prim.number(f"{drive}{name}", 0.0) for name in ("stiffness", "damping", "targetVelocity")}
        is_spring = prim.flag("kinetree:spring", False)
        if prim.word(f"{drive}type", "force") == "force" and (is_spring or not gains["stiffness"]):
            damping += gains["damping"] if not gains["targetVelocity"] else 0.0
            stiffness = gains["stiffness"]
            reference = prim.number(f"{drive}targetPosition", 0.0) * unit if stiffness else 0.0
        elif gains["stiffness"] or gains["damping"]:
            message = f"its drive controls the joint (stiffness {gains['stiffness']:g}, damping {gains['damping']:g}); "
            message += "Kinetree reads its maxForce as the limit of effort, and not its gains"
            stage.note("info", "usd-drive", message, prim)
    friction = prim.number("newton:friction", 0.0) * effort
    inertia = stage.kilograms * (stage.metres**2 if turns else 1.0)
    rates = (tidied(damping * effort / unit), friction, tidied(stiffness * effort / unit))
    passive = Dynamics(*rates, reference, armature * inertia)
    return (Limit(lower * unit, upper * unit, velocity, most),), (passive,)


def tidied(x: float) -> float:
    """Return the number of 15 digits that x is up to the rounding of a conversion, or x."""
    short = float(f"{x:.15g}")
    return short if abs(short - x) <= 2 * ulp(x) else x


def _mimic(stage: Stage, edge: Edge, leaders: Mapping[str, str]) -> Mimic | None:
    """Return the rule of a joint that follows another one: of Newton q = c0 + c1 x, of PhysX q + g x + c = 0."""
    prim = edge.prim
    physx = f"physxMimicJoint:{edge.moves}:"
    if prim.has("NewtonMimicAPI") and prim.flag("newton:mimicEnabled", True):
        paths = prim.targets.get("newton:mimicJoint", ())
        offset, slope = prim.number("newton:mimicCoef0", 0.0), prim.number("newton:mimicCoef1", 1.0)
    elif f"{physx}referenceJoint" in prim.targets:
        paths = prim.targets[f"{physx}referenceJoint"]
        offset, slope = -prim.number(f"{physx}offset", 0.0), -prim.number(f"{physx}gearing", 0.0)
    else:
        return None
    if not edge.moves or len(paths) != 1 or paths[0] not in leaders:
        named = f"<{paths[0]}>" if paths else "no joint"
        message = f"it follows {named}; expected that it and its leader are joints with one degree of freedom"
        stage.note("error", "usd-joint", message, prim)
        return None
    return Mimic(leaders[paths[0]], slope, offset * (radians(1.0) if edge.moves.startswith("rot") else stage.metres))
