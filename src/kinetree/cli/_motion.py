"""What commands read of and say about motions: limits of rates and payloads, and what is outside of limits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click
import numpy as np

from kinetree.cli._findings import print_findings
from kinetree.cli._help import Decorator, option
from kinetree.cli._model import assignments, by_name, values_of
from kinetree.cli._say import remark, say
from kinetree.display import number as as_text
from kinetree.errors import fail
from kinetree.logs import Motion
from kinetree.model.robot import Robot
from kinetree.solvers.limits.report import Violation, units
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import number
from kinetree.trajectories.bounds import Bounds

FEW = 8
"""Most coordinates without a column that are listed by name."""


def limit_option(name: str, units: str) -> Decorator:
    """Return the option of a limit of rates or torques, whose value is as `kt.motion.check` takes it."""
    forms = "a number for all joints, JOINT=NUMBER, or none"
    help = f"Largest {name} of joints, {units}: {forms}.  [default: the model's] Repeatable."
    return option(f"--{name} LIMIT", help, callback=_limit)


def in_rad(robot: Robot, limit: Bounds, in_degrees: bool) -> Bounds:
    """Return a limit of rates whose angles are in rad, from one in degrees."""
    if not in_degrees or not isinstance(limit, (float, Mapping)):
        return limit
    turns = [one for name in robot.joint_names for one in robot.joints[name].kind.velocity_angular]
    angular = dict(zip(robot.velocity_names, turns, strict=True))
    angular |= {name: one.kind.angular[0] for name, one in robot.joints.items() if one.mimic and one.kind.single}
    named = limit if isinstance(limit, Mapping) else dict.fromkeys(robot.velocity_names, limit)
    parts = {name: [one for one in angular if one.startswith(f"{name}.")] or [name] for name in named}
    return {one: np.deg2rad(x) if angular.get(one) else x for name, x in named.items() for one in parts[name]}


def _limit(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> Any:
    if not texts or texts in (("model",), ("none",)):
        return texts != ("none",)
    named = by_name(ctx, param, texts) if len(texts) > 1 or "=" in texts[0] else {"": texts[0]}
    values = {name: number(text) or 0.0 for name, text in named.items()}
    if bad := [named[name] for name, value in values.items() if not value > 0]:
        raise click.BadParameter(f"{bad[0]!r} is no number above 0", ctx, param)
    return values.get("", values)


payload_option = assignments(
    "--payload", "payload", "FRAME=KG", "Carry a mass at the origin of a frame, such as tip=2."
)


def masses(payload: dict[str, str]) -> dict[str, float]:
    """Return the values of --payload as `kt.motion.check` takes them. Raises KinetreeError for those that are none."""
    found = {name: values_of(name, text, "--payload") for name, text in payload.items()}
    for name, values in found.items():
        if len(values) != 1 or values[0] < 0:
            raise fail("payload", f"{payload[name]!r} is no mass; expected kg from 0", element=f"--payload {name}")
    return {name: values[0] for name, values in found.items()}


def report_motion(robot: Robot, motion: Motion, file: Path, missing: bool = False, placed: Sequence[str] = ()) -> None:
    """Print the notes of a motion, and if `missing` the coordinates that neither it nor `placed` has, to the error
    stream."""
    print_findings(motion.notes)
    still = [name for name in robot.coordinate_names if name not in (*motion.names, *placed)]
    if missing and still:
        which = ", ".join(still) if len(still) <= FEW else f"{len(still)} of {robot.nq} coordinates"
        remark(f"{file}: without a column, and staying as they are: {which}")


def print_violations(
    robot: Robot, file: Path, found: Sequence[Violation], times: Array | None, samples: int, unit: Literal["rad", "deg"]
) -> None:
    """Print when, by which limit and by how much a motion leaves the limits. file: that of the motion."""
    from kinetree.logs.read import is_bag

    kinds = dict(zip(robot.limits.names, units(robot), strict=True))
    for violation in found:
        when = " to ".join(_when(i, times) for i in dict.fromkeys((violation.first, violation.last)))
        in_degrees = unit == "deg" and kinds[violation.limit] == "rad"
        depth = np.rad2deg(violation.depth) if in_degrees else violation.depth
        by = f"{as_text(depth, 6)} {'deg' if in_degrees else kinds[violation.limit]}"
        say(f"{when}: outside of {violation.limit}, by {by} at {_when(violation.worst, times)}")
    turned = [v for v in found if v.depth > 2 * np.pi and kinds[v.limit] == "rad"]
    if turned and unit == "rad" and not is_bag(file):
        remark("are the angles in degrees? then add --deg")
    say(f"samples: {samples}, " + (f"stretches outside of a limit: {len(found)}" if found else "all inside"))


def _when(sample: int, times: Array | None) -> str:
    return f"sample {sample}" if times is None else f"t = {times[sample]:g}"
