"""Differences of texts before and after a repair, as patch(1) takes them."""

import difflib
import re
import sys
from collections.abc import Iterator

from kinetree.checker.report._paths import as_shown
from kinetree.cli._say import say
from kinetree.fixer.fix import FixResult
from kinetree.syntax.xml.encoding import text_of


def diff_lines(fixed: FixResult) -> Iterator[str]:
    """Yield the lines of the difference, each with its end."""
    for path, content in fixed.before.items():
        name = as_shown(path)
        old, new = _lines(content), _lines(fixed.after[path])
        for line in difflib.unified_diff(old, new, name, name):
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def print_diff(fixed: FixResult) -> None:
    """Print the difference."""
    if sys.stdout.isatty():
        say(*(line[:-1] for line in diff_lines(fixed)))
    else:  # what goes to a file must stay as it is, its line ends too
        sys.stdout.flush()
        sys.stdout.buffer.write("".join(diff_lines(fixed)).encode())


def _lines(content: bytes) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text_of(content)[2])  # as patch(1) sees them
