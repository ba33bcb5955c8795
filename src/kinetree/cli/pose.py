"""`kinetree pose`: conversion of a pose between the forms of controllers."""

import click

from kinetree.cli._controllers import active, keys_of, lines, notes, print_notes, read, shown
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option

ITS = "in the numbers of --from; by default zeros."


@click.command(context_settings={"ignore_unknown_options": True})  # a pose may begin with a minus
@click.argument("text", metavar="POSE")
@click.option(
    "--from", "source", required=True, metavar="CONTROLLER", help="Whose POSE is, or ros: x y z qx qy qz qw, m."
)
@click.option("--to", "target", required=True, metavar="CONTROLLER", help="Whose it shall become, ros, or all.")
@click.option("--tool", metavar="POSE", help=f"Print the pose of this tool; POSE is of tool0. The tool is {ITS}")
@click.option(
    "--user-frame", metavar="POSE", help=f"Print the pose in this user frame; POSE is in base. The frame is {ITS}"
)
@json_option
def command(text: str, source: str, target: str, tool: str | None, user_frame: str | None, as_json: bool) -> None:
    """Print POSE, as one controller's programs and pendants write it, in the form of another.

    The pose stays that of the same frame in the same frame, unless --tool or --user-frame is given. To convert between
    frames of a robot, use `kinetree fk --controller`.
    """
    T, remarks = read(source, text)
    targets = keys_of(target)
    used, more = active(source, tool, user_frame)
    T = used.shown(T)
    if as_json:
        rows = [(key, *shown(key, T)) for key in targets]
        print_json({"T": T, "poses": {key: {"values": values, "text": said} for key, said, values in rows}})
    else:
        print("\n".join(lines({"": T}, targets)))
    print_notes([*remarks, *more, *notes(*targets)])
