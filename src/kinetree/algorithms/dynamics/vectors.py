"""Motion and force vectors (6,), angular first, and inertias, moved from body to body (Featherstone, Rigid Body
Dynamics Algorithms, ch. 2).

A way is a row of poses (R, p), one after the other, from a body's parent to the body: the constant pose of the joint,
then its motion. Each has few entries other than 0 and 1, so steps one by one cost less than their product.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinetree.algorithms.vectors import cross, dot
from kinetree.spatial.se3 import Array

Way = Sequence[tuple[Array, Array]]
ZERO = np.zeros(6)


class Inertia(NamedTuple):
    """A rigid body's mass, its first moment h (3,) = m c, and its second moments I (3, 3) about the frame's origin."""

    mass: Any
    h: Array
    I: Array

    def __add__(self, other: Any) -> "Inertia":
        return Inertia(self.mass + other.mass, self.h + other.h, self.I + other.I)


class ArticulatedInertia(NamedTuple):
    """An articulated-body inertia [[I, H], [Hᵀ, M]], symmetric, in blocks (3, 3)."""

    I: Array
    H: Array
    M: Array

    def __add__(self, other: Any) -> "ArticulatedInertia":
        return ArticulatedInertia(self.I + other.I, self.H + other.H, self.M + other.M)


def crm(v: Any, m: Any) -> Array:
    """Return v x m, of two motion vectors (eq. 2.31)."""
    return np.array([*cross(v[:3], m[:3]), *(np.array(cross(v[:3], m[3:])) + cross(v[3:], m[:3]))])


def crf(v: Any, f: Any) -> Array:
    """Return v x* f, of a motion and a force vector (eq. 2.32)."""
    return np.array([*(np.array(cross(v[:3], f[:3])) + cross(v[3:], f[3:])), *cross(v[:3], f[3:])])


def to_body(way: Way, v: Any) -> Array:
    """Return Xup v: a motion vector of the parent, in the body's frame."""
    for R, p in way:
        v = np.array([*(R.T @ v[:3]), *(R.T @ (v[3:] + cross(v[:3], p)))])
    return np.asarray(v)


def to_parent(way: Way, f: Any) -> Array:
    """Return Xupᵀ f: a force vector of the body, in the parent's frame."""
    for R, p in reversed(way):
        force = R @ f[3:]
        f = np.array([*(R @ f[:3] + cross(p, force)), *force])
    return np.asarray(f)


def rigid(I: Any) -> Inertia:
    """Return mass and moments of a rigid-body inertia (6, 6)."""
    return Inertia(I[5, 5], np.array([I[2, 4], I[0, 5], I[1, 3]]), I[:3, :3])


def articulated(inertia: Inertia) -> ArticulatedInertia:
    """Return a rigid-body inertia in blocks (eq. 2.63)."""
    m, (x, y, z) = inertia.mass, inertia.h
    return ArticulatedInertia(inertia.I, np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), m * np.eye(3))


def momentum(inertia: Inertia, v: Any) -> Array:
    """Return I v (6,) of a rigid body."""
    m, h, I = inertia
    return np.array([*(I @ v[:3] + cross(h, v[3:])), *(m * v[3:] - cross(h, v[:3]))])


def force(inertia: ArticulatedInertia, a: Any) -> Array:
    """Return IA a (6,) of an articulated body."""
    I, H, M = inertia
    return np.array([*(I @ a[:3] + H @ a[3:]), *(H.T @ a[:3] + M @ a[3:])])


def without_joint(inertia: ArticulatedInertia, U: Any, W: Any, free: int | None) -> ArticulatedInertia:
    """Return IA - U Wᵀ with W = U D⁻¹, what is left of an inertia where a joint yields (table 7.1). free: the number of
    the axis that the joint moves along, if nothing is left there: its row and column are then exact zeros."""
    I, H, M = inertia

    def left(x: Any, i: int, j: int) -> Any:
        return 0.0 if free in (i, j) else x - U[i] * W[j]

    return ArticulatedInertia(
        symmetric(lambda i, j: left(I[i, j], i, j)),
        np.array([[left(H[i, j], i, 3 + j) for j in range(3)] for i in range(3)]),
        symmetric(lambda i, j: left(M[i, j], 3 + i, 3 + j)),
    )


