"""Comparison of a robot before and after a repair of its text."""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.edit.subtree import links_below
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import build_tree
from kinetree.repairs.edit import NewNames
from kinetree.spatial.se3 import IDENTITY, Array, inverse

MOST = 1e-9
"""Largest change of an entry of a pose, m and 1."""
CONFIGURATIONS = 5
"""Number of random configurations, besides all joints at zero."""


class Thing(NamedTuple):
    """A part that must stay where it is: `what` identifies it before and after, T_frame_thing (4, 4) is its pose in a
    frame."""

    what: object
    said: str
    frame: str
    T: Array


def difference(
    before: Robot,
    after: Robot,
    renamed: NewNames,
    *,
    turns: float = 0.0,
    turned: Mapping[str, Array] = MappingProxyType({}),
    along: bool = False,
    rounding: float = 0.0,
    but: Collection[str] = (),
) -> str | None:
    """Return what has changed in a robot that must stay the same, or None.

    All frames, shapes, sensors and centres of mass must stay where they are in the root to 1e-9, with all joints at
    zero and at random; types, limits, mimics and passive behaviour of joints, masses and moments must be equal. New
    links and fixed joints are allowed.
    turns: by how much each number of an rpy may change, rad; then origins are compared one by one, and not the poses
    that follow from them.
    turned: links that turn, and T_old_new (4, 4) of each. along: whether everything behind such a link turns with it;
    otherwise it must stay where it is. rounding: largest relative error of masses and moments. but: frames that may be
    elsewhere.
    """
    found = next(_joints(before, after, renamed, turned), None) or next(_masses(before, after, renamed, rounding), None)
    return found or (_turned(before, after, turns) if turns else _moved(before, after, renamed, turned, along, but))


def _joints(before: Robot, after: Robot, renamed: NewNames, turned: Mapping[str, Array]) -> Iterator[str]:
    for joint in before.joints.values():
        other = after.joints.get(renamed.get(("joint", joint.name), joint.name))
        if other is None:
            yield f"joint {joint.name!r} is gone"
        elif (
            _about(joint, renamed) != _about(other, {})
            or np.abs(_axes(joint, turned) - other.axes).max(initial=0.0) > MOST
        ):
            yield f"joint {joint.name!r} is another: its type, axis, limits, mimic or dynamics"
    if _coupled(before, renamed) != _coupled(after, {}):
        yield "limits over several joints are others"
    old = {renamed.get(("joint", name), name) for name in before.joints}
    for joint in after.joints.values():
        if joint.name not in old and joint.kind.nv:
            yield f"joint {joint.name!r}, which moves, is new"


def _axes(joint: Joint, turned: Mapping[str, Array]) -> Array:
    """Return the axes of a joint (k, 3), in the turned frame if its child turns."""
    return joint.axes @ turned[joint.child][:3, :3] if joint.child in turned else joint.axes


def _about(joint: Joint, renamed: NewNames) -> object:
    mimic = joint.mimic
    leader = mimic and (renamed.get(("joint", mimic.joint), mimic.joint), mimic.multiplier, mimic.offset, mimic.higher)
    return joint.type, joint.limits, leader, joint.dynamics, joint.safety, joint.calibration, joint.pitch


def _coupled(robot: Robot, renamed: NewNames) -> object:
    return [
        (
            {renamed.get(("joint", name), name): value for name, value in limit.coefficients.items()},
            limit.lower,
            limit.upper,
        )
        for limit in robot.coupled_limits
    ]


def _masses(before: Robot, after: Robot, renamed: NewNames, rounding: float) -> Iterator[str]:
    for link in before.links.values():
        other = after.links.get(renamed.get(("link", link.name), link.name))
        if other is None:
            yield f"link {link.name!r} is gone"
        elif bool(link.inertial) != bool(other.inertial):
            yield f"link {link.name!r} has another inertial"
        elif link.inertial and other.inertial:
            a, b = link.inertial, other.inertial
            off = np.abs(a.inertia - b.inertia).max()
            if abs(a.mass - b.mass) > rounding * a.mass or off > rounding * np.abs(a.inertia).max():
                yield f"link {link.name!r} has another mass or inertia"


def _moved(
    before: Robot, after: Robot, renamed: NewNames, turned: Mapping[str, Array], along: bool, but: Collection[str]
) -> str | None:
    old, new = list(_things(before, renamed, but)), list(_things(after, {}, but))
    partners = _partners(old, new)
    if len(partners) < len(old):
        return f"{old[len(partners)].said} is gone"
    tree = build_tree(after)
    expected = [(T, *_turning(old, before, link, along)) for link, T in turned.items()]
    for q, poses in _poses(before):
        T_old = _placed(old, before, poses)
        for T, carrier, behind in expected:
            T_old[behind] = T_old[carrier] @ T @ inverse(T_old[carrier]) @ T_old[behind]
        T_new = _placed(new, after, forward_kinematics(tree, _as_in(after, before, q, renamed), after.frames))
        off = np.abs(T_old - T_new[partners]).max(axis=(1, 2), initial=0.0)
        wrong = np.flatnonzero(~(off <= MOST))  # equal things may have changed places
        free = sorted(set(range(len(new))) - {partners[i] for i in np.flatnonzero(off <= MOST)}) if len(wrong) else []
        candidates = {what: Candidates(T_new[of_it]) for what, of_it in _alike(new, free).items()}
        for i in wrong:
            nearest = candidates[old[i].what].take(T_old[i])
            if not nearest <= MOST:
                return f"{old[i].said} moves by {nearest:.3g}"
    return None


