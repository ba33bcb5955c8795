"""`kinetree codegen`: what is written compiles and computes, both files or none are written, and what is refused."""

import json
import sys

import numpy as np
import pytest

import kinetree as kt
from c_compiler import call, loaded
from kinetree.cli._queries import QUERIES, parameters
from support import full_disk


@pytest.mark.slow
@pytest.mark.parametrize(("flags", "dtype"), [((), "float64"), (("--float",), "float32")])
def test_every_query_is_written_and_computes(run, mixed, tmp_path, flags, dtype):
    robot = kt.load(mixed)
    out = tmp_path / "robot.c"
    queries = [name for name in QUERIES if list(parameters(name))[1:2] == ["base"]]
    queries = [name for name in queries if name not in ("ik", "imu_reading")]
    axes = {name: ", expressed_in=frame" * ("expressed_in" in parameters(name)) for name in queries}
    calls = [f"{name}({frame}, base=finger{axes[name]})" for name in queries for frame in ("tool", "wheel")]
    result = run("codegen", mixed, *(part for call in calls for part in ("--write", call)), *flags, "-o", out)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert f"wrote {out} and {tmp_path / 'robot.h'}" in result.stderr
    library = loaded(out)
    q, rng = robot.q({"drive": [1, 2, 0.5], "lift": 0.125}), np.random.default_rng(1)
    for query in queries:
        for frame in ("tool", "wheel"):
            module = next(m for m in (kt.kinematics, kt.dynamics) if hasattr(m, query))
            kernel = getattr(module, query)(
                robot, frame, "finger", **({"expressed_in": "frame"} if axes[query] else {})
            )
            inputs = [q, *(rng.normal(size=port.shape) for port in kernel.inputs[1:])]
            expected = kernel.interpret(*inputs, dtype=dtype)
            own = "_own_axes" if axes[query] else ""
            found = call(getattr(library, f"mixed_{query}_{frame}_in_finger{own}"), inputs, expected.shape, dtype)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 if dtype == "float64" else 1e-5)
            assert frame == "tool" or np.abs(expected).max() > 0.1
    assert f"Robot mixed, from mixed.urdf; by Kinetree {kt.__version__}." in out.read_text()


def test_json_says_what_was_written(run, mixed, tmp_path):
    robot = kt.load(mixed)
    out = tmp_path / "robot.c"
    result = run("codegen", mixed, "--write", "fk(tool)", "--float", "-o", out, "--json")
    assert result.exit_code == 0
    assert result.stderr == ""
    data = json.loads(result.stdout)
    function = data.pop("functions")[0]
    assert data == {"source": str(out), "header": str(tmp_path / "robot.h"), "numbers": "float"}
    assert {key: function[key] for key in ("name", "query", "frame")} == {
        "name": "mixed_fk_tool",
        "query": "fk",
        "frame": "tool",
    }
    labels = list(robot.coordinate_names)
    assert function["inputs"] == [{"name": "q", "shape": [robot.nq], "labels": labels, "rows": [], "about": "m, rad"}]
    assert function["output"]["shape"] == [4, 4]
    assert "tool in world" in function["output"]["about"]
    assert function["operations"] == kt.fk(robot, "tool").operations


ODD = """<robot name="2-é*/robot"><link name="a b"/><link name="a.b"/><link name="a_b"/>
<joint name="*/&#10;j" type="continuous"><parent link="a b"/><child link="a.b"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="fixed"><parent link="a b"/><child link="a_b"/></joint></robot>"""


