"""Cells of directions, on the faces of a cube, with the corners that can be farthest in one of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinetree.spatial.se3 import Array


def cell_of(d: Any, across: Any) -> Any:
    """Return the number of the cell of a direction on the cube of directions, `across` along an edge."""
    x, y, z = (abs(e) for e in d)
    on_x = np.where(np.less(x, y), 0.0, np.where(np.less(x, z), 0.0, 1.0))
    on_y = (1.0 - on_x) * np.where(np.less(y, z), 0.0, 1.0)

    def pick(a: Any, b: Any, c: Any) -> Any:
        return np.where(np.less(0.5, on_x), a, np.where(np.less(0.5, on_y), b, c))

    main, u, v = pick(d[0], d[1], d[2]), pick(d[1], d[2], d[0]), pick(d[2], d[0], d[1])
    size = np.maximum(abs(main), 1e-300)
    face = 2.0 * pick(0.0, 1.0, 2.0) + np.where(np.less(main, 0.0), 1.0, 0.0)
    i, j = (np.minimum(np.floor((e / size + 1.0) * 0.5 * across), across - 1.0) for e in (u, v))
    return (face * across + i) * across + j


def candidates(corners: Array, across: int) -> list[Array]:
    """Return, for each cell of directions, the numbers of the corners that can be the farthest in one of them."""
    ends = np.linspace(-1.0, 1.0, across + 1)
    size = float(np.abs(corners).max(initial=0.0))
    found = []
    for face in range(6):
        sign = -1.0 if face % 2 else 1.0
        for i in range(across):
            for j in range(across):
                uv = [(u, v) for u in (ends[i], ends[i + 1]) for v in (ends[j], ends[j + 1])]
                directions = np.array([np.roll([sign, u, v], face // 2) for u, v in uv])
                heights = corners @ directions.T
                rivals = heights[np.unique(heights.argmax(axis=0))]
                beaten = (rivals[None] > heights[:, None] + 1e-12 * size).all(axis=2).any(axis=1)
                found.append(np.flatnonzero(~beaten))
    return found
