"""Marks of an editor, made of findings."""

import os
from collections.abc import Iterable
from dataclasses import replace

from kinetree.checker.files import once_in_all, without_parts
from kinetree.checker.job import CheckReport
from kinetree.errors import Finding
from kinetree.lsp.answers import Look, Mark
from kinetree.lsp.model import Model
from kinetree.lsp.text import Span, Text
from kinetree.rules.profiles import rule_of
from kinetree.rules.reader_faults import QuaternionInOldFile

TOP: Span = ((0, 0), (0, 0))


def reported(model: Model) -> list[CheckReport]:
    """Return the results of all variants as `kinetree check` of the document's folder has them: a file of macros, which
    makes no robot, has only findings of rules."""
    files = [one.checked.file for one in model.examined]
    return once_in_all([without_parts(one.checked, files) for one in model.examined])


def look(model: Model) -> Look:
    """Return the marks of a document and of the files that it includes."""
    repaired = not model.failed and _is_repaired(model)
    found: dict[str, dict[Mark, None]] = {}
    for result in reported(model):
        for finding in result.findings:
            file = os.path.realpath(finding.source.file if finding.source else model.file)
            mark = mark_of(finding, model.text(file), repaired)
            if mark.repair == "safe" and file != os.path.realpath(model.file):
                mark = replace(mark, repair="")  # `kinetree fix` changes other files with --unsafe alone
            found.setdefault(file, {})[mark] = None  # variants have the same
    return Look({file: tuple(marks) for file, marks in found.items()}, tuple(map(str, model.read)))


def mark_of(finding: Finding, text: Text | None, repaired: bool) -> Mark:
    """Return the mark of a finding in a text, at the beginning of the file if its place is unknown. repaired: whether
    the text can be repaired."""
    words = f"{finding.element}: {finding.message}" if finding.element else finding.message
    if finding.fix:
        words += f"\nTo correct it: {finding.fix}"
    rule = QuaternionInOldFile if finding.code == QuaternionInOldFile.code else rule_of(finding.code)
    repair = ("safe" if rule.safe else "unsafe") if rule and rule.repair and repaired else ""
    span = TOP if text is None else span_of(finding, text)
    return Mark(span, finding.severity, finding.code, words, finding.url, finding.element or "", repair)


def span_of(finding: Finding, text: Text) -> Span:
    """Return the span of what a finding's excerpt underlines, else that of the tag or the line at its place."""
    source = finding.source
    if source is None or source.line is None:
        return TOP
    start = text.place(source.line, source.column or 1)
    line_end = text.content.find("\n", start)
    line = text.content[start : len(text.content) if line_end < 0 else line_end].rstrip()
    stop = start + len(line.partition(">")[0]) + (">" in line) if line.startswith("<") else start + len(line)
    if finding.excerpt:
        shown, _, below = finding.excerpt.rpartition("\n")
        before = len(below) - len(below.lstrip())
        first = text.place(source.line, 1)
        whole = text.content[first : len(text.content) if line_end < 0 else line_end].replace("\t", " ")
        if (cut := whole.find(shown)) >= 0 and below.strip("~^ ") == "":
            start = first + cut + before
            stop = start + len(below.strip())
    return text.span(start, min(max(stop, start + 1), len(text.content)))


def _is_repaired(model: Model) -> bool:
    """Return whether the text, or what xacro made of it, is a URDF."""
    robot = model.robot
    return robot is not None and robot.text is not None and robot.text.format == "urdf"


def all_findings(model: Model) -> Iterable[Finding]:
    """Return the findings that are reported, of all variants."""
    return (finding for result in reported(model) for finding in result.findings)
