"""Stick figure of a robot: lines from joint to joint, in a few milliseconds."""

import numpy as np

from kinetree.errors import KinetreeError
from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array
from kinetree.syntax.xml.writer import XmlWriter
from kinetree.viewing.parts import AXES, finite_poses, last_frames, name_text
from kinetree.viewing.projection import camera_matrix, project, scale_of, view
from kinetree.viewing.svg import area, attributes, line

WIDTH, HEIGHT, MARGIN = 240.0, 240.0, 24.0
"""Size of the picture, and of its empty edge, pixels."""
VIEW = view(np.deg2rad(35.0), np.deg2rad(20.0))
LENGTH = 22.0
"""Length of the axes of the root link, pixels."""
JOINTS = "#e07b00"
MOST_LINKS = 1000


def stick_figure(robot: Robot, q: Array | None = None) -> str:
    """Return a stick figure of a robot as an element of SVG, without a ground, in the colour of the text around it.

    A line goes from link to link, and to the frame where a last link ends; lines behind fixed joints at the end of the
    tree are thin. Moving joints have dots, and the root link has its axes. q: (nq,), m and rad; neutral by default. The
    text is empty for poses that are not finite, and for robots of more than MOST_LINKS links.
    """
    if len(robot.links) > MOST_LINKS:
        return ""
    tips = last_frames(robot)
    names = [*robot.links, *tips.values()]
    try:
        places = finite_poses(robot, robot.q() if q is None else q, names)
    except KinetreeError as error:
        if error.findings[0].code == "overflow":
            return ""
        raise
    points = np.array([places[name] for name in names])[:, :3, 3]
    camera = camera_matrix(VIEW, points, (MARGIN, MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN))
    flat = dict(zip(names, np.round(project(camera, points), 1).tolist(), strict=True))
    carrying = {joint.name for name, one in robot.joints.items() if one.kind.nq for joint in robot.joints_to(one.child)}
    moving = {tuple(flat[joint.child]) for joint in robot.joints.values() if joint.kind.nq}
    out = XmlWriter()
    look = {"xmlns": "http://www.w3.org/2000/svg", "role": "img", "fill": "none", "stroke": "currentColor"}
    with area(out, (0.0, 0.0, WIDTH, HEIGHT), data_camera=camera, **look):
        out.leaf("title", f"Stick figure of {name_text(robot.name)}")
        between = [(joint.parent, joint.child, joint.name in carrying) for joint in robot.joints.values()]
        for link, frame in tips.items():
            joint = robot.parent_joint(link)
            between.append((link, frame, joint is not None and joint.name in carrying))
        for strong, width in ((False, 0.6), (True, 2.5)):
            pairs = sorted({(*flat[one], *flat[other]) for one, other, thick in between if thick is strong})
            lines = "".join(f"M{a:g} {b:g}L{c:g} {d:g}" for a, b, c, d in pairs if (a, b) != (c, d))
            out.leaf("path", **attributes({"d": lines, "stroke_width": width, "stroke_linecap": "round"}))
        root = places[robot.root]
        for i, (_, colour, _) in enumerate(AXES):
            tip = project(camera, root[:3, 3] + root[:3, i] * (LENGTH / scale_of(camera)))
            line(out, np.array([flat[robot.root], tip]), stroke=colour)
        for x, y in sorted(moving):
            out.leaf("circle", **attributes({"cx": x, "cy": y, "r": 3, "fill": JOINTS, "stroke": "none"}))
    return out.text().partition("\n")[2]
