"""Frames whose place no source gives: no function and no command returns a pose of them without a word."""

import numpy as np
import pytest
from click.testing import CliRunner

import kinetree as kt
from each import each
from kinetree.algorithms.serial import serial_chain
from kinetree.bridges.bodies import bodies_of
from kinetree.cli import group
from kinetree.codes import meaning_of
from kinetree.formats.registry import WRITTEN
from kinetree.logs.convert import converted
from kinetree.model.joints import JOINT_TYPES
from kinetree.serving.content import content_of
from kinetree.viewing.frame_figure import frame_figure

UNPLACED = "l_arm_ft_frame"


@pytest.fixture(scope="module")
def icub():
    robot = kt.load("icub")
    assert robot.frames[UNPLACED].unplaced
    return robot


QUESTIONS = [
    lambda r: kt.fk(r, UNPLACED),
    lambda r: kt.fk(r, ["l_hand", UNPLACED]),
    lambda r: kt.fk(r, "l_hand", base=UNPLACED),
    lambda r: kt.jacobian(r, UNPLACED),
    lambda r: kt.jacobian(r, "l_hand", base=UNPLACED),
    lambda r: kt.hessian(r, UNPLACED),
    lambda r: kt.kinematics.manipulability(r, UNPLACED),
    lambda r: kt.kinematics.velocity(r, UNPLACED),
    lambda r: kt.ik(r, UNPLACED),
    lambda r: kt.dynamics.wrench(r, "l_hand", base=UNPLACED),
    lambda r: kt.dynamics.imu_reading(r, UNPLACED),
    lambda r: kt.dynamics.sensor_reading(r, "l_arm_ft"),
    lambda r: kt.inverse_dynamics(r, wrenches=[UNPLACED]),
    lambda r: kt.reach_map(r, UNPLACED, directions=0, rolls=0),
    lambda r: serial_chain(r, "root_link", UNPLACED),
    lambda r: serial_chain(r, UNPLACED, "l_hand"),
    lambda r: frame_figure(r, UNPLACED, None),
    lambda r: kt.edit.attach(r, kt.chain("Rz(q1)"), UNPLACED, prefix="tool_"),
    lambda r: kt.edit.move_frame(r, r.frames[UNPLACED].link, np.eye(4), relative_to=UNPLACED),
]


@each("question", QUESTIONS)
def test_it_has_no_pose_and_no_reading(icub, question):
    with pytest.raises(
        kt.KinetreeError, match="has no known place, so it has no pose and no reading: no published"
    ) as e:
        question(icub)
    assert [finding.code for finding in e.value.findings] == ["unplaced"]
    assert e.value.findings[0].fix == f"give frame '{UNPLACED}' its place with kt.edit.move_frame"


def test_the_page_of_the_code_says_the_same():
    assert meaning_of("unplaced") == "A part has no known place, so it has no pose and no reading."


def test_a_frame_that_gets_a_place(icub):
    T = kt.load("icub:2.7").frames[UNPLACED].origin
    placed = kt.edit.move_frame(icub, UNPLACED, T)
    link = icub.frames[UNPLACED].link
    np.testing.assert_allclose(kt.fk(placed, UNPLACED, base=link).interpret(placed.q()), T, atol=1e-15)


def test_what_is_fixed_to_it_has_no_place_either(icub):
    why = icub.frames[UNPLACED].unplaced
    known = kt.edit.add_frame(icub, "beside", "l_hand")
    assert not known.frames["beside"].unplaced
    assert kt.edit.add_frame(icub, "beside", UNPLACED).frames["beside"].unplaced == why
    assert kt.edit.add_tool(icub, "tool", np.eye(4), tool0=UNPLACED).frames["tool"].unplaced == why
    text = """convention = "dh"
units = { length = "m", angle = "deg" }
rows = [{ joint = "q1", a = 1, d = 0, alpha = 0, theta = 0 }]
frame = [{ name = "a", on = "q1_link", unplaced = "unknown" }, { name = "b", on = "a" },
  { name = "c", on = "b", unplaced = "of its own" }, { name = "d", on = "q1_link" }]
"""
    frames = kt.load(text, format="dh").frames
    assert [frames[name].unplaced for name in "abcd"] == ["unknown", "unknown", "of its own", ""]


@pytest.mark.slow
@each(
    "arguments",
    [
        ["fk", "icub", UNPLACED],
        ["ik", "icub", "--frame", UNPLACED, "--pose", "0 0 0"],
        ["dh", "icub", "--tip", UNPLACED],
        ["attach", "icub", "icub:2.7", "--at", UNPLACED, "--prefix", "x_", "-o", "x.urdf"],
        ["inspect", "icub", "--frame", UNPLACED, "-o", "x.svg"],
        ["codegen", "icub", "--write", f"fk({UNPLACED})", "-o", "x.c"],
        ["codegen", "icub", "--write", f"jacobian({UNPLACED})", "-o", "x.c"],
    ],
)
def test_commands(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(group, arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has no known place, so it has no pose and no reading" in result.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.slow
@each("format", ["urdf", "sdf", "mjcf"])
def test_files_of_other_programs(icub, tmp_path, format):
    notes = kt.save(icub, tmp_path / f"r.{format}", format=format)
    (note,) = [note for note in notes if note.code == "unplaced"]
    assert note.severity == "warning"
    assert UNPLACED in note.message
    assert "other programs see them where they are guessed" in note.message
    again = kt.load(tmp_path / f"r.{format}", format=format)
    assert again.frames[UNPLACED].unplaced == icub.frames[UNPLACED].unplaced


def test_ets_notes_it(icub):
    notes = []
    WRITTEN["ets"].write(icub, ("inertial", "limit", "geometry", "group", "sensor", "mimic", "coupled_limit"), notes)
    assert [note.code for note in notes].count("unplaced") == 1


@pytest.mark.slow
def test_robots_whose_frames_have_places_have_no_note(tmp_path):
    assert "unplaced" not in [note.code for note in kt.save(kt.load("icub:2.7"), tmp_path / "r.xml")]


@pytest.mark.slow
def test_transforms_leave_it_out_and_say_so(icub, tmp_path):
    (tmp_path / "m.csv").write_text("time,l_elbow\n0,0.5\n1,0.6\n")
    notes = [*converted(icub, tmp_path / "m.csv").notes, *content_of(icub).notes]
    assert [UNPLACED in note.message for note in notes if note.code == "unplaced"] == [True, True]
    known = kt.load("icub:2.7")
    notes = [*converted(known, tmp_path / "m.csv").notes, *content_of(known).notes]
    assert "unplaced" not in [note.code for note in notes]


def test_bridges_have_no_such_frame(icub):
    _, frames = bodies_of(icub, "a library", {*JOINT_TYPES})
    assert {*icub.frames} - {*frames} == {name for name, frame in icub.frames.items() if frame.unplaced}
