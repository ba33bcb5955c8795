"""`kinetree rule CODE…`: what a rule asks for, why, and what is good and bad."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence

import click

from kinetree.cli._findings import terminal_width
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option
from kinetree.conventions.check import FAMILIES
from kinetree.conventions.explain import EVIDENCE, READER, Explanation, Mends, explain, explanations, family_title
from kinetree.conventions.rep199.clause import URL
from kinetree.conventions.rep199.people import CLAUSES, Clause

WIDTH = 80
FIXES: dict[Mends, str] = {
    "no": "by hand",
    "safely": "`kinetree fix` does it, and the robot stays the same to all who use it",
    "unsafely": "`kinetree fix --unsafe` does it; look at what else uses the model",
}
OF_A_READER = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command()
@click.argument("codes", metavar="[CODE]...", nargs=-1)
@json_option
def command(codes: Sequence[str], as_json: bool) -> None:
    """Explain rules by their codes; without a CODE list them all."""
    if not codes:
        _list(as_json)
        return
    readers = [code for code in codes if _is_of_a_reader(code)]
    people = {clause.code: clause for clause in CLAUSES}
    clauses = {code: people[code.upper()] for code in codes if code.upper() in people}
    rules = {code: explain(code) for code in codes if code not in readers and code not in clauses}
    if as_json:
        said = [{"code": code, "reader": READER} for code in readers]
        print_json({"rules": list(rules.values()), "clauses": list(clauses.values()), "readers": said})
        return
    pages = {code: _wrapped(f"{code} is {READER}") for code in readers}
    pages |= {code: _page_of_people(clause) for code, clause in clauses.items()}
    pages |= {code: _page(rule) for code, rule in rules.items()}
    print("\n\n".join(pages[code] for code in codes))


def _is_of_a_reader(code: str) -> bool:
    """Whether a code is in lower case, and is not that of a rule in lower case."""
    return bool(OF_A_READER.fullmatch(code)) and code.partition("-")[0].upper() not in FAMILIES


def _list(as_json: bool) -> None:
    if as_json:
        print_json({"rules": [rule for letters in FAMILIES for rule in explanations(letters)]})
        return
    for i, letters in enumerate(FAMILIES):
        print(f"{chr(10) * bool(i)}{letters}  {family_title(letters)}")
        for rule in explanations(letters):
            print(f"  {rule.code}  {rule.severity:7}  {rule.title}")


def _page(rule: Explanation) -> str:
    """Everything about one rule."""
    paragraphs = [f"{rule.code}  {rule.title}"]
    paragraphs += [_wrapped(paragraph) for paragraph in rule.why.split("\n\n") if paragraph]
    facts = {
        "asks": f'{rule.level}: "{rule.clause}"',
        "source": rule.url,
        "severity": f"{rule.severity}; {rule.evidence}: {EVIDENCE[rule.evidence]}",
        "profiles": ", ".join(rule.profiles) or "none",
        "to mend": FIXES[rule.mends],
    }
    paragraphs.append("\n".join(_wrapped(text, f"{name:10}", " " * 10) for name, text in facts.items()))
    paragraphs += [f"{name}:\n{textwrap.indent(text.strip(chr(10)), '    ')}" for name, text in _examples(rule)]
    return "\n\n".join(paragraphs)


def _page_of_people(clause: Clause) -> str:
    """Everything about a clause that no rule judges."""
    facts = {
        "says": f'{clause.level or "no level"}: "{clause.clause}"',
        "source": URL,
        "judged by": f"a person: {clause.question}" if clause.question else "nobody",
        "because": clause.because,
    }
    lines = [_wrapped(text, f"{name:10}", " " * 10) for name, text in facts.items()]
    return "\n\n".join([f"{clause.code}  A clause of REP-199 that no rule judges", "\n".join(lines)])


def _examples(rule: Explanation) -> Sequence[tuple[str, str]]:
    return (("good", textwrap.dedent(rule.good)), ("bad", textwrap.dedent(rule.bad)))


def _wrapped(text: str, first: str = "", other: str = "") -> str:
    width = min(terminal_width(sys.stdout) or WIDTH, 120)
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=other,
        break_long_words=False,
        break_on_hyphens=False,
    )
