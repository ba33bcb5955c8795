"""Left and right parts of a robot, and the rule that they are mirror images of each other."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from kinetree.rules.rule import Array, Found, Joint, Link, Poses, Robot, Rule, Threshold, fact, numbers

SIDE = r"{0}|(?<![a-z0-9])(?:[fhrbm]?{1}|{1}[fhrb])(?![a-z0-9])"
"""Words and letters that stand for a side, such as FL and LF for the left in front."""
CAPITAL = r"(?:(?<=[a-z_])|^)L(?=[A-Z])"
"""A letter for left in front of a word, such as in LHipYaw."""
OTHER = {"left": "right", "Left": "Right", "LEFT": "RIGHT"}
NOT_OURS = (
    r"finger|thumb|knuckle|palm|jaw|gripper|camera|stereo|eye|wheel|caster|index|middle|ring|pinky"
    r"|sensor|imu|fsr|(?<![a-z])ft(?![a-z])"
)
"""Parts that are left or right of something else, or are the same part on both sides."""
SAME = Threshold(1e-3, "", "largest difference of mirror images, as a part of their size")
DIFFERENT = Threshold(0.03, "", "largest difference that rounding may explain, as a part of their size")
APART = Threshold(1e-3, "m", "smallest distance of the two of a pair that shows which is the plane of the mirror")
SHORT = Threshold(0.01, "m", "length with which the differences of shorter ones are compared")
MOST = 4
"""Most quantities in a message."""
LOWER, RADIUS = "lower limit", "radius of the collision shape"
OF_JOINTS: Mapping[str, Callable[[Joint], float]] = {
    "velocity limit": lambda joint: joint.limit.velocity,
    "effort limit": lambda joint: joint.limit.effort,
    "damping": lambda joint: joint.dynamics[0].damping if joint.dynamics else 0.0,
}
"""Quantities of a joint that are the same on both sides."""
AGREEING = Threshold(4, "pairs", "smallest number of pairs that are mirror images for each that is not")
TURNED = Threshold(2, "pairs", "smallest number of pairs with mirrored ranges for each with a copied one")
NEAR = Threshold(0.1, "rad or m", "largest difference of limits that is only remarked")


_PARTS = ("pelvis", "hip", "thigh", "shin", "ankle", "foot")


def _leg(side: str, y: float) -> str:
    """Return the text of a leg that hangs on the pelvis."""
    text = ""
    for i, part in enumerate(_PARTS[1:]):
        above = f"{side}_{_PARTS[i]}" if i else "pelvis"
        inertial = '<mass value="2"/><inertia ixx="0.012" ixy="0" ixz="0" iyy="0.011" iyz="0" izz="0.004"/>'
        text += f'<link name="{side}_{part}"><inertial>{inertial}</inertial></link>'
        text += f'<joint name="{side}_{part}_joint" type="fixed"><parent link="{above}"/><child link="{side}_{part}"/>'
        text += f'<origin xyz="0 {0 if i else y} -0.1"/></joint>\n'
    return text


LEGS = f'<robot name="walker"><link name="pelvis"/>\n{_leg("left", 0.1)}{_leg("right", -0.1)}</robot>'
"""A robot with two equal legs."""


class Table(NamedTuple):
    """Quantities (n, k) of right things, of the mirror images of the left ones, and of these themselves. names (k).
    sizes (n, k): to which differences are compared."""

    names: tuple[str, ...]
    pairs: list[tuple[Link | Joint, Link | Joint]]
    found: Array
    mirrored: Array
    copied: Array
    sizes: Array


class MirrorImages(Rule):
    """Left and right are mirror images of each other.

    A number that was changed on one side only, or a sign that was not, makes a robot that leans and limps. Where nearly
    all pairs are mirror images to a thousandth, the one that is not is likely to be wrong.
    """

    code = "NAM-010"
    thresholds = (SAME, DIFFERENT, APART, SHORT, AGREEING, TURNED, NEAR)
    of_robot = True
    evidence = "heuristic"
    clause = "what is called left and right is the same but for its side"
    url = "https://www.ros.org/reps/rep-0120.html"
    base = LEGS
    good = '<link name="right_shin"><inertial><mass value="2"/>'
    bad = '<link name="right_shin"><inertial><mass value="2.4"/>'

    def check(self, robot: Robot, mirrored: tuple[Table, ...]) -> Found:
        """A pair that differs by more than rounding where nearly all others are equal; two wheels whose collision
        shapes, cylinders or spheres, have other radii, or that differ in mass, velocity, effort or damping. Fingers and
        sensors make no pairs; hands may have one range, and other origins. The axes of one pair alone that do not turn
        as those of most pairs do, across the mirror or in it, unless ranges that are images show that it is meant."""
        for left, right, name, (one, other) in _wheels(robot):
            if abs(one - other) > (1e-6 if name == RADIUS else DIFFERENT) * max(abs(one), abs(other)):
                own, theirs = numbers((other, one))
                unit = {RADIUS: " m", "mass": " kg"}.get(name, "")
                message = f"the {name} is {own}{unit}, that of {left.name!r} {theirs}{unit}"
                yield self.finding(f"{message}; expected wheels of one {'size' if unit == ' m' else 'kind'}", right)
        wrong: dict[tuple[str, str], tuple[Link | Joint, Link | Joint, list[str]]] = {}
        grave = set()
        for table in mirrored:
            off = np.abs(table.found - table.mirrored) / table.sizes
            for i in outliers(off, table):
                left, right = table.pairs[i]
                key = type(right).__name__, right.name
                texts = wrong.setdefault(key, (left, right, []))[2]
                if table.names[0] != LOWER or np.abs(table.found[i] - table.mirrored[i]).max() > NEAR:
                    grave.add(key)
                for k in np.flatnonzero(off[i] > SAME):
                    least = 1e-6 * table.sizes[i, k]  # only rounding makes smaller ones differ from zero
                    pair = (float(x[i, k]) for x in (table.found, table.mirrored))
                    found, expected = numbers(value if abs(value) > least else 0.0 for value in pair)
                    texts.append(f"{table.names[k]} {found} here, {expected} by the mirror image")
        for key, (left, right, texts) in wrong.items():
            message = f"is not the mirror image of {left.name!r}: {'; '.join(texts[:MOST])}"
            yield self.finding(message, right) if key in grave else self.remark(message, right)


def _wheels(robot: Robot) -> Iterator[tuple[Link | Joint, Link | Joint, str, tuple[float, ...]]]:
    """Yield the radii of round collision shapes of left and right wheels, their masses, and what their joints have."""
    for name, left in robot.links.items():
        right = robot.links.get(right_of(name) or "") if "wheel" in name.lower() else None
        if right is None:
            continue
        shapes = [[one.shape for one in link.collisions] for link in (left, right)]
        kinds = [[shape.kind for shape in one] for one in shapes]
        if kinds[0] == kinds[1] and kinds[0] in (["cylinder"], ["sphere"]):
            yield left, right, RADIUS, tuple(float(str(one[0].parameters["radius"])) for one in shapes)
        if left.inertial and right.inertial:
            yield left, right, "mass", (left.inertial.mass, right.inertial.mass)
        a, b = robot.parent_joint(name), robot.parent_joint(right.name)
        if a and b and a.type == b.type:
            yield from ((a, b, quantity, (of(a), of(b))) for quantity, of in OF_JOINTS.items())


def outliers(off: Array, table: Table) -> list[int]:
    """Return the rows that are not mirror images, if nearly all others are; those that differ in the same way, as front
    and rear legs do, count once. A copy counts only if enough other pairs are mirror images and not copies."""
    far = off.max(axis=1, initial=0.0)
    if (far <= DIFFERENT).all():
        return []
    copied = (np.abs(table.found - table.copied) <= SAME * table.sizes).all(axis=1)
    image = far <= SAME
    copies, others = ~image & copied, ~image & ~copied
    wrong = far > DIFFERENT
    least = TURNED if table.names[0] == LOWER else AGREEING  # the same part may be on both sides
    hand = np.array(["hand" in left.name.lower() for left, _ in table.pairs])
    for part, rows in ((~hand, ~hand), (hand, hand | True)):  # hands say nothing about other parts
        ways = np.unique(np.hstack((table.found, table.mirrored))[others & rows].round(9) + 0.0, axis=0)
        wrong &= ~part | ~copies | ((image & ~copied & rows).sum() >= least * (copies & rows).sum())
        wrong &= ~part | ~others | ((image & rows).sum() >= AGREEING * len(ways))
    return [int(i) for i in np.flatnonzero(wrong)]


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of left, right, a capital L and what is left out; to compile them takes 2 ms."""
    words = SIDE.format("left", "l"), SIDE.format("right", "r")
    return (*(re.compile(w, re.IGNORECASE) for w in words), re.compile(CAPITAL), re.compile(NOT_OURS, re.IGNORECASE))


