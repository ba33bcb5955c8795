"""Repairs of a file from which several robots are made: right for each of them, or not made."""

from dataclasses import replace

import kinetree as kt
from each import each
from kinetree.checker.check import options_of
from kinetree.errors import Finding
from kinetree.fixer import apply
from kinetree.fixer.fix import fix_from
from kinetree.fixer.state import look

HEAD = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="n" default="1"/>
  <xacro:property name="n" value="$(arg n)"/>
  <link name="a"/><link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 2"/></joint>
"""
TEXT = (
    HEAD
    + """  <xacro:if value="${n == 2}"><link name="c"/>
    <joint name="k" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 3 0"/></joint></xacro:if>
</robot>
"""
)


def fixed(path, *numbers, text=TEXT, **more):
    """The result for the first of some values of the argument, with the others as variants."""
    path.write_text(text)
    rows = []
    for number in numbers:
        options = options_of(path, "ros", (), (), None, {"args": {"n": number}})
        rows.append((str(path), options, look(str(path), options, {})))
    (file, options, start), *variants = rows
    return fix_from(start, file, options, variants=variants, **more)


def test_a_repair_that_is_right_for_all_is_made(tmp_path):
    path = tmp_path / "r.xacro"
    result = fixed(path, "1", "2")
    assert [(one.code, one.element) for one in result.repaired] == [("JNT-001", "joint 'j'")]
    assert {file.name: content.decode() for file, content in result.after.items()} == {
        "r.xacro": TEXT.replace("0 0 2", "0 0 1")
    }
    both = fixed(path, "2", "1")
    assert [one.element for one in both.repaired] == ["joint 'j'", "joint 'k'"]
    assert [content.decode() for content in both.after.values()] == [
        TEXT.replace("0 0 2", "0 0 1").replace("0 3 0", "0 1 0")
    ]


@each(
    "function, wrong, because",
    [
        ("difference", "joint 'k' moves", "a repair would change the robot: joint 'k' moves"),
        ("misplaced", "'flange' would be 1 off", "'flange' would be 1 off"),
        ("judged", "is odd", "a repair would cause INR-001 of link 'c': is odd; --ignore INR-001 accepts that"),
    ],
)
def test_a_repair_that_is_wrong_for_another_robot_is_not_made(tmp_path, monkeypatch, function, wrong, because):
    own = getattr(apply, function)

    def planted(*given, **more):
        found = own(*given, **more)
        if not any("k" in one.joints for one in given if isinstance(one, kt.Robot)):
            return found
        added = Finding("INR-001", "error", wrong, element="link 'c'")
        return replace(found, findings=(*found.findings, added)) if function == "judged" else wrong

    def misplaced(robot):
        return wrong if "k" in robot.joints else None

    with monkeypatch.context() as patch:
        patch.setattr(apply, function, misplaced if function == "misplaced" else planted)
        result = fixed(tmp_path / "r.xacro", "1", "2")
    assert result.after == {}
    ((finding, why),) = result.unrepaired
    assert (finding.code, finding.element) == ("JNT-001", "joint 'j'")
    assert why == f"in the variant n=2, {because}"
