"""Places where a search begins, and descents from each of several of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kinetree.algorithms.goals import GOALS
from kinetree.algorithms.inverse import DESCENT, GOING, HEAD, started
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.solvers.ik.solver import IK


def flattened(
    ik: IK, search: Sequence[Array], targets: Sequence[Array], batch: tuple[int, ...], where: Array
) -> tuple[list[Array], list[Array]]:
    """Return the arrays of the start (k, ·) and the targets (k, *shape) where a mask (*batch,) is true."""
    shapes = [GOALS[goal.kind].shape for goal in ik.goals]
    own = [np.broadcast_to(a, batch + shape)[where] for a, shape in zip(targets, shapes, strict=True)]
    return [np.broadcast_to(a, batch + a.shape[-1:])[where] for a in search], own


def at_forms(ik: IK, states: Array, h: Array, center: Array, targets: Sequence[Array]) -> Array:
    """Return the closed-form solutions (k, 8, n), NaN for those that are none."""
    n = len(ik._problem.columns)
    assert ik._forms
    forms = ik._forms(states[:, HEAD : HEAD + n], *([h, center] if len(ik._problem.G) else []), *targets)
    return np.where(np.isfinite(forms[..., n:]), forms[..., :n], np.nan)


def at_starts(ik: IK, states: Array, h: Array, center: Array, numbers: range) -> Array:
    """Return evenly spread places inside the limits (k, p, n), those of these numbers; number 0 is the start itself."""
    near, number = states[:, HEAD : HEAD + len(ik._problem.columns)], np.array(numbers, float)
    spread = started(ik._problem, number, *(a.T[..., None] for a in (h, center, near)))
    places = np.stack([np.broadcast_to(x, (len(states), len(number))) for x in spread], axis=-1)
    return np.where(number[:, None] == 0.0, near[:, None], places)


def descents(ik: IK, places: Array, states: Array, h: Array, center: Array, targets: Sequence[Array]) -> Array:
    """Return the last states (k, p, s) of a descent from each of the places (k, p, n). Places of NaN have none."""
    more = [h[:, None], center[:, None]] if len(ik._problem.G) else []
    begun = np.repeat(states[:, None], places.shape[1], axis=1)
    begun[..., DESCENT] = ik._problem.descents - 1
    there, none = slice(HEAD, HEAD + places.shape[2]), np.isnan(places).any(axis=-1)
    begun[..., there] = np.where(none[..., None], begun[..., there], places)
    found = np.array(ik._kernel(begun, *more, *(a[:, None] for a in targets)))
    found[none, GOING] = -1.0
    return found
