"""What the kernel refuses a process that has given up all but reading and computing."""

import json
import os
import platform
import re
import subprocess
import sys

import pytest

import kinetree as kt
from kinetree.checker import pool
from kinetree.checker.job import CheckReport, Excuse, Job
from kinetree.checker.pool import check_all, protection
from kinetree.checker.protection import without_foreign_places
from kinetree.confine import Confinement
from kinetree.formats.registry import ReadOptions
from kinetree.isolated import Protection, child
from kinetree.isolated.numbers import ARCHITECTURES
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions

pytestmark = pytest.mark.slow

linux = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are of Linux")


class Trap:
    """Does in the child what it is told, when it gets there."""

    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


DEEDS = {
    "write": "open('mine', 'w')",
    "append": "open('mine', 'a')",
    "create": "os.open('new', os.O_CREAT | os.O_RDONLY)",
    "nameless": "os.open('.', os.O_TMPFILE | os.O_RDWR)",
    "unlink": "os.unlink('mine')",
    "rmdir": "os.rmdir('folder')",
    "rename": "os.rename('mine', 'other')",
    "mkdir": "os.mkdir('new')",
    "symlink": "os.symlink('mine', 'new')",
    "link": "os.link('mine', 'folder/new')",
    "fifo": "os.mkfifo('new')",
    "truncate": "os.truncate('mine', 0)",
    "chmod": "os.chmod('mine', 0o777)",
    "chown": "os.chown('mine', os.getuid(), os.getgid())",
    "utime": "os.utime('mine')",
    "xattr": "os.setxattr('mine', 'user.a', b'1')",
    "flock": "fcntl.flock(os.open('mine', os.O_RDONLY), fcntl.LOCK_EX)",
    "run": "subprocess.run([sys.executable, '-c', ''])",
    "spawn": "os.posix_spawn(sys.executable, ['python', '-c', ''], {})",
    "exec": "os.execv(sys.executable, ['python', '-c', ''])",
    "fork": "os._exit(0) if os.fork() == 0 else os.wait()",
    "tcp": "socket.create_connection(('127.0.0.1', 9))",
    "listen": "socket.create_server(('127.0.0.1', 0))",
    "udp": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'a', ('127.0.0.1', 9))",
    "pair": "socket.socketpair()",
    "signal": "os.kill(os.getppid(), signal.SIGCONT)",
    "owner": "fcntl.fcntl(0, 8, os.getppid())",  # F_SETOWN: whom the kernel signals
    "uid": "os.setuid(os.getuid())",
    "niceness": "os.setpriority(os.PRIO_PROCESS, os.getppid(), os.getpriority(os.PRIO_PROCESS, os.getppid()))",
    "limits": "resource.prlimit(os.getppid(), resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))",
    "terminal": "fcntl.ioctl(0, termios.TIOCSTI, b'a')",
    "read": "open(outside).read()",
    "list": "os.listdir(os.path.dirname(outside))",
}
"""What is refused, each in Python."""
READS = ("read", "list")
ONLY_SECCOMP = (
    "chmod",
    "chown",
    "utime",
    "xattr",
    "flock",
    "fork",
    "udp",
    "pair",
    "owner",
    "uid",
    "niceness",
    "limits",
)
NEEDS = {"truncate": 3, "tcp": 4, "listen": 4, "signal": 6, "link": 2}
"""Deeds to the version of Landlock that refuses them."""
BY_LANDLOCK = [deed for deed in DEEDS if deed not in (*ONLY_SECCOMP, "terminal")]
GOOD = {
    "read": "open('mine').read() == 'mine'",
    "list": "sorted(os.listdir('.')) == ['folder', 'mine']",
    "thread": "list(map(str, concurrent.futures.ThreadPoolExecutor(2).map(abs, range(3)))) == ['0', '1', '2']",
    "solve": "abs(np.linalg.solve(np.eye(300) * 2, np.ones(300)).sum() - 150) < 1e-9",
    "import": "__import__('wave').__name__ == 'wave'",
    "random": "len(os.urandom(4)) == 4",
    "self": "os.kill(os.getpid(), 0) is None",
    "limits": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)) is None",
    "memory": "len(mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)) == 4096",
}
"""What goes on, and is true."""

