"""Positions, and the five notations of an orientation in MJCF."""

from collections.abc import Iterable
from math import atan2, pi

import numpy as np

from kinetree.formats.fields import vector_of
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.defaults import ORIENTATIONS
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array, frozen
from kinetree.syntax.numbers import format_numbers
from kinetree.syntax.xml.reader import Element, Report

TINY = 1e-14  # MuJoCo's bound below which a vector has no direction
ZERO = (0.0, 0.0, 0.0)
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def pose(report: Report, element: Element, compiler: Compiler) -> Array:
    """Return T (4, 4), read-only, of an element with pos and one of quat, axisangle, xyaxes, zaxis, euler."""
    p = vector_of(report, element, "pos", 3, ZERO)
    R = orientation(report, element, compiler)
    return frozen(se3.homogeneous(np.eye(3) if R is None else R, p))


def pose_attributes(T: Array) -> dict[str, str]:
    """Return pos and quat (w first) of a pose (4, 4), each left out if it is the identity."""
    attributes = {"pos": format_numbers(T[:3, 3])} if T[:3, 3].any() else {}
    if not np.array_equal(T[:3, :3], np.eye(3)):
        x, y, z, w = se3.quaternion_from_rotation(T[:3, :3])
        attributes["quat"] = format_numbers((w, x, y, z))
    return attributes


def orientation(report: Report, element: Element, compiler: Compiler) -> Array | None:
    """Return R (3, 3), or None if the element has no orientation."""
    given = [name for name in ORIENTATIONS if name in element.attributes]
    if len(given) > 1:
        message = f"there are {' and '.join(given)}; expected one of them"
        report.error("two-rotations", message, element, attribute=given[1])
    return _READERS[given[0]](report, element, compiler) if given else None


def unit(report: Report, element: Element, attribute: str, vector: list[float]) -> Array:
    """Return the direction of a vector; the z axis with an error if it has none."""
    if np.linalg.norm(vector) > TINY:
        scaled = np.asarray(vector) / max(map(abs, vector))  # avoids overflow of the squares
        return np.asarray(scaled / np.linalg.norm(scaled))
    code = "zero-axis" if attribute in ("axis", "zaxis", "axisangle", "xyaxes") else "zero-vector"
    report.error(code, f"{attribute} has no direction; expected any vector but zero", element, attribute=attribute)
    return np.array(AXES["z"])


def _quat(report: Report, element: Element, compiler: Compiler) -> Array:
    w, x, y, z = vector_of(report, element, "quat", 4, (1.0, 0.0, 0.0, 0.0))
    size = max(map(abs, (w, x, y, z)))
    if not size > TINY:
        message = "quat has length zero; expected a quaternion w x y z of length one"
        report.error("zero-quaternion", message, element, attribute="quat")
        return np.eye(3)
    return se3.rotation_from_quaternion((x / size, y / size, z / size, w / size))


def _axisangle(report: Report, element: Element, compiler: Compiler) -> Array:
    x, y, z, angle = vector_of(report, element, "axisangle", 4, (0.0, 0.0, 1.0, 0.0))
    return se3.rotation(unit(report, element, "axisangle", [x, y, z]), compiler.angle(angle))


def _xyaxes(report: Report, element: Element, compiler: Compiler) -> Array:
    values = vector_of(report, element, "xyaxes", 6, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    x = unit(report, element, "xyaxes", values[:3])
    y = np.array(values[3:]) / max(1.0, *map(abs, values[3:]))  # avoids overflow of the squares
    y = y - x * (x @ y)
    if not np.linalg.norm(y) > TINY:
        message = "the y axis of xyaxes has no direction across the x axis"
        report.error("zero-axis", message, element, attribute="xyaxes")
        return np.eye(3)
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _zaxis(report: Report, element: Element, compiler: Compiler) -> Array:
    return z_to(unit(report, element, "zaxis", vector_of(report, element, "zaxis", 3, AXES["z"])))


def z_to(direction: Array) -> Array:
    """Return R (3, 3), the shortest rotation that takes z to a unit vector; half a turn about x to -z."""
    x, y, z = direction
    sine = float(np.hypot(x, y))
    if sine < 1e-10:
        return se3.rotation(AXES["x"], 0.0 if z > 0 else pi)
    return se3.rotation((-y / sine, x / sine, 0.0), atan2(sine, z))


def _euler(report: Report, element: Element, compiler: Compiler) -> Array:
    return euler(compiler, vector_of(report, element, "euler", 3, ZERO))


def euler(compiler: Compiler, angles: Iterable[float]) -> Array:
    """Return R (3, 3) of three angles, in the unit and sequence of the compiler."""
    R = np.eye(3)
    for letter, angle in zip(compiler.eulerseq, angles, strict=True):
        turn = se3.rotation(AXES[letter.lower()], compiler.angle(angle))
        R = R @ turn if letter.islower() else turn @ R  # small letters rotate about the turned axes
    return R


_READERS = {"quat": _quat, "axisangle": _axisangle, "xyaxes": _xyaxes, "zaxis": _zaxis, "euler": _euler}


def fromto(report: Report, element: Element) -> tuple[Array, float]:
    """Return T (4, 4) half way between the two points of fromto, z towards the first, and half their distance."""
    values = vector_of(report, element, "fromto", 6, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    start, stop = np.array(values[:3]), np.array(values[3:])
    along = unit(report, element, "fromto", list(start - stop))
    if "pos" in element.attributes and any(vector_of(report, element, "pos", 3, ZERO)):
        report.error("two-positions", "there are pos and fromto; expected one of them", element, attribute="pos")
    return frozen(se3.homogeneous(z_to(along), (start + stop) / 2)), float(np.linalg.norm(start - stop)) / 2
