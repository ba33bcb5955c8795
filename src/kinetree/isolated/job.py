"""Limits of a process on Windows, by a job object that contains this process alone.

The job limits memory and processor time, refuses other processes, and ends with this process. All is called through
ctypes; no dependency and no rights are needed. It limits neither files nor the network.
"""

import ctypes
import sys
from typing import Any

PROCESS_TIME, ACTIVE_PROCESS, PROCESS_MEMORY = 0x2, 0x8, 0x100
DIE_ON_UNHANDLED_EXCEPTION, KILL_ON_JOB_CLOSE = 0x400, 0x2000
ALWAYS = ACTIVE_PROCESS | PROCESS_MEMORY | DIE_ON_UNHANDLED_EXCEPTION | KILL_ON_JOB_CLOSE
"""Limits in force at all times; time is added with the first call. A crash shows no window that waits for a click."""
EXTENDED_LIMIT_INFORMATION = 9  # of JOBOBJECTINFOCLASS
TICKS = 10_000_000
"""Ticks of 100 ns in a second."""
OVER_TIME = 1816
"""Exit status of a process that has used its time (ERROR_NOT_ENOUGH_QUOTA)."""

_word, _large, _size = ctypes.c_uint32, ctypes.c_int64, ctypes.c_size_t


class Basic(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION of winnt.h."""

    _fields_ = (
        ("per_process_user_time", _large),
        ("per_job_user_time", _large),
        ("flags", _word),
        ("least_working_set", _size),
        ("most_working_set", _size),
        ("active_processes", _word),
        ("affinity", _size),
        ("priority_class", _word),
        ("scheduling_class", _word),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION of winnt.h, with its IO_COUNTERS as an array."""

    _fields_ = (
        ("basic", Basic),
        ("io", ctypes.c_uint64 * 6),
        ("process_memory", _size),
        ("job_memory", _size),
        ("peak_process_memory", _size),
        ("peak_job_memory", _size),
    )


class Job:
    """The job of this process. Its handle stays open, so that the time can be extended."""

    def __init__(self, kernel32: Any, handle: int, megabytes: int) -> None:
        self.kernel32, self.handle = kernel32, handle
        self.limits = ExtendedLimits(process_memory=megabytes << 20)
        self.limits.basic.flags, self.limits.basic.active_processes = ALWAYS, 1

    def allow(self, seconds: float) -> bool:
        """Set the processor time of this process since its start, and return whether the limit is in force."""
        self.limits.basic.flags = ALWAYS | PROCESS_TIME
        self.limits.basic.per_process_user_time = int(seconds * TICKS)
        return self.set()

    def set(self) -> bool:
        """Give the limits to the system, and return whether they are in force."""
        limits, size = ctypes.byref(self.limits), ctypes.sizeof(self.limits)
        return bool(self.kernel32.SetInformationJobObject(self.handle, EXTENDED_LIMIT_INFORMATION, limits, size))


def limited(megabytes: int) -> Job | None:
    """Put this process into a job with these limits and return it; None if the system refuses, or is not Windows."""
    if sys.platform != "win32":
        return None
    kernel32 = ctypes.WinDLL("kernel32")
    handle = ctypes.c_void_p
    kernel32.CreateJobObjectW.restype = kernel32.GetCurrentProcess.restype = handle
    kernel32.CreateJobObjectW.argtypes = (handle, ctypes.c_wchar_p)
    kernel32.SetInformationJobObject.argtypes = (handle, ctypes.c_int, handle, _word)
    kernel32.AssignProcessToJobObject.argtypes = (handle, handle)
    kernel32.CloseHandle.argtypes = (handle,)
    made = kernel32.CreateJobObjectW(None, None)
    if not made:
        return None
    job = Job(kernel32, made, megabytes)
    if job.set() and kernel32.AssignProcessToJobObject(made, kernel32.GetCurrentProcess()):
        return job
    kernel32.CloseHandle(made)
    return None
