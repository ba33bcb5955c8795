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
    """Return, for each cell of directions, the numbers of the corners that can be the farthest in one of them. `across`
    is a power of two: cells are cut in four, as only what is farthest in a whole can be so in a part."""
    return [own for face in range(6) for own in _of_face(corners, across, face)]


def _of_face(corners: Array, across: int, face: int) -> list[Array]:
    near = 1e-12 * float(np.abs(corners).max(initial=0.0))
    cells, count = [np.arange(len(corners))], 1
    while True:
        ends = np.linspace(-1.0, 1.0, count + 1)
        grid = np.full((count + 1, count + 1, 3), -1.0 if face % 2 else 1.0)
        grid[..., 1], grid[..., 2] = ends[:, None], ends
        grid = np.roll(grid, face // 2, axis=2)
        for k, own in enumerate(cells):
            i, j = divmod(k, count)
            heights = corners[own] @ grid[i : i + 2, j : j + 2].reshape(4, 3).T
            rivals = heights[heights.argmax(axis=0)]
            beaten = (rivals[:, None] > heights + near).all(axis=2).any(axis=0)
            cells[k] = own[~beaten]
        if count == across:
            return cells
        rows = [cells[i * count : (i + 1) * count] for i in range(count) for _ in range(2)]
        cells, count = [own for row in rows for own in row for _ in range(2)], 2 * count
