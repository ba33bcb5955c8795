"""Every public function that takes q, T or targets, on every kind of input.

One and many, none, single precision, lists, multiples of 45° on every joint, corners and edges of the limits, NaN: a
batch is as its entries one by one, and nothing raises but KinetreeError.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kinetree as kt
from kinetree.compiler.kernel import Kernel
from kinetree.errors import UnverifiedWarning
from public_names import public, with_methods

Array = NDArray[Any]

ARM = """<robot name="arm"><link name="base_link"/><link name="a"/><link name="b"/><link name="c"/><link name="tool0"/>
{joints}{links}<joint name="end" type="fixed"><parent link="c"/><child link="tool0"/><origin xyz="0.2 0 0.1"/></joint>
</robot>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/><origin xyz="{4}" rpy="0.3 0 0"/>
<axis xyz="{5}"/><limit lower="{6}" upper="{7}" velocity="1" effort="9"/></joint>"""
LINK = """<link name="{}"><inertial><origin xyz="0.1 0 0.1"/><mass value="1.5"/>
<inertia ixx="0.02" iyy="0.03" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


@cache
def arm() -> kt.Robot:
    """Return an arm of a revolute, a prismatic and another revolute joint, with masses."""
    joints = JOINT.format("j1", "revolute", "base_link", "a", "0 0 0.3", "0 0 1", -2.5, 2)
    joints += JOINT.format("j2", "prismatic", "a", "b", "0.3 0 0", "1 0 0", -0.2, 0.3)
    joints += JOINT.format("j3", "revolute", "b", "c", "0.3 0 0", "0 1 0", -1.5, 3.5)
    text = ARM.format(joints=joints, links="")
    for link in "abc":
        text = text.replace(f'<link name="{link}"/>', LINK.format(link))
    ball = "<collision><geometry><sphere radius='0.05'/></geometry></collision></link>"
    for link in ("base_link", "tool0"):
        text = text.replace(f'<link name="{link}"/>', f'<link name="{link}">{ball}')
    return kt.load(text, format="urdf")


@cache
def six_axes() -> kt.Robot:
    """Return an arm with closed-form solutions and with limits."""
    names = [f"q{i}" for i in range(1, 7)]
    robot = kt.chain("Rz(q1) tz(0.4) Ry(q2) tx(0.5) Ry(q3) tx(0.4) Rx(q4) Ry(q5) Rx(q6) tx(0.1)")
    rows = np.vstack([np.eye(6), -np.eye(6)])
    sets = kt.limits.LinearLimits("box", tuple(names), rows, np.full(12, 2.8), tuple(f"r{i}" for i in range(12)))
    return kt.edit.add_limits(robot, [sets])


@cache
def icub() -> kt.Robot:
    return kt.load("icub")


@dataclass(frozen=True)
class Call:
    """A function of arrays. inputs: "q" (nq,) of the robot, "T" (4, 4) of its frame, or a shape."""

    of: Callable[..., Any]
    inputs: tuple[Any, ...] = ("q",)
    robot: Callable[[], kt.Robot] = arm
    frame: str = "tool0"
    approximate: float = 1e-12


GIVEN = {"frame": "tool0", "frames": "tool0", "dt": 0.01, "sensor": "wrist", "sensors": [], "names": []}
"""Arguments of functions that return a kernel."""


