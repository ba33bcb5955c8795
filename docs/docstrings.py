"""Lists in docstrings: what a docstring describes as "name: text" in a paragraph is a list on the site.

`Lists`, at the end, is an extension of griffe, which reads the source; `zensical.toml` names this file. It also writes
the options that queries share into their signatures.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection
from importlib import import_module
from importlib.util import find_spec
from typing import Any

NAME = r"[A-Za-z_]\w*(?: \([^()]*\))?"
ENTRY = re.compile(rf"(?:^|(?<=[.;]\s))({NAME}(?:,\s{NAME})*): ", re.MULTILINE)
COLUMNS = re.compile(r"(\S+(?: \S+)*) {2,}(\S.*)")
AFTER = re.compile(r" (?=(?:Raises|Warns) )")
"""Beginning of a sentence that belongs to no entry."""


def with_lists(text: str, names: Collection[str] | None = None) -> str:
    """Return a docstring in which paragraphs that describe some of these names, by default any names, are lists."""
    first, *others = re.split(r"\n{2,}", text)
    return "\n\n".join([first, *(_with_list(paragraph, names) for paragraph in others)])


def _with_list(paragraph: str, names: Collection[str] | None) -> str:
    lines = paragraph.split("\n")
    if paragraph[:1].isspace() or lines[0] in ("Args:", "Examples:"):
        return paragraph
    rows = [COLUMNS.fullmatch(line) for line in lines]
    if len(rows) > 1 and all(rows):
        return "\n".join(f"- {_code(row[1])}: {row[2]}" for row in rows if row)
    found = [match for match in ENTRY.finditer(paragraph) if names is None or set(_words(match[1])) <= set(names)]
    if not found:
        return paragraph
    ends = [*(match.start() for match in found[1:]), len(paragraph)]
    entries = [" ".join(paragraph[match.end() : end].split()) for match, end in zip(found, ends, strict=True)]
    last, *rest = AFTER.split(entries[-1], maxsplit=1)
    items = [f"- {_code(match[1])}: {entry}" for match, entry in zip(found, [*entries[:-1], last], strict=True)]
    return "\n\n".join(part for part in (paragraph[: found[0].start()].strip(), "\n".join(items), *rest) if part)


def _words(names: str) -> list[str]:
    """Return names without their shapes."""
    return re.findall(r"\w+", re.sub(r"\([^()]*\)", "", names))


def _code(names: str) -> str:
    """Return names, and shapes behind them, with the names as code."""
    return ", ".join(re.sub(r"^\S+", r"`\g<0>`", name) for name in re.split(r",\s(?![^(]*\))", names))


if find_spec("griffe"):  # in the extra docs
    from griffe import Extension, Parameter, ParameterKind

    class Lists(Extension):
        """Write the parameters of functions and the attributes of classes as lists."""

        def on_function(self, *, func: Any, **_: Any) -> None:
            """Change the signature and the docstring of a function."""
            written = {one.name: str(one.annotation) for one in func.parameters}
            for name in [name for name, annotation in written.items() if annotation.startswith("Unpack[")]:
                del func.parameters[name]
                shown = inspect.signature(getattr(import_module(func.module.path), func.name)).parameters.values()
                for one in [one for one in shown if one.name not in written]:
                    annotation, kind = inspect.formatannotation(one.annotation), ParameterKind.keyword_only
                    added = Parameter(one.name, annotation=annotation, kind=kind, default=repr(one.default))
                    func.parameters.add(added)
            if func.docstring:
                func.docstring.value = with_lists(func.docstring.value, [one.name for one in func.parameters])

        def on_class(self, *, cls: Any, **_: Any) -> None:
            """Change the docstring of a class."""
            if cls.docstring:
                cls.docstring.value = with_lists(cls.docstring.value, cls.members)
