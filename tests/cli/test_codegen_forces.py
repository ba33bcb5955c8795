"""`kinetree codegen` writes every query of dynamics, whose C and JavaScript compute what its kernel does."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import kinetree as kt
from c_compiler import call, loaded
from kinetree.cli._queries import ARGUMENTS, QUERIES, flag, parameters

SUBJECTS = {"": [], "frame": ["hand"], "sensor": ["ft"], "dt": ["0.01"], "sensors frames": ["ft", "hand"]}
MASSLESS = """<robot name="r"><link name="base"/><link name="hand"/><joint name="j" type="revolute">
  <parent link="base"/><child link="hand"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <sensor name="ft" type="force_torque"><parent joint="j"/></sensor></robot>"""
FORCES = {
    name: row
    for name, row in QUERIES.items()
    if name in ("imu_reading", "external_wrench") or ("base" not in parameters(name) and name != "guard")
}
"""Rows about forces, and those about the whole robot."""


def all_forces():
    return [part for name, row in FORCES.items() for part in (flag(name), *SUBJECTS[row.of])]


def written(run, *arguments):
    result = run("codegen", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return {function["query"]: function for function in json.loads(result.stdout)["functions"]}


def numbers(kernel, seed=1):
    """An input for every port; parameters are those of a body."""
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=port.shape) for port in kernel.inputs]
    return [np.abs(a) + 1 if port.name == "parameters" else a for a, port in zip(arrays, kernel.inputs, strict=True)]


def asked(robot, name, **options):
    """The kernel of the row, with those of the options that it takes."""
    row = FORCES[name]
    named = {"base" if key == "moving_base" else key: value for key, value in options.items()}
    taken = {key: value for key, value in named.items() if key in parameters(name)}
    subject = [0.01] if row.of == "dt" else SUBJECTS[row.of]
    return row.ask(robot, *subject, **taken)


def test_every_argument_has_a_help():
    for name, row in QUERIES.items():
        taken = list(parameters(name))
        subject, others = taken[: len(row.of.split())], taken[len(row.of.split()) :]
        assert {word.rstrip("s") for word in row.of.split()} <= {key.rstrip("s") for key in (*subject, "group")}
        assert set(others) <= ARGUMENTS.keys()
        for key in others:
            default = parameters(name)[key].default
            shown = f"{default:.3g}" if isinstance(default, float) and default else str(default).replace(".0", "")
            assert default in (None, ()) or shown in ARGUMENTS[key].partition("[default: ")[2]
    assert ARGUMENTS.keys() <= {key for name in QUERIES for key in parameters(name)}


def test_what_needs_masses():
    """Of a robot without any; a reading of accelerations needs none."""
    robot = kt.load(MASSLESS, format="urdf")
    needs = set()
    for name in FORCES:
        try:
            asked(robot, name, measures="parent_on_child")
        except kt.KinetreeError as error:
            assert [f.code for f in error.findings] == ["no-mass"]
            assert error.findings[0].message == "no link of the robot has a mass, which this needs"
            assert "m=, r= and I=" in error.findings[0].fix
            needs.add(name)
    assert FORCES.keys() - needs == {"margin", "imu_reading", "integrate", "difference"}


@pytest.mark.slow
def test_every_query_of_dynamics_in_c(run, drone, tmp_path):
    flags = ("--gravity-input", "--wrench", "hand", "--wrench", "hull", "--friction", "--packed", "--parameters")
    flags += ("--measures", "parent_on_child", "--moving-base", "motion")
    options = {"gravity": None, "wrenches": ("hand", "hull"), "friction": True, "packed": True, "parameters": True}
    options |= {"measures": "parent_on_child", "moving_base": "motion"}
    robot, out = kt.load(drone), tmp_path / "drone.c"
    functions = written(run, drone, *all_forces(), *flags, "-o", out)
    assert functions.keys() == FORCES.keys()
    library = loaded(out)
    for name, function in functions.items():
        kernel = asked(robot, name, **options)
        assert [port["name"] for port in function["inputs"]] == [port.name for port in kernel.inputs]
        inputs = numbers(kernel)
        expected = kernel.interpret(*inputs)
        expected = np.concatenate([np.ravel(x) for x in expected]) if isinstance(expected, tuple) else expected
        found = call(getattr(library, function["name"]), inputs, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11, err_msg=name)


def test_the_header_names_inputs_with_units_and_order(run, drone, tmp_path):
    out = tmp_path / "drone.c"
    written(run, drone, "--inverse-dynamics", "--gravity-input", "--wrench", "hand", "-o", out)
    header = out.with_suffix(".h").read_text()
    result = run(
        "codegen", drone, "--step", "0.01", "--friction", "--external-wrench", "ft", "hand", "-o", out, "--force"
    )
    header += out.with_suffix(".h").read_text()
    contact = "contact wrench from outside on hand, in its axes about its origin; N, N m; gravity 0 0 -9.81 m/s²"
    assert f"drone_external_wrench_ft_hand: {contact}" in result.stderr
    for line in (
        "void drone_inverse_dynamics(const double q[8], const double qd[7], const double qdd[7], "
        "const double gravity[3],\n    const double w[6], double tau[7]);",
        " * qdd: 7 numbers; m/s^2, rad/s^2\n *   [0] free.vx",
        " * gravity: 3 numbers; in the root's axes; m/s^2",
        " * w: 1 x 6, row-major; from outside on hand, in its axes about its origin; N, N m\n"
        " *   [0, ...] hand\n *   [..., 0] fx\n",
        " * tau: 7 numbers",
        " * inverse_dynamics: joint torques of a motion; N, N m",
        "void drone_step_0_01(",
        " * qd, from results[8]: 7 numbers; after 0.01 s; m/s, rad/s; "
        "gravity 0 0 -9.81 m/s^2; with Coulomb friction\n *   [8] free.vx\n",
    ):
        assert line in header


@pytest.mark.slow
def test_contacts_from_several_sensors(run, drone, tmp_path):
    """A contact on each side of the sensor: its reading tells them apart, and the base floats."""
    out, frames = tmp_path / "drone.c", ["hull", "hand"]
    function = written(run, drone, "--external-wrench", "ft", "hull,hand", "-o", out)["external_wrench"]
    assert (function["sensors"], function["frames"]) == ("ft", "hull,hand")
    assert function["output"]["shape"] == [2, 6]
    robot, pushes = kt.load(drone), np.random.default_rng(2).normal(size=(2, 6))
    state = numbers(kt.inverse_dynamics(robot))
    # what moves a robot that floats freely: the pushes, and actuators at the joints
    state[2][:6] += np.linalg.solve(
        kt.mass_matrix(robot)(state[0])[:6, :6], -kt.inverse_dynamics(robot, frames)(*state, pushes)[:6]
    )
    reading = kt.dynamics.sensor_reading(robot, "ft", frames)(*state, pushes)
    found = call(getattr(loaded(out), function["name"]), [*state, reading], (2, 6))
    np.testing.assert_allclose(found, pushes, rtol=0, atol=1e-10)


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.slow
def test_javascript(run, drone, tmp_path):
    robot, out = kt.load(drone), tmp_path / "drone.mjs"
    functions = written(run, drone, *all_forces(), "--gravity", "1", "2", "-3", "--at-rest", "-o", out)
    kernels = {name: asked(robot, name, gravity=(1, 2, -3), at_rest=True) for name in functions}
    inputs = {name: [x.ravel().tolist() for x in numbers(kernel)] for name, kernel in kernels.items()}
    calls = {functions[name]["name"]: arrays for name, arrays in inputs.items()}
    text = f"""import * as drone from "./drone.mjs";
