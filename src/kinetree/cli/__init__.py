"""The command line: one file a command, found by its name; parsing and printing only.

Exit status: 0 done; 1 a negative answer: the robots of `compare` differ, `ik` does not reach the pose, model and
controller of `calibrate` disagree; 2 a fault of the input or the command, on the standard error stream; 74 the output
cannot be written; 130 interrupted; 141 the reader of the output has gone.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from kinetree import __version__, _start
from kinetree.cli._exit import INTERRUPTED, exit_status, prepare
from kinetree.cli._help import Commands
from kinetree.cli._say import remark
from kinetree.progress import reporting


class _Commands(Commands):
    """The modules of this package, each with a click command `command`. Only the one that runs is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"kinetree.cli.{cmd_name}").command
        return command

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the command line, or print the help that it requests."""
        with exit_status():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever ends it early becomes an exit status, never a traceback."""
        with exit_status(ctx.meta), reporting(sys.stderr.isatty()):
            super().invoke(ctx)


@click.command(cls=_Commands, epilog="`kinetree COMMAND --help` explains a command and ends with an example.")
@click.version_option(__version__, prog_name="kinetree")
def group() -> None:
    """Load, check, convert and query descriptions of robots: URDF, xacro, SDF, MJCF and DH tables."""


def main() -> None:
    """Run the command line and exit with its status."""
    if not prepare():
        remark("the output cannot be written: the standard output is closed")
        sys.exit(74)
    try:
        group(prog_name="kinetree")
    except SystemExit as status:
        if status.code == INTERRUPTED:  # Python might end by the signal itself, if it came while a text was executed
            os._exit(INTERRUPTED)
        raise
    finally:
        _start.ignore_interrupts()  # everything is printed
