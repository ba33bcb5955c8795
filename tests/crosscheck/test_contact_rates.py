"""Rates of contact beside Pinocchio's, with room for a busy machine: a test fails if contact takes twice as long."""

import pytest

import kinetree as kt
from kinetree.contact.make import coarse
from support import soon

pytestmark = pytest.mark.crosscheck
contact = pytest.importorskip("contact")  # of benchmarks/, which needs Pinocchio and coal

TIMES = {"Panda": 3.0, "G1": 12.0}
"""How often an exact answer goes into one of `pin.computeCollisions`, at least: measured 6.8 and 27."""


@pytest.mark.parametrize("name", TIMES)
def test_exact_answers_and_gradients(name):
    file = contact.FOLDER / contact.ROBOTS[name]
    _, _, _, bound, gradient, exact, _, peer = contact.row(kt.load(file), file, 2000, 3)
    assert peer > TIMES[name] * exact
    assert gradient < 3.0 * bound
    assert bound < exact


def test_the_pairs_of_the_panda_take_a_few_seconds():
    robot = kt.load(contact.FOLDER / contact.ROBOTS["Panda"])
    found = soon(5.0, lambda: coarse(robot).semantic())
    assert len(found.semantic.disabled_collisions) == 33
