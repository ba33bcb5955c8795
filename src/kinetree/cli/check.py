"""`kinetree check MODEL`: what is wrong with a robot description, and what departs from conventions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import click

from kinetree.cli._findings import write_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, unread_robot_argument
from kinetree.conventions.check import PROFILES, check, selected
from kinetree.errors import Finding, KinetreeError
from kinetree.model.robot import Robot


@click.command()
@unread_robot_argument
@click.option("--profile", type=click.Choice(list(PROFILES)), required=True, help="Which conventions.")
@click.option("--select", metavar="CODE", multiple=True, help="Ask only rules whose code begins so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out rules whose code begins so. Repeatable.")
@json_option
def command(
    read: Callable[[], Robot], profile: str, select: Sequence[str], ignore: Sequence[str], as_json: bool
) -> None:
    """Say what is wrong with MODEL and what departs from the conventions of a profile.

    Exit status 0 if nothing is graver than a remark, 1 if there are errors or warnings, 2 if there is nothing to read.
    """
    selected(profile, select, ignore)  # a wrong code is said before a model is read
    try:
        findings: Sequence[Finding] = check(read(), profile=profile, select=select, ignore=ignore)
    except KinetreeError as error:
        if any(finding.source is None or finding.code == "file" for finding in error.findings):
            raise
        findings = error.findings
    if as_json:
        print_json({"findings": findings})
    else:
        write_findings(findings, sys.stdout)
        print(summary(findings))
    sys.exit(int(any(finding.severity != "info" for finding in findings)))


def summary(findings: Sequence[Finding]) -> str:
    """How many there are of each severity."""
    count = Counter(finding.severity for finding in findings)
    words = [f"{count[s]} {word}{'s' * (count[s] != 1)}" for s, word in _WORDS.items() if count[s]]
    return ", ".join(words) or "nothing found"


_WORDS = {"error": "error", "warning": "warning", "info": "remark"}
