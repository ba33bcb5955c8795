"""What the bridges share about solvers of inverse kinematics: their solutions and derivatives."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.bridges.kernels import Shape, batch_of_ports
from kinetree.compiler.port import Port
from kinetree.errors import fail
from kinetree.model.limits import in_single
from kinetree.solvers.ik.given import with_postures
from kinetree.solvers.ik.sensitivity import by_all
from kinetree.solvers.ik.solver import IK
from kinetree.spatial.se3 import Array


class Solution(NamedTuple):
    """Result of wrapped inverse kinematics: q (…, nq), and success (…), whether the targets are reached."""

    q: Any
    success: Any


def target_shapes(ik: IK) -> tuple[Shape, ...]:
    """Return the shapes of the targets of a solver, without a batch."""
    return tuple(port.shape for port in _target_ports(ik))


def _target_ports(ik: IK) -> list[Port]:
    ports = ik._slopes.inputs[1:]
    given = [port for goal, port in zip(ik.goals, ports, strict=False) if goal.kind != "posture"]
    return [*given, *ports[len(ik.goals) :]]  # the last one: where joints stand, if that is an input


def batch_of_targets(ik: IK, shapes: Sequence[Shape], start: Shape | None) -> Shape:
    """Return the batch of targets and perhaps a start of these shapes. Raises KinetreeError if they do not fit."""
    q = ik._slopes.inputs[0]
    return batch_of_ports("ik", [q, *_target_ports(ik)], [q.shape if start is None else start, *shapes])


def is_soft(ik: IK) -> bool:
    """Return whether a solver has soft goals, whose derivatives are those of `soft_derivatives`."""
    return bool(ik._postures)


def soft_derivatives(ik: IK, q: Any, success: Any, *targets: Any) -> Array:
    """Return the derivatives (…, nq, size) of q (…, nq) by the entries of all targets, in double precision; zero
    without success (…), and if q is no minimum."""
    arrays = with_postures(ik._postures, [np.asarray(x, dtype=float) for x in targets])
    by = by_all(ik, np.asarray(q, dtype=float), np.asarray(success), arrays)
    found = [x for goal, x in zip(ik.goals, by, strict=False) if goal.kind != "posture"]
    return np.asarray(np.nan_to_num(np.concatenate(found, axis=-1)))


def refuse_second() -> Any:
    """Raise KinetreeError because of a second derivative of a solver with soft goals."""
    message = "inverse kinematics with soft goals has first derivatives alone; expected no derivative of its derivative"
    raise fail("soft-goals", message)


def solve(ik: IK, targets: Sequence[Any], q0: Any, single: bool) -> tuple[Array, Array]:
    """Return q (…, nq) and success (…); a bad target, even a single one, is not reached. single: whether q is in
    single precision; it is computed in double."""
    arrays = [np.asarray(x, dtype=float)[None] for x in targets]
    count = sum(goal.kind != "posture" for goal in ik.goals)
    start = None if q0 is None else np.asarray(q0, dtype=float)[None]
    found = ik(*arrays[:count], q0=start, at=next(iter(arrays[count:]), None))
    return in_single(ik.limits, found.q[0]) if single else found.q[0], np.asarray(found.success)[0]
