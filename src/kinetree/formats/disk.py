"""Names beside a file, locks, digests and flushing, for writing files and for their journal.

A file of Kinetree that is locked belongs to a running process; an unlocked one was left by a process that was killed.
On file systems without locks, every such file counts as left.
"""

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from pathlib import Path

NEW, OLD = "kinetree-new", "kinetree-old"
"""Ends of the names of a new file, and of an old one that is kept until all others are replaced."""
_CAUTIOUS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _CAUTIOUS
LOCKED = 2**31 - 2
"""Place of the byte that is locked on Windows; `msvcrt.locking` cannot reach further."""
PAUSES = (0.01, 0.05, 0.1, 0.2, 0.4)
"""Seconds to wait between attempts to replace an open file on Windows."""
MOST_BYTES = 1_000_000_000
"""Largest file of which a digest is made."""
_MOST_NAMES = 100
_STRAY = re.compile(rf"\..+\.\d+\.{NEW}")


def beside(path: Path, tag: object, end: str) -> Path:
    """Return the path of a file in the same folder."""
    return path.with_name(f".{path.name}.{tag}.{end}")


def created_locked(name: Callable[[int], Path], mode: int) -> tuple[FileIO, Path]:
    """Create and lock the first file that no other process has locked; remove files that killed processes have left."""
    for number in range(_MOST_NAMES):
        path = name(number)
        if os.path.lexists(path) and not _discard(path):
            continue
        try:
            handle = os.open(path, CREATE, mode)
        except FileExistsError:
            continue
        if lock(handle) and is_at(handle, path):  # else another process took it for a left one
            return FileIO(handle, "r+"), path
        os.close(handle)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(name(0)))


def discard_strays(folder: Path) -> None:
    """Remove the new files without a journal that killed processes have left in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _STRAY.fullmatch(entry.name):
                _discard(Path(entry.path))


def _discard(path: Path) -> bool:
    """Remove a file that a killed process has left, and return whether it is gone."""
    try:
        if sys.platform == "win32":
            os.unlink(path)  # an open file stays there
            return True
        handle = os.open(path, os.O_RDWR | _CAUTIOUS)
    except OSError:
        return not os.path.lexists(path)
    try:
        if not (lock(handle) and stat.S_ISREG(os.fstat(handle).st_mode) and is_at(handle, path)):
            return False
        os.unlink(path)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def lock(handle: int) -> bool:
    """Lock an open file until it is closed, and return whether it was free."""
    try:
        if sys.platform == "win32":
            _lock_a_byte(handle)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # the file system has no locks
        return True
    return True


def _lock_a_byte(handle: int) -> None:
    """Lock one byte far behind the end of a file; Windows lets no other handle read a locked byte."""
    import msvcrt

    at = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, LOCKED, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    finally:
        os.lseek(handle, at, os.SEEK_SET)


def put_in_place(new: Path, target: Path) -> None:
    """Rename a file to its target, which it replaces. On Windows a target that another program has open cannot be
    replaced; a scanner of viruses closes it soon, so that is tried for some time."""
    for seconds in (*PAUSES, None):
        try:
            os.replace(new, target)
            return
        except PermissionError:
            if seconds is None or sys.platform != "win32":
                raise
            time.sleep(seconds)


def is_at(handle: int, path: Path) -> bool:
    """Return whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def open_cautiously(path: Path, flags: int = os.O_RDONLY) -> int | None:
    """Open a plain file; return None if it does not exist. Raises OSError for a link, a pipe or anything else."""
    try:
        handle = os.open(path, flags | _CAUTIOUS)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "is not a plain file")
    return handle


def digest(data: bytes) -> str:
    """Return the SHA-256 of some data."""
    import hashlib  # loads a large library and is seldom used

    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str | None:
    """Return the SHA-256 of a plain file, None if it does not exist. Raises OSError if it cannot be read."""
    import hashlib

    handle = open_cautiously(path)
    if handle is None:
        return None
    with open(handle, "rb") as file:
        if os.fstat(handle).st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"has more than {MOST_BYTES} bytes")
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_fully(handle: int, data: bytes) -> None:
    """Write all of the data to an open file."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system can."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # a folder that may be written but not read
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # the file system cannot flush
            raise
    finally:
        os.close(handle)
