"""Every clause of REP-199 in a table: what it asks, who judges it, and how grave its findings are."""

from __future__ import annotations

from kinetree.conventions.rep199 import RULES
from kinetree.conventions.rep199.clause import URL
from kinetree.conventions.rep199.manual_clauses import CLAUSES, Clause
from kinetree.conventions.rule import Rule

HOW = {
    "certain": "by a rule, from the model",
    "heuristic": "by a rule, from signs that can mislead",
    "advice": "by a rule, as advice",
}


def table() -> str:
    """Return the table in Markdown, in the order of the clauses."""
    rows = {clause.code: _row_of_people(clause) for clause in CLAUSES} | {rule.code: _row(rule) for rule in RULES}
    head = ["| clause | level | what it says | severity | who judges it |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(rows[code] for code in sorted(rows))]) + "\n"


def page() -> str:
    """Return the page of the documentation."""
    return f"""\
# REP-199, clause by clause

[REP-199]({URL}) says how the frames of an industrial arm are called and where they are. It is a draft that never
became official, and models, drivers and planners rely on it all the same. Each clause that says what must, should or
may be has a row here: the rule that judges it, or what a person has to be asked, or why there is nothing to ask.
`kinetree rule CODE` explains each; `kinetree check --profile industrial` asks the rules.

{table()}"""


def _row(rule: type[Rule]) -> str:
    return _cells(rule.code, rule.level, rule.clause, rule.severity(), f"{HOW[rule.evidence]}: {rule.title()}")


def _row_of_people(clause: Clause) -> str:
    who = f"a person: {clause.question} ({clause.because})" if clause.question else f"nobody: {clause.because}"
    return _cells(clause.code, clause.level or "", clause.clause, "", who)


def _cells(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
