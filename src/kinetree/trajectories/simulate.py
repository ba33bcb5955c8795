"""Motions that torques cause."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import forward_dynamics, integrate
from kinetree.queries.gradients import jvp
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array
from kinetree.trajectories.motion import Motion

MOST, FASTEST = 1_000_000, 1e12
"""Most evaluations of accelerations, and the largest that is followed, m/s² or rad/s²."""


@explain_type_errors
def simulate(
    robot: Robot,
    torque: Any,
    t: Any,
    *,
    q: Any = None,
    qd: Any = None,
    gravity: Any = (0.0, 0.0, -9.81),
    accuracy: float = 1e-9,
) -> Motion:
    """Return the Motion that torques cause, with samples at the times t (n,), s, from t[0] on.

    torque: N m or N; constant (nv,), at the times (n, nv) and linear between them, a function of the time, q and qd
    that returns (nv,), or 0.
    q (nq,), qd (nv,): at the beginning; by default the neutral posture at rest. gravity: m/s². accuracy: of each step,
    relative, of LSODA (Petzold, 1983; `scipy.integrate.solve_ivp`), which follows strong dampers with long steps, too.

    Springs, dampers and armature count. Friction, limits and contacts do not: nothing stops at its limit. In the
    motion, qd is the rate of q; of robots with quaternions it has other numbers than the qd of this function.

    Raises KinetreeError for times that do not increase, arrays of other shapes, and where the motion is too fast to be
    followed.

    Examples:
        >>> import kinetree as kt
        >>> pendulum = kt.chain([{"axis": [0, -1, 0], "m": 2, "r": [0.5, 0, 0]}])  # 2 kg, level at q = 0
        >>> motion = kt.dynamics.simulate(pendulum, 0, [0, 0.1, 0.2])
        >>> motion.q[:, 0].round(4)  # it falls
        array([ 0.    , -0.0981, -0.3904])
    """
    times = numbers(t, "times", "t is")
    if times.ndim != 1 or len(times) < 2 or not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
        raise fail("times", "t has to be at least two finite times that increase, in s")
    nq, nv = robot.nq, robot.nv
    start = _vector("q", robot.q() if q is None else q, nq), _vector("qd", 0.0 if qd is None else qd, nv)
    first = np.concatenate([integrate(robot)(start[0], np.zeros(nv)), start[1]])  # with quaternions of length 1
    pull, longest = _torque(torque, times, nv)
    accelerations, moved, plain = forward_dynamics(robot, gravity=gravity), jvp(integrate(robot)), nq == nv
    evaluations = iter(range(MOST))

    def q_rate(q: Array, qd: Array) -> Array:
        return qd if plain else np.asarray(moved(q, np.zeros(nv), np.zeros(nq), qd))

    def rate(time: float, state: Array) -> Array:
        q, qd = state[:nq], state[nq:]
        rates = np.concatenate([q_rate(q, qd), accelerations(q, qd, pull(time, q, qd))])
        if next(evaluations, None) is None or not np.abs(rates).max(initial=0.0) < FASTEST:
            raise fail("motion", f"the motion is too fast to be followed after t = {time:g} s; is a mass too small?")
        return rates

    found = solve_ivp(
        rate, times[[0, -1]], first, "LSODA", times, rtol=accuracy, atol=1e-3 * accuracy, max_step=longest
    )
    if not found.success:
        raise fail("motion", f"the motion is too fast to be followed after t = {found.t[-1]:g} s: {found.message}")
    q, qd = found.y[:nq].T, found.y[nq:].T
    tau = np.array([pull(*one) for one in zip(times, q, qd, strict=True)])
    rates = np.array([q_rate(*one) for one in zip(q, qd, strict=True)])
    return Motion(robot.coordinate_names, times, q, (), robot, rates, accelerations(q, qd, tau) if plain else None)


def _vector(name: str, given: Any, count: int) -> Array:
    """Return a state of this many numbers; one number stands for all."""
    found = numbers(given, "motion", f"{name} is")
    if found.shape not in ((), (count,)) or not np.isfinite(found).all():
        raise fail("motion", f"{name} has shape {found.shape}; expected ({count},), finite")
    return np.broadcast_to(found, (count,))


def _torque(given: Any, times: Array, nv: int) -> tuple[Callable[[float, Array, Array], Array], float]:
    """Return the torque as a function of the time, q and qd, and the longest step, s, over which it is smooth."""
    if callable(given):
        return lambda t, q, qd: _vector("torque", given(t, q, qd), nv), np.inf
    found = numbers(given, "motion", "torque is")
    if found.shape != (len(times), nv) or not np.isfinite(found).all():
        constant = _vector("torque", found, nv)
        return lambda t, q, qd: constant, np.inf

    def between(t: float, q: Array, qd: Array) -> Array:
        i = int(np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(times) - 2))
        part = (t - times[i]) / (times[i + 1] - times[i])
        return np.asarray((1.0 - part) * found[i] + part * found[i + 1])

    return between, float(np.diff(times).max())
