"""The journal of several files: what is undone, and what a journal that came from somebody else may not do."""

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from kinetree.errors import KinetreeError
from kinetree.formats import journal as journals
from kinetree.formats.journal import NAME, recover
from kinetree.formats.output import write_all

ID = "0123456789abcdef" * 2
posix = pytest.mark.skipif(sys.platform == "win32", reason="rights, links and locks of POSIX")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def row(name: str, old: str | None = "old", new: str = "new") -> dict:
    return {"file": name, "old": old and digest(old), "new": digest(new)}


def plant(folder: Path, *rows: dict, **more) -> Path:
    """A journal in a folder."""
    path = folder / NAME
    path.touch()
    inode = path.stat().st_ino
    path.write_text(json.dumps({"kinetree-journal": 1, "id": ID, "inode": inode, "files": list(rows), **more}))
    path.chmod(0o600)
    return path


def old_of(path: Path, text: str = "old") -> Path:
    backup = path.with_name(f".{path.name}.{ID}.kinetree-old")
    backup.write_text(text)
    return backup


@pytest.fixture
def half(tmp_path) -> Path:
    """A folder in which one of two files is new."""
    folder = tmp_path / "half"
    folder.mkdir()
    (folder / "a.urdf").write_text("new")
    (folder / "b.urdf").write_text("old")
    old_of(folder / "a.urdf")
    old_of(folder / "b.urdf")
    (folder / f".b.urdf.{ID}.kinetree-new").write_text("new")
    return folder


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name != NAME}


def check_refused(folder: Path, said: str) -> None:
    before, journal = contents(folder), (folder / NAME).read_bytes()
    with pytest.raises(KinetreeError, match=said) as caught:
        recover([folder])
    assert caught.value.findings[0].code == "journal"
    assert caught.value.findings[0].source.file == str(folder / NAME)
    assert (contents(folder), (folder / NAME).read_bytes()) == (before, journal)


def test_what_is_half_done_is_undone(half):
    plant(half, row("a.urdf"), row("b.urdf"))
    (note,) = recover([half])
    assert (note.code, note.severity) == ("interrupted", "warning")
    assert "has been undone: 2 files are as they were before it (a.urdf, b.urdf)" in note.message
    assert contents(half) == {"a.urdf": "old", "b.urdf": "old"}
    assert not (half / NAME).exists()
    assert recover([half]) == []


def test_what_is_done_is_kept(half):
    (half / "b.urdf").write_text("new")
    plant(half, row("a.urdf"), row("b.urdf"))
    (note,) = recover([half])
    assert "had changed all of its 2 files" in note.message
    assert contents(half) == {"a.urdf": "new", "b.urdf": "new"}


def test_a_new_file_is_removed(half):
    plant(half, row("a.urdf", None), row("b.urdf"))
    recover([half])
    assert contents(half) == {"b.urdf": "old"}


@pytest.mark.parametrize("folders", [["a"], ["b"], ["a", "b"]])
def test_it_is_found_from_each_folder(folders, tmp_path):
    for name, text in (("a", "new"), ("b", "old")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "arm.urdf").write_text(text)
        old_of(tmp_path / name / "arm.urdf")
    plant(tmp_path / "a", row("arm.urdf"), row("../b/arm.urdf"))
    plant(tmp_path / "b", row("arm.urdf"), row("../a/arm.urdf"))
    moved = tmp_path.rename(tmp_path.with_name(f"{tmp_path.name}-moved"))
    (note,) = recover([moved / name for name in folders])
    assert "has been undone" in note.message
    assert [contents(moved / name) for name in "ab"] == [{"arm.urdf": "old"}] * 2
    moved.rename(tmp_path)


@pytest.mark.parametrize("length", [0, 1, 20, 60, 200, -2])
def test_one_that_is_cut_short_goes(length, tmp_path):
    """For nothing has happened before it was whole."""
    (tmp_path / "a.urdf").write_text("old")
    path = plant(tmp_path, row("a.urdf"), row("b.urdf"))
    path.write_bytes(path.read_bytes()[:length])
    assert recover([tmp_path]) == []
    assert os.listdir(tmp_path) == ["a.urdf"]


