"""Comparison of damping, friction, springs and armature of joints."""

from dataclasses import fields

from kinetree.display import number
from kinetree.model.robot import Dynamics, Joint
from kinetree.solvers.compare.difference import Difference, Sides, of_one


def compare_dynamics(sides: Sides) -> list[Difference]:
    """Return the differences of what joints do by themselves; a remark on a number that only one robot has anywhere.

    Where springs are relaxed is compared up to its sign, because the axes of the robots may point either way.
    """
    pairs = [(sides.robot_a.joints[a], sides.robot_b.joints[b]) for a, b in sides.joints.items()]
    found = list[Difference]()
    for name in (field.name for field in fields(Dynamics)):
        has = [any(any(_values(pair[side], name)) for pair in pairs) for side in (0, 1)]
        found += of_one("dynamics", "joints", has, f"only joints of the {{}} robot have {_word(name)}")
        if all(has):
            found += [one for a, b in pairs for one in _differences(sides, a, b, name)]
    return found


def _differences(sides: Sides, a: Joint, b: Joint, name: str) -> list[Difference]:
    ours, theirs = _values(a, name), _values(b, name)
    if len(ours) != len(theirs):
        return []  # joints of other types, which is a difference of its own
    signed = list(zip(ours, theirs, strict=True))
    for one, other in ((abs(x), abs(y)) for x, y in signed) if name == "reference" else signed:
        if abs(one - other) > sides.relative * max(abs(one), abs(other)):
            message = f"has {_word(name)} {number(one, 6)}, in the second robot {number(other, 6)}"
            return [Difference("dynamics", f"joint {a.name!r}", message, abs(one - other))]
    return []


def _values(joint: Joint, name: str) -> list[float]:
    """Return the numbers of a field for each axis of a joint."""
    count = max(1, joint.kind.axes)
    rows = joint.dynamics * count if len(joint.dynamics) == 1 else joint.dynamics
    return [float(getattr(row, name)) for row in (*rows, *[Dynamics()] * count)[:count]]


def _word(name: str) -> str:
    return {"reference": "a spring that is relaxed at", "stiffness": "a spring of stiffness"}.get(name, name)
