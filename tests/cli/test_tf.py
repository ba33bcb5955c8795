"""`kinetree tf`: what it writes, prints, and refuses."""

import json

import pytest
from click.testing import CliRunner

from kinetree.cli import group
from kinetree.logs.ros.folder import read_bag
from kinetree.logs.ros.mcap import mcap_of
from kinetree.logs.ros.transforms import transform_topics
from ros_bags import ARM, FLOATING, TF, arm, motion, recorded, states, written


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM)
    return lambda *arguments: CliRunner().invoke(group, ["tf", "arm.urdf", *map(str, arguments)])


def test_a_csv_becomes_a_bag(run, tmp_path):
    (tmp_path / "motion.csv").write_text("time,a,b\n0,0,0\n0.5,57.29577951308232,0\n1,90,0\n")
    done = run("motion.csv", "--deg", "-o", "out.mcap")
    assert done.exit_code == 0, done.output
    assert (
        done.stdout
        == "t = 1: outside of a upper, by 32.7042 deg at t = 1\nsamples: 3, stretches outside of a limit: 1\n"
    )
    assert "motion.csv: without a column, and staying as they are: c" in done.stderr
    assert "wrote out.mcap" in done.stderr
    assert "messages: /joint_states 3, /tf_static 1, /tf 3, /robot_description 1" in done.stderr
    assert len(read_bag(tmp_path / "out.mcap", (TF,))["/tf"].data) == 3
    assert ARM.encode() in read_bag(tmp_path / "out.mcap", ("std_msgs/String",))["/robot_description"].data[0]


def test_what_a_bag_lacks_is_printed(run, tmp_path):
    (tmp_path / "arm.urdf").write_text(FLOATING)
    (tmp_path / "motion.csv").write_text("time,a\n0,0\n1,0.5\n")
    done = run("motion.csv", "-o", "out.mcap")
    said = "warning: topic /joint_states: is without joints of several coordinates: free; their values are in /tf alone"
    assert f"{said} [joints]" in done.stderr.splitlines()
    assert done.stdout == "samples: 2, all inside\n"


def test_degrees_without_deg_are_suspected(run, tmp_path):
    hint = "are the angles in degrees? then add --deg"
    (tmp_path / "motion.csv").write_text("time,a\n0,0\n1,90\n")
    assert hint in run("motion.csv", "-o", "out.mcap").stderr
    assert hint not in run("motion.csv", "-o", "out.mcap", "--force", "--deg").stderr
    (tmp_path / "motion.csv").write_text("time,a,c\n0,0,0\n1,7,20\n")
    assert hint not in run("motion.csv", "-o", "out.mcap", "--force").stderr
    q, stamps = motion(20)
    written(tmp_path / "in.mcap", [states(["a"], 100 * q[:, :1], stamps)])
    assert hint not in run("in.mcap", "-o", "out.mcap", "--force").stderr


def test_json_of_what_is_written(run, tmp_path):
    q, stamps = motion(20)
    written(tmp_path / "in.mcap", [states(["wheel", "a"], q[:, :2], stamps)])
    done = run("in.mcap", "-o", "out.mcap", "--json")
    said = json.loads(done.stdout)
    assert said["messages"] == {"/joint_states": 20, "/tf_static": 1, "/tf": 20, "/robot_description": 1}
    assert [note["message"] for note in said["notes"]] == [
        "not joints of the robot that turn or slide: wheel (20 of 20 messages)"
    ]
    assert "wheel (20 of 20 messages)" in done.stderr


def test_nothing_half_written(run, tmp_path):
    bag = recorded(tmp_path / "in.mcap", arm())
    bag.write_bytes(bag.read_bytes()[:-300])
    done = run("in.mcap", "-o", "out.mcap")
    assert done.exit_code == 2
    assert "the file ends before the end of its data" in done.stderr
    assert [file.name for file in tmp_path.iterdir() if "out" in file.name] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in.mcap"], "expected -o OUT.mcap to write transforms, or --check to compare"),
        (["in.mcap", "-o", "out.mcap", "--check"], "expected -o OUT.mcap to write transforms, or --check"),
        (["in.mcap", "-o", "out.bag"], "cannot write transforms to 'out.bag'; expected the ending .mcap"),
        (["in.mcap", "-o", "in.mcap", "--force"], "in.mcap is read by this command"),
        (["in.mcap", "-o", "there.mcap"], "there.mcap exists already"),
        (["in.mcap", "-o", "out.mcap", "--tolerance", "1", "1"], "--tolerance goes with --check"),
        (["in.mcap", "--check", "--tolerance", "0", "1"], "expected two finite numbers above 0, mm and deg"),
        (["in.mcap", "--check", "--joint-states", "/x"], "there is no topic /x of type sensor_msgs/JointState"),
        (["nowhere.mcap", "--check"], "nowhere.mcap: error: cannot be read: No such file"),
        (["nowhere.csv", "--check"], "nowhere.csv: error: cannot be read as a file of a bag"),
        (["in.mcap", "-o", "out.mcap", "--deg"], "the angles in a bag of ROS 2 are in rad"),
    ],
)
def test_what_is_refused(run, tmp_path, arguments, message):
    recorded(tmp_path / "in.mcap", arm())
    (tmp_path / "there.mcap").write_bytes(b"")
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert not (tmp_path / "out.mcap").exists()


