"""Conversion of errors during an expansion to findings with their place."""

import re
from dataclasses import replace

from kinetree.errors import Finding, KinetreeError, Source
from kinetree.files.nearby import BEFORE, did_you_mean
from kinetree.syntax.plain_words import plain_words

MAX_CONTEXT = 6  # calls named in a message
CALL = re.compile(r"unknown macro name: (\S+)")


def findings_of(error: Exception, file: str) -> list[Finding]:
    """Return the findings for an error of the xacro package, of an expression or of ours."""
    place: Source | None = getattr(error, "kinetree_place", None) or Source(file)
    calls = getattr(error, "kinetree_calls", [])
    if calls and str(error).startswith("unknown macro name"):
        calls = calls[:-1]  # that call is the fault itself
    calls = list(dict.fromkeys(calls[-MAX_CONTEXT:]))  # of a macro that calls itself, one
    context = "".join(f"; in {what}, called at {where}" for what, where in reversed(calls) if str(where) != str(place))
    if own := next((one for one in _causes(error) if isinstance(one, KinetreeError)), None):
        return [
            f
            if f.source is not None and f.code.startswith("xml-")
            else replace(f, message=f.message + context, source=place)
            for f in own.findings
        ]
    code, message = _said(error)
    element = f"<{match[1]}>" if (match := CALL.match(message)) else None
    fix = did_you_mean(message)
    return [Finding(code, "error", message.partition(BEFORE)[0] + context, place, element, fix)]


def _causes(error: BaseException) -> list[BaseException]:
    """Return an error and those that it wraps, from outside."""
    inner = getattr(error, "exc", None)
    return [error, *(_causes(inner) if inner is not None else [])]


def _said(error: Exception) -> tuple[str, str]:
    """Return the code of a defect, and its message in plain words."""
    inner = getattr(error, "exc", None)
    text = plain_words(error)
    if isinstance(inner, KeyError):
        text = text.replace(str(inner), plain_words(inner), 1)
    if any(isinstance(one, RecursionError) for one in _causes(error)):
        return "xacro-recursion", "goes on without end, or is nested too deep to expand"
    if isinstance(inner, FileNotFoundError):
        return "xacro-include", str(error.args[0])
    if getattr(error, "macros", None) or text.startswith("unknown macro name"):
        return "xacro-macro", text
    if inner is not None:
        return "xacro-expression", text
    if text.endswith("has no '_setitem'"):  # of the dict of names that is the parent of the outermost file
        return "xacro-scope", 'scope="parent" has an effect only in a macro and in a file that is included with ns="…"'
    internal = isinstance(error, AttributeError | TypeError | LookupError)  # of the package itself
    return "xacro", f"the xacro package fails here: {text}" if internal else text
