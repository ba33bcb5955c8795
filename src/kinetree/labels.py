"""Arrays with names: tables, series and records of pandas, xarray, polars, Arrow and NumPy, and mappings.

Their numbers are taken by name, whatever their order, or refused; never by position. The libraries are recognised by
their attributes and not imported. Labels 0, 1, 2 … are positions, not names.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import KinetreeError, fail, shortened, wrong_type

Axes: TypeAlias = tuple[NDArray[Any] | None, ...]
"""Labels of the entries along each axis of an array; None if they are positions."""
MOST_SHOWN = 8


def has_names(value: Any) -> bool:
    """Return whether the entries of a value have names, or labels of another kind."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype.names is not None
    if kind is list or kind is tuple:
        return any(has_names(one) for one in {type(one): one for one in value}.values())
    return kind not in (float, int) and _labelled(value) is not None


def by_name(
    value: Any,
    labels: Sequence[str],
    what: str,
    core: int = 1,
    legal: str = "it is read by position",
    rows: Sequence[str] = (),
) -> Any:
    """Return an array (…, n) of the numbers of `value` in the order of `labels` (n,) if it has names, else the value.

    labels: () if the entries have no names; then a value with names is refused. what: the value in messages. core:
    number of axes of a single value; the labels of the axes in front of them do not matter. legal: the end of the
    message, without labels. rows: names along the axis in front of the last one, in order; then the result is
    (…, k, n). Raises KinetreeError for names that are missing, unknown or repeated, and for labels that are not names.
    """
    if not has_names(value):
        return value
    if type(value) in (list, tuple):
        return _stacked([by_name(one, labels, what, core, legal, rows) for one in value], 0, what)
    sides = [*[()] * (core - 2), rows, labels][-core:]
    if rows and isinstance(value, Mapping) and not _is_table(value):
        side = _side(_flat([*value]), sides)
        other = () if side is None else sides[side - 1]
        value = {name: by_name(part, other, what) if other else part for name, part in value.items()}
    axes, array = _read(value, what)
    sides = sides[-len(axes) :]
    found, places = [_side(names, sides) for names in axes], []
    for side in reversed(range(len(sides))):
        own = [i for i, one in enumerate(found) if one == side]
        own = own or [i for i, one in enumerate(found) if one is None and i not in places][-1:]
        places += own[:1]
        names = [name for i in own for name in _listed(axes[i])]
        if len(own) > 1 or (names and len({*sides[side]}) < max(1, len(sides[side]))):
            raise _refused(
                f"{what} has names on its axes: {_some(names)}", sides[side] if len(own) > 1 else (), legal, what
            )
        if own and axes[own[0]] is not None:
            array = np.take(array, _order(names, sides[side], what, legal), axis=own[0])
    return np.moveaxis(array, places, range(-1, -1 - len(places), -1))


def _side(names: NDArray[Any] | None, sides: Sequence[Sequence[str]]) -> int | None:
    """Return the place of that of several lists of names of which an axis has the largest part; None without any."""
    parts = [len({*side} & {*_listed(names)}) / max(1, len(side)) if _has_some(names, side) else 0.0 for side in sides]
    return parts.index(max(parts)) if any(parts) else None


def _order(names: Sequence[Any], labels: Sequence[str], what: str, legal: str) -> list[int]:
    """Return the place of each label among names. Raises KinetreeError unless each is there once, and no other."""
    places, known = {name: k for k, name in enumerate(names)}, set(labels)
    faults = (
        ("lacks", [name for name in labels if name not in places]),
        ("has the unknown names", [name for name in names if name not in known]),
        ("has more than once", [name for k, name in enumerate(names) if places[name] != k]),
    )
    wrong = [f"{fault} {_some(those)}" for fault, those in faults if those]
    if wrong:
        raise _refused(f"{what} {' and '.join(wrong)}", labels, legal, what)
    return [places[name] for name in labels]


def check_rows(values: Mapping[str, Any], labels: Mapping[str, Sequence[str]]) -> None:
    """Raise KinetreeError if the rows of two values have different labels, such as other times.

    labels: the names of the entries of each value, which are not those of its rows.
    """
    seen: dict[str, list[NDArray[Any]]] = {}
    for what, value in values.items():
        axes = None if type(value) in (list, tuple) or not has_names(value) else _read(value, what)[0]
        rows = [names for names in axes or () if names is not None and not _has_some(names, labels[what])]
        for other, before in seen.items() if rows else ():
            if len(rows) == len(before) and any(not np.array_equal(*pair) for pair in zip(rows, before, strict=True)):
                message = f"the rows of {other} and {what} have different labels"
                raise fail("rows", message, fix="bring the rows into one order first, or give plain arrays")
        if rows:
            seen[what] = rows


