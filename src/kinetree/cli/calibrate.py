"""`kinetree calibrate MODEL POSES.csv`: do a model and a controller agree?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.model.robot import Robot


@click.command()
@robot_argument
@click.argument("file", metavar="POSES.csv", type=click.Path(path_type=Path))
@click.option("--vendor", required=True, metavar="KEY", help="Whose controller: abb, fanuc, kuka, universal_robots, …")
@click.option("--robot-model", default="", metavar="NAME", help="Whose coupling of joints holds; by default MODEL's.")
@click.option("--base", default="base", show_default=True, help="MODEL's name of the controller's frame.")
@click.option("--tool0", default="tool0", show_default=True, help="MODEL's name of the tool of zeros.")
@click.option("--base-link", default="base_link", show_default=True, help="MODEL's name of the robot's foot.")
@click.option("--flange", default="flange", show_default=True, help="MODEL's name of the flange.")
@json_option
def command(
    robot: Robot,
    file: Path,
    vendor: str,
    robot_model: str,
    base: str,
    tool0: str,
    base_link: str,
    flange: str,
    as_json: bool,
) -> None:
    """Do MODEL and a controller agree, and if not, what must base, tool0 and the signs of joints be?

    POSES.csv has a line a pose, under names: the joints (deg, mm) as MODEL or the controller names them or J1, J2, …,
    from base to tool0, then the numbers of the pose, or one column `pose` as the pendant writes it. Exit status 0 if
    they agree, 1 if not, 2 if something cannot be read.
    """
    from kinetree.cli._poses import read_poses
    from kinetree.queries.controllers import of
    from kinetree.solvers.calibrate import calibrate
    from kinetree.solvers.calibrate_arm import arm

    who = of(vendor)
    found = arm(robot, (base, tool0), (base_link, flange))
    joints, poses, converted = read_poses(file, who, found.joints, found.turning)
    result = calibrate(
        robot, who, joints, poses, robot_model, base=base, tool0=tool0, base_link=base_link, flange=flange
    )
    for note in converted:
        print(f"note: {note}", file=sys.stderr)
    if as_json:
        print_json(result)
    else:
        print(result)
    sys.exit(0 if result.agrees else 1)
