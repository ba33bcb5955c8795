"""Shaded triangles as an array of pixels, nearest first."""

import numpy as np
from numpy.typing import NDArray

from kinetree.spatial.se3 import Array
from kinetree.viewing.camera import Camera

AT_ONCE = 500_000
"""Samples that are looked at together, and about the most of a band of rows."""
FINE = 2
"""Samples of a pixel along each side."""
LIGHT = np.array((-0.35, 0.6, 0.72))
"""Direction to the light: right, up and towards the camera."""
DARKEST = 0.3
"""Brightness of a surface that looks away from the light."""
EDGE = 0.6
"""Brightness of outlines."""
STEP = 0.012
"""Relative step of the distance at which there is an outline, unless the surface goes on as steep."""


def shaded(camera: Camera, triangles: Array, colours: Array) -> Array:
    """Return a picture (height, width, 4), rgba in [0, 1], of triangles (n, 3, 3), m, of colours (n, 4)."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(normals, axis=1)
    kept = (length > 0) & (colours[:, 3] > 0)
    triangles, colours, normals = triangles[kept], colours[kept], normals[kept] / length[kept, None]
    towards = np.einsum("ij,ij->i", normals, camera.eye - triangles.mean(axis=1))
    normals *= np.where(towards < 0, -1.0, 1.0)[:, None]  # files often have faces inside out
    light = LIGHT / np.linalg.norm(LIGHT) @ camera.R
    bright = DARKEST + (1.0 - DARKEST) * (0.5 + 0.5 * normals @ light) ** 1.5
    lit = np.concatenate([np.clip(colours[:, :3] * bright[:, None], 0.0, 1.0), colours[:, 3:]], axis=1)
    points = camera.project(triangles) * (FINE, FINE, 1.0)
    width, height = camera.size
    low, high = points[..., 1].min(axis=1), points[..., 1].max(axis=1)
    made = np.empty((height, width, 4), dtype=np.float32)
    step = max(AT_ONCE // (FINE**2 * width), 1)
    for top in range(0, height, step):
        end = min(top + step, height)
        near = (high >= FINE * top) & (low <= FINE * end + 2)
        made[top:end] = _band(points[near], lit[near], FINE * width, (FINE * top, FINE * end))
    return made


def _band(points: Array, lit: Array, width: int, rows: tuple[int, int]) -> Array:
    """Return the pixels of rows of samples from one to another."""
    solid = lit[:, 3] > 0.99
    picture, depth = _layer(points[solid], lit[solid], width, rows)
    if not solid.all():
        veil, veil_depth = _layer(points[~solid], lit[~solid], width, rows)
        veil[veil_depth <= depth] = 0.0  # behind what is solid
        share = veil[..., 3:]
        below = picture[..., 3:] * (1.0 - share)
        colour = (veil[..., :3] * share + picture[..., :3] * below) / np.maximum(share + below, 1e-9)
        picture = np.concatenate([colour, share + below], axis=-1)
    return _averaged(picture)


def _layer(points: Array, lit: Array, width: int, rows: tuple[int, int]) -> tuple[Array, Array]:
    """Return the colours (rows, width, 4) of the nearest triangles, and 1 / distance (rows, width), 0 if none."""
    nearest = _nearest(points, width, rows[1] + 2, rows[0])  # outlines need two rows below
    depth = (nearest >> np.uint64(32)).astype(np.uint32).view(np.float32)
    picture = np.zeros((*nearest.shape, 4), dtype=np.float32)
    seen = nearest > 0
    picture[seen] = lit[(nearest[seen] & np.uint64(0xFFFFFFFF)).astype(np.int64)]
    for axis in (0, 1):
        ahead, beyond, here = np.roll(depth, -1, axis), np.roll(depth, -2, axis), depth
        bend = np.minimum(np.abs(ahead - here), np.abs(beyond - 2 * ahead + here))  # 1 / distance is linear on a face
        picture[(bend > STEP * np.maximum(ahead, here)) & seen, :3] *= EDGE
    return picture[:-2], depth[:-2]


def _nearest(points: Array, width: int, height: int, top: int = 0) -> NDArray[np.uint64]:
    """Return the nearest triangle for each pixel (rows, width): bits of 1 / distance, then its number; 0 if none."""
    found = np.zeros(width * (height - top), dtype=np.uint64)
    flat, near = points[..., :2], 1.0 / points[..., 2]
    low = np.clip(np.ceil(flat.min(axis=1) - 0.5), (0, top), (width, height)).astype(np.int64)
    high = np.clip(np.floor(flat.max(axis=1) - 0.5), (-1, top - 1), (width - 1, height - 1)).astype(np.int64)
    sides = np.maximum(high - low + 1, 0)
    a, u, v = flat[:, 0], flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    kept = np.flatnonzero((sides.prod(axis=1) > 0) & (area != 0))
    counts = sides[kept].prod(axis=1)
    parts = np.searchsorted(np.cumsum(counts), np.arange(AT_ONCE, counts.sum() + AT_ONCE, AT_ONCE), side="left") + 1
    start = 0
    for stop in dict.fromkeys(np.minimum(parts, len(kept))):
        some, count = kept[start:stop], counts[start:stop]
        start = stop
        which = np.repeat(some, count)
        offset = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        x = low[which, 0] + offset % sides[which, 0]
        y = low[which, 1] + offset // sides[which, 0]
        dx, dy = x + 0.5 - a[which, 0], y + 0.5 - a[which, 1]
        s = (dx * v[which, 1] - dy * v[which, 0]) / area[which]
        t = (dy * u[which, 0] - dx * u[which, 1]) / area[which]
        inside = (s >= 0) & (t >= 0) & (s + t <= 1)
        which, s, t, at = which[inside], s[inside], t[inside], ((y - top) * width + x)[inside]
        depth = near[which, 0] + s * (near[which, 1] - near[which, 0]) + t * (near[which, 2] - near[which, 0])
        key = depth.astype(np.float32).view(np.uint32).astype(np.uint64) << np.uint64(32) | which.astype(np.uint64)
        np.maximum.at(found, at, key)
    return found.reshape(-1, width)


def _averaged(picture: Array) -> Array:
    """Return a picture with FINE x FINE pixels in one."""
    height, width = picture.shape[0] // FINE, picture.shape[1] // FINE
    picture[..., :3] *= picture[..., 3:]
    parts = picture.reshape(height, FINE, width, FINE, 4)
    total: Array = np.sum([parts[:, i, :, j] for i in range(FINE) for j in range(FINE)], axis=0)
    total[..., :3] /= np.maximum(total[..., 3:], 1e-9)
    total[..., 3] /= FINE**2
    return total
