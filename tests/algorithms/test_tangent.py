"""Steps of ball and floating joints that stay near a place, against rotations of SciPy."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from each import each
from kinetree.algorithms.tangent import Loose, held_near, integrated, spheres, turned_anew

JOINTS = (Loose("ball", 0, 0), Loose("floating", 4, 3))
AXIS = np.array([2.0, -1.0, 2.0]) / 3.0
WAY = np.array([0.6, 0.0, -0.8])
PLACES = [Rotation.from_rotvec([0.3, 0.2, -0.5]), Rotation.from_rotvec([-0.4, 0.9, 0.1])]
ORIGIN = np.array([1.0, 2.0, 3.0])


def at(first: float, moved: float, second: float) -> list[float]:
    """Return the coordinates of both joints, turned about AXIS and moved along WAY from their places."""
    turns = [
        (place * Rotation.from_rotvec(x * AXIS)).as_quat() for place, x in zip(PLACES, (first, second), strict=True)
    ]
    return [*turns[0], *(ORIGIN + moved * WAY), *turns[1]]


def around(first: float, second: float) -> list[float]:
    q = at(0.0, 0.0, 0.0)
    return [*q[:4], first, *q[4:], second]


def off(found, expected) -> float:
    """Return the largest difference, of quaternions with either sign."""
    a, b = np.asarray(found, float), np.asarray(expected, float)
    own = [min(np.abs(a[i : i + 4] - b[i : i + 4]).max(), np.abs(a[i : i + 4] + b[i : i + 4]).max()) for i in (0, 7)]
    return max(*own, np.abs(a[4:7] - b[4:7]).max())


@each(
    "q, most, expected",
    [
        ((1.0, 2.0, 0.5), (0.3, 0.7), (0.3, 0.7, 0.5)),
        ((1.0, 0.6, 0.9), (1.2, 0.7), (1.0, 0.6, 0.7)),
        ((-1.0, -2.0, -0.5), (0.3, 0.2), (-0.3, -0.2, -0.2)),
        ((0.0, 0.0, 0.0), (0.1, 0.1), (0.0, 0.0, 0.0)),
    ],
)
def test_what_is_too_far_comes_back_along_the_straight_way(q, most, expected):
    found = held_near(JOINTS, at(*q), around(*most))
    assert off(found, at(*expected)) < 1e-14
    np.testing.assert_array_equal(held_near(JOINTS, at(*q), ()), at(*q))


def test_directions_away_from_a_place_and_whether_its_border_is_reached():
    """Of a floating joint first its way, in its own axes, then its turn."""
    q, h = at(0.3, 0.7, 0.4), 1e-6
    (ball, at_ball), (way, at_way), (_, at_turn) = spheres(JOINTS, q, around(0.3, 0.7))
    assert [float(x) for x in (at_ball, at_way, at_turn)] == [1.0, 1.0, 0.0]
    np.testing.assert_allclose(ball, [*AXIS, *np.zeros(6)], atol=1e-12)
    own = (PLACES[1] * Rotation.from_rotvec(0.4 * AXIS)).inv().apply(WAY)
    np.testing.assert_allclose(way, [0, 0, 0, *own, 0, 0, 0], atol=1e-12)
    inside = spheres(JOINTS, at(0.29, 0.69, 0.71), around(0.3, 0.7))
    assert [float(reached) for _, reached in inside] == [0.0, 0.0, 1.0]
    np.testing.assert_allclose(inside[2][0], [*np.zeros(6), *AXIS], atol=1e-12)
    assert spheres(JOINTS, q, ()) == []
    grown = np.array(integrated(JOINTS, q, h * np.array(way)), float)
    assert (np.linalg.norm(grown[4:7] - ORIGIN) - 0.7) / h == pytest.approx(1.0, abs=1e-5)
    grown = np.array(integrated(JOINTS, q, h * (np.array(ball) + inside[2][0])), float)
    for place, where, angle in zip(PLACES, (slice(0, 4), slice(7, 11)), (0.3, 0.4), strict=True):
        far = (place.inv() * Rotation.from_quat(grown[where])).magnitude()
        assert (far - angle) / h == pytest.approx(1.0, abs=1e-5)


@each("number, changes", [(0.0, False), (1.0, True), (2.0, False), (7.0, True)])
def test_orientations_are_drawn_anew_at_odd_numbers(number, changes):
    q = at(0.3, 0.7, 0.4)
    found = np.array(turned_anew(JOINTS, q, number, [0.2, 0.4, 0.6, 0.7, 0.1, 0.9]), float)
    np.testing.assert_array_equal(found[4:7], q[4:7])
    for where in (slice(0, 4), slice(7, 11)):
        assert np.linalg.norm(found[where]) == pytest.approx(1.0, abs=1e-12)
        assert np.array_equal(found[where], q[where]) is not changes
