"""Arguments of the wrong type, for every public function: a KinetreeError that names the argument and what is legal."""

import inspect
import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, TypeVar

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.arguments import explain_type_errors
from kinetree.errors import WrongTypeError
from kinetree.fixer.fix import fix
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine

ARM = "<robot name='r'><link name='l0'/>"
for i in range(1, 3):
    ARM += f"""<link name='l{i}'/><joint name='j{i}' type='revolute'><parent link='l{i - 1}'/><child link='l{i}'/>
    <axis xyz='0 {i - 1} {2 - i}'/><limit lower='-2' upper='2' velocity='1' effort='1'/></joint>"""
ROBOT = kt.load(ARM + "</robot>", format="urdf")
WRONG = (None, "", "x" * 5000, "a\0b", "\udcff", 0, -1, float("nan"), 10**400, [None], [[1], [1, 2]], {"j1": None})
WRONG += (np.zeros(3), np.array("x"), np.zeros(2, complex), np.zeros((4, 4), object), object(), b"x", Path("/"), {1, 2})
GIVEN = {"robot": ROBOT, "a": ROBOT, "b": ROBOT, "other": ROBOT, "frame": "l2", "frames": "l2", "q": [0, 0], "dt": 0.1}
GIVEN |= {"dq": [0, 0], "qd": [0, 0], "n": 3, "source": ARM, "format": "urdf", "most": {"*": 1.0}, "joints": ["j1"]}
EDITS = ("add_frame", "add_limits", "attach", "clear_limits", "cut", "group", "lock", "merge_fixed", "move_frame")
EDITS += ("prefix", "remove", "remove_limits", "rename", "reroot", "set_groups")
QUERIES = (kt.fk, kt.jacobian, kt.hessian, kt.jacobian_dot, kt.manipulability, kt.velocity, kt.margin)
QUERIES += (kt.kinematics.analytical_jacobian, kt.kinematics.point, kt.dynamics.contact_wrench)
QUERIES += (kt.dynamics.joint_torques, kt.dynamics.wrench, kt.dynamics.sensor_reading)
QUERIES += (kt.dynamics.imu_reading, kt.dynamics.external_wrench)
OTHERS = (kt.load, kt.save, kt.text, kt.check, kt.compare, kt.guard, kt.limits.widen, kt.icub.to_board)
ASKED = {function.__name__: function for function in (*QUERIES, *OTHERS)}
ASKED |= {name: getattr(kt.edit, name) for name in EDITS}
ASKED |= {name: getattr(ROBOT.limits, name) for name in ("contains", "project", "sample", "clip_step", "clip_velocity")}
ASKED |= {"q": ROBOT.q, "order": ROBOT.order}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:xacro_args= is deprecated")
@pytest.mark.parametrize("name", ASKED)
def test_wrong_arguments(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    function, refused = ASKED[name], 0
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    usual = {p.name: GIVEN.get(p.name, "x" if p.default is p.empty else p.default) for p in named}
    for parameter in usual:
        for wrong in WRONG:
            try:
                function(**{**usual, parameter: wrong})
            except kt.KinetreeError as error:
                refused += 1
                assert error.findings[0].message
    assert refused > 3


def test_the_message_names_the_argument_and_what_is_legal():
    for call, message in (
        (lambda: kt.load(5), "source is 5; expected a text or a path"),
        (
            lambda: kt.load("a.urdf", packages=[1]),
            "packages is .*1.*; expected a mapping of a text to a text or a path",
        ),
        (lambda: kt.compare("a.urdf", ROBOT), "a is 'a.urdf'; expected a Robot"),
        (lambda: ROBOT.limits.sample(1.5), "n is 1.5; expected a whole number"),
        (lambda: ROBOT.limits.contains(["0", "0"]), "q is no array of numbers"),
    ):
        with pytest.raises(kt.KinetreeError, match=message):
            call()


def test_what_is_no_robot_is_refused():
    """By every public function of a robot, whatever else it is given."""
    rooms = (kt, kt.dynamics, kt.kinematics, kt.icub, kt.limits, kt.edit)
    found = (getattr(room, name) for room in rooms for name in dir(room) if name[0] != "_")
    count = 0
    for function in dict.fromkeys(filter(inspect.isfunction, found)):
        first, *others = inspect.signature(function).parameters.values()
        if first.name != "robot":
            continue
        wanted = {one.name: GIVEN.get(one.name, "l2") for one in others if one.default is one.empty}
        plain = {name: value for name, value in wanted.items() if name not in ("args", "options", "changes")}
        with pytest.raises(kt.KinetreeError):
            function("icub", **plain)
        count += 1
    assert count > 75


def test_options_within_an_argument_are_explained():
    """An argument may be an object of options; the option that does not fit is named."""
    for options, message in (
        (ReadOptions("urdf", packages=[1]), "packages is .*1.*; expected a mapping of a text to a text or a path"),
        (ReadOptions("xacro", args=3), "args is 3; expected a mapping of a text to anything or None"),
        (ReadOptions("urdf", srdf=4), "srdf is 4; expected a text or a path"),
        (ReadOptions(["urdf"]), "format is .*urdf.*; expected a text"),
    ):
        with pytest.raises(WrongTypeError, match=message):
            examine(ARM + "</robot>", options)


def test_a_text_is_a_single_name():
    assert kt.edit.group(ROBOT, "arm", "j1").groups["arm"] == ("j1",)
    assert kt.edit.clear_limits(ROBOT, "j1").joints["j1"].limit.upper == np.inf
    assert "dynamics" not in kt.text(ROBOT, "urdf", without="dynamics")
    with pytest.raises(kt.KinetreeError, match=r"missing: \['j2'\]"):
        ROBOT.order("j1")
    with pytest.raises(kt.KinetreeError, match="no link or joint 'elbow'"):
        kt.edit.merge_fixed(ROBOT, keep="elbow")


def test_codes_in_lower_case():
    with pytest.raises(kt.KinetreeError, match="begins with 'jnt'; did you mean 'JNT'"):
        kt.check(ROBOT, select="jnt")


def test_other_faults_stay_what_they_are():
    @explain_type_errors
    def broken(number: float) -> float:
        return 1 / number

    with pytest.raises(ZeroDivisionError):
        broken(0.0)
    with pytest.raises(WrongTypeError, match="number is 'x'; expected a number"):
        broken("x")
    for function in (kt.check, fix):
        with pytest.raises(WrongTypeError, match="xyz=… is no option of a check; there are 'profile', 'select'"):
            function("r.urdf", profile="ros", xyz=1)
        with pytest.raises(WrongTypeError, match="srfd=… is no option of a check; did you mean 'srdf'"):
            function("r.urdf", profile="ros", srfd="r.srdf")
    with pytest.raises(TypeError, match="unexpected keyword"):
        broken(other=1.0)


class Written(Protocol):
    """An annotation for type checkers alone."""


@each(
    "hint, fitting, wrong, expected",
    [
        (Literal["dh", "mdh"], ["dh", "mdh"], ["d", 1, ["dh"]], "'dh' or 'mdh'"),
        (float, [1, 2.5, np.float32(1)], [10**400, "1", 1j], "a number"),
        (int, [1, np.int64(2)], [1.0, "1"], "a whole number"),
        (tuple[float, ...], [(1.0,), [2.0], ("a",)], ["ab", np.zeros(2), None], "a list, each a number"),
        (TypeVar("X"), [1, "a", None], [], ""),
        (Written, [1, "a", None], [], ""),
        (
            Iterable[float],
            [[1.0], (1,), np.zeros(2), iter("a")],
            [b"a", np.zeros(()), ["a"], [1.0, None], 3],
            "a list, each a number",
        ),
        (Mapping[str, int], [{"a": 1}, {}], [{1: 1}, {"a": "b"}, [("a", 1)]], "a mapping of a text to a whole number"),
        (Mapping, [{}, {1: 1}], [[]], "a mapping"),
        (os.PathLike[str] | None, [Path("a"), None], ["a", Path("a\0b")], "a path or None"),
    ],
)
def test_what_fits_an_annotation(hint, fitting, wrong, expected):
    @explain_type_errors
    def fails(value: hint) -> None:
        raise LookupError("of its own")

    for value in fitting:
        with pytest.raises(LookupError, match="of its own"):
            fails(value)
    for value in wrong:
        with pytest.raises(WrongTypeError) as caught:
            fails(value)
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
        assert caught.value.findings[0].message == f"value is {shown}; expected {expected}"


def test_names_of_files_that_are_no_text(tmp_path):
    if os.name != "posix":
        pytest.skip("names of files are bytes on POSIX alone")
    path = os.fsencode(tmp_path) + b"/\xff.urdf"
    try:
        with open(path, "w") as file:
            file.write(ARM + "</robot>")
    except OSError:
        pytest.skip("this file system takes texts alone")
    robot = kt.load(os.fsdecode(path))
    assert robot.source.file.endswith("\udcff.urdf")
    assert [f for f in kt.check(os.fsdecode(path)) if f.severity == "error"] == []


K, D = kt.kinematics, kt.dynamics


@each(
    "function, option, expected",
    [
        (kt.inverse_dynamics, "parameters", "True, False"),
        (kt.inverse_dynamics, "friction", "True, False"),
        (kt.forward_dynamics, "friction", "True, False"),
        (kt.mass_matrix, "packed", "True, False"),
        (kt.mass_matrix, "loops", "'refuse', 'ignore'"),
        (kt.margin, "nearest", "True, False"),
        (partial(kt.jacobian, frame="l2"), "expressed_in", ""),
        (partial(K.analytical_jacobian, frame="l2"), "representation", ""),
        (partial(kt.manipulability, frame="l2"), "method", ""),
        (partial(kt.manipulability, frame="l2"), "rows", ""),
        (partial(kt.ik, frame="l2"), "expressed_in", "'base', 'frame'"),
        (partial(kt.ik, frame="l2"), "goal", ""),
    ],
)
def test_options_are_named_with_what_is_expected(function, option, expected):
    for wrong in ("w", 2):
        with pytest.raises(kt.KinetreeError) as error:
            function(ROBOT, **{option: (wrong,) if option == "goal" else wrong})
        message = error.value.findings[0].message
        assert message.startswith(f"{option} is {wrong!r}; expected ")
        assert expected in message


def test_a_configuration_of_another_size_is_refused_by_the_name_of_its_argument():
    """Everything that takes q of a robot, under whatever name."""
    from kinetree.viewing.scene.robot import configuration

    limits, good, bad = ROBOT.limits, [0.0, 0.0], [0.0, 0.0, 0.0]
    arm = kt.ik(ROBOT, "l2", goal="position")
    calls = {
        "q": [
            lambda: limits.margin(bad),
            lambda: limits.contains(bad),
            lambda: limits.project(bad),
            lambda: limits.clip_step(bad, good),
            lambda: limits.clip_velocity(bad, good, 0.1),
            lambda: configuration(ROBOT, bad),
            lambda: arm.step(bad, [0, 0, 0], dt=0.1),
        ],
        "dq": [lambda: limits.clip_step(good, bad)],
        "qd": [lambda: limits.clip_velocity(good, bad, 0.1)],
        "q0": [lambda: arm([0, 0, 0], q0=bad)],
        "restart": [lambda: arm.step(good, [0, 0, 0], dt=0.1, restart=bad)],
        "at": [lambda: kt.fk(ROBOT, "l2", joints=["j1"], at=bad)],
    }
    for name, made in calls.items():
        for call in made:
            with pytest.raises(kt.KinetreeError) as caught:
                call()
            (finding,) = caught.value.findings
            assert finding.code == "q-shape"
            assert finding.message == f"{name} has shape (3,); expected (…, 2), in this order: j1, j2"
