"""Checks of singular configurations, where a frame cannot move in some direction."""

from collections.abc import Iterator

import numpy as np

from kinetree.display import counted, number
from kinetree.errors import Finding, Severity
from kinetree.model.robot import Robot
from kinetree.queries.motion import jacobian
from kinetree.spatial.se3 import Array
from kinetree.trajectories.samples import Samples

SINGULAR = 0.01
"""Smallest singular value of a Jacobian, with lengths in parts of the largest reach, below which it is singular."""


def singular_values(robot: Robot, frame: str, q: Array, base: str | None = None) -> tuple[Array, Array] | None:
    """Return the smallest singular values of the Jacobian at q (n, nq), with lengths in parts of the largest reach, and
    its side (n,), a sign that changes at a singular configuration; None if fewer than six joints move the frame."""
    J = np.array(jacobian(robot, frame, base)(q))
    J = J[..., np.abs(J).max(axis=(0, 1)) > 0]
    if J.shape[2] < 6:
        return None
    J[:, :3] /= max(float(np.abs(J[:, :3]).max()), 1e-9)
    side = np.sign(np.linalg.det(J)) if J.shape[2] == 6 else np.ones(len(J))
    return np.linalg.svd(J, compute_uv=False)[:, 5], side


def singular_findings(samples: Samples, frame: str | None) -> Iterator[Finding]:
    """Yield a finding if a frame that six or more joints move passes a singular configuration, or comes near one.

    frame: by default the last link, if all joints are in one chain.
    """
    severity: Severity = "info" if frame is None else "warning"
    tip = _tip(samples.robot) if frame is None else frame
    if tip is None or (found := singular_values(samples.robot, tip, samples.q)) is None:
        return
    least, side = found
    element = f"frame {tip!r}"
    passed = np.flatnonzero(side[1:] * side[:-1] < 0)
    if len(passed):
        more = f", and {counted(len(passed) - 1, 'more time')}" if len(passed) > 1 else ""
        span = f"{samples.when(passed[0])} and {samples.when(passed[0] + 1)}"
        message = f"passes a singular configuration between {span}{more}: the arm changes its configuration"
        yield Finding("motion-singular", severity, message, None, element)
    elif least.min() < SINGULAR:
        at = samples.when(int(least.argmin()))
        message = f"is nearly singular at {at}: the smallest singular value is {number(least.min())}"
        yield Finding("motion-singular", severity, message, None, element)


def _tip(robot: Robot) -> str | None:
    """Return the last link that all joints move, None if they are not in one chain."""
    for name in [*robot.links][::-1]:
        if {joint.name for joint in robot.joints_to(name)} >= {*robot.joint_names}:
            return name
    return None
