"""The public names: all there, and what computes is imported when somebody asks for it."""

import subprocess
import sys

import pytest

import kinetree as kt
from kinetree import _computing


def test_what_computes_is_there_when_asked_for():
    names = [name for name in vars(_computing) if not name.startswith("__")]
    assert {"fk", "ik", "compare", "guard", "margin", "from_board"} <= set(names)
    assert all(getattr(kt, name) is getattr(_computing, name) for name in names)
    assert {*names, "load", "check", "KinetreeError"} <= set(dir(kt))


def test_modules_are_there_too_and_no_others():
    assert kt.solvers.ik.make.ik is kt.ik
    for name in ("nosuch", "__nosuch__"):
        with pytest.raises(AttributeError, match="module 'kinetree' has no attribute"):
            getattr(kt, name)


def test_a_check_imports_nothing_that_computes(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text('<robot name="arm"><link name="a"/></robot>')
    program = (
        "import contextlib, sys; from kinetree.cli import group\n"
        f"with contextlib.suppress(SystemExit): group(['check', {str(file)!r}, '--profile', 'industrial'])\n"
        "modules = ('kinetree.compiler', 'kinetree.solvers', 'kinetree.queries', 'scipy', 'llvmlite', 'xacro')\n"
        "print([m for m in sys.modules if m.startswith(modules)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
