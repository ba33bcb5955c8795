"""Masses and inertias with which forces and accelerations have no meaning."""

from collections.abc import Iterator

import numpy as np

from kinetree.display import number
from kinetree.errors import Finding, KinetreeError
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.spatial.plucker import about_com
from kinetree.spatial.se3 import Array

NOTHING = 1e-15
"""Moments below this are zero, kg m²; some exporters write 1e-22 for zero."""
ROUNDED = 1e-6
"""Size of a negative principal moment that rounding explains, as a part of the largest moment."""


def is_negative(moments: Array) -> Array:
    """Return whether the least of principal moments (..., 3), in ascending order, is negative beyond rounding (...)."""
    least = moments[..., 0]
    return np.asarray((least < -ROUNDED * np.abs(moments).max(axis=-1)) & (least < -NOTHING))


def check_weighed(robot: Robot) -> None:
    """Raise KinetreeError for links with a mass that is unknown, such as one that follows from a missing mesh."""
    fix = "without=('unknown_mass',), or --without unknown_mass, takes such links as massless"
    if found := [
        Finding("unknown-mass", "error", f"its mass is unknown. {why}", link.source, f"link {link.name!r}", fix)
        for link in robot.links.values()
        if (why := link.unweighed)
    ]:
        raise KinetreeError(found)


def check_inertias(robot: Robot) -> None:
    """Raise KinetreeError for a mass or inertia that no body can have, with the code of the rule that says why.

    These are a negative mass (INR-004), a negative moment about an axis of an inertial, and moments of a moving body,
    which is all links that fixed joints hold together, of which a principal one is negative (INR-001): with them energy
    can be negative. Links without mass are legal, and so are inertias that break A + B >= C (INR-002): measured ones
    do, such as those of the Puma 560, where only some of the moments have an effect.
    """
    if findings := [*_of_links(robot)] or [*_of_bodies(robot)]:
        raise KinetreeError(findings)


def _of_links(robot: Robot) -> Iterator[Finding]:
    for link in robot.links.values():
        if link.inertial and link.inertial.mass < 0:
            message = f"the mass is {number(link.inertial.mass)} kg; expected 0 or more"
            yield Finding("INR-004", "error", message, link.source, f"link {link.name!r}", _fix("INR-004"))
        if link.inertial and is_negative(np.sort(diagonal := link.inertial.inertia.diagonal())):
            message = f"the moments of inertia are {_listed(diagonal)} kg m²; none can be negative"
            yield Finding("INR-001", "error", message, link.source, f"link {link.name!r}", _fix("INR-001"))


def _of_bodies(robot: Robot) -> Iterator[Finding]:
    tree = build_tree(robot)
    moments = np.linalg.eigvalsh(np.array([about_com(I)[2] for I in tree.inertia]).reshape(-1, 3, 3))
    for i in np.flatnonzero(is_negative(moments)):
        link = robot.links[robot.joints[tree.joints[i]].child]
        message = (
            "the principal moments of inertia of the link and of the links fixed to it are "
            f"{_listed(moments[i])} kg m²; none can be negative"
        )
        yield Finding("INR-001", "error", message, link.source, f"link {link.name!r}", _fix("INR-001"))


def _fix(code: str) -> str:
    return f"correct it (see `kinetree rule {code}`), or pass parameters=True"


def _listed(moments: Array) -> str:
    return ", ".join(map(number, moments.tolist()))
