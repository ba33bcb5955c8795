"""Ordered mappings by name."""

import re
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Protocol, TypeVar

from kinetree.display import some
from kinetree.errors import unknown_name


class HasName(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


def kind_of(thing: object) -> str:
    """Return what messages call the kind of an element: "coupled limit" for a `CoupledLimit`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(thing).__name__).lower()


N = TypeVar("N", bound=HasName)
V = TypeVar("V")


class Lookup(Mapping[str, V]):
    """Values by name, in order; an unknown name lists the nearest ones."""

    __slots__ = ("_items", "_kind")

    def __init__(self, kind: str, items: Mapping[str, V]) -> None:
        self._kind = kind
        self._items = dict(items)

    def __getitem__(self, name: str) -> V:
        try:
            return self._items[name]
        except (KeyError, TypeError):
            raise unknown_name(self._kind, name, list(self._items)) from None

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of this name, or `default`; unlike Mapping's own, look for no nearest names."""
        return self._items.get(name, default)

    # Mapping's own views look up each name again, which is several times as slow

    def keys(self) -> KeysView[str]:
        """Return the names, in order."""
        return self._items.keys()

    def values(self) -> ValuesView[V]:
        """Return the values, in order."""
        return self._items.values()

    def items(self) -> ItemsView[str, V]:
        """Return pairs of name and value, in order."""
        return self._items.items()

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{self._kind}s({some(self._items)})"

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._items)


class NamedValues(Lookup[N]):
    """Values that have a name, by it."""

    __slots__ = ()

    def __init__(self, kind: str, items: Iterable[N]) -> None:
        super().__init__(kind, {item.name: item for item in items})
