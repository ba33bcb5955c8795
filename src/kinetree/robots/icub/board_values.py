"""Values of the iCub's control boards, in their own order and in degrees, to q and back."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.display import brief
from kinetree.errors import KinetreeError, fail
from kinetree.labels import by_name
from kinetree.model.robot import Robot
from kinetree.robots.icub.boards import Board, Family, board_of, boards, eye_pans, is_coordinate
from kinetree.spatial.se3 import Array

Unit = Literal["deg", "rad"]

_UNSAID: Any = None
"""Default of `unit`, so that leaving it out is refused with the legal values."""


class BoardReading(NamedTuple):
    """Configuration of a robot from the values of a board.

    q (…, nq): in the robot's own order and units. absent: names of the given entries that the model does not have.
    """

    q: Array
    absent: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self)


class BoardValues(NamedTuple):
    """Values of a board for a configuration of a robot.

    values (…, n): in the order of the board. absent: names of the entries that the model does not have, which are NaN.
    """

    values: Array
    absent: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self)


@explain_type_errors
def from_board(
    robot: Robot, board: str, values: Any, *, unit: Unit = _UNSAID, q: Any = None, family: Family | None = None
) -> BoardReading:
    """Return the values of a control board as a configuration of the robot.

    values: (…, n) in the order of `board_joints`: all of the board's, or the first 7 of an arm or 3 of a head.
    unit: "deg", the unit of the boards, or "rad"; it is required.
    q: (…, nq) in metres and radians, for the other joints; neutral by default. It broadcasts with values.
    family: "icub" (1 and 2), "icub3" or "ergocub"; by default it follows from the structure of the model.

    `absent` names the entries that the model does not have, such as fingers or a neck that is fixed; their values may
    be NaN. Version and vergence of the eyes are a linear map of their pans. Raises KinetreeError for an unknown board,
    a wrong count, numbers that are not finite, a missing unit, and an ambiguous family. Source: boards.toml.

    Examples:
        >>> import numpy as np
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> q, absent = kt.icub.from_board(icub, "torso", [10, 0, 20], unit="deg")  # yaw, roll, pitch
        >>> np.rad2deg(q[icub.q_slices["torso_yaw"]]).round(6)
        array([10.])
    """
    _check_unit(unit)
    found = board_of(robot, board, family)
    numbers = _board_values(found, values)
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
        raise fail("q-shape", f"{shapes} do not broadcast; expected batches that do") from None
    full = np.broadcast_to(others, (*batch, robot.nq)).copy()
    full[..., plan.columns] = (np.deg2rad(given) if unit == "deg" else given) @ plan.inverse.T
    return BoardReading(full, plan.absent)


@explain_type_errors
def to_board(
    robot: Robot, board: str, q: Any, *, unit: Unit = _UNSAID, count: int | None = None, family: Family | None = None
) -> BoardValues:
    """Return a configuration q (…, nq), in metres and radians, as values (…, n) of a control board.

    unit: "deg", the unit of the boards, or "rad"; it is required.
    count: n, how many axes from the first, as in `from_board`; all by default.
    family: as in `from_board`.

    Entries that the model does not have are NaN, and `absent` names them. Raises KinetreeError as `from_board` does.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> q = icub.q(torso_yaw=10, torso_pitch=20, unit="deg")
        >>> values, absent = kt.icub.to_board(icub, "torso", q, unit="deg")
        >>> values.round(6)  # yaw, roll, pitch
        array([10.,  0., 20.])
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
        raise fail("unit", f"unit {said}; expected 'deg', as control boards speak, or 'rad'")


def _board_values(board: Board, values: Any) -> Array:
    """Return values as an array; those with names are all of the board's axes, or as many as `counts` allows."""
    for count in board.counts[:-1]:
        with suppress(KinetreeError):
            return _floats(values, "values", board.axes[:count])
    return _floats(values, "values", board.axes[: board.counts[-1]])


def _floats(numbers: Any, name: str, labels: Sequence[str]) -> Array:
    numbers = by_name(numbers, labels, name)
    try:
        return np.asarray(numbers, dtype=float)
    except (TypeError, ValueError):
        raise fail("number", f"{name}: this is no array of numbers") from None


def _configuration(robot: Robot, q: Any) -> Array:
    configuration = _floats(q, "q", robot.coordinate_names)
    if configuration.ndim == 0 or configuration.shape[-1] != robot.nq:
        names = ", ".join(robot.coordinate_names)
        message = f"q has shape {configuration.shape}; expected (…, {robot.nq}), in this order: {names}"
        raise fail("q-shape", message)
    if not np.isfinite(configuration).all():
        raise fail("number", "q is not all finite")
    return configuration


def _wrong_count(board: str, found: Board, got: str) -> Exception:
    legal = " numbers or the first ".join(map(str, found.counts)) + (" numbers" if len(found.counts) == 1 else "")
    message = f"takes {legal}, got {got}; in this order: {', '.join(found.axes)}"
    return fail("count", message, element=f"board {board!r}")
