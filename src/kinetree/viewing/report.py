"""The report of a check as pages: that of `kt.show` for each model, and an index of several."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from urllib.parse import quote

from kinetree.checker.files import is_unread
from kinetree.checker.job import CheckReport, Job
from kinetree.checker.report import summary, with_excerpts
from kinetree.display import counted
from kinetree.errors import SEVERITIES, Finding, KinetreeError, visible
from kinetree.files.output import check_no_links
from kinetree.load import as_source, examine
from kinetree.model.robot import Robot
from kinetree.viewing.page import plain_page_of
from kinetree.viewing.scene import Folders
from kinetree.viewing.show import view_of

HEADS = ("Model", "Errors", "Warnings", "Remarks")


def pages(jobs: Sequence[Job], results: Sequence[CheckReport], file: Path) -> Iterator[tuple[Path, str]]:
    """Yield the pages of a report, each a file and its HTML.

    results: those of the jobs, and more that are about no model. A report of one model is one page, with its robot if
    it has one. That of several is an index, which comes last, and a page for each robot in a folder beside it. Every
    page lists exactly the findings of the results.
    """
    if len(results) == 1:
        page, result = _page(jobs[0], results[0])
        yield file, page or plain_page_of(_names(results)[0], _listed(result))
        return
    folder = file.with_name(f"{file.stem}_models")
    names = _names(results)
    links: list[str | None] = []
    shown = list(results)
    for i, (name, job) in enumerate(zip(names, jobs, strict=False)):
        page, shown[i] = _page(job, results[i])
        if page:
            plain = re.sub("[^A-Za-z0-9._-]+", "_", name)[-80:].lstrip(".")
            path = folder / f"{len(links) + 1:03}_{plain}.html"  # the number makes it differ from others
            links.append(f"{quote(folder.name)}/{quote(path.name)}")
            check_no_links([path], file)
            yield path, page
        else:
            links.append(None)
    links += [None] * (len(results) - len(links))
    yield file, plain_page_of(f"Check of {counted(len(jobs), 'model')}", _index(names, shown, links))


def _page(job: Job, result: CheckReport) -> tuple[str | None, CheckReport]:
    """Return the page of a robot with the findings of its check, and the result.

    The page is None if the model does not load, or cannot be shown; then the result has the reason, too.
    """
    if is_unread(result) or any(finding.code.startswith("check-") for finding in result.findings):
        return None, result  # it may take too long here, too
    try:
        source = as_source(job.file, job.options.read)
        robot: Robot | None = examine(source, job.options.read.confined_to(source))[0]
    except KinetreeError:
        return None, result
    try:
        return view_of(robot, findings=result.findings, complete=True).html if robot else None, result
    except KinetreeError as error:
        if error.findings[0].code == "viewer":  # no page can be made
            raise
        return None, replace(result, findings=(*result.findings, *error.findings))


def _names(results: Sequence[CheckReport]) -> list[str]:
    """Return the models as the report calls them: their files as seen from the working folder if they are in it, else
    from the folder that they have in common, with the variant."""
    paths = [os.path.abspath(result.file) for result in results]
    here = os.path.join(os.getcwd(), "")
    away = _common([os.path.dirname(path) for path in paths if not path.startswith(here)])
    names = []
    for path, result in zip(paths, results, strict=True):
        start = here if path.startswith(here) else away
        name = Path(os.path.relpath(path, start) if start else path).as_posix()
        names.append(f"{name}, {result.name}" if result.name else name)
    return names


def _common(folders: Sequence[str]) -> str:
    """Return the folder that folders have in common, "" if there is none, as on two drives."""
    try:
        return os.path.commonpath(folders)
    except ValueError:
        return ""


def _index(names: Sequence[str], results: Sequence[CheckReport], links: Sequence[str | None]) -> str:
    rows, lists = [], []
    for i, (name, result, link) in enumerate(zip(names, results, links, strict=True)):
        count = Counter(finding.severity for finding in result.findings)
        target = link or (f"#model-{i}" if result.findings else None)
        text = _text(name)
        head = f'<a href="{target}">{text}</a>' if target else f"{text} <small>a part of other models</small>"
        numbers = (
            f'<td class="{severity if count[severity] else "none"}">{count[severity]}</td>' for severity in SEVERITIES
        )
        rows.append(f'<tr><th scope="row">{head}</th>{"".join(numbers)}</tr>')
        if not link and result.findings:
            lists.append(f'<section id="model-{i}"><h2>{text}</h2>{_listed(result)}</section>')
    table_head = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    table = f"<table><thead><tr>{table_head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return "\n".join([f"<p>{_text(summary(results))}</p>", table, *lists])


def _listed(result: CheckReport) -> str:
    """Return the findings of a model without a picture, by element."""
    folders = Folders(result.file)
    findings = with_excerpts(result).findings
    note = '<p class="quiet">There is no picture, because this model did not load or cannot be shown.</p>'
    if not findings:
        return f"{note}<p>No findings.</p>"
    order: dict[str, list[Finding]] = {}
    for finding in findings:
        order.setdefault(finding.element or "", []).append(finding)
    return note + "".join(_group(element, members, folders) for element, members in order.items())


def _group(element: str, findings: Iterable[Finding], folders: Folders) -> str:
    name = _text(folders.plain(element)) or "The whole model"
    return f"<h3>{name}</h3>{''.join(_finding(finding, folders) for finding in findings)}"


def _finding(finding: Finding, folders: Folders) -> str:
    lines = [folders.where(finding.source), f"To do: {folders.plain(finding.fix)}" if finding.fix else ""]
    more = "".join(f"<small>{_text(line)}</small>" for line in lines if line)
    excerpt = finding.excerpt
    if excerpt and folders.plain(excerpt) == excerpt:
        more += f"<pre>{escape(chr(10).join(visible(line, one_for_one=True) for line in excerpt.splitlines()))}</pre>"
    code = f'<b><a href="{escape(finding.url)}">{_text(finding.code)}</a></b>'
    text = f"{code} {finding.severity}: {_text(folders.plain(finding.message))}"
    return f'<div class="finding {finding.severity}">{text}{more}</div>'


def _text(text: str) -> str:
    return escape(visible(text))
