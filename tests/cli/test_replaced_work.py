"""Commands whose long work is replaced: what they read before it, and what they print and write of its result."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import kinetree as kt
from kinetree.cli import check as checking, show as showing
from kinetree.cli.calibrate import _as_typed, _si
from kinetree.cli.limits import PRINTED
from kinetree.errors import Finding, KinetreeError, fail
from kinetree.lab.calibrate.calibration import TOLERANCE, WIDEST, Calibration
from kinetree.lab.calibrate.readings import Fault
from kinetree.logs import read_motion
from kinetree.motion import Motion

SLIDE = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" velocity="2" effort="50"/></joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="2" velocity="2" effort="50"/></joint></robot>"""
AGREES = Calibration(
    True, (), (), np.eye(4), np.eye(4), np.zeros((2, 2)), np.zeros((2, 2)), (), (), "KUKA", "base_link", "flange"
)


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.urdf").write_text(SLIDE)
    return "r.urdf"


@pytest.fixture
def excited(monkeypatch, model):
    """The options with which a motion is asked for; it is a short one."""
    asked = {}

    def excite(robot, unknown, **options):
        asked.update(options, unknown=unknown)
        texts = ("the motion determines all", "torque is not checked")
        note, more = (Finding("excite", "info", text) for text in texts)
        q = np.array([[0.5, 0.25], [1.0, 0.5]])
        return Motion(robot.coordinate_names, np.array([0.0, 0.5]), q, robot=robot, notes=(note, more))

    monkeypatch.setattr("kinetree.cli.excite.excite", excite)
    return asked


def test_a_motion_that_excites_is_written_and_described(run, model, excited):
    result = run("excite", model, "-o", "m.csv", "--velocity", "90", "--acceleration", "turn=180", "--deg")
    assert result.exit_code == 0, result.output
    assert result.stdout == "the motion determines all\nit begins at turn 0.5, slide 0.25 (rad, m)\n"
    assert "torque is not checked" in result.stderr
    assert "wrote m.csv: 2 samples" in result.stderr
    assert "of its surroundings only what the model has is avoided" in result.stderr
    assert excited["unknown"] == ("inertia", "friction")
    assert excited["velocity"] == pytest.approx({"turn": np.pi / 2, "slide": 90})
    assert excited["acceleration"] == pytest.approx({"turn": np.pi})
    motion = read_motion(kt.load(model), "m.csv", unit="deg")
    np.testing.assert_allclose(motion.q, [[0.5, 0.25], [1.0, 0.5]], atol=1e-12)
    assert run("excite", model, "-o", "r.csv", "--of", "geometry", "--velocity", "2").exit_code == 0
    assert (excited["unknown"], excited["velocity"]) == (("geometry",), 2.0)
    assert read_motion(kt.load(model), "r.csv").q[0].tolist() == [0.5, 0.25]
    excited.clear()
    for name, said in (("m.csv", "exists already"), ("m.txt", "to 'm.txt'; expected the ending .csv or .mcap")):
        result = run("excite", model, "-o", name)
        assert (result.exit_code, said in result.stderr) == (2, True)
    assert excited == {}


@pytest.fixture
def compared(monkeypatch, arm, tmp_path):
    """Run `calibrate` or `verify` with a result that agrees, and a figure that has its suffix and tolerance."""
    found = SimpleNamespace(agrees=True, faults=())
    monkeypatch.setattr("kinetree.lab.identify.verification.verify", lambda *_, **__: found)
    monkeypatch.setattr("kinetree.lab.calibrate.calibration.calibrate", lambda *_, **__: AGREES)
    monkeypatch.setattr(
        "kinetree.viewing.verification_figure.verification_figure", lambda found, suffix: suffix.encode()
    )
    monkeypatch.setattr(
        "kinetree.viewing.calibration_figure.calibration_figure",
        lambda result, tolerance, suffix: f"{tolerance} {suffix}".encode(),
    )
    poses = tmp_path / "poses.csv"
    poses.write_text("J1,J2,J3,J4,J5,J6,X,Y,Z,A,B,C\n" + "1,2,3,4,5,6,100,200,300,10,20,30\n" * 2)
    return arm, poses


