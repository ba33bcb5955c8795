"""Exit status of commands, for every way in which they end; docs/command-line.md lists them."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from kinetree import _start
from kinetree.errors import KinetreeError

WRONG, UNWRITABLE, INTERRUPTED, UNREAD = 2, 74, _start.INTERRUPTED, 141


@contextmanager
def exit_status(said: Mapping[str, Any] = {}) -> Iterator[None]:
    """Turn exceptions into an exit status, with a message on the standard error stream. said: options of the command
    line for findings, "kinetree.json" and "kinetree.all"."""
    try:
        _start.on_interrupt(end=False)
        try:
            yield
        except click.exceptions.Exit:
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KinetreeError as error:
        from kinetree.cli._findings import print_findings

        as_json, everything = (said.get(f"kinetree.{what}", False) for what in ("json", "all"))
        print_findings(error.findings, as_json=as_json, everything=everything)
        sys.exit(WRONG)
    except KeyboardInterrupt:
        _interrupted()
    except BrokenPipeError:
        _drop_stdout()
        sys.exit(UNREAD)
    except OSError as error:
        if _start.was_interrupted():
            _interrupted()
        print(f"the output cannot be written: {error.strerror or error}", file=sys.stderr)
        _drop_stdout()
        sys.exit(UNWRITABLE)
    except MemoryError:
        print("there is not enough memory for this", file=sys.stderr)
        sys.exit(WRONG)
    except Exception:
        if not _start.was_interrupted():
            raise
        _interrupted()
    finally:
        _start.on_interrupt(end=True)


def _interrupted() -> NoReturn:
    print("interrupted", file=sys.stderr)
    with suppress(KeyboardInterrupt):
        try:
            sys.stdout.flush()
        except OSError:
            _drop_stdout()
    sys.exit(INTERRUPTED)


def _drop_stdout() -> None:
    """Redirect stdout to nowhere, because Python flushes it once more at the end, which must not fail again."""
    with suppress(OSError, ValueError):  # in a test it is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
