"""Writing with a fault at each system call in turn, or killed there: every file is old or new, and the next run leaves
all of them old or all of them new, and nothing else."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import fault_driver
from c_compiler import compilers
from fault_driver import DONE, FOREIGN, KINDS, NEW, OLD, REFUSED, UNTOUCHED

HERE = Path(fault_driver.__file__).parent
KILLED = -9
ONE = {**OLD, "a/one.urdf": NEW["a/one.urdf"]}
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD and /proc")]


@pytest.fixture(scope="module")
def faults(tmp_path_factory) -> Path:
    """The library that makes calls fail."""
    (compiler,) = compilers("cc")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", HERE / "faults.c", "-o", library, "-ldl"], check=True)
    return library


def runs(faults: Path, kind: str, job: str) -> list[dict]:
    """What came of a fault at each call; in memory where that can be, for there flushing takes no time."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        done = subprocess.run(
            [sys.executable, HERE / "fault_driver.py", kind, job, folder],
            env={**os.environ, "LD_PRELOAD": str(faults), "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert found[-1]["end"] == UNTOUCHED
    assert FOREIGN not in [run["end"] for run in found], done.stderr
    return found


def check_each_is_whole(run: dict, new: dict[str, str]) -> None:
    """Each file is old or new, whatever is beside it."""
    for name in OLD.keys() | new.keys():
        assert run["left"].get(name) in (OLD.get(name), new[name])


QUICK_KINDS = [
    kind if kind in ("fail once", "kill after") else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS
]


@pytest.mark.parametrize("kind", QUICK_KINDS)
def test_a_single_file(kind, faults):
    for run in runs(faults, kind, "single"):
        check_each_is_whole(run, ONE)
        assert run["after"] in (OLD, ONE)
        assert run["notes"] == []
        if run["end"] in (DONE, UNTOUCHED):
            assert run["left"] == ONE
        elif kind == "fail once":
            assert run["left"] in (OLD, ONE)  # that the folder could not be flushed is said when the file is replaced


@pytest.mark.parametrize("kind", QUICK_KINDS)
def test_several_files(kind, faults):
    found = runs(faults, kind, "several")
    assert len(found) > 40
    for run in found:
        check_each_is_whole(run, NEW)
        assert run["after"] in (OLD, NEW)
        if run["end"] in (DONE, UNTOUCHED):
            assert run["after"] == NEW
        elif kind == "fail once":  # rolled back at once, with nothing left behind
            assert (run["end"], run["left"]) == (REFUSED, OLD)
        elif kind != "fail from there on":
            assert run["end"] == KILLED
            mixed = any(run["left"].get(name) != OLD.get(name) for name in NEW) and run["after"] == OLD
            assert ["has been undone" in note for note in run["notes"]] == [True] if mixed else True
    assert {tuple(run["after"].items()) for run in found} == {tuple(OLD.items()), tuple(sorted(NEW.items()))}
