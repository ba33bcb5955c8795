"""Colours of the materials in mesh files."""

from typing import Any

import numpy as np

from kinetree.errors import fail
from kinetree.spatial.se3 import Array

Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity in sRGB, from 0 to 1."""
MOST_PIXELS = 40_000_000
"""Most pixels of a picture whose colour is read."""


def colour_of(visual: Any, ending: str) -> Rgba | None:
    """Return the colour of a part that trimesh has read, the mean of its texture or of its vertices; None without one.

    ending: of the file. The opacity of a DAE file is ignored, because programs disagree about its sense.
    """
    material = getattr(visual, "material", None)
    if material is not None:
        factor, image = material.baseColorFactor, material.baseColorTexture
        if factor is None and image is None:
            return None
        colour = np.ones(4) if factor is None else fractions(factor)
        colour = _srgb(colour) if ending in (".glb", ".gltf") else colour
        if image is not None:
            colour = colour * mean_colour(image)
    elif getattr(visual, "kind", None) in ("vertex", "face"):
        colour = fractions(np.mean(visual.vertex_colors, axis=0))
    else:
        return None
    return (*rounded(colour)[:3], 1.0) if ending == ".dae" else rounded(colour)


def rounded(colour: Array) -> Rgba:
    """Return four numbers of a colour from 0 to 1, to four digits."""
    red, green, blue, alpha = (round(float(x), 4) for x in colour.clip(0, 1))
    return red, green, blue, alpha


def mean_colour(image: Any) -> Array:
    """Return the mean colour (4,) of an image of Pillow, from 0 to 1."""
    if image.width * image.height > MOST_PIXELS:
        raise fail("mesh", f"a picture of {image.width} x {image.height} pixels; at most {MOST_PIXELS} are read")
    small = image.convert("RGBA").resize((1, 1), 4)  # the mean of all pixels
    return np.asarray(small, dtype=float).reshape(4) / 255.0


def fractions(colour: Any) -> Array:
    """Return four numbers from 0 to 1 of a colour, which trimesh has as bytes or as fractions."""
    array = np.asarray(colour)
    scale = 255.0 if array.dtype.kind in "ui" or array.max() > 1.0 else 1.0
    return np.append(np.asarray(array, dtype=float).ravel() / scale, 1.0)[:4]


def _srgb(linear: Array) -> Array:
    """Return a linear colour in sRGB (IEC 61966-2-1); the opacity stays."""
    curve = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)
    return np.append(curve[:3], linear[3])
