"""Whether a robot is the same after its text was mended: all that remains stays where it was, and as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.model.robot import Joint, Robot
from kinetree.model.tree import build_tree
from kinetree.spatial.se3 import Array

MOST = 1e-9
"""How much an entry of a pose may change, m and 1."""
CONFIGURATIONS = 5
"""Besides all joints at zero."""

Names = Mapping[tuple[str, str], str]
"""("link" or "joint", old name) to new name."""


class Placed(NamedTuple):
    """Something that has a pose T (4, 4): `what` is the same after."""

    what: object
    said: str
    T: Array


def difference(before: Robot, after: Robot, renamed: Names, *, turns: float = 0.0) -> str | None:
    """What has changed in a robot that is to stay the same, or None.

    All frames, shapes, sensors and centres of mass must be where they were in the root, with all joints at zero and at
    random, to 1e-9; types, limits, mimics and passive behaviour of joints, masses and moments must be equal. There may
    be new links and fixed joints.
    turns: by how much each number of an rpy may change, rad: then origins are compared one by one, and not the poses
    that follow from them.
    """
    found = next(_joints(before, after, renamed), None) or next(_masses(before, after, renamed), None)
    return found or (_turned(before, after, turns) if turns else _moved(before, after, renamed))


def _joints(before: Robot, after: Robot, renamed: Names) -> Iterator[str]:
    for joint in before.joints.values():
        other = after.joints.get(renamed.get(("joint", joint.name), joint.name))
        if other is None:
            yield f"joint {joint.name!r} is gone"
        elif _about(joint, renamed) != _about(other, {}) or np.abs(joint.axes - other.axes).max(initial=0.0) > MOST:
            yield f"joint {joint.name!r} is another: its type, axis, limits, mimic or dynamics"
    if _coupled(before, renamed) != _coupled(after, {}):
        yield "limits over several joints are others"
    old = {renamed.get(("joint", name), name) for name in before.joints}
    for joint in after.joints.values():
        if joint.name not in old and joint.kind.nv:
            yield f"joint {joint.name!r}, which moves, is new"


def _about(joint: Joint, renamed: Names) -> object:
    mimic = joint.mimic
    leader = mimic and (renamed.get(("joint", mimic.joint), mimic.joint), mimic.multiplier, mimic.offset)
    return joint.type, joint.limits, leader, joint.dynamics, joint.safety, joint.calibration, joint.pitch


def _coupled(robot: Robot, renamed: Names) -> object:
    return [
        (
            {renamed.get(("joint", name), name): value for name, value in limit.coefficients.items()},
            limit.lower,
            limit.upper,
        )
        for limit in robot.coupled_limits
    ]


def _masses(before: Robot, after: Robot, renamed: Names) -> Iterator[str]:
    for link in before.links.values():
        other = after.links.get(renamed.get(("link", link.name), link.name))
        if other is None:
            yield f"link {link.name!r} is gone"
        elif bool(link.inertial) != bool(other.inertial):
            yield f"link {link.name!r} has another inertial"
        elif link.inertial and other.inertial:
            a, b = link.inertial, other.inertial
            if a.mass != b.mass or not np.array_equal(a.inertia, b.inertia):
                yield f"link {link.name!r} has another mass or inertia"


def _moved(before: Robot, after: Robot, renamed: Names) -> str | None:
    for q in _configurations(before):
        there = _placed(after, _as_in(after, before, q, renamed), {})
        new: dict[object, list[Array]] = {}
        for placed in there:
            new.setdefault(placed.what, []).append(placed.T)
        for placed in _placed(before, q, renamed):
            candidates = new.get(placed.what, [])
            off = [float(np.abs(placed.T - T).max()) for T in candidates]
            if not off:
                return f"{placed.said} is gone"
            if not min(off) <= MOST:
                return f"{placed.said} moves by {min(off):.3g}"
            del candidates[int(np.argmin(off))]
    return None


def _configurations(robot: Robot) -> Iterator[Array]:
    """Neutral, and every number between -2 and 2."""
    yield robot.q()
    rng = np.random.default_rng(199)
    for _ in range(CONFIGURATIONS):
        q = rng.uniform(-2, 2, robot.nq)
        for name, where in robot.q_slices.items():
            if quaternion := robot.joints[name].kind.quaternion:
                q[where][quaternion] /= np.linalg.norm(q[where][quaternion])
        yield q


def _as_in(after: Robot, before: Robot, q: Array, renamed: Names) -> Array:
    """q in the order of another robot with the same joints."""
    values, slices = np.zeros(after.nq), after.q_slices
    for name, where in before.q_slices.items():
        values[slices[renamed.get(("joint", name), name)]] = q[where]
    return values


def _placed(robot: Robot, q: Array, renamed: Names) -> list[Placed]:
    """Frames, shapes, sensors and centres of mass in the root."""
    poses = forward_kinematics(build_tree(robot), q, robot.frames)
    T = dict(zip(robot.frames, poses, strict=True))
    named = {name: renamed.get(("link", name), name) for name in robot.frames}
    found = [Placed(("frame", named[name]), f"frame {name!r}", T[name]) for name in robot.frames]
    for link in robot.links.values():
        T_link = T[link.name]
        if link.inertial:
            what = ("mass", named[link.name])
            found.append(Placed(what, f"the centre of mass of {link.name!r}", T_link @ link.inertial.origin))
        for kind, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for shape in shapes:
                form = (kind, shape.shape.kind, tuple(sorted(shape.shape.parameters.items())), shape.name)
                found.append(Placed(form, f"a {kind} of {link.name!r}", T_link @ shape.origin))
    sensors = robot.sensors.values()
    return found + [Placed(("sensor", s.name), f"sensor {s.name!r}", T[s.frame] @ s.origin) for s in sensors]


def _turned(before: Robot, after: Robot, turns: float) -> str | None:
    """What has turned by more than three numbers of an rpy can, or moved within what carries it."""
    old, new = list(_origins(before)), list(_origins(after))
    if len(old) != len(new):
        return "there are more or fewer things with an origin"
    for a, b in zip(old, new, strict=True):
        off = float(np.linalg.norm(a.T[:3, :3] - b.T[:3, :3])) / np.sqrt(2)  # 2 sin(angle / 2)
        if a.what != b.what or np.abs(a.T[:3, 3] - b.T[:3, 3]).max() > 0 or off > 3 * turns:
            return f"{a.said} changes by more than its angles"
    return None


def _origins(robot: Robot) -> Iterable[Placed]:
    for joint in robot.joints.values():
        yield Placed((joint.parent, joint.child), f"joint {joint.name!r}", joint.origin)
    for link in robot.links.values():
        shapes = (*link.visuals, *link.collisions)
        origins = [shape.origin for shape in shapes] + ([link.inertial.origin] if link.inertial else [])
        for origin in origins:
            yield Placed(link.name, f"link {link.name!r}", origin)
    for sensor in robot.sensors.values():
        yield Placed(sensor.frame, f"sensor {sensor.name!r}", sensor.origin)
