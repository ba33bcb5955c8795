"""Inverse kinematics of two links of 1 m in a plane, whose solutions are known: options, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.closest import settled_step
from kinetree.algorithms.goals import Goal
from kinetree.algorithms.inverse import COST, DESCENT, GOING, HEAD, STEPS, inverse_step
from kinetree.model.edit import add_limits
from kinetree.model.limits import LinearLimits
from kinetree.model.tree import build_tree
from kinetree.solvers.ik import solver as solver_file
from kinetree.solvers.ik.problem import _that_matter, reach_of
from kinetree.solvers.ik.reachable import judged
from kinetree.solvers.ik.search import _begun
from kinetree.solvers.ik.stepping import ik_step

LINKS = [{"a": 1.0, "qlim": [-2.0, 2.0], "velocity": 1.0}, {"a": 1.0, "qlim": [-2.0, 2.5], "velocity": 2.0}]
CORNER = [1.0, 1.0, 0.0]
UP, DOWN = (0.0, np.pi / 2), (np.pi / 2, -np.pi / 2)
"""The two configurations whose tip is at the corner of the square."""


@cache
def arm(rows: bool = False) -> kt.Robot:
    robot = kt.chain(LINKS, convention="dh", name="two")
    row = LinearLimits("row", robot.coordinate_names, np.array([[1.0, 1.0]]), np.array([1.0]), ("row",), angular=False)
    return add_limits(robot, [row]) if rows else robot


@cache
def solver(rows: bool = False) -> kt.kinematics.IK:
    return kt.ik(arm(rows), "tip", goal="position")


def sorted_as(found: kt.kinematics.IKSolutions, *expected: tuple[float, float]) -> None:
    assert found.mask.sum() == len(expected)
    np.testing.assert_allclose(found.q[found.mask], expected, atol=1e-5)
    assert np.isnan(found.q[~found.mask]).all()
    assert not found.mask[len(expected) :].any()


@pytest.mark.slow
@each(
    "options, expected",
    [
        ({"q0": UP}, (UP, DOWN)),
        ({"q0": DOWN}, (DOWN, UP)),
        ({"q0": DOWN, "most": 1}, (DOWN,)),
        ({"q0": DOWN, "most": 2, "starts": 20}, (DOWN, UP)),
        ({"q0": UP, "apart": 3.2}, (UP,)),
        ({"q0": UP, "apart": 3.1}, (UP, DOWN)),
    ],
)
def test_all_solutions(options, expected):
    found = solver().solutions(CORNER, **options)
    assert found.q.shape == (options.get("most", 8), 2)
    sorted_as(found, *expected)


def test_solutions_of_batches():
    ik, targets = solver(), np.array([[CORNER, [2 * np.cos(1.1), 0.0, 0.0], [2.1, 0.0, 0.0]]])
    found = ik.solutions(targets, q0=UP, most=3)
    assert (found.q.shape, found.mask.shape) == ((1, 3, 3, 2), (1, 3, 3))
    assert found.mask.sum(axis=-1).tolist() == [[2, 1, 0]]  # of the second one beyond an end
    assert repr(found) == "IKSolutions of 3 targets: 0 to 2 each"
    assert repr(ik.solutions(CORNER, most=3)) == "IKSolutions: 2 of at most 3"
    assert repr(ik.solutions(targets[:, :0])) == "IKSolutions of 0 targets: 0 to 0 each"
    targets[0, 0, 1] = np.nan
    bad = ik.solutions(targets, q0=UP, most=3)
    assert bad.mask.sum(axis=-1).tolist() == [[0, 1, 0]]
    assert np.isnan(bad.q[0, 0]).all()
    each_start = ik.solutions(CORNER, q0=np.array([UP, DOWN]), most=1)
    np.testing.assert_allclose(each_start.q[:, 0], [UP, DOWN], atol=1e-5)


@pytest.mark.slow
def test_targets_of_a_batch_are_searched_for_until_each_is_found():
    """From one start each, a few of these are missed; the search of a single solution finds them."""
    q = arm(rows=True).limits.sample(300, seed=3)
    targets = kt.fk(arm(rows=True), "tip")(q)[:, :3, 3]
    found = solver(rows=True).solutions(targets, most=1, starts=1)
    assert found.mask.all()
    np.testing.assert_allclose(kt.fk(arm(), "tip")(found.q[:, 0])[:, :3, 3], targets, atol=1e-5)


@pytest.mark.slow
def test_rows_take_solutions_away():
    """q1 + q2 <= 1: of the corner, only the second."""
    ik = solver(rows=True)
    sorted_as(ik.solutions(CORNER), DOWN)
    assert ik.reachable(CORNER)
    result = ik(CORNER)
    assert result.success
    np.testing.assert_allclose(result.q, DOWN, atol=1e-5)
    begun = ik(np.array([CORNER, CORNER]), q0=np.array([[0.0, 1.0], [2.0, 2.0]]))
    assert begun.success.all()
    np.testing.assert_allclose(begun.q, [DOWN, DOWN], atol=1e-5)
    away = ik([0.0, 2.0, 0.0])  # needs q1 + q2 = pi / 2
    assert not away.success
    assert repr(away).startswith("IKResult: not reached in ")
    assert repr(away).endswith(", at q1 upper, row upper")
    assert away.q.sum() == pytest.approx(1.0)


@each(
    "target, inside",
    [((1, 1, 0), True), ((2, 0, 0), True), ((2.001, 0, 0), False), ((1, 1, 1e-3), False), ((-1.99, 0, 0), False)],
)
def test_what_is_reached(target, inside):
    ik, target = solver(), np.array(target, dtype=float)
    assert ik.reachable(target) is inside
    assert ik.reachable(np.array([target, CORNER, [np.nan, 0, 0]])).tolist() == [inside, True, False]
    assert ik(target).success is inside


def test_words():
    ik = solver()
    assert repr(ik) == "IK: position of tip in base_link, by q1, q2"
    found = ik(CORNER, q0=(0.0, 1.5))
    assert repr(found).startswith(f"IKResult: reached in {found.iterations} steps, ")
    far = ik([3.0, 0.0, 0.0])
    assert repr(far).endswith("1 m and 0 rad off")
    ends = ik([-1.5, 1.5, 0.0])  # beyond both upper ends
    assert ends.q == pytest.approx([2.0, ends.q[1]])
    assert repr(ends).endswith(", at q1 upper")
    assert ends.active_limits.tolist() == [name == "q1 upper" for name in arm().limits.names]
    many = ik(np.array([CORNER, [3.0, 0.0, 0.0], [np.nan] * 3]))
    assert repr(many) == "IKResult of 3 targets: 1 reached, up to 1 m and 0 rad off"
    assert np.isnan(many.residual[2]).all()
    assert many.iterations[2] == 0
    np.testing.assert_array_equal(many.q[2], ik._inside.neutral)


def test_postures():
    both = np.array([UP, DOWN])
    np.testing.assert_allclose(solver()(CORNER, q0=both, prefer=both).q, both, atol=1e-5)
    middle = np.array([0.0, 0.25])
    (near,) = solver().solutions(CORNER, q0=middle, most=1).q
    np.testing.assert_allclose(solver()(CORNER, q0=near, prefer="middle").q, near, atol=1e-5)


def test_steps():
    ik = solver()
    step = ik.step(np.array([0.0, 1.0]), [1.5, 1.0, 0.0], dt=0.1)
    assert (np.abs(step.q - (0.0, 1.0)) <= np.array([1.0, 2.0]) * 0.1 + 1e-12).all()
    assert (step.success, step.stuck) == (False, False)
    assert repr(step).startswith("IKStep: on the way, ")
    there = ik.step(np.array(UP), CORNER, dt=0.1)
    assert (there.success, there.stuck) == (True, False)
    assert repr(there).startswith("IKStep: reached, ")
    stuck = ik.step(np.array([0.0, 0.0]), [3.0, 0.0, 0.0], dt=0.1)
    assert (stuck.success, stuck.stuck) == (False, True)
    assert repr(stuck) == "IKStep: stuck, 1 m and 0 rad off"
    many = ik.step(np.array([UP, (0.0, 1.0), (0.0, 0.5)]), np.array([CORNER, [1.5, 1.0, 0.0], [np.nan] * 3]), dt=0.1)
    assert repr(many).startswith("IKStep of 3 targets: 1 reached, 1 stuck, up to ")
    np.testing.assert_array_equal(many.q[2], (0.0, 0.5))
    back = ik.step(np.array([2.5, 0.0]), [-0.5, 1.5, 0.0], dt=0.1)
    assert back.q[0] == pytest.approx(2.4)
    restart = ik.step(np.array(UP), CORNER, dt=0.1, restart=DOWN)  # both in a line: q1 as fast as it may
    assert restart.q == pytest.approx([0.1, np.pi / 2 - 0.2])


def test_a_plain_target_is_not_converted(monkeypatch):
    """An array of doubles takes the short way, with the same result."""
    ik, target = solver(), np.array(CORNER)
    slow = ik(CORNER), ik(CORNER, q0=UP)
    monkeypatch.setattr(solver_file.IK, "_checked", None)
    for long, quick in zip(slow, (ik(target), ik(target, q0=np.array(UP))), strict=True):
        np.testing.assert_array_equal(quick.q, long.q)
        assert (quick.success, quick.iterations) == (True, long.iterations)


def test_verdicts_come_with_the_solutions_of_the_search():
    points = np.array([CORNER, [3.0, 0.0, 0.0], [0.0, np.nan, 0.0], [1.5, 0.5, 0.0], [-1.9, 0.6, 0.0]])
    answer, q = judged(solver(), [points])
    assert answer.tolist() == [True, False, False, True, False]
    assert np.isnan(q[~answer]).all()
    at = np.cumsum(q[answer], axis=-1)
    np.testing.assert_allclose(np.cos(at).sum(axis=-1), points[answer, 0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.sin(at).sum(axis=-1), points[answer, 1], rtol=0, atol=1e-6)
    one, q_one = judged(solver(), [points[3]])
    assert one.shape == ()
    np.testing.assert_array_equal(q_one, q[3])


def test_a_descent_ends_where_steps_are_short_for_the_tolerance():
    """Two links of 1 km: 3e-12 rad are 3 nm there."""
    long = kt.chain([dict(link, a=1000.0) for link in LINKS], convention="dh")
    problem, inside = reach_of(long, long.limits, [Goal("position", "tip", "base_link")], (1e-10, 1e-10), 4)
    state = inside.template.copy()
    state[HEAD : HEAD + 2] = 0.5, 1.0
    for moved, tolerance, expected in (
        (3e-12, 1e-10, (1, 0)),  # the number of the step and that of the descent
        (3e-12, 1e-9, (1, 0)),
        (1e-3, 1e-6, (1, 0)),
        (0.0, 1e-6, (0, 1)),
    ):
        at = np.array([0.5 + moved, 1.5 + moved])
        target = 1000 * np.array([np.cos(at).sum(), np.sin(at).sum(), 0.0])
        asked = replace(problem, tolerances=(tolerance, tolerance))
        with np.errstate(divide="ignore"):  # a step of nothing
            after = inverse_step(build_tree(long), asked, state, inside.bounds_now, inside.begin_at, target)
        assert (after[STEPS], after[DESCENT]) == expected


def test_a_gantry_without_ends_goes_any_way_at_once():
    """No coordinate has a longest step, and far ways need no damping."""
    gantry = kt.chain("tx(x) ty(y) tz(z)")
    problem, inside = reach_of(gantry, gantry.limits, [Goal("position", "tip", "base_link")], (1e-6, 1e-6), 4)
    target = np.array([1e3, -2e6, 3.0])
    after = inverse_step(build_tree(gantry), problem, inside.template, inside.bounds_now, inside.begin_at, target)
    assert np.abs(after[HEAD : HEAD + 3] - target).max() < 1e6
    assert after[STEPS] == 1


def test_a_posture_is_approached_along_motions_that_keep_the_target():
    """Half the way to it, without what would move the tip: the projection of that way onto the null space of J."""
    three = kt.chain([{"a": a, "qlim": [-2.0, 2.0]} for a in (1.0, 0.8, 0.6)], convention="dh")
    problem, inside = reach_of(three, three.limits, [Goal("position", "tip", "base_link")], (1e-6, 1e-6), 4)
    q, posture = np.array([0.3, 0.4, 0.5]), np.array([0.35, 0.3, 0.6])
    at, lengths = np.cumsum(q), np.array([1.0, 0.8, 0.6])
    target = np.array([lengths @ np.cos(at), lengths @ np.sin(at), 0.0])
    x, y = (np.cumsum((lengths * f(at))[::-1])[::-1] for f in (np.cos, np.sin))
    J = np.array([-y, x])
    expected = (np.eye(3) - np.linalg.pinv(J) @ J) @ (0.5 * (posture - q))
    state = inside.template.copy()
    state[HEAD : HEAD + 3] = q
    after = settled_step(build_tree(three), problem, state, inside.bounds_now, posture, target)
    assert np.linalg.norm(expected) > 0.01
    np.testing.assert_allclose(after[HEAD : HEAD + 3] - q, expected, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(after[HEAD + 3 :], q)
    assert (after[GOING], after[STEPS]) == (1.0, 1.0)
    with np.errstate(divide="ignore"):
        still = settled_step(build_tree(three), problem, state, inside.bounds_now, q, target)
    assert (still[GOING], still[STEPS]) == (0.0, 1.0)


def test_a_kernel_of_one_step_says_what_it_takes():
    step = ik_step(arm(), "tip", goal="position")
    assert step.name == "ik_step"
    assert [str(port) for port in (*step.inputs, *step.outputs)] == [
        "q (…, 2) [m, rad]",
        "uphill (…) [0 at first, then uphill_next]",
        "target (…, 3) [position of tip in base_link; m]",
        "stride (…, 2) [the largest change of each coordinate; m, rad]",
        "q_next (…, 2) [after the step; m, rad]",
        "uphill_next (…) [for the next step]",
        "error (…, 2) [of q; m, rad]",
        "state (…) [of q]",
    ]
    assert [port.labels for port in step.outputs] == [("q1", "q2"), (), ("distance", "angle"), ()]
    assert step.outputs[-1].codes == (("state", ("going", "reached", "stuck")),)


def test_progress_is_told_every_2_14_targets():
    seen, targets = [], np.tile(CORNER, (2**14 + 5, 1))
    solver()(targets, q0=UP, progress=lambda *step: seen.append(step))
    assert seen == [(2**14, 2**14 + 5), (2**14 + 5, 2**14 + 5)]


def test_progress_and_interruption(monkeypatch):
    monkeypatch.setattr(solver_file, "AT_ONCE", 2)
    ik, seen = solver(), []
    targets = np.array([CORNER, [1.5, 1.0, 0.0], [0.5, 1.0, 0.0], [1.0, 0.5, 0.0], [3.0, 0.0, 0.0]])
    whole = ik(targets, q0=UP, progress=lambda *step: seen.append(step))
    assert seen == [(2, 5), (4, 5), (5, 5)]
    assert whole.success.tolist() == [True] * 4 + [False]
    np.testing.assert_array_equal(ik(targets, q0=UP, threads=2).q, whole.q)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(kt.kinematics.IKInterrupted, match=r"was interrupted; what was solved is in \.result") as error:
        ik(targets.reshape(5, 1, 3), q0=UP, progress=stop)
    part = error.value.result
    assert part.success[:, 0].tolist() == [True] * 2 + [False] * 3
    np.testing.assert_array_equal(part.q[:2, 0], whole.q[:2])
    assert (part.residual[2:] == np.inf).any(axis=-1).all()


def test_rows_over_joints_without_ends():
    """A row that some configuration crosses counts; one that none can cross does not."""
    robot = kt.chain([{"a": 1.0}, LINKS[1]], convention="dh")
    G, h = np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 2.0], [-2.0, 0.0]]), np.array([1.0, 2.6, 4.9, 3.0])
    rows = LinearLimits("row", robot.coordinate_names, G, h, ("a", "b", "c", "d"), angular=False)
    assert _that_matter(add_limits(robot, [rows]).limits, np.arange(4)).tolist() == [0, 2, 3]


Q0 = np.zeros((4, 2))


@each(
    "method, target, options, message",
    [
        ("solutions", CORNER, {"most": 0}, "most is 0; expected whole numbers from 1"),
        ("solutions", CORNER, {"most": 1.5}, "most is 1.5; expected whole numbers from 1"),
        ("solutions", CORNER, {"starts": -5}, "starts is -5; expected whole numbers from 1"),
        ("solutions", CORNER, {"apart": 0.0}, "apart is 0.0; expected a finite number above 0, rad or m"),
        ("solutions", CORNER, {"apart": np.inf}, "apart is inf; expected a finite number above 0, rad or m"),
        ("solutions", [CORNER] * 3, {"q0": Q0}, "targets are (3,) and q0 is (4,), which do not go together"),
        (
            "__call__",
            [CORNER] * 3,
            {"q0": Q0},
            "targets are (3,) and q0 is (4,), which do not go toget",
        ),
        ("__call__", CORNER, {"threads": 0}, "threads is 0; expected whole numbers from 1"),
        ("__call__", CORNER, {"threads": 2.0}, "threads is 2.0; expected whole numbers from 1"),
        ("reachable", CORNER, {"threads": 0}, "threads is 0; expected whole numbers from 1"),
        ("__call__", CORNER, {"prefer": "up"}, "prefer is 'up'; expected 'middle', or (…, 2) finite numbers"),
        ("__call__", CORNER, {"prefer": [1.0]}, "prefer has shape (1,); expected 'middle', or (…, 2) finite numbers"),
        (
            "__call__",
            CORNER,
            {"prefer": [1.0, np.nan]},
            "prefer has shape (2,); expected 'middle', or (…, 2) finite num",
        ),
        ("__call__", CORNER, {"prefer": [[1.0], [1.0, 2.0]]}, "prefer is no array of numbers"),
        ("__call__", [1.0, 1.0], {}, "a target has shape (2,); legal for 'position' is (…, 3)"),
        ("step", Q0[0], {"dt": 0}, "1 targets"),
    ],
)
def test_what_is_refused(method, target, options, message):
    if method == "step":
        for dt in (0, -1.0, np.inf, "1"):
            with pytest.raises(kt.KinetreeError) as error:
                solver().step(target, CORNER, dt=dt)
            assert f"dt is {dt!r}; expected a finite number of seconds above 0" in str(error.value)
        for q in (np.nan, np.inf):
            with pytest.raises(kt.KinetreeError, match="q is not finite; expected finite numbers"):
                solver().step(np.full(2, q), CORNER, dt=0.1)
        return
    with pytest.raises(kt.KinetreeError) as error:
        getattr(solver(), method)(target, **options)
    assert message in str(error.value)
    assert error.value.findings[0].code in (next(iter(options), "target-shape"), "prefer-number")


@each(
    "options, message",
    [
        ({"at": "input"}, "at is where joints stand that do not move; name those that move with joints="),
        ({"goal": ("position", "pose")}, "2 goals for 1 frames; expected one for all, or one each"),
        ({"weights": (0, 0, 0, 1, 1, 1), "goal": "position"}, "leave the goal 'position' of tip nothing to reach"),
        ({"descents": 0}, "descents is 0; expected whole numbers from 1 to 10000"),
        ({"descents": 10_001}, "descents is 10001; expected whole numbers from 1 to 10000"),
        ({"descents": 1.0}, "descents is 1.0; expected whole numbers from 1 to 10000"),
        ({"limits": "all"}, "limits are not of this robot; expected Limits of its coordinates, such as robot.limits"),
        ({"tolerance": 1e-6}, "two finite numbers above 0"),
    ],
)
def test_questions_that_are_refused(options, message):
    with pytest.raises(kt.KinetreeError) as error:
        kt.ik(arm(), "tip", **options)
    assert message in str(error.value)


def test_more_starts_are_at_ends_in_the_middle_or_where_the_best_one_is():
    """Every other one begins near the best one found; rows pull the rest back towards the centre."""
    ik, best, center = solver(), np.array([[0.3, 0.4]]), np.array([[0.0, 0.25]])
    found = ik._inside.template[None].copy()
    found[:, HEAD + 2 :] = best
    states = _begun(ik, found, np.zeros((1, 0)), center, 40, 3)
    places = states[0, :, HEAD : HEAD + 2]
    np.testing.assert_array_equal(states[0, :, HEAD + 2 :], places)
    ends, middle = np.array([[-2.0, 2.0], [-2.0, 2.5]]), np.array([0.0, 0.25])
    for start, others in ((0, best[0]), (1, middle)):
        for x, end, other in zip(places[start::2].T, ends, others, strict=True):
            assert {*x.tolist()} == {*end.tolist(), float(other)}
    assert (states[0, :, GOING] == 1.0).all()
    assert np.isinf(states[0, :, COST]).all()
    limited = solver(rows=True)
    pulled = _begun(limited, found, limited._inside.bounds_now[None], center, 40, 3)[0, :, HEAD : HEAD + 2]
    outside = places.sum(axis=1) > 1.0
    assert outside.any()
    assert pulled.sum(axis=1).max() < 1.0
    np.testing.assert_allclose(pulled[outside].sum(axis=1), 1.0, atol=1e-3)
    np.testing.assert_array_equal(pulled[~outside], places[~outside])
    way, whole = pulled - center, places - center
    np.testing.assert_allclose(way[:, 0] * whole[:, 1], way[:, 1] * whole[:, 0], atol=1e-12)  # along the same line


def test_what_derivatives_and_standing_joints_refuse():
    ik = solver()
    with pytest.raises(kt.KinetreeError, match="result is tuple; expected an IKResult, as a call returns it"):
        ik.derivatives((0.0, 0.0), CORNER)
    standing = kt.ik(arm(), "tip", goal="position", joints=["q1"], at="input")
    with pytest.raises(kt.KinetreeError, match="derivatives need a solver without at='input'; expected at=q of"):
        standing.derivatives(ik(CORNER), CORNER)
    with pytest.raises(kt.KinetreeError, match="at='input', row upper would couple joints that move with joints") as e:
        kt.ik(arm(rows=True), "tip", goal="position", joints=["q1"], at="input")
    assert (e.value.findings[0].code, e.value.findings[0].fix) == (
        "at",
        "give a full q as at, move all of these joints, or give limits= without it",
    )
    with pytest.raises(kt.KinetreeError, match=r"q0 has shape \(3,\)"):
        ik(np.array(CORNER), q0=np.zeros(3))


def test_words_of_costs():
    """Of soft goals; where there is no cost, of what is reached."""
    found = solver()(CORNER)
    steps = f"in {found.iterations} steps, "
    for changes, said in (
        ({"cost": 0.25}, "IKResult: converged, cost 0.25 "),
        ({"cost": 0.25, "success": False}, "IKResult: not reached, cost 0.25 "),
        ({"cost": 0.0, "success": False}, "IKResult: not reached "),
    ):
        assert repr(replace(found, **changes)).startswith(said + steps)
