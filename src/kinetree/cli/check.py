"""`kinetree check [MODEL]`: what is wrong with a robot description, and what departs from conventions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any

import click

from kinetree.cli._findings import write_findings
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option, unread_robot_argument
from kinetree.conventions.baseline import model_key, write_baseline
from kinetree.conventions.check import PROFILES, is_error_of_reader
from kinetree.conventions.checked import Checked, check_job
from kinetree.conventions.jobs import Overrides, jobs
from kinetree.conventions.justify import justifications
from kinetree.conventions.settings import read_settings
from kinetree.errors import SEVERITIES, Finding, Severity


@click.command()
@unread_robot_argument
@click.option("--profile", type=click.Choice(list(PROFILES)), help="Which conventions.  [default: ros]")
@click.option("--select", metavar="CODE", multiple=True, help="Report only codes that begin so. Repeatable.")
@click.option("--ignore", metavar="CODE", multiple=True, help="Leave out codes that begin so. Repeatable.")
@click.option("--config", metavar="FILE", help="The settings; by default the nearest above MODEL.")
@click.option("--baseline", metavar="FILE", help="Report only what is not in this file.")
@click.option("--write-baseline", metavar="FILE", help="Write what is found to a baseline.")
@click.option("--justifications", "report", is_flag=True, help="Print what is excused, and why, and no findings.")
@json_option
def command(
    source: str | None,
    options: dict[str, Any],
    profile: str | None,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    config: str | None,
    baseline: str | None,
    write_baseline: str | None,
    report: bool,
    as_json: bool,
) -> None:
    """Say what is wrong with MODEL, or with the models of the settings, and what departs from conventions.

    Exit status 0 if nothing is graver than a remark, 1 if there are errors or warnings, 2 if there is nothing to read.
    """
    overrides = Overrides(profile, select or None, ignore or None, None, baseline, options)
    asked = jobs([source] if source else [], read_settings(config) if config else None, overrides)
    checked = [check_job(job) for job in asked]
    findings = [finding for one in checked for finding in one.findings]
    if write_baseline:
        _write_baseline(write_baseline, checked)
        findings = [finding for finding in findings if is_error_of_reader(finding)]  # of which no baseline keeps any
    if report:
        print(justifications(checked), end="")
    elif as_json:
        print_json({"findings": findings})
    else:
        write_findings(findings, sys.stdout)
        if findings or not write_baseline:
            print(summary(findings, checked))
    sys.exit(int(any(finding.severity != "info" for finding in findings)))


def _write_baseline(file: str, checked: Sequence[Checked]) -> None:
    found = [(model_key(one.file, one.name, file), (*one.findings, *one.known)) for one in checked]
    count = write_baseline(file, found)
    print(f"{count} finding{'s' * (count != 1)} written to {file}")


def summary(findings: Sequence[Finding], checked: Sequence[Checked] = ()) -> str:
    """How many there are of each severity, and how many are not shown."""
    count = Counter(finding.severity for finding in findings)
    words = [f"{count[s]} {_WORDS[s]}{'s' * (count[s] != 1)}" for s in SEVERITIES if count[s]] or ["nothing found"]
    unseen = {"excused": sum(len(one.excused) for one in checked), "known": sum(len(one.known) for one in checked)}
    return ", ".join(words + [f"{number} {what}" for what, number in unseen.items() if number])


_WORDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}
