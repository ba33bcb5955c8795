"""Loading and saving: what decides the format, and what happens to files."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.checker.plan import jobs
from kinetree.cli._model import _load
from kinetree.errors import Finding
from kinetree.formats.registry import FORMATS, ReadOptions
from kinetree.load import _files, examine
from kinetree.model.robot import Robot
from kinetree.rules.options import CheckOptions

TEXT = '<robot name="r"><link name="a"/></robot>'


@pytest.fixture
def robot() -> Robot:
    return kt.load(TEXT, format="urdf")


class TestFormats:
    def test_xml_is_what_its_root_says(self, tmp_path, robot):
        for name, text in {"u": TEXT, "m": "<!-- x --><mujoco><worldbody/></mujoco>"}.items():
            (tmp_path / f"{name}.xml").write_text(text)
        assert kt.load(tmp_path / "u.xml").root == "a"
        assert kt.load(tmp_path / "m.xml").root == "world"
        kt.save(robot, tmp_path / "saved.xml")
        assert "<mujoco" in (tmp_path / "saved.xml").read_text()

    def test_a_path_with_a_format_is_a_file(self, tmp_path):
        path = tmp_path / "robot.txt"
        path.write_text(TEXT)
        assert kt.load(path, format="urdf").name == "r"

    @each(
        "source, more, said",
        [
            ("arm.urdf", {"format": "urdf"}, "a file is a pathlib.Path"),
            (TEXT, {}, "say format="),
            ("arm.abc", {}, "No such file"),
            ("iccub", {}, "did you mean 'icub'"),
            (TEXT, {"format": "urdff"}, "did you mean 'urdf'"),
            (TEXT, {"format": "urdf", "args": {"a": 1}}, "arguments mean nothing to urdf"),
            (TEXT, {"format": "urdf", "model": "m"}, "only SDF files hold several"),
        ],
    )
    def test_what_is_wrong_is_said(self, source, more, said):
        with pytest.raises(kt.KinetreeError) as caught:
            kt.load(source, **more)
        assert said in str(caught.value)

    def test_an_ending_that_is_not_known(self, tmp_path, robot):
        (tmp_path / "robot.abc").write_text("robot")
        for action in (lambda: kt.load(tmp_path / "robot.abc"), lambda: kt.save(robot, tmp_path / "out.abc")):
            with pytest.raises(kt.KinetreeError, match=r"legal endings are .*\.urdf"):
                action()


class TestOptionsOfSomeFormats:
    """A column of `FORMATS` says to which formats an option means something."""

    @each("row", FORMATS.values())
    @each(
        "option, said",
        [
            (
                {"args": {"a": 1}},
                "arguments mean nothing to {}; only xacro files have them, and variants of OpenUSD [option]",
            ),
            ({"model": "m"}, "model='m' means nothing to {}; only SDF files hold several [option]"),
            ({"packages": {"p": "."}}, "packages mean nothing to {}, which refers to no files [option]"),
        ],
    )
    def test_what_means_nothing_to_a_format_is_refused(self, row, option, said):
        (name,) = option
        (refused,) = [str(f) for f in examine_findings("", format=row.name, **option) if f.code == "option"] or [None]
        assert refused == (None if name in row.options else f"error: {said.format(row.name)}")

    def test_the_column_decides(self, monkeypatch, tmp_path):
        """For a text, for a file, for the models of a command and for jobs."""
        path = tmp_path / "a.urdf"
        path.write_text(TEXT)
        given = ReadOptions(args={"a": "1"})
        with pytest.raises(kt.KinetreeError, match="mean nothing to urdf"):
            kt.load(path, args={"a": "1"})
        with pytest.raises(kt.KinetreeError, match="mean nothing to urdf"):
            _load([str(path)], given, [{}])
        with pytest.raises(kt.KinetreeError, match="--arg means something to usd and xacro alone"):
            jobs([str(path)], None, CheckOptions(read=given))
        monkeypatch.setitem(FORMATS, "urdf", replace(FORMATS["urdf"], options=("args",)))
        assert kt.load(path, args={"a": "1"}).name == kt.load(TEXT, format="urdf", args={"a": "1"}).name
        assert [robot.name for robot in _load([str(path)], given, [{}])] == ["r"]
        (job,) = jobs([str(path)], None, CheckOptions(read=given))
        assert job.options.read.args == {"a": "1"}


class TestOldName:
    """`xacro_args=` is `args=`, with a warning, as docs/explanation/stability.md promises."""

    XACRO = """<robot name="$(arg n)" xmlns:xacro="http://www.ros.org/wiki/xacro">
        <xacro:arg name="n" default="a"/><link name="l"/></robot>"""

    @each("read", [kt.load, kt.check])
    def test_it_warns_and_works(self, read, tmp_path):
        path = tmp_path / "a.urdf.xacro"
        path.write_text(self.XACRO.replace('"l"', '"$(arg n)"'))
        with pytest.warns(DeprecationWarning, match=r"xacro_args= is deprecated, removed in 0.4; use args=") as seen:
            old = read(path, xacro_args={"n": "b c"})
        assert seen[0].filename == __file__
        new = read(path, args={"n": "b c"})
        assert [old.name, *old.links] == [new.name, "b c"] if read is kt.load else [*map(str, old)] == [*map(str, new)]

    @each("read", [kt.load, kt.check])
    def test_both_names_are_refused(self, read):
        with pytest.raises(kt.KinetreeError, match="xacro_args= is the old name of args=; expected one of them"):
            read(self.XACRO, format="xacro", args={}, xacro_args={})


def examine_findings(text: str, **options) -> tuple[Finding, ...] | list[Finding]:
    """What is wrong with a text."""
    try:
        return examine(text, ReadOptions(**options))[1]
    except kt.KinetreeError as error:
        return error.findings


class TestWriting:
    def test_nothing_is_half_written(self, tmp_path, robot):
        path = tmp_path / "robot.urdf"
        path.write_text("old")
        ball = kt.load(
            "<mujoco><worldbody><body><joint type='ball'/><geom size='1'/></body></worldbody></mujoco>", format="mjcf"
        )
        with pytest.raises(kt.KinetreeError, match="cannot-say-joint"):
            kt.save(ball, path)
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["robot.urdf"]

    def test_a_link_is_followed(self, tmp_path, robot):
        path, link = tmp_path / "robot.urdf", tmp_path / "link.urdf"
        path.write_text("old")
        link.symlink_to(path)
        kt.save(robot, link)
        assert link.is_symlink()
        assert path.read_text() == TEXT

    def test_a_pipe_stays_a_pipe(self, tmp_path, robot, monkeypatch):
        """As a device does, in whose folder nobody but root may write."""
        path = tmp_path / "pipe.urdf"
        os.mkfifo(path)
        monkeypatch.setattr("os.access", lambda asked, _: Path(asked) != tmp_path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        kt.save(robot, path)
        assert os.read(reader, 1000).decode() == TEXT
        os.close(reader)
        assert not path.is_file()

    def test_a_folder_is_refused(self, tmp_path, robot):
        (tmp_path / "folder.urdf").mkdir()
        with pytest.raises(kt.KinetreeError, match="cannot be written"):
            kt.save(robot, tmp_path / "folder.urdf")

    @pytest.mark.parametrize("encoding", ["iso-8859-1", "cp1252", "utf-8", "utf-16"])
    def test_names_survive_any_encoding(self, encoding, tmp_path):
        text = f'<?xml version="1.0" encoding="{encoding}"?>\n<robot name="b"><link name="épaule"/></robot>\n'
        (tmp_path / "in.urdf").write_bytes(text.encode(encoding))
        kt.save(kt.load(tmp_path / "in.urdf"), tmp_path / "out.urdf")
        assert list(kt.load(tmp_path / "out.urdf").links) == ["épaule"]

    @pytest.mark.parametrize("format", ["urdf", "sdf", "mjcf"])
    def test_a_name_that_xml_cannot_say_is_refused(self, format, robot, tmp_path):
        odd = kt.edit.rename(robot, {"a": "a\x01"})
        with pytest.raises(kt.KinetreeError, match="XML does not allow"):
            kt.save(odd, tmp_path / "out", format=format)

    def test_what_is_too_deep_to_be_read_is_not_written(self, tmp_path):
        n = 1500
        links = "".join(f'<link name="l{i}"/>' for i in range(n + 1))
        joints = "".join(
            f'<joint name="j{i}" type="fixed"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(n)
        )
        robot = kt.load(f'<robot name="r">{links}{joints}</robot>', format="urdf")
        with pytest.raises(kt.KinetreeError, match="elements inside each other"):
            kt.save(robot, tmp_path / "out.mjcf")


def test_xml_of_no_format_says_why(tmp_path):
    for text, message in [("", "the file is empty"), (" \n", "the file is empty"), ("<a/>", "root element is <a>;")]:
        (tmp_path / "a.xml").write_text(text)
        with pytest.raises(kt.KinetreeError, match=message):
            kt.load(tmp_path / "a.xml")


def test_packages_may_be_relative(tmp_path, monkeypatch):
    (tmp_path / "ext").mkdir()
    (tmp_path / "ext" / "m.xacro").write_text('<robot><link name="a"/></robot>')
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "r.xacro").write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:include filename="$(find p)/m.xacro"/></robot>'
    )
    monkeypatch.chdir(tmp_path)
    assert kt.load("robots/r.xacro", packages={"p": "ext"}).root == "a"


def test_errors_and_robots_cross_processes():
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(Path("no.urdf"))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.findings) == (str(caught.value), caught.value.findings)
    icub = kt.load("icub")
    assert pickle.loads(pickle.dumps(icub)).joint_names == icub.joint_names


@pytest.mark.slow
def test_many_followers_of_followers_load_quickly():
    n = 3000  # each before its leader: looking at every chain from its end would take minutes
    links = "".join(f'<link name="l{i}"/>' for i in range(n))
    joints = "".join(
        f'<joint name="j{i}" type="prismatic"><parent link="l0"/><child link="l{i}"/><axis xyz="0 0 1"/>'
        f'<limit lower="-1" upper="1" velocity="1" effort="1"/>'
        + (f'<mimic joint="j{i + 1}"/>' if i < n - 1 else "")
        + "</joint>"
        for i in range(1, n)
    )
    robot = kt.load(f'<robot name="r">{links}{joints}</robot>', format="urdf")
    assert robot.joint_names == (f"j{n - 1}",)


def test_a_name_that_is_known_twice_is_suggested_once():
    with pytest.raises(KeyError, match=r"no sensor 'l_arm_fts'; did you mean 'l_arm_ft'[?]"):
        kt.icub.sensor(kt.load("icub"), "l_arm_fts")  # the sensor's name, and an alias


def test_an_unknown_group_lists_the_nearest():
    with pytest.raises(KeyError, match="did you mean 'left_arm'"):
        kt.load("icub").groups["left_am"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("ARM.URDF", "<robot name='r'><link name='a'/></robot>", "r"),
        ("ARM.XML", "<robot name='r'><link name='a'/></robot>", "r"),
        ("Arm.Urdf.Xacro", "<robot name='r'><link name='a'/></robot>", "r"),
        ("CELL.SDF", "<sdf version='1.7'><model name='r'><link name='a'/></model></sdf>", "r"),
        ("CELL.WORLD", "<sdf version='1.7'><model name='r'><link name='a'/></model></sdf>", "r"),
        ("ARM.MJCF", "<mujoco model='r'><worldbody/></mujoco>", "r"),
        ("ARM.ETS", "name = r\ntx(1) Rz(q)", "r"),
        ("ARM.CSV", "# name: r\n# convention: dh\na (m), alpha (rad), d (m), theta (rad)\n1, 0, 0, 0", "r"),
        ("ARM.SRDF", "<robot name='r'/>", "an SRDF describes the groups"),
        ("Arm.Srdf.XACRO", "<robot name='r'/>", "an SRDF describes the groups"),
        ("ARM.YAML", "a: 1", "a YAML file makes no robot"),
        ("ARM.Yml", "a: 1", "a YAML file makes no robot"),
        ("ARM.STL", "solid", "its format is not known"),
    ],
)
def test_endings_in_capitals_are_those_of_the_same_format(name, content, expected, tmp_path):
    for path in (tmp_path / name, tmp_path / name.lower()):
        path.write_text(content)
        try:
            result = kt.load(path).name
        except kt.KinetreeError as error:
            result = error.findings[0].message
        assert result.startswith(expected)


def test_an_srdf_that_wants_an_argument_is_a_remark_of_a_check(tmp_path):
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    srdf = tmp_path / "r.srdf.xacro"
    srdf.write_text(f'<robot name="r" {space}><group name="$(arg hand)"/></robot>')
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(TEXT, format="urdf", srdf=str(srdf))
    assert [(one.code, one.severity) for one in caught.value.findings] == [("xacro-argument", "error")]
    path = tmp_path / "r.urdf"
    path.write_text(TEXT)
    found = [one for one in kt.check(path, srdf=str(srdf)) if "hand" in one.message]
    assert [(one.code, one.severity) for one in found] == [("xacro", "info")]


def test_a_mesh_of_masses_that_is_not_there_or_cannot_be_read(tmp_path, monkeypatch):
    path = tmp_path / "r.xml"
    path.write_text(
        '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body name="a"><joint name="j"/>'
        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
    )
    files = _files({}, None)

    def denied(_wanted, _from):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files, "open", denied)
    for read in (files.mesh, files.closed_mesh):
        with pytest.raises(kt.KinetreeError) as caught:
            read("m.stl", str(path))
        (finding,) = caught.value.findings
        assert (finding.code, finding.message) == ("mesh", "'m.stl' cannot be read: Permission denied")


def test_what_cannot_be_written_is_said(robot, tmp_path):
    for call, code, said in (
        (
            lambda: kt.save(robot, "a\0.urdf"),
            "file",
            "'a\\x00.urdf' contains a null character",
        ),
        (lambda: kt.save(robot, tmp_path / "a.txt"), "format", "cannot write 'a.txt'; legal endings are "),
        (
            lambda: kt.save(robot, tmp_path / "a.txt", format="txt"),
            "format",
            "cannot write 'txt'; legal endings are ",
        ),
        (lambda: kt.save(robot, tmp_path / "a.urdf", assets="take"), "assets", "assets='take'; expected 'bring' or"),
        (lambda: kt.text(robot, "udrf"), "format", "cannot write format 'udrf'; did you mean 'urdf'"),
    ):
        with pytest.raises(kt.KinetreeError) as caught:
            call()
        (finding,) = caught.value.findings
        assert (finding.code, finding.message[: len(said)]) == (code, said)
    assert list(tmp_path.iterdir()) == []
