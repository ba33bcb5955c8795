"""Figure of a joint: the frames on its two sides, and the transforms between them.

After the wiki of the Robotics Toolbox, "Link frame and joint definitions": A(q) = Ts v(q), in red what belongs to the
link, in blue what belongs to its parent.
"""

from collections.abc import Sequence
from math import cos, pi, sin

import numpy as np

from kinetree.model.robot import Joint, Robot
from kinetree.queries.joints import joint_motion, joint_origin, joint_pose, own_coordinates
from kinetree.spatial import Array, se3
from kinetree.syntax.xml.writer import XmlWriter
from kinetree.viewing.parts import joint_text, matrix, name_text, triad
from kinetree.viewing.projection import camera_matrix, check_finite, clear_view, project, scale_of
from kinetree.viewing.svg import LINE, area, arrow, element, line, picture, text

WIDTH, TOP, HEIGHT, SIDE = 960.0, 52.0, 540.0, 620.0
"""Width of the picture, where the drawing begins, its height, and where the column of names begins, pixels."""
LENGTH, REACH, RADIUS = 100.0, 125.0, 70.0
"""Length of the axes of the frames, of half of the axis of a joint, and of the arc of a rotation, pixels."""
RED, BLUE = "#c8102e", "#1f4fd8"
ANGLE = 2.0 * pi / 9.0
"""Angle by which the figure turns a joint, rad, if its limits permit."""
LOOKS: dict[str, tuple[str, dict[str, object]]] = {
    "parent": ("{p(k)}, the frame of the parent link", {"stroke": BLUE, "stroke_width": 3.5}),
    "link": ("{k}, the frame of the link, moved", {"stroke": RED, "stroke_width": 3.5}),
    "Ts": ("Ts, constant: from {p(k)} to the joint", {"stroke_width": 2.5, "stroke_dasharray": "9 5"}),
    "joint": ("frame of the joint before it moves", {"stroke": RED, "stroke_width": 1.5, "stroke_dasharray": "5 4"}),
    "axis": ("axis of the joint", {"stroke_width": 1.5, "stroke_dasharray": "14 4 2 4"}),
    "v": ("v(q), the motion of the joint", {"stroke_width": 5}),
    "constant": ("C, constant: from the joint to {k}", {"stroke_width": 2, "stroke_dasharray": "2 4"}),
}
"""What the lines mean, and how they look."""


def joint_figure(robot: Robot, joint: str, q: Array | None = None) -> str:
    """Return a figure of a joint as SVG text: the frame {p(k)} of its parent link in blue and, in red, the constant Ts,
    the axis, the motion v(q) and the frame {k} of its child link, with their numbers.

    q: (nq,) of the robot, m and rad; by default the joint moves within its limits. The drawing has its camera in
    `data-camera`: the 8 numbers of a matrix (2, 4) from metres in the parent link to pixels. Where a short Ts would
    hide one frame in the other, the parent is drawn apart, and a note says so. Raises KinetreeError for an unknown
    joint and poses that are not finite.
    """
    found = robot.joints[joint]
    Ts = joint_origin(robot, joint)
    own = _some_motion(found, float(np.linalg.norm(Ts[:3, 3]))) if q is None else own_coordinates(robot, joint, q)
    with np.errstate(all="ignore"):
        v, A = joint_motion(robot, joint, own), joint_pose(robot, joint, own)
    check_finite([Ts, A])
    out = XmlWriter()
    with picture(out, WIDTH, TOP + HEIGHT + 150.0, f"Joint {name_text(joint)} of {name_text(robot.name)}"):
        note = _draw(out, found, Ts, Ts @ v, A, own)
        _legend(out, found, own, note)
        poses = {"Ts": Ts, "v(q)": v, "C": found.child_origin, "A(q) = Ts v(q) C": A}
        if _ends_at_joint(found):
            poses = {"Ts": Ts, "v(q)": v, "A(q) = Ts v(q)": A}
        cell, decimals = (54.0, 3) if len(poses) == 4 else (70.0, 5)
        for i, (name, T) in enumerate(poses.items()):
            at = (24.0 + (WIDTH - 24.0) / len(poses) * i, TOP + HEIGHT + 20.0)
            matrix(out, at, f"{name} (lengths in m)" if i == 0 else name, T, cell, decimals)
    return out.text()


