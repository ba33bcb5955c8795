"""Control boards of the iCub family: their values, in their own order and in degrees, to q and back."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.arguments import explained
from kinetree.errors import fail
from kinetree.model.edit import set_groups
from kinetree.model.robot import Robot
from kinetree.robots.icub.families import Board, Family, board_of, boards, boards_of, eye_pans, families, is_coordinate
from kinetree.spatial.se3 import Array

Unit = Literal["deg", "rad"]

_UNSAID: Any = None
"""Default of `unit`, so that leaving it out is refused with the legal values."""


class BoardReading(NamedTuple):
    """q (…, nq) in the robot's own order and units; absent: the given entries that the model does not have."""

    q: Array
    absent: tuple[str, ...]


class BoardValues(NamedTuple):
    """values (…, n) in the order of the board; absent: the entries that the model does not have, which are NaN."""

    values: Array
    absent: tuple[str, ...]


@explained
def from_board(
    robot: Robot, board: str, values: Any, *, unit: Unit = _UNSAID, q: Any = None, family: Family | None = None
) -> BoardReading:
    """Return the values of a control board as a configuration of the robot.

    values: (…, n) in the order of `board_joints`: all of the board's, or the first 7 of an arm or 3 of a head.
    unit: "deg", the unit of the boards, or "rad"; it is required.
    q: (…, nq) in metres and radians, for the other joints; neutral by default. It broadcasts with values.
    family: "icub" (1 and 2), "icub3" or "ergocub"; by default it follows from the structure of the model.

    Entries that the model does not have, such as fingers, or a neck that is fixed, are named in `absent`, and may be
    NaN. Version and vergence of the eyes are a linear map of their pans. Raises KinetreeError for an unknown board, a
    wrong count, numbers that are not finite, a missing unit, and an ambiguous family. Source: boards.toml.
    """
    _check_unit(unit)
    found = board_of(robot, board, family)
    numbers = _floats(values, "values")
    if numbers.ndim == 0 or numbers.shape[-1] not in found.counts:
        raise _wrong_count(board, found, f"an array of shape {numbers.shape}")
    plan = _plan(robot, found.axes[: numbers.shape[-1]])
    given = numbers[..., plan.present]
    if not np.isfinite(given).all() or np.isinf(numbers).any():
        raise fail("number", "values are not all finite", element=f"board {board!r}")
    others = robot.q() if q is None else _configuration(robot, q)
    try:
        batch = np.broadcast_shapes(numbers.shape[:-1], others.shape[:-1])
    except ValueError:
        shapes = f"values {numbers.shape} and q {others.shape}"
        raise fail("q-shape", f"{shapes} do not broadcast; legal are batches that do") from None
    full = np.broadcast_to(others, (*batch, robot.nq)).copy()
    full[..., plan.columns] = (np.deg2rad(given) if unit == "deg" else given) @ plan.inverse.T
    return BoardReading(full, plan.absent)


@explained
def to_board(
    robot: Robot,
    board: str,
    q: Any,
    *,
    unit: Unit = _UNSAID,
    count: int | None = None,
    family: Family | None = None,
) -> BoardValues:
    """Return a configuration q (…, nq), in metres and radians, as values (…, n) of a control board.

    unit: "deg", the unit of the boards, or "rad"; it is required. count: n, as `from_board` takes it; all by default.
    family: as in `from_board`. Entries that the model does not have are NaN and named in `absent`; errors as there.
    """
    _check_unit(unit)
    found = board_of(robot, board, family)
    count = len(found.axes) if count is None else count
    if not isinstance(count, int) or count not in found.counts:
        raise _wrong_count(board, found, f"count={count!r}")
    configuration = _configuration(robot, q)
    plan = _plan(robot, found.axes[:count])
    values = np.full((*configuration.shape[:-1], count), np.nan)
    angles = configuration[..., plan.columns] @ plan.matrix.T
    values[..., plan.present] = np.rad2deg(angles) if unit == "deg" else angles
    return BoardValues(values, plan.absent)


def board_joints(robot: Robot, board: str, *, family: Family | None = None) -> tuple[str, ...]:
    """Return the axes of a board in its order, absent ones too; `family` and errors as in `from_board`."""
    return board_of(robot, board, family).axes


