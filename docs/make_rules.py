"""Write the pages of the documentation about rules, from the rules: `python docs/make_rules.py`."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent, fill
from urllib.parse import urlsplit

from kinetree.codes import REMARKS
from kinetree.files.output import write_whole
from kinetree.rules.explain import EVIDENCE, UNJUDGED, Explanation, explanations
from kinetree.rules.profiles import FAMILIES, PROFILES, TITLES, family
from kinetree.rules.rep199.clause import URL
from kinetree.rules.rep199.manual_clauses import CLAUSES, Clause
from kinetree.rules.rule import Rule

MADE = "<!-- made by `python docs/make_rules.py`; change the rules instead -->\n"
READER = (
    "These are warnings and remarks about the format of a file, not about a convention. You can ignore or excuse them "
    "by their codes. Errors of readers are not in this table, because they are always reported; "
    "[Codes of findings](../e/index.md) and `kinetree rule CODE` explain them too."
)
COLUMNS = (
    "**Level** is MUST, SHOULD or MAY, as the convention has it. **Severity** is the highest that a finding can have. "
    "It is an error only if the level is MUST and the finding is certain. A missing frame or a small deviation is "
    "often less severe; in the profile `industrial-strict` a missing frame is an error. **Fix** is `safe` if "
    "`kinetree fix` repairs it, and `unsafe` if only `kinetree fix --unsafe` does, because other files may change too."
)
HOW = {
    "certain": "a rule, from the model",
    "heuristic": "a rule, by signs that can be wrong",
    "advice": "a rule, as advice",
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
        "All rules of [`kinetree check`](../how-to/checking.md), by family. A profile selects rules for a purpose;",
        "`kinetree check --profile NAME` uses it. `kinetree rule CODE` explains a rule in the terminal.\n",
        "| profile | its rules | number |",
        "|---|---|---|",
    ]
    rules = {letters: list(explanations(letters)) for letters in FAMILIES}
    for name, profile in PROFILES.items():
        count = sum(name in rule.profiles for known in rules.values() for rule in known)
        lines.append(f"| `{name}` | {plain(profile.title)} | {count} |")
    lines += ["", _wrapped(COLUMNS)]
    for letters, known in rules.items():
        lines += [
            f"\n## {letters}: {TITLES[letters]}\n",
            "| code | level | severity | requirement | fix |",
        ]
        lines += ["|---|---|---|---|---|", *(_row(rule) for rule in known)]
    lines += ["\n## Remarks of readers\n", _wrapped(READER) + "\n", "| code | what it means |", "|---|---|"]
    lines += [f"| `{code}` | {plain(row.meaning)} |" for code, row in REMARKS.items()]
    return "\n".join(lines) + "\n"


def _row(rule: Explanation) -> str:
    link = f"[{rule.code}](rules/{rule.family}.md#{rule.code.lower()})"
    cells = (link, rule.level, rule.severity, plain(rule.title), REPAIRS[rule.repaired])
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _family(letters: str) -> str:
    parts = [f"# {letters}: {TITLES[letters]}\n", MADE, *map(_rule, explanations(letters))]
    return "\n".join(parts)


def _rule(rule: Explanation) -> str:
    return f"## {rule.code}\n\n{body(rule)}"


def body(rule: Explanation) -> str:
    """Return everything about a rule but its code, in Markdown."""
    asked = ", ".join(f"`{name}`" for name in rule.profiles) or "none"
    repaired = {
        "no": "You repair it by hand.",
        "safely": "`kinetree fix` repairs it.",
        "unsafely": "`kinetree fix --unsafe` repairs it; other files that use the model may have to change.",
    }[rule.repaired]
    clause = f'"{plain(rule.clause)}"' if rule.url == URL else plain(rule.clause)
    return f"""\
**{plain(rule.title)}**

> {rule.level}, by [{source_name(rule.url)}]({rule.url}): {clause}

{plain(rule.why)}

Finds: {plain(rule.finds)}

{_numbers(rule)}

Severity: at most {rule.severity}. Evidence: {rule.evidence}; {EVIDENCE[rule.evidence]}. Profiles: {asked}. {repaired}

Judged: {plain(str(rule.precision or UNJUDGED))}.

Good:

{code_block(rule.good)}

Bad:

{code_block(rule.bad)}
""".replace("\n\n\n\n", "\n\n").replace("\n\n\n", "\n\n")


def _numbers(rule: Explanation) -> str:
    """Return the table of the numbers on which the findings of a rule depend, "" if there are none."""
    rows = [f"| {plain(meaning)} | {plain(text)} |" for meaning, text in rule.numbers.items()]
    return "\n".join(["| Numbers | |", "|---|---|", *rows]) if rows else ""


def source_name(url: str) -> str:
    """Return the name of a REP, or the host of any other source."""
    rep = re.search(r"rep-0*(\d+)", url)
    return f"REP-{rep[1]}" if rep else urlsplit(url).netloc.removeprefix("www.")


def code_block(text: str) -> str:
    """Return a text as a block of code in Markdown."""
    kind = "xml" if "<" in text else "yaml" if ":\n" in text else "text"
    return f"```{kind}\n{dedent(text).strip(chr(10))}\n```"


def _wrapped(text: str) -> str:
    return fill(text, 120, break_on_hyphens=False)


def plain(text: str) -> str:
    """Return a text in which nothing is a tag, a cell or emphasis, except between backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    escaped = [re.sub(r"([|*\\])", r"\\\1", part).replace("<", "&lt;") for part in parts]
    return "".join(part if i % 2 else escaped[i] for i, part in enumerate(parts))


def _clause_table() -> str:
    """Return the table in Markdown, in the order of the clauses."""
    rows = {clause.code: _manual_clause(clause) for clause in CLAUSES} | {
        rule.code: _clause(rule) for rule in family("R199")
    }
    head = ["| clause | level | text | severity | checked by |", "|---|---|---|---|---|"]
    return "\n".join([*head, *(rows[code] for code in sorted(rows))]) + "\n"


def _clauses() -> str:
    """Return the page of the documentation."""
    return f"""\
# REP-199, clause by clause

[REP-199]({URL}) defines the names and places of the frames of an industrial arm. Models, drivers and planners rely on
it, although it is an informational draft that never became official. It is in the public domain. Check a model with

    kinetree check arm.urdf --profile industrial

Each clause about what must, should or may be has a row here. The last column has the rule that checks it, or the
question that a person has to answer, or the reason why there is nothing to check. Each code leads to its page, with
examples; `kinetree rule CODE` prints it. The REP asks nothing of base_link beyond these clauses.

{_clause_table()}"""


def _clause(rule: type[Rule]) -> str:
    return _cells(_page(rule.code), rule.level, rule.clause, rule.severity(), f"{HOW[rule.evidence]}: {rule.title()}")


def _manual_clause(clause: Clause) -> str:
    who = f"a person: {clause.question} ({clause.because})" if clause.question else f"not checked: {clause.because}"
    return _cells(_page(clause.code), clause.level or "", clause.clause, "", who)


def _page(code: str) -> str:
    return f"[{code}](../e/{code}.md)"


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
