"""What soft goals of inverse kinematics ask for, computed by SciPy from poses alone."""

import numpy as np
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

import kinetree as kt


def errors(robot: kt.Robot, goal, target, q: np.ndarray) -> np.ndarray:
    """The errors (…, m) of a goal at q (…, nq), without weight; those that are free are zero."""
    base = goal.base or None
    if goal.kind == "posture":
        loose = [where for name, where in robot.q_slices.items() if robot.joints[name].kind.quaternion]
        off = q - (np.array(goal.posture) if goal.posture else robot.q())
        for where in loose:
            off[..., where] = 0.0
        return off
    if goal.kind == "center_of_mass":
        c = kt.center_of_mass(robot).interpret(q)
        T = kt.fk(robot, base or robot.root).interpret(q)
        here = np.einsum("...ji,...j->...i", T[..., :3, :3], c - T[..., :3, 3])
        return np.asarray((here - target) * goal.weights[:3])
    T = kt.fk(robot, goal.frame, base).interpret(q)
    R, p = T[..., :3, :3], T[..., :3, 3]
    if goal.kind == "heading":
        i = (goal.axis.index(1.0) + 1) % 3
        j = (i + 1) % 3
        off = np.arctan2(R[..., j, i], R[..., i, i]) - target
        return (off - 2 * np.pi * np.round(off / (2 * np.pi)))[..., None]
    if goal.kind == "pointing":
        way = target - p
        return way / np.linalg.norm(way, axis=-1, keepdims=True) - R @ np.array(goal.axis)
    wanted = target if goal.kind == "orientation" else target[..., :3, :3] if goal.kind == "pose" else np.eye(3)
    turn = Rotation.from_matrix((wanted @ np.swapaxes(R, -1, -2)).reshape(-1, 3, 3)).as_rotvec()
    turn = turn.reshape(p.shape) * (goal.kind != "position")
    off = (target[..., :3, 3] if goal.kind == "pose" else target) - p if goal.kind != "orientation" else 0.0 * p
    if goal.expressed_in == "frame":
        off, turn = (np.einsum("...ji,...j->...i", R, x) for x in (off, turn))
    return np.concatenate([off, turn], axis=-1) * goal.weights


def parts(robot: kt.Robot, goals, targets, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weighted errors of soft goals (…, m), and errors of hard goals (…, k)."""
    left = iter(targets)
    known = [(goal, None if goal.kind == "posture" else next(left)) for goal in goals]
    empty = np.zeros((*q.shape[:-1], 0))
    soft = [g.weight * errors(robot, g, t, q) for g, t in known if g.weight is not None]
    hard = [errors(robot, g, t, q) for g, t in known if g.weight is None]
    return np.concatenate([empty, *soft], axis=-1), np.concatenate([empty, *hard], axis=-1)


def away_from_minimum(robot: kt.Robot, goals, targets, q: np.ndarray, step: float = 1e-6) -> float:
    """The slope of half the cost at q (nq,) along the best motion that keeps hard goals and limits, as a part of the
    slope of all weighted errors together: zero at a local minimum (Karush, Kuhn and Tucker)."""
    plus = kt.dynamics.integrate(robot).interpret(q, step * np.eye(robot.nv))
    minus = kt.dynamics.integrate(robot).interpret(q, -step * np.eye(robot.nv))
    (soft, hard), (soft_minus, hard_minus) = (parts(robot, goals, targets, x) for x in (plus, minus))
    (e, _), J = parts(robot, goals, targets, q), (soft - soft_minus).T / (2 * step)
    g, A = J.T @ e, (hard - hard_minus) / (2 * step)
    limits = robot.limits
    columns = [i for i, name in enumerate(robot.coordinate_names) if name in robot.velocity_names]
    rates = [robot.velocity_names.index(robot.coordinate_names[i]) for i in columns]
    rows = np.vstack([-np.eye(robot.nq), np.eye(robot.nq), limits.G])[limits.margin(q) < 1e-9][:, columns]
    outwards = np.zeros((robot.nv, len(rows)))
    outwards[rates] = rows.T
    # -g = A y + outwards z, z >= 0
    known = np.hstack([A, -A, outwards])
    off = nnls(known, -g, maxiter=10_000)[1] if known.size else np.linalg.norm(g)
    return float(off / max(np.linalg.norm(J) * np.linalg.norm(e), 1e-12))
