"""Write the pages explanation/sources.md and errata.md from the files in docs/sources: `python docs/make_sources.py`.

Each file but errata.toml is about one document. It has `title`, `url`, `edition`, `seed` (the file name of the copy to
which the line numbers refer), `silent` (numbers of lines that state nothing: navigation, headings, heads of tables) and
`entries`. An entry is a sentence, a row, a formula or a figure:

- `id`: the document's short name, which is that of the file, and a number that stays;
- `line`: of the copy; `kind`: a key of KINDS; `says`: what it says, in our words;
- at least one answer, a text or a list of texts: `test` ("tests/x.py::name" or "tests/x.py::TestClass::name"), `rule`
  (a code of `kinetree check`), `person` (a code of a clause that a person judges, no program), `function` ("kt.fk"),
  `page` ("docs/x.md#anchor"), `figure` (a command that draws it), `erratum` (an id of errata.toml), `open` (what is
  missing, a sentence).

errata.toml has `errata`: `id`, `document`, `line`, `printed`, `correct`, `proof` (a test) and, if the reason is not
plain, `why`. With `deviation = 3` the texts are those of the third deviation in `kt.icub.naming()`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from kinetree.files.output import write_whole
from kinetree.robots.icub.naming import naming
from kinetree.rules.rep199.manual_clauses import CLAUSES

DOCS = Path(__file__).parent
MADE = "<!-- made by `python docs/make_sources.py`; change the files in docs/sources instead -->\n"
SOURCES = """\
Find here, by document and line, how Kinetree follows a sentence of REP-199, of the iCub's pages or of the Robotics
Toolbox's. Every sentence, row, formula and figure of these five public documents that requires, recommends, defines
or states something has a row: the line in the copy that we read, the content in our own words, and the answer:

- a test that checks the statement,
- a rule of `kinetree check` that checks it in any model,
- **a person judges:** a clause that no program checks; `kinetree rule CODE` has the question,
- a function that computes it, a page that explains it, or a command that draws it,
- an [erratum](errata.md), if the document is wrong there.

**Open** marks what Kinetree does not do yet. Entries with the same answers share a row. A test keeps this page and
its answers current.
"""
ERRATA = """\
The five documents that Kinetree [follows](sources.md) have errors and gaps. Each entry has the text as printed, the
correct text, the reason, and the test that proves it. If you use one of these documents, read its part first."""
KINDS = ("requirement", "recommendation", "definition", "fact", "formula", "figure")
ANSWERS = ("test", "rule", "person", "function", "page", "figure", "erratum", "open")
NO_RULES = frozenset(clause.code for clause in CLAUSES)
"""Codes of clauses that only a person can judge."""


@dataclass(frozen=True)
class Entry:
    """One statement of a document. answers: texts by the kind of answer, a key of ANSWERS."""

    id: str
    line: int
    kind: str
    says: str
    answers: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Document:
    """A document and its entries. name: the short name; silent: numbers of lines that state nothing."""

    name: str
    title: str
    url: str
    edition: str
    seed: str
    silent: frozenset[int]
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Erratum:
    """A place where a document is wrong. proof: the id of a test."""

    id: str
    document: str
    lines: tuple[int, ...]
    printed: str
    correct: str
    why: str
    proof: str


def documents(folder: Path = DOCS / "sources") -> tuple[Document, ...]:
    """Return the documents with their entries, in the order of their files' names."""
    paths = sorted(path for path in folder.glob("*.toml") if path.stem != "errata")
    return tuple(_document(path) for path in paths)


def errata(folder: Path = DOCS / "sources") -> tuple[Erratum, ...]:
    """Return the errata in the order of their file."""
    rows = tomllib.loads((folder / "errata.toml").read_text("utf-8"))["errata"]
    return tuple(_erratum(row) for row in rows)


def _document(path: Path) -> Document:
    data = tomllib.loads(path.read_text("utf-8"))
    entries = tuple(_entry(row) for row in data.pop("entries"))
    return Document(path.stem, entries=entries, silent=frozenset(data.pop("silent")), **data)


def _entry(row: dict[str, Any]) -> Entry:
    answers = {key: _texts(row.pop(key)) for key in ANSWERS if key in row}
    return Entry(answers=answers, **row)


