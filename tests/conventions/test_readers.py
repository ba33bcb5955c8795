"""What readers remark: every code of theirs that is no error has a row, and every row is a code of theirs."""

import ast
from pathlib import Path

import pytest

import kinetree as kt
from kinetree.conventions.reader_codes import REMARKS

ELSEWHERE = {"baseline-gone", "board-limits", "published-limits", "other-source", "sources-differ", "unplaced", "empty"}
ELSEWHERE |= {"srdf-alone"}
"""That of a baseline, those of robots that come with the package, that of a robot which limits hold still, and that of
an SRDF without a model, which is an error if it is named."""


def constants(node):
    if isinstance(node, ast.IfExp):
        return constants(node.body) | constants(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


def remarked(call):
    """The codes of a call that notes a warning or a remark."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    first, second = [*map(constants, call.args[:2]), set(), set()][:2]
    if name == "warning":
        return first
    if name == "add" and first & {"info", "warning"}:
        return second
    return first if name == "Finding" and len(call.args) > 1 and second != {"error"} else set()


@pytest.mark.slow
def test_every_remark_has_a_row():
    found = set()
    for file in Path(kt.__file__).parent.rglob("*.py"):
        # what the journal of an interrupted run says is about no model
        if not {"conventions", "cli", "journal.py"} & set(file.parts):
            calls = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))
            found |= {code for call in calls for code in remarked(call)}
    assert found | ELSEWHERE == set(REMARKS)
    robots = [kt.load(f"icub:{version}") for version in ("1.7", "2.0", "2.10", "3.0")]
    assert {note.code for robot in robots for note in robot.notes} <= set(REMARKS)


def test_a_row_is_one_sentence():
    assert list(REMARKS) == sorted(REMARKS)
    assert all(title[0].isupper() and title.endswith(".") for title in REMARKS.values())
