"""Poses of joints and frames as numbers: those of a robot, and as an input of its kernels (the option `origins`)."""

from collections.abc import Iterable
from copy import copy

from kinetree.arguments import as_names, explain_type_errors
from kinetree.compiler.port import Port
from kinetree.errors import fail, unknown_name
from kinetree.model.edit.origins import COLUMNS, named_poses, row_of
from kinetree.model.robot import Robot
from kinetree.queries.query import fixed_input, memoise, origin_input
from kinetree.spatial.se3 import Array

Origins = bool | str | Iterable[str]
"""False for the poses of the robot, True for all as an input, or the names of joints and frames that are an input."""


@explain_type_errors
def origins(robot: Robot, names: bool | str | Iterable[str] = True) -> dict[str, Array]:
    """Return the poses of joints and frames by name, each as six numbers (6,): x y z in m, rx ry rz in rad.

    They are `Joint.origin` in the parent link, and `Frame.origin` in the link of a frame; rx ry rz is the rotation
    vector, the unit vector of the axis times the angle, up to pi. Kernels with `origins=` take this mapping, and
    `kt.edit.set_origins` writes it to a robot.

    names: of some joints and frames, in this order; by default all joints in the order of `robot.placed`, then all
    frames but those of links and those without a known place. Raises KinetreeError for other names, for one that occurs
    twice, and for one that a joint and a frame share.

    Examples:
        >>> import kinetree as kt
        >>> arm = kt.chain("Rz(q1) tx(0.4) Ry(q2) tx(0.3)")
        >>> origins = kt.kinematics.origins(arm)
        >>> list(origins)
        ['q1', 'q2', 'tip']
        >>> origins["q2"]  # x y z, m; rx ry rz, rad
        array([0.4, 0. , 0. , 0. , 0. , 0. ])
    """
    poses = named_poses(robot)
    return {name: row_of(poses[name]) for name in _checked(robot, names)}


def with_origins(robot: Robot, names: Origins, whole: Robot) -> Robot:
    """Return the robot, whose kernels have the poses of these joints and frames as an input; itself for False. whole:
    the robot in which all joints move."""
    if not isinstance(robot, Robot) or names is False:
        return robot
    rows = _checked(whole, names)

    def made() -> Robot:
        twin = copy(robot)  # because the results of queries are remembered for each robot
        memoise(twin, fixed_input, lambda: fixed_input(robot))
        about = f"of {', '.join(rows)}, in their parent links; m, rotation vectors in rad"
        memoise(twin, origin_input, lambda: Port("origins", (len(rows), 6), COLUMNS, about, rows))
        return twin

    return memoise(robot, ("origins", rows), made)


def _checked(robot: Robot, names: Origins) -> tuple[str, ...]:
    poses = memoise(robot, "names of origins", lambda: tuple(named_poses(robot)))
    if names is True:
        rows = poses
    elif names is False:
        raise fail("origins", "origins is False; expected True, or names of joints and frames")
    else:
        rows = as_names(names)
    for name in rows:
        if name not in poses:
            if name in robot.links:
                joint = robot.parent_joint(name)
                what = f"link that joint {joint.name!r} carries" if joint else "root link, which nothing carries"
                raise fail("origins", f"{name!r} is the {what}; expected names of joints and of other frames")
            raise unknown_name("joint or frame", name, [*poses])
    twice = sorted({name for name in rows if rows.count(name) > 1})
    if twice or not rows:
        why = f"names {', '.join(map(repr, twice))} twice" if twice else "names nothing"
        raise fail("origins", f"origins={names!r} {why}; expected different names of joints and frames")
    return rows
