"""Motions at equal steps of time."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation, Slerp

import kinetree as kt
from each import each
from kinetree.cli import group
from kinetree.errors import KinetreeError

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")
T = np.array([1.0, 1.1, 1.3, 1.7, 1.75])
Q = np.random.default_rng(0).normal(size=(5, 2))


def test_joints_move_in_straight_lines():
    motion = kt.motion.Motion(("q1", "q2"), T, Q, robot=ARM, qd=Q, qdd=Q)
    found = kt.motion.resample(motion, 50)
    np.testing.assert_allclose(found.times, 1 + np.arange(38) / 50)
    np.testing.assert_allclose(found.q[:, 1], np.interp(found.times, T, Q[:, 1]))
    assert (found.qd, found.qdd, found.names, found.robot) == (None, None, motion.names, ARM)
    assert found.notes == ()


@each("rate, samples", [(10.0, 8), (4.0, 4), (1 / 0.75, 2), (0.5, 1), (1000, 751)])
def test_the_last_sample_is_the_last_that_the_motion_has(rate, samples):
    found = kt.motion.resample(kt.motion.Motion(("q1",), T, Q[:, :1], robot=ARM), rate)
    assert len(found.q) == samples
    assert found.times[-1] <= T[-1] + 1e-6
    assert T[-1] - found.times[-1] < 1 / rate
    np.testing.assert_array_equal(found.q[0], Q[0, :1])


def test_quaternions_turn_evenly():
    """By the shorter way, as SciPy's Slerp, whatever sign they have."""
    ball = kt.load("<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='floating'><parent link='a'/>"
                   "<child link='b'/></joint></robot>", format="urdf")  # fmt: skip
    turns = Rotation.random(5, random_state=1)
    q = np.hstack([np.random.default_rng(2).normal(size=(5, 3)), turns.as_quat() * [[1], [-1], [1], [1], [-1]]])
    where = [name.rpartition(".")[2] for name in ball.coordinate_names]
    q = q[:, [["x", "y", "z", "qx", "qy", "qz", "qw"].index(name) for name in where]]
    found = kt.motion.resample(kt.motion.Motion(ball.coordinate_names, T, q, robot=ball), 40)
    expected = Slerp(T, turns)(found.times.clip(None, T[-1])).as_matrix()
    np.testing.assert_allclose(kt.fk(ball, "b")(found.q)[:, :3, :3], expected, atol=1e-12)
    np.testing.assert_allclose(found.q[:, 0], np.interp(found.times, T, q[:, 0]))
    same = kt.motion.resample(kt.motion.Motion(ball.coordinate_names, [0.0, 1.0], q[[0, 0]], robot=ball), 4)
    np.testing.assert_allclose(same.q, q[[0] * 5])


def test_gaps_are_said():
    t = np.r_[0, 0.1, 0.2, 0.3, 2.3, 2.4]
    (note,) = kt.motion.resample(kt.motion.Motion(("q1",), t, np.zeros((6, 1)), robot=ARM), 10).notes
    assert note.severity == "warning"
    assert note.message == ("the times have a gap of 2 s after 0.3 s, across which joints are taken to move evenly")


@each(
    "motion, rate, message",
    [
        (kt.motion.Motion(("q1",), None, np.zeros((3, 1)), robot=ARM), 10, "the motion has no times"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1))), 10, "the motion has no a robot"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1)), robot=ARM), 0, "the rate is 0 Hz"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1)), robot=ARM), -5, "the rate is -5 Hz"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1)), robot=ARM), np.nan, "rate is"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1)), robot=ARM), 1e9, "fewer than 10,000,000 samples"),
        (kt.motion.Motion(("q1",), [0.0, 1.0], np.zeros((2, 1)), robot=ARM), "fast", "rate is"),
    ],
)
def test_refusals(motion, rate, message):
    with pytest.raises(KinetreeError, match=message.replace("no a robot", "no robot")):
        kt.motion.resample(motion, rate)


def test_the_command(tmp_path):
    kt.save(ARM, tmp_path / "arm.urdf")
    log, out = tmp_path / "log.csv", tmp_path / "out.csv"
    np.savetxt(log, np.column_stack([T, np.rad2deg(Q)]), "%.9f", ",", header="time,q1,q2", comments="")
    command = ["motion", "convert", str(tmp_path / "arm.urdf"), str(log), "-o", str(out), "--deg", "--rate", "20"]
    result = CliRunner().invoke(group, command)
    assert result.exit_code == 0, result.output
    head, *rows = out.read_text().splitlines()
    assert head == "time,q1,q2"
    found = np.array([row.split(",") for row in rows], float)
    np.testing.assert_allclose(found[:, 0], 1 + np.arange(16) / 20)
    np.testing.assert_allclose(found[:, 2], np.interp(found[:, 0], T, np.rad2deg(Q[:, 1])), atol=1e-8)