def free_axis(S: Any, armature: float) -> int | None:
    """Return the number of the axis that a joint moves along, or None if S (6,) is no axis or armature resists."""
    values = [abs(x) if (x := number(entry)) is not None else None for entry in S]
    return values.index(1.0) if armature == 0.0 and values.count(0.0) == 5 and 1.0 in values else None


def inertia_to_parent(way: Way, inertia: Inertia) -> Inertia:
    """Return Xupᵀ I Xup of a rigid body (eq. 2.66)."""
    m, h, I = inertia
    for R, p in reversed(way):
        h, I = R @ h, turned(R, I)
        if not vanishes(p):
            g = h + (0.5 * p) * m
            I = shifted(I, g, p)
            h = h + m * p
    return Inertia(m, h, I)


def shifted(I: Any, g: Any, p: Any) -> Array:
    """Return I + [g][p]ᵀ + [p][g]ᵀ, the second moments about a point at -p, where g is the mean first moment."""
    t = g * p
    twice = 2.0 * (dot(g, p) - t)
    return symmetric(lambda i, j: I[i, j] + twice[i] if i == j else I[i, j] - (g[i] * p[j] + p[i] * g[j]))


def articulated_to_parent(way: Way, inertia: ArticulatedInertia) -> ArticulatedInertia:
    """Return Xupᵀ IA Xup."""
    I, H, M = inertia
    for R, p in reversed(way):
        I, H, M = turned(R, I), turned(R, H, is_symmetric=False), turned(R, M)
        if not vanishes(p):
            moved = H + np.array([cross(p, M[:, j]) for j in range(3)]).T
            lever = np.array([cross(p, H[j]) for j in range(3)])  # row j: p x (row j of H)
            behind = np.array([cross(p, moved[j]) for j in range(3)])
            I, H = symmetric(lambda i, j: I[i, j] + lever[i, j] + behind[j, i]), moved  # noqa: B023
    return ArticulatedInertia(I, H, M)


def symmetric(entry: Any) -> Array:
    """Return a symmetric matrix (3, 3) from a function of row and column, called on and above the diagonal."""
    upper = {(i, j): entry(i, j) for i in range(3) for j in range(i, 3)}
    return np.array([[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])


def turned(R: Any, H: Any, *, is_symmetric: bool = True) -> Array:
    """Return R H Rᵀ of a matrix (3, 3); about a coordinate axis by the double angle, which costs the least."""
    k = _axis(R)
    if k is not None:
        return _turned_about(k, R, H, is_symmetric=is_symmetric)
    G = R @ H
    return symmetric(lambda i, j: dot(G[i], R[j])) if is_symmetric else np.asarray(G @ R.T)


def _turned_about(k: int, R: Any, H: Any, *, is_symmetric: bool) -> Array:
    """Return R H Rᵀ where R turns about axis k, with the sine and cosine of the double angle."""
    x, y = (k + 1) % 3, (k + 2) % 3
    c, s = R[x, x], R[y, x]
    g = s * (H[x, x] - H[y, y]) + ((c + c) * H[x, y] if is_symmetric else c * (H[x, y] + H[y, x]))
    T = np.array(H, dtype=object)
    T[x, x], T[y, y] = H[x, x] - s * g, H[y, y] + s * g
    T[x, y] = c * g - H[y, x]
    T[y, x] = T[x, y] if is_symmetric else c * g - H[x, y]
    T[x, k], T[y, k] = c * H[x, k] - s * H[y, k], s * H[x, k] + c * H[y, k]
    if is_symmetric:
        T[k, x], T[k, y] = T[x, k], T[y, k]
    else:
        T[k, x], T[k, y] = c * H[k, x] - s * H[k, y], s * H[k, x] + c * H[k, y]
    return T


def number(x: Any) -> float | None:
    """Return the value of a constant, or None for what is traced."""
    value: float | None = getattr(x, "value", x)
    return value


def vanishes(p: Any) -> bool:
    """Return whether all entries are constant zeros."""
    return all(number(x) == 0.0 for x in p)


def _axis(R: Any) -> int | None:
    """Return the coordinate axis about which R turns by an angle that is not constant, or None."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        about = number(R[k, k]) == 1.0 and vanishes((R[i, k], R[j, k], R[k, i], R[k, j]))
        if about and number(R[i, i]) not in (0.0, 1.0, -1.0):
            return k
    return None
