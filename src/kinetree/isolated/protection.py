"""Limits of a child process: which variables it sees, and what this machine enforces."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

KEPT = frozenset(
    (
        *("HOME", "USERPROFILE", "PATH", "TMPDIR", "TEMP", "TMP", "TZ", "LANG", "SYSTEMROOT", "WINDIR", "COMSPEC"),
        *("APPDATA", "LOCALAPPDATA", "VIRTUAL_ENV", "XDG_CACHE_HOME", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"),
        *("SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"),
    )
)
KEPT_PREFIXES = ("PYTHON", "LC_", "LD_", "DYLD_", "KINETREE_")
"""Variables that a child needs to run and to find packages. Models never see their values."""
JOB = "job object"
"""Name of the limits of a job object of Windows."""


def environment(confined: bool) -> Mapping[str, str]:
    """Return the variables of a child: all of them unless it is confined."""
    if not confined:
        return os.environ
    return {k: v for k, v in os.environ.items() if k.upper() in KEPT or k.upper().startswith(KEPT_PREFIXES)}


@dataclass(frozen=True)
class Protection:
    """Limits that the system enforces on a child process, as reported by that process.

    limits: names of its POSIX limits, or JOB. landlock: version of Landlock, 0 for none. reading: whether Landlock
    limits reading. calls: whether seccomp filters system calls.
    """

    limits: tuple[str, ...] = ()
    landlock: int = 0
    reading: bool = False
    calls: bool = False

    def __str__(self) -> str:
        kernel = self.landlock or self.calls
        by = " and ".join([*([f"Landlock {self.landlock}"] if self.landlock else []), *(["seccomp"] * self.calls)])
        none = "not enforced by the system"
        size, job = "RLIMIT_FSIZE" in self.limits, JOB in self.limits
        memory = job or ("RLIMIT_AS" in self.limits and sys.platform != "darwin")
        by_job = f"refused by the {JOB}" if job else none
        rows = {
            "memory": "limited" if memory else none,
            "time": "the process is ended",
            "writing files": f"refused by {by}" if kernel else "no byte is written; " + none if size else none,
            "reading elsewhere": f"refused by Landlock {self.landlock}" if self.reading else none,
            "starting programs": f"refused by {by}" if kernel else by_job,
            "starting processes": "refused by seccomp" if self.calls else by_job,
            "network": "refused by seccomp" if self.calls else "TCP is refused" if self.landlock >= 4 else none,
            "signals to others": f"refused by {by}" if self.calls or self.landlock >= 6 else none,
            "rights and times of files": "refused by seccomp" if self.calls else none,
        }
        return "\n".join(f"{name + ':':27}{what}" for name, what in rows.items())
