"""Progress of long work: what loops report, to a function or as a bar, and which functions report."""

import os
import pty
import subprocess
import sys
import time

import numpy as np
import pytest

import kinetree as kt
from kinetree import progress
from kinetree.progress import reporting, tracked
from physics import everything


def test_without_a_listener_items_pass_as_they_are():
    assert list(tracked(iter("abc"), "letters")) == ["a", "b", "c"]
    with reporting(False):
        assert list(tracked("abc", "letters")) == ["a", "b", "c"]


def test_a_function_gets_the_steps_done_and_their_total():
    done = []
    with reporting(lambda *counts: done.append(counts)):
        assert list(tracked(iter(range(3)), "numbers", 3)) == [0, 1, 2]
        for _ in tracked(range(0, 25, 10), "tens", 25, 10):
            list(tracked("ab", "inner loops are silent"))
    list(tracked("ab", "after the end"))
    assert done == [(1, 3), (2, 3), (3, 3), (10, 25), (20, 25), (25, 25)]


def test_a_loop_that_is_left_early_ends_its_report():
    done = []
    with reporting(lambda *counts: done.append(counts)):
        for item in tracked("abc", "letters"):
            if item == "b":
                break
        list(tracked("x", "one"))
    assert done == [(1, 3), (1, 1)]


def test_a_bar_appears_only_after_a_while_and_vanishes(monkeypatch, capsys):
    with reporting(True):
        list(tracked("abc", "quick"))
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with reporting(True):
        for _ in tracked("abc", "[slow] letters"):
            time.sleep(0.01)
    out, err = capsys.readouterr()
    assert out == ""
    assert "[slow] letters" in err
    assert "2/3" in err
    assert "\x1b[?25h" in err  # the cursor is back


def spherical():
    robot = kt.load("icub")
    solver = kt.ik(robot, "l_hand", "chest")
    return solver, kt.fk(robot, "l_hand", "chest")(robot.limits.sample(20, seed=0))


def calls(monkeypatch):
    """The public functions with progress=, as functions of it."""
    icub, other = kt.load("icub"), everything()
    solver, T = spherical()
    axes = [("0 0 0.2", "0 0 1"), ("0.15 0 0.25", "0 1 0"), ("0 0 0.6", "0 1 0")]
    links = "".join(f'<link name="l{i}"/>' for i in range(4))
    joints = "".join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/><origin xyz="{xyz}"/>'
        f'<axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>'
        for i, (xyz, axis) in enumerate(axes)
    )
    arm = kt.load(f'<robot name="arm">{links}{joints}</robot>', format="urdf")
    rng = np.random.default_rng(0)
    frames = {"base": "l0", "tool0": "l3", "base_link": "l0", "flange": "l3"}
    return {
        "compare": lambda p: kt.compare(other, other, samples=3, progress=p),
        "ik": lambda p: solver(T, progress=p),
        "widen": lambda p: kt.limits.widen(
            icub, {icub.limits.row_names[0]: 0.1}, reach="l_hand", samples=1000, cell=0.1, progress=p
        ),
        "calibrate": lambda p: kt.calibrate(
            arm, "kuka", rng.uniform(-90, 90, (6, 3)), rng.uniform(-90, 90, (6, 6)), **frames, progress=p
        ),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["compare", "ik", "widen", "calibrate"])
def test_long_functions_report_each_part_to_its_end(monkeypatch, name):
    done = []
    calls(monkeypatch)[name](lambda *counts: done.append(counts))
    assert done
    assert all(1 <= step <= total for step, total in done)
    assert done[-1][0] == done[-1][1]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo terminals here")
@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
def test_a_command_shows_a_bar_on_a_terminal_only(tmp_path, terminal):
    for i in range(3):
        (tmp_path / f"r{i}.urdf").write_text(f'<robot name="r{i}"><link name="base_link"/></robot>')
    code = (
        "import sys, kinetree.progress as p; p.DELAY = p.EVERY = 0.0; sys.argv = ['kinetree', 'check', sys.argv[1]]\n"
        "from kinetree.cli import main; main()"
    )
    ours, theirs = pty.openpty() if terminal else os.pipe()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-c", code, str(tmp_path)]
    child = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment, timeout=60, check=False)
    os.close(theirs)
    text = os.read(ours, 100_000).decode()
    os.close(ours)
    assert ("checking" in text) == terminal
    assert (text == "") != terminal
    assert b"checking" not in child.stdout


def test_a_total_that_is_not_known_is_0():
    done = []
    with reporting(lambda *counts: done.append(counts)):
        assert list(tracked(iter("ab"), "letters")) == ["a", "b"]
    assert done == [(0, 0), (0, 0)]


def test_what_progress_may_be():
    for wrong in (3, "yes"):
        with (
            pytest.raises(kt.KinetreeError, match=f"progress is {wrong!r}; expected True, False or a function"),
            reporting(wrong),
        ):
            pass
