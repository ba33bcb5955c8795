"""Explanations of rules: their text, examples, profiles and repairs, for commands and pages."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from inspect import cleandoc
from typing import Literal

from kinetree.codes import CODES, ENDINGS, RETIRED, Use, page_of
from kinetree.errors import Severity, fail, nearest_names
from kinetree.rules.profiles import FAMILIES, PROFILES, codes_of, family, nearest_codes, rules_of
from kinetree.rules.rule import Evidence, Level
from kinetree.rules.whole_examples import whole_examples

Repairable = Literal["no", "safely", "unsafely"]

EVIDENCE: dict[Evidence, str] = {
    "certain": "its findings are always true",
    "heuristic": "it can be wrong, so it gives at most a warning",
    "advice": "it depends on the purpose, so it gives at most a remark",
}
USES: dict[Use, str] = {
    "error": "an error; it is always reported, because there is no result without a correction",
    "remark": "a warning or a remark; it can be ignored or excused by its code",
    "either": "an error, or a warning or remark, which can be ignored or excused by this code",
    "fault": "an explanation of `kinetree calibrate`, not an error",
    "retired": "none; this rule was removed, and settings and comments may still name it",
}


@dataclass(frozen=True)
class Precision:
    """How a rule did on public files: the number that were checked, of those with findings, of findings that a person
    read, and of true, questionable and false ones among these. known: what it finds wrongly, or ""."""

    checked: int
    findings_in: int
    read: int
    true: int
    questionable: int
    false: int
    known: str = ""

    def __str__(self) -> str:
        judged = f"of {self.read} read, {self.true} true, {self.questionable} questionable, {self.false} false"
        parts = [f"findings in {self.findings_in} of {self.checked} public files", judged if self.read else ""]
        return "; ".join(filter(None, (*parts, self.known and f"known: {self.known}")))


_JUDGED = tomllib.loads(files(__package__).joinpath("precision.toml").read_text("utf-8"))["rules"]
PRECISION = {code: Precision(*row) for code, row in _JUDGED.items()}
"""How rules did on public files, by code; those of other codes were not judged."""
UNJUDGED = "not on public files yet"


@dataclass(frozen=True)
class Explanation:
    """Description of a rule.

    family: the letters of its code. why: the paragraphs after its title. severity: the gravest of its findings.
    good, bad: its examples, completed to whole elements. profiles: those that run it. repaired: whether `kinetree fix`
    repairs its findings, and whether that is safe. finds: what it finds, and exemptions. numbers: on which its findings
    depend, with their units, by their meanings. precision: how it did on public files, None if that was not judged.
    """

    code: str
    title: str
    family: str
    level: Level
    evidence: Evidence
    severity: Severity
    clause: str
    url: str
    why: str
    good: str
    bad: str
    profiles: tuple[str, ...]
    repaired: Repairable
    finds: str
    numbers: Mapping[str, str]
    precision: Precision | None = None


def codes_like(code: str) -> list[str]:
    """Return the codes that a text names or that begin with it, but those of today's rules; [] if there is none."""
    if code.upper() in RETIRED:
        return [code.upper()]
    if code in CODES or (code.islower() and code.endswith(ENDINGS)):
        return [page_of(code)]
    return [known for known in CODES if code and known.startswith(code)]


def explain(code: str) -> list[Explanation]:
    """Return the rules whose codes are, or begin with, a text in upper or lower case. Raises KinetreeError if there is
    none."""
    begins = code.upper()
    families = [letters for letters in FAMILIES if begins and f"{letters}-".startswith(begins[: len(letters) + 1])]
    found = [rule for letters in families for rule in explanations(letters) if rule.code.startswith(begins)]
    if not found:
        known = codes_of()
        if code.islower() and not code.startswith(tuple(map(str.lower, FAMILIES))):
            near = nearest_names(code, [*CODES, *known])
            raise fail("unknown-name", f"no rule {code!r}; {near} The code argument explains names of arguments")
        raise fail("unknown-name", f"no rule {code!r}; {nearest_codes(begins, known)}")
    return found


def explanations(letters: str) -> Iterator[Explanation]:
    """Yield the explanations of a family of rules, in the order of their codes."""
    asked = {name: {rule.code for rule in rules_of(name)} for name in PROFILES}
    for rule in sorted(family(letters), key=lambda rule: rule.code):
        why = cleandoc(rule.__doc__ or "").partition("\n")[2].strip()
        yield Explanation(
            rule.code,
            rule.title(),
            letters,
            rule.level,
            rule.evidence,
            rule.severity(),
            rule.clause,
            rule.url,
            why,
            *whole_examples(rule),
            tuple(name for name, codes in asked.items() if rule.code in codes),
            "no" if rule.repair is None else "safely" if rule.safe else "unsafely",
            " ".join(rule.check.__doc__.split()),
            {number.meaning: number.text for number in rule.thresholds},
            PRECISION.get(rule.code),
        )
