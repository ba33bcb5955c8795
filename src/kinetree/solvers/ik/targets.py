"""Checks of targets of inverse kinematics. One bad target of a batch fails alone."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinetree.algorithms.goals import GOALS, Goal
from kinetree.algorithms.inverse import DESCENT
from kinetree.spatial.numbers import ROUNDED, judged, refused
from kinetree.spatial.se3 import Array

STOPPED = 1e9
"""Number of a start at which a search has ended before it began."""


class Targets(NamedTuple):
    """Targets of a search. arrays: (…, *shape) for each goal, with the nearest rotations of rounded ones. batch: their
    own. bad (*batch,): which are not finite or not rigid, and 0 or the identity in `arrays`; None if all are good."""

    arrays: list[Array]
    batch: tuple[int, ...]
    bad: NDArray[np.bool_] | None = None

    def stopped(self, states: Array) -> Array:
        """Return states (…, s) with which no search begins for bad targets."""
        if self.bad is None:
            return states
        batch = np.broadcast_shapes(self.batch, states.shape[:-1])
        states = np.broadcast_to(states, (*batch, states.shape[-1])).copy()
        states[np.broadcast_to(self.bad, batch), DESCENT] = STOPPED
        return states

    def in_batch(self, batch: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return which targets of a larger batch are bad (*batch,)."""
        return np.broadcast_to(False if self.bad is None else self.bad, batch)


def judged_targets(goals: Sequence[Goal], targets: Sequence[Array], batch: tuple[int, ...]) -> Targets:
    """Return the targets as `judged` takes them. Raises KinetreeError for a bad one that is alone."""
    used, bad = [], np.zeros(batch, bool)
    for goal, target in zip(goals, targets, strict=True):
        shape = GOALS[goal.kind].shape
        finite = np.isfinite(target).all(axis=tuple(range(-len(shape), 0)))
        good, off = judged(target) if len(shape) == 2 else (target, np.where(finite, 0.0, np.inf))
        wrong = ~(off <= ROUNDED)
        if wrong.any() and not batch:
            raise refused("target", "target", target, off)
        harmless = np.eye(shape[0]) if len(shape) == 2 else np.zeros(shape)
        used.append(np.where(wrong.reshape(*wrong.shape, *[1] * len(shape)), harmless, good))
        bad |= wrong
    return Targets(used, batch, bad if bad.any() else None)
