"""`kinetree excite`: a motion by which numbers of a model are found."""

from pathlib import Path

from kinetree.cli._findings import print_findings, worded
from kinetree.cli._help import FILE, LENGTH, TIME, kinetree_command, option
from kinetree.cli._model import robot_argument
from kinetree.cli._motion import in_rad, limit_option
from kinetree.cli._output import check_new, check_no_input, force_option
from kinetree.cli._say import remark, say
from kinetree.display import number
from kinetree.errors import fail
from kinetree.lab.excite import KINDS, excite
from kinetree.logs import write_motion
from kinetree.logs.read import WRITERS, is_bag
from kinetree.model.robot import Robot
from kinetree.trajectories.bounds import Bounds


@kinetree_command("Compute", "kinetree excite arm.urdf -o swings.csv", hides=("inertias",))
@robot_argument
@option(
    "--of KIND",
    "Let the log show this to `kinetree verify`.  [default: inertia and friction] Repeatable.",
    "unknown",
    type=list(KINDS),
)
@option("--frame FRAME", "Frame whose poses are measured, for --of geometry.")
@option("--duration TIME", "Time that the motion takes, s, or such as 20s.", type=TIME, default=10.0)
@option("--period TIME", "Time from sample to sample, s, or such as 10ms.", type=TIME, default=0.01)
@limit_option("velocity", "rad/s (with --deg deg/s) or m/s")
@limit_option("acceleration", "rad/s² (with --deg deg/s²) or m/s²")
@limit_option("torque", "N m or N")
@option("--clearance LENGTH", "Keep links so far apart, m, or such as 5mm.", type=LENGTH, default=0.0)
@option("--deg", "Read --velocity and --acceleration, and write the motion in degrees.", "in_degrees")
@option("-o, --output FILE", "Write the motion to FILE.csv or FILE.mcap (ROS 2).", type=FILE, required=True)
@force_option
def command(
    robot: Robot,
    unknown: tuple[str, ...],
    frame: str | None,
    duration: float,
    period: float,
    velocity: Bounds,
    acceleration: Bounds,
    torque: Bounds,
    clearance: float,
    in_degrees: bool,
    output: Path,
    force: bool,
) -> None:
    """Make a motion that shows masses, friction or lengths.

    `kinetree verify` finds them by a log of it. It is inside all limits, and begins and ends at rest in one
    configuration, to which the robot has to be moved before."""
    check_new(output, force)
    check_no_input(str(output), [robot.source.file if robot.source else ""])
    if output.suffix.lower() not in WRITERS:
        raise fail("format", f"cannot write a motion to {output.name!r}; expected the ending {' or '.join(WRITERS)}")
    velocity, acceleration = (in_rad(robot, one, in_degrees) for one in (velocity, acceleration))
    motion = excite(
        robot,
        unknown or ("inertia", "friction"),
        frame=frame,
        duration=duration,
        period=period,
        velocity=velocity,
        acceleration=acceleration,
        torque=torque,
        clearance=clearance,
    )
    write_motion(motion, output, unit="deg" if in_degrees and not is_bag(output) else "rad")
    say(motion.notes[0].message)
    start = ", ".join(f"{name} {number(value)}" for name, value in zip(motion.names, motion.q[0], strict=True))
    say(f"it begins at {start} (rad, m)")
    print_findings(worded(motion.notes[1:], {one: f"--{one}" for one in ("velocity", "acceleration", "torque")}))
    remark("of its surroundings only what the model has is avoided; look at the motion with kinetree show --motion")
    remark(f"wrote {output}: {len(motion.q)} samples")