def _texts(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _erratum(row: dict[str, Any]) -> Erratum:
    line = row.pop("line")
    row["lines"] = (line,) if isinstance(line, int) else tuple(line)
    if number := row.pop("deviation", None):
        found = naming().deviations[number]
        row |= {"printed": found.printed, "correct": found.correction, "why": found.why}
    return Erratum(**{"why": "", **row})


def pages() -> dict[str, str]:
    """Return the pages, file name to text."""
    return {"explanation/sources.md": _sources(documents()), "explanation/errata.md": _errata(documents(), errata())}


def _sources(found: tuple[Document, ...]) -> str:
    lines = ["# The five documents, sentence by sentence\n", MADE, SOURCES, *_counts(found), *_missing(found)]
    for document in found:
        lines += [
            f"\n## {document.name}\n",
            f"[{document.title}]({document.url}), {document.edition}.\n",
            "| id | line | kind | content | answer |",
            "|---|---|---|---|---|",
            *(_row(list(run)) for _, run in groupby(document.entries, lambda entry: (entry.kind, entry.answers))),
        ]
    return "\n".join(lines) + "\n"


def _counts(found: tuple[Document, ...]) -> list[str]:
    """Return the lines of the table of how many entries there are, by document and kind."""
    parts = {f"[{document.name}](#{document.name}): {document.title}": document.entries for document in found}
    parts["**all**"] = tuple(entry for document in found for entry in document.entries)
    lines = [f"| document | entries | {' | '.join(KINDS)} | errata | a person judges | open |"]
    lines.append("|---|---|" + "---|" * (len(KINDS) + 3))
    for name, entries in parts.items():
        kinds = Counter(entry.kind for entry in entries)
        answered = [sum(key in entry.answers for entry in entries) for key in ("erratum", "person", "open")]
        numbers = [len(entries), *(kinds[kind] for kind in KINDS), *answered]
        lines.append(_cells(name, *map(str, numbers)))
    return lines


def _missing(found: tuple[Document, ...]) -> list[str]:
    """Return the lines of the table of what is missing, with its entries; none if nothing is."""
    missing: dict[str, list[str]] = {}
    for document in found:
        for entry in document.entries:
            for text in entry.answers.get("open", ()):
                missing.setdefault(text, []).append(entry.id)
    rows = [_cells(_text(text), ", ".join(ids)) for text, ids in missing.items()]
    return ["\n## Open\n", "| what is missing | entries |", "|---|---|", *rows] if rows else []


def _row(run: list[Entry]) -> str:
    """Return the row of entries that have the same answers."""
    first, last = run[0], run[-1]
    answers = [_answer(kind, text) for kind, texts in first.answers.items() for text in texts]
    ids = first.id if first is last else f"{first.id} to {last.id.rpartition('-')[2]}"
    lines = str(first.line) if first.line == last.line else f"{first.line} to {last.line}"
    return _cells(ids, lines, first.kind, "<br>".join(_text(entry.says) for entry in run), "; ".join(answers))


def _answer(kind: str, text: str) -> str:
    """Return an answer in Markdown, with a link where it leads somewhere."""
    if kind == "test":
        return _test(text)
    if kind == "rule":
        return f"[{text}](../reference/rules/{text.split('-')[0]}.md#{text.lower()})"
    if kind == "person":
        return f"**a person judges:** [{text}](../reference/rep199.md)"
    if kind == "page":
        page, _, anchor = text.removeprefix("docs/").partition("#")
        return f"[{(anchor or Path(page).stem).replace('-', ' ')}](../{text.removeprefix('docs/')})"
    if kind == "erratum":
        return f"[erratum {text}](errata.md#{text})"
    return f"**open:** {_text(text)}" if kind == "open" else f"`{text}`"


def _test(text: str) -> str:
    file, _, name = text.partition("::")
    return f"[{name.replace('::', '.').replace('_', ' ')}](../../{file})"


def _errata(found: tuple[Document, ...], rows: tuple[Erratum, ...]) -> str:
    lines = ["# Errata of the five documents\n", MADE, ERRATA]
    for document in found:
        own = [row for row in rows if row.document == document.name]
        lines += [f"\n## {document.title}"] if own else []
        for row in own:
            where = f"Line{'s' if len(row.lines) > 1 else ''} {', '.join(map(str, row.lines))}"
            lines += [f"\n### {row.id}\n", f"- {where}: {_text(row.printed)}", f"- Correct: {_text(row.correct)}"]
            lines += [f"- Why: {_text(' '.join(row.why.split()))}"] if row.why else []
            lines.append(f"- Proof: {_test(row.proof)}")
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Return a text in which nothing but what is between backticks is Markdown."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([<*_\\\[\]])", r"\\\1", part) for i, part in enumerate(parts))


def _cells(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(folder: Path = DOCS) -> None:
    """Write the pages into a folder."""
    for name, text in pages().items():
        (folder / name).parent.mkdir(exist_ok=True)
        write_whole(folder / name, text)


if __name__ == "__main__":
    main()
