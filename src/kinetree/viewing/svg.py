"""Elements of SVG pictures: areas, lines, arrows and texts. All texts are escaped."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.writer import XmlWriter

INK = "#222222"
"""Colour of lines and texts."""
LINE = 19.0
"""Distance between lines of text, pixels."""


def element(out: XmlWriter, tag: str, **style: object) -> XmlWriter:
    """Open an element, and close it at the end of the block. style: attributes, with `_` for `-`."""
    return out.open(tag, **attributes(style))


def area(out: XmlWriter, box: tuple[float, float, float, float], **style: object) -> XmlWriter:
    """Open an area of a picture: left, top, width, height in pixels. What is outside of it is not shown."""
    x, y, width, height = box
    size = {"x": x, "y": y, "width": width, "height": height, "viewBox": " ".join(map(_number, box))}
    return element(out, "svg", **size, **style)


@contextmanager
def picture(out: XmlWriter, width: float, height: float, title: str) -> Iterator[None]:
    """Open a picture of a size in pixels with a white ground and a title."""
    style = {"xmlns": "http://www.w3.org/2000/svg", "font_family": "sans-serif", "font_size": 14}
    with area(out, (0.0, 0.0, width, height), **style):
        out.leaf("title", title)
        out.leaf("rect", **attributes({"width": width, "height": height, "fill": "white"}))
        text(out, (24.0, 34.0), title, font_size=20, font_weight="bold")
        yield


def line(out: XmlWriter, points: Array, **style: object) -> None:
    """Write a line through points (k, 2)."""
    look = {"stroke": INK, "stroke_width": 2, **style, "fill": "none", "stroke_linejoin": "round"}
    out.leaf("polyline", points=_points(points), **attributes(look))


def arrow(out: XmlWriter, points: Array, **style: object) -> None:
    """Write a line through points (k, 2) with a head at its end."""
    line(out, points, **style)
    back = points[-1] - points
    far = np.linalg.norm(back, axis=1)
    if far.max() > 4.0:
        along = back[far > 4.0][-1] / far[far > 4.0][-1]
        corners = np.outer((0.4, -0.6, -0.6), along) + np.outer((0.0, 0.38, -0.38), (-along[1], along[0]))
        head = points[-1] + (5.0 + 1.5 * float(str(style.get("stroke_width", 2)))) * corners
        out.leaf("polygon", points=_points(head), **attributes({"fill": style.get("stroke", INK)}))


def text(out: XmlWriter, at: Sequence[float] | Array, words: str, **style: object) -> None:
    """Write words at a point, on a white edge that keeps them legible on lines; nothing for no words."""
    edge = {"stroke": "white", "stroke_width": 4, "paint_order": "stroke", "stroke_linejoin": "round"}
    if words:
        out.leaf("text", words, **attributes({"x": float(at[0]), "y": float(at[1]), "fill": INK, **edge, **style}))


def attributes(style: Mapping[str, object]) -> dict[str, str | None]:
    """Return attributes as XML has them: `-` for `_` inside of names."""
    return {key if key.endswith("_") else key.replace("_", "-"): _value(value) for key, value in style.items()}


def _value(value: object) -> str | None:
    if isinstance(value, np.ndarray):
        return " ".join(f"{number:.9g}" for number in value.ravel())
    return _number(value) if isinstance(value, int | float) else None if value is None else str(value)


def _points(points: Array) -> str:
    return " ".join(f"{_number(u)},{_number(v)}" for u, v in points)


def _number(value: float) -> str:
    """Return a number to a thousandth of a pixel."""
    return f"{round(float(value), 3) + 0.0:.3f}".rstrip("0").rstrip(".")
