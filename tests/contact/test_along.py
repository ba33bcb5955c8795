"""The least distances along a motion, against those of every sample."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.contact import along

SHAPES = {
    "a": "<sphere radius='0.01'/>",
    "b": "<box size='0.02 0.04 0.06'/>",
    "c": "<cylinder radius='0.01' length='0.04'/>",
    "d": "<sphere radius='0.01'/></geometry></collision>"
    "<collision><origin xyz='0.03 0 0'/><geometry><box size='0.01 0.02 0.03'/>",
}
JOINT = "<joint name='j{0}' type='floating'><parent link='world'/><child link='{0}'/></joint>"


def free():
    """A robot of links that float, the last with two shapes."""
    links = [
        f"<link name='{name}'><collision><geometry>{own}</geometry></collision></link>" for name, own in SHAPES.items()
    ]
    joints = "".join(map(JOINT.format, SHAPES))
    return kt.load(f"<robot name='free'><link name='world'/>{''.join(links)}{joints}</robot>", format="urdf")


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_the_least_of_each_pair_is_that_of_all_samples(monkeypatch, margin):
    robot = free()
    contact = kt.collisions(robot, margin=margin)
    rng = np.random.default_rng(0)
    q = np.cumsum(rng.normal(0.0, 0.004, (90, robot.nq)), axis=0) + rng.uniform(-0.05, 0.05, robot.nq)
    q[:, 6::7] += 1.0
    q[50] = q[20]  # the first of equal ones
    where = contact.where(q)
    assert where.any(axis=0).sum() not in (0, len(contact.pairs))
    for portion, first in ((along.PORTION, 16), (7, 2)):
        monkeypatch.setattr(along, "PORTION", portion)
        monkeypatch.setattr(along, "FIRST", first)
        found = along.nearest_along(contact, q)
        assert {one.links for one in found} == {*contact.pairs}
        for one in found:
            distances = contact.of([one.links]).distance(q)
            rows = np.flatnonzero(where[:, contact.pairs.index(one.links)])
            assert one.distance == pytest.approx(distances.min(), abs=1e-9)
            assert distances[: one.sample].min(initial=np.inf) > one.distance - 1e-12
            assert distances[one.sample] == pytest.approx(one.distance, abs=1e-9)
            assert one.touching == rows.tolist()
        order = [(not one.touching, one.distance) for one in found]
        assert order == sorted(order)
