"""Writing of files, whole or not at all, flushed to disk.

`write_whole` writes one file, `write_all` several, of which either all change or none. New content goes to a file
beside its target, which is then renamed to it. Several files also have a journal, see `kinetree.formats.journal`.
"""

import errno
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.disk import (
    CREATE,
    NEW,
    beside,
    created_locked,
    digest,
    digest_of,
    flush_folder,
    put_in_place,
    write_fully,
)
from kinetree.formats.journal import Journal, begun, new_of, old_of, recover


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, or leave it as it is and raise KinetreeError.

    Text is written in UTF-8. A link is followed: its target is replaced. A device or a pipe cannot be replaced, so it
    is written into. Rights and, if possible, the owner stay; a new file has the rights that the umask gives. A
    read-only file stays, although replacing it needs no right to write to it.
    """
    write_all({path: content})


def write_all(contents: Mapping[Path, str | bytes]) -> list[Finding]:
    """Write files as `write_whole` does: all of them, or none and raise KinetreeError.

    Returns findings about an earlier run that was killed while it wrote several files in these folders.
    """
    files: dict[Path, bytes] = {}
    devices: dict[Path, bytes] = {}
    for path, content in contents.items():
        data = content.encode() if isinstance(content, str) else content
        with _naming(path):
            if path.exists() and not path.is_file():
                devices[path] = data
            else:
                files[_checked(path)] = data
    if len(files) > 1:
        notes = recover({path.parent for path in files})
        _write_several(files, devices)
        return notes
    _write_into(devices)
    for path, data in files.items():
        _write_one(path, data)
    return []


@contextmanager
def made_folders(folders: Iterable[Path]) -> Iterator[None]:
    """Make the folders that do not exist; if anything is raised within, remove the new ones again."""
    made: list[Path] = []
    try:
        for folder in dict.fromkeys(folders):
            new = [place for place in (folder, *folder.parents) if not place.is_dir()]
            for place in reversed(new):
                with _naming(place):
                    place.mkdir()
                made.append(place)
        yield
    except BaseException:
        for place in reversed(made):
            with suppress(OSError):  # another program has put something into it
                place.rmdir()
        raise


@contextmanager
def _naming(path: Path, what: str = "cannot be written") -> Iterator[None]:
    """Turn an error of the system into a KinetreeError that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        message = f"{what}: {getattr(error, 'strerror', None) or error}"
        raise KinetreeError(Finding("file", "error", message, Source(str(path)))) from None


def _checked(path: Path) -> Path:
    """Return the file that a path leads to. Raises KinetreeError if it exists and may not be replaced."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    for held in (target, target.parent) if target.exists() else ():
        if not os.access(held, os.W_OK):
            what = "file" if held == target else "folder"
            raise KinetreeError(Finding("file", "error", f"this {what} is read-only", Source(str(held))))
    if target.exists() and _is_kept_by_owner(target):
        message = "belongs to another user, and its folder lets nobody else replace it (sticky bit)"
        raise KinetreeError(Finding("file", "error", message, Source(str(target))))
    return target


def _is_kept_by_owner(file: Path) -> bool:
    """Return whether a file lies in a sticky folder, such as /tmp, in which only its owner may replace it."""
    folder = file.parent.stat()
    if not folder.st_mode & 0o1000 or not hasattr(os, "geteuid"):
        return False
    return os.geteuid() not in (0, folder.st_uid, file.stat().st_uid)


def _write_one(target: Path, data: bytes) -> None:
    with _naming(target):
        file, temporary = created_locked(lambda number: beside(target, number, NEW), _mode(target))
        try:
            with file:
                _fill(file.fileno(), data, target)
                if sys.platform == "win32":
                    file.close()  # it could not be renamed there; elsewhere it stays locked, so no run removes it
                put_in_place(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    with _naming(target, "is written, but could not be flushed to disk"):
        flush_folder(target.parent)


def _write_several(files: Mapping[Path, bytes], devices: Mapping[Path, bytes]) -> None:
    digests = {}
    for path, data in files.items():
        with _naming(path):
            digests[path] = (digest_of(path), digest(data))
    journal = Journal(digests)
    with begun(journal):
        for path, data in files.items():
            with _naming(path):
                _create(new_of(journal, path), data, path)
                if path.exists():
                    _keep(path, old_of(journal, path))
        _write_into(devices)
        for folder in journal.folders:
            with _naming(folder):
                flush_folder(folder)
        for path in files:
            with _naming(path):
                put_in_place(new_of(journal, path), path)
        for folder in journal.folders:
            with _naming(folder):
                flush_folder(folder)


def _write_into(devices: Mapping[Path, bytes]) -> None:
    for path, data in devices.items():
        with _naming(path):
            path.write_bytes(data)


def _keep(path: Path, backup: Path) -> None:
    """Give a file a second name, or make a copy if links do not work."""
    try:
        os.link(path, backup)
    except OSError:
        _create(backup, path.read_bytes(), path)


def _create(path: Path, data: bytes, like: Path) -> None:
    handle = os.open(path, CREATE, _mode(like))
    try:
        _fill(handle, data, like)
    finally:
        os.close(handle)


def _mode(like: Path) -> int:
    """Return the rights of a file to create: others see no secrets before it has the rights of the old file."""
    return 0o600 if like.exists() else 0o666


def _fill(handle: int, data: bytes, like: Path) -> None:
    """Write data to a new file, give it the rights of the file `like` if that exists, and flush it to disk."""
    write_fully(handle, data)
    if like.exists():
        _take_rights(handle, like)
    os.fsync(handle)


def _take_rights(handle: int, like: Path) -> None:
    """Give a file the rights and, if allowed, owner and group of another; a changed group gets at most others'."""
    old = like.stat()
    mode = old.st_mode & 0o777
    if sys.platform == "win32":
        return  # Windows has read-only files alone, which are refused before
    with suppress(PermissionError):  # a user who may write to another's file may lack the right to give it away
        os.chown(handle, old.st_uid, old.st_gid)
    if os.fstat(handle).st_gid != old.st_gid:
        try:
            os.chown(handle, -1, old.st_gid)
        except PermissionError:
            mode &= 0o707 | (mode & 0o007) << 3
    os.chmod(handle, mode)
    if sys.platform == "linux":
        for name in os.listxattr(like):
            if name.startswith("user.") or name == "system.posix_acl_access":
                with suppress(OSError):
                    os.setxattr(handle, name, os.getxattr(like, name))
