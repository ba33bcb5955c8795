"""`kinetree inspect --frame` and `--joint`: the figure that is written, and what is refused."""

import numpy as np
import pytest

import kinetree as kt
from svg_figures import parsed, words_of


def test_a_frame_and_a_joint_are_written(run, arm, tmp_path):
    out = tmp_path / "imu.svg"
    result = run("inspect", "icub", "--frame", "imu_frame", "-o", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {out}\n")
    assert "imu_frame of icub, at neutral" in words_of(parsed(out.read_text("utf-8")))
    out = tmp_path / "joint.svg"
    result = run("inspect", arm, "--joint", "axis_2", "--q", "axis_2=30", "--deg", "-o", out)
    assert (result.exit_code, result.stderr) == (0, f"wrote {out}\n")
    assert {f"Joint axis_2 of {kt.load(arm).name}", "revolute, 30°", "l1", "l2"} <= {
        *words_of(parsed(out.read_text("utf-8")))
    }


def test_without_a_frame_or_joint_the_tree_is_drawn(run, arm, tmp_path):
    out = tmp_path / "tree.svg"
    result = run("inspect", arm, "-o", out)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {out}\n")
    words = words_of(parsed(out.read_text("utf-8")))
    assert {"l1", "l6", "axis_1", "axis_6"} <= {*words}
    assert "fixed: flange, tool0" in words
    out = tmp_path / "all.svg"
    assert run("inspect", "icub", "--all", "-o", out).exit_code == 0
    assert {*kt.load("icub").links} <= {*words_of(parsed(out.read_text("utf-8")))}


def test_q_is_in_radians_without_deg(run, arm, tmp_path):
    for options in (("--q", "axis_2=0.5"), ("--q", f"axis_2={np.rad2deg(0.5)}", "--deg")):
        assert run("inspect", arm, "--frame", "tool0", *options, "-o", tmp_path / "a.svg", "--force").exit_code == 0
        words = words_of(parsed((tmp_path / "a.svg").read_text("utf-8")))
        T = kt.fk(kt.load(arm), "tool0")(kt.load(arm).q(axis_2=0.5))
        assert [f"{value + 0.0:.6f}" for value in T.round(6).ravel()] == [w for w in words if w[-7:-6] == "."]


def test_nothing_is_overwritten_without_force(run, arm, tmp_path):
    out = tmp_path / "a.svg"
    out.write_text("mine")
    result = run("inspect", arm, "--frame", "tool0", "-o", out)
    assert result.exit_code == 2
    assert "exists already" in result.stderr
    assert out.read_text() == "mine"
    assert run("inspect", arm, "--frame", "tool0", "-o", out, "--force").exit_code == 0
    assert out.read_text("utf-8").startswith("<?xml")
    model = tmp_path / "model.svg"
    model.write_text(arm.read_text())
    result = run("inspect", model, "--format", "urdf", "--frame", "tool0", "-o", model, "--force")
    assert result.exit_code == 2
    assert "is read by this command" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--frame", "tool1", "-o", "a.svg"), "no frame 'tool1'; did you mean 'tool0'"),
        (("--frame", "axis_1", "-o", "a.svg"), "no frame 'axis_1', which is a joint; the link that it moves is 'l1'"),
        (("--joint", "axis_9", "-o", "a.svg"), "no joint 'axis_9'; did you mean"),
        (("--joint", "axis_1", "--q", "axis_9=1", "-o", "a.svg"), "axis_9"),
        (("--joint", "axis_1", "--q", "axis_1=x", "-o", "a.svg"), "'x' is not a finite number"),
        (("--frame", "tool0", "-o", "a.png"), "'a.png'; the legal ending is .svg"),
        (("--frame", "tool0"), "a figure is of the tree, one --frame or one --joint, and is written to -o FILE.svg"),
        (("--frame", "tool0", "--joint", "axis_1", "-o", "a.svg"), "a figure is of the tree, one --frame or"),
        (("--frame", "tool0", "-o", "a.svg", "--json"), "a figure is of the tree, one --frame or one --joint"),
        (("-o", "a.svg", "--joint-table"), "a figure is of the tree, one --frame or one --joint"),
        (("-o", "a.svg", "--q", "axis_1=1"), "--q and --deg are for a figure of one --frame or one --joint"),
        (("--frame", "tool0", "-o", "a.svg", "--all"), "--all is for the page and for a figure of the tree"),
        (("--q", "axis_1=1"), "--q, --deg and --force are for a figure"),
        (("--frame", "tool0", "-o", "no/a.svg"), "No such file or directory"),
    ],
)
def test_what_is_refused(run, arm, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    result = run("inspect", arm, *options)
    assert result.exit_code == 2
    assert message in result.stderr.replace("\n", " ").replace("  ", " ")
    assert not list(tmp_path.glob("*.svg"))
