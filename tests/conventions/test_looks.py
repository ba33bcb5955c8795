"""Boxes of visuals and of collision shapes, which GEO rules compare."""

import numpy as np

from kinetree.rules.shapes.looks import AWAY, LARGER, _difference, _differences

CUBE = np.array([[-0.1] * 3, [0.1] * 3])


def test_boxes_are_judged_one_by_one():
    far = CUBE + np.array([2.0, 0, 0])
    seen, felt = np.array([CUBE, CUBE, CUBE]), np.array([CUBE, far, CUBE * (LARGER + 1)])
    is_larger, is_away, large, small, away = _differences(seen, felt)
    assert is_larger.tolist() == [False, False, True]
    assert is_away.tolist() == [False, True, False]
    np.testing.assert_allclose(away, [0, 1.8, 0], atol=1e-12)
    np.testing.assert_allclose(small, [0.2 * 3**0.5] * 3)
    np.testing.assert_allclose(large, [0.2 * 3**0.5] * 2 + [0.2 * 3**0.5 * (LARGER + 1)])


def test_the_distance_counts_along_all_axes_together():
    size = 0.2 * 3**0.5
    step = AWAY * size / 3**0.5  # along each axis, between the faces
    assert _difference(CUBE, CUBE + 0.2 + step * 0.999) is None
    assert _difference(CUBE, CUBE + 0.2 + step * 1.001) == (
        f"the collision shapes are {round(AWAY * size * 1.001, 3):g} m away from the visuals, "
        f"which are {round(size, 3):g} m large"
    )
