"""System calls of Linux and their numbers, from the kernel's own headers (unistd_64.h and asm-generic/unistd.h).

A row has the name, the number on x86_64 and the number on aarch64, `-` if that has no such call.
"""

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
    return tuple(_table(_REFUSED, machine).values())


def judged(machine: str) -> dict[str, int]:
    """Return the numbers, by name, of the calls whose answer depends on the arguments, or is another one."""
    return _table(_JUDGED, machine)


def _table(text: str, machine: str) -> dict[str, int]:
    column = 1 + list(ARCHITECTURES).index(machine)
    lines = (line for line in text.splitlines() if not line.strip().startswith("#"))
    rows = [row.split() for row in " ".join(lines).split(";") if row.strip()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