const calls = {json.dumps(calls)};
console.log(JSON.stringify(Object.entries(calls).map(([name, x]) => Array.from(drone[name](...x)))));"""
    (tmp_path / "call.mjs").write_text(text)
    done = subprocess.run(["node", "call.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    for (name, kernel), found in zip(kernels.items(), json.loads(done.stdout), strict=True):
        expected = kernel.interpret(*numbers(kernel))
        expected = np.concatenate([np.ravel(x) for x in (expected if isinstance(expected, tuple) else [expected])])
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11, err_msg=name)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--mass-matrix", "--gravity-input"), "--gravity-input means nothing without --inverse-dynamics or "),
        (("--fk", "hand", "--friction"), "--friction means nothing without --inverse-dynamics or "),
        (("--inverse-dynamics", "--wrench", "hnd"), "no frame 'hnd'; did you mean 'hand'"),
        (("--energy", "--gravity", "0", "0", "1", "--gravity-input"), "exclude each other"),
        (("--step", "nan"), "dt is nan; expected a finite time"),
        (("--step", "0.01", "--step", "0.01"), "step(0.01) is given twice"),
        (("--external-wrench", "ft", "hand") * 2, "external_wrench(ft, hand) is given twice"),
        (("--external-wrench", "ft", "hull,arm"), "no sensor lies between 'hull' and 'arm'"),
        (("--external-wrench", "ft,", "hand"), "no sensor ''"),
        (("--gravity-torques", "--base", "hand"), "--base means nothing without --fk FRAME"),
    ],
)
def test_errors(run, drone, tmp_path, arguments, text):
    result = run("codegen", drone, *arguments, "-o", tmp_path / "a.c")
    assert (result.exit_code, result.stdout) == (2, "")
    assert text in result.stderr
    assert not (tmp_path / "a.c").exists()


def test_loops_are_refused_unless_ignored(run, tmp_path):
    path, out = tmp_path / "bars.sdf", tmp_path / "a.c"
    path.write_text(BARS)
    result = run("codegen", path, "--mass-matrix", "-o", out)
    assert result.exit_code == 2
    assert "joints close loops, whose forces are not known: last" in result.stderr
    assert run("codegen", path, "--mass-matrix", "--loops", "ignore", "-o", out).exit_code == 0
    assert "close loops" in run("dynamics", path).stderr
    assert "Mass matrix" in run("dynamics", path, "--loops", "ignore").stdout


BARS = """<sdf version="1.9"><model name="bars">
  <link name="ground"/><link name="a"><inertial><mass>1</mass></inertial></link>
  <link name="b"><inertial><mass>1</mass></inertial></link>
  <joint name="first" type="revolute"><parent>ground</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="second" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
  <joint name="last" type="revolute"><parent>ground</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""
