"""Files as other systems and owners have them: rights that cannot be kept, folders that cannot be read, odd paths."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from each import each
from kinetree.confine import Confinement, Places, confinement_of, real
from kinetree.errors import KinetreeError, fail
from kinetree.files import nearby, opener, output, packages

posix = pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")


@posix
@each(
    "mode, user, owners, kept",
    [
        (0o1777, 1000, (0, 1001), True),
        (0o1777, 1000, (1000, 1001), False),
        (0o1777, 1000, (0, 1000), False),
        (0o1777, 0, (1, 2), False),
        (0o777, 1000, (0, 1001), False),
    ],
)
def test_in_a_sticky_folder_only_the_owner_replaces_a_file(mode, user, owners, kept):
    def named(mode, owner, parent=None):
        return SimpleNamespace(stat=lambda: SimpleNamespace(st_mode=mode, st_uid=owner), parent=parent)

    folder, file = owners
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output.os, "geteuid", lambda: user)
        assert output._is_kept_by_owner(named(0o644, file, named(mode, folder))) is kept


def test_a_file_that_its_owner_keeps_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "a.urdf"
    file.write_text("old")
    monkeypatch.setattr(output, "_is_kept_by_owner", lambda target: target == file)
    with pytest.raises(KinetreeError, match="belongs to another user, and its folder lets nobody else") as error:
        output.write_whole(file, "new")
    assert (error.value.findings[0].source.file, file.read_text()) == (str(file), "old")
    output.write_whole(tmp_path / "b.urdf", "new")


@posix
@each(
    "mode, allowed, rights", [(0o664, False, 0o644), (0o640, False, 0o600), (0o775, False, 0o755), (0o664, True, 0o664)]
)
def test_a_group_that_cannot_be_kept_gets_what_all_others_have(mode, allowed, rights):
    asked, given = [], []

    def chown(handle, user, group):
        asked.append((user, group))
        if user != -1 or not allowed:
            raise PermissionError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(output.os, "chown", chown)
        patch.setattr(output.os, "chmod", lambda handle, mode: given.append((handle, mode)))
        patch.setattr(output.os, "fstat", lambda handle: SimpleNamespace(st_gid=7))
        patch.setattr(output.os, "listxattr", lambda like: [], raising=False)
        status = SimpleNamespace(st_mode=0o100000 | mode, st_uid=5, st_gid=6)
        output._take_rights(3, SimpleNamespace(stat=lambda: status))
    assert (asked, given) == ([(5, 6), (-1, 6)], [(3, rights)])


@posix
def test_attributes_of_users_are_kept_as_far_as_the_disk_has_them(tmp_path, monkeypatch):
    file, kept = tmp_path / "a", {}
    file.write_text("x")

    def setxattr(handle, name, value):
        if name == "user.refused":
            raise OSError(errno.ENOTSUP, "no")
        kept[name] = value

    names = ["user.refused", "user.note", "security.selinux", "system.posix_acl_access", "trusted.x"]
    monkeypatch.setattr(output.sys, "platform", "linux")
    for name, function in (
        ("listxattr", lambda like: names),
        ("getxattr", lambda like, name: name.upper()),
        ("setxattr", setxattr),
        ("chown", lambda *_: None),
        ("fstat", lambda handle: file.stat()),
        ("chmod", lambda *_: None),
    ):
        monkeypatch.setattr(output.os, name, function, raising=False)
    output._take_rights(3, file)
    assert kept == {"user.note": "USER.NOTE", "system.posix_acl_access": "SYSTEM.POSIX_ACL_ACCESS"}


def test_a_folder_that_cannot_be_read_holds_nothing(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a").mkdir()
    (tmp_path / ".hidden").mkdir()
    assert packages._children(tmp_path) == [tmp_path / "a", tmp_path / "b"]
    assert packages._children(tmp_path / "nothing") == []


def test_a_file_that_is_too_large_is_not_looked_for_elsewhere():
    def opened(code):
        files = opener.Files({}, None)

        def open(wanted, asked_from):
            raise fail(code, "cannot be read")

        files.open = open
        return files

    with pytest.raises(KinetreeError, match="cannot be read"):
        opened("file-size")("a.stl", "r.urdf")
    missed = opened("file")
    assert missed("a.stl", "r.urdf") is None
    assert missed.missed == {"a.stl": "cannot be read"}
    confined = opened("confined")
    assert confined("m/model.sdf", "r.urdf") is None
    assert confined.refused["m"].source.file == "r.urdf"


def test_odd_paths_have_no_content_and_no_links(tmp_path, monkeypatch):
    odd = Path(tmp_path, "a\0b")
    monkeypatch.setattr(Path, "resolve", _refused)
    with opener.snapshot({}):
        assert opener.is_held(odd) is False
    monkeypatch.setattr(os.path, "realpath", _refused)
    assert real("a\0b") == os.path.abspath("a\0b")


def _refused(path, *_, **__):
    raise ValueError("embedded null byte")


def test_paths_in_a_folder_that_is_not_there_are_looked_up_once(tmp_path, monkeypatch):
    asked = []
    real_link = nearby.broken_link
    monkeypatch.setattr(nearby, "broken_link", lambda path, known: asked.append(path) or real_link(path, known))
    known = {}
    gone = [tmp_path / "none" / name for name in ("a.stl", "b.stl")]
    assert nearby.offer(gone, lambda path: True, known) == ""
    assert asked.count(tmp_path / "none") == 1
    (tmp_path / "A.stl").write_text("x")
    assert "A.stl, with other capitals" in nearby.offer([gone[0], tmp_path / "a.stl"], lambda path: True, known)


def test_places_of_robots_that_are_attached():
    here, there = Confinement((Path("/a"),), {"X": "1", "Y": "2"}), Confinement((Path("/b"),), {"X": "3", "Z": "4"})
    one, two = Places({"p": Path("/p")}, here, "urdf"), Places({"p": Path("/q"), "r": Path("/r")}, there, "sdf")
    joined = one.joined(two)
    assert joined.packages == {"p": Path("/p"), "r": Path("/r")}
    assert joined.confinement.folders == (Path("/a"), Path("/b"))
    assert (joined.confinement.environment, joined.format) == ({"X": "1", "Y": "2", "Z": "4"}, "urdf")
    for free in (Places({}, None), Places()):
        assert one.joined(free).confinement is free.joined(one).confinement is None


def test_confinements_of_sources(tmp_path):
    own = Confinement((Path("/a"),))
    assert confinement_of("any", own) is own
    assert confinement_of("any", False) is None
    for text in ("<robot/>", "  <robot/>", "a:\n  b"):
        assert tuple(confinement_of(text, True).folders) == ()
    file = tmp_path / "r.urdf"
    assert Path(os.path.realpath(tmp_path)) in confinement_of(file, True).folders
    assert tuple(confinement_of(5, True).folders) == ()
