"""Directions that limits over several joints take from a step."""

import numpy as np

from kinetree.algorithms.inverse import _without_rows


def left(rows, J, gradient, at, held):
    found = _without_rows(rows.tolist(), J.tolist(), gradient.tolist(), [1.0] * rows.shape[1], at, held)
    return np.array(found, dtype=float)


def test_no_step_crosses_rows_that_are_held():
    """What is left is the Jacobian times the projection onto the directions along all of these rows."""
    rng = np.random.default_rng(0)
    rows, J, gradient = rng.normal(size=(3, 5)), rng.normal(size=(6, 5)), rng.normal(size=5)
    for at, held in (([1.0, 1.0, 0.0], [1.0, 1.0, 1.0]), ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]), ([0.0] * 3, [1.0] * 3)):
        kept = rows[np.array(at) > 0]
        along = np.eye(5) - (np.linalg.pinv(kept) @ kept if len(kept) else 0.0)
        np.testing.assert_allclose(left(rows, J, gradient, at, held), J @ along, atol=1e-12)


def test_rows_that_the_step_would_cross_count_and_those_that_it_leaves_do_not():
    rows, J = np.eye(2), np.array([[1.0, 2.0]])
    assert left(rows, J, np.array([1.0, -1.0]), [1.0, 1.0], [0.0, 0.0]).tolist() == [[0.0, 2.0]]
    assert left(rows, J, np.array([-1.0, -1.0]), [1.0, 1.0], [0.0, 0.0]).tolist() == [[1.0, 2.0]]
