"""Ask the rules of a profile about a robot."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from kinetree.conventions.rule import ORDER, Rule, Subject
from kinetree.errors import Finding, KinetreeError, fail, nearest_names
from kinetree.load import load
from kinetree.model.robot import Robot

PROFILES: dict[str, tuple[str, ...]] = {"icub": ("icub",)}
"""Profile to the families of rules that it asks: modules of this package, each with its `RULES`."""


def check(
    source: Robot | str | os.PathLike[str],
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    **options: Any,
) -> list[Finding]:
    """What is wrong with a robot: what its reader found, and what departs from the conventions of a profile.

    source: a robot, or whatever `kinetree.load` takes, with its options. A file that cannot be read gives the errors
        of its reader and nothing else.
    profile: "icub", the names, axes, frames and limits of the iCub.
    select, ignore: codes of rules, or how they begin: ask only these, or leave these out.

    Sorted by severity, the gravest first; otherwise in the order of the rules. Raises KinetreeError for an unknown
    profile or code, and where there is nothing to read.
    """
    if isinstance(source, Robot):
        robot = source
    else:
        try:
            robot = load(source, **options)
        except KinetreeError as error:
            return faults_of_a_file(error)
    found = [*robot.notes, *ask(robot, selected(profile, select, ignore))]
    return sorted(found, key=lambda finding: ORDER.index(finding.severity))


def faults_of_a_file(error: KinetreeError) -> list[Finding]:
    """What a reader found wrong with a file. Raises the error again where it is the call that is wrong."""
    if any(finding.source is None or finding.code == "file" for finding in error.findings):
        raise error
    return list(error.findings)


def ask(robot: Robot, rules: Iterable[type[Rule]]) -> list[Finding]:
    """The findings of rules, in their order; a rule whose requirements have failed is not asked."""
    subject = Subject(robot)
    findings: list[Finding] = []
    failed: set[str] = set()
    for rule in rules:
        if failed & set(rule.requires):
            continue
        new = list(rule().ask(subject))
        findings += new
        if any(finding.severity == "error" for finding in new):
            failed.add(rule.code)
    return findings


def rules_of(profile: str) -> tuple[type[Rule], ...]:
    """All rules of a profile, in the order in which they are asked."""
    if profile not in PROFILES:
        raise fail("profile", f"no profile {profile!r}; {nearest_names(profile, list(PROFILES))}")
    families = [import_module(f"kinetree.conventions.{family}").RULES for family in PROFILES[profile]]
    return tuple(rule for rules in families for rule in rules)


def selected(profile: str, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[type[Rule], ...]:
    """The rules of a profile whose codes begin with one of `select` and with none of `ignore`."""
    rules, wanted, unwanted = rules_of(profile), _codes(select), _codes(ignore)
    for code in (*wanted, *unwanted):
        if not any(rule.code.startswith(code) for rule in rules):
            known = nearest_names(code, [rule.code for rule in rules])
            raise fail("unknown-name", f"no rule of profile {profile!r} begins with {code!r}; {known}")
    return tuple(
        rule
        for rule in rules
        if (not wanted or rule.code.startswith(wanted)) and not (unwanted and rule.code.startswith(unwanted))
    )


def _codes(codes: Iterable[str]) -> tuple[str, ...]:
    return (codes,) if isinstance(codes, str) else tuple(codes)
