"""Edits that repairs are made of."""

import numpy as np

from each import each
from kinetree.repairs.fixes import elements, rpy_of_quaternions, set_origin
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


@each("version, rpy", [("", f"0 0 {HALF_TURN}"), ('version="1.0"', f"0 0 {HALF_TURN}"), ('version="1.2"', None)])
def test_quaternions_become_angles_where_the_version_lacks_them(version, rpy):
    origin = "<origin xyz='1 2 3' quat_xyzw='0 0 1 0'/>"
    text = f"<robot {version}><link name='a'><visual>{origin}</visual></link></robot>"
    root = parse(text.encode(), "a.urdf", Report())
    repairs = list(rpy_of_quaternions(elements(root)))
    if rpy is None:
        assert repairs == []
        return
    ((edit,),) = (repair.edits for repair in repairs)
    assert repairs[0].element == "link 'a'"
    assert text[: edit.start] + edit.text + text[edit.stop :] == text.replace("quat_xyzw='0 0 1 0'", f'rpy="{rpy}"')
