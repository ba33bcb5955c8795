"""`kinetree dynamics`: what it prints, as JSON and as tables, against mechanics by hand."""

import json
import math

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing.force_tables import aligned, sensors

ARM = """<robot name="arm"><link name="base_link"/>
  <link name="upper_arm"><inertial><origin xyz="0 0 0.2"/><mass value="4.2"/>
    <inertia ixx="0.06" iyy="0.06" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="forearm"><inertial><origin xyz="0 0 0.15"/><mass value="1.8"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base_link"/><child link="upper_arm"/>
    <origin xyz="0 0 0.3"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" velocity="3" effort="80"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper_arm"/><child link="forearm"/>
    <origin xyz="0 0 0.4"/><axis xyz="0 1 0"/><limit lower="0" upper="2.5" velocity="3" effort="40"/></joint>
</robot>"""
BENT = ("--q", "elbow=90", "--deg")
WEIGHT = -1.8 * 9.81 * 0.15
"""Torque of the forearm's weight, N m, when it is level and the upper arm is upright."""
H = [[0.06 + 4.2 * 0.2**2 + 0.02 + 1.8 * (0.4**2 + 0.15**2), 0.0605], [0.0605, 0.02 + 1.8 * 0.15**2]]

H0 = [[H[0][0] + 2 * 1.8 * 0.4 * 0.15, 0.0605 + 1.8 * 0.4 * 0.15], [0.0605 + 1.8 * 0.4 * 0.15, 0.0605]]
"""The mass matrix of the stretched arm."""


@pytest.fixture
def weighty(tmp_path):
    path = tmp_path / "weighty.urdf"
    path.write_text(ARM)
    return path


def answer(run, *arguments):
    result = run("dynamics", *arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(result.stdout)


def test_json_is_statics(run, weighty):
    found = answer(run, weighty, *BENT)
    assert found["gravity_torques"] == pytest.approx({"shoulder": WEIGHT, "elbow": WEIGHT}, abs=1e-12)
    np.testing.assert_allclose(found["mass_matrix"], H, rtol=0, atol=1e-12)
    assert (found["schema"], found["robot"], found["root"], found["mass"]) == (1, "arm", "base_link", 6.0)
    assert found["center_of_mass"] == pytest.approx([1.8 * 0.15 / 6, 0, (4.2 * 0.5 + 1.8 * 0.7) / 6], abs=1e-12)
    assert found["q"] == pytest.approx({"shoulder": 0, "elbow": math.pi / 2})
    assert found["velocity_names"] == ["shoulder", "elbow"]
    assert not found.keys() & {"torques", "accelerations"}


def test_motions_are_added(run, weighty):
    moved = answer(run, weighty, *BENT, "--qdd", "elbow=90")["torques"]
    expected = np.add(WEIGHT, np.array(H)[:, 1] * math.pi / 2)
    assert list(moved.values()) == pytest.approx(expected, abs=1e-12)
    spun = answer(run, weighty, *BENT, "--qd", "shoulder=2", "--gravity", "0", "0", "0")["torques"]
    # the forearm's centre is 0.4 m above the shoulder and 0.15 m beside the elbow: m r_e x omega^2 r_s
    assert spun["elbow"] == pytest.approx(1.8 * 0.15 * 0.4 * np.radians(2) ** 2, abs=1e-12)
    pushed = answer(run, weighty, *BENT, "--tau", "elbow=3")["accelerations"]
    expected = np.linalg.solve(H, np.array([0, 3]) - WEIGHT)
    assert list(pushed.values()) == pytest.approx(expected, abs=1e-9)


def test_the_page(run, weighty):
    result = run("dynamics", weighty, *BENT)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "  1  elbow     -2.6487  N m      40    7%" in lines
    assert "  1  elbow     0.0605  0.0605" in lines
    assert "  centre of mass  45 0 560 mm in base_link" in lines
    assert "accelerations" not in result.stdout.lower()


@pytest.mark.slow
def test_a_large_robot_has_the_diagonal(run, tmp_path):
    result = run("dynamics", chain(tmp_path, 9))
    assert "inertia: diagonal of the mass matrix" in result.stdout
    assert "Mass matrix" not in result.stdout
    assert "Mass matrix" in run("dynamics", chain(tmp_path, 8)).stdout


def chain(folder, n):
    links = "".join(
        f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        f"</inertial></link>"
        for i in range(n + 1)
    )
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(n)
    )
    path = folder / f"chain{n}.urdf"
    path.write_text(f'<robot name="chain">{links}{joints}</robot>')
    return path


