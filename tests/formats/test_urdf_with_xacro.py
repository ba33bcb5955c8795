"""URDF files that hold instructions of xacro: read as xacro, with a note, and confined."""

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.checker.plan import jobs
from kinetree.checker.pool import check_all, needs_children

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <link name="base"/>
  <link name="tool"/>{}
  <joint name="turn" type="continuous">
    <parent link="base"/><child link="tool"/><origin xyz="1 2 3" rpy="0 0 1.5"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""
PLAIN = ARM.format("")


@pytest.fixture
def written(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def write(text, name="arm.urdf"):
        (tmp_path / "work" / name).write_text(text)
        return name

    return write


def test_an_inert_property_changes_nothing(written):
    robot = kt.load(written(ARM.format('<xacro:property name="unused" value="1"/>')))
    plain = kt.load(PLAIN, format="urdf")
    assert np.array_equal(kt.fk(robot, "tool")([0.5]), kt.fk(plain, "tool")([0.5]))
    (note,) = robot.notes
    assert (note.code, note.severity, note.source.line) == ("xacro-in-urdf", "warning", 3)
    assert "<xacro:property" in note.excerpt


def test_an_expression_alone_is_evaluated(written):
    robot = kt.load(written(PLAIN.replace("0 0 1.5", "0 0 ${3 / 2}")))
    assert [note.code for note in robot.notes] == ["xacro-in-urdf"]
    assert np.array_equal(kt.fk(robot, "tool")([0]), kt.fk(kt.load(PLAIN, format="urdf"), "tool")([0]))


def test_text_that_xml_forbids_is_read_as_without_xacro(written):
    text = ARM.format('<!-- a -- b --><xacro:property name="x" value="1 & 2"/>').replace("0 0 1.5", "0 0 ${3 / 2}")
    robot = kt.load(written(f"\n<?xml version='1.0'?>{text}</robot>"))
    assert np.array_equal(kt.fk(robot, "tool")([0.5]), kt.fk(kt.load(PLAIN, format="urdf"), "tool")([0.5]))
    assert [note.code for note in robot.notes] == ["xacro-in-urdf"] + ["xml-lenient"] * 4
    assert robot.joints["turn"].source.line == 5
    (lenient,) = (note for note in robot.notes if "comment" in note.message)
    assert (lenient.source.line, lenient.source.column) == (4, 26)
    with pytest.raises(kt.KinetreeError, match="not well-formed"):  # a xacro file stays strict
        kt.load(written(text, "arm.xacro"))


@pytest.mark.parametrize("more", ["<gazebo><a>$(find p)/x</a></gazebo>", "<!-- <xacro:include filename='x'/> -->"])
def test_what_no_number_depends_on_is_not_expanded(written, more):
    text = ARM.format(more)
    robot = kt.load(written(text))
    assert robot.notes == ()
    assert robot.text.text == text


def test_shapes_are_expanded_too(written):
    shape = '<link name="c"><visual name="v"><geometry><sphere radius="${2 * 3}"/></geometry></visual></link>'
    joint = '<joint name="k" type="fixed"><parent link="tool"/><child link="c"/></joint>'
    robot = kt.load(written(ARM.format(shape + joint)))
    assert robot.links["c"].visuals[0].shape.parameters == {"radius": 6}


def test_it_is_confined_unless_the_format_is_given(written, monkeypatch, tmp_path):
    monkeypatch.setenv("SECRET", "0.5")
    file = written(PLAIN.replace("0 0 1.5", "0 0 $(env SECRET)"))
    with pytest.raises(
        kt.KinetreeError, match=r"'SECRET' is not set, or the settings do not allow it.*read as xacro"
    ) as caught:
        kt.load(file)
    assert caught.value.findings[0].code == "confined"
    assert kt.load(Path(file), format="xacro").notes == ()
    (tmp_path / "other.xacro").write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="c"/></robot>')
    file = written(ARM.format('<xacro:include filename="../other.xacro"/>'))
    with pytest.raises(kt.KinetreeError, match="confined"):
        kt.load(file)
    with pytest.raises(kt.KinetreeError, match="several-roots"):  # it was included
        kt.load(Path(file), format="xacro")


def test_includes_of_its_folder_are_read(written):
    written(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="a" value="1.5"/></robot>', "p.xacro"
    )
    text = ARM.format('<xacro:include filename="p.xacro"/>').replace("0 0 1.5", "0 0 ${a}")
    robot = kt.load(written(text))
    assert np.array_equal(kt.fk(robot, "tool")([0]), kt.fk(kt.load(PLAIN, format="urdf"), "tool")([0]))


def test_an_error_of_the_expansion_says_so(written):
    with pytest.raises(kt.KinetreeError, match=r"the argument 'a' needs a value.*the file is read as xacro"):
        kt.load(written(PLAIN.replace("0 0 1.5", "0 0 $(arg a)")))
    robot = kt.load(written(PLAIN.replace("0 0 1.5", "0 0 $(arg a)")), args={"a": 1.5})
    assert np.array_equal(kt.fk(robot, "tool")([0]), kt.fk(kt.load(PLAIN, format="urdf"), "tool")([0]))


def test_a_call_of_no_macro_is_left_out_as_urdfdom_does(written):
    robot = kt.load(written(ARM.format('<xacro:sensors name="s"/>')))
    assert [note.code for note in robot.notes] == ["xacro-in-urdf", "left-over-xacro"]
    assert "unknown macro name: xacro:sensors" in robot.notes[0].message
    assert [e.tag for e in robot.extensions] == ["xacro:sensors"]
    with pytest.raises(kt.KinetreeError, match="unknown macro"):  # a name would be a guess
        kt.load(written(ARM.format('<xacro:sensors name="s"/><link name="${p}c"/>')))


def test_arguments_for_a_file_without_xacro_are_an_error(written):
    for text in (PLAIN, ARM.format("<!-- ${a} -->")):
        with pytest.raises(kt.KinetreeError, match="arguments mean nothing to urdf"):
            kt.load(written(text), args={"a": 1})


def test_the_format_urdf_is_urdf(written):
    text = ARM.format('<xacro:property name="unused" value="1"/>')
    for source in (text, Path(written(text))):
        with pytest.raises(kt.KinetreeError, match="left-over-xacro"):
            kt.load(source, format="urdf")


@pytest.mark.slow
def test_the_checker_expands_it_in_a_child(written):
    plain = written(PLAIN, "plain.urdf")
    file = written(PLAIN.replace("0 0 1.5", "0 0 ${3 / 2}").replace('xyz="0 0 1"', 'xyz="0 0 2"'))
    assert not needs_children(jobs([plain]))
    assert needs_children(jobs([plain, file]))
    (checked,) = check_all(jobs([file]))
    assert {f.code for f in checked.findings} >= {"xacro-in-urdf", "JNT-001"}
    assert {f.code for f in kt.check(file)} >= {"xacro-in-urdf", "JNT-001"}
