"""What the rules of REP-199 share: where it is written, and what their examples are pieces of."""

from __future__ import annotations

from typing import ClassVar

from kinetree.conventions.examples import ARM
from kinetree.conventions.rule import Rule

URL = "https://gavanderhoorn.github.io/rep/rep-0199.html"


class Rep199(Rule):
    """A clause of REP-199; its examples are pieces of an arm that follows them all."""

    url: ClassVar[str] = URL
    base: ClassVar[str | None] = ARM
