"""`kinetree tf MODEL MOTION`: transforms from joint values, and the comparison of recorded ones with the model."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._help import FILE, argument, kinetree_command, option
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._motion import print_violations, report_motion
from kinetree.cli._output import check_new, check_no_input, force_option, print_json
from kinetree.cli._pendant import CommandArm, with_arm
from kinetree.cli._say import remark, say
from kinetree.display import counted, number, some
from kinetree.errors import fail
from kinetree.model.robot import Robot

if TYPE_CHECKING:
    from kinetree.logs.ros.compare import Difference

TOLERANCE = (0.1, 0.01)
"""Differences that `--check` passes over by default, mm and deg."""
PRINTED = ("compared", "differences", "torn", "missing", "valueless", "untimed", "outside")


@kinetree_command("Convert and write", "kinetree tf arm.urdf motion.csv --deg -o arm.mcap")
@robot_argument
@argument("file", "Joint values with times (CSV), or a bag of ROS 2.", metavar="MOTION", type=FILE)
@option("-o, --output OUT.mcap", "Write the bag here.", type=FILE)
@option("--check", "Compare the transforms in MOTION with those of MODEL, and write nothing.")
@option("--tolerance MM DEG", "Largest difference for --check, mm and deg.  [default: 0.1 0.01]", nargs=2, type=float)
@option("--joint-states TOPIC", "Topic of joint states, if MOTION has several.", "joints")
@option("--odometry TOPIC", "Topic of odometry, poses or transforms that moves the base.")
@option("--deg", "Read angles in a CSV in degrees.", "in_degrees")
@with_arm
@force_option
@json_option
def command(
    robot: Robot,
    file: Path,
    output: Path | None,
    check: bool,
    tolerance: tuple[float, float] | None,
    joints: str | None,
    odometry: str | None,
    in_degrees: bool,
    arm: CommandArm | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write the transforms of a motion for ROS, or check recorded ones.

    The bag is one of ROS 2; ROS is not needed.

    MOTION is a CSV with a column `time`, or a bag of ROS 2 (.mcap, .db3, or their folder) with joint states, which are
    copied. OUT.mcap has /tf, /tf_static and /robot_description. The command lists limits that the motion leaves.

    With --check, MOTION is a bag with transforms. The command prints which ones differ from those of MODEL at the same
    joint values, by how much, since when, and the likely reason. Exit status 1 if some differ or cannot be compared."""
    if check == bool(output):
        raise click.UsageError("expected -o OUT.mcap to write transforms, or --check to compare those of MOTION")
    if tolerance and not check:
        raise click.UsageError("--tolerance goes with --check")
    if check and (in_degrees or force or arm):
        raise click.UsageError(f"{'--deg' if in_degrees else '--force' if force else '--controller'} goes with -o")
    if output:
        _write(robot, file, output, "deg" if in_degrees else "rad", joints, odometry, force, as_json, arm)
        return
    _check(robot, file, tolerance or TOLERANCE, joints, odometry, as_json)


def _write(
    robot: Robot,
    file: Path,
    output: Path,
    unit: Literal["rad", "deg"],
    joints: str | None,
    odometry: str | None,
    force: bool,
    as_json: bool,
    arm: CommandArm | None,
) -> None:
    from kinetree.files.output import write_whole
    from kinetree.logs.convert import converted
    from kinetree.logs.ros.mcap import mcap_of
    from kinetree.solvers.limits.report import violations

    if output.suffix.lower() != ".mcap":
        raise fail("format", f"cannot write transforms to {output.name!r}; expected the ending .mcap")
    check_new(output, force)
    check_no_input(str(output), [str(file), *([robot.source.file] if robot.source else [])])
    if file.is_dir():
        check_no_input(str(output), map(str, file.iterdir()))  # which hard links lead to
        if any(above.exists() and above.samefile(file) for above in Path(os.path.realpath(output)).parents):
            raise fail("output", f"{output} would lie in the bag {file}; expected places outside of it")
    moved = arm.motion(file, unit) if arm else None
    found = converted(robot, file, unit, joints, odometry, moved)
    report_motion(robot, found.motion, file, missing=True, placed=found.placed)
    print_findings(found.notes)
    write_whole(output, mcap_of(found.topics))
    outside = violations(robot, found.q, found.motion.names)
    counts = {topic.name: len(topic.data) for topic in found.topics}
    if as_json:
        notes = [*found.motion.notes, *found.notes]
        times = found.motion.times
        print_json({"output": str(output), "messages": counts, "violations": outside, "times": times, "notes": notes})
        return
    print_violations(robot, file, outside, found.motion.times, len(found.q), unit)
    listed = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    remark(f"wrote {output}: {output.stat().st_size / 1e3:,.0f} kB; messages: {listed}")


def _check(
    robot: Robot, file: Path, tolerance: tuple[float, float], joints: str | None, odometry: str | None, as_json: bool
) -> None:
    from kinetree.logs.ros.compare import compared

    if min(tolerance) <= 0 or not max(tolerance) < float("inf"):
        raise click.BadParameter("expected two finite numbers above 0, mm and deg", param_hint="--tolerance")
    found = compared(robot, file, tolerance, joints, odometry)
    report_motion(robot, found.motion, file, missing=True)
    left = len({*found.valueless, *found.untimed})
    differ = bool(left or not found.compared or found.differences or found.torn or found.missing)
    if as_json:
        unknown = [{"frame": frame, "parent": parent, "transforms": n} for (frame, parent), n in found.unknown.items()]
        print_json({**{one: getattr(found, one) for one in PRINTED}, "unknown": unknown, "notes": found.motion.notes})
        sys.exit(int(differ))
    groups: dict[tuple[str, ...], list[Difference]] = {}
    for one in found.differences:
        groups.setdefault(one.causes or (one.frame,), []).append(one)
    for several in groups.values():
        say(_sentence(several))
    for frame, parents in found.torn.items():
        say(f"{frame} has several parents in the bag: {some(parents)}")
    if found.missing:
        say(f"not in the bag, {counted(len(found.missing), 'frame')} of the model: {some(found.missing)}")
    if found.unknown:
        pairs = some(f"{frame} in {parent} ({n:,})" for (frame, parent), n in found.unknown.items())
        say(f"not in the model, and not compared: {pairs}")
    if found.valueless:
        say(f"not compared, because joints that move them have no values: {some(found.valueless)}")
    if found.outside:
        never = f"; of these frames all: {some(found.untimed)}" if found.untimed else ""
        say(f"not compared, because no joint values are near: {found.outside:,} transforms{never}")
    said = f"different: {len(found.differences)}" if differ else "all alike"
    said += f", not compared: {left}" if left else ""
    say(f"frames compared: {found.compared}, {said}" if found.compared else "no frame was compared")
    sys.exit(int(differ))


def _sentence(several: "Sequence[Difference]") -> str:
    """Return the sentence about transforms whose differences have the same causes."""
    frames = some(f"{one.frame} in {one.parent}" for one in several)
    mm, deg = (number(max(getattr(one, name) for one in several)) for name in ("mm", "deg"))
    first, last = min(one.first for one in several), max(one.last for one in several)
    counts = sum(one.differing for one in several), sum(one.samples for one in several)
    when = f"from t = {first:g} to {last:g} s" if first < last else f"at t = {first:g} s"
    why = " or ".join(several[0].causes) or "no single change of the model explains it"
    return f"{frames}: up to {mm} mm and {deg} deg, {when}, in {counts[0]:,} of {counts[1]:,} transforms: {why}"
