"""`kinetree excite`: a motion in a file, in the unit that is asked for, and what it prints."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.display import number
from kinetree.logs import read_motion

ARM = """<robot name='r'><link name='a'/><link name='b'>{0}</link><link name='c'>{0}</link>
<joint name='one' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>
<limit lower='-1' upper='2' velocity='{1}' effort='50'/></joint>
<joint name='two' type='revolute'><parent link='b'/><child link='c'/><origin xyz='0.4 0 0' rpy='1 0 0'/>
<axis xyz='0 0 1'/><limit lower='-1' upper='2' velocity='1' effort='50'/></joint></robot>"""
MASS = """<inertial><origin xyz='0.2 0 0'/><mass value='2'/>
<inertia ixx='0.02' iyy='0.03' izz='0.04' ixy='0' ixz='0' iyz='0'/></inertial>"""


@pytest.mark.slow
def test_a_motion_is_written_and_described(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM.format(MASS, 2))
    robot = kt.load("arm.urdf")
    result = run("excite", "arm.urdf", "-o", "m.csv", "--duration", "4s", "--period", "20ms", "--acceleration", "one=3")
    assert result.exit_code == 0
    assert result.stdout.startswith("the motion determines ")
    motion = read_motion(robot, "m.csv")
    assert (len(motion.q), motion.times[-1]) == (201, 4.0)
    assert f"it begins at one {number(motion.q[0, 0])}, two {number(motion.q[0, 1])} (rad, m)" in result.stdout
    assert "wrote m.csv: 201 samples" in result.stderr
    assert "contact is not checked: no link has a collision shape" in result.stderr
    assert "accelerations are not checked" not in result.stderr
    free = run("excite", "arm.urdf", "-o", "free.csv", "--duration", "4s", "--period", "20ms")
    assert "accelerations are not checked: no joint has a limit of it" in free.stderr
    assert "fix: pass --acceleration" in free.stderr
    assert "of its surroundings only what the model has is avoided" in result.stderr
    assert np.abs(np.gradient(np.gradient(motion.q[:, 0], 0.02), 0.02)[2:-2]).max() < 3.05
    assert run("excite", "arm.urdf", "-o", "m.csv").exit_code == 2  # it exists
    degrees = ("--deg", "--acceleration", f"one={np.rad2deg(3)}", "--force")
    assert run("excite", "arm.urdf", "-o", "d.csv", "--duration", "4", "--period", "0.02", *degrees).exit_code == 0
    np.testing.assert_allclose(read_motion(robot, "d.csv", unit="deg").q, motion.q, atol=1e-9)


@pytest.mark.slow
def test_geometry_needs_a_frame_and_torques_a_mass(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM.format("", 2))
    go = ("excite", "arm.urdf", "-o", "m.csv", "--of", "geometry")
    assert "geometry is found by poses of a frame" in run(*go).stderr
    assert run(*go, "--frame", "c").exit_code == 0
    result = run("excite", "arm.urdf", "-o", "n.txt")
    assert (result.exit_code, "cannot write a motion to 'n.txt'; expected the ending" in result.stderr) == (2, True)
    result = run("excite", "arm.urdf", "-o", "n.csv")
    assert result.exit_code == 2
    assert "no link of the robot has a mass" in result.stderr
    assert not (tmp_path / "n.csv").exists()


def test_errors_name_options_also_of_commands_without_json(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM.format(MASS, 2))
    result = run("excite", "arm.urdf", "-o", "m.csv", "--of", "geometry")
    assert result.exit_code == 2
    assert "fix: pass --frame, such as" in result.stderr
