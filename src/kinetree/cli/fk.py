"""`kinetree fk`: poses of frames."""

from __future__ import annotations

import click
import numpy as np

from kinetree.cli._json import print_json
from kinetree.cli._model import assignments, configuration, json_option, robot_argument
from kinetree.errors import fail
from kinetree.model.robot import Robot
from kinetree.queries import fk
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array


@click.command()
@robot_argument
@click.argument("frames", nargs=-1, required=True, metavar="FRAME...")
@click.option("--base", metavar="FRAME", help="The frame in which poses are expressed; by default the root link.")
@assignments(
    "--q", "values", "JOINT=VALUE", "A joint's coordinate (m, rad), or several as 1,2,3; the others stay neutral."
)
@click.option("--deg", "in_degrees", is_flag=True, help="Angles in degrees, in --q and in the printed rpy.")
@json_option
def command(
    robot: Robot,
    frames: tuple[str, ...],
    base: str | None,
    values: dict[str, str],
    in_degrees: bool,
    as_json: bool,
) -> None:
    """Print the pose of each FRAME of MODEL in another frame."""
    q = configuration(robot, values, in_degrees)
    poses = fk(robot, frames, base).interpret(q)  # one configuration is not worth compiling
    if not np.isfinite(poses).all():
        raise fail("overflow", "the poses are not finite; legal are coordinates that keep them so", element="--q")
    base = base or robot.root
    if as_json:
        named = [{"frame": frame, **_parts(T)} for frame, T in zip(frames, poses, strict=True)]
        print_json({"base": base, "q": dict(zip(robot.coordinate_names, q.tolist(), strict=True)), "poses": named})
        return
    for frame, T in zip(frames, poses, strict=True):
        print(_text(frame, base, T, in_degrees))


def _parts(T: Array) -> dict[str, object]:
    """A pose in the forms that people use; metres and radians."""
    R = T[:3, :3]
    rpy = se3.rpy_from_rotation(R)
    return {"T": T, "xyz": T[:3, 3], "rpy": rpy, "quat_xyzw": se3.quaternion_from_rotation(R)}


def _text(frame: str, base: str, T: Array, in_degrees: bool) -> str:
    rpy = np.array(se3.rpy_from_rotation(T[:3, :3]))
    unit, rpy = ("deg", np.rad2deg(rpy)) if in_degrees else ("rad", rpy)
    rows = [
        ("xyz (m)", T[:3, 3]),
        (f"rpy ({unit})", rpy),
        ("quat_xyzw", se3.quaternion_from_rotation(T[:3, :3])),
    ]
    return "\n".join(
        [
            f"{frame} in {base}",
            *(f"  {_row(row)}" for row in T),
            *(f"  {name:<10}{_row(values)}" for name, values in rows),
        ]
    )


def _row(values: Array) -> str:
    return " ".join(f"{round(float(x), 9) + 0.0:14.9f}" for x in values)
