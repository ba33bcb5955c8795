"""Everything that two robots have is in the robot made of both."""

import kinetree as kt
from every_field import all_paths, plain, planted, values
from kinetree.model.assemble import build, parts_of

LISTS = ("links", "joints", "loops", "frames", "sensors", "actuators", "materials", "coupled_limits", "extensions")


def test_a_part_of_each_kind_arrives():
    kinds = {path[0]: (path, value) for path, kind in all_paths() for value in values(path, kind)[:1]}
    base, seen = kt.chain("Rz(a) tx(0.2)"), set()
    for name in LISTS:
        other = planted(*kinds[name]) if name in kinds else build(plain())
        made = kt.edit.attach(base, other, base.root, prefix="b_")
        for one in LISTS:
            ours, theirs, both = (getattr(parts_of(robot), one) for robot in (base, other, made))
            assert len(both) == len(ours) + len(theirs) + (one == "joints"), (name, one)
            seen |= {one} if theirs else set()
    assert seen == {*LISTS}
