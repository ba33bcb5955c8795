"""Expansion of xacro text to the format that it makes, with the source of each element."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from kinetree.display import listed
from kinetree.errors import Finding, Source, nearest_names
from kinetree.files.opener import Files
from kinetree.formats.xacro.engine import ROOTS, Engine
from kinetree.syntax.xml.reader import DerivedText, Element


@dataclass(frozen=True)
class Expansion:
    """Result of an expansion: the text, None after errors; its name in messages; all texts read, by file."""

    text: DerivedText | None
    file: str
    files: Mapping[str, str]


def read(
    text: bytes | str, file: str, files: Files, arguments: Mapping[str, str], complete: bool = True
) -> tuple[Expansion, list[Finding]]:
    """Return the expansion of a xacro text, and all findings; never raise on content.

    files: opens includes and YAML files, and finds packages and environment variables. arguments: the values of
    <xacro:arg>s. complete: whether it is an error if no robot is made, or an argument is unknown; otherwise any XML may
    be made.
    """
    engine = Engine(file, files, arguments)
    made = engine.expand(text)
    findings = [*dict.fromkeys([*engine.findings, *(f for f in engine.report.findings if f.severity == "warning")])]
    texts = {root.document.file: root.document.data.decode() for root in engine.roots}
    if made is not None and complete:
        findings += _unknown_arguments(engine, arguments)
        if made.empty:
            findings.append(_makes_nothing(engine, made.root))
    if made is None or any(finding.severity == "error" for finding in findings):
        return Expansion(None, file, texts), findings
    return Expansion(DerivedText(made.text, made.origins), f"{file} (expanded)", texts), findings


def _unknown_arguments(engine: Engine, arguments: Mapping[str, str]) -> list[Finding]:
    declared = engine.declared_arguments()
    return [
        Finding(
            "xacro-argument",
            "error",
            f"there is no argument {name!r}; {engine.say_arguments()}",
            Source(engine.file),
            fix=nearest_names(name, list(declared)) if declared else None,
        )
        for name in arguments
        if name not in declared and name not in engine.used_arguments()
    ]


def _makes_nothing(engine: Engine, root: str) -> Finding:
    """Return the finding on a file that makes no robot by itself, with an example of a macro call."""
    macros = engine.macros()
    own = [macro for macro in macros if macro.source.file == engine.file] or macros
    place = Source(engine.file, 1)
    if not own:
        message = f"makes no robot: its <{root}> contains no {' or '.join(f'<{tag}>' for tag in ROOTS.values())}"
        return Finding("xacro-empty", "error", message, place, fix="load the file that includes it")
    heads = [f"{macro.get('name')}({' '.join((macro.get('params') or '').split())})" for macro in own]
    message = f"contains only macros and makes no robot by itself; its macros: {listed(heads, 20, '; ')}"
    return Finding("xacro-macros-only", "error", message, place, fix=_call_of(own[0], engine.file))


def _call_of(macro: Element, file: str) -> str:
    """Return text that makes a robot from a macro."""
    words = re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", macro.get("params") or "")
    names = [word for word in words if ":=" not in word and "=" not in word]
    attributes = "".join(f' {name}="…"' for name in names if not name.startswith("*"))
    blocks = "".join("<…/>" for name in names if name.startswith("*"))
    call = f"xacro:{macro.get('name')}"
    inside = f"<{call}{attributes}>{blocks}</{call}>" if blocks else f"<{call}{attributes}/>"
    return (
        'load a file that calls one: <robot name="…" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        f'<xacro:include filename="{file}"/>{inside}</robot>'
    )
