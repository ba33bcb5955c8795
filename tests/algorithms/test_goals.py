"""How errors of goals fall, against finite differences."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.goals import GOALS, Goal, goal_rows
from kinetree.model.tree import build_tree


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


@each("kind", GOALS)
@each("axes", ["base", "frame"])
def test_exact_errors_fall_as_they_say(icub, kind, axes):
    """Wherever the frame is, for a goal far away; "pointing" has a derivative at the goal only."""
    tree, rng = build_tree(icub), np.random.default_rng(1)
    goal = Goal(kind, "l_hand", "chest", expressed_in=axes, axis=(0.0, 0.6, 0.8))
    q = icub.limits.sample(1, seed=3)[0]
    T = kt.fk(icub, "l_hand", "chest").interpret(icub.limits.sample(1, seed=8)[0])
    here = kt.fk(icub, "l_hand", "chest").interpret(q)
    target = {
        "pose": T,
        "position": T[:3, 3],
        "orientation": T[:3, :3],
        "pointing": here[:3, 3] + 0.7 * here[:3, :3] @ [0.0, 0.6, 0.8],
    }[kind]
    rates = list(range(icub.nq))

    def rows(x):
        return [row for part in goal_rows(tree, goal, rates, x, target, exact=True) for row in part]

    J = np.array([row.J for row in rows(q)], dtype=float)
    for _ in range(5):
        way = rng.normal(size=icub.nq)
        plus, minus = (np.array([float(row.error) for row in rows(q + s * 1e-6 * way)]) for s in (1, -1))
        np.testing.assert_allclose((minus - plus) / 2e-6, J @ way, rtol=0, atol=2e-8)
