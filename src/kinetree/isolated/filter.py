"""A filter of system calls (seccomp) for a process that only reads and computes.

It refuses to start programs and processes, to change files or open them for writing, to use sockets, to access other
processes and to administer the system. Refused calls fail with EPERM, Python's PermissionError.
"""

import errno
import struct
from collections.abc import Sequence

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
