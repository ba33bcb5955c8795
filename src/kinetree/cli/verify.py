"""`kinetree verify MODEL LOG`: what is wrong with a model, by a log of the real robot."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import numpy as np

from kinetree.cli._controllers import active, arm_options, notes as unverified, print_notes, single, tool_options
from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, argument, kinetree_command, option
from kinetree.cli._model import configuration, joint_values, json_option, robot_argument
from kinetree.cli._motion import report_motion
from kinetree.cli._output import check_new, check_no_input, force_option, plain, print_json
from kinetree.cli._say import remark, say, say_text
from kinetree.display import counted, some
from kinetree.errors import Finding, UnverifiedWarning, fail, unknown_name
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

if TYPE_CHECKING:
    from kinetree.fixer.fix import FixResult
    from kinetree.lab.identify.answer import ModelFault, Verification
    from kinetree.logs import Motion
    from kinetree.logs.poses import Log
NO_POSES = "has no columns of poses, such as tool0.x, or of torques, such as elbow.effort"
FIX = "name a frame with --pose FRAME, or also its file with --pose FRAME=FILE"


class Given(NamedTuple):
    """Configurations q (n, nq), with poses {frame: T (n, 4, 4)} in the root link, or torques (n, nv) and times, or
    readings of sensors by their names."""

    q: Array
    poses: dict[str, Array] | None
    effort: Array | None = None
    t: Array | None = None
    imu: dict[str, Array] | None = None
    wrenches: dict[str, Array] | None = None


class Repaired(NamedTuple):
    """Edits of the model's file, the faults that are left with the reason, and the verification after them."""

    fixed: FixResult
    left: list[tuple[ModelFault, str]]
    after: Verification


@kinetree_command("Compare", "kinetree verify arm.urdf log.csv --pose tool0=T.csv --unknown base")
@robot_argument
@argument("file", "Joint values (CSV, or a bag of ROS 2), and columns of poses as tool0.x.", metavar="LOG", type=FILE)
@option(
    "--pose FRAME[=FILE]",
    "Frame whose poses were measured, and their file, or topic or frame of /tf. Repeatable.",
    "pose",
    multiple=True,
)
@option(
    "--sensor NAME=TOPIC",
    "Sensor, frame or joint of a topic, or of columns, of readings, or none. Repeatable.",
    "sensor",
    multiple=True,
)
@option("--joint-states TOPIC", "Topic of joint states, if LOG has several.", "joints")
@option("--unknown", "Pose that is not known: of the root link, or of the tool. Repeatable.", type=["base", "tool"])
@joint_values(others="Joints without a column stay neutral.")
@option("--deg", "Read angles in --q, LOG and FILE in degrees.", "in_degrees")
@option("--controller KEY", "Controller that showed joints and poses: abb, kuka, …; LOG is as for calibrate.")
@arm_options
@tool_options
@option("--fix", "Correct what the log shows for certain in the file of MODEL.")
@option("--diff", "Print what --fix would change, and write nothing.")
@option("--plot FILE", "Draw the errors over time into a .png, .svg or .pdf file.", type=FILE)
@force_option
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    robot: Robot,
    file: Path,
    pose: tuple[str, ...],
    sensor: tuple[str, ...],
    joints: str | None,
    unknown: tuple[str, ...],
    values: dict[str, str],
    in_degrees: bool,
    controller: str | None,
    fix: bool,
    diff: bool,
    plot: Path | None,
    force: bool,
    as_json: bool,
    **of_controller: Any,
) -> None:
    """Print what is wrong with a model, by a log of the real robot.

    LOG has a line for each sample, with joint values under the names of joints (rad, m), and poses of a frame in
    columns tool0.x, tool0.y, tool0.z (m), alone or with tool0.qx to tool0.qw, or tool0.roll, tool0.pitch and tool0.yaw.
    Poses in a file of their own are matched by time. Columns such as elbow.effort have torques (N m, N); they need
    times. In a bag, efforts of joint states are torques, Imu and WrenchStamped are readings of the sensor or joint that
    their frame_id names, and --pose names a topic of poses or a frame of /tf. With --controller, LOG has the numbers of
    a pendant.

    Faults are zeros, lengths and poses of joints, and signs, order and units; by torques, masses, centres, inertias,
    friction, armature, gravity and scales. --fix writes those of the model that the log shows for certain into a file
    of URDF, xacro, SDF, MJCF or DH parameters, in which nothing else changes.

    Exit status 0 if the model agrees, or --fix has made it agree; 1 if not, if LOG cannot show it, or if --diff shows
    changes; 2 if something cannot be read."""
    from kinetree.lab.identify.verification import verify

    if plot:
        check_new(plot, force)
        check_no_input(str(plot), [str(file), *([robot.source.file] if robot.source else [])])
    elif force:
        raise click.UsageError("--force is for --plot FILE")
    if controller and (pose or values or in_degrees):
        raise click.UsageError("--controller reads joints and poses in its own units; leave out --pose, --q and --deg")
    used = [name for name in of_controller if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE]
    if used and not controller:
        raise click.UsageError(f"--{used[0].replace('_', '-')} goes with --controller")
    if controller:
        log = _of_pendant(robot, file, controller, **of_controller)
    else:
        log = _of_columns(robot, file, configuration(robot, values, in_degrees), ctx.params)
    found = verify(robot, **log._asdict(), unknown=unknown)
    if plot:
        from kinetree.files.output import write_whole
        from kinetree.viewing.verification_figure import verification_figure

        write_whole(plot, verification_figure(found, plot.suffix))
    if not (as_json or diff):
        say_text(str(found))
    repaired = _repaired(robot, log, found, unknown, ctx) if fix or diff else None
    if repaired and not diff:
        from kinetree.fixer.fix import write

        write(repaired.fixed)
    if as_json:
        print_json(_as_data(found, repaired))
    elif repaired:
        _print(repaired, diff)
    agrees_now = repaired and not diff and repaired.after.agrees
    sys.exit(0 if found.agrees or agrees_now else 1)


