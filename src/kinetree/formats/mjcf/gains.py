"""Gains and limits of actuators that no file says, from the inertia and the limits of their joints.

A drive is a mass m on a spring kp and a damper kv: m e'' + kv e' + kp e = 0 is critically damped, which is fastest
without overshoot, for kv = 2 sqrt(kp m), and has the natural frequency w = sqrt(kp / m) (Lynch & Park, Modern Robotics,
2017, section 11.2.2.2). m is the entry of the joint on the diagonal of the mass matrix at the neutral posture, armature
included, over gear². A torque g, such as that of gravity, moves such a joint by g / (w² m).
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import inf, isfinite, isinf, pi, sqrt

import numpy as np

from kinetree.algorithms.dynamics.inverse import rnea
from kinetree.algorithms.dynamics.mass_matrix import crba
from kinetree.display import counted, listed
from kinetree.errors import Finding, fail
from kinetree.formats.mjcf.context import FORMAT, free
from kinetree.model.actuator import KINDS, Actuator, Kind
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit.extensions import kept_elements
from kinetree.model.robot import Extension, Joint, Robot
from kinetree.model.tree import build_tree
from kinetree.spatial.se3 import Array

NATURAL_FREQUENCY = 20.0
"""Natural frequency, Hz, of a position servo whose gains no file says, and cut-off of a velocity servo."""
OPTION = Extension(FORMAT, "option", '<option integrator="implicitfast"/>')
"""Setting with which stiff servos are stable at MuJoCo's time step of 2 ms: without it, joints of little inertia behind
heavy ones are not, as a servo sees less inertia while other joints give way."""
GRAVITY = (0.0, 0.0, -9.81)
"""Gravity of a MuJoCo model without <option gravity>, m/s²."""


@dataclass(frozen=True)
class Load:
    """Hold what a joint carries in a posture: its inertia, kg m² or kg, and the torque or force of gravity."""

    inertia: float
    gravity: float


def loads(robot: Robot, at: Array | None = None) -> dict[str, Load]:
    """Return the load of every joint of one coordinate. at: a posture (nq,), by default the neutral one."""
    tree, q = build_tree(robot), robot.q() if at is None else at
    zero = np.zeros(tree.nv)
    inertia = np.diag(crba(tree, q)).astype(float)
    gravity = np.asarray(rnea(tree, q, zero, zero, np.array(GRAVITY), {}), dtype=float)
    columns = {
        name: v.start for name, kind, v in zip(tree.joints, tree.joint_type, tree.v_slice, strict=True) if kind.single
    }
    return {name: Load(float(inertia[i]), float(gravity[i])) for name, i in columns.items()}


def completed(robot: Robot) -> dict[str, Actuator]:
    """Return the actuators with the gains and limits that no file says."""
    known = loads(robot) if any_chosen(robot) else {}
    return {
        name: _completed(one, robot.joints[one.joint], known.get(one.joint, Load(0.0, 0.0)))
        for name, one in robot.actuators.items()
    }


def with_option(robot: Robot) -> Robot:
    """Return the robot with OPTION, if gains of it are chosen and its file has no <option>."""
    if any(one.tag == "option" for one in robot.extensions if one.format == FORMAT):
        return robot
    return replace(robot, extensions=(OPTION, *robot.extensions)) if any_chosen(robot) else robot


def any_chosen(robot: Robot) -> bool:
    """Return whether no file says the gains of some actuator."""
    return any(map(_lacks_gains, robot.actuators.values()))


def chosen_gains(robot: Robot) -> list[Finding]:
    """Return a note about the actuators whose gains no file says, and a warning about those without any."""
    weak = [name for name, one in completed(robot).items() if one.kind != "motor" and not one.kp and not one.kv]
    message = f"their joints carry no mass, so that these actuators have no gains, and no force: {listed(weak, 8)}"
    warning = Finding("gains", "warning", message, robot.source, f"robot {robot.name!r}", "give the links inertias")
    names = [one.name for one in robot.actuators.values() if _lacks_gains(one)]
    message = (
        f"no file says the gains of {counted(len(names), 'actuator')}; they follow from the inertia of each joint "
    )
    message += f"in the neutral posture and {NATURAL_FREQUENCY:g} Hz: {listed(names, 8)}"
    fix = "kt.save(robot, path, actuators='position'), or kinetree convert --actuators position, sets them in the robot"
    note = Finding("gains", "info", message, robot.source, f"robot {robot.name!r}", fix)
    return [*([note] if names else []), *([warning] if weak else [])]


def _lacks_gains(one: Actuator) -> bool:
    return (one.kind == "position" and None in (one.kp, one.kv)) or (one.kind == "velocity" and one.kv is None)


def _completed(one: Actuator, joint: Joint, load: Load) -> Actuator:
    limit, size, inertia = joint.limit, abs(one.gear), load.inertia / one.gear**2
    effort = limit.effort / size if limit.effort > 0 else inf
    force, kp, kv = one.force or (-effort, effort), one.kp, one.kv
    frequency = 2 * pi * NATURAL_FREQUENCY
    most = effort if one.kind == "motor" else size * limit.velocity if limit.velocity > 0 else inf
    own = (-most, most)
    if one.kind == "velocity":
        kv = frequency * inertia if kv is None else kv
    if one.kind == "position":
        kp = frequency**2 * inertia if kp is None else kp
        kv = 2 * sqrt(kp * inertia) if kv is None else kv
        lower, upper = sorted((one.gear * limit.lower, one.gear * limit.upper))
        own = (lower, upper) if lower < upper else (-inf, inf)
    given = one.control or own
    if isinf(given[0]) != isinf(given[1]):  # one end that no file says
        given = (given[0] if isfinite(given[0]) else own[0], given[1] if isfinite(given[1]) else own[1])
    return replace(one, force=force, control=given, kp=kp, kv=kv)


def with_actuators(robot: Robot, kind: Kind) -> Robot:
    """Return the robot with actuators of a kind, their gains and limits, at every joint of one coordinate that has a
    number in q, is not passive, and has no other drive. Those that it has keep their gears and limits of force; of
    several of a joint none changes if one is of this kind, else the first.

    Raises KinetreeError for a robot without such joints.
    """
    if kind not in KINDS:
        raise fail("actuators", f"actuators={kind!r}; expected one of {', '.join(KINDS)}")
    parts = parts_of(robot)
    changed = {one.name for one in _of_others(robot, kind)}
    parts.actuators = [
        replace(one, kind=kind, control=None, kp=None, kv=None) if one.name in changed else one
        for one in parts.actuators
    ]
    names, driven = {*robot.actuators}, {one.joint for one in parts.actuators}
    parts.actuators += [Actuator(free(name, names), name, kind) for name in _joints(robot) if name not in driven]
    if not parts.actuators:
        raise fail("actuators", "has no joint that an actuator can drive", element=f"robot {robot.name!r}")
    made = with_option(build(parts))
    parts.extensions = [*made.extensions]
    parts.actuators = [*completed(made).values()]
    return build(parts)


def _of_others(robot: Robot, kind: Kind) -> list[Actuator]:
    """Return the first actuator of each joint that has none of a kind."""
    found = {one.joint: one for one in robot.actuators.values() if one.kind == kind}
    for one in robot.actuators.values():
        found.setdefault(one.joint, one)
    return [one for one in found.values() if one.kind != kind]


def changed_drives(robot: Robot, kind: Kind) -> list[Finding]:
    """Return a remark on the actuators of a robot that `with_actuators` makes another kind of."""
    names = [f"{one.name} ({one.kind})" for one in _of_others(robot, kind)]
    message = f"actuators of other kinds become {kind} actuators: {listed(names, 8)}"
    return [Finding("gains", "info", message, robot.source, f"robot {robot.name!r}")] if names else []


def _joints(robot: Robot) -> list[str]:
    """Return the joints that may get an actuator."""
    passive = {joint.name for joint in robot.semantic.passive_joints} if robot.semantic else set()
    others: Collection[str] = {
        element.get("joint") or ""
        for _, section in kept_elements(robot.extensions, FORMAT, "actuator")
        for element in section.children
    }
    return [name for name in robot.joint_names if robot.joints[name].kind.single and name not in {*passive, *others}]
