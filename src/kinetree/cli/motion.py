"""`kinetree motion check` and `convert`: report what is wrong with a motion; write it in another format."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click
import numpy as np

from kinetree.checker.job import CheckReport
from kinetree.checker.report import formats, report
from kinetree.cli._findings import terminal_width, worded, write_lines
from kinetree.cli._help import FILE, LENGTH, Commands, argument, option
from kinetree.cli._model import configuration, geometry_option, joint_values, json_option, robot_argument
from kinetree.cli._motion import in_rad, limit_option, masses, payload_option, report_motion
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.cli._say import remark
from kinetree.codes import FAMILIES
from kinetree.contact.collisions import Collisions
from kinetree.contact.make import collisions
from kinetree.display import counted, number
from kinetree.errors import Source, unknown_name
from kinetree.files.output import write_whole
from kinetree.logs import csv, read_motion, write_motion
from kinetree.logs.poses import table
from kinetree.model.robot import Robot
from kinetree.trajectories.bounds import Bounds
from kinetree.trajectories.check import check as findings_of
from kinetree.trajectories.resample import resample

CODES = [code for kind in ("errors", "remarks", "either") for code in FAMILIES["motions"][kind]]
"""Codes of findings about motions."""


class _Motion(Commands):
    """Commands about motions."""

    section = "Check and repair"


@click.command(cls=_Motion, short_help="Check a motion: limits, rates, torques, contact; convert it.")
def command() -> None:
    """Check motions of a robot, and convert them."""


@command.command(example="kinetree motion check arm.urdf motion.csv --deg --clearance 5mm", hides=("inertias",))
@robot_argument
@argument("file", "Joint values with times (CSV), or a bag of ROS 2.", metavar="MOTION", type=FILE)
@joint_values()
@option("--deg", "Read angles in --q, a CSV, --velocity and --acceleration in degrees.", "in_degrees")
@limit_option("velocity", "rad/s (with --deg deg/s) or m/s")
@limit_option("acceleration", "rad/s² (with --deg deg/s²) or m/s²")
@limit_option("torque", "N m or N")
@payload_option
@option("--ignore CODE", "Leave out codes that begin with CODE, such as motion-torque. Repeatable.")
@option("--clearance LENGTH", "Report links nearer than this, m, or such as 5mm.", type=LENGTH, default=0.0)
@geometry_option
@option("--touch LINK", "A link that may touch others so named, such as a held part. Repeatable.")
@option("--frame FRAME", "A frame that moves in space, as along a line: singular configurations are warnings.")
@option("--output-format", "Form of the report.  [default: pretty]", "form", type=formats())
@json_option
def check(
    robot: Robot,
    file: Path,
    values: dict[str, str],
    in_degrees: bool,
    velocity: Bounds,
    acceleration: Bounds,
    torque: Bounds,
    payload: dict[str, str],
    ignore: tuple[str, ...],
    clearance: float,
    geometry: Literal["mesh", "hull"],
    touch: tuple[str, ...],
    frame: str | None,
    form: str | None,
    as_json: bool,
) -> None:
    """Report what is wrong with a motion, with joint and time.

    These are limits of positions, also over several joints, velocities, accelerations, torques, jumps, closed loops
    that are open, contact of links, and singular configurations. Between samples, joints are taken to move in straight
    lines, where contact is proved absent or found. Joints without a column stay as in --q.

    Exit status 0 if there are no errors or warnings, 1 if there are errors or warnings, 2 if a file cannot be read."""
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --output-format {form} are two forms of one report")
    for code in (one for one in ignore if not any(known.startswith(one) for known in CODES)):
        raise unknown_name("code", code, CODES)
    at = configuration(robot, values, in_degrees)
    motion = read_motion(robot, file, unit="deg" if in_degrees else "rad")
    report_motion(robot, motion, file, missing=True)
    if motion.times is not None and not as_json:
        remark(f"{file}: {counted(len(motion.q), 'sample')}, {number(np.ptp(motion.times), 6)} s")
    contact: float | Collisions | None = clearance
    if any("motion-contact".startswith(code) for code in ignore):
        contact = None  # it takes the most time
    elif touch or geometry != "mesh":
        contact = collisions(robot, geometry=geometry, margin=clearance, touch=touch)
    rates = (in_rad(robot, one, in_degrees) for one in (velocity, acceleration))
    limits = dict(zip(("velocity", "acceleration", "torque"), (*rates, torque), strict=True))
    found = findings_of(motion, **limits, payload=masses(payload), clearance=contact, frame=frame, at=at)
    kept = worded(found, click.get_current_context().meta["kinetree.flags"])
    kept = [one for one in kept if not one.code.startswith(ignore or ("\n",))]
    findings = tuple(replace(one, source=Source(str(file))) for one in kept)
    form = "json" if as_json else form or "pretty"
    every = {"show_all": True} if form == "pretty" else {}
    write_lines(report(form, [CheckReport(str(file), findings)], terminal_width(sys.stdout), **every), sys.stdout)
    sys.exit(int(any(one.severity != "info" for one in findings)))


@command.command(example="kinetree motion convert arm.urdf run.mcap -o run.csv", hides=("inertias",))
@robot_argument
@argument("file", "Joint values (CSV), or a bag of ROS 2.", metavar="MOTION", type=FILE)
@option("-o, --output OUT", "Write OUT.csv, or OUT.mcap with a joint trajectory.", type=FILE, required=True)
@option("--joint-states TOPIC", "Topic of joint states, if MOTION has several.", "joints")
@option("--rate NUMBER", "Write so many samples per s (Hz), in straight lines between those of MOTION.", type=float)
@option("--deg", "Read and write angles of a CSV in degrees.", "in_degrees")
@force_option
def convert(
    robot: Robot, file: Path, output: Path, joints: str | None, rate: float | None, in_degrees: bool, force: bool
) -> None:
    """Write a bag of ROS 2 as a table, or a table as a bag.

    A table (CSV) has positions of joints, and times in s; of a bag also velocities and efforts, as elbow.velocity and
    elbow.effort (N m, N). OUT.mcap has positions, and velocities and accelerations if MOTION is a joint trajectory."""
    check_new(output, force)
    check_no_input(str(output), [str(file), *([robot.source.file] if robot.source else [])])
    unit: Literal["rad", "deg"] = "deg" if in_degrees else "rad"
    motion, others = table(robot, file, unit, joints)
    if rate is not None:
        even = resample(motion, rate)
        old, times = np.asarray(motion.times), np.asarray(even.times)
        motion, others = even, {name: np.interp(times, old, x) for name, x in others.items()}
    report_motion(robot, motion, file)
    if output.suffix.lower() == ".csv":
        write_whole(output, csv.written(motion, unit, others))
    else:
        write_motion(motion, output)
    remark(f"wrote {output}: {counted(len(motion.q), 'sample')}")