@pytest.mark.slow
def test_joints_that_slide_or_have_several_coordinates(run, mixed):
    found = answer(run, mixed, "--qd", "drive=0.5,0,0", "--qdd", "lift=1")
    weight = 9.81 / math.sqrt(2)  # the mast, 1 kg, slides at 45 degrees
    assert found["gravity_torques"]["lift"] == pytest.approx(weight, abs=1e-12)
    assert found["torques"]["lift"] == pytest.approx(weight + 1, abs=1e-12)
    assert list(found["torques"]) == list(kt.load(mixed).velocity_names)
    assert "  3  lift" in (page := run("dynamics", mixed).stdout)
    assert "  6.9367  N " in page


HAND = """<link name="hand"><inertial><origin xyz="0 0 0.05"/><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wrist" type="fixed"><parent link="forearm"/><child link="hand"/><origin xyz="0 0 0.3"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="wrist"/>
    <force_torque><frame>child</frame><measure_direction>child_to_parent</measure_direction></force_torque></sensor>
  <sensor name="mute" type="force_torque"><parent joint="elbow"/></sensor><sensor name="eye" type="camera">
    <parent link="hand"/></sensor>
</robot>"""


@pytest.mark.slow
def test_sensors(run, tmp_path):
    """The hand, 0.5 kg, is level: its weight acts along x of the hand, 0.05 m from the sensor along z."""
    path = tmp_path / "hand.urdf"
    kinds = ["imu", *["accelerometer"] * 4, *["gyroscope"] * 4]
    more = "".join(f'<sensor name="s{i}" type="{kind}"><parent link="hand"/></sensor>' for i, kind in enumerate(kinds))
    path.write_text(ARM.replace("</robot>", HAND.replace("</robot>", more + "</robot>")))
    found = {row.pop("name"): row for row in answer(run, path, *BENT)["sensors"]}
    assert list(found) == ["ft", "mute", *(f"s{i}" for i in range(9)), "eye"]
    weight = {"fx": 0.5 * 9.81, "fy": 0, "fz": 0, "mx": 0, "my": 0.5 * 9.81 * 0.05, "mz": 0}
    assert found["ft"]["reading"] == pytest.approx(weight, abs=1e-12)
    assert found["mute"]["reading"] is None
    assert "does not say what it measures" in found["mute"]["reason"]
    assert found["eye"]["reason"] == "is of type 'camera', which is neither inertial nor force/torque"
    felt = {"ax": -9.81, "ay": 0, "az": 0}
    assert found["s0"]["reading"] == pytest.approx(dict(wx=0, wy=0, wz=0, **felt), abs=1e-12)
    assert found["s1"] == {"type": "accelerometer", "reading": pytest.approx(felt, abs=1e-12), "reason": None}
    spun = answer(run, path, "--qd", "elbow=2", "--q", "elbow=0.5")["sensors"]
    assert spun[-2]["reading"] == pytest.approx({"wx": 0, "wy": 2, "wz": 0}, abs=1e-12)
    lines = run("dynamics", path, *BENT).stdout.splitlines()
    assert "  ft      4.9050  0.0000  0.0000  0.00000  0.24525  0.00000" in lines
    assert "Inertial sensors at rest  (rad/s, m/s²; --all adds 3)" in lines
    start = lines.index("Sensors that cannot be read")
    assert " ".join(" ".join(lines[start + 1 :]).split()) == (
        f"sensor why mute {found['mute']['reason']} others neither inertial nor force/torque: eye"
    )
    assert "--all adds" not in run("dynamics", path, *BENT, "--all").stdout
    assert "sensors in motion" in run("dynamics", path, "--qd", "elbow=1").stdout


def test_the_sensors_of_mjcf(run, tmp_path):
    """A ball of 2 kg turns about z, 0.5 m from the axis: its parent pulls it to the axis, and carries it."""
    path = tmp_path / "sling.xml"
    path.write_text(
        """<mujoco><worldbody>
        <body><joint name="turn" axis="0 0 1"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
        <body pos="0.5 0 0"><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><site name="s"/></body></body>
        </worldbody>
        <sensor><gyro name="g" site="s"/><force name="f" site="s"/><torque name="t" site="s"/>
        <accelerometer name="a" site="s"/><velocimeter name="v" site="s"/></sensor></mujoco>"""
    )
    found = {row.pop("name"): row for row in answer(run, path, "--qd", "turn=3")["sensors"]}
    assert {name: row["type"] for name, row in found.items()} == {
        "f": "force",
        "t": "torque",
        "g": "gyro",
        "a": "accelerometer",
        "v": "velocimeter",
    }
    assert found["g"]["reading"] == pytest.approx({"wx": 0, "wy": 0, "wz": 3}, abs=1e-12)
    assert found["a"]["reading"] == pytest.approx({"ax": -4.5, "ay": 0, "az": 9.81}, abs=1e-12)
    assert found["f"]["reading"] == pytest.approx({"fx": -9, "fy": 0, "fz": 19.62}, abs=1e-12)
    assert found["t"]["reading"] == pytest.approx({"mx": 0, "my": 0, "mz": 0}, abs=1e-12)
    assert "neither inertial" in found["v"]["reason"]


