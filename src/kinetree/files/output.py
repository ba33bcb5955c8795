"""Writing of files, whole or not at all.

New contents go to files beside their targets, are flushed to disk, and then replace the targets. If one of several
cannot be replaced, those before it get their old contents back.
"""

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kinetree.errors import Finding, KinetreeError, Source

END = ".kinetree-new"
"""End of the name of a file before it replaces its target, and of a second name of an old file."""
PAUSES = (0.01, 0.05, 0.1, 0.2, 0.4)
"""Seconds to wait between attempts to replace an open file on Windows."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, or leave it as it is and raise KinetreeError.

    Text is written in UTF-8. A link is followed: its target is replaced. A device or a pipe cannot be replaced, so it
    is written into. Rights and, if possible, the owner stay; a new file has the rights that the umask gives. A
    read-only file stays, although replacing it needs no right to write to it.
    """
    write_all({path: content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write files as `write_whole` does: all of them, or none and raise KinetreeError."""
    ready: list[tuple[Path, Path]] = []
    devices: list[tuple[Path, bytes]] = []
    try:
        for path, content in contents.items():
            data = content.encode() if isinstance(content, str) else content
            with _naming(path):
                if path.exists() and not path.is_file():
                    devices.append((path, data))
                else:
                    target = _checked(path)
                    ready.append((_prepared(target, data), target))
        for path, data in devices:
            with _naming(path):
                path.write_bytes(data)
        _replace(ready)
    finally:
        for new, _ in ready:
            with suppress(OSError):
                new.unlink(missing_ok=True)


def check_no_links(files: Iterable[Path], named: Path) -> None:
    """Raise KinetreeError if a file would be written through a link that the user did not name. files: those to write;
    named: the one that the user named, in whose folder the others lie."""
    top, ends = Path(os.path.abspath(named)).parent, (named, Path(os.path.abspath(named)))
    for file in (Path(os.path.abspath(file)) for file in files if file not in ends):
        for place in (file, *file.parents):
            if place == top:
                break
            if place.is_symlink():
                message = f"is a link, and what is written beside {named.name} follows no links; remove it"
                raise KinetreeError(Finding("file", "error", message, Source(str(place))))


def _replace(ready: Sequence[tuple[Path, Path]]) -> None:
    """Rename new files to their targets. If one cannot be renamed, give those before it their old contents back."""
    done: list[tuple[Path, Path | None]] = []
    try:
        for left, (new, target) in zip(range(len(ready) - 1, -1, -1), ready, strict=True):
            with _naming(target):
                if not target.exists():
                    done.append((target, None))
                elif left:  # a later file may fail
                    done.append((target, _kept(target)))
                _put_in_place(new, target)
    except BaseException:
        for target, old in done:
            with suppress(OSError):
                old.replace(target) if old else target.unlink()
        raise
    finally:
        for _, old in done:
            with suppress(OSError):
                old.unlink(missing_ok=True) if old else None


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
def _naming(path: Path) -> Iterator[None]:
    """Turn an error of the system into a KinetreeError that names the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # a null character in a path is a ValueError
        message = f"cannot be written: {getattr(error, 'strerror', None) or error}"
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


def _beside(target: Path) -> Path:
    """Return a new name in the folder of a file."""
    return target.with_name(f".{target.name[:50]}.{os.urandom(8).hex()}{END}")


def _prepared(target: Path, data: bytes) -> Path:
    """Return a new file beside the target, flushed to disk, with some data and the rights of the target."""
    new = _beside(target)
    handle = os.open(new, _CREATE, 0o600 if target.exists() else 0o666)  # nobody sees secrets before it has its rights
    try:
        with open(handle, "wb") as file:
            file.write(data)
            if target.exists():
                _take_rights(handle, target)
            file.flush()
            os.fsync(handle)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return new


def _kept(target: Path) -> Path:
    """Return a second name of a file, or a copy of it if links do not work."""
    old = _beside(target)
    try:
        os.link(target, old)
    except OSError:
        return _prepared(target, target.read_bytes())
    return old


def _put_in_place(new: Path, target: Path) -> None:
    """Rename a file to its target, which it replaces. On Windows a target that another program has open cannot be
    replaced; virus scanners close it soon, so this is tried for some time."""
    for seconds in (*PAUSES, None):
        try:
            os.replace(new, target)
            return
        except PermissionError:
            if seconds is None or sys.platform != "win32":
                raise
            time.sleep(seconds)


def _take_rights(handle: int, like: Path) -> None:
    """Give a file the rights and, if allowed, owner and group of another; a changed group gets at most others'."""
    if sys.platform == "win32":
        return  # Windows has read-only files alone, which are refused before
    old = like.stat()
    mode = old.st_mode & 0o777
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
