"""Messages and docstrings name only functions of kinetree that exist."""

import ast
import re
from pathlib import Path

import pytest

import kinetree as kt

SOURCE = Path(kt.__file__).parent
NAME = re.compile(r"(?<![\w.])kt((?:\.[a-z_]+)+)")


def resolves(name):
    thing = kt
    for part in name:
        try:
            thing = getattr(thing, part)
        except AttributeError:
            return isinstance(thing, type) and part in getattr(thing, "__annotations__", {})
    return True


def named():
    """Each `kt.…` in a text of the source, with its file."""
    for path in SOURCE.rglob("*.toml"):
        for match in NAME.finditer(path.read_text(encoding="utf-8")):
            yield path.name, match.group(1).strip(".").split(".")
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "kt." not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for match in NAME.finditer(node.value):
                    yield path.relative_to(SOURCE).as_posix(), match.group(1).strip(".").split(".")


@pytest.mark.slow
def test_every_function_that_a_text_names_exists():
    found = [*named()]
    assert len(found) > 200
    assert [(file, ".".join(name)) for file, name in found if not resolves(name)] == []


def test_a_name_that_is_gone_is_noticed():
    assert resolves(["kinematics", "loop_error"])
    assert not resolves(["loop_error"])
    assert [m.group(1) for m in NAME.finditer("x akt.b; kt.ik, `kt.edit.lock`")] == [".ik", ".edit.lock"]