@explained
def groups(family: Family) -> dict[str, tuple[str, ...]]:
    """Return the joints of each board of a family, in its order, for a model with eyes and without hands; both pans
    are in the place of version and vergence."""
    known = boards_of(family)
    fingers = {axis for board in known.values() for axis in board.fingers}
    pans = [names[0] for names in boards().eyes.pans]
    return {name: _joints((axis for axis in b.axes if axis not in fingers), pans) for name, b in known.items()}


def with_groups(robot: Robot, *, family: Family | None = None) -> Robot:
    """Return the robot with the boards as its groups: the joints of each, in its order, with coordinates in the model.

    A board without any joint in the model makes no group; other groups stay. `family` and errors as in `from_board`.
    """
    candidates = families(robot) if family is None else (family,)
    made = dict(robot.groups)
    for board in boards_of("icub"):  # the names are those of all families
        found = {_group(robot, boards_of(candidate)[board]) for candidate in candidates}
        joints = found.pop() if len(found) == 1 else _group(robot, board_of(robot, board, family))
        if joints:
            made[board] = joints
    return set_groups(robot, made)


def _group(robot: Robot, board: Board) -> tuple[str, ...]:
    return tuple(name for name in _joints(board.axes, eye_pans(robot)) if is_coordinate(robot, name))


def _joints(axes: Iterable[str], pans: Sequence[str]) -> tuple[str, ...]:
    """Return the joints of the axes, both pans in the place of version."""
    version, vergence = boards().eyes.axes
    joints = {axis: pans if axis == version else (axis,) for axis in axes if axis != vergence}
    return tuple(name for names in joints.values() for name in names)


class _Plan(NamedTuple):
    """values[present] = matrix @ q[columns]; the other values are absent. matrix and its inverse are (k, k)."""

    present: list[int]
    columns: list[int]
    matrix: Array
    inverse: Array
    absent: tuple[str, ...]


_plans: WeakKeyDictionary[Robot, dict[tuple[str, ...], _Plan]] = WeakKeyDictionary()


def _plan(robot: Robot, axes: tuple[str, ...]) -> _Plan:
    plans = _plans.setdefault(robot, {})
    if axes not in plans:
        plans[axes] = _planned(robot, axes)
    return plans[axes]


def _planned(robot: Robot, axes: tuple[str, ...]) -> _Plan:
    eyes, pans = boards().eyes, eye_pans(robot)
    rows: dict[str, dict[str, float]] = {}
    for axis in axes:
        if is_coordinate(robot, axis):
            rows[axis] = {axis: 1.0}
        elif axis in eyes.axes and pans:
            rows[axis] = dict(zip(pans, eyes.matrix[eyes.axes.index(axis)].tolist(), strict=True))
    joints = list(dict.fromkeys(name for row in rows.values() for name in row))
    matrix = np.array([[row.get(name, 0.0) for name in joints] for row in rows.values()]).reshape(
        len(rows), len(joints)
    )
    slices = robot.q_slices
    return _Plan(
        [i for i, axis in enumerate(axes) if axis in rows],
        [slices[name].start for name in joints],
        matrix,
        np.linalg.inv(matrix),
        tuple(axis for axis in axes if axis not in rows),
    )


def _check_unit(unit: Any) -> None:
    if unit not in ("deg", "rad"):
        said = "is missing" if unit is _UNSAID else f"is {unit!r}"
        raise fail("unit", f"unit {said}; legal are 'deg', as control boards speak, and 'rad'")


def _floats(numbers: Any, name: str) -> Array:
    try:
        return np.asarray(numbers, dtype=float)
    except (TypeError, ValueError):
        raise fail("number", f"{name}: this is no array of numbers") from None


def _configuration(robot: Robot, q: Any) -> Array:
    configuration = _floats(q, "q")
    if configuration.ndim == 0 or configuration.shape[-1] != robot.nq:
        names = ", ".join(robot.coordinate_names)
        message = f"q has shape {configuration.shape}; legal is (…, {robot.nq}), in this order: {names}"
        raise fail("q-shape", message)
    if not np.isfinite(configuration).all():
        raise fail("number", "q is not all finite")
    return configuration


def _wrong_count(board: str, found: Board, got: str) -> Exception:
    legal = " numbers or the first ".join(map(str, found.counts)) + (" numbers" if len(found.counts) == 1 else "")
    message = f"takes {legal}, got {got}; in this order: {', '.join(found.axes)}"
    return fail("count", message, element=f"board {board!r}")
