"""Parts of `kinetree move` by themselves: the tool, the way to poses and their branches, and a file of points."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import move
from kinetree.cli._controllers import Text
from kinetree.cli._solutions import usable, with_configuration
from kinetree.cli._targets import Target, Targets
from kinetree.controllers import controllers
from kinetree.controllers.controller import Active
from kinetree.errors import KinetreeError, Source, fail
from kinetree.model.edit.frames import add_frame
from kinetree.motion import Motion
from kinetree.spatial.se3 import translation

ROBOT = kt.chain("tx(x) ty(y) Rz(turn)")
TIP = ROBOT.joints["turn"].child
UP = translation([0.0, 0.0, 0.25])


def branch():
    """An arm whose configuration is `right` where x is above 0.5, else `left`."""
    return SimpleNamespace(
        configuration_at=lambda q: "right" if q[0] > 0.5 else "left",
        has=lambda q, name: np.array([name == ("right" if one[0] > 0.5 else "left") for one in q], bool),
        no_configuration="",
        pendant=SimpleNamespace(who=controllers["kuka"]),
    )


def test_the_point_of_a_tool_is_a_frame_of_its_own():
    asked = Targets(TIP, None, None, [], None, Active(tool=UP))
    robot, name = move._with_tool(ROBOT, asked)
    assert name == "active tool"
    assert robot.frames[name].origin[2, 3] == 0.25
    taken = add_frame(add_frame(ROBOT, "active tool", TIP, np.eye(4)), "active tool_", TIP, np.eye(4))
    assert move._with_tool(taken, asked)[1] == "active tool__"
    assert move._with_tool(ROBOT, asked._replace(active=Active())) == (ROBOT, TIP)


@pytest.mark.parametrize("line", [False, True])
def test_a_pose_where_the_frame_is_already_is_left_out(capsys, line):
    near = Target(np.array([1e-8, 0, 0]), "", Text("", "--to"))
    with pytest.raises(KinetreeError, match="the frame is at each of the poses already; expected one elsewhere"):
        move._path(ROBOT, Targets(TIP, None, None, [near]), np.zeros(3), line)
    assert capsys.readouterr().err == "--to: left out, because the frame is there already\n"


def test_a_line_that_arrives_in_another_branch_is_refused(monkeypatch):
    along = lambda s: np.array([s, 0, 0])  # noqa: E731
    monkeypatch.setattr(move, "poses", lambda *_: along)

    def to(configuration):
        target = Target(translation([1.0, 0, 0]), configuration, Text("", None, Source("poses.txt", 4)))
        return move._path(ROBOT, Targets(TIP, None, branch(), [target]), np.zeros(3), True)

    with pytest.raises(KinetreeError) as error:
        to("left")
    (finding,) = error.value.findings
    assert finding.message == "the line arrives in the configuration 'right', not in 'left'"
    assert (finding.code, finding.source.line) == ("configuration", 4)
    for configuration in ("right", ""):
        assert to(configuration) is along


def test_of_all_solutions_one_has_the_branch(monkeypatch):
    asked, every = Targets(TIP, None, branch(), []), np.array([[0.1, 0, 0], [0.7, 0, 0], [0.9, 0, 0], [9, 9, 9]])
    given = {}

    class Solver:
        def solutions(self, T, **options):
            given.update(options)
            if T[0, 3] > 5:
                raise fail("shape", "has no closed form")
            return SimpleNamespace(q=every, mask=np.array([True, True, True, False]))

        def __call__(self, T, q0):
            return SimpleNamespace(success=True, q=q0 + 1)

    monkeypatch.setattr(move, "ik", lambda *_, **options: given.update(options) or Solver())
    target = Target(np.eye(4), "right", Text("", None, Source("poses.txt", 4)))
    assert move._solution(ROBOT, asked, target, np.zeros(3)).tolist() == [0.7, 0, 0]
    assert (given["goal"], given["turns"], given["q0"].tolist()) == ("pose", True, [0, 0, 0])
    assert move._solution(ROBOT, asked, target._replace(configuration=""), np.zeros(3)).tolist() == [1, 1, 1]
    with pytest.raises(KinetreeError) as error:
        move._solution(ROBOT, asked, target._replace(value=translation([6.0, 0, 0])), np.zeros(3))
    assert error.value.findings[0].source.line == 4
    with pytest.raises(KinetreeError, match="has the configuration 'none'; there are left, right"):
        move._solution(ROBOT, asked, target._replace(configuration="none"), np.zeros(3))
    move._solution(ROBOT, asked, Target(np.zeros(3), ""), np.zeros(3))
    assert given["goal"] == "position"


def test_solutions_with_a_configuration():
    q = np.array([[0.1, 0, 0], [0.7, 0, 0]])
    assert with_configuration(branch(), q, "right").tolist() == [[0.7, 0, 0]]
    assert with_configuration(branch(), q[:0], "right").shape == (0, 3)
    with pytest.raises(KinetreeError) as error:
        with_configuration(branch(), q[:1], "right", "--to")
    (finding,) = error.value.findings
    assert finding.message == "no solution inside the limits has the configuration 'right'; there are left"
    assert (finding.element, finding.fix) == ("--to", "leave it out of the pose, or correct it")


def test_a_configuration_that_no_arm_has_is_left_out(capsys):
    none = SimpleNamespace(no_configuration="it has two joints")
    assert [usable(arm, "S 2") for arm in (None, none)] == ["", ""]
    said = capsys.readouterr().err
    assert "the configuration 'S 2' is left out, because no arm leads to the frame" in said
    assert "the configuration 'S 2' is left out, because it has two joints" in said
    assert usable(branch(), "S 2") == "S 2"
    assert (usable(None, ""), capsys.readouterr().err.count("left out")) == ("", 0)


def test_points_are_those_of_the_tool_in_the_numbers_of_the_controller(tmp_path, capsys):
    motion = Motion(ROBOT.coordinate_names, np.array([0.0, 1.0]), np.array([[0, 0, 0], [1, 2, 0.0]]), robot=ROBOT)
    asked = Targets(TIP, None, None, [], controllers["kuka"], Active(tool=UP))
    move._write(asked, motion, tmp_path / "points.txt", True)
    assert (tmp_path / "points.txt").read_text().splitlines() == [
        "{X 0.000, Y 0.000, Z 250.000, A 0.000, B 0.000, C 0.000}",
        "{X 1000.000, Y 2000.000, Z 250.000, A 0.000, B 0.000, C 0.000}",
    ]
    assert capsys.readouterr().err == ""
    who = next(one for one in controllers.values() if one.configuration and one.configuration.unverified)
    arm = SimpleNamespace(configuration_at=lambda q: "")
    move._write(asked._replace(who=who, arm=arm), motion, tmp_path / "none.txt", True)
    assert "not verified" not in capsys.readouterr().err


@pytest.mark.parametrize(("name", "degrees", "last"), [("a.csv", True, 90.0), ("a.csv", False, np.pi / 2)])
def test_a_table_of_a_motion_is_in_the_unit_that_is_asked_for(tmp_path, name, degrees, last):
    motion = Motion(ROBOT.coordinate_names, np.array([0.0]), np.array([[0, 0, np.pi / 2]]), robot=ROBOT)
    move._write(Targets(TIP, None, None, []), motion, Path(tmp_path / name), degrees)
    assert float((tmp_path / name).read_text().splitlines()[-1].split(",")[-1]) == pytest.approx(last)


def test_where_a_motion_begins_is_said_where_nothing_else_says_it(run, tmp_path, monkeypatch):
    def path(*_):
        raise fail("path", "leads nowhere")

    monkeypatch.setattr(move, "_path", path)
    kt.save(ROBOT, tmp_path / "r.urdf")
    (tmp_path / "two.txt").write_text("0 0 0\n1 0 0\n")
    (tmp_path / "one.txt").write_text("1 0 0\n")
    said = "the motion begins at the neutral configuration; --q says another"
    for more, is_said in (
        (("--to", "1 0 0"), True),
        (("--to", "1 0 0", "--q", "x=0.1"), False),
        (("--through", tmp_path / "two.txt"), False),
        (("--through", tmp_path / "one.txt"), True),
    ):
        result = run("move", tmp_path / "r.urdf", "--frame", TIP, *more)
        assert (result.exit_code, said in result.stderr) == (1, is_said), result.output
