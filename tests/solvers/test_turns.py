"""Solutions of inverse kinematics with whole turns."""

import itertools

import numpy as np
import pytest

import kinetree as kt
from kinetree.errors import KinetreeError

ENDS = np.radians([170.0, 400.0])


@pytest.fixture(scope="module")
def arm():
    return kt.chain(
        [
            {"axis": [0, 0, 1], "qlim": [-ENDS[0], ENDS[0]]},
            {"axis": [0, 0, 1], "xyz": [0.4, 0, 0], "qlim": [-ENDS[1], ENDS[1]]},
        ],
        tool=np.array([[1, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]]),
    )


@pytest.mark.slow
def test_every_whole_turn_inside_the_ranges(arm):
    """An elbow that turns 400 degrees to either side: each bend and its whole turns, found by hand."""
    solve, p = kt.ik(arm, "tip", goal="position"), kt.fk(arm, "tip")
    for q0 in (None, np.array([0.5, -5.0])):
        for angle in (20.0, 100.0, -30.0):
            T = p.interpret(np.radians([10.0, angle]))[:3, 3]
            plain = solve.solutions(T, most=8)
            wanted = [
                turned
                for q in plain.q[plain.mask]
                for k in range(-3, 4)
                if (np.abs(turned := q + 2 * np.pi * k * np.eye(2)[1]) <= ENDS).all()
            ]
            rest = np.zeros(2) if q0 is None else q0
            wanted.sort(key=lambda q: np.linalg.norm(q - rest))
            found = solve.solutions(T, most=10, turns=True, q0=q0)
            np.testing.assert_allclose(found.q[found.mask], wanted, atol=1e-4)
            assert found.mask.tolist() == [i < len(wanted) for i in range(10)]
            assert np.isnan(found.q[~found.mask]).all()
            few = solve.solutions(T, most=2, turns=True, q0=q0)
            np.testing.assert_allclose(few.q, np.array(wanted)[:2], atol=1e-4)


@pytest.mark.slow
def test_batches(arm):
    solve = kt.ik(arm, "tip", goal="position")
    targets = kt.fk(arm, "tip").interpret(arm.limits.sample(6, seed=1))[:, :3, 3].reshape(2, 3, 3)
    found = solve.solutions(targets, most=9, turns=True)
    assert (found.q.shape, found.mask.shape) == ((2, 3, 9, 2), (2, 3, 9))
    for i, j in itertools.product(range(2), range(3)):
        one = solve.solutions(targets[i, j], most=9, turns=True)
        np.testing.assert_allclose(one.q, found.q[i, j], atol=1e-4)


def test_too_many_turns():
    far = kt.chain([{"axis": [0, 0, 1], "qlim": [-1e5, 1e5]}], tool=np.eye(4) + np.eye(4, k=3) * 0.3)
    with pytest.raises(KinetreeError, match="too many whole turns; expected at most 10000 combinations"):
        kt.ik(far, "tip", goal="position").solutions([0.3, 0, 0], turns=True)
