"""A motion of a robot as an animated GIF, without a browser."""

from collections.abc import Mapping
from io import BytesIO
from itertools import product

import numpy as np

from kinetree.errors import Finding, fail
from kinetree.logs import Motion, filled
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.camera import DIRECTION, camera_at
from kinetree.viewing.picture import BOX, LEAST, SIZE, poses, sticks
from kinetree.viewing.raster import shaded
from kinetree.viewing.scene.loops import start
from kinetree.viewing.scene.meshes import MeshFiles
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.surfaces import BOX_COLOUR, Soups, crossed_boxes, surfaces, triangles_of

RATE = 20
"""Pictures per second. GIF counts in hundredths of a second."""
MOST = 600
"""Most pictures."""
PIXELS = 2_000_000_000
"""Most pixels of all pictures together, of a byte each."""
COLOURS = 32
"""Colours of a picture; fewer make a smaller file."""


def moving_picture(
    robot: Robot,
    motion: Motion,
    q: Array | None = None,
    *,
    size: tuple[int, int] = SIZE,
    direction: tuple[float, float, float] = DIRECTION,
) -> tuple[bytes, tuple[Finding, ...]]:
    """Return an animated picture, GIF, that repeats a motion, and findings about visual shapes that cannot be shown.

    There are 20 pictures per second, each with the last sample of the motion at its time; samples without times are
    20 per second. q (nq,): m and rad, of the coordinates that the motion does not have. size, direction: see `picture`.
    The camera sees all pictures. A robot without shapes is drawn as lines. Raises KinetreeError without matplotlib, for
    more than 600 pictures, and for poses that are not finite.
    """
    from PIL import Image, ImageDraw  # takes long, and is rarely needed

    soups = Soups()
    shapes = Shapes(robot, MeshFiles(packed=soups))
    samples = filled(robot, motion, start(robot, q))[_shown(motion)]
    if len(samples) > MOST:
        raise fail("picture", f"the motion takes {len(samples) / RATE:g} s; expected at most {MOST / RATE:g} s")
    if len(samples) * size[0] * size[1] > PIXELS:
        many = f"{len(samples)} pictures of {size[0]} x {size[1]} pixels need more memory than {PIXELS / 1e9:g} GB"
        raise fail("picture", many, fix="a smaller size (--size), or a shorter motion")
    placed = [poses(robot, sample) for sample in samples]
    corners = np.concatenate([_corners(shapes, soups, T) for T in placed])
    is_shaped = len(corners) > 0
    corners = corners if is_shaped else np.array([pose[:3, 3] for T in placed for pose in T.values()])
    diagonal = max(float(np.linalg.norm(np.ptp(corners, axis=0))), LEAST)
    boxes = [crossed_boxes(shapes, T, BOX * diagonal) for T in placed]
    camera = camera_at(np.concatenate([corners, *(lines.reshape(-1, 3) for lines in boxes)]), size, direction)
    pictures = []
    for T, lines in zip(placed, boxes, strict=True):
        if is_shaped:
            rgba = shaded(camera, *surfaces(shapes, soups, T))
            rgb = 1.0 - rgba[..., 3:] * (1.0 - rgba[..., :3])  # on white
            pictures.append(Image.fromarray(np.rint(255.0 * rgb).astype(np.uint8)))
        else:
            big = Image.new("RGB", (2 * size[0], 2 * size[1]), "white")  # twice as large, for smooth edges
            for points, colour, width in sticks(camera, robot, T, diagonal):  # 1.4 pixels a point
                ImageDraw.Draw(big).line([*map(tuple, 2 * points)], fill=colour, width=int(2.8 * width), joint="curve")
            pictures.append(big.reduce(2))
        for ends in camera.project(lines)[..., :2]:
            ImageDraw.Draw(pictures[-1]).line([*map(tuple, ends)], fill=BOX_COLOUR, width=2)
        palette = pictures[0].quantize(COLOURS) if len(pictures) == 1 else pictures[0]
        pictures[-1] = pictures[-1].quantize(palette=palette, dither=Image.Dither.NONE)  # a third of the memory
    first, *others = pictures
    data = BytesIO()
    first.save(data, "GIF", save_all=True, append_images=others, duration=1000 // RATE, loop=0, optimize=False)
    return data.getvalue(), tuple(shapes.findings.values())


def _shown(motion: Motion) -> Array:
    """Return the index of the sample of each picture."""
    if motion.times is None:
        return np.arange(len(motion.q))
    since = motion.times - motion.times[0]
    times = np.arange(int(np.floor(since[-1] * RATE + 1e-9)) + 1) / RATE
    return np.searchsorted(since, times + 1e-9, side="right") - 1


def _corners(shapes: Shapes, soups: Soups, T: Mapping[str, Array]) -> Array:
    """Return the corners (n, 3), m, of the bounds of all visual shapes, each in its own frame. T: of every link."""
    found = [np.zeros((0, 3))]
    for name, visuals in shapes.solids.items():
        for shape in visuals:
            if len(points := triangles_of(shape, soups).reshape(-1, 3)):
                box = np.array([*product(*zip(points.min(axis=0), points.max(axis=0), strict=True))])
                pose = T[name] @ np.reshape(shape["T"], (4, 4))
                found.append(box @ pose[:3, :3].T + pose[:3, 3])
    return np.concatenate(found)
