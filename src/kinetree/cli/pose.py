"""`kinetree pose`: conversion of a pose between the forms of controllers."""

from kinetree.cli._controllers import active, keys_of, lines, notes, print_notes, read, shown
from kinetree.cli._help import argument, kinetree_command, option
from kinetree.cli._model import json_option
from kinetree.cli._output import print_json
from kinetree.cli._say import say


@kinetree_command(
    "Compute",
    'kinetree pose "612.3 -234.5 789.1 110 -50 35" --from fanuc --to ur',
    context_settings={"ignore_unknown_options": True},
)  # a pose may begin with a minus
@argument("text", "Numbers of the pose, as the controller's programs and pendant write them.", metavar="POSE")
@option("--from CONTROLLER", "Form of POSE: kuka, …, or ros: x y z qx qy qz qw, m.", "source", required=True)
@option("--to CONTROLLER", "Form to print: kuka, …, ros, or all.", "target", required=True)
@option("--tool POSE", "Print the pose of this tool; POSE is that of tool0.  [default: zeros]")
@option("--user-frame POSE", "Print the pose in this user frame; POSE is in base.  [default: zeros]")
@json_option
def command(text: str, source: str, target: str, tool: str | None, user_frame: str | None, as_json: bool) -> None:
    """Convert a pose between the numbers of controllers.

    The pose stays that of the same frame in the same frame, unless --tool or --user-frame is given, in the form of
    --from. To convert between frames of a robot, use `kinetree fk --controller`."""
    T, remarks = read(source, text)
    targets = keys_of(target)
    used, more = active(source, tool, user_frame)
    T = used.shown(T)
    if as_json:
        rows = [(key, *shown(key, T)) for key in targets]
        print_json({"T": T, "poses": {key: {"values": values, "text": said} for key, said, values in rows}})
    else:
        say(*lines({"": T}, targets))
    print_notes([*remarks, *more, *notes(*targets)])
