"""Colours of the materials in mesh files."""

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array

Rgba = tuple[float, float, float, float]
"""Red, green, blue and opacity in sRGB, from 0 to 1."""


def colour_of(visual: Any, ending: str) -> Rgba | None:
    """Return the colour of a part that trimesh has read, the mean of its texture or of its vertices; None without one.

    ending: of the file. The opacity of a DAE file is ignored, because programs disagree about its sense.
    """
    material = getattr(visual, "material", None)
    if material is not None:
        physical = hasattr(material, "baseColorFactor")  # of DAE and glTF; that of OBJ is simple
        factor = material.baseColorFactor if physical else material.diffuse
        image = material.baseColorTexture if physical else material.image
        if factor is None and image is None:
            return None
        colour = np.ones(4) if factor is None else _fractions(factor)
        colour = _srgb(colour) if ending in (".glb", ".gltf") else colour
        if image is not None:
            colour = (np.ones(4) if ending == ".obj" else colour) * mean_colour(image)
    elif getattr(visual, "kind", None) in ("vertex", "face"):
        colour = _fractions(np.mean(visual.vertex_colors, axis=0))
    else:
        return None
    red, green, blue, alpha = (round(float(x), 4) for x in colour.clip(0, 1))
    return red, green, blue, 1.0 if ending == ".dae" else alpha


def mean_colour(image: Any) -> Array:
    """Return the mean colour (4,) of an image of Pillow, from 0 to 1."""
    small = image.convert("RGBA").resize((1, 1), 4)  # the mean of all pixels
    return np.asarray(small, dtype=float).reshape(4) / 255.0


def _fractions(colour: Any) -> Array:
    """Return four numbers from 0 to 1 of a colour, which trimesh has as bytes or as fractions."""
    array = np.asarray(colour)
    scale = 255.0 if array.dtype.kind in "ui" or array.max() > 1.0 else 1.0
    return np.append(np.asarray(array, dtype=float).ravel() / scale, 1.0)[:4]


def _srgb(linear: Array) -> Array:
    """Return a linear colour in sRGB (IEC 61966-2-1); the opacity stays."""
    curve = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)
    return np.append(curve[:3], linear[3])
