"""Matching of the moving bodies of two robots and of their motions, whatever their names and frames.

Pairs of bodies grow from the bases outwards. Each pair has T_ab, the constant between the frames of its bodies. Given
T_ab, the joints on the two bodies are coupled: first those of one name, then each other joint with the free one that
moves most alike (`_couples`). A couple makes the pair of the bodies that it carries (`_pair`):

1. The two motions are the same up to a constant, with the same or the opposite sign. The constant is the T_ab of the
   carried bodies. If everything on them (joints, frames of one name, mass) is in the same place, this is the pair.
2. If something is not, joint b may have another zero. Each zero that brings something to the same place is tried
   (`_zeros`), and the first that explains all joints behind, or everything, is taken.
3. The two motions differ. The pair stores by how much. Its T_ab is the one of three that leaves the fewest differences:
   joint b moved onto a, a frame of one name put in the same place, both at neutral. So differences further out are
   not attributed to this joint.

The constant between the bases is unknown. Pairs are grown from several candidates (`_roots`): the identity, that of a
frame of one name, fits of all axes. The one that leaves the fewest differences wins (`_cost`), the first if equal.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import atan2, pi

import numpy as np

from kinetree.algorithms.kinematics import body_poses
from kinetree.model.tree import Tree
from kinetree.spatial import Array, plucker, se3

Joint = tuple[Tree, int]
"""A tree and the number of one of its joints."""


def alike(a: Joint, b: Joint) -> bool:
    """Return whether two joints are of types that move in the same way."""
    return a[0].joint_type[a[1]].moves_like(b[0].joint_type[b[1]])


def motion_error(a: Joint, b: Joint, T_ab: Array, sign: float = 1.0, offset: float = 0.0) -> tuple[float, Array]:
    """Return how much two motions differ beyond a constant, in m or entries of a rotation, and that constant (4, 4).

    T_ab (4, 4) is between the bodies that carry the joints; q_b = sign * q_a + offset. The error is infinite for joints
    of types that do not move alike.
    """
    if not alike(a, b):
        return np.inf, se3.IDENTITY
    between = [
        se3.inverse(_moved(a, q)) @ T_ab @ _moved(b, sign * q + offset) for q in samples(a[0].joint_type[a[1]].neutral)
    ]
    return max(float(np.abs(T - between[0]).max()) for T in between), between[0]


def closest_motion(a: Joint, b: Joint, T_ab: Array, tolerance: float) -> tuple[float, Array, float]:
    """Return (error, constant, sign) for the sign with the smaller error; sign 1 if both are within tolerance."""
    signs = (1.0, -1.0) if a[0].joint_type[a[1]].single else (1.0,)
    tries = [(*motion_error(a, b, T_ab, sign), sign) for sign in signs]
    return min(tries, key=lambda found: found[0] if found[0] > tolerance else 0.0)


def moved_onto(a: Joint, b: Joint, T_ab: Array, sign: float) -> Array:
    """Return T_ab (4, 4) of the carried bodies, after moving joint b the shortest way onto joint a."""
    (tree_a, i), (tree_b, j) = a, b
    T = se3.inverse(tree_a.T_tree[i]) @ T_ab @ tree_b.T_tree[j]
    p, axes_a, axes_b = T[:3, 3], tree_a.axes[i], tree_b.axes[j]
    if not (len(axes_a) and len(axes_b)):
        return se3.homogeneous(T[:3, :3], np.zeros(3))
    R = se3.rotation_between(sign * T[:3, :3] @ axes_b[0], axes_a[0]) @ T[:3, :3]
    return se3.homogeneous(R, axes_a[0] * (axes_a[0] @ p) if tree_a.joint_type[i].turns else p)


def axes_apart(a: Joint, b: Joint, T_ab: Array, sign: float) -> float:
    """Return the distance of the axes of two joints, rad plus m, for T_ab (4, 4) between the bodies that they carry."""
    (tree_a, i), (tree_b, j) = a, b
    if not (len(tree_a.axes[i]) and len(tree_b.axes[j])):
        return 0.0
    u, v = tree_a.axes[i][0], sign * T_ab[:3, :3] @ tree_b.axes[j][0]
    tilt = float(np.arctan2(np.linalg.norm(np.cross(u, v)), u @ v))
    return tilt + (float(np.linalg.norm(np.cross(u, T_ab[:3, 3]))) if tree_a.joint_type[i].turns else 0.0)


def apart(T_a: Array, T_b: Array) -> tuple[float, float]:
    """Return the distance (m, rad) between two poses (4, 4)."""
    half = float(np.linalg.norm(T_a[:3, :3] - T_b[:3, :3])) / np.sqrt(8.0)  # sin(angle / 2)
    return float(np.linalg.norm(T_a[:3, 3] - T_b[:3, 3])), 2.0 * float(np.arcsin(min(half, 1.0)))


def _moved(joint: Joint, q: Array) -> Array:
    """Return T (4, 4) of the carried body in the body that carries the joint, for the joint's own numbers q."""
    tree, i = joint
    return np.asarray(tree.T_tree[i] @ tree.joint_type[i].transform(tree.axes[i], tree.pitch[i], q))


