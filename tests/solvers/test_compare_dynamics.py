"""What joints do by themselves, in two robots."""

from dataclasses import replace

import pytest

import kinetree as kt
from kinetree.model.assemble import build, parts_of
from kinetree.model.robot import Dynamics, Robot

ARM = kt.chain("Rz(q1) tx(1) Rz(q2) tx(1)")


def with_dynamics(*rows: Dynamics) -> Robot:
    parts = parts_of(ARM)
    moving = [joint for joint in parts.joints if joint.kind.nv]
    made = {joint.name: replace(joint, dynamics=(row,)) for joint, row in zip(moving, rows, strict=True)}
    parts.joints[:] = [made.get(joint.name, joint) for joint in parts.joints]
    return build(parts)


FULL = Dynamics(damping=1.0, friction=0.5, stiffness=3.0, reference=0.1, armature=0.02)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("damping", 57.0, "joint 'q2': has damping 1, in the second robot 57"),
        ("friction", 0.0, "joint 'q2': has friction 0.5, in the second robot 0"),
        ("stiffness", 3.1, "joint 'q2': has a spring of stiffness 3, in the second robot 3.1"),
        ("reference", 0.2, "joint 'q2': has a spring that is relaxed at 0.1, in the second robot 0.2"),
        ("armature", 0.021, "joint 'q2': has armature 0.02, in the second robot 0.021"),
    ],
)
def test_a_number_that_differs_is_named(field: str, value: float, message: str) -> None:
    found = kt.compare(with_dynamics(FULL, FULL), with_dynamics(FULL, replace(FULL, **{field: value})))
    assert not found.same
    (difference,) = found.differences
    assert (str(difference), difference.kind) == (message, "dynamics")
    assert difference.amount == pytest.approx(abs(getattr(FULL, field) - value))


def test_what_only_one_robot_has_is_a_remark() -> None:
    for pair in ((ARM, with_dynamics(FULL, FULL)), (with_dynamics(FULL, Dynamics()), ARM)):
        found = kt.compare(*pair)
        assert found.same
        assert len(found.differences) == 5
        which = "second" if pair[0] is ARM else "first"
        assert all(one.message.startswith(f"only joints of the {which} robot have") for one in found.differences)
        assert not any(one.counts for one in found.differences)


def test_an_axis_may_point_the_other_way_and_rounding_does_not_count() -> None:
    other = replace(FULL, reference=-0.1, damping=1.0 + 1e-9)
    assert not kt.compare(with_dynamics(FULL, FULL), with_dynamics(FULL, other)).differences


def test_numbers_of_joints_of_other_types_are_not_compared() -> None:
    text = (
        "<mujoco><worldbody><body><joint name='j' type='{}' damping='2'/><geom size='.1'/></body></worldbody></mujoco>"
    )
    one, other = (kt.load(text.format(kind), format="mjcf") for kind in ("hinge", "ball"))
    found = kt.compare(one, other)
    assert not found.same
    assert "dynamics" not in {difference.kind for difference in found.differences}


def test_surfaces_are_compared_of_links_with_as_many_shapes() -> None:
    """Of others it is unknown which shape is which."""
    geom = "<geom size='.1' friction='{}'/>"

    def robot(*frictions: float) -> Robot:
        geoms = "".join(geom.format(one) for one in frictions)
        text = f"<mujoco><worldbody><body name='b'><joint name='j'/>{geoms}</body></worldbody></mujoco>"
        return kt.load(text, format="mjcf")

    def said(other: Robot) -> list[tuple[str, str]]:
        found = kt.compare(robot(0.5, 0.7), other).differences
        return [(one.element, one.message) for one in found if one.kind == "surface"]

    assert said(robot(0.5, 0.7)) == said(robot(0.5)) == said(robot(0.1, 0.2, 0.3)) == []
    (found,) = said(robot(0.5, 0.9))
    assert found[0] == "link 'b'"
    assert "of its shape 2 is 0.7, in the second robot 0.9" in found[1]
