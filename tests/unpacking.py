"""Meshes of a page taken apart again, written from the description of the format alone."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np


def unpacked(described: dict, data: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of a mesh, one byte after the other, as a slow reader would."""
    n, m, at = described["vertices"], described["triangles"], described["at"]
    whole = data[at : at + 6 * n + 9 * m]
    assert len(whole) == 6 * n + 9 * m
    indices, new, of = [], 0, whole[6 * n :]
    for i in range(3 * m):
        back = of[i] + 256 * of[3 * m + i] + 65536 * of[6 * m + i]
        indices.append(new - back)
        new += back == 0
    assert new == n
    return points_of(described, data), np.reshape(indices, (m, 3))


def points_of(described: dict, data: bytes) -> np.ndarray:
    """Vertices (n, 3) of a mesh."""
    n, at = described["vertices"], described["at"]
    whole = data[at : at + 6 * n]
    vertices = np.zeros((n, 3))
    for axis in range(3):
        value = 0
        for i in range(n):
            zigzag = whole[axis * n + i] + 256 * whole[3 * n + axis * n + i]
            value = (value + (zigzag >> 1 if zigzag % 2 == 0 else -(zigzag + 1 >> 1))) % 65536
            vertices[i, axis] = described["low"][axis] + described["step"] * value
    return vertices


def scene_of(html: str) -> dict:
    """Scene of a page."""
    (text,) = re.findall(r'<script type="text/plain" id="kinetree-scene">(.*?)</script>', html, re.DOTALL)
    return json.loads(zlib.decompress(base64.b64decode(text)))


def parts(html: str) -> tuple[dict, bytes, list[str]]:
    """Scene, bytes of the meshes and scripts of a page."""
    (text,) = re.findall(r'<script type="text/plain" id="kinetree-meshes">(.*?)</script>', html, re.DOTALL)
    scripts = re.findall(r'<script type="module">(.*?)</script>', html, re.DOTALL)
    return scene_of(html), zlib.decompress(base64.b64decode(text)) if text else b"", scripts
