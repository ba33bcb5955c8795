"""The shape of the source stays as it is: rooms with a budget of lines, one table of a kind, short files and functions,
few hands between an option and the rules."""

import ast
import statistics
from pathlib import Path

import pytest

import house
from rooms import ALL, ROOMS, lines_by_room, room_of


@pytest.fixture(scope="module")
def trees():
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(house.HERE.rglob("*.py"))}


PACKAGE = house.HERE / "kinetree"


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_keeps_its_budget(room):
    ceiling, places = ROOMS[room]
    lines = lines_by_room(PACKAGE)[room]
    assert lines <= ceiling, (
        f"{room} has {lines} lines of {ceiling}; simplify it, or say in tests/rooms.py why it may grow"
    )
    assert all((PACKAGE / place).exists() for place in places if place != "contact")


def test_all_rooms_together_keep_theirs():
    lines = lines_by_room(PACKAGE)
    assert sum(lines.values()) <= ALL
    assert sum(lines.values()) == sum(
        len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")
    )


def test_a_file_is_in_one_room():
    assert room_of(Path("rules/icub/names.py")) == "icub"
    assert room_of(Path("rules/names/letters.py")) == "check"
    assert room_of(Path("cli/show.py")) == "view"
    assert room_of(Path("cli/fk.py")) == room_of(Path("labels.py")) == "core"


def test_no_room_has_the_name_of_a_public_function():
    import kinetree as kt

    functions = {name for name in kt.__all__ if callable(getattr(kt, name))}
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()}.isdisjoint(functions)


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


def test_files_are_short():
    lines = [len(path.read_text(encoding="utf-8").splitlines()) for path in house.HERE.rglob("*.py")]
    assert max(lines) <= 400


@pytest.mark.slow
def test_files_and_functions_are_short_in_the_middle(trees):
    bodies = [house.length(function) for tree in trees.values() for function in house.functions(tree)]
    assert statistics.median(map(house.size, trees)) <= 120
    assert statistics.median(bodies) <= 8
    assert max(bodies) <= 50
