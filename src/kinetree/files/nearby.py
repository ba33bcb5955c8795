"""Offers of files with other capitals than a name, or one folder deeper, and of folders of nearly the same name."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kinetree.confine import is_shared

BEFORE = "; there is one at "
LINK = "; it is a link to "
"""Beginnings of offers in messages."""
MODEL_FILES = ("model.sdf", "model.config")
"""Files of a model, for which its folder stands."""
Known = dict[tuple[str, str | Path], Path | None]
"""What was found out about paths, so that it is looked up once."""
NEARLY, LETTERS = 0.87, 2
"""Smallest similarity of two names of which one is a slip, and largest difference of their lengths."""


def offer(paths: Iterable[str | Path], may_read: Callable[[Path], bool], known: Known | None = None) -> str:
    """Return a clause about the first of these paths, which do not exist, that is a broken link, has the name of
    another thing but for capitals, or is one folder deeper; "" for none. may_read: whether a path may be named. known:
    of other offers at this time. Hidden folders, and links and shared folders above a path, are left out."""
    known = {} if known is None else known
    for place in paths:
        if ("none", os.path.dirname(place)) in known:
            continue  # its folder is not there, whatever its capitals
        path = Path(place).parent if os.path.basename(place) in MODEL_FILES else Path(place)
        with suppress(OSError, ValueError):
            if not (broken_link(path.parent, known) or _in_other_capitals(path.parent, known)):
                known["none", str(path.parent)] = None
                continue
            if path.name in ("", "..") or is_shared(os.path.abspath(path.parent)):
                continue
            if link := broken_link(path, known):
                return f"{LINK}{os.readlink(link)!r}, where nothing is"
            if (same := _in_other_capitals(path, known)) and may_read(same):
                return f"{BEFORE}{same}, with other capitals"
            for entry in sorted(os.scandir(path.parent), key=lambda entry: entry.name):
                is_folder = entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                if is_folder and (place := path.parent / entry.name / path.name).exists() and may_read(place):
                    return f"{BEFORE}{place}"
    return ""


def broken_link(path: Path, known: Known) -> Path | None:
    """Return a path, or a folder above it, that is a link to nothing."""
    if ("link", path) not in known:
        own = path if path.is_symlink() and not path.exists() else None
        known["link", path] = own or (broken_link(path.parent, known) if path != path.parent else None)
    return known["link", path]


def _in_other_capitals(path: Path, known: Known) -> Path | None:
    """Return the path of the thing whose name differs in capitals alone, with those of the folders above it."""
    if ("name", path) in known:
        return known["name", path]
    if path.exists() or path == path.parent or is_shared(os.path.abspath(path)):
        found: Path | None = path
    else:
        above = _in_other_capitals(path.parent, known)
        names = sorted(os.listdir(above)) if above and above.is_dir() else []
        found = next((above / name for name in names if above and name.lower() == path.name.lower()), None)
    known["name", path] = found
    return found


def did_you_mean(message: str) -> str | None:
    """Return the correction that an offer at the end of a message gives, None without one."""
    place, link = message.partition(BEFORE)[2].partition(", with")[0], message.partition(LINK)[2]
    return f"did you mean {place}?" if place else f"correct the link to {link}" if link else None


def namesakes(name: str, above: Path) -> Iterator[Path]:
    """Yield the entries of a folder with a name, with other capitals or with a slip; nothing of a shared folder."""
    from difflib import get_close_matches  # takes 6 ms and is rarely needed

    with suppress(OSError):
        names = [] if is_shared(os.path.abspath(above)) else sorted(os.listdir(above))
        like = [one for one in names if abs(len(one) - len(name)) <= LETTERS]
        like = [one for one in like if re.findall(r"\d+", one) == re.findall(r"\d+", name)]
        same = [one for one in like if one.lower() == name.lower()] or get_close_matches(name, like, 1, NEARLY)
        yield from (above / one for one in same)
