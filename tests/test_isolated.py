"""Child processes whose system is played: what is asked of it, and what is made of its answers."""

import ctypes
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from each import each
from kinetree.isolated import restrict, worker
from kinetree.isolated.child import Child

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
