"""What lies between two links: bodies, joints, and the ends of their ranges."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import product
from shlex import quote

import numpy as np

from kinetree.errors import KinetreeError
from kinetree.model.robot import Joint, Robot
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array

MOST_CORNERS = 12
"""Coordinates between two links up to which all combinations of their limits are tried."""
SAMPLES = 10_000
"""Configurations in all of which a pair must be in contact to count as always in contact."""


def corners(robot: Robot, a: str, b: str) -> Array:
    """Return the configurations (n, nq) with the joints between two links at their limits in every combination, or the
    neutral one alone where there are more than MOST_CORNERS coordinates. Joints without limits stay neutral."""
    q, limits = robot.q(), robot.limits
    some = [
        i for i in sorted(columns_between(robot, a, b)) if np.isfinite(limits.lower[i]) and np.isfinite(limits.upper[i])
    ]
    if len(some) > MOST_CORNERS:
        return np.asarray(q[None])
    found = np.tile(q, (2 ** len(some), 1))
    found[:, some] = list(product(*((limits.lower[i], limits.upper[i]) for i in some)))
    return found


def columns_between(robot: Robot, a: str, b: str) -> set[int]:
    """Return the coordinates of q that move two links against each other."""
    model, joints = tree(robot), {joint.name for joint in between(robot, a, b)[1]}
    own = [where for name, where in zip(model.joints, model.q_slice, strict=True) if name in joints]
    return {i for where in own for i in range(where.start, where.stop)}


def words(robot: Robot, q: Array, columns: Collection[int], holds: Callable[[Array], bool]) -> str:
    """Return the joints that some coordinates of q (nq,) are of as options of commands, in degrees and m, the others
    neutral, with as few digits as something holds with."""
    text = ""
    for digits in (1, 3, 6):
        rounded, text = robot.q(), "--deg"
        for name, where in robot.q_slices.items():
            if not {*range(where.start, where.stop)}.isdisjoint(columns):
                turns = np.array(robot.joints[name].kind.angular)
                said = np.where(turns, np.rad2deg(q[where]).round(digits), q[where].round(digits + 3))
                rounded[where] = np.where(turns, np.deg2rad(said), said)
                text += f" --q {quote(name)}={','.join(f'{x:.12g}' for x in said.tolist())}"
        if holds(rounded):
            break
    return text


def carries(robot: Robot, a: str, b: str) -> bool:
    """Return whether one of two links carries the other."""
    one, other = _ways(robot, a, b)
    return one <= other or other <= one


def endless_columns(robot: Robot) -> set[int]:
    """Return the coordinates of q that are lengths without ends."""
    angular = [is_angle for name in robot.q_slices for is_angle in robot.joints[name].kind.angular]
    bounded = np.isfinite(robot.limits.lower) & np.isfinite(robot.limits.upper)
    quaternion: set[int] = set()
    for name, where in robot.q_slices.items():
        if part := robot.joints[name].kind.quaternion:
            quaternion |= set(range(robot.nq)[where][part])
    return {i for i in range(robot.nq) if not (angular[i] or bounded[i])} - quaternion


def between(robot: Robot, a: str, b: str) -> tuple[set[str], list[Joint]]:
    """Return the links on the way from one link to another, without both, and the joints on it that move."""
    one, other = _ways(robot, a, b)
    joints = [robot.joints[name] for name in one ^ other]
    links = {link for joint in joints for link in (joint.parent, joint.child)}
    return links - {a, b}, [joint for joint in joints if joint.kind.nv]


def samples(robot: Robot) -> Array:
    """Return configurations (SAMPLES, nq) inside the limits; angles without limits make whole turns, lengths without
    limits lie between -1 and 1 m."""
    try:
        return np.asarray(robot.limits.sample(SAMPLES, seed=0))
    except KinetreeError:
        rng, lower, upper = np.random.default_rng(0), robot.limits.lower, robot.limits.upper
        width = np.full(robot.nq, 2 * np.pi)
        width[sorted(endless_columns(robot))] = 2.0
        low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - width, -width / 2))
        q = rng.uniform(low, np.where(np.isfinite(upper), upper, low + width), (SAMPLES, robot.nq))
        for name, where in robot.q_slices.items():
            if quaternion := robot.joints[name].kind.quaternion:
                turn = rng.normal(size=(SAMPLES, 4))
                q[:, where][:, quaternion] = turn / np.linalg.norm(turn, axis=1)[:, None]
        return q


def _ways(robot: Robot, a: str, b: str) -> list[set[str]]:
    """Return the names of the joints from the root to each of two links."""
    return [{joint.name for joint in robot.joints_to(name)} for name in (a, b)]
