"""Writing with a fault at each system call in turn, or killed there: every file is old or new."""

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
from kinetree.files.output import END

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
    """Each file is old or new; beside them are only files that a killed process had prepared."""
    for name in OLD.keys() | new.keys():
        assert run["left"].get(name) in (OLD.get(name), new[name])
    strays = run["left"].keys() - OLD.keys() - new.keys()
    assert all(name.endswith(END) for name in strays)


QUICK_KINDS = [
    kind if kind in ("fail once", "kill after") else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS
]


@pytest.mark.parametrize("kind", QUICK_KINDS)
@pytest.mark.parametrize(("job", "new"), [("single", ONE), ("several", NEW)])
@pytest.mark.sampled
def test_each_file_is_old_or_new(kind, job, new, faults):
    found = runs(faults, kind, job)
    assert len(found) > (5 if job == "single" else 20)
    for run in found:
        check_each_is_whole(run, new)
        files = {name: text for name, text in run["left"].items() if not name.endswith(END)}
        if run["end"] in (DONE, UNTOUCHED):
            assert files == new
        elif kind == "fail once":  # rolled back at once
            assert (run["end"], files) == (REFUSED, OLD)
        elif kind != "fail from there on":
            assert run["end"] == KILLED
    assert any(OLD.items() <= run["left"].items() for run in found)


@pytest.mark.parametrize("kind", ["kill before", "kill after"])
def test_no_file_is_replaced_before_all_new_ones_are_on_the_disk(kind, faults):
    for run in runs(faults, kind, "several"):
        replaced = {name for name, text in NEW.items() if run["left"].get(name) == text}
        ready = [run["left"][name] for name in run["left"] if name.endswith(END)]
        assert not replaced or NEW.keys() - replaced <= {name for name in NEW if NEW[name] in ready}
