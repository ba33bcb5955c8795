"""`kinetree convert`: conversion of a robot to another format."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import click

from kinetree.cli._help import argument, kinetree_command, option
from kinetree.cli._model import robot_argument
from kinetree.cli._output import assets_option, check_new, force_option, without_option
from kinetree.cli._say import remark, say_text
from kinetree.errors import Finding, equal, fail, others_like
from kinetree.formats.registry import WRITTEN
from kinetree.model.robot import Robot
from kinetree.saving import save

WRITABLE = list(WRITTEN)


@kinetree_command("Convert and write", "kinetree convert arm.urdf arm.sdf")
@robot_argument
@argument("out", "File to write, or - for the standard output.")
@option("--to", "Format of OUT.  [default: by its ending]", type=click.Choice(WRITABLE))
@without_option
@assets_option
@force_option
@click.pass_context
def command(
    ctx: click.Context,
    robot: Robot,
    out: str,
    to: str | None,
    without: tuple[str, ...],
    assets: Literal["bring", "keep"],
    force: bool,
) -> None:
    """Write a model in another format.

    Parts that the format lacks are kept in elements that only Kinetree reads. If other programs would see another robot
    without them, or if a mesh or texture is missing, the command lists them and writes nothing; --without leaves a part
    out. On the standard output, references to meshes stay as they are."""
    ctx.meta["kinetree.all"] = True
    if out == "-":
        _print(robot, to, without)
        return
    path = Path(out)
    check_new(path, force)
    notes = save(robot, path, format=to, without=without, assets=assets)
    remark(f"wrote {out}: {robot}")
    _print_notes(notes)
    if robot.notes:
        remark(f"notes on what was read: {len(robot.notes)}; kinetree inspect shows them")


def _print(robot: Robot, to: str | None, without: tuple[str, ...]) -> None:
    if to is None:
        raise fail("format", "the standard output has no ending that says its format", fix="pass --to FORMAT")
    notes: list[Finding] = []
    text = WRITTEN[to].write(robot, without, notes)
    if sys.stdout.isatty():
        say_text(text)
    else:
        sys.stdout.buffer.write(text.encode())
    _print_notes(notes)


def _print_notes(notes: Iterable[Finding]) -> None:
    for group in equal(notes):
        note = group[0]
        about = f"{note.element}: " if note.element and not note.element.startswith("robot ") else ""
        remark(f"note: {about}{note.message}", *([f"    {others_like(group)}"] if group[1:] else []))
