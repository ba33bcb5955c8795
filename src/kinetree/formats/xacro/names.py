"""Names that xacro expressions can use, in `${…}` and in `$(eval …)`."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from kinetree.formats.xacro.budget import Budget, Function
from kinetree.formats.xacro.expressions import Names, NameSpace
from kinetree.formats.xacro.functions import FUNCTIONS, MATHEMATICS, OF_XACRO

if TYPE_CHECKING:
    from kinetree.formats.xacro.engine import Engine

DIRECT = ["list", "dict", "map", "len", "str", "float", "int", "bool", "min", "max", "round"]
DEPRECATED = {"python": ("sorted", "range"), "xacro": ("load_yaml", "abs_filename", "dotify")}
"""Functions that also exist without their name space; using them so gives a warning."""
IN_EVAL = ("list", "dict", "map", "str", "float", "int")
MESSAGES = ("message", "warning", "error", "print_location")


def global_names(host: Engine) -> dict[str, Any]:
    """Return the names in every `${…}`, with their values and name spaces."""
    of_xacro = {
        **OF_XACRO,
        "load_yaml": Function("load_yaml", lambda filename: host.load_yaml(str(filename))),
        "abs_filename": Function("abs_filename", lambda filename_spec: host.absolute(str(filename_spec))),
        "arg": Function("arg", lambda name: host.argument(str(name))),
        "fatal": Function("fatal", lambda *words: host.fatal(_sentence(words))),
        **{name: _speaking(host, name) for name in MESSAGES},
    }
    spaces = {"python": {**FUNCTIONS, "True": True, "False": False}, "math": MATHEMATICS, "xacro": of_xacro}
    deprecated = {
        name: _deprecated(host, spaces[space][name], space) for space, names in DEPRECATED.items() for name in names
    }
    return {
        **MATHEMATICS,
        **{name: FUNCTIONS[name] for name in DIRECT},
        "True": True,
        "False": False,
        **deprecated,
        **{name: NameSpace(name, entries.__getitem__, entries) for name, entries in spaces.items()},
    }


def _sentence(words: tuple[Any, ...]) -> str:
    return " ".join(map(str, words))


def _speaking(host: Engine, name: str) -> Function:
    def say(*words: Any, **_options: Any) -> str:
        host.note(name, _sentence(words))
        return ""

    return Function(name, say)


def _deprecated(host: Engine, function: Function, space: str) -> Function:
    def call(budget: Budget, *values: Any, **named: Any) -> Any:
        name = function.name
        host.note("warning", f"Using {name}() directly is deprecated. Use {space}.{name}() instead.")
        return budget.call(function, *values, **named)

    return Function(function.name, call, pays=True)


def eval_names(arguments: Mapping[str, Any], substitutions: Mapping[str, Callable[..., Any]]) -> Names:
    """Return the names in a `$(eval …)`: functions first, then arguments with their values converted.

    substitutions: `env`, `arg`, `find` and the like by name.
    """
    known = {
        **MATHEMATICS,
        **{name: FUNCTIONS[name] for name in IN_EVAL},
        "true": True,
        "false": False,
        "True": True,
        "False": False,
        **{name: _of_texts(name, function) for name, function in substitutions.items()},
    }

    def value(name: str) -> Any:
        if name in known:
            return known[name]
        if name in arguments:
            return arguments[name]
        raise NameError(f"name {name!r} is not defined")

    return value


def _of_texts(name: str, function: Callable[..., Any]) -> Function:
    return Function(name, lambda *texts: function(*map(str, texts)))


def names_in(symbols: Any, table: type) -> Names:
    """Return the names in a symbol table of the xacro package. table: the class of such tables."""

    def value(name: str) -> Any:
        try:
            return _shown(name, symbols[name], table)
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None

    return value


def _shown(name: str, value: Any, table: type) -> Any:
    """Return a value of a symbol table; a nested table, from an include with `ns`, as a name space."""
    if not isinstance(value, table):
        return value
    entries: Any = value
    return NameSpace(name, lambda inner: _shown(f"{name}.{inner}", entries[inner], table), entries)


def is_valid_name(name: str) -> bool:
    """Return whether an expression can use a property of this name."""
    return name.isidentifier() and not iskeyword(name) and unicodedata.normalize("NFKC", name) == name
