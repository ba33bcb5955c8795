"""A DH text, TOML or CSV, to a robot."""

from __future__ import annotations

import re

from kinetree.errors import Finding
from kinetree.formats.dh import csv, toml
from kinetree.formats.dh.build import robot_of
from kinetree.formats.text import TextReport, decode
from kinetree.model.robot import Robot, Text


def read(text: bytes | str, file: str) -> tuple[Robot | None, list[Finding]]:
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
