"""The fewest faults that explain a log, on channels that are linear, whose answers least squares gives."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import minimize

from each import each
from kinetree.lab.identify.search import Cause, _Search, fitted, hidden, loss, search, visible


@dataclass(frozen=True)
class Linear:
    """Residuals A x - y in blocks (n, 1, 3): A (n, 3, k)."""

    A: np.ndarray
    y: np.ndarray
    causes: list[Cause]
    unknown: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return self.A.shape[-1]

    @property
    def lower(self) -> np.ndarray:
        return np.full(self.size, -np.inf)

    def residual(self, x, rows):
        return (self.A[rows] @ x - self.y[rows])[:, None]

    def jacobian(self, x, rows, places):
        return self.A[rows][:, None, :, list(places)]


def singles(count: int) -> list[Cause]:
    return [Cause("zero", f"q{i}", (i,)) for i in range(count)]


def drawn(seed: int, n: int, k: int) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """Return effects A (n, 3, k) and noise (n, 3) of standard deviation 1."""
    rng = np.random.default_rng(seed)
    return rng, rng.normal(size=(n, 3, k)), rng.normal(size=(n, 3))


def least_squares(A: np.ndarray, y: np.ndarray, places: list[int]) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the numbers at some places, their standard deviations, and the sum of squares that is left."""
    J, b = A[..., places].reshape(-1, len(places)), y.ravel()
    x = np.linalg.lstsq(J, b, rcond=None)[0]
    return x, np.sqrt(np.linalg.inv(J.T @ J).diagonal()), float(((J @ x - b) ** 2).sum())


class TestFits:
    def test_of_numbers_of_all_sizes_is_that_of_least_squares(self):
        """Numbers without an effect stay where they are, and so do those with less than 1e-9 of the largest."""
        _, A, y = drawn(0, 20, 7)
        A *= [1e-4, 1e-2, 1.0, 1e2, 1e4, 0.0, 1e-6]
        fit = fitted(Linear(A, 0.5 * y, []), np.full(7, 0.25), (0, 1, 3, 4, 5, 6), np.arange(20))
        x, _, left = least_squares(A, 0.5 * y - A @ [0, 0, 0.25, 0, 0, 0, 0.25], [0, 1, 3, 4])
        np.testing.assert_allclose(fit.x[[0, 1, 3, 4]], x, rtol=1e-5)
        assert (fit.x[[2, 5, 6]].tolist(), fit.free) == ([0.25] * 3, (0, 1, 3, 4, 5, 6))
        assert fit.loss == pytest.approx(left, rel=1e-6)

    def test_with_outliers_has_the_least_loss(self):
        _, A, y = drawn(1, 20, 2)
        y[[3, 11]] += 40.0
        fit = fitted(Linear(A, y, []), np.zeros(2), (0, 1), np.arange(20))
        best = minimize(lambda x: loss(A @ x - y), np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-8})
        np.testing.assert_allclose(fit.x, best.x, atol=2e-3)
        assert np.linalg.norm(A[3] @ fit.x - y[3]) > 30

    def test_of_causes_begins_where_another_ended(self):
        _, A, y = drawn(11, 8, 4)
        begun = _Search(Linear(A, y, singles(3), unknown=(3,)), np.arange(8), np.arange(0))
        state = begun.state(singles(3)[1:2], np.array([1.0, 2.0, 3.0, 4.0]), steps=0)
        assert state.fit.x.tolist() == [0.0, 2.0, 0.0, 4.0]
        assert state.score == pytest.approx(loss(A @ [0, 2.0, 0, 4.0] - y) + np.log(24) + 4 * np.log(3))

    def test_of_no_numbers_is_the_start(self):
        _, A, y = drawn(2, 4, 2)
        fit = fitted(Linear(A, y, []), np.array([1.0, 2.0]), (), np.arange(4))
        assert (fit.x.tolist(), fit.free, fit.loss) == ([1.0, 2.0], (), loss(A @ [1.0, 2.0] - y))


