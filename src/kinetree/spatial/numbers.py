"""Conversion of user input to arrays, rotations and poses, with checks.

`judged` is the one judgement of every rotation that a user gives: by the largest entry of |R - the nearest rotation|,
and of quaternions by their length.
"""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from kinetree.arrays import as_numpy
from kinetree.errors import Finding, fail
from kinetree.labels import by_name
from kinetree.spatial.se3 import Array, is_rotation, nearest_rotation

EXACT = 1e-6
"""Distance from a rotation up to which a matrix is taken as it is; more than in single precision."""
ROUNDED = 1e-3
"""Distance up to which the nearest rotation is used; numbers with three decimals are nearer."""
SURELY = EXACT / 2
"""Largest error of an entry of R R.T up to which the distance is certainly below EXACT."""
LARGEST = 1e100
"""Largest number of a pose; its squares do not overflow."""
UNITS = {0.001: "mm to m", 0.01: "cm to m", 0.0254: "inches to m", 1000.0: "m to mm", 100.0: "m to cm"}
"""Scales of rotations and the conversion of lengths that they suggest."""


def numbers(values: Any, code: str, what: str, labels: Sequence[str] = ()) -> Array:
    """Return the values as an array of floats; raise KinetreeError with this code if they are not numbers.

    what: name and verb for the message, such as "a pose is". labels: names of the entries along the last axis, by which
    a table is read (`kinetree.labels`); without them one with names is refused.
    """
    name = what.rpartition(" ")[0]
    values = as_numpy(by_name(values, labels, name), name)
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biuf" or (array.dtype.kind == "O" and all(isinstance(x, Real) for x in array.flat)):
            with np.errstate(over="ignore"):
                return array.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise fail(code, f"{what} no array of numbers: {str(values)[:60]!r}")


def poses(values: Any, notes: list[Finding] | None = None) -> Array:
    """Return the values as poses T (…, 4, 4), m, see `judged`; raise KinetreeError if one is not a rigid transform.

    notes: gets a warning about poses whose nearest rotation is used.
    """
    T = numbers(values, "pose", "a pose is")
    if T.shape[-2:] != (4, 4):
        raise fail("pose", f"a pose is an array (4, 4); this one has shape {T.shape}")
    used, off = judged(T)
    if not (off <= ROUNDED).all():
        raise refused("pose", "pose", T, off)
    if notes is not None and (off > EXACT).any():
        message = f"a rotation is rounded, {off.max():.2g} off the nearest one, which is used"
        notes.append(Finding("rounded-rotation", "warning", message, element="pose", fix="give more digits"))
    return used


def judged(M: Array) -> tuple[Array, Array]:
    """Return what to use in place of poses (…, 4, 4) or rotations (…, 3, 3), and their distances (…) from rotations.

    The distance is 0 where it is certainly below EXACT, and infinite for numbers that are not finite and for a last row
    of a pose that is not 0 0 0 1. Matrices that are farther than ROUNDED are returned as they are.
    """
    R = M[..., :3, :3]
    legal = np.asarray((np.abs(M) <= LARGEST).all(axis=(-1, -2)))
    if M.shape[-1] == 4:
        legal &= (np.abs(M[..., 3, :] - (0, 0, 0, 1)) <= EXACT).all(axis=-1)
    off = np.where(legal, 0.0, np.inf)
    doubtful = np.asarray(legal & ~is_rotation(np.where(legal[..., None, None], R, 0.0), SURELY))
    if doubtful.any():
        nearest = nearest_rotation(R[doubtful])
        off[doubtful] = away = np.abs(R[doubtful] - nearest).max(axis=(-1, -2))
        M = M.copy()
        M[doubtful, :3, :3] = np.where((away > EXACT) & (away <= ROUNDED), nearest.T, R[doubtful].T).T
    return M, off


def refused(code: str, what: str, M: Array, off: Array) -> Exception:
    """Return the error about the first of poses (…, 4, 4) or rotations (…, 3, 3) at a distance (…) above ROUNDED."""
    where = np.argwhere(~(off <= ROUNDED))[0].tolist()
    message, fix = pose_fault(M[tuple(where)])
    return fail(code, f"the {what}{f' at index {where}' if where else ''} {message}", fix=fix)


def pose_fault(M: Array) -> tuple[str, str | None]:
    """Return what is wrong with a pose (4, 4), rotation (3, 3) or position (3,), and how to correct it."""
    huge = np.argwhere(~(np.abs(M) <= LARGEST))
    if len(huge):
        where = huge[0].tolist()
        return f"has {M[tuple(where)]:g} in entry {where}; expected finite numbers up to {LARGEST:g}", None
    if len(M) == 4 and np.abs(M[3] - (0, 0, 0, 1)).max() > EXACT:
        is_transposed = np.abs(M[:, 3] - (0, 0, 0, 1)).max() <= EXACT
        row = " ".join(f"{x:g}" for x in M[3])
        return f"has the last row {row}; expected 0 0 0 1", "transpose it" if is_transposed else None
    R = M[:3, :3]
    away = np.abs(R - nearest_rotation(R))
    i, j = np.unravel_index(int(away.argmax()), away.shape)
    size, det = np.linalg.svd(R, compute_uv=False), float(np.linalg.det(R))
    kind, fix = "is not a rotation", "kinetree.spatial.se3.nearest_rotation(R) is the nearest rotation"
    if det < 0:
        kind, fix = f"is left-handed (its determinant is {det:.4g})", "correct the sign of one axis"
    elif size[0] - size[2] <= ROUNDED * size[0]:
        said = [
            f", as by a conversion from {x}; only positions have a unit"
            for k, x in UNITS.items()
            if abs(size.mean() / k - 1) <= ROUNDED
        ]
        kind = f"is scaled by {size.mean():.4g}{''.join(said)}"
    entry = f"entry [{i}, {j}] is {R[i, j]:.6g}, {away[i, j]:.3g} off the nearest rotation"
    return f"{kind}: {entry}; expected at most {ROUNDED:g}", fix


def quaternion_fault(quaternions: Array) -> str:
    """Return what is wrong with quaternions (…, 4) in any order, judged by their lengths, or ""."""
    lengths = np.linalg.norm(quaternions, axis=-1)
    off = ~(np.abs(lengths - 1.0) <= ROUNDED)
    return f"the quaternion's length is {lengths[off].flat[0]:.4g}, not 1 to within {ROUNDED:g}" if off.any() else ""
