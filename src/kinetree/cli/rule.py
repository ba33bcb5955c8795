"""`kinetree rule CODE…`: what a rule requires, why, and good and bad examples."""

import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import chain

import click

from kinetree.cli._findings import terminal_width
from kinetree.cli._json import print_json
from kinetree.cli._model import json_option
from kinetree.conventions.explain import EVIDENCE, READER, Explanation, Repairable, explain, family_title
from kinetree.conventions.profiles import FAMILIES
from kinetree.conventions.reader_codes import REMARKS
from kinetree.conventions.rep199.clause import URL
from kinetree.conventions.rep199.manual_clauses import CLAUSES, Clause

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
    """Explain rules by their codes; without a CODE list them all.

    A CODE with which several begin, such as R199-4, lists these. Codes of readers' remarks are in lower case.
    """
    by_hand = {clause.code: clause for clause in CLAUSES}
    clauses = {code: by_hand[code.upper()] for code in codes if code.upper() in by_hand}
    remarks = {
        code: {"code": code, "title": REMARKS[code], "why": READER} for code in codes or REMARKS if code in REMARKS
    }
    rules = {code: explain(code) for code in codes or FAMILIES if code not in {*clauses, *remarks}}
    if as_json:
        all_rules = list(chain.from_iterable(rules.values()))
        print_json({"rules": all_rules, "clauses": list(clauses.values()), "remarks": list(remarks.values())})
        return
    if not codes:
        _list(rules)
        return
    pages = {code: _wrapped(f"{code}  {REMARKS[code]}") + f"\n\n{_wrapped(READER)}" for code in remarks}
    pages |= {code: _page_by_hand(clause) for code, clause in clauses.items()}
    pages |= {code: _page(found[0]) if len(found) == 1 else _rows(found) for code, found in rules.items()}
    print("\n\n".join(pages[code] for code in codes))


def _list(families: Mapping[str, Sequence[Explanation]]) -> None:
    pages = [f"{letters}  {family_title(letters)}\n{_rows(rules)}" for letters, rules in families.items()]
    rows = (f"  {code:20}  {title}" for code, title in REMARKS.items())
    print("\n\n".join([*pages, "\n".join(["What readers remark", *rows])]))


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
