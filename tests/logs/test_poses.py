"""Measured poses beside joints, and in files of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.logs.poses import MeasuredPoses, at_poses, read_log, read_poses

ARM = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3)")
R = Rotation.from_euler("xyz", [0.1, -0.2, 0.3])
QUATERNION = ",".join(map(str, R.as_quat()))


def written(tmp_path, text):
    file = tmp_path / "log.csv"
    file.write_text(text)
    return file


class TestColumns:
    def test_quaternions_beside_joints(self, tmp_path):
        head = "time,q2,tip.x,tip.y,tip.z,tip.qx,tip.qy,tip.qz,tip.qw,q1"
        motion, found, *_ = read_log(
            ARM, written(tmp_path, f"{head}\n0,1,2,3,4,{QUATERNION},5\n2,1,0,0,0,0,0,0,1.001,5\n")
        )
        assert motion.names == ("q1", "q2")
        np.testing.assert_array_equal(motion.q, [[5, 1], [5, 1]])
        ((frame, measured),) = found.items()
        assert frame == "tip"
        np.testing.assert_array_equal(measured.times, [0, 2])
        np.testing.assert_allclose(measured.T[0, :3, :3], R.as_matrix(), rtol=0, atol=1e-15)
        np.testing.assert_array_equal(measured.T[0, :3, 3], [2, 3, 4])
        np.testing.assert_array_equal(measured.T[1], np.eye(4))

    def test_rpy_in_degrees_of_several_frames(self, tmp_path):
        head = ",".join(f"{f}.{part}" for f in ("tip", "q1_link") for part in ("x", "y", "z", "roll", "pitch", "yaw"))
        angles = ",".join(map(str, np.rad2deg([0.1, -0.2, 0.3])))
        text = f"q1,{head}\n180,1,2,3,{angles},1,2,3,0,0,90\n"
        motion, found, *_ = read_log(ARM, written(tmp_path, text), unit="deg")
        np.testing.assert_allclose(motion.q, [[np.pi]])
        assert [*found] == ["tip", "q1_link"]
        np.testing.assert_allclose(found["tip"].T[0, :3, :3], R.as_matrix(), rtol=0, atol=1e-15)
        np.testing.assert_allclose(found["q1_link"].T[0, :3, 0], [0, 1, 0], rtol=0, atol=1e-15)

    def test_positions_alone(self, tmp_path):
        _, found, *_ = read_log(ARM, written(tmp_path, "q1,tip.z,tip.x,tip.y\n180,3,1,2\n0,6,4,5\n"), unit="deg")
        np.testing.assert_array_equal(found["tip"].T, [[1, 2, 3], [4, 5, 6]])
        own = read_poses(ARM, written(tmp_path, "t,x,y,z\n1,1,2,3\n2,4,5,6\n"), "tip")
        np.testing.assert_array_equal(own.T, [[1, 2, 3], [4, 5, 6]])
        q, at, times = at_poses(TestTimes.MOTION, TestTimes.MOTION.q, own, ("a", "b"))
        np.testing.assert_array_equal(times, [1, 2])
        np.testing.assert_array_equal(at, own.T)
        np.testing.assert_allclose(q, [[1, 2], [3, 2]])

    def test_torques_beside_joints(self, tmp_path):
        motion, found, effort, *_ = read_log(ARM, written(tmp_path, "q2.effort,q1,q2\n7,1,2\n8,1,2\n"))
        assert motion.names == ("q1", "q2")
        assert found == {}
        np.testing.assert_array_equal(effort, [[np.nan, 7], [np.nan, 8]])
        assert read_log(ARM, written(tmp_path, "q1\n1\n")).effort is None

    def test_a_file_of_its_own(self, tmp_path):
        found = read_poses(ARM, written(tmp_path, "t,x,y,z,roll,pitch,yaw\n1,1,2,3,0.1,-0.2,0.3\n"), "tip")
        np.testing.assert_array_equal(found.times, [1])
        np.testing.assert_allclose(found.T[0, :3, :3], R.as_matrix(), rtol=0, atol=1e-15)
        found = read_poses(ARM, written(tmp_path, f"tip.x,tip.y,z,qx,qy,qz,qw\n1,2,3,{QUATERNION}\n"), "tip")
        assert found.times is None
        np.testing.assert_array_equal(found.T[0, :3, 3], [1, 2, 3])

    @each(
        "text, part",
        [
            ("q1,tip.x,tip.z\n0,1,3\n", "column 'tip.y' is missing; expected x y z, alone or with qx"),
            ("q1,tip.x,tip.y,tip.z,tip.qx,tip.yaw\n0,1,2,3,4,5\n", "there are 2 kinds of rotations"),
            ("q1,tip.x,tip.z,tip.roll,tip.pitch,tip.yaw\n0,1,2,3,4,5\n", "column 'tip.y' is missing"),
            ("q1,tip.x,tip.y,tip.z,tip.qx,tip.qy,tip.qz,tip.qw\n0,1,2,3,1,1,0,0\n", "length 1.41"),
            ("q1,tcp.x\n0,1\n", "column 'tcp.x' is of no frame of the robot; did you mean 'tip'"),
            ("q1,q3.effort\n0,1\n", "column 'q3.effort' is of no joint that moves; did you mean"),
            ("q1,tip.x,tip.y,tip.z,tip.x\n0,1,2,3,4\n", "column 'tip.x' occurs twice; expected each once"),
            ("q1,q1.effort,q1.effort\n0,1,2\n", "column 'q1.effort' occurs twice"),
            ("q1,q1\n0,1\n", "column 'q1' occurs twice"),
            ("q1,nothing\n0,1\n", "'nothing' is not a joint"),
        ],
    )
    def test_illegal_columns(self, tmp_path, text, part):
        with pytest.raises(KinetreeError, match=part) as error:
            read_log(ARM, written(tmp_path, text))
        assert error.value.findings[0].source.file.endswith("log.csv")

    @each(
        "text, part",
        [
            ("x,y,z,qx,qy,qz,qw,q1\n1,2,3,0,0,0,1,0\n", "column 'q1' is not of a pose; expected x y z, alone or with"),
            ("x,y,z,qx,qy,qz,qw,tip.x\n1,2,3,0,0,0,1,0\n", "column 'x' occurs twice"),
            ("t,time,x,y,z,qx,qy,qz,qw\n1,1,1,2,3,0,0,0,1\n", "has 2 columns of times, time, t; expected one"),
            ("t,x,y,z,qx,qy,qz,qw\n1,1,2,3,0,0,0,1\n1,1,2,3,0,0,0,1\n", "time is not after that before"),
        ],
    )
    def test_illegal_files_of_poses(self, tmp_path, text, part):
        with pytest.raises(KinetreeError, match=part):
            read_poses(ARM, written(tmp_path, text), "tip")


class TestTimes:
    MOTION = kt.motion.Motion(("q1", "q2"), [0.0, 1.0, 3.0], [[0, 0], [1, 2], [5, 2]], robot=ARM)

    def test_joints_at_the_times_of_poses(self):
        T = np.arange(4.0)[:, None, None] + np.eye(4)
        q, found, _ = at_poses(self.MOTION, self.MOTION.q, MeasuredPoses(T, np.array([-1, 0.5, 2, 3.5])), ("a", "b"))
        np.testing.assert_allclose(q, [[0.5, 1], [3, 2]])
        np.testing.assert_array_equal(found, T[1:3])

    def test_rows_without_times(self):
        T = np.tile(np.eye(4), (3, 1, 1))
        still = replace(self.MOTION, times=None)
        q, found, times = at_poses(still, still.q, MeasuredPoses(T, None), ("a", "b"))
        assert times is None
        assert q is still.q
        assert found is T
        with pytest.raises(KinetreeError, match="has 2 poses, and a 3 samples, without times; expected"):
            at_poses(still, still.q, MeasuredPoses(T[:2], None), ("a", "b"))

    @each("times, part", [(None, "has no times, and a has some"), (np.arange(3.0), "has times, and a has none")])
    def test_times_on_one_side(self, times, part):
        T = np.tile(np.eye(4), (3, 1, 1))
        motion = self.MOTION if times is None else replace(self.MOTION, times=None)
        with pytest.raises(KinetreeError, match=rf"{part}; expected times \(time, t, stamp\) in both") as e:
            at_poses(motion, self.MOTION.q, MeasuredPoses(T, times), ("a", "b"))
        assert e.value.findings[0].element == "b"

    def test_poses_in_a_gap(self):
        """Nothing is known of joints that moved in it; those that stood are where they were."""
        t = np.array([0, 1, 2, 3, 4, 10, 11, 12, 20, 21.0])
        q = np.where(t < 5, [[0], [0]], [[1], [2]]).T
        T = np.tile(np.eye(4), (5, 1, 1))
        found = at_poses(
            kt.motion.Motion(("q1", "q2"), t, q, robot=ARM), q, MeasuredPoses(T, np.array([0.5, 4, 7, 10, 15.0])), "ab"
        )
        assert found[2].tolist() == [0.5, 10, 15]
        np.testing.assert_array_equal(found[0], [[0, 0], [1, 2], [1, 2]])

    def test_other_times(self):
        poses = MeasuredPoses(np.tile(np.eye(4), (2, 1, 1)), np.array([100.0, 101]))
        with pytest.raises(KinetreeError, match="its times, 100 to 101 s, are outside those of a, 0 to 3 s"):
            at_poses(self.MOTION, self.MOTION.q, poses, ("a", "b"))
