"""Which limits a motion reaches: what makes it no faster."""

from typing import NamedTuple

import numpy as np

from kinetree.queries.motion import velocity
from kinetree.trajectories.along import rate_columns
from kinetree.trajectories.bounds import followers_of
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.retime import Options, limited_by

REACHED = 0.95
"""Part of a limit from which on it counts as reached; a sample may be a little beside the place where it is."""


class Reached(NamedTuple):
    """A limit that a motion reaches: what, of which coordinate, in which part of the time, and when at first, s."""

    what: str
    name: str
    share: float
    first: float


def reached(motion: Motion, options: Options) -> list[Reached]:
    """Return the limits that a motion from `retime` reaches, the one in most of the time first. options: those of
    `retime`. Limits of followers are left out."""
    robot = motion.robot
    assert robot is not None
    assert motion.times is not None
    columns = rate_columns(robot)
    limited = limited_by(robot, followers_of(robot), options)
    qd, qdd = (np.where(columns < 0, 0.0, np.asarray(x)[:, columns]) for x in (motion.qd, motion.qdd))
    rates = {"velocity": (qd, limited.velocity), "acceleration": (qdd, limited.acceleration)}
    if limited.dynamics is not None:
        rates["torque"] = limited.dynamics(motion.q, qd, qdd), limited.torque
    t = motion.times
    weights = (np.diff(t, prepend=t[0]) + np.diff(t, append=t[-1])) / (2 * np.ptp(t))
    rows = [
        (what, name, values[:, i], bounds[i])
        for what, (values, bounds) in rates.items()
        for i, name in enumerate(robot.velocity_names)
    ]
    for frame, most in (options.speed or {}).items():
        rows.append(("speed", frame, np.linalg.norm(velocity(robot, frame)(motion.q, qd)[:, :3], axis=1), most))
    found = []
    for what, name, values, bound in rows:
        near = np.abs(values) >= REACHED * bound
        if near.any():
            found.append(Reached(what, name, float(weights[near].sum()), float(t[near.argmax()])))
    return sorted(found, key=lambda one: -one.share)
