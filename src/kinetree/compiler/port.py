"""Inputs and outputs of kernels."""

import warnings
from collections import namedtuple
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.arrays import as_numpy
from kinetree.compiler.program import Program
from kinetree.display import Brief, shortened
from kinetree.errors import fail, wrong_type
from kinetree.labels import by_name, check_rows


class Tangent(NamedTuple):
    """Coordinates of motions of an array with other coordinates, such as a quaternion.

    shape (n,) and labels of a motion v. rates: from the array and v to the rates of its entries, linear in v.
    """

    shape: tuple[int, ...]
    labels: tuple[str, ...]
    rates: Program


@dataclass(frozen=True, slots=True, repr=False)
class Port(Brief):
    """One argument of a kernel, or its result.

    shape: of a single one; a batch has axes in front of it. labels: what the entries along the last axis are, in
    order, where they have names. about: units and frames. rows: names along the axis in front of the last. codes: of an
    entry whose numbers 0, 1, … have names its label, or the port's name if it has no labels, and these names. tangent:
    coordinates of its motions, where these are others than its own.
    """

    name: str
    shape: tuple[int, ...]
    labels: tuple[str, ...] = ()
    about: str = ""
    rows: tuple[str, ...] = ()
    codes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tangent: Tangent | None = None

    def __str__(self) -> str:
        about = f" [{shortened(self.about, 200)}]" if self.about else ""
        return f"{self.name} (…{''.join(f', {n}' for n in self.shape)}){about}"


RESULTS = "results"
"""Name of the port of several outputs in one array."""


def flat_port(ports: Sequence[Port]) -> Port:
    """Return the port of several outputs in one array: the entries of the first, then those of the second, …"""
    if len(ports) == 1:
        return ports[0]
    about = "; ".join(f"[{at.start}:{at.stop}] {port.name}" for port, at in zip(ports, spans(ports), strict=True))
    return Port(RESULTS, (spans(ports)[-1].stop,), (), about)


def spans(ports: Sequence[Port]) -> list[slice]:
    """Return the place of each port's entries in one array that has them all."""
    return [slice(*edges) for edges in pairwise(accumulate((prod(port.shape) for port in ports), initial=0))]


