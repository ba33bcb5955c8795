"""Compiled code on disk: what is read, and what is never read."""

import os
import re
import stat
import subprocess
import sys

import numpy as np
import pytest

import kinetree as kt
from cached import ARM, Q, arm, asked, entries, environment, replaced, right
from kinetree.compiler import cache, llvm, machine_code
from kinetree.compiler.ir_module import assembly
from kinetree.compiler.program import trace

pytestmark = pytest.mark.slow

POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are of POSIX")


def test_the_second_robot_neither_traces_nor_compiles(folder, work):
    first = asked()
    assert work.count("compile") == 1
    assert right(first)
    work.clear()
    second = kt.fk(arm(), "c")
    np.testing.assert_array_equal(second(Q), first)
    np.testing.assert_array_equal(second(Q[1]), first[1])
    assert work == []
    assert second.program.operations  # traced when somebody asks
    assert work == ["trace"]


def test_another_program_finds_it(folder):
    first = asked()
    text = f"""
import numpy as np, kinetree as kt
from kinetree.compiler import ir_module, llvm
from kinetree.queries import query
def fail(*a): raise SystemExit("compiled")
llvm.compile_object = ir_module.assembly = fail
query.trace = fail
T = kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()}))
print(T.tobytes().hex())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment())
    assert done.stdout.strip() == first.tobytes().hex(), done.stderr


@pytest.mark.slow
def test_many_programs_at_once(folder):
    text = f"""
import numpy as np, kinetree as kt
print(kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()})).tobytes().hex())
"""
    started = [
        subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env=environment())
        for _ in range(4)
    ]
    answers = {process.communicate()[0].strip() for process in started}
    assert answers == {asked().tobytes().hex()}
    assert len(entries(folder)) == 1  # and nothing half-written is left


@POSIX
def test_only_its_owner_may_read_it(folder):
    previous = os.umask(0)
    try:
        asked()
    finally:
        os.umask(previous)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in entries(folder)] == [0o600]


def damages(data, other):
    head = data.index(b"\n", 30) + 1  # behind the key
    yield from (data[:n] for n in (0, 1, 10, 30, head - 1, head, head + 1, head + 63, head + 64, head + 65))
    yield from (data[: len(data) * k // 9] for k in range(1, 9))
    yield data[:-1]
    yield data + b"\0"
    for at in (0, 5, 30, head - 2, head, head + 40, head + 64, head + 100, len(data) // 2, len(data) - 1):
        yield data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    yield other
    yield bytes(len(data))
    yield data[head + 64 :]  # the code alone


@pytest.mark.slow
def test_damaged_files_are_replaced(folder, work):
    asked(frame="b")
    (path,) = entries(folder)
    other = path.read_bytes()
    path.unlink()
    asked()
    (path,) = entries(folder)
    whole = path.read_bytes()
    for damaged in damages(whole, other):
        path.write_bytes(damaged)
        work.clear()
        assert right(asked())
        assert work.count("compile") == 1
        assert path.read_bytes() == whole
        assert entries(folder) == [path]


def poison(path):
    """Another robot's code under this key, as a forger would leave it."""
    key = re.search("[0-9a-f]{64}", path.name).group()
    program = trace(lambda q: np.full((4, 4), q[0]), (2,))
    code = llvm.compile_object(assembly(program, llvm.host(), "double", machine_code.array_layout()), llvm.host())
    path.write_bytes(cache._MAGIC + key.encode() + b"\n" + cache.digest(code).encode() + code)


@POSIX
def test_files_that_others_may_have_written(folder, work, tmp_path):
    asked()
    (path,) = entries(folder)
    poison(path)
    os.chmod(path, 0o600)
    assert (asked() == Q[:, :1, None]).all()  # the forgery would be taken, were it ours
    for mode in (0o620, 0o602, 0o640, 0o604, 0o644, 0o666, 0o777):
        poison(path)
        os.chmod(path, mode)
        assert replaced(work)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    elsewhere = tmp_path / path.name
    poison(elsewhere)
    os.chmod(elsewhere, 0o600)
    path.unlink()
    path.symlink_to(elsewhere)
    assert replaced(work)
    assert not path.is_symlink()
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    assert replaced(work)
    path.unlink()
    path.symlink_to(path.name)
    assert replaced(work)


@POSIX
def test_files_of_another_owner(folder, work, monkeypatch):
    asked()
    (path,) = entries(folder)
    poison(path)
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    before = path.read_bytes()
    assert replaced(work)
    assert path.read_bytes() == before  # the folder is not ours, so that nothing is written there
    monkeypatch.setattr(cache, "_is_ours", lambda where: True)
    work.clear()
    assert right(asked())
    assert work.count("compile") == 1


@POSIX
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o770])
def test_folders_where_others_may_write(folder, work, mode):
    asked()
    (path,) = entries(folder)
    poison(path)
    before = path.read_bytes()
    os.chmod(folder, mode)
    assert replaced(work)
    assert replaced(work)
    assert path.read_bytes() == before
    os.chmod(folder, 0o700)


@POSIX
@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write anywhere")
def test_folders_that_cannot_be_written(folder, work):
    folder.mkdir(parents=True)
    os.chmod(folder, 0o500)
    assert replaced(work)
    assert replaced(work)
    assert entries(folder) == []
    os.chmod(folder, 0o000)
    assert replaced(work)
    os.chmod(folder, 0o700)
    asked()
    (path,) = entries(folder)
    os.chmod(path, 0o000)
    assert replaced(work)


@POSIX
@pytest.mark.parametrize("what", ["pipe", "link to a pipe"])
def test_what_is_no_file_is_not_waited_for(folder, work, what):
    asked()
    (path,) = entries(folder)
    path.unlink()
    os.mkfifo(path if what == "pipe" else folder.parent / "pipe", 0o600)
    if what != "pipe":
        path.symlink_to(folder.parent / "pipe")
    assert replaced(work)
    assert path.is_file()


def test_something_else_in_its_place(folder, work):
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    assert replaced(work)
    assert folder.read_text() == "a file"
    folder.unlink()
    asked()
    (path,) = entries(folder)
    path.unlink()
    path.mkdir()
    assert replaced(work)
    assert entries(folder) == [path]
    (path / "not empty").touch()
    assert replaced(work)


def test_a_disk_that_fails(folder, work, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        assert replaced(work)
        assert entries(folder) == []
    asked()
    monkeypatch.setattr(os, "utime", fail)
    work.clear()
    assert right(asked())
    assert work == []


def test_where_files_have_no_owners(folder, work, monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(os, "getuid", raising=False)
    monkeypatch.delattr(os, "O_NOFOLLOW", raising=False)
    assert replaced(work)
    work.clear()
    assert right(asked())
    assert work == []
