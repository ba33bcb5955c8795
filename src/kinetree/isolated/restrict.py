"""Restriction of a process that reads and computes, for good, by Landlock and seccomp of Linux.

Both are called through ctypes; no dependency and no rights are needed. Features that a kernel lacks are left out, and
the answer lists those in force.

The filter of system calls (seccomp) refuses to start programs and processes, to change files or open them for writing,
to use sockets, to access other processes and to administer the system. Refused calls fail with PermissionError.
"""

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from kinetree.confine import is_shared
from kinetree.isolated.numbers import ARCHITECTURES, NEWEST, judged, refused

# linux/bpf_common.h
LOAD, EQUAL, ABOVE, ANY_BIT, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
# linux/seccomp.h: where a filter finds the number, the machine and the low half of the first argument
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE, UNKNOWN = ERROR | errno.EPERM, ERROR | errno.ENOSYS

WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC and the bit of O_TMPFILE, the same on both machines."""
CLONE_THREAD = 0x10000
FCNTL = (0, 1, 2, 3, 4, 1030)
"""To duplicate a descriptor, and to read and set its flags; not to send signals or to lock files."""
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX: calls that Python makes for a descriptor."""

Step = tuple[int, int, int, int]
"""Code of an instruction, its jumps if true and if false, its number."""


