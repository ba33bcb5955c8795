"""YAML files and wildcards in xacro files, with bounds on size and work."""

import fnmatch
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

from kinetree.errors import Finding, KinetreeError, Source, fail
from kinetree.formats.xacro.budget import MAX_SIZE, Budget, size_of

MAX_YAML_BYTES = 1_000_000
MAX_YAML_NODES = 30_000
STEPS_OF_A_VALUE = 10  # of YAML, to read it
MAX_OTHER_KEYS = 1000  # of one mapping that are no texts: numbers can be chosen to collide
MAX_DIGITS = 1000  # of a number
NUMBER_TAGS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
TEXT_TAG = "tag:yaml.org,2002:str"
MERGE_TAG = "tag:yaml.org,2002:merge"
MAX_FILES = 10_000  # looked at for one wildcard
REMEMBERED = 32  # YAML files whose data is kept: robots of a family share them, and reading YAML takes long
_KEPT: OrderedDict[tuple[str, bytes], tuple[Any, int]] = OrderedDict()


def read_yaml(content: bytes, file: str, units: Iterable[Any], budget: Budget) -> Any:
    """Return the data of a YAML file; `units` are xacro's tags such as `!degrees`. Raises KinetreeError."""
    if len(content) > MAX_YAML_BYTES:
        raise fail("xacro-size", f"{file} has more than {MAX_YAML_BYTES} bytes, the most that is read of YAML")
    budget.spend_in_all(len(content) // 2)
    if (file, content) in _KEPT:
        data, nodes = _KEPT[file, content]
        budget.spend_in_all(nodes * STEPS_OF_A_VALUE)
    else:
        data, nodes = _read(content, file, units, budget)
        _KEPT[file, content] = data, nodes
        if len(_KEPT) > REMEMBERED:
            _KEPT.popitem(last=False)
    return deepcopy(data)


def _read(content: bytes, file: str, units: Iterable[Any], budget: Budget) -> tuple[Any, int]:
    """Return the data of a YAML file and the number of its nodes."""
    import yaml

    loader = _bounded(yaml.SafeLoader, file, budget)
    for unit in units:
        loader.add_constructor(unit.value.tag, unit.constructor)
    try:
        reader = loader(content)
        data = reader.get_single_data()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
        message = f"{place} is not well-formed YAML: {getattr(error, 'problem', None) or error}"
        raise KinetreeError(Finding("xacro-yaml", "error", message)) from None
    size_of(data)
    return data, reader.nodes


def _bounded(safe_loader: Any, file: str, budget: Budget) -> Any:
    """Return a YAML loader that raises KinetreeError if a file contains too much."""

    class Loader(safe_loader):  # type: ignore[misc]
        """Counts nodes, the results of merge keys (`<<`), and keys that could be chosen to collide."""

        nodes = 0

        def compose_node(self, *place: Any) -> Any:
            self.nodes += 1
            budget.spend_in_all(STEPS_OF_A_VALUE)
            if self.nodes > MAX_YAML_NODES:
                raise fail("xacro-size", f"{file} has more than {MAX_YAML_NODES} values")
            node = super().compose_node(*place)
            if node.tag in NUMBER_TAGS and len(node.value) > MAX_DIGITS:  # to base 60 it takes their square
                raise fail("xacro-size", f"{file} has a number of more than {MAX_DIGITS} characters")
            return node

        def flatten_mapping(self, node: Any) -> None:
            self.merge(node)
            super().flatten_mapping(node)  # refuses what cannot be merged
            others = sum(key.tag != TEXT_TAG for key, _ in node.value)
            if len(node.value) > MAX_SIZE or others > MAX_OTHER_KEYS:
                raise fail(
                    "xacro-size", f"{file} has a mapping of more than {MAX_SIZE} items or {MAX_OTHER_KEYS} numbers"
                )

        def merge(self, node: Any) -> None:
            """Put the keys of merged mappings before those of `node`: of a list, the first mapping that has a key wins.

            PyYAML has it in `flatten_mapping`, but in 6.0.4 the last mapping of a list wins.
            Source: https://yaml.org/type/merge.html.
            """
            merged = [value for key, value in node.value if key.tag == MERGE_TAG and _is_mergeable(value)]
            node.value = [(k, v) for k, v in node.value if k.tag != MERGE_TAG or not _is_mergeable(v)]
            pairs: dict[Any, tuple[Any, Any]] = {}
            for value in merged:
                for mapping in reversed(value.value if value.id == "sequence" else [value]):
                    self.flatten_mapping(mapping)
                    budget.spend_in_all(len(mapping.value))
                    pairs |= {(key.tag, key.value) if key.id == "scalar" else key: (key, v) for key, v in mapping.value}
            node.value = [*pairs.values(), *node.value]

    return Loader


def _is_mergeable(node: Any) -> bool:
    return node.id == "mapping" or (node.id == "sequence" and all(item.id == "mapping" for item in node.value))


def expand_pattern(pattern: str, check: Callable[[Path], None], spend: Callable[[int], None]) -> list[str]:
    """Return the files that match a path with wildcards.

    check: raises for a folder that may not be listed. spend: takes steps from a budget.
    """
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
            spend(len(names))
            if seen > MAX_FILES:
                raise fail("xacro-size", f"{pattern} leads through more than {MAX_FILES} files")
            matching += [folder / n for n in fnmatch.filter(names, part) if part.startswith(".") or n[0] != "."]
        found = matching
    return [str(path) for path in found]
