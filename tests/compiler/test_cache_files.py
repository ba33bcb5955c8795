"""Files of the cache: what is read, what is left alone and what is deleted, without a compiler."""

import os
import stat

import pytest

from cached import entries
from kinetree.compiler import cache

POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are of POSIX")
KEY, CODE = "0123456789abcdef" * 4, b"code " * 20


def test_what_is_written_is_read(folder):
    assert cache.read(KEY) is None
    cache.write(KEY, CODE)
    assert [path.name for path in entries(folder)] == [f"kinetree-{KEY}.o"]
    assert cache.read(KEY) == CODE
    assert cache.read(KEY[::-1]) is None
    cache.write(KEY, b"")
    assert cache.read(KEY) == b""


def test_every_damaged_byte_is_noticed(folder):
    cache.write(KEY, CODE)
    (path,) = entries(folder)
    whole = path.read_bytes()
    for at in (*range(0, len(whole), 29), 25, len(whole) - 1):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]):
            path.write_bytes(damaged)
            assert cache.read(KEY) is None
    path.write_bytes(whole + b"0")
    assert cache.read(KEY) is None
    (folder / f"kinetree-{KEY[::-1]}.o").write_bytes(whole)  # of another key
    assert cache.read(KEY[::-1]) is None


@POSIX
def test_only_private_files_in_a_private_folder_are_read(folder, monkeypatch):
    cache.write(KEY, CODE)
    (path,) = entries(folder)
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(path.stat().st_mode)) == (0o700, 0o600)
    for bit in range(9):
        os.chmod(path, 0o600 | 1 << bit)
        assert (cache.read(KEY) == CODE) is (bit >= 6)
        os.chmod(path, 0o600)
        os.chmod(folder, 0o700 | 1 << bit)
        is_ours = bit not in (1, 4)  # nobody else may write
        assert (cache.read(KEY) == CODE) is is_ours
        cache.write(KEY[::-1], CODE)
        assert (len(entries(folder)) == 2) is is_ours
        os.chmod(folder, 0o700)
        (folder / f"kinetree-{KEY[::-1]}.o").unlink(missing_ok=True)
    me = os.getuid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: me + 1)
        assert cache.read(KEY) is None
        patch.setattr(cache, "_is_ours", lambda where: True)
        assert cache.read(KEY) is None
    path.rename(folder / "elsewhere")
    path.symlink_to(folder / "elsewhere")
    assert cache.read(KEY) is None
    path.unlink()
    os.mkfifo(path, 0o600)
    assert cache.read(KEY) is None
    path.unlink()
    path.mkdir()
    cache.write(KEY, CODE)
    assert cache.read(KEY) is None
    assert [path.name for path in entries(folder)] == ["elsewhere", path.name]


def test_a_disk_that_is_full_leaves_nothing(folder, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    cache.write(KEY, CODE)
    assert entries(folder) == []


def test_reading_is_use(folder):
    cache.write(KEY, CODE)
    (path,) = entries(folder)
    os.utime(path, (1, 1))
    assert cache.read(KEY) == CODE
    assert path.stat().st_mtime > 1e9


def test_one_key_in_sixteen_cleans(folder, monkeypatch):
    monkeypatch.setattr(cache, "LIMIT", 0)
    for digit in "123456789abcdef0":
        cache.write("a" * 63 + digit, CODE)
        assert len(entries(folder)) == (0 if digit == "0" else int(digit, 16))


def test_the_oldest_go_first(folder, monkeypatch):
    kept = folder / "notes.txt", folder / "mine.o"
    folder.mkdir(parents=True, mode=0o700)
    for path in kept:
        path.write_bytes(bytes(2000))
    monkeypatch.setattr(cache, "SWEEPS", tuple("0123456789abcdef"))
    monkeypatch.setattr(cache, "LIMIT", 10_000)
    for n in range(6):
        cache.write(f"{n:064}", bytes(2000))
        for path in entries(folder):
            if path not in kept and f"{n:064}" in path.name:
                os.utime(path, (n, n))
    there = [n for n in range(6) if cache.read(f"{n:064}") is not None]
    assert there == [2, 3, 4, 5]
    for n in range(6):
        path = cache._file(folder, f"{n:064}")
        if path.exists():
            os.utime(path, (n, n))
    assert cache.read(f"{2:064}") is not None  # used just now
    cache.write(f"{7:064}", bytes(2000))
    there = [n for n in range(8) if cache.read(f"{n:064}") is not None]
    assert there == [2, 4, 5, 7]
    assert all(path.exists() for path in kept)


def test_what_was_never_finished_goes_too(folder, monkeypatch):
    """A program that is ended while it writes leaves a file behind."""
    folder.mkdir(parents=True, mode=0o700)

    def ended(*_):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", ended)
        patch.setattr(os, "unlink", lambda path: None)
        with pytest.raises(SystemExit):
            cache.write("a" * 64, bytes(5000))
    (left,) = [path for path in entries(folder) if path.stat().st_size == 5000 + len(cache._MAGIC) + 64 + 1 + 64]
    os.utime(left, (1, 1))
    monkeypatch.setattr(cache, "SWEEPS", tuple("0123456789abcdef"))
    monkeypatch.setattr(cache, "LIMIT", 20_000)
    cache.write("b" * 64, bytes(19_000))
    assert not left.exists()


def test_a_file_in_place_of_the_folder_is_no_folder_of_ours(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    file.chmod(0o600)
    (tmp_path / "own").mkdir(0o700)
    assert [cache._is_ours(tmp_path / name) for name in ("file", "own", "missing")] == [False, True, False]
