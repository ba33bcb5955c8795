"""Machine code as Python functions and NumPy ufuncs, through NumPy's C API with ctypes; no compiled code of our own.

NumPy exports its C functions in two capsules, tables of addresses with fixed places (numpy/__multiarray_api.h and
__ufunc_api.h of NumPy 2).
"""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

ARRAY_TYPE, ARRAY_NEW, UFUNC_NEW = 2, 93, 31
"""Places in the tables: PyArray_Type, PyArray_New, PyUFunc_FromFuncAndDataAndSignature."""
C_CONTIGUOUS, OWNS_DATA, ALIGNED, WRITEABLE = 0x0001, 0x0004, 0x0100, 0x0400
TYPE_NUMBERS = {"float": 11, "double": 12}
_USUAL = C_CONTIGUOUS | ALIGNED | WRITEABLE
METH_FASTCALL_KEYWORDS = 0x0080 | 0x0002


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """Byte offsets of the fields of an array's structure (NumPy's PyArrayObject_fields)."""

    data: int
    nd: int
    dimensions: int
    descr: int
    flags: int
    weak: int


CONTEXT = ("array_type", "double_descr", "array_new", "vectorcall", "decref")
"""Addresses that @door needs, in the order of @context."""
RING = 4
"""Number of results that @door keeps; a power of two."""


_python = ctypes.pythonapi
_pointer = ctypes.c_void_p


def _table(capsule: object) -> Any:
    get = _python.PyCapsule_GetPointer
    get.restype, get.argtypes = _pointer, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.cast(get(capsule, None), ctypes.POINTER(_pointer))


@cache
def _numpy_tables() -> tuple[Any, Any]:
    umath = import_module("numpy._core._multiarray_umath")
    return _table(umath._ARRAY_API), _table(umath._UFUNC_API)


@cache
def array_layout() -> ArrayLayout | None:
    """Return the byte offsets of an array's fields, verified on a known array; None if they do not match."""
    base = object.__basicsize__
    layout = ArrayLayout(base, base + 8, base + 16, base + 40, base + 48, base + 56)
    known = np.zeros((3, 5))

    def read(kind: Any, at: int) -> int:
        return int(kind.from_address(id(known) + at).value)

    if (
        ctypes.sizeof(_pointer) != 8
        or read(_pointer, 8) != id(np.ndarray)
        or type(known).__weakrefoffset__ != layout.weak
    ):
        return None
    fits = (
        read(_pointer, layout.data) == known.ctypes.data
        and read(ctypes.c_int, layout.nd) == 2
        and read(_pointer, layout.descr) == id(np.dtype(float))
        and read(ctypes.c_int, layout.flags) & _USUAL == _USUAL
        and _numpy_tables()[0][ARRAY_TYPE] == id(np.ndarray)
    )
    dimensions = read(_pointer, layout.dimensions)
    if fits and [ctypes.c_ssize_t.from_address(dimensions + 8 * k).value for k in range(2)] == [3, 5]:
        return layout
    return None


_immortal: list[Any] = []
"""Structures that the created functions point to; kept forever, because the end of a function is not reported."""


def make_ufunc(name: str, loop: int, scalar: str, inputs: Sequence[tuple[int, ...]], output: tuple[int, ...]) -> Any:
    """Return a generalised ufunc whose inner loop is at the address `loop`."""
    signature = ",".join(_core(shape) for shape in inputs) + "->" + _core(output)
    functions = (_pointer * 1)(loop)
    data = (_pointer * 1)(None)
    types = ctypes.create_string_buffer(bytes([TYPE_NUMBERS[scalar]] * (len(inputs) + 1)))
    texts = [ctypes.create_string_buffer(text.encode()) for text in (name, "", signature)]
    new = ctypes.PYFUNCTYPE(
        ctypes.py_object,
        *[_pointer] * 3,
        *[ctypes.c_int] * 4,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_char_p,
    )(_numpy_tables()[1][UFUNC_NEW])
    no_identity = -1
    ufunc = new(functions, data, types, 1, len(inputs), 1, no_identity, texts[0], texts[1], 0, texts[2])
    _immortal.append((functions, data, types, texts))
    return ufunc


def _core(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))})"


class _MethodDef(ctypes.Structure):
    _fields_ = (("name", ctypes.c_char_p), ("function", _pointer), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p))


def make_door(name: str, door: int, context: int, otherwise: Callable[..., Any]) -> Any:
    """Return a built-in function whose code is at the address `door`; it calls `otherwise` for other arguments."""
    arrays, _ = _numpy_tables()
    addresses = (
        id(np.ndarray),
        id(np.dtype(float)),
        arrays[ARRAY_NEW],
        ctypes.cast(_python.PyObject_Vectorcall, _pointer).value,
        ctypes.cast(_python.Py_DecRef, _pointer).value,
    )
    assert len(addresses) == len(CONTEXT)
    for k, address in enumerate(addresses):
        _pointer.from_address(context + 8 * k).value = address
    method = _MethodDef(name.encode(), door, METH_FASTCALL_KEYWORDS, b"")
    new = ctypes.PYFUNCTYPE(ctypes.py_object, _pointer, ctypes.py_object, _pointer)(("PyCFunction_NewEx", _python))
    _immortal.append(method)
    return new(ctypes.byref(method), otherwise, None)


def let_go(ring: int) -> None:
    """Drop the references to arrays in a door's ring."""
    for place in range(ring, ring + 8 * RING, 8):
        slot = _pointer.from_address(place)
        address, slot.value = slot.value, None
        if address:
            _python.Py_DecRef(_pointer(address))