def program(machine: str, pid: int) -> bytes:
    """Return the filter for a machine, a key of ARCHITECTURES, and for the process with this number."""
    calls = judged(machine)
    steps: list[Step] = [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        _end(REFUSE),  # calls of another machine, such as those of 32 bits, have other numbers
        (LOAD, 0, 0, NUMBER),
        (ABOVE, 0, 1, NEWEST),
        _end(UNKNOWN),
        *_always(calls["clone3"], UNKNOWN),  # its flags are in memory, where no filter sees them; clone serves as well
        *_always(calls["openat2"], UNKNOWN),
        *_if(calls["clone"], _any_bit(0, CLONE_THREAD, ALLOW, REFUSE)),
        *_if(calls["openat"], _any_bit(2, WRITING, REFUSE, ALLOW)),
        *(_if(calls["open"], _any_bit(1, WRITING, REFUSE, ALLOW)) if "open" in calls else ()),
        *_if(calls["ioctl"], _one_of(1, IOCTL)),
        *_if(calls["fcntl"], _one_of(1, FCNTL)),
    ]
    for name in ("kill", "tkill", "tgkill"):
        steps += _if(calls[name], _one_of(0, (pid,)))
    for name in ("prlimit64", "sched_setaffinity"):
        steps += _if(calls[name], _one_of(0, (0, pid)))
    for number in refused(machine):
        steps += _always(number, REFUSE)
    steps.append(_end(ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _end(answer: int) -> Step:
    return (RETURN, 0, 0, answer)


def _always(number: int, answer: int) -> list[Step]:
    """Return the steps that give a call the same answer whatever its arguments."""
    return [(EQUAL, 0, 1, number), _end(answer)]


def _if(number: int, steps: Sequence[Step]) -> list[Step]:
    return [(EQUAL, 0, len(steps), number), *steps]


def _any_bit(argument: int, bits: int, answer: int, otherwise: int) -> list[Step]:
    return [_argument(argument), (ANY_BIT, 0, 1, bits), _end(answer), _end(otherwise)]


def _one_of(argument: int, legal: Sequence[int]) -> list[Step]:
    tests = [(EQUAL, len(legal) - i, 0, value) for i, value in enumerate(legal)]
    return [_argument(argument), *tests, _end(REFUSE), _end(ALLOW)]


def _argument(index: int) -> Step:
    return (LOAD, 0, 0, ARGUMENTS + 8 * index)


PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALL_THREADS, AS_FAST = 1, 4  # SECCOMP_FILTER_FLAG_TSYNC and _SPEC_ALLOW
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all machines
RULESET_VERSION, PATH_BENEATH = 1, 1
READ_FILE, READ_DIR = 1 << 2, 1 << 3
ALL_OF = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Rights over files by the version of Landlock that added them: execute, write, make and remove; move to another
folder; truncate; command devices."""
NETWORK, SCOPES = (4, 0b11), (6, 0b11)
"""The version, and all rights: to bind and connect TCP; abstract sockets and signals out of the process."""

SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/nix/store", "/gnu/store"),
    *("/etc/ld.so.cache", "/etc/localtime", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat"),
    *("/sys/devices/system", "/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"),
)
"""Files of programs and libraries, and of properties of the machine."""


class Restrictions(NamedTuple):
    """Restrictions of a process by the kernel.

    landlock: version of Landlock, 0 for none. reading: whether Landlock also limits reading. calls: whether system
    calls are filtered.
    """

    landlock: int = 0
    reading: bool = False
    calls: bool = False


def restrict(readable: Iterable[str] | None) -> Restrictions:
    """Forbid this process to change files, to start programs and processes, and to reach the network and other
    processes.

    readable: files and folders that it may read besides those of the system and of Python; None for all. Call it before
    there are other threads.
    """
    if sys.platform != "linux":
        return Restrictions()
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        syscall = libc.syscall
        if libc.prctl(PR_SET_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))) != 0:
            return Restrictions()
    except (OSError, AttributeError):
        return Restrictions()
    landlock = _landlock(syscall, None if readable is None else (*readable, *SYSTEM, *_of_python()))
    return Restrictions(landlock, landlock > 0 and readable is not None, _seccomp(libc))


def _landlock(syscall: Any, readable: Sequence[str] | None) -> int:
    """Return the version of Landlock that is in force from now on, or 0."""
    version = int(syscall(CREATE_RULESET, None, ctypes.c_size_t(0), RULESET_VERSION))
    if version < 1:
        return 0
    rights = sum(bits for since, bits in ALL_OF.items() if version >= since)
    if readable is None:
        rights &= ~(READ_FILE | READ_DIR)
    rest = [bits if version >= since else 0 for since, bits in (NETWORK, SCOPES)]
    attributes = struct.pack("=QQQ", rights, *rest)
    ruleset = int(syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0))
    if ruleset < 0:
        return 0
    try:
        for path in dict.fromkeys(readable or ()):
            _allow(syscall, ruleset, path)
        return version if syscall(RESTRICT_SELF, ruleset, 0) == 0 else 0
    finally:
        os.close(ruleset)


def _allow(syscall: Any, ruleset: int, path: str) -> None:
    """Allow to read a file, or a folder with all that is in it, if it exists."""
    with suppress(OSError, ValueError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = READ_FILE | READ_DIR if stat.S_ISDIR(os.fstat(place).st_mode) else READ_FILE
            syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
        finally:
            os.close(place)


def _seccomp(libc: Any) -> bool:
    """Filter system calls, and return whether that is in force."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES or sys.maxsize < 2**32 or sys.byteorder != "little":
        return False
    steps = program(machine, os.getpid())
    code = ctypes.create_string_buffer(steps, len(steps))
    filter = struct.pack("@HP", len(steps) // 8, ctypes.addressof(code))
    if libc.syscall(judged(machine)["seccomp"], 1, ALL_THREADS | AS_FAST, filter) == 0:
        return True
    address = ctypes.cast(ctypes.c_char_p(filter), ctypes.c_void_p)
    zero = ctypes.c_ulong(0)
    return bool(libc.prctl(PR_SET_SECCOMP, ctypes.c_ulong(SECCOMP_MODE_FILTER), address, zero, zero) == 0)


def _of_python() -> tuple[str, ...]:
    packages = {path for name in ("kinetree", "numpy") for path in getattr(sys.modules.get(name), "__path__", ())}
    paths = (*packages, sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path)
    places = {path: os.path.realpath(path) for path in paths if path}
    return tuple(path for path, place in places.items() if not is_shared(place) and place != os.path.realpath("/tmp"))
