"""Compiled code on disk, read only if the file is complete, owned by this user, and made from exactly this input.

The environment variable KINETREE_CACHE is the folder, or `off`; the default is the user's cache folder. A cache that is
missing, damaged, of another user or not writable is ignored silently, and nothing in it is executed.
"""

import hashlib
import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

LIMIT = 256 * 2**20
"""Bytes that the folder may contain; the least recently used entries are deleted first."""
OFF = {"off", "0", "no", "none", "false"}
"""Values of KINETREE_CACHE that turn the cache off."""
SWEEPS: tuple[str, ...] = ("0",)
"""Last hexadecimal digits of keys after whose writing the folder is cleaned: one in sixteen, since cleaning takes
longer than writing."""
_MAGIC = b"kinetree machine code 1\n"


def folder() -> Path | None:
    """Return the cache folder, or None if the cache is off."""
    setting = os.environ.get("KINETREE_CACHE", "")
    if setting.strip().lower() in OFF:
        return None
    try:
        return Path(setting).expanduser() if setting else _users() / "kinetree"
    except RuntimeError:  # no home folder
        return None


def _users() -> Path:
    """Return the user's cache folder. (Importing a library for this would take longer than loading code.)"""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".cache"


def digest(*parts: str | bytes) -> str:
    """Return a hash of all these parts together."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


@cache
def package() -> str:
    """Return a hash of this version of the package, edits of its files included (not within a zip file)."""
    root = Path(__file__).parents[1]
    entries: list[str] = [sys.modules["kinetree"].__version__]
    for folder in (
        root,
        *(root / part for part in ("algorithms", "compiler", "contact", "model", "queries", "spatial")),
    ):
        with suppress(OSError), os.scandir(folder) as files:
            described = [(file.name, file.stat()) for file in files if file.name.endswith(".py")]
            entries += sorted(f"{name} {status.st_mtime_ns} {status.st_size}" for name, status in described)
    return digest(*entries)


def read(key: str) -> bytes | None:
    """Return the code that was written under this key, or None."""
    where = folder()
    if where is None or not _is_ours(where):
        return None
    try:
        with open(_file(where, key), "rb", opener=_without_following) as file:
            if not _is_private(os.fstat(file.fileno())):
                return None
            data = file.read()
    except OSError:
        return None
    head = _MAGIC + key.encode() + b"\n"
    code = data[len(head) + 64 :]
    if data[: len(head)] != head or data[len(head) : len(head) + 64] != digest(code).encode():
        return None
    with suppress(OSError):
        os.utime(_file(where, key))  # marks it as recently used
    return code


def write(key: str, code: bytes) -> None:
    """Write code under a key, completely or not at all."""
    where = folder()
    if where is None:
        return
    try:
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(where):
            return
        descriptor, temporary = tempfile.mkstemp(".o", "kinetree-", where)
        try:
            with open(descriptor, "wb") as file:
                file.write(_MAGIC + key.encode() + b"\n" + digest(code).encode() + code)
            os.replace(temporary, _file(where, key))
        except BaseException:
            os.unlink(temporary)
            raise
        if key.endswith(SWEEPS):
            _forget_oldest(where)
    except OSError:
        return


def _file(where: Path, key: str) -> Path:
    return where / f"kinetree-{key}.o"


def _without_following(path: str, flags: int) -> int:
    """Open a file, but no symbolic link, and without waiting for the other end of a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _is_ours(where: Path) -> bool:
    """Return whether the folder belongs to this user and only this user may write there."""
    try:
        status = where.stat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)


def _is_private(status: os.stat_result) -> bool:
    if not stat.S_ISREG(status.st_mode):
        return False
    return not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o077)


def _forget_oldest(where: Path) -> None:
    """Delete the least recently used files, unfinished ones included, but only those of this package."""
    entries = sorted(((s := path.stat()).st_mtime, s.st_size, path) for path in where.glob("kinetree-*.o"))
    total = sum(size for _, size, _ in entries)
    for _, size, path in entries:
        if total <= LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= size
