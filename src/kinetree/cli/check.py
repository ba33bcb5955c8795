"""`kinetree check MODEL`: what is wrong with a robot description, and what departs from conventions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence

import click

from kinetree.cli._findings import write_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, unread_robot_argument
from kinetree.conventions.check import PROFILES, check_codes, check_reading
from kinetree.errors import SEVERITIES, Finding, Severity
from kinetree.load import Reading


@click.command()
@unread_robot_argument
@click.option(
    "--profile", type=click.Choice(list(PROFILES)), default="ros", show_default=True, help="Which conventions."
)
@click.option("--select", metavar="CODE", multiple=True, help="Report only codes that begin so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out codes that begin so. Repeatable.")
@json_option
def command(
    read: Callable[[], Reading], profile: str, select: Sequence[str], ignore: Sequence[str], as_json: bool
) -> None:
    """Say what is wrong with MODEL and what departs from the conventions of a profile.

    Exit status 0 if nothing is graver than a remark, 1 if there are errors or warnings, 2 if there is nothing to read.
    """
    check_codes(profile, select, ignore)  # a wrong code is said before a model is read
    findings = check_reading(read(), profile=profile, select=select, ignore=ignore)
    if as_json:
        print_json({"findings": findings})
    else:
        write_findings(findings, sys.stdout)
        print(summary(findings))
    sys.exit(int(any(finding.severity != "info" for finding in findings)))


def summary(findings: Sequence[Finding]) -> str:
    """How many there are of each severity."""
    count = Counter(finding.severity for finding in findings)
    words = [f"{count[s]} {_WORDS[s]}{'s' * (count[s] != 1)}" for s in SEVERITIES if count[s]]
    return ", ".join(words) or "nothing found"


_WORDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}
