"""Figure of a motion: positions, velocities, accelerations and torques over time, with their limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail
from kinetree.queries.dynamics import inverse_dynamics
from kinetree.spatial.se3 import Array
from kinetree.trajectories.bounds import bounds_of
from kinetree.trajectories.differences import at_samples, rates_between, steps_between
from kinetree.trajectories.motion import Motion
from kinetree.trajectories.rates import no_torques
from kinetree.trajectories.samples import Samples, samples_of
from kinetree.viewing.plotting import SIZE, Plot, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 4
"""Samples from which on rates are estimated."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MotionPlot(Plot):
    """A figure of a motion, made by `kt.motion.plot`; notebooks show it."""

    motion: Motion

    def _figure(self, suffix: str) -> Figure:
        return figure_of(self.motion, suffix)

    def _repr_svg_(self) -> str:
        return self._written(".svg").decode()


@explain_type_errors
def plot(motion: Motion) -> MotionPlot:
    """Return a figure of a motion over time: positions, velocities, accelerations and torques, with limits dashed.

    Velocities and accelerations are qd and qdd of the motion, or differences of q; torques those of
    `kt.inverse_dynamics`, if the robot has masses, no closed loops and no floating joint. rad, m, s, N m, N.

    Raises KinetreeError for a motion without a robot or times, and without matplotlib.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
        >>> motion = kt.motion.point_to_point(arm, [0, 0], [1, 0.5], velocity=1.0)
        >>> kt.motion.plot(motion)  # .save("motion.svg") writes it
        MotionPlot of Motion of 2 coordinates: 189 samples, 0 to 1.88 s
    """
    if samples_of(motion, None).times is None:
        raise fail(
            "plot", "a path and a motion without times have nothing to draw over time; expected a motion with times"
        )
    return MotionPlot(motion)


class Panel(NamedTuple):
    """Curves (n, c) over time, their names, whether each is of an angle, and their ends (2, c)."""

    title: str
    units: tuple[str, str]
    names: Sequence[str]
    values: Array
    angular: Sequence[bool]
    ends: Array


def panels_of(motion: Motion) -> Iterator[Panel]:
    """Yield what is drawn of a motion."""
    samples = samples_of(motion, None)
    robot, limits = samples.robot, samples.robot.limits
    own = [robot.coordinate_names.index(name) for name in motion.names]
    turns = np.array([x for name in robot.joint_names for x in robot.joints[name].kind.angular])
    ends = np.array([limits.lower, limits.upper])[:, own]
    yield Panel("position", ("rad", "m"), motion.names, samples.q[:, own], turns[own].tolist(), ends)
    joints = {name for name, where in robot.q_slices.items() if set(own) & {*range(where.start, where.stop)}}
    kinds = [(name in joints, x) for name in robot.joint_names for x in robot.joints[name].kind.velocity_angular]
    moved, angular = [i for i, (moves, _) in enumerate(kinds) if moves], [x for _, x in kinds]
    rates = _rates(samples)
    torque = [] if no_torques(robot) or len(rates) < 2 else [inverse_dynamics(robot)(samples.q, *rates)]
    rows = (("velocity", "velocity", ("rad/s", "m/s")), ("acceleration", "acceleration", ("rad/s²", "m/s²")))
    for (title, field, units), values in zip(
        (*rows, ("torque", "effort", ("N m", "N"))), [*rates, *torque], strict=False
    ):
        bound = bounds_of(robot, (), title, True, field)
        bound = np.where(bound > 0.0, bound, np.inf)[moved]
        names = [robot.velocity_names[i] for i in moved]
        yield Panel(title, units, names, values[:, moved], [angular[i] for i in moved], np.array([-bound, bound]))


def _rates(samples: Samples) -> list[Array]:
    """Return velocities and accelerations (n, nv): those of the motion, or if it has none differences of q."""
    at, q = samples.times, samples.q
    assert at is not None
    found = [x for x in (samples.qd, samples.qdd) if x is not None and np.isfinite(x).all()]
    if len(found) == 2 or len(q) < FEW:
        return found if samples.qd is not None else []
    velocities, accelerations, _ = rates_between(steps_between(samples.robot, (), q), at, np.zeros(samples.robot.nv))
    return [*at_samples(velocities, accelerations, np.diff(at))]


def figure_of(motion: Motion, suffix: str) -> Figure:
    """Return the figure of a motion, for a suffix that it is written in."""
    assert motion.robot is not None
    assert motion.times is not None
    panels = list(panels_of(motion))
    figure = new_figure((2.2 * SIZE, 0.55 * SIZE * len(panels) + 0.5), suffix, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels, strict=True):
        _draw(axis, panel, motion.times)
    axes[-1].set_xlabel("time, s")
    figure.align_ylabels(axes)
    figure.suptitle(f"{motion.robot.name}: {motion!r}", parse_math=False)
    for text in figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper").get_texts():
        text.set_parse_math(False)
    return figure


def _draw(axis: Axes, panel: Panel, times: Array) -> None:
    low, high = float(panel.values.min()), float(panel.values.max())
    room = max(high - low, 1e-9)
    for i, name in enumerate(panel.names):
        (line,) = axis.plot(times, panel.values[:, i], label=name, linewidth=1.4, color=f"C{i % 10}")
        line.set_linestyle("-" if i < 10 else "-.")
        for end in panel.ends[:, i].tolist():
            if low - room <= end <= high + room:  # others would flatten the curves
                axis.axhline(end, color=f"C{i % 10}", linestyle="--", linewidth=0.9, alpha=0.7)
    units = [
        unit for unit, is_used in zip(panel.units, (any(panel.angular), not all(panel.angular)), strict=True) if is_used
    ]
    axis.set_ylabel(f"{panel.title}, {' or '.join(units)}")
    axis.grid(visible=True, linewidth=0.4)
