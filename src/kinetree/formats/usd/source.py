"""A USD file to its composed stage: flat text is parsed here, all else by usd-core in a limited child process."""

import importlib.util
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from kinetree.confine import Confinement, workspace_of
from kinetree.errors import Finding, Severity, Source
from kinetree.formats.usd.prim import Stage, stage_of
from kinetree.formats.usd.text import TextError, parse

INSTALL = "pip install 'kinetree[usd]'"
LIMITS = {"seconds": 10, "megabytes": 1536}
"""Limits of the child process; 900 MB of its addresses are those of the libraries, most of them never used."""
CHILD = "kinetree.formats.usd.compose"
"""The module whose functions are called in the child process."""


def open_stage(
    content: bytes, file: str, confinement: Confinement | None, variants: Mapping[str, str]
) -> tuple[Stage | None, list[Finding]]:
    """Return the stage of a file, or None, and findings. variants: chosen ones, by the names of their sets."""
    if content.startswith((b"PXR-USDC", b"PK\x03\x04")):
        return _composed(None, file, confinement, variants, "a binary or archive of USD is read by usd-core")
    if not content.startswith(b"#usda"):
        return None, [_error("usd-stage", "it is no USD file: expected #usda, PXR-USDC or a zip archive first", file)]
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        return None, [_error("encoding", f"the text is not UTF-8: {error.reason} at byte {error.start}", file, line)]
    try:
        if variants:
            raise TextError("it has variants", 1, wrong=False)
        return stage_of(file, *parse(text)), []
    except TextError as error:
        if error.wrong and not _is_installed():
            fix = f"correct it, or if other programs read it, {INSTALL}"
            return None, [_error("usd-stage", f"it is no USD text that can be read: {error}", file, error.line, fix)]
        return _composed(text, file, confinement, variants, f"this is composed by usd-core: {error}", error.line)


@lru_cache(maxsize=1)
def parts_of(files: tuple[str, ...]) -> frozenset[str]:
    """Return the absolute paths of the files that other files of these, in their folder or above, compose, as far as
    usd-core is installed and finds them within its limits."""
    from kinetree.isolated import ChildError, call

    paths = [os.path.abspath(file) for file in files]
    try:
        found = call(f"{CHILD}:referred", paths, **LIMITS, readable=None) if paths and _is_installed() else []
        return frozenset(path for file, path in found if path.startswith(os.path.join(os.path.dirname(file), "")))
    except (ChildError, TypeError, ValueError, AttributeError):
        return frozenset()


def _is_installed() -> bool:
    return importlib.util.find_spec("pxr") is not None


def _error(code: str, message: str, file: str, line: int | None = None, fix: str | None = None) -> Finding:
    return Finding(code, "error", message, Source(file, line), None, fix)


def _composed(
    text: str | None,
    file: str,
    confinement: Confinement | None,
    variants: Mapping[str, str],
    why: str,
    line: int | None = None,
) -> tuple[Stage | None, list[Finding]]:
    """Return the stage that usd-core composes of a file, or None, and findings."""
    if not _is_installed():
        return None, [_error("usd-core", f"{why}, which is not installed", file, line, INSTALL)]
    from kinetree.isolated import ChildError, call  # not needed to read other files

    is_text = file.startswith("<")
    if is_text and text is None:
        message = "a USD file that is no text is read from the disk alone; name its path"
        return None, [_error("usd-stage", message, file)]
    folders = [] if is_text else [*map(str, confinement.folders if confinement else workspace_of(file))]
    source = os.path.abspath(file)
    own = [] if is_text else [os.path.realpath(source)]
    arguments = (text if is_text else None, source, folders, dict(variants))
    readable = None if confinement is None and not is_text else [*folders, *own]
    try:
        return _stage(file, call(f"{CHILD}:compose", *arguments, **LIMITS, readable=readable))
    except ChildError as error:
        message = f"the process in which usd-core reads this file {error}"
    except (TypeError, ValueError, AttributeError):
        message = "the process in which usd-core reads this file gives an answer that is no stage"
    return None, [_error("usd-stage", message, file)]


def _stage(file: str, answer: Any) -> tuple[Stage | None, list[Finding]]:
    """Return the stage of an answer of a child process. Raises TypeError or ValueError if it is something else."""
    settings, prims, said = answer
    findings = []
    for severity, code, message, path in said:
        words = all(isinstance(one, str) for one in (code, message, path))
        if severity not in ("error", "warning", "info") or not words:
            raise TypeError
        known: Severity = severity
        findings.append(Finding(code, known, message, Source(file), f"prim {path}" if path else None))
    failed = any(finding.severity == "error" for finding in findings)
    return None if failed else stage_of(file, dict(settings), list(prims)), findings
