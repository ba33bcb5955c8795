"""`kinetree rule CODE…`: what a code means and what to do; of a rule also why, with good and bad examples."""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import Any

import click

from kinetree.cli._findings import terminal_width
from kinetree.cli._json import plain, print_json
from kinetree.cli._model import json_option
from kinetree.codes import CODES
from kinetree.errors import address
from kinetree.rules.explain import (
    EVIDENCE,
    USES,
    Explanation,
    Repairable,
    codes_like,
    explain,
)
from kinetree.rules.profiles import FAMILIES, TITLES
from kinetree.rules.rep199.clause import URL
from kinetree.rules.rep199.manual_clauses import CLAUSES, Clause

WIDTH = 80
FIXES: dict[Repairable, str] = {
    "no": "by hand",
    "safely": "`kinetree fix`; no other file must change",
    "unsafely": "`kinetree fix --unsafe`; other files that use the model may have to change",
}


@click.command()
@click.argument("codes", metavar="[CODE]...", nargs=-1)
@json_option
def command(codes: Sequence[str], as_json: bool) -> None:
    """Explain codes of findings and rules; without a CODE list them all.

    A CODE with which several begin, such as R199-4, lists these. Codes in lower case are those of readers and commands.
    """
    by_hand = {clause.code: clause for clause in CLAUSES}
    clauses = {code: by_hand[code.upper()] for code in codes if code.upper() in by_hand}
    others = {code: found for code in codes if (found := codes_like(code))}
    rules = {code: explain(code) for code in codes or FAMILIES if code not in {*clauses, *others}}
    if as_json:
        named = chain.from_iterable(others.values()) if codes else CODES
        print_json(
            {
                "rules": [_with_page(rule) for rule in chain.from_iterable(rules.values())],
                "clauses": [_with_page(clause) for clause in clauses.values()],
                "codes": [{"code": code, **CODES[code]._asdict(), "page": address(code)} for code in named],
            }
        )
        return
    if not codes:
        _list(rules)
        return
    pages = {code: _page_of_code(found[0]) if len(found) == 1 else _meanings(found) for code, found in others.items()}
    pages |= {code: _page_by_hand(clause) for code, clause in clauses.items()}
    pages |= {code: _page(found[0]) if len(found) == 1 else _rows(found) for code, found in rules.items()}
    print("\n\n".join(pages[code] for code in codes))


def _with_page(thing: Explanation | Clause) -> dict[str, Any]:
    """Return the fields of a rule or a clause, with the address of its page."""
    return {**plain(thing), "page": address(thing.code)}


def _list(families: Mapping[str, Sequence[Explanation]]) -> None:
    pages = [f"{letters}  {TITLES[letters]}\n{_rows(rules)}" for letters, rules in families.items()]
    by_family = groupby(sorted(CODES, key=lambda code: CODES[code].family), key=lambda code: CODES[code].family)
    pages += [f"{title}\n{_meanings(list(codes))}" for title, codes in by_family]
    print("\n\n".join(pages))


def _meanings(codes: Sequence[str]) -> str:
    return "\n".join(f"  {code:20}  {CODES[code].meaning}" for code in codes)


def _page_of_code(code: str) -> str:
    """Return everything about a code that is not a rule's."""
    row = CODES[code]
    facts = {"to do": row.remedy, "severity": USES[row.use], "page": address(code)}
    lines = [_wrapped(text, f"{name:10}", " " * 10) for name, text in facts.items()]
    return "\n\n".join([_wrapped(f"{code}  {row.meaning}"), "\n".join(lines)])


def _rows(rules: Sequence[Explanation]) -> str:
    return "\n".join(f"  {rule.code}  {rule.severity:7}  {rule.title}" for rule in rules)


def _page(rule: Explanation) -> str:
    paragraphs = [f"{rule.code}  {rule.title}"]
    paragraphs += [_wrapped(paragraph) for paragraph in rule.why.split("\n\n") if paragraph]
    facts = {
        "requires": f'{rule.level}: "{rule.clause}"' if rule.url == URL else f"{rule.level}: {rule.clause}",
        "source": rule.url,
        "severity": f"at most {rule.severity}; {rule.evidence}: {EVIDENCE[rule.evidence]}",
        "profiles": ", ".join(rule.profiles) or "none",
        "repair": FIXES[rule.repaired],
        "page": address(rule.code),
    }
    paragraphs.append("\n".join(_wrapped(text, f"{name:10}", " " * 10) for name, text in facts.items()))
    paragraphs += [f"{name}:\n{textwrap.indent(text.strip(chr(10)), '    ')}" for name, text in _examples(rule)]
    return "\n\n".join(paragraphs)


def _page_by_hand(clause: Clause) -> str:
    """Return everything about a clause that no rule judges."""
    facts = {
        "says": f'{clause.level or "no level"}: "{clause.clause}"',
        "source": URL,
        "judged by": f"a person: {clause.question}" if clause.question else "nobody",
        "because": clause.because,
        "page": address(clause.code),
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
