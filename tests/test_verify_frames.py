"""`kt.verify` by poses of several frames at once, of which one alone shows less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.lab.hand_eye import displacements as small
from kinetree.lab.identify.verification import _checked
from test_verify import EVERYTHING, named, noisy

ARM = kt.chain("Rz(q1) tz(0.3) Rz(q2) tx(0.4) Ry(q3) tx(0.3)")  # q1 and q2 turn about one axis
Q = np.random.default_rng(0).uniform(-1.5, 1.5, (30, 3))
OFF = Q + np.array([0, 0.01, 0])
X, TOOL = small(np.array([1, 2, 3, 0.4, 0.5, 2])), small(np.array([0.1, 0, 0.2, 1, 0, 0]))
WRIST = small(np.array([0, 0.1, 0.05, 0, 1, 0]))


def shown(frame, q, Y, seed=1, base=X):
    return noisy(base @ kt.fk(ARM, frame)(q) @ Y, np.random.default_rng(seed))


class TestSeveralFrames:
    def test_tell_two_joints_apart(self):
        one = np.eye(4)
        poses = {"tip": shown("tip", OFF, one, 1, one), "q1_link": shown("q1_link", OFF, one, 2, one)}
        (alone,) = kt.verify(ARM, Q, poses={"tip": poses["tip"]}).faults
        zeros = {("zero", "q1"), ("zero", "q2")}
        assert zeros <= {(alone.kind, alone.element), *alone.alike}
        assert kt.verify(ARM, Q, poses={"q1_link": poses["q1_link"]}).faults == ()
        (fault,) = kt.verify(ARM, Q, poses=poses).faults
        assert (fault.kind, fault.element) == ("zero", "q2")
        assert not zeros & {*fault.alike}
        assert abs(fault.value - 0.01) < 3 * fault.std < 1e-3

    @pytest.mark.slow
    def test_have_a_base_together_and_a_tool_each(self):
        """Positions alone of one of them, which are noisier. The zeros turn base and tools, which are not known."""
        poses = {"tip": shown("tip", Q, TOOL), "q1_link": shown("q1_link", Q, WRIST, 2)[:, :3, 3]}
        poses["q1_link"] = poses["q1_link"] + np.random.default_rng(3).normal(0, 1e-3, (30, 3))
        found = kt.verify(ARM, Q, poses=poses, unknown=EVERYTHING)
        assert found.explained
        assert found.faults == ()
        assert (("zero", "q3"), ("tool pose", "tip")) in found.together
        assert found.tool.shape == (2, 4, 4)
        np.testing.assert_allclose(found.tool[0], TOOL, rtol=0, atol=1e-3)
        np.testing.assert_allclose(found.tool[1][:3, 3], WRIST[:3, 3], rtol=0, atol=2e-3)
        assert found.residuals["poses"].shape == (2, 30, 2)
        # of all positions, and of the rotations of one frame
        sizes = np.sqrt(3 * np.array([(1e-8 + 1e-6 + 1e-8) / 2, np.deg2rad(0.01) ** 2]))
        np.testing.assert_allclose(found.noise, sizes, rtol=0.4)

    @pytest.mark.slow
    def test_a_wrong_tool_is_named_with_its_frame(self):
        poses = {"tip": shown("tip", Q, np.eye(4)), "q3_link": shown("q3_link", Q, WRIST, 2)}
        found = kt.verify(ARM, Q, poses=poses, unknown="base")
        assert named(found) == [("tool pose", "q3_link")]

    @each("points", [(), ("tip",)])
    def test_the_jacobian_is_that_of_the_residual(self, points):
        t = np.arange(30) * 0.1
        poses = {"tip": X @ kt.fk(ARM, "tip")(Q) @ TOOL, "q1_link": X @ kt.fk(ARM, "q1_link")(Q) @ WRIST}
        poses |= {frame: poses[frame][:, :3, 3] for frame in points}
        channel = _checked(ARM, Q, poses, EVERYTHING, t)
        x, rows, h = np.zeros(channel.size), np.arange(5, 20), 1e-6
        assert channel.residual(x, rows).shape == (15, 4 - len(points), 3)
        channel = replace(channel, X=X, Y=np.stack([TOOL, WRIST]))
        assert np.abs(channel.residual(x, rows)).max() < 1e-6
        J = channel.jacobian(x, rows, range(channel.size))
        for i in set(range(channel.size)) - {channel.first - 1}:
            e = h * np.eye(channel.size)[i]
            slope = (channel.residual(x + e, rows) - channel.residual(x - e, rows)) / (2 * h)
            np.testing.assert_allclose(J[..., i], slope, rtol=0, atol=1e-5 * max(1, np.abs(slope).max()))

    def test_errors_name_the_frame(self):
        good = shown("tip", Q, TOOL)
        for values, part in (
            (good[:5], r"poses of q1_link \(5, 4, 4\); expected"),
            (good * np.nan, "poses of q1_link has numbers that are not finite, at sample 0"),
        ):
            with pytest.raises(KinetreeError, match=part):
                kt.verify(ARM, Q, poses={"tip": good, "q1_link": values})
