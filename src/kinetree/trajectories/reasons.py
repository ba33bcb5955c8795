"""Why no motion along a path keeps the limits, and where."""

from collections.abc import Sequence
from functools import cache
from math import comb

import numpy as np

from kinetree.display import number
from kinetree.errors import KinetreeError, fail
from kinetree.model.limits import Limits
from kinetree.queries.query import memoise
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along, Grid
from kinetree.trajectories.bounds import Follower
from kinetree.trajectories.passes import StuckError
from kinetree.trajectories.path import Path
from kinetree.trajectories.rows import Limited

OUTSIDE = 1e-9
"""Distance, rad or m, by which a path may be outside of a limit."""
NEGLIGIBLE = 1e-13
"""Part of the largest coefficient of a polynomial below which its highest coefficients are rounding error."""


def check_inside(
    path: Path, fix: str = "choose other points; in Python, degree=1 is for straight lines, position=False for no test"
) -> None:
    """Raise KinetreeError, with the place, if a path leaves `robot.limits`, coupled ones included.

    Each limit is a polynomial of s; the coefficients of Bernstein bound it, and where these are outside of the limit,
    its largest value is computed.
    """
    k = len(path.coefficients) - 1
    names, G, h = memoise(path.robot, half_spaces, lambda: half_spaces(path.robot.limits))
    steps = np.diff(path.s)
    powers = path.coefficients[::-1] @ G.T * (steps ** np.arange(k + 1)[:, None])[..., None]  # (k + 1, m, r)
    hull = np.tensordot(bernstein(k), powers, 1).max(axis=0)
    worst: tuple[float, int, float] = (OUTSIDE, -1, 0.0)
    for piece, row in np.argwhere(hull > h + OUTSIDE).tolist():
        value = np.polynomial.Polynomial(powers[:, piece, row])
        slope = value.deriv().trim(NEGLIGIBLE * np.abs(powers[:, piece, row]).max())
        roots = slope.roots() if len(slope) > 1 else np.zeros(0)
        places = np.array([0.0, 1.0, *np.clip(roots[np.abs(roots.imag) < 1e-6].real, 0.0, 1.0)])
        off = value(places) - h[row]
        if off.max() > worst[0]:
            worst = float(off.max()), row, float(path.s[piece] + places[off.argmax()] * steps[piece])
    if worst[1] >= 0:
        message = f"the path leaves limit {names[worst[1]]!r} by {number(worst[0])} at s = {number(worst[2], 6)}"
        raise fail("path", f"{message}, beyond the range of the model", fix=fix)


def half_spaces(limits: Limits) -> tuple[list[str], Array, Array]:
    """Return the names of all finite limits, G (r, nq) and h (r,), with G q <= h inside."""
    eye = np.eye(len(limits.lower))
    G, h = np.concatenate([-eye, eye, limits.G]), np.concatenate([-limits.lower, limits.upper, limits.h])
    kept = np.isfinite(h)
    return [name for name, is_kept in zip(limits.names, kept, strict=True) if is_kept], G[kept], h[kept]


@cache
def bernstein(k: int) -> Array:
    """Return the matrix (k + 1, k + 1) from coefficients of powers, the constant first, to those of Bernstein."""
    return np.array([[comb(i, j) / comb(k, j) for j in range(k + 1)] for i in range(k + 1)])


def s_of(path: Path, grid: Grid, i: int, k: int) -> float:
    """Return the parameter at the beginning of interval i of path k; pieces are counted over all paths."""
    return float(path.s[grid.piece[i, k] - grid.piece[0, k]] + grid.since[i, k])


def reason(
    stuck: StuckError, path: Path, at: Along, grid: Grid, k: int, limited: Limited, more: Sequence[Follower]
) -> KinetreeError:
    """Return the error for a place on path k where no speed keeps the limits; more: the followers."""
    i = stuck.interval
    where = f"at s = {number(s_of(path, grid, i, k), 6)}"
    names, counted = path.robot.velocity_names, limited.counted
    if limited.dynamics is not None:
        still = np.zeros((3, len(names)))
        weight: Array = np.abs(limited.dynamics(at.q[:, i, k], still, still))
        share = np.divide(weight, limited.torque, out=np.where(weight > 0.0, np.inf, 0.0), where=limited.torque > 0.0)
        m, j = np.unravel_index(share.argmax(), weight.shape)
        if weight[m, j] > limited.torque[j]:
            needs = f"standing still takes {number(weight[m, j])} of joint {names[j]!r}, N m or N"
            fix = "a larger torque=, a smaller payload=, or another path"
            return fail("retime", f"{needs}, and its limit is {number(limited.torque[j])}, {where}", fix=fix)
    moving = [*names, *(follower.name for follower in more)]
    found = [f"acceleration of {moving[i]!r}" for i in counted.acceleration]
    found += [f"torque of {names[i]!r}" for i in counted.torque for _ in range(1 + limited.is_damped)]
    found = [*found, *found, "the rest of the path"]
    B, U, L = stuck.rows.T
    upper, lower = found[int(np.argmin(U - B * stuck.x))], found[int(np.argmax(L - B * stuck.x))]
    both = " and ".join(dict.fromkeys((upper, lower)))
    return fail("retime", f"no speed {where} keeps the limits of {both}", fix="larger limits, or another path")
