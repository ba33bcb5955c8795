"""Faults that a benchmark plants in simulated logs, of which `kt.verify` has to name almost all."""

from __future__ import annotations

import numpy as np
import pytest

import faults
from kinetree.lab.identify.answer import ModelFault, Verification
from support import example_robot_urdfs


@pytest.mark.slow
def test_faults_of_every_kind_are_named():
    """Of a leg of a quadruped: 25 logs, two of them clean."""
    example_robot_urdfs()  # skips without these robots
    robot, frame = faults.machines()["HyQ's leg"]
    found = dict(faults.of_robot(robot, frame, faults.KINDS, [0, 4]))
    assert [kind for kind, outcome in found.items() if not outcome.right] == []
    assert sum(outcome.named for outcome in found.values()) >= 20
    sized = np.array([outcome.deviations for outcome in found.values() if np.isfinite(outcome.deviations)])
    assert len(sized) >= 12
    assert (sized < 3.5).all()


def test_a_planted_fault_is_judged():
    planted = faults.Planted({}, (faults.Fault("zero", "q1", 0.02),))

    def answer(*named, together=()):
        return Verification(True, named, together, (), None, None, None, (), None, None)

    right = faults.judged(answer(ModelFault("zero", "q1", 0.021, 0.001)), planted)
    assert (right.right, right.named) == (True, True)
    assert right.deviations == pytest.approx(1.0)
    alike = faults.judged(
        answer(ModelFault("base pose", "b", np.zeros(6), np.ones(6), alike=(("zero", "q1"),))), planted
    )
    assert (alike.right, alike.named) == (True, False)
    hidden = faults.judged(answer(together=((("zero", "q1"), ("base pose", "b")),)), planted)
    assert (hidden.right, hidden.named) == (True, False)
    for wrong in (
        answer(),
        answer(ModelFault("zero", "q2", 0.1, 0.1)),
        answer(ModelFault("zero", "q1", 0.1, 0.1), ModelFault("zero", "q2", 0.1, 0.1)),
    ):
        assert not faults.judged(wrong, planted).right
    assert faults.judged(answer(), faults.Planted({}, (faults.Fault("none", "q1"),))).right
    assert not faults.judged(
        answer(ModelFault("zero", "q1", 0.1, 0.1)), faults.Planted({}, (faults.Fault("none", "q1"),))
    ).right
