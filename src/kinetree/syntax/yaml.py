"""YAML files as values with their places, within bounds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import radians
from typing import Any, NamedTuple

from kinetree.errors import Finding, KinetreeError, Source

MAX_YAML_BYTES = 1_000_000
MAX_YAML_VALUES = 30_000
MAX_YAML_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Yaml:
    """A value of a YAML file: a text, a list or a mapping.

    text: of a scalar, else "". items: the values of a list, or the (key, value) pairs of a mapping as written, a key
    that is written twice included. tag: that of a unit such as "!degrees", or "". quoted: whether a text is in quotes.
    source: the place of its key, if it has one.
    """

    source: Source
    text: str = ""
    tag: str = ""
    values: tuple["Yaml", ...] = ()
    items: tuple[tuple[str, "Yaml"], ...] = ()
    quoted: bool = False

    def get(self, key: str) -> "Yaml | None":
        """Return the value of a key, the last one if it is written twice."""
        return next((value for name, value in reversed(self.items) if name == key), None)

    @property
    def texts(self) -> tuple["Yaml", ...]:
        """The scalars of a list, or itself if it is a scalar."""
        return tuple(value for value in self.values if value.text) if not self.text else (self,)

    @property
    def number(self) -> float | None:
        """The number that it is, an angle in rad if the unit is degrees; None for another value."""
        try:
            number = float(self.text)
        except ValueError:
            return None
        return radians(number) if self.tag == "!degrees" else number

    @property
    def is_true(self) -> bool:
        """Whether it is true, as YAML writes it."""
        return self.text.lower() in ("true", "yes", "on")

    def walk(self) -> Iterator["Yaml"]:
        """Yield the value and all inside of it."""
        yield self
        for value in (*self.values, *(value for _, value in self.items)):
            yield from value.walk()


def read_yaml_values(content: bytes, file: str, factor: int = 1) -> list[Yaml]:
    """Return the documents of a YAML file. factor: how much larger it may be than usual. Raises KinetreeError if it is
    no YAML, or too large."""
    import yaml

    if len(content) > MAX_YAML_BYTES * factor:
        raise KinetreeError(Finding("yaml", "error", f"has more than {MAX_YAML_BYTES * factor} bytes", Source(file)))

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Stops at too many values, which are slow to read."""

        count = 0

        def compose_node(self, *place: Any) -> Any:
            self.count += 1
            if self.count > MAX_YAML_VALUES * factor:
                raise KinetreeError(_too_many(Source(file), factor))
            return super().compose_node(*place)

    try:
        nodes = list(yaml.compose_all(content, Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Source(file, mark.line + 1, mark.column + 1) if mark else Source(file)
        raise KinetreeError(Finding("yaml", "error", f"{getattr(error, 'problem', None) or error}", place)) from None
    except RecursionError:
        raise KinetreeError(Finding("yaml", "error", "is nested too deeply", Source(file))) from None
    reader = _Reader(file, factor)
    return [reader.value(node, _place(file, node), 0) for node in nodes if node is not None]


class _Reader:
    """Counts values, of which aliases can make very many."""

    def __init__(self, file: str, factor: int) -> None:
        self.file, self.factor = file, factor
        self.count = 0

    def value(self, node: Any, source: Source, depth: int) -> Yaml:
        self.count += 1
        if self.count > MAX_YAML_VALUES * self.factor or depth > MAX_YAML_DEPTH:
            raise KinetreeError(_too_many(source, self.factor))
        tag = node.tag if node.tag.startswith("!") else ""
        if node.id == "mapping":
            named = [(key.value if key.id == "scalar" else "", key, value) for key, value in node.value]
            items = [(name, self.value(value, _place(self.file, key), depth + 1)) for name, key, value in named]
            return Yaml(source, tag=tag, items=tuple(items))
        if node.id == "sequence":
            values = [self.value(value, _place(self.file, value), depth + 1) for value in node.value]
            return Yaml(source, tag=tag, values=tuple(values))
        return Yaml(source, text=node.value, tag=tag, quoted=node.style is not None)


def _too_many(source: Source, factor: int) -> Finding:
    return Finding(
        "yaml", "error", f"has more than {MAX_YAML_VALUES * factor} values, or {MAX_YAML_DEPTH} levels", source
    )


def _place(file: str, node: Any) -> Source:
    return Source(file, node.start_mark.line + 1, node.start_mark.column + 1)


class Remarked(NamedTuple):
    """A value to be written, with a comment behind it."""

    value: Any
    comment: str


def yaml_lines(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of YAML of mappings, lists, texts and numbers; every reader of YAML 1.1 and 1.2 sees the same.

    Texts are in quotes, keys if they are short, as `no`, or no words. A list without comments is on one line.
    """
    rows = (
        [(f"{key if key.isidentifier() and len(key) > 5 else _scalar(key)}:", own) for key, own in value.items()]
        if isinstance(value, Mapping)
        else [("-", own) for own in value]
    )
    for head, own in rows:
        own, comment = own if isinstance(own, Remarked) else (own, "")
        remark = f"  # {_scalar(comment)[1:-1]}" if comment else ""
        inner = own.values() if isinstance(own, Mapping) else own
        if (
            own
            and not isinstance(own, str | float)
            and any(isinstance(one, Mapping | Remarked | list) for one in inner)
        ):
            yield f"{indent}{head}{remark}"
            yield from yaml_lines(own, indent + "  ")
        else:
            yield f"{indent}{head} {_flow(own)}{remark}"


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(own)}" for key, own in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list | tuple) else _scalar(value)


def _scalar(value: str | float) -> str:
    """Return a text in quotes, or a number with a point, without which 1e-05 would be a text."""
    if isinstance(value, str):
        letters = (f"\\{x}" if x in '"\\' else x if x.isprintable() else f"\\U{ord(x):08X}" for x in value)
        return f'"{"".join(letters)}"'
    text = repr(float(value) + 0.0)
    return text if "." in text or "e" not in text else text.replace("e", ".0e")
