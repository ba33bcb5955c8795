"""Run the rules of a profile over a robot."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from kinetree.arguments import explained
from kinetree.conventions.facts import Subject
from kinetree.conventions.options import CheckOptions
from kinetree.conventions.profiles import DEFAULT, as_codes, check_codes
from kinetree.conventions.rule import Rule
from kinetree.errors import SEVERITIES, Finding, fail
from kinetree.formats.registry import Reading, ReadOptions
from kinetree.load import examine
from kinetree.model.robot import Robot


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
    """Return what is wrong with a robot: what its reader found, and what departs from the conventions of a profile.

    source: a robot, or whatever `kinetree.load` takes, with its options. A file without a robot in it gives what its
        reader found and nothing else.
    profile: a key of PROFILES.
    vendor: whose controller the robot has, a key of `kinetree.controllers`; by default what the model's names say.
    select, ignore: codes, or how they begin: report only these, or leave these out. Errors of the reader are always
        reported.

    Sorted by severity, the gravest first; otherwise in the order of the rules. Comments that excuse and settings are
    not looked at: that is for `kinetree.checker.checked`. Raises KinetreeError for an unknown
    profile or code, and where there is nothing to read.
    """
    read = ReadOptions(**options).confined_to(source)
    if isinstance(source, Robot) and read.without(("packages", "confined")) != ReadOptions():
        raise fail("option", f"{', '.join(options)}: a robot is not read again; legal with one are packages, confined")
    how = CheckOptions(profile, as_codes(select), as_codes(ignore), vendor, read)
    check_codes(profile, how.select, how.ignore)
    reading = (source, list(source.notes)) if isinstance(source, Robot) else examine(source, read)
    return reported(answers(reading, how)[0], how)


def answers(reading: Reading, options: CheckOptions) -> tuple[list[Finding], frozenset[str]]:
    """Return all findings of a reader and of the rules of a profile, the gravest first, and the codes of the rules that
    were run."""
    robot, findings = reading
    found = findings_by_rule(robot, options.rules, options) if robot else {}
    return sorted([*findings, *chain.from_iterable(found.values())], key=by_severity), frozenset(found)


def reported(findings: Iterable[Finding], options: CheckOptions) -> list[Finding]:
    """Return the findings that are selected, and all errors of readers."""
    return [finding for finding in findings if is_error_of_reader(finding) or options.wants(finding.code)]


def by_severity(finding: Finding) -> int:
    """Return the key that sorts findings, the gravest first."""
    return SEVERITIES.index(finding.severity)


def is_error_of_reader(finding: Finding) -> bool:
    """Return whether it is an error of a reader, after which no rule is run: nothing may leave it out."""
    return finding.severity == "error" and finding.code.islower()


def ask(robot: Robot, rules: Iterable[type[Rule]], options: CheckOptions = CheckOptions()) -> list[Finding]:
    """Return the findings of rules, in their order."""
    return list(chain.from_iterable(findings_by_rule(robot, rules, options).values()))


@np.errstate(all="ignore")  # a ratio to a tiny mass may be infinite, and rules compare it as such
def findings_by_rule(robot: Robot, rules: Iterable[type[Rule]], options: CheckOptions) -> dict[str, list[Finding]]:
    """Return the findings of each rule that was run, by its code.

    A rule is not run where one that it requires has found its fault or was not run itself, nor where a fact that it
    wants is unknown. What has no place of its own, because it is missing, has that of the robot.
    """
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
