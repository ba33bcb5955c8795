"""Control boards of the iCub family: how to infer a family from the structure of a model, and the values of boards, in
their own order and in degrees, to q and back."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.arguments import explained
from kinetree.display import brief
from kinetree.errors import KinetreeError, fail, unknown_name, wrong_type
from kinetree.labels import by_name
from kinetree.model.edit import set_groups
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array, frozen

Family = Literal["icub", "icub3", "ergocub"]


class Board(NamedTuple):
    """axes: all of them, in order. counts: how many may be given, from the first. fingers: the axes of a hand."""

    axes: tuple[str, ...]
    counts: tuple[int, ...]
    fingers: tuple[str, ...] = ()


class Eyes(NamedTuple):
    """axes = matrix (2, 2) @ pans; pans: of the left and of the right eye, each with all of its names in models."""

    axes: tuple[str, ...]
    matrix: Array
    pans: tuple[tuple[str, ...], ...]


class Boards(NamedTuple):
    """Data of boards.toml. torsos: the joints of each family's torso, in order from the hips to the chest. robots:
    those with known limits, to their families. other_names: of axes, to the usual ones."""

    families: Mapping[Family, Mapping[str, Board]]
    torsos: Mapping[Family, tuple[str, ...]]
    robots: Mapping[str, Family]
    eyes: Eyes
    other_names: Mapping[str, str]


@cache
def boards() -> Boards:
    """Return the control boards of all families."""
    import tomllib  # with the next, a good part of the cost of importing kinetree
    from importlib.resources import files

    data = tomllib.loads(files(__package__).joinpath("boards.toml").read_text("utf-8"))
    families: dict[Family, dict[str, Board]] = {row["name"]: {} for row in data["family"]}
    for row in data["board"]:
        first, eyes, fingers = (tuple(row.get(part, ())) for part in ("axes", "eyes", "fingers"))
        axes = (*first, *eyes, *fingers)
        counts = (len(axes), len(first)) if len(axes) > len(first) else (len(axes),)
        for family in row["families"]:
            families[family][row["name"]] = Board(axes, counts, fingers)
    for row in data["all_joints"]:
        for family in row["families"]:
            axes = tuple(axis for name, count in row["of"].items() for axis in families[family][name].axes[:count])
            families[family]["all_joints"] = Board(axes, (len(axes),))
    said = data["eyes"]
    return Boards(
        families,
        {row["name"]: tuple(row["torso"]) for row in data["family"]},
        {robot: row["name"] for row in data["family"] for robot in row.get("robots", ())},
        Eyes(tuple(said["axes"]), frozen(np.array(said["matrix"])), tuple(map(tuple, said["pans"]))),
        data["other_names"],
    )


def boards_of(family: Family) -> Mapping[str, Board]:
    """Return the boards of a family by name."""
    known = boards().families
    if family not in known:
        raise fail("family", f"family is {family!r}; legal are {', '.join(map(repr, known))}")
    return known[family]


def board_of(robot: Robot, board: str, family: Family | None = None) -> Board:
    """Return the board of that name on a robot.

    family: overrules the structure of the model. Raises KinetreeError for an unknown board, an ambiguous family, and a
    robot without any joint of a board.
    """
    possible = families(robot)
    candidates = possible if family is None else (family,)
    tables = [boards_of(candidate) for candidate in candidates]
    if board not in list(tables[0]):
        raise unknown_name("board", board, list(tables[0]))
    found = [table[board] for table in tables]
    if any(other != found[0] for other in found):
        said = ", ".join(repr(candidate) for candidate in candidates)
        message = "differs from family to family, and the structure of this model does not tell its family"
        raise fail("family", message, element=f"board {board!r}", fix=f"say family=…, one of {said}")
    return found[0]


def families(robot: Robot) -> tuple[Family, ...]:
    """Return the families that agree with the structure of a model, or all if none does.

    The structure is the order of the joints of its torso, and joints that not every family has. Raises KinetreeError
    for a robot that has no joint of any board.
    """
    if not isinstance(robot, Robot):
        message = f"a control board is one of a robot that `kinetree.load` gives, not of a {type(robot).__name__}"
        raise wrong_type("robot", message)
    if robot not in _told:
        _told[robot] = _families(robot)
    return _told[robot]


_told: WeakKeyDictionary[Robot, tuple[Family, ...]] = WeakKeyDictionary()


def is_icub(robot: Robot) -> bool:
    """Return whether the robot has a joint of a control board of the iCub's families."""
    return any(name in axes for axes in _axes().values() for name in robot.joints)


