"""Edits that repairs are made of."""

import numpy as np

from each import each
from kinetree.repairs.fixes import set_origin
from kinetree.spatial import se3
from kinetree.syntax.xml.reader import Report, parse

HALF = se3.homogeneous(np.diag([-1.0, -1.0, 1.0]), (1, 2, 3))
HALF_TURN = "3.141592653589793"


@each(
    "origin, changed",
    [
        ("<origin xyz='1 2 3' rpy='0 0 0'/>", f"<origin xyz='1 2 3' rpy='0 0 {HALF_TURN}'/>"),
        (f"<origin xyz='1.0 2 4' rpy='0 0 {HALF_TURN}'/>", f"<origin xyz='1 2 3' rpy='0 0 {HALF_TURN}'/>"),
        ("<origin xyz='1 2 3.00' quat_xyzw='0 0 0 1'/>", f"<origin xyz='1 2 3.00' rpy='0 0 {HALF_TURN}'/>"),
        (f"<origin xyz='1 2 3.00' rpy='0.0 0 {HALF_TURN}'/>", f"<origin xyz='1 2 3.00' rpy='0.0 0 {HALF_TURN}'/>"),
    ],
)
def test_only_what_differs_of_an_origin_is_written(origin, changed):
    text = f"<joint>{origin}</joint>"
    joint = parse(text.encode(), "a.urdf", Report())
    for edit in sorted(set_origin(joint, HALF), key=lambda edit: -edit.start):
        text = text[: edit.start] + edit.text + text[edit.stop :]
    assert text.replace('"', "'") == f"<joint>{changed}</joint>"