def _ends_at_joint(joint: Joint) -> bool:
    """Return whether the frame of the child link is that of the joint after its motion."""
    return np.array_equal(joint.child_origin, np.eye(4))


def _some_motion(joint: Joint, length: float) -> Array:
    """Return numbers (nq_joint,) of a joint that show its motion, within its limits. length: of its Ts, m."""
    q = np.array([ANGLE if angular else 0.6 * length or 0.1 for angular in joint.kind.angular])
    if joint.kind.quaternion:
        q[joint.kind.quaternion] = [*(np.full(3, sin(ANGLE / 2.0) / 3.0**0.5)), cos(ANGLE / 2.0)]
        return q
    for i, limit in enumerate(joint.limits):
        q[i] = max((min(max(x, limit.lower), limit.upper) for x in (q[i], -q[i])), key=abs)
    return q


def _curves(joint: Joint, q: Array, radius: float) -> list[Array]:
    """Return the paths (n, 3), before Ts, that show a motion from neutral to q: of the origin, and of the end of an arm
    at a right angle to the axis, about where the origin ends; without those that stay."""
    kind, start = joint.kind, np.array(joint.kind.neutral)
    if kind.quaternion and q[kind.quaternion][3] < 0.0:
        q = np.array([*q[: kind.quaternion.start], *-q[kind.quaternion]])  # the same rotation
    angles = float(np.abs(q[list(kind.angular)]).sum()) + (2.0 * pi if kind.quaternion else 0.0)
    times = np.linspace(0.0, 1.0, 2 + int(min(700.0, 12.0 * angles)))
    T = np.array([kind.transform(joint.axes, joint.pitch, start + t * (q - start)) for t in times])
    n = se3.quaternion_from_rotation(T[1, :3, :3])[:3]
    n = n / max(float(np.linalg.norm(n)), 1e-300)
    arm = np.eye(3)[int(np.argmin(np.abs(n).round(6)))]
    arm = (arm - n * (n @ arm)) * (radius / np.linalg.norm(arm - n * (n @ arm)))
    ends = [T[:, :3, 3], *([T[:, :3, :3] @ arm + T[-1, :3, 3]] if n.any() else [])]
    return [path for path in ends if np.ptp(path, axis=0).any()]


