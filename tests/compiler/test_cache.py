"""Compiled code on disk: what is read, what is never read, and what makes another key."""

import os
import re
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from kinetree.compiler import cache, llvm, machine
from kinetree.compiler.ir_module import assembly
from kinetree.compiler.kernel import Kernel
from kinetree.compiler.port import Port
from kinetree.compiler.program import trace
from toy_kernels import runnable

POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="owners and modes are of POSIX")
ARM = """<robot name="arm"><link name="a"/><link name="b"/><link name="c"/>
<joint name="shoulder" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="elbow" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
<origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/></joint></robot>"""
Q = np.array([[0.3, -0.7], [1.0, 2.0], [-3.0, 0.1]])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, whose folder is not there yet."""
    where = tmp_path / "deep" / "kernels"
    monkeypatch.setenv("KINETREE_CACHE", str(where))
    return where


@pytest.fixture
def work(monkeypatch):
    """What has been done: "trace", "compile"."""
    done = []
    compile_object, make = llvm.compile_object, machine.Machine.program.fget
    monkeypatch.setattr(llvm, "compile_object", lambda *a: done.append("compile") or compile_object(*a))
    monkeypatch.setattr(machine.Machine, "program", property(lambda self: done.append("trace") or make(self)))
    return done


def arm(text=ARM):
    return kt.load(text, format="urdf")


def asked(text=ARM, frame="c", base=None, dtype=float):
    """The answer of a robot that has just been loaded."""
    return kt.fk(arm(text), frame, base)(Q, dtype=dtype)


def entries(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


RIGHT = kt.fk(arm(), "c").interpret(Q)


def right(T):
    np.testing.assert_allclose(T, RIGHT, rtol=0, atol=1e-14)
    return True


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
from kinetree.compiler import ir_module, llvm, machine
def fail(*a): raise SystemExit("compiled")
llvm.compile_object = ir_module.assembly = fail
machine.Machine.program = property(fail)
T = kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()}))
print(T.tobytes().hex())
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=_environment())
    assert done.stdout.strip() == first.tobytes().hex(), done.stderr


def _environment():
    return os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


def test_many_programs_at_once(folder):
    text = f"""
import numpy as np, kinetree as kt
print(kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()})).tobytes().hex())
"""
    started = [
        subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env=_environment())
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


def replaced(folder, work):
    """Whether what lies there is not read, the answer is right, and a private file is there afterwards."""
    work.clear()
    assert right(asked())
    return work.count("compile") == 1


def poison(path):
    """Another robot's code under this key, as a forger would leave it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_file", lambda where, key: path)
        key = re.search("[0-9a-f]{64}", path.name).group()
        program = trace(lambda q: np.full((4, 4), q[0]), (2,))
        text = assembly(program, llvm.host(), "double", machine.array_layout())
        code = llvm.compile_object(text, llvm.host())
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
        assert replaced(folder, work)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    elsewhere = tmp_path / path.name
    poison(elsewhere)
    os.chmod(elsewhere, 0o600)
    path.unlink()
    path.symlink_to(elsewhere)
    assert replaced(folder, work)
    assert not path.is_symlink()
    path.unlink()
    path.symlink_to(tmp_path / "nowhere")
    assert replaced(folder, work)
    path.unlink()
    path.symlink_to(path.name)
    assert replaced(folder, work)


@POSIX
def test_files_of_another_owner(folder, work, monkeypatch):
    asked()
    (path,) = entries(folder)
    poison(path)
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    before = path.read_bytes()
    assert replaced(folder, work)
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
    assert replaced(folder, work)
    assert replaced(folder, work)
    assert path.read_bytes() == before
    os.chmod(folder, 0o700)


@POSIX
@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write anywhere")
def test_folders_that_cannot_be_written(folder, work):
    folder.mkdir(parents=True)
    os.chmod(folder, 0o500)
    assert replaced(folder, work)
    assert replaced(folder, work)
    assert entries(folder) == []
    os.chmod(folder, 0o000)
    assert replaced(folder, work)
    os.chmod(folder, 0o700)
    asked()
    (path,) = entries(folder)
    os.chmod(path, 0o000)
    assert replaced(folder, work)


def test_something_else_in_its_place(folder, work):
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    assert replaced(folder, work)
    assert folder.read_text() == "a file"
    folder.unlink()
    asked()
    (path,) = entries(folder)
    path.unlink()
    path.mkdir()
    assert replaced(folder, work)
    assert entries(folder) == [path]
    (path / "not empty").touch()
    assert replaced(folder, work)


