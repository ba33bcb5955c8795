"""`kinetree pose`: a pose from one maker's form into another's."""

from __future__ import annotations

import sys

import click

from kinetree.cli._controllers import ROS, notes, read, shown
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option
from kinetree.controllers import controllers


@click.command(context_settings={"ignore_unknown_options": True})  # a pose may begin with a minus
@click.argument("text", metavar="POSE")
@click.option("--from", "source", required=True, metavar="MAKER", help="Whose POSE is, or ros: x y z qx qy qz qw, m.")
@click.option("--to", "target", required=True, metavar="MAKER", help="Whose it shall become, ros, or all.")
@json_option
def command(text: str, source: str, target: str, as_json: bool) -> None:
    """Print POSE, as one maker's programs and pendants write it, as another's do.

    The numbers are those of the same frame in the same frame; which frames these are a robot's model says: `kinetree fk
    --as`.
    """
    source, target = source.lower(), target.lower()
    T, left_out = read(source, text)
    targets = [ROS, *controllers] if target == "all" else [target]
    rows = [(key, *shown(key, T)) for key in targets]
    if as_json:
        print_json({"T": T, "poses": {key: {"values": values, "text": said} for key, said, values in rows}})
    elif target == "all":
        names = {key: key if key == ROS else controllers[key].name for key in targets}
        width = max(map(len, names.values()))
        for key, said, _ in rows:
            print(f"{names[key]:<{width}}  {said}")
    else:
        print(rows[0][1])
    for note in [*left_out, *notes(source, *targets)]:
        print(f"note: {note}", file=sys.stderr)
