"""Motions at equal steps of time."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from kinetree.arguments import explain_type_errors
from kinetree.display import number
from kinetree.errors import Finding, fail
from kinetree.spatial.numbers import numbers
from kinetree.trajectories.motion import Motion, _quaternions, gaps

MOST = 10_000_000
"""Largest number of samples."""


@explain_type_errors
def resample(motion: Motion, rate: float) -> Motion:
    """Return a motion at equal steps of time, 1 / rate, from its first sample up to its last.

    rate: Hz. Between two samples each coordinate moves evenly, and a quaternion along the shortest arc (Shoemake,
    Animating rotation with quaternion curves, 1985). Rates qd and qdd are left out. Gaps in the times are a note.

    Raises KinetreeError for a motion without a robot or times, and for a rate that is not above 0.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
        >>> motion = kt.motion.Motion(("q1", "q2"), [0.0, 1.0], [[0.0, 0.0], [1.0, 0.5]], robot=arm)
        >>> kt.motion.resample(motion, 4).q[:, 0].tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    rate = float(numbers(rate, "motion", "rate is"))
    if motion.times is None or motion.robot is None:
        what = "times" if motion.times is None else "robot"
        raise fail("motion", f"the motion has no {what}; expected a motion with times and a robot")
    old, span = motion.times, float(np.ptp(motion.times))
    if not 0 < rate * max(span, 1.0) < MOST:
        raise fail("motion", f"the rate is {number(rate)} Hz; expected more than 0, and fewer than {MOST:,} samples")
    times = old[0] + np.arange(int(span * rate + 1e-6) + 1) / rate
    q = np.column_stack([np.interp(times, old, column) for column in motion.q.T])
    for _, _, places in _quaternions(motion.robot, motion.names):
        if len(old) > 1:  # an arc is the same in any order of the parts
            arcs = Slerp(old, Rotation.from_quat(motion.q[:, places]))
            q[:, places] = arcs(times.clip(old[0], old[-1])).as_quat()
    across = "across which joints are taken to move evenly"
    ends = [(old[k], old[k + 1]) for k in gaps(old)]
    said = [f"the times have a gap of {number(b - a)} s after {number(a)} s, {across}" for a, b in ends]
    notes = (*motion.notes, *(Finding("motion", "warning", one) for one in said))
    return replace(motion, times=times, q=q, notes=notes, qd=None, qdd=None)