def flat_results(ports: Sequence[Port], function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the arrays that a function returns, one a port, as one flat array."""
    arrays = [np.asarray(array, dtype=object) for array in function(*arguments)]
    assert [array.shape for array in arrays] == [port.shape for port in ports], "each output has its port's shape"
    return np.concatenate([array.ravel() for array in arrays])


def split(ports: Sequence[Port], function: Callable[..., NDArray[Any]]) -> Callable[..., Any]:
    """Return a function that returns, of the flat result (…, total) of `function`, a named tuple of views, each
    (…, *shape) of its port; for one port it is `function` itself."""
    if len(ports) == 1:
        return function
    kind, shapes = result_type(tuple(port.name for port in ports)), [port.shape for port in ports]
    pick, new = itemgetter(*[(..., at) for at in spans(ports)]), tuple.__new__
    if {*map(len, shapes)} == {1}:  # without a function in between, because a call takes less than a microsecond
        return lambda *inputs, **options: new(kind, pick(function(*inputs, **options)))

    def call(*inputs: Any, **options: Any) -> Any:
        flat = function(*inputs, **options)
        batch = flat.shape[:-1]
        return kind._make([part.reshape(batch + shape) for part, shape in zip(pick(flat), shapes, strict=True)])

    return call


_result_types: dict[tuple[str, ...], Any] = {}


def result_type(names: tuple[str, ...]) -> Any:
    """Return the named tuple with these fields, one type in all threads; what it makes can be pickled."""
    if names not in _result_types:
        make: Any = namedtuple
        kind = make("Results", names)
        kind.__reduce__ = lambda self: (_results, (names, *self))
        return _result_types.setdefault(names, kind)
    return _result_types[names]


def _results(names: tuple[str, ...], *values: Any) -> Any:
    return result_type(names)(*values)


def checked(
    name: str, ports: Sequence[Port], values: Sequence[Any], named: Mapping[str, Any], dtype: DTypeLike | None = None
) -> tuple[list[NDArray[Any]], tuple[int, ...]]:
    """Return the arguments, given by position or by name, as arrays of real numbers, and the shape of their batch.

    Tables and the like are taken by name (`labels`), and arrays of other libraries are read (`arrays`). dtype: of the
    arrays, by default as they are given. Raises KinetreeError for other shapes, other numbers,
    and batches that do not broadcast.
    """
    if named or len(values) != len(ports):
        values = _in_order(name, [port.name for port in ports], values, named)
    arrays = [_checked(port, value) for port, value in zip(ports, values, strict=True)]
    arrays = arrays if dtype is None else [cast(array, dtype) for array in arrays]
    if len(arrays) == 1:
        return arrays, arrays[0].shape[: arrays[0].ndim - len(ports[0].shape)]
    if any(type(value) is not np.ndarray for value in values):
        named = {port.name: value for port, value in zip(ports, values, strict=True)}
        check_rows(named, {port.name: port.rows + port.labels for port in ports})
    shapes = [a.shape[: a.ndim - len(port.shape)] for a, port in zip(arrays, ports, strict=True)]
    try:
        return arrays, np.broadcast_shapes(*shapes)
    except ValueError:
        got = " and ".join(f"{port.name} {a.shape}" for port, a in zip(ports, arrays, strict=True))
        message = f"{got} do not go together; expected axes in front that are the same, of length 1 or left out"
        raise fail("batch-shape", message) from None


def _in_order(name: str, names: Sequence[str], values: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any]:
    given = [*values, *(named[port] for port in names[len(values) :] if port in named)]
    if len(given) != len(names) or named.keys() - set(names[len(values) :]):
        got = ", ".join([f"{len(values)} array{'s' * (len(values) != 1)}", *named])
        lost = [port for port in names[len(values) :] if port not in named]
        missing = f": {' and '.join(lost)} {'is' if len(lost) == 1 else 'are'} missing" if lost else ""
        message = f"{name} takes {', '.join(names)}, and out=, dtype= and threads=; not {got}{missing}"
        raise wrong_type("arguments", message)
    return given


def checked_out(out: Any, batch: tuple[int, ...], port: Port) -> None:
    """Raise KinetreeError for an array that the result (*batch, *port.shape) cannot be written into."""
    shape = f"{batch + port.shape}{f', with {port.about}' if port.name == RESULTS else ''}"
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
        raise fail("out", f"out is a {type(out).__name__}; expected an array of shape {shape}")
    if out.shape != batch + port.shape:
        raise fail("out-shape", f"out has shape {out.shape}, the result {shape}")
    if out.dtype.kind not in "fc":
        raise wrong_type("out", f"the result cannot be cast to out, which holds {out.dtype}; expected float64")
    if not out.flags.writeable:
        raise fail("out", "out is read-only")
    if _is_overlapping(out):
        raise fail("out", "entries of out share memory, so that they cannot differ; expected an array of its own")


def _is_overlapping(array: NDArray[Any]) -> bool:
    """Return whether entries may share memory: an axis steps less far than those inside it reach."""
    reach = array.itemsize
    for step, count in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step < reach:
            return array.size > 0
        reach += step * (count - 1)
    return False


USUAL = (float, np.float64, np.float32, np.dtype(np.float64), np.dtype(np.float32))
"""Types that every kernel takes. Others are read while warnings are off, which is one setting for all threads."""


def legal_type(dtype: DTypeLike, legal: Collection[object]) -> np.dtype[Any]:
    """Return a dtype. Raises KinetreeError for one that is not among `legal`."""
    if any(dtype is usual for usual in USUAL):  # such a call changes nothing that threads share
        return np.dtype(dtype)
    named = f"expected one of {', '.join(map(str, legal))}"
    with warnings.catch_warnings(action="ignore"):  # some names of types are deprecated, and none of those is legal
        try:
            number = np.dtype(dtype)
        except Exception:  # NumPy raises whatever reading such a thing raises
            raise wrong_type("dtype", f"dtype is {str(dtype)[:60]!r}; {named}") from None
    if number not in legal:
        raise wrong_type("dtype", f"dtype is {number}; {named}")
    return number


def cast(array: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of real numbers in another precision; what is too large for it is infinite."""
    with np.errstate(over="ignore"):
        return array.astype(dtype, copy=False)


def _checked(port: Port, value: Any) -> NDArray[Any]:
    value = by_name(value, port.labels, port.name, len(port.shape), _legal(port), port.rows)
    value = as_numpy(value, port.name)
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths, or an array of a library that keeps its numbers
        raise fail(f"{port.name}-shape", f"{port.name} is not an array of numbers; {_legal(port)}") from None
    if isinstance(value, np.ma.MaskedArray):
        raise fail(f"{port.name}-number", f"{port.name} is a masked array, and its mask would be lost; {_legal(port)}")
    if array.dtype.kind not in "fiu":
        raise fail(f"{port.name}-number", f"{port.name} has entries of type {array.dtype}; {_legal(port)}")
    if array.ndim < len(port.shape) or array.shape[array.ndim - len(port.shape) :] != port.shape:
        raise fail(f"{port.name}-shape", f"{port.name} has shape {array.shape}; {_legal(port)}")
    return array


def _legal(port: Port) -> str:
    text = f"expected real numbers of shape (…, {', '.join(map(str, port.shape))})"
    text += f", in this order: {', '.join(port.labels)}" if port.labels else ""
    return text + (f"; rows: {', '.join(port.rows)}" if port.rows else "")
