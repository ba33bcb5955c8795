"""A motion as the page plays it: numbers as few bytes, without a sample left out.

Each column of n numbers has `digits`. If that is a number, the column has whole numbers of 10^-digits rad, m or s, each
stored as the difference to the one before, zigzag (0, -1, 1, -2, … as 0, 1, 2, 3, …); otherwise its numbers as they
are, in 64 bits. All are 8 bytes, stored as the lowest bytes of all numbers, then the next, to the highest.
"""

import zlib
from base64 import b64encode
from typing import Any

import numpy as np

from kinetree.logs import Motion, filled
from kinetree.model.limits import Limits
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

DIGITS = 9
"""Most digits after the point: a number with more is rounded to 1e-9 rad, m or s."""
LARGEST = 2.0**51
"""Largest whole number; a difference of two of them, zigzag, is exact in the browser's numbers."""
CHUNK = 10_000
"""Samples whose margins are computed at once."""


def described_motion(robot: Robot, motion: Motion, q: Array) -> dict[str, Any]:
    """Return a motion for the page: times from the first sample, and columns in the order of their bytes.

    q (nq,): of the coordinates that do not move. Coordinates that rounding would move across a limit are kept exactly.
    """
    n, where = len(motion.q), [robot.coordinate_names.index(name) for name in motion.names]
    digits = [_digits(x) for x in motion.q.T]
    exact = _moved_across(robot.limits, filled(robot, motion, q), where, digits)
    columns = [{"coordinate": i, "digits": None if i in exact else d} for i, d in zip(where, digits, strict=True)]
    pieces = [_packed(x, column["digits"]) for x, column in zip(motion.q.T, columns, strict=True)]
    times = None
    if motion.times is not None:
        since = motion.times - motion.times[0]
        places = _digits(since)
        times = {"digits": places if places is not None and (np.diff(_rounded(since, places)) > 0).all() else None}
        pieces.append(_packed(since, times["digits"]))
    data = b64encode(zlib.compress(b"".join(pieces), 9)).decode()
    return {"samples": n, "columns": columns, "times": times, "data": data}


def _digits(x: Array) -> int | None:
    """Return the fewest digits, at most `DIGITS`, that keep numbers (n,) exactly, else `DIGITS`; None if too large."""
    if np.abs(x).max() * 10.0**DIGITS > LARGEST:
        return None
    return next((d for d in range(DIGITS) if np.array_equal(_rounded(x, d), x)), DIGITS)


def _rounded(x: Array, digits: int) -> Array:
    return np.asarray(np.rint(x * 10.0**digits) / 10.0**digits)


def _moved_across(limits: Limits, q: Array, where: list[int], digits: list[int | None]) -> set[int]:
    """Return the coordinates of limits that some q (n, nq) fulfils only before or only after rounding."""
    rounded = q.copy()
    for i, d in zip(where, digits, strict=True):
        if d is not None:
            rounded[:, i] = _rounded(q[:, i], d)
    changed = np.flatnonzero((rounded != q).any(axis=1))
    crossed = np.zeros(len(limits.names), dtype=bool)
    for at in np.array_split(changed, len(changed) // CHUNK + 1):
        crossed |= ((limits.margin(q[at]) >= 0) != (limits.margin(rounded[at]) >= 0)).any(axis=0)
    lower, upper, rows = np.split(crossed, [len(limits.lower), 2 * len(limits.lower)])
    return set(np.flatnonzero(lower | upper | limits.G[rows].any(axis=0)).tolist())


def _packed(x: Array, digits: int | None) -> bytes:
    if digits is None:
        words = x.astype("<f8")
    else:
        differences: Array = np.diff(np.rint(x * 10.0**digits).astype(np.int64), prepend=0)
        words = (differences << 1 ^ differences >> 63).astype("<u8")
    return np.ascontiguousarray(words).view(np.uint8).reshape(-1, 8).T.tobytes()
