"""`kinetree attach`: two robots as one, as text and as a xacro file that includes both."""

import numpy as np
import pytest

import kinetree as kt
import mesh_files
from kinetree.shapes.resolve import files_of, path_of
from support import example_robot_urdfs, icub_urdfs

ARM = """<robot name="arm"><link name="base_link"/><link name="flange"/><joint name="j" type="revolute">
<parent link="base_link"/><child link="flange"/><origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
HAND = """<robot name="hand" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="prefix" default=""/>
<xacro:arg name="length" default="0.1"/><link name="$(arg prefix)palm"/><link name="$(arg prefix)finger"/>
<joint name="$(arg prefix)j" type="prismatic"><parent link="$(arg prefix)palm"/><child link="$(arg prefix)finger"/>
<origin xyz="0 0 $(arg length)"/><axis xyz="0 1 0"/><limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
</robot>"""
OPTIONS = ("--at", "flange", "--prefix", "left_", "--xyz", "0 0 0.05", "--rpy", "0 0 1.5")


@pytest.fixture
def files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "parts" / "hand.xacro").write_text(HAND)
    return tmp_path / "arm.urdf", tmp_path / "parts" / "hand.xacro"


@pytest.mark.parametrize("name", ["both.urdf", "both.sdf", "both.xml", "both.xacro"])
def test_every_format_has_the_same_robot(run, files, tmp_path, name):
    out = tmp_path / name
    result = run("attach", *files, *OPTIONS, "-o", out)
    assert result.exit_code == 0, result.stderr
    robot = kt.load(out, format="xacro" if name.endswith("xacro") else None)
    c, s = np.cos(0.3 + 1.5), np.sin(0.3 + 1.5)
    T = kt.fk(robot, "left_finger")(robot.q({"j": 0.3, "left_j": 0.04}))
    # the arm turns by 0.3 about z, the hand by 1.5 more; the finger slides 0.04 along its own y
    expected = [[c, -s, 0, -s * 0.04], [s, c, 0, c * 0.04], [0, 0, 1, 0.3 + 0.05 + 0.1], [0, 0, 0, 1]]
    assert np.allclose(T, expected, rtol=0, atol=1e-12)


def test_a_xacro_file_includes_both_and_copies_nothing(run, files, tmp_path):
    out = tmp_path / "both.xacro"
    run("attach", *files, *OPTIONS, "-o", out)
    text = out.read_text()
    assert '<xacro:include filename="arm.urdf"/>' in text
    assert '<xacro:include filename="parts/hand.xacro"/>' in text
    assert "<link" not in text
    files[0].write_text(ARM.replace("0 0 0.3", "0 0 0.4"))  # what is changed there is changed here
    assert kt.load(out, format="xacro").joints["j"].origin[2, 3] == 0.4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--at", "flange"), "there is already a joint of this name"),
        (("--at", "wrist", "--prefix", "l_"), "no frame 'wrist'"),
        (("--at", "flange", "--prefix", "l_", "--xyz", "0 0"), "is not three numbers"),
    ],
)
def test_what_cannot_be_joined_is_not_written(run, files, tmp_path, arguments, said):
    out = tmp_path / "both.xacro"
    result = run("attach", *files, *arguments, "-o", out)
    assert result.exit_code == 2
    assert said in result.stderr
    assert not out.exists()


def test_what_xacro_cannot_include(run, files, tmp_path):
    out = tmp_path / "both.xacro"
    result = run("attach", "icub", files[0], "--at", "l_hand", "--prefix", "x_", "-o", out)
    assert "is no URDF or xacro file" in result.stderr
    result = run("attach", files[0], files[0], "--at", "flange", "--prefix", "x_", "-o", out)
    assert "has no argument for prefixes; expected one of prefix, tf_prefix" in result.stderr
    assert "write a .urdf" in result.stderr
    result = run("attach", *files, *OPTIONS, "-o", files[0], "--force")
    assert "is read by this command" in result.stderr
    assert files[0].read_text() == ARM


def mesh_robot(folder, name, height):
    """A robot of one link with a mesh of its own under a name that others have, too."""
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "m.stl").write_bytes(mesh_files.stl() + b"\0" * height)
    path = folder / f"{name}.urdf"
    path.write_text(f"""<robot name="{name}"><link name="{name}_link"><visual><geometry>
    <mesh filename="meshes/m.stl"/></geometry></visual></link></robot>""")
    return path


@pytest.mark.parametrize("name", ["o.urdf", "o.sdf", "o.xacro"])
def test_each_robot_keeps_its_own_meshes(run, tmp_path, name):
    a, b = mesh_robot(tmp_path / "r1", "arm", 0), mesh_robot(tmp_path / "r2", "hand", 0)
    (tmp_path / "r2" / "meshes" / "m.stl").write_bytes(mesh_files.stl_text())
    out = tmp_path / "o" / name
    out.parent.mkdir()
    result = run("attach", a, b, "--at", "arm_link", "-o", out)
    assert result.exit_code == 0, result.stderr
    robot = kt.load(out, format="xacro" if name.endswith("xacro") else None)
    contents = []
    for link in ("arm_link", "hand_link"):
        shape = robot.links[link].visuals[0]
        contents.append(path_of(robot, shape.shape.parameters["filename"], shape.source, files_of(robot)).read_bytes())
    assert contents == [mesh_files.stl(), mesh_files.stl_text()]


@pytest.mark.slow
def test_packages_of_both_robots_are_found(run, tmp_path):
    icub, ur5 = icub_urdfs()[0], next(path for path in example_robot_urdfs() if path.name == "ur5_robot.urdf")
    out = tmp_path / "both.urdf"
    result = run("attach", icub, ur5, "--at", "l_hand", "--prefix", "ur_", "-o", out)
    assert result.exit_code == 0, result.stderr
    both = kt.load(out)
    count = sum(len(link.visuals) for path in (icub, ur5) for link in kt.load(path).links.values())
    assert sum(len(link.visuals) for link in both.links.values()) == count
    for link in both.links.values():
        for shape in link.visuals:
            if name := shape.shape.parameters.get("filename"):
                assert path_of(both, name, shape.source, files_of(both)).is_file()


class TestArgumentsOfOneModel:
    ARM = (
        '<robot name="arm" xmlns:xacro="x"><xacro:arg name="type" default="ur3"/><xacro:arg name="n" default="1"/>'
        '<link name="base"/><link name="$(arg type)_tip"/><joint name="j" type="fixed"><parent link="base"/>'
        '<child link="$(arg type)_tip"/><origin xyz="0 0 $(arg n)"/></joint></robot>'
    )

    @pytest.fixture
    def arm(self, tmp_path):
        path = tmp_path / "arm.xacro"
        path.write_text(self.ARM)
        return path

    def test_attach(self, run, arm, files, tmp_path):
        out = tmp_path / "both.urdf"
        to = ("--at", "ur5_tip", "--prefix", "h_", "-o", out)
        result = run("attach", arm, files[1], "--arg-a", "type=ur5", "--arg-b", "length=0.4", *to)
        assert result.exit_code == 0, result.stderr
        assert kt.load(out).joints["h_j"].origin[2, 3] == 0.4

    def test_a_xacro_file_sets_them(self, run, arm, files, tmp_path):
        out = tmp_path / "both.xacro"
        to = ("--at", "ur5_tip", "--prefix", "h_", "-o", out)
        of_both = ("--arg-a", "type=ur5", "--arg", "n=7", "--arg-b", "length=0.4", "--arg-b", "prefix=x_")
        result = run("attach", arm, files[1], *of_both, *to)
        assert result.exit_code == 2  # n is no argument of the hand
        of_both = ("--arg-a", "type=ur5", "--arg-a", "n=7", "--arg-b", "length=0.4", "--arg-b", "prefix=x_")
        result = run("attach", arm, files[1], *of_both, *to)
        assert result.exit_code == 0, result.stderr
        both = kt.load(out)
        assert both.joints["j"].origin[2, 3] == 7
        assert both.joints["h_x_j"].origin[2, 3] == 0.4
        assert "ur5_tip" in both.links

    def test_arguments_of_one_name_and_two_values_are_refused(self, run, arm, tmp_path):
        other = tmp_path / "other.xacro"
        other.write_text(self.ARM.replace("base", "b").replace("_tip", "_end").replace('"j"', '"k"'))
        to = ("--at", "ur3_tip", "-o", tmp_path / "both.xacro")
        result = run("attach", arm, other, "--arg-a", "n=2", "--arg-b", "n=3", *to)
        assert result.exit_code == 2
        assert "it is another robot" in result.stderr
        assert run("attach", arm, other, "--arg", "n=2", *to).exit_code == 0
        assert kt.load(tmp_path / "both.xacro").joints["k"].origin[2, 3] == 2

    def test_compare(self, run, arm):
        assert run("compare", arm, arm, "--arg-a", "n=2", "--arg-b", "n=2").exit_code == 0
        assert run("compare", arm, arm, "--arg-a", "n=2").exit_code == 1
        assert run("compare", arm, arm, "--arg", "n=2", "--arg-b", "n=2").exit_code == 0
        assert run("compare", arm, arm, "--arg", "n=2", "--arg-b", "n=1").exit_code == 1

    def test_a_file_without_arguments_refuses_them(self, run, arm, files):
        result = run("compare", files[0], arm, "--arg-a", "n=2")
        assert result.exit_code == 2
        assert "arguments mean nothing to urdf" in result.stderr

    def test_an_argument_that_one_of_two_files_lacks_has_the_options_for_one(self, run, arm, tmp_path):
        other = tmp_path / "other.xacro"
        other.write_text('<robot name="b" xmlns:xacro="x"><xacro:arg name="size" default="1"/><link name="b"/></robot>')
        for one, two in ((arm, other), (other, arm)):
            result = run("compare", one, two, "--arg", "size=2")
            assert result.exit_code == 2
            assert "--arg sets it in A and B; to set it in one, use --arg-a or --arg-b" in result.stderr


@pytest.mark.slow
def test_files_outside_of_the_workspace_are_named_for_check(run, files, tmp_path):
    (tmp_path / "cell" / ".git").mkdir(parents=True)
    out = tmp_path / "cell" / "both.xacro"
    result = run("attach", *files, *OPTIONS, "-o", out)
    assert result.exit_code == 0, result.stderr
    (line,) = [line for line in result.stderr.splitlines() if "folders = " in line]
    assert line == 'note: kinetree check needs folders = ["..", "../parts"] in kinetree.toml to read these files'
    assert "confined" in run("check", out).stdout
    (tmp_path / "cell" / "kinetree.toml").write_text(line[line.index("folders") : line.index(" in kine")] + "\n")
    assert "confined" not in run("check", out).stdout


def test_nothing_is_said_within_a_workspace(run, files, tmp_path):
    (tmp_path / ".git").mkdir()
    assert "folders" not in run("attach", *files, *OPTIONS, "-o", tmp_path / "both.xacro").stderr