def _of_columns(robot: Robot, file: Path, at: Array, options: dict[str, Any]) -> Given:
    """Return a log with columns of joints, and poses beside them, in a file of their own, or of a topic of the bag."""
    from kinetree.logs import filled
    from kinetree.logs.poses import read_log
    from kinetree.logs.ros.measured import SENSED, legal_poses

    log = read_log(robot, file, unit="deg" if options["in_degrees"] else "rad", joints=options["joints"])
    motion, measured, effort, bag, readings = log
    asked = dict(_frame(robot, one) for one in options["pose"])
    if options["sensor"] and (asked or not (bag or readings)):
        raise click.UsageError("--sensor is for bags and columns such as tool0.force.x, without --pose")
    report_motion(robot, motion, file, missing=True)
    if asked and (readings or (bag and any(one.type in SENSED for one in bag.topics.values()))):
        remark(f"{file}: readings of sensors are not used beside --pose; leave it out to use them")
    q = filled(robot, motion, at)
    if asked and (bag or any(asked.values())):
        return _at_poses(robot, file, log, q, asked, options)
    if (bag or readings) and not asked and (given_readings := _with_sensors(robot, file, log, q, options["sensor"])):
        return given_readings
    if effort is not None and not (asked or measured):
        return _with_torques(robot, file, log, q)
    torques = {"effort": effort, "t": _times(file, motion)} if effort is not None else {"t": motion.times}
    frames = [*(asked or measured)]
    if not frames or not measured.keys() >= {*frames}:
        has, fix = f"has poses of {', '.join(measured)}" if measured else NO_POSES, FIX
        if bag:
            others = [n for n, one in bag.topics.items() if one.type == bag.topic.type and n != bag.topic.name]
            has = f"has no efforts in topic {bag.topic.name}"
            fix = legal_poses(robot, bag.topics) + (f"; others for --joint-states are {some(others)}" if others else "")
        raise fail("poses", f"{file} {has}", fix=fix)
    return Given(q, {frame: measured[frame].T for frame in frames}, **torques)


def _frame(robot: Robot, given: str) -> tuple[str, str]:
    """Return a frame, and the file, topic or frame of /tf that has its poses, or ""."""
    frame, _, where = (given, "", "") if given in robot.frames else given.partition("=")
    if frame not in robot.frames:
        raise unknown_name("frame", frame, [*robot.frames])
    return frame, where


