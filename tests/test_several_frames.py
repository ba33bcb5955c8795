"""Jacobians, twists and accelerations of several frames at once are those of each."""

import numpy as np
import pytest

import kinetree as kt
from each import each

OF = {
    kt.jacobian: (0, (6, 2)),
    kt.jacobian_dot: (1, (6, 2)),
    kt.hessian: (0, (2, 6, 2)),
    kt.velocity: (1, (6,)),
    kt.dynamics.acceleration: (2, (6,)),
}
"""Functions, how many rates they take, and the shapes of their results."""


@pytest.mark.slow
@each("function", OF)
def test_they_are_those_of_each_frame(function):
    rates, shape = OF[function]
    robot, rng = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3)"), np.random.default_rng(0)
    frames = ["tip", robot.root, "tip"]
    given = rng.normal(size=(3, 5, 2))
    for axes in ("base", "frame"):
        found = function(robot, frames, expressed_in=axes)(*given[: rates + 1])
        own = [function(robot, one, expressed_in=axes)(*given[: rates + 1]) for one in frames]
        assert found.shape == (5, 3, *shape)
        np.testing.assert_allclose(found, np.stack(own, axis=1), rtol=0, atol=1e-13)
    assert function(robot, ("tip",))(*given[: rates + 1, 0]).shape == (1, *shape)
    assert function(robot, [])(*given[: rates + 1]).shape == (5, 0, *shape)


def test_the_axes_are_said_and_names_are_checked():
    robot = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3)")
    about = kt.jacobian(robot, ["tip", robot.root], expressed_in="frame").output.about
    assert about.startswith(f"tip, {robot.root} relative to {robot.root}, ")
    assert "in the axes of each frame" in about
    assert "in the axes of tip" in kt.jacobian(robot, "tip", expressed_in="frame").output.about
    with pytest.raises(kt.KinetreeError, match="hand"):
        kt.jacobian(robot, ["tip", "hand"])
