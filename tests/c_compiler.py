"""How the tests compile C and call it."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from math import prod
from pathlib import Path

import numpy as np
import pytest

from kinetree.compiler.c import CSource

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wdouble-promotion"]
STRICT += ["-Wfloat-conversion", "-Wshadow", "-Wundef"]
C99 = ["-std=c99", *STRICT, "-Wfloat-equal", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla"]
CXX = ["-x", "c++", "-std=c++11", *STRICT]


def compilers(*names: str) -> list[str]:
    """Those that are installed, or a skipped test."""
    found = [name for name in names if shutil.which(name)]
    if not found:
        pytest.skip(f"no compiler {' or '.join(names)}")
    return found


def compile_with(*command: object) -> None:
    """Run a compiler; what it says is a failure."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def shared_object(folder: Path, name: str, text: CSource, compiler: str = "cc") -> ctypes.CDLL:
    """The compiled file, loaded; `name` must be another each time in one folder, for the loader remembers."""
    compilers(compiler)
    source = folder / f"{name}.c"
    source.write_text(text.source, encoding="ascii")
    source.with_suffix(".h").write_text(text.header, encoding="ascii")
    library = folder / f"{name}.so"
    compile_with(compiler, *C99, "-O1", "-fPIC", "-shared", source, "-o", library, "-lm")
    return ctypes.CDLL(str(library))


def loaded(source: Path) -> ctypes.CDLL:
    """A file of C that a command wrote, compiled and loaded."""
    compilers("cc")
    library = source.with_suffix(".so")
    compile_with("cc", *C99, "-fPIC", "-shared", source, "-o", library, "-lm")
    return ctypes.CDLL(str(library))


def call(function, inputs, shape, dtype=float):
    """The result of a function of arrays; one more entry behind it shows that nothing is written there."""
    arrays = [np.ascontiguousarray(x, dtype=dtype) for x in inputs]
    out = np.full(prod(shape) + 1, 12345.0, dtype=dtype)
    function.restype = None
    function(*[ctypes.c_void_p(a.ctypes.data if a.size else None) for a in (*arrays, out)])
    assert out[-1] == 12345.0
    return out[:-1].reshape(shape)
