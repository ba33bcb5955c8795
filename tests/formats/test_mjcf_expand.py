"""Elements of MJCF that make bodies, expanded by MuJoCo in a child process."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import kinetree as kt
from kinetree.checker.job import Job
from kinetree.checker.pool import check_all
from kinetree.confine import Confinement
from kinetree.formats.mjcf import by_mujoco, expand
from kinetree.formats.registry import ReadOptions
from kinetree.isolated import ChildError, call
from kinetree.rules.options import CheckOptions
from kinetree.spatial import se3

pytestmark = pytest.mark.slow

installed = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="wants the mujoco extra")

ARM = """<mujoco model="arm">
  <worldbody>
    <body name="upper" pos="0 0 0.1"> <joint name="elbow" axis="0 1 0" range="-90 90"/> <geom size="0.1"/>
      <body name="lower" pos="0 0 0.3"> <joint name="wrist" axis="0 1 0"/> <geom size="0.05"/>
        <site name="tip" pos="0 0 0.2"/> </body> </body>
  </worldbody>
</mujoco>"""
CELL = """<mujoco model="cell">
  <asset> <model name="arm" file="parts/arm.xml"/> </asset>
  <worldbody>
    <body name="stand" pos="1 0 0"> <geom size="0.2"/>
      <attach model="arm" body="upper" prefix="left_"/>
      <frame pos="0 1 0">
        <attach model="arm" body="upper" prefix="right_"/>
      </frame>
    </body>
    <body> <freejoint/> <geom size="0.1"/> </body>
    <flexcomp name="cloth" type="grid" count="3 2 1" spacing="0.1 0.1 0.1" dim="2" pos="0 0 2"/>
  </worldbody>
  <equality> <weld body1="stand" body2="left_lower"/> </equality>
</mujoco>"""


@pytest.fixture
def cell(tmp_path):
    """The file of a cell, which attaches an arm of another file twice."""
    (tmp_path / "cell" / "parts").mkdir(parents=True)
    (tmp_path / "cell" / "parts" / "arm.xml").write_text(ARM)
    (tmp_path / "cell" / "cell.xml").write_text(CELL)
    return tmp_path / "cell" / "cell.xml"


def line_of(text: str) -> int:
    return CELL[: CELL.index(text)].count("\n") + 1


def codes(findings) -> list[str]:
    return [finding.code for finding in findings]


@installed
def test_made_bodies_stand_at_their_makers_and_others_at_their_own_place(cell):
    robot = kt.load(cell, expand="mujoco")
    lines = {name: link.source.line for name, link in robot.links.items()}
    assert {link.source.file for link in robot.links.values()} == {str(cell)}
    assert lines["stand"] == line_of('<body name="stand"')
    assert lines["left_upper"] == lines["left_lower"] == line_of('<attach model="arm" body="upper" prefix="left_"')
    assert lines["right_upper"] == lines["right_lower"] == line_of('<attach model="arm" body="upper" prefix="right_"')
    assert robot.joints["right_wrist"].source.line == lines["right_upper"]
    assert robot.frames["left_tip"].source.line == lines["left_upper"]
    (free,) = (joint for joint in robot.joints.values() if joint.type == "floating")
    assert lines[free.child] == free.source.line == line_of("<body> <freejoint/>")
    cloth = [name for name in lines if name.startswith("cloth_") and name[6:].isdigit()]
    assert len(cloth) == 6
    assert {lines[name] for name in cloth} == {line_of("<flexcomp")}
    made = [note for note in robot.notes if (note.code, note.severity) == ("expanded", "info")]
    assert [note.source.line for note in made] == [line_of("<attach"), lines["right_upper"], line_of("<flexcomp")]
    assert [note.message.partition("makes ")[2].split()[0] for note in made] == ["2", "2", "6"]
    assert [note.source.line for note in robot.notes if note.code == "loop"] == [line_of("<weld")]


COPIES = """<mujoco>
  <asset> <model name="arm" file="parts/arm.xml"/> </asset>
  <worldbody>
    <attach model="arm" body="upper" prefix="left_"/>
    <replicate count="3" offset="1 0 0" sep="_">
      <body name="left_x">
        <joint name="left_j"/> <geom size="0.2"/>
        <body>
          <joint type="slide"/> <geom size="0.2"/>
        </body>
      </body>
    </replicate>
    <body name="mid"> <geom size="0.2"/>
      <attach model="arm" body="upper" prefix="mid_"/>
      <replicate count="2" offset="1 0 0">
        <geom size="0.1"/>
        <attach model="arm" body="upper" prefix="r_"/>
      </replicate>
    </body>
  </worldbody>
