"""`kinetree codegen --write`: calls as in Python. The old options write the same files, byte for byte, and a note."""

import json
import re
import shlex

import pytest

import kinetree as kt
from each import each
from kinetree.cli._calls import Call, calls
from kinetree.cli._queries import ARGUMENTS, QUERIES, flag, parameters

KNOWN = {name: parameters(name) for name in QUERIES}


def written(run, model, folder, *arguments):
    """The files that are written, what is printed as JSON, and the notes."""
    folder.mkdir()
    result = run("codegen", model, *arguments, "-o", folder / "a.c", "--json")
    assert result.exit_code == 0, result.stderr
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return files, json.loads(result.stdout.replace(str(folder), "")), result.stderr


SUBJECTS = {
    "": ([], ""),
    "frame": (["hand"], "hand"),
    "sensor": (["ft"], "ft"),
    "dt": (["2"], "2"),
    "sensors frames": (["ft", "hull,hand"], "ft, [hull, hand]"),
    "group": (["shoulder"], "shoulder"),
}
OPTIONS = {
    "": {},
    "--base hull": {"base": "hull"},
    "--base arm --expressed-in frame": {"base": "arm", "expressed_in": "frame"},
    "--gravity 1 2 -3 --wrench hand --wrench hull --friction": {
        "gravity": "(1, 2, -3)",
        "wrenches": "[hand, hull]",
        "friction": "True",
    },
    "--gravity-input --parameters --loops ignore": {"gravity": "None", "parameters": "True", "loops": "ignore"},
    "--measures parent_on_child --moving-base motion": {"measures": "parent_on_child", "moving_base": "motion"},
    "--at-rest": {"at_rest": "True"},
    "--parameters": {"parameters": "True"},
    "--loops ignore": {"loops": "ignore"},
    "--moving-base acceleration": {"moving_base": "acceleration"},
    "--packed": {"packed": "True"},
    "--goal position --tolerance 1e-4 1e-3": {"goal": "position", "tolerance": "(1e-4, 1e-3)"},
    "--keep 0.01 --warn 0.2 --speed 0.3 --braking 9": {
        "keep": "0.01",
        "warn": "0.2",
        "speed": "0.3",
        "acceleration": "9",
    },
}


def takes(name, argument):
    """Whether an option has an effect on a function; in two functions `base` is --moving-base."""
    moves = name in ("imu_reading", "external_wrench")
    if argument == "moving_base" or (argument == "base" and moves):
        return argument == "moving_base" and moves
    return argument in parameters(name)


CASES = [(name, text) for name in QUERIES for text in OPTIONS if all(takes(name, key) for key in OPTIONS[text])]
QUICK = {text: name for name, text in CASES}
"""One function for each option; the others are slow."""


@pytest.mark.sampled
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param(*case, marks=() if QUICK[case[1]] == case[0] else pytest.mark.slow) for case in CASES],
)
def test_the_old_form_writes_the_same_bytes(run, drone, tmp_path, name, text):
    subject, words = SUBJECTS[QUERIES[name].of]
    named = ", ".join(f"{'base' if key == 'moving_base' else key}={value}" for key, value in OPTIONS[text].items())
    call = f"{name}({', '.join(filter(None, [words, named]))})"
    old = written(run, drone, tmp_path / "old", flag(name), *subject, *text.split())
    new = written(run, drone, tmp_path / "new", "--write", call)
    assert old[:2] == new[:2]
    assert new[2] == ""
    assert old[2].startswith(f"note: {flag(name)}")
    printed = shlex.split(old[2].partition(" use ")[2])
    assert written(run, drone, tmp_path / "printed", *printed)[:2] == new[:2]


def test_every_option_is_in_a_case():
    assert {name for name, _ in CASES} == set(QUERIES)
    assert {key for text in OPTIONS.values() for key in text} >= {
        "base",
        "expressed_in",
        "gravity",
        "wrenches",
        "packed",
        "at_rest",
        "goal",
        "acceleration",
    }


