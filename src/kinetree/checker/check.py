"""Checking of a robot by the rules of a profile."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from kinetree.arguments import as_names, explained
from kinetree.conventions.facts import Subject
from kinetree.conventions.options import CheckOptions
from kinetree.conventions.profiles import DEFAULT, check_codes
from kinetree.conventions.rule import Rule
from kinetree.errors import SEVERITIES, Finding, fail
from kinetree.formats.registry import Reading, ReadOptions
from kinetree.load import examine
from kinetree.model.robot import Robot

GRAVER = ("contradiction",)
"""Codes of readers' warnings that are errors of the checker: other programs may read another robot."""


@explained
def check(
    source: Robot | str | os.PathLike[str],
    *,
    profile: str = DEFAULT,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    vendor: str | None = None,
    **options: Any,
) -> list[Finding]:
    """Return what is wrong with a robot: findings of its reader, and violations of the conventions of a profile.

    source: a robot, or a source for `kinetree.load`, with its options. A file without a robot gives only the findings
    of its reader.
    profile: a key of PROFILES.
    vendor: maker of the robot's controller, a key of `kinetree.controllers`; by default derived from the model's names.
    select, ignore: codes or their beginnings, to report only these or to leave these out. Errors of the reader are
    always reported.

    The findings are sorted by severity, the gravest first, then in the order of the rules. Settings and comments that
    excuse findings are ignored; see `kinetree.checker.checked`. Raises KinetreeError for an unknown profile or code,
    and if there is nothing to read.
    """
    read = ReadOptions(**options).confined_to(source)
    if isinstance(source, Robot) and (unused := options.keys() - {"packages", "confined"}):
        message = f"{', '.join(sorted(unused))}: a robot is not read again; legal are packages and confined"
        raise fail("option", message)
    how = CheckOptions(profile, as_names(select), as_names(ignore), vendor, read)
    check_codes(profile, how.select, how.ignore)
    reading = (source, list(source.notes)) if isinstance(source, Robot) else examine(source, read)
    return reported(answers(reading, how)[0], how)


def answers(reading: Reading, options: CheckOptions) -> tuple[list[Finding], frozenset[str]]:
    """Return all findings of a reader and of a profile's rules, the gravest first, and the codes of the rules that
    ran."""
    robot, findings = reading
    findings = [replace(f, severity="error") if f.code in GRAVER else f for f in findings]
    found = findings_by_rule(robot, options.rules, options) if robot else {}
    return sorted([*findings, *chain.from_iterable(found.values())], key=by_severity), frozenset(found)


def reported(findings: Iterable[Finding], options: CheckOptions) -> list[Finding]:
    """Return the findings that are selected, and all errors of readers."""
    return [finding for finding in findings if is_error_of_reader(finding) or options.wants(finding.code)]


def by_severity(finding: Finding) -> int:
    """Return the key that sorts findings, the gravest first."""
    return SEVERITIES.index(finding.severity)


def is_error_of_reader(finding: Finding) -> bool:
    """Return whether a finding is an error of a reader. No rule runs after it, and it is always reported."""
    return finding.severity == "error" and finding.code.islower()


@np.errstate(all="ignore")  # a ratio to a tiny mass may be infinite, and rules compare it as such
def findings_by_rule(robot: Robot, rules: Iterable[type[Rule]], options: CheckOptions) -> dict[str, list[Finding]]:
    """Return the findings of each rule that ran, by its code. A rule does not run if one that it requires has failed or
    did not run, or if one of its facts is unknown. A finding without a source gets that of the robot."""
    subject = Subject(robot, options)
    findings: dict[str, list[Finding]] = {}
    failed: set[str] = set()
    for rule in rules:
        if not failed.isdisjoint(rule.requires):
            failed.add(rule.code)
            continue
        facts = subject.facts(rule.check)
        if any(value is None for value in facts.values()):
            failed.add(rule.code)
            continue
        if new := list(rule().findings(facts)):
            new = [f if f.source else replace(f, source=robot.source) for f in new]
            if any(finding.severity == rule.severity() for finding in new):
                failed.add(rule.code)
        findings[rule.code] = new
    return findings
