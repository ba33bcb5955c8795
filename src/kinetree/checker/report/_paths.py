"""Paths of files for services, relative to the working folder."""

from contextlib import suppress
from pathlib import Path


def as_shown(file: str | Path) -> str:
    """Return a path with slashes, relative to the working folder if the file is in it."""
    path = Path(file)
    with suppress(ValueError):  # it is elsewhere
        path = path.absolute().relative_to(Path.cwd())
    return path.as_posix()
