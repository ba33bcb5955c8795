"""Paths of files, relative to the working folder."""

import os
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from kinetree.errors import Finding


def as_shown(file: str | Path) -> str:
    """Return a path with slashes, relative to the working folder if the file is in it. Services need no more."""
    path = Path(file)
    with suppress(ValueError):  # it is elsewhere
        path = path.absolute().relative_to(Path.cwd())
    return path.as_posix()


def in_words(text: str) -> str:
    """Return a text with the paths in it as seen from the working folder."""
    here = re.escape(os.path.join(os.getcwd(), ""))
    return re.sub(rf"(?<![\w./:~-]){here}(?=\w)", "", text)  # not in other paths, nor in URLs


def relative(file: str, upwards: bool = True) -> str:
    """Return a path as seen from the working folder. upwards: also for files outside of it, if that is shorter."""
    if os.path.isabs(file):
        with suppress(ValueError):  # on another disk of Windows
            path = os.path.relpath(file)
            if len(path) < len(file) and (upwards or not path.startswith(os.pardir)):
                return path
    return file


def with_relative_path(finding: Finding, upwards: bool = False) -> Finding:
    """Return the finding with paths as seen from the working folder; see `relative`."""
    source = finding.source and replace(finding.source, file=relative(finding.source.file, upwards))
    return replace(finding, source=source, message=in_words(finding.message))
