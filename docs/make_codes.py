"""Make a page for each code of a finding or a rule, for the site: `code_pages()`. They are not committed."""

from __future__ import annotations

import tomllib
from contextlib import chdir
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from make_rules import body, code_block, plain

from kinetree.codes import CODES, FAMILIES, RETIRED, Code
from kinetree.errors import Finding, KinetreeError
from kinetree.formats.registry import ReadOptions
from kinetree.load import examine
from kinetree.rules.explain import USES, Explanation, explanations
from kinetree.rules.profiles import FAMILIES as RULES, TITLES
from kinetree.rules.rep199.clause import URL
from kinetree.rules.rep199.manual_clauses import CLAUSES, Clause

EXAMPLES = Path(__file__).with_name("codes")
FORMATS = {
    "urdf": ("URDF", "arm.urdf"),
    "srdf": ("SRDF, for a robot with the links base and upper and the joint elbow", "arm.srdf"),
    "xacro": ("xacro", "arm.urdf.xacro"),
    "sdf": ("SDF", "arm.sdf"),
    "mjcf": ("MJCF", "arm.xml"),
    "dh": ("DH table", "arm.toml"),
    "csv": ("DH table in CSV", "arm.csv"),
    "ets": ("elementary transforms", "arm.ets"),
}
"""Files of examples to the name of their format and that of the file which is read."""
ROBOT = """\
<robot name="arm">
  <link name="base"/>
  <link name="upper"/>
  <joint name="elbow" type="continuous">
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
  </joint>
</robot>
"""
"""Robot to which the examples in SRDF belong."""
RULE_PAGES = "../reference/rules"
"""Folder of the pages of rules, as seen from those of codes."""
EXCUSE = "../reference/checking-settings.md#excusing-a-finding"


def code_pages() -> dict[str, str]:
    """Return the pages, file to Markdown: e/CODE.md for each code of a reader, a command, a rule or a clause, and
    e/index.md."""
    texts = examples()
    pages = {code: _code_page(code, row, texts.get(code, {})) for code, row in {**CODES, **RETIRED}.items()}
    pages |= {rule.code: _rule_page(rule) for letters in RULES for rule in explanations(letters)}
    pages |= {clause.code: _clause_page(clause) for clause in CLAUSES}
    return {f"e/{name}.md": text for name, text in (pages | {"index": _index()}).items()}


def examples() -> dict[str, dict[str, str]]:
    """Return the examples, code to file of `FORMATS` to text."""
    found: dict[str, dict[str, str]] = {}
    for form in FORMATS:
        for code, text in tomllib.loads((EXAMPLES / f"{form}.toml").read_text("utf-8")).items():
            found.setdefault(code, {})[form] = text
    return found


@cache
def findings(form: str, text: str) -> tuple[Finding, ...]:
    """Return what Kinetree finds when it reads an example; places have the name of its file alone.

    Most examples of SDF have links without inertial, to be short; that is left out where it is not the point.
    """
    name = FORMATS[form][1]
    with TemporaryDirectory() as folder, chdir(folder):
        Path(name).write_text(text, "utf-8")
        if form == "srdf":
            Path("arm.urdf").write_text(ROBOT, "utf-8")
        try:
            found = examine("arm.urdf", ReadOptions(srdf=name))[1] if form == "srdf" else examine(name)[1]
        except KinetreeError as error:
            found = list(error.findings)
    if {f.code for f in found} != {"no-inertial"}:
        found = [f for f in found if f.code != "no-inertial"]
    return tuple(replace(f, source=f.source and replace(f.source, file=Path(f.source.file).name)) for f in found)


def _code_page(code: str, row: Code, texts: dict[str, str]) -> str:
    parts = [f"# {code}", plain(row.meaning), f"**What to do.** {plain(row.remedy)}"]
    for form, text in texts.items():
        printed = "\n".join(map(str, findings(form, text)))
        parts += [
            f"## Example in {FORMATS[form][0]}",
            code_block(text),
            "Kinetree prints:",
            f"```text\n{printed}\n```",
        ]
    uses = USES[row.use]
    parts.append(f"**Severity.** {uses[0].upper()}{plain(uses[1:])}.")
    excuse = "" if row.use in ("error", "fault", "retired") else f"[Excuse a finding]({EXCUSE}); "
    return "\n\n".join([*parts, f"{excuse}[all codes](index.md)" if excuse else "[All codes](index.md)"]) + "\n"


def _rule_page(rule: Explanation) -> str:
    more = (
        f"[Excuse a finding]({EXCUSE}); [all rules of this family]({RULE_PAGES}/{rule.family}.md#{rule.code.lower()});"
    )
    more += " [all codes](index.md)"
    return f"# {rule.code}\n\n{body(rule)}\n{more}\n"


def _clause_page(clause: Clause) -> str:
    answer = f"A person has to answer: {clause.question} ({clause.because})"
    why = answer if clause.question else f"There is nothing to check: {clause.because}."
    return f"""\
# {clause.code}

> {clause.level or "No level"}, by [REP-199]({URL}): "{plain(clause.clause)}"

No rule checks this clause of REP-199. {plain(why)}

[All clauses](../reference/rep199.md); [all codes](index.md)
"""


def _index() -> str:
    """Return the page of all codes."""
    parts = [
        "# All codes\n\nEvery error, warning and remark of Kinetree ends with a code in brackets. `kinetree rule CODE`"
        " explains it, too. A code that is not here is the name of an argument of a function: see"
        " [argument](argument.md), [argument-shape](argument-shape.md) and [argument-number](argument-number.md)."
    ]
    for family in FAMILIES.values():
        rows = [(code, row.meaning) for code, row in CODES.items() if row.family == family["title"]]
        parts.append(_table(family["title"], rows))
    for letters in RULES:
        rows = [(rule.code, rule.title) for rule in explanations(letters)]
        parts.append(_table(f"{letters}: {TITLES[letters]}", rows))
    parts.append(_table("Removed rules", [(code, row.meaning) for code, row in RETIRED.items()]))
    parts.append(_table("Clauses of REP-199 that no rule judges", [(c.code, c.clause) for c in CLAUSES]))
    return "\n\n".join(parts) + "\n"


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [f"| [{code}]({code}.md) | {' '.join(plain(text).split())} |" for code, text in rows]
    return "\n".join([f"## {plain(title)}\n", "| code | what it means |", "|---|---|", *lines])


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    for name, text in code_pages().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
