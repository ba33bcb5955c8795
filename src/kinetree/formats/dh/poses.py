"""Constant poses in DH files: a 4×4 matrix, or a position with roll, pitch and yaw."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.formats.dh.rows import Place
from kinetree.formats.dh.values import Cell, Units, parse_cell
from kinetree.formats.quantities import to_si
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen

POSE_KEYS = ("matrix", "xyz", "rpy")
LEGAL = "{ matrix = [[…], […], […], […]] }, or { xyz = […], rpy = […] }"
ROUNDED = 1e-3
"""Largest deviation of a published rotation from orthonormal that counts as rounding; beyond it is a mistake."""


def read_pose(raw: object, units: Units, place: Place) -> Array:
    """Return T (4, 4) of a TOML table; faults are reported."""
    if not isinstance(raw, dict) or set(raw) - set(POSE_KEYS) or ("matrix" in raw and len(raw) > 1):
        place.error("pose", f"is {raw!r}; legal is {LEGAL}")
        return se3.IDENTITY
    if "matrix" in raw:
        rows = raw["matrix"]
        flat = [x for row in rows for x in row] if _is_square(rows) else None
        numbers = None if flat is None else finite_numbers(flat, 16)
        if numbers is None:
            place.error("pose", "matrix needs four lists of four numbers")
            return se3.IDENTITY
        return matrix_pose(numbers, units.length, place)
    xyz = finite_numbers(raw.get("xyz", [0, 0, 0]), 3)
    rpy = finite_numbers(raw.get("rpy", [0, 0, 0]), 3, with_pi=units.angle == "rad")
    if xyz is None or rpy is None:
        place.error("pose", f"xyz and rpy take three numbers each; legal is {LEGAL}")
        return se3.IDENTITY
    length = _unit(any(xyz), units.length, "length", place)
    angle = _unit(any(rpy), units.angle, "angle", place)
    return se3.pose_from_xyz_rpy([to_si(v, length) for v in xyz], [to_si(v, angle) for v in rpy])


def matrix_pose(numbers: list[float], length: str | None, place: Place) -> Array:
    """Return T (4, 4) of 16 numbers, row by row. A rounded rotation is replaced by the nearest one, with a warning."""
    T = np.array(numbers).reshape(4, 4)
    if not np.array_equal(T[3], (0.0, 0.0, 0.0, 1.0)):
        place.error("pose", "the last row of a pose is 0 0 0 1")
        return se3.IDENTITY
    unit = _unit(bool(T[:3, 3].any()), length, "length", place)
    p = [to_si(float(v), unit) for v in T[:3, 3]]
    R = T[:3, :3]
    off = float(np.abs(R @ R.T - np.eye(3)).max())
    if off > ROUNDED or np.linalg.det(R) < 0:
        mirror = " and mirrors" if np.linalg.det(R) < 0 else ""
        message = f"the upper left 3×3 is no rotation: R Rᵀ is off the identity by {off:.2g}{mirror}"
        place.error("not-a-rotation", message)
        return se3.IDENTITY
    if off > 1e-9:
        message = f"the rotation is rounded (R Rᵀ is off the identity by {off:.2g}); the nearest rotation is used"
        place.report.warning("rounded-rotation", message, place.line, element=place.element)
        R = se3.nearest_rotation(R)
    return frozen(se3.homogeneous(R, p))


def _unit(wanted: bool, unit: str | None, kind: str, place: Place) -> str:
    if wanted and unit is None:
        message = f"the unit of {kind}s outside the rows is not declared; nothing is guessed"
        place.error("unit", message, fix=f"add {kind} = … to units")
    return unit or ("m" if kind == "length" else "rad")


def _is_square(rows: Any) -> bool:
    return isinstance(rows, list) and len(rows) == 4 and all(isinstance(row, list) and len(row) == 4 for row in rows)


def finite_numbers(raw: object, count: int, with_pi: bool = False) -> list[float] | None:
    """Return `count` numbers, which may be multiples of pi if `with_pi`, or None."""
    if not isinstance(raw, list) or len(raw) != count:
        return None
    cells: list[Cell | None] = [parse_cell(x) for x in raw]
    fine = all(c is not None and c.range is None and (with_pi or not c.with_pi) for c in cells)
    return [c.value for c in cells if c] if fine else None
