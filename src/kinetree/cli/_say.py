"""The one place through which commands print texts: a test forbids `print` in the other files of this package."""

import sys
from typing import TextIO

from kinetree.display import visible


def say(*lines: str, file: TextIO | None = None) -> None:
    """Print lines, to the standard output by default. What a terminal would obey or hide is escaped in each, line feeds
    too, because names in files may contain anything."""
    print(*map(visible, lines), sep="\n", file=file)


def say_text(text: str) -> None:
    """Print a text of several lines, in which no name has a line feed."""
    say(*text.removesuffix("\n").split("\n"))


def remark(*lines: str) -> None:
    """Print lines as `say` does, on the standard error stream."""
    say(*lines, file=sys.stderr)
