"""How slow a motion must be: so that limits hold between the points where they were tested, and dampers take little."""

import numpy as np

from kinetree.algorithms import retiming
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along
from kinetree.trajectories.passes import compiled
from kinetree.trajectories.rows import Limited, Torques


def slowing(limited: Limited, at: Along, torques: Torques | None, x: Array, step: Array) -> Array:
    """Return the largest part r (n, p), at most 1, of the speed of paths at which all limits hold in each interval, or
    -1 if some torque has no room; see `kinetree.algorithms.retiming.slowing`.

    x (n + 1, p): of the motion at the ends of intervals of length step (n, p).
    """
    between, u = np.stack([x[:-1], (x[:-1] + x[1:]) / 2.0, x[1:]], axis=-1), np.diff(x, axis=0) / (2.0 * step)
    given = [between, u, limited.velocity, limited.acceleration, limited.deceleration, *at.first, *at.second]
    if torques:
        given += [limited.torque, *(one for x in torques if x is not None for one in x)]
    shapes = tuple(x.shape[2:] if x.ndim > 1 else x.shape for x in given)
    r: Array = compiled(retiming.slowing, shapes, ((),), limited.counted)(*given)
    return r


def gentle_speed(limited: Limited, torques: Torques) -> Array:
    """Return square roots of x (…,) at which the parts of dampers are half of what the weight leaves of the limits."""
    assert torques.backward is not None
    damping, room = (torques.forward - torques.backward) / 2.0, np.maximum(limited.torque - np.abs(torques.rest), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        speed = np.where(np.isfinite(room) & (damping != 0.0), room / np.abs(2.0 * damping), np.inf)
    least = speed.min(axis=-1, initial=np.inf)
    return np.clip(np.where(np.isfinite(least), least, 1.0), 1e-6, 1e6)
