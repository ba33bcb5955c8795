"""Elements of other tools that a robot keeps."""

from dataclasses import dataclass

from kinetree.errors import Source


@dataclass(frozen=True, slots=True)
class Extension:
    """An element of another tool, kept unchanged and written back to its own format."""

    format: str
    tag: str
    text: str
    source: Source | None = None
