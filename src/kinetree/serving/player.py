"""The configuration of a robot that is served: moved by a motion, and by parameters that clients set."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from kinetree.display import counted, number, some
from kinetree.errors import nearest_names
from kinetree.logs import Motion, filled
from kinetree.model.limits import Limits
from kinetree.model.magnitudes import LARGEST
from kinetree.model.robot import Robot
from kinetree.queries.dynamics import difference, integrate
from kinetree.spatial.se3 import Array

JOINT, LIMITS = "joints.", "limits."
"""Beginnings of the names of parameters."""
MOTION = PAUSED, SPEED, TIME = "motion.paused", "motion.speed", "motion.time"


class Player:
    """A configuration q (nq,) that follows a motion between its samples, until it is paused or over.

    rate: samples per s of a motion without times. speed: s of the motion per s. loop: begin again at the end.
    Parameters: `joints.NAME` for each coordinate, which keep all limits, `limits.NAME`, to read, and
    `motion.paused`, `motion.speed` and `motion.time`, in s from the first sample, if there is a motion.
    """

    def __init__(
        self, robot: Robot, q: Array, motion: Motion | None, *, rate: float, speed: float = 1.0, loop: bool = False
    ) -> None:
        self.robot, self.limits, self.q = robot, robot.limits, np.array(q, dtype=float)
        self.speed, self.loop, self.time, self.paused = speed, loop, 0.0, motion is None
        self.moved = np.zeros(robot.nq, dtype=bool)
        self._fixed = {LIMITS + name: _ends(self.limits, i) for i, name in enumerate(robot.coordinate_names)}
        if motion is not None:
            self.samples = filled(robot, motion, q)
            times = np.arange(len(self.samples)) / rate if motion.times is None else motion.times
            self.times = times - times[0]
            self.moved = np.isin(robot.coordinate_names, motion.names)
            self._between = add, subtract = integrate(robot), difference(robot)
            self._turning = np.zeros(robot.nq, dtype=bool)
            for name, where in robot.q_slices.items():
                if part := robot.joints[name].kind.quaternion:
                    self._turning[where][part] = True
            add(q, subtract(q, q))  # compiles them now, and not while the clock runs
            self._move_to(0.0)

    @property
    def parameters(self) -> dict[str, Any]:
        """Values of all parameters by name."""
        values: dict[str, Any] = dict(
            zip(map(JOINT.__add__, self.robot.coordinate_names), self.q.tolist(), strict=True)
        )
        if self.moved.any():
            values |= {PAUSED: self.paused, SPEED: self.speed, TIME: self.time}
        return values | self._fixed

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        if not self.paused:
            self._move_to(self.time + seconds * self.speed)

    def set(self, values: Mapping[str, Any]) -> list[str]:
        """Set parameters, and return a message about each that stays as it is. Joint values are set all or none."""
        known = self.parameters
        unknown = [name for name in values if name not in known]
        faults = [f"there is no parameter {name!r}; {nearest_names(name, [*known])}" for name in unknown[:1]]
        if more := len(unknown[1:]):
            faults.append(f"{counted(more, 'more parameter')} {'is' if more == 1 else 'are'} unknown")
        faults += [f"{name} cannot be set: it shows a limit of the model" for name in values if name in self._fixed]
        faults += self._set_motion({name: x for name, x in values.items() if name in known and name in MOTION})
        joints = {name.removeprefix(JOINT): x for name, x in values.items() if name in known and name.startswith(JOINT)}
        return faults + (self._set_joints(joints) if joints else [])

    def _set_motion(self, values: Mapping[str, Any]) -> Iterable[str]:
        for name, value in values.items():
            if name == PAUSED and isinstance(value, bool):
                self.paused = value
                if not value and self.time == self.times[-1]:
                    self._move_to(0.0)
            elif name == SPEED and _is_number(value) and value > 0:
                self.speed = float(value)
            elif name == TIME and _is_number(value) and 0 <= value <= self.times[-1]:
                self._move_to(float(value))
            else:
                legal = {PAUSED: "true and false", SPEED: "numbers above 0", TIME: f"0 to {number(self.times[-1])} s"}
                yield f"{name} = {value!r} is not set; expected {legal[name]}"

    def _set_joints(self, values: Mapping[str, Any]) -> list[str]:
        faults, q = [], self.q.copy()
        for name, value in values.items():
            i = self.robot.coordinate_names.index(name)
            if not _is_number(value):
                faults.append(f"{JOINT}{name} = {value!r} is not set; expected a finite number")
            elif self.moved[i] and not self.paused:
                faults.append(f"{JOINT}{name} is not set: the motion moves it; set {PAUSED} to true first")
            else:
                q[i] = value
        faults += [] if faults else self._left(q, [*values])
        if not faults:
            self.q = q
        return faults

    def _left(self, q: Array, names: list[str]) -> list[str]:
        """Return a message about each limit that q (nq,) leaves further than the configuration does now."""
        for joint, where in self.robot.q_slices.items():
            part = self.robot.joints[joint].kind.quaternion
            if part and not q[where][part].any():
                return [f"the quaternion of joint {joint!r} is not set: it would be zero"]
        margin = self.limits.margin(q)
        bad = np.flatnonzero((margin < 0) & (margin < self.limits.margin(self.q)))
        if not len(bad):
            return []
        which = some([f"{JOINT}{name} = {q[self.limits.coordinate_names.index(name)]:.6g}" for name in names])
        limits = some([f"{self.limits.names[k]} by {number(-margin[k])}" for k in bad])
        legal = f"; where the other joints are, expected {_range(self.limits, q, names[0])}" if len(names) == 1 else ""
        return [f"{which} is not set: it is outside of limits: {limits}{legal}"]

    def _move_to(self, time: float) -> None:
        end = self.times[-1]
        if time >= end:
            time, self.paused = (time % end, self.paused) if self.loop and end > 0 else (end, True)
        i = max(int(np.searchsorted(self.times, time, "right")) - 1, 0)
        q, after = self.samples[i], self.samples[min(i + 1, len(self.samples) - 1)]
        if time > self.times[i]:
            add, subtract = self._between
            part = (time - self.times[i]) / (self.times[i + 1] - self.times[i])
            q = np.where(self._turning, add(q, subtract(q, after) * part), q + (after - q) * part)
        self.time, self.q = float(time), np.where(self.moved, q, self.q)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST  # type: ignore[arg-type]


def _ends(limits: Limits, i: int) -> dict[str, float]:
    """Return the finite ends of the range of a coordinate."""
    ends = {"lower": float(limits.lower[i]), "upper": float(limits.upper[i])}
    return {name: end for name, end in ends.items() if np.isfinite(end)}


def _range(limits: Limits, q: Array, name: str) -> str:
    """Return the range of a coordinate by all limits, where the others are as in q (nq,)."""
    i = limits.coordinate_names.index(name)
    g = limits.G[:, i]
    bounds = (limits.h - limits.G @ q + g * q[i])[g != 0] / g[g != 0]
    lower = max([limits.lower[i], *bounds[g[g != 0] < 0]])
    upper = min([limits.upper[i], *bounds[g[g != 0] > 0]])
    lower, upper = np.ceil(lower * 1e4) / 1e4, np.floor(upper * 1e4) / 1e4  # rounded inwards, so that both are legal
    return f"{lower:.10g} to {upper:.10g}" if lower <= upper else "no values"
