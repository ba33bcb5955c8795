"""A DH text, TOML or CSV, to a robot; and the parsed tables of robots that come with the package."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kinetree.errors import Finding, fail, unknown_name
from kinetree.formats.dh import csv, toml
from kinetree.formats.dh.build import robot_of
from kinetree.formats.dh.toml import table_of
from kinetree.formats.dh.write import Spelling, toml_text
from kinetree.model.assemble import Reading
from kinetree.model.dh import DHChain, DHRow, DHTable
from kinetree.model.robot import Robot, Text
from kinetree.syntax.text import TextReport, decode


def read(text: bytes | str, file: str) -> Reading:
    """Return the robot in a DH table, or None, and all findings. Never raises on content."""
    decoded, findings = decode(text, file)
    if findings:
        return None, findings
    report = TextReport(file, decoded)
    is_csv = _is_csv(decoded, file)
    table = (csv if is_csv else toml).read_table(decoded, report)
    if table is None:
        return None, report.findings
    robot = robot_of(table, report, Text("dh-csv" if is_csv else "dh", decoded))
    return robot, report.findings


def _is_csv(text: str, file: str) -> bool:
    """Return whether a text is CSV: by the file's ending, else if its first line is not TOML."""
    if file.lower().endswith((".csv", ".toml")):
        return file.lower().endswith(".csv")
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    return not re.match(r"\s*(\[|[\w\"'.-]+\s*=)", first)


def written_chain(robot: Robot, name: str) -> DHChain:
    """Return a chain of a robot as its DH file has it, rows and base as published. Raises KinetreeError if the robot is
    of no DH file, or was changed since, and for an unknown chain."""
    text = robot.text
    if text is None or text.format not in ("dh", "dh-csv"):
        raise fail("format", f"robot {robot.name!r} is of no DH file, whose chains could be printed as written")
    report = TextReport("dh", text.text)
    table = (csv if text.format == "dh-csv" else toml).read_table(text.text, report)
    chains = {chain.name: chain for chain in table.chains} if table else {}
    if name not in chains:
        raise unknown_name("chain", name, list(chains))
    chain: DHChain = chains[name]
    return chain


def read_packaged(file: str, text: str, data: dict[str, Any], limited: Callable[[Robot], Robot]) -> Reading:
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