def entries(value: Any, what: str) -> dict[Any, Any]:
    """Return the numbers of one configuration by name. Raises KinetreeError if they have no names, or are several."""
    if isinstance(value, Mapping) and not _is_table(value):
        return dict(value)
    if type(value) in (list, tuple) or not has_names(value):
        raise wrong_type("q", f"{what} is {shortened(repr(value), 60)}; expected a mapping of joint names to values")
    axes, array = _read(value, what)
    named = [names for names in axes if names is not None]
    if array.ndim == 2 and array.shape[0] == 1 and axes[-1] is not None:
        array, named = array[0], [axes[-1]]
    if array.ndim != 1 or len(named) != 1:
        raise fail("q", f"{what} has shape {array.shape}; expected the joints of one configuration, by name")
    names = named[0].tolist()
    if len(set(names)) < len(names):
        raise fail("q", f"{what} has a name more than once")
    return dict(zip(names, array.tolist(), strict=True))


def column_names(value: Any) -> list[Any] | None:
    """Return the names of the columns of a table, a record array or a mapping, None if the value has no names."""
    if hasattr(type(value), "keys"):
        return list(value.keys())
    labels, _ = _labelled(value) or ((), None)
    return None if not labels or labels[-1] is None else list(labels[-1])


def _is_table(value: Any) -> bool:
    """Return whether a mapping is a data set of xarray, whose values have axes of their own."""
    return hasattr(type(value), "to_dataarray")


def _read(value: Any, what: str) -> tuple[Axes, NDArray[Any]]:
    labels, numbers = _labelled(value) or ((), lambda: np.asarray(value))
    parts = numbers()
    array = parts if isinstance(parts, np.ndarray) else _stacked(parts, -1, what)
    axes = [None] * (array.ndim - len(labels)) + [None if names is None else _flat(names) for names in labels]
    return tuple(None if names is None or _counts(names) else names for names in axes), array


def _labelled(value: Any) -> tuple[Sequence[Any], Callable[[], Any]] | None:
    """Return the labels of the last axes, and a function that returns an array, or the numbers of each name; None
    without labels."""
    if _is_table(value):
        value = value.to_dataarray()
    kind = type(value)
    if isinstance(value, Mapping):
        return [list(value)], lambda: list(value.values())
    if hasattr(kind, "_fields"):  # named tuples
        return [list(value._fields)], lambda: list(value)
    if hasattr(kind, "dims") and hasattr(kind, "coords"):  # xarray
        return [value.coords[d].values if d in value.coords else None for d in value.dims], lambda: np.asarray(value)
    if hasattr(kind, "column_names"):  # Arrow
        return [list(value.column_names)], lambda: list(value.columns)
    if hasattr(kind, "columns"):  # pandas, polars
        return [getattr(value, "index", None), list(value.columns)], lambda: np.asarray(value)
    if names := getattr(getattr(value, "dtype", None), "names", None):
        return [list(names)], lambda: [value[name] for name in names]
    if hasattr(kind, "index") and not callable(kind.index):  # a series of pandas
        return [value.index], lambda: np.asarray(value)
    return None


def _stacked(parts: Sequence[Any], axis: int, what: str) -> NDArray[Any]:
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise fail("names", f"{what} has masked arrays, and their masks would be lost; expected NaN in their places")
    try:
        return np.stack(np.broadcast_arrays(*map(np.asarray, parts)), axis) if parts else np.zeros(0)
    except (TypeError, ValueError):
        raise fail("names", f"{what} has parts of different lengths; expected as many numbers for each name") from None


def _has_some(names: NDArray[Any] | None, labels: Sequence[str]) -> bool:
    """Return whether some of the labels of an axis are among these."""
    return names is not None and names.dtype.kind not in "biufmM" and not set(labels).isdisjoint(names.tolist())


def _listed(names: NDArray[Any] | None) -> list[Any]:
    return [] if names is None else names.tolist()


def _flat(names: Any) -> NDArray[Any]:
    """Return labels as an array (n,), also if they are tuples."""
    if not isinstance(names, list):
        return np.asarray(names)
    made = np.empty(len(names), object)
    made[:] = names
    return made


def _counts(names: NDArray[Any]) -> bool:
    """Return whether labels are 0, 1, 2 …"""
    is_whole = names.dtype.kind in "iu" or (names.dtype.kind == "O" and all(type(n) is int for n in names))
    return is_whole and np.array_equal(names, np.arange(len(names)))


def _refused(message: str, labels: Sequence[str], legal: str, what: str) -> KinetreeError:
    legal = f"expected {_some(labels)}, each once, in any order" if labels else legal
    fix = "give the numbers without names, in the order that is meant"
    if labels:
        fix = "give one value for each of these names, and for no other"
        if what in ("q", "q0", "prefer"):
            fix = "select the names that are meant; `robot.q(…)` leaves joints without a value neutral"
    return fail("names", f"{message}; {legal}", fix=fix)


def _some(names: Any) -> str:
    shown = ", ".join(repr(n) if isinstance(n, str) else shortened(str(n), 40) for n in [*names][:MOST_SHOWN])
    return shown + (f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else "")
