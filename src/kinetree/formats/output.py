"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from kinetree.errors import Finding, KinetreeError, Source


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file beside its target, then put them in their places, so that a failure leaves all old files.

    Text is written in UTF-8. A link is followed; a device or a pipe is written into, for it cannot be replaced. What is
    read-only stays, though to put a new file in its place would need no right to write to it.
    """
    temporary: dict[Path, str] = {}
    path = Path()
    try:
        devices: dict[Path, bytes] = {}
        for path, content in contents.items():
            data = content.encode() if isinstance(content, str) else content
            target = path.resolve()
            if target.exists() and not target.is_file():
                devices[target] = data
            else:
                _check_rights(target)
                temporary[target] = _write_beside(target, data)
        for path, data in devices.items():
            path.write_bytes(data)
        for path in list(temporary):
            os.replace(temporary[path], path)
            del temporary[path]
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise KinetreeError(Finding("file", "error", message, Source(str(path)))) from None
    finally:
        for left_over in temporary.values():
            os.unlink(left_over)


def _check_rights(target: Path) -> None:
    """Raises KinetreeError for a file that is there and read-only, itself or its folder."""
    for held in (target, target.parent) if target.exists() else ():
        if not os.access(held, os.W_OK):
            what = "file" if held == target else "folder"
            raise KinetreeError(Finding("file", "error", f"this {what} is read-only", Source(str(held))))


def _write_beside(path: Path, data: bytes) -> str:
    """The name of a new file in the same folder, with the data and with the rights and, where that may be, the owner
    that the file at `path` has."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        old = path.stat() if path.exists() else None
        if old and hasattr(os, "chown"):
            with suppress(PermissionError):  # who may write to a file of somebody else need not be able to give it away
                os.chown(temporary, old.st_uid, old.st_gid)
        os.chmod(temporary, old.st_mode & 0o777 if old else 0o666 & ~_umask())
    except BaseException:
        os.unlink(temporary)
        raise
    return temporary


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
