"""The pages of the documentation about rules, made of the rules: `python -m kinetree.conventions.pages docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import dedent, fill

from kinetree.conventions.explain import EVIDENCE, READER, Explanation, explanations, family_title
from kinetree.conventions.profiles import FAMILIES, PROFILES
from kinetree.conventions.reader_codes import REMARKS
from kinetree.conventions.rep199.table import page as clauses
from kinetree.formats.output import write_whole

MADE = "<!-- made by `python -m kinetree.conventions.pages docs`; change the rules instead -->\n"
MENDS = {"no": "", "safely": "safe", "unsafely": "unsafe"}


def pages() -> dict[str, str]:
    """File in the folder of the documentation to its text: a page of all rules, and one a family."""
    families = {f"rules/{letters}.md": _family(letters) for letters in FAMILIES}
    return {"rules.md": _index(), "rep199.md": clauses(), **families}


def _index() -> str:
    lines = [
        "# The rules\n",
        MADE,
        "What [`kinetree check`](checking.md) asks, by family; `kinetree rule CODE` prints the same. The severity is",
        "that of the level, but no graver than the evidence: an error is a MUST whose finding is certain. What is",
        "missing or a matter of degree is often less grave, and graver in the profile `industrial-strict`. `fix` says",
        "whether `kinetree fix` mends it, and whether the robot stays the same to everybody who uses it.\n",
        "| profile | what is asked | rules |",
        "|---|---|---|",
    ]
    rules = {letters: list(explanations(letters)) for letters in FAMILIES}
    for name, profile in PROFILES.items():
        count = sum(name in rule.profiles for family in rules.values() for rule in family)
        lines.append(f"| `{name}` | {_text(profile.title)} | {count} |")
    for letters, family in rules.items():
        lines += [
            f"\n## {letters}: {_text(family_title(letters))}\n",
            "| code | level | severity | what is asked | fix |",
        ]
        lines += ["|---|---|---|---|---|", *(_row(rule) for rule in family)]
    lines += ["\n## What readers remark\n", _wrapped(READER) + "\n", "| code | what it means |", "|---|---|"]
    lines += [f"| `{code}` | {_text(title)} |" for code, title in REMARKS.items()]
    return "\n".join(lines) + "\n"


def _row(rule: Explanation) -> str:
    link = f"[{rule.code}](rules/{rule.family}.md#{rule.code.lower()})"
    cells = (link, rule.level, rule.severity, _text(rule.title), MENDS[rule.mends])
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _family(letters: str) -> str:
    parts = [f"# {letters}: {_text(family_title(letters))}\n", MADE, *map(_rule, explanations(letters))]
    return "\n".join(parts)


def _rule(rule: Explanation) -> str:
    asked = ", ".join(f"`{name}`" for name in rule.profiles) or "no profile"
    mended = {
        "no": "Mended by hand.",
        "safely": "Mended by `kinetree fix`.",
        "unsafely": "Mended by `kinetree fix --unsafe`.",
    }[rule.mends]
    return f"""\
## {rule.code}

**{_text(rule.title)}**

> {rule.level}: {_text(rule.clause)} ([source]({rule.url}))

{_text(rule.why)}

At most {rule.severity}; {rule.evidence}: {EVIDENCE[rule.evidence]}. Asked by {asked}. {mended}

Good:

{_code(rule.good)}

Bad:

{_code(rule.bad)}
""".replace("\n\n\n\n", "\n\n")


def _code(text: str) -> str:
    kind = "xml" if "<" in text else "text"
    return f"```{kind}\n{dedent(text).strip(chr(10))}\n```"


def _wrapped(text: str) -> str:
    return fill(text, 120, break_on_hyphens=False)


def _text(text: str) -> str:
    """Text in which nothing is a tag, a cell or emphasis, but what stands in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if i % 2 else re.sub(r"([<|*\\])", r"\\\1", part) for i, part in enumerate(parts))


def main(folder: str) -> None:
    """Write the pages of all rules into the folder of the documentation."""
    for name, text in pages().items():
        path = Path(folder, name)
        path.parent.mkdir(exist_ok=True)
        write_whole(path, text)


if __name__ == "__main__":
    main(*sys.argv[1:])
