"""Runs writes with a fault at each of their system calls in turn, in a process that has loaded faults.c.

Called with a kind of fault, a job and an empty folder; prints one JSON object for each number of a call: how the
writing process ended, and the files as it left them.
"""

import ctypes
import json
import os
import shutil
import sys
from pathlib import Path

from kinetree.errors import KinetreeError
from kinetree.files.output import write_all, write_whole

KINDS = ("fail once", "fail from there on", "kill before", "kill after")
DONE, REFUSED, FOREIGN, UNTOUCHED = range(4)
OLD = {"a/one.urdf": "old 1", "a/two.urdf": "old 2", "b/three.urdf": "old 3"}
NEW = {"a/one.urdf": "new 1", "a/two.urdf": "new 2", "b/three.urdf": "new 3", "b/four.urdf": "new 4"}


def several(root: Path) -> None:
    """Replace three files in two folders, and make a fourth."""
    write_all({root / name: content for name, content in NEW.items()})


def single(root: Path) -> None:
    """Replace one file."""
    write_whole(root / "a/one.urdf", NEW["a/one.urdf"])


JOBS = {"several": several, "single": single}


def files(root: Path) -> dict[str, str]:
    """All files below a folder, hidden ones, too."""
    return {str(p.relative_to(root)): p.read_text() for p in sorted(root.rglob("*")) if p.is_file()}


def attempt(library: ctypes.CDLL, root: Path, number: int, kind: str, job: str) -> int:
    """Write in a process of its own, with a fault; return how it ended, -9 if it was killed."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    library.arm(os.fsencode(root), ctypes.c_long(number), KINDS.index(kind))
    try:
        JOBS[job](root)
        end = DONE if library.calls() >= number else UNTOUCHED
    except KinetreeError:
        end = REFUSED
    except BaseException as error:
        print(f"{error!r} at call {number}", file=sys.stderr)
        end = FOREIGN
    os._exit(end)


def main(kind: str, job: str, folder: str) -> None:
    """Go on until a fault comes too late to be met."""
    library = ctypes.CDLL(None)
    root = Path(folder).resolve() / "root"
    for number in range(1, 1000):
        for name, content in OLD.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content)
        end = attempt(library, root, number, kind, job)
        print(json.dumps({"number": number, "end": end, "left": files(root)}))
        if end == UNTOUCHED:
            return
        shutil.rmtree(root)


if __name__ == "__main__":
    main(*sys.argv[1:])
