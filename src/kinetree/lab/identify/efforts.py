"""Torques of joints that a log has, against the model: inertias, friction, armature, gravity and scales."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.lab.identify.search import Cause, basis
from kinetree.model.robot import Robot
from kinetree.queries.forces import inertial_parameters
from kinetree.spatial.se3 import Array

EYE = np.eye(3)
MEDIAN = 0.6745
"""Median size of a number with standard deviation 1."""
SMALL = 2e-4
"""Least noise of a torque, in parts of the largest of the joint."""
OF_JOINTS = ("viscous friction", "Coulomb friction", "armature")
PER_JOINT = len(OF_JOINTS) + 1  # and an offset
STEP = 1e-5
"""Step of differences by what changes an inertia."""
LARGEST = 30.0
"""Largest logarithm of a factor, so that nothing overflows."""


def inertia_of(row: Array, u: Array) -> Array:
    """Return ten inertial parameters that differ from others by u (10,): the logarithm of a factor of density, the
    move of the centre, and the logarithm (6,) of the second moments about the centre, relative to those of the row.

    Masses stay positive, and second moments those of a body, whatever u is.
    """
    m, c, I = _about_centre(row)
    changed = np.trace(I) / 2 * np.eye(3) - I  # ∫ r rᵀ dm
    if u[4:].any():
        values, axes = np.linalg.eigh(changed)
        root = axes * np.sqrt(values.clip(0.0)) @ axes.T
        powers, turns = np.linalg.eigh(symmetric(u[4:]))
        exponential = turns * np.exp(powers.clip(-LARGEST, LARGEST)) @ turns.T
        changed = root @ exponential @ root + (changed - root @ root)
    factor = np.exp(np.clip(u[0], -LARGEST, LARGEST))
    m, c, changed = m * factor, c + u[1:4], changed * factor
    return _parameters(m, c, np.trace(changed) * np.eye(3) - changed)


def payload(u: Array, T: Array) -> Array:
    """Return ten inertial parameters of a mass u[0] with its centre at u[1:] in a frame with pose T (4, 4)."""
    return _parameters(float(u[0]), T[:3, :3] @ u[1:] + T[:3, 3], np.zeros((3, 3)))


def about_centre(row: Array) -> Array:
    """Return Ixx Ixy Iyy Ixz Iyz Izz (6,) about the centre of ten parameters."""
    return _parameters(0.0, np.zeros(3), _about_centre(row)[2])[4:]


def _about_centre(row: Array) -> tuple[float, Array, Array]:
    """Return mass, centre (3,) and inertia (3, 3) about it of ten parameters."""
    m, c = float(row[0]), row[1:4] / row[0]
    return m, c, symmetric(row[4:]) - m * ((c @ c) * EYE - np.outer(c, c))


def _parameters(m: float, c: Array, I: Array) -> Array:
    """Return ten parameters of a mass, its centre (3,) and the inertia (3, 3) about it."""
    I = I + m * ((c @ c) * EYE - np.outer(c, c))
    return np.array([m, *(m * c), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def symmetric(six: Array) -> Array:
    """Return the matrix (3, 3) of Ixx Ixy Iyy Ixz Iyz Izz."""
    xx, xy, yy, xz, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True, eq=False)
class Efforts:
    """Torques tau (m, nv) of a log and `model` (m, nv) of the file, with columns (m, nv, c); see `columns`.

    bodies: the links of `carriers`. ends: frames where a payload may be, with the number of their body and their pose
    in the axes of its link. noise (nv,): standard deviations. least (3, nv): negative damping, friction and armature of
    the file, below which a sum with a change would be negative. known (nv,): joints with torques. at (nv + 4,):
    gravity, zeros and delay for which `tau`, `model` and `columns` are computed, near which they are right. The
    numbers: ten of each body, four of each end, three and the offset of each joint, gravity, zeros, delay, scales.
    """

    robot: Robot
    tau: Array
    model: Array
    columns: Array
    bodies: tuple[str, ...]
    ends: dict[str, tuple[int, Array]]
    least: Array
    known: Array
    noise: Array
    at: Array

    @property
    def size(self) -> int:
        """Return how many numbers there are."""
        return self.first + (PER_JOINT + 2) * self.nv + 4

    @cached_property
    def first(self) -> int:
        """Return the place of the first number of the joints."""
        return 10 * len(self.bodies) + 4 * len(self.ends)

    @cached_property
    def offsets(self) -> Array:
        """Return the places of the offsets (nv,) of torques, which sensors usually have."""
        return np.arange(self.first + len(OF_JOINTS) * self.nv, self.first + PER_JOINT * self.nv)

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """Return the places of the numbers that are not known and no fault: offsets of torques."""
        return tuple(self.offsets[self.known].tolist())

    @cached_property
    def nv(self) -> int:
        """Return how many joints there are."""
        return self.robot.nv

    @cached_property
    def rows(self) -> Array:
        """Return the inertial parameters (b, 10) of the bodies in the file."""
        parameters = inertial_parameters(self.robot)
        return np.array([parameters[name] for name in self.bodies]).reshape(-1, 10)

    @cached_property
    def causes(self) -> list[Cause]:
        """Return what may be wrong."""
        found, n, names = list[Cause](), self.first, self.robot.velocity_names
        for k, name in enumerate(self.bodies):
            found += [
                Cause("mass", name, (10 * k,)),
                Cause("centre", name, tuple(range(10 * k + 1, 10 * k + 4))),
                Cause("inertia", name, tuple(range(10 * k + 4, 10 * k + 10))),
            ]
        starts = range(10 * len(self.bodies), n, 4)
        found += [Cause("payload", name, tuple(range(i, i + 4))) for i, name in zip(starts, self.ends, strict=True)]
        for i, kind in enumerate(OF_JOINTS):
            found += [Cause(kind, name, (n + i * self.nv + j,)) for j, name in enumerate(names)]
        n += PER_JOINT * self.nv
        found.append(Cause("gravity", self.robot.root, (n, n + 1, n + 2)))
        found += [Cause("zero", name, (n + 3 + j,)) for j, name in enumerate(names)]
        found.append(Cause("delay", "effort", (n + 3 + self.nv,)))
        return found + [Cause("effort scale", name, (n + 4 + self.nv + j,)) for j, name in enumerate(names)]

    @cached_property
    def lower(self) -> Array:
        """Return the least values (size,) of the numbers: friction, armature and payload are not negative."""
        least = np.full(self.size, -np.inf)
        least[10 * len(self.bodies) : self.first : 4] = 0.0
        least[self.first : self.offsets[0]] = self.least.ravel()
        return least

    def _weights(self, x: Array) -> Array:
        """Return how often each column counts (c,)."""
        weights, b = np.zeros(self.columns.shape[-1]), len(self.bodies)
        for k in range(b):
            u = x[10 * k : 10 * k + 10]
            if u.any():
                weights[10 * k : 10 * k + 10] = inertia_of(self.rows[k], u) - self.rows[k]
        for i, (k, T) in enumerate(self.ends.values()):
            weights[10 * k : 10 * k + 10] += payload(x[10 * b + 4 * i : 10 * b + 4 * i + 4], T)
        weights[10 * b :] = x[self.first : -self.nv]
        weights[10 * b + self.nv : 10 * b + 2 * self.nv] -= self.least[1]  # the model is without that of the file
        weights[-len(self.at) :] -= self.at
        return weights

    def _at(self, rows: Array) -> tuple[Array, Array]:
        """Return `model` and `columns` of some samples, the last of which are remembered."""
        if self._last.get("rows") is not rows:
            self._last.update(rows=rows, found=(self.model[rows], np.ascontiguousarray(self.columns[rows])))
        model, columns = self._last["found"]
        return model, columns

    @cached_property
    def _last(self) -> dict[str | int, Any]:
        return {}

    def _scales(self, x: Array) -> Array:
        return np.asarray(np.exp(x[-self.nv :].clip(-LARGEST, LARGEST)))

    def predicted(self, x: Array, rows: Array) -> Array:
        """Return the torques (k, nv) of the model."""
        model, columns = self._at(rows)
        added = columns.reshape(-1, columns.shape[-1]) @ self._weights(x)
        return np.asarray((model + added.reshape(model.shape)) * self._scales(x))

    def residual(self, x: Array, rows: Array) -> Array:
        """Return the residuals (k, nv, 1)."""
        return np.asarray(((self.tau[rows] - self.predicted(x, rows)) * (self.known / self.noise))[..., None])

    def jacobian(self, x: Array, rows: Array, places: Sequence[int]) -> Array:
        """Return the derivative (k, nv, 1, p) of the residual by the numbers at p places."""
        at, n, b = np.array(places, dtype=int), self.size - self.nv, len(self.bodies)
        slopes = np.zeros((self.columns.shape[-1], len(at)))
        for i, place in enumerate(places):
            if place < 10 * b:
                k = place // 10
                slopes[10 * k : 10 * k + 10, i] = self._inertial_slope(k, x[10 * k : 10 * k + 10], place % 10)
            elif place < self.first:
                (end, e), u = divmod(place - 10 * b, 4), x[10 * b : self.first].reshape(-1, 4)
                k, T = [*self.ends.values()][end]
                e = STEP * np.eye(4)[e]
                slopes[10 * k : 10 * k + 10, i] = (payload(u[end] + e, T) - payload(u[end] - e, T)) / (2 * STEP)
            elif place < n:
                slopes[place - n, i] = 1.0
        _, columns = self._at(rows)
        J = (columns.reshape(-1, columns.shape[-1]) @ slopes).reshape(*columns.shape[:2], -1)
        J *= self._scales(x)[:, None]
        predicted = self.predicted(x, rows)
        for column in np.flatnonzero(at >= n):
            J[:, at[column] - n, column] = predicted[:, at[column] - n]
        return np.asarray(-(J * (self.known / self.noise)[:, None])[..., None, :])

    def _inertial_slope(self, k: int, u: Array, i: int) -> Array:
        """Return the derivative (10,) of the parameters of a body by one of its numbers; the last are remembered."""
        last, found = self._last.get(k, (None, {}))
        if last is None or (last != u).any():
            found = {}
            self._last[k] = u.copy(), found
        if i not in found:
            e = STEP * np.eye(10)[i]
            found[i] = (inertia_of(self.rows[k], u + e) - inertia_of(self.rows[k], u - e)) / (2 * STEP)
        return np.asarray(found[i])

    def with_noise(self) -> "Efforts":
        """Return the channel with the noise of a fit of everything that torques are linear in, without Coulomb friction
        of the file."""
        scales = self.model[..., None] * np.eye(self.nv)
        A, every = np.concatenate([self.columns, scales], axis=-1)[:, self.known], np.ones(self.nv)
        y = self.tau[:, self.known]
        every[self.known] = noise_of(A, y, self.noise[self.known], np.abs(y).max(axis=0))
        return replace(self, noise=every)


def noise_of(A: Array, y: Array, noise: Array, largest: Array) -> Array:
    """Return the noise (d,) of a fit of measured y (m, d) by columns A (m, d, c), by which at most half of y counts.
    noise (d,): at first. largest (d,): sizes of what was measured."""
    m, least = len(y), SMALL * largest.clip(1e-9)
    for _ in range(3):
        U = basis((A / noise[:, None]).reshape(-1, A.shape[-1]))
        z = (y / noise).ravel()
        r = (z - U @ (U.T @ z)).reshape(m, -1) * noise
        spare = np.sqrt(m / max(m - U.shape[1] / len(noise), 1.0))
        noise = np.maximum(np.median(np.abs(r), axis=0) / MEDIAN * spare, least)
    return noise
