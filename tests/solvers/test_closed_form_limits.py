"""Closed forms on floats, before anything is compiled: which are inside ranges and rows, their order, and doubt."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.several import has_form, ordered_forms
from kinetree.model.assemble import build, parts_of
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.queries.query import tree
from kinetree.queries.six_axes import six_axes
from random_arms import closed_form_arm

Q = np.array([0.3, -0.8, 0.9, 0.5, 0.7, -0.4])
ROW = np.array([0.0, 1.0, -1.0, 0.0, 0.5, 0.0])


def with_row(robot, bound):
    names = robot.coordinate_names
    return add_limits(robot, [LinearLimits("r", names, ROW[None], np.array([bound]), ("r",), angular=False)])


def asked(robot, T, q0=Q):
    """The solutions with their distances, and the verdict, of a target."""
    ik = kt.ik(robot, "l7")
    shape = six_axes(robot, "l7", "l0")
    bounds = ik._inside.bounds_at(np.zeros(6)), ik._inside.begin_at
    given = (tree(robot), shape, ik.limits, ik._problem, q0, *bounds, T)
    return ordered_forms(*given), float(has_form(*given))


@each("family", ["wrist", "parallel"])
def test_solutions_are_sorted_and_inside(family):
    robot = closed_form_arm(family, limit=3.0)
    fk = kt.fk(robot, "l7").interpret
    T = fk(Q)
    found, verdict = asked(robot, T)
    assert found.shape == (8, 7)
    assert verdict == 1.0
    is_one = found[:, 6] < np.inf
    count = int(is_one.sum())
    assert 2 <= count <= 8
    assert is_one[:count].all()
    assert np.isnan(found[count:, :6]).all()
    assert (found[count:, 6] == np.inf).all()
    np.testing.assert_allclose(found[0], [*Q, 0.0], atol=1e-7)
    np.testing.assert_allclose(found[:count, 6], ((found[:count, :6] - Q) ** 2).sum(axis=1), atol=1e-12)
    assert (np.diff(found[:count, 6]) >= 0).all()
    for q in found[:count, :6]:
        np.testing.assert_allclose(fk(q), T, atol=1e-7)
        assert robot.limits.contains(q)
    values = found[:count, :6] @ ROW
    for bound in ((np.sort(values)[:-1] + np.sort(values)[1:]) / 2)[:2]:  # a row between two solutions
        some, verdict = asked(with_row(robot, bound), T)
        kept = some[np.abs(some[:, 6]) < np.inf, :6]
        kept = kept[~np.isnan(kept).any(axis=1)]
        assert len(kept) == (values <= bound).sum()
        np.testing.assert_allclose(kept, found[:count, :6][values <= bound], atol=1e-6)
        assert verdict == 1.0
    none, verdict = asked(with_row(robot, values.min() - 0.3), T)
    assert none[0, 6] == (-1.0 if verdict < 0 else np.inf)  # as much as a search must decide
    assert np.isnan(none[:, :6]).all()
    assert (none[1:, 6] == np.inf).all()
    assert verdict != 1.0


@pytest.mark.slow
@each("family", ["wrist", "parallel"])
def test_any_order_of_the_joints(family):
    """In q, against that along the arm."""
    robot = closed_form_arm(family, limit=3.0)
    parts, order = parts_of(robot), [3, 0, 5, 1, 4, 2]
    parts.joint_order = tuple(robot.joint_names[i] for i in order)
    T = kt.fk(robot, "l7").interpret(Q)
    expected, mixed = asked(robot, T)[0], asked(build(parts), T, Q[order])[0]
    count = int((expected[:, 6] < np.inf).sum())
    np.testing.assert_allclose(mixed[:count, :6], expected[:count, order], atol=1e-7)
    assert (mixed[count:, 6] == np.inf).all()


@pytest.mark.slow
def test_targets_out_of_reach_and_in_doubt():
    robot = closed_form_arm("wrist", limit=3.0)
    T = kt.fk(robot, "l7").interpret(Q)
    far = T.copy()
    far[:3, 3] *= 100
    found, verdict = asked(robot, far)
    assert verdict == 0.0
    assert (found[:, 6] == np.inf).all()
    straight = kt.fk(robot, "l7").interpret(np.array([0.3, -0.8, 0.9, 0.5, 0.0, -0.4]))
    for joint in range(6):  # each at its end, where rounding decides
        q = Q.copy()
        q[joint] = 3.0
        _, verdict = asked(robot, kt.fk(robot, "l7").interpret(q), q)
        assert verdict != 0.0
        q[joint] = 3.2
        lost, _ = asked(robot, kt.fk(robot, "l7").interpret(q), Q)
        assert not np.isclose(lost[:, :6], q, atol=1e-3).all(axis=1).any()
    assert asked(robot, straight)[1] != 0.0


def test_a_repeated_solution_is_listed_once():
    """Where two wrists become one, and with ranges of whole turns."""
    robot = closed_form_arm("wrist", limit=6.0)
    T = kt.fk(robot, "l7").interpret(Q)
    found, _ = asked(robot, T)
    kept = found[found[:, 6] < np.inf, :6]
    off = np.abs((kept[:, None] - kept + np.pi) % (2 * np.pi) - np.pi).max(axis=-1)
    assert off[~np.eye(len(kept), dtype=bool)].min() > 1e-3
    for q0 in (Q + 2 * np.pi * np.array([0, 0, 0, -1, 0, 1]), Q):  # of the turns of a joint the nearest
        found, _ = asked(robot, T, np.clip(q0, -6, 6))
        assert np.abs(found[0, :6] - np.clip(q0, -6, 6)).max() < np.pi
        np.testing.assert_allclose((found[0, :6] - Q + np.pi) % (2 * np.pi) - np.pi, 0.0, atol=1e-7)
    assert pytest.approx(0.0, abs=1e-10) == asked(robot, T)[0][0, 6]
