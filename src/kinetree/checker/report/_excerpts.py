"""Excerpts of files for findings."""

from dataclasses import replace
from pathlib import Path

from kinetree.checker.job import CheckReport
from kinetree.errors import Finding
from kinetree.files.plain_file import open_plain
from kinetree.robots.packaged import is_packaged
from kinetree.syntax.xml.reader import MAX_BYTES, Document, unparsed


def with_excerpts(result: CheckReport) -> CheckReport:
    """Return the result with an excerpt in all findings that have a line; each file is read once."""
    if is_packaged(result.file, None):
        return result  # its places are in a text without a file
    documents: dict[str, Document | None] = {}

    def shown(finding: Finding) -> Finding:
        source = finding.source
        if finding.excerpt or source is None or source.line is None or finding.code == "xml-syntax":
            return finding  # the reader adds these itself, unless the file is not XML and may be a secret
        if source.file not in documents:
            documents[source.file] = _document(source.file)
        document = documents[source.file]
        if document is None or source.line > document.lines:
            return finding
        here = replace(source, column=source.column or 1, made=None)  # what made an element is in another file
        return replace(finding, excerpt=document.excerpt_at(here))

    findings = tuple(map(shown, result.findings))
    excused = tuple(replace(one, finding=shown(one.finding)) for one in result.excused)
    return replace(result, findings=findings, excused=excused)


def _document(file: str) -> Document | None:
    """Return the text of a file, if it still exists and is text."""
    path = Path(file)
    try:
        with open_plain(path) as opened:
            content = opened.read(MAX_BYTES + 1)
        return unparsed(content, file) if len(content) <= MAX_BYTES else None
    except (OSError, ValueError, LookupError):  # ValueError: not text, or not a file name
        pass
    return None
