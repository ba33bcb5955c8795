"""Every rule on both sides of its numbers and exemptions, by the tables in `rule_cases`."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import kinetree as kt
import rule_cases
from each import each
from kinetree.errors import SEVERITIES
from kinetree.rules.profiles import FAMILIES, codes_of, rule_of
from rule_cases.case import Cases, Expected, Model, findings

HELPERS = ("arms", "builders", "case", "icubs", "of_mjcf")
"""Modules that have no table."""
TABLES: dict[str, Cases] = {
    code: cases
    for module in iter_modules(rule_cases.__path__)
    if module.name not in HELPERS
    for code, cases in import_module(f"rule_cases.{module.name}").CASES.items()
}


@each("code", codes_of(FAMILIES))
def test_every_rule_has_cases_on_both_sides(code: str) -> None:
    """A new rule wants a row in the table of its family: see `rule_cases.case`."""
    cases = TABLES.get(code, Cases())
    assert cases.found, f"{code} has no model in which it finds its fault"
    assert cases.silent or cases.remarked, f"{code} has no model in which it does not"


def test_every_case_is_of_a_rule() -> None:
    assert set(TABLES) == set(codes_of(FAMILIES))


SLOW = {"CON": pytest.mark.slow}
"""Marks of families whose rules compile kernels."""


@pytest.mark.parametrize("letters", [pytest.param(one, marks=SLOW.get(one, ())) for one in FAMILIES])
@pytest.mark.nightly
def test_cases_of(letters: str, golden: Callable[[str, str], None]) -> None:
    wrong: dict[str, str] = {}
    lines: list[str] = []
    for code in sorted(code for code in TABLES if code.startswith(f"{letters}-")):
        for expected, why, model in TABLES[code].all():
            there = findings(code, model)
            if fault := fault_of(code, expected, model, there):
                wrong[f"{code}: {expected}: {why}"] = fault
            lines += [f"{code}: {why}: {line_of(finding, model)}" for finding in there]
    assert not wrong
    golden(f"cases/{letters}.txt", "\n".join(lines) + "\n")


def line_of(finding: kt.Finding, model: Model) -> str:
    """A finding on one line, with the text at its place."""
    source, fix = finding.source, f" FIX {finding.fix}" if finding.fix else ""
    assert source is not None, f"no place: {finding}"
    text = model.files.get(Path(source.file).name, (finding.code.startswith("SRD") and model.srdf) or model.text)
    line = text.splitlines()[(source.line or 1) - 1][(source.column or 1) - 1 :]
    at = re.split(r"(?<=.)[<>]", line, maxsplit=1)[0][:60]
    said = f"{finding.severity} {finding.element} AT {at} SAYS {finding.message}{fix}".replace("\n", "\\n")
    return re.sub(
        r"\d+\.\d{8,}", lambda match: f"{float(match[0]):.7g}", said
    )  # whose last digits depend on the machine


def fault_of(code: str, expected: Expected, model: Model, there: list[kt.Finding]) -> str | None:
    """What is not as a case says."""
    rule = rule_of(code)
    assert rule is not None, "a case of a rule that does not exist"
    said = "; ".join(map(str, there))
    count = (expected != "silent") if model.count is None else model.count
    if len(there) != count:
        return f"{count} wanted, found {len(there)}: {said}"
    if not there:
        return None
    gravest = min((finding.severity for finding in there), key=SEVERITIES.index)
    if model.severity is None and (gravest == rule.severity()) is not (expected == "found"):
        return f"is {gravest}: {said}"
    if model.severity is not None and there[0].severity != model.severity:
        return f"{model.severity} wanted: {said}"
    if not any(model.says in one.message and model.element in (None, one.element) for one in there):
        return f"{model.says!r} of {model.element!r} wanted: {said}"
    return None
