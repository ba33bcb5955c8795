"""Equations of a step with soft and hard rows, against dense matrices."""

import numpy as np

import kinetree as kt
from each import each
from kinetree.algorithms.normal import Equations
from kinetree.model.tree import build_tree

LINK, JOINT = "<link name='{0}'/>", "<joint name='j{1}' type='{2}'><parent link='{0}'/><child link='{1}'/>{3}</joint>"
LIMIT = "<axis xyz='0 0 1'/><limit lower='-2' upper='2' velocity='1' effort='1'/>"


def fork():
    """The tree of a joint that carries two branches of two joints each."""
    rows = (("base", "a"), ("a", "b"), ("b", "c"), ("a", "d"), ("d", "e"))
    text = LINK.format("base") + "".join(LINK.format(child) for _, child in rows)
    text += "".join(JOINT.format(*ends, "revolute", LIMIT) for ends in rows)
    return build_tree(kt.load(f"<robot name='fork'>{text}</robot>", format="urdf"))


ON_ONE, ACROSS = [1.0, 0.5, -0.3, 0.0, 0.0], [0.2, 0.0, 1.0, 0.0, -0.7]


@each("free", [[1.0] * 5, [1.0, 1.0, 0.0, 1.0, 1.0]])
@each("hard", [False, True])
def test_soft_rows_within_a_branch_and_across_branches(free, hard):
    """A row across branches is kept apart, for it would fill zeros of the matrix; the step is the same."""
    rows = [(ON_ONE, 0.4, 2.0), (ACROSS, -0.9, 3.0), ([0.0, 0.0, 0.0, 1.0, 0.4], 0.2, 0.5)]
    equations = Equations(fork(), range(5), free, 0.1)
    for row in rows:
        equations.attract(*row)
    assert len(equations.across) == 1
    H, g = 0.1 * np.eye(5), np.zeros(5)
    for J, error, weight in rows:
        own = np.array(J) * free
        H, g = H + weight**2 * np.outer(own, own), g + weight**2 * error * own
    bound = np.array([0.3, 0.0, 0.0, 1.0, 0.0]) * free
    if hard:
        equations.bind([0.3, 0.0, 0.0, 1.0, 0.0], 0.05, 1e-9)
        H, g = H + np.outer(bound, bound) / 1e-9, g + bound * 0.05 / 1e-9
    found = equations.solve()
    step = np.array(found.step, dtype=float)
    np.testing.assert_allclose(step, np.linalg.solve(H, g) * free, rtol=0, atol=2e-6)
    assert found.wrong == 0
    assert len(found.y) == hard
    if hard:
        assert abs(bound @ step - 0.05) < 1e-6
    else:
        np.testing.assert_allclose(found.gain, step @ H @ step, rtol=1e-9)
