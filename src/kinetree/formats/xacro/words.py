"""Names in xacro texts that were not evaluated, such as those of macros that are not called."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kinetree.errors import KinetreeError
from kinetree.formats.xacro.engine import ARGUMENT, PART
from kinetree.formats.xacro.expressions import parse
from kinetree.formats.xacro.functions import MATHEMATICS
from kinetree.formats.xacro.names import DEPRECATED, DIRECT

KNOWN = frozenset((*MATHEMATICS, *DIRECT, *(name for names in DEPRECATED.values() for name in names)))
"""Names of functions and constants of `${…}`."""
NUMBERS = ("pi", "tau", "e", "M_PI", "sin", "cos", "tan", "radians", "degrees", "sqrt")
"""Names in expressions of numbers."""
SPACES = frozenset(("python", "math", "xacro", "True", "False"))
COMMANDS = ("find", "arg", "env", "optenv", "eval", "anon", "dirname", "cwd")
"""Words that may begin a `$(…)`."""
IDENTIFIER = re.compile(r"[^\W\d]\w*")


class Words(NamedTuple):
    """Names in a text. names: in its expressions, those that it defines itself left out. arguments: of `$(arg …)`.
    faults: messages on parts that cannot be evaluated. plain: the text without its expressions."""

    names: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    plain: str = ""


@lru_cache(4096)
def words_of(text: str) -> Words:
    """Return the names in an attribute or a text of a xacro file."""
    if "$" not in text:
        return Words(plain=text)
    names: list[str] = []
    faults: list[str] = []
    plain, end = "", 0
    while end < len(text):
        part = PART.match(text, end)
        if part is None:
            faults.append(f"{_shown(text[end:])} has no closing bracket")
            break
        end = part.end()
        if part["expression"] is not None:
            found = _names_in(part["expression"])
            names += found.names
            faults += found.faults
        elif part["substitution"] is not None:
            faults += _faults_of_command(part["substitution"])
            names += words_of(part["substitution"]).names
        plain += part["text"] or "\0"
    arguments = [match[1] or match[2] for match in ARGUMENT.finditer(text)]
    return Words(tuple(dict.fromkeys(names)), tuple(a for a in arguments if "$" not in a), tuple(faults), plain)


def _names_in(expression: str) -> Words:
    """Return the names in a `${…}`; what a `$(…)` in it returns may be any text."""
    nested = "$" in expression
    try:
        tree = parse(PART.sub(lambda part: part["text"] or "1", expression).strip())
    except (SyntaxError, ValueError):
        return Words() if nested else Words(faults=(f"{_shown('${' + expression + '}')} is not an expression",))
    except KinetreeError as error:
        return Words(faults=() if nested else tuple(finding.message for finding in error.findings))
    return Words(tuple(free_names(tree)))


def free_names(tree: ast.expr) -> Iterator[str]:
    """Yield the names that an expression reads and does not define."""
    nodes = list(ast.walk(tree))
    own = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    for node in nodes:
        if isinstance(node, ast.Name) and node.id not in own | KNOWN | SPACES:
            yield node.id


def _faults_of_command(text: str) -> Iterator[str]:
    """Yield a message if a `$(…)` begins with an unknown word."""
    word = (text.split() or [""])[0]
    if word not in COMMANDS and "$" not in word:
        yield f"{_shown(f'$({text})')} begins with none of {', '.join(COMMANDS)}"


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}…"
