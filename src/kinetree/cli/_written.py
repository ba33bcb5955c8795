"""Files that `kinetree move` writes: motions, and with --controller lists of points."""

import warnings
from pathlib import Path

from kinetree.cli._controllers import print_notes
from kinetree.cli._targets import Targets
from kinetree.controllers.text import TEXT, point_list
from kinetree.errors import UnverifiedWarning, fail
from kinetree.files.output import write_whole
from kinetree.logs import Motion, write_motion
from kinetree.logs.read import WRITERS, is_bag
from kinetree.queries.motion import fk


def check_ending(asked: Targets, output: Path) -> None:
    """Raise KinetreeError for a file whose ending is not known."""
    legal = [*WRITERS, *([TEXT, *asked.who.points] if asked.who else [])]
    if output.suffix.lower() not in legal:
        more = "" if asked.who else f"; a list of points, such as {TEXT}, is for --controller KEY of one maker"
        message = f"cannot write a motion to {output.name!r}; expected the ending {' or '.join(legal)}{more}"
        raise fail("format", message)


def write_moved(asked: Targets, motion: Motion, output: Path, in_degrees: bool) -> None:
    """Write a motion, or its poses as a controller writes them, with its tool and user frame."""
    if output.suffix.lower() in WRITERS:
        write_motion(motion, output, unit="deg" if in_degrees and not is_bag(output) else "rad")
        return
    who, arm = asked.who, asked.arm
    assert who is not None
    assert motion.robot is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnverifiedWarning)  # the command has printed it
        values = who.from_pose(asked.active.shown(fk(motion.robot, asked.frame, asked.base)(motion.q)))
    configurations = [arm.configuration_at(q) if arm else "" for q in motion.q]
    if any(configurations):
        print_notes([f"the configuration is not verified: {one}" for one in who.configuration.unverified])
    write_whole(output, point_list(who, values, configurations, output.suffix.lower(), output.stem))
