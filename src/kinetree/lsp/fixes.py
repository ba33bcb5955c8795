"""Changes of texts that `kinetree fix` would make; nothing is written."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, takewhile
from pathlib import Path

from kinetree.checker.check import is_error_of_reader
from kinetree.errors import Finding, fail
from kinetree.fixer.fix import fix_examined
from kinetree.fixer.state import State
from kinetree.lsp.answers import Change, Changes
from kinetree.lsp.model import Model
from kinetree.lsp.text import Text, decoded


def fixes(model: Model, code: str, element: str, unsafe: bool) -> Changes:
    """Return the repairs of a document as `kinetree fix` makes them, by file.

    code: of the rule; "" for all rules. element: the only element to repair, "" for all. unsafe: whether links may be
    renamed and flanges turned. Raises KinetreeError if there is no repair, with the reason.
    """
    job, examined = model.jobs[0], model.examined[0]
    if code:
        job = replace(job, options=replace(job.options, select=(code,)))

    def only(finding: Finding) -> bool:
        return not element or finding.element == element

    others = [
        (job.file, job.options, State(model.held, one.robot, one.findings))
        for job, one in zip(model.jobs[1:], model.examined[1:], strict=True)
        if one.robot and not any(map(is_error_of_reader, one.findings))
    ]
    fixed = fix_examined(job, examined, model.held, only=only, unsafe=unsafe, variants=others)
    if not fixed.after:
        why = next((why for finding, why in fixed.unrepaired if only(finding)), "no repair is known")
        raise fail("fix", f"{code or 'the file'}: {why}")
    return changes(fixed.before, fixed.after, model.encoding)


def changes(before: Mapping[Path, bytes], after: Mapping[Path, bytes], encoding: str) -> Changes:
    """Return the changes that turn the texts of files into others."""
    return {
        str(path): tuple(changes_of(Text(decoded(before[path]), encoding), decoded(content)))
        for path, content in after.items()
        if content != before[path]
    }


def changes_of(before: Text, after: str) -> Iterator[Change]:
    """Yield the changes of lines that turn a text into another, and of characters where one line has changed."""
    old, new = before.content.splitlines(keepends=True), after.splitlines(keepends=True)
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    starts = [0, *accumulate(map(len, old))]
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=len(a) > 500).get_opcodes():
        if tag != "equal":
            start, stop = starts[head + i], starts[head + j]
            yield _least(before, start, stop, "".join(b[k:m]))


def _least(before: Text, start: int, stop: int, new: str) -> Change:
    """Return the change without what both texts begin and end with."""
    old = before.content[start:stop]
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    if old[head - 1 : head] == "\r" and old[head : head + 1] == "\n":
        head -= 1  # an editor may not split the end of a line
    if tail and old[len(old) - tail] == "\n" and old[len(old) - tail - 1 : len(old) - tail] == "\r":
        tail -= 1
    return Change(before.span(start + head, stop - tail), new[head : len(new) - tail])


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    """Return how many pairs are equal before the first that is not."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
