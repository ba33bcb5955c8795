"""Conversion of user input to arrays and poses, with checks."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from kinetree.arrays import as_numpy
from kinetree.errors import fail
from kinetree.labels import by_name
from kinetree.spatial.se3 import Array, is_rotation

ROTATION = 1e-6
"""Largest allowed error of an entry of R R.T in a pose to show or to reach; enough for single precision."""


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


def poses(values: Any, tolerance: float = ROTATION) -> Array:
    """Return the values as poses T (…, 4, 4), m; raise KinetreeError if one is not a rigid transform to `tolerance`."""
    T = numbers(values, "pose", "a pose is")
    if T.shape[-2:] != (4, 4):
        raise fail("pose", f"a pose is an array (4, 4); this one has shape {T.shape}")
    finite = (np.abs(T) <= 1e100).all(axis=(-1, -2))
    if not finite.all():
        raise fail("pose", f"a pose is finite, with numbers up to 1e100; {_which(T, np.asarray(finite))}")
    rigid = is_rotation(T[..., :3, :3], tolerance) & (T[..., 3, :] == (0, 0, 0, 1)).all(axis=-1)
    if not rigid.all():
        legal = f"a pose is [[R, p], [0, 0, 0, 1]], R right-handed and R R.T off by at most {tolerance:g}"
        raise fail("pose", f"{legal}; {_which(T, np.asarray(rigid))}")
    return T


def _which(T: Array, legal: Array) -> str:
    """Return words for the first pose of a batch that is not legal, on one line."""
    where = f"that at index {np.argwhere(~legal)[0].tolist()}" if legal.ndim else "this one"
    return f"{where} is not: {' '.join(str(T[~legal][0]).split())}"