def test_large_numbers_are_short_and_the_rest_has_the_decimals_of_the_largest():
    assert aligned(np.array([1e6, -2.5])) == ["1.00e6", "-2.5"]
    assert aligned(np.array([999999.0, -2.5])) == ["999999.000", "-2.500"]
    assert aligned(np.array([0.001, -0.0])) == ["0.001000", "0.000000"]
    assert aligned(np.zeros(2)) == ["0", "0"]


def test_sensors_of_other_kinds_are_named_as_not_read():
    robot = kt.load(
        '<robot name="r"><link name="a"/><sensor name="eye" type="camera"><parent link="a"/></sensor>'
        '<sensor name="ear" type="microphone"><parent link="a"/></sensor></robot>',
        format="urdf",
    )
    *_, unread = sensors(robot, {}, "at rest")
    assert unread.rows == [("others", "neither inertial nor force/torque: eye, ear")]


def test_friction(run, tmp_path):
    path = tmp_path / "rough.urdf"
    path.write_text(ARM.replace('effort="40"/>', 'effort="40"/><dynamics friction="0.5"/>'))
    motion = ("--qd", "elbow=-1e-9")
    smooth, rough = (answer(run, path, *motion, *more)["torques"]["elbow"] for more in ((), ("--friction",)))
    assert rough - smooth == pytest.approx(-0.5, abs=1e-12)
    pushed = [answer(run, path, *motion, "--tau", "elbow=1", *more)["accelerations"] for more in ((), ("--friction",))]
    expected = np.linalg.solve(H0, [0, 0.5])
    assert [pushed[1][name] - pushed[0][name] for name in pushed[0]] == pytest.approx(expected, abs=1e-9)
    assert "--friction means nothing without --qd" in run("dynamics", path, "--friction").stderr


def test_a_floating_joint_has_six_velocities(run, tmp_path):
    path = tmp_path / "ball.urdf"
    path.write_text(
        """<robot name="ball"><link name="world"/><link name="ball"><inertial><mass value="2"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="free" type="floating"><parent link="world"/><child link="ball"/></joint>
        <sensor name="gyro" type="gyroscope"><parent link="ball"/></sensor></robot>"""
    )
    found = answer(run, path, "--qd", "free=3,0,0,0,0,90", "--deg")
    assert found["sensors"][0]["reading"] == pytest.approx({"wx": 0, "wy": 0, "wz": math.pi / 2})
    # the velocity turns with the body: m omega x v
    assert found["torques"]["free.vy"] == pytest.approx(2 * math.pi / 2 * 3)
    assert found["torques"]["free.vz"] == pytest.approx(2 * 9.81)
    assert "takes 6 numbers, got 7" in run("dynamics", path, "--qd", "free=0,0,0,0,0,0,1").stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--q", "elow=1"), "no joint 'elow'; did you mean 'elbow'"),
        (("--qd", "elow=1"), "no joint 'elow'; did you mean 'elbow'"),
        (("--qd", "elbow=1,2"), "--qd elbow: takes 1 number"),
        (("--tau", "elbow=x"), "--tau elbow: 'x' is not a finite number"),
        (("--tau", "elbow=1", "--qdd", "elbow=1"), "only one of them is legal"),
        (("--gravity", "0", "0", "nan"), "expected three finite numbers"),
        (("--qd", "elbow=1e200"), "the forces are not finite"),
    ],
)
def test_errors(run, weighty, arguments, text):
    result = run("dynamics", weighty, *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert text in result.stderr


def test_robots_without_masses(run, arm):
    result = run("dynamics", arm)
    assert result.exit_code == 2
    assert "no link of the robot has a mass" in result.stderr
    assert "iCub" not in result.stderr
    assert "--inertias iCubGazeboV2_5" in run("dynamics", "icub").stderr


def test_gravity_of_the_file_is_noted_unless_one_is_given(run, tmp_path):
    path = tmp_path / "moon.xml"
    body = '<body><joint name="j"/><geom size="0.1" pos="1 0 0"/></body>'
    path.write_text(f'<mujoco><option gravity="0 0 -1.62"/><worldbody>{body}</worldbody></mujoco>')
    noted = run("dynamics", path)
    assert noted.exit_code == 0
    assert "gravity is 0 0 -1.62 in the file" in noted.stderr
    assert "--gravity 0 0 -1.62" in noted.stderr
    assert run("dynamics", path, "--gravity", "0", "0", "-1.62").stderr == ""
