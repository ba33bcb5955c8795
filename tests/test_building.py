"""Robots built by `kt.chain`: the same as from files, with the lines of Python and every fault in its row."""

import inspect
from math import pi
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.formats.ets import Rz, tx

HERE = Path(__file__).resolve()
TEXT = "tz(0.33) Rz(q1) tx(0.2) Ry(q2) tx(0.1)"
PUMA = [  # Armstrong, Khatib and Burdick (1986), as the Robotics Toolbox has it
    {"d": 0.67183, "alpha": pi / 2, "m": 0, "I": [0, 0.35, 0], "Jm": 200e-6, "G": -62.6111, "B": 1.48e-3},
    {
        "a": 0.4318,
        "m": 17.4,
        "r": [-0.3638, 0.006, 0.2275],
        "I": [0.13, 0.524, 0.539, 0, 0, 0],
        "Jm": 200e-6,
        "G": 107.815,
    },
    {
        "d": 0.15005,
        "a": 0.0203,
        "alpha": -pi / 2,
        "m": 4.8,
        "r": (-0.0203, -0.0141, 0.07),
        "I": np.diag([0.066, 0.086, 0.0125]),
        "Jm": 200e-6,
        "G": -53.7063,
    },
    {
        "d": 0.4318,
        "alpha": pi / 2,
        "m": 0.82,
        "r": np.array([0, 0.019, 0]),
        "I": [1.8e-3, 1.3e-3, 1.8e-3],
        "Jm": 33e-6,
        "G": 76.0364,
    },
    {"alpha": "-pi/2", "m": 0.34, "I": [0.3e-3, 0.4e-3, 0.3e-3], "Jm": 33e-6, "G": 71.923},
    {"m": 0.09, "r": [0, 0, 0.032], "I": [0.15e-3, 0.15e-3, 0.04e-3], "Jm": 33e-6, "G": 76.686},
]
QN = (0, pi / 4, pi, 0, pi / 4, 0)
PUMA_M = [  # p560.inertia(qn), as the manual of the toolbox prints it
    [3.6593754, -0.4043612, 0.1006136, -0.0025170, 0, 0],
    [-0.4043612, 4.4137419, 0.3508907, 0, 0.0023595, 0],
    [0.1006136, 0.3508907, 0.9378416, 0, 0.0014802, 0],
    [-0.0025170, 0, 0, 0.1925317, 0, 0.0000283],
    [0, 0.0023595, 0.0014802, 0, 0.1713485, 0],
    [0, 0, 0, 0.0000283, 0, 0.1941045],
]


def line(text: str) -> int:
    """The line of this file with a comment."""
    (found,) = [i for i, one in enumerate(HERE.read_text().splitlines(), 1) if one.endswith(f"  # {text}")]
    return found


def place(thing) -> tuple[str, int]:
    return thing.source.file, thing.source.line


def faults(build) -> list[str]:
    with pytest.raises(kt.KinetreeError) as caught:
        build()
    assert all(finding.source.file == __file__ for finding in caught.value.findings)
    return [f"{finding.element or ''}|{finding.code}|{finding.message}" for finding in caught.value.findings]


def test_rows_of_the_toolbox_give_the_published_mass_matrix():
    puma = kt.chain(PUMA, convention="dh", name="puma")
    assert np.allclose(kt.mass_matrix(puma).interpret(np.array(QN)), PUMA_M, rtol=0, atol=1e-6)
    assert puma.joints["q1"].dynamics[0].damping == pytest.approx(5.80182, rel=1e-5)


