"""How much `fix` tries, and how it compares many things."""

import pytest

import kinetree as kt
from kinetree.fixer import apply as steps
from kinetree.fixer.fix import fix
from kinetree.fixer.invariants import difference
from kinetree.repairs.edit import Repair, set_attribute
from kinetree.rules.rep103.angles import InexactAngles
from support import soon

ANGLED = """<joint name="x" type="continuous"><parent link="l0"/><child link="x"/><axis xyz="1 1 1"/></joint></robot>"""


def many_joints(count: int) -> str:
    """A robot with so many joints, each with an angle that lacks digits."""
    links = "".join(f'<link name="l{i}"/>' for i in range(count + 1))
    joint = '<joint name="j{}" type="fixed"><origin rpy="1.57 0 0"/><parent link="l0"/><child link="l{}"/></joint>'
    return f'<robot name="r">{links}{"".join(joint.format(i, i + 1) for i in range(count))}</robot>'


class TestTries:
    @pytest.fixture
    def tries(self, monkeypatch) -> list[str]:
        """What is said of each repair that is tried."""
        said = []

        def noted(*arguments, **more):
            said.append(difference(*arguments, **more))
            return said[-1]

        monkeypatch.setattr(steps, "difference", noted)
        return said

    @pytest.mark.parametrize(("wrong", "most"), [({33}, 13), ({0, 63}, 24), (set(range(0, 64, 3)), 2 * 64 - 1)])
    @pytest.mark.slow
    def test_they_are_found_by_halves_and_what_was_found_good_stays(self, wrong, most, arm, monkeypatch, tries):
        """Nothing that is kept is tried twice."""
        repair = InexactAngles.repair

        def planted(elements):
            for one in repair(elements):
                origin = elements.joints[one.element[7:-1]].find("origin")
                bad = int(one.element[8:-1]) in wrong
                yield Repair(one.element, (set_attribute(origin, "rpy", "3.2 0 0"),)) if bad else one

        monkeypatch.setattr(InexactAngles, "repair", staticmethod(planted))
        result = fix(arm(many_joints(64)), profile="ros")
        assert {f.element for f in result.repaired} == {f"joint 'j{i}'" for i in set(range(64)) - wrong}
        assert {f.element for f, _ in result.unrepaired} == {f"joint 'j{i}'" for i in wrong}
        assert all("changes by more than its angles" in why for _, why in result.unrepaired)
        assert len(tries) <= most

    def test_they_are_not_looked_for_without_end(self, arm, monkeypatch, tries):
        """After that what is left is said, and other rules repair theirs."""
        repair = InexactAngles.repair

        def planted(elements):
            for one in repair(elements):
                yield Repair(
                    one.element, (set_attribute(elements.joints["j0"].find("parent"), "link", "x"), *one.edits)
                )

        monkeypatch.setattr(InexactAngles, "repair", staticmethod(planted))
        monkeypatch.setattr(steps, "MOST_TRIES", 10)
        text = many_joints(64).replace("</robot>", '<link name="x"/>' + ANGLED)
        result = fix(arm(text), profile="ros")
        reasons = [why for finding, why in result.unrepaired if finding.code == "R103-007"]
        assert len(reasons) == 64
        assert sum("by this rule have been tried, the most of one run" in why for why in reasons) > 50
        assert len(tries) <= 10 + 1
        assert [f.code for f in result.repaired] == ["JNT-001"]


class TestAlikeShapes:
    SHAPE = '<visual><origin xyz="{} 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'

    def robot(self, places: list[float]) -> kt.Robot:
        """With a box at each of these places along X."""
        text = "".join(self.SHAPE.format(x) for x in places)
        return kt.load(f'<robot name="r"><link name="a">{text}</link></robot>', format="urdf")

    def test_equal_shapes_may_change_places(self):
        """Also those in one place, and others that only look like it from afar."""
        places = [0.0, 0.0, 1.0, 2.0, 1e9, 5e-10, 3.0]
        assert difference(self.robot(places), self.robot(places[::-1]), {}) is None
        assert difference(self.robot(places), self.robot([*places[3:], *places[:3]]), {}) is None
        assert (
            difference(self.robot(places), self.robot([0.0, *places[2:], 0.01]), {}) == "a visual of 'a' moves by 0.01"
        )
        assert difference(self.robot(places), self.robot([3.5, *places[:-1]]), {}) == "a visual of 'a' moves by 0.5"

    @pytest.mark.slow
    def test_many_equal_shapes_are_compared_in_a_moment(self):
        """In the order of the file, in another, and all in one place; each with each would be a million."""
        for places in ([0.1 * i for i in range(1000)], [0] * 1000):
            a, b = self.robot(places), self.robot([*places[1:], places[0]])
            assert soon(1, lambda a=a, b=b: difference(a, b, {})) is None


def test_the_reason_why_something_is_not_repaired(arm, monkeypatch):
    """That of the rule, or that there is none."""
    made = []
    monkeypatch.setattr(InexactAngles, "repair", staticmethod(lambda: list(made)))
    for because, why in (("the maker has it so", "the maker has it so"), ("", "no repair is known")):
        made[:] = [Repair("joint 'j0'", because=because)]
        result = fix(arm(many_joints(2)), profile="ros", select=InexactAngles.code)
        assert [(finding.element, reason) for finding, reason in result.unrepaired] == [
            ("joint 'j0'", why),
            ("joint 'j1'", "no repair is known"),
        ]
