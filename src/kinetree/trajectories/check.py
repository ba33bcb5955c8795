"""`kt.motion.check`: everything that is wrong with a motion or a path, with joint and time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.contact.collisions import Collisions
from kinetree.display import number
from kinetree.errors import SEVERITIES, Finding, Findings, fail
from kinetree.model.limits import checked_q
from kinetree.model.robot import Inertial
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import Bounds
from kinetree.trajectories.meetings import contact_findings, limit_findings, loop_findings
from kinetree.trajectories.motion import GAP, Motion, gaps
from kinetree.trajectories.path import Path
from kinetree.trajectories.payload import with_payload
from kinetree.trajectories.rates import rate_findings
from kinetree.trajectories.samples import Samples, samples_of
from kinetree.trajectories.singular import singular_findings


@explain_type_errors
def check(
    motion: Motion | Path,
    *,
    velocity: Bounds = True,
    acceleration: Bounds = True,
    torque: Bounds = True,
    payload: Mapping[str, float | Inertial] | None = None,
    clearance: float | Collisions | None = 0.0,
    frame: str | None = None,
    at: Array | None = None,
) -> Findings:
    """Return what is wrong with a motion or a path of a robot, at its samples and between them, errors first.

    Checked are limits of positions, also over several joints; velocities, accelerations, jerks and torques; jumps;
    closed loops that are open; contact of links; and singular configurations. Between samples, q of a motion is taken
    to change in straight lines, and a path is what its polynomials are: contact is proved absent there, or found.
    A path has no times, and so no rates.

    velocity, acceleration, torque: limits as in `retime`, but 0 in the model counts as unknown. Rates are those of q,
    by differences of samples, as far as the digits of its numbers tell, and qd and qdd where the motion has them.
    payload: masses at frames, as in `retime`.
    clearance: distance of links to be kept, m; what `kt.collisions` returns, for chosen pairs; None for no test.
    frame: one that is to move in space, as along a line; passing a singular configuration is then a warning.
    at: q (nq,) of the coordinates that the motion lacks, by default neutral; their limits are checked if it is given.

    Raises KinetreeError for options that are not as above, and for a motion without a robot.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> motion = kt.motion.Motion(("q1", "q2"), [0, 1, 2], [[0, 0], [1, 0], [2.2, 0]], robot=arm)
        >>> print(kt.motion.check(motion, velocity=1.1)[0])
        error: joint 'q1': the velocity is 1.2 rad/s at t = 1.5 s, above its limit 1.1 rad/s [motion-velocity]
    """
    is_number = (
        isinstance(clearance, (int, float)) and not isinstance(clearance, bool) and 0 <= clearance < float("inf")
    )
    if not (clearance is None or is_number or isinstance(clearance, Collisions)):
        legal = "a distance from 0, m, what kt.collisions returns, or None"
        raise fail("clearance", f"clearance is {clearance!r}; expected {legal}")
    robot = motion.robot if isinstance(motion, (Motion, Path)) else None
    q = None
    if at is not None and robot is not None:
        q = checked_q(robot.limits, at, "at")
        if q.shape != (robot.nq,) or not np.isfinite(q).all():
            raise fail("at", f"at is {at!r}; expected {robot.nq} finite numbers")
    samples = samples_of(motion, q)
    loaded = with_payload(samples.robot, payload or {})
    found = [
        *limit_findings(samples),
        *rate_findings(samples, {"velocity": velocity, "acceleration": acceleration, "torque": torque}, loaded),
        *loop_findings(samples),
        *contact_findings(samples, clearance),
        *singular_findings(samples, frame),
        *_gap_findings(samples),
    ]
    return Findings(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _gap_findings(samples: Samples) -> list[Finding]:
    """Return a note of gaps in the times in which joints move farther than from sample to sample, as where a recording
    lacks some; slow parts of a motion have steps as long."""
    if (times := samples.times) is None:
        return []
    far = np.abs(np.diff(samples.q, axis=0)).max(axis=1, initial=0.0)
    found = [k for k in gaps(times) if far[k] > GAP * np.median(far)]
    if not found:
        return []
    several = f"{len(found)} gaps, the longest" if len(found) > 1 else "a gap"
    longest = max(found, key=lambda k: times[k + 1] - times[k])
    ends = f"from {number(times[longest])} to {number(times[longest + 1])} s"
    return [Finding("motion-unchecked", "info", f"the times have {several} {ends}: straight lines are checked")]
