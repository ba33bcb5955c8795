"""Poses of a frame that a tracker or a controller measured, against the model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline

from kinetree.compiler.kernel import Kernel
from kinetree.lab.hand_eye import closed_form, displacement, displacements, residuals
from kinetree.lab.identify.search import Cause
from kinetree.model.mimic import mimic_polynomial
from kinetree.model.robot import Robot
from kinetree.queries.gradients import jvp
from kinetree.queries.motion import fk
from kinetree.queries.origins import origins
from kinetree.spatial.se3 import Array, homogeneous, nearest_rotation

NO_ROWS = np.zeros((0, 6))
SMALL = 1e-7
"""Least noise of poses, m and rad, which is the rounding of logs."""
TURNS = 50
"""How often base and point are found in turn."""
OUTLIER = 3.0
"""How many times farther off than half of the poses one is that does not count for the first places."""
MEDIAN = 1.5382
"""Median length of three numbers with standard deviation 1."""


@dataclass(frozen=True)
class Poses:
    """Poses T (n, 4, 4) of a frame at q (n, nq). X, Y: first poses of the root in the world, and of what was measured
    in the frame. noise: standard deviations, m and rad, or m alone if only positions were measured. t (n,): times, s,
    or None. The numbers: zeros (nq), rows of joints (6 each), the delay of the poses, X, Y."""

    robot: Robot
    frame: str
    q: Array
    T: Array
    X: Array
    Y: Array
    noise: tuple[float, ...]
    free: tuple[str, ...]
    t: Array | None = None

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Return the joints between root and frame, whose poses may be wrong."""
        return way(self.robot, self.frame)

    @cached_property
    def rows(self) -> Array:
        """Return the poses (k, 6) of these joints in the file."""
        return np.array([*origins(self.robot, self.joints).values()]) if self.joints else NO_ROWS

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return self.nq + 6 * len(self.joints) + 13

    @property
    def nq(self) -> int:
        """Return how many of them are zeros of coordinates."""
        return self.robot.nq

    @property
    def of_base(self) -> tuple[int, ...]:
        """Return the places of X among the numbers."""
        return tuple(range(self.size - 12, self.size - 6))

    @property
    def of_tool(self) -> tuple[int, ...]:
        """Return the places of Y among the numbers; a point has no rotation."""
        return tuple(range(self.size - 6, self.size - (0 if len(self.noise) == 2 else 3)))

    @cached_property
    def lower(self) -> Array:
        """Return the least values of the numbers: any are legal."""
        return np.full(self.size, -np.inf)

    @property
    def unknown(self) -> tuple[int, ...]:
        """Return the places of the numbers that are not known and no fault."""
        return (*(self.of_base if "base" in self.free else ()), *(self.of_tool if "tool" in self.free else ()))

    @cached_property
    def causes(self) -> list[Cause]:
        """Return what may be wrong: zeros of joints, lengths and poses of joints, and what is known of the setting."""
        found = joint_causes(self.robot, self.joints, self.rows, self.nq)
        known = [("base", self.robot.root, self.of_base), ("tool", self.frame, self.of_tool)]
        if self.t is not None:
            found.append(Cause("delay", self.frame, (self.size - 13,)))
        return found + [Cause(f"{what} pose", name, places) for what, name, places in known if what not in self.free]

    def setting(self, x: Array) -> tuple[Array, Array]:
        """Return T_world_root and T_frame_measured (4, 4)."""
        return np.asarray(self.X @ displacements(x[-12:-6])), np.asarray(displacements(x[-6:]) @ self.Y)

    def _inputs(self, x: Array, rows: Array) -> tuple[Array, Array]:
        """Return q (n, nq), and the rows (k, 6) of the joints."""
        nq, n = self.nq, len(self.joints)
        q = self.q[rows] if self.t is None or not x[-13] else self._moved(self._at(x, rows))
        return q + x[:nq], self.rows + x[nq : nq + 6 * n].reshape(n, 6)

    def _at(self, x: Array, rows: Array) -> Array:
        """Return when the robot was where the poses show it, in the times of q."""
        assert self.t is not None
        return np.asarray((self.t[rows] - x[-13]).clip(self.t[0], self.t[-1]))

    def _inside(self, x: Array, rows: Array) -> Array:
        """Return 0 for samples of which q is not known, because they are late, else 1."""
        found = np.ones(len(rows)) if self.t is None else self._at(x, rows) == self.t[rows] - x[-13]
        return np.asarray(found, dtype=float)

    @cached_property
    def _moved(self) -> CubicSpline:
        """Return q as a function of time."""
        return CubicSpline(self.t, self.q)

    def predicted(self, x: Array, rows: Array) -> Array:
        """Return the poses (n, 4, 4) of the model."""
        X, Y = self.setting(x)
        return np.asarray(X @ self._kernel(*self._inputs(x, rows)) @ Y)

    @cached_property
    def _kernel(self) -> Kernel:
        return fk(self.robot, self.frame, origins=self.joints)

    def residual(self, x: Array, rows: Array) -> Array:
        """Return the displacement (n, 2, 3) or (n, 1, 3) of the measured poses from the model's, in its axes."""
        r = displacement(self.predicted(x, rows), self.T[rows]).reshape(-1, 2, 3)[:, : len(self.noise)]
        return np.asarray(r / np.array(self.noise)[:, None] * self._inside(x, rows)[:, None, None])

    def jacobian(self, x: Array, rows: Array, places: Sequence[int]) -> Array:
        """Return the derivative (n, 2 or 1, 3, k) of the residual by the numbers at k places, for small residuals."""
        (q, P), (X, Y), n = self._inputs(x, rows), self.setting(x), self.size - 12
        late = 0.0 if self.t is None else -self._moved(self._at(x, rows), 1)[:, None]
        F, at = self._kernel(q, P), np.array(places, dtype=int)
        dT = np.empty((len(q), len(at), 4, 4))
        model, base, tool = at < n, (at >= n) & (at < n + 6), at >= n + 6
        if model.any():
            D = np.eye(n)[at[model]]
            dq = D[:, : self.nq] + late * D[:, -1:]  # (n or 1, k, nq)
            dF = jvp(self._kernel)(q[:, None], P, dq, D[:, self.nq : -1].reshape(len(D), -1, 6))
            dT[:, model] = X @ dF @ Y
        if base.any():
            dT[:, base] = self.X @ _slopes(x[-12:-6])[at[base] - n] @ (F @ Y)[:, None]
        if tool.any():
            dT[:, tool] = (X @ F)[:, None] @ _slopes(x[-6:])[at[tool] - n - 6] @ self.Y
        Rt = (X @ F @ Y)[:, None, :3, :3].mT
        moved, W = (Rt @ dT[..., :3, 3:])[..., 0], Rt @ dT[..., :3, :3]
        W = (W - W.mT) / 2
        turned = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)
        J = -np.stack([part / size for part, size in zip((moved, turned), self.noise, strict=False)], axis=1).mT
        return np.asarray(J * self._inside(x, rows)[:, None, None, None])

    def with_noise(self, x: Array, rows: Array, numbers: int) -> "Poses":
        """Return the channel with the noise of a fit of so many numbers, by which at most half of the log counts."""
        r = np.sqrt((self.residual(x, rows) ** 2).sum(axis=-1)) * self.noise
        spare = np.sqrt(3 * r.size / (3 * r.size - min(numbers, 1.5 * r.size)))
        noise = np.maximum(np.median(r, axis=0) / MEDIAN * spare, SMALL)
        return replace(self, noise=tuple(noise.tolist()))