@lru_cache(4096)
def right_of(name: str) -> str | None:
    """Return the name of the right thing for that of a left one; None for others, and with two words for left."""
    left_side, right_side, capital, _ = _patterns()
    found = [*left_side.finditer(name)] or [*capital.finditer(name)]
    if len(found) != 1 or right_side.search(name):
        return None
    left = found[0][0]
    right = OTHER.get(left) or left.replace("l", "r").replace("L", "R")
    return name[: found[0].start()] + right + name[found[0].end() :]


@fact
def mirrored(robot: Robot, poses: Poses) -> tuple[Table, ...]:
    """Return the quantities of left and right things, in their own axes, if there are enough of them."""
    joints: list[tuple[Joint, Joint]] = _pairs(robot.joints)
    apart = np.abs([poses[a.child][:3, 3] - poses[b.child][:3, 3] for a, b in joints]).reshape(-1, 3)
    axes = np.argmax(apart, axis=1)
    across = np.sort(apart, axis=1)
    along = axes[(across[:, 2] > APART) & (across[:, 1] < SAME * across[:, 2])]  # are apart along one axis alone
    if len(along) < AGREEING or np.bincount(along).max() < AGREEING:
        return ()
    mirror = np.eye(3)
    mirror[k := int(np.argmax(np.bincount(along))), k] = -1.0
    links = [(a, b) for a, b in _pairs(robot.links) if a.inertial and b.inertial]
    return (*_of_links(links, poses, mirror), *_of_joints(joints, robot, poses, mirror))


