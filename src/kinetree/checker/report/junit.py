"""JUnit's XML, as colcon and most services of continuous integration read it: a suite a file, a case a finding.

Errors and warnings are failures, remarks pass, excused findings are skipped; a file without any passes as one case.
"""

from collections.abc import Iterable, Iterator

from kinetree.checker.job import CheckReport, Excuse
from kinetree.checker.report._paths import with_relative_path
from kinetree.errors import Finding, visible
from kinetree.syntax.xml.writer import XmlWriter


def lines(results: Iterable[CheckReport], width: int | None) -> Iterator[str]:
    """Yield one document for all files."""
    results = list(results)
    xml = XmlWriter()
    cases = sum(_cases(result) for result in results)
    failures = sum(len(_faults(result)) for result in results)
    with xml.open("testsuites", name="kinetree", tests=str(cases), failures=str(failures), errors="0"):
        for result in results:
            _suite(xml, result)
    yield xml.text().rstrip("\n")


def _cases(result: CheckReport) -> int:
    return max(1, len(result.findings) + len(result.excused))


def _faults(result: CheckReport) -> list[Finding]:
    return [finding for finding in result.findings if finding.severity != "info"]


def _suite(xml: XmlWriter, result: CheckReport) -> None:
    file = visible(f"{result.file} ({result.name})" if result.name else result.file)
    counts = {"failures": len(_faults(result)), "errors": 0, "skipped": len(result.excused)}
    numbers = {name: str(count) for name, count in counts.items()}
    with xml.open("testsuite", name=file, tests=str(_cases(result)), **numbers):
        for finding in result.findings:
            _case(xml, file, finding)
        for one in result.excused:
            _case(xml, file, one.finding, one)
        if not (result.findings or result.excused):
            xml.leaf("testcase", classname=file, name="kinetree check")


def _case(xml: XmlWriter, file: str, found: Finding, excused: Excuse | None = None) -> None:
    finding = with_relative_path(found)
    place = f" ({finding.source})" if finding.source else ""
    name = " ".join(filter(None, [finding.code, finding.element])) + place
    with xml.open("testcase", classname=file, name=visible(name)):
        if excused:
            xml.leaf("skipped", message=visible(excused.reason))
        elif finding.severity == "info":
            xml.leaf("system-out", str(finding))
        else:
            xml.leaf("failure", str(finding), type=finding.severity, message=visible(finding.message))
