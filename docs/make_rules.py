"""Write the pages of the documentation about rules, from the rules: `python docs/make_rules.py`."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent, fill

from kinetree.codes import REMARKS
from kinetree.conventions.explain import EVIDENCE, Explanation, explanations, family_title
from kinetree.conventions.profiles import FAMILIES, PROFILES, family
from kinetree.conventions.rep199.clause import URL
from kinetree.conventions.rep199.manual_clauses import CLAUSES, Clause
from kinetree.conventions.rule import Rule
from kinetree.formats.output import write_whole

MADE = "<!-- made by `python docs/make_rules.py`; change the rules instead -->\n"
READER = (
    "A reader finds these while it reads the file: they are about the format itself, not about a convention. They can "
    "be ignored or excused by their codes. Errors of readers have no row here, because they are always reported; "
    "`kinetree rule CODE` explains them, too."
)
HOW = {
    "certain": "by a rule, from the model",
    "heuristic": "by a rule, from signs that can mislead",
    "advice": "by a rule, as advice",
}
REPAIRS = {"no": "", "safely": "safe", "unsafely": "unsafe"}


def pages() -> dict[str, str]:
    """Return the pages, file in this folder to text: one of all rules, one a family, and the clauses of REP-199."""
    families = {f"rules/{letters}.md": _family(letters) for letters in FAMILIES}
    return {"rules.md": _index(), "rep199.md": _clauses(), **families}


def _index() -> str:
    lines = [
        "# The rules\n",
        MADE,
        "The rules of [`kinetree check`](../how-to/checking.md), by family; `kinetree rule CODE` prints the same. The",
        "severity",
        "follows from the level and the evidence: an error is a MUST whose finding is certain. Missing frames and",
        "matters of degree are often less severe, and more severe in the profile `industrial-strict`. The column `fix`",
        "says whether `kinetree fix` repairs it, and whether other files may have to change.\n",
        "| profile | its rules | number |",
        "|---|---|---|",
    ]
    rules = {letters: list(explanations(letters)) for letters in FAMILIES}
    for name, profile in PROFILES.items():
        count = sum(name in rule.profiles for known in rules.values() for rule in known)
        lines.append(f"| `{name}` | {plain(profile.title)} | {count} |")
    for letters, known in rules.items():
        lines += [
            f"\n## {letters}: {plain(family_title(letters))}\n",
            "| code | level | severity | requirement | fix |",
        ]
        lines += ["|---|---|---|---|---|", *(_row(rule) for rule in known)]
    lines += ["\n## What readers remark\n", _wrapped(READER) + "\n", "| code | what it means |", "|---|---|"]
    lines += [f"| `{code}` | {plain(row.meaning)} |" for code, row in REMARKS.items()]
    return "\n".join(lines) + "\n"


def _row(rule: Explanation) -> str:
    link = f"[{rule.code}](rules/{rule.family}.md#{rule.code.lower()})"
    cells = (link, rule.level, rule.severity, plain(rule.title), REPAIRS[rule.repaired])
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _family(letters: str) -> str:
    parts = [f"# {letters}: {plain(family_title(letters))}\n", MADE, *map(_rule, explanations(letters))]
    return "\n".join(parts)


def _rule(rule: Explanation) -> str:
    return f"## {rule.code}\n\n{body(rule)}"


def body(rule: Explanation) -> str:
    """Return everything about a rule but its code, in Markdown."""
    asked = ", ".join(f"`{name}`" for name in rule.profiles) or "none"
    repaired = {
        "no": "Repaired by hand.",
        "safely": "Repaired by `kinetree fix`.",
        "unsafely": "Repaired by `kinetree fix --unsafe`.",
    }[rule.repaired]
    return f"""\
**{plain(rule.title)}**

> {rule.level}: {plain(rule.clause)} ([source]({rule.url}))

{plain(rule.why)}

At most {rule.severity}; {rule.evidence}: {EVIDENCE[rule.evidence]}. Profiles: {asked}. {repaired}

Good:

{code_block(rule.good)}

Bad:

{code_block(rule.bad)}
""".replace("\n\n\n\n", "\n\n")


def code_block(text: str) -> str:
    """Return a text as a block of code in Markdown."""
    kind = "xml" if "<" in text else "yaml" if ":\n" in text else "text"
    return f"```{kind}\n{dedent(text).strip(chr(10))}\n```"


def _wrapped(text: str) -> str:
    return fill(text, 120, break_on_hyphens=False)


def plain(text: str) -> str:
    """Return a text in which nothing is a tag, a cell or emphasis, except between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([<|*\\])", r"\\\1", part) for i, part in enumerate(parts))


def _clause_table() -> str:
    """Return the table in Markdown, in the order of the clauses."""
    rows = {clause.code: _manual_clause(clause) for clause in CLAUSES} | {
        rule.code: _clause(rule) for rule in family("R199")
    }
    head = ["| clause | level | what it says | severity | who judges it |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(rows[code] for code in sorted(rows))]) + "\n"


def _clauses() -> str:
    """Return the page of the documentation."""
    return f"""\
# REP-199, clause by clause

[REP-199]({URL}) says how the frames of an industrial arm are called and where they are. It is an informational draft
that never became official, and models, drivers and planners rely on it all the same. Each clause that says what must,
should or may be has a row here: the rule that judges it, or what a person has to be asked, or why there is nothing to
ask. `kinetree rule CODE` explains each; `kinetree check --profile industrial` asks the rules.

{_clause_table()}"""


def _clause(rule: type[Rule]) -> str:
    return _cells(rule.code, rule.level, rule.clause, rule.severity(), f"{HOW[rule.evidence]}: {rule.title()}")


def _manual_clause(clause: Clause) -> str:
    who = f"a person: {clause.question} ({clause.because})" if clause.question else f"nobody: {clause.because}"
    return _cells(clause.code, clause.level or "", clause.clause, "", who)


def _cells(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def main(folder: Path = Path(__file__).parent / "reference") -> None:
    """Write all pages into a folder."""
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)


if __name__ == "__main__":
    main()
