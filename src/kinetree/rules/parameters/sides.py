"""A rule about parameters of left and right parts."""

import re
from collections.abc import Iterator

from kinetree.rules.names.sides import SIDES, other_side, side_of
from kinetree.rules.parameters.files import RosFiles
from kinetree.rules.parameters.moveit import FileRule
from kinetree.rules.rule import Found
from kinetree.syntax.yaml import Yaml


class Sides(FileRule):
    """Parameters of the left part name what is on the left, if those of the right part name what is on the right.

    The part reads or moves what belongs to the other side, or does not exist.
    """

    code = "MVT-015"
    evidence = "heuristic"
    clause = "names of joints and links in parameters of parts"
    good = "left_tip: {sensor_joint: left_finger}\nright_tip: {sensor_joint: right_finger}\n"
    bad = good.replace("joint: left_", "joint: ")

    def check(self, ros_files: RosFiles) -> Found:
        """At the same place of both sides, a name with the other side's word, or without one where the other's has the
        word of its own side. Lists and names of files are not judged."""
        for part in (part for document in ros_files.documents for part in document.walk()):
            for key, value in part.items:
                twin = part.get(other_side(key)) if side_of(key) else None
                for name, one, other in _pairs(key, value, twin) if twin else ():
                    bare = SIDES.sub("", other.text).replace("__", "_").strip("_")
                    if one.text in (other.text, bare) and side_of(other.text) == side_of(other_side(key)):
                        expected = f"expected {other_side(other.text)!r}, as the other side has {other.text!r}"
                        yield self.about(f"{name} is {one.text!r}; {expected}", f"parameters {key!r}", one)


def _pairs(name: str, one: Yaml, other: Yaml) -> Iterator[tuple[str, Yaml, Yaml]]:
    if one.text and other.text and not re.search(r"\.[A-Za-z]{3,4}$", other.text):
        yield name, one, other
    for key, value in one.items:
        if twin := other.get(key) or other.get(other_side(key)):
            yield from _pairs(key, value, twin)