def _pairs(things: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Return the left things with their right ones: of names that are equal but for l and r, and the left one is never
    the last in the alphabet."""
    alike: dict[str, list[str]] = {}
    for name in things:
        alike.setdefault(name.lower().replace("left", "right").replace("l", "r"), []).append(name)
    left = (name for names in alike.values() if len(names) > 1 for name in sorted(names)[:-1])
    named = ((name, right_of(name) or "") for name in left)
    return [(things[a], things[b]) for a, b in named if b in things and not _patterns()[3].search(a)]


def _of_links(pairs: list[tuple[Link, Link]], poses: Poses, mirror: Array) -> Iterator[Table]:
    if not pairs:
        return
    left, right = ([pair[k].inertial for pair in pairs] for k in (0, 1))
    R, Q = (np.array([poses[pair[k].name][:3, :3] for pair in pairs]) for k in (0, 1))
    frames, others = (np.array([inertial.origin for inertial in side if inertial]) for side in (left, right))
    change = Q.transpose(0, 2, 1) @ mirror @ R
    com = (change @ frames[:, :3, 3:])[..., 0]
    turn = others[:, :3, :3].transpose(0, 2, 1) @ change @ frames[:, :3, :3]
    mass, weight = (np.array([[inertial.mass] for inertial in side if inertial]) for side in (left, right))
    tensors, found = (np.array([inertial.inertia for inertial in side if inertial]) for side in (left, right))
    rows = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    size = np.maximum(np.trace(tensors, axis1=1, axis2=2)[:, None] / 3, 1e-12)
    distance = np.maximum(np.linalg.norm(com, axis=1, keepdims=True), SHORT)
    images = turn @ tensors @ turn.transpose(0, 2, 1)
    yield Table(
        ("mass", *(f"centre of mass {x}" for x in "xyz"), "ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
        [*pairs],
        np.hstack((weight, others[:, :3, 3], found[:, *rows])),
        np.hstack((mass, com, images[:, *rows])),
        np.hstack((mass, frames[:, :3, 3], tensors[:, *rows])),
        np.hstack((np.maximum(np.maximum(mass, weight), 1e-9), *[distance] * 3, *[size] * 6)),
    )


def _of_joints(pairs: list[tuple[Joint, Joint]], robot: Robot, poses: Poses, mirror: Array) -> Iterator[Table]:
    R, Q = (np.array([poses[pair[k].parent][:3, :3] for pair in pairs]) for k in (0, 1))
    here, there = (np.array([pair[k].origin[:3, 3] for pair in pairs]) for k in (0, 1))
    images = (Q.transpose(0, 2, 1) @ mirror @ R @ here[..., None])[..., 0]
    size = np.maximum(np.linalg.norm(here, axis=1, keepdims=True), SHORT)
    moving = {joint.child: joint for joint in robot.joints.values()}
    for i in np.flatnonzero((np.abs(there - images) > SAME * size).any(axis=1)):
        for along in _free(*pairs[i], Q[i], moving, mirror):
            images[i] += along * (along @ (there[i] - images[i]))
    names = tuple(f"origin {x}" for x in "xyz")
    arms = np.array(["hand" not in a.name.lower() for a, _ in pairs])
    sizes = np.repeat(size, 3, axis=1)
    yield Table(names, [*compress(pairs, arms)], there[arms], images[arms], here[arms], sizes[arms])
    turning = [
        (a, b, 1.0 if a.type == "prismatic" else -1.0, R[i], Q[i])
        for i, (a, b) in enumerate(pairs)
        if a.type == b.type and a.kind.single and a.axis is not None and b.axis is not None
    ]
    ways = [
        float((sign * mirror @ Ri @ a.origin[:3, :3] @ a.axis) @ (Qi @ b.origin[:3, :3] @ b.axis))
        for a, b, sign, Ri, Qi in turning
    ]
    for name, of in OF_JOINTS.items():
        known = [(a, b) for a, b, *_ in turning if np.isfinite((of(a), of(b))).all()]
        one, other = (np.array([[of(pair[k])] for pair in known]).reshape(-1, 1) for k in (0, 1))
        if (one != other).any():
            yield Table((name,), [*known], other, one, one, np.maximum(np.maximum(one, other), 1e-9))
    limited = [(a, b, way) for (a, b, *_), way in zip(turning, ways, strict=True) if abs(way) > 1 - SAME]
    yield _of_limits(limited)
    yield _of_axes(turning, mirror)


def _of_axes(pairs: list[tuple[Joint, Joint, float, Array, Array]], mirror: Array) -> Table:
    """Return the axes of joints in their right parents, and those that turn or slide as most others do. Oblique ones
    are left out."""
    rows, across = [], np.diag(np.eye(3) - mirror) / 2
    for a, b, sign, R, Q in pairs:
        axis, there = R @ a.origin[:3, :3] @ a.axis, b.origin[:3, :3] @ b.axis
        image = Q.T @ (sign * mirror @ axis)
        slope, way = abs(float(across @ axis)), float(image @ there)
        low, high = _range(a)
        is_meant = low != -high and _range(b) == ((low, high) if way > 0 else (-high, -low))
        if max(abs(slope - round(slope)), abs(way - round(way))) < DIFFERENT:
            rows.append(((a, b), there, image, round(way), round(slope), is_meant))
    usual = [np.sign(sum(way for *_, way, kind, _ in rows if kind == one)) for one in (0, 1)]
    kept = [row for row in rows if usual[row[4]] and (row[3] == usual[row[4]] or not row[5])]
    if sum(bool(row[3] != usual[row[4]]) for row in kept) > 1:  # which is a way of building robots
        kept = []
    found = np.array([row[1] for row in kept]).reshape(-1, 3)
    images = np.array([usual[row[4]] * row[2] for row in kept]).reshape(-1, 3)
    names = tuple(f"axis {x}" for x in "xyz")
    return Table(names, [row[0] for row in kept], found, images, images, np.ones_like(found))


def _of_limits(pairs: list[tuple[Joint, Joint, float]]) -> Table:
    """Return the ranges of joints with axes that are mirror images; way: 1, or -1 if they point the other way.
    Hands with one range open and close both."""
    known = [row for row in pairs if np.isfinite((*_range(row[0]), *_range(row[1]))).all()]
    ranged = [(a, b, way) for a, b, way in known if "hand" not in a.name.lower() or _range(a) != _range(b)]
    one, other = (np.array([_range(row[k]) for row in ranged]).reshape(-1, 2) for k in (0, 1))  # type: ignore[arg-type]
    same = np.array([way > 0 for *_, way in ranged], dtype=bool)[:, None]
    size = np.maximum(np.maximum(np.ptp(one, axis=1), np.ptp(other, axis=1)), 1e-9)[:, None].repeat(2, axis=1)
    images = np.where(same, one, -one[:, ::-1])
    return Table((LOWER, "upper limit"), [(a, b) for a, b, _ in ranged], other, images, one, size)


def _range(joint: Joint) -> tuple[float, float]:
    return joint.limit.lower, joint.limit.upper


def _free(left: Joint, right: Joint, Q: Array, moving: Mapping[str, Joint], mirror: Array) -> Iterator[Array]:
    """Yield directions in the right parent's axes along which the joint may stand anywhere: its own axis, that of the
    joint before it, and across the mirror if both hang on one link, which need not lie in the mirror."""
    if right.axis is not None and right.type != "prismatic":
        yield right.origin[:3, :3] @ right.axis
    before = moving.get(right.parent)
    if before is not None and before.axis is not None and before.type != "prismatic":
        yield before.child_origin[:3, :3].T @ before.axis
    if left.parent == right.parent:
        yield Q.T @ np.diag(np.eye(3) - mirror) / 2
