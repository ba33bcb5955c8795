"""Files that commands write, of which none is overwritten without --force, and JSON that they print."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from kinetree.cli._help import option
from kinetree.errors import Finding, Source, fail
from kinetree.formats.losses.parts import PARTS
from kinetree.model.names import NamedValues

without_option = option("--without", "Leave out this part of the model, and errors in it. Repeatable.", type=[*PARTS])
assets_option = option("--assets", "Copy meshes beside OUT, or refer to them.", type=["bring", "keep"], default="bring")
force_option = option("--force", "Overwrite an existing file.")


def check_new(path: Path, force: bool) -> None:
    """Raise KinetreeError if a file exists already."""
    if path.exists() and not force:
        raise fail("exists", f"{path} exists already", fix="pass --force to overwrite it")


def check_no_input(target: str, inputs: Iterable[str]) -> None:
    """Raise KinetreeError for a file that the command reads, by whatever path, because writing follows links."""
    for file in inputs:
        if os.path.realpath(file) == os.path.realpath(target) or _is_same(file, target):
            raise fail("output", f"{target} is read by this command, so it is not replaced; expected another file")


def _is_same(one: str, other: str) -> bool:
    """Return whether two names are of one file, also on disks that ignore case."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def plain(value: Any) -> Any:
    """Return a value as lists, dictionaries, numbers and texts. Infinity, which JSON lacks, becomes null (no limit)."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, NamedValues):
        return [plain(item) for item in value.values()]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Source) and not value.made:
        return {"file": value.file, "line": value.line, "column": value.column}
    if is_dataclass(value):
        named = {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        return {**named, "url": value.url} if isinstance(value, Finding) else named
    return [plain(item) for item in value]


def print_json(value: Any, file: TextIO | None = None) -> None:
    """Print one line of ASCII, to the standard output by default."""
    print(json.dumps(plain(value), allow_nan=False), file=file)
