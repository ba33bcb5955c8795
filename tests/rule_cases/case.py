"""What a case of a rule is, and how it is run.

A family's module has a table `CASES`: the code of a rule to `Cases`, which has models by what is special about them.
`found` are models in which the rule finds a fault, `silent` are those in which it finds nothing, and `remarked` those
of which it only remarks, with less severity than the rule's. Put models just inside and just outside each number there,
and one with and one without each condition that lets a model off:

    "LIM-003": Cases(
        found={"begins above zero": turning(lower=0.001, upper=1)},
        silent={"begins at zero": turning(lower=0, upper=1)},
    ),

A model is the text of a URDF, or `Model(text, …)` where more is to be said. `rule_cases.builders` writes short texts,
`rule_cases.arms` and `rule_cases.icubs` those of their families. A rule without cases on both sides fails
`tests/conventions/test_cases.py`. That test also compares everything that is found with the files in
`tests/conventions/golden/cases`; read what changes there. `tests/conventions/test_thresholds.py` moves each number of a
rule, which a case must notice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Literal

import kinetree as kt
from kinetree.checker.check import options_of, order
from kinetree.checker.deduplicate import deduplicate
from kinetree.checker.job import Job, check_job
from kinetree.files.opener import snapshot
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import ALWAYS, rule_of, rules_of
from support import ask

Expected = Literal["found", "remarked", "silent"]

PROFILES = {"R199": "industrial", "R120": "humanoid", "R103-003": "humanoid", "SRD": "industrial", "ICUB": "icub"}
"""How codes begin, to a profile that asks their rules; that of all others is sim, which has all rules for any robot."""


@dataclass(frozen=True)
class Model:
    """A text and what is said about it.

    format, controller, profile, options: as `kinetree.load` and `kinetree.check` take them.
    count: how many findings there are; by default one where the rule has any. says: words of the first message.
    severity: of the first finding, where it is not that of the rule. element: of the first finding.
    about: an element; findings about others do not count. srdf: the text of its semantic description.
    files: texts of files beside the model, by name.
    """

    text: str
    format: str = "urdf"
    count: int | None = None
    says: str = ""
    severity: str | None = None
    element: str | None = None
    about: str | None = None
    controller: str | None = None
    profile: str | None = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    files: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    srdf: str | None = None


Table = Mapping[str, "str | Model"]


@dataclass(frozen=True)
class Cases:
    """Models by what is special about them."""

    found: Table = field(default_factory=dict)
    silent: Table = field(default_factory=dict)
    remarked: Table = field(default_factory=dict)

    def all(self) -> Iterator[tuple[Expected, str, Model]]:
        """What is expected, of which model."""
        sides: tuple[tuple[Expected, Table], ...] = (
            ("found", self.found),
            ("remarked", self.remarked),
            ("silent", self.silent),
        )
        for expected, table in sides:
            for why, model in table.items():
                yield expected, why, Model(model) if isinstance(model, str) else model


def profile_of(code: str) -> str:
    """The profile by which a rule is asked."""
    return next((profile for letters, profile in PROFILES.items() if code.startswith(letters)), "sim")


def findings(code: str, model: Model) -> list[kt.Finding]:
    """What a rule finds in a model, by its profile. Fails where the model cannot be read."""
    profile = model.profile or profile_of(code)
    if code.startswith(ALWAYS):
        everything = _of_a_file(model)
    elif model.format == "xacro":  # of which more is checked than its robot
        everything = tuple(kt.check(_robot(model), profile=profile, controller=model.controller, **model.options))
    else:
        rules = {rule.code for rule in rules_of(profile)}
        there = findings_alone(code, model, required(code)) if code in rules or model.files else []
        return sorted(deduplicate(there), key=order)
    return [found for found in everything if found.code == code and model.about in (None, found.element)]


def findings_alone(code: str, model: Model, also: Collection[str] = ()) -> list[kt.Finding]:
    """What one rule finds in a model, which is read once, if no other rule is run than those of `also`."""
    robot, rule, reading = _robot(model), rule_of(code), dict(model.options)
    assert rule is not None
    if model.files:
        return _beside(code, model, robot)
    kind, contact = reading.pop("kind", None), reading.pop("contact", code.startswith("CON"))
    options = options_of(robot, model.profile or profile_of(code), (), (), model.controller, reading)
    rules = [one for one in options.rules if one.code in also] + [rule]
    found = [one for one in ask(robot, rules, replace(options, kind=kind, contact=contact)) if one.code == code]
    return [one for one in found if model.about in (None, one.element)]


def required(code: str) -> set[str]:
    """The rules that a rule requires, and that these require."""
    rule = rule_of(code)
    assert rule is not None
    return {*rule.requires}.union(*map(required, rule.requires))


@cache
def _robot(model: Model) -> kt.Robot:
    """The robot of a model, as it is read."""
    robot, notes = examine(model.text, ReadOptions(model.format, srdf=model.srdf), model.srdf is not None)
    errors = [note for note in notes if note.severity == "error"]
    assert robot is not None, "the model of the case is no robot"
    assert not errors, f"the model of the case is broken: {errors}"
    return robot


def _beside(code: str, model: Model, robot: kt.Robot) -> list[kt.Finding]:
    """What a rule finds with the files beside a model."""
    rule = rule_of(code)
    assert rule is not None
    files = {f"/beside/{name}": text for name, text in model.files.items()}
    with snapshot({Path(name).resolve(): text.encode() for name, text in files.items()}):
        return ask(robot, [rule], CheckOptions(also=tuple(files)))


def _of_a_file(model: Model) -> tuple[kt.Finding, ...]:
    """All that is found in a file, of which comments are read."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "model.urdf"
        file.write_text(model.text, "utf-8")
        return check_job(Job(str(file), CheckOptions(model.profile or "industrial"))).findings