def test_calls_have_their_own_options_and_names(run, drone, tmp_path):
    calls = (
        "jacobian(hand, hull)",
        "jacobian(hand, base=arm)",
        "push = inverse_dynamics([hand], gravity=None)",
        "fk(hand)",
    )
    write = [part for call in calls for part in ("--write", call)]
    files, printed, note = written(run, drone, tmp_path / "a", *write, "--name", "drone_fk_hand=hand")
    assert [f["name"] for f in printed["functions"]] == [
        "drone_jacobian_hand_in_hull",
        "drone_jacobian_hand_in_arm",
        "push",
        "hand",
    ]
    assert [f["frame"] for f in printed["functions"] if "frame" in f] == ["hand"] * 3
    assert [p["name"] for p in printed["functions"][2]["inputs"]] == ["q", "qd", "qdd", "gravity", "w"]
    assert b"void push(" in files["a.c"]
    assert note.startswith("note: --name: deprecated, removed in 0.4; use ")
    assert '--write "hand = fk(hand)"' in note
    lines = written(run, drone, tmp_path / "b", "--write", "\n".join([*calls[:3], "hand = fk(hand)"]))
    assert lines[:2] == (files, printed)


def test_functions_of_one_default_name_get_numbers(run, drone, tmp_path):
    two = written(run, drone, tmp_path / "a", "--write", "energy()\nenergy(gravity=(0, 0, -1.6))")
    assert [f["name"] for f in two[1]["functions"]] == ["drone_energy", "drone_energy_2"]
    assert written(run, drone, tmp_path / "b", "--write", "guard()")[1]["functions"][0]["name"] == "drone_guard"
    fk = written(run, drone, tmp_path / "c", "--write", "fk([hand, hull])")[1]["functions"][0]
    assert (fk["name"], fk["frame"], fk["output"]["shape"]) == ("drone_fk_hand_hull", "hand,hull", [2, 4, 4])


def test_names_with_any_characters():
    (call,) = calls("fk('tool 0', left/tool-0)", KNOWN)
    assert call == Call("fk", ("tool 0", "left/tool-0"), {})
    (call,) = calls("a = guard([x, 'y z'], keep=-0.5, warn=1e-3, speed=(1, [2]), acceleration=None)", KNOWN)
    assert call.positional == (["x", "y z"],)
    assert call.named == {"keep": -0.5, "warn": 1e-3, "speed": [1, [2]], "acceleration": None}
    assert call.name == "a"


def test_the_moving_base_is_no_frame(run, drone, tmp_path):
    """--base is an option of fk alone, and a moving base is not a part of the name."""
    old = written(run, drone, tmp_path / "old", "--fk", "hand", "--imu-reading", "hand", "--base", "hull")
    new = written(run, drone, tmp_path / "new", "--write", "fk(hand, base=hull)", "--write", "imu_reading(hand)")
    assert old[:2] == new[:2]
    moving = written(run, drone, tmp_path / "moving", "--write", "imu_reading(hand, base=motion)")
    assert [f["name"] for f in moving[1]["functions"]] == ["drone_imu_reading_hand"]


@pytest.mark.slow
def test_a_guard_in_single_precision_stays_further_inside(run, drone, tmp_path):
    files = written(run, drone, tmp_path / "a", "--write", "guard([shoulder])", "--float")[0]
    kernel = kt.guard(kt.load(drone), ["shoulder"], dtype="float32").kernel
    numbers = [
        re.findall(r"\d+\.\d+\w*", text)
        for text in (files["a.c"].decode(), kernel.c_source("a", dtype="float32").source)
    ]
    assert len(set(numbers[1])) > 5
    assert set(numbers[1]) <= set(numbers[0])


