"""Messages about motions and inverse kinematics, in the words of the command line."""

import ast
import re
from pathlib import Path

import pytest

import kinetree
from kinetree.cli import ik, move
from kinetree.cli._findings import worded
from kinetree.cli.motion import check
from kinetree.errors import Finding

ROOM = Path(kinetree.__file__).parent / "trajectories"
ARGUMENT = re.compile(r"(?<![\w.])(?!s\b)\w+=(?!\{)|\bq0\b")
BY_PYTHON_ALONE = (
    "profile='jerk'",
    "{name} {what}",
    "{name} has shape",
    "q0 has shape",
    "q0, q1",
    "moving=",
    "replace(",
)
"""Parts of messages of functions that no command calls, or about arguments that commands make themselves."""


def flags(command):
    return {one.name: max(one.opts, key=len) for one in command.params}


def in_words(message, command=move.command):
    (found,) = worded([Finding("path", "error", message, fix=message)], flags(command))
    assert found.message == found.fix
    return found.message


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("pass acceleration=, such as 5, or torque=True", "pass --acceleration, such as 5, or --torque"),
        ("pass velocity=", "pass --velocity"),
        ("begin at q0 with a=0.1, b=-2", "begin at --q with a=0.1, b=-2"),
        ("q0 = 1, or q0=1", "--q = 1, or q0=1"),
        ("a smaller payload=, or points=; in Python, more points=", "a smaller --payload, or points="),
        ("expected torque=Truely", "expected torque=Truely"),
        ("x='a', limit=number", "x='a', limit=number"),
    ],
)
def test_arguments_become_options(message, expected):
    assert in_words(message) == expected


def test_options_of_each_command():
    assert in_words("q0", ik.command) == "--q"
    assert in_words("pass torque=", check) == "pass --torque"
    assert in_words("pass torque=", ik.command) == "pass torque="
    as_written = [Finding("option", "error", "expected fk(frame, base=)")]
    assert worded(as_written, {"base": "--base"}) == as_written
    assert worded([Finding("path", "error", "no fix")], {}) == [Finding("path", "error", "no fix")]


def literals():
    """Return the texts of several words in the room of motions, but for docstrings; {…} stands for values."""
    for path in sorted(ROOM.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        whole = [one for one in ast.walk(tree) if isinstance(one, ast.JoinedStr)]
        inner = {id(part) for one in whole for part in ast.walk(one) if part is not one}
        inner |= {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
        texts = [ast.unparse(one)[2:-1] for one in whole if id(one) not in inner]
        texts += [
            one.value
            for one in ast.walk(tree)
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in inner
        ]
        yield from (text for text in texts if " " in text)


@pytest.mark.slow
def test_no_message_about_motions_names_an_argument_of_python():
    texts = [one for one in literals() if not any(part in one for part in BY_PYTHON_ALONE)]
    assert len(texts) > 100
    assert sum("acceleration=" in one for one in texts) >= 2
    for text in texts:
        assert not ARGUMENT.search(in_words(text)), text
