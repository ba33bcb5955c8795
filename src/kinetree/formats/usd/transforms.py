"""Poses of prims in the world, from the operations of UsdGeomXformable. Here T maps columns; USD writes rows."""

from typing import Any

import numpy as np

from kinetree.formats.usd.prim import Prim, Stage
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array

RESET = "!resetXformStack!"
INVERT = "!invert!"
MAX_OPERATIONS = 1000
SHEAR = 1e-5
"""Largest cosine of two axes of a transform that count as perpendicular; scales are stored in single precision."""


class Transforms:
    """Transforms of the prims of a stage, each computed once."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.found: dict[str, Array] = {}

    def world(self, prim: Prim | None) -> Array:
        """Return the transform (4, 4) of a prim to the world, in units of the stage; the identity for None."""
        if prim is None:
            return np.eye(4)
        for one in [*prim.above()][::-1]:  # no recursion, for prims can be deep
            if one.path not in self.found:
                local, is_in_parent = self._local(one)
                is_in_parent = is_in_parent and one.parent is not None
                self.found[one.path] = self.found[one.parent.path] @ local if is_in_parent and one.parent else local
        return self.found[prim.path]

    def pose(self, T: Array) -> Array:
        """Return a transform as a pose in metres, without its scale."""
        return se3.homogeneous(split(T)[0], T[:3, 3] * self.stage.metres)

    def _local(self, prim: Prim) -> tuple[Array, bool]:
        """Return the transform of a prim to the one above it, and whether that one's counts."""
        order = prim.values.get("xformOpOrder", ())
        order = order if isinstance(order, tuple) else ()
        last = max((i for i, name in enumerate(order) if name == RESET), default=-1)
        T = np.eye(4)
        if len(order) > MAX_OPERATIONS:
            what = f"it has {len(order)} operations; at most {MAX_OPERATIONS} are read"
            self.stage.note("error", "usd-stage", what, prim)
            return T, last < 0
        for name in order[last + 1 :]:
            op = name.removeprefix(INVERT)
            value = prim.values.get(op)
            made = None if value is None else _operation(op.split(":")[1] if ":" in op else op, value)
            if made is None:
                message = f"its operation {name!r} has no value at the default time that fits it; it is left out"
                self.stage.note("warning", "usd-transform", message, prim)
            elif not name.startswith(INVERT):
                T = T @ made
            elif abs(np.linalg.det(made)) > 0:
                T = T @ np.linalg.inv(made)
        return T, last < 0


def split(T: Array) -> tuple[Array, Array, bool]:
    """Return the rotation (3, 3) and the scales (3,) of a transform, and whether it is just these two. A mirror has
    three negative scales."""
    M = T[:3, :3]
    scales = np.linalg.norm(M, axis=0) * (1.0 if np.linalg.det(M) >= 0 else -1.0)
    if not np.isfinite(M).all() or np.abs(scales).min() < 1e-12:
        return np.eye(3), scales, False
    R = M / scales
    off = np.abs(R.T @ R - np.eye(3)).max()
    return se3.nearest_rotation(R), scales, bool(off < SHEAR)


def rotation_of(quat_wxyz: Any) -> Array:
    """Return the rotation of a quaternion w x y z (4,); the identity for zeros."""
    w, x, y, z = quat_wxyz
    size = np.linalg.norm(quat_wxyz)
    return se3.rotation_from_quaternion(np.array((x, y, z, w)) / size) if 0 < size < np.inf else np.eye(3)


def _operation(kind: str, value: Any) -> Array | None:
    """Return the matrix of an operation, or None if its value does not fit."""
    numbers = np.array(value if isinstance(value, int | float | np.ndarray) else [], dtype=float, ndmin=1)
    if not np.isfinite(numbers).all():
        return None
    if kind == "transform" and numbers.size == 16:
        return numbers.reshape(4, 4).T
    if kind == "orient" and numbers.size == 4:
        return se3.homogeneous(rotation_of(numbers), np.zeros(3))
    if kind[:-1] in ("translate", "scale") and kind[-1] in "XYZ" and numbers.size == 1:  # as translateX
        at, kind = "XYZ".index(kind[-1]), kind[:-1]
        whole = np.full(3, float(kind == "scale"))
        whole[at] = numbers[0]
        numbers = whole
    if kind == "translate" and numbers.size == 3:
        return se3.translation(numbers)
    if kind == "scale" and numbers.size == 3:
        return np.diag([*numbers, 1.0])
    letters = kind.removeprefix("rotate")
    if kind.startswith("rotate") and len(letters) == numbers.size in (1, 3) and {*letters} <= {*"XYZ"}:
        T = np.eye(4)
        for letter in letters:  # the first turns first
            turn = np.radians(numbers["XYZ".index(letter)] if numbers.size == 3 else numbers[0])
            T = se3.homogeneous(se3.rotation(np.eye(3)["XYZ".index(letter)], turn), np.zeros(3)) @ T
        return T
    return None
