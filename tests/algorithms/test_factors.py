"""Factors of the Jacobian of joints that follow, against determinants and NumPy."""

import numpy as np

from kinetree.algorithms.factors import Factors


def test_a_negative_minor_tells_that_columns_have_turned():
    """Of the leading minors of Qᵀ J, for unit vectors Q as columns of another J have them."""
    rng, seen = np.random.default_rng(0), set()
    for _ in range(40):
        J = rng.normal(size=(5, 3))
        Q = np.linalg.qr(J + rng.choice([0.1, 1.0]) * rng.normal(size=(5, 3)))[0].T
        Q = Q * np.sign([unit @ column for unit, column in zip(Q, J.T, strict=True)])[:, None]
        minors = [np.linalg.det((Q @ J)[:k, :k]) for k in (1, 2, 3)]
        expected = float(min(minors) < 0.0)
        assert float(Factors(J).turned(Q)) == expected, minors
        seen.add(expected)
    assert seen == {0.0, 1.0}
    assert float(Factors(np.eye(3)).turned(np.eye(3))) == 0.0
