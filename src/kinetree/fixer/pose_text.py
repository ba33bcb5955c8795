"""Numbers of poses in texts of SDF and MJCF, in the form in which an element has them."""

import re
from collections.abc import Callable, Sequence

import numpy as np

from kinetree.errors import fail
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.defaults import ORIENTATIONS
from kinetree.formats.mjcf.poses import orientation, pose
from kinetree.formats.sdf.values import pose_of
from kinetree.repairs.edit import Edit, insert_inside, replace_attribute, set_attribute, set_text
from kinetree.repairs.fixes import number_text
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import numbers
from kinetree.syntax.xml.reader import Element, Report

NEAR = 1e-10
"""Largest difference of two poses that are the same, m and 1: their texts are rounded."""
DIGITS = 11
"""Decimals of poses in texts."""
EXACT = 1e-15
"""Relative step or gain below which numbers are found."""


def near(a: Array, b: Array) -> bool:
    """Return whether two vectors or poses are the same, but for rounding."""
    return bool(np.abs(np.subtract(a, b)).max(initial=0.0) < NEAR)


def renumbered(written: str | None, values: Sequence[float] | Array) -> str:
    """Return a text with other numbers in place of its first ones; equal numbers stay as they are written."""
    words, old = re.split(r"(\S+)", written or ""), numbers(written or "") or []
    if len(old) < len(values):
        return " ".join(number_text(float(value)) for value in values)
    for i, value in enumerate(values):
        words[2 * i + 1] = words[2 * i + 1] if old[i] == value else number_text(float(value))
    return "".join(words)


def solved(error: Callable[[Array], Array], start: Array) -> Array | None:
    """Return numbers near others for which an error (n,) is zero, or None."""
    from scipy.optimize import least_squares  # seldom wanted

    x = least_squares(error, start, "3-point", ftol=EXACT, xtol=EXACT, gtol=EXACT).x
    if np.abs(error(x)).max() > NEAR / 10:
        return None
    return np.where(np.abs(x - start) < 2 * NEAR, start, np.round(x, DIGITS))


def set_sdf_pose(owner: Element, change: Array) -> list[Edit]:
    """Return the edit that moves and turns a <pose> by T_old_new (4, 4)."""
    written = owner.find("pose")
    element = Element("pose", {**written.attributes} if written else {}, owner.document, owner.start)

    def T(x: Sequence[float] | Array) -> Array:
        element.text = " ".join(map(repr, map(float, x)))
        return pose_of(Report(), element, (1, 11), owner).T

    nothing = [0.0] * 6 + [1.0] * (element.get("rotation_format") == "quat_xyzw")
    old = (numbers(written.text) if written else None) or nothing
    wanted = T(old) @ change

    def error(x: Array) -> Array:
        return np.append(T(x) - wanted, x[3:] @ x[3:] - 1.0 if x.size == 7 else 0.0)  # a quaternion has length 1

    if (x := solved(error, np.array(old))) is None:
        raise fail("fix", f"{owner.source}: no numbers of its <pose> are found; edit it by hand")
    if written is None:
        return [insert_inside(owner, f"<pose>{renumbered(None, x)}</pose>", first=True)]
    return [set_text(written, renumbered(written.text.strip(), x))]


def set_mjcf_pose(element: Element, T: Array, compiler: Compiler) -> list[Edit]:
    """Return the edits that give an element the pose T (4, 4); a zaxis, which cannot, becomes a quat."""
    edits, found, R = list[Edit](), pose(Report(), element, compiler), T[:3, :3]
    if not near(found[:3, 3], T[:3, 3]):
        p = np.where(np.abs(found[:3, 3] - T[:3, 3]) < NEAR, found[:3, 3], np.round(T[:3, 3], DIGITS))
        edits.append(set_attribute(element, "pos", renumbered(element.get("pos", "0 0 0"), p)))
    if near(found[:3, :3], R):
        return edits
    form = next((name for name in ORIENTATIONS if name in element.attributes), "quat")

    def error(x: Array) -> Array:
        made = Element("body", {form: " ".join(map(repr, x.tolist()))}, element.document, element.start)
        got = orientation(Report(), made, compiler)
        return np.append(np.eye(3) if got is None else got - R, x @ x - 1.0 if form == "quat" else 0.0)

    old = np.array(numbers(element.get(form) or "1 0 0 0") or (), float)
    x = solved(error, old)
    if x is not None:
        return [*edits, set_attribute(element, form, renumbered(element.get(form), x))]
    return [*edits, replace_attribute(element, form, "quat", "1 0 0 0")]  # from which others are found next
