"""Ask the rules of a profile about a robot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from kinetree.arguments import explained
from kinetree.confine import Confinement, confinement_of
from kinetree.conventions.facts import Subject
from kinetree.conventions.profiles import DEFAULT, PROFILES, as_codes, check_codes, rules_of
from kinetree.conventions.rule import Rule
from kinetree.errors import SEVERITIES, Finding
from kinetree.load import Reading, examine
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
    """What is wrong with a robot: what its reader found, and what departs from the conventions of a profile.

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
    check_codes(profile, select, ignore)
    reading = (source, list(source.notes)) if isinstance(source, Robot) else examine(source, **options)
    told: dict[str, Any] = {
        "packages": options.get("packages"),
        "confined": confinement_of(source, options.get("confined", False)),
    }
    return answers(reading, profile=profile, select=select, ignore=ignore, vendor=vendor, **told)[0]


def check_reading(
    reading: Reading,
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    vendor: str | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    confined: Confinement | None = None,
) -> list[Finding]:
    """`check` of what a reader has returned. packages: folders of ROS packages by name, where meshes are looked for.
    confined: outside of what no mesh is looked for."""
    told: dict[str, Any] = {"packages": packages, "confined": confined}
    return answers(reading, profile=profile, select=select, ignore=ignore, vendor=vendor, **told)[0]


def answers(
    reading: Reading,
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    vendor: str | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    confined: Confinement | None = None,
) -> tuple[list[Finding], frozenset[str]]:
    """What `check_reading` returns, and the codes of all rules that were asked."""
    robot, findings = reading
    strict = PROFILES[profile].strict
    told = {"vendor": vendor, "strict": strict, "packages": packages or {}, "confined": confined or False}
    answered = asked(robot, rules_of(profile), **told) if robot else {}
    found = [*findings, *chain.from_iterable(answered.values())]
    reported = [f for f in found if is_error_of_reader(f) or is_wanted(f.code, select, ignore)]
    return sorted(reported, key=by_severity), frozenset(answered)


def by_severity(finding: Finding) -> int:
    """The key that sorts findings, the gravest first."""
    return SEVERITIES.index(finding.severity)


def is_error_of_reader(finding: Finding) -> bool:
    """Whether it is an error of a reader, after which no rule is asked: nothing may leave it out."""
    return finding.severity == "error" and finding.code.islower()


def is_wanted(code: str, select: Iterable[str], ignore: Iterable[str]) -> bool:
    """Whether findings of a code are reported."""
    wanted, unwanted = as_codes(select), as_codes(ignore)
    return (not wanted or code.startswith(wanted)) and not (unwanted and code.startswith(unwanted))


def ask(robot: Robot, rules: Iterable[type[Rule]], **told: Any) -> list[Finding]:
    """The findings of rules, in their order. told: see `kinetree.conventions.facts.TOLD`."""
    return list(chain.from_iterable(asked(robot, rules, **told).values()))


@np.errstate(all="ignore")  # a ratio to a tiny mass may be infinite, and rules compare it as such
def asked(robot: Robot, rules: Iterable[type[Rule]], **told: Any) -> dict[str, list[Finding]]:
    """The findings of each rule that was asked, by its code.

    A rule is not asked where one that it requires has found its fault or was not asked itself, nor where something
    that it wants is not known. What has no place of its own, because it is missing, has that of the robot.
    """
    subject = Subject(robot, **told)
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
