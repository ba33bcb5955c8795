"""Text of poses, of their differences, and of joints."""

from collections.abc import Sequence

import numpy as np

from kinetree.spatial import Array, se3


def pose_text(T: Array, tolerance: Array) -> str:
    """Return a pose, m, as text in mm and degrees. Angles that are multiples of 15 degrees to the tolerance (2,) are
    written so: near a pitch of 90 degrees, roll and yaw of an inexact pose would be arbitrary."""
    rpy = se3.rpy_from_rotation(T[:3, :3])
    locked = (rpy[0] - np.sign(rpy[1]) * rpy[2], rpy[1], 0.0)
    near = [round(angle * 12 / np.pi) * np.pi / 12 for angle in (locked if np.cos(rpy[1]) < tolerance[1] else rpy)]
    off = se3.pose_from_xyz_rpy((0.0, 0.0, 0.0), near)[:3, :3] - T[:3, :3]
    angles = near if np.linalg.norm(off) < np.sqrt(2) * tolerance[1] else rpy
    return f"xyz {_numbers(T[:3, 3] * 1e3, 2)} mm, rpy {_numbers(np.rad2deg(angles), 3)} deg"


def change_text(T: Array, tolerance: Array) -> str:
    """Return a displacement, m, as text such as "120 mm along z and turned by 2 deg about x", without parts below the
    tolerance (2,)."""
    gone, turned = _change(T, tolerance)
    said = []
    if gone.any():
        axis, length = _axis(gone)
        said.append(f"{_numbers([length * 1e3], 2)} mm along {axis}" if axis else f"xyz {_numbers(gone * 1e3, 2)} mm")
    if turned.any():
        axis, angle = _axis(turned)
        about = axis or f"({_numbers(turned / angle, 3)})"
        said.append(f"turned by {_numbers([np.rad2deg(angle)], 3)} deg about {about}")
    return " and ".join(said) or "nothing"


def is_nothing(T: Array, tolerance: Array) -> bool:
    """Return whether a displacement, m, is below the tolerance (2,) along and about every axis."""
    return not np.any(_change(T, tolerance))


def joint_text(j: int, row: Array, offset: float, turning: bool) -> str:
    """Return joint j of the model in the numbers shown, such as "-J2 + 90 deg". row (n,): their coefficients."""
    first, *more = [f"{'-' if row[i] < 0 else '+'} J{i + 1}" for i in sorted(np.flatnonzero(row), key=lambda i: i != j)]
    terms = [first.removeprefix("+ ").replace("- ", "-"), *more]
    return f"{' '.join(terms)} {'-' if offset < 0 else '+'} {amount(abs(offset), turning)}"


def amount(value: float, turning: bool) -> str:
    """Return an angle, rad, as text in deg, or a length, m, in mm."""
    return f"{_numbers([np.rad2deg(value)], 2)} deg" if turning else f"{_numbers([value * 1e3], 2)} mm"


def _change(T: Array, tolerance: Array) -> tuple[Array, Array]:
    """Return a displacement as translation, m, and rotation vector, rad, with parts within tolerance set to zero."""
    parts = T[:3, 3], se3.rotation_vectors(T[:3, :3])
    gone, turned = (np.where(np.abs(v) > least, v, 0.0) for v, least in zip(parts, tolerance, strict=True))
    return gone, turned


def _axis(vector: Array) -> tuple[str, float]:
    """Return the axis and the signed size along it, or "" and the length if there are several."""
    if np.count_nonzero(vector) == 1:
        return "xyz"[int(np.flatnonzero(vector)[0])], float(vector.sum())
    return "", float(np.linalg.norm(vector))


def _numbers(values: Sequence[float] | Array, digits: int) -> str:
    return " ".join(f"{round(float(x), digits) + 0.0:g}" for x in values)
