"""`kinetree pose`: conversion of a pose between the forms of makers."""

import click

from kinetree.cli._controllers import lines, makers, notes, print_notes, read, shown
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option


@click.command(context_settings={"ignore_unknown_options": True})  # a pose may begin with a minus
@click.argument("text", metavar="POSE")
@click.option("--from", "source", required=True, metavar="MAKER", help="Whose POSE is, or ros: x y z qx qy qz qw, m.")
@click.option("--to", "target", required=True, metavar="MAKER", help="Whose it shall become, ros, or all.")
@json_option
def command(text: str, source: str, target: str, as_json: bool) -> None:
    """Print POSE, as one maker's programs and pendants write it, in the form of another.

    The pose stays that of the same frame in the same frame. To convert between frames of a robot, use `kinetree fk
    --as`.
    """
    T, remarks = read(source, text)
    targets = makers(target)
    if as_json:
        rows = [(key, *shown(key, T)) for key in targets]
        print_json({"T": T, "poses": {key: {"values": values, "text": said} for key, said, values in rows}})
    else:
        print("\n".join(lines({"": T}, targets)))
    print_notes([*remarks, *notes(*targets)])
