"""Masses and inertias with which forces and accelerations have no meaning."""

from collections.abc import Iterator

import numpy as np

from kinetree.errors import Finding, KinetreeError
from kinetree.model.robot import Robot
from kinetree.model.tree import build_tree
from kinetree.spatial.se3 import Array

NOTHING = 1e-15
"""Moments below this are zero, kg m²; some exporters write 1e-22 for zero."""
ROUNDED = 1e-6
"""Size of a negative principal moment that rounding explains, as a part of the largest moment."""


def is_negative(moments: Array) -> Array:
    """Return whether the least of principal moments (..., 3), in ascending order, is negative beyond rounding (...)."""
    least = moments[..., 0]
    return np.asarray((least < -ROUNDED * np.abs(moments).max(axis=-1)) & (least < -NOTHING))


def check_inertias(robot: Robot) -> None:
    """Raise KinetreeError if a mass or inertia of the robot would give a body negative kinetic energy.

    These are a negative mass, a negative moment about an axis of the inertial, and moments of a moving body about the
    origin of its joint of which a principal one is negative. Links without mass are legal. An inertia that breaks
    A + B >= C (INR-002), or that only the mass at a distance from the joint makes positive, is legal too: its energy is
    positive, the equations of motion have one solution, and some published robots have such links.
    """
    if findings := [*_of_links(robot)] or [*_of_bodies(robot)]:
        raise KinetreeError(findings)


def _of_links(robot: Robot) -> Iterator[Finding]:
    for link in robot.links.values():
        if link.inertial and link.inertial.mass < 0:
            message = f"its mass is {link.inertial.mass:g} kg, which no body can have; legal are 0 and above"
            yield Finding("INR-004", "error", message, link.source, f"link {link.name!r}", "give the link its mass")
        if link.inertial and is_negative(np.sort(diagonal := link.inertial.inertia.diagonal())):
            message = f"its moments of inertia are {_listed(diagonal)} kg m²; no body has a negative one"
            yield Finding("INR-001", "error", message, link.source, f"link {link.name!r}", _FIX)


def _of_bodies(robot: Robot) -> Iterator[Finding]:
    tree = build_tree(robot)
    moments = np.linalg.eigvalsh(np.array([I[:3, :3] for I in tree.inertia]).reshape(-1, 3, 3))
    for i in np.flatnonzero(is_negative(moments)):
        joint = robot.joints[tree.joints[i]]
        message = (
            f"with what is fixed to it, its principal moments of inertia about the origin of joint {joint.name!r} are "
            f"{_listed(moments[i])} kg m²; no body has a negative one"
        )
        yield Finding("INR-001", "error", message, robot.links[joint.child].source, f"link {joint.child!r}", _FIX)


_FIX = "correct the inertia; `kinetree rule INR-001` explains the rule"


def _listed(moments: Array) -> str:
    return ", ".join(f"{moment:.4g}" for moment in moments.tolist())
