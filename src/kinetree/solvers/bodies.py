"""Which moving body of one robot is which of another, whatever their names and frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from kinetree.algorithms.kinematics import body_poses
from kinetree.model.tree import Tree
from kinetree.solvers.align import fit, line, turn_between
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
        return [(i, j) for i, j in named if self._alike(i, j) and self.a.joint_type[i].single]

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
            alike = [j for j in free if self._alike(i, j)]
            if alike:
                best = min(alike, key=lambda j: self._unalike(i, j, T_ab))
                free.remove(best)
                couples.append((i, best))
        return couples

    def _alike(self, i: int, j: int) -> bool:
        one, other = self.a.joint_type[i], self.b.joint_type[j]
        return one is other or {one.name, other.name} == {"revolute", "continuous"}

    def _unalike(self, i: int, j: int, T_ab: Array) -> tuple[bool, bool, bool, bool, float]:
        """The key by which joints without a common name are coupled: motion, what they carry, mass, place."""
        tries = [(*self._motion_error(i, j, T_ab, sign), sign) for sign in self._signs(i)]
        error, T, sign = min(tries, key=lambda t: t[0] if t[0] > self.tolerance else 0.0)
        distance = float(np.linalg.norm(self.a.T_tree[i][:3, 3] - (T_ab @ self.b.T_tree[j])[:3, 3]))
        other_size = self.sizes[0][i] != self.sizes[1][j]
        return error > self.tolerance, other_size, self._unlike_mass(i, j, T), sign < 0, distance

    def _signs(self, i: int) -> tuple[float, ...]:
        return (1.0, -1.0) if self.a.joint_type[i].single else (1.0,)

    def _motion_error(self, i: int, j: int, T_ab: Array, sign: float, offset: float = 0.0) -> tuple[float, Array]:
        """By how much the two motions differ beyond a constant, and that constant."""
        if not self._alike(i, j):
            return np.inf, se3.IDENTITY
        before_a, before_b = self.a.T_tree[i], T_ab @ self.b.T_tree[j]
        between = []
        for q in _samples(self.a.joint_type[i].neutral):
            T_a = before_a @ self.a.joint_type[i].transform(self.a.axes[i], self.a.pitch[i], q)
            T_b = before_b @ self.b.joint_type[j].transform(self.b.axes[j], self.b.pitch[j], sign * q + offset)
            between.append(se3.inverse(T_a) @ T_b)
        return max(float(np.abs(T - between[0]).max()) for T in between), between[0]

    def _pair(self, i: int, j: int, parent: Pair) -> Pair:
        """The pair of the bodies that joints i and j carry."""
        tries = [(*self._motion_error(i, j, parent.T_ab, sign), sign) for sign in self._signs(i)]
        error, T_ab, sign = min(tries, key=lambda t: t[0] if t[0] > self.tolerance else 0.0)
        if error > self.tolerance:
            ways = [self._onto(i, j, parent.T_ab, sign), *self._shared(i, j), T_ab]
            return Pair(i, j, min(ways, key=lambda T: self._blame(i, j, T)), sign, 0.0, error)
        if self.a.joint_type[i].single and self._unlike(i, j, T_ab):
            for offset in self._offsets(i, j, T_ab, sign):
                _, T = self._motion_error(i, j, parent.T_ab, sign, offset)
                if self._explains(i, j, T_ab, T):
                    return Pair(i, j, T, sign, offset, error)
        return Pair(i, j, T_ab, sign, 0.0, error)

    def _explains(self, i: int, j: int, before: Array, after: Array) -> bool:
        """Whether another zero accounts for all joints behind, or for everything; half an explanation is none."""
        if self._unlike_joints(i, j, before):
            return not self._unlike_joints(i, j, after)
        return not self._unlike(i, j, after)

    def _onto(self, i: int, j: int, T_ab: Array, sign: float) -> Array:
        """T_ab of the carried bodies once the joint of b has been moved the shortest way onto that of a, so that
        what comes behind is not blamed for it."""
        T = se3.inverse(self.a.T_tree[i]) @ T_ab @ self.b.T_tree[j]
        p, axes_a, axes_b = T[:3, 3], self.a.axes[i], self.b.axes[j]
        if not (len(axes_a) and len(axes_b)):
            return se3.homogeneous(T[:3, :3], np.zeros(3))
        R = se3.rotation_between(sign * T[:3, :3] @ axes_b[0], axes_a[0]) @ T[:3, :3]
        turns = self.a.joint_type[i].turns
        return se3.homogeneous(R, axes_a[0] * (axes_a[0] @ p) if turns else p)

    def _blame(self, i: int, j: int, T_ab: Array) -> tuple[int, int]:
        """How many joints on two bodies are not in the same place, and where none, how much else is not."""
        joints = self._unlike_joints(i, j, T_ab)
        return joints, 0 if joints else self._unlike(i, j, T_ab)

    def _unlike_joints(self, i: int, j: int, T_ab: Array) -> int:
        errors = [
            min(self._motion_error(x, y, T_ab, sign)[0] for sign in self._signs(x))
            for x, y in self._couples(i, j, T_ab)
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

    def _offsets(self, i: int, j: int, T_ab: Array, sign: float) -> Iterator[float]:
        """Zeros of joint j worth a try: those that bring frames or joints to the same place, and quarter turns."""
        axis = self.a.axes[i][0]
        turning = self.a.joint_type[i].turns
        for T_a, T_b in self._frames(i, j):
            T = T_ab @ T_b
            along = float(axis @ (T_a[:3, 3] - T[:3, 3]))
            yield sign * (turn_between(axis, T[:3, :2].T, T_a[:3, :2].T) if turning else along)
        com_a, com_b = _com_at(self.a, i, se3.IDENTITY), _com_at(self.b, j, T_ab)
        yield sign * (turn_between(axis, com_b[None], com_a[None]) if turning else float(axis @ (com_a - com_b)))
        for x, y in self._couples(i, j, T_ab):
            before_a, before_b = self.a.T_tree[x], T_ab @ self.b.T_tree[y]
            if not turning:
                yield sign * float(axis @ (before_a[:3, 3] - before_b[:3, 3]))
                continue
            yield sign * turn_between(axis, before_b[None, :3, 3], before_a[None, :3, 3])
            directions_a, directions_b = self.a.axes[x] @ before_a[:3, :3].T, self.b.axes[y] @ before_b[:3, :3].T
            for flip in (1.0, -1.0):
                yield sign * turn_between(axis, directions_b, flip * directions_a)
        if turning:
            yield from (pi / 2, -pi / 2, pi)


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


def _samples(neutral: tuple[float, ...]) -> list[Array]:
    """The neutral configuration of a joint and two others; quaternions of any length are legal."""
    zero = np.array(neutral)
    waves = np.arange(1.0, len(neutral) + 1)
    return [zero, zero + 0.9 * np.sin(waves), zero - 0.7 * np.cos(2 * waves) - 0.9]
