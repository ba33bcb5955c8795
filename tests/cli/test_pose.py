"""`kinetree pose`, and `--controller` of fk and ik."""

import json

import pytest

TEXT = "612.3 -234.5 789.1 110 -50 35"

ARM = """<robot name="kuka_arm"><link name="base_link"/><link name="base"/><link name="l1"/>
<link name="l2"/><link name="l3"/><link name="tool0"/>
<joint name="b" type="fixed"><parent link="base_link"/><child link="base"/><origin xyz="0 0 0.4"/></joint>
<joint name="j1" type="revolute"><parent link="base_link"/><child link="l1"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="j3" type="revolute"><parent link="l2"/><child link="l3"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
<joint name="t" type="fixed"><parent link="l3"/><child link="tool0"/><origin xyz="0.25 0 0"/></joint></robot>"""


@pytest.fixture
def arm(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    return str(tmp_path / "arm.urdf")


def test_from_one_to_another(run):
    result = run("pose", TEXT, "--from", "fanuc", "--to", "ur")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "p[0.612300, -0.234500, 0.789100, 1.983258, -0.020163, 1.235471]\n"
    back = run("pose", result.stdout, "--from", "ur", "--to", "kuka").stdout
    assert back == "{X 612.300, Y -234.500, Z 789.100, A 35.000, B -50.000, C 110.000}\n"
    minus = run("pose", "-1 2 3 0 0 90", "--from", "fanuc", "--to", "ros")
    assert minus.stdout == "-0.001000000 0.002000000 0.003000000 0.000000000 0.000000000 0.707106781 0.707106781\n"
    again = run("pose", minus.stdout, "--from", "ros", "--to", "fanuc").stdout
    assert again.startswith("X = -1.000 mm, Y = 2.000 mm")


def test_to_all(run):
    result = run("pose", TEXT, "--from", "fanuc", "--to", "all")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 12
    assert "Kawasaki             TRANS(612.300, -234.500, 789.100, -39.421, 102.700, 141.744)" in result.stdout
    assert "note: Epson is not verified: no public source states the order of U, V, W" in result.stderr
    data = json.loads(run("pose", TEXT, "--from", "fanuc", "--to", "all", "--json").stdout)
    assert len(data["poses"]) == 12
    assert data["poses"]["kuka"]["values"][3:] == pytest.approx([35, -50, 110])
    assert data["T"][0][3] == pytest.approx(0.6123)


def test_what_belongs_to_no_pose_is_said(run):
    result = run("pose", "{X 1, Y 2, Z 3, A 4, B 5, C 6, S 2, T 35}", "--from", "kuka", "--to", "abb")
    assert result.exit_code == 0
    assert "note: the configuration 'S 2, T 35' is left out, because it depends on the arm" in result.stderr
    more = run("pose", "{X 1, Y 2, Z 3, A 4, B 5, C 6, E1 7}", "--from", "kuka", "--to", "abb")
    assert "note: 'E1 7' belongs to no pose, left out" in more.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("p[1,2,3,0,0,0]", "--from", "kuka", "--to", "ur"), "looks like Universal Robots's"),
        (("1 2 3", "--from", "kuka", "--to", "ur"), "3 numbers, where there are 6; a pose of KUKA is X (mm)"),
        (("1 2 3 4 5 6", "--from", "acme", "--to", "ur"), "no controller 'acme'"),
        (("1 2 3 4 5 6", "--from", "kuka", "--to", "acme"), "no controller 'acme'"),
        (("1 2 3", "--from", "ROS", "--to", "ur"), "expected x y z qx qy qz qw"),
        (("1 2 3 0 0 0 0", "--from", "ros", "--to", "ur"), "the quaternion's length is 0, not 1"),
    ],
)
def test_errors(run, arguments, said):
    result = run("pose", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_fk_as_a_pendant_shows_it(run, arm):
    result = run("fk", arm, "--q", "j1=90", "--q", "j3=90", "--deg", "--controller", "kuka")
    assert result.exit_code == 0
    assert result.stdout == "{X 0.000, Y 500.000, Z -250.000, A 90.000, B 90.000, C 0.000}\n"
    many = run("fk", arm, "tool0", "l2", "--base", "base_link", "--controller", "ur")
    assert many.stdout.splitlines()[0] == "tool0  p[0.750000, 0.000000, 0.400000, 0.000000, 0.000000, 0.000000]"
    data = json.loads(run("fk", arm, "--controller", "fanuc", "--json").stdout)
    assert data["poses"][0]["values"][:3] == pytest.approx([750, 0, 0])
    assert "Missing argument" in run("fk", arm).stderr
    assert "no frame 'base', to be FANUC's WORLD" in run("fk", "icub", "--controller", "fanuc").stderr


@pytest.mark.slow
def test_a_controller_of_fk_and_ik_is_one_of_pose(run, arm):
    """ros, all, aliases and forms, in any case; and the same words of what is none."""
    at = ("--q", "j1=90", "--q", "j3=90", "--deg")
    as_ros = run("fk", arm, *at, "--controller", "ROS")
    assert as_ros.stdout == "0.000000000 0.500000000 -0.250000000 -0.500000000 0.500000000 0.500000000 0.500000000\n"
    everyone = run("fk", arm, *at, "--controller", "all")
    assert everyone.stdout == run("pose", as_ros.stdout, "--from", "ros", "--to", "all").stdout
    assert everyone.stderr == run("pose", as_ros.stdout, "--from", "ros", "--to", "all").stderr != ""
    two = run("fk", arm, "tool0", "l2", *at, "--controller", "all").stdout.splitlines()
    assert len(two) == 24
    assert two[12].startswith("l2     ros                  ")
    data = json.loads(run("fk", arm, "tool0", "l2", *at, "--controller", "all", "--json").stdout)
    assert [(row["frame"], row["controller"]) for row in data["poses"]][12:14] == [("l2", "ros"), ("l2", "abb")]
    back = run("ik", arm, "--frame", "tool0", "--pose", as_ros.stdout.strip(), "--controller", "ros", "--deg")
    assert back.exit_code == 0
    assert "j1 90 deg" in back.stdout
    screen = run("fk", arm, *at, "--controller", "ur-screen").stdout
    assert screen == "X 0.00 mm, Y 500.00 mm, Z -250.00 mm, RX -1.209 rad, RY 1.209 rad, RZ 1.209 rad\n"
    assert run("ik", arm, "--frame", "tool0", "--pose", screen, "--controller", "UR screen").exit_code in (0, 1)
    for arguments in (("fk", arm), ("ik", arm, "--frame", "tool0", "--pose", "1 2 3"), ("pose", "1 2 3", "--to", "ur")):
        option = "--from" if arguments[0] == "pose" else "--controller"
        result = run(*arguments, option, "acme")
        assert result.exit_code == 2
        assert "no controller 'acme'" in result.stderr
        assert "name a controller, or ros: x y z qx qy qz qw" in result.stderr
    assert "no controller ''" in run("fk", arm, "tool0", "--controller", "").stderr
    bare = run("fk", "icub", "--controller", "ros")
    assert "no frame 'base', to be a controller's (REP-199, base)" in bare.stderr


def test_a_note_is_printed_once(run):
    result = run("pose", "1 2 3 4 5 6", "--from", "epson", "--to", "all")
    assert result.stderr.count("Epson is not verified") == 1


@pytest.mark.slow
def test_ik_to_where_a_pendant_says(run, arm):
    pose = "{X 0.000, Y 500.000, Z -250.000, A 90.000, B 90.000, C 0.000, S 2, T 35}"
    result = run("ik", arm, "--frame", "tool0", "--pose", pose, "--controller", "kuka", "--deg")
    assert result.exit_code == 0
    assert "j1 90 deg" in result.stdout
    assert "note: the configuration 'S 2, T 35' is left out, because the arm from 'base' to 'tool0'" in result.stderr
    assert run("ik", arm, "--frame", "tool0", "--pose", "1 2", "--controller", "kuka").exit_code == 2


def test_a_file_of_poses(run, tmp_path):
    file = tmp_path / "poses.txt"
    file.write_text("# taught\n{X 1, Y 2, Z 3, A 10, B 20, C 30, S 2, T 35}\n\n4 5 6 0 0 0\n")
    same = run("pose", "--file", file, "--from", "kuka", "--to", "kuka")
    assert same.stdout.splitlines() == [
        "{X 1.000, Y 2.000, Z 3.000, A 10.000, B 20.000, C 30.000, S 2, T 35}",
        "{X 4.000, Y 5.000, Z 6.000, A 0.000, B 0.000, C 0.000}",
    ]
    assert same.stderr == ""
    other = run("pose", "--file", file, "--from", "kuka", "--to", "fanuc")
    assert (
        other.stdout.splitlines()[1]
        == "X = 4.000 mm, Y = 5.000 mm, Z = 6.000 mm, W = 0.000 deg, P = 0.000 deg, R = 0.000 deg"
    )
    assert other.stderr.startswith("note: the configuration 'S 2, T 35' is left out, because it depends on the arm;")
    found = json.loads(run("pose", "--file", file, "--from", "kuka", "--to", "fanuc", "--json").stdout)
    assert [row["poses"]["fanuc"]["values"][:3] for row in found] == [[1, 2, 3], [4, 5, 6]]
    file.write_text("4 5 6 0 0 0\n4 5\n")
    wrong = run("pose", "--file", file, "--from", "kuka", "--to", "fanuc")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert f"{file}:2: error: 2 numbers, where there are 6" in wrong.stderr
    for words in ((), ("1 2 3 4 5 6", "--file", file)):
        refused = run("pose", *words, "--from", "kuka", "--to", "fanuc")
        assert "expected either POSE or --file FILE" in refused.stderr


def test_a_pose_of_two_lines_prints_on_two(run):
    pose = run("pose", "///RCONF 1,0,0,0,0,0,0,0 C1=1.0,2,3,4,5,6", "--from", "yaskawa", "--to", "yaskawa")
    assert pose.stdout.splitlines()[0] == "///RCONF 1,0,0,0,0,0,0,0"
    assert pose.stdout.splitlines()[1].startswith("C00000=1.000,2.000,3.000,4.0000")
