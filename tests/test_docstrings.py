"""Every public function has an example in its docstring, and all examples of public docstrings run."""

import contextlib
import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import kinetree as kt
import kinetree.bridges
from kinetree.errors import KinetreeError
from kinetree.spatial import dh, euler, exponential, plucker, se3

BRIDGE = ("wrap", "export")
"""Functions of a bridge; modules that bridges share have others."""
MINUS_ZERO = re.compile(r"-0\.?0*(?![\d.e])")
"""What one machine prints and another does not."""


def members(label, thing):
    """Return the public names of a module or an object and what they are, as (label.name, thing)."""
    return [(f"{label}.{name}", getattr(thing, name)) for name in dir(thing) if not name.startswith("_")]


def defined(module):
    """Return the public functions that are defined in a module."""
    found = [row for row in members(module.__name__, module) if inspect.isfunction(row[1])]
    return [row for row in found if inspect.unwrap(row[1]).__module__ == module.__name__]


def bridges():
    """Return the public functions of the bridges; those of PyTorch and JAX only where these are installed."""
    found = []
    for module in pkgutil.iter_modules(kinetree.bridges.__path__, "kinetree.bridges."):
        with contextlib.suppress(ModuleNotFoundError):
            found += [row for row in defined(importlib.import_module(module.name)) if row[1].__name__ in BRIDGE]
    return found


def public():
    """Return all public functions and classes by label; what has several labels stands under the first."""
    flat = members("kinetree", kt)
    rows = [*flat]
    for label, thing in flat:
        if inspect.ismodule(thing):
            rows += members(label, thing)
    rows += members("kinetree.controllers", kt.controllers)
    rows += [row for module in (se3, euler, exponential, plucker, dh) for row in defined(module)]
    first = {}
    for label, thing in [*rows, *bridges()]:
        if inspect.isfunction(thing) or inspect.isclass(thing):
            first.setdefault(id(thing), (label, thing))
    return dict(first.values())


def with_methods(things):
    """Return functions and classes, and the public methods of the classes."""
    classes = [(label, thing) for label, thing in things.items() if inspect.isclass(thing)]
    methods = [(f"{label}.{name}", one) for label, kind in classes for name, one in vars(kind).items()]
    return things | {label: one for label, one in methods if inspect.isfunction(one) and one.__name__[0] != "_"}


def examples_of(label, thing):
    """Return the examples of a docstring, with the file and the line where each stands."""
    thing = inspect.unwrap(thing)
    lines, start = inspect.getsourcelines(thing)
    docstring = next((i for i, line in enumerate(lines) if '"""' in line), 0)
    text = inspect.cleandoc(thing.__doc__ or "")
    file = inspect.getsourcefile(thing)
    return doctest.DocTestParser().get_doctest(text, {}, label, file, start - 1 + docstring)


def is_missing_library(error):
    """Return whether an example fails because it needs a library that is not installed."""
    if isinstance(error, ModuleNotFoundError):
        return not (error.name or "kinetree").startswith("kinetree")
    return isinstance(error, KinetreeError) and any("pip install" in (f.fix or "") for f in error.findings)


class Runner(doctest.DocTestRunner):
    """Runner that remembers a library that is missing."""

    missing = None

    def report_unexpected_exception(self, out, test, example, exc_info):
        if is_missing_library(exc_info[1]):
            self.missing = self.missing or exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


PUBLIC = public()
SHOWN = {label: thing for label, thing in with_methods(PUBLIC).items() if ">>>" in (thing.__doc__ or "")}


def test_all_public_functions_are_found():
    wanted = {"kinetree.load", "kinetree.fk", "kinetree.Robot", "kinetree.kinematics.Xup", "kinetree.limits.read"}
    wanted |= {"kinetree.edit.lock", "kinetree.icub.taxels", "kinetree.dynamics.step", "kinetree.controllers.pose"}
    wanted |= {"kinetree.spatial.se3.inverse", "kinetree.bridges.mujoco.export", "kinetree.bridges.casadi.wrap"}
    assert wanted <= PUBLIC.keys()
    assert not {"kinetree.kinematics.fk", "kinetree.bridges.maps.maps_of", "kinetree.spatial.se3.Array"} & PUBLIC.keys()


def test_every_public_function_has_an_example():
    without = []
    for label, thing in PUBLIC.items():
        if inspect.isfunction(thing):
            examples = examples_of(label, thing)
            section = re.search(r"\n\nExamples:\n    >>> .*(\n    .*|\n)*\Z", examples.docstring)
            if not section or not any(example.want for example in examples.examples):
                without.append(f"{examples.filename}:{examples.lineno + 1}: {label}")
    assert not without, "no section `Examples:` with >>> and a result at the end of:\n" + "\n".join(without)


def test_examples_print_the_same_on_every_machine():
    rows = [(label, one.want) for label, thing in SHOWN.items() for one in examples_of(label, thing).examples]
    assert not [(label, want) for label, want in rows if MINUS_ZERO.search(want)]


@pytest.mark.slow
@pytest.mark.parametrize("label", SHOWN)
def test_examples_run(label, tmp_path, monkeypatch):
    """The report of a failure has the file, the line, the example, what is expected and what came."""
    monkeypatch.chdir(tmp_path)
    report, runner = [], Runner(verbose=False)
    runner.run(examples_of(label, SHOWN[label]), out=report.append)
    if runner.missing:
        pytest.skip(str(runner.missing))
    if report:
        pytest.fail("".join(report), pytrace=False)
