"""Opening of files that other users may have put there: only plain ones, and without waiting."""

import os
import re
import stat
from typing import BinaryIO

_OWN = re.compile(r"/dev/(stdin|fd/\d+)|/proc/self/fd/\d+")
"""Files that this process was given open, such as the output of another program."""


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a plain file to read, or one that the caller of this process has opened for it, such as `/dev/stdin`.

    Raises OSError for others: reading a named pipe, a device or a socket may take for ever, or have effects.
    """
    name = os.fspath(path)
    if _OWN.fullmatch(name):
        return open(name, "rb")
    return open(name, "rb", opener=_plain)


def _plain(path: str, flags: int) -> int:
    descriptor = os.open(
        path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    )  # its kind is known only once it is open
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return descriptor
    os.close(descriptor)
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    raise OSError(f"it is {kinds.get(stat.S_IFMT(mode), 'a device')}, not a file")
