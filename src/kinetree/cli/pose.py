"""`kinetree pose`: conversion of poses between the forms of controllers."""

from pathlib import Path

import click

from kinetree.cli._controllers import (
    Text,
    active,
    keys_of,
    lines,
    lines_of,
    notes,
    print_notes,
    read_text,
    shown,
    without,
)
from kinetree.cli._help import argument, kinetree_command, option
from kinetree.cli._model import json_option
from kinetree.cli._output import print_json
from kinetree.cli._say import say


@kinetree_command(
    "Compute",
    'kinetree pose "612.3 -234.5 789.1 110 -50 35" --from fanuc --to ur',
    context_settings={"ignore_unknown_options": True},
)  # a pose may begin with a minus
@argument(
    "text", "Numbers of the pose, as the controller's programs and pendant write them.", metavar="POSE", required=False
)
@option("--file FILE", "Convert the poses in this file, one a line; lines that begin with # are comments.", type=Path)
@option("--from CONTROLLER", "Form of POSE: kuka, …, or ros: x y z qx qy qz qw, m.", "source", required=True)
@option("--to CONTROLLER", "Form to print: kuka, …, ros, or all.", "target", required=True)
@option("--tool POSE", "Print the pose of this tool; POSE is that of tool0.  [default: zeros]")
@option("--user-frame POSE", "Print the pose in this user frame; POSE is in base.  [default: zeros]")
@json_option
def command(
    text: str | None,
    file: Path | None,
    source: str,
    target: str,
    tool: str | None,
    user_frame: str | None,
    as_json: bool,
) -> None:
    """Convert a pose between the numbers of controllers.

    The pose stays that of the same frame in the same frame, unless --tool or --user-frame is given, in the form of
    --from. To convert between frames of a robot, use `kinetree fk --controller`."""
    if (text is None) == (file is None):
        raise click.UsageError("expected either POSE or --file FILE")
    targets, (used, more) = keys_of(target), active(source, tool, user_frame)
    remarks: list[str] = []
    found = []
    given = lines_of(file) if file else [Text(text or "")]
    for T, said, configuration in (read_text(source, one) for one in given):
        kept = configuration if targets == keys_of(source) else ""
        remarks += [*said, *without("" if kept else configuration)]
        found.append((used.shown(T), kept))
    if as_json:
        texts = [{key: shown(key, T, kept) for key in targets} for T, kept in found]
        rows = [{key: {"values": values, "text": said} for key, (said, values) in row.items()} for row in texts]
        poses = [{"T": T, "poses": row} for (T, _), row in zip(found, rows, strict=True)]
        print_json(poses[0] if file is None else poses)
    else:
        say(*(line for T, kept in found for line in lines({"": T}, targets, kept)))
    print_notes([*remarks, *more, *notes(*targets)])
