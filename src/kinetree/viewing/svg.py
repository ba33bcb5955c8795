"""Elements of SVG pictures: lines, arrows, texts, triads of axes and matrices. All texts are escaped."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from kinetree.errors import shortened, visible
from kinetree.formats.xml_writer import XmlWriter
from kinetree.model.joints import JointType
from kinetree.spatial.se3 import Array
from kinetree.viewing.projection import project, scale_of

AXES = (("x", "#d1170d", None), ("y", "#0a7d1e", "8 3"), ("z", "#1f4fd8", "2 3"))
"""Name, colour and dashes of the axes of a frame."""
INK, PALE = "#222222", "#c4c4c4"
LINE = 19.0
"""Distance between lines of text, pixels."""


def name_text(name: str, most: int = 40) -> str:
    """Return a name for a picture: without characters that XML forbids, and not too long."""
    return shortened(visible(name), most)


def joint_text(kind: JointType, q: Array) -> str:
    """Return a type of joint and, if it has one coordinate, that in degrees or millimetres."""
    if not kind.single:
        return kind.name
    return f"{kind.name}, {np.rad2deg(q[0]):.4g}°" if kind.turns else f"{kind.name}, {1000.0 * q[0]:.4g} mm"


@contextmanager
def element(out: XmlWriter, tag: str, **style: object) -> Iterator[None]:
    """Open an element, and close it at the end. style: attributes, with `_` for `-`."""
    out.open(tag, **_attributes(style))
    yield
    out.close()


@contextmanager
def picture(out: XmlWriter, width: float, height: float, title: str) -> Iterator[None]:
    """Open a picture of a size in pixels with a white ground and a title."""
    size = {"width": width, "height": height, "viewBox": f"0 0 {_number(width)} {_number(height)}"}
    with element(out, "svg", xmlns="http://www.w3.org/2000/svg", **size, font_family="sans-serif", font_size=14):
        out.leaf("title", title)
        out.leaf("rect", **_attributes({"width": width, "height": height, "fill": "white"}))
        text(out, (24.0, 34.0), title, font_size=20, font_weight="bold")
        yield


@contextmanager
def drawing(out: XmlWriter, box: tuple[float, float, float, float], camera: Array) -> Iterator[None]:
    """Open a part of the picture: left, top, width, height. What is outside of it is not shown; its camera is in
    `data-camera`, row by row."""
    x, y, width, height = box
    area = {"x": x, "y": y, "width": width, "height": height, "viewBox": " ".join(map(_number, box))}
    with element(out, "svg", **area, data_camera=" ".join(f"{number:.9g}" for number in camera.ravel())):
        yield


def line(out: XmlWriter, points: Array, **style: object) -> None:
    """Write a line through points (k, 2)."""
    style = {"stroke": INK, "stroke_width": 2, **style, "fill": "none", "stroke_linejoin": "round"}
    out.leaf("polyline", points=" ".join(f"{_number(u)},{_number(v)}" for u, v in points), **_attributes(style))


def arrow(out: XmlWriter, points: Array, **style: object) -> None:
    """Write a line through points (k, 2) with a head at its end."""
    line(out, points, **style)
    tip = points[-1]
    before = next((p for p in points[::-1] if np.linalg.norm(tip - p) > 4.0), None)
    if before is not None:
        along = (tip - before) / np.linalg.norm(tip - before)
        size = 5.0 + 1.5 * float(str(style.get("stroke_width", 2)))
        side = np.array([-along[1], along[0]]) * size * 0.38
        head = [tip + along * size * 0.4, tip - along * size * 0.6 + side, tip - along * size * 0.6 - side]
        corners = " ".join(f"{_number(u)},{_number(v)}" for u, v in head)
        out.leaf("polygon", points=corners, **_attributes({"fill": style.get("stroke", INK)}))


def dot(out: XmlWriter, at: Array) -> None:
    """Write a small circle."""
    u, v = at
    out.leaf("circle", **_attributes({"cx": float(u), "cy": float(v), "r": 3.5, "fill": "white", "stroke": INK}))


def text(out: XmlWriter, at: Sequence[float] | Array, words: str, **style: object) -> None:
    """Write words at a point, on a white edge that keeps them legible on lines."""
    edge = {"stroke": "white", "stroke_width": 4, "paint_order": "stroke", "stroke_linejoin": "round"}
    out.leaf("text", words, **_attributes({"x": float(at[0]), "y": float(at[1]), "fill": INK, **edge, **style}))


def triad(out: XmlWriter, camera: Array, T: Array, length: float, *, labels: bool, **style: object) -> None:
    """Write the axes of a frame T (4, 4), `length` pixels long where parallel to the picture, the farthest first. Each
    has its own colour and dashes, unless `style` has a `stroke`."""
    towards = np.cross(camera[0, :3], -camera[1, :3]) @ T[:3, :3]
    for i in np.argsort(towards.round(6), kind="stable"):
        name, colour, dashes = AXES[i]
        look = style if "stroke" in style else {"stroke": colour, "stroke_dasharray": dashes, **style}
        ends = project(camera, T[:3, 3] + np.outer((0.0, length / scale_of(camera)), T[:3, i]))
        arrow(out, ends, class_=name, **look)
        if labels:
            along = ends[1] - ends[0]
            at = ends[1] + along * (14.0 / max(float(np.linalg.norm(along)), 14.0)) + (0.0, 5.0)
            text(out, at, name, text_anchor="middle", fill=look["stroke"], font_size=17, font_weight="bold")


def matrix(out: XmlWriter, at: tuple[float, float], title: str, T: Array, cell: float, decimals: int) -> None:
    """Write a matrix, with columns `cell` pixels wide, below its title."""
    x, y = at
    text(out, (x, y), title, font_weight="bold")
    for i, row in enumerate(T):
        for j, value in enumerate(row):
            place = (x + cell * (j + 1), y + LINE * (i + 1.2))
            text(out, place, _entry(float(value), decimals), text_anchor="end", font_family="monospace", font_size=13)
    right, bottom = x + cell * T.shape[1] + 5.0, y + LINE * (T.shape[0] + 0.5)
    for edge, inner in ((x, x + 6.0), (right, right - 6.0)):
        top = y + 8.0
        line(out, np.array([(inner, top), (edge, top), (edge, bottom), (inner, bottom)]), stroke_width=1)


def _entry(value: float, decimals: int) -> str:
    if not abs(value) < 1e4:
        return f"{value:.2e}"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def _attributes(style: dict[str, object]) -> dict[str, str | None]:
    """Return attributes as XML has them: `-` for `_` inside of names, numbers to a thousandth of a pixel."""
    names = {key: key if key.endswith("_") else key.replace("_", "-") for key in style}
    return {
        names[key]: None if value is None else _number(value) if isinstance(value, int | float) else str(value)
        for key, value in style.items()
    }


def _number(value: float) -> str:
    return f"{round(float(value), 3) + 0.0:.3f}".rstrip("0").rstrip(".")
