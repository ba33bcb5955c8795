"""Segments that are proved free of contact, against coal at many points of each."""

import numpy as np
import pytest

import kinetree as kt
from coal_referee import Referee, coal

pytestmark = [pytest.mark.crosscheck, pytest.mark.skipif(coal is None, reason="needs coal")]
SEGMENTS, POINTS = 12, 200


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_no_proved_pair_touches_in_coal(name):
    robot = kt.load(f"example-robot-data:{name}")
    contact, rng = kt.collisions(robot, geometry="hull"), np.random.default_rng(0)
    referee, share = Referee(contact), np.linspace(0, 1, POINTS)[:, None]
    q0 = contact.sample(SEGMENTS, 1)
    q1 = np.clip(q0 + rng.normal(0.0, 0.4, q0.shape), robot.limits.lower, robot.limits.upper)
    found = contact.along(q0, q1)
    assert SEGMENTS // 4 < found.free.all(axis=1).sum() < SEGMENTS
    for a, b, free in zip(q0, q1, found.free, strict=True):
        pairs = [pair for pair, proved in zip(contact.pairs, free, strict=True) if proved]
        assert min(referee.distances(q, pairs).min() for q in a + share * (b - a)) > 0
    for i, k in zip(*np.nonzero(np.isfinite(found.share)), strict=True):
        q = q0[i] + found.share[i, k] * (q1[i] - q0[i])
        assert referee.distances(q, [contact.pairs[k]])[0] < 1e-5
