"""Ask the rules of a profile about a robot."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from kinetree.conventions.rule import Rule
from kinetree.conventions.subject import Subject
from kinetree.errors import SEVERITIES, Finding, fail, nearest_names
from kinetree.load import Reading, examine
from kinetree.model.robot import Robot

FAMILIES: dict[str, str] = {
    "TRE": "structure",
    "XML": "structure",
    "NAM": "names",
    "JNT": "joints",
    "LIM": "limits",
    "MIM": "limits",
    "INR": "inertia",
    "GEO": "geometry",
    "MSH": "geometry",
    "XAC": "xacro",
    "R103": "rep103",
    "R105": "rep105",
    "R120": "rep120",
    "R199": "rep199",
    "ICUB": "icub",
}
"""The letters of codes to the modules of this package whose `RULES` they are."""


@dataclass(frozen=True)
class Profile:
    """What is asked for a purpose. codes: how those of its rules begin. without: rules among these that are left out.
    strict: whether what is missing is as grave as what is wrong."""

    title: str
    codes: tuple[str, ...]
    without: tuple[str, ...] = ()
    strict: bool = False


EVERY_ROBOT = ("TRE", "XML", "NAM", "JNT", "LIM", "MIM", "INR", "GEO", "MSH", "XAC", "R103", "R105-002")
SIMULATION = ("LIM-004", "INR-006", "INR-011", "GEO-001")
"""What only simulations want of a model."""
WHICH_WAY = ("R103-003",)
"""What only people who place robots by hand want to read: it guesses where a robot's front is."""
NOT_EVERY_ROBOT = (*SIMULATION, *WHICH_WAY)

PROFILES: dict[str, Profile] = {
    "ros": Profile("what is wrong with a robot whatever it is used for", EVERY_ROBOT, NOT_EVERY_ROBOT),
    "sim": Profile("the same, and what simulators need: masses, efforts, collision shapes", EVERY_ROBOT, WHICH_WAY),
    "industrial": Profile(
        "as ros, and the frames of industrial arms, as REP-199 wants them", (*EVERY_ROBOT, "R199"), NOT_EVERY_ROBOT
    ),
    "industrial-strict": Profile(
        "the same; a frame that is missing is an error", (*EVERY_ROBOT, "R199"), NOT_EVERY_ROBOT, strict=True
    ),
    "humanoid": Profile(
        "as ros, and the frames of humanoids, as REP-120 wants them", (*EVERY_ROBOT, "R103-003", "R120"), SIMULATION
    ),
    "icub": Profile("the names, axes, frames and limits of the iCub", ("ICUB",)),
}
"""One row a profile."""


def check(
    source: Robot | str | os.PathLike[str],
    *,
    profile: str = "ros",
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

    Sorted by severity, the gravest first; otherwise in the order of the rules. Raises KinetreeError for an unknown
    profile or code, and where there is nothing to read.
    """
    check_codes(profile, select, ignore)
    reading = (source, list(source.notes)) if isinstance(source, Robot) else examine(source, **options)
    packages = options.get("packages")
    return check_reading(reading, profile=profile, select=select, ignore=ignore, vendor=vendor, packages=packages)


def check_reading(
    reading: Reading,
    *,
    profile: str,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    vendor: str | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> list[Finding]:
    """`check` of what a reader has returned. packages: folders of ROS packages by name, where meshes are looked for."""
    robot, findings = reading
    told = {"vendor": vendor, "strict": PROFILES[profile].strict, "packages": packages or {}}
    found = [*findings, *(ask(robot, rules_of(profile), **told) if robot else ())]
    wanted, unwanted = _codes(select), _codes(ignore)
    errors = {id(finding) for finding in findings if finding.severity == "error"}
    reported = [
        finding
        for finding in found
        if id(finding) in errors
        or ((not wanted or finding.code.startswith(wanted)) and not (unwanted and finding.code.startswith(unwanted)))
    ]
    return sorted(reported, key=lambda finding: SEVERITIES.index(finding.severity))


def ask(robot: Robot, rules: Iterable[type[Rule]], **told: Any) -> list[Finding]:
    """The findings of rules, in their order. told: see `kinetree.conventions.subject.TOLD`.

    A rule is not asked where one that it requires has found its fault or was not asked itself, nor where something
    that it wants is not known. What has no place of its own, because it is missing, has that of the robot.
    """
    subject = Subject(robot, **told)
    findings: list[Finding] = []
    failed: set[str] = set()
    for rule in rules:
        if failed & set(rule.requires):
            failed.add(rule.code)
            continue
        facts = subject.facts(rule.check)
        if any(value is None for value in facts.values()):
            continue
        new = list(rule().findings(facts))
        findings += [finding if finding.source else replace(finding, source=robot.source) for finding in new]
        if any(finding.severity == rule.severity() for finding in new):
            failed.add(rule.code)
    return findings


def rules_of(profile: str) -> tuple[type[Rule], ...]:
    """All rules of a profile, in the order in which they are asked."""
    if profile not in PROFILES:
        raise fail("profile", f"no profile {profile!r}; {nearest_names(profile, list(PROFILES))}")
    asked = PROFILES[profile]
    families = [letters for letters in FAMILIES if any(code.startswith(letters) for code in asked.codes)]
    rules = [rule for letters in families for rule in family(letters)]
    return tuple(rule for rule in rules if rule.code.startswith(asked.codes) and rule.code not in asked.without)


def family(letters: str) -> tuple[type[Rule], ...]:
    """The rules whose codes begin with the letters of a family."""
    rules: tuple[type[Rule], ...] = import_module(f"kinetree.conventions.{FAMILIES[letters]}").RULES
    return tuple(rule for rule in rules if rule.code.startswith(f"{letters}-"))


def check_codes(profile: str, *selections: Iterable[str]) -> None:
    """Raises KinetreeError for what begins no rule's code and is no reader's either, which are in lower case."""
    known = [rule.code for rule in rules_of(profile)]
    for code in (code for selection in selections for code in _codes(selection)):
        of_a_reader = code.islower() and not any(rule.startswith(code.upper()) for rule in known)
        if not of_a_reader and not any(rule.startswith(code) for rule in known):
            raise fail(
                "unknown-name", f"no rule of profile {profile!r} begins with {code!r}; {nearest_names(code, known)}"
            )


def _codes(codes: Iterable[str]) -> tuple[str, ...]:
    return (codes,) if isinstance(codes, str) else tuple(codes)
