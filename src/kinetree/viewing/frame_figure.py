"""Figure of a frame of a robot: the chain of joints from the root to it, and where its axes point."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import floor, log10

import numpy as np

from kinetree.model.robot import NO_AXES, Joint, Robot
from kinetree.queries.joints import own_coordinates
from kinetree.queries.query import frames_of
from kinetree.spatial import Array, se3
from kinetree.syntax.xml.writer import XmlWriter
from kinetree.viewing.parts import AXES, finite_poses, joint_text, matrix, name_text, triad
from kinetree.viewing.projection import camera_matrix, clear_view, project, scale_of
from kinetree.viewing.svg import LINE, area, arrow, element, line, picture, text

WIDTH, TOP, LEAST = 960.0, 52.0, 580.0
"""Width of the picture, where the drawing begins, and its least height, pixels."""
SIDE = 620.0
"""Where the column of names begins."""
LARGE, MEDIUM, SMALL, ICON = 95.0, 55.0, 30.0, 22.0
"""Lengths of the axes of the frame, of the root, of joints, and in the column of names, pixels."""
ROW = 52.0
"""Distance of names in the column, pixels, where there is enough for it."""
AXIS_LINE: dict[str, object] = {"stroke": "#8a5a00", "stroke_width": 1.5, "stroke_dasharray": "10 3 2 3"}


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A name in the column: of a frame T (4, 4) in the root link, with the axes (k, 3) of a joint."""

    name: str
    T: Array
    length: float
    kind: str = ""
    axes: Array = field(default_factory=lambda: NO_AXES)


def frame_figure(robot: Robot, frame: str, q: Array | None = None) -> str:
    """Return a figure of a frame as SVG text: the chain from the root link to it, with the frames and axes of its
    joints, the rest of the robot in grey, and the numbers of T_root_frame.

    q: (nq,), m and rad; neutral by default. The drawing has its camera in `data-camera`: the 8 numbers of a matrix
    (2, 4) from metres in the root link to pixels. Raises KinetreeError for an unknown frame and poses that are not
    finite.
    """
    (frame,) = frames_of(robot, [frame])
    values = robot.q() if q is None else q
    T = finite_poses(robot, values, [*robot.links, frame])
    chain = robot.joints_to(robot.frames[frame].link)
    path = np.array([T[robot.root][:3, 3], *(p for joint in chain for p in _places(T, joint)), T[frame][:3, 3]])
    rows = [_Row(name_text(robot.root), T[robot.root], MEDIUM)] if frame != robot.root else []
    rows += [_joint_row(robot, T, joint, values) for joint in chain if joint.kind.nv]
    height = max(LEAST, LINE * (len(rows) + 2))
    R = clear_view(np.vstack([np.eye(3), T[frame][:3, :3].T]), path)
    margin = LARGE + 25.0
    camera = camera_matrix(R, path, (margin, TOP + margin, SIDE - margin, TOP + height - margin))
    out = XmlWriter()
    state = "at neutral" if np.array_equal(values, robot.q()) else "with joints moved"
    with picture(out, WIDTH, TOP + height + 165.0, f"{name_text(frame)} of {name_text(robot.name, 24)}, {state}"):
        with area(out, (0.0, TOP, WIDTH, height), data_camera=camera):
            with element(out, "g", class_="robot"):
                for joint in robot.joints.values():
                    points = np.array([T[joint.parent][:3, 3], *_places(T, joint)])
                    line(out, project(camera, points), stroke="#c4c4c4", stroke_width=3)
            look = {"stroke": "#777777", "stroke_width": 6, "stroke_linecap": "round"}
            line(out, project(camera, path), class_="chain", **look)
            _name(out, camera, [*rows, _Row(name_text(frame), T[frame], LARGE)], TOP + height)
            for row in rows:
                _draw(out, camera, row)
            with element(out, "g", class_="frame", data_name=name_text(frame)):
                triad(out, camera, T[frame], LARGE, labels=True, stroke_width=4.5)
        title = f"T of {name_text(frame)} in {name_text(robot.root)}, m"
        matrix(out, (24.0, TOP + height + 28.0), title, T[frame], 88.0, 6)
        _legend(out, (460.0, TOP + height + 28.0), scale_of(camera))
    return out.text()


