"""Every public function is called by a test, and every command is run by a test and has a section in the reference.

Examples of docstrings do not count: they show what a function does, and few would notice a wrong number.
"""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from make_api import bridge_functions

from calls import called, run_commands
from kinetree.cli import group
from public_names import public, with_methods

TESTS = Path(__file__).parent
REFERENCE = TESTS.parent / "docs" / "reference" / "command-line.md"


@pytest.fixture(scope="module")
def calls():
    """The full names of what tests call, and the commands that they run."""
    names, commands = set(), set()
    for path in TESTS.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names |= called(tree)
        commands |= run_commands(tree)
    return names, commands


@pytest.fixture(scope="module")
def names(calls):
    """Return the full names of what tests call. A name of another module counts under its module, too."""
    names = {name for name in calls[0] if name.startswith((".", "kinetree."))}
    for name in [name for name in names if name[0] != "." and not name.startswith("kinetree.bridges.")]:
        module, _, last = name.rpartition(".")
        try:
            thing = inspect.unwrap(getattr(import_module(module), last))
        except (ImportError, AttributeError):  # a method of a class, or a mapping of controllers
            continue
        names.add(full_name(thing))
    return names


def full_name(thing):
    return f"{getattr(thing, '__module__', '')}.{getattr(thing, '__qualname__', '')}"


def uncalled(names):
    """Return the public functions and methods that are not among the names."""
    missing = [label for label in bridge_functions() if label not in names]
    for label, thing in with_methods(public()).items():
        if inspect.isclass(thing):
            continue
        full = full_name(inspect.unwrap(thing))
        own = f".{thing.__name__}" if "." in thing.__qualname__ else full
        if not {own, label} & names:
            missing.append(label)
    return missing


@pytest.mark.slow
def test_every_public_function_is_called_by_a_test(names):
    missing = uncalled(names)
    assert not missing, f"no test calls {', '.join(missing)}; compare their results with numbers from elsewhere"


@pytest.mark.slow
def test_every_command_is_run_by_a_test(calls):
    missing = {*group.list_commands(None)} - calls[1]
    assert not missing, f"no test runs kinetree {', '.join(sorted(missing))}; see tests/cli"


def test_every_command_has_a_section_of_the_reference():
    sections = {*re.findall(r"^## `kinetree ([\w-]+)", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)}
    wrong = sections ^ {*group.list_commands(None)}
    assert not wrong, f"{REFERENCE.name} has no section, or a section without a command: {', '.join(sorted(wrong))}"


CODE = """
import kinetree as kt
from kinetree import edit
from kinetree.model.edit import rename as other
def test():
    import kinetree.icub
    kt.fk(robot, "a")(q)
    kinetree.icub.fingers(other(robot))
    robot.order(names)
    bridge("drake").export(robot)
    edit.lock
    "kt.jacobian()"
    run("check", "--profile", "ros")
    run(command, "fix")
    CliRunner().invoke(group, ["tf", "icub"])
    subprocess.run([sys.executable, "-m", "kinetree", "lsp"])
"""


def test_calls_and_commands_are_found():
    tree = ast.parse(CODE)
    full = {name for name in called(tree) if name.startswith("kinetree.")}
    assert full == {
        "kinetree.fk",
        "kinetree.icub.fingers",
        "kinetree.model.edit.rename",
        "kinetree.bridges.drake.export",
    }
    assert ".order" in called(tree)
    assert run_commands(tree) == {"check", "tf", "lsp"}


@pytest.mark.slow
def test_functions_and_methods_without_a_call_are_found(names):
    gone = {"kinetree.bridges.drake.export", "kinetree.model.edit.motion.lock", "kinetree.edit.lock", ".order"}
    found = {*uncalled(names - gone)} - {*uncalled(names)}
    assert found == {"kinetree.bridges.drake.export", "kinetree.edit.lock", "kinetree.Robot.order"}
