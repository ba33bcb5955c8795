"""The shape of the source stays as it is: one table of a kind, few hands between an option and the rules."""

import ast
import statistics

import pytest

import house


@pytest.fixture(scope="module")
def trees():
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(house.HERE.rglob("*.py"))}


@pytest.mark.slow
def test_an_option_goes_through_few_hands(trees):
    assert 1 <= len(house.hands(trees, "controller")) <= 4


@pytest.mark.slow
def test_one_table_of_references_and_one_reader_of_toml(trees):
    assert [path.replace("\\", "/").rsplit("/", 1)[1] for path in house.modules_with(trees, house.REFERENCES)] == [
        "references.py"
    ]
    assert [path.replace("\\", "/").rsplit("/", 1)[1] for path in house.modules_with(trees, house.UNKNOWN_KEY)] == [
        "toml.py"
    ]


def test_files_and_functions_are_short(trees):
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in trees]
    bodies = [house.length(function) for tree in trees.values() for function in house.functions(tree)]
    assert statistics.median(map(house.size, trees)) <= 120
    assert max(lines) <= 400
    assert statistics.median(bodies) <= 8
    assert max(bodies) <= 50
