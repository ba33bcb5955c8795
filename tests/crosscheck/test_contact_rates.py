"""Rates of contact beside Pinocchio's, with room for a busy machine: a test fails if contact takes twice as long."""

import time

import pytest

import kinetree as kt
from kinetree.contact.make import coarse

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
    robot, start = kt.load(contact.FOLDER / contact.ROBOTS["Panda"]), time.process_time()
    found = coarse(robot).semantic()
    assert time.process_time() - start < 5.0
    assert len(found.semantic.disabled_collisions) == 33
