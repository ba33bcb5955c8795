"""Offers of files that lie one folder deeper than a name says."""

import os
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from kinetree.confine import is_shared

MOST_FOLDERS = 300
"""Most folders in a folder that are looked at."""
BEFORE = "; there is one at "
"""Beginning of an offer in a message."""
MODEL_FILES = ("model.sdf", "model.config")
"""Files of a model, for which its folder stands."""


def offer(paths: Iterable[Path], may_read: Callable[[Path], bool]) -> str:
    """Return a clause with the first thing that lies one folder deeper than one of these paths, which do not exist; ""
    if nothing does. may_read: whether a path may be named."""
    for path in (path.parent if path.name in MODEL_FILES else path for path in paths):
        for folder in _folders_in(path.parent) if path.name not in ("", "..") else ():
            if (place := folder / path.name).exists() and may_read(place):
                return f"{BEFORE}{place}"
    return ""


def did_you_mean(message: str) -> str | None:
    """Return the correction that an offer at the end of a message gives, None without one."""
    place = message.partition(BEFORE)[2]
    return f"did you mean {place}?" if place else None


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder, in order, without hidden ones and links; none if it is shared or unreadable."""
    if is_shared(os.path.abspath(folder)):
        return []
    try:
        with os.scandir(folder) as scan:
            found = [e.name for e in islice(scan, MOST_FOLDERS) if e.name[0] != "." and e.is_dir(follow_symlinks=False)]
    except (OSError, ValueError):
        return []
    return [folder / name for name in sorted(found)]