def _at_poses(robot: Robot, file: Path, log: Log, q: Array, asked: dict[str, str], options: dict[str, Any]) -> Given:
    """Return configurations at the times of poses of frames, in files of their own, or in topics or frames of the bag;
    of several frames at those of the first."""
    from kinetree.logs.poses import at_poses, at_times, poses_in_bag, read_poses

    notes, found, times, known = dict[str, Finding | None](), dict[str, Array](), None, np.zeros(0, dtype=bool)
    for frame, where in asked.items():
        if log.recording and not Path(where or ".").is_file():
            poses, where, note = poses_in_bag(robot, log.recording, where or None)
            notes[note.message if note else ""] = note
        elif where or frame not in log.poses:
            poses = read_poses(robot, Path(where), frame, unit="deg" if options["in_degrees"] else "rad")
        else:
            poses, where = log.poses[frame], str(file)
        own, T, t = at_poses(log.motion, q, poses, (str(file), where))
        if len(T) < len(poses.T):
            lost = counted(len(poses.T) - len(T), "pose")
            remark(f"{where}: {lost} outside the times of {file}, or in its gaps, left out")
        if not found:
            at, times, known = own, t, np.ones(len(T), dtype=bool)
        elif times is not None:
            T, near = at_times(poses, times)
            known &= near
        found[frame] = T
    if len(notes) > 1:
        raise fail("poses", f"poses of {', '.join(asked)} are in different frames; expected those in one")
    print_findings([one for one in notes.values() if one and "base" not in options["unknown"]])
    if not known.all():
        remark(f"{counted(int((~known).sum()), 'pose')} of {next(iter(asked))} without those of other frames left out")
    if log.effort is not None:
        remark(f"{file}: torques are not used beside poses of another file or topic; leave out --pose to check them")
    return Given(at[known], {frame: T[known] for frame, T in found.items()}, t=None if times is None else times[known])


def _with_torques(robot: Robot, file: Path, log: Log, q: Array) -> Given:
    """Return the samples of a log that have torques of all joints that ever have some."""
    times, effort = _times(file, log.motion), np.asarray(log.effort)
    has = np.flatnonzero(np.isfinite(effort).any(axis=0))
    kept = np.isfinite(effort[:, has]).all(axis=1)
    if log.recording:
        left = "" if kept.all() else f"; {counted(int((~kept).sum()), 'sample')} without them left out"
        what = f"efforts of topic {log.recording.topic.name} are taken as N m (N)"
        remark(f"{file}: {what}, of {some(robot.velocity_names[i] for i in has)}{left}")
    return Given(q[kept], None, effort[kept], times[kept])


def _with_sensors(robot: Robot, file: Path, log: Log, q: Array, asked: tuple[str, ...]) -> Given | None:
    """Return the samples of a log that have readings of all sensors, and of all torques, or None without sensors."""
    from kinetree.logs.poses import bound
    from kinetree.logs.ros.measured import sensed

    if asked == ("none",):
        return None
    if bad := [one for one in asked if "=" not in one]:
        raise fail(
            "sensor", f"--sensor is {bad[0]!r}; expected NAME=TOPIC, of a sensor, frame or joint, NAME=COLUMNS, or none"
        )
    by_name, bag = dict(one.split("=", 1) for one in asked), log.recording
    if bag:
        readings, kept, notes = sensed(robot, bag.topics, by_name, bag.stamps)
        print_findings(notes)
    else:
        readings, kept = bound(log.readings, by_name), np.ones(len(q), dtype=bool)
    if not readings:
        return None
    effort = log.effort
    if effort is not None:
        kept &= np.isfinite(effort[:, np.isfinite(effort).any(axis=0)]).all(axis=1)
    names = some(name for sensors in readings.values() for name in sensors)
    left = "" if kept.all() else f"; {counted(int((~kept).sum()), 'sample')} without all of them left out"
    remark(f"{file}: readings of {names} are used{' with torques' if effort is not None else ''}{left}")
    parts = {kind: {name: y[kept] for name, y in sensors.items()} for kind, sensors in readings.items()}
    poses = {frame: one.T[kept] for frame, one in log.poses.items()} or None
    times = _times(file, log.motion, "readings")[kept]
    return Given(q[kept], poses, None if effort is None else effort[kept], times, **parts)


