"""Units in the headings of tables of poses, in their spellings."""

from pathlib import Path

from each import each
from kinetree.cli._poses import find_columns, unit_of
from kinetree.controllers import controllers
from kinetree.syntax.table import Row

NAMES = tuple(f"joint_{i}" for i in range(1, 7))
DEGREES = ("deg", "°", "º", "DEG", "Degree", "degrees")
RADIANS = ("rad", "Radian", "radians", "RAD")


@each("form", ["{} [{}]", "{}[{}]", "{} ({})", "{}/{}", "{}_{}", "{} {}", "{}{}"])
@each("unit, word", [*(("deg", word) for word in DEGREES), *(("rad", word) for word in RADIANS)])
def test_units_of_headings(unit, word, form):
    """Keyboards have two signs that look alike: that of a degree, and the ordinal of Spanish."""
    if (word in "°º" and form == "{}_{}") or (word not in "°º" and form == "{}{}"):
        return  # which would be another name
    assert unit_of(word) == unit
    cells = [form.format(name, word) for name in NAMES] + [*"XYZ", *(form.format(name, word) for name in "ABC")]
    joints, poses = find_columns(Path("poses.csv"), Row(1, cells), controllers["kuka"], NAMES, (True,) * 6)
    assert [column.unit for column in joints] == [unit] * 6
    assert [column.unit for column in poses] == [*["mm"] * 3, *[unit] * 3]


@each("word, unit", [("", ""), ("-", ""), ("1", ""), (" MM ", "mm"), ("inch", "inch")])
def test_other_units(word, unit):
    assert unit_of(word) == unit
