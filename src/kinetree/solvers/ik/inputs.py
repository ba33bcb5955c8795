"""Inputs of a call of inverse kinematics: targets, and where joints stand that do not move."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.goals import Goal
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, checked
from kinetree.errors import fail
from kinetree.solvers.ik.given import arranged, derivative_names, with_postures
from kinetree.solvers.ik.problem import Targets, judged_targets
from kinetree.spatial.numbers import SURELY, numbers

NO_INPUT = "not an input of this solver; expected kt.ik(robot, …, joints=…, at='input')"


def with_standing(targets: Sequence[Any], at: Any, stands: Sequence[Port]) -> Sequence[Any]:
    """Return targets, and where joints stand if that is an input. Raises KinetreeError if `at` is missing or none."""
    if (at is None) == bool(stands):
        legal = f"missing; expected where the other joints stand, (…, {stands[0].shape[0]})" if stands else NO_INPUT
        raise fail("at", f"at is {legal}")
    return (*targets, at) if stands else targets


def checked_targets(goals: Sequence[Goal], postures: Any, check: Kernel, targets: Sequence[Any]) -> Targets:
    """Return targets, after which may come where joints stand, as arrays. Raises KinetreeError as a call of `IK` does.

    postures: those of soft goals, see `with_postures`. check: what finds the fault of targets.
    """
    ports = check.inputs
    stands = ports[len(goals) :]
    targets, at = targets[: len(targets) - len(stands)], targets[len(targets) - len(stands) :]
    if postures or len(targets) != len(goals) or hasattr(targets[0], "keys"):
        targets = with_postures(postures, arranged(goals, targets))
    arrays = []
    for goal, target in zip(goals, targets, strict=True):
        shape = goal.shape
        array = numbers(target, "target", "a target is", "xyz" if shape == (3,) else ())
        if array.ndim < len(shape) or array.shape[array.ndim - len(shape) :] != shape:
            legal = f"(…, {', '.join(map(str, shape))})"
            raise fail("target-shape", f"a target has shape {array.shape}; legal for {goal.kind!r} is {legal}")
        arrays.append(array)
    arrays += checked("ik", stands, at, {}, float)[0] if stands else []
    batches = [a.shape[: a.ndim - len(port.shape)] for a, port in zip(arrays, ports, strict=True)]
    try:
        np.broadcast_shapes(*batches)
    except ValueError:
        names = [*derivative_names(goals)[: len(goals)], "at"]
        got = " and ".join(f"{name} {batch}" for name, batch in zip(names, batches, strict=False))
        raise fail("batch-shape", f"targets are {got}, which do not go together") from None
    fault = np.asarray(check(*arrays))
    return Targets(arrays, fault.shape) if (fault <= SURELY).all() else judged_targets(ports, arrays, fault.shape)