def samples(neutral: tuple[float, ...]) -> list[Array]:
    """Return the neutral configuration of a joint and two others; quaternions may have any length."""
    zero = np.array(neutral)
    waves = np.arange(1.0, len(neutral) + 1)
    return [zero, zero + 0.9 * np.sin(waves), zero - 0.7 * np.cos(2 * waves) - 0.9]


BASE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Body `a` of one tree and body `b` of the other, matched; BASE is the fixed base of both.

    T_ab (4, 4): the frame of body b in that of body a, in equal configurations.
    sign, offset: q_b = sign * q_a + offset, for joints of one coordinate.
    error: difference of their motions, in m or entries of a rotation; above the tolerance they are not the same.
    """

    a: int
    b: int
    T_ab: Array
    sign: float = 1.0
    offset: float = 0.0
    error: float = 0.0


@dataclass(frozen=True)
class Match:
    """Two trees to match. tolerance: m and rad. relative: of inertias. any_base: whether any base is accepted."""

    a: Tree
    b: Tree
    tolerance: float
    relative: float
    any_base: bool = False

    @cached_property
    def sizes(self) -> tuple[list[int], list[int]]:
        """Number of bodies carried by each body, in the two trees."""
        return _sizes(self.a), _sizes(self.b)

    def pairs(self) -> list[Pair]:
        """Return the pairs of bodies, the base first, for the constant between the bases with fewest differences."""
        best: list[Pair] = []
        for T_root in self._roots():
            pairs = self._grow(T_root)
            if not best or self._cost(pairs) < self._cost(best):
                best = pairs
            if self._cost(best) == (0, 0):
                break
        return best

    def differs(self, pair: Pair) -> bool:
        """Return whether the two joints move differently, even with another sign or zero."""
        return pair.error > self.tolerance

    def _roots(self) -> Iterator[Array]:
        """Yield candidates for the constant between the bases."""
        yield se3.IDENTITY
        yield from self._shared(BASE, BASE)
        couples = self._couples_anywhere()
        if couples:
            T_a, T_b = body_poses(self.a), body_poses(self.b)
            lines_a, lines_b = (
                [line(self.a, i, T_a[i]) for i, _ in couples],
                [line(self.b, j, T_b[j]) for _, j in couples],
            )
            yield fit(lines_a, lines_b)
            yield fit(lines_a, lines_b, [(_com_at(self.a, i, T_a[i]), _com_at(self.b, j, T_b[j])) for i, j in couples])

    def _couples_anywhere(self) -> list[tuple[int, int]]:
        """Return joints of the same name, or if there are none, of the same index in trees of one shape."""
        number = {name: j for j, name in enumerate(self.b.joints)}
        named = [(i, number[name]) for i, name in enumerate(self.a.joints) if name in number]
        if not named and self.a.parent == self.b.parent:
            named = list(zip(range(len(self.a.parent)), range(len(self.b.parent)), strict=True))
        return [(i, j) for i, j in named if alike((self.a, i), (self.b, j)) and self.a.joint_type[i].single]

    def _cost(self, pairs: list[Pair]) -> tuple[int, int]:
        """Return (bodies unmatched or moving differently, bodies whose sign, zero, base or contents differ)."""
        missing = max(len(self.a.joints), len(self.b.joints)) + 1 - len(pairs)
        odd = sum(pair.sign != 1 or pair.offset != 0 or self._unlike(pair.a, pair.b, pair.T_ab) > 0 for pair in pairs)
        other_base = not self.any_base and float(np.abs(pairs[0].T_ab - np.eye(4)).max()) > self.tolerance
        return missing + sum(map(self.differs, pairs)), odd + other_base

    def _grow(self, T_root: Array) -> list[Pair]:
        """Return the pairs from the base outwards."""
        pairs = [Pair(BASE, BASE, T_root)]
        for pair in pairs:  # the list grows during the loop
            pairs += [self._pair(i, j, pair) for i, j in self._couples(pair.a, pair.b, pair.T_ab)]
        return pairs

    def _couples(self, a: int, b: int, T_ab: Array) -> list[tuple[int, int]]:
        """Return the joints on two bodies that belong together: those of one name, then those that move most alike."""
        on_a = [i for i, parent in enumerate(self.a.parent) if parent == a]
        on_b = {self.b.joints[j]: j for j, parent in enumerate(self.b.parent) if parent == b}
        names_a, names_b = set(self.a.joints), set(self.b.joints)
        couples = [(i, on_b[self.a.joints[i]]) for i in on_a if self.a.joints[i] in on_b]
        free = [j for name, j in on_b.items() if name not in names_a]
        for i in on_a:
            if self.a.joints[i] in names_b:
                continue
            similar = [j for j in free if alike((self.a, i), (self.b, j))]
            if similar:
                best = min(similar, key=lambda j: self._unalike(i, j, T_ab))
                free.remove(best)
                couples.append((i, best))
        return couples

    def _unalike(self, i: int, j: int, T_ab: Array) -> tuple[bool, bool, bool, bool, float]:
        """Return the key by which joints without a common name are coupled: motion, what they carry, mass, place."""
        error, T, sign = closest_motion((self.a, i), (self.b, j), T_ab, self.tolerance)
        distance = float(np.linalg.norm(self.a.T_tree[i][:3, 3] - (T_ab @ self.b.T_tree[j])[:3, 3]))
        other_size = self.sizes[0][i] != self.sizes[1][j]
        return error > self.tolerance, other_size, self._unlike_mass(i, j, T), sign < 0, distance

    def _pair(self, i: int, j: int, parent: Pair) -> Pair:
        """Return the pair of the bodies that joints i and j carry."""
        a, b = (self.a, i), (self.b, j)
        error, T_ab, sign = closest_motion(a, b, parent.T_ab, self.tolerance)
        if error > self.tolerance:
            ways = [moved_onto(a, b, parent.T_ab, sign), *self._shared(i, j), T_ab]
            return Pair(i, j, min(ways, key=lambda T: self._blame(i, j, T, sign)), sign, 0.0, error)
        if self.a.joint_type[i].single and self._unlike(i, j, T_ab):
            for offset in self._zeros(i, j, T_ab, sign):
                _, T = motion_error(a, b, parent.T_ab, sign, offset)
                if self._explains(i, j, T_ab, T):
                    return Pair(i, j, T, sign, offset, error)
        return Pair(i, j, T_ab, sign, 0.0, error)

    def _explains(self, i: int, j: int, before: Array, after: Array) -> bool:
        """Return whether another zero explains all joints behind, if these differ, without more differences of frames
        and mass, or else everything."""
        if self._unlike_joints(i, j, before):
            return not self._unlike_joints(i, j, after) and self._unlike(i, j, after) <= self._unlike(i, j, before)
        return not self._unlike(i, j, after)

    def _blame(self, i: int, j: int, T_ab: Array, sign: float) -> tuple[int, float]:
        """Return how many joints on two bodies differ in place and, if none does, how much else differs. The second
        number sums the distances of frames of one name and of the joint axes, m and rad, and 1 for another mass."""
        joints = self._unlike_joints(i, j, T_ab)
        if joints:
            return joints, 0.0
        frames = sum(sum(apart(T_a, T_ab @ T_b)) for T_a, T_b in self._frames(i, j))
        return 0, frames + axes_apart((self.a, i), (self.b, j), T_ab, sign) + self._unlike_mass(i, j, T_ab)

    def _unlike_joints(self, i: int, j: int, T_ab: Array) -> int:
        """Return how many joints on two bodies move differently."""
        errors = [
            closest_motion((self.a, x), (self.b, y), T_ab, self.tolerance)[0] for x, y in self._couples(i, j, T_ab)
        ]
        return sum(error > self.tolerance for error in errors)

    def _unlike(self, i: int, j: int, T_ab: Array) -> int:
        """Return how many things on two bodies are not in the same place: frames of one name, joints, mass."""
        count = self._unlike_joints(i, j, T_ab)
        for T_a, T_b in self._frames(i, j):
            count += float(np.abs(T_a - T_ab @ T_b).max()) > self.tolerance
        return count + self._unlike_mass(i, j, T_ab)

    def _unlike_mass(self, i: int, j: int, T_ab: Array) -> bool:
        """Return whether two bodies that both have inertia differ in it."""
        I_a, I_b = inertia_of(self.a, i), inertia_of(self.b, j)
        if not (I_a.any() and I_b.any()):
            return False
        error = np.abs(I_a - plucker.moved_inertia(I_b, T_ab)).max()
        return bool(error > max(self.relative, self.tolerance) * np.abs(I_a).max())

    def _frames(self, i: int, j: int) -> Iterable[tuple[Array, Array]]:
        """Yield (T_body_frame in a, in b) of the frames of one name on these two bodies."""
        for name, (body, T_a) in self.a.frames.items():
            other = self.b.frames.get(name)
            if body == i and other and other[0] == j:
                yield T_a, other[1]

    def _shared(self, i: int, j: int) -> Iterator[Array]:
        """Yield the T_ab that puts the first frame of one name in the same place, if there is one."""
        for T_a, T_b in self._frames(i, j):
            yield T_a @ se3.inverse(T_b)
            return

    def _zeros(self, i: int, j: int, T_ab: Array, sign: float) -> Iterator[float]:
        """Yield candidates for the zero of joint j: those that bring something to the same place, and quarter turns."""
        axis = self.a.axes[i][0]
        if not self.a.joint_type[i].turns:
            for p_a, p_b in self._points(i, j, T_ab):
                yield sign * float(axis @ (p_a - p_b))
            return
        for vectors_a, vectors_b in self._vectors(i, j, T_ab):
            yield sign * turn_between(axis, vectors_b, vectors_a)
        yield from (pi / 2, -pi / 2, pi)

    def _points(self, i: int, j: int, T_ab: Array) -> Iterator[tuple[Array, Array]]:
        """Yield points (3,) of two bodies that may be the same, in body a: of frames, centres of mass, joints."""
        for T_a, T_b in self._frames(i, j):
            yield T_a[:3, 3], (T_ab @ T_b)[:3, 3]
        yield _com_at(self.a, i, se3.IDENTITY), _com_at(self.b, j, T_ab)
        for x, y in self._couples(i, j, T_ab):
            yield self.a.T_tree[x][:3, 3], (T_ab @ self.b.T_tree[y])[:3, 3]

    def _vectors(self, i: int, j: int, T_ab: Array) -> Iterator[tuple[Array, Array]]:
        """Yield vectors (k, 3) of two bodies that may be the same, in body a. They are axes of frames, points, and axes
        of joints, also with the opposite sign."""
        for T_a, T_b in self._frames(i, j):
            yield T_a[:3, :2].T, (T_ab @ T_b)[:3, :2].T
        for p_a, p_b in self._points(i, j, T_ab):
            yield p_a[None], p_b[None]
        for x, y in self._couples(i, j, T_ab):
            axes_a = self.a.axes[x] @ self.a.T_tree[x][:3, :3].T
            axes_b = self.b.axes[y] @ (T_ab @ self.b.T_tree[y])[:3, :3].T
            yield axes_a, axes_b
            yield -axes_a, axes_b


def inertia_of(tree: Tree, body: int) -> Array:
    """Return I (6, 6) of a body or of the base, in its own frame."""
    return tree.base_inertia if body == BASE else tree.inertia[body]


def _com_at(tree: Tree, body: int, T: Array) -> Array:
    """Return the centre of mass (3,) of a body in a frame in which T (4, 4) is its pose."""
    return np.asarray(T[:3, :3] @ plucker.about_com(inertia_of(tree, body))[1] + T[:3, 3])


def _sizes(tree: Tree) -> list[int]:
    """Return the number of bodies carried by each body."""
    sizes = [0] * (len(tree.parent) + 1)  # the base is last
    for i in reversed(range(len(tree.parent))):
        sizes[tree.parent[i]] += sizes[i] + 1
    return sizes


Line = tuple[Array, Array | None]
"""A direction (3,), and a point (3,) for a joint that turns or None for one that slides."""


def line(tree: Tree, i: int, T: Array) -> Line:
    """Return the axis of joint i in a frame in which T (4, 4) is the pose of its body."""
    return T[:3, :3] @ tree.axes[i][0], T[:3, 3] if tree.joint_type[i].turns else None


def fit(lines_a: Sequence[Line], lines_b: Sequence[Line], points: Sequence[tuple[Array, Array]] = ()) -> Array:
    """Return T_ab (4, 4) that brings the lines b closest to the lines a, and points (in a, in b) close to each other.

    The rotation is Kabsch's, over the directions and the perpendiculars between the lines; the translation is the
    least-squares one. If the result is not unique, as for a single line, any solution is returned.
    """
    vectors_a, vectors_b = _vectors(lines_a), _vectors(lines_b)
    R = se3.nearest_rotation(vectors_a.T @ vectors_b)
    rows, right = [np.zeros((1, 3))], [np.zeros(1)]
    for (u, p_a), (_, p_b) in zip(lines_a, lines_b, strict=True):
        if p_a is not None and p_b is not None:
            rows.append(plucker.skew(u))  # u × (R p_b + t - p_a) = 0
            right.append(plucker.skew(u) @ (p_a - R @ p_b))
    for p_a, p_b in points:
        rows.append(np.eye(3))
        right.append(p_a - R @ p_b)
    t, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right))
    return se3.homogeneous(R, t)


def _vectors(lines: Sequence[Line]) -> Array:
    """Return the directions, and the perpendiculars from each line that turns to each later one."""
    vectors = [u for u, _ in lines]
    for i, (u, p) in enumerate(lines):
        for v, r in lines[i + 1 :]:
            if p is not None and r is not None:
                n = np.cross(u, v)
                parallel = np.linalg.norm(n) < 1e-9
                vectors.append(r - p - u * (u @ (r - p)) if parallel else n * (n @ (r - p)) / (n @ n))
    return np.array(vectors)


def turn_between(axis: Array, before: Array, after: Array) -> float:
    """Return the angle about `axis` that brings the vectors `before` (k, 3) closest to `after` (k, 3)."""
    sine = sum(float(axis @ np.cross(v, w)) for v, w in zip(before, after, strict=False))
    flat = [(v - axis * (axis @ v), w - axis * (axis @ w)) for v, w in zip(before, after, strict=False)]
    return atan2(sine, sum(float(v @ w) for v, w in flat))
