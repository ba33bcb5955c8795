"""Checking of a robot by the rules of a profile."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

from kinetree.arguments import as_names, explain_type_errors, renamed
from kinetree.checker.after_error import Answers, ask, remark
from kinetree.checker.deduplicate import deduplicate
from kinetree.errors import SEVERITIES, Finding, Findings, fail, nearest_names, wrong_type
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.model.assemble import Reading
from kinetree.model.robot import Robot
from kinetree.robot_kinds import check_kind
from kinetree.robots.installed import located
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import DEFAULT, check_codes

RANK = (
    *("R199-4", "R199-5", "R199-1", "R199-2", "R120", "ICUB", "R105", "R103", "SRD", "CTL", "MVT", "XML", "MSH"),
    *("LIM", "MIM", "JNT", "INR", "GEO", "XAC", "TRE", "R199", "NAM", "SUP"),
)
"""Beginnings of codes by what their faults do to a robot that is built after its description, the gravest first."""
GRAVER = ("contradiction",)
"""Codes of readers' warnings that are errors of the checker: other programs may read another robot."""
MILDER = ("camera-mode", "held-joint", "mocap", "not-computed", "stale-extension", "tendon")
"""Codes of readers' warnings that are remarks of the checker: they tell what is made of a file that is right."""


@explain_type_errors
def check(
    source: Robot | str | os.PathLike[str],
    *,
    profile: str = DEFAULT,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    controller: str | None = None,
    kind: str | None = None,
    contact: bool = False,
    **options: Any,
) -> Findings:
    """Return what is wrong with a robot: findings of its reader, and violations of the conventions of a profile.

    source: a robot, or a source for `kinetree.load`, with its options. After errors of its reader the rules are run on
    what is certain of it, and a remark names what they could not judge. A file without a robot gives only the findings
    of its reader.
    profile: a key of PROFILES.
    controller: the robot's controller, a key of `kinetree.controllers`; by default derived from the model's names.
    kind: what the robot is, such as "arm" or "legged"; by default derived from its structure, names and sizes.
    contact: whether links are tested for contact (rules CON), which takes up to a second a robot; naming them in
    `select` does so too.
    select, ignore: codes or their beginnings, to report only these or to leave these out. Errors of the reader are
    always reported.

    The most important findings come first, see `order`. Settings and comments that excuse
    findings are ignored; see `kinetree.checker.job`. Raises KinetreeError for an unknown profile or code,
    and if there is nothing to read.

    Examples:
        >>> import kinetree as kt
        >>> for finding in kt.check(kt.load("icub"), select=["LIM-003"]):
        ...     print(finding.severity, finding.element, finding.message)
        info joint 'l_elbow' zero is outside the limits 0.096 to 1.85 rad; many programs start at zero
        info joint 'r_elbow' zero is outside the limits 0.096 to 1.85 rad; many programs start at zero
    """
    check_kind(kind)
    if "xacro_args" in options:
        options["args"] = renamed("args", options.get("args"), "xacro_args", options.pop("xacro_args"))
    if not isinstance(source, Robot):
        source, options["args"] = located(source, options.get("format"), options.get("args"))
    how = replace(options_of(source, profile, select, ignore, controller, options), kind=kind, contact=contact)
    if isinstance(source, Robot) and (unused := options.keys() - {"packages", "confined"}):
        message = f"{', '.join(sorted(unused))}: a robot is not read again; expected packages or confined"
        raise fail("option", message)
    reading = (source, list(source.notes)) if isinstance(source, Robot) else examine(source, how.read, True)
    return Findings(reported(answers(reading, how)[0], how))


def options_of(
    source: object,
    profile: str,
    select: Iterable[str],
    ignore: Iterable[str],
    controller: str | None,
    reading: Mapping[str, Any],
) -> CheckOptions:
    """Return the arguments of a check as options. reading: those of `kinetree.load`. Raises KinetreeError for unknown
    ones, and for an unknown profile or code."""
    known = ["profile", "select", "ignore", "controller", *vars(ReadOptions())]
    for name in reading.keys() - {*known}:
        raise wrong_type("option", f"{name}=… is no option of a check; {nearest_names(name, known)}")
    read = ReadOptions(**reading).confined_to(source)
    how = CheckOptions(profile, as_names(select), as_names(ignore), controller, read=read)
    check_codes(profile, how.select, how.ignore)
    return how


def answers(reading: Reading, options: CheckOptions) -> tuple[list[Finding], Answers]:
    """Return all findings of a reader and of a profile's rules, the gravest first, and the answers of the rules. After
    errors of the reader the rules are run on what they leave certain."""
    robot, findings = reading
    errors = [finding for finding in findings if finding.severity == "error"]
    findings = [replace(f, severity="error") if f.code in GRAVER else f for f in findings]
    findings = [replace(f, severity="info") if f.code in MILDER and f.severity == "warning" else f for f in findings]
    found = ask(robot, options, errors) if robot else Answers({})
    findings += remark(robot, errors) if robot and robot.doubts else []
    if robot and robot.text and robot.text.files:  # xacro: to import these takes as long as to check an arm
        from kinetree.checker.corrected import with_corrected
        from kinetree.checker.macros import uncalled_findings

        findings, found = with_corrected(robot, options, findings, found)
        more = uncalled_findings(robot, options, all(f.code != "xacro-macros-only" for f in findings))
        if any(finding.code == "macro-not-called" for finding in more):
            findings = [finding for finding in findings if finding.code != "xacro-macros-only"]
        findings += more
    return sorted(deduplicate([*findings, *chain.from_iterable(found.findings.values())]), key=order), found


def reported(findings: Iterable[Finding], options: CheckOptions) -> list[Finding]:
    """Return the findings that are selected, and all errors of readers."""
    return [finding for finding in findings if is_error_of_reader(finding) or options.wants(finding.code)]


def order(finding: Finding) -> tuple[int, int, tuple[str, int, int]]:
    """Return the key that sorts findings, the gravest first: by severity, errors of readers before those of rules, then
    by RANK, then by file, line and column."""
    rank = -1 if is_error_of_reader(finding) else _rank(finding.code)
    return SEVERITIES.index(finding.severity), rank, finding.place


@cache
def _rank(code: str) -> int:
    return next((i for i, beginning in enumerate(RANK) if code.startswith(beginning)), len(RANK))


def is_error_of_reader(finding: Finding) -> bool:
    """Return whether a finding is an error of a reader. It is always reported, and no rule judges what it
    touches."""
    return finding.severity == "error" and finding.code.islower()
