"""A robot as a picture, PNG or SVG, without a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kinetree.errors import Finding
from kinetree.lab.reach.map import ReachMap
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.viewing.camera import DIRECTION, Camera, camera_at
from kinetree.viewing.parts import AXES, finite_poses, last_frames
from kinetree.viewing.plotting import halo, new_figure, written
from kinetree.viewing.raster import shaded
from kinetree.viewing.scene.loops import loop_ends, open_loops, start
from kinetree.viewing.scene.meshes import MeshFiles
from kinetree.viewing.scene.roles import roles_of
from kinetree.viewing.scene.shapes import Shapes
from kinetree.viewing.surfaces import BOX_COLOUR, Soups, crossed_boxes, surfaces
from kinetree.viewing.voxels import check_map, coloured, cubes

if TYPE_CHECKING:
    from collections.abc import Collection

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SIZE = (960, 720)
"""Width and height of a picture, pixels."""
ROLES = ("base", "tool0")
"""Roles of the frames whose axes are drawn."""
LENGTH = 0.12
"""Length of these axes, in diagonals of the bounds."""
BOX = 0.06
"""Edges of the boxes for shapes that are not shown, in diagonals of the bounds."""
LEAST = 1e-3
"""Least diagonal of the bounds, m."""
NEAR_COLOUR = "#8e24aa"
"""Colour of the line between the nearest links, as on the page."""
OPEN_COLOUR = "#d50000"
"""Colour of the line between the ends of an open loop, as on the page."""


def picture(
    robot: Robot,
    q: Array | None = None,
    suffix: str = ".png",
    *,
    size: tuple[int, int] = SIZE,
    direction: tuple[float, float, float] = DIRECTION,
    reach: ReachMap | None = None,
    contact: bool = False,
) -> tuple[bytes, tuple[Finding, ...]]:
    """Return a picture of a robot in the format of a suffix, such as ".png" or ".svg", and findings about visual shapes
    that cannot be shown.

    q (nq,): m and rad, by default neutral, or closed as on the page; a line is drawn between the ends of a loop that is
    open. size: width and height, pixels. direction: from the robot to the camera, in the root link. reach: a map of the
    robot, drawn as cubes, without the half towards the camera; the redder, the fewer orientations are reached. contact:
    draw links in contact red, and where there are none the nearest two with a line and their distance. The visual
    shapes are drawn without planes, or, if there are none, collision shapes, or links and the axes of joints as lines;
    crossed boxes for shapes that cannot be shown, as on the page; and the axes of the frames `base` and `tool0`, x red,
    y green, z blue. Raises KinetreeError without matplotlib, for a format that it does not write, and for poses that
    are not finite.
    """
    q = start(robot, q)
    T = poses(robot, q)
    figure = new_figure((size[0] / 100.0, size[1] / 100.0), suffix)
    panel = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, size[0]), ylim=(size[1], 0))
    panel.set_axis_off()
    soups = Soups()
    shapes = Shapes(robot, MeshFiles(packed=soups))
    touching: Collection[str] = ()
    nearest, lost = None, list[Finding]()
    if contact:
        from kinetree.viewing.scene.contact import touching_at  # takes long

        touching, nearest, lost = touching_at(robot, q)
    triangles, colours = surfaces(shapes, soups, T, touching)
    if reach is not None:
        check_map(robot, reach)
        parts = zip((triangles, colours), cubes(reach, T[reach.base], direction), strict=True)
        triangles, colours = (np.concatenate(both) for both in parts)
    ends = [T[end] @ P for loop in robot.loops.values() for end, P in loop_ends(loop)]
    points = triangles.reshape(-1, 3) if len(triangles) else np.array([pose[:3, 3] for pose in (*T.values(), *ends)])
    points = np.concatenate([points, crossed_boxes(shapes, T, 0.0).reshape(-1, 3)])
    diagonal = max(float(np.linalg.norm(np.ptp(points, axis=0))), LEAST)
    shown = {name: T[name] for name, role in roles_of(robot).items() if role in ROLES}
    boxes = crossed_boxes(shapes, T, BOX * diagonal)
    tips = np.array([P[:3, 3] + LENGTH * diagonal * axis for P in shown.values() for axis in P[:3, :3].T])
    camera = camera_at(points, size, direction, np.concatenate([tips.reshape(-1, 3), boxes.reshape(-1, 3)]))
    if len(triangles):
        extent = (0, size[0], size[1], 0)
        panel.imshow(shaded(camera, triangles, colours), extent=extent, interpolation="none", aspect="auto")
    else:
        for line, colour, width in sticks(camera, robot, T, diagonal):
            panel.plot(*line.T, color=colour, linewidth=width)[0].set(solid_capstyle="round", solid_joinstyle="round")
    for ends in camera.project(boxes):
        panel.plot(*ends[:, :2].T, color=BOX_COLOUR, linewidth=1.5)
    if reach is not None and reach.grid.orientations > 1:
        legend(figure)
    for points, text in open_loops(robot, q, T):
        gap(panel, camera, points, text, OPEN_COLOUR)
    if nearest:
        gap(panel, camera, nearest.points, f"{1e3 * nearest.distance:.1f} mm", NEAR_COLOUR)
    for name, pose in shown.items():
        triad(panel, camera, pose, LENGTH * diagonal, name)
    data = written(figure, suffix)
    if suffix == ".svg":
        data = data.replace(b"image-rendering:crisp-edges;image-rendering:pixelated", b"")  # smooth if it is enlarged
    return data, (*shapes.findings.values(), *lost)


def gap(panel: Axes, camera: Camera, points: Array, text: str, colour: str) -> None:
    """Draw a line between two points (2, 3), m, and a text towards the middle, such as their distance."""
    ends = camera.project(points)[:, :2]
    panel.plot(*ends.T, color=colour, linewidth=2.0, marker="o", markersize=4.0)
    x, y = ends.mean(axis=0)
    side, way = ("right", -8.0) if 2.0 * x > sum(panel.get_xlim()) else ("left", 8.0)
    look: dict[str, Any] = {"color": colour, "horizontalalignment": side, "path_effects": halo(), "parse_math": False}
    panel.text(x + way, y - 8.0, text, fontsize=10, **look)


def legend(figure: Figure) -> None:
    """Draw a bar with the colours of a reach map."""
    bar = figure.add_axes((0.03, 0.05, 0.2, 0.02), xticks=(0, 1), yticks=())
    bar.imshow(coloured(np.linspace(0.0, 1.0, 256))[None], extent=(0, 1, 0, 1), aspect="auto")
    bar.set_xticklabels(("few", "all"), fontsize=9)
    bar.set_title("orientations reached", fontsize=9)


def poses(robot: Robot, q: Array) -> dict[str, Array]:
    """Return T_root_frame (4, 4) of all frames. Raises KinetreeError for poses that are not finite."""
    return finite_poses(robot, q, [name for name, frame in robot.frames.items() if not frame.unplaced])


def triad(panel: Axes, camera: Camera, T: Array, length: float, name: str) -> None:
    """Draw the axes of a frame T (4, 4), m, and its name."""
    for i, (_, colour, _) in sorted(enumerate(AXES), key=lambda row: T[:3, row[0]] @ camera.R[2]):
        ends = camera.project(T[:3, 3] + np.outer((0.0, length), T[:3, i]))
        panel.plot(*ends[:, :2].T, color=colour, linewidth=2.2, solid_capstyle="round")
    x, y, _ = camera.project(T[:3, 3])
    panel.text(x + 7, y + 16, name, fontsize=10, color="#222222", parse_math=False, path_effects=halo())


def sticks(camera: Camera, robot: Robot, T: dict[str, Array], diagonal: float) -> list[tuple[Array, str, float]]:
    """Return links and axes of joints as lines (k, 2), the farthest first, colours and widths. T: poses of frames."""
    lines: list[tuple[Array, str, float]] = []
    for joint in robot.joints.values():
        before = T[joint.parent] @ joint.origin
        chain = camera.project(np.array([T[joint.parent][:3, 3], before[:3, 3], T[joint.child][:3, 3]]))
        lines.append((chain, "#5c6b7a", 5.0) if joint.kind.nq else (chain, "#c3cad2", 2.0))
        for axis in joint.axes:
            step = 0.025 * diagonal * before[:3, :3] @ axis
            ends = camera.project(before[:3, 3] + np.outer((-1.0, 1.0), step))
            lines.append((ends - (0.0, 0.0, 0.05 * diagonal), "#e8890c", 4.5))
    tips = [(T[link], T[frame]) for link, frame in last_frames(robot).items()]
    tips += [(T[end], T[end] @ P) for loop in robot.loops.values() for end, P in loop_ends(loop)]
    for one, other in tips:
        lines.append((camera.project(np.array([one[:3, 3], other[:3, 3]])), "#5c6b7a", 5.0))
    lines.sort(key=lambda row: -float(row[0][:, 2].mean()))
    return [(points[:, :2], colour, width) for points, colour, width in lines]