@pytest.mark.parametrize("command", ["calibrate", "verify"])
def test_a_figure_of_errors_is_written_once(run, compared, tmp_path, command):
    arm, poses = compared
    go, plot = (command, arm, poses, "--controller", "kuka"), tmp_path / "errors.svg"
    assert run(*go, "--plot", plot).exit_code == 0
    drawn = ".svg" if command == "verify" else f"{TOLERANCE} .svg"
    assert plot.read_text() == drawn
    plot.write_text("mine")
    for more, said in (
        (("--plot", plot), "exists already"),
        (("--plot", poses, "--force"), "is read by this command, so it is not replaced"),
        (("--plot", arm, "--force"), "is read by this command, so it is not replaced"),
        (("--force",), "--force is for --plot FILE"),
    ):
        result = run(*go, *more)
        assert (result.exit_code, said in result.stderr) == (2, True), result.stderr
    assert plot.read_text() == "mine"
    assert run(*go, "--plot", plot, "--force").exit_code == 0
    assert plot.read_text() == drawn


def test_the_figure_has_the_tolerance_that_is_given(run, compared, tmp_path):
    arm, poses = compared
    plot = tmp_path / "errors.png"
    go = ("calibrate", arm, poses, "--controller", "kuka", "--plot", plot)
    assert run(*go, "--tolerance", "2", "0.5").exit_code == 0
    assert plot.read_text() == f"{(0.002, float(np.deg2rad(0.5)))} .png"


def test_a_tolerance_is_read_in_mm_and_deg_and_recommended_so():
    assert _si((2.0, 180.0 / np.pi * 0.01)) == pytest.approx((0.002, 0.01))
    most = (1e3 * WIDEST[0], float(np.rad2deg(WIDEST[1])))
    assert _si((most[0], 1e-3))[0] == pytest.approx(WIDEST[0])
    for wrong in ((0.0, 1.0), (1.0, -1.0), (np.inf, 1.0), (1.01 * most[0], 1e-3), (1e-3, 1.01 * most[1])):
        with pytest.raises(KinetreeError) as error:
            _si(wrong)
        assert error.value.findings[0].element == "--tolerance"
    fault = Fault("tolerance", "pass tolerance=(0.0025, 0.01) to allow that")
    (said,) = _as_typed(replace(AGREES, faults=(fault,))).faults
    assert said.message == "pass --tolerance 2.5 0.58 to allow that"


def test_what_protects_a_check_is_printed(run, monkeypatch):
    monkeypatch.setattr(checking, "protection", lambda: "memory: 1 GB")
    result = run("check", "--protection")
    assert (result.exit_code, result.stdout) == (0, "memory: 1 GB\n")


@pytest.mark.parametrize(
    ("text", "wanted", "tests_contact", "leaves"),
    [
        ("<disable_collisions/>", True, False, True),
        ("<disable_collisions/>", False, False, False),
        ("<disable_collisions/>", True, True, False),
        ("<group/>", True, False, False),
        (None, True, False, False),
    ],
)
def test_pairs_that_are_not_tested_are_known(tmp_path, text, wanted, tests_contact, leaves):
    file = tmp_path / "r.srdf"
    if text is not None:
        file.write_text(text)
    wants = lambda code: wanted and code == "CON-001"  # noqa: E731
    options = SimpleNamespace(read=SimpleNamespace(srdf=str(file)), wants=wants, tests_contact=tests_contact)
    assert checking._leaves_pairs(options) is leaves


def test_a_moving_picture_is_of_the_motion(run, model, monkeypatch):
    def moving_picture(robot, motion, q):
        return f"{len(motion.q)} {q.tolist()}".encode(), (Finding("shape-not-shown", "warning", "no mesh"),)

    monkeypatch.setattr("kinetree.viewing.moving.moving_picture", moving_picture)
    with open("m.csv", "w", encoding="utf-8") as file:
        file.write("t,turn\n0,0\n1,90\n")
    result = run("show", model, "-o", "a.gif", "--motion", "m.csv", "--q", "slide=0.5", "--deg")
    assert result.exit_code == 0, result.output
    with open("a.gif", encoding="utf-8") as file:
        assert file.read() == "2 [0.0, 0.5]"
    assert "no mesh" in result.stderr
    assert "a .gif is an animated picture; give its --motion" in run("show", model, "-o", "b.gif").stderr


