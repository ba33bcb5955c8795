"""The command line: one file a command, found by its name; parsing and printing only."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from kinetree.errors import KinetreeError


class _Commands(click.Group):
    """The modules of this package; each has a click command `command`. Only the one that runs is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"kinetree.cli.{cmd_name}").command
        return command


@click.command(cls=_Commands)
@click.version_option(package_name="kinetree")
def _kinetree() -> None:
    """Robot descriptions loaded right, or refused with the reason; any frame against any other."""


def main() -> None:
    """Run the command line; what is wrong with the input goes to stderr, and the exit status is 2."""
    try:
        _kinetree()
    except KinetreeError as error:
        for finding in error.findings:
            click.echo(str(finding), err=True)
        sys.exit(2)
