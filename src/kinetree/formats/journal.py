"""The journal of writing several files, with which the next run undoes a killed one.

Before the first of several files is replaced, every folder that contains some of them gets a file `.kinetree-journal`:

    {"kinetree-journal": 1, "id": "…", "inode": …, "files": [{"file": "arm.xacro", "old": SHA-256, "new": SHA-256}, …]}

It lists all files of the run, relative to its own folder; "old" is null for a file that is new. New and old contents
lie beside each file, as `.arm.xacro.ID.kinetree-new` and `….kinetree-old`. Journals are removed when all files are
replaced. So a journal that no living process has locked shows what to do: if all files are old, or all are new, the
left files are removed; otherwise the new ones become old again.

A journal may come from a stranger, in a copied folder. So it is used only if a run wrote this very file (by the number
of its inode, which no copy keeps), it belongs to this user, and only this user may write to it. It changes files only
in folders with the same journal, and only plain files whose contents have its digests; it lists nothing but files to
restore, and the names of their contents are fixed. Otherwise nothing is changed, and an error gives the reason.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.formats.disk import (
    CREATE,
    NEW,
    OLD,
    beside,
    digest_of,
    discard_strays,
    flush_folder,
    is_at,
    lock,
    open_cautiously,
    put_in_place,
    write_fully,
)

NAME = ".kinetree-journal"
VERSION = 1
MOST_BYTES = 10_000_000
_HEAD = '{"kinetree-journal": '
_ID = re.compile("[0-9a-f]{32}")
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Journal:
    """Files that one run replaces, to the digests of their old content (None without one) and of their new content."""

    files: Mapping[Path, tuple[str | None, str]]
    id: str = field(default_factory=lambda: os.urandom(16).hex())

    @property
    def folders(self) -> list[Path]:
        """Folders of the files, sorted; a run locks the journal in the first."""
        return sorted({path.parent for path in self.files})


def new_of(journal: Journal, path: Path) -> Path:
    """Return the path at which the new content of a file is prepared."""
    return beside(path, journal.id, NEW)


def old_of(journal: Journal, path: Path) -> Path:
    """Return the path at which the old content of a file is kept."""
    return beside(path, journal.id, OLD)


@contextmanager
def begun(journal: Journal) -> Iterator[None]:
    """Replace files under a journal; if anything is raised within, all files become old again."""
    with ExitStack() as held:
        try:
            _write(journal, held)
            yield
        except BaseException as error:
            _undo_after(error, journal, held)
            raise
        with suppress(OSError):  # the next run clears up
            _remove(journal, journal.folders, held)


def _undo_after(error: BaseException, journal: Journal, held: ExitStack) -> None:
    """Make all files old again; if that fails, add to the error that the next run does it."""
    try:
        _undo(journal)
        _remove(journal, [folder for folder in journal.folders if _is_in(journal, folder)], held)
    except (OSError, KinetreeError) as second:
        if isinstance(error, KinetreeError):
            more = "; some files may have changed, for this could not be undone: the next kinetree fix here does that"
            first, *others = error.findings
            message = first.message + more
            raise KinetreeError([Finding(first.code, first.severity, message, first.source), *others]) from second


def recover(folders: Iterable[Path]) -> list[Finding]:
    """Finish or undo what killed runs have left in some folders, and return a finding for each.

    Raises KinetreeError if another run writes there, or a journal cannot be used.
    """
    notes = []
    for folder in sorted({Path(os.path.realpath(folder)) for folder in folders}):
        with ExitStack() as held:
            try:
                if journal := _taken(folder, held):
                    notes.append(_settled(journal, folder, held))
                discard_strays(folder)
            except OSError as error:
                raise _refused(folder, f"it cannot be undone: {error.strerror or error}") from None
    return notes


def is_left(folder: Path) -> bool:
    """Return whether a folder has a journal, of a run that was killed or is still alive."""
    return os.path.lexists(folder / NAME)


def _taken(folder: Path, held: ExitStack) -> Journal | None:
    """Return the journal in a folder, locked while `held` lasts, or None; a truncated one is removed."""
    journal = _locked(folder, held)
    if journal and (first := journal.folders[0]) != folder:
        _locked(first, held)
    return journal


def _locked(folder: Path, held: ExitStack) -> Journal | None:
    handle = open_cautiously(folder / NAME, os.O_RDWR) if is_left(folder) else None
    if handle is None:
        return None
    file = held.enter_context(FileIO(handle, "r+"))
    if not lock(handle) or not is_at(handle, folder / NAME):
        raise _busy(folder)
    _check_owner(os.fstat(handle), folder)
    text = file.read(MOST_BYTES + 1)
    if _is_cut(text):  # its run was killed before it changed anything
        held.close()
        os.unlink(folder / NAME)
        return None
    return _read(text, folder, os.fstat(handle).st_ino)


def _busy(folder: Path) -> KinetreeError:
    message = "another run is writing files here; nothing was changed by this one"
    return KinetreeError(Finding("busy", "error", message, Source(str(folder)), fix="run it again when that has ended"))


def _settled(journal: Journal, folder: Path, held: ExitStack) -> Finding:
    """Make all files of a journal old or all new, and return a finding that says which."""
    states = {path: digest_of(path) for path in journal.files}
    for path, state in states.items():
        if state not in journal.files[path]:
            raise _refused(folder, f"{path} has been changed since, so that the run cannot be undone")
    changing = [path for path, (old, new) in journal.files.items() if old != new]
    replaced = [path for path in changing if states[path] == journal.files[path][1]]
    if replaced and len(replaced) < len(changing):
        if without := [each for each in journal.folders if not _is_in(journal, each)]:
            raise _refused(folder, f"it speaks of files in {without[0]}, where there is no such journal")
        _undo(journal)
        done = f"has been undone: {len(journal.files)} files are as they were before it ({_names(journal)})"
    elif replaced:
        done = f"had changed all of its {len(journal.files)} files; nothing was left to do ({_names(journal)})"
    else:
        done = f"had not changed any of its {len(journal.files)} files ({_names(journal)})"
    _remove(journal, [each for each in journal.folders if _is_in(journal, each)], held)
    for each in filter(is_left, journal.folders):
        with suppress(KinetreeError), ExitStack() as for_now:
            _locked(each, for_now)  # removes a truncated journal
    message = f"an earlier run was interrupted while it wrote files here, and {done}"
    return Finding("interrupted", "warning", message, Source(str(folder)))


def _names(journal: Journal) -> str:
    names = [path.name for path in journal.files]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _undo(journal: Journal) -> None:
    replaced = [path for path, (old, new) in journal.files.items() if old != new and digest_of(path) == new]
    for path in replaced:
        old, _ = journal.files[path]
        if old is not None and digest_of(old_of(journal, path)) != old:
            raise _refused(path.parent, f"{old_of(journal, path)} is not the old content of {path.name}")
    for path in replaced:
        if journal.files[path][0] is None:
            os.unlink(path)
        else:
            put_in_place(old_of(journal, path), path)
    for folder in {path.parent for path in replaced}:
        flush_folder(folder)


def _remove(journal: Journal, folders: list[Path], held: ExitStack) -> None:
    """Remove what a run has left in some folders: the journals last, and the locked one after all others."""
    for path in journal.files:
        if path.parent in folders:
            new_of(journal, path).unlink(missing_ok=True)
            old_of(journal, path).unlink(missing_ok=True)
    if sys.platform == "win32":
        held.close()  # an open file cannot be removed there
    for folder in reversed(folders):
        flush_folder(folder)
        (folder / NAME).unlink(missing_ok=True)
    for folder in folders:
        flush_folder(folder)


def _write(journal: Journal, held: ExitStack) -> None:
    for number, folder in enumerate(journal.folders):
        with ExitStack() as for_now:
            try:
                _write_in(folder, journal, for_now if number else held)
            except FileExistsError:
                raise _busy(folder) from None
            except OSError as error:
                message = f"cannot be written: {error.strerror or error}"
                raise KinetreeError(Finding("file", "error", message, Source(str(folder / NAME)))) from None


def _write_in(folder: Path, journal: Journal, held: ExitStack) -> None:
    path = folder / NAME
    if len(_text(journal, folder, 0)) + len(str(2**64)) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"{len(journal.files)} files are too many to be written together")
    file = held.enter_context(FileIO(os.open(path, CREATE, 0o600), "r+"))
    if not lock(file.fileno()) or not is_at(file.fileno(), path):
        raise _busy(folder)
    try:
        write_fully(file.fileno(), _text(journal, folder, os.fstat(file.fileno()).st_ino))
        os.fsync(file.fileno())
        flush_folder(folder)
    except BaseException:
        held.close()
        os.unlink(path)
        raise


def _text(journal: Journal, folder: Path, inode: int) -> bytes:
    import json  # not at the start, because `save` seldom has a journal

    rows = [
        {"file": _relative(path, folder), "old": old, "new": new} for path, (old, new) in sorted(journal.files.items())
    ]
    head = f'{_HEAD}{VERSION}, "id": "{journal.id}", "inode": {inode}, "files": '
    return f"{head}{json.dumps(rows, indent=1)}}}\n".encode()


def _relative(path: Path, folder: Path) -> str:
    try:
        return os.path.relpath(path, folder)
    except ValueError:  # another drive
        return str(path)


def _is_cut(text: bytes) -> bool:
    """Return whether this is the beginning of a journal whose end was not written."""
    head = _HEAD.encode()
    return len(text) <= MOST_BYTES and head.startswith(text[: len(head)]) and not text.rstrip().endswith(b"]}")


def _is_in(journal: Journal, folder: Path) -> bool:
    handle = open_cautiously(folder / NAME) if is_left(folder) else None
    if handle is None:
        return False
    with open(handle, "rb") as file:
        _check_owner(os.fstat(handle), folder)
        text = file.read(MOST_BYTES + 1)
        inode = os.fstat(handle).st_ino
    return not _is_cut(text) and _read(text, folder, inode) == journal


def _check_owner(status: os.stat_result, folder: Path) -> None:
    if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
        raise _refused(folder, "it belongs to another user")
    if hasattr(os, "geteuid") and status.st_mode & 0o022:
        raise _refused(folder, "others may write to it")


def _read(text: bytes, folder: Path, inode: int) -> Journal:
    """Return the journal of a text. Raises KinetreeError if no run has written it in this folder."""
    import json

    if len(text) > MOST_BYTES:
        raise _refused(folder, f"it has more than {MOST_BYTES} bytes")
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise _refused(folder, "it is not JSON") from None
    if not (isinstance(data, dict) and data.keys() == {"kinetree-journal", "id", "inode", "files"}):
        raise _refused(folder, 'it is not an object of "kinetree-journal", "id", "inode" and "files"')
    if data["kinetree-journal"] != VERSION:
        raise _refused(folder, f"it is not of version {VERSION}")
    if data["inode"] != inode:
        raise _refused(folder, "it was copied here, so that no run of this folder has written it")
    rows = data["files"]
    if not (_is(_ID, data["id"]) and isinstance(rows, list) and all(map(_is_row, rows))):
        raise _refused(folder, 'its "id" and "files" are not those of a journal')
    files = {_path(row["file"], folder): (row["old"], row["new"]) for row in rows}
    if len(files) < len(rows) or folder not in {path.parent for path in files}:
        raise _refused(folder, "it names a file twice, or none in its own folder")
    return Journal(files, data["id"])


def _is(pattern: re.Pattern[str], value: object) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_row(row: Any) -> bool:
    if not (isinstance(row, dict) and row.keys() == {"file", "old", "new"} and isinstance(row["file"], str)):
        return False
    return (row["old"] is None or _is(_DIGEST, row["old"])) and _is(_DIGEST, row["new"])


def _path(name: str, folder: Path) -> Path:
    """Return the path of a file in a journal. Raises KinetreeError if it is no file name or leads through a link."""
    path = Path(os.path.normpath(folder / name))
    is_plain = "\0" not in name and path.name and os.path.basename(name) not in ("", ".", "..")
    if not is_plain or Path(os.path.realpath(path.parent)) != path.parent:
        raise _refused(folder, f"{name!r} is not the name of a file, or leads through a link")
    return path


def _refused(folder: Path, why: str) -> KinetreeError:
    message = f"this is the journal of a run that was interrupted while it wrote files, and cannot be used: {why}"
    fix = f"look at the files that it names, then remove it and the files that end in .{NEW} and .{OLD}"
    return KinetreeError(Finding("journal", "error", message, Source(str(folder / NAME)), fix=fix))
