"""Output of `kinetree inspect --joint-table`, in degrees and metres, and as JSON in SI units."""

from math import degrees

from kinetree.cli._json import print_json
from kinetree.cli._page import Section, print_page
from kinetree.cli._robot.json import SCHEMA
from kinetree.cli._robot.page import short
from kinetree.model.robot import Robot
from kinetree.queries.joint_table import JointTableRow, joint_table


def print_joint_table(robot: Robot, *, everything: bool, as_json: bool) -> None:
    """Print the moving joints and the fixed joints that sensors measure, or with everything=True all joints. JSON has
    all joints."""
    rows = joint_table(robot)
    if as_json:
        print_json(
            {"schema": SCHEMA, "robot": robot.name, "root": robot.root, "joints": [row._asdict() for row in rows]}
        )
        return
    measured = {sensor.joint for sensor in robot.sensors.values()}
    shown = [row for row in rows if everything or row.axis is not None or row.joint in measured]
    columns = ("<joint", "<type", ">x", ">y", ">z", ">from", ">to", "<unit", "parent, child")
    remark = f"axes in {robot.root}, all joints at zero"
    left = len({row.joint for row in rows}) - len({row.joint for row in shown})
    remark += f"; --all adds {left} fixed" if left else ""
    print_page([Section(f"Joints of {robot.name}", columns, [_cells(row) for row in shown], remark)])


def _cells(row: JointTableRow) -> tuple[str, ...]:
    numbers, unit = ["-"] * 5, ""
    if row.axis is not None and row.lower is not None and row.upper is not None:
        unit = "deg" if row.unit == "rad" else "m"
        numbers = [f"{round(float(x), 3) + 0.0:g}" for x in row.axis]
        numbers += [short(degrees(end) if unit == "deg" else end) for end in (row.lower, row.upper)]
    return row.joint, row.type, *numbers, unit, f"{row.parent}, {row.child}"
