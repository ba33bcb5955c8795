"""What options and tables of the command mean: limits in degrees, names of joints, frames, closed loops, versions."""

import sys
from dataclasses import dataclass
from types import SimpleNamespace

import click
import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.cli import _model, _semantic, convert, dh, dynamics, lsp, reach
from kinetree.cli._calls import Call, calls
from kinetree.cli._controllers import active
from kinetree.cli._model import _versioned, rates, with_loops
from kinetree.cli._motion import in_rad, masses
from kinetree.cli._pendant import CommandArm
from kinetree.cli._poses import read_poses
from kinetree.cli.codegen import _name, _named
from kinetree.compiler.c_names import LONGEST_FUNCTION
from kinetree.controllers import controllers
from kinetree.errors import KinetreeError, fail
from linkages import fourbar

PENDANT = SimpleNamespace(
    names=("A1", "A2"), joints=("first", "second"), who=SimpleNamespace(joint_names={}), coupled=False
)
DEGREE = np.pi / 180


def test_limits_in_degrees_are_of_what_turns(mixed):
    robot = kt.load(mixed)
    assert robot.velocity_names == ("drive.x", "drive.y", "drive.angle", "lift", "spin")
    turning = {"drive.x": 1, "drive.y": 1, "drive.angle": DEGREE, "lift": 1, "spin": DEGREE}
    assert in_rad(robot, 90.0, True) == pytest.approx({name: 90 * x for name, x in turning.items()})
    assert in_rad(robot, {"lift": 2.0, "spin": 90.0, "grip": 180.0}, True) == pytest.approx(
        {"lift": 2, "spin": np.pi / 2, "grip": np.pi}
    )
    assert in_rad(robot, {"drive": 90.0}, True) == pytest.approx(
        {"drive.x": 90, "drive.y": 90, "drive.angle": np.pi / 2}
    )
    assert in_rad(robot, {"nothing": 1.0}, True) == {"nothing": 1.0}
    for limit, degrees in ((90.0, False), ({"spin": 90.0}, False), (None, True), ("none", True)):
        assert in_rad(robot, limit, degrees) is limit


def test_an_argument_of_a_call_is_given_once():
    known = {"fk": ("frame", "base")}
    assert calls("fk(frame=a, base=b)", known)[0].named == {"frame": "a", "base": "b"}
    with pytest.raises(KinetreeError, match="an argument is given twice") as error:
        calls("fk(base=a, base=b)", known)
    assert error.value.findings[0].element == "--write fk(base=a, base=b)"


@dataclass
class Function:
    name: str
    call: Call


def test_a_name_that_no_function_has_is_refused():
    with pytest.raises(KinetreeError, match="there is nothing to write"):
        _named([], {})
    with pytest.raises(KinetreeError, match="no function 'fkk'; did you mean 'fk'"):
        _named([Function("fk", Call("fk", ("a",), {}, None))], {"fkk": "mine"})


@each(
    "name, found",
    [("second", "second"), ("A1", "first"), ("a2", "second"), ("J1", "first"), ("model:first", "first")],
)
def test_joints_by_their_names_on_the_pendant_and_in_the_model(name, found):
    assert CommandArm.model_name(arm_of(), name) == found


def arm_of(*more):
    joints = dict.fromkeys(("first", "second", *more))
    return SimpleNamespace(pendant=PENDANT, whole=SimpleNamespace(joints=joints, joint_names=list(joints)))


def test_a_name_of_two_joints_is_refused():
    arm = arm_of("A1")
    with pytest.raises(KinetreeError) as error:
        CommandArm.model_name(arm, "A1")
    (finding,) = error.value.findings
    assert finding.message == (
        "is A1 of the pendant, joint 'first' of the model, and joint 'A1' of it; expected pendant:A1 or model:A1"
    )
    assert finding.element == "--joints A1"
    assert [CommandArm.model_name(arm, f"{where}:A1") for where in ("pendant", "model")] == ["first", "A1"]
    with pytest.raises(KinetreeError, match="no joint 'thrid'; did you mean 'third'"):
        CommandArm.model_name(arm_of("third"), "thrid")


