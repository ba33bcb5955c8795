"""Poses of frames that a tracker or a controller measured, against the model."""

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
    """Poses T (f, n, 4, 4) of frames at q (n, nq). X, Y (f, 4, 4): first poses of the root in the world, and of what
    was measured in each frame. parts (b,): what was measured, twice the number of a frame for positions, and one more
    for rotations. noise (b,): standard deviations of these, m and rad. t (n,): times, s, or None. The numbers: zeros
    (nq), rows of joints (6 each), the delay of the poses, X, Y (6 each)."""

    robot: Robot
    frames: tuple[str, ...]
    q: Array
    T: Array
    X: Array
    Y: Array
    parts: tuple[int, ...]
    noise: tuple[float, ...]
    free: tuple[str, ...]
    t: Array | None = None

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Return the joints between root and frames, whose poses may be wrong."""
        return tuple(dict.fromkeys(name for frame in self.frames for name in way(self.robot, frame)))

    @cached_property
    def rows(self) -> Array:
        """Return the poses (k, 6) of these joints in the file."""
        return np.array([*origins(self.robot, self.joints).values()]) if self.joints else NO_ROWS

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return self.first + 6 + 6 * len(self.frames)

    @property
    def first(self) -> int:
        """Return the place of X among the numbers, which is that after the delay."""
        return self.robot.nq + 6 * len(self.joints) + 1

    @property
    def of_base(self) -> tuple[int, ...]:
        """Return the places of X among the numbers."""
        return tuple(range(self.first, self.first + 6))

    @property
    def of_tools(self) -> list[tuple[int, ...]]:
        """Return the places of Y among the numbers, of each frame; a point has no rotation."""
        starts = enumerate(range(self.first + 6, self.size, 6))
        return [tuple(range(at, at + (6 if 2 * i + 1 in self.parts else 3))) for i, at in starts]

    @cached_property
    def lower(self) -> Array:
        """Return the least values of the numbers: any are legal."""
        return np.full(self.size, -np.inf)

    @property
    def setting(self) -> list[Cause]:
        """Return the base and the tools as what may be wrong."""
        tools = zip(self.frames, self.of_tools, strict=True)
        return [Cause("base pose", self.robot.root, self.of_base), *(Cause("tool pose", *one) for one in tools)]

    @property
    def unknown(self) -> tuple[int, ...]:
        """Return the places of the numbers that are not known and no fault."""
        return tuple(i for one in self.setting if one.kind.removesuffix(" pose") in self.free for i in one.places)

    @cached_property
    def causes(self) -> list[Cause]:
        """Return what may be wrong: zeros of joints, lengths and poses of joints, and what is known of the setting."""
        found = joint_causes(self.robot, self.joints, self.rows, self.robot.nq)
        if self.t is not None:
            found.append(Cause("delay", ", ".join(self.frames), (self.first - 1,)))
        return found + [one for one in self.setting if one.kind.removesuffix(" pose") not in self.free]

    def places(self, x: Array) -> tuple[Array, Array]:
        """Return T_world_root (4, 4), and T_frame_measured (f, 4, 4)."""
        n = self.first
        return np.asarray(self.X @ displacements(x[n : n + 6])), displacements(x[n + 6 :].reshape(-1, 6)) @ self.Y

    def _inputs(self, x: Array, rows: Array) -> tuple[Array, Array]:
        """Return q (n, nq), and the rows (k, 6) of the joints."""
        nq, n = self.robot.nq, len(self.joints)
        q = self.q[rows] if self.t is None or not x[self.first - 1] else self._moved(self._at(x, rows))
        return q + x[:nq], self.rows + x[nq : nq + 6 * n].reshape(n, 6)

    def _at(self, x: Array, rows: Array) -> Array:
        """Return when the robot was where the poses show it, in the times of q."""
        assert self.t is not None
        return np.asarray((self.t[rows] - x[self.first - 1]).clip(self.t[0], self.t[-1]))

    def _inside(self, x: Array, rows: Array) -> Array:
        """Return 0 for samples of which q is not known, because they are late, else 1."""
        found = np.ones(len(rows)) if self.t is None else self._at(x, rows) == self.t[rows] - x[self.first - 1]
        return np.asarray(found, dtype=float)

    @cached_property
    def _moved(self) -> CubicSpline:
        """Return q as a function of time."""
        return CubicSpline(self.t, self.q)

    def predicted(self, x: Array, rows: Array) -> Array:
        """Return the poses (f, n, 4, 4) of the model."""
        (X, Y), at = self.places(x), self._inputs(x, rows)
        return np.stack([X @ kernel(*at) @ one for kernel, one in zip(self._kernels, Y, strict=True)])

    @cached_property
    def _kernels(self) -> list[Kernel]:
        return [fk(self.robot, frame, origins=self.joints) for frame in self.frames]

    def residual(self, x: Array, rows: Array) -> Array:
        """Return the displacements (n, b, 3) of the measured poses from the model's, in its axes."""
        r = displacement(self.predicted(x, rows), self.T[:, rows])
        return self._of_parts(np.moveaxis(r, 0, 1)[..., None], x, rows)[..., 0]

    def _of_parts(self, r: Array, x: Array, rows: Array) -> Array:
        """Return displacements (n, f, 6, k) as residuals (n, b, 3, k)."""
        r = r.reshape(len(r), 2 * len(self.frames), 3, r.shape[-1])[:, list(self.parts)]
        return np.asarray(r / np.array(self.noise)[:, None, None] * self._inside(x, rows)[:, None, None, None])

    def jacobian(self, x: Array, rows: Array, places: Sequence[int]) -> Array:
        """Return the derivative (n, b, 3, k) of the residual by the numbers at k places, for small residuals."""
        (q, P), (X, Y), n, at = self._inputs(x, rows), self.places(x), self.first, np.array(places, dtype=int)
        late = 0.0 if self.t is None else -self._moved(self._at(x, rows), 1)[:, None]
        model, base, found = at < n, (at >= n) & (at < n + 6), []
        D = np.eye(n)[at[model]]
        dP = D[:, self.robot.nq : -1].reshape(len(D), len(self.joints), 6)
        dq = D[:, : self.robot.nq] + late * D[:, -1:]  # (n or 1, k, nq)
        for i, (kernel, at_tool) in enumerate(zip(self._kernels, Y, strict=True)):
            F, dT, first = kernel(q, P), np.zeros((len(q), len(at), 4, 4)), n + 6 + 6 * i
            tool = (at >= first) & (at < first + 6)
            if model.any():
                dT[:, model] = X @ jvp(kernel)(q[:, None], P, dq, dP) @ at_tool
            if base.any():
                dT[:, base] = self.X @ _slopes(x[n : n + 6])[at[base] - n] @ (F @ at_tool)[:, None]
            if tool.any():
                dT[:, tool] = (X @ F)[:, None] @ _slopes(x[first : first + 6])[at[tool] - first] @ self.Y[i]
            Rt = (X @ F @ at_tool)[:, None, :3, :3].mT
            moved, W = (Rt @ dT[..., :3, 3:])[..., 0], Rt @ dT[..., :3, :3]
            W = (W - W.mT) / 2
            turned = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)
            found.append(np.concatenate([moved, turned], axis=-1))
        return self._of_parts(-np.stack(found, axis=1).mT, x, rows)

    def with_noise(self, x: Array, rows: Array, numbers: int) -> "Poses":
        """Return the channel with the noise of a fit of so many numbers, by which at most half of the log counts."""
        r = np.sqrt((self.residual(x, rows) ** 2).sum(axis=-1)) * self.noise
        spare = np.sqrt(3 * r.size / (3 * r.size - min(numbers, 1.5 * r.size)))
        noise = np.maximum(np.median(r, axis=0) / MEDIAN * spare, SMALL)
        return replace(self, noise=tuple(noise.tolist()))

    def placed(self) -> "Poses":
        """Return the channel with what is unknown at first places: the base as the frame shows it by which all poses
        fit best."""
        tools, rows = tuple(name for name in self.free if name != "base"), np.arange(len(self.q))
        given = [(fk(self.robot, frame)(self.q), T) for frame, T in zip(self.frames, self.T, strict=True)]
        points, found = [2 * i + 1 not in self.parts for i in range(len(given))], list[Poses]()
        for one, is_point in zip(given, points, strict=True):
            X = first_places(*one, self.free, is_point)[0]
            Y = [first_places(F, np.linalg.inv(X) @ T, tools, p)[1] for (F, T), p in zip(given, points, strict=True)]
            found.append(replace(self, X=X, Y=np.array(Y)))
        return min(found, key=lambda one: float(np.log1p(one.residual(np.zeros(self.size), rows) ** 2).sum()))

    def by_kind(self, values: Array) -> Array:
        """Return sizes (…, b), m and rad, as root mean squares (…, 2) over frames, or (…, 1) without rotations."""
        kinds = np.array(self.parts) % 2
        squares = [(values[..., kinds == kind] ** 2).mean(axis=-1) for kind in np.unique(kinds)]
        return np.asarray(np.sqrt(np.stack(squares, axis=-1)))

    def errors(self, x: Array) -> Array:
        """Return the errors (n, 2), m and rad, or (n, 1), root mean squares over frames."""
        r = self.residual(x, np.arange(len(self.q))) * np.array(self.noise)[:, None]
        return self.by_kind(np.linalg.norm(r, axis=-1))


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
