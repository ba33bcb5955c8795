"""Sets of limits of the iCub's shoulders: tendons, iKin's, the firmware's box."""

from collections.abc import Iterable
from importlib.resources import files

from kinetree.errors import fail
from kinetree.model.edit.coupled_limits import add_limits, clear_limits, remove_limits
from kinetree.model.limits import LinearLimits
from kinetree.model.robot import Robot
from kinetree.robots.icub.boards import families

SETS = {
    "firmware": ("firmware",),
    "tendons": ("firmware", "tendons"),
    "ikin": ("firmware", "ikin", "ikin torso", "ikin abduction", "ikin forearm"),
}
"""Names of sets to their tables in tendons.toml, for both arms."""

SINCE_3 = ("ikin torso", "ikin abduction", "ikin forearm")
"""Tables that are valid for iCub 3 too; it has no such tendons."""


def text() -> bytes:
    """Return the text of tendons.toml, a file of limits."""
    return files(__package__).joinpath("tendons.toml").read_bytes()


def with_tendons(robot: Robot, name: str, tables: Iterable[LinearLimits]) -> Robot:
    """Return the robot with a set of SETS instead of all limits of these sets on its shoulders.

    tables: those of tendons.toml. An iCub 3 gets only the rows of iKin that are valid for every version, a robot with
    one arm only those of that arm. Raises KinetreeError for a robot without all joints of an arm, and for firmware or
    tendons of an iCub 3 or an ergoCub.
    """
    wanted = SETS[name]
    if "icub" not in families(robot):
        wanted = tuple(table for table in wanted if table in SINCE_3)
        if not wanted:
            message = f"{name!r} is of the shoulders of iCub 1 and 2"
            raise fail("family", message, element=f"robot {robot.name!r}")
    tables = tuple(tables)
    chosen = [table for table in tables if table.name.partition(" ")[2] in wanted]
    sides = {table.name.partition(" ")[0] for table in chosen if set(table.joints) & set(robot.joints)}
    chosen = [table for table in chosen if not sides or table.name.partition(" ")[0] in sides]
    robot = remove_limits(robot, {row for table in tables for row in table.row_names})
    if "firmware" in wanted:
        box = {joint for table in chosen if table.name.endswith("firmware") for joint in table.joints}
        robot = clear_limits(robot, box & set(robot.joints))
    return add_limits(robot, chosen)
