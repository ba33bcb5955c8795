"""The model as JSON: every dataclass is an object of its fields, in SI units, with poses as 4x4 rows."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any, TextIO

import numpy as np

from kinetree.errors import Finding, Source
from kinetree.model.names import NamedValues


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
