"""What the restrictions of a child process say to the kernel, and what is reported of the kernel's answers."""

import ctypes
import os
import re
import struct
import sys
from functools import cache
from pathlib import Path

import pytest

from each import each
from kinetree.isolated.numbers import _REFUSED, ARCHITECTURES, _table, judged, refused
from kinetree.isolated.restrict import ALLOW, REFUSE, UNKNOWN, Restrictions, program, restrict

linux = pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are of Linux")
FOLDER = 2**64 - 100  # AT_FDCWD
cached_program = cache(program)


def answer(machine, number, arguments=(), architecture=None):
    """Run the filter of a machine for process 77, by the definition of its instructions (linux/bpf_common.h)."""
    given = struct.pack("=IIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *[*arguments, *[0] * 6][:6])
    code, at, value = cached_program(machine, 77), 0, 0
    while True:
        step, if_so, if_not, k = struct.unpack_from("=HBBI", code, 8 * at)
        at += 1
        if step == 0x06:
            return k
        if step == 0x20:
            (value,) = struct.unpack_from("=I", given, k)
        else:
            test = {0x15: value == k, 0x25: value > k, 0x45: bool(value & k)}[step]
            at += if_so if test else if_not


JUDGED = {
    "clone": {(0x003D0F00,): ALLOW, (0x01200011,): REFUSE, (0x4111,): REFUSE},  # pthread_create, fork, posix_spawn
    "clone3": {(): UNKNOWN, (0x10000,): UNKNOWN},
    "openat2": {(): UNKNOWN},
    "openat": {
        # O_CREAT, O_TRUNC and the bit of O_TMPFILE alone, with O_RDONLY; O_WRONLY and O_RDWR
        **{(FOLDER, 2**40, flag): REFUSE for flag in (0o1, 0o2, 0o3, 0o100, 0o1000, 0o20000000, 0o101, 0o2101)},
        # nothing, O_EXCL, O_NOCTTY, O_APPEND, O_NONBLOCK, O_CLOEXEC, O_PATH
        **{(FOLDER, 2**40, f): ALLOW for f in (0, 0o200, 0o400, 0o2000, 0o4000, 0o2000000, 0o10000000)},
    },
    "kill": {(77, 9): ALLOW, (78, 9): REFUSE, (0, 9): REFUSE, (2**64 - 1, 9): REFUSE},
    "tkill": {(77, 9): ALLOW, (78, 9): REFUSE},
    "tgkill": {(77, 78, 9): ALLOW, (78, 77, 9): REFUSE},
    "prlimit64": {(0,): ALLOW, (77,): ALLOW, (1,): REFUSE},
    "sched_setaffinity": {(0,): ALLOW, (77,): ALLOW, (1,): REFUSE},
    "fcntl": {
        **{(0, c): ALLOW for c in (0, 1, 2, 3, 4, 1030)},  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, …_CLOEXEC
        **{(0, c): REFUSE for c in (5, 6, 7, 8, 10, 15, 1024, 1033)},  # locks, owners, signals, leases, seals
    },
    "ioctl": {
        **{(0, c): ALLOW for c in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)},
        **{(0, c): REFUSE for c in (0x5402, 0x5412, 0x5414, 0x541C)},  # TCSETS, TIOCSTI, TIOCSWINSZ, TIOCLINUX
    },
}


@each("machine", ARCHITECTURES)
def test_the_filter_answers_calls_by_their_arguments(machine):
    calls = judged(machine)
    table = {**JUDGED, "open": {(2**40, *key[2:]): value for key, value in JUDGED["openat"].items()}}
    assert set(calls) == {*table, "seccomp"} - ({"open"} if machine == "aarch64" else set())
    for name, number in calls.items():
        for arguments, expected in table.get(name, {(): REFUSE} if number in refused(machine) else {(): ALLOW}).items():
            assert answer(machine, number, arguments) == expected, (name, arguments)
    assert {answer(machine, number) for number in refused(machine)} == {REFUSE}
    read, write = {"x86_64": (0, 1), "aarch64": (63, 64)}[machine]
    assert answer(machine, read) == answer(machine, write) == ALLOW
    assert answer(machine, 0, architecture=0x40000003) == REFUSE  # i386 on x86_64
    assert answer(machine, 0x40000000) == UNKNOWN  # x32
    assert (answer(machine, 469), answer(machine, 470)) == (REFUSE, UNKNOWN)


