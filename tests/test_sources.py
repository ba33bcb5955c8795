"""The ledger of the documents: every entry has an answer, and every answer is there."""

import re
import shlex
from functools import cache
from importlib import import_module
from pathlib import Path

import click
import make_sources
import pytest
from make_sources import ANSWERS, KINDS, NO_RULES, documents, errata, pages

import kinetree as kt
from each import each
from kinetree.cli import group
from kinetree.rules.explain import explain
from support import shared

ROOT = Path(__file__).resolve().parents[1]
DEFINED = re.compile(r"^(    )?(def|class) (\w+)", re.MULTILINE)
"""Functions, classes and methods of a file, without parsing the whole file."""
ENTRIES = [entry for document in documents() for entry in document.entries]


def answers(kind: str) -> list[tuple[str, str]]:
    """Id of the entry and text of every answer of a kind."""
    return [(entry.id, text) for entry in ENTRIES for text in entry.answers.get(kind, ())]


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file: `test_x`, `TestY::test_z`."""
    found, inside = set(), ""
    for indent, kind, name in DEFINED.findall((ROOT / file).read_text("utf-8")):
        if not indent:
            inside = f"{name}::" if kind == "class" else ""
        if kind == "def" and name.startswith("test_"):
            found.add(f"{inside}{name}")
    return frozenset(found)


@cache
def anchors(page: str) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)


def is_there(test: str) -> bool:
    file, _, name = test.partition("::")
    return file.startswith("tests/") and (ROOT / file).is_file() and name in names_in(file)


def options_of(command: click.Command) -> set[str]:
    """The options of a command and of those below it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    own = {option for parameter in command.params for option in parameter.opts if option.startswith("-")}
    return own.union(*map(options_of, below))


def test_there_are_at_least_300_entries_of_five_documents():
    assert [document.name for document in documents()] == ["inertial", "naming", "rep199", "rtb", "shoulder"]
    assert len(ENTRIES) >= 300


def test_ids_are_the_documents_and_stand_once_and_lines_go_up():
    for document in documents():
        ids = [entry.id for entry in document.entries]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(rf"{document.name}-[1-9]\d*", name) for name in ids)
        lines = [entry.line for entry in document.entries]
        assert lines == sorted(lines)
        assert not document.silent & set(lines)


def test_every_entry_says_something_and_has_an_answer():
    for entry in ENTRIES:
        assert entry.kind in KINDS, entry.id
        assert len(entry.says) > 10, entry.id
        assert entry.answers, f"{entry.id} has no answer; expected one of {', '.join(ANSWERS)}"
        assert all(text for texts in entry.answers.values() for text in texts), entry.id


@each("document", documents())
def test_every_line_of_the_document_has_an_entry_or_is_silent(document):
    lines = shared("seeds", document.seed).read_text("utf-8").splitlines()
    full = {number for number, line in enumerate(lines, 1) if line.strip()}
    stated = {entry.line for entry in document.entries}
    assert stated | document.silent == full
    copied = [entry.id for entry in document.entries if len(entry.says) > 60 and entry.says in "\n".join(lines)]
    assert not copied, "in our own words"


def test_tests_are_there():
    missing = [found for found in answers("test") if not is_there(found[1])]
    assert not missing


@pytest.mark.slow
@pytest.mark.nightly
def test_rules_are_known():
    for name, code in answers("rule"):
        assert code not in NO_RULES, f"{name}: no program checks {code}; expected the key person"
        assert [rule.code for rule in explain(code)] == [code], name


def test_what_a_person_judges_is_no_rule():
    """The page says so of every clause that no program judges, and of no other."""
    judged = answers("person")
    assert {code for _, code in judged} == NO_RULES
    assert not NO_RULES & {code for _, code in answers("rule")}
    text = pages()["explanation/sources.md"]
    assert text.count("**a person judges:** [R199-305]") >= 1
    row = next(line for line in text.split("\n") if line.startswith("| **all** |"))
    assert int(row.split("|")[-3]) == len({name for name, _ in judged})


def test_functions_can_be_imported():
    for name, path in answers("function"):
        first, *rest = path.split(".")
        assert first in ("kt", "kinetree"), name
        found: object = kt
        for i, part in enumerate(rest):
            if not hasattr(found, part):
                import_module(".".join(["kinetree", *rest[: i + 1]]))
            found = getattr(found, part)
        assert callable(found), name


def test_pages_and_their_anchors_are_there():
    for name, text in answers("page"):
        page, _, anchor = text.partition("#")
        assert page.startswith("docs/"), name
        assert (ROOT / page).is_file(), f"{name}: {page}"
        assert not anchor or anchor in anchors(page), f"{name}: {text}"


def test_figures_are_commands_with_their_options():
    for name, text in answers("figure"):
        program, command, *words = shlex.split(text)
        assert program == "kinetree", name
        used = {word for word in words if word.startswith("-")}
        assert used <= options_of(group.get_command(click.Context(group), command)), name


def test_errata_are_proved_and_used():
    rows = {row.id: row for row in errata()}
    assert len(rows) == len(errata())
    used = {text for _, text in answers("erratum")}
    assert used == set(rows)
    deviations = [int(name.removeprefix("naming-deviation-")) for name in rows if name.startswith("naming-deviation-")]
    assert deviations == list(kt.icub.naming().deviations)
    for document in documents():
        own = {entry.line: set() for entry in document.entries}
        for entry in document.entries:
            own[entry.line] |= set(entry.answers.get("erratum", ()))
        for row in rows.values():
            if row.document == document.name:
                assert is_there(row.proof), row.id
                assert row.printed
                assert row.correct
                assert all(row.id in own[line] for line in row.lines), row.id
        named = {text for texts in own.values() for text in texts}
        assert {rows[name].document for name in named} <= {document.name}


def test_what_is_open_is_a_sentence_and_is_on_the_page():
    text = pages()["explanation/sources.md"]
    assert ("\n## Open\n" in text) == bool(answers("open"))
    for name, missing in answers("open"):
        assert re.fullmatch(r"[A-Z`].*\.", missing), name
        assert name in text.partition("\n## Open\n")[2], name


def test_an_open_entry(tmp_path):
    (tmp_path / "x.toml").write_text(
        'title = "T"\nurl = "u"\nedition = "e"\nseed = "s"\nsilent = []\nentries = [{ id = "x-1", line = 1, '
        'kind = "fact", says = "It says so.", open = "A command is missing.", person = "R199-305" }]\n'
    )
    text = make_sources._sources(documents(tmp_path))
    assert "| A command is missing. | x-1 |" in text
    assert "**a person judges:** [R199-305](../reference/rep199.md); **open:** A command is missing." in text
    assert text.count("| 1 | 0 | 0 | 0 | 1 | 0 | 0 | 0 | 1 | 1 |") == 2  # of the document, and in all


def test_the_pages_are_current():
    for name, text in pages().items():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, f"{name} is not current: python docs/make_sources.py"


@pytest.mark.slow
def test_they_are_written_where_one_says(tmp_path):
    make_sources.main(tmp_path)
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")} == set(pages())