def by_kernel(function: Callable[..., Any]) -> Call:
    """Return the call of the kernel that a public function makes."""

    @cache
    def kernel() -> Kernel:
        wanted = inspect.signature(function).parameters
        needed = [name for name, p in wanted.items() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
        return function(arm(), **{name: GIVEN[name] for name in needed if name != "robot"})

    return Call(lambda *x: kernel()(*x), ("kernel", kernel))


def solver(robot: Callable[[], kt.Robot], frame: str, base: str | None = None, **options: Any) -> Callable[[], Any]:
    return cache(lambda: kt.ik(robot(), frame, base, **options))


ARM_IK = solver(arm, "tool0", goal="position")
AXES_IK = solver(six_axes, "tip")
HAND_IK = solver(icub, "l_hand", "chest")
LIMITS = "kinetree.limits.Limits"
IKS = "kinetree.kinematics.IK"


def reached(result: Any) -> Any:
    """Return what does not depend on rounding: q of a redundant arm does."""
    return result.success, np.where(np.asarray(result.success), 0.0, 1.0)


CALLS: dict[str, Call] = {
    f"{LIMITS}.contains": Call(lambda q: arm().limits.contains(q)),
    f"{LIMITS}.margin": Call(lambda q: arm().limits.margin(q)),
    f"{LIMITS}.project": Call(lambda q: icub().limits.project(q), robot=icub, approximate=1e-9),
    f"{LIMITS}.clip_step": Call(lambda q, dq: arm().limits.clip_step(q, dq), ("q", "q")),
    f"{LIMITS}.clip_velocity": Call(lambda q, qd: arm().limits.clip_velocity(q, qd, 0.1), ("q", "q")),
    f"{IKS}.__call__, a position": Call(lambda p: ARM_IK()(p), ("p",), approximate=1e-6),
    f"{IKS}.reachable, a position": Call(lambda p: ARM_IK().reachable(p), ("p",)),
    f"{IKS}.__call__": Call(lambda T: AXES_IK()(T), ("T",), six_axes, "tip", 1e-6),
    f"{IKS}.__call__, q0": Call(lambda T, q: AXES_IK()(T, q0=q), ("T", "finite q"), six_axes, "tip", 1e-6),
    f"{IKS}.__call__, a search": Call(lambda T: reached(HAND_IK()(T)), ("T of chest",), icub, "l_hand"),
    f"{IKS}.reachable": Call(lambda T: AXES_IK().reachable(T), ("T",), six_axes, "tip"),
    f"{IKS}.reachable, a search": Call(lambda T: HAND_IK().reachable(T), ("T of chest",), icub, "l_hand"),
    f"{IKS}.solutions": Call(lambda T: AXES_IK().solutions(T).mask, ("T",), six_axes, "tip"),
    f"{IKS}.derivatives": Call(lambda p: ARM_IK().derivatives(ARM_IK()(p), p)["tool0"], ("p",), approximate=1e-5),
    f"{IKS}.step": Call(lambda q, T: AXES_IK().step(q, T, dt=0.1), ("finite q", "T"), six_axes, "tip", 1e-9),
    "kinetree.controllers.pose": Call(lambda q: kt.controllers.pose(arm(), "kuka", q, base="base_link")),
    "kinetree.controllers.joints": Call(
        lambda q: kt.controllers.joints(six_axes(), "ur", q, base="base_link", tool0="tip"), robot=six_axes
    ),
    "kinetree.controllers.to_q": Call(
        lambda q: kt.controllers.to_q(six_axes(), "ur", q, base="base_link", tool0="tip"), robot=six_axes
    ),
    "kinetree.controllers.configuration": Call(
        lambda q: np.vectorize(lambda text: int(text.split()[-1]), otypes=[float])(
            kt.controllers.configuration(six_axes(), "kuka", q, base="base_link", tool0="tip")
        ),
        robot=six_axes,
    ),
    "kinetree.controllers.has_configuration": Call(
        lambda q: kt.controllers.has_configuration(six_axes(), "kuka", q, "S 2", base="base_link", tool0="tip"),
        robot=six_axes,
    ),
    "kinetree.controllers.to_pose": Call(
        lambda v: kt.controllers.to_pose(arm(), "kuka", v, "tool0", "base_link", base="base_link"), ((6,),)
    ),
    "Controller.from_pose": Call(lambda T: kt.controllers["abb"].from_pose(T), ("T",)),
    "Controller.to_pose": Call(lambda v: kt.controllers["fanuc"].to_pose(v), ((6,),)),
    "kinetree.transforms": Call(lambda q: kt.transforms(arm(), q).T),
    "kinetree.guard": Call(lambda q, c: kt.guard(arm())(q, c, 0.01)[:2], ("q", "q")),
    "kinetree.icub.to_motors": Call(
        lambda q: kt.icub.to_motors(icub(), q, quantity="position", version="2.5"), robot=icub
    ),
    "kinetree.icub.from_motors": Call(
        lambda q: kt.icub.from_motors(icub(), q, quantity="position", version="2.5"), robot=icub
    ),
    "kinetree.icub.to_board": Call(lambda q: kt.icub.to_board(icub(), "torso", q, unit="rad").values, robot=icub),
    "kinetree.icub.from_board": Call(lambda v: kt.icub.from_board(icub(), "torso", v, unit="rad").q, ((3,),), icub),
    "kinetree.icub.contact_torques": Call(lambda q: kt.icub.contact_torques(icub(), q, []).tau, robot=icub),
}
LEFT_OUT = {
    **dict.fromkeys(("add_frame", "add_tool", "attach", "move_frame"), "one pose; see test_rotations.py"),
    **dict.fromkeys(("XJ", "Xup", "joint_motion", "joint_pose", "motion_subspace"), "one joint at a time"),
    **dict.fromkeys(("show", "Robot.q", "lock", "goal.posture", "simulate"), "one posture"),
    **dict.fromkeys(("calibrate", "tcp_from_points"), "a table, see test_calibrate.py and test_touch.py"),
    "verify": "a table, see test_verify.py",
    **dict.fromkeys(("jvp", "vjp"), "kernels of kernels, see test_queries_gradients.py"),
    **dict.fromkeys(("product", "inverse"), "mathematics of one"),
    **dict.fromkeys(
        [f"motion.{name}" for name in ("arc", "line", "point_to_point", "poses", "through")],
        "the points of one path, see tests/trajectories",
    ),
    "IK.follow": "samples in a first axis, see test_ik_follow.py",
    "ClosedIK.reachable": "a call, see test_ik_closed.py",
    **dict.fromkeys(
        ("external_wrench", "sensor_reading", "inertial_regressor", "loop_wrenches"),
        "have tests of batches of their own",
    ),
}
"""Public functions that take no batch, and why."""
TAKES = {"q", "T", "targets", "q0", "qd", "poses", "T_base_flange"}


def functions() -> dict[str, Any]:
    """Return the public functions and methods that take q, T or targets, or return a kernel, by label."""
    found = {}
    for label, thing in with_methods(public()).items():
        if not inspect.isclass(thing):
            sig = inspect.signature(inspect.unwrap(thing))
            if TAKES & {*sig.parameters} or "Kernel" in str(sig.return_annotation):
                found[label] = thing
    return found


def left_out(label: str) -> bool:
    return any(label == f"kinetree.{name}" or label.endswith(f".{name}") for name in LEFT_OUT)


KERNELS = {
    label: by_kernel(thing)
    for label, thing in functions().items()
    if "Kernel" in str(inspect.signature(inspect.unwrap(thing)).return_annotation) and not left_out(label)
}


def test_every_public_function_of_q_is_here():
    missing = [label for label in functions() if not left_out(label) and label not in {**CALLS, **KERNELS}]
    assert not missing, f"add a row to CALLS for {', '.join(missing)}"


def postures(robot: kt.Robot, count: int, rng: np.random.Generator) -> Array:
    """Return q (count, nq): multiples of 45° on every joint, corners and edges of the limits, and inside."""
    inside = robot.limits.sample(count, rng)
    finite = np.isfinite(robot.limits.lower) & np.isfinite(robot.limits.upper)
    ends = np.where(rng.random(inside.shape) < 0.5, robot.limits.lower, robot.limits.upper)
    ends = np.where(finite, ends, inside)
    nice = np.deg2rad(45.0 * rng.integers(-4, 5, inside.shape))
    edges = np.where(rng.random(inside.shape) < 0.5, ends, inside)
    kinds = [np.zeros_like(nice), nice, ends, edges, inside]
    return np.array([kinds[i % 5][i] for i in range(count)])


def inputs(call: Call, count: int = 15) -> list[Array]:
    """Return a batch (count, …) for each input."""
    rng, robot = np.random.default_rng(1), call.robot()
    if call.inputs[0] == "kernel":
        ports = call.inputs[1]().inputs
        kinds: tuple[Any, ...] = tuple(
            "q" if port.name.startswith("q") and port.shape == (3,) else port.shape for port in ports
        )
    else:
        kinds = call.inputs
    found = []
    for kind in kinds:
        q = postures(robot, count, rng)
        if kind in ("q", "finite q"):
            found.append(q)
        elif isinstance(kind, str):
            base = kind.partition(" of ")[2] or None
            T = kt.fk(robot, call.frame, base=base)(robot.limits.project(q))
            found.append(T[:, :3, 3] if kind == "p" else T)
        else:
            found.append(rng.uniform(-1, 1, (count, *kind)))
    return found


def parts(result: Any) -> list[Array]:
    """Return the arrays of a result: one, a tuple, or the public fields of a record."""
    if is_dataclass(result) and not isinstance(result, type):
        names = [field.name for field in fields(result) if field.name[0] != "_" and field.name != "iterations"]
        return [np.asarray(getattr(result, name)) for name in names]
    if isinstance(result, tuple):
        return [np.asarray(part) for part in result]
    return [np.asarray(result)]


def same(a: Any, b: Any, tolerance: float, where: str) -> None:
    for one, other in zip(parts(a), parts(b), strict=True):
        assert one.shape == other.shape, where
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True, err_msg=where)


