"""`kinetree move`: a motion of a frame to poses, timed and checked."""

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
import numpy as np

from kinetree.checker.job import CheckReport
from kinetree.checker.report import report
from kinetree.cli._controllers import Text, lines_of, placed_at, print_notes, tool_options
from kinetree.cli._findings import terminal_width, worded, write_lines
from kinetree.cli._help import FILE, LENGTH, TIME, kinetree_command, option
from kinetree.cli._model import configuration, joint_values, json_option, robot_argument
from kinetree.cli._motion import in_rad, limit_option, masses, payload_option
from kinetree.cli._output import check_new, check_no_input, force_option, print_json
from kinetree.cli._pendant import robot_model
from kinetree.cli._say import remark, say
from kinetree.cli._solutions import MOST, usable, with_configuration
from kinetree.cli._targets import Target, Targets, targets_of
from kinetree.controllers.text import TEXT, point_list
from kinetree.display import number
from kinetree.errors import Finding, Findings, KinetreeError, UnverifiedWarning, fail
from kinetree.files.output import write_whole
from kinetree.logs import Motion, write_motion
from kinetree.logs.read import WRITERS, is_bag
from kinetree.model.edit.frames import add_frame
from kinetree.model.robot import Robot
from kinetree.queries.motion import fk
from kinetree.solvers.ik.make import ik
from kinetree.spatial.se3 import Array, homogeneous
from kinetree.trajectories.bounds import Bounds
from kinetree.trajectories.check import check
from kinetree.trajectories.limiting import Reached, reached
from kinetree.trajectories.line import poses
from kinetree.trajectories.path import Path as Way
from kinetree.trajectories.retime import Options, retime
from kinetree.trajectories.through import through
from kinetree.trajectories.ways import straight

OFF = 1e-3
"""Distance from the line that is a warning, m."""
SAME = 1e-6
"""Difference of poses that are the same, m and 1: a file rounds them."""
LIKELY = ("path", "retime", "configuration")
"""Codes of errors about a motion that the robot cannot make."""


@kinetree_command(
    "Compute", 'kinetree move arm.urdf --frame tool0 --to "0.3 0 0.6" --acceleration 5', hides=("inertias",)
)
@robot_argument
@option("--frame FRAME", "Frame to move.  [default with --controller: tool0]")
@option("--base FRAME", "Frame of the poses.  [default: the root link; with --controller: base]")
@option(
    "--to POSE",
    "Pose at the end: x y z (m), and roll pitch yaw (rad), qx qy qz qw, or nothing (any; with --line as before).",
)
@option("--through POSES", "Go through the poses in this file, one a line.", "file", type=FILE)
@option("--line", "Move the frame in straight lines.  [default: straight in the joints]")
@joint_values(others="The motion begins there; without --q, --through begins at its first pose.")
@option("--controller KEY", "Read poses, and joints in --q, as the pendant of this controller, such as kuka; or ros.")
@robot_model
@tool_options
@limit_option("velocity", "rad/s (with --deg deg/s) or m/s")
@limit_option("acceleration", "rad/s² (with --deg deg/s²) or m/s²")
@option(
    "--speed",
    "Largest speed of the frame or active tool, m/s, such as 0.25.",
    type=click.FloatRange(min=0, min_open=True),
)
@option("--torque", "Keep the limits of torque (effort) of the model, too.")
@payload_option
@option("--period TIME", "Time from sample to sample, s, or such as 10ms.", type=TIME, default=0.01)
@option("--clearance LENGTH", "Report links nearer than this, m, or such as 5mm.", type=LENGTH, default=0.0)
@option("--deg", "Read poses, --q, --velocity and --acceleration, and write the motion in degrees.", "in_degrees")
@option(
    "-o, --output FILE",
    "Write the motion to FILE.csv, FILE.mcap (ROS 2), or with --controller its poses to FILE.txt, or .dat …",
    type=FILE,
)
@force_option
@json_option
def command(
    robot: Robot,
    frame: str | None,
    base: str | None,
    to: str | None,
    file: Path | None,
    line: bool,
    values: dict[str, str],
    in_degrees: bool,
    clearance: float,
    period: float,
    output: Path | None,
    force: bool,
    as_json: bool,
    velocity: Bounds,
    acceleration: Bounds,
    speed: float | None,
    torque: bool,
    payload: dict[str, str],
    **pendant: Any,
) -> None:
    """Make the fastest motion of a frame to poses, and check it.

    Nothing is planned around obstacles. The frame goes to each pose with the joints in a straight line, or with --line
    itself; it stops at each pose. With --controller, a configuration in a pose, such as S 2, T 35 of KUKA, is kept.

    Printed are the duration, the limits that are reached, and what `kinetree motion check` finds. Exit status 0 if
    there are no errors or warnings, 1 if there are some or the frame cannot go there, 2 if something cannot be read."""
    if (to is None) == (file is None):
        raise click.UsageError("expected either --to POSE or --through FILE")
    if output is not None:
        check_new(output, force)
        check_no_input(str(output), [str(file or ""), robot.source.file if robot.source else ""])
    texts = lines_of(file) if file else [Text(to or "", "--to")]
    if not texts:
        raise fail("pose", f"{file} has no poses; expected one a line")
    asked = targets_of(robot, texts, frame, base, in_degrees, **pendant)
    if output is not None:
        _check_ending(asked, output)
    place = asked.arm.configuration if asked.arm else partial(configuration, robot)
    q0 = place(values, in_degrees) if values or len(texts) == 1 else None
    if q0 is not None and not values:
        remark("the motion begins at the neutral configuration; --q says another")
    carried = masses(payload)
    velocity, acceleration = (in_rad(robot, one, in_degrees) for one in (velocity, acceleration))
    robot, tip = (robot, asked.frame) if speed is None else _with_tool(robot, asked)
    speeds = None if speed is None else {tip: speed}
    options = Options(velocity, acceleration, torque, carried if torque else None, speeds)
    try:
        path = _path(robot, asked, q0, line)
        motion = retime(path, **options._asdict(), period=period)
    except KinetreeError as error:
        (fault,) = error.findings
        if fault.code not in LIKELY or (fault.fix or "").startswith("pass "):
            raise
        _finish(None, [], Findings([fault]), as_json)
    limits: dict[str, Any] = {"velocity": velocity, "acceleration": acceleration}
    findings = check(motion, **limits, payload=carried, clearance=clearance, frame=asked.frame if line else None)
    between = "between samples the frame is up to {} mm off the line, if joints move straight there"
    missed, off_line = "a pose that was given is {} mm off the nearest sample", line and _off_the_line(motion, asked)
    for said, off in ((between, off_line), (missed, _missed(motion, asked))):
        if off > OFF:
            message = said.format(number(1e3 * off))
            findings = Findings([*findings, Finding("motion-line", "warning", message, fix="a shorter --period")])
    if output is not None:
        _write(asked, motion, output, in_degrees)
        as_model = asked.arm and asked.arm.pendant.coupled and output.suffix.lower() in WRITERS
        whose = ", joints as in the model, not as on the pendant" if as_model else ""
        remark(f"wrote {output}: {len(motion.q)} samples{whose}")
    _finish(motion, reached(motion, options), findings, as_json)


