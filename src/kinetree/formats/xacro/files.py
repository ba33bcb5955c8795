"""YAML files and wildcards of xacro files, in bounds."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.formats.xacro.expressions import MAX_ITEMS, weighed

MAX_YAML_BYTES = 1_000_000
MAX_FILES = 10_000  # looked at for one wildcard


def read_yaml(content: bytes, file: str, units: Iterable[Any]) -> Any:
    """The data of a YAML file; `units` are xacro's tags such as `!degrees`. Raises KinetreeError."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Knows the units, and ends where merge keys (`<<`) multiply."""

        def flatten_mapping(self, node: Any) -> None:
            super().flatten_mapping(node)
            if len(node.value) > MAX_ITEMS:
                raise fail("xacro-size", f"{file} merges to more than {MAX_ITEMS} items")

    for unit in units:
        Loader.add_constructor(unit.value.tag, unit.constructor)
    if len(content) > MAX_YAML_BYTES:
        raise fail("xacro-size", f"{file} has more than {MAX_YAML_BYTES} bytes, the most that is read of YAML")
    try:
        return weighed(yaml.load(content, Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
        message = f"{place} is not well-formed YAML: {getattr(error, 'problem', None) or error}"
        raise KinetreeError(Finding("xacro-yaml", "error", message)) from None


def expand_pattern(pattern: str, check: Callable[[Path], None] = lambda folder: None) -> list[str]:
    """The files that a path with wildcards names. check: raises for a folder that may not be listed."""
    found, seen = [Path(Path(pattern).anchor or ".")], 0
    for part in Path(pattern).parts[1 if Path(pattern).anchor else 0 :]:
        if not any(c in part for c in "*?["):
            found = [folder / part for folder in found if os.path.lexists(folder / part)]
            continue
        matching = []
        for folder in found:
            check(folder)
            names = sorted(os.listdir(folder)) if folder.is_dir() else []
            seen += len(names) + 1
            if seen > MAX_FILES:
                raise fail("xacro-size", f"{pattern} leads through more than {MAX_FILES} files")
            matching += [folder / n for n in fnmatch.filter(names, part) if part.startswith(".") or n[0] != "."]
        found = matching
    return [str(path) for path in found]