def _draw(out: XmlWriter, joint: Joint, Ts: Array, moved: Array, A: Array, q: Array) -> str:
    """Write the drawing, and return a note if the parent is drawn apart."""
    axes = [(moved if i else Ts)[:3, :3] @ axis for i, axis in enumerate(joint.axes)]
    path = np.array([np.zeros(3), Ts[:3, 3], moved[:3, 3], A[:3, 3]])
    R = clear_view(np.vstack([np.eye(3), A[:3, :3].T, *axes]), path)
    size, length = float(np.linalg.norm(path[2:] - path[1], axis=1).max()), float(np.linalg.norm(path[1]))
    if apart := length <= 0.25 * size:
        path[0] = path[1] - (R[0] + 0.4 * R[1]) * (size or 1.0)
    camera = camera_matrix(R, path, (REACH + 20.0, TOP + REACH, SIDE - REACH - 40.0, TOP + HEIGHT - REACH))
    scale, (start, end, *constant) = scale_of(camera), project(camera, path)
    lines = [path[1] + np.outer((-REACH / scale, REACH / scale), axis) for axis in axes]
    curves = [project(camera, path @ Ts[:3, :3].T + Ts[:3, 3]) for path in _curves(joint, q, RADIUS / scale)]
    with area(out, (0.0, TOP, WIDTH, HEIGHT), data_camera=camera):
        for ends in lines:
            _line(out, "axis", project(camera, ends))
        if joint.kind.nq:
            _frame(out, camera, "joint", Ts)
        _line(out, "Ts", np.array([start, end]))
        if (path[3] - path[2]).any():
            _line(out, "constant", np.array(constant))
        _frame(out, camera, "parent", se3.translation(path[0]))
        _frame(out, camera, "link", A)
        for curve in curves:
            _line(out, "v", curve)
        _label(out, camera, se3.translation(path[0]), [path[1]], "{p(k)}", BLUE)
        _label(out, camera, A, np.vstack([path[0], *lines]), "{k}", RED)
        _beside(out, 0.35 * start + 0.65 * end, end - start, "Ts")
        for curve in curves[-1:]:
            middle = curve[(len(curve) - 1) // 2 : len(curve) // 2 + 1].mean(axis=0)
            _beside(out, middle, curve[-1] - curve[0], "v(q)", end)
    return f"{{p(k)}} is drawn apart: Ts moves it {1000.0 * length:.4g} mm" if apart else ""


def _line(out: XmlWriter, name: str, points: Array) -> None:
    (line if name == "axis" else arrow)(out, points, class_=name, **{"stroke": RED, **LOOKS[name][1]})


def _frame(out: XmlWriter, camera: Array, name: str, T: Array) -> None:
    with element(out, "g", class_=f"frame {name}"):
        triad(out, camera, T, LENGTH, labels=name != "joint", **LOOKS[name][1])


def _label(out: XmlWriter, camera: Array, T: Array, others: Sequence[Array] | Array, words: str, colour: str) -> None:
    """Write words beside the origin of a frame, in the direction that is farthest from its axes and other points."""
    origin = project(camera, T[:3, 3])
    lines = project(camera, np.vstack([(T[:3, :3] / scale_of(camera) + T[:3, 3:]).T, *others])) - origin
    used = np.arctan2(lines[:, 1], lines[:, 0])[np.hypot(*lines.T) > 1e-6]
    angle = min(np.arange(16) * pi / 8.0, key=lambda t: float(np.cos(used - t).max().round(6)))
    at = (origin[0] + (12.0 + 5.5 * len(words)) * cos(angle), origin[1] + 24.0 * sin(angle) + 6.0)
    text(out, at, words, fill=colour, font_size=19, font_weight="bold", text_anchor="middle")


def _beside(out: XmlWriter, at: Array, along: Array, words: str, away: Array | None = None) -> None:
    """Write words at the side of a line: its upper side, or that away from a point."""
    side = np.array([along[1], -along[0]]) / max(float(np.linalg.norm(along)), 1.0)
    outward = (0.0, -1.0) if away is None or abs(side @ (at - away)) < 1.0 else at - away
    at = at + 26.0 * (side if side @ outward >= 0.0 else -side) + (0.0, 6.0)
    text(out, at, words, fill=RED, font_size=17, font_style="italic", text_anchor="middle")


def _legend(out: XmlWriter, joint: Joint, q: Array, note: str) -> None:
    """Write what the lines mean, and the names of the links."""
    more = {"parent": name_text(joint.parent), "link": name_text(joint.child), "v": joint_text(joint.kind, q)}
    fixed = not joint.kind.nq
    unused = {"axis": not len(joint.axes), "joint": fixed, "v": fixed, "constant": _ends_at_joint(joint)}
    y = TOP + 40.0
    for name, (words, look) in LOOKS.items():
        if not unused.get(name):
            _line(out, name, np.array([(SIDE, y - 5.0), (SIDE + 40.0, y - 5.0)]))
            text(out, (SIDE + 58.0, y), words)
            text(out, (SIDE + 58.0, y + LINE), more.get(name, ""), font_weight="bold", fill=look.get("stroke", RED))
            y += LINE * (2.5 if name in more else 1.5)
    for words in ("blue: of the parent link, red: of the link", note):
        y += LINE
        text(out, (SIDE, y), words)
