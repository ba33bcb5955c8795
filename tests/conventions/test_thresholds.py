"""Every number of every rule on both sides: a case of `rule_cases` notices when it is a little larger or smaller."""

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from inspect import getsource
from math import acos, asin, cos, sin
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import kinetree as kt
from conventions.test_cases import TABLES
from each import each
from kinetree import rules
from kinetree.repairs import fixes
from kinetree.rules.profiles import FAMILIES, family
from kinetree.rules.shapes.addresses import DEEPEST
from kinetree.rules.threshold import Threshold
from rule_cases.builders import link, mesh, robot, seen
from rule_cases.case import Model, findings_alone

MODULES = [import_module(found.name) for found in walk_packages(rules.__path__, "kinetree.rules.")]
RULES = [rule for letters in FAMILIES for rule in family(letters)]
NUMBERS = {id(number): number for rule in RULES for number in rule.thresholds}

OTHERS = {
    "limits of reading": "MOST_BYTES MOST_FOLDERS MOST_MACROS MOST_MESHES MOST_READ MOST_WHOLE SAMPLE meshes.SHORT",
    "lengths of texts": "LISTED mirror.MOST states.MOST whole_examples.LINES WHOLE WIDTH",
    "rounding of numbers": "EXACT_ZERO NOTHING inertia.ROUNDED turns.NOISE",
    "repairs and options": "placement.AWAY fixes.AWAY places.FAR placement.LEVEL placement.EXACT angles.EXACT OFF",
    "tables, whose rows have cases": "RATIOS FRACTIONS axes.SIDES exchanged.SIDES RATES SOLIDS UNITS",
    "names and formats": "FEET FREE HEADER QUATERNION",
    "work for contact": "MOST_PAIRS DRAWN FEW CORNERS contact.rules.ROUNDED",
}
"""Numbers of modules that no page shows, by the ends of their names."""
PART = 0.02
"""By which part of itself a number is moved; a count is moved by one."""
PARTS = {
    "largest error of an exact fraction of π": 0.11,
    "largest share of configurations in which these links touch elsewhere": 0.07,
    "smallest similarity of a scheme to package that is a slip": 0.03,
}
"""The same of numbers so near to which there are no texts."""


def is_number(thing: object) -> bool:
    """Whether a thing is a number, or contains some."""
    if isinstance(thing, tuple | list):
        return any(map(is_number, thing))
    if isinstance(thing, dict):
        return any(map(is_number, thing.values()))
    return isinstance(thing, int | float) and not isinstance(thing, bool | Threshold)


@each("module", MODULES)
def test_every_number_of_a_module_is_that_of_a_rule(module: ModuleType) -> None:
    """A number with a name is a Threshold that a rule states, or in the list above."""
    others = tuple(f".{name}" for name in " ".join(OTHERS.values()).split())
    for name, thing in vars(module).items():
        if isinstance(thing, Threshold):
            assert id(thing) in NUMBERS, f"no rule states {name}"
        elif name.isupper() and name[0] != "_" and is_number(thing):
            assert f"{module.__name__}.{name}".endswith(others), f"{name} is no Threshold"


@each("module", MODULES)
def test_no_number_is_compared_without_a_name(module: ModuleType) -> None:
    """But for zero, one, two, a half, and rounding errors."""
    for node in ast.walk(ast.parse(getsource(module))):
        if isinstance(node, ast.Compare):
            powers = [
                part.right for part in ast.walk(node) if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Pow)
            ]
            constants = [part for part in ast.walk(node) if isinstance(part, ast.Constant) and part not in powers]
            numbers = [part.value for part in constants if isinstance(part.value, float)]
            assert all(value in (0.0, 0.5, 1.0) or value <= 1e-6 for value in numbers), ast.unparse(node)


@pytest.mark.parametrize("letters", FAMILIES)
def test_a_case_is_on_each_side_of_each_number(letters: str) -> None:
    unnoticed = [
        f"{number.meaning}, {number.text}, {way}"
        for number in {id(number): number for rule in family(letters) for number in rule.thresholds}.values()
        if number is not DEEPEST
        for way, value in moved(number).items()
        if not is_noticed(number, value)
    ]
    assert not unnoticed, "\n".join(unnoticed)


@each("inside", range(1, 7))
def test_the_mesh_of_a_package_that_is_not_found_is_looked_for_in_four_folders(inside: int, tmp_path: Path) -> None:
    """Number of folders between the mesh and the model."""
    folder = tmp_path / f"{inside}/arm"
    model = folder.joinpath(*map(str, range(1, inside)), "model.urdf")
    model.parent.mkdir(parents=True)
    (folder / "a.stl").touch()
    model.write_text(robot(link("a", seen(mesh("package://elsewhere/a.stl")))))
    (found,) = kt.check(model, select=["MSH-002"])
    assert ("the file is in 'arm'" in found.message) is (inside <= 4)


def moved(number: Threshold) -> dict[str, float]:
    """A number that is a little larger, and one that is a little smaller; of a cosine or sine its angle."""
    if number.counts:
        return {"one more": number + 1, "one less": number - 1}
    there, back = {"cosine": (acos, cos), "sine": (asin, sin)}.get(number.unit, (float, float))
    part = PARTS.get(number.meaning, PART)
    return {"larger": back((1 + part) * there(number)), "smaller": back((1 - part) * there(number))}


def is_noticed(number: Threshold, value: float) -> bool:
    """Whether a case of a rule with this number has other findings with another value."""
    stating = [rule for rule in RULES if any(one is number for one in rule.thresholds)]
    cases = [(rule, model) for rule in stating for _, _, model in TABLES[rule.code].all()]
    before = [found(rule.code, model) for rule, model in cases]
    with replaced(number, value):
        return any(found.__wrapped__(rule.code, model) != old for (rule, model), old in zip(cases, before, strict=True))


@contextmanager
def replaced(number: Threshold, value: float) -> Iterator[None]:
    """Give a number another value in every module that has it. A number of repairs, which are below the rules, is
    found by its value."""
    places = [(module, name) for module in MODULES for name, thing in vars(module).items() if thing is number]
    if not places:
        places = [(fixes, name) for name, thing in vars(fixes).items() if thing == number]
    assert places, number.meaning
    forget = {
        id(thing): thing for module, _ in places for thing in vars(module).values() if hasattr(thing, "cache_clear")
    }
    with pytest.MonkeyPatch.context() as patch:
        for module, name in places:
            patch.setattr(module, name, value)
        for thing in forget.values():
            thing.cache_clear()
        yield
    for thing in forget.values():
        thing.cache_clear()


@cache
def found(code: str, model: Model) -> list[tuple[str, str | None, str, str | None]]:
    """What a rule finds, without the numbers in messages, which may be those that are moved."""
    there = findings_alone(code, model)
    return [
        (one.severity, one.element, re.sub(r"[\d.,e-]+", "#", one.message), re.sub(r"[\d.,e-]+", "#", one.fix or ""))
        for one in there
    ]
