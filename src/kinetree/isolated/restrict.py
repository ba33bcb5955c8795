"""Restriction of a process that reads and computes, for good, by Landlock and seccomp of Linux.

Both are called through ctypes; no dependency and no rights are needed. Features that a kernel lacks are left out, and
the answer lists those in force.
"""

import ctypes
import os
import stat
import struct
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from kinetree.confine import is_shared
from kinetree.isolated.filter import program
from kinetree.isolated.numbers import ARCHITECTURES, judged

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
