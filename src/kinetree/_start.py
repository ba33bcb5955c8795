"""Handling of Ctrl-C before everything else is imported by the command `kinetree`, which ends without a traceback.

Importing takes a quarter of a second, in which Ctrl-C may be pressed. Only the command does this; a program that
imports the package keeps its own handlers of signals.
"""

import os
import signal
import sys

INTERRUPTED = 130


def is_command() -> bool:
    """Return whether this process is `kinetree …` or `python -m kinetree …`."""
    if sys.argv[:1] == ["-m"]:  # while packages are imported, only the command line has the name of the module
        after = sys.orig_argv[sys.orig_argv.index("-m") + 1 :] if "-m" in sys.orig_argv else []
        return after[:1] == ["kinetree"]
    return bool(sys.argv) and os.path.splitext(os.path.basename(sys.argv[0]))[0] == "kinetree"


def end_at_once(*_: object) -> None:
    """End this process as interrupted."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def on_interrupt(*, end: bool) -> None:
    """Let an interrupt end the process at once, or raise KeyboardInterrupt; an ignored one stays ignored."""
    ours = (signal.default_int_handler, end_at_once, _raise)
    try:
        if signal.getsignal(signal.SIGINT) in ours:
            signal.signal(signal.SIGINT, end_at_once if end else _raise)
    except ValueError:  # not in the main thread, which has the signals
        return


def ignore_interrupts() -> None:
    """Ignore interrupts, as at the very end, where Python removes its own handlers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def was_interrupted() -> bool:
    """Return whether an interrupt has raised KeyboardInterrupt, which other code may have replaced by another
    exception."""
    return _interrupts > 0


_interrupts = 0


def _raise(*_: object) -> None:
    global _interrupts
    _interrupts += 1
    raise KeyboardInterrupt
