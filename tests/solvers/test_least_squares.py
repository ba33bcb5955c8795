"""Damped least squares from several starts at once, against SciPy."""

import numpy as np
import pytest
from scipy import optimize

from kinetree.lab.least_squares import least_squares, loss, weights

T = np.linspace(0, 3, 12)
TRUE = np.array([2.0, 0.7])


def decay(x):
    """x[0] exp(-x[1] t), of which x[2] changes nothing."""
    return x[..., :1] * np.exp(-x[..., 1:2] * T)


def fitted(starts, y, huber=np.inf, steps=60, gain=1e-12):
    """From starts (s, 3), with the rows of y (s, 12) as blocks of one number."""
    calls = []

    def error(rows, at):
        return (decay(at[0]) - y[rows])[..., None]

    def jacobian(rows, at):
        calls.append(len(rows))
        (x,) = at
        f = decay(x)
        return np.stack([f / x[:, :1], -T * f, 0 * f], axis=-1)[:, :, None]

    def moved(at, step):
        return (at[0] + step,)

    (x,), best = least_squares(
        (np.array(starts, float),), error, jacobian, moved, steps=steps, gain=lambda before: gain * before, huber=huber
    )
    return x, best, calls


class TestLeastSquares:
    Y = decay(TRUE) + 0.05 * np.random.default_rng(0).normal(size=12)

    @pytest.mark.parametrize("huber", [np.inf, 0.06])
    def test_each_start_finds_what_scipy_finds(self, huber):
        options = {} if huber == np.inf else {"loss": "huber", "f_scale": huber}
        ys = np.array([self.Y, 3 * self.Y, self.Y[::-1]])
        starts = np.array([[1.0, 0.1, 5.0], [9.0, 2.0, 6.0], [1.0, -0.2, 7.0]])
        x, best, _ = fitted(starts, ys, huber)
        for found, value, start, y in zip(x, best, starts, ys, strict=True):
            expected = optimize.least_squares(lambda z, y=y: decay(z) - y, start[:2], xtol=1e-14, **options)
            np.testing.assert_allclose(found[:2], expected.x, rtol=1e-5)
            assert value == pytest.approx(2 * expected.cost, rel=1e-9)
            assert found[2] == start[2]

    def test_a_step_that_gains_nothing_computes_no_new_slopes(self):
        """From this start the first four steps are too long; the second start is an end."""
        starts, ys = [[0.5, 3.0, 0.0], [*TRUE, 0.0]], np.array([decay(TRUE)] * 2)
        first = ((decay(np.array(starts[0])) - ys[0]) ** 2).sum()
        for steps, computed in ((4, [2]), (6, [2, 1])):
            x, best, calls = fitted(starts, ys, steps=steps)
            assert calls == computed
            assert (best[0] < first * (1 - 1e-9)) == (steps > 4)
            assert best[1] == 0.0
            np.testing.assert_array_equal(x[1, :2], TRUE)

    def test_no_more_steps_than_asked_and_none_that_gain_little(self):
        start, ys = [[1.0, 0.1, 0.0]], self.Y[None]
        losses = [float(fitted(start, ys, steps=n)[1][0]) for n in range(12)]
        assert losses[0] == pytest.approx(((decay(np.array([1.0, 0.1])) - self.Y) ** 2).sum())
        assert losses == sorted(losses, reverse=True)
        assert len(fitted(start, ys, steps=1)[2]) == 1
        gained = (losses[0] - losses[1]) / losses[0]
        assert len(fitted(start, ys, gain=gained * 1.01)[2]) == 1
        assert len(fitted(start, ys, gain=gained * 0.99)[2]) > 1

    def test_the_slope_of_the_loss_is_that_of_weighted_squares(self):
        r = np.array([[[0.3, 0.4], [3.0, 4.0]], [[0.0, 0.0], [0.0, 2.0]]])
        np.testing.assert_allclose(loss(r, 2.0), [0.25 + 2 * (2 * 5 - 2), 4.0])
        np.testing.assert_allclose(loss(r), (r**2).sum(axis=(1, 2)))
        h = 1e-6
        for at in np.argwhere(r == r):
            e = h * (np.indices(r.shape).transpose(1, 2, 3, 0) == at).all(axis=-1)
            slope = (loss(r + e, 2.0) - loss(r - e, 2.0))[at[0]] / (2 * h)
            assert (2 * weights(r, 2.0) ** 2 * r)[tuple(at)] == pytest.approx(slope, abs=1e-5)
