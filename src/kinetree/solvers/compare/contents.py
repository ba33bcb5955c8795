"""Comparison of what the bodies of two robots carry, mass, frames and sensors, of their limits and closed loops."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from math import inf, isinf

import numpy as np

from kinetree.display import number
from kinetree.model.robot import RATES, UNLIMITED, Dynamics, Joint, Limit, Robot
from kinetree.model.tree import Tree
from kinetree.solvers.compare.bodies import BASE, Pair, inertia_of, samples
from kinetree.solvers.compare.difference import Difference, Sides, elsewhere
from kinetree.spatial import Array, plucker, se3

Place = tuple[int, Array]
"""(body, T_body_thing)."""


def compare_inertias(sides: Sides) -> list[Difference]:
    """Return the differences of mass, centre of mass and inertia of paired bodies; a remark if one robot has none."""
    for which, robot in (("first", sides.robot_a), ("second", sides.robot_b)):
        if unknown := [link.name for link in robot.links.values() if link.unweighed]:
            message = f"masses of the {which} robot are unknown: {', '.join(unknown)}"
            return [Difference("inertia", "inertias", message, counts=False)]
    has_a, has_b = _has_mass(sides.robot_a), _has_mass(sides.robot_b)
    if has_a != has_b:
        which = "first" if has_a else "second"
        return [Difference("inertia", "inertias", f"only the {which} robot has any", counts=False)]
    return [difference for pair in sides.pairs for difference in _inertia(sides, pair)]


def _has_mass(robot: Robot) -> bool:
    return any(link.inertial for link in robot.links.values())


def _inertia(sides: Sides, pair: Pair) -> Iterable[Difference]:
    I_a, I_b = inertia_of(sides.tree_a, pair.a), plucker.moved_inertia(inertia_of(sides.tree_b, pair.b), pair.T_ab)
    (m_a, c_a, J_a), (m_b, c_b, J_b) = plucker.about_com(I_a), plucker.about_com(I_b)
    said, amount = [], 0.0
    if abs(m_a - m_b) > sides.relative * max(abs(m_a), abs(m_b)):
        said.append(f"its mass is {number(m_a, 6)} kg, in the second robot {number(m_b, 6)} kg")
        amount = abs(m_a - m_b)
    if m_a and m_b and (apart := float(np.linalg.norm(c_a - c_b))) > sides.tolerance:
        said.append(f"its centre of mass is {number(apart)} m away")
        amount = amount or apart
    scale = max(np.abs(J_a).max(), np.abs(J_b).max())
    # inertia about a centre of mass is no more precise than the product that was subtracted
    rounding = 1e-12 * max(np.abs(I_a).max(), np.abs(I_b).max())
    if (error := float(np.abs(J_a - J_b).max())) > max(sides.relative * scale, rounding):
        said.append(f"its inertia differs by {error:.3g} kg m² of {scale:.3g}")
        amount = amount or error
    if said:
        name, whole = _weighed(sides, pair)
        yield Difference("inertia", f"link {name!r}", whole + "; ".join(said), amount)


def _weighed(sides: Sides, pair: Pair) -> tuple[str, str]:
    """Return the link with another mass, else the first link of the body with a mass, else that of its joint; and whose
    mass the message is about."""
    a, b = (
        {link.name: link.inertial.mass for link in r.links.values() if link.inertial and t.frames[link.name][0] == body}
        for r, t, body in ((sides.robot_a, sides.tree_a, pair.a), (sides.robot_b, sides.tree_b, pair.b))
    )
    other = (name for name in a if abs(a[name] - b.get(name, a[name])) > sides.relative * a[name])
    top = sides.robot_a.root if pair.a == BASE else sides.robot_a.joints[sides.tree_a.joints[pair.a]].child
    return next(other, next(iter(a), top)), "with the links fixed to it, " if max(len(a), len(b)) > 1 else ""


def compare_frames(sides: Sides) -> list[Difference]:
    """Return frames of one name with other poses, and a remark on frames in places where the other robot has none."""
    a, b = sides.tree_a.frames, sides.tree_b.frames
    return [*_places(sides, "frame", a, b), *_alone(sides, "frame", a, b)]


def compare_sensors(sides: Sides) -> list[Difference]:
    """Return sensors of one name with another pose or type, and a remark on those that only one robot has."""
    a, b = sides.robot_a.sensors, sides.robot_b.sensors
    places_a, places_b = _sensor_places(sides.robot_a, sides.tree_a), _sensor_places(sides.robot_b, sides.tree_b)
    found = _places(sides, "sensor", places_a, places_b)
    for name in a:
        if name in b and a[name].type != b[name].type:
            message = f"its type is {a[name].type!r}, in the second robot {b[name].type!r}"
            found.append(Difference("sensor", f"sensor {name!r}", message))
    return found + _alone(sides, "sensor", places_a, places_b)


def _sensor_places(robot: Robot, tree: Tree) -> dict[str, Place]:
    return {s.name: (tree.frames[s.frame][0], tree.frames[s.frame][1] @ s.origin) for s in robot.sensors.values()}


def _alone(sides: Sides, kind: str, a: dict[str, Place], b: dict[str, Place]) -> list[Difference]:
    """Return remarks on things whose name and place do not occur in the other robot."""
    found = []
    for which, things, others, pairs in (("first", a, b, sides.by_a), ("second", b, a, sides.by_b)):
        alone = [
            name
            for name, (body, T) in things.items()
            if name not in others and body in pairs and not _stands_there(sides, pairs[body], T, which, others)
        ]
        if alone:
            shown = ", ".join(alone[:8]) + (f" and {len(alone) - 8} more" if len(alone) > 8 else "")
            message = f"only the {which} robot has {shown}"
            found.append(Difference(kind, f"{kind}s", message, counts=False, names=tuple(alone)))
    return found


def _stands_there(sides: Sides, pair: Pair, T: Array, which: str, others: dict[str, Place]) -> bool:
    """Return whether the other robot has anything in this place."""
    if which == "first":
        return any(body == pair.b and _near(T, pair.T_ab @ T_b, sides) for body, T_b in others.values())
    return any(body == pair.a and _near(T_a, pair.T_ab @ T, sides) for body, T_a in others.values())


def _near(T_a: Array, T_b: Array, sides: Sides) -> bool:
    return bool(np.abs(T_a - T_b).max() <= sides.tolerance)


def _places(sides: Sides, kind: str, a: dict[str, Place], b: dict[str, Place]) -> list[Difference]:
    """Return the differences of things of one name that are not in the same place on the same body."""
    found = []
    for name, (body, T_a) in a.items():
        if name not in b:
            continue
        other, T_b = b[name]
        pair = sides.by_a.get(body)
        if pair is None and other not in sides.by_b:
            continue  # both are on unmatched bodies, which are reported elsewhere
        if pair is None or pair.b != other:
            found.append(Difference(kind, f"{kind} {name!r}", "is on another body"))
            continue
        T = pair.T_ab @ T_b
        if _near(T_a, T, sides):
            continue
        found.append(Difference(kind, f"{kind} {name!r}", *elsewhere(T_a, T, sides.tolerance)))
    return found


KINDS = ("position", "velocity", "effort", *RATES)


def compare_limits(sides: Sides) -> list[Difference]:
    """Return the differences of joint limits and coupled limits. If only one robot has any limits on velocity or
    effort, that is a remark, because tables seldom have them."""
    spoken_a, spoken_b = _spoken(sides.robot_a), _spoken(sides.robot_b)
    found = [
        Difference(
            "limit",
            "limits",
            f"only the {'first' if kind in spoken_a else 'second'} robot has {kind} limits",
            counts=kind == "position",
        )
        for kind in KINDS
        if (kind in spoken_a) != (kind in spoken_b)
    ]
    both = [kind for kind in KINDS if kind in spoken_a and kind in spoken_b]
    leaders = {pair.a for pair in sides.leaders}
    for pair in sides.moving:  # the range of a follower is a row on its leader
        found += _joint(sides, pair, [kind for kind in both if kind != "position" or pair.a in leaders])
    return found + _rows(sides)


def _spoken(robot: Robot) -> set[str]:
    """Return the kinds of limits that any joint of the robot has."""
    limits = [limit for joint in robot.joints.values() for limit in joint.limits]
    return {kind for kind in KINDS if any(not all(map(isinf, _numbers(limit, kind))) for limit in limits)}


def _numbers(limit: Limit, kind: str) -> tuple[float, ...]:
    """Return (lower, upper) of a position, (value,) of another kind."""
    if kind == "position":
        return limit.lower, limit.upper
    value: float = getattr(limit, kind)
    return (value,)


def _joint(sides: Sides, pair: Pair, kinds: list[str]) -> list[Difference]:
    a = sides.robot_a.joints[sides.tree_a.joints[pair.a]]
    b = sides.robot_b.joints[sides.tree_b.joints[pair.b]]
    if a.kind.nv != b.kind.nv:
        return []  # the difference of types is reported elsewhere
    found = []
    for i, name in enumerate(a.kind.velocities):
        for kind in kinds:
            ours = _numbers(a.limits[i] if a.limits else UNLIMITED, kind)
            theirs = _numbers(b.limits[i] if b.limits else UNLIMITED, kind)
            if kind == "position":  # q_a = sign (q_b - offset), which for a negative sign swaps the bounds
                theirs = tuple((x - pair.offset) * pair.sign for x in theirs[:: int(pair.sign)])
            apart = [(abs(x - y), min(abs(x), abs(y))) for x, y in zip(ours, theirs, strict=True) if x != y]
            if all(amount <= max(sides.tolerance, sides.relative * size) < inf for amount, size in apart):
                continue
            of = f"{kind} limit" + (f" of {name}" if name else "")
            amount = max(apart)[0]
            message = f"its {of} is {_say(ours)}, in the second robot {_say(theirs)}"
            if kind == "position" and (pair.sign < 0 or pair.offset):
                message += " in the same coordinate"
            found.append(Difference("limit", sides.joint_label(pair), message, amount if amount < inf else None))
    return found


def _say(numbers: Sequence[float]) -> str:
    return " to ".join(number(x, 6) for x in numbers)


def _rows(sides: Sides) -> list[Difference]:
    """Return the rows G q <= h that only one robot has, converted to the coordinates of the first."""
    limits_a, limits_b = sides.robot_a.limits, sides.robot_b.limits
    S, d = sides.coordinate_map()
    rows_a = _unit_rows(limits_a.G, limits_a.h)
    rows_b = _unit_rows(limits_b.G @ S, limits_b.h - limits_b.G @ d)
    found = []
    for names, rows, others, which in (
        (limits_a.row_names, rows_a, rows_b, "first"),
        (limits_b.row_names, rows_b, rows_a, "second"),
    ):
        for name, row in zip(names, rows, strict=True):
            if not any(np.allclose(row, other, rtol=sides.relative, atol=sides.tolerance) for other in others):
                found.append(Difference("limit", f"limit {name!r}", f"only the {which} robot has it"))
    return found


def _unit_rows(G: Array, h: Array) -> Array:
    """Return rows (G, h) scaled so that the largest coefficient is one."""
    scale = np.abs(G).max(axis=1, initial=0.0)
    scale[scale == 0] = 1.0
    with np.errstate(over="ignore"):  # an infinite bound limits nothing
        return np.asarray(np.hstack([G, h[:, None]]) / scale[:, None])


Ends = tuple[tuple[Pair, Array], tuple[Pair, Array]]
"""The bodies of a loop's parent and child, each with the pose (4, 4) of the loop's frame in it."""


def compare_loops(sides: Sides) -> Iterator[Difference]:
    """Yield the loops that the other robot does not close, or closes otherwise; names and directions do not matter.

    Loops on bodies without a partner are left out, for those bodies are reported.
    """
    loops_a, loops_b = sides.robot_a.loops, sides.robot_b.loops
    ends_a = {name: _ends(sides.tree_a, loop, sides.by_a) for name, loop in loops_a.items()}
    ends_b = {name: _ends(sides.tree_b, loop, sides.by_b) for name, loop in loops_b.items()}
    free = {name: ends for name, ends in ends_b.items() if ends}
    for name, a in ends_a.items():
        if a is None:
            continue
        others = sorted(free, key=lambda other: other != name)
        twin = next((o for o in others if _same(sides, loops_a[name], a, loops_b[o], free[o])), None)
        if twin is None:
            message = "only the first robot closes this loop"
            if name in free:
                message = "closes otherwise in the second robot: between other bodies or places, or as another type"
            yield Difference("loop", f"joint {name!r}", message)
        else:
            yield from _of_twins(sides, loops_a[name], loops_b[twin])
        free.pop(twin or name, None)
    for name in free:
        yield Difference("loop", f"joint {name!r}", "only the second robot closes this loop")


def _of_twins(sides: Sides, a: Joint, b: Joint) -> Iterator[Difference]:
    """Yield other limits and dynamics of a loop, up to signs, as its axes may point either way; a remark if only one
    robot has any."""
    for what, none in (("limits", UNLIMITED), ("dynamics", Dynamics())):
        rows = [getattr(loop, what) for loop in (a, b)]
        ours, theirs = (np.abs([astuple(row) for row in own or (none,)]) for own in rows)
        if what == "limits":
            ours[:, :2], theirs[:, :2] = np.sort(ours[:, :2]), np.sort(theirs[:, :2])
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=sides.relative, atol=sides.tolerance):
            yield Difference("loop", f"joint {a.name!r}", f"has other {what} in the second robot", counts=all(rows))


def _ends(tree: Tree, loop: Joint, pairs: Mapping[int, Pair]) -> Ends | None:
    (parent, T_parent), (child, T_child) = tree.frames[loop.parent], tree.frames[loop.child]
    if parent not in pairs or child not in pairs:
        return None
    return (pairs[parent], T_parent @ loop.origin), (pairs[child], T_child @ se3.inverse(loop.child_origin))


def _same(sides: Sides, a: Joint, ends_a: Ends, b: Joint, ends_b: Ends) -> bool:
    """Return whether two loops allow the same relative poses of their bodies."""
    bodies_a, bodies_b = [pair.a for pair, _ in ends_a], [pair.a for pair, _ in ends_b]
    if bodies_b not in (bodies_a, bodies_a[::-1]):
        return False
    places_a = [T for _, T in ends_a]
    places_b = [pair.T_ab @ T for pair, T in ends_b]
    turned = bodies_a != bodies_b
    return max(_gap(a, places_a, b, places_b, turned), _gap(b, places_b, a, places_a, turned)) <= sides.tolerance


def _gap(one: Joint, places: Sequence[Array], other: Joint, targets: Sequence[Array], turned: bool) -> float:
    """Return how far poses that one joint allows are from those of another, in m or rad.

    places, targets (4, 4): of the frames of the joints in their parent and child. turned: whether these are exchanged.
    """
    gaps = [0.0]
    for q in samples(one.kind.neutral):
        T = places[0] @ one.kind.transform(one.axes, one.pitch, q) @ se3.inverse(places[1])  # of the bodies
        T = se3.inverse(T) if turned else T
        gaps += other.kind.gap(other.axes, other.pitch, se3.inverse(targets[0]) @ T @ targets[1])
    return float(max(gaps))
