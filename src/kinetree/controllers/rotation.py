"""Rotations in the numbers of controllers, by the formula in their files. "Rz(A) Ry(B) Rx(C)": turns about moving
axes, in order; "quaternion(q1, q2, q3, q4)": w first; "exp(Rx, Ry, Rz)": axis times angle."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinetree.spatial.euler import euler_from_rotation, rotation_from_euler
from kinetree.spatial.numbers import quaternion_fault
from kinetree.spatial.se3 import Array

RADIANS = {"deg": np.pi / 180, "rad": 1.0}
"""Units of angles, in radians."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """A format of rotations. formula: see above. names: of its numbers, in order. unit: deg, rad, or "" for
    quaternions. zero: the angle that is zero at gimbal lock."""

    formula: str
    names: tuple[str, ...]
    unit: str
    zero: str

    def matrix(self, numbers: Array) -> Array:
        """Return R (…, 3, 3) of numbers (…, 3 or 4)."""
        return np.asarray(FORMS[self.kind].matrix(self, numbers))

    def values(self, R: Array) -> Array:
        """Return the numbers (…, 3 or 4) of R (…, 3, 3)."""
        return np.asarray(FORMS[self.kind].values(self, R))

    def fault(self, numbers: Array) -> str:
        """Return a message about numbers that no controller would accept, or ""."""
        return str(FORMS[self.kind].fault(self, numbers))

    @property
    def kind(self) -> str:
        """A row of FORMS."""
        word = self.formula.partition("(")[0]
        return word if word in FORMS else "turns"

    @property
    def turns(self) -> list[tuple[str, int]]:
        """Axis and place among the numbers of each turn."""
        return [(axis, self.names.index(name)) for axis, name in re.findall(r"R([xyz])\((\w+)\)", self.formula)]


class Turns:
    """Three angles."""

    @staticmethod
    def matrix(form: Rotation, numbers: Array) -> Array:
        axes, places = zip(*form.turns, strict=True)
        return rotation_from_euler(numbers[..., places] * RADIANS[form.unit], "".join(axes))

    @staticmethod
    def values(form: Rotation, R: Array) -> Array:
        axes, places = zip(*form.turns, strict=True)
        angles = euler_from_rotation(R, "".join(axes), places.index(form.names.index(form.zero)))
        result = np.empty_like(angles)
        result[..., places] = angles / RADIANS[form.unit]
        return result

    @staticmethod
    def fault(form: Rotation, numbers: Array) -> str:
        half = np.pi / RADIANS[form.unit]
        wide = np.abs(numbers) > half * (1 + 1e-9)
        if not wide.any():
            return ""
        j = int(np.argwhere(wide)[0][-1])
        return f"{form.names[j]} is {numbers[wide][0]:g} {form.unit}, beyond ±{half:g}"


class Quaternion:
    """w, x, y, z, written with w >= 0."""

    @staticmethod
    def matrix(form: Rotation, numbers: Array) -> Array:
        R = _scipy().from_quat(_flat(numbers)[:, [1, 2, 3, 0]]).as_matrix()
        return np.asarray(R.reshape(*numbers.shape[:-1], 3, 3))

    @staticmethod
    def values(form: Rotation, R: Array) -> Array:
        quat_xyzw = _scipy().from_matrix(R.reshape(-1, 3, 3)).as_quat(canonical=True)
        return np.asarray(quat_xyzw[:, [3, 0, 1, 2]].reshape(*R.shape[:-2], 4))

    @staticmethod
    def fault(form: Rotation, numbers: Array) -> str:
        return quaternion_fault(numbers)


class Vector:
    """Axis times angle; the angle is written up to half a turn."""

    @staticmethod
    def matrix(form: Rotation, numbers: Array) -> Array:
        vectors = _flat(numbers) * RADIANS[form.unit]
        return np.asarray(_scipy().from_rotvec(vectors).as_matrix().reshape(*numbers.shape[:-1], 3, 3))

    @staticmethod
    def values(form: Rotation, R: Array) -> Array:
        vectors = _scipy().from_matrix(R.reshape(-1, 3, 3)).as_rotvec()
        return np.asarray(vectors.reshape(*R.shape[:-2], 3) / RADIANS[form.unit])

    @staticmethod
    def fault(form: Rotation, numbers: Array) -> str:
        angles = np.linalg.norm(numbers, axis=-1) * RADIANS[form.unit]
        wide = angles > 2 * np.pi * (1 + 1e-9)
        return f"the rotation vector's angle is {angles[wide].flat[0]:g} rad, beyond a turn" if wide.any() else ""


FORMS: dict[str, Any] = {"turns": Turns, "quaternion": Quaternion, "exp": Vector}
"""All forms of rotations."""


def _flat(numbers: Array) -> Array:
    return numbers.reshape(-1, numbers.shape[-1])


def _scipy() -> Any:
    from scipy.spatial.transform import Rotation as Rotations  # takes 0.1 s and is not always needed

    return Rotations
