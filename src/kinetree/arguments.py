"""Errors for arguments of the wrong type, explained by the annotations of the function.

Nothing is checked beforehand, so calls that succeed cost nothing more. If a call fails, its arguments are compared with
the annotations and the first misfit becomes the error; if all fit, the original exception is raised.
"""

import os
import types
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from typing import Any, Literal, ParamSpec, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from kinetree.errors import KinetreeError, fail, warn, wrong_type

P = ParamSpec("P")
V = TypeVar("V")

_PLAIN = {str: "a text", bool: "True or False", type(None): "None", Any: "anything", object: "anything"}
FAULTS = (TypeError, ValueError, AttributeError, ArithmeticError, LookupError)
"""Errors that an argument of the wrong type may cause."""


class Arguments:
    """Base of records of arguments: where a call with one fails, its fields are compared with their annotations."""

    def over(self, other: Self) -> Self:
        """Return these arguments, with those of another record where these are not given; mappings name by name."""
        given = vars(other)
        return type(self)(**{name: _over(value, given[name]) for name, value in vars(self).items()})


def _over(value: Any, other: Any) -> Any:
    if isinstance(value, Arguments):
        return value.over(other)
    return {**other, **value} if value and other and isinstance(value, Mapping) else value or other


def as_names(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; a text is a single name."""
    return (names,) if isinstance(names, str) else tuple(names)


def renamed(name: str, value: Any, old: str, given: Any) -> Any:
    """Return the value of an argument; one that is given under its old name causes a DeprecationWarning."""
    if given is None:
        return value
    if value is not None:
        raise fail("option", f"{old}= is the old name of {name}=; expected one of them")
    warn(f"{old}= is deprecated, removed in 0.4; use {name}=", DeprecationWarning)
    return given


def explain_type_errors(function: Callable[P, V]) -> Callable[P, V]:
    """Return the function with a KinetreeError, also a TypeError, for arguments that do not fit the annotations."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> V:
        try:
            return function(*args, **kwargs)
        except FAULTS as fault:
            raise_misfit(function, args, kwargs, fault)
            raise

    return call


def raise_misfit(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], fault: Exception
) -> None:
    """Raise a KinetreeError, also a TypeError, for an argument that caused this fault, if one does not fit."""
    if not isinstance(fault, KinetreeError) and (misfit := _first_misfit(function, args, kwargs)):
        name, value, hint = misfit
        message = f"{name} is {_short(value)}; expected {_described(hint)}"
        raise wrong_type(name.replace("_", "-"), message) from fault


def _first_misfit(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[str, Any, Any] | None:
    try:
        given = signature(function).bind(*args, **kwargs).arguments
        hints = get_type_hints(function)
    except (TypeError, NameError):  # wrong names or numbers of arguments: Python explains these
        return None
    for name, value in given.items():
        if isinstance(value, Arguments) and (misfit := _first_misfit(type(value), (), vars(value))):
            return misfit
        kind = signature(function).parameters[name].kind
        values = value if kind is Parameter.VAR_POSITIONAL else value.values() if kind is Parameter.VAR_KEYWORD else ()
        for one in values if kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) else (value,):
            if name in hints and not _fits(one, hints[name]):
                return name, one, hints[name]
    return None


def _fits(value: Any, hint: Any) -> bool:
    """Return whether a value fits an annotation; unknown annotations fit everything."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if hint is float:
        return isinstance(value, Real) and _is_float(value)
    if hint is int:
        return isinstance(value, Integral)
    if origin is tuple:
        return isinstance(value, tuple | list)
    if not isinstance(origin or hint, type):
        return True
    try:
        if not isinstance(value, origin or hint):
            return False
    except TypeError:  # some annotations are for type checkers alone
        return True
    if issubclass(origin or hint, Mapping) and len(inner) == 2:
        return all(_fits(key, inner[0]) and _fits(one, inner[1]) for key, one in value.items())
    if origin is not None and issubclass(origin, Iterable) and len(inner) == 1:
        return not isinstance(value, bytes) and (not hasattr(value, "__len__") or _each_fits(value, inner[0]))
    return not isinstance(value, os.PathLike) or "\0" not in str(value)


def _each_fits(values: Any, hint: Any) -> bool:
    try:
        return all(_fits(one, hint) for one in values)
    except TypeError:  # an array without axes
        return False


def _is_float(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _described(hint: Any) -> str:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_described, inner)))
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if hint in _PLAIN:
        return _PLAIN[hint]
    if hint in (float, int):
        return "a number" if hint is float else "a whole number"
    kind = origin or hint
    if kind is os.PathLike:
        return "a path"
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return f"a mapping of {_described(inner[0])} to {_described(inner[1])}" if len(inner) == 2 else "a mapping"
    if isinstance(kind, type) and issubclass(kind, Iterable) and inner:
        return f"a list, each {_described(inner[0])}"
    return f"a {getattr(kind, '__name__', kind)}"