@each(
    "call",
    [
        Call("fk", ("tool 0",), {}),
        Call("fk", ("None",), {"base": "in/for"}),
        Call("jacobian", ("a-b.c/d", "4"), {"expressed_in": "frame"}, "name"),
        Call("external_wrench", (["a", 'b"c'], ["d'e"]), {"gravity": None, "parameters": True, "loops": "x=y"}),
        Call("step", (0.01,), {"gravity": [0.0, 0.0, -9.81]}),
    ],
)
def test_a_call_reads_what_it_prints(call):
    assert calls(str(call), KNOWN) == [call]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("jacobin(hand)", "--write jacobin(hand): no function 'jacobin'; did you mean 'jacobian'?"),
        ("fk(hnd)", "--write fk(hnd): no frame 'hnd'; did you mean 'hand'?"),
        ("fk(hand, bse=arm)", "no argument 'bse' of fk; did you mean 'base'?"),
        ("fk(hand, base=hnd)", "--write fk(hand, base=hnd): no frame 'hnd'"),
        ("fk(hand, joints=arm)", "no argument 'joints' of fk; use the option --joints, for all functions"),
        ("jacobian()", "missing a required argument: 'frame'; expected jacobian(frame, base=, expressed_in=, origins="),
        ("fk(hand, hull, arm)", "too many positional arguments; expected fk(frames, base=, origins=)"),
        ("fk(hand, base=arm, base=arm)", "an argument is given twice"),
        ("fk(hand, **arm)", "no argument None of fk"),
        ("fk(tool 0)", "cannot be read at character 4; expected a call such as fk(tool0)"),
        ("fk(tool 0)", 'quote names with other characters, "a b"'),
        ("fk(", "cannot be read at character 3"),
        ("fk(a\0b)", "cannot be read"),
        ("fk(" + "-" * 10_000 + "1)", "cannot be read"),
        ("hand", "is no call; expected a call such as fk(tool0) or hand = fk(tool0, base=chest)"),
        ("fk(hand), mass_matrix()", "fk(tool0, base=chest), or both = fk(tool0), mass_matrix()"),
        ("a, b = fk(hand)", "is no call"),
        ("a.b(hand)", "is no call"),
        ("import os", "is no call"),
        ("fk(a + b)", "'a + b' is no value; expected a name, a number, a list, True, False or None"),
        ("fk(open('x'))", "is no value"),
        ("fk(hand, base=[f'{arm}'])", "is no value"),
        ("int = fk(hand)", "'int' is a keyword"),
        ("energy(gravity=(0, 0))", "gravity is [0, 0]"),
        ("sensor_reading(ft, measures=up)", "measures is 'up'"),
        ("step(nan)", "dt is 'nan'"),
        ("fk(hand)\nfk(hand)", "--write fk(hand) is given twice"),
        ("a = fk(hand)\na = fk(hull)", "'a'"),
    ],
)
def test_errors(run, drone, tmp_path, call, said):
    result = run("codegen", drone, "--write", call, "-o", tmp_path / "a.c")
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert not (tmp_path / "a.c").exists()
    as_json = json.loads(run("codegen", drone, "--write", call, "-o", tmp_path / "a.c", "--json").stderr)
    assert as_json["findings"][0]["code"]


def test_nothing_is_evaluated(run, drone, tmp_path):
    result = run("codegen", drone, "--write", "fk(__import__('pathlib').Path('x').touch())", "-o", tmp_path / "a.c")
    assert result.exit_code == 2
    assert not (tmp_path / "x").exists()


def test_the_note_quotes_for_a_shell(run, tmp_path):
    path = tmp_path / "odd.urdf"
    path.write_text('<robot name="odd"><link name="a $b"/></robot>')
    assert re.search(
        r"use --write 'fk\(.*a \$b.*\)'$", run("codegen", path, "--fk", "a $b", "-o", tmp_path / "a.c").stderr
    )
    assert kt.load(path).root == "a $b"


def test_one_function_of_several(run, drone, tmp_path):
    """Its results have the names of each, with the frame where two are the same, and a number where that is, too."""
    call = "state = fk(hand), jacobian(hand), fk(hull), mass_matrix()"
    files, told, _ = written(run, drone, tmp_path / "a", "--write", call)
    (one,) = told["functions"]
    assert (one["name"], one["query"]) == ("state", call.removeprefix("state = "))
    assert [port["name"] for port in one["outputs"]] == ["T_hand", "J", "T_hull", "H"]
    assert [port["name"] for port in one["inputs"]] == ["q"]
    nv = len(one["outputs"][1]["labels"])
    assert one["output"]["shape"] == [16 + 6 * nv + 16 + nv**2]
    assert b"STATE_T_HULL_START" in files["a.h"]
    _, told, _ = written(run, drone, tmp_path / "b", "--write", "pair = fk(hand), fk(hand, base=hull)")
    assert [port["name"] for port in told["functions"][0]["outputs"]] == ["T_hand_1", "T_hand_2"]
    (read,) = calls(call, KNOWN)
    assert str(read) == call
    assert [part.function for part in read.positional] == ["fk", "jacobian", "fk", "mass_matrix"]


@each(
    "text",
    ["fk(hand), fk(hull)", "a = ()", "a = fk(hand), 3", "a, b = fk(hand), fk(hull)", "a = fk(hand), (fk(hull),)"],
)
def test_several_calls_that_cannot_be_read(text):
    with pytest.raises(kt.KinetreeError, match="is no call; expected a call such as"):
        calls(text, KNOWN)


def test_every_argument_with_a_default_has_help_and_no_other():
    optional = {key for own in KNOWN.values() for key, one in own.items() if one.default is not one.empty}
    assert optional == {*ARGUMENTS, "joints"}  # which are what a guard is for