@each(
    "machine, header",
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_kernel(machine, header):
    ours = {**_table(_REFUSED, machine), **judged(machine)}
    assert len(ours) > 110
    if Path(header).exists():
        defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()))
        assert {name: n for name, n in ours.items() if int(defined.get(name, n)) != n} == {}


class Kernel:
    """Stands in for the C library: answers as a kernel would, and keeps what it was asked."""

    def __init__(self, version=6, ruleset=True, enforced=0, privileges=0, seccomp=0, old_seccomp=0):
        self.version, self.ruleset, self.enforced, self.seccomp = version, ruleset, enforced, seccomp
        self.options = {38: privileges, 22: old_seccomp}
        self.asked, self.rights = [], ()

    def prctl(self, option, *arguments):
        self.asked.append((option if type(option) is int else option.value, arguments[0].value))
        return self.options[self.asked[-1][0]]

    def syscall(self, number, *arguments):
        if number == 444 and arguments[0] is None:  # landlock_create_ruleset
            return self.version
        if number == 444:
            self.rights = struct.unpack("=QQQ", arguments[0])
            return os.open(os.devnull, os.O_RDONLY) if self.ruleset else -1
        return {445: 0, 446: self.enforced}.get(number, self.seccomp)  # landlock_add_rule, landlock_restrict_self


@linux
@pytest.mark.skipif(os.uname().machine not in ARCHITECTURES, reason="its calls are not in the tables")
@each(
    "kernel, readable, expected, rights",
    [
        (Kernel(), (), Restrictions(6, True, True), (2**16 - 1, 3, 3)),
        (Kernel(), None, Restrictions(6, False, True), (2**16 - 1 - 12, 3, 3)),  # but to read files and folders
        (Kernel(5), (), Restrictions(5, True, True), (2**16 - 1, 3, 0)),
        (Kernel(4), (), Restrictions(4, True, True), (2**15 - 1, 3, 0)),
        (Kernel(3), (), Restrictions(3, True, True), (2**15 - 1, 0, 0)),
        (Kernel(2), (), Restrictions(2, True, True), (2**14 - 1, 0, 0)),
        (Kernel(1), (), Restrictions(1, True, True), (2**13 - 1, 0, 0)),
        (Kernel(1), None, Restrictions(1, False, True), (2**13 - 1 - 12, 0, 0)),
        (Kernel(0), (), Restrictions(0, False, True), ()),
        (Kernel(-1), (), Restrictions(0, False, True), ()),
        (Kernel(ruleset=False), (), Restrictions(0, False, True), (2**16 - 1, 3, 3)),
        (Kernel(enforced=-1), (), Restrictions(0, False, True), (2**16 - 1, 3, 3)),
        (Kernel(privileges=-1), (), Restrictions(), ()),
        (Kernel(seccomp=-1), (), Restrictions(6, True, True), (2**16 - 1, 3, 3)),  # by the older call
        (Kernel(seccomp=-1, old_seccomp=-1), (), Restrictions(6, True, False), (2**16 - 1, 3, 3)),
    ],
)
def test_what_is_reported_is_what_the_kernel_has_granted(kernel, readable, expected, rights, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: kernel)
    assert restrict(readable) == expected
    assert kernel.rights == rights
    assert kernel.asked == [(38, 1)] + [(22, 2)] * (kernel.seccomp != 0)  # no new privileges; a filter
