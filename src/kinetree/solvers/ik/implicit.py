"""Derivatives of inverse kinematics by the implicit function theorem.

At a solution the errors E(q, T) of all goals are zero, so dq = -(∂E/∂q)⁺ (∂E/∂T) dT: the motion of least norm that
follows the targets. Joints at a limit stay there, and joints along a row of limits that is reached move along it.
Quaternions only turn, and the norm is that of their rotation vectors.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kinetree.algorithms.goals import Goal, goal_rows
from kinetree.algorithms.inverse import Problem
from kinetree.compiler.expr import rate
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port, flat_results
from kinetree.compiler.program import trace
from kinetree.model.limits import Limits, limits_about
from kinetree.model.tree import Tree
from kinetree.solvers.ik.step import ACTIVE
from kinetree.spatial.se3 import Array

RANK = 1e-6
"""Singular values of ∂E/∂q below this part of the largest count as zero: along them no motion follows."""


def slopes_kernel(model: Tree, problem: Problem, targets: Sequence[Port], key: str) -> Kernel:
    """Return the kernel from q (nq,) and targets to ∂E/∂q (m, nq) and ∂E/∂T (m, size) for each target."""
    inputs, goals = (Port("q", (problem.nq,)), *targets), problem.goals
    count = sum(goal.size for goal in goals)
    sizes = [int(np.prod(port.shape)) for port in inputs]
    outputs = tuple(Port(f"by_{port.name}", (count, size)) for port, size in zip(inputs, sizes, strict=True))

    def slopes(q: Any, *arrays: Any) -> list[Any]:
        whole = np.array([*q, *problem.placed(arrays).standing])
        errors = np.array(_errors(model, goals, whole, arrays[: len(goals)]), dtype=object)
        x = np.concatenate([np.ravel(a) for a in (q, *arrays)])
        columns = np.array([rate(errors, x, unit) for unit in np.eye(len(x))], dtype=object)
        return [part.T for part in np.split(columns, np.cumsum(sizes)[:-1])]

    def traced(*arrays: Any) -> Any:
        return flat_results(outputs, slopes, *arrays)

    shapes = [port.shape for port in inputs]
    return Kernel("slopes", inputs, outputs, lambda: trace(traced, *shapes), f"slopes {key}")


def _errors(model: Tree, goals: Sequence[Goal], q: Any, targets: Sequence[Any]) -> list[Any]:
    found = []
    for goal, target in zip(goals, targets, strict=True):
        rows = goal_rows(model, goal, (), q, target)
        found += [row.weight * row.error for row in (*rows.linear, *rows.angular)]
    return found


def free_motions(problem: Problem, limits: Limits, q: Any, success: Any) -> Array:
    """Return the projections (…, nq, nq) onto motions of the coordinates that may move that keep all active limits of q
    (…, nq) as they are; zero without success (…), and for quaternions, see `turning`."""
    q = np.asarray(q, dtype=float)
    nq = q.shape[-1]
    active = (limits.margin(q) <= ACTIVE) & limits_about(limits, problem.columns)
    moving = np.diag(moving_coordinates(problem))
    P: Array = np.broadcast_to(moving, (*q.shape[:-1], nq, nq)) * np.asarray(success, dtype=float)[..., None, None]
    at = active.any(axis=-1) & np.asarray(success, dtype=bool)
    if at.any():
        A = (np.vstack([-np.eye(nq), np.eye(nq), limits.G]) @ moving) * active[at][..., None]
        P[at] = moving - np.linalg.pinv(A, rtol=1e-12) @ A
    return P


def moving_coordinates(problem: Problem) -> Array:
    """Return (nq,) of 1 for coordinates that may move, without quaternions, and 0 for the others."""
    moving = np.zeros(problem.nq)
    moving[problem.columns] = 1.0
    for joint in problem.loose:
        moving[problem.columns[joint.quaternion]] = 0.0
    return moving


def quaternions(problem: Problem) -> list[Array]:
    """Return a matrix (nq, 4) for each quaternion that may move: q @ matrix is the quaternion."""
    return [np.eye(problem.nq)[:, problem.columns[joint.quaternion]] for joint in problem.loose]


def turning(matrices: Sequence[Any], q: Any) -> Any:
    """Return the matrix (…, nq, nq) from rotation vectors, as numbers along four directions, to motions of quaternions
    that keep their lengths, ½ (1 - x xᵀ / xᵀ x); 0 without quaternions. matrices: `quaternions` in the library of q."""
    total: Any = 0.0
    for S in matrices:
        x = q[..., None, :] @ S
        column = x.swapaxes(-1, -2)
        total = total + 0.5 * (S @ S.T - (S @ column) @ (x @ S.T) / (x @ column))
    return total


def implied(pinv: Callable[..., Any], P: Any, by_q: Any, by_target: Any) -> Any:
    """Return dq/dT (…, nq, size) from P, whose columns are motions that are free, and the slopes of the errors.

    pinv: the pseudoinverse of the library whose arrays these are.
    """
    return -(P @ (pinv(by_q @ P, rtol=RANK) @ by_target))


def replaced(
    where: Callable[..., Any], success: Any, targets: Sequence[Any], shapes: Sequence[tuple[int, ...]]
) -> list[Any]:
    """Return the targets with zeros for those not reached, which may not be finite. where: of their library."""
    axes = [[1] * len(shape) for shape in shapes]
    return [where(success.reshape((*success.shape, *one)), x, 0.0) for one, x in zip(axes, targets, strict=True)]