def test_a_tool_is_a_frame_that_stands_still_or_numbers_of_one_controller():
    robot = kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)")
    tip, first = robot.joints["q2"].child, robot.joints["q1"].child
    used, notes = active("kuka", tip, None, robot, robot.root, tip)
    assert (np.array_equal(used.tool, np.eye(4)), notes) == (True, [])
    for flag, texts in (("--tool", (first, None)), ("--user-frame", (None, first))):
        with pytest.raises(KinetreeError, match="moves as seen from") as error:
            active("kuka", *texts, robot, robot.root, tip)
        assert error.value.findings[0].element == flag
        with pytest.raises(KinetreeError) as error:
            active("all", *("1 2 3 4 5 6" if text else None for text in texts), robot, robot.root, tip)
        (finding,) = error.value.findings
        assert (finding.code, finding.element) == ("controller", flag)
        assert "'1 2 3 4 5 6' has no controller whose numbers they are; a frame of MODEL is legal, too" in (
            finding.message
        )
    with pytest.raises(KinetreeError) as error:
        active("all", "1 2 3 4 5 6", None)
    assert error.value.findings[0].message.endswith("whose numbers they are")


def test_a_pose_that_is_a_text_is_read_in_its_line(tmp_path):
    file, who = tmp_path / "poses.csv", controllers["kuka"]
    file.write_text('J1,Pose\n0.5,"{X 1, Y 2, Z 3, A 4, B 5, C 6}"\n90,"{X 7, Y 8, Z 9, A 1, B 2, C 3}"\n')
    joints, poses, notes = read_poses(file, who, ["q1"], [True])
    assert (joints.tolist(), notes) == ([[0.5], [90.0]], [])
    assert poses.tolist() == [[1, 2, 3, 4, 5, 6], [7, 8, 9, 1, 2, 3]]
    file.write_text('J1,Pose\n0.5,"{X 1, Y 2, Z 3, A 4, B 5, C 6}"\n90,"{X 7, Y 8}"\n')
    with pytest.raises(KinetreeError) as error:
        read_poses(file, who, ["q1"], [True])
    assert error.value.findings[0].source.line == 3


def test_versions_of_robots_of_the_package():
    assert _versioned("icub", "2.5") == "icub:2.5"
    assert _versioned("any.urdf", None) == "any.urdf"
    with pytest.raises(click.UsageError, match="--version goes with the bare name of a robot of the package: "):
        _versioned("any.urdf", "2.5")


def test_models_of_packages_are_checked_together_with_equal_arguments(run, mixed, monkeypatch):
    own = {"one": {"a": "1"}, "two": {"a": "2"}, "three": {"a": "1"}, "four": None}
    monkeypatch.setattr(_model, "located", lambda name, *_: (mixed, own[name]))
    result = run("check", "one", "two")
    assert result.exit_code == 2
    assert "these models of packages have different arguments of xacro; name one at a time" in result.stderr
    assert "different arguments" not in run("check", "one", "four", "three").stderr


def test_loops_are_closed_from_joints_that_are_given(monkeypatch, capsys):
    robot = kt.load(fourbar(), format="mjcf")
    loop, (crank, *others) = next(iter(robot.loops)), robot.joint_names
    with pytest.raises(KinetreeError, match="needs the joints whose positions are given, as --q JOINT=VALUE"):
        with_loops(robot, {}, robot.q(), "closed", False)
    q = np.full(robot.nq, 0.25)
    found = SimpleNamespace(success=False, why="it cannot be closed", gap=np.array([[0.0125, 0.5]]), q=q)
    closer = SimpleNamespace(roles=SimpleNamespace(following=[1]))
    given = []

    class Closer:
        roles = closer.roles

        def __call__(self, values):
            given.append(values.tolist())
            return found

    monkeypatch.setattr("kinetree.queries.closing.close", lambda robot, driven: given.append(driven) or Closer())
    with pytest.raises(KinetreeError) as error:
        with_loops(robot, {crank: "0.1"}, np.full(robot.nq, 0.1), "closed", False)
    (finding,) = error.value.findings
    assert finding.message == f"it cannot be closed; loop {loop!r} is open by 12.5 mm"
    assert (finding.code, finding.element, given) == ("loops", "--q", [[crank], [0.1]])
    found.success, found.why = True, "there is another way to close it"
    assert with_loops(robot, {crank: "0.1"}, robot.q(), "closed", False) is q
    said = capsys.readouterr().err
    assert f"note: loops closed: {others[0]} = 0.25\nnote: there is another way to close it\n" in said
    with_loops(robot, {crank: "0.1"}, robot.q(), "closed", True)
    assert f"{others[0]} = {np.rad2deg(0.25):.3g}" in capsys.readouterr().err