def test_a_disk_that_fails(folder, work, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    for name in ("replace", "utime"):
        monkeypatch.setattr(os, name, fail)
        assert replaced(folder, work)
        assert entries(folder) == []
        monkeypatch.undo()
        monkeypatch.setenv("KINETREE_CACHE", str(folder))
        break
    asked()
    monkeypatch.setattr(os, "utime", fail)
    assert right(asked())


@pytest.mark.parametrize("word", ["off", "OFF", "Off"])
def test_turned_off(word, tmp_path, monkeypatch, work):
    monkeypatch.setenv("KINETREE_CACHE", word)
    monkeypatch.chdir(tmp_path)
    assert replaced(tmp_path, work)
    assert replaced(tmp_path, work)
    assert cache.folder() is None
    assert entries(tmp_path) == []


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("KINETREE_CACHE", str(tmp_path / "mine"))
    assert cache.folder() == tmp_path / "mine"
    monkeypatch.setenv("KINETREE_CACHE", "~/mine")
    assert cache.folder() == Path.home() / "mine"
    monkeypatch.setenv("KINETREE_CACHE", "~nobody-of-this-name/mine")
    assert cache.folder() is None
    for unset in ("", None):
        monkeypatch.delenv("KINETREE_CACHE") if unset is None else monkeypatch.setenv("KINETREE_CACHE", unset)
        assert cache.folder().is_absolute()
        assert "kinetree" in cache.folder().parts


@POSIX
def test_somebody_without_a_home(monkeypatch):
    """Such as a user of a container that is no more than a number."""
    import pwd

    def nobody(uid):
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("KINETREE_CACHE", "HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache.folder() is None


def key_of(folder, **question):
    """The name of the one file that a question leaves."""
    for path in entries(folder):
        path.unlink()
    asked(**question)
    (path,) = entries(folder)
    return path.name


def test_everything_makes_another_key(folder, monkeypatch):
    keys = [key_of(folder)]
    assert key_of(folder) == keys[0]
    assert key_of(folder, text=ARM.replace('name="arm"', 'name="leg"')) == keys[0]  # nothing depends on it
    one = "0.30000000000000004"
    for text in (
        ARM.replace("0.3 0 0.1", f"{one} 0 0.1"),
        ARM.replace("0.1 0.2 0.3", f"0.1 0.2 {one}"),
        ARM.replace('"0 1 0"', '"0 -1 0"'),
        ARM.replace('"elbow" type="continuous"', '"elbow" type="prismatic"').replace(
            "</joint></robot>", '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
        ),
    ):
        keys += [key_of(folder, text=text)]
    for question in ({"frame": "b"}, {"frame": ["c"]}, {"frame": ["c", "b"]}, {"frame": ["b", "c"]}, {"base": "b"}):
        keys += [key_of(folder, **question)]
    assert key_of(folder, base="a") == keys[0]  # the root
    keys.append(key_of(folder, dtype=np.float32))
    host = llvm.host()
    targets = [t for t in runnable().values() if t != host] + [replace(host, fma=not host.fma)]
    for target in targets[:3]:
        with monkeypatch.context() as patch:
            patch.setattr(llvm, "host", lambda target=target: target)
            keys.append(key_of(folder))
    for owner, name, value in (
        (llvm, "VERSION", "another LLVM"),
        (cache, "package", lambda: "another version"),
        (machine, "array_layout", lambda: None),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, value)
            keys.append(key_of(folder))
    assert len(set(keys)) == len(keys)
    assert key_of(folder) == keys[0]


def test_kernels_without_a_key_of_their_own(folder, work):
    def made(factor):
        program = trace(lambda x: factor * x, (3,))
        return Kernel("test", (Port("x", (3,)),), Port("y", (3,)), lambda: program)

    numbers = [2.0, 3.0, np.nextafter(3, 4), -3.0]
    for factor in (*numbers, *numbers):
        np.testing.assert_array_equal(made(factor)([1, 2, 3]), factor * np.arange(1, 4))
    assert work.count("compile") == len(numbers)


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
    asked()

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


def test_where_files_have_no_owners(folder, work, monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(os, "getuid", raising=False)
    monkeypatch.delattr(os, "O_NOFOLLOW", raising=False)
    assert replaced(folder, work)
    work.clear()
    assert right(asked())
    assert work == []


def test_the_package_stands_for_its_files(monkeypatch, tmp_path):
    import shutil

    package = cache.package.__wrapped__
    root = Path(kt.__file__).parent
    here = tmp_path / "kinetree"
    shutil.copytree(root, here, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(cache, "__file__", str(here / "compiler" / "cache.py"))
    seen = [package()]
    assert package() == seen[0]
    for part in ("algorithms/kinematics.py", "compiler/ir.py", "model/tree.py", "spatial/se3.py", "queries.py"):
        path = here / part
        path.write_text(path.read_text() + "\n")
        seen.append(package())
        os.utime(path, (1, 1))
        seen.append(package())
    (here / "compiler" / "new.py").touch()
    seen.append(package())
    (here / "compiler" / "new.py").unlink()
    monkeypatch.setattr(kt, "__version__", "another")
    seen.append(package())
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("place", ["nowhere", "package.zip"])
def test_packages_that_are_no_files(monkeypatch, tmp_path, place):
    (tmp_path / "package.zip").write_bytes(b"PK")
    monkeypatch.setattr(cache, "__file__", str(tmp_path / place / "kinetree" / "compiler" / "cache.py"))
    first = cache.package.__wrapped__()
    monkeypatch.setattr(kt, "__version__", "another")
    assert cache.package.__wrapped__() != first


def test_run_from_a_zip_file(tmp_path):
    root = Path(kt.__file__).parent
    with zipfile.ZipFile(tmp_path / "kinetree.zip", "w") as packed:
        for path in root.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, Path("kinetree") / path.relative_to(root))
    text = f"""
import numpy as np, kinetree as kt
assert "kinetree.zip" in kt.__file__
print(kt.fk(kt.load({ARM!r}, format="urdf"), "c")(np.array({Q.tolist()})).tobytes().hex())
"""
    path = os.pathsep.join([str(tmp_path / "kinetree.zip"), *sys.path])
    environment = os.environ | {"PYTHONPATH": path, "KINETREE_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment)
        np.testing.assert_array_equal(np.frombuffer(bytes.fromhex(done.stdout)).reshape(3, 4, 4), asked())
