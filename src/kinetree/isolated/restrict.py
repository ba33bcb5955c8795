"""Restriction of a process that reads and computes, for good, by Landlock and seccomp of Linux.

Both are called through ctypes; no dependency and no rights are needed. Features that a kernel lacks are left out, and
the answer lists those in force.

Numbers of system calls are from the kernel's own headers (unistd_64.h and asm-generic/unistd.h). A row has the name,
the number on x86_64 and that on aarch64, `-` if that has no such call. The filter (seccomp) refuses to start programs
and processes, to change files or open them for writing, to use sockets, to access other processes and to administer the
system. Refused calls fail with PermissionError.
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

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Numbers of machines in a filter (AUDIT_ARCH_… of linux/audit.h)."""
NEWEST = 469
"""The highest number in use on both; calls of later kernels are unknown."""

_REFUSED = """
    # other programs and processes
    fork 57 -; vfork 58 -; execve 59 221; execveat 322 281; ptrace 101 117; process_vm_readv 310 270;
    process_vm_writev 311 271; process_madvise 440 440; process_mrelease 448 448; kcmp 312 272;
    pidfd_open 434 434; pidfd_getfd 438 438; pidfd_send_signal 424 424; rt_sigqueueinfo 129 138;
    rt_tgsigqueueinfo 297 240; migrate_pages 256 238; move_pages 279 239; setpriority 141 140;
    ioprio_set 251 30; sched_setscheduler 144 119; sched_setparam 142 118; sched_setattr 314 274;

    # files: the names, rights, owners, times, attributes and locks
    creat 85 -; mknod 133 -; mknodat 259 33; mkdir 83 -; mkdirat 258 34; rmdir 84 -; unlink 87 -;
    unlinkat 263 35; rename 82 -; renameat 264 38; renameat2 316 276; link 86 -; linkat 265 37; symlink 88 -;
    symlinkat 266 36; truncate 76 45; chmod 90 -; fchmod 91 52; fchmodat 268 53; fchmodat2 452 452; chown 92 -;
    fchown 93 55; lchown 94 -; fchownat 260 54; utime 132 -; utimes 235 -; utimensat 280 88; futimesat 261 -;
    setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7; setxattrat 463 463; removexattr 197 14;
    lremovexattr 198 15; fremovexattr 199 16; removexattrat 466 466; file_setattr 469 469;
    open_by_handle_at 304 265; name_to_handle_at 303 264; flock 73 32;

    # sockets, and memory and messages shared with others
    socket 41 198; socketpair 53 199; connect 42 203; bind 49 200; listen 50 201; accept 43 202;
    accept4 288 242; sendto 44 206; sendmsg 46 211; sendmmsg 307 269; shmget 29 194; shmctl 31 195;
    msgget 68 186; msgctl 71 187; semget 64 190; semctl 66 191; mq_open 240 180; mq_unlink 241 181;
    shmat 30 196; msgsnd 69 189; msgrcv 70 188; semop 65 193; semtimedop 220 192;

    # rights and keys
    setuid 105 146; setgid 106 144; setreuid 113 145; setregid 114 143; setresuid 117 147; setresgid 119 149;
    setgroups 116 159; setfsuid 122 151; setfsgid 123 152; capset 126 91; add_key 248 217; request_key 249 218;
    keyctl 250 219;

    # the system
    mount 165 40; umount2 166 39; move_mount 429 429; open_tree 428 428; open_tree_attr 467 467;
    fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433; mount_setattr 442 442;
    pivot_root 155 41; chroot 161 51; unshare 272 97; setns 308 268; bpf 321 280; perf_event_open 298 241;
    userfaultfd 323 282; io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427;
    init_module 175 105; finit_module 313 273; delete_module 176 106; kexec_load 246 104;
    kexec_file_load 320 294; reboot 169 142; swapon 167 224; swapoff 168 225; sethostname 170 161;
    setdomainname 171 162; settimeofday 164 170; clock_settime 227 112; clock_adjtime 305 266;
    adjtimex 159 171; acct 163 89; quotactl 179 60; quotactl_fd 443 443; syslog 103 116; iopl 172 -;
    ioperm 173 -; fanotify_init 300 262; vhangup 153 58
"""

_JUDGED = """
    clone 56 220; clone3 435 435; open 2 -; openat 257 56; openat2 437 437; kill 62 129; tkill 200 130;
    tgkill 234 131; prlimit64 302 261; sched_setaffinity 203 122; ioctl 16 29; fcntl 72 25; seccomp 317 277
"""


def refused(machine: str) -> tuple[int, ...]:
    """Return the numbers of the calls that are refused whatever their arguments."""
    return tuple(sorted(_table(_REFUSED, machine).values()))


def judged(machine: str) -> dict[str, int]:
    """Return the numbers, by name, of the calls whose answer depends on the arguments, or is another one."""
    return _table(_JUDGED, machine)


def _table(text: str, machine: str) -> dict[str, int]:
    column = 1 + list(ARCHITECTURES).index(machine)
    lines = (line for line in text.splitlines() if not line.strip().startswith("#"))
    rows = [row.split() for row in " ".join(lines).split(";") if row.strip()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


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
