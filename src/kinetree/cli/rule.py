"""`kinetree rule CODE…`: what a code means and what to do; of a rule also why, with good and bad examples."""

import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, groupby
from typing import Any

import click

from kinetree.cli._findings import terminal_width
from kinetree.cli._help import argument, kinetree_command, option
from kinetree.cli._model import json_option
from kinetree.cli._output import plain, print_json
from kinetree.cli._say import say_text
from kinetree.codes import CODES, RETIRED
from kinetree.errors import address
from kinetree.rules.explain import EVIDENCE, UNJUDGED, USES, Explanation, Repairable, codes_like, explain
from kinetree.rules.profiles import FAMILIES, TITLES, family
from kinetree.rules.rep199.clause import URL
from kinetree.rules.rep199.manual_clauses import CLAUSES, Clause

WIDTH = 80
KNOWN = {**CODES, **RETIRED}
FIXES: dict[Repairable, str] = {
    "no": "by hand",
    "safely": "`kinetree fix`; no other file must change",
    "unsafely": "`kinetree fix --unsafe`; other files that use the model may have to change",
}


NEXT = """kinetree rule LIM             list the rules of a family
kinetree rule R199-5          list the codes that begin with R199-5
kinetree rule SDF             list the codes of readers about a topic
kinetree rule LIM-003         explain a code
kinetree rule --all           list all codes"""


@kinetree_command("Check and repair", "kinetree rule LIM-003")
@argument("codes", "Codes, families such as LIM, or beginnings such as R199-4.", metavar="[CODE]...", nargs=-1)
@option("--all", "List all codes instead of their families.", "everything")
@json_option
def command(codes: Sequence[str], everything: bool, as_json: bool) -> None:
    """Explain codes of findings, such as LIM-003 or no-limit.

    Without a CODE, list the families of codes. Codes in lower case are those of readers and commands, the others those
    of rules."""
    if everything and codes:
        raise click.UsageError("--all lists all codes; expected no CODE")
    if not (codes or everything or as_json):
        say_text(_families())
        return
    by_hand = {clause.code: clause for clause in CLAUSES}
    clauses = {code: by_hand[code.upper()] for code in codes if code.upper() in by_hand}
    others = {code: found for code in codes if (found := _of_family(code) or codes_like(code))}
    rules = {code: explain(code) for code in codes or FAMILIES if code not in {*clauses, *others}}
    if as_json:
        named = chain.from_iterable(others.values()) if codes else CODES
        print_json(
            {
                "rules": [_with_page(rule) for rule in chain.from_iterable(rules.values())],
                "clauses": [_with_page(clause) for clause in clauses.values()],
                "codes": [{"code": code, **KNOWN[code]._asdict(), "page": address(code)} for code in named],
            }
        )
        return
    if not codes:
        _list(rules)
        return
    pages = {code: _page_of_code(found[0]) if len(found) == 1 else _meanings(found) for code, found in others.items()}
    pages |= {code: _page_by_hand(clause) for code, clause in clauses.items()}
    pages |= {code: _page(found[0]) if len(found) == 1 else _rows(found) for code, found in rules.items()}
    say_text("\n\n".join(pages[code] for code in codes))


def _with_page(thing: Explanation | Clause) -> dict[str, Any]:
    """Return the fields of a rule or a clause, with the address of its page."""
    return {**plain(thing), "page": address(thing.code)}


def _families() -> str:
    """Return a line for each family, with numbers of codes and of rules that have a repair, and what to type next."""
    rules = {letters: family(letters) for letters in FAMILIES}
    lines = ["Rules  (number of rules, and of those that `kinetree fix` repairs)"]
    for letters, own in rules.items():
        lines.append(f"  {letters:4}  {len(own):3}  {sum(one.repair is not None for one in own):3}  {TITLES[letters]}")
    lines += ["", "Codes of readers and commands  (number of codes)"]
    counts = Counter(row.family for row in CODES.values())
    lines += [f"  {number:3}  {title}" for title, number in sorted(counts.items())]
    return "\n".join([*lines, "", NEXT])


def _of_family(title: str) -> list[str]:
    return [code for code, row in CODES.items() if row.family == title]


def _list(families: Mapping[str, Sequence[Explanation]]) -> None:
    pages = [f"{letters}  {TITLES[letters]}\n{_rows(rules)}" for letters, rules in families.items()]
    by_family = groupby(sorted(CODES, key=lambda code: CODES[code].family), key=lambda code: CODES[code].family)
    pages += [f"{title}\n{_meanings(list(codes))}" for title, codes in by_family]
    say_text("\n\n".join(pages))


def _meanings(codes: Sequence[str]) -> str:
    return "\n".join(f"  {code:20}  {CODES[code].meaning}" for code in codes)


def _page_of_code(code: str) -> str:
    """Return everything about a code that is not a rule's."""
    row = KNOWN[code]
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
        "finds": rule.finds,
        "severity": f"at most {rule.severity}; {rule.evidence}: {EVIDENCE[rule.evidence]}",
        "judged": str(rule.precision or UNJUDGED),
        "profiles": ", ".join(rule.profiles) or "none",
        "repair": FIXES[rule.repaired],
        "page": address(rule.code),
    }
    paragraphs.append("\n".join(_wrapped(text, f"{name:10}", " " * 10) for name, text in facts.items()))
    if rule.numbers:
        paragraphs.append(
            "\n".join(["numbers:", *(_wrapped(f"{one}: {rule.numbers[one]}", "    ", " " * 8) for one in rule.numbers)])
        )
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
        text, width, initial_indent=first, subsequent_indent=other, break_long_words=False, break_on_hyphens=False
    )
