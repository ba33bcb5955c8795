"""Robots on other bases that differ elsewhere, too."""

from copy import deepcopy

import kinetree as kt

I = [0.1, 0.1, 0.1, 0, 0, 0]
ROWS = [
    {"axis": [0, 0, 1], "xyz": [0, 0, 0.2], "m": 3, "r": [0.1, 0, 0], "I": I},
    {"axis": [0, 1, 0], "xyz": [0.1, 0, 0.3], "m": 2, "r": [0.2, 0, 0], "I": I},
    {"axis": [1, 0, 0], "xyz": [0.5, 0, 0], "m": 1, "r": [0.1, 0.1, 0], "I": I},
]
BASE = [0.3, 0.2, 0.1, 0.1, 0.2, 0.3]


def test_a_centre_of_mass_elsewhere_is_no_other_axis():
    """The base is found by the axes of the joints alone, too: with centres of mass, all axes would be wrong."""
    rows = deepcopy(ROWS)
    rows[1]["r"] = [0.2, 0.3, 0.4]
    moved = kt.chain(rows)
    moved = kt.edit.set_origins(moved, {moved.joint_names[0]: BASE})
    found = str(kt.compare(kt.chain(ROWS), moved))
    assert found.startswith("not the same robot, but the same mechanism on another base\n")
    assert "link 'q2_link': its centre of mass is 0.5 m away\n" in found
    assert "joint" not in found.split("frames of the same name")[0]
