"""Child processes whose system is played: what is asked of it, and what is made of its answers."""

import ctypes
import io
import pickle
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from each import each
from kinetree.isolated import child as child_module, job, restrict, worker
from kinetree.isolated.child import Child, ChildError, Protection

UNLIMITED = -1


class System(SimpleNamespace):
    """The module resource of a system on which a limit cannot be raised above `hard`."""

    RLIM_INFINITY, RLIMIT_CPU = UNLIMITED, 7

    def getrlimit(self, number):
        assert number == self.RLIMIT_CPU
        return 3, self.hard

    def setrlimit(self, number, limits):
        if self.refuses:
            raise ValueError
        self.asked.append((number, limits))


@each("hard, for_good, limits", [(UNLIMITED, False, (5, UNLIMITED)), (UNLIMITED, True, (5, 5)), (4, False, (4, 4))])
def test_a_limit_is_that_of_the_system_at_most(hard, for_good, limits, monkeypatch):
    system = System(hard=hard, refuses=False, asked=[])
    monkeypatch.setitem(sys.modules, "resource", system)
    assert worker._set("RLIMIT_CPU", 5, for_good=for_good)
    assert system.asked == [(7, limits)]


def test_a_limit_that_the_system_lacks_or_refuses_is_not_in_force(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", System(hard=UNLIMITED, refuses=True, asked=[]))
    assert worker._set("RLIMIT_CPU", 5) is False
    assert worker._set("RLIMIT_AS", 5) is False
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert worker._set("RLIMIT_CPU", 5) is False


class Process:
    """A process that has ended with a status, or None if it does not end."""

    stdin = stdout = SimpleNamespace(close=lambda: None)

    def __init__(self, status):
        self.status, self.killed = status, False

    def kill(self):
        self.killed = True

    def wait(self, timeout=None):
        if self.status is None and not self.killed:
            assert timeout == 5
            raise subprocess.TimeoutExpired("", timeout)
        return self.status


@each(
    "status, late, why, is_late",
    [
        (3, False, "ended with exit status 3", False),
        (0, False, "ended with exit status 0", False),
        (-signal.SIGKILL, False, "ended with SIGKILL", False),
        (-signal.SIGXCPU, False, "takes more than 2.5 s, the most that is waited", True),
        (None, False, "ended with exit status None", False),
        (-signal.SIGKILL, True, "takes more than 2.5 s, the most that is waited", True),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="it has no signals")
def test_a_failure_says_how_the_process_ended(status, late, why, is_late):
    child = Child("m:f", seconds=2.5, megabytes=1, readable=None, environment={})
    child.process, child.late = process, _ = Process(status), late
    error = child._failure()
    assert (str(error), error.late) == (why, is_late)
    assert process.killed
    assert child.process is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these restrictions")
def test_where_privileges_cannot_be_given_up_nothing_is_in_force(monkeypatch):
    system = SimpleNamespace(syscall=None, prctl=lambda *_: 1)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: system)
    assert restrict.restrict(None) == restrict.Restrictions(landlock=0, reading=False, calls=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace())  # without these functions
    assert restrict.restrict(("/tmp",)) == restrict.Restrictions(landlock=0, reading=False, calls=False)


def child(**more):
    return Child("m:f", seconds=2.0, megabytes=1, readable=None, environment={}, **more)


class Pipes(Process):
    """A process whose answers are given."""

    def __init__(self, answers=b""):
        super().__init__(0)
        self.stdin, self.stdout = io.BytesIO(), io.BytesIO(answers)


def framed(value):
    content = pickle.dumps(value)
    return worker.HEAD.pack(len(content)) + content


def test_an_answer_of_an_unknown_class_ends_the_process():
    one = child()
    one.process = process = Pipes(framed(SimpleNamespace()))
    with pytest.raises(ChildError, match=r"gives what is refused: types\.SimpleNamespace is not an answer"):
        one.answer()
    assert (process.killed, one.process, one.due) == (True, None, float("inf"))
    known = child(known=[SimpleNamespace])
    known.process = Pipes(framed(SimpleNamespace(a=1)))
    assert known.answer().a == 1


def test_a_process_that_is_late_is_killed_once_it_is_due(monkeypatch):
    one = child()
    one.kill_if_late()
    one.process = process = Process(0)
    for now, due, killed in ((5.0, 5.0, False), (5.1, 5.0, True)):
        monkeypatch.setattr(child_module, "monotonic", lambda now=now: now)
        one.due = due
        one.kill_if_late()
        assert (process.killed, one.late) == (killed, killed)
    one.process = process = Pipes(framed(3))
    assert one.answer() == 3  # it came all the same
    assert (process.killed, one.process) == (True, None)


def test_without_a_process_there_is_no_answer():
    with pytest.raises(EOFError):
        child()._answer(1.0)
    with pytest.raises(ChildError, match="ended with exit status None"):
        child().answer()


def test_a_process_that_does_not_answer_is_started_again_without_restrictions(monkeypatch):
    begun = []

    def begin(answers):
        def begin(self):
            begun.append(self.process)
            self.process = Pipes(next(answers))

        return begin

    def started(*answers):
        begun.clear()
        monkeypatch.setattr(Child, "_begin", begin(iter(answers)))
        one = child()
        one.start()
        sent = io.BytesIO(one.process.stdin.getvalue())
        return one, pickle.loads(worker.receive(sent))

    limits = Protection(("RLIMIT_AS",), 3, True, False)
    protection = framed((limits.limits, limits.landlock, limits.reading, limits.calls))
    one, sent = started(protection)
    assert (len(begun), sent, one.protection) == (1, (True, None), limits)
    one, sent = started(b"", protection)
    assert (len(begun), begun[1], sent) == (2, None, (False, None))
    one, sent = started(b"", b"")
    assert (len(begun), one.protection) == (2, Protection())
    one = child()
    one.ended = True
    monkeypatch.setattr(Child, "_begin", begin(iter([b""])))
    begun.clear()
    one.start()
    assert len(begun) == 1


@each(
    "size, whole",
    [(None, False), (5, False), (2**40, False), (101, False), (3, True)],
)
def test_messages_that_are_cut_off_or_too_long_are_the_end(size, whole):
    content = b"abc" if size != 101 else bytes(101)
    stream = io.BytesIO(b"" if size is None else worker.HEAD.pack(size) + content)
    if whole:
        assert worker.receive(stream, 100) == b"abc"
        return
    with pytest.raises(EOFError):
        worker.receive(stream, 100)


def test_a_call_in_a_restricted_process_is_made_there(monkeypatch):
    for reading, readable in ((True, ["/a"]), (False, None)):
        monkeypatch.setattr(worker, "restricted", SimpleNamespace(reading=reading))
        made = child_module.call("operator:add", 2, 3, seconds=1, megabytes=1, readable=readable)
        assert made == 5
    with pytest.raises(ChildError, match="may read everything on this system, which a confined model forbids"):
        child_module.call("operator:add", 2, 3, seconds=1, megabytes=1, readable=["/a"])


def test_a_call_is_made_in_a_process_that_is_ended(monkeypatch):
    done = []

    class Played(Child):
        def start(self):
            if self.function == "none":
                raise OSError("no memory")
            self.protection = Protection(reading=self.readable is not None)

        def send(self, arguments):
            done.append(pickle.loads(arguments))

        def answer(self):
            return "answer"

        def end(self):
            done.append("ended")

    monkeypatch.setattr(worker, "restricted", None)
    monkeypatch.setattr(child_module, "Child", Played)
    options = {"seconds": 1, "megabytes": 1}
    assert child_module.call("m:f", 2, "a", readable=["/a"], **options) == "answer"
    assert done == [(2, "a"), "ended"]
    with pytest.raises(ChildError, match="cannot be started: no memory"):
        child_module.call("none", readable=None, **options)
    assert done[2:] == ["ended"]


def test_other_systems_have_no_limits_of_the_kernel(monkeypatch):
    monkeypatch.setattr(restrict.sys, "platform", "darwin")
    assert restrict.restrict(None) == restrict.Restrictions()
    assert job.limited(100) is None


def test_calls_of_machines_that_are_not_known_are_not_filtered(monkeypatch):
    monkeypatch.setattr(restrict.os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    assert restrict._seccomp(None) is False


def test_functions_by_their_names():
    assert worker.function_of("operator:add")(2, 3) == 5


NOT, BOTH = "not enforced", "refused by Landlock 6 and seccomp"


@each(
    "landlock, calls, rows",
    [
        (0, False, ["no byte is written", NOT, NOT, NOT, NOT]),
        (3, False, ["refused by Landlock 3", "refused by Landlock 3", NOT, NOT, NOT]),
        (4, False, ["refused by Landlock 4", "refused by Landlock 4", NOT, "TCP is refused", NOT]),
        (5, False, ["refused by Landlock 5", "refused by Landlock 5", NOT, "TCP is refused", NOT]),
        (6, False, ["refused by Landlock 6", "refused by Landlock 6", NOT, "TCP is refused", "refused by Landlock 6"]),
        (0, True, ["refused by seccomp"] * 5),
        (6, True, [BOTH, BOTH, "refused by seccomp", "refused by seccomp", BOTH]),
    ],
)
def test_what_protects_a_process_is_said(landlock, calls, rows):
    text = str(Protection(("RLIMIT_FSIZE",), landlock, calls=calls))
    found = {name.strip(): what.strip() for name, what in (line.split(":") for line in text.splitlines())}
    asked = ("writing files", "starting programs", "starting processes", "network", "signals to others")
    for name, what in zip(asked, rows, strict=True):
        assert found[name].startswith(what), name
    assert ("seccomp" in found["rights and times of files"]) is calls
