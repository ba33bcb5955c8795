"""Parts that figures share: names, ends of links, triads of axes, matrices."""

from collections.abc import Sequence

import numpy as np

from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.errors import shortened, visible
from kinetree.model.joints import JointType
from kinetree.model.robot import Robot
from kinetree.queries.query import tree
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.writer import XmlWriter
from kinetree.viewing.projection import check_finite, project, scale_of
from kinetree.viewing.svg import INK, LINE, arrow, attributes, line, text

AXES = (("x", "#d1170d", None), ("y", "#0a7d1e", "8 3"), ("z", "#1f4fd8", "2 3"))
"""Name, colour and dashes of the axes of a frame."""


def name_text(name: str, most: int = 40) -> str:
    """Return a name for a picture: without characters that XML forbids, and not too long."""
    return shortened(visible(name), most)


def joint_text(kind: JointType, q: Array) -> str:
    """Return a type of joint and, if it has one coordinate, that in degrees or millimetres."""
    if not kind.single:
        return kind.name
    return f"{kind.name}, {np.rad2deg(q[0]):.4g}°" if kind.turns else f"{kind.name}, {1000.0 * q[0]:.4g} mm"


def last_frames(robot: Robot) -> dict[str, str]:
    """Return the frame where each link without child joints ends: the farthest of its frames, if it is not the link's
    own. A robot that is drawn as lines has a line from the link to it, such as from the last joint to the tip."""
    found: dict[str, tuple[float, str]] = {}
    carrying = {joint.parent for joint in robot.joints.values()}
    for name, frame in robot.frames.items():
        far = float(np.linalg.norm(frame.origin[:3, 3]))
        if frame.link not in carrying and not frame.unplaced and far > found.get(frame.link, (0.0, ""))[0]:
            found[frame.link] = far, name
    return {link: name for link, (_, name) in found.items()}


def finite_poses(robot: Robot, q: Array, names: Sequence[str]) -> dict[str, Array]:
    """Return T_root_frame (4, 4) of frames by name. Raises KinetreeError for poses that are not finite."""
    with np.errstate(all="ignore"):
        T = forward_kinematics(tree(robot), q, names)
    check_finite(T)
    return dict(zip(names, T, strict=True))


def triad(out: XmlWriter, camera: Array, T: Array, length: float, *, labels: bool, **style: object) -> None:
    """Write the axes of a frame T (4, 4), `length` pixels long where parallel to the picture, the farthest first. Each
    has its own colour and dashes, unless `style` has a `stroke`."""
    towards = np.cross(camera[0, :3], -camera[1, :3]) @ T[:3, :3]
    for i in np.argsort(towards.round(6), kind="stable"):
        name, colour, dashes = AXES[i]
        look = style if "stroke" in style else {"stroke": colour, "stroke_dasharray": dashes, **style}
        ends = project(camera, T[:3, 3] + np.outer((0.0, length / scale_of(camera)), T[:3, i]))
        arrow(out, ends, class_=name, **look)
        if labels:
            along = ends[1] - ends[0]
            at = ends[1] + along * (14.0 / max(float(np.linalg.norm(along)), 14.0)) + (0.0, 5.0)
            text(out, at, name, text_anchor="middle", fill=look["stroke"], font_size=17, font_weight="bold")
    u, v = project(camera, T[:3, 3])
    out.leaf("circle", **attributes({"cx": float(u), "cy": float(v), "r": 3.5, "fill": "white", "stroke": INK}))


def matrix(out: XmlWriter, at: tuple[float, float], title: str, T: Array, cell: float, decimals: int) -> None:
    """Write a matrix, with columns `cell` pixels wide, below its title."""
    (x, y), (rows, columns) = at, T.shape
    text(out, at, title, font_weight="bold")
    for (i, j), value in np.ndenumerate(T):
        words = f"{value:.2e}" if abs(value) >= 1e4 else f"{round(float(value), decimals) + 0.0:.{decimals}f}"
        place = (x + cell * (j + 1), y + LINE * (i + 1.2))
        text(out, place, words, text_anchor="end", font_family="monospace", font_size=13)
    top, bottom = y + 8.0, y + LINE * (rows + 0.5)
    for edge, inner in ((x, 6.0), (x + cell * columns + 5.0, -6.0)):
        bracket = [(edge + inner, top), (edge, top), (edge, bottom), (edge + inner, bottom)]
        line(out, np.array(bracket), stroke_width=1)