@pytest.mark.parametrize("convention", ["dh", "mdh"])
def test_rows_are_those_of_a_file(convention):
    rows = [
        {"joint": "a", "d": 0.3, "a": 0.1, "alpha": 0.2, "offset": 0.4, "limits": [-1, 2], "velocity": 3, "effort": 4},
        {"joint": "b", "type": "prismatic", "a": 0.2, "theta": 0.5, "flip": True, "damping": 0.1},
        {"type": "fixed", "a": 0.1, "alpha": 1, "frame": "flange"},
        {"joint": "c", "mimic": {"joint": "a", "multiplier": -2}, "link": "hand", "d": 0.1},
    ]
    table = f'convention = "{convention}"\nunits = {{ length = "m", angle = "rad" }}\nbase = {{ xyz = [0, 0, 1] }}\n'
    table += "tool = { xyz = [0, 0, 0.5] }\n"
    for row in rows:
        full = {"a": 0, "d": 0, "alpha": 0, "theta": 0} | row
        table += "[[rows]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in full.items())
    read = kt.load(table, format="dh")
    base = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]])
    made = kt.chain(rows, convention=convention, base=base, tool={"xyz": np.array([0, 0, 0.5])})
    assert kt.text(made, "dh") == kt.text(kt.edit.rename(read, {}), "dh")
    assert made.joint_names == ("a", "b")
    assert list(made.frames)[-2:] == ["dh_4", "tip"]


def _toml(value) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return repr(value).lower() if isinstance(value, bool) else repr(value)


@pytest.mark.parametrize(("convention", "rpy"), [("dh", (0.3, 0, 0)), ("mdh", (0, 0, 0))])
def test_a_mass_is_in_the_frame_at_the_end_of_its_row(convention, rpy):
    I = [[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]]
    six = [0.1, 0.2, 0.3, 0.01, 0.03, 0.02]
    rows = [{"joint": "q", "a": 0.5, "alpha": 0.3, "m": 2, "r": [0.1, 0.2, 0.3], "I": one} for one in (I, six)]
    made, same = (kt.chain([row], convention=convention) for row in rows)
    body, again = made.links["q_link"].inertial, same.links["q_link"].inertial
    assert (body.mass, body.inertia.tolist(), again.inertia.tolist()) == (2, I, I)
    T = kt.fk(made, "dh_1", base="q_link").interpret(made.q())
    assert np.allclose(body.origin, T @ _pose([0.1, 0.2, 0.3]), rtol=0, atol=1e-15)
    expected = _pose([0.5, 0, 0]) @ np.block([[_rx(rpy[0]), np.zeros((3, 1))], [0, 0, 0, 1]]) @ _pose([0.1, 0.2, 0.3])
    assert np.allclose(body.origin, expected if convention == "dh" else _pose([0.1, 0.2, 0.3]), rtol=0, atol=1e-15)


def _pose(xyz) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = xyz
    return T


