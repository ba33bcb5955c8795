"""How a reader asks for another file. `load` gives it the means; readers never touch the disk themselves."""

from __future__ import annotations

from collections.abc import Callable

Opener = Callable[[str, str], tuple[bytes, str] | None]
"""(what the file asks for: a path or a URI, the file that asks) to (content, path), or None if it cannot be found."""


def nothing(wanted: str, asked_from: str) -> tuple[bytes, str] | None:
    """Opens nothing: for texts that come from no file."""
    return None
