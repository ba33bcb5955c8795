"""Limits along paths as rows that are linear in the square x of the speed and in the acceleration u, and how slow a
motion must be so that they hold between the points where they were tested, and dampers take little."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms import retiming
from kinetree.algorithms.retiming import Counted
from kinetree.spatial.se3 import Array
from kinetree.trajectories.along import Along
from kinetree.trajectories.passes import compiled


class Limited(NamedTuple):
    """Limits: velocity, acceleration, deceleration (nv + f,) and torque (nv,), above 0, inf without one.

    dynamics: the kernel of inverse dynamics, or None if torques do not count. is_damped: whether they depend on the
    velocity itself, not on its square alone.
    """

    velocity: Array
    acceleration: Array
    deceleration: Array
    torque: Array
    dynamics: Callable[..., Any] | None
    is_damped: bool

    @property
    def counted(self) -> Counted:
        """Indices of the limits that count."""
        velocity, acceleration, torque = (
            tuple(np.flatnonzero(np.isfinite(x)).tolist()) for x in (self.velocity, self.acceleration, self.torque)
        )
        is_even = bool((self.acceleration == self.deceleration).all())
        return Counted(velocity, acceleration, torque, is_even, self.is_damped)


class Torques(NamedTuple):
    """Torques at points (…, nv) of paths: at rest, with u = 1, with x = 1, and with x = 1 backwards if there are
    dampers, each besides the weight."""

    rest: Array
    pulled: Array
    forward: Array
    backward: Array | None

    def of(self, paths: Array) -> "Torques":
        """Return those of some of the paths (3, n, p, …)."""
        backward = None if self.backward is None else self.backward[:, :, paths]
        rest, pulled, forward = (x[:, :, paths] for x in self[:3])
        return Torques(rest, pulled, forward, backward)


def torques_of(limited: Limited, at: Along) -> Torques | None:
    """Return the torques along paths, if they count. The model counts dampers of joints, linear in the speed."""
    if limited.dynamics is None:
        return None
    tau, q, nv = limited.dynamics, at.q, len(limited.torque)
    first, second, still = at.first[..., :nv], at.second[..., :nv], np.zeros(nv)
    backward = tau(q, -first, second) if limited.is_damped else None
    return Torques(tau(q, still, still), tau(q, still, first), tau(q, first, second), backward)


def rows_of(
    limited: Limited, at: Along, torques: Torques | None, step: Array, ease: Array, speed: Sequence[Array] = ()
) -> tuple[Array, Array]:
    """Return the rows (2, n, p, r, 3) of accelerations and torques at both ends of intervals, and the least and the
    largest x (2, n, p, 2) that those without u allow; see `kinetree.algorithms.retiming.rows`.

    step (n, p): lengths of the intervals. ease (n, p): part of the room for u and x that is used. speed: two arrays
    (2, n, p) for dampers.
    """
    counted, shape = limited.counted, (2, *step.shape)
    later = np.stack([0.0 * step, 2.0 * step])
    length, used = (np.broadcast_to(x, shape) for x in (step.sum(axis=0), ease))
    given = [at.first[::2], at.second[::2], later, length, used, limited.acceleration, limited.deceleration]
    if torques:
        given += [limited.torque, *(x[::2] for x in torques if x is not None), *speed]
    r = len(counted.acceleration) + len(counted.torque) * (1 + limited.is_damped)
    shapes = tuple(x.shape[3:] if x.ndim > 1 else x.shape for x in given)
    rows, bounds = compiled(retiming.rows, shapes, ((r, 3), (2,)), counted)(*given)
    return rows, bounds


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
