"""Every public function has an example in its docstring, and all examples of public docstrings run."""

import doctest
import inspect
import re
from importlib import import_module

import pytest
from make_api import bridge_functions

from kinetree.errors import KinetreeError
from public_names import public, with_methods

MINUS_ZERO = re.compile(r"-0\.?0*(?![\d.e])")
"""What one machine prints and another does not."""


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


def place_without_example(label, thing):
    """Return the place of a docstring that does not end with a section of examples with a result, or ""."""
    examples = examples_of(label, thing)
    section = re.search(r"\n\nExamples:\n    >>> .*(\n    .*|\n)*\Z", examples.docstring)
    shown = section and any(example.want for example in examples.examples)
    return "" if shown else f"{examples.filename}:{examples.lineno + 1}: {label}"


def run(label, thing):
    """Run the examples of a docstring; the report of a failure has the file, the line and both results."""
    report, runner = [], Runner(verbose=False)
    runner.run(examples_of(label, thing), out=report.append)
    if runner.missing:
        pytest.skip(str(runner.missing))
    if report:
        pytest.fail("".join(report), pytrace=False)


PUBLIC = public()
SHOWN = {label: thing for label, thing in with_methods(PUBLIC).items() if ">>>" in (thing.__doc__ or "")}


def test_all_public_functions_are_found():
    wanted = {"kinetree.load", "kinetree.fk", "kinetree.Robot", "kinetree.kinematics.Xup", "kinetree.limits.read"}
    wanted |= {"kinetree.edit.lock", "kinetree.icub.taxels", "kinetree.dynamics.step", "kinetree.controllers.pose"}
    assert wanted | {"kinetree.spatial.se3.inverse"} <= PUBLIC.keys()
    assert not {"kinetree.kinematics.fk", "kinetree.spatial.se3.Array"} & PUBLIC.keys()
    assert {"kinetree.bridges.mujoco.export", "kinetree.bridges.torch.wrap"} <= set(bridge_functions())


def test_every_public_function_has_an_example():
    functions = {label: thing for label, thing in PUBLIC.items() if inspect.isfunction(thing)}
    without = [place for label, thing in functions.items() if (place := place_without_example(label, thing))]
    assert not without, "no section `Examples:` with >>> and a result at the end of:\n" + "\n".join(without)


def test_examples_print_the_same_on_every_machine():
    rows = [(label, one.want) for label, thing in SHOWN.items() for one in examples_of(label, thing).examples]
    assert not [(label, want) for label, want in rows if MINUS_ZERO.search(want)]


@pytest.mark.slow
@pytest.mark.parametrize("label", SHOWN)
def test_examples_run(label, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(label, SHOWN[label])


@pytest.mark.slow
@pytest.mark.parametrize("label", bridge_functions())
def test_bridges_have_examples_which_run(label, tmp_path, monkeypatch):
    module, _, name = label.rpartition(".")
    try:
        bridge = getattr(import_module(module), name)
    except (ImportError, KinetreeError) as error:
        if not is_missing_library(error):
            raise
        pytest.skip(str(error))
    assert not place_without_example(label, bridge)
    monkeypatch.chdir(tmp_path)
    run(label, bridge)
