"""All solutions of a target for `kinetree ik`, and the one with a wanted configuration."""

from typing import Any

import numpy as np

from kinetree.cli._controllers import print_notes
from kinetree.cli._pendant import CommandArm
from kinetree.cli._say import say
from kinetree.display import counted, number, some
from kinetree.errors import fail
from kinetree.model.limits import limits_about
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

MOST = 64
"""Largest number of solutions, whole turns included."""


def usable(arm: CommandArm | None, wanted: str) -> str:
    """Return a configuration of a pose, or "" if the arm has none, and print notes about it."""
    reason = arm.no_configuration if arm else "no arm leads to the frame"
    if wanted and reason:
        print_notes([f"the configuration {wanted!r} is left out, because {reason}"])
    elif wanted and arm:
        form = arm.pendant.who.configuration
        print_notes([f"the configuration is not verified: {one}" for one in form.unverified])
    return "" if reason else wanted


def with_configuration(arm: CommandArm, q: Array, wanted: str, option: str | None = None) -> Array:
    """Return those of q (k, nq) that have a configuration. Raises KinetreeError, about an option, if there are none of
    several."""
    chosen = q[arm.has(q, wanted)]
    if len(q) and not len(chosen):
        others = some(dict.fromkeys(arm.configuration_at(one) for one in q))
        message = f"no solution inside the limits has the configuration {wanted!r}; there are {others}"
        raise fail("configuration", message, element=option, fix="leave it out of the pose, or correct it")
    return chosen


def rows(robot: Robot, solver: Any, arm: CommandArm | None, q: Array, frame: str, base: str | None) -> list[Any]:
    """Return for each of q (k, nq) what --json has of it: joints, configuration, smallest margin to a limit, rad or m,
    with its name, and Yoshikawa's manipulability."""
    from kinetree.queries.motion import manipulability

    columns = [robot.coordinate_names.index(name) for name in solver.coordinate_names]
    about = np.flatnonzero(limits_about(robot.limits, columns))
    margins, measures = np.asarray(robot.limits.margin(q))[:, about], manipulability(robot, frame, base)(q)
    found = []
    for one, own, w in zip(q, margins, measures, strict=True):
        least = int(np.argmin(own)) if len(about) else None
        limit = {"limit": robot.limits.names[about[least]], "value": float(own[least])} if least is not None else None
        joints = arm.data(one) if arm else {"q": dict(zip(robot.coordinate_names, one.tolist(), strict=True))}
        found.append({**joints, "margin": limit, "manipulability": float(w)})
    return found


def print_all(robot: Robot, solver: Any, found: list[Any], in_degrees: bool) -> None:
    """Print the solutions that `rows` returns, each with its joints: of the pendant if there is one, else of MODEL."""
    from kinetree.solvers.limits.report import units

    kinds = dict(zip(robot.limits.names, units(robot), strict=True))

    def value(x: float, kind: str) -> str:
        turned = in_degrees and kind == "rad"
        return f"{number(round(np.rad2deg(x) if turned else x, 6), 6)} {'deg' if turned else kind}".rstrip()

    say(counted(len(found), "solution"))
    for i, row in enumerate(found, 1):
        limit, w = row["margin"], number(row["manipulability"], 4)
        margin = [f"{value(limit['value'], kinds[limit['limit']])} inside {limit['limit']}"] if limit else []
        say(f"{i}: {', '.join([*filter(None, [row.get('configuration')]), *margin, f'manipulability {w}'])}")
        own = [f"{name} {value(row['q'][name], kinds[f'{name} lower'])}" for name in solver.coordinate_names]
        shown = [f"{name} {number(round(x, 3), 6)}" for name, x in row.get("joints", {}).items()]
        say(f"  {', '.join(shown or own)}")