class TestSearch:
    def test_names_the_faults_with_deviations_and_shares(self):
        _, A, noise = drawn(3, 40, 6)
        y = A @ [0.0, 8.0, 0.0, -5.0, 0.0, 7.0] + 0.3 * noise
        found = search(Linear(A, y, singles(5), unknown=(5,)), np.zeros(6), 40)
        assert sorted(cause.element for cause in found.causes) == ["q1", "q3"]
        x, std, left = least_squares(A, y, [1, 3, 5])
        np.testing.assert_allclose(found.fit.x, [0, x[0], 0, x[1], 0, x[2]], atol=1e-4)
        for cause, deviation in ((singles(5)[1], std[0]), (singles(5)[3], std[1]), (Cause("", "", (5,)), std[2])):
            np.testing.assert_allclose(np.sqrt(found.covariance[cause.places, cause.places]), deviation, rtol=1e-9)
        assert np.isnan(found.covariance[0, 0])
        assert found.fit.loss == pytest.approx(left, rel=1e-6)
        nothing = least_squares(A, y, [5])[2]
        assert sum(found.shares) == pytest.approx(1.0 - left / nothing, abs=5e-3)  # which are of two samples in three
        assert 0.99 < sum(found.shares) < 1.0
        of = dict(zip((cause.element for cause in found.causes), found.shares, strict=True))
        assert of["q1"] > 0.5 > of["q3"] > 0.2
        assert found.alike == ((), ())

    def test_leaves_an_explanation_that_others_make_needless(self):
        """The first cause that is found has a little of both true ones."""
        _, A, noise = drawn(4, 40, 3)
        A[..., 0] = A[..., 1] + A[..., 2] + 0.3 * A[..., 0]
        y = A @ [0.0, 5.0, 5.0] + noise
        assert {cause.element for cause in search(Linear(A, y, singles(3)), np.zeros(3), 40).causes} == {"q1", "q2"}

    def test_one_large_cause_stands_for_its_numbers(self):
        """Six numbers that are wrong together are one fault; one of them alone is the smaller one."""
        _, A, noise = drawn(5, 40, 8)
        causes = [*singles(2), Cause("length", "q2", (2,)), Cause("joint pose", "q2", tuple(range(2, 8)))]
        for x, kind in ((np.r_[0, 0, 5, 3, -3, 4, 2, 5], "joint pose"), (np.r_[0, 0, 5, 0, 0, 0, 0, 0], "length")):
            found = search(Linear(A, A @ x + noise, causes), np.zeros(8), 40)
            assert [(cause.kind, cause.element) for cause in found.causes] == [(kind, "q2")]

    @each("count, place, expected", [(12, 0, True), (12, 1, False), (12, 2, True), (11, 0, True), (11, 1, True)])
    def test_a_fault_is_confirmed_by_a_third_of_twelve_samples_or_more(self, count, place, expected):
        """Samples 1, 4 … are held out; at every third sample from `place` on, the fault has the other sign."""
        _, A, noise = drawn(6, count, 1)
        y = 9.0 * A[..., 0] + 0.1 * noise
        A[place::3], y[place::3] = 0.2, -1.8
        assert bool(search(Linear(A, y, singles(1)), np.zeros(1), count).causes) is expected

    @each("seed", range(3))
    def test_a_fault_is_worth_its_price(self, seed):
        """The price is log(3 n) for each number and 4 log(possible faults); those without an effect are none."""
        _, A, _ = drawn(seed, 10, 60)
        A[..., 5:] = 0.0
        A[..., :5] = np.linalg.qr(A[..., :5].reshape(30, 5))[0].reshape(10, 3, 5)  # each explains what is along it
        price = np.log(30) + 4.0 * np.log(5)
        for size, expected in ((0.99, 0), (1.01, 1)):
            y = np.sqrt(size * price) * A[..., 2]
            found = search(Linear(A, y, singles(60)), np.zeros(60), 10)
            assert len(found.causes) == expected

    def test_explanations_are_alike_up_to_a_difference(self):
        """Two effects at an angle a: the second explains cos² a of what the first does."""
        _, A, _ = drawn(7, 10, 2)
        basis = np.linalg.qr(A.reshape(30, 2))[0].reshape(10, 3, 2)
        for share, expected in ((0.98, True), (1.02, False)):
            sin = np.sqrt(share * 6.0 / 100.0)
            effects = np.stack([basis[..., 0], np.sqrt(1 - sin**2) * basis[..., 0] + sin * basis[..., 1]], axis=-1)
            found = search(Linear(effects, 10.0 * basis[..., 0], singles(2)), np.zeros(2), 10)
            assert [cause.element for cause in found.causes] == ["q0"]
            assert found.alike == ((singles(2)[1],) if expected else (),)


