"""Kernels of the tests are kept apart from those of whoever runs them."""

import gc
import os
import re
import tempfile
from collections import defaultdict
from functools import partial
from zlib import crc32

import pytest

pytest_plugins = ["browser", "rewritten"]

QUICK = "not crosscheck and not slow"
CASES = 4
"""Number of cases of a test marked `sampled` that run without KINETREE_ALL, if the mark has no number of its own."""
_SLOW = re.compile(r"^pytestmark = \[?pytest\.mark\.(slow|crosscheck)\b", re.MULTILINE)


def pytest_addoption(parser):
    parser.addoption("--update-golden", action="store_true", help="Write what is said now to the golden files.")
    parser.addoption("--part", default="1/1", metavar="K/N", help="Run the tests of one of N parts of similar size.")


def pytest_configure(config):
    """Leave whole packages that have a plug-in as they are: pytest would rewrite their assertions, which is slow."""
    rewritten = getattr(config.pluginmanager.rewrite_hook, "_must_rewrite", set())
    rewritten -= {"kinetree", "hypothesis", "zarr"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Keep the tests of one part, and some cases of long ones. Names decide, so that a new test moves no other one."""
    part, parts = map(int, config.getoption("--part").split("/"))
    if not 1 <= part <= parts:
        raise pytest.UsageError(f"--part {part}/{parts}: expected 1/{parts} to {parts}/{parts}")
    others = {item for item in items if crc32(item.nodeid.encode()) % parts != part - 1} | set(_more_cases(items))
    if others:
        config.hook.pytest_deselected(items=[item for item in items if item in others])
        items[:] = [item for item in items if item not in others]


def _more_cases(items):
    """Return the cases of tests marked `sampled` that only `.ci/nightly` runs, with KINETREE_ALL."""
    cases, left = defaultdict(list), []
    for item in items:
        if (mark := item.get_closest_marker("sampled")) and not os.environ.get("KINETREE_ALL"):
            cases[item.nodeid.split("[")[0], *(mark.args or (CASES,))].append(item)
    for (_, kept), some in cases.items():
        left += sorted(some, key=lambda one: crc32(one.nodeid.encode()))[kept:]
    return left


def pytest_collection_finish():
    """Let the garbage collector leave the tests themselves alone, and run less often: it takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(500_000, 20, 20)


def pytest_runtest_setup(item):
    """A test that collects garbage looks at its own objects, not at those of all tests before it."""
    if getattr(item.module, "gc", None) is gc:
        gc.freeze()


def pytest_ignore_collect(collection_path, config):
    """Leave out files of slow tests and cross-checks alone, so that the quick tests need not import them."""
    if config.option.markexpr == QUICK and collection_path.suffix == ".py":
        return _SLOW.search(collection_path.read_text(encoding="utf-8")) is not None or None
    return None


@pytest.fixture
def golden(request):
    """Compare a text with the file of that name beside the test, in the folder golden."""

    def golden(name, text):
        file = request.path.parent / "golden" / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()

    return golden


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """One cache of compiled code for all tests of a run, its workers and the programs that they start."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KINETREE_CACHE", str(base / "kernels"))
        yield


@pytest.fixture(scope="session", autouse=True)
def _own_temporary_files(tmp_path_factory):
    """The folders of the tests lie in one of temporary files, where a search for packages, projects and meshes ends: no
    test meets what another one has written."""
    base = str(tmp_path_factory.getbasetemp())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", base)
        patch.setattr(tempfile, "tempdir", base)
        yield


@pytest.fixture(scope="session", autouse=True)
def _plain_code(request):
    """LLVM does not optimize, which takes more than half of its time, but for cross-checks and with KINETREE_ALL. Tests
    of the compiler undo this. The code has a key of its own in the cache. Nor do tests wait until files are on disk."""
    from kinetree.compiler import llvm

    with pytest.MonkeyPatch.context() as patch:
        if "not crosscheck" in request.config.option.markexpr and not os.environ.get("KINETREE_ALL"):
            patch.setattr(llvm, "_machine", partial(llvm._machine, opt=0))
            patch.setattr(llvm, "VERSION", f"{llvm.VERSION}, not optimized")
            patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def _errors_are_said():
    """Every error has a code, and says something, also where a test looks at one of them alone."""
    from kinetree.errors import KinetreeError

    make = KinetreeError.__init__

    def checked(self, findings):
        make(self, findings)
        assert all(finding.code and finding.message for finding in self.findings), self.findings

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KinetreeError, "__init__", checked)
        yield