def test_what_a_page_is_asked_to_show(run, model, monkeypatch):
    """Driven joints by their names, and a map by its file."""
    shown = {}

    def page(robot, q, given):
        shown.update(given, q=q.tolist())
        return SimpleNamespace(html="page", open=lambda: "file:///page")

    monkeypatch.setattr(showing, "_page", page)
    monkeypatch.setattr(showing, "read_reach", lambda path: f"map of {path}")
    result = run("show", model, "--driven", "slide", "--reach", "map.npz", "--q", "turn=0.5")
    assert (result.exit_code, result.stdout) == (0, "file:///page\n")
    assert shown["reach"] == "map of map.npz"
    assert list(shown["driven"]) == ["slide"]
    assert shown["q"] == [0.5, 0.0]
    outside = run("show", model, "-o", "a.html", "--q", "turn=3")
    assert "the configuration of --q is outside of turn" in outside.stderr
    assert "wrote a.html: 0 kB" in outside.stderr


def test_limits_that_are_moved_are_written_once(run, model, monkeypatch):
    plan = SimpleNamespace(robot="the robot", **dict.fromkeys(PRINTED, 1))
    saved = []
    monkeypatch.setattr("kinetree.solvers.limits.widen.widen", lambda *_, **__: plan)
    monkeypatch.setattr("kinetree.cli.limits._amounts", lambda robot, by: {})
    monkeypatch.setattr("kinetree.saving.save", lambda *given, without: saved.append((*map(str, given), without)))
    go = ("limits", "widen", model, "--by", "both=1", "--unit", "deg", "--json")
    result = run(*go, "-o", "wide.urdf", "--without", "sensor")
    assert result.exit_code == 0, result.output
    assert saved == [("the robot", "wide.urdf", ("sensor",))]
    assert json.loads(result.stdout)["worth"] == 1
    result = run(*go, "-o", model)
    assert (result.exit_code, "exists already" in result.stderr, len(saved)) == (2, True, 1)


def test_frames_of_a_bag_that_are_not_the_models_are_listed(run, model, monkeypatch):
    found = SimpleNamespace(
        motion=None,
        differences=(),
        torn={"b": ("a", "c")},
        missing=("c",),
        unknown={("lid", "a"): 1200, ("cup", "lid"): 3},
        valueless=("b",),
        untimed=("c",),
        outside=1500,
        compared=7,
    )
    monkeypatch.setattr("kinetree.logs.ros.compare.compared", lambda *_: found)
    monkeypatch.setattr("kinetree.cli.tf.report_motion", lambda *_, **__: None)
    result = run("tf", model, "bag.mcap", "--check")
    assert result.exit_code == 1, result.output
    assert result.stdout.splitlines() == [
        "b has several parents in the bag: a, c",
        "not in the bag, 1 frame of the model: c",
        "not in the model, and not compared: lid in a (1,200), cup in lid (3)",
        "not compared, because joints that move them have no values: b",
        "not compared, because no joint values are near: 1,500 transforms; of these frames all: c",
        "frames compared: 7, different: 0, not compared: 2",
    ]


def test_repairs_that_cannot_be_written_are_status_2(run, arm, monkeypatch):
    def write(*_):
        raise fail("file", "the disk is full")

    monkeypatch.setattr("kinetree.cli.fix.write", write)
    result = run("fix", arm)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "the disk is full" in result.stderr
    data = json.loads(run("fix", arm, "--json").stdout)
    assert data["files"] == []
    assert data["findings"][-1]["message"] == "the disk is full"
    assert run("fix", arm, "--diff").exit_code < 2


def test_joints_are_printed_as_the_pendant_shows_them(run, arm, monkeypatch):
    monkeypatch.setattr(showing, "_page", lambda *_: SimpleNamespace(open=lambda: "file:///page"))
    result = run("show", arm, "--controller", "kuka", "--q", "A2=10")
    assert (result.exit_code, result.stdout) == (0, "file:///page\n")
    assert "A2 10 deg, axis_2 0.1745" in result.stderr
    assert "axis_" not in run("show", arm, "--controller", "kuka").stderr


def test_flags_of_views_are_given_or_not(run, model, monkeypatch):
    given = []
    monkeypatch.setattr(showing, "_page", lambda robot, q, options: given.append(options) or SimpleNamespace(html=""))
    monkeypatch.setattr(showing, "_picture", lambda robot, q, suffix, options: given.append(options) or b"")
    for name, flags, expected in (
        ("a.png", ("--contact",), {"contact": True}),
        ("a.html", ("--cover",), {"cover": True}),
        ("a.svg", ("--size", "20", "30", "--from", "1", "0", "2"), {"size": (20, 30), "direction": (1.0, 0.0, 2.0)}),
        ("a.html", ("--faces", "9"), {"faces": 9}),
        ("a.png", (), {}),
    ):
        result = run("show", model, "-o", name, "--force", *flags)
        assert (result.exit_code, given.pop()) == (0, expected), result.output