def _with_tool(robot: Robot, asked: Targets) -> tuple[Robot, str]:
    """Return the robot with a frame of the active tool, whose speed is limited, and the name of this frame."""
    if np.array_equal(asked.active.tool, np.eye(4)):
        return robot, asked.frame
    name = "active tool"
    while name in robot.frames:
        name += "_"
    return add_frame(robot, name, asked.frame, asked.active.tool), name


def _off_the_line(motion: Motion, asked: Targets) -> float:
    """Return how far the frame is off the way between two samples, m, where joints go straight to the next one."""
    assert motion.robot is not None
    place = fk(motion.robot, asked.frame, asked.base)
    p, middle = place(motion.q)[:, :3, 3], place((motion.q[1:] + motion.q[:-1]) / 2)[:, :3, 3]
    way = p[1:] - p[:-1]
    along = ((middle - p[:-1]) * way).sum(axis=1) / np.maximum((way * way).sum(axis=1), 1e-30)
    return float(np.linalg.norm(middle - p[:-1] - along[:, None] * way, axis=1).max(initial=0.0))


def _missed(motion: Motion, asked: Targets) -> float:
    """Return how far the targets are off the nearest sample at most, m."""
    assert motion.robot is not None
    p = fk(motion.robot, asked.frame, asked.base)(motion.q)[:, :3, 3]
    targets = [one.value if one.value.ndim == 1 else one.value[:3, 3] for one in asked.targets]
    return max(float(np.linalg.norm(p - target, axis=1).min()) for target in targets)


def _check_ending(asked: Targets, output: Path) -> None:
    """Raise KinetreeError for a file whose ending is not known."""
    legal = [*WRITERS, *([TEXT, *asked.who.points] if asked.who else [])]
    if output.suffix.lower() not in legal:
        more = "" if asked.who else f"; a list of points, such as {TEXT}, is for --controller KEY of one maker"
        message = f"cannot write a motion to {output.name!r}; expected the ending {' or '.join(legal)}{more}"
        raise fail("format", message)


