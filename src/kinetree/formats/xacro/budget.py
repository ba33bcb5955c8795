"""Bounds for xacro expressions: legal types, sizes of values, and steps.

A value is measured whenever an expression makes, changes, reads or returns it: a list that is part of others can grow
after those were measured.
"""

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from kinetree.errors import fail

MAX_BITS = 4096  # of a whole number
MAX_SIZE = 100_000  # of a value: its items, with all that is inside; characters and bits count as parts of one
MAX_CHARACTERS = 1_000_000  # of a text
MAX_STEPS = 200_000  # of one expression, with the properties that it evaluates
MAX_STEPS_IN_ALL = 1_000_000  # of all expressions of one expansion
CHARACTERS = MAX_CHARACTERS // MAX_SIZE  # of a text that count as one item
BITS = 32  # of a whole number that count as one item
COLLIDING = 50  # whole numbers can be chosen to collide in a hash table, which takes the square of their number
SHARED = 10  # items that are copied or measured again in one step


class YamlDict(dict[Any, Any]):
    """A mapping of a YAML file, whose values expressions can also read with a dot. As in xacro, reading an inner list
    or mapping gives a copy, so that a change of it is not seen in the outer one."""

    def __getitem__(self, key: Any) -> Any:
        if key not in self:
            raise AttributeError(f"The yaml dictionary has no key {key!r}")
        return _copied(super().__getitem__(key))


class YamlList(list[Any]):
    """A list of a YAML file, whose mappings are `YamlDict`s. Reading an item gives a copy, as with `YamlDict`."""

    def __getitem__(self, at: Any) -> Any:
        found = super().__getitem__(at)
        return YamlList(found) if isinstance(at, slice) else _copied(found)

    def __iter__(self) -> Iterator[Any]:
        return map(_copied, super().__iter__())


def _copied(value: Any) -> Any:
    if type(value) is YamlDict:
        return YamlDict(value)
    return YamlList(list.__iter__(value)) if type(value) is YamlList else value


@dataclass(slots=True, eq=False)
class Function:
    """A callable of expressions. call: gets the budget first if `pays`, then the arguments. kind: the type that it
    represents, such as `str`. own: the value of which it is a method, if any."""

    name: str
    call: Callable[..., Any]
    pays: bool = False
    kind: type | None = None
    own: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<class {self.name!r}>" if self.kind else f"<function {self.name}>"


NUMBERS = frozenset((bool, int, float, complex))
SEQUENCES = frozenset((list, tuple, YamlList))
MAPPINGS = frozenset((dict, YamlDict))
SETS = frozenset((set, frozenset))
LEGAL_TYPES = NUMBERS | SEQUENCES | MAPPINGS | SETS
LEGAL_TYPES |= {type(None), str, range, datetime.date, datetime.datetime, Function}


class Budget:
    """Steps left for the expressions of one expansion. floor: steps that the present expression must leave. aside:
    steps taken by work outside expressions."""

    def __init__(self) -> None:
        self.left, self.floor, self.aside = MAX_STEPS_IN_ALL, 0, 0

    def spend(self, steps: int) -> None:
        """Take steps from the budget; raise KinetreeError if none are left."""
        self.left -= steps
        if self.left < self.floor:
            message = f"takes more than {MAX_STEPS} steps, or all expressions more than {MAX_STEPS_IN_ALL}"
            raise fail("xacro-size", f"the expression {message}")

    def spend_in_all(self, steps: int) -> None:
        """Take steps from the total of all expressions, for work outside a single one."""
        self.aside += steps
        if self.aside > self.left:
            raise fail("xacro-size", f"the expressions and the files they read take more than {MAX_STEPS_IN_ALL} steps")

    def begin(self) -> int:
        """Begin an expression; return the floor of the one around it, to be set again afterwards."""
        outer, self.floor = self.floor, max(self.aside, self.left - MAX_STEPS)
        return outer

    def made(self, value: Any) -> Any:
        """Return a value after paying for its size; raise KinetreeError if it is too large or illegal."""
        if type(value) is not float:
            self.spend(size_of(value))
        return value

    def item(self, base: Any, key: Any) -> Any:
        """Return an item of a value, after paying for keys that collide and for the copy of a part of a YAML file."""
        if type(base) in MAPPINGS and type(key) is not str:
            self.spend(size_of(key) + len(base) // COLLIDING)
        found = base[key]
        if type(found) is YamlDict or type(found) is YamlList:
            self.spend(len(found) // SHARED)
        return found

    def hashed(self, kind: type, items: Iterable[Any]) -> Any:
        """Return a set of items or a dictionary of pairs, after paying for possible collisions of keys."""
        listed = list(items)
        self.spend(_collisions(key for key, *_ in listed) if kind is dict else _collisions(listed))
        return kind(listed)

    def call(self, function: Any, /, *arguments: Any, **named: Any) -> Any:
        """Return the result of a call; raise TypeError if `function` is not a `Function`."""
        if type(function) is not Function:
            raise TypeError(f"{type(function).__name__!r} object is not callable")
        for value in (*arguments, *named.values()):  # a function may look at all of them
            self.made(value)
        for own in function.own:
            self.look_through(own)
        paying = (self,) if function.pays else ()
        result = self.made(function.call(*paying, *function.own, *arguments, **named))
        for own in function.own:  # a method may have changed it, or made it a part of itself
            self.look_through(own)
        return result

    def look_through(self, value: Any) -> None:
        """Pay for a look at an existing value; raise KinetreeError if it is too large by now."""
        self.spend(size_of(value) // SHARED)


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
        elif kind in SEQUENCES or kind in MAPPINGS or kind in SETS:
            size += len(item)
            if size <= MAX_SIZE:
                size += 0 if kind in SEQUENCES else _collisions(item)
                stack += list.__iter__(item) if kind is YamlList else item
                stack += item.values() if kind in MAPPINGS else ()
        elif kind is range:
            size += len(item[: MAX_SIZE + 1])
        elif kind not in LEGAL_TYPES:
            raise fail("xacro-expression", f"a value of type {kind.__name__!r} may not be used in an expression")
        if size > MAX_SIZE:
            raise too_large()
    return size


def _collisions(keys: Iterable[Any]) -> int:
    others = sum(type(key) is not str for key in keys)
    return others * others // COLLIDING


def too_large() -> Exception:
    """Return the error for a value that is too large."""
    return fail("xacro-size", f"a value of a size above {MAX_SIZE}; an item counts 2, ten characters of a text count 1")


def with_dots(value: Any) -> Any:
    """Return a copy of the data of a YAML file whose mappings are `YamlDict`s, at every depth."""
    if isinstance(value, dict):
        return YamlDict({key: with_dots(item) for key, item in value.items()})
    return YamlList(map(with_dots, value)) if isinstance(value, list) else value