class TestHostile:
    """A journal that came with a copied folder, or that somebody else has put there."""

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("hello", "it is not JSON"),
            ("[" * 100_000, "it is not JSON"),
            ("[]\n", "it is not an object"),
            ('{"kinetree-journal": 2, "id": "x", "inode": 0, "files": []}\n', "not of version 1"),
            ('{"kinetree-journal": 1, "id": "../x", "inode": INODE, "files": []}\n', '"id" and "files" are not those'),
            (
                f'{{"kinetree-journal": 1, "id": "{ID}", "inode": INODE, "files": [{{"file": 1}}]}}\n',
                '"id" and "files" are not those',
            ),
            (f'{{"kinetree-journal": 1, "id": "{ID}", "inode": INODE, "files": []}}\n', "none in its own folder"),
        ],
    )
    def test_what_is_no_journal_is_refused(self, text, said, half):
        path = plant(half)
        path.write_text(text.replace("INODE", str(path.stat().st_ino)))
        check_refused(half, said)

    def test_a_copy_is_refused(self, half, tmp_path):
        """As git and tar make them: they belong to the user, but no run has written them."""
        plant(half, row("a.urdf"), row("b.urdf"))
        copy = tmp_path / "copy"
        shutil.copytree(half, copy)
        check_refused(copy, "it was copied here")

    def test_one_that_is_too_large_is_refused(self, half, monkeypatch):
        monkeypatch.setattr(journals, "MOST_BYTES", 100)
        plant(half, row("a.urdf"), row("b.urdf"))
        check_refused(half, "more than 100 bytes")

    @pytest.mark.parametrize("name", ["../victim/arm.urdf", "{}/victim/arm.urdf"])
    def test_files_of_other_folders_stay(self, name, half, tmp_path):
        """Though the digests agree, and even the old content lies there."""
        victim = tmp_path / "victim" / "arm.urdf"
        victim.parent.mkdir()
        victim.write_text("new")
        old_of(victim)
        (half / "a.urdf").write_text("old")
        plant(half, row("a.urdf"), row(name.format(tmp_path)))
        before = contents(victim.parent)
        check_refused(half, r"speaks of files in .*victim, where there is no such journal")
        assert contents(victim.parent) == before

    def test_strangers_in_other_folders_stay(self, half, tmp_path):
        """Where there is nothing to undo, too."""
        victim = tmp_path / "victim" / "arm.urdf"
        victim.parent.mkdir()
        victim.write_text("new")
        old_of(victim)
        before = contents(victim.parent)
        (half / "b.urdf").write_text("new")
        plant(half, row("a.urdf"), row("b.urdf"), row("../victim/arm.urdf"))
        recover([half])
        assert contents(victim.parent) == before

    @posix
    def test_no_link_is_followed(self, half, tmp_path):
        (tmp_path / "victim").mkdir()
        (tmp_path / "victim" / "arm.urdf").write_text("new")
        (half / "link").symlink_to(tmp_path / "victim")
        plant(half, row("b.urdf"), row("link/arm.urdf"))
        with pytest.raises(KinetreeError, match="leads through a link"):
            recover([half])
        (half / "link").unlink()
        (half / "a.urdf").unlink()
        (half / "a.urdf").symlink_to(tmp_path / "victim" / "arm.urdf")
        plant(half, row("a.urdf"), row("b.urdf"))
        check_refused(half, "cannot be undone")
        assert (tmp_path / "victim" / "arm.urdf").read_text() == "new"

    @posix
    @pytest.mark.parametrize("make", [lambda p: p.symlink_to("/etc/passwd"), os.mkfifo, Path.mkdir])
    def test_what_is_no_plain_file_is_refused(self, make, half):
        make(half / NAME)
        with pytest.raises(KinetreeError, match="cannot be undone"):
            recover([half])

    @posix
    def test_one_that_others_may_write_is_refused(self, half):
        plant(half, row("a.urdf"), row("b.urdf")).chmod(0o666)
        check_refused(half, "others may write to it")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
    def test_one_of_another_user_is_refused(self, half):
        os.chown(plant(half, row("a.urdf"), row("b.urdf")), 12345, 12345)
        check_refused(half, "belongs to another user")

    def test_what_has_been_changed_since_is_kept(self, half):
        (half / "b.urdf").write_text("mine")
        plant(half, row("a.urdf"), row("b.urdf"))
        check_refused(half, r"b.urdf has been changed since")

    def test_a_content_that_is_not_the_old_one_is_not_used(self, half):
        old_of(half / "a.urdf", "evil")
        plant(half, row("a.urdf"), row("b.urdf"))
        check_refused(half, "is not the old content of a.urdf")

    def test_nothing_else_is_written_beside_it(self, half):
        (half / NAME).write_text("hello")
        before = contents(half)
        with pytest.raises(KinetreeError, match="cannot be used"):
            write_all({half / "c.urdf": "new", half / "d.urdf": "new"})
        assert contents(half) == before


@posix
def test_one_of_a_process_that_is_alive_is_left(half):
    import fcntl

    with open(plant(half, row("a.urdf"), row("b.urdf")), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = contents(half)
        for action in (lambda: recover([half]), lambda: write_all({half / "c": "new", half / "d": "new"})):
            with pytest.raises(KinetreeError, match="another run is writing files here"):
                action()
        assert contents(half) == before
    assert len(recover([half])) == 1