def _write(asked: Targets, motion: Motion, output: Path, in_degrees: bool) -> None:
    """Write a motion, or its poses as a controller writes them, with its tool and user frame."""
    if output.suffix.lower() in WRITERS:
        write_motion(motion, output, unit="deg" if in_degrees and not is_bag(output) else "rad")
        return
    who, arm = asked.who, asked.arm
    assert who is not None
    assert motion.robot is not None
    with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):  # the command has printed it
        values = who.from_pose(asked.active.shown(fk(motion.robot, asked.frame, asked.base)(motion.q)))
    configurations = [arm.configuration_at(q) if arm else "" for q in motion.q]
    if any(configurations):
        print_notes([f"the configuration is not verified: {one}" for one in who.configuration.unverified])
    write_whole(output, point_list(who, values, configurations, output.suffix.lower(), output.stem))


def _path(robot: Robot, asked: Targets, q0: Array | None, line: bool) -> Way:
    """Return the path from q0 (nq,) to each target, or without q0 from the first to the others; straight in the joints,
    or straight lines of the frame."""
    place = fk(robot, asked.frame, asked.base)
    targets = [one._replace(configuration=usable(asked.arm, one.configuration)) for one in asked.targets]
    q = [_solution(robot, asked, targets.pop(0), robot.q())] if q0 is None else [q0]
    T, ends = [np.asarray(place(q[0]))], list[tuple[int, Target]]()
    for one in targets:
        pose = one.value if one.value.ndim == 2 else homogeneous(T[-1][:3, :3], one.value)
        if np.abs(pose - T[-1]).max() < SAME and (line or _has(asked, one, q[-1])):
            remark(f"{one.text.source or one.text.element}: left out, because the frame is there already")
        else:
            q += [] if line else [_solution(robot, asked, one, q[-1])]
            T.append(pose if line else np.asarray(place(q[-1])))
        ends.append((len(T) - 1, one))
    if len(T) == 1:
        raise fail("path", "the frame is at each of the poses already; expected one elsewhere")
    if not line:
        return through(robot, np.array(q), degree=1)
    path, s = poses(robot, asked.frame, T, q[0], asked.base), straight(np.array(T)).s
    for i, one in ends:
        if asked.arm and not _has(asked, one, at := path(s[i])):
            message = f"the line arrives in the configuration {asked.arm.configuration_at(at)!r}"
            fix = "a line keeps its branch: begin it in another one, by --q, leave the configuration out, or --line"
            raise placed_at(one.text, fail("configuration", f"{message}, not in {one.configuration!r}", fix=fix))
    return path


def _has(asked: Targets, target: Target, q: Array) -> bool:
    """Return whether an arm at q (nq,) has the configuration of a target, or the target none."""
    return not (target.configuration and asked.arm) or bool(asked.arm.has(q[None], target.configuration)[0])


def _solution(robot: Robot, asked: Targets, target: Target, q: Array) -> Array:
    """Return a solution for a target near q (nq,), with its configuration if it has one."""
    T, wanted = target.value, target.configuration
    solver = ik(robot, asked.frame, asked.base, goal="pose" if T.ndim == 2 else "position")
    try:
        if wanted and asked.arm:
            every = solver.solutions(T, q0=q, most=MOST, turns=True)
            if len(many := with_configuration(asked.arm, every.q[every.mask], wanted)):
                return np.asarray(many[0])
    except KinetreeError as error:
        raise placed_at(target.text, error) from None
    result = solver(T, q0=q)
    if not result.success:
        metres, angle = map(number, result.residual.tolist())
        message = f"the pose is not reached: the closest configuration is {metres} m and {angle} rad off"
        raise placed_at(target.text, fail("path", message, element=target.text.element))
    return np.asarray(result.q)


def _finish(motion: Motion | None, limits: Sequence[Reached], findings: Findings, as_json: bool) -> NoReturn:
    """Print how long a motion takes, what limits it, and what is wrong with it, and exit."""
    findings = Findings(worded(findings, click.get_current_context().meta["kinetree.flags"]))
    duration = None if motion is None or motion.times is None else float(motion.times[-1])
    if as_json:
        rows = [{"limit": one.what, "joint": one.name, "share": one.share, "first": one.first} for one in limits]
        print_json({"duration": duration, "reached": rows, "findings": findings})
    else:
        if duration is not None:
            say(f"duration: {number(duration, 4)} s")
        for one in limits:
            say(f"  {one.what} of {one.name}: {one.share:.0%} of the time, first at {number(one.first)} s")
        lines = report("pretty", [CheckReport("motion", tuple(findings))], terminal_width(sys.stdout), show_all=True)
        write_lines(lines, sys.stdout)
    sys.exit(int(any(one.severity != "info" for one in findings)))