def _families(robot: Robot) -> tuple[Family, ...]:
    if not is_icub(robot):
        raise fail("not-an-icub", "has no joint of a control board of the iCub", element=f"robot {robot.name!r}")
    order, torsos = _torso_of(robot), boards().torsos
    agreeing = tuple(
        family
        for family in families_with(robot.joints)
        # a model whose root is the chest or above has its torso upside down
        if _in_order(order, torsos[family]) or _in_order(order, torsos[family][::-1])
    )
    return agreeing or tuple(torsos)


def families_with(names: Iterable[str]) -> tuple[Family, ...]:
    """Return the families whose boards have all of these axes; names that are on no board are ignored."""
    axes = _axes()
    telling = set(names) & set().union(*axes.values())
    return tuple(family for family in axes if telling <= axes[family])


@cache
def _axes() -> dict[Family, set[str]]:
    return {name: {axis for board in own.values() for axis in board.axes} for name, own in boards().families.items()}


def _torso_of(robot: Robot) -> tuple[str, ...]:
    """Return the joints of the torso from the root outwards; () if they are not all on one path."""
    names = {name for torso in boards().torsos.values() for name in torso if name in robot.joints}
    ways = [[joint.name for joint in robot.joints_to(robot.joints[name].child)] for name in names]
    longest = max((tuple(joint for joint in way if joint in names) for way in ways), key=len, default=())
    return longest if len(longest) == len(names) else ()


def _in_order(names: Iterable[str], order: Sequence[str]) -> bool:
    places = [order.index(name) for name in names]
    return places == sorted(places)


def is_coordinate(robot: Robot, name: str) -> bool:
    """Return whether the model has that joint with its own coordinate. Raises KinetreeError if not one angle."""
    joint = robot.joints.get(name)
    if joint is None or not joint.coordinated:
        return False
    if joint.kind.angular != (True,):
        raise fail("joint-type", f"is {joint.type}; on a control board it is one angle", element=f"joint {name!r}")
    return True


def eye_pans(robot: Robot) -> tuple[str, ...]:
    """Return the joints that pan the left and the right eye, or () if the model does not move both."""
    found = [[name for name in names if is_coordinate(robot, name)] for names in boards().eyes.pans]
    return tuple(names[0] for names in found) if all(found) else ()


Unit = Literal["deg", "rad"]

_UNSAID: Any = None
"""Default of `unit`, so that leaving it out is refused with the legal values."""


class BoardReading(NamedTuple):
    """q (…, nq) in the robot's own order and units; absent: the given entries that the model does not have."""

    q: Array
    absent: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self)


class BoardValues(NamedTuple):
    """values (…, n) in the order of the board; absent: the entries that the model does not have, which are NaN."""

    values: Array
    absent: tuple[str, ...]

    def __repr__(self) -> str:
        return brief(self)


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
        message = f"q has shape {configuration.shape}; legal is (…, {robot.nq}), in this order: {names}"
        raise fail("q-shape", message)
    if not np.isfinite(configuration).all():
        raise fail("number", "q is not all finite")
    return configuration


def _wrong_count(board: str, found: Board, got: str) -> Exception:
    legal = " numbers or the first ".join(map(str, found.counts)) + (" numbers" if len(found.counts) == 1 else "")
    message = f"takes {legal}, got {got}; in this order: {', '.join(found.axes)}"
    return fail("count", message, element=f"board {board!r}")
