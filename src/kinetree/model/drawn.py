"""Where a file draws the joints of a robot with loops: there its loops are closed."""

import re
from html import unescape

from kinetree.model.robot import Robot
from kinetree.spatial.se3 import Array

DRAWN = "drawn"
"""Tag of the extension of a loop that has the joints that its file does not draw at zero: `<joint joint= ref=/>`."""


def drawn_posture(robot: Robot) -> Array:
    """Return q (nq,) where the file draws a robot, as far as its loops tell; other joints are at zero."""
    q, slices = robot.zero.copy(), robot.q_slices
    texts = [one.text for loop in robot.loops.values() for one in loop.extensions if one.tag == DRAWN]
    for name, ref in re.findall(r'<joint joint="([^"]*)" ref="([^"]*)"/>', "".join(texts)):
        where, numbers = slices.get(unescape(name), slice(0, 0)), [float(x) for x in ref.split()]
        if where.stop - where.start == len(numbers):  # the joint is as in the file
            q[where] = numbers
    return q
