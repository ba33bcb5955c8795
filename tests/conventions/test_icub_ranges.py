"""How ranges of the iCub's boards are printed."""

import numpy as np

from kinetree.rules.icub.ranges import _ranges


def test_in_degrees_or_as_unlimited():
    turn = (-np.pi / 2, np.pi)
    assert _ranges(turn, (-np.inf, np.inf), (-np.inf, 0.0)) == ["-90 to 180 degrees", "unlimited", "-inf to 0 degrees"]
