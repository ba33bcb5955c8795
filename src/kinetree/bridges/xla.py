"""Kernels as foreign functions of XLA, without a compiler of C: the handler is assembly that Kinetree writes.

The offsets of XLA's structures are read from the header that comes with jaxlib. Where it is missing, or has anything
that is not known, there is no handler, and `kinetree.bridges.jax` calls Python instead.
"""

import ctypes
import re
from functools import cache
from pathlib import Path

import jax

from kinetree.compiler import xla
from kinetree.compiler.ir_xla import FIELDS, VALUES
from kinetree.compiler.kernel import Kernel

PLACES = {
    "extension": ("XLA_FFI_CallFrame", "extension_start"),
    "stage": ("XLA_FFI_CallFrame", "stage"),
    "args": ("XLA_FFI_CallFrame", "args", "args"),
    "rets": ("XLA_FFI_CallFrame", "rets", "rets"),
    "extension_type": ("XLA_FFI_Metadata_Extension", "extension_base", "type"),
    "metadata": ("XLA_FFI_Metadata_Extension", "metadata"),
    "major": ("XLA_FFI_Metadata", "api_version", "major_version"),
    "minor": ("XLA_FFI_Metadata", "api_version", "minor_version"),
    "data": ("XLA_FFI_Buffer", "data"),
    "rank": ("XLA_FFI_Buffer", "rank"),
    "dims": ("XLA_FFI_Buffer", "dims"),
}
"""Fields of XLA's structures, by the names of FIELDS."""
CONSTANTS = {
    "METADATA": r"XLA_FFI_Extension_Metadata = (\d+)",
    "EXECUTE": r"XLA_FFI_ExecutionStage_EXECUTE = (\d+)",
    "MAJOR": r"#define XLA_FFI_API_MAJOR (\d+)",
    "MINOR": r"#define XLA_FFI_API_MINOR (\d+)",
}
KNOWN_MAJOR = 0
"""Version of the interface whose calls the handlers obey."""
SIZES = {"size_t": 8, "int64_t": 8, "int": 4, "int32_t": 4, "uint32_t": 4}


@cache
def target(kernel: Kernel, scalar: str) -> str | None:
    """Return the name of the foreign function of a kernel, registered at the first call; None if there is none."""
    layout = installed_layout()
    start = None if layout is None else xla.address(kernel, scalar, layout)
    if start is None:
        return None
    name = xla.name_of(kernel, scalar)
    if name not in _registered:
        function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(start)
        jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), platform="cpu")
        _registered.add(name)
    return name


_registered: set[str] = set()


@cache
def installed_layout() -> tuple[tuple[str, int], ...] | None:
    """Return the numbers that handlers need, from the header of jaxlib; None if it does not have all of them."""
    try:
        return layout_of(Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h").read_text())
    except (AttributeError, OSError, ValueError):
        return None


def layout_of(header: str) -> tuple[tuple[str, int], ...]:
    """Return the numbers that handlers need, by FIELDS and VALUES, from the text of XLA's c_api.h. Raises ValueError
    for a text without them, or of another major version."""
    header = re.sub(r"//[^\n]*", "", header)
    values = {name: _only(re.findall(pattern, header), pattern) for name, pattern in CONSTANTS.items()}
    if int(values["MAJOR"]) != KNOWN_MAJOR or ctypes.sizeof(ctypes.c_void_p) != 8:
        raise ValueError(f"version {values['MAJOR']} of XLA's interface is not known")
    found = {name: _offset(header, *path) for name, path in PLACES.items()}
    return (*((name, found[name]) for name in FIELDS), *((name, int(values[name])) for name in VALUES))


def _only(found: list[str], what: str) -> str:
    if len(found) != 1:
        raise ValueError(f"{len(found)} times {what}")
    return found[0]


def _offset(header: str, struct: str, field: str, *more: str) -> int:
    fields = _fields(header, struct)
    kind, at = fields.get(field, ("", 0))
    if not kind:
        raise ValueError(f"no field {field} in {struct}")
    return at + (_offset(header, kind, *more) if more else 0)


def _fields(header: str, struct: str) -> dict[str, tuple[str, int]]:
    """Return the type and the offset of every field of a structure, in order; the last one, "", is its end."""
    body = _only(re.findall(rf"struct {struct} \{{([^}}]*)\}}", header), f"struct {struct}")
    found, at = {}, 0
    for line in filter(None, map(str.strip, body.split(";"))):
        match = re.fullmatch(r"(?:const )?(?:struct )?(\w+)\s*(\**)\s*(\w+)", line)
        if not match:
            raise ValueError(f"{line} in {struct}")
        kind, stars, name = match.groups()
        size = 8 if stars else _size(header, kind)
        align = min(size, 8)
        at += -at % align
        found[name] = kind, at
        at += size
    found[""] = "", at + -at % 8
    return found


def _size(header: str, kind: str) -> int:
    if kind in SIZES:
        return SIZES[kind]
    if re.search(rf"\}} {kind};", header) and re.search(rf"typedef enum \{{[^}}]*\}} {kind};", header):
        return 4
    if alias := re.search(rf"typedef (\w+) {kind};", header):
        return _size(header, alias[1])
    return _fields(header, kind)[""][1]
