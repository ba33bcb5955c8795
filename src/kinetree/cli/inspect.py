"""`kinetree inspect`: the contents of a robot description."""

from __future__ import annotations

import click

from kinetree.cli._model import json_option, robot_argument
from kinetree.model.robot import Robot


@click.command()
@robot_argument
@click.option("--all", "everything", is_flag=True, help="Every link, frame, sensor and note, however many.")
@click.option("--joint-table", is_flag=True, help="Type, axis in the root's axes at zero, range and links of joints.")
@json_option
def command(robot: Robot, everything: bool, joint_table: bool, as_json: bool) -> None:
    """Print the contents of MODEL: its tree, joints, frames, sensors, masses, and notes on what was read."""
    if joint_table:
        from kinetree.cli._robot.joint_table import print_joint_table

        print_joint_table(robot, everything=everything, as_json=as_json)
    elif as_json:
        from kinetree.cli._json import print_json
        from kinetree.cli._robot.json import robot_json

        print_json(robot_json(robot))
    else:
        from kinetree.cli._page import print_page
        from kinetree.cli._robot.page import robot_page

        print_page(robot_page(robot, everything=everything))
