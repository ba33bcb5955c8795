"""JavaScript agrees with the interpreter, in Node, and refuses names that JavaScript refuses."""

import itertools
import json
import shutil
import subprocess

import numpy as np
import pytest

import kinetree as kt
from each import each
from every_operation import AWKWARD, constant_operations, every_operation, kernel, names_of_results
from kinetree.compiler.interpret import interpret
from kinetree.compiler.js import write_js
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from physics import everything
from support import icub_urdfs, placed_frames, random_q

in_node = pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
CALLER = """import * as robot from "./robot.mjs";
import { readFileSync } from "node:fs";
const { name, calls } = JSON.parse(readFileSync("calls.json", "utf8"));
const numbers = (x) => Array.isArray(x) ? x.map(numbers) : Number(x);
const text = (x) => Object.is(x, -0) ? "-0" : String(x);
console.log(JSON.stringify(calls.map((one) => Array.from(robot[name](...numbers(one)), text))));
"""


def called(folder, kernel, calls, name="f"):
    """What the function gives for each list of arguments."""
    (folder / "robot.mjs").write_text(write_js([(name, kernel)]), encoding="ascii")
    (folder / "call.mjs").write_text(CALLER, encoding="ascii")
    (folder / "calls.json").write_text(json.dumps({"name": name, "calls": words(calls)}), encoding="ascii")
    done = subprocess.run(["node", "call.mjs"], cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    return np.array([[float(x) for x in one] for one in json.loads(done.stdout)])


def words(x):
    """Numbers as text, which JSON has for infinity too."""
    if isinstance(x, list | np.ndarray):
        return [words(part) for part in x]
    return str(float(x)).replace("inf", "Infinity").replace("nan", "NaN")


def test_what_repeats_its_steps_is_refused():
    port = Port("x", (2,))
    again = Kernel("again", (port,), port, lambda: trace(lambda x: x - 1.0, (2,), repeated=True))
    with pytest.raises(kt.KinetreeError, match="walk repeats its steps; JavaScript is written of straight lines only"):
        write_js([("walk", again)])


@pytest.mark.slow
@in_node
def test_every_operation(tmp_path):
    k = kernel(every_operation())
    x = np.concatenate([np.random.default_rng(1).normal(0, 2, (300, 3)), list(itertools.product(AWKWARD, repeat=3))])
    expected = interpret(k.program, x)
    found = called(tmp_path, k, [[row] for row in x])
    tie = (x[:, 0] == 0) & (x[:, 1] == 0)
    for i, name in enumerate(names_of_results()):
        np.testing.assert_allclose(found[:, i], expected[:, i], rtol=1e-15, atol=1e-14, err_msg=name)
        rows = ~np.isnan(expected[:, i]) & ~(tie & (name in ("minimum", "maximum")))
        np.testing.assert_array_equal(np.signbit(found[rows, i]), np.signbit(expected[rows, i]), err_msg=name)


@pytest.mark.slow
@in_node
@pytest.mark.parametrize(
    "constants", [(-1.5, -0.25, -3.0), (0.75, -0.5, 1e-9), (-0.0, -1.0, 2.0), (np.inf, np.nan, 0.0)]
)
def test_operations_on_literals(tmp_path, constants):
    k = kernel(constant_operations(constants))
    with np.errstate(all="ignore"):
        expected = interpret(k.program, [0.0])
    np.testing.assert_allclose(called(tmp_path, k, [[[0.0]]])[0], expected, rtol=1e-15, atol=1e-14)


@in_node
@pytest.mark.parametrize("robot", [everything(0), kt.load("icub")], ids=["every joint type", "icub"])
@pytest.mark.slow
def test_poses_and_jacobians_of_robots(tmp_path, robot):
    rng = np.random.default_rng(0)
    q = [random_q(robot, rng) for _ in range(20)]
    for k in (kt.fk(robot, placed_frames(robot)), kt.jacobian(robot, placed_frames(robot)[-1])):
        found = called(tmp_path, k, [[one] for one in q])
        assert np.allclose(found, k(np.array(q)).reshape(len(q), -1), rtol=0, atol=1e-12)


@in_node
@pytest.mark.slow
@pytest.mark.parametrize("path", icub_urdfs()[:3], ids=lambda path: path.parent.name)
@pytest.mark.sampled(2)
def test_poses_of_published_models(tmp_path, path):
    robot = kt.load(path)
    q = [random_q(robot, np.random.default_rng(i)) for i in range(10)]
    k = kt.fk(robot, list(robot.frames))
    assert np.allclose(called(tmp_path, k, [[one] for one in q]), k(np.array(q)).reshape(10, -1), rtol=0, atol=1e-12)


@in_node
@pytest.mark.slow
def test_a_guard_with_its_numbers(tmp_path):
    """An input without a shape is a number; comparisons and choices are those of the kernel."""
    icub = kt.load("icub")
    guard = kt.guard(icub, "left_arm", acceleration=10.0)
    q = icub.limits.sample(20, seed=1)[:, [icub.q_slices[name].start for name in guard.joints]]
    q = kt.guard(icub, "left_arm")(q, q, 0).command
    command = q + np.random.default_rng(0).normal(size=q.shape)
    calls = [[one, 0.1 * one, there, 0.01] for one, there in zip(q, command, strict=True)]
    found = called(tmp_path, guard.kernel, calls, "guard")
    assert np.allclose(found, guard.kernel(q, 0.1 * q, command, 0.01), rtol=0, atol=1e-12)


def test_hostile_words_stay_in_comments():
    k = Kernel("f", (Port("x", (1,), ("*/ alert(1) //",)),), Port("y", (1,)), lambda: trace(lambda x: x + 1, (1,)))
    text = write_js([("f", k)], about="*/ alert(1)\n</script>")
    assert "*/ alert" not in text
    assert text.isascii()


@each("name", ["class", "t1", "a-b", "", "Math", "é", "copysign"])
def test_names_that_are_refused(name):
    k = kernel(trace(lambda x: x + 1, (1,)))
    with pytest.raises(kt.KinetreeError) as error:
        write_js([(name, k)])
    assert error.value.findings[0].code == "js-name"
    with pytest.raises(kt.KinetreeError, match="is a function already"):
        write_js([("f", k), ("f", k)])
