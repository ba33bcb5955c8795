"""q ⊕ v and q₂ ⊖ q₁ of whole robots."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.model.joints import JOINT_TYPES
from physics import everything, moved
from support import all_frames, random_q

ROBOT = everything()


def some(n: int = 5, seed: int = 0):
    """q (n, nq) and v (n, nv); no turn is above half a turn."""
    rng = np.random.default_rng(seed)
    return np.array([random_q(ROBOT, rng) for _ in range(n)]), rng.uniform(-1.5, 1.5, (n, ROBOT.nv))


@pytest.mark.slow
def test_they_are_inverses_and_move_every_frame_alike():
    integrate, difference = kt.dynamics.integrate(ROBOT), kt.dynamics.difference(ROBOT)
    q, v = some()
    after = integrate(q, v)
    np.testing.assert_allclose(difference(q, after), v, rtol=0, atol=1e-14)
    other, _ = some(seed=1)
    for start, end in zip(q, other, strict=True):
        opposite = np.where(_quaternions(), -end, end)  # the same rotations
        reached = all_frames(ROBOT, integrate(start, difference(start, opposite)))
        for name, T in all_frames(ROBOT, end).items():
            np.testing.assert_allclose(reached[name], T, rtol=0, atol=1e-13)
    np.testing.assert_allclose(difference(q, q), np.zeros_like(v), rtol=0, atol=1e-16)


def _quaternions() -> np.ndarray:
    """Which numbers of q are parts of quaternions."""
    result = np.zeros(ROBOT.nq, dtype=bool)
    for name, where in ROBOT.q_slices.items():
        if quaternion := ROBOT.joints[name].kind.quaternion:
            result[where][quaternion] = True
    return result


def test_integrate_starts_at_the_velocity():
    """A small step is that of the whole q by hand; joint types are tested over their rows."""
    q, v = some()
    for q_i, v_i in zip(q, v, strict=True):
        expected = moved(ROBOT, q_i, v_i, 1e-6)
        np.testing.assert_allclose(kt.dynamics.integrate(ROBOT)(q_i, 1e-6 * v_i), expected, rtol=0, atol=1e-11)


def test_names_and_faults():
    integrate, difference = kt.dynamics.integrate(ROBOT), kt.dynamics.difference(ROBOT)
    assert [port.name for port in (*integrate.inputs, integrate.output)] == ["q", "v", "q2"]
    assert [port.name for port in (*difference.inputs, difference.output)] == ["q", "q2", "v"]
    assert integrate.output.labels == ROBOT.coordinate_names
    assert integrate.inputs[1].labels == difference.output.labels == ROBOT.velocity_names
    q, v = some(1)
    for name, where in ROBOT.q_slices.items():
        bad = q[0].copy()
        bad[where] = np.nan
        lost = np.isnan(integrate(bad, v[0]))
        assert lost[where].all(), name
        assert lost.sum() == JOINT_TYPES[ROBOT.joints[name].type].nq
    zero = np.where(_quaternions(), 0.0, q[0])
    assert np.isnan(integrate(zero, v[0])[_quaternions()]).all()
    with pytest.raises(kt.KinetreeError, match="robot"):
        kt.dynamics.integrate("robot")