</mujoco>"""


@installed
def test_copies_of_a_replicate_stand_where_their_original_stands(cell):
    cell.write_text(COPIES)
    robot = kt.load(cell, expand="mujoco")
    lines = {name: thing.source.line for name, thing in {**robot.links, **robot.joints}.items()}
    assert {lines[f"left_x_{i}"] for i in range(3)} == {6}
    assert {lines[f"left_j_{i}"] for i in range(3)} == {7}
    for prefix, suffix, line in (("left_", "", 4), ("mid_", "", 14), ("r_", "0", 17), ("r_", "1", 17)):
        assert {lines[f"{prefix}{name}{suffix}"] for name in ("upper", "lower", "elbow", "wrist")} == {line}
    slides = [joint for joint in robot.joints.values() if joint.type == "prismatic"]
    assert [(joint.source.line, robot.links[joint.child].source.line) for joint in slides] == [(9, 8)] * 3
    made = [note for note in robot.notes if (note.code, note.severity) == ("expanded", "info")]
    assert [(note.source.line, note.message.partition("makes ")[2].split()[0]) for note in made] == [
        *((4, "2"), (14, "2"), (17, "4")),
    ]


@installed
def test_made_bodies_move_as_those_of_the_attached_file(cell):
    robot, arm = kt.load(cell, expand="mujoco"), kt.load(ARM, format="mjcf")
    for side, y in (("left", 0.0), ("right", 1.0)):
        q = robot.q({f"{side}_elbow": 0.3, f"{side}_wrist": -0.7})
        T = kt.fk(arm, "tip")(arm.q(elbow=0.3, wrist=-0.7))
        T_world = se3.translation([1, y, 0]) @ T
        assert np.abs(kt.fk(robot, f"{side}_tip")(q) - T_world).max() < 1e-15
        assert robot.joints[f"{side}_elbow"].limits == arm.joints["elbow"].limits


@installed
def test_a_confined_model_attaches_nothing_from_elsewhere(cell, tmp_path):
    assert len(kt.load(cell, expand="mujoco", confined=Confinement([cell.parent])).links) > 6
    (tmp_path / "elsewhere.xml").write_text(ARM)
    cell.write_text(CELL.replace("parts/arm.xml", "../elsewhere.xml"))
    assert len(kt.load(cell, expand="mujoco").links) > 6
    with pytest.raises(kt.KinetreeError, match=r"elsewhere\.xml, lies outside of the workspace") as caught:
        kt.load(cell, expand="mujoco", confined=Confinement([cell.parent]))
    assert codes(caught.value.findings) == ["confined"]


@installed
@pytest.mark.slow
def test_what_mujoco_refuses_is_an_error_at_the_element(cell):
    cell.write_text(CELL.replace('count="3 2 1"', 'count="3 2 1" odd="1"'))
    with pytest.raises(kt.KinetreeError, match=r"refuses this model: .*'odd'") as caught:
        kt.load(cell, expand="mujoco")
    (finding,) = caught.value.findings
    assert (finding.code, finding.source.line) == ("expand", line_of("<flexcomp"))
    cell.write_text(CELL.replace("<freejoint/>", "<replicate count='2'><joint/></replicate>"))
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(cell, expand="mujoco")
    assert "unnamed" not in str(caught.value)


@installed
@pytest.mark.slow
def test_the_checker_expands_in_its_own_child(cell):
    options = CheckOptions("industrial", read=ReadOptions(expand="mujoco"))
    (checked,) = check_all([Job(str(cell), options)])
    assert "expanded" in codes(checked.findings)
    assert not {"not-supported", "expand", "check-crashed"} & set(codes(checked.findings))


REPLICAS = """<mujoco>
  <worldbody>
    <replicate count="3" offset="0 0.5 0" sep="_">
      <body name="a"> <joint name="j"/> <geom size="0.1"/> </body>
    </replicate>
    <replicate count="2" offset="1 0 0"> <body name="b"> <geom size="0.1"/> </body> </replicate>
  </worldbody>
  <sensor> <jointpos name="s" joint="j"/> </sensor>