@pytest.mark.slow
def test_names_are_made_legal_and_unique(run, tmp_path):
    path, out = tmp_path / "odd.urdf", tmp_path / "odd.c"
    path.write_text(ODD, encoding="utf-8")
    asked = ["--fk", "a b", "--fk", "a.b", "--fk", "a_b", "--name", "robot_2_robot_fk_a_b_2=elbow_pose"]
    result = run("codegen", path, *asked, "-o", out, "--json")
    assert result.exit_code == 0
    names = [function["name"] for function in json.loads(result.stdout)["functions"]]
    assert names == ["robot_2_robot_fk_a_b", "elbow_pose", "robot_2_robot_fk_a_b_3"]
    T = call(loaded(out).elbow_pose, [[0.25]], (4, 4))
    np.testing.assert_allclose(T, kt.fk(kt.load(path), "a.b")([0.25]), rtol=0, atol=1e-15)


def test_nothing_is_overwritten_unless_forced(run, mixed, tmp_path):
    for existing in ("robot.c", "robot.h"):
        (tmp_path / existing).write_text("precious")
        result = run("codegen", mixed, "--fk", "tool", "-o", tmp_path / "robot.c")
        assert result.exit_code == 2
        assert f"{existing} exists already" in result.stderr
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["mixed.urdf", existing])
        assert (tmp_path / existing).read_text() == "precious"
        (tmp_path / existing).unlink()
    (tmp_path / "robot.h").write_text("precious")
    assert run("codegen", mixed, "--fk", "tool", "-o", tmp_path / "robot.c", "--force").exit_code == 0
    assert "mixed_fk_tool" in (tmp_path / "robot.h").read_text()


