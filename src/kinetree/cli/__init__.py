"""The command line: one file a command, found by its name; parsing and printing only.

Exit status: 0 done; 1 the answer is no: the robots of `compare` differ, `ik` does not get there, model and controller
of `calibrate` do not agree; 2 something is wrong with the input or with the command, said on the standard error stream;
74 the output cannot be written; 130 interrupted; 141 nobody reads our output any more.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from kinetree import __version__
from kinetree.cli._streams import take_any_character
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

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whatever ends it early becomes an exit status, never a traceback."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except KinetreeError as error:
            from kinetree.cli._findings import print_findings

            as_json, everything = (ctx.meta.get(f"kinetree.{what}", False) for what in ("json", "all"))
            print_findings(error.findings, as_json=as_json, everything=everything)
            ctx.exit(2)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            ctx.exit(130)
        except BrokenPipeError:
            _drop_stdout()
            ctx.exit(141)
        except OSError as error:
            print(f"the output cannot be written: {error.strerror or error}", file=sys.stderr)
            _drop_stdout()
            ctx.exit(74)


def _drop_stdout() -> None:
    """Python flushes stdout once more when it ends, which must not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.command(cls=_Commands)
@click.version_option(__version__, prog_name="kinetree")
def group() -> None:
    """Robot descriptions loaded right, or refused with the reason; any frame against any other."""


def main() -> None:
    """Run the command line and exit with its status."""
    if sys.stdout is None:  # closed by the caller
        print("the output cannot be written: the standard output is closed", file=sys.stderr)
        sys.exit(74)
    take_any_character()
    group(prog_name="kinetree")