def test_directions_are_a_number_or_down():
    assert [reach._directions(None, None, text) for text in (None, "down", "12")] == [None, "down", 12]
    with pytest.raises(click.BadParameter, match="'up' is neither a number nor 'down'"):
        reach._directions(None, None, "up")


BALLS = """<robot name="r">{}<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
BALL = '<link name="{}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'


def test_a_robot_without_pairs_is_still_one_of_spheres():
    two = kt.load(BALLS.format(BALL.format("a") + BALL.format("b")), format="urdf")
    assert convert._contact(two, "hull") is not None
    (one,) = (kt.load(f'<robot name="r">{BALL.format("a")}</robot>', format="urdf") for _ in range(1))
    with pytest.raises(KinetreeError) as error:
        convert._contact(one, "hull")
    assert error.value.findings[0].code == "contact-pairs"


def test_links_that_touch_are_noted_for_mujoco(monkeypatch):
    robot = kt.load(BALLS.format(BALL.format("a") + BALL.format("b")), format="urdf")

    def pair(one, other, reason):
        return SimpleNamespace(link1=one, link2=other, reason=reason, links=frozenset((one, other)))

    pairs = [pair("a", "b", "Adjacent"), pair("a", "c", "Default"), pair("b", "c", "Default")]
    found = SimpleNamespace(semantic=SimpleNamespace(disabled_collisions=pairs))
    shapes = {"hull": SimpleNamespace(touching=lambda: found)}
    monkeypatch.setattr(convert, "_contact", lambda robot, geometry: shapes[geometry])
    note = "note: links touch at home and push each other away in MuJoCo; --exclude excludes them: "
    assert convert._touching(robot) == [f"{note}a and c, b and c"]
    del pairs[1:]
    assert convert._touching(robot) == []
    found.semantic = None
    assert convert._touching(robot) == []

    def broken(*_):
        raise fail("mesh", "is missing")

    monkeypatch.setattr(convert, "_contact", broken)
    assert convert._touching(robot) == []
    assert convert._touching(kt.chain("Rz(q1) tx(0.4)")) == []


def test_a_file_on_the_standard_output_is_text_for_a_terminal(run, mixed, monkeypatch):
    plain = run("convert", mixed, "-", "--to", "urdf").stdout
    printed = []
    monkeypatch.setattr(convert, "say_text", printed.append)
    monkeypatch.setattr(convert, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    assert run("convert", mixed, "-", "--to", "urdf").stdout == ""
    assert printed == [plain]


@each(
    "options, said",
    [
        (("--format", "matlab", "--json"), "--format matlab prints MATLAB; leave out --json"),
        (("--format", "matlab", "-o", "a.csv"), "--format matlab prints MATLAB; leave out --json"),
        (("--chain", "left", "--base", "a"), "--base does not go with --chain, which begins where the file has it"),
    ],
)
def test_options_of_dh_that_do_not_go_together(run, mixed, options, said):
    result = run("dh", mixed, *options)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_a_chain_of_a_file_ends_on_its_own_way(monkeypatch):
    own = SimpleNamespace(tip="a", rows=[], on="base", joints=[SimpleNamespace(joint="q1")])
    way = SimpleNamespace(base="base", tip="c", joints=[SimpleNamespace(joint=SimpleNamespace(name="q2"))])
    asked = []
    monkeypatch.setattr(dh, "written_chain", lambda robot, name: own)
    monkeypatch.setattr(dh, "serial_chain", lambda robot, base, tip: asked.append((base, tip)) or way)
    with pytest.raises(KinetreeError, match="chain 'left' of the file is not the way from 'base' to 'c'") as error:
        dh._written(None, "left", "c")
    assert (error.value.findings[0].code, asked) == ("tip", [("base", "c")])


def test_a_sensor_that_cannot_be_read_has_its_reason(monkeypatch):
    def refused(*_, **__):
        raise fail("sensor", "it is on no link with a mass")

    monkeypatch.setattr(dynamics.sensors, "sensor_reading", refused)
    sensor = SimpleNamespace(type="force_torque", name="ft")
    assert dynamics._reading(None, sensor, (), {}) == "it is on no link with a mass"
    eye = SimpleNamespace(type="camera", name="eye")
    assert dynamics._reading(None, eye, (), {}) == "is of type 'camera', which is neither inertial nor force/torque"


def test_two_forms_of_one_report_are_refused(run, mixed, tmp_path):
    (tmp_path / "m.csv").write_text("lift\n0\n")
    result = run("motion", "check", mixed, tmp_path / "m.csv", "--json", "--output-format", "sarif")
    assert (result.exit_code, "--json and --output-format sarif are two forms" in result.stderr) == (2, True)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_server_says_on_a_terminal_what_it_waits_for(run, monkeypatch, terminal):
    served = []
    for module in ("pygls.lsp.server", "kinetree.lsp.server"):
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(serve=lambda: served.append(True)))
    monkeypatch.setattr(lsp, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: terminal)))
    result = run("lsp")
    assert (result.exit_code, served) == (0, [True])
    assert ("waiting for an editor, which starts this by itself; Ctrl-C ends it" in result.stderr) is terminal


@each(
    "kind, found",
    [
        ("mobile-base", ("planar", "odom")),
        ("mobile-manipulator", ("planar", "odom")),
        ("drone", ("floating", "odom")),
        ("legged", ("floating", "odom")),
        ("humanoid", ("floating", "odom")),
        ("arm", ("fixed", "world")),
    ],
)
def test_how_a_robot_stands_in_its_world(kind, found):
    kinds = SimpleNamespace(kind=kind, mechanism=SimpleNamespace(kind=kind))
    (joint,) = _semantic._virtual(kt.chain("Rz(q1) tx(0.4)"), kinds)
    assert (joint.type, joint.parent_frame, joint.child_link) == (*found, "base_link")


def test_numbers_of_joints_and_masses_are_named_by_their_options(mixed):
    robot = kt.load(mixed)
    for call, element in (
        (lambda: masses({"flange": "x"}), "--payload flange"),
        (lambda: masses({"flange": "-1"}), "--payload flange"),
        (lambda: masses({"flange": "1,2"}), "--payload flange"),
        (lambda: rates(robot, "--qd", {"lift": "x"}, False), "--qd lift"),
        (lambda: rates(robot, "--tau", {"drive": "1,2"}, False), "--tau drive"),
        (lambda: _model.values_of("lift", "1e"), "--q lift"),
    ):
        with pytest.raises(KinetreeError) as error:
            call()
        assert error.value.findings[0].element == element
    assert masses({"flange": "0", "tool": "2.5"}) == {"flange": 0.0, "tool": 2.5}
    values = {"drive": "1,2,90", "spin": "180"}
    assert rates(robot, "--qd", values, True).tolist() == pytest.approx([1, 2, np.pi / 2, 0, np.pi])
    assert rates(robot, "--qd", values, False).tolist() == [1, 2, 90, 0, 180]


@each(
    "given, name",
    [
        (("arm", "fk", ["tool0"]), "arm_fk_tool0"),
        (("my  arm-é", "fk", ["a.b"]), "my_arm_fk_a_b"),
        (("arm", "fk", ["tip)"]), "arm_fk_tip"),
        (("(arm", "fk", []), "arm_fk"),
        (("7dof", "fk", []), "robot_7dof_fk"),
        (("arm", "fk", ["tip"], "base"), "arm_fk_tip_in_base"),
        (("arm", "jacobian", ["tip"], "base", "frame"), "arm_jacobian_tip_in_base_own_axes"),
        (("arm", "jacobian", ["tip"], None, "base"), "arm_jacobian_tip"),
        (("arm", "jacobian", ["tip"], None, "hand"), "arm_jacobian_tip_axes_hand"),
        (("a" * (LONGEST_FUNCTION - 1), "fk", []), "a" * (LONGEST_FUNCTION - 1)),
    ],
)
def test_names_of_functions_are_legal_in_c(given, name):
    assert _name(*given) == name