</mujoco>"""


@installed
@pytest.mark.slow
def test_replicas_that_are_named_elsewhere():
    robot = kt.load(REPLICAS, format="mjcf", expand="mujoco")  # which is not needed
    assert list(robot.links) == ["world", "a_0", "a_1", "a_2", "b0", "b1"]
    assert [robot.links[name].source.line for name in ("a_0", "a_1", "a_2", "b0", "b1")] == [4, 4, 4, 6, 6]
    assert robot.joint_names == ("j_0", "j_1", "j_2")
    assert list(robot.sensors) or "j_2" in str(robot.extensions)
    assert "expanded" not in {note.code for note in robot.notes}


def test_without_the_option_the_error_names_it(cell):
    with pytest.raises(kt.KinetreeError, match="expand='mujoco'") as caught:
        kt.load(cell)
    assert codes(caught.value.findings) == ["not-supported"]  # the <flexcomp>; <attach> is read without MuJoCo
    with pytest.raises(kt.KinetreeError, match="expand='mojoco'; did you mean 'mujoco'"):
        kt.load(cell, expand="mojoco")
    with pytest.raises(kt.KinetreeError, match="only MJCF files hold elements that make bodies"):
        kt.load("<robot/>", format="urdf", expand="mujoco")


def test_without_mujoco_the_error_says_what_to_install(cell, monkeypatch):
    monkeypatch.setattr(expand.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(kt.KinetreeError, match=r"pip install 'kinetree\[mujoco\]'") as caught:
        kt.load(cell, expand="mujoco")
    assert codes(caught.value.findings) == ["expand"]


def test_a_child_that_ends_is_an_error(cell, monkeypatch):
    def end(*_arguments, **_options):
        raise ChildError("ended with SIGSEGV")

    monkeypatch.setattr(expand.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr("kinetree.isolated.call", end)
    with pytest.raises(kt.KinetreeError, match="MuJoCo expands this model ended with SIGSEGV"):
        kt.load(cell, expand="mujoco")


@pytest.mark.parametrize("answer", [5, None, ("4",), ("4", "", "", (), True, {"a": 1}), ("4", 1, "", (), True, {})])
def test_a_child_that_answers_something_else_is_an_error(answer, cell, monkeypatch):
    monkeypatch.setattr(expand.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr("kinetree.isolated.call", lambda *_arguments, **_options: answer)
    with pytest.raises(kt.KinetreeError, match="an answer that is not a model"):
        kt.load(cell, expand="mujoco")


@installed
def test_names_of_the_file_that_look_like_marks_stay(cell):
    odd = '<body name="unnamed99999:"/> <body name="unnamed1:"/> <body name="kinetree:order"/> </worldbody>'
    cell.write_text(CELL.replace("</worldbody>", odd))
    robot = kt.load(cell, expand="mujoco")
    assert {"unnamed99999:", "unnamed1:", "kinetree:order"} <= set(robot.links)
    assert robot.links["unnamed1:"].source.line == line_of("</worldbody>")


@installed
def test_mujoco_is_never_loaded_here(cell, tmp_path):
    script = "import sys, kinetree as kt; kt.load(sys.argv[1], expand='mujoco'); print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script, str(cell)], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_call_in_a_child_returns_or_fails():
    limits = {"seconds": 20, "megabytes": 2048, "readable": None}
    assert call("os.path:basename", "a/b", **limits) == "b"
    with pytest.raises(ChildError, match="exit status 1"):
        call("os.path:getsize", "/no/such/file", **limits)
    with pytest.raises(ChildError, match=r"takes more than 0\.3 s"):
        call("time:sleep", 60, **{**limits, "seconds": 0.3})
    with pytest.raises(ChildError, match="Path is not an answer"):
        call("pathlib:Path", "a", **limits)  # a class that is not known


@installed
def test_numbers_are_written_with_all_digits():
    made = by_mujoco.Expansion(
        *call(
            "kinetree.formats.mjcf.by_mujoco:expand",
            '<mujoco><worldbody><body pos="0.12345678901234567 0 0"><geom size="1"/></body></worldbody></mujoco>',
            ".",
            seconds=60,
            megabytes=4096,
            readable=None,
        )
    )
    assert made.exact
    assert float(made.text.partition('pos="')[2].split()[0]) == 0.12345678901234567
