"""Robots that come with the package: parsed tables, and limits besides those of the tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kinetree.errors import Finding
from kinetree.formats.dh.build import robot_of
from kinetree.formats.dh.format import Spelling, toml_text
from kinetree.formats.dh.toml import table_of
from kinetree.formats.text import TextReport
from kinetree.model.dh import DHRow, DHTable
from kinetree.model.robot import Robot, Text


def read_packaged(
    file: str, text: str, data: dict[str, Any], limited: Callable[[Robot], Robot]
) -> tuple[Robot | None, list[Finding]]:
    """Return the robot in the data of a TOML text, or None, and all findings.

    data: with None in the place of tables and rows that are left out. limited: gives the robot its limits. The robot's
    own text has the tables that are not left out, with these limits.
    """
    if file not in _tables:
        report = TextReport(file, text)
        _tables[file] = table_of(data, report), tuple(report.findings)
    table, findings = _tables[file]
    report = TextReport(file, text)
    report.findings += findings
    made = robot_of(table, report)
    if made is None:
        return None, report.findings
    robot = limited(made)

    def with_limits(row: DHRow) -> DHRow:
        return replace(row, limits=robot.joints[row.joint].limits) if row.limits else row

    chains = tuple(replace(chain, rows=tuple(map(with_limits, chain.rows))) for chain in table.chains)
    table = replace(table, chains=chains, coupled_limits=robot.coupled_limits)
    return replace(robot, text=Text("dh", toml_text(table, Spelling("mm", "deg")))), report.findings


_tables: dict[str, tuple[DHTable, tuple[Finding, ...]]] = {}
"""Of files of the package, which stay as they are."""
