"""Fields of an element of a robot as JSON values by path, such as "limits.0.velocity", and back."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from functools import cache
from math import isnan
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from kinetree.model.robot import Extension, Geometry, Inertial
from kinetree.spatial.numbers import ROUNDED, judged
from kinetree.spatial.se3 import Array, frozen

Leaves = dict[str, Any]
Changes = Mapping[tuple[str, ...], Any]
INSIDE: Mapping[type, tuple[str, ...]] = {
    Geometry: ("name", "material", "extensions", "surface"),
    Inertial: ("inertia", "origin"),
}
"""Fields of parts of elements; a part that is not listed has all. Shapes and their places are only in the file."""
MAX_ADDED = 100
"""Most items by which a list may grow."""
ARRAYS = {"inertia": (3, 3), "origin": (4, 4), "child_origin": (4, 4)}
"""Shapes of the arrays, by field."""


def leaves(thing: Any, names: Collection[str], own_format: str | None = None) -> Leaves:
    """Return the values of some fields of an element that differ from the fields' defaults, by path.

    own_format: the format whose extensions are left out, because a file of that format contains them.
    """
    return dict(_leaves(thing, names, own_format, ""))


def _leaves(thing: Any, names: Collection[str], own_format: str | None, path: str) -> Iterator[tuple[str, Any]]:
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.name == "source" or (names and field.name not in names) or _is_default(field, value):
            continue
        at = path + field.name
        if is_dataclass(value):
            yield from _leaves(value, INSIDE.get(type(value), ()), own_format, f"{at}.")
        elif isinstance(value, (tuple, list)) and value and isinstance(value[0], Extension):
            for i, extension in enumerate(value):
                if extension.format != own_format:
                    yield f"{at}.{i}", [extension.format, extension.tag, extension.text]
        elif isinstance(value, tuple) and value and is_dataclass(value[0]):
            for i, item in enumerate(value):
                yield from _leaves(item, INSIDE.get(type(item), ()), own_format, f"{at}.{i}.")
        else:
            yield at, _plain(value)


def _is_default(field: Field[Any], value: Any) -> bool:
    default = _default(field)
    if isinstance(value, np.ndarray):
        return isinstance(default, np.ndarray) and np.array_equal(value, default)
    return default is not MISSING and bool(value == default)


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def changed(kind: Any, value: Any, changes: Changes) -> Any:
    """Return a value of a type with the changes at its paths; null stands for a field's default, and where a field has
    none, for no value at all.

    value: None if it is to be made. Raises ValueError or TypeError for data that do not fit.
    """
    if () in changes:
        return decoded(kind, changes[()])
    kind = _given(kind)
    if get_origin(kind) is tuple:
        return _list_changed(get_args(kind)[0], [*(value or ())], changes)
    if not isinstance(kind, type) or not is_dataclass(kind):
        raise ValueError(f"there is no part {'.'.join(next(iter(changes)))!r}")
    hints, known = _types(kind), {field.name: field for field in fields(kind)}
    made = {}
    for name, more in _by_first(changes).items():
        if name not in known:
            raise ValueError(f"there is no field {name!r}")
        if more == {(): None}:
            if (default := _default(known[name])) is MISSING:
                return None
            made[name] = default
        elif () in more and name in ARRAYS:
            made[name] = _array(more[()], ARRAYS[name])
        else:
            made[name] = changed(hints[name], None if value is None else getattr(value, name), more)
            if made[name] is None and NoneType not in get_args(hints[name]):
                raise ValueError(f"there is no {name!r}")
    return kind(**made) if value is None else replace(value, **made)


def _list_changed(kind: Any, items: list[Any], changes: Changes) -> tuple[Any, ...]:
    by_index = {int(index): more for index, more in _by_first(changes).items()}
    for index in sorted(by_index):
        if not 0 <= index < len(items) + MAX_ADDED:
            raise ValueError(f"there is no item {index}")
        if kind is Extension:
            format, tag, text = decoded(tuple[str, str, str], by_index[index].get(()))
            items.insert(index, Extension(format, tag, text))
            continue
        while len(items) <= index:
            items.append(kind())
        items[index] = changed(kind, items[index], by_index[index])
        if items[index] is None:
            raise ValueError(f"there is no item {index}")
    return tuple(items)


def _by_first(changes: Changes) -> dict[str, dict[tuple[str, ...], Any]]:
    found: dict[str, dict[tuple[str, ...], Any]] = {}
    for path, value in changes.items():
        found.setdefault(path[0], {})[path[1:]] = value
    return found


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _given(kind: Any) -> Any:
    """Return the type of values that are not None."""
    others = [other for other in get_args(kind) if other is not NoneType]
    return others[0] if NoneType in get_args(kind) else kind


def decoded(kind: Any, data: Any) -> Any:
    """Return JSON data as a value of a type. Raises ValueError if they do not fit."""
    kind = _given(kind)
    origin, inner = get_origin(kind), get_args(kind)
    if kind is float and isinstance(data, (int, float)) and not isinstance(data, bool) and not isnan(data):
        return float(data)
    if kind is str and isinstance(data, str):
        return data
    if origin is Literal and data in inner:
        return data
    if origin is tuple and isinstance(data, list):
        kinds = [inner[0]] * len(data) if inner[-1] is ... else [*inner]
        return tuple(decoded(one, item) for one, item in zip(kinds, data, strict=True))
    if origin is not None and isinstance(data, dict) and len(inner) == 2:
        return {decoded(inner[0], key): decoded(inner[1], item) for key, item in data.items()}
    raise ValueError(f"{str(data)[:40]!r} does not fit here")


def _array(data: Any, shape: tuple[int, int]) -> Array:
    array = np.asarray(data, dtype=float)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"it needs an array of shape {shape}")
    if shape == (4, 4):
        array, off = judged(array)
        if not off <= ROUNDED:
            raise ValueError("it needs a pose")
    return frozen(array)