def _times(file: Path, motion: Motion, what: str = "torques") -> Array:
    if motion.times is None:
        raise fail("effort", f"{file} has {what} without times, of which rates of joints follow", fix="add a column t")
    return motion.times


def _of_pendant(
    robot: Robot,
    file: Path,
    controller: str,
    *,
    robot_model: str,
    base: str,
    tool0: str,
    tool: str | None,
    user_frame: str | None,
) -> Given:
    """Return a log of the numbers that a pendant shows, as `kinetree calibrate` reads them."""
    from kinetree.cli._poses import read_poses
    from kinetree.lab.calibrate.arm import arm
    from kinetree.queries.motion import fk
    from kinetree.queries.pendant import check_frames, coupling, of

    who = of(single(controller))
    check_frames(robot, who, base=base, tool0=tool0, options=("--base", "--tool0"))
    found = arm(robot, (base, tool0), ("base_link", "flange"))
    used, remarks = active(who.key, tool, user_frame, robot, base, tool0)
    C, doubts = coupling(robot, who, robot_model, found.turning, warns=False)
    print_findings(doubts)
    with warnings.catch_warnings(action="ignore", category=UnverifiedWarning):  # `unverified` has a note
        shown, posed, converted = read_poses(file, who, found.joints, found.turning)
        T = used.of_tool0(who.to_pose(posed))
    print_notes((*unverified(who.key), *remarks, *converted))
    (q,) = found.configurations(shown, (C * np.where(found.turning, np.pi / 180, 1e-3)[:, None])[None])
    return Given(q, {tool0: np.asarray(fk(robot, base)(q) @ T)})


def _repaired(robot: Robot, log: Given, found: Verification, unknown: tuple[str, ...], ctx: click.Context) -> Repaired:
    """Return the repair of the model's file. Raises KinetreeError if it is not a text that can be edited."""
    from kinetree.fixer.rewritten import rewritten
    from kinetree.lab.identify.correct import certain, corrected
    from kinetree.lab.identify.verification import verify

    if robot.source is None or not Path(robot.source.file).is_file():
        raise fail("fix", "the model is not a file; convert it to one first")
    faults, left = tuple(map(certain, found.faults)), corrected(robot, found.faults)[1]
    after = verify(corrected(robot, faults)[0], **log._asdict(), unknown=unknown)
    if faults != found.faults and not after.agrees:  # numbers that are zero alone may not be zero together
        faults = found.faults
        after = verify(corrected(robot, faults)[0], **log._asdict(), unknown=unknown)
    read, shown = ctx.meta["kinetree.read"], ctx.params["diff"]
    fixed = rewritten(robot.source.file, read, lambda one: corrected(one, faults)[0], included=shown)
    return Repaired(fixed, left, after)


def _as_data(found: Verification, repaired: Repaired | None) -> dict[str, Any]:
    from kinetree.cli._diff import diff_lines

    data: dict[str, Any] = {"agrees": found.agrees, **plain(replace(found, residuals={}))}
    del data["residuals"]  # a number for each sample; --plot draws them
    if repaired:
        data["left"] = [{"fault": fault, "because": why} for fault, why in repaired.left]
        data["corrected"] = {"agrees": repaired.after.agrees, **plain(replace(repaired.after, residuals={}))}
        del data["corrected"]["residuals"]
        data["diff"] = "".join(diff_lines(repaired.fixed))
    return data


def _print(repaired: Repaired, diff: bool) -> None:
    from kinetree.checker.report._paths import as_shown
    from kinetree.cli._diff import print_diff

    if diff:
        print_diff(repaired.fixed)
    for fault, why in repaired.left:
        remark(f"not corrected: the {fault.kind} of {fault.element}: {why}")
    verdict = str(repaired.after).partition("\n")[0]
    if diff and not repaired.fixed.after:
        remark(f"nothing to correct. {verdict}")
    for path in repaired.fixed.after:
        stream = sys.stderr if diff else sys.stdout
        say(f"{as_shown(path)} {'would be' if diff else 'is'} corrected. {verdict}", file=stream)
