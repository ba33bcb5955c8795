"""The widget of a notebook: the page in a frame, and its q. Needs anywidget."""

import zlib
from importlib.resources import files
from math import isfinite
from typing import Any

from anywidget import AnyWidget
from traitlets import Bytes, Float, Int, List, TraitError, Unicode, validate


class Widget(AnyWidget):
    """A page whose q is the same in Python and in the browser.

    page: its HTML, compressed by zlib. name: that of the robot. q: size numbers.
    """

    _esm = files(__package__).joinpath("widget.js").read_text("utf-8")
    page = Bytes().tag(sync=True)
    name = Unicode().tag(sync=True)
    q = List(Float()).tag(sync=True)
    size = Int()

    @validate("q")
    def _checked(self, proposal: dict[str, Any]) -> list[float]:
        q: list[float] = proposal["value"]
        if len(q) != self.size or not all(map(isfinite, q)):
            raise TraitError(f"q is {q}; expected {self.size} finite numbers")
        return q


def widget(name: str, html: str, q: list[float]) -> Widget:
    """Return the widget that shows a page, with its first q."""
    return Widget(name=name, page=zlib.compress(html.encode(), 9), q=q, size=len(q))
