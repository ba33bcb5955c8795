"""Kernels as functions of CasADi: every operation, every frame of real robots, derivatives by CasADi."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinetree as kt
from every_operation import AWKWARD, every_operation, kernel, names_of_results
from kinetree.compiler.ops import OPS
from pinocchio_robot import loadable
from support import all_frames, icub_urdfs, random_q, sample

casadi = pytest.importorskip("casadi")
pytestmark = pytest.mark.crosscheck

from kinetree.bridges.casadi import OPERATIONS, wrap  # noqa: E402


def test_every_operation():
    """On ordinary and awkward numbers; what has no value but a number of its own may differ from NumPy there."""
    assert OPERATIONS.keys() == OPS.keys()
    every = kernel(every_operation())
    function, rng = wrap(every), np.random.default_rng(0)
    finite = [x for x in AWKWARD if not np.isnan(x)]
    inputs = [*rng.normal(size=(100, 3)), *rng.uniform(-1, 1, (100, 3)), *rng.choice(finite, (300, 3))]
    for x in inputs:
        found, expected = np.array(function(x)).ravel(), every.interpret(x)
        for name, a, b in zip(names_of_results(), found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-14, atol=0, err_msg=f"{name} {x}")


def test_every_frame_of_real_robots():
    rng = np.random.default_rng(1)
    for path in sample([*icub_urdfs(), *loadable()], 4):
        robot = kt.load(path, without=["geometry"])
        q = random_q(robot, rng)
        expected = all_frames(robot, q)
        function = wrap(kt.fk(robot, [*expected]))
        found = np.reshape(np.array(function(q)), (-1, 4, 4))
        np.testing.assert_allclose(found, [*expected.values()], rtol=0, atol=1e-12, err_msg=robot.name)


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def test_names_shapes_and_derivatives(icub):
    function = wrap(kt.fk(icub, "l_hand", "chest"))
    assert (function.name(), function.name_in(), function.name_out()) == ("fk", ["q"], ["T"])
    assert function.size_out(0) == (4, 4)
    q = random_q(icub, np.random.default_rng(2))
    x = casadi.MX.sym("q", icub.nq)
    slope = casadi.Function("slope", [x], [casadi.jacobian(function(x)[:3, 3], x)])
    J = kt.jacobian(icub, "l_hand", "chest").interpret(q)
    np.testing.assert_allclose(np.array(slope(q)), J[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.array(wrap(kt.jacobian(icub, "l_hand", "chest"))(q)), J, rtol=0, atol=1e-12)


def test_several_outputs_and_inputs(icub):
    rng = np.random.default_rng(3)
    kernels: list[Any] = [kt.margin(icub, nearest=True), kt.hessian(icub, "l_hand", "chest")]
    kernels += [kt.vjp(kt.velocity(icub, "l_hand", "chest")), kt.dynamics.integrate(icub)]
    for each in kernels:
        function = wrap(each)
        assert function.name_out() == [port.name for port in each.outputs]
        given = [rng.normal(size=port.shape) for port in each.inputs]
        found, expected = function.call(given), each.interpret(*given)
        for a, b in zip(found, expected if len(each.outputs) > 1 else [expected], strict=True):
            np.testing.assert_allclose(np.array(a).reshape(np.shape(b)), b, rtol=1e-12, atol=1e-12)


def test_what_is_no_kernel_is_refused():
    with pytest.raises(
        kt.KinetreeError, match=r"a str cannot be wrapped; expected kernels, such as kt.fk\(robot, frame\)"
    ):
        wrap("fk")


def test_a_search_of_a_table_is_refused():
    ball = "<collision><geometry><sphere radius='0.01'/></geometry></collision>"
    ends = "<parent link='{0}'/><child link='{1}'/><origin xyz='1 0 0'/><axis xyz='0 0 1'/>"
    joint = f"<joint name='{{1}}' type='continuous'>{ends}</joint>"
    links = "".join(f"<link name='{name}'>{ball}</link>" for name in "abc")
    text = f"<robot name='arm'>{links}{joint.format('a', 'b')}{joint.format('b', 'c')}</robot>"
    with pytest.raises(kt.KinetreeError, match="clearance searches a table, which CasADi cannot"):
        wrap(kt.clearance(kt.load(text, format="urdf")))
