"""Files as services name them, from the folder where the check runs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def as_shown(file: str) -> str:
    """The path from the working folder, with slashes, of a file in it; of others as it is."""
    path = Path(file)
    with suppress(ValueError):  # it is elsewhere
        path = path.absolute().relative_to(Path.cwd())
    return path.as_posix()
