"""Linear limits of a robot."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf

import numpy as np

from kinetree.arguments import as_names, explain_type_errors
from kinetree.display import number
from kinetree.errors import Finding, KinetreeError, fail, nearest_names
from kinetree.model.assemble import Parts, build, parts_of
from kinetree.model.limits import LinearLimits
from kinetree.model.robot import CoupledLimit, Joint, Robot
from kinetree.spatial import polytope


@explain_type_errors
def add_limits(robot: Robot, sets: Iterable[LinearLimits]) -> Robot:
    """Return the robot with these sets of limits besides its own.

    A row becomes a coupled limit; the rows of a box narrow the ranges of their joints. Raises KinetreeError for joints
    that the robot does not have or that have several coordinates, for angles where a joint is prismatic, for a row of a
    name that there is already, and where no configuration fulfils all limits.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> both = kt.limits.LinearLimits("both", ("q1", "q2"), np.array([[1.0, 1.0]]), np.array([1.5]), ("sum",))
        >>> arm = kt.edit.add_limits(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), [both])
        >>> arm.limits.row_names
        ('sum upper',)
        >>> arm.limits.contains([[1.0, 0.4], [1.0, 0.6]])
        array([ True, False])
    """
    sets, parts = tuple(sets), parts_of(robot)
    findings = [fault for limits in sets for fault in _faults(robot, limits)]
    names = [limit.name for limit in parts.coupled_limits] + [row for limits in sets for row in limits.row_names]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    source = sets[0].source if sets else None
    findings += [Finding("duplicate-name", "error", "stands twice", source, f"limit {name!r}") for name in twice]
    if findings:
        raise KinetreeError(findings)
    for limits in sets:
        for name, row, bound in zip(limits.row_names, limits.G.tolist(), limits.h.tolist(), strict=True):
            terms = {joint: x for joint, x in zip(limits.joints, row, strict=True) if x}
            if limits.box:
                _narrow(parts, *terms.popitem(), bound)
            else:
                parts.coupled_limits.append(_coupled(name, terms, bound, limits))
    made = build(parts)
    if fault := nothing_inside(made):
        said = ", ".join(repr(limits.name) for limits in sets)
        raise KinetreeError(replace(fault, source=sets[0].source, message=f"{fault.message}, with {said}"))
    return made


@explain_type_errors
def clear_limits(robot: Robot, joints: Iterable[str]) -> Robot:
    """Return the robot without position and coupled limits on these joints. Raises KinetreeError for unknown joints.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"axis": [0, 0, 1], "qlim": [-1, 1]}])
        >>> kt.edit.clear_limits(arm, ["q1"]).joints["q1"].limit
        Limit(lower=-inf, upper=inf, velocity=inf, effort=inf, acceleration=inf, deceleration=inf, jerk=inf)
    """
    names, parts = set(as_names(joints)), parts_of(robot)
    for name in sorted(names & set(robot.joints)):
        if not robot.joints[name].kind.single:
            message = f"is {robot.joints[name].type}; expected joints of one coordinate"
            raise fail("limits", message, element=f"joint {name!r}")
    for name in sorted(names - set(robot.joints)):
        raise fail("unknown-name", f"no joint {name!r}; {nearest_names(name, list(robot.joints))}")
    parts.joints = [_limited(joint, -inf, inf) if joint.name in names else joint for joint in parts.joints]
    parts.coupled_limits = [limit for limit in parts.coupled_limits if not names & set(limit.coefficients)]
    return build(parts)


@explain_type_errors
def remove_limits(robot: Robot, names: Iterable[str]) -> Robot:
    """Return the robot without the coupled limits of these names; unknown names are ignored.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> free = kt.edit.remove_limits(icub, ["left_arm tendons 1"])
        >>> len(icub.coupled_limits), len(free.coupled_limits)
        (28, 27)
    """
    gone, parts = set(as_names(names)), parts_of(robot)
    parts.coupled_limits = [limit for limit in parts.coupled_limits if limit.name not in gone]
    return build(parts)


def _coupled(name: str, terms: dict[str, float], bound: float, limits: LinearLimits) -> CoupledLimit:
    if limits.from_below:
        return CoupledLimit(name, {joint: -x for joint, x in terms.items()}, lower=-bound, source=limits.source)
    return CoupledLimit(name, terms, upper=bound, source=limits.source)


def _narrow(parts: Parts, name: str, coefficient: float, bound: float) -> None:
    """Return the joint with coefficient * q <= bound as an end of its range."""
    for i, joint in enumerate(parts.joints):
        if joint.name == name:
            end, limit = bound / coefficient + 0.0, joint.limit  # 0 and not -0
            low, high = (
                (limit.lower, min(limit.upper, end)) if coefficient > 0 else (max(limit.lower, end), limit.upper)
            )
            parts.joints[i] = _limited(joint, low, high)


def _limited(joint: Joint, lower: float, upper: float) -> Joint:
    kind = "revolute" if joint.type == "continuous" and min(-lower, upper) < inf else joint.type
    return replace(joint, type=kind, limits=(replace(joint.limit, lower=lower, upper=upper),))


def nothing_inside(robot: Robot) -> Finding | None:
    """Return what is wrong with limits that no configuration fulfils; None if some configuration does."""
    limits = robot.limits
    ends = np.where(np.isfinite([limits.lower, limits.upper]), [limits.lower, limits.upper], 0.0)
    if limits.contains(ends.mean(axis=0)):
        return None  # loading a robot must not wait for SciPy
    for name, row, bound in zip(limits.row_names, limits.G, limits.h, strict=True):
        if bound < 0 and not row.any():
            message = "no configuration fulfils it: its coefficients cancel, as some of its joints follow others"
            return Finding("empty", "error", message, element=f"limit {name!r}")
    for i in np.flatnonzero(limits.lower > limits.upper):
        message = f"nothing is left of its range: from {number(limits.lower[i], 6)} to {number(limits.upper[i], 6)}"
        return Finding("empty", "error", message, element=f"joint {limits.coordinate_names[i]!r}")
    if limits.impossible:
        message = "no configuration fulfils it, as its joints can only be where they are"
        return Finding("empty", "error", message, element=f"limit {limits.impossible!r}")
    for block in limits.blocks:
        if polytope.is_empty(block.A, block.b):
            joints = ", ".join(limits.coordinate_names[i] for i in block.columns)
            return Finding("empty", "error", f"no configuration of {joints} fulfils all their limits", element="limits")
    return None


def _faults(robot: Robot, limits: LinearLimits) -> Iterator[Finding]:
    element = f"limits {limits.name!r}"
    if limits.G.shape != (len(limits.h), len(limits.joints)) or len(limits.row_names) != len(limits.h):
        message = f"G {limits.G.shape}, h {limits.h.shape}, {len(limits.row_names)} names of rows and "
        yield Finding("count", "error", f"{message}{len(limits.joints)} joints do not fit", limits.source, element)
    elif not (np.isfinite(limits.G).all() and np.isfinite(limits.h).all() and limits.G.any(axis=1).all()):
        yield Finding("rows", "error", "has rows that are zero or not finite", limits.source, element)
    elif limits.box and (np.count_nonzero(limits.G, axis=1) > 1).any():
        yield Finding("box", "error", "has rows of several joints; a box has one in each", limits.source, element)
    for name in limits.joints:
        joint = robot.joints.get(name)
        if joint is None:
            message = f"no joint {name!r}; {nearest_names(name, robot.joint_names)}"
            yield Finding("unknown-name", "error", message, limits.source, element)
        elif not joint.kind.single:
            message = f"joint {name!r} is {joint.type}; limits are over joints of one coordinate"
            yield Finding("coupled-limit", "error", message, limits.source, element)
        elif limits.angular and not joint.kind.angular[0]:
            message = f"speaks of angles, and joint {name!r} is {joint.type}; a set of both has unit = 'si'"
            yield Finding("unit", "error", message, limits.source, element)
