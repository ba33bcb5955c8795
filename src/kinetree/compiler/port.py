"""What a kernel takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kinetree.errors import fail


@dataclass(frozen=True, slots=True)
class Port:
    """One argument of a kernel, or its result.

    shape: of a single one; a batch has axes in front of it. labels: what the entries along the last axis are, in
    order, where they have names. about: units and frames, for people.
    """

    name: str
    shape: tuple[int, ...]
    labels: tuple[str, ...] = ()
    about: str = ""


def checked(name: str, ports: Sequence[Port], values: Sequence[Any], dtype: DTypeLike) -> list[NDArray[Any]]:
    """The arguments as arrays of real numbers of the right shapes."""
    if len(values) != len(ports):
        names = ", ".join(port.name for port in ports)
        raise TypeError(f"{name} takes {len(ports)} arrays ({names}), not {len(values)}")
    return [_checked(port, value, dtype) for port, value in zip(ports, values, strict=True)]


def _checked(port: Port, value: Any, dtype: DTypeLike) -> NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise fail(f"{port.name}-shape", f"{port.name} is not an array of numbers; {_legal(port)}") from None
    if isinstance(value, np.ma.MaskedArray):
        raise fail(f"{port.name}-number", f"{port.name} is a masked array, and its mask would be lost; {_legal(port)}")
    if array.dtype.kind not in "fiu":
        raise fail(f"{port.name}-number", f"{port.name} has entries of type {array.dtype}; {_legal(port)}")
    if array.ndim < len(port.shape) or array.shape[array.ndim - len(port.shape) :] != port.shape:
        raise fail(f"{port.name}-shape", f"{port.name} has shape {array.shape}; {_legal(port)}")
    return array.astype(dtype, copy=False)


def _legal(port: Port) -> str:
    text = f"legal are real numbers of shape (…, {', '.join(map(str, port.shape))})"
    return text + (f", in this order: {', '.join(port.labels)}" if port.labels else "")
