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
from kinetree.conventions.explain import EVIDENCE, READER, Explanation, explain, explanations, family_title

WIDTH = 80
FIXES = {
    "no": "by hand",
    "safely": "`kinetree fix` does it, and the robot stays the same to all who use it",
    "unsafe": "`kinetree fix --unsafe` does it; look at what else uses the model",
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
    rules = [None if _is_of_a_reader(code) else explain(code) for code in codes]
    if as_json:
        readers = ({"code": code, "reader": READER} for code, rule in zip(codes, rules, strict=True) if not rule)
        print_json({"rules": [rule for rule in rules if rule], "readers": list(readers)})
        return
    pages = [_page(rule) if rule else _wrapped(f"{code} is {READER}") for code, rule in zip(codes, rules, strict=True)]
    print("\n\n".join(pages))


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
