"""Control boards of the iCub family: their axes, and how to infer a family from the structure of a model."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinetree.arguments import explain_type_errors
from kinetree.errors import fail, unknown_name, wrong_type
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
        raise fail("family", f"family is {family!r}; expected one of {', '.join(map(repr, known))}")
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


def board_joints(robot: Robot, board: str, *, family: Family | None = None) -> tuple[str, ...]:
    """Return the names of the axes of a board, in its order, also of those that the model does not have.

    family and errors: as in `from_board`.

    Examples:
        >>> import kinetree as kt
        >>> icub = kt.load("icub")
        >>> kt.icub.board_joints(icub, "torso")
        ('torso_yaw', 'torso_roll', 'torso_pitch')
        >>> [name for name in icub.joint_names if "torso" in name]  # the model's order is another
        ['torso_pitch', 'torso_roll', 'torso_yaw']
    """
    return board_of(robot, board, family).axes


@explain_type_errors
def groups(family: Family) -> dict[str, tuple[str, ...]]:
    """Return the joints of each board of a family, in its order, for a model with eyes and without hands; both pans
    are in the place of version and vergence."""
    known = boards_of(family)
    fingers = {axis for board in known.values() for axis in board.fingers}
    pans = [names[0] for names in boards().eyes.pans]
    return {name: _joints((axis for axis in b.axes if axis not in fingers), pans) for name, b in known.items()}


def with_groups(robot: Robot, *, family: Family | None = None) -> Robot:
    """Return the robot with the boards as its groups: the joints of each, in its order, with coordinates in the model.

    A board without any joint in the model makes no group; other groups stay. family and errors: as in `from_board`.

    Examples:
        >>> import kinetree as kt
        >>> model = kt.chain([{"joint": "neck_pitch", "axis": [0, -1, 0]}, {"joint": "neck_yaw", "axis": [0, 0, 1]}])
        >>> dict(kt.icub.with_groups(model).groups)
        {'head': ('neck_pitch', 'neck_yaw'), 'all_joints': ('neck_pitch', 'neck_yaw')}
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