def _rx(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def test_joints_are_those_of_urdf():
    urdf = """<robot name="arm"><link name="base_link"/>
    <link name="upper"><inertial><origin xyz="0 0 .1"/><mass value="2"/>
      <inertia ixx=".1" iyy=".2" izz=".3" ixy=".01" iyz=".03" ixz=".02"/></inertial></link>
    <link name="elbow_link"/><link name="flange_link"/><link name="eye_link"/>
    <joint name="shoulder" type="revolute"><parent link="base_link"/><child link="upper"/><origin xyz="0 0 .3"/>
      <axis xyz="0 0 1"/><limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping=".5"/></joint>
    <joint name="elbow" type="continuous"><parent link="upper"/><child link="elbow_link"/>
      <origin xyz=".1 0 0" rpy=".1 .2 .3"/><axis xyz="0 .6 .8"/></joint>
    <joint name="flange" type="fixed"><parent link="elbow_link"/><child link="flange_link"/>
      <origin xyz="0 0 .2"/></joint>
    <joint name="eye" type="prismatic"><parent link="base_link"/><child link="eye_link"/><axis xyz="-1 0 0"/>
      <mimic joint="elbow" multiplier="0.5"/><limit lower="-1" upper="1" velocity="9" effort="9"/></joint></robot>"""
    tensor = [0.1, 0.2, 0.3, 0.01, 0.03, 0.02]
    made = kt.chain(
        [
            {
                "joint": "shoulder",
                "link": "upper",
                "xyz": [0, 0, 0.3],
                "axis": [0, 0, 1],
                "limits": [-1, 2],
                "velocity": 3,
                "effort": 4,
            }
            | {"damping": 0.5, "m": 2, "r": [0, 0, 0.1], "I": tensor},
            {"joint": "elbow", "type": "continuous", "xyz": [0.1, 0, 0], "rpy": [0.1, 0.2, 0.3], "axis": [0, 3, 4]},
            {"joint": "flange", "type": "fixed", "xyz": [0, 0, 0.2]},
            {"joint": "eye", "type": "prismatic", "parent": "base_link", "axis": [1, 0, 0], "flip": True}
            | {"mimic": {"joint": "elbow", "multiplier": 0.5}, "limits": [-1, 1], "velocity": 9, "effort": 9},
        ],
        name="arm",
    )
    read = kt.load(urdf, format="urdf")
    assert made.frames["tip"].link == "eye_link"
    assert not kt.compare(kt.edit.rename(made, {}), kt.edit.add_frame(read, "tip", "eye_link")).differences
    assert made.joints["eye"].axes.tolist() == [[-1, 0, 0]]
    for size in (1e-300, 1e300):
        (axis,) = kt.chain([{"axis": [0, 3 * size, 4 * size]}]).joints["q1"].axes
        assert np.allclose(axis, [0, 0.6, 0.8], rtol=0, atol=1e-15)


def test_sequences_are_those_of_texts():
    read = kt.load(TEXT, format="ets")
    for made in (kt.chain(TEXT), kt.chain(Rz("q1") * tx(0.2))):
        assert made.joint_names == read.joint_names[: made.nq]
    assert kt.text(kt.chain(TEXT), "ets") == TEXT
    assert kt.text(kt.chain(TEXT, name="arm"), "ets").startswith("name = arm\n")
    assert place(kt.chain(Rz("q1") * tx(0.2)).joints["q1"])[1] == inspect.currentframe().f_lineno


def test_every_part_has_its_line():
    rows = kt.chain(
        [
            {"joint": "one", "d": 0.3},  # row 1
            {
                "joint": "two",
            },
        ],
        convention="dh",
    )
    assert place(rows.joints["one"]) == place(rows.links["one_link"]) == (__file__, line("row 1"))
    assert place(rows.joints["two"]) == (__file__, line("row 1") + 1)
    assert place(rows) == place(rows.frames["dh_0"]) == (__file__, line("row 1") - 2)
    text = kt.chain("""tz(0.3)
        Rz(q1)
        Ry(q2)""")  # the text
    assert place(text.joints["q1"]) == (__file__, line("the text") - 1)
    away = kt.chain(PUMA, convention="dh")  # rows that stand elsewhere
    assert place(away.joints["q2"]) == (__file__, line("rows that stand elsewhere"))


def test_rows_of_a_variable_have_their_lines_if_it_is_assigned_once():
    rows = [
        {"d": 0.3},
        {"d": 0.4},  # row of a variable
    ]
    again = [{"d": 0.3}]
    if rows:
        again = [{"d": 0.4}]
    assert place(kt.chain(rows, convention="dh").joints["q2"]) == (__file__, line("row of a variable"))
    text = """
        tz(0.3) Rz(q1)  # text of a variable
    """
    assert place(kt.chain(text).joints["q1"]) == (__file__, line("text of a variable"))
    assert place(kt.chain(again, convention="dh").joints["q1"]) == (__file__, inspect.currentframe().f_lineno)
    rows.append({"d": 0.5})
    assert place(kt.chain(rows, convention="dh").joints["q2"]) == (__file__, inspect.currentframe().f_lineno)


def test_a_fault_has_its_line_and_is_underlined():
    with pytest.raises(kt.KinetreeError) as caught:
        kt.chain(
            [
                {"joint": "one", "axis": [0, 0, 1]},
                {"joint": "two", "axis": [0, 0, 1], "limit": [0, 1]},  # the fault
            ]
        )
    (finding,) = caught.value.findings
    assert (finding.source.line, finding.code, finding.element) == (
        line("the fault"),
        "unknown-key",
        "row 2, joint 'two'",
    )
    assert finding.excerpt.splitlines()[1].strip() == "~~~~^"


def test_all_faults_of_rows_are_named():
    rows = [
        {"d": "x", "qlim": [1]},
        {"joint": 3},
        5,
        {1: 2},
        {"m": 1, "r": [1, 2]},
        {"I": [1, 2, 3]},
        {"m": "?", "I": [[1, 2, 3], [0, 1, 0], [0, 0, 1]]},
        {"Jm": 3},
        {"Tc": [1, -2], "G": 3},
        {"B": "much", "G": 3},
        {"type": "ball"},
        {"type": "fixed", "m": 1},
        {"limits": [0, 1], "qlim": [0, 1]},
        {"xyz": [0, 0, 1]},
        {"a": float("nan")},
        {"d": True},
    ]
    found = faults(lambda: kt.chain(rows, convention="dh"))
    codes = [fault.split("|")[:2] for fault in found]
    assert codes == [
        ["row 1", "number"],
        ["row 1", "limits"],
        ["row 2, joint 3", "text"],
        ["row 3", "rows"],
        ["row 4", "rows"],
        *[["row 5", "mass"], ["row 6", "mass"], ["row 7", "mass"], ["row 7", "mass"]],
        *[["row 8", "motor"], ["row 9", "motor"], ["row 10", "motor"]],
        ["row 11", "row-type"],
        ["row 12", "fixed-mass"],
        ["row 13", "limits-twice"],
        ["row 14", "unknown-key"],
        *[["row 15", "number"], ["row 16", "number"]],
    ]
    assert "row 8|motor|has Jm without G; expected the ratio of the gear" in found


def test_an_angle_of_more_than_a_turn_is_a_fault():
    rows = [{"alpha": 90}, {"offset": -45.0}, {"theta": "90 + (-30 -> 30)"}]
    said = ["row 1|unit|alpha is 90", "row 2|unit|offset is -45.0", "row 3|unit|theta is '90 + (-30 -> 30)'"]
    for convention in ("dh", "mdh"):
        found = faults(lambda convention=convention: kt.chain(rows, convention=convention))
        assert found == [f"{one}, more than a whole turn; expected radians" for one in said]
    turned = {"axis": [0, 0, 1], "rpy": [0, 90, 0]}
    assert [fault.split("|")[:2] for fault in faults(lambda: kt.chain([turned]))] == [["row 1", "unit"]]
    tool = {"rpy": turned["rpy"]}
    assert [fault.split("|")[:2] for fault in faults(lambda: kt.chain([{}], convention="dh", tool=tool))] == [
        ["tool", "unit"]
    ]
    turns = [{"alpha": 6.2832}, {"theta": "4*pi"}, {"type": "prismatic", "offset": 9}]  # rounded, meant, a length
    assert kt.chain(turns, convention="dh").nq == 3


@each(
    "rows, code",
    [
        ([{"axis": [0, 0, 0]}], "zero-axis"),
        ([{}], "zero-axis"),
        ([{"type": "fixed", "axis": [0, 0, 1]}], "row-type"),
        ([{"type": "fixed", "limits": [0, 1]}], "row-type"),
        ([{"axis": [0, 0, 1], "parent": "nowhere"}], "unknown-parent"),
        ([{"axis": [0, 0, 1], "parent": 7}], "text"),
        ([{"axis": [0, 0, 1], "xyz": [1, 2]}], "pose"),
        ([{"axis": [0, 0, 1], "m": float("inf")}], "mass"),
        ([{"axis": [0, 0, 1], "joint": "a"}, {"axis": [0, 0, 1], "joint": "a", "link": "b"}], "duplicate-name"),
        ([{"axis": [0, 0, 1], "xyz": [1e300, 0, 0]}], "too-large"),
        ([{"axis": [0, 0, 1], "mimic": {"joint": "q1"}}], "mimic"),
        ([{"a": 1}], "convention"),
        ([], "rows"),
    ],
)
def test_a_fault_of_joints_is_refused(rows, code):
    (found,) = faults(lambda: kt.chain(rows))
    assert found.split("|")[1] == code


@each(
    "given, code",
    [
        ({"convention": "standard"}, "convention"),
        ({"convention": "dh", "name": 5}, "name"),
        ({"convention": "dh", "base": np.eye(3)}, "pose"),
        ({"convention": "dh", "tool": np.diag([1, 1, -1, 1])}, "not-a-rotation"),
        ({"convention": "dh", "base": "here"}, "pose"),
    ],
)
def test_a_bad_argument_is_refused(given, code):
    (found,) = faults(lambda: kt.chain([{"d": 1}], **given))
    assert found.split("|")[1] == code
    with pytest.raises(kt.KinetreeError, match="elements is 5; expected a text or"):
        kt.chain(5)
    with pytest.raises(kt.KinetreeError, match=r"a sequence has SE3\(…\) there|name is 5"):
        kt.chain(TEXT, **given)


def test_a_bad_term_is_underlined():
    with pytest.raises(kt.KinetreeError) as caught:
        kt.chain("""
            tz(0.3) Rz(q1)
            Ra(q2)  # of the text
        """)
    (finding,) = caught.value.findings
    assert (finding.source.file, finding.source.line) == (__file__, line("of the text"))
    assert finding.excerpt.splitlines()[1].strip() == "~^"


def test_a_program_without_text_has_the_line_of_its_call():
    names: dict[str, object] = {}
    exec(compile("import kinetree as kt\n\nrobot = kt.chain([{'axis': [0, 0, 1]}])", "<nowhere>", "exec"), names)
    assert (names["robot"].joints["q1"].source.file, names["robot"].joints["q1"].source.line) == ("<nowhere>", 3)


def test_the_frame_of_the_tool_is_never_lost():
    for convention in (None, "dh"):
        row = {"link": "tip"} | ({} if convention else {"axis": [0, 0, 1]})
        (found,) = faults(lambda row=row, convention=convention: kt.chain([row], convention=convention, tool=np.eye(4)))
        assert found.split("|")[1] == "duplicate-name"


@pytest.mark.parametrize("key", ["Jm", "B", "Tc"])
def test_a_number_of_a_motor_is_given_once_and_not_negative(key):
    name = {"Jm": "armature", "B": "damping", "Tc": "friction"}[key]
    twice = faults(lambda: kt.chain([{key: 1, "G": 2, name: 3}], convention="dh"))
    assert twice == [f"row 1|motor|has {name} twice: as {key} and as {name}; expected one"]
    (negative,) = faults(lambda: kt.chain([{key: -1, "G": 2}], convention="dh"))
    assert negative.startswith(f"row 1|motor|{key} is -1; expected ")


NESTED: list[object] = [1]
NESTED.append(NESTED)
DEEP: list[object] = []
for _ in range(5000):
    DEEP = [DEEP]


@each(
    "row",
    [
        *({"Tc": Tc, "G": 1} for Tc in (["a", "b"], [0.4, None], [[1], [2]], [True, -1], [], [float("inf")] * 2)),
        *[{"Jm": 1e300, "G": 1e300}, {"Tc": 1e300, "G": 1e300}],
        *({key: value} for key in ("d", "joint", "qlim", "mimic", "I", "m") for value in (NESTED, DEEP)),
        *[NESTED, DEEP, {"d": 10**5000}],
    ],
)
def test_hostile_values_are_faults_of_their_row(row):
    assert all(found.startswith("row 1") for found in faults(lambda: kt.chain([row], convention="dh")))


def test_a_pose_that_contains_itself_is_refused():
    (found,) = faults(lambda: kt.chain([{"d": 1}], convention="dh", tool={"xyz": NESTED}))
    assert found.startswith("tool|pose|")


def test_limits_are_named_as_written_and_may_have_pi():
    made = kt.chain([{"qlim": ["-pi/2", "pi"]}, {"limits": [float("-inf"), "pi"]}], convention="dh")
    assert made.limits.lower.tolist() == [-pi / 2, float("-inf")]
    assert made.limits.upper.tolist() == [pi, pi]
    (found,) = faults(lambda: kt.chain([{"qlim": [1]}], convention="dh"))
    assert found.startswith("row 1|limits|qlim is [1]; expected ")
    (found,) = faults(lambda: kt.chain([{"type": "prismatic", "qlim": [0, "pi"]}], convention="dh"))
    assert "expected [lower, upper] in the unit of the variable, pi with radians only" in found


def test_a_robot_is_checked_and_saved(tmp_path):
    robot = kt.chain([{"joint": "a", "axis": [0, 0, 1], "limits": [1, -1], "m": 1, "I": [1, 0.1, 0.1]}])
    codes = {finding.code for finding in kt.check(robot)}
    assert {code[:3] for code in codes} >= {"LIM", "INR"}
    kt.save(robot, tmp_path / "arm.urdf")
    assert kt.load(tmp_path / "arm.urdf").joint_names == ("a",)