def _after(T: dict[str, Array], joint: Joint) -> Array:
    """Return the pose of the frame of a joint after its motion, in the root link."""
    return se3.without(T[joint.child], joint.child_origin)


def _places(T: dict[str, Array], joint: Joint) -> list[Array]:
    """Return the points of a joint: before and after its motion, and the origin of its child link."""
    return [(T[joint.parent] @ joint.origin)[:3, 3], _after(T, joint)[:3, 3], T[joint.child][:3, 3]]


def _joint_row(robot: Robot, T: dict[str, Array], joint: Joint, q: Array) -> _Row:
    kind = joint_text(joint.kind, own_coordinates(robot, joint.name, q))
    before, after = T[joint.parent] @ joint.origin, _after(T, joint)
    axes = [(after if i else before)[:3, :3] @ axis for i, axis in enumerate(joint.axes)]
    return _Row(name_text(joint.name, 24), after, SMALL, kind, np.reshape(axes, (-1, 3)))


def _draw(out: XmlWriter, camera: Array, row: _Row) -> None:
    """Write a frame, and the axes of its joint."""
    with element(out, "g", class_="joint" if row.length == SMALL else "root"):
        p, reach = row.T[:3, 3], 1.6 * row.length / scale_of(camera)
        for axis in row.axes:
            arrow(out, project(camera, np.array([p - reach * axis, p + reach * axis])), class_="axis", **AXIS_LINE)
        triad(out, camera, row.T, row.length, labels=False, stroke_width=2)


def _name(out: XmlWriter, camera: Array, rows: Sequence[_Row], bottom: float) -> None:
    """Write the names in a column in the order of their points, with lines to these and, if there is room, frames."""
    points = [project(camera, row.T[:3, 3]) for row in rows]
    order = sorted(range(len(rows)), key=lambda i: (round(float(points[i][1]) / 12.0), -i))
    space = min(ROW, (bottom - TOP) / (len(rows) + 1))
    heights = _spread([float(points[i][1]) for i in order], space, TOP + 0.8 * space, bottom - 0.8 * space)
    for i, y in zip(order, heights, strict=True):
        row, icon = rows[i], space >= 2.0 * ICON and rows[i].length < LARGE
        ends = np.array([(SIDE, y), (SIDE - 14.0, y), points[i]])
        line(out, ends, class_="leader", stroke="#999999", stroke_width=0.8)
        at, strong = SIDE + (78.0 if icon else 6.0), None if row.kind else "bold"
        words = row.name if icon or not row.kind else f"{row.name} ({row.kind})"
        size = 14 if icon or not row.kind else 12
        text(out, (at, y + (0.0 if icon and row.kind else 5.0)), words, font_weight=strong, font_size=size)
        if icon:
            beside = np.column_stack([camera[:, :3], (SIDE + 38.0, y) - camera[:, :3] @ row.T[:3, 3]])
            with element(out, "g", class_="icon"):
                _draw(out, beside, replace(row, length=ICON))
                text(out, (at, y + 17.0), row.kind, font_size=12)


def _spread(wanted: Sequence[float], space: float, top: float, bottom: float) -> list[float]:
    """Return heights near the wanted ones, which ascend, at least `space` apart."""
    at: list[float] = []
    for y in wanted:
        at.append(max(y, at[-1] + space if at else top))
    for k in reversed(range(len(at))):
        at[k] = min(at[k], bottom - space * (len(at) - 1 - k))
    return at


def _legend(out: XmlWriter, at: tuple[float, float], scale: float) -> None:
    x, y = at
    for name, colour, dashes in [*AXES, ("", "", "")]:
        look = {"stroke": colour, "stroke_dasharray": dashes, "stroke_width": 3} if name else AXIS_LINE
        arrow(out, np.array([(x, y - 5.0), (x + 44.0, y - 5.0)]), **look)
        text(out, (x + 58.0, y), f"{name} of a frame" if name else "axis of a joint")
        y += LINE
    length = 10.0 ** floor(log10(200.0 / scale))
    ends = x + length * scale
    line(out, np.array([(x, y - 9.0), (x, y - 3.0), (ends, y - 3.0), (ends, y - 9.0)]), stroke_width=1.5)
    text(out, (ends + 14.0, y), f"{1000.0 * length:g} mm parallel to the picture")
