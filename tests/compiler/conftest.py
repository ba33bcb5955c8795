"""An empty cache, and what has been done since."""

import pytest

from kinetree.compiler import llvm
from kinetree.queries import query

OPTIMIZED = {"_machine": llvm._machine, "VERSION": llvm.VERSION}


@pytest.fixture(scope="module", autouse=True)
def _optimized():
    """Code as users get it, unlike in other quick tests."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in OPTIMIZED.items():
            patch.setattr(llvm, name, value)
        yield


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache, whose folder is not there yet."""
    where = tmp_path / "deep" / "kernels"
    monkeypatch.setenv("KINETREE_CACHE", str(where))
    return where


@pytest.fixture
def work(monkeypatch):
    """What has been done: "trace", "compile"."""
    done = []
    compile_object, trace = llvm.compile_object, query.trace
    monkeypatch.setattr(llvm, "compile_object", lambda *a: done.append("compile") or compile_object(*a))
    monkeypatch.setattr(query, "trace", lambda *a: done.append("trace") or trace(*a))
    return done