def entry(result: Any, i: Any) -> tuple[Array, ...]:
    return tuple(part[i] for part in parts(result))


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)
        yield


@pytest.mark.slow
@pytest.mark.parametrize("label", [*CALLS, *KERNELS])
def test_one_and_many_and_none_are_alike(label):
    call = {**CALLS, **KERNELS}[label]
    given = inputs(call)
    many = call.of(*given)
    for i in range(len(given[0])):
        alone = call.of(*(np.array(x[i]) for x in given))
        same(alone, entry(many, i), call.approximate, f"entry {i} of {label}")
    for part, whole in zip(parts(call.of(*(x[:0] for x in given))), parts(many), strict=True):
        assert part.shape == (0, *whole.shape[1:])
    nested = call.of(*(x[:6].reshape(2, 3, *x.shape[1:]) for x in given))
    same(tuple(x.reshape(6, *x.shape[2:]) for x in parts(nested)), entry(many, slice(6)), call.approximate, label)
    same(call.of(*(x[1].tolist() for x in given)), entry(many, 1), call.approximate, "a list")
    same(call.of(*(x[:2].tolist() for x in given)), entry(many, slice(2)), call.approximate, "lists")


@pytest.mark.slow
@pytest.mark.parametrize("label", [*CALLS, *KERNELS])
def test_single_precision_is_that_of_its_numbers(label):
    call = {**CALLS, **KERNELS}[label]
    given = [x[4::5].astype(np.float32) for x in inputs(call)]  # inside of the limits
    expected = call.of(*(x.astype(float) for x in given))
    for found in (
        call.of(*given),
        [np.stack(x) for x in zip(*(parts(call.of(*rows)) for rows in zip(*given, strict=True)), strict=True)],
    ):
        for a, b in zip(found if isinstance(found, list) else parts(found), parts(expected), strict=True):
            scale = max(1.0, float(np.abs(np.nan_to_num(b)).max(initial=0.0)))
            np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4 * scale, err_msg=label)


@pytest.mark.slow
@pytest.mark.parametrize("label", [*CALLS, *KERNELS])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_bad_number_harms_no_other_entry(label, bad):
    """Alone it is refused or gives NaN, False or the start; of a batch of targets it fails alone."""
    call = {**CALLS, **KERNELS}[label]
    for which in range(len(given := inputs(call))):
        given = [x.copy() for x in inputs(call)]
        good = call.of(*given)
        given[which][2].flat[0] = bad
        rest = [i for i in range(len(given[0])) if i != 2]
        try:
            same(entry(call.of(*given), rest), entry(good, rest), call.approximate, label)
        except kt.KinetreeError:
            assert "IK" not in label or "q" in str(call.inputs[which]), "one bad target of a batch fails alone"
        try:
            call.of(*(x[2] for x in given))
        except kt.KinetreeError as error:
            assert len(str(error)) < 600
