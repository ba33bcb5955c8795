"""Clauses of REP-199 that no rule judges: questions for a person, or why there is none."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from kinetree.rules.rule import Level


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that only a person can judge.

    level: None for one that only allows something. question: for the person, or "". because: why no program can judge
    it, or the purpose of the clause.
    """

    code: str
    level: Level | None
    clause: str
    question: str
    because: str


def _clauses() -> tuple[Clause, ...]:
    rows = tomllib.loads(files(__package__).joinpath("manual_clauses.toml").read_text("utf-8"))
    return tuple(Clause(code, **{**row, "level": row["level"] or None}) for code, row in rows.items())


CLAUSES = _clauses()
"""In the order of their codes in the table of clauses."""
