"""Comparison of friction, restitution, stiffness and damping of the shapes that two robots feel with."""

from dataclasses import fields

from kinetree.display import number
from kinetree.model.robot import Link, Surface
from kinetree.solvers.compare.difference import Difference, Sides, of_one

WORDS = {"mu": "friction", "mu2": "friction across", "restitution": "restitution"}
"""Names of fields in messages, where they are not the field's own."""


def compare_surfaces(sides: Sides) -> list[Difference]:
    """Return the differences of the surfaces of links of one name with as many shapes; a remark on a number that only
    one robot gives anywhere."""
    a, b = sides.robot_a.links, sides.robot_b.links
    found = list[Difference]()
    for name in (field.name for field in fields(Surface)):
        has = [any(_numbers(link, name) for link in links.values()) for links in (a, b)]
        what = WORDS.get(name, name)
        found += of_one("surface", "surfaces", has, f"only the {{}} robot gives the {what} of its shapes")
        for link in (link for link in a if link in b and all(has)):
            found += _differences(sides, a[link], b[link], name, what)
    return found


def _numbers(link: Link, name: str) -> dict[int, float]:
    values = enumerate(getattr(shape.surface, name, None) for shape in link.collisions)
    return {i: value for i, value in values if value is not None}


def _differences(sides: Sides, a: Link, b: Link, name: str, what: str) -> list[Difference]:
    if len(a.collisions) != len(b.collisions):
        return []  # then it is unknown which is which
    ours, theirs, found = _numbers(a, name), _numbers(b, name), list[Difference]()
    for i in sorted({*ours, *theirs}):
        one, other = ours.get(i), theirs.get(i)
        if one is not None and other is not None and abs(one - other) <= sides.relative * max(abs(one), abs(other)):
            continue
        said = ["not given" if value is None else number(value, 6) for value in (one, other)]
        shape = "its shape" if len(a.collisions) == 1 else f"its shape {i + 1}"
        message = f"the {what} of {shape} is {said[0]}, in the second robot {said[1]}"
        amount = None if one is None or other is None else abs(one - other)
        found.append(Difference("surface", f"link {a.name!r}", message, amount))
    return found
