"""REP-103 in SDF: angles of poses as they are written."""

import kinetree as kt
from each import each
from kinetree.checker.check import check

JOINT = '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
SDF = '<sdf version="1.9">\n<model name="m">{}<link name="a"/><link name="b">\n{}</link>{}</model></sdf>'


def said(text: str) -> list[tuple[str, str | None, int | None, int | None]]:
    """What is found of angles, and where."""
    findings = check(kt.load(text, format="sdf"), select=("R103",))
    return [(f.code, f.element, f.source and f.source.line, f.source and f.source.column) for f in findings]


class TestPosesOfSdf:
    @each(
        "pose, expected",
        [
            ("<pose>0 0 1 90 0 0</pose>", [("R103-002", "link 'b'", 3, 13)]),
            ("<pose>1.57 0 0 0 1.57 0</pose>", [("R103-007", "link 'b'", 3, 18)]),
            ("<pose> 0 0 0\n 0 1.57 0 </pose>", [("R103-007", "link 'b'", 4, 4)]),
            ("<pose>0 0 0 <!-- 1.57 --> 0 1.57 0</pose>", [("R103-007", "link 'b'", 3, 1)]),
            ('<pose degrees="true">0 0 0 0 180 0</pose>', []),
            ('<pose degrees="false">0 0 0 0 180 0</pose>', [("R103-002", "link 'b'", 3, 31)]),
            ('<pose rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose>', []),
            ('<visual name="v"><pose>0 0 0 0 0 -1.57</pose></visual>', [("R103-007", "link 'b'", 3, 34)]),
            ('<sensor name="s" type="imu"><pose>0 0 0 180 0 0</pose></sensor>', [("R103-002", "sensor 's'", 3, 41)]),
        ],
    )
    def test_in_a_link(self, pose, expected):
        assert said(SDF.format("", pose, JOINT)) == expected

    def test_in_joints_and_frames_and_not_in_plugins_nor_of_the_model(self):
        pose = "<pose>0 0 0 90 0 0</pose>"
        plugin = f'<plugin name="p" filename="p.so">{pose}</plugin>'
        joint = JOINT.replace("<parent>", f"{pose}<parent>")
        found = said(SDF.format(f'{pose}<frame name="f">{pose}</frame>{plugin}', "", joint))
        assert [element for _, element, *_ in found] == ["frame 'f'", "joint 'j'"]


def on_a_rail(lower: float, upper: float, *, arm: float = 1.5, turning: bool = False) -> str:
    """A joint that slides, before or behind one that turns, in a robot of some size in m."""
    kinds = ("revolute", "prismatic") if turning else ("prismatic", "revolute")
    limits = {"revolute": 'lower="-2" upper="2"', "prismatic": f'lower="{lower}" upper="{upper}"'}
    joints = "".join(
        f'<joint name="{kind}" type="{kind}"><parent link="{a}"/><child link="{b}"/><axis xyz="0 0 1"/>'
        f'<origin xyz="0 0 {arm / 2}"/><limit {limits[kind]} velocity="1" effort="9"/>'
        "</joint>"
        for kind, a, b in zip(kinds, "ab", "bc", strict=True)
    )
    return f'<robot name="r"><link name="a"/><link name="b"/><link name="c"/>{joints}</robot>'


class TestSliding:
    def test_shapes_count_and_what_is_not_known_is_not_held_against_it(self):
        """A crane of which every frame is at the foot."""
        model = on_a_rail(0, 30, arm=0, turning=True)
        assert check(kt.load(model, format="urdf"), select=("R103-002",)) == []
        for length, expected in ((40, []), (2, ["the limits 0 to 30 m are too wide for a"])):
            jib = f'<link name="b"><visual><geometry><box size="{length} 1 1"/></geometry></visual></link>'
            found = check(kt.load(model.replace('<link name="b"/>', jib), format="urdf"), select=("R103-002",))
            assert [finding.message[: len(said)] for finding, said in zip(found, expected, strict=True)] == expected
        (found,) = check(kt.load(on_a_rail(0, 500, arm=0), format="urdf"), select=("R103-002",))
        assert "for a robot of unknown size" in found.message

    @each(
        "model, expected",
        [
            (on_a_rail(0, 50), False),  # a gantry
            (on_a_rail(0, 50, arm=0.1), False),  # with a small carriage
            (on_a_rail(0, 500), True),
            (on_a_rail(0, 1200), True),
            (on_a_rail(-100, 100), False),  # a mobile base
            (on_a_rail(-999999, 999999), False),
            (on_a_rail(0, 1e5), False),  # no limit
            (on_a_rail(0, 10, turning=True), False),
            (on_a_rail(0, 50, turning=True), True),  # of an arm, whose finger slides by 50 mm
            (on_a_rail(0, 50, arm=12, turning=True), False),  # a crane
        ],
    )
    def test_ranges_in_millimetres(self, model, expected):
        findings = check(kt.load(model, format="urdf"), select=("R103-002",))
        assert [finding.element for finding in findings] == ["joint 'prismatic'"] * expected
        assert all(finding.message.endswith("are they in millimetres?") for finding in findings)
