"""One step of inverse kinematics for a control loop, and its result."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.algorithms.control import DISTANCE, HEAD, NO_WAY, SUCCESS
from kinetree.algorithms.inverse import Problem
from kinetree.arrays import DOUBLE, kind_of
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.display import Displayable, counted, number as as_text, some
from kinetree.errors import fail
from kinetree.model.limits import Limits, limits_about
from kinetree.solvers.ik.problem import Inside, Targets, common_batch, configurations
from kinetree.spatial.se3 import Array

ACTIVE = 1e-6
"""Margin up to which a limit is active, in its own units."""
NEARER = 1e-7
"""Difference of distances, m, from which links are nearer."""
PROBE, TINY = 1e-5, 1e-12
"""Change of a coordinate for the slope of the least distance, rad or m; least square of slopes."""
NEARLY = 0.999
"""Part of the squared error that must be left at most of a step along the links that are in the way."""
SHARES = (0.5, 0.25, 0.1, 0.0)
"""Shares of a step that are tried one after the other where the whole step ends in contact."""


@dataclass(frozen=True, eq=False, repr=False)
class IKStep(Displayable):
    """Result of `IK.step`.

    q (…, nq): where to send the joints next. success (…): whether all goals are reached there. stuck (…): whether they
    are not, and steps hardly bring the frames nearer: the limits are in the way, or the target is out of reach, or the
    arm is singular; no step takes them farther away. residual (…, 2): distance of the frames from their targets at q, m
    and rad; the largest of several goals. A bad target of a batch, not finite or not rigid, is stuck, with a residual
    of NaN.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain([{"a": 0.4, "velocity": 1.0}, {"a": 0.3, "velocity": 1.0}], convention="dh")
        >>> solve = kt.ik(arm, "tip", goal="position")
        >>> step = solve.step([0.0, 1.0], [0.4, 0.3, 0.0], dt=0.1)
        >>> step.q.round(3), step.success, step.stuck  # at most 1 rad/s
        (array([-0.018,  1.1  ]), False, False)
    """

    q: Array
    success: Array | bool
    stuck: Array | bool
    residual: Array
    _limits: Limits
    _columns: Array

    def __repr__(self) -> str:
        stuck = np.asarray(self.stuck)
        state = "reached" if np.asarray(self.success).all() else "stuck" if stuck.all() else "on the way"
        return in_a_line(self, state, f", {int(stuck.sum())} stuck")

    @cached_property
    def active_limits(self) -> Any:
        """Limits of the moved joints that q is at or outside, (…, k) of bool, in the order of `robot.limits.names`."""
        return active_limits(self.q, self._limits, self._columns)


def in_a_line(result: Any, state: str, more: str = "") -> str:
    """Return the repr of an `IKResult` or `IKStep`. state: of a single one. more: about those of many targets."""
    reached, kind = np.asarray(result.success), type(result).__name__
    metres, radians = np.nanmax(np.asarray(result.residual).reshape(-1, 2), axis=0, initial=0.0)
    off = f"{as_text(metres)} m and {as_text(radians)} rad off"
    if reached.ndim:
        return f"{kind} of {counted(reached.size, 'target')}: {int(reached.sum())} reached{more}, up to {off}"
    at = [name for name, active in zip(result._limits.names, result.active_limits, strict=True) if active]
    return f"{kind}: {state}, {off}" + (f", at {some(at)}" if at else "")


def active_limits(q: Any, limits: Limits, columns: Array) -> Any:
    """Return which limits of the coordinates `columns` q (…, nq) is at, (…, k), as an array of the library of q."""
    active = np.asarray((limits.margin(np.asarray(q)) <= ACTIVE) & limits_about(limits, columns))
    kind = kind_of([q])
    return kind.give(active) if kind else active


def are_plain(arrays: Sequence[Any], ports: Sequence[Port]) -> bool:
    """Return whether arrays are those of NumPy with doubles and the shapes of the ports, in one configuration."""
    for array, port in zip(arrays, ports, strict=False):
        if type(array) is not np.ndarray or array.dtype is not DOUBLE or array.shape != port.shape:
            return False
    return len(arrays) == len(ports)


@dataclass(frozen=True, slots=True, eq=False)
class Stepper:
    """What `IK.step` needs. track, back: kernels of `controlled` for `tracking_step` and `returning_step`. speeds (n,):
    of the velocity coordinates that move, and others (nq,): of all coordinates that do not, rad/s or m/s. _known: the
    last dt, with what speeds come to in it."""

    problem: Problem
    inside: Inside
    track: Kernel
    back: Kernel
    speeds: Array
    others: Array
    _known: dict[float, Array] = field(default_factory=dict, init=False)

    def plain(self, q: Any, targets: Sequence[Any], dt: Any, restart: Any) -> IKStep | None:
        """Return the step if nothing needs to be prepared: one configuration inside the limits, arrays of doubles and
        rigid targets; else None."""
        kernel, arrays = self.track, (q, *targets)
        if restart is not None:
            kernel, arrays = self.back, (q, restart, *targets)
        if not isinstance(dt, float) or not 0.0 < dt < np.inf or not are_plain(arrays, kernel.inputs[1:]):
            return None
        if (strides := self._known.get(dt)) is None:
            self._known.clear()
            strides = self._known[dt] = self.speeds * dt
        report = kernel(strides, *arrays)
        plain, success, stuck = report[:DISTANCE].tolist()
        if plain < 0.0:
            return None
        limits, columns = self.inside.limits, self.problem.columns
        return IKStep(report[HEAD:], success > 0.0, stuck > 0.0, report[DISTANCE:HEAD], limits, columns)

    def step(self, q: Any, targets: Targets, dt: float, restart: Any) -> IKStep:
        """Return the step from q (…, nq), see `IK.step`; targets are checked."""
        if not isinstance(dt, (int, float, np.floating)) or not 0 < dt < np.inf:
            raise fail("dt", f"dt is {dt!r}; expected a finite number of seconds above 0")
        limits, columns, strides = self.inside.limits, self.problem.columns, self.speeds * dt
        before = rest = self._checked(q, "q")
        to = None if restart is None else self._checked(restart, "restart")
        common_batch(targets.batch, q=before, **({} if to is None else {"restart": to}))
        is_inside, inside = limits.contains(before), before
        if not is_inside.all():
            inside = limits.project(before)
            rest = np.clip(inside, before - self.others * dt, before + self.others * dt)
        if to is not None:
            report = self.back(strides, before, limits.project(to), *targets.arrays)
        else:
            report = np.asarray(self.track(strides, inside, *targets.arrays))
            if targets.bad is not None:
                stay = targets.in_batch(report.shape[:-1])
                report[stay, HEAD:] = np.broadcast_to(inside, (*stay.shape, len(self.others)))[stay]
            if inside is not before:
                back = self.back(strides, before, report[..., HEAD:], *targets.arrays)
                report = np.where(is_inside[..., None], report, back)
        if targets.bad is not None:
            report[targets.in_batch(report.shape[:-1]), :HEAD] = (0.0, 0.0, 1.0, np.nan, np.nan)  # not solved, stuck
        success, stuck = report[..., SUCCESS] > 0, report[..., NO_WAY] > 0
        if report.ndim == 1:
            success, stuck = bool(success), bool(stuck)
        q = self.problem.moved(rest, report[..., HEAD:][..., columns])
        return IKStep(q, success, stuck, report[..., DISTANCE:HEAD], limits, columns)

    def apart(self, contact: Any, q: Any, targets: Targets, dt: float, restart: Any) -> IKStep:
        """Return the step; where it would end in contact, one along what is in the way, or a shortened one, unless it
        begins there and brings no links nearer; stuck where that leaves nothing of it. contact: the `kt.collisions`
        that decides."""
        whole = result = self.step(q, targets, dt, restart)
        before = self._checked(q, "q")
        touching = np.asarray(contact(result.q))
        if not touching.any():
            return result
        begun = np.asarray(contact(before))
        least = contact.distance(before) - NEARER if begun.any() else 0.0

        def refused(touching: Any, after: Array) -> Any:
            """Return where links touch after a step, unless they did before and are not nearer."""
            return touching & (~begun | (contact.distance(after) < least)) if (begun & touching).any() else touching

        bad = refused(touching, result.q)
        if not bad.any():
            return result
        stays = self.step(q, targets, dt, before)
        for share in (None, *SHARES):
            to = self._along(contact, before, whole.q) if share is None else before + share * (whole.q - before)
            less = self.step(q, targets, dt, to)
            less = replace(less, stuck=less.stuck | (share == 0.0))
            merged: dict[str, Any] = {}
            for name in ("q", "success", "stuck", "residual"):
                a, b = (getattr(step, name) for step in (less, result))
                merged[name] = np.where(bad[..., None] if name in ("q", "residual") else bad, a, b)
                if not merged[name].ndim:
                    merged[name] = bool(merged[name])
            result = replace(result, **merged)
            again = refused(np.asarray(contact(result.q)), result.q)
            if share is None:  # only where it leads on
                again |= np.sum(less.residual**2, axis=-1) > NEARLY * np.sum(stays.residual**2, axis=-1)
            bad &= again
            if not bad.any():
                break
        return result

    def _along(self, contact: Any, before: Array, after: Array) -> Array:
        """Return where a step leads with one more row, as those of G q <= h are: the least distance d stays above the
        margin as far as its slopes (…, n) say."""
        columns = self.problem.columns[: len(self.problem.lower)]
        probes = np.repeat(before[..., None, :], len(columns) + 1, axis=-2)
        probes[..., np.arange(len(columns)) + 1, columns] += PROBE
        d = np.asarray(contact.distance(probes))
        slopes = (d[..., 1:] - d[..., :1]) / PROBE
        short = contact.margin + 2.0 * NEARER - d[..., 0] - np.sum(slopes * (after - before)[..., columns], axis=-1)
        to = after.copy()
        steepness = np.maximum(np.sum(slopes**2, axis=-1), TINY)
        to[..., columns] += slopes * (np.maximum(short, 0.0) / steepness)[..., None]
        return to

    def _checked(self, q: Any, what: str) -> Array:
        return configurations(self.inside.limits, self.problem, q, what)
