"""Bounds for xacro expressions: legal types, sizes of values, and steps.

Each value is measured once, when an expression makes it, and cannot change afterwards. So every existing value is
small, also when it is written as text, compared or hashed.
"""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kinetree.errors import fail

MAX_BITS = 4096  # of a whole number
MAX_SIZE = 100_000  # of a value: its items, with all that is inside; characters and bits count as parts of one
MAX_CHARACTERS = 1_000_000  # of a text
MAX_STEPS = 200_000  # of one expression
MAX_STEPS_IN_ALL = 1_000_000  # of all expressions of one expansion
CHARACTERS = MAX_CHARACTERS // MAX_SIZE  # of a text that count as one item
BITS = 32  # of a whole number that count as one item
REMEMBERED = 100  # characters of an expression whose syntax tree is kept
COLLIDING = 50  # whole numbers can be chosen to collide in a hash table, which takes the square of their number

SCALARS = frozenset((type(None), bool, int, float, complex, str, range, datetime.date, datetime.datetime))


class YamlDict(dict[Any, Any]):
    """A mapping of a YAML file, whose values expressions can also read with a dot."""


class YamlList(list[Any]):
    """A list of a YAML file, whose mappings are `YamlDict`s."""


SEQUENCES = frozenset((list, tuple, YamlList))
MAPPINGS = frozenset((dict, YamlDict))
SETS = frozenset((set, frozenset))
CONTAINERS = SEQUENCES | MAPPINGS | SETS


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A callable of expressions: `call(budget, *arguments)`. kind: the type that it represents, such as `str`."""

    name: str
    call: Callable[..., Any]
    kind: type | None = None

    def __repr__(self) -> str:
        return f"<class {self.name!r}>" if self.kind else f"<function {self.name}>"


class Stream:
    """An iterator in an expression: its items can be taken once."""

    __slots__ = ("items",)

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        return self.items

    def __repr__(self) -> str:
        return "<iterator>"


ITERABLE = CONTAINERS | {str, range, Stream}
LEGAL_TYPES = SCALARS | CONTAINERS | {Function, Stream}


class Budget:
    """Steps left for the expressions of one expansion."""

    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.left_in_all = MAX_STEPS_IN_ALL
        self._parsed: set[str] = set()

    def spend(self, steps: int) -> None:
        """Take steps from the budget; raise KinetreeError if none are left."""
        self.left -= steps
        if self.left < 0:
            message = f"takes more than {MAX_STEPS} steps, or all expressions more than {MAX_STEPS_IN_ALL}"
            raise fail("xacro-size", f"the expression {message}")

    def made(self, value: Any) -> Any:
        """Return a new value after paying for its size; raise KinetreeError if it is too large or illegal."""
        if type(value) is not float:
            self.spend(size_of(value))
        return value

    def spend_in_all(self, steps: int) -> None:
        """Take steps from the total of all expressions, for work outside a single one."""
        self.left_in_all -= steps
        if self.left_in_all < 0:
            raise fail("xacro-size", f"the expressions and the files they read take more than {MAX_STEPS_IN_ALL} steps")

    def charge_text(self, text: str) -> None:
        """Pay for parsing an expression: once for a short one, because its syntax tree is kept."""
        if text not in self._parsed:
            self.spend_in_all(len(text))
            if len(text) <= REMEMBERED:
                self._parsed.add(text)

    @contextmanager
    def expression(self) -> Iterator[None]:
        """Count the steps inside as those of one expression; an outer expression continues with its own."""
        outer, given = self.left, min(MAX_STEPS, self.left_in_all)
        self.left = given
        try:
            yield
        finally:
            self.left_in_all -= given - self.left
            self.left = outer

    def items(self, value: Any) -> Iterator[Any]:
        """Return the items of a value; each costs one step."""
        if type(value) not in ITERABLE:
            raise TypeError(f"{type(value).__name__!r} object is not iterable")
        return self._counted(value)

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self.spend(1)
            yield item

    def all_items(self, value: Any) -> list[Any]:
        """Return the items of a value as a list, after paying for its size."""
        items: list[Any] = []
        for item in self.items(value):
            items.append(item)
            if len(items) > MAX_SIZE:
                raise too_large()
        self.spend(size_of(items))
        return items

    def hashed(self, kind: type, items: Sequence[Any]) -> Any:
        """Return a set of items or a dictionary of pairs, after paying for possible collisions of keys."""
        self.spend(_collisions(item[0] for item in items) if kind is dict else _collisions(items))
        return kind(items)

    def call(self, function: Any, *arguments: Any, **named: Any) -> Any:
        """Return the result of a call; raise TypeError if `function` is not a `Function`."""
        if type(function) is not Function:
            raise TypeError(f"{type(function).__name__!r} object is not callable")
        for value in (*arguments, *named.values()):  # a function may look at all of them
            self.spend(size_of(value))
        self.spend(1 + len(named))
        return self.made(function.call(self, *arguments, **named))


def size_of(value: Any) -> int:
    """Return the size of a value: 1, its items and a tenth of its characters; shared parts count each time they occur.
    Raises KinetreeError if it is above MAX_SIZE, or contains too large a number or an illegal value."""
    size, stack = 0, [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        size += 1
        if kind is str:
            size += len(item) // CHARACTERS
        elif kind is int:
            if item.bit_length() > MAX_BITS:
                raise fail("xacro-size", f"a number of more than {MAX_BITS} bits")
            size += item.bit_length() // BITS
        elif kind in CONTAINERS:
            size += len(item)
            if size > MAX_SIZE:
                raise too_large()
            if kind not in SEQUENCES:
                size += _collisions(item)
            stack += item
            if kind in MAPPINGS:
                stack += item.values()
        elif kind not in LEGAL_TYPES:
            raise fail("xacro-expression", f"a value of type {kind.__name__!r} may not be used in an expression")
        if size > MAX_SIZE:
            raise too_large()
    return size


def _collisions(keys: Iterable[Any]) -> int:
    others = sum(type(key) is not str for key in keys)
    return others * others // COLLIDING


def look_up(budget: Budget, table: Any, key: Any) -> Any:
    """Return the value of a key in a mapping; raise KeyError, or TypeError if the key cannot be hashed."""
    if type(key) is not str:
        budget.spend(size_of(key) + len(table) // COLLIDING)
    if type(table) is YamlDict and key not in table:
        raise AttributeError(f"The yaml dictionary has no key {key!r}")
    return table[key]


def too_large() -> Exception:
    """Return the error for a value that is too large."""
    return fail("xacro-size", f"a value of a size above {MAX_SIZE}; an item counts 2, ten characters of a text count 1")


def with_dots(value: Any) -> Any:
    """Return a copy of the data of a YAML file whose mappings are `YamlDict`s, at every depth."""
    if isinstance(value, dict):
        return YamlDict({key: with_dots(item) for key, item in value.items()})
    return YamlList(map(with_dots, value)) if isinstance(value, list) else value
