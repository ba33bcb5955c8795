"""An empty cache, and what has been done since."""

import pytest

from kinetree.compiler import llvm, machine


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
    compile_object, make = llvm.compile_object, machine.Machine.program.fget
    monkeypatch.setattr(llvm, "compile_object", lambda *a: done.append("compile") or compile_object(*a))
    monkeypatch.setattr(machine.Machine, "program", property(lambda self: done.append("trace") or make(self)))
    return done
