"""The UR5 in its cell of the page on contact: what the page prints, and the answers against coal."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest

import kinetree as kt
import pages
from coal_referee import Referee
from crosscheck.test_contact_coal import CLOSE
from support import at_length, example_robot_urdfs

pytestmark = pytest.mark.crosscheck
PAGE = pages.ROOT / "docs" / "how-to" / "contact.md"


@pytest.mark.nightly
def test_the_page_and_coal_say_the_same():
    if not example_robot_urdfs():
        pytest.skip("example-robot-data is not installed")
    blocks = pages.blocks(PAGE)
    (number,) = (i for i, block in enumerate(blocks) if block.language == "py")
    names, printed = {"np": np, "kt": kt}, io.StringIO()
    with redirect_stdout(printed):
        exec(blocks[number].text, names)
    assert printed.getvalue() == blocks[number + 1].text
    robot = names["robot"]
    for geometry in ("mesh", "hull"):
        contact = kt.collisions(robot, geometry=geometry)
        referee, q = Referee(contact), robot.limits.sample(at_length(15, 200), seed=5)
        where, bound = contact.where(q), kt.clearance(robot, geometry=geometry)(q)
        for i, one in enumerate(q):
            far = referee.distances(one, contact.pairs)
            assert where[i][far == 0].all()
            assert bound[i] <= far.min() + 1e-9
            if geometry == "hull":  # the surface of a mesh may be apart where one is inside of the other
                assert not where[i][far > CLOSE].any()
