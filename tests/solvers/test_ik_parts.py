"""Parts of inverse kinematics by themselves, with what is around them made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.soft import _reached
from kinetree.model.joints import JOINT_TYPES
from kinetree.model.limits import Limits
from kinetree.solvers.ik.apart import ROUNDS, _rounds
from kinetree.solvers.ik.follow import _speeds
from kinetree.solvers.ik.implicit import moving_coordinates, quaternions, turning
from kinetree.solvers.ik.near import begun_near
from kinetree.solvers.ik.one_call import _range
from kinetree.solvers.ik.problem import configurations
from kinetree.solvers.ik.search import at_forms
from kinetree.solvers.ik.sensitivity import _multipliers
from kinetree.solvers.ik.several import _kept
from kinetree.solvers.ik.step import Stepper


def solutions(*rows):
    """Solutions (8, 2) with how far each is away, no more behind them."""
    return np.array([*rows, *[[np.nan, np.nan, np.inf]] * (8 - len(rows))])


def test_closed_forms_in_contact_are_left_out():
    """Those that are apart come first, in their order; those about which a search must decide stay as they are."""
    found = np.stack(
        [
            solutions([0.1, 0.0, 0.5], [0.9, 0.1, 0.6], [0.2, 0.2, 0.7]),
            solutions([0.8, 0.0, 0.5]),
            solutions([0.9, 0.0, -1.0]),
        ]
    )
    asked = []

    def contact(q):
        asked.append(len(q))
        return q[:, 0] > 0.5

    ik = SimpleNamespace(contact=contact, _problem=SimpleNamespace(nq=2))
    kept = _kept(ik, found)
    np.testing.assert_array_equal(kept[0], solutions([0.1, 0.0, 0.5], [0.2, 0.2, 0.7]))
    np.testing.assert_array_equal(kept[1], solutions())
    assert (kept[2, :, 2] == -1.0).sum() == 1
    assert asked == [4]
    assert _kept(SimpleNamespace(contact=None), found) is found


def test_forms_that_are_none_are_no_numbers():
    given = []

    def forms(*arrays):
        given.append(arrays)
        return np.array([[[0.1, 0.2, 0.0], [0.3, 0.4, np.inf]]])

    states = np.arange(20.0)[None]
    for bounds, count in ((0, 2), (2, 4)):
        ik = SimpleNamespace(_problem=SimpleNamespace(columns=np.arange(2), bounds=bounds), _forms=forms)
        found = at_forms(ik, (states, "h", "center"), ["target"])
        np.testing.assert_array_equal(found, [[[0.1, 0.2], [np.nan, np.nan]]])
        assert len(given[-1]) == count
        assert given[-1][1:] == (("h", "center", "target") if bounds else ("target",))
        assert given[-1][0].shape == (1, 2)


@each("descents", [1, 3, 30, 200])
@each("forms", [None, "some"])
def test_rounds_are_of_all_starts_once(descents, forms):
    rounds = list(_rounds(SimpleNamespace(_forms=forms, _problem=SimpleNamespace(descents=descents))))
    if forms:
        assert rounds.pop(0) == range(0)
    assert [i for numbers in rounds for i in numbers] == list(range(1, descents))
    assert [len(numbers) for numbers in rounds[:3]] == [*ROUNDS][: len(rounds[:3])] or descents < 70


def test_speeds_of_quaternions_are_the_least_of_their_joint():
    """A slide, a joint that stands, and a ball, whose three velocities move four coordinates."""
    ball = SimpleNamespace(q=1, v=1, kind=JOINT_TYPES["ball"])
    problem = SimpleNamespace(nq=6, columns=np.array([0, 2, 3, 4, 5]), lower=np.zeros(1), loose=[ball])
    stepper = SimpleNamespace(speeds=np.array([0.5, 3.0, 2.0, 4.0]))
    found = _speeds(SimpleNamespace(_problem=problem, _stepper=stepper))
    assert found.tolist() == [0.5, np.inf, 2.0, 2.0, 2.0, 2.0]


def test_motions_of_quaternions_keep_their_lengths():
    joint = SimpleNamespace(quaternion=slice(1, 5))
    problem = SimpleNamespace(nq=6, columns=np.arange(6), loose=[joint])
    assert moving_coordinates(problem).tolist() == [1, 0, 0, 0, 0, 1]
    assert quaternions(problem)[0].T.tolist() == np.eye(6)[1:5].tolist()
    q = np.array([[0.7, 0.5, -0.1, 0.2, 0.4, 2.0], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]])
    M = turning(quaternions(problem), q)
    assert turning([], q) == 0.0
    for one, x in zip(M, q, strict=True):
        unit = x[1:5] / np.linalg.norm(x[1:5])
        np.testing.assert_allclose(one[1:5, 1:5], 0.5 * (np.eye(4) - np.outer(unit, unit)), atol=1e-15)
        assert not one[[0, 5]].any()
        assert not one[:, [0, 5]].any()


def test_ranges_of_followers_have_no_ends():
    limits = Limits(("a", "b"), np.array([-1.0, -2.0]), np.array([1.0, 2.0]), np.zeros((0, 2)), np.zeros(0), ())
    assert _range("b", False, limits) == (-2.0, 2.0)
    assert _range("b", True, limits) == _range("c", False, limits) == (-np.inf, np.inf)


def test_limits_that_nothing_pushes_against_have_no_multiplier():
    """One row of a goal, and limits that the cost pushes against, or away from."""
    C = np.array([[[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]] * 2)
    slope = np.array([[-2.0, -5.0, 1.0], [-2.0, -1.0, -4.0]])[..., None]
    used, y = _multipliers(C, slope, np.array([[True, True], [True, True]]))
    np.testing.assert_array_equal(used[0], C[0] * [[1], [1], [0]])
    np.testing.assert_array_equal(used[1], C[1] * [[1], [0], [1]])
    np.testing.assert_allclose(y[0], [2.0])
    np.testing.assert_allclose(used[1].T[:, :1] * y[1] + used[1].T[:, 2:] * 4.0, [[1.5], [1.5], [4.0]], atol=1e-9)
    used, _ = _multipliers(C[:1], slope[:1], np.array([[False, True]]))
    np.testing.assert_array_equal(used[0], C[0] * [[1], [0], [0]])


def test_a_step_that_ends_apart_is_as_it_is():
    whole, looked = SimpleNamespace(q=np.array([0.3])), []
    stepper = SimpleNamespace(step=lambda *given: whole, _checked=lambda q, name: q)

    def contact(q):
        looked.append(q)
        return np.bool_(False)

    assert Stepper.apart(stepper, contact, np.zeros(1), None, 0.1, None) is whole
    assert looked == [whole.q]


def test_starts_outside_of_the_limits_are_not_searched_near():
    ik = SimpleNamespace(_quick=SimpleNamespace(begin=lambda q0: None))
    assert begun_near(ik, np.zeros(2), np.ones(2)) is None


def test_quaternions_of_configurations_get_length_one():
    robot = kt.edit.floating(kt.chain("Rz(q1) tx(1)"))
    problem = kt.ik(robot, "tip")._problem
    q = np.array([[0.1, 0.2, 0.3, 0.0, 3.0, 0.0, 4.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.5]])
    found = configurations(robot.limits, problem, q, "q0")
    np.testing.assert_allclose(found[:, 3:7], [[0.0, 0.6, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(found[:, [0, 1, 2, 7]], q[:, [0, 1, 2, 7]])
    for wrong, message in ((0.0, "q0 has a quaternion of length zero"), (np.nan, "q0 is not finite")):
        with pytest.raises(kt.KinetreeError, match=message):
            configurations(robot.limits, problem, q * [1, 1, 1, wrong, wrong, wrong, wrong, 1], "q0")


def test_ends_and_rows_that_a_soft_search_is_at():
    """Each end of a range alike; of a row, where its room is within two skins."""
    problem = SimpleNamespace(
        lower=np.array([-1.0, -1.0, -np.inf]), upper=np.array([1.0, 1.0, np.inf]), skin=np.array([0.1, 0.1]),
        G=np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0]]), loose=[], around=(),
    )  # fmt: skip
    for q, h, expected in (
        ([-1.0, 1.0, 5.0], [3.21, 1.19], [1, 1, 0, 0, 1]),
        ([0.0, -2.0, 5.0], [5.19, -1.7], [0, 1, 0, 1, 0]),
    ):
        assert [float(x) for x in _reached(problem, q, h)] == expected


def test_a_step_goes_along_what_is_in_the_way():
    """The distance is 0.5 - 3 x - 4 y; it ends 2 µm or so above the margin, moved along the slope."""
    inside = SimpleNamespace(margin=0.1, distance=lambda q: 0.5 - 3.0 * q[..., 0] - 4.0 * q[..., 2])
    stepper = SimpleNamespace(problem=SimpleNamespace(columns=np.array([0, 2]), lower=np.zeros(2)))
    before = np.zeros(3)
    for after, moved in (([0.1, 0.7, 0.1], True), ([0.01, 0.7, 0.02], False)):
        found = Stepper._along(stepper, inside, before, np.array(after))
        assert found[1] == 0.7
        if moved:
            assert inside.distance(found) == pytest.approx(0.1, abs=1e-4)
            assert (found - after)[0] * 4.0 == pytest.approx((found - after)[2] * 3.0)
            assert inside.distance(found) > 0.1
        else:
            np.testing.assert_array_equal(found, after)