@pytest.mark.parametrize("broken", ["robot.c", "robot.h"])
def test_both_files_or_none(run, mixed, tmp_path, broken):
    """Both files stay as they are if one cannot be written."""
    out = tmp_path / "robot.c"
    out.write_text("old source")
    (tmp_path / "robot.h").write_text("old header")
    with full_disk(tmp_path / broken):
        result = run("codegen", mixed, "--fk", "tool", "-o", out, "--force")
    assert result.exit_code == 2
    assert "cannot be written: No space left" in result.stderr
    assert out.read_text() == "old source"
    assert (tmp_path / "robot.h").read_text() == "old header"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mixed.urdf", "robot.c", "robot.h"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "a.c"), 'there is nothing to write; expected --write CALL, such as --write "fk(tool0)"'),
        (
            ("--fk", "tool", "--expressed-in", "frame", "-o", "a.c"),
            "--expressed-in means nothing without --jacobian FRAME",
        ),
        (("--fk", "tool"), "Missing option '-o'"),
        (("--fk", "tol", "-o", "a.c"), "no frame 'tol'; did you mean 'tool'"),
        (("--fk", "tool", "--base", "tol", "-o", "a.c"), "no frame 'tol'"),
        (("--fk", "tool", "--fk", "tool", "-o", "a.c"), "--write fk(tool) is given twice"),
        (("--fk", "tool", "-o", "a.cpp"), "expected a file that ends in .c"),
        (("--fk", "tool", "-o", "-"), "expected a file that ends in .c"),
        (("--fk", "tool", "-o", 'a"b.c'), "header cannot be called"),
        (("--fk", "tool", "-o", "nowhere/a.c"), "cannot be written: No such file"),
        (("--fk", "tool", "-o", "a.c", "--name", "mixed_fk=f"), "no function 'mixed_fk'; did you mean 'mixed_fk_tool'"),
        (("--fk", "tool", "-o", "a.c", "--name", "mixed_fk_tool=int"), "'int' is a keyword"),
        (("--fk", "tool", "--fk", "wheel", "-o", "a.c", "--name", "mixed_fk_tool=mixed_fk_wheel"), "already"),
    ],
)
def test_what_is_wrong_is_said(run, mixed, monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    result = run("codegen", mixed, *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == [mixed]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_is_followed(run, mixed, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "robot.c").symlink_to(tmp_path / "elsewhere" / "real.c")
    (tmp_path / "robot.c").resolve().write_text("old")
    assert run("codegen", mixed, "--fk", "tool", "-o", tmp_path / "robot.c", "--force").exit_code == 0
    assert (tmp_path / "robot.c").is_symlink()
    assert "mixed_fk_tool" in (tmp_path / "elsewhere" / "real.c").read_text()


@pytest.mark.slow
def test_a_guard_keeps_limits_in_c(run, tmp_path):
    out = tmp_path / "guard.c"
    icub = ("icub", "--limits", "tendons")
    options = ("--keep", "0.05", "--warn", "0.2", "--speed", "0.3")
    result = run("codegen", *icub, "--guard", "left_arm", "--guard", "torso", *options, "-o", out, "--json")
    assert result.exit_code == 0
    functions = json.loads(result.stdout)["functions"]
    assert [(f["name"], f["query"], f["group"]) for f in functions] == [
        ("icub_guard_left_arm", "guard", "left_arm"),
        ("icub_guard_torso", "guard", "torso"),
    ]
    library = loaded(out)
    guard = kt.guard(kt.load("icub", limits="tendons"), "left_arm", keep=0.05, warn=0.2, speed=0.3)
    q = np.radians([-85, 100, 30, 50, 0, 0, 0])
    command = np.radians([-85, 100, 80, 50, 0, 0, 0])
    found = call(library.icub_guard_left_arm, [q, command, [0.01]], (10,))
    assert found == pytest.approx(guard.kernel(q, command, 0.01), abs=1e-12)
    assert found[-1] == kt.limits.GuardState.CHANGED
    assert "14 left_arm tendons 1 lower" in out.with_suffix(".h").read_text()


@pytest.mark.slow
def test_a_guard_brakes_in_c(run, tmp_path):
    out = tmp_path / "guard.c"
    result = run("codegen", "icub", "--limits", "tendons", "--guard", "left_arm", "--braking", "10", "-o", out)
    assert result.exit_code == 0
    guard = kt.guard(kt.load("icub", limits="tendons"), "left_arm", acceleration=10)
    q, qd = np.radians([-85, 100, 30, 50, 0, 0, 0]), np.radians([0, 0, 60, 0, 0, 0, 0])
    command = np.radians([-85, 100, 80, 50, 0, 0, 0])
    found = call(loaded(out).icub_guard_left_arm, [q, qd, command, [0.01]], (17,))
    assert found == pytest.approx(guard.kernel(q, qd, command, 0.01), abs=1e-12)
    assert found[9] > 1.1  # rad/s: the yaw is faster than before


def test_a_module_of_javascript(run, mixed, tmp_path):
    out = tmp_path / "robot.js"
    result = run("codegen", mixed, "--fk", "tool", "--name", "mixed_fk_tool=pose", "-o", out, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["source"] == str(out)
    assert "header" not in json.loads(result.stdout)
    assert "export function pose(q, T = new Float64Array(16)) {" in out.read_text()
    result = run("codegen", mixed, "--fk", "tool", "--language", "c", "-o", tmp_path / "other.js")
    assert "expected a file that ends in .c" in result.stderr
    result = run("codegen", mixed, "--fk", "tool", "--float", "-o", tmp_path / "other.js")
    assert "--float means nothing to JavaScript" in result.stderr
    assert not (tmp_path / "other.js").exists()


@pytest.mark.slow
def test_options_of_a_guard_that_mean_nothing(run, mixed, tmp_path):
    out = tmp_path / "guard.c"
    for options, said in (
        (("--fk", "tool", "--keep", "1"), "--keep means nothing without --guard GROUP"),
        (("--guard", "arm"), "no group 'arm'"),
        ((), "expected --write CALL"),
    ):
        result = run("codegen", mixed, *options, "-o", out)
        assert result.exit_code == 2
        assert said in result.stderr
        assert not out.exists()
    result = run("codegen", "icub", "--guard", "torso", "--guard", "torso", "-o", out)
    assert "given twice" in result.stderr
    result = run("codegen", "icub", "--guard", "torso", "--base", "head", "-o", out)
    assert "--base means nothing without --fk FRAME" in result.stderr
