"""How objects show themselves: short texts of one line, and HTML in notebooks.

The HTML is written by a module above, which `register` names and which is imported when a notebook asks for it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from importlib import import_module
from typing import Any

MOST = 600
"""Longest text of an object, in characters."""
SHORT = 60
"""Longest text of one of its fields."""
SMALL = 7
"""Largest number of entries of an array or a tuple that are written out."""
LISTED = 3
"""Number of names that are listed; others are counted."""

_writers: list[str] = []


def register(module: str) -> None:
    """Let the function `html` of a module above write the HTML of objects."""
    _writers[:] = [module]


class Displayable:
    """Base of objects that have HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(made_above("html", self))


def made_above(function: str, thing: Any) -> Any:
    """Return what a function of the module above makes of an object."""
    return getattr(import_module(_writers[0]), function)(thing)


def brief(thing: Any) -> str:
    """Return the repr of a dataclass or named tuple on one line: long fields by their sizes, without those that have
    their default and those whose name begins with `_`."""
    if isinstance(thing, tuple):
        names = list(type(thing)._fields)  # type: ignore[attr-defined]
    else:
        known = [one for one in fields(thing) if one.name[0] != "_"]
        names = [one.name for one in known if not _is_default(one, getattr(thing, one.name))]
    parts = [f"{name}={_field_text(getattr(thing, name))}" for name in names]
    return shortened(f"{type(thing).__name__}({', '.join(parts)})", MOST)


class Brief:
    """Base of dataclasses, made with repr=False, whose repr is `brief`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return brief(self)


def shortened(text: str, most: int) -> str:
    """Return the text, cut to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def visible(text: str, *, one_for_one: bool = False) -> str:
    """Return the text with characters that a terminal would obey or hide, such as colour codes, escaped as `\\x1b`.

    one_for_one: replace each by one `?` instead, which keeps columns aligned.
    """
    if text.isprintable():
        return text
    escaped = ("?" if one_for_one else c.encode("unicode_escape").decode() for c in text)
    return "".join(c if c.isprintable() else other for c, other in zip(text, escaped, strict=True))


def some(names: Iterable[str], most: int = MOST) -> str:
    """Return names with commas between them, as many as `most` characters hold, and how many there are in all."""
    names = [visible(name) for name in names]
    text = ", ".join(names)
    if len(text) <= most:
        return text
    shown = shortened(text, most).rpartition(", ")[0] or shortened(names[0], most)
    return f"{shown}, … {len(names)} in all"


def listed(names: Iterable[str], most: int = LISTED, between: str = ", ") -> str:
    """Return the first `most` different names, and how many there are besides."""
    shown = list(dict.fromkeys(names))
    more = len(shown) - most
    return between.join(shown[:most]) + (f" and {more} more" if more > 0 else "")


def counted(number: Any, word: str) -> str:
    """Return `1 error`, `2 errors`."""
    return f"{number} {word}{'' if str(number) == '1' else 's'}"


def number(value: float, digits: int = 3) -> str:
    """Return a number as a person writes it, with `digits` significant digits: 0 below 1e-12, commas from 10,000."""
    mantissa, _, exponent = f"{0.0 if abs(value) < 1e-12 else value:.{digits - 1}e}".partition("e")
    if not exponent:  # inf and nan
        return mantissa
    power = int(exponent)
    if -5 < power < 12:
        rounded = float(f"{mantissa}e{power}")
        mantissa = f"{rounded:{',' if abs(rounded) >= 1e4 else ''}.{max(0, digits - 1 - power)}f}"
    short = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return short if -5 < power < 12 else f"{short}e{power}"


def numbers(values: Iterable[float], digits: int = 3) -> list[str]:
    """Return numbers as `number` does, with as many more digits as different numbers need to look different."""
    values = list(values)
    texts = [number(value, digits) for value in values]
    return texts if digits >= 12 or len(set(texts)) == len(set(values)) else numbers(values, digits + 1)


def _is_default(one: Field[Any], value: Any) -> bool:
    default = one.default_factory() if one.default_factory is not MISSING else one.default
    return type(value) is type(default) and not hasattr(value, "shape") and bool(value == default)


def _field_text(value: Any) -> str:
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        small = getattr(value, "size", SMALL + 1) <= SMALL and len(value.shape) < 2
        return shortened(str(value.tolist()), SHORT) if small else f"array {tuple(value.shape)}"
    if isinstance(value, list | tuple | Mapping) and len(value) > SMALL:
        return f"<{len(value)} entries>"
    return shortened(repr(value), SHORT if isinstance(value, str) else 2 * SHORT)
