"""Limits on q: a box and rows `G q <= h`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.arrays import SINGLE, as_given, as_given_by
from kinetree.display import Brief, Displayable, counted
from kinetree.errors import KinetreeError, Source, fail
from kinetree.labels import check_rows
from kinetree.spatial import polytope
from kinetree.spatial.monte_carlo import Estimate
from kinetree.spatial.numbers import numbers
from kinetree.spatial.se3 import Array, frozen

_quietly = np.errstate(over="ignore", invalid="ignore", divide="ignore")
"""For limits that are almost as large as numbers can be: sums and products of them may be infinite."""


@dataclass(frozen=True, eq=False, repr=False)
class Limits(Displayable):
    """All limits on q: lower <= q <= upper and G q <= h.

    lower, upper (nq,). G (m, nq), h (m,), row_names (m): limits over several joints. turning (k): names of coordinates
    that turn without ends, as of a continuous joint. quaternions: the index of the first coordinate of each. Units are
    those of q: metres and radians. A margin is the slack to a limit, in the units of the limit, positive inside.

    Coordinates that no row of G couples are independent; those that rows couple make a block, whose polytope is small.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> q = icub.q({"l_elbow": 120, "r_elbow": 60}, unit="deg")
        >>> bool(icub.limits.contains(q)), icub.limits.names[icub.limits.margin(q).argmin()]
        (False, 'l_elbow upper')
        >>> icub.limits.project(q)[icub.q_slices["l_elbow"]].round(3)
        array([1.85])
    """

    coordinate_names: tuple[str, ...]
    lower: Array
    upper: Array
    G: Array
    h: Array
    row_names: tuple[str, ...]
    turning: tuple[str, ...] = ()
    quaternions: tuple[int, ...] = ()

    def __repr__(self) -> str:
        ends = int(np.isfinite([self.lower, self.upper]).sum())
        return f"Limits on {counted(len(self.lower), 'coordinate')}: {ends} finite ends, {counted(len(self.G), 'row')}"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What each number of `margin` is about: the lower end of every coordinate, the upper ends, the rows."""
        ends = [f"{name} {end}" for end in ("lower", "upper") for name in self.coordinate_names]
        return (*ends, *self.row_names)

    @as_given
    @_quietly
    def margin(self, q: Any) -> Array:
        """Return the signed slack (…, 2 nq + m) of q (…, nq) to each of `names`: negative outside, inf if unlimited.

        It is -inf to the lower ends of a quaternion of length zero, which is no rotation.
        """
        q = checked_q(self, q, "q")
        slack = np.concatenate([q - self.lower, self.upper - q, self.h - self._rows_times(q)], axis=-1)
        for start in self.quaternions:
            slack[..., start : start + 4][_is_zero(q, start)] = -np.inf
        return slack

    @as_given
    def contains(self, q: Any) -> Array:
        """Return whether q (…, nq) is inside, (…,) of bool: no margin is negative."""
        return np.asarray(np.all(self.margin(q) >= 0, axis=-1))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The coordinates that rows couple, each set of them with its rows and its part of the box."""
        moving = np.where(self.lower == self.upper, 0.0, self.G)
        return tuple(_block(self, columns) for columns in coupled(moving))

    @as_given_by(lambda limits, nearest: in_single(limits, nearest))
    @_quietly
    def project(self, q: Any) -> Array:
        """Return the nearest configuration (…, nq) inside (Euclidean). Raises KinetreeError "empty" without one."""
        q = checked_q(self, q, "q")
        if not np.all(np.isfinite(q)):
            raise fail("not-finite", "there is nothing nearest to a configuration that is not finite")
        if any(_is_zero(q, start).any() for start in self.quaternions):
            raise fail("q", "q has a quaternion of length zero; expected any other length")
        if self.impossible:
            raise fail("empty", "no configuration fulfils this limit", element=f"limit {self.impossible!r}")
        nearest: Array = np.clip(q, self.lower, self.upper)
        for block in self.blocks:
            own = q[..., block.columns]
            outside = np.any(own @ block.A.T > block.b, axis=-1)
            points = [polytope.project(block.A, block.b, point) for point in own[outside]]
            placed = own.copy()
            placed[outside] = np.reshape(points, (-1, len(block.columns)))
            nearest[..., block.columns] = placed
            for deeper in (1e-15, 1e-14, 1e-13, 1e-12):  # `margin` sums in another order than the block
                outside = np.any(self.margin(nearest)[..., 2 * len(self.lower) + block.rows] < 0, axis=-1)
                if not outside.any():
                    break
                points = [polytope.project(block.A, block.b, point, deeper=deeper) for point in own[outside]]
                placed[outside] = np.clip(np.reshape(points, (-1, len(block.columns))), block.lower, block.upper)
                nearest[..., block.columns] = placed
        return nearest

    @_quietly
    def volume(self) -> Estimate:
        """Return the volume inside, the product over independent coordinates and blocks; rad and m to their powers.

        A number that is exact if no block has more than 6 coordinates; its `error` is 0 then, and else the standard
        error of the estimate. Infinite if a coordinate outside of blocks has no range; raises KinetreeError "unbounded"
        if one in a block has none.
        """
        ranges = np.delete(self.upper - self.lower, [i for block in self.blocks for i in block.columns])
        if self.impossible or (ranges == 0).any():
            return Estimate(0.0)
        return _product(float(np.prod(ranges)), [block.volume for block in self.blocks])

    @_quietly
    def forbidden_share(self) -> Estimate:
        """Return the share, 0 to 1, of the box of the blocks' coordinates that the rows forbid; `error` as in `volume`.

        Raises KinetreeError if one of these coordinates has no range.
        """
        columns = [i for block in self.blocks for i in block.columns]
        allowed = _product(1.0 / box_volume(self, columns, "share"), [block.volume for block in self.blocks])
        return Estimate(1.0 - allowed, allowed.error)

    @explain_type_errors
    @_quietly
    def sample(self, n: int, seed: int | np.random.Generator = 0) -> Array:
        """Return n configurations (n, nq), uniform inside and independent, but see `polytope.sample` for large blocks.

        A large block has more than 6 coordinates. A turn, from -pi to pi, is the range of a continuous joint. Raises
        KinetreeError if another coordinate has no limit, or nothing is inside.
        """
        if self.turning:
            return self._in_a_turn.sample(n, seed)
        if not 0 <= n < 2**40:
            raise fail("sample", f"n is {n}; expected whole numbers from 0 to 2**40")
        try:
            rng = np.random.default_rng(seed)
        except (TypeError, ValueError):
            raise fail("seed", f"seed is {seed!r}; expected whole numbers from 0, and NumPy's generators") from None
        need_ranges(self, np.arange(len(self.lower)), "uniform sample")
        if self.impossible:
            raise fail("empty", "no configuration fulfils this limit", element=f"limit {self.impossible!r}")
        found = np.asarray(rng.uniform(self.lower, self.upper, (n, len(self.lower))))
        for block in self.blocks:
            found[:, block.columns] = polytope.sample(block.A, block.b, n, rng)
        return found

    @cached_property
    def _in_a_turn(self) -> Limits:
        """Return the limits with a turn as the range of the coordinates that turn without ends."""
        turns = np.isin(self.coordinate_names, self.turning)
        lower, upper = np.where(turns, -np.pi, self.lower), np.where(turns, np.pi, self.upper)
        return replace(self, lower=frozen(lower), upper=frozen(upper), turning=())

    @as_given_by(lambda _, share: _between(share, 0.0, share))
    def clip_step(self, q: Any, dq: Any) -> Array:
        """Return the largest fraction (…,) from 0 to 1 of a step dq (…, nq) from q (…, nq) that stays inside.

        From outside it is 0 for a step that brings some violated limit further out; a violated limit that it brings
        nearer does not stop it. q + clip_step(q, dq) dq is inside up to rounding. It is 0 if q or dq is not finite.
        """
        check_rows({"q": q, "dq": dq}, dict.fromkeys(("q", "dq"), self.coordinate_names))
        q, dq = checked_q(self, q, "q"), checked_q(self, dq, "dq")
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            slack = self.margin(q)
            rate = np.concatenate([-dq, dq, self._rows_times(dq)], axis=-1)
            room = np.where((rate > 0) & (slack > -np.inf), slack / rate, np.inf)
            known = np.all(np.isfinite(q) & np.isfinite(dq), axis=-1) & ~np.any(np.isnan(rate), axis=-1)
        return np.asarray(np.where(known, np.clip(np.min(room, axis=-1, initial=1.0), 0.0, 1.0), 0.0))

    @as_given_by(lambda _, qd: _between(qd, np.fmin(qd, 0.0), np.fmax(qd, 0.0)))
    @explain_type_errors
    def clip_velocity(self, q: Any, qd: Any, dt: float) -> Array:
        """Return the velocity (…, nq), cut so that a step of dt seconds stays inside; 0 if q or qd is not finite."""
        if not 0 < dt < np.inf:
            raise fail("dt", f"dt is {dt!r}; expected a finite number of seconds above 0")
        check_rows({"q": q, "qd": qd}, dict.fromkeys(("q", "qd"), self.coordinate_names))
        qd = checked_q(self, qd, "qd")
        with np.errstate(over="ignore"):
            share = self.clip_step(q, qd * dt)[..., None]
        return np.asarray(np.where(share > 0, share * np.nan_to_num(qd), 0.0))

    @cached_property
    def _terms(self) -> tuple[Array, Array]:
        """Return the coordinates of each row (m, k) and their coefficients, padded with zeros."""
        used = [np.flatnonzero(row) for row in self.G]
        k = max(map(len, used), default=0)
        places = np.array([[*u, *[u[0] if len(u) else 0] * (k - len(u))] for u in used], dtype=int).reshape(
            len(used), k
        )
        counts = np.arange(k) < np.array([len(u) for u in used])[:, None]
        return places, np.where(counts, np.take_along_axis(self.G, places, axis=1), 0.0)

    def _rows_times(self, q: Array) -> Array:
        """Return G q (…, m), summed in one order for one or many configurations, so that the bits are equal."""
        places, coefficients = self._terms
        total = np.zeros((*q.shape[:-1], len(self.G)))
        for column, coefficient in zip(places.T, coefficients.T, strict=True):
            total = total + q[..., column] * coefficient
        return total

    @cached_property
    def impossible(self) -> str:
        """Return the name of a limit that no q fulfils, whatever the other limits: lower above upper, or 0 q < 0."""
        crossed = self.lower > self.upper
        still = self.lower == self.upper
        never = ~self.G[:, ~still].any(axis=1) & (self.h < self.G[:, still] @ self.lower[still])
        return next((name for name, bad in zip(self.names, np.r_[crossed, crossed, never], strict=True) if bad), "")


def _is_zero(q: Array, start: int) -> Array:
    """Return whether the quaternion at q[…, start : start + 4] has length zero, (…,) of bool."""
    return np.asarray(~np.any(q[..., start : start + 4], axis=-1))


def _between(values: Array, lower: Any, upper: Any) -> Array:
    """Return values in single precision, rounded so that those between two bounds stay there if a number does."""
    with np.errstate(over="ignore"):
        found = values.astype(SINGLE)
        found = np.where((found > upper) & (values <= upper), np.nextafter(found, SINGLE.type(-np.inf)), found)
        return np.where((found < lower) & (values >= lower), np.nextafter(found, SINGLE.type(np.inf)), found)


def in_single(limits: Limits, q: Array) -> Array:
    """Return q (…, nq) in single precision, rounded so that it stays inside where numbers of this precision are."""
    found = _between(q, limits.lower, limits.upper)
    for block in limits.blocks:
        rows = 2 * len(limits.lower) + block.rows
        crossed = np.any((limits.margin(found) < 0)[..., rows] & (limits.margin(q) >= 0)[..., rows], axis=-1)
        for at in zip(*np.nonzero(crossed), strict=True) if crossed.ndim else [()] * bool(crossed):
            own = q[at][block.columns]
            with suppress(KinetreeError), np.errstate(over="ignore", invalid="ignore"):  # no room between the limits
                slack = np.abs(block.A) @ np.full(len(own), np.spacing(np.abs(own).max().astype(SINGLE)), float)
                found[(*at, block.columns)] = polytope.project(block.A, block.b - slack, own)
    return found


def limits_about(limits: Limits, columns: Any) -> Array:
    """Return which of `limits.names` are about some of these coordinates, (2 nq + m,) of bool."""
    ends = np.isin(np.arange(len(limits.lower)), columns)
    return np.concatenate([ends, ends, limits.G[:, columns].any(axis=1)])


@_quietly
def box_volume(limits: Limits, columns: Any, what: str) -> float:
    """Return the product of the ranges of these coordinates. Raises KinetreeError unless it is above zero."""
    need_ranges(limits, columns, what)
    whole = float(np.prod(limits.upper[columns] - limits.lower[columns])) if len(columns) else 1.0
    if not 0.0 < whole < np.inf:
        raise fail("no-solution", f"the ranges of the joints multiply to {whole:g}, so there is no {what}")
    return whole


@_quietly
def need_ranges(limits: Limits, columns: Array, what: str) -> None:
    """Raise KinetreeError if one of these coordinates has no range."""
    open_ended = [i for i in columns if not np.isfinite(limits.upper[i] - limits.lower[i])]
    if open_ended:
        names = ", ".join(limits.coordinate_names[i] for i in open_ended[:12])
        raise fail("unbounded", f"there is no {what} without ranges; without one are {names}")


def checked_q(limits: Limits, q: Any, what: str) -> Array:
    """Return an array (…, nq) of the numbers that a caller gives, in any order if they have names."""
    array = numbers(q, "q", f"{what} is", limits.coordinate_names)
    if array.ndim == 0 or array.shape[-1] != len(limits.lower):
        names = ", ".join(limits.coordinate_names)
        message = f"{what} has shape {array.shape}; expected (…, {len(limits.lower)}), in this order: {names}"
        raise fail("q-shape", message)
    return array


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinearLimits(Brief):
    """A set of limits G x <= h on some joints of one coordinate each, by name.

    joints (k): their names. G (m, k), h (m,): in radians and metres. row_names (m). angular: whether the source has
    angles only, so that no joint may be prismatic. box: whether every row is an end of a joint's own range.
    from_below: whether the source has rows -G x >= -h, as for A q + b > 0, which are written so again.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> both = kt.limits.LinearLimits("both", ("q1", "q2"), np.array([[1.0, 1.0]]), np.array([1.5]), ("sum",))
        >>> arm = kt.edit.add_limits(kt.chain("Rz(q1) tx(0.4) Rz(q2) tx(0.3)"), [both])
        >>> arm.limits.contains([[1.0, 0.4], [1.0, 0.6]])
        array([ True, False])
    """

    name: str
    joints: tuple[str, ...]
    G: Array
    h: Array
    row_names: tuple[str, ...]
    angular: bool = True
    box: bool = False
    from_below: bool = False
    source: Source | None = None


@dataclass(frozen=True, eq=False)
class Block:
    """Coordinates that rows couple. columns (k,): which of q; those that can only have one value are none. A x <= b:
    rows and box together. rows: which of G."""

    columns: Array
    rows: Array
    A: Array
    b: Array
    lower: Array
    upper: Array

    @cached_property
    def volume(self) -> Estimate:
        return polytope.measure(self.A, self.b)


def _product(factor: float, volumes: Sequence[Estimate]) -> Estimate:
    """Return the product of volumes, and the error that independent errors of its factors make."""
    value = factor * float(np.prod(volumes))
    error = float(np.hypot.reduce([v.error / v if v else 0.0 for v in volumes]))
    return Estimate(value, value * error if error else 0.0)


def coupled(G: Array) -> list[Array]:
    """Return the sets of columns that rows of G connect."""
    from scipy.sparse.csgraph import connected_components

    used = np.flatnonzero(np.any(G != 0, axis=0))
    touches = (G[:, used] != 0).astype(int)
    count, label = connected_components(touches.T @ touches) if len(used) else (0, np.zeros(0))
    return [used[label == k] for k in range(count)]


def _block(limits: Limits, columns: Array) -> Block:
    rows = np.flatnonzero(np.any(limits.G[:, columns] != 0, axis=1))
    lower, upper, eye = limits.lower[columns], limits.upper[columns], np.eye(len(columns))
    still = np.flatnonzero(limits.lower == limits.upper)
    h = limits.h[rows] - limits.G[np.ix_(rows, still)] @ limits.lower[still]
    A, b = np.vstack([limits.G[np.ix_(rows, columns)], -eye, eye]), np.r_[h, -lower, upper]
    bounded = np.isfinite(b)
    return Block(columns, rows, frozen(A[bounded]), frozen(b[bounded]), frozen(lower), frozen(upper))