class TestHidden:
    def test_are_causes_with_the_effect_of_unknown_numbers(self):
        """Number 0 has the effect of unknown 3 and 4, 1 that of 5, 2 one of its own, 6 none, and 7 that of 0."""
        _, A, y = drawn(8, 10, 8)
        A[..., 0] = 2.0 * A[..., 3] - 0.5 * A[..., 4]
        A[..., 1] = -A[..., 5]
        A[..., 6] = 0.0
        A[..., 7] = A[..., 0]
        causes = [*singles(3), Cause("zero", "q6", (6,)), Cause("joint pose", "q7", (0, 7))]
        channel = Linear(A, y, causes, unknown=(3, 4, 5))
        assert hidden(channel, np.zeros(8), 10) == [(causes[0], (3, 4)), (causes[1], (5,)), (causes[4], (3, 4))]
        both, half = Cause("joint pose", "q8", (0, 1)), Cause("joint pose", "q9", (0, 2))
        assert hidden(Linear(A, y, [both, half], unknown=(3, 4, 5)), np.zeros(8), 10) == [(both, (3, 4, 5))]
        assert hidden(Linear(A, y, causes), np.zeros(8), 10) == []
        named = Cause("base pose", "b", (3, 4, 5))
        assert hidden(Linear(A, y, [*causes, named]), np.zeros(8), 10, [named]) == hidden(channel, np.zeros(8), 10)
        found = search(Linear(A, A @ [9, 9, 9, 9, 9, 9, 9, 9] + y, causes, (3, 4, 5)), np.zeros(8), 10)
        assert found.causes == (causes[2],)

    @each("own, expected", [(0.9e-4, 1), (1.1e-4, 0)])
    def test_have_less_than_a_part_in_ten_thousand_of_their_own(self, own, expected):
        basis = np.linalg.qr(np.random.default_rng(10).normal(size=(30, 2)))[0].reshape(10, 3, 2)
        effects = np.stack([3.0 * (basis[..., 0] + own * basis[..., 1]), basis[..., 0]], axis=-1)
        channel = Linear(effects, effects[..., 0], singles(1), unknown=(1,))
        assert len(hidden(channel, np.zeros(2), 10)) == expected


class TestPrices:
    def test_are_those_of_the_numbers_that_a_log_can_show(self):
        """Six numbers with the effect of one cost as much as one, so that they are alike."""
        _, A, noise = drawn(12, 40, 7)
        A[..., 1:] = A[..., :1] * [2.0, 0.5, -1.0, 3.0, 0.0, 1.0]
        causes = [Cause("armature", "q0", (0,)), Cause("inertia", "q0", tuple(range(1, 7)))]
        looking = _Search(Linear(A, noise, causes), np.arange(40), np.arange(0))
        assert looking.ranks == dict.fromkeys(causes, 1)
        assert looking.cost(causes[0]) == looking.cost(causes[1]) == pytest.approx(np.log(120) + 4 * np.log(2))
        found = search(Linear(A, 5.0 * A[..., 0] + noise, causes), np.zeros(7), 40)
        assert {*found.causes, *found.alike[0]} == {*causes}

    def test_a_cause_is_worth_what_the_loss_grows_without_it(self):
        _, A, noise = drawn(13, 40, 4)
        A[..., 0] += A[..., 3]
        y = A @ [2.0, 0.0, 3.0, 1.0] + noise
        causes = singles(3)
        channel = Linear(A, y, causes, unknown=(3,))
        looking = _Search(channel, np.arange(40), np.arange(0))
        state = looking.state([causes[0], causes[2]], np.zeros(4))
        for i, rest in ((0, [2, 3]), (2, [0, 3])):
            grows = least_squares(A, y, rest)[2] - least_squares(A, y, [0, 2, 3])[2]
            assert looking.worth(state, causes[i]) == pytest.approx(grows, rel=1e-2)


class TestVisible:
    @each("size, expected", [(1.01, ["q0"]), (0.99, [])])
    def test_are_causes_of_a_size_that_is_worth_knowing(self, size, expected):
        """A zero of 0.2 rad has to be four standard deviations, beside the numbers that are not known."""
        _, A, y = drawn(14, 10, 2)
        basis = np.linalg.qr(A.reshape(30, 2))[0].reshape(10, 3, 2)
        A = np.stack(
            [20.0 * size * basis[..., 0] + 50.0 * basis[..., 1], basis[..., 1], 100.0 * basis[..., 0]], axis=-1
        )
        causes = [*singles(1), Cause("length", "q1", (2,))]
        found = visible(Linear(A, y, causes, unknown=(1,)), np.zeros(3), np.arange(10))
        assert [one.element for one in found] == expected