def way(robot: Robot, frame: str) -> tuple[str, ...]:
    """Return the joints between root and frame."""
    return tuple(joint.name for joint in robot.joints_to(robot.frames[frame].link))


def joint_causes(robot: Robot, joints: Sequence[str], rows: Array = NO_ROWS, first: int = 0) -> list[Cause]:
    """Return what may be wrong with joints: zeros, at the places of q, and lengths and poses, of which rows (k, 6) are
    numbers from `first` on."""
    slices = robot.q_slices
    leaders = dict.fromkeys(mimic_polynomial(robot, name)[0] for name in joints if robot.joints[name].kind.nq)
    found = [Cause("zero", name, (slices[name].start,)) for name in leaders if robot.joints[name].kind.nq == 1]
    for k, (name, row) in enumerate(zip(joints, rows, strict=False)):
        at, p = first + 6 * k, np.abs(row[:3])
        if robot.joints[name].kind.nq or k:  # the pose of a first fixed joint is that of the base
            if p.max() > 0 and np.sort(p)[1] < 1e-6 * p.max():  # along one axis
                found.append(Cause("length", name, (at + int(p.argmax()),)))
            found.append(Cause("joint pose", name, tuple(range(at, at + 6))))
    return found


def _slopes(x: Array) -> Array:
    """Return the derivatives (6, 4, 4) of `displacements` by its numbers, by central differences."""
    h = 1e-5
    return np.array([(displacements(x + h * e) - displacements(x - h * e)) / (2 * h) for e in np.eye(6)])


def first_places(F: Array, T: Array, free: Sequence[str], points: bool) -> tuple[Array, Array]:
    """Return X and Y (4, 4), near those with T = X F Y (n, 4, 4), of which those that are not free are the identity.
    points: whether T are positions alone."""
    if points:
        return _first_points(F, T[:, :3, 3], free)
    known = [None if name in free else np.eye(4) for name in ("base", "tool")]
    X, Y = closed_form(T, F, *known)
    off = residuals(T, X @ F @ Y)
    off = (off / np.maximum(np.median(off, axis=0), SMALL)).max(axis=1)
    near = off <= OUTLIER * np.median(off)  # again without outliers, by which positions are pulled
    return closed_form(T[near], F[near], *known)


def _first_points(F: Array, p: Array, free: Sequence[str]) -> tuple[Array, Array]:
    """Return X and Y, a point, for positions p (n, 3): each in turn at its best for the other, as X is found for known
    points in closed form (Arun, Huang & Blostein, 1987)."""
    X, Y = np.eye(4), np.eye(4)
    for _ in range(TURNS if len(free) == 2 else 1):
        if "base" in free:
            a = (F @ Y)[:, :3, 3]
            R = nearest_rotation((p - p.mean(axis=0)).T @ (a - a.mean(axis=0)))
            X = homogeneous(R, p.mean(axis=0) - R @ a.mean(axis=0))
        if "tool" in free:
            G = X @ F
            Y[:3, 3] = np.linalg.lstsq(G[:, :3, :3].reshape(-1, 3), (p - G[:, :3, 3]).ravel(), rcond=None)[0]
    return X, Y