def _turning(things: Sequence[Thing], robot: Robot, link: str, along: bool) -> tuple[int, list[int]]:
    """Return the number of a link's frame, and those of the things that turn with the link."""
    carrier = next(i for i, thing in enumerate(things) if thing.frame == link)
    behind = links_below(robot, link) | {link} if along else set()
    return carrier, [i for i, t in enumerate(things) if i == carrier or robot.frames[t.frame].link in behind]


def _partners(old: Sequence[Thing], new: Sequence[Thing]) -> list[int]:
    """Return for each old thing the number of its new one, in their order, up to the first that has none."""
    numbers = {what: iter(of_it) for what, of_it in _alike(new, range(len(new))).items()}
    found: list[int] = []
    for thing in old:
        number = next(numbers.get(thing.what, iter(())), None)
        if number is None:
            break
        found.append(number)
    return found


def _alike(things: Sequence[Thing], numbers: Iterable[int]) -> dict[object, list[int]]:
    """Return the numbers of things by `what`."""
    found: dict[object, list[int]] = {}
    for i in numbers:
        found.setdefault(things[i].what, []).append(i)
    return found


def _placed(things: Sequence[Thing], robot: Robot, poses: Sequence[Array]) -> Array:
    numbers = {name: i for i, name in enumerate(robot.frames)}
    frames = [numbers[thing.frame] for thing in things]
    placed: Array = np.array(poses)[frames] @ np.array([thing.T for thing in things])
    return placed


class Candidates:
    """Poses (4, 4), each of one thing, sorted by a weighted sum so that only nearly equal ones are compared."""

    WEIGHTS = np.random.default_rng(199).uniform(1, 2, 16)

    def __init__(self, poses: Array) -> None:
        numbers = poses.reshape(-1, 16) @ self.WEIGHTS
        order = np.argsort(numbers)
        self.numbers: list[float] = numbers[order].tolist()
        self.poses = list(poses[order])

    def take(self, T: Array) -> float:
        """Return the distance to the nearest pose, and remove that pose if it is near enough."""
        number = float(T.ravel() @ self.WEIGHTS)
        width = MOST * self.WEIGHTS.sum() + 1e-14 * float(np.abs(T).ravel() @ self.WEIGHTS)  # and rounding
        at = bisect_left(self.numbers, number - width)
        while at < len(self.numbers) and self.numbers[at] <= number + width:
            off = _off(T, self.poses[at])
            if off <= MOST:
                del self.numbers[at], self.poses[at]
                return off
            at += 1
        return min(_off(T, pose) for pose in self.poses)


def _off(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


@lru_cache(maxsize=1)  # many repairs of one state are tried
def _poses(robot: Robot) -> list[tuple[Array, list[Array]]]:
    """Return configurations and T_root_frame (4, 4) of all frames: at zero, and at random numbers from -2 to 2."""
    tree = build_tree(robot)
    return [(q, forward_kinematics(tree, q, robot.frames)) for q in _configurations(robot)]


def _configurations(robot: Robot) -> Iterator[Array]:
    yield robot.zero
    rng = np.random.default_rng(199)
    for _ in range(CONFIGURATIONS):
        q = rng.uniform(-2, 2, robot.nq)
        for name, where in robot.q_slices.items():
            if quaternion := robot.joints[name].kind.quaternion:
                q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
        yield q


def _as_in(after: Robot, before: Robot, q: Array, renamed: NewNames) -> Array:
    values, slices = np.zeros(after.nq), after.q_slices
    for name, where in before.q_slices.items():
        values[slices[renamed.get(("joint", name), name)]] = q[where]
    return values


def _things(robot: Robot, renamed: NewNames, but: Collection[str]) -> Iterator[Thing]:
    named = {name: renamed.get(("link", name), name) for name in robot.frames}
    for name in (name for name in robot.frames if name not in but):
        yield Thing(("frame", named[name]), f"frame {name!r}", name, IDENTITY)
    for link in robot.links.values():
        if link.inertial:
            what = ("mass", named[link.name])
            yield Thing(what, f"the centre of mass of {link.name!r}", link.name, link.inertial.origin)
        for kind, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for shape in shapes:
                form = (kind, shape.shape.kind, tuple(sorted(shape.shape.parameters.items())), shape.name)
                yield Thing(form, f"a {kind} of {link.name!r}", link.name, shape.origin)
    for sensor in robot.sensors.values():
        yield Thing(("sensor", sensor.name), f"sensor {sensor.name!r}", sensor.frame, sensor.origin)


def _turned(before: Robot, after: Robot, turns: float) -> str | None:
    """Return what has turned further than three numbers of an rpy allow, or has moved in its parent."""
    old, new = list(_origins(before)), list(_origins(after))
    if len(old) != len(new):
        return "there are more or fewer things with an origin"
    for a, b in zip(old, new, strict=True):
        off = float(np.linalg.norm(a.T[:3, :3] - b.T[:3, :3])) / np.sqrt(2)  # 2 sin(angle / 2)
        if a.what != b.what or np.abs(a.T[:3, 3] - b.T[:3, 3]).max() > 0 or off > 3 * turns:
            return f"{a.said} changes by more than its angles"
    return None


def _origins(robot: Robot) -> Iterator[Thing]:
    """Yield everything with an origin, in the frame of its parent."""
    for joint in robot.joints.values():
        yield Thing((joint.parent, joint.child), f"joint {joint.name!r}", joint.parent, joint.origin)
    for link in robot.links.values():
        shapes = (*link.visuals, *link.collisions)
        origins = [shape.origin for shape in shapes] + ([link.inertial.origin] if link.inertial else [])
        for origin in origins:
            yield Thing(link.name, f"link {link.name!r}", link.name, origin)
    for sensor in robot.sensors.values():
        yield Thing(sensor.frame, f"sensor {sensor.name!r}", sensor.frame, sensor.origin)
