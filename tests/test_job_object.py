"""Limits of a child process on Windows, with a system that is played: what is asked of it, and what is made of its
answers."""

import ctypes
import sys
from types import SimpleNamespace

import pytest

from kinetree.isolated import Protection, job, worker
from kinetree.isolated.protection import JOB

THIS_PROCESS, THE_JOB = 2**64 - 1, 0x1C4


class Function:
    """A function of kernel32, which gives the same answer to all calls and keeps their arguments."""

    def __init__(self, answer):
        self.answer, self.calls = answer, []

    def __call__(self, *arguments):
        assert not hasattr(self, "argtypes") or len(arguments) == len(self.argtypes)
        self.calls.append(arguments)
        return self.answer


class Kernel32(SimpleNamespace):
    """Those functions that limits need. limits: what was set, each time."""

    def __init__(self, created=THE_JOB, assigned=1, set=1):
        self.limits = []

        def keep(handle, kind, limits, size):
            assert (handle, kind, size) == (THE_JOB, 9, 144)
            self.limits.append(bytes(ctypes.string_at(limits, size)))
            return set

        super().__init__(
            CreateJobObjectW=Function(created),
            AssignProcessToJobObject=Function(assigned),
            GetCurrentProcess=Function(THIS_PROCESS),
            CloseHandle=Function(1),
            SetInformationJobObject=keep,
        )
        keep.argtypes = None


@pytest.fixture
def windows(monkeypatch):
    """Make this process believe that it runs on Windows, with the kernel32 that the test gives."""

    def begin(kernel32):
        monkeypatch.setattr(job.sys, "platform", "win32")
        monkeypatch.setattr(ctypes, "WinDLL", {"kernel32": kernel32}.__getitem__, raising=False)
        monkeypatch.setattr(worker, "job", None)
        return kernel32

    return begin


def field(limits, offset, size):
    return int.from_bytes(limits[offset : offset + size], "little")


def test_structures_are_those_of_the_documentation():
    """Offsets on 64-bit Windows, from the C declarations in winnt.h."""
    assert ctypes.sizeof(job.Basic) == 64
    assert ctypes.sizeof(job.ExtendedLimits) == 144
    assert [getattr(job.Basic, name).offset for name, _ in job.Basic._fields_] == [0, 8, 16, 24, 32, 40, 48, 56, 60]
    assert [getattr(job.ExtendedLimits, name).offset for name, _ in job.ExtendedLimits._fields_] == [
        0,
        64,
        112,
        120,
        128,
        136,
    ]
    assert job.ExtendedLimits.io.size == 48


def test_a_process_limits_itself_before_it_reads_anything(windows):
    system = windows(Kernel32())
    assert worker._limit(2048) == (JOB,)
    (limits,) = system.limits
    assert field(limits, 16, 4) == 0x2000 | 0x400 | 0x100 | 0x8  # on close, on a crash, memory, processes
    assert field(limits, 40, 4) == 1
    assert field(limits, 112, 8) == 2048 << 20
    assert system.CreateJobObjectW.calls == [(None, None)]
    assert system.AssignProcessToJobObject.calls == [(THE_JOB, THIS_PROCESS)]
    assert system.CloseHandle.calls == []  # closing it would end this process


def test_each_call_gets_its_time(windows, monkeypatch):
    system = windows(Kernel32())
    worker._limit(100)
    monkeypatch.setattr(worker.os, "times", lambda: (1.25, 0.5, 0, 0, 0))
    worker._allow(30)
    limits = system.limits[-1]
    assert field(limits, 0, 8) == 33 * 10_000_000  # 1.75 s used, 30 s more, rounded up, and 1 s
    assert field(limits, 16, 4) == 0x2000 | 0x400 | 0x100 | 0x8 | 0x2
    assert field(limits, 112, 8) == 100 << 20  # the memory stays limited


@pytest.mark.parametrize("answers", [{"created": None}, {"assigned": 0}, {"set": 0}])
def test_where_the_system_refuses_no_limit_is_claimed(answers, windows, monkeypatch):
    system = windows(Kernel32(**answers))
    monkeypatch.setitem(sys.modules, "resource", None)
    assert worker._limit(2048) == ()
    worker._allow(30)
    assert system.CloseHandle.calls == ([] if answers == {"created": None} else [(THE_JOB,)])
    assert "refused" not in str(Protection(()))


def test_protection_says_what_a_job_refuses_and_what_it_does_not():
    rows = dict(line.split(":") for line in str(Protection((JOB,))).splitlines())
    rows = {name: what.strip() for name, what in rows.items()}
    none = "not enforced by the system"
    assert rows == {
        "memory": "limited",
        "time": "the process is ended",
        "writing files": none,
        "reading elsewhere": none,
        "starting programs": "refused by the job object",
        "starting processes": "refused by the job object",
        "network": none,
        "signals to others": none,
        "rights and times of files": none,
    }


def test_the_status_of_a_process_that_used_its_time(monkeypatch):
    """On Windows it is ended with an error's number, on other systems by a signal."""
    from kinetree.isolated import child

    made = child.Child("math:sqrt", seconds=3, megabytes=1, readable=None, environment={})
    for platform, status, late in (("win32", 1816, True), ("win32", 1, False), ("linux", 1816, False)):
        monkeypatch.setattr(child.sys, "platform", platform)
        monkeypatch.setattr(made, "_status", lambda status=status: status)
        assert made._failure().late is late
