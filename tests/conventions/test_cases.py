"""Every rule on both sides of its numbers and exemptions, by the tables in `rule_cases`."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

import rule_cases
from kinetree.conventions.check import FAMILIES, codes_of, rule_of
from kinetree.errors import SEVERITIES
from rule_cases.case import Cases, Expected, Model, findings

HELPERS = ("arms", "builders", "case", "icubs")
"""Modules that have no table."""
TABLES: dict[str, Cases] = {
    code: cases
    for module in iter_modules(rule_cases.__path__)
    if module.name not in HELPERS
    for code, cases in import_module(f"rule_cases.{module.name}").CASES.items()
}
ROWS = [
    pytest.param(code, expected, model, id=f"{code} {expected}: {why}")
    for code, cases in TABLES.items()
    for expected, why, model in cases.all()
]


@pytest.mark.parametrize("code", codes_of(FAMILIES))
def test_every_rule_has_cases_on_both_sides(code: str) -> None:
    """A new rule wants a row in the table of its family: see `rule_cases.case`."""
    cases = TABLES.get(code, Cases())
    assert cases.found, f"{code} has no model in which it finds its fault"
    assert cases.silent or cases.remarked, f"{code} has no model in which it does not"


@pytest.mark.parametrize(("code", "expected", "model"), ROWS)
def test_case(code: str, expected: Expected, model: Model) -> None:
    rule = rule_of(code)
    assert rule is not None, "a case of a rule that does not exist"
    there = findings(code, model)
    count = (expected != "silent") if model.count is None else model.count
    assert len(there) == count, [str(finding) for finding in there]
    if not there:
        return
    if model.severity is None:
        gravest = min((finding.severity for finding in there), key=SEVERITIES.index)
        assert (gravest == rule.severity()) is (expected == "found")
    else:
        assert there[0].severity == model.severity
    assert model.says in there[0].message
    assert model.element in (None, there[0].element)
