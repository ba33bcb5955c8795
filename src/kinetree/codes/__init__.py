"""Codes of findings, in `codes.toml`: what each means, what to do, and which page of the site explains it."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Literal, NamedTuple

Use = Literal["error", "remark", "either", "fault", "retired"]

FAMILIES: dict[str, Any] = tomllib.loads(files(__package__).joinpath("codes.toml").read_text("utf-8"))
"""Families of codes, in the order of the documentation."""
_REMOVED: Mapping[str, list[str]] = FAMILIES.pop("retired")
OTHER = "argument"
"""Code that explains those without a row: they are names of arguments of functions."""
ENDINGS = ("-number", "-shape")
"""Ends of codes that begin with the name of an argument; each is explained by "argument" with this end."""


class Code(NamedTuple):
    """Meaning of a code and what to do, a sentence each.

    family: title of its family. use: "error", "remark" (a warning or a remark, which can be left out or excused),
    "either", "fault" of `kinetree calibrate`, or "retired".
    """

    family: str
    use: Use
    meaning: str
    remedy: str


def _codes() -> Mapping[str, Code]:
    uses: tuple[tuple[Use, str], ...] = (
        ("error", "errors"),
        ("remark", "remarks"),
        ("either", "either"),
        ("fault", "faults"),
    )
    rows = {
        code: Code(family["title"], use, *sentences)
        for family in FAMILIES.values()
        for use, name in uses
        for code, sentences in family.get(name, {}).items()
    }
    return dict(sorted(rows.items()))


CODES = _codes()
"""All codes but those of rules, in alphabetical order."""
REMARKS = {code: row for code, row in CODES.items() if row.use in ("remark", "either")}
"""Codes of warnings and remarks, which can be left out and excused like those of rules."""
RETIRED = {code: Code("Removed rules", "retired", *sentences) for code, sentences in _REMOVED.items()}
"""Codes of rules that were removed; settings and comments may still name them."""


def meaning_of(code: str) -> str:
    """Return what a code means that is not a rule's."""
    return CODES[page_of(code)].meaning


def page_of(code: str) -> str:
    """Return the code whose page explains a code: itself, or that of arguments if the code is an argument's name."""
    if code in CODES or code[:1].isupper():
        return code
    return next((OTHER + end for end in ENDINGS if code.endswith(end)), OTHER)
