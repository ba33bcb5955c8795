"""The inverse kinematics solver."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.algorithms.goals import Goal
from kinetree.algorithms.inverse import ANGULAR, COST, GOING, HEAD, LINEAR, STEPS, Problem
from kinetree.algorithms.soft import scale_of
from kinetree.arrays import as_given, as_given_by, as_numpy, kind_of
from kinetree.compiler.kernel import Kernel
from kinetree.display import MOST, shortened, some, visible
from kinetree.errors import fail
from kinetree.model.limits import Limits, checked_q, in_single
from kinetree.progress import Progress, reporting, tracked
from kinetree.solvers.ik.apart import TOUCHING, in_contact, searched
from kinetree.solvers.ik.follow import IKPath, follow
from kinetree.solvers.ik.given import derivative_names, described, with_postures
from kinetree.solvers.ik.inputs import checked_targets, with_standing
from kinetree.solvers.ik.near import Near, near_result
from kinetree.solvers.ik.one_call import FORMS, OneCall
from kinetree.solvers.ik.problem import Inside, Targets, common_batch
from kinetree.solvers.ik.reachable import reachable
from kinetree.solvers.ik.result import IKInterrupted, IKResult
from kinetree.solvers.ik.sensitivity import by_all
from kinetree.solvers.ik.several import IKSolutions, solutions, with_turns
from kinetree.solvers.ik.step import IKStep, Stepper, are_plain
from kinetree.spatial.numbers import SURELY, numbers
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions


AT_ONCE = 2**14
"""Number of targets between two calls of `progress`."""


def _in_single(ik: "IK", result: Any) -> Any:
    return replace(result, q=in_single(ik.limits, result.q))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IK:
    """A solver of inverse kinematics, made by `ik`.

    coordinate_names (n,): the coordinates that it moves. goals: what it reaches. limits: what it stays inside.
    contact: decides which solutions count, see `clearance` of `kt.ik`. _postures: of all goals; empty if none is soft.

    Examples:
        >>> import kinetree as kt
        >>> hand = kt.ik(kt.load("icub"), "l_hand", "chest", goal="position")
        >>> hand.coordinate_names[:4]
        ('l_shoulder_pitch', 'l_shoulder_roll', 'l_shoulder_yaw', 'l_elbow')
        >>> hand.reachable([-0.2, -0.1, 0.1]), hand.reachable([2.0, 0.0, 0.0])
        (True, False)
    """

    coordinate_names: tuple[str, ...]
    goals: tuple[Goal, ...]
    limits: Limits
    contact: "Collisions | None"
    _problem: Problem
    _inside: Inside
    _kernel: Kernel
    _closest: Kernel
    _check: Kernel
    _slopes: Kernel
    _lagrangian: Kernel
    _settle: Kernel
    _answer: Kernel
    _nearest: Kernel | None
    _forms: Kernel | None
    _quick: OneCall
    _hard: "IK | None"
    _postures: tuple[Array | None, ...]
    _more: tuple[Array, ...]
    _stepper: Stepper
    _near: Near

    def __repr__(self) -> str:
        goals = ", ".join(map(described, self.goals))
        return f"IK: {visible(shortened(goals, MOST))}, by {some(self.coordinate_names)}"

    @as_given_by(_in_single)
    def __call__(
        self,
        *targets: Any,
        q0: Any = None,
        at: Any = None,
        near: Any = None,
        prefer: Any = None,
        threads: int = 1,
        progress: Progress = False,
    ) -> IKResult:
        """Return configurations for targets, one (…, *shape) for each goal, as seen from the goal's base.

        targets: poses (4, 4), positions or points (3,), m, or orientations (3, 3).
        q0 (…, nq): the start, projected into the limits; joints that the goals do not need stay there. By default the
        middle of the ranges, and neutral.
        at (…, n): where the joints stand that do not move, a q of all joints; for a solver made with at="input".
        near: how far from q0 the result may be: a number, rad for joints that turn, m for those that slide, or numbers
        by joint, for these alone. Balls turn by it at most; floating bases turn and move by it. If no solution is found
        there, success is False and q is locally closest.
        prefer (…, nq): a posture, such as `q0`, or "middle", away from the limits: the result is the solution nearest
        to it that can be reached by sliding from the first one, in Euclidean distance of the joints that move.
        threads: share a large batch. progress: True for a bar, or a function of the number of targets done and the
        total.

        For a target out of reach success is False and q is locally closest: no small motion inside the limits reduces
        the weighted squared errors. A result depends only on its target and q0. The nearest rotation is used for one
        that is up to 1e-3 off in an entry, as with three decimals; the residual is that of the corrected target. Raises
        KinetreeError for targets of another shape, and for a single target that is not finite or not rigid. In a batch
        such a target fails alone.
        """
        _check_threads(threads)
        if near is not None:
            return near_result(self, targets, q0, near, at=at, prefer=prefer, threads=threads, progress=progress)
        targets = tuple(self._given(targets, at))
        if prefer is not None:
            self._refuse_soft("prefer")
        given = with_postures(self._postures, targets) if self._postures else targets
        if prefer is None and not progress and (start := self._plain_start(q0)) and self._is_plain(given):
            # fast path for a control loop: one target, in arrays that need no conversion
            state, rest = start
            if self._nearest:
                state = self._nearest(state, *self._more, *given)
            found = self._kernel(state, *self._more, *given)
            if found[GOING] == 0.0:
                result = self._result(found, rest)
                if self.contact is None or not self.contact(result.q):
                    return result
        inputs = self._checked(targets)
        states, h, center, rest = self._begin(q0)
        search, begun, others = [states, h, center, rest], rest, {}
        if prefer is not None:
            others["prefer"] = self._posture(prefer)
            search.append(others["prefer"])
        batch = common_batch(inputs.batch, q0=states, **others)
        rest = self._problem.moved(rest, search[-1]) if others and self._inside.reach is None else rest
        search[0] = inputs.stopped(states)
        if not progress and prod(batch) <= AT_ONCE:
            result = self._result(self._solved(search, inputs.arrays, threads), rest)
        else:
            result = self._in_portions(search, inputs.arrays, batch, threads, rest, progress)
        if inputs.bad is not None:
            bad = inputs.in_batch(batch)
            result.q[bad], result.residual[bad] = np.broadcast_to(begun, result.q.shape)[bad], np.nan
            for values in (result.success, result.iterations, result.touching, result.cost):
                np.asarray(values)[bad] = 0
        return result

    def _plain_start(self, q0: Any) -> tuple[Array, Array] | None:
        """Return the state and q of a start that needs no conversion: none, or one inside all limits."""
        if q0 is None:
            return self._inside.template, self._inside.neutral
        state = self._quick.begin(q0) if getattr(q0, "ndim", 0) == 1 else None
        return None if state is None else (state, q0)

    def _begin(self, q0: Any) -> tuple[Array, Array, Array, Array]:
        """Return what `Inside.begin` does, at once where all starts are inside the limits."""
        states = None if q0 is None or self._problem.loose else self._quick.begin(q0)
        if states is None:
            return self._inside.begin(self._problem, q0)
        return states, self._inside.bounds_now, self._inside.begin_at, q0

    def _is_plain(self, targets: Sequence[Any]) -> bool:
        return are_plain(targets, self._check.inputs) and bool(self._check(*targets) <= SURELY)

    def _given(self, targets: Sequence[Any], at: Any) -> Sequence[Any]:
        """Return the inputs of a call: targets, and where joints stand if that is an input."""
        return with_standing(targets, at, self._check.inputs[len(self.goals) :])

    def _checked(self, targets: Sequence[Any]) -> Targets:
        return checked_targets(self.goals, self._postures, self._check, targets)

    def _solved(self, search: Sequence[Array], targets: Sequence[Array], threads: int = 1) -> Array:
        """Return the last states of a search: states, bounds, centers, q, and perhaps postures for solved ones."""
        found = searched(self, search[:4], targets, threads)
        for posture in search[4:]:
            n, begin = len(self._problem.columns), found.copy()
            begin[..., GOING], begin[..., STEPS] = 1.0, 0.0
            begin[..., HEAD : HEAD + n] = found[..., HEAD + n :]
            bounds, options = search[1:2] if self._problem.bounds else [], {} if threads == 1 else {"threads": threads}
            settled = self._settle(begin, *bounds, posture, *targets, **options)
            stays = (found[..., GOING] != 0) | in_contact(self, settled, search[3])
            found = np.where(stays[..., None], found, settled)
        return found

    @as_given_by(_in_single)
    def solutions(
        self,
        *targets: Any,
        most: int = FORMS,
        q0: Any = None,
        at: Any = None,
        starts: int = 64,
        apart: float | None = None,
        turns: bool = False,
    ) -> IKSolutions:
        """Return up to `most` different configurations for each target, the nearest to q0 (…, nq) first.

        Closed forms give all of an arm's solutions. Without one, descents begin at `starts` points, evenly spread
        inside the limits: an arm of six joints has a few solutions; one with more has infinitely many, of which these
        are some. Results closer together than `apart`, rad or m in every joint, whole turns aside, count as one; the
        default is 1e-3 for up to six joints, else 0.5.

        turns: whether to list each solution with all whole turns of its joints inside their ranges, too, where they
        have two ends: a joint from -350 to 350 deg has two values nearly everywhere. `most` then counts these.
        """
        self._refuse_soft("solutions")
        return (with_turns if turns else solutions)(self, self._given(targets, at), most, q0, starts, apart)

    @as_given
    def reachable(self, *targets: Any, at: Any = None, threads: int = 1) -> Array | bool:
        """Return whether targets can be reached inside the limits, (…,) of bool: `success` of a call without q0.

        A closed form decides where the arm has one, and the lengths of the links for a target that is too far away, in
        less time than a call. Else the search of a call does; "False" then means that it found no solution. Raises
        KinetreeError as a call does.
        """
        _check_threads(threads)
        self._refuse_soft("reachable")
        return reachable(self, self._given(targets, at), threads)

    @as_given_by(_in_single)
    def step(self, q: Any, *targets: Any, dt: float, restart: Any = None, at: Any = None) -> IKStep:
        """Return the next joint commands (…, nq), for dt seconds, on the way from q (…, nq) to the targets.

        One step of the search in which no joint, and no follower of it, exceeds its velocity limit; all joints are
        slowed alike, and joints without such limits take the whole step. From inside the limits it stays inside; from
        outside it goes towards the result of a step from the nearest configuration inside, no faster. So do the joints
        that the goals do not need: each goes back inside, and stays where it is once all are.
        restart (…, nq): a configuration to go to instead, in a straight line of the joints, as fast as they may; a line
        between configurations inside the limits stays inside. If a step is stuck, the way out is to go to another
        start, such as `ik(targets).q`, and to leave out `restart` from there.
        With `clearance` of `kt.ik`, a step that would end in contact, and nearer to it, goes along what is in the way,
        is shortened, or stuck.
        Raises KinetreeError as a call does, and for a dt that is not a finite number of seconds above 0.
        """
        self._refuse_soft("step")
        targets = tuple(self._given(targets, at))
        plain = self._stepper.plain(q, targets, dt, restart)
        if plain and (self.contact is None or not self.contact(plain.q)):
            return plain
        inputs = self._checked(targets)
        if self.contact is not None:
            return self._stepper.apart(self.contact, q, inputs, dt, restart)
        return self._stepper.step(q, inputs, dt, restart)

    @as_given_by(_in_single)
    def follow(
        self, *targets: Any, q0: Any, near: Any = 0.3, dt: Any = None, soft: Any = None, at: Any = None
    ) -> IKPath:
        """Return configurations along targets (n, …, *shape), each near the one before, the first near q0 (…, nq).

        near: how far joints may move from one sample to the next, as in a call. dt: the time between samples, s, in
        which no joint exceeds its velocity limit either. soft: m and rad by which a configuration may miss its target
        where none reaches it; otherwise a sequence stops there. at (n, …, nq of all joints): as in a call. Several
        sequences are followed together.
        """
        return follow(self, self._given(targets, at), q0, near, dt, soft)

    def derivatives(self, result: IKResult, *targets: Any) -> dict[str, Array]:
        """Return the derivatives of `result.q` of a call with these targets, by what they are by.

        By each target (…, nq, *shape), under its name, as in a dictionary of targets; by "posture" (…, nq, nq); and by
        the weights of soft goals (…, nq), under "weight of l_hand". A result moves as little as its goals require.
        Joints at limits stay if goals push them there. NaN without success, and where q does not reach these targets or
        is no minimum of the cost. Raises KinetreeError for a result that is not of such a call.

        Examples:
            >>> import kinetree as kt
            >>> rest = kt.goal.posture([0.0, 0.0], weight=1.0)
            >>> solve = kt.ik(kt.chain("tx(q1) ty(q2)"), [kt.goal.position("tip", weight=2.0), rest])
            >>> found = solve.derivatives(solve([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0])
            >>> found["tip"].round(3) + 0.0  # 4 parts of 5 are the target's
            array([[0.8, 0. , 0. ],
                   [0. , 0.8, 0. ]])
        """
        if self._problem.inputs:
            raise fail("at", "derivatives need a solver without at='input'; expected at=q of the joints that stand")
        if not isinstance(result, IKResult):
            raise fail("result", f"result is {type(result).__name__}; expected an IKResult, as a call returns it")
        q = checked_q(self.limits, np.asarray(result.q, dtype=float), "q of the result")
        checked, kind = self._checked([as_numpy(x, "a target") for x in targets]), kind_of([result.q])
        batch = common_batch(checked.batch, result=q)
        success = np.asarray(result.success) & ~checked.in_batch(batch)
        by = by_all(self, q, success, checked.arrays)
        shapes = [goal.shape for goal in self.goals]
        found = [x.reshape(*x.shape[:-1], *shape) for x, shape in zip(by, shapes, strict=False)]
        found += [*np.moveaxis(by[-1], -1, 0)]
        names = derivative_names(self.goals)
        return {name: kind.give_all(x) if kind else x for name, x in zip(names, found, strict=True)}

    def _refuse_soft(self, what: str) -> None:
        """Raise KinetreeError if there are soft goals."""
        if self._postures:
            raise fail("soft-goals", f"{what} is for hard goals; expected no goal with a weight")

    @property
    def _scale(self) -> float:
        """What converts a cost of the search to one with the weights of the goals."""
        return scale_of(self.goals) ** 2

    def _posture(self, prefer: Any) -> Array:
        """Return the posture of the joints that move, (…, n)."""
        if isinstance(prefer, str) and prefer == "middle":
            return self._inside.begin_at
        legal = f"'middle', or (…, {self._problem.nq}) finite numbers"
        if isinstance(prefer, str):
            raise fail("prefer", f"prefer is {prefer!r}; expected {legal}")
        wanted = numbers(prefer, "prefer", "prefer is", self.limits.coordinate_names)
        if wanted.shape[-1:] != (self._problem.nq,) or not np.isfinite(wanted).all():
            raise fail("prefer", f"prefer has shape {wanted.shape}; expected {legal}")
        return wanted[..., self._problem.columns]

    def _in_portions(
        self,
        search: Sequence[Array],
        targets: Sequence[Array],
        batch: tuple[int, ...],
        threads: int,
        rest: Array,
        progress: Progress,
    ) -> IKResult:
        count, portion = prod(batch), AT_ONCE * int(threads)
        flat = [
            np.broadcast_to(a, batch + a.shape[a.ndim - k :]).reshape(count, *a.shape[a.ndim - k :])
            for a, k in zip(targets, (len(port.shape) for port in self._check.inputs), strict=True)
        ]
        search = [np.broadcast_to(a, batch + a.shape[-1:]).reshape(count, a.shape[-1]) for a in search]
        found = np.array(search[0])
        found[:, GOING] = -1.0
        found[:, [LINEAR, ANGULAR]] = np.inf

        def answer() -> IKResult:
            return self._result(found.reshape(*batch, found.shape[-1]), rest)

        try:
            with reporting(progress):
                for start in tracked(range(0, count, portion), "solving", count, portion):
                    here = slice(start, start + portion)
                    found[here] = self._solved([a[here] for a in search], [a[here] for a in flat], threads)
        except KeyboardInterrupt:
            raise IKInterrupted(answer()) from None
        return answer()

    def _result(self, found: Array, rest: Array) -> IKResult:
        answer, nq = self._answer(found, rest), self._problem.nq
        limits, columns, contact = self.limits, self._problem.columns, self.contact
        if answer.ndim == 1:
            *_, missed, steps = answer[nq:].tolist()
            given = None if contact is None else (contact, np.asarray(missed == -TOUCHING))
            cost = found[COST] * self._scale if self._postures else 0.0
            return IKResult(answer[:nq], missed == 0.0, answer[nq : nq + 2], int(steps), limits, columns, given, cost)
        success, steps = answer[..., nq + 2] == 0, answer[..., nq + 3].astype(int)
        given = None if contact is None else (contact, answer[..., nq + 2] == -TOUCHING)
        cost = found[..., COST] * self._scale if self._postures else np.zeros(success.shape)
        return IKResult(answer[..., :nq], success, answer[..., nq : nq + 2], steps, limits, columns, given, cost)


def _check_threads(threads: Any) -> None:
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise fail("threads", f"threads is {threads!r}; expected whole numbers from 1")