def test_a_check_names_what_differs(run, tmp_path):
    recorded(tmp_path / "bag.mcap", arm())
    done = run("bag.mcap", "--check")
    assert (done.exit_code, done.stdout) == (0, "frames compared: 5, all alike\n")
    recorded(tmp_path / "bag.mcap", arm(), arm(ARM.replace("0.4 0 0", "0.405 0 0")))
    done = run("bag.mcap", "--check")
    assert done.exit_code == 1
    assert done.stdout == (
        "lower in upper: up to 5 mm and 0 deg, from t = 0 to 5.98 s, in 300 of 300 transforms: a constant offset of "
        "(5, 0, 0) mm in the axes of upper\nframes compared: 5, different: 1\n"
    )
    (one,) = json.loads(run("bag.mcap", "--check", "--json").stdout)["differences"]
    assert one["causes"] == ["a constant offset of (5, 0, 0) mm in the axes of upper"]
    assert run("bag.mcap", "--check", "--tolerance", "6", "1").exit_code == 0


def test_frames_that_are_late_stand_together(run, tmp_path):
    recorded(tmp_path / "bag.mcap", arm(), late=0.1)
    done = run("bag.mcap", "--check")
    assert done.stdout.startswith("upper in base, lower in upper, slide in lower, finger in slide: up to 62.9 mm and ")
    assert ": stamps that are 0.1 s late\nnot compared, because no joint values are near: 20 transforms" in done.stdout


def test_without_the_package_mcap(run, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mcap.writer", None)
    (tmp_path / "motion.csv").write_text("time,a\n0,0\n")
    done = run("motion.csv", "-o", "out.mcap")
    assert done.exit_code == 2
    assert "writing of MCAP needs the package `mcap`" in done.stderr
    assert "pip install 'kinetree[ros]'" in done.stderr
    assert mcap_of


def test_a_check_that_compares_nothing_does_not_pass(run, tmp_path):
    q, stamps = motion(20)
    late = transform_topics(arm(), q + 0.3, stamps + 10**10, stamps, None)
    written(tmp_path / "bag.mcap", [states(["a", "b", "c"], q, stamps), *late])
    done = run("bag.mcap", "--check")
    assert (done.exit_code, done.stdout) == (
        1,
        "not compared, because no joint values are near: 80 transforms; of these frames all: upper, lower, slide, "
        "finger\nframes compared: 1, different: 0, not compared: 4\n",
    )
    written(tmp_path / "bag.mcap", [states(["a", "b", "c"], q, stamps), late[1]])
    assert run("bag.mcap", "--check").stdout.endswith("no frame was compared\n")
    for option in ("--deg", "--force"):
        done = run("bag.mcap", "--check", option)
        assert done.exit_code == 2
        assert f"{option} goes with -o" in done.stderr


def test_a_check_says_which_joints_have_no_values(run, tmp_path):
    q, stamps = motion(20)
    bag = [states(["a", "c"], q[:, [0, 2]], stamps), *transform_topics(arm(), q, stamps, stamps, None)]
    written(tmp_path / "bag.mcap", bag)
    done = run("bag.mcap", "--check")
    assert "bag.mcap: without a column, and staying as they are: b" in done.stderr
    assert done.exit_code == 1
    assert done.stdout.endswith("frames compared: 3, different: 0, not compared: 2\n")


def test_the_folder_of_a_bag_is_not_written_to(run, tmp_path):
    (tmp_path / "bag").mkdir()
    recorded(tmp_path / "bag" / "bag.mcap", arm())
    (tmp_path / "bag" / "metadata.yaml").write_text("rosbag2_bagfile_information:\n  relative_file_paths: [bag.mcap]\n")
    (tmp_path / "link").symlink_to(tmp_path / "bag")
    (tmp_path / "hard.mcap").hardlink_to(tmp_path / "bag" / "bag.mcap")
    for output, message in (
        ("bag/bag.mcap", "bag/bag.mcap is read by this command"),
        ("hard.mcap", "hard.mcap is read by this command"),
        ("link/new.mcap", "link/new.mcap would lie in the bag bag; expected places outside of it"),
    ):
        done = run("bag", "-o", output, "--force")
        assert done.exit_code == 2
        assert message in " ".join(done.stderr.split())
    assert run("bag", "-o", "out.mcap").exit_code == 0
