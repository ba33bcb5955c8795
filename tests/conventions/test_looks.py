"""Boxes of visuals and of collision shapes, which GEO rules compare."""

import numpy as np

import kinetree as kt
from each import each
from kinetree.rules.facts import Subject
from kinetree.rules.shapes.bounds import MARKER
from kinetree.rules.shapes.looks import AWAY, LARGER, SEEN_LARGER, _difference, _differences, _moved

CUBE = np.array([[-0.1] * 3, [0.1] * 3])


def test_boxes_are_judged_one_by_one():
    far, none = CUBE + np.array([2.0, 0, 0]), np.zeros((4, 2), dtype=bool)
    seen = np.array([CUBE, CUBE, CUBE, CUBE * (SEEN_LARGER + 1)])
    felt = np.array([CUBE, far, CUBE * (LARGER + 1), CUBE])
    is_larger, is_smaller, is_away, large, small, away = _differences(seen, felt, none)
    assert is_larger.tolist() == [False, False, True, False]
    assert is_smaller.tolist() == [False, False, False, True]
    assert is_away.tolist() == [False, True, False, False]
    np.testing.assert_allclose(away, [0, 2, 0, 0], atol=1e-12)
    np.testing.assert_allclose(small / 3**0.5, [0.2, 0.2, 0.2, 0.2 * (SEEN_LARGER + 1)])
    np.testing.assert_allclose(large / 3**0.5, [0.2, 0.2, 0.2 * (LARGER + 1), 0.2])


def test_the_distance_counts_along_all_axes_together():
    none, wide = np.zeros(2, dtype=bool), CUBE * [1, 1, 0.5]
    size = 0.2 * 1.5
    way = np.array([0.6, 0.8, 0.0]) * AWAY * size
    assert way.max() < 0.2  # they overlap
    assert _difference(wide, wide + way * 1.001, none) is None
    way = np.array([0.0, 0.0, 1.0]) * AWAY * size
    assert _difference(wide, wide + way * 0.999, none) is None
    assert _difference(wide, wide + way * 1.001, none) == (
        f"the collision shapes are {round(AWAY * size * 1.001, 3):g} m away from the visuals, "
        f"which are {round(size, 3):g} m large"
    )


def box(size: float, x: float) -> str:
    return f'<origin xyz="{x} 0 0"/><geometry><box size="{size} {size} {size}"/></geometry>'


@each("diagonal, said", [(MARKER * 1.01, "is 0.5 m from the visual"), (MARKER * 0.99, "")])
def test_markers_may_be_moved(diagonal, said):
    size = diagonal / 3**0.5
    text = f"<visual>{box(size, 0)}</visual><collision>{box(size, 0.5)}</collision>"
    robot = kt.load(f'<robot name="r"><link name="a">{text}</link></robot>', format="urdf")
    bounds = Subject(robot).facts(lambda bounds: None)["bounds"]
    assert _moved(bounds, robot.links["a"].visuals[0], robot.links["a"].collisions[0]) == said
