"""Arrays of other libraries: tensors of PyTorch, arrays of JAX, and all objects that speak DLPack.

They are read without a copy, and results are given back as arrays of the same library, without a copy too. The
libraries are recognised by their methods and not imported.
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, is_dataclass, replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinetree.errors import fail, shortened, wrong_type

P = ParamSpec("P")
S = TypeVar("S")
V = TypeVar("V")

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
IN_MEMORY = (1, 3)
"""Devices of DLPack whose memory the processor can read: its own, and what CUDA has pinned there."""
_PLAIN = (type(None), bool, int, float)
_NUMBERS = (float, int, np.integer, str, type(None))


def is_foreign(value: Any) -> bool:
    """Return whether a value is an array of another library than NumPy."""
    return hasattr(type(value), "__dlpack__") and not isinstance(value, (np.ndarray, np.generic))


def as_numpy(value: Any, what: str) -> Any:
    """Return an array of another library as one of NumPy in the same memory, and other values as they are.

    what: its name in messages. Raises KinetreeError for an array on another device, for one whose gradients are
    recorded, and for one whose numbers NumPy cannot read.
    """
    if not is_foreign(value):
        return value
    library = _library(value)
    if getattr(value, "requires_grad", False) is True:
        message = f"{what} requires grad, but gradients are not recorded here"
        raise fail("array-grad", message, fix=f"use kinetree.bridges.torch.wrap, or give {what}.detach()")
    device = _device(value)
    if device is not None and device not in IN_MEMORY:
        name = getattr(value, "device", f"number {device} of DLPack")
        raise fail("array-device", f"{what} is on the device {name}; expected arrays in the processor's own memory")
    try:
        return np.asarray(value) if hasattr(type(value), "__array__") else np.from_dlpack(value)
    except Exception as fault:  # each library raises errors of its own
        text = shortened(str(fault).partition("\n")[0], 200)
        fix = f"inside of transformations, use kinetree.bridges.{library}.wrap" if library else None
        message = f"{what} is a {type(value).__name__} that cannot be read as an array of numbers: {text}"
        raise fail("array", message, fix=fix) from None


def as_out(out: Any) -> Any:
    """Return an array of another library, for results, as one of NumPy in the same memory, and other values as they
    are. Raises KinetreeError as `as_numpy` does, and for arrays that cannot be written."""
    if not is_foreign(out):
        return out
    if _library(out) == "jax":
        raise fail("out", "out is an array of JAX, which cannot be changed; expected arrays of NumPy and tensors")
    return as_numpy(out, "out")


def _library(value: Any) -> str:
    """Return "torch" or "jax" for an array of this library, also of a class derived from its own; else ""."""
    roots = [kind.__module__.partition(".")[0] for kind in type(value).__mro__]
    return "torch" if "torch" in roots else "jax" if {"jax", "jaxlib"} & {*roots} else ""


def _device(value: Any) -> int | None:
    """Return the kind of the device of an array, as DLPack numbers them; None if it is unknown."""
    try:
        return int(value.__dlpack_device__()[0])
    except Exception:  # what is traced or lazy has none
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Kind of the arrays that a caller gives. like: an array of another library, or None; single: whether all are in
    single precision."""

    like: Any
    single: bool

    def give(self, result: NDArray[Any]) -> Any:
        """Return a result as an array of the same library."""
        if self.like is None:
            return result
        if not result.flags.writeable:
            result = result.copy()  # DLPack cannot say that an array must not be changed
        if _library(self.like) == "torch":
            return sys.modules["torch"].from_numpy(result)
        if hasattr(self.like, "__array_namespace__"):
            # JAX takes no slices of larger arrays
            return self.like.__array_namespace__().from_dlpack(np.ascontiguousarray(result))
        return result

    def give_all(self, result: Any) -> Any:
        """Return a result, or a record whose public fields are results, with arrays of this kind."""
        if isinstance(result, np.ndarray):
            with np.errstate(over="ignore"):
                return self.give(result.astype(SINGLE) if self.single and result.dtype == DOUBLE else result)
        if not is_dataclass(result) or isinstance(result, type):
            return result
        fields = {name: getattr(result, name) for name in result.__dataclass_fields__ if name[0] != "_"}
        return replace(result, **{n: self.give_all(x) for n, x in fields.items() if isinstance(x, np.ndarray)})


def kind_of(values: Iterable[Any]) -> Kind | None:
    """Return the kind of the arrays among the values, None for arrays of NumPy in double precision.

    Lists and tables count as double precision; numbers, texts and functions do not count. Raises KinetreeError for
    arrays of two libraries.
    """
    like, types = None, []
    for value in values:
        if is_foreign(value):
            if like is not None and _library(value) != _library(like):
                raise wrong_type("arrays", f"{type(like).__name__} and {type(value).__name__} are of two libraries")
            like = value
            types.append(str(getattr(value, "dtype", "")).rpartition(".")[2])
        elif not isinstance(value, _NUMBERS) and not callable(value):
            types.append(str(getattr(value, "dtype", "")))
    single = {*types} == {"float32"}
    return Kind(like, single) if single or like is not None else None


def as_given(function: Callable[Concatenate[S, P], V]) -> Callable[Concatenate[S, P], V]:
    """Return the method with arrays of other libraries as arguments and results, and results in single precision if all
    arrays are. It is called with arrays of NumPy and computes in double precision."""
    wrapped: Callable[Concatenate[S, P], V] = _as_given(function, lambda self, result: result)
    return wrapped


def as_given_by(
    rounded: Callable[[Any, Any], Any],
) -> Callable[[Callable[Concatenate[S, P], V]], Callable[Concatenate[S, P], V]]:
    """Return `as_given` for a method whose result in single precision is that of rounded(self, result)."""
    return lambda function: _as_given(function, rounded)


def _as_given(function: Any, rounded: Callable[[Any, Any], Any]) -> Any:
    @wraps(function)
    def call(self: Any, *values: Any, **named: Any) -> Any:
        for value in (*values, *named.values()):
            if value.dtype is not DOUBLE if type(value) is np.ndarray else not isinstance(value, _NUMBERS):
                break
        else:
            return function(self, *values, **named)
        return _converted(function, rounded, self, values, named)

    return call


def _converted(function: Any, rounded: Any, self: Any, values: Any, named: Any) -> Any:
    kind = kind_of([*values, *named.values()])
    if kind is None:
        return function(self, *values, **named)
    values = [as_numpy(value, "an argument") for value in values]
    named = {name: as_numpy(value, name) for name, value in named.items()}
    found = function(self, *values, **named)
    return kind.give_all(rounded(self, found) if kind.single else found)