SCRIPT = """
import concurrent.futures, ctypes, fcntl, json, mmap, os, resource, signal, socket, subprocess, sys, termios
import numpy as np
from kinetree.isolated.restrict import restrict
module = sys.modules["kinetree.isolated.restrict"]
how, outside, deeds, good = json.loads(sys.argv[1])
if how == "landlock":
    module._seccomp = lambda libc: False
if how == "seccomp":
    module._landlock = lambda syscall, readable: 0
held = restrict([os.getcwd()])
answers = {}
for name, deed in deeds.items():
    try:
        answers[name] = f"done: {eval(deed)}"
    except BaseException as error:
        answers[name] = type(error).__name__
print(json.dumps([held, answers, {name: bool(eval(deed)) for name, deed in good.items()}]))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """(how) to what the kernel held a process to, and what became of its deeds."""
    known = {}

    def ask(how):
        if how not in known:
            here, outside = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("outside") / "secret"
            outside.write_text("secret")
            (here / "mine").write_text("mine")
            (here / "folder").mkdir()
            asked = json.dumps([how, str(outside), DEEDS, GOOD])
            done = subprocess.run(
                [sys.executable, "-c", SCRIPT, asked], cwd=here, capture_output=True, text=True, check=True
            )
            known[how] = (*json.loads(done.stdout), here)
        return known[how]

    return ask


@linux
@pytest.mark.parametrize("deed", DEEDS)
def test_the_kernel_refuses(deed, answers):
    (landlock, reading, calls), became, _, here = answers("both")
    if (deed in READS and not reading) or (deed in ONLY_SECCOMP and not calls) or not (landlock or calls):
        pytest.skip("this kernel has neither Landlock nor seccomp for it")
    assert became[deed] == "PermissionError"
    assert sorted(os.listdir(here)) == ["folder", "mine"]
    assert (here / "mine").read_text() == "mine"


@linux
@pytest.mark.parametrize("deed", BY_LANDLOCK)
def test_landlock_alone_refuses(deed, answers):
    (landlock, _, calls), became, good, _ = answers("landlock")
    if landlock < NEEDS.get(deed, 1):
        pytest.skip(f"this kernel has version {landlock} of Landlock")
    assert not calls
    assert became[deed] == "PermissionError"
    assert all(good.values())


@linux
@pytest.mark.parametrize("deed", [deed for deed in DEEDS if deed not in READS])
def test_seccomp_alone_refuses(deed, answers):
    (landlock, _, calls), became, good, _ = answers("seccomp")
    if not calls:
        pytest.skip("this kernel has no seccomp, or the machine is not known")
    assert not landlock
    assert became[deed] == "PermissionError"
    assert all(good.values())


@linux
def test_reading_and_computing_go_on(answers):
    assert all(answers("both")[2].values())


@linux
class TestChild:
    """The child process itself, taken over."""

    def done(self, tmp_path, monkeypatch, *calls, **more):
        monkeypatch.setattr(pool, "SMALL", -1)
        (tmp_path / "arm.urdf").write_text(ARM)
        file, bounds = str(tmp_path / "arm.urdf"), Confinement([tmp_path])
        jobs = [
            Job(file, CheckOptions("industrial", read=ReadOptions(srdf=Trap(*call), confined=bounds)), **more)
            for call in calls
        ]
        return list(check_all(jobs, processes=1))

    @pytest.fixture(autouse=True)
    def _held(self):
        found = protection()
        if not (found.landlock and found.calls):
            pytest.skip(f"this kernel has not both: {found}")

    def test_it_changes_nothing(self, tmp_path, monkeypatch):
        (tmp_path / "mine").write_text("mine")
        before = (tmp_path / "mine").stat()
        mine, new = str(tmp_path / "mine"), str(tmp_path / "new")
        deeds = [
            (os.mkdir, new),
            (os.unlink, mine),
            (os.chmod, mine, 0o777),
            (os.utime, mine, (1, 1)),
            (os.open, new, os.O_CREAT),
        ]
        refused = "import os\ntry: os.{0.__name__}(*{1})\nexcept PermissionError: os._exit(8)\nos._exit(7)"
        found = self.done(tmp_path, monkeypatch, *((exec, refused.format(do, arguments)) for do, *arguments in deeds))
        assert ["exit status 8" in str(one.findings[0]) for one in found] == [True] * len(deeds)
        assert sorted(os.listdir(tmp_path)) == ["arm.urdf", "mine"]
        after = (tmp_path / "mine").stat()
        assert (after.st_mode, after.st_mtime) == (before.st_mode, before.st_mtime)

    def test_it_reads_neither_elsewhere_nor_the_environment(self, tmp_path, tmp_path_factory, monkeypatch):
        monkeypatch.setenv("SECRET_OF_OURS", "secret")
        elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret"
        elsewhere.write_text("secret")
        inside = tmp_path / "inside"
        inside.write_text("")
        status = "import os\ntry: {}\nexcept PermissionError: os._exit(8)\nexcept KeyError: os._exit(9)\nos._exit(7)"
        # all tests have their folders below that of the run, in which packages are looked for
        monkeypatch.setattr("kinetree.files.packages.LEVELS_UP", 0)
        monkeypatch.setattr("kinetree.files.packages.LEVELS_DOWN", 0)
        found = self.done(
            tmp_path,
            monkeypatch,
            (exec, status.format(f"open({str(elsewhere)!r})")),
            (exec, status.format(f"open({str(inside)!r})")),
            (exec, status.format("os.environ['SECRET_OF_OURS']")),
        )
        assert [str(one.findings[0]).partition("exit status ")[2][:1] for one in found] == ["8", "7", "9"]


@pytest.mark.slow
@linux
def test_a_child_that_does_not_bear_it_goes_on_without_it(tmp_path, monkeypatch):
    """As under an emulator, whose own calls the filter would refuse."""
    (tmp_path / "arm.urdf").write_text(ARM)
    monkeypatch.setattr(pool, "SMALL", -1)
    died = "import kinetree.isolated.restrict as c, os; c.restrict = lambda readable: os._exit(1); "
    monkeypatch.setattr(child, "CHILD", child.CHILD.replace("main(*", f"\n{died}main(*"))
    options = CheckOptions("industrial", read=ReadOptions(confined=Confinement([tmp_path])))
    (found,) = check_all([Job(str(tmp_path / "arm.urdf"), options)])
    assert found.findings == ()
    held = protection()
    assert (held.landlock, held.reading, held.calls) == (0, False, False)
    assert "RLIMIT_FSIZE" in held.limits


@linux
def test_protection_says_what_is_held():
    held = protection()
    text = str(held)
    assert ("Landlock" in text) == bool(held.landlock)
    assert ("seccomp" in text) == held.calls
    assert "RLIMIT_FSIZE" in held.limits
    if platform.machine() in ARCHITECTURES:
        assert held.calls


def test_no_line_of_a_file_that_a_child_cannot_have_read(tmp_path):
    """Reports print the lines of findings, whatever a child that was taken over says they are in."""
    (tmp_path / "ws").mkdir()
    places = []
    for name in ("ws/mine", "secret"):
        (tmp_path / name).write_text("line\n")
        places.append(kt.Source(str(tmp_path / name), 1, 1))
    places.append(kt.Source("icub-1.0.toml", 1, 1))  # a text that is no file
    found = tuple(kt.Finding("x", "error", "m", place) for place in places)
    said = CheckReport("a", found, tuple(Excuse(f, "", f.source) for f in found), known=found)
    kept = without_foreign_places(said, [str(tmp_path / "ws")])
    for findings in (kept.findings, [one.finding for one in kept.excused], kept.known):
        assert [f.source.line for f in findings] == [1, None, 1]
        assert [f.source.file for f in findings] == [place.file for place in places]


def test_protection_claims_nothing_without_a_kernel_that_has_it():
    text = str(Protection())
    assert text.count("not enforced by the system") == 8
    assert "refused" not in text
    assert "no byte is written" in str(Protection(("RLIMIT_FSIZE",)))
    old = str(Protection(("RLIMIT_AS", "RLIMIT_FSIZE"), landlock=3, reading=True))
    assert re.search(r"starting processes: +not enforced", old)
    assert re.search(r"network: +not enforced", old)
    assert re.search(r"reading elsewhere: +refused by Landlock 3", old)
