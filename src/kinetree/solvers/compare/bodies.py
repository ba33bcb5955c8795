"""Which moving body of one robot is which of another, whatever their names and frames.

Pairs of bodies grow from the bases outwards. With two bodies that are taken to be the same comes T_ab, the constant
between their frames. Under it the joints on the two are coupled: those of one name, then each other one with that free
joint that moves most alike (`_couples`). A couple makes the pair of the bodies that it carries (`_pair`):

1. The two motions are the same up to a constant, as they stand or with the opposite sign. That constant is the T_ab of
   the carried bodies; and if all that sits on them (joints, frames of one name, mass) is in the same place, that is it.
2. If something is not, joint b may have another zero. Each zero that brings something to the same place is tried
   (`_zeros`), and the first is taken that accounts for all joints behind, or for everything.
3. The two motions differ. The pair says by how much, and the T_ab behind it is the one that leaves least unlike, of
   three: with joint b moved onto a, with a frame of one name put in the same place, as both stand at neutral. So what
   comes behind is not blamed for this joint.

The constant between the bases is not given. Pairs are grown from several (`_roots`): no difference, that of a frame of
one name, fits of all axes on each other. The one that leaves least to explain wins (`_cost`), the first of equals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from kinetree.algorithms.kinematics import body_poses
from kinetree.model.tree import Tree
from kinetree.solvers.compare.align import fit, line, turn_between
from kinetree.solvers.compare.motions import alike, apart, axes_apart, closest_motion, motion_error, moved_onto
from kinetree.spatial import plucker, se3
from kinetree.spatial.se3 import Array

BASE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """Body `a` of one tree and body `b` of the other, taken to be the same; BASE is the fixed base of both.

    T_ab (4, 4): the frame of body b in that of body a, while both stand alike.
    sign, offset: q_b = sign * q_a + offset, for joints of one coordinate.
    error: by how much their motions differ, in m or of a rotation's entries; above the tolerance they are not the same.
    """

    a: int
    b: int
    T_ab: Array
    sign: float = 1.0
    offset: float = 0.0
    error: float = 0.0


@dataclass(frozen=True)
class Match:
    """Two trees side by side; tolerance in m and rad, relative that of inertias; any_base: whether another base is
    nothing to explain."""

    a: Tree
    b: Tree
    tolerance: float
    relative: float
    any_base: bool = False

    @cached_property
    def sizes(self) -> tuple[list[int], list[int]]:
        """How many bodies hang on each one, in the two trees."""
        return _sizes(self.a), _sizes(self.b)

    def pairs(self) -> list[Pair]:
        """The pairs of bodies, the base first, under the constant between the bases that leaves least to explain."""
        best: list[Pair] = []
        for T_root in self._roots():
            pairs = self._grow(T_root)
            if not best or self._cost(pairs) < self._cost(best):
                best = pairs
            if self._cost(best) == (0, 0):
                break
        return best

    def differs(self, pair: Pair) -> bool:
        """Whether the two joints move differently, even with another sign or zero."""
        return pair.error > self.tolerance

    def _roots(self) -> Iterator[Array]:
        """Constants between the bases that are worth a try."""
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
        """Joints of the same name, or where there are none, of the same number in trees of one shape."""
        number = {name: j for j, name in enumerate(self.b.joints)}
        named = [(i, number[name]) for i, name in enumerate(self.a.joints) if name in number]
        if not named and self.a.parent == self.b.parent:
            named = list(zip(range(len(self.a.parent)), range(len(self.b.parent)), strict=True))
        return [(i, j) for i, j in named if alike((self.a, i), (self.b, j)) and self.a.joint_type[i].single]

    def _cost(self, pairs: list[Pair]) -> tuple[int, int]:
        """(bodies left over or moving differently, bodies whose sign, zero, base or contents differ)."""
        missing = max(len(self.a.joints), len(self.b.joints)) + 1 - len(pairs)
        odd = sum(pair.sign != 1 or pair.offset != 0 or self._unlike(pair.a, pair.b, pair.T_ab) > 0 for pair in pairs)
        other_base = not self.any_base and float(np.abs(pairs[0].T_ab - np.eye(4)).max()) > self.tolerance
        return missing + sum(map(self.differs, pairs)), odd + other_base

    def _grow(self, T_root: Array) -> list[Pair]:
        """Pairs from the base outwards."""
        pairs = [Pair(BASE, BASE, T_root)]
        for pair in pairs:  # grows while it is walked
            pairs += [self._pair(i, j, pair) for i, j in self._couples(pair.a, pair.b, pair.T_ab)]
        return pairs

    def _couples(self, a: int, b: int, T_ab: Array) -> list[tuple[int, int]]:
        """The joints on two bodies that belong together: those of one name, then those that move most alike."""
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
        """The key by which joints without a common name are coupled: motion, what they carry, mass, place."""
        error, T, sign = closest_motion((self.a, i), (self.b, j), T_ab, self.tolerance)
        distance = float(np.linalg.norm(self.a.T_tree[i][:3, 3] - (T_ab @ self.b.T_tree[j])[:3, 3]))
        other_size = self.sizes[0][i] != self.sizes[1][j]
        return error > self.tolerance, other_size, self._unlike_mass(i, j, T), sign < 0, distance

    def _pair(self, i: int, j: int, parent: Pair) -> Pair:
        """The pair of the bodies that joints i and j carry."""
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
        """Whether another zero accounts for all joints behind, or for everything; half an explanation is none."""
        if self._unlike_joints(i, j, before):
            return not self._unlike_joints(i, j, after)
        return not self._unlike(i, j, after)

    def _blame(self, i: int, j: int, T_ab: Array, sign: float) -> tuple[int, float]:
        """How many joints on two bodies are not in the same place, and where none, how far all else is from it: frames
        of one name and the axes by which the bodies move, in m and rad, and 1 for another mass."""
        joints = self._unlike_joints(i, j, T_ab)
        if joints:
            return joints, 0.0
        frames = sum(sum(apart(T_a, T_ab @ T_b)) for T_a, T_b in self._frames(i, j))
        return 0, frames + axes_apart((self.a, i), (self.b, j), T_ab, sign) + self._unlike_mass(i, j, T_ab)

    def _unlike_joints(self, i: int, j: int, T_ab: Array) -> int:
        """How many joints on two bodies move differently."""
        errors = [
            closest_motion((self.a, x), (self.b, y), T_ab, self.tolerance)[0] for x, y in self._couples(i, j, T_ab)
        ]
        return sum(error > self.tolerance for error in errors)

    def _unlike(self, i: int, j: int, T_ab: Array) -> int:
        """How much of what sits on two bodies is not in the same place: frames of one name, joints, mass."""
        count = self._unlike_joints(i, j, T_ab)
        for T_a, T_b in self._frames(i, j):
            count += float(np.abs(T_a - T_ab @ T_b).max()) > self.tolerance
        return count + self._unlike_mass(i, j, T_ab)

    def _unlike_mass(self, i: int, j: int, T_ab: Array) -> bool:
        """Whether two bodies that both have inertia have another one."""
        I_a, I_b = inertia_of(self.a, i), inertia_of(self.b, j)
        if not (I_a.any() and I_b.any()):
            return False
        error = np.abs(I_a - plucker.moved_inertia(I_b, T_ab)).max()
        return bool(error > max(self.relative, self.tolerance) * np.abs(I_a).max())

    def _frames(self, i: int, j: int) -> Iterable[tuple[Array, Array]]:
        """(T_body_frame in a, in b) of the frames of one name on these two bodies."""
        for name, (body, T_a) in self.a.frames.items():
            other = self.b.frames.get(name)
            if body == i and other and other[0] == j:
                yield T_a, other[1]

    def _shared(self, i: int, j: int) -> Iterator[Array]:
        """T_ab that puts the first frame of one name in the same place, if there is one."""
        for T_a, T_b in self._frames(i, j):
            yield T_a @ se3.inverse(T_b)
            return

    def _zeros(self, i: int, j: int, T_ab: Array, sign: float) -> Iterator[float]:
        """Zeros of joint j worth a try: those that bring something to the same place, and quarter turns."""
        axis = self.a.axes[i][0]
        if not self.a.joint_type[i].turns:
            for p_a, p_b in self._points(i, j, T_ab):
                yield sign * float(axis @ (p_a - p_b))
            return
        for vectors_a, vectors_b in self._vectors(i, j, T_ab):
            yield sign * turn_between(axis, vectors_b, vectors_a)
        yield from (pi / 2, -pi / 2, pi)

    def _points(self, i: int, j: int, T_ab: Array) -> Iterator[tuple[Array, Array]]:
        """Points (3,) of two bodies that may be the same, in body a: of frames, centres of mass, joints."""
        for T_a, T_b in self._frames(i, j):
            yield T_a[:3, 3], (T_ab @ T_b)[:3, 3]
        yield _com_at(self.a, i, se3.IDENTITY), _com_at(self.b, j, T_ab)
        for x, y in self._couples(i, j, T_ab):
            yield self.a.T_tree[x][:3, 3], (T_ab @ self.b.T_tree[y])[:3, 3]

    def _vectors(self, i: int, j: int, T_ab: Array) -> Iterator[tuple[Array, Array]]:
        """Vectors (k, 3) of two bodies that may be the same, in body a: axes of frames, points, axes of joints, which
        may have the opposite sign."""
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
    """I (6, 6) of a body or of the base, in its own frame."""
    return tree.base_inertia if body == BASE else tree.inertia[body]


def _com_at(tree: Tree, body: int, T: Array) -> Array:
    """The centre of mass (3,) of a body in a frame in which T (4, 4) is its pose."""
    return np.asarray(T[:3, :3] @ plucker.about_com(inertia_of(tree, body))[1] + T[:3, 3])


def _sizes(tree: Tree) -> list[int]:
    """How many bodies hang on each one."""
    sizes = [0] * (len(tree.parent) + 1)  # the base is last
    for i in reversed(range(len(tree.parent))):
        sizes[tree.parent[i]] += sizes[i] + 1
    return sizes
