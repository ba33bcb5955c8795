"""`kinetree tf MODEL MOTION`: transforms from joint values, and the comparison of recorded ones with the model."""

import sys
from pathlib import Path
from typing import Literal

import click

from kinetree.cli._findings import print_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, robot_argument
from kinetree.cli._motion import print_violations, report_motion
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.errors import fail
from kinetree.model.robot import Robot


@click.command()
@robot_argument
@click.argument("file", metavar="MOTION", type=click.Path(path_type=Path))
@click.option("-o", "--output", metavar="OUT.mcap", type=click.Path(path_type=Path), help="The bag to write.")
@click.option("--check", is_flag=True, help="Compare the transforms that MOTION has with those of MODEL.")
@click.option("--tolerance", nargs=2, type=float, metavar="MM DEG", help="Of --check.  [default: 0.1 0.01]")
@click.option("--joint-states", "joints", metavar="TOPIC", help="Of MOTION, where it has several.")
@click.option("--odometry", metavar="TOPIC", help="Odometry, poses or transforms that place the base.")
@click.option("--deg", "in_degrees", is_flag=True, help="Angles in a CSV are in degrees.")
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
    force: bool,
    as_json: bool,
) -> None:
    """Write the transforms of all frames of MODEL during MOTION to OUT.mcap, as a bag of ROS 2, without ROS.

    MOTION is a CSV with a column `time`, or a bag of ROS 2 (.mcap, .db3, or their folder) with joint states, which are
    passed on. OUT.mcap has /tf, /tf_static, /robot_description. Limits that the motion leaves are listed.

    With --check, MOTION is a bag that has transforms: prints which ones differ from those of MODEL at the same joint
    values, by how much, since when, and what explains it. Exit status 1 if some differ.
    """
    if check == bool(output):
        raise click.UsageError("expected -o OUT.mcap to write transforms, or --check to compare those of MOTION")
    if tolerance and not check:
        raise click.UsageError("--tolerance goes with --check")
    if output:
        _write(robot, file, output, "deg" if in_degrees else "rad", joints, odometry, force, as_json)
        return
    raise NotImplementedError


def _write(
    robot: Robot,
    file: Path,
    output: Path,
    unit: Literal["rad", "deg"],
    joints: str | None,
    odometry: str | None,
    force: bool,
    as_json: bool,
) -> None:
    from kinetree.formats.output import write_whole
    from kinetree.logs.convert import converted
    from kinetree.logs.ros.mcap import mcap_of
    from kinetree.solvers.limits.report import violations

    if output.suffix.lower() != ".mcap":
        raise fail("format", f"cannot write transforms to {output.name!r}; expected the ending .mcap")
    check_new(output, force)
    check_no_input(str(output), [str(file), *([robot.source.file] if robot.source else [])])
    found = converted(robot, file, unit, joints, odometry)
    report_motion(robot, found.motion, file, missing=True)
    print_findings(found.notes)
    write_whole(output, mcap_of(found.topics))
    outside = violations(robot, found.q, found.motion.names)
    counts = {topic.name: len(topic.data) for topic in found.topics}
    if as_json:
        notes = [*found.motion.notes, *found.notes]
        times = found.motion.times
        print_json({"output": str(output), "messages": counts, "violations": outside, "times": times, "notes": notes})
        return
    print_violations(robot, outside, found.motion.times, len(found.q), unit)
    listed = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    print(f"wrote {output}: {output.stat().st_size / 1e3:,.0f} kB; messages: {listed}", file=sys.stderr)
