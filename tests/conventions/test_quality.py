"""The rules for every robot: where they begin and end, and one defect at a time in robots that have none."""

import warnings
from collections import Counter

import pytest

import kinetree as kt
from each import each
from kinetree.checker.check import check
from kinetree.formats.sdf import write
from kinetree.rules.examples import ARM
from kinetree.rules.profiles import PROFILES, rules_of
from kinetree.rules.shapes.meshes import MeshRule
from kinetree.syntax.xml.writer import attributes_text
from planting import DEFECTS, OF_CONTROL, OF_REPS, Model
from support import example_robot_urdfs, icub_urdfs, sample, shared

LETTERS = ("TRE", "XML", "NAM", "JNT", "LIM", "MIM", "INR", "GEO", "MSH")
RULES = {rule.code: rule for rule in rules_of("sim") if rule.code.startswith(LETTERS)}
PACKAGES = MeshRule.context.read.packages


def found(robot: kt.Robot, profile: str = "sim") -> list[kt.Finding]:
    """What these families find."""
    return [f for f in check(robot, profile=profile, packages=PACKAGES) if f.code.startswith(LETTERS)]


def arm(*edits: tuple[str, str]) -> kt.Robot:
    """The arm of the examples with texts of it replaced."""
    text = ARM
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return kt.load(text, format="urdf")


def codes(*edits: tuple[str, str], profile: str = "sim") -> list[str]:
    return [finding.code for finding in found(arm(*edits), profile)]


JOINT_1 = """<limit lower="-2.9" upper="2.9" velocity="3" effort="200"/>"""
CUBE = """<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>"""


def inertia(*numbers: float) -> tuple[str, str]:
    """Another inertia of link_3, of 15 kg."""
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    return CUBE, f"<inertia {attributes_text({k: repr(v) for k, v in zip(names, numbers, strict=True)})}/>"


def limit(lower: float = -2.9, upper: float = 2.9, velocity: float = 3, effort: float = 200) -> tuple[str, str]:
    """Another limit of joint_1."""
    return JOINT_1, f'<limit lower="{lower!r}" upper="{upper!r}" velocity="{velocity!r}" effort="{effort!r}"/>'


class TestProfiles:
    def test_ros_is_the_default(self):
        robot = arm(limit(lower=2.9, upper=-2.9))
        assert kt.check(robot) == kt.check(robot, profile="ros")
        assert [finding.code for finding in kt.check(robot)] == ["LIM-001"]

    def test_sim_is_ros_and_what_simulators_need(self):
        ros, sim = ({rule.code for rule in rules_of(profile)} for profile in ("ros", "sim"))
        assert sim - ros == {"LIM-004", "INR-006", "INR-011", "INR-013", "INR-014", "INR-017", "GEO-001"}
        assert ros < sim

    def test_the_names_of_rep_199_offend_nobody(self):
        assert codes() == []
        assert "base_link-base" in arm().joints  # a hyphen in the name of a fixed joint

    @pytest.mark.slow
    @each("code", RULES)
    def test_a_bad_example_breaks_no_other_rule(self, code):
        rule = RULES[code]
        robot = kt.load(rule.base.replace(rule.good, rule.bad), format=rule.base_format)
        assert {finding.code for finding in found(robot)} == {code, *EXAMPLES_IMPLY.get(code, ())}


EXAMPLES_IMPLY = {
    "MIM-002": ("INR-011",),
    "LIM-011": ("INR-011",),
    "INR-017": ("INR-009",),
    "MSH-007": ("MSH-005",),
    "R105-004": ("TRE-001",),
}
"""Their examples add links without mass or with capitals, or the header of a large mesh alone."""


class TestBoundaries:
    @pytest.mark.slow
    @each(
        "edit, expected",
        [
            (limit(lower=0.0, upper=2.9), []),
            (limit(lower=1e-3, upper=2.9), ["LIM-003"]),
            (limit(lower=-2.9, upper=-0.1), ["LIM-003"]),
            (limit(lower=0.5, upper=0.5), ["LIM-002"]),
            (limit(lower=0.5, upper=0.4), ["LIM-001"]),
            (limit(effort=9999.0), []),
            (limit(effort=1e4), ["LIM-007"]),
            (limit(effort=-1), ["LIM-006"]),
            (limit(velocity=49), []),
            (limit(velocity=50), ["LIM-008"]),
            (limit(velocity=50.7), []),
            (limit(velocity=50.5), ["LIM-013"]),
            (limit(velocity=500.7), ["LIM-008"]),
            (limit(velocity=-0.0), ["LIM-005"]),
            (limit(lower=-6.2832, upper=6.2832), []),  # one turn: that of many wrists
            (limit(lower=-7.85, upper=7.85), []),
            (limit(lower=-12.5664, upper=12.5664), ["JNT-003"]),
            (limit(lower=-9.42, upper=9.42), []),
            (limit(lower=-998, upper=999), []),
            (limit(lower=-998, upper=1000), ["JNT-003"]),
            ((JOINT_1, '<limit velocity="3" effort="200"/>'), []),  # which the reader has said
        ],
    )
    def test_of_limits(self, edit, expected):
        assert sorted(codes(edit)) == expected

    def test_whole_turns_are_a_remark_only(self):
        severities = [[f.severity for f in found(arm(limit(-x, x)))] for x in (12.5664, 1000)]
        assert severities == [["info"], ["warning"]]

    def test_limits_that_are_swapped_are_said_once(self):
        soft = '<safety_controller k_velocity="1" soft_lower_limit="{}" soft_upper_limit="{}"/>'
        swapped = limit(lower=2.9, upper=-2.9)[1]
        assert codes((JOINT_1, swapped + soft.format(-2.7, 2.7))) == ["LIM-001"]
        assert codes((JOINT_1, swapped + soft.format(2.7, -2.7))) == ["LIM-001", "LIM-009"]
        assert codes((JOINT_1, JOINT_1 + soft.format(-3, 2.7))) == ["LIM-009"]

    def test_effort_of_zero_matters_to_simulators_only(self):
        assert codes(limit(effort=0), profile="ros") == []
        (finding,) = found(arm(limit(effort=0)))
        assert (finding.code, finding.element, finding.source.line) == ("LIM-004", "joint 'joint_1'", 61)

    def test_one_finding_for_all_joints_of_the_same_placeholder(self):
        (finding,) = found(kt.load(ARM.replace('velocity="6"', 'velocity="1000"'), format="urdf"))
        assert finding.code == "LIM-008"
        assert finding.message == "the velocity limit is 1000 rad/s, which looks like a placeholder (also 'joint_5')"

    @each(
        "numbers, expected",
        [
            ((0.1, 0, 0, 0.11, 0, 0.2099), []),
            ((0.1, 0, 0, 0.11, 0, 0.2119), []),  # 0.9 % too much
            ((0.1, 0, 0, 0.11, 0, 0.2139), ["INR-002"]),
            ((4e-5, 0, 0, 4e-5, 0, 1e-4), ["INR-002", "INR-012"]),
            ((0.0004, 0, 0, 0.00041, 0, 0.00082), ["INR-012"]),  # the last digits may be rounded
            ((0.1, 0.1, 0, 0.1, 0, 0.15), ["INR-002"]),  # moments 0, 0.2, 0.15: flat, but too large
            ((0.1, 0.11, 0, 0.1, 0, 0.1), []),  # likewise
            ((0.1, 0.115, 0, 0.1, 0, 0.1), ["INR-001"]),
            ((-0.1, 0, 0, -0.1, 0, -0.1), ["INR-001"]),
            ((1e-22, 2e-22, 0, 1e-22, 0, 1e-22), ["INR-003"]),  # nothing, with noise
            ((0.1, 0, 0, 0.1, 0, 0.1), []),  # a power of ten, but that of this cube
            ((0.01, 0, 0, 0.01, 0, 0.01), ["INR-006", "INR-012"]),
            ((0.02, 0, 0, 0.02, 0, 0.02), ["INR-018"]),  # a fifth of that of this cube
            ((0.071, 0, 0, 0.071, 0, 0.071), []),
            ((60.1, 0, 0, 60.2, 0, 60.3), ["INR-008"]),  # 2.004 m
            ((0.309, 0, 0, 0.309, 0, 0.309), []),  # 3.09 times that of a solid cube
            ((0.311, 0, 0, 0.311, 0, 0.311), ["INR-009"]),
        ],
    )
    def test_of_inertias(self, numbers, expected):
        assert codes(inertia(*numbers)) == expected

    def test_zero_mass_and_inertia_count_for_what_is_moved_as_a_whole(self):
        weightless = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
        assert codes(('<link name="flange"/>', f'<link name="flange">{weightless}</link>')) == []
        assert codes(('<mass value="0.5"/>', '<mass value="0"/>')) == ["INR-005"]

    def test_what_the_reader_has_put_in_is_said_once(self):
        robot = arm(("""      <mass value="0.5"/>\n""", ""))
        assert [note.code for note in robot.notes] == ["default-inertia"]
        assert found(robot) == []

    @pytest.mark.slow
    @each(
        "xyz, expected",
        [
            ("0 0 1", []),
            ("0 0 1.0009", []),
            ("0 0 -1.01", ["JNT-001"]),
            ("0.577 0.577 0.577", []),
            ("1 1 0", ["JNT-001"]),
            ("6.1e-17 0 1", []),
            ("2e-8 0 1", ["JNT-002"]),
            ("0 9e-5 1", ["JNT-002"]),
            ("0.00155 0 1", []),
        ],
    )
    def test_of_axes(self, xyz, expected):
        assert codes(('<axis xyz="0 0 1"/>', f'<axis xyz="{xyz}"/>')) == expected

    def test_an_axis_has_its_own_place_and_one_in_a_comment_none(self):
        (finding,) = found(arm(('<axis xyz="0 0 1"/>', '<!-- <axis xyz="0 0 3"/> -->\n<axis xyz="0 0 2"/>')))
        assert (finding.code, finding.source.line, finding.source.column) == ("JNT-001", 66, 1)
        assert codes(('<axis xyz="0 0 1"/>', '<!-- <axis xyz="0 0 3"/> --><axis xyz="0 0 1"/>')) == []

    @each(
        "name, expected",
        [
            ("wrist/link_4", []),
            ("arm::link_4", []),  # of a nested model
            ("wrist link", ["NAM-002"]),
            ("wrist ", ["NAM-002"]),
            ("wrist-link", ["NAM-001"]),
            ("handgelenk_ü", ["NAM-003"]),
            ("link:4", ["NAM-003"]),
            ("/link_4", ["NAM-004"]),
            ("4", ["NAM-005"]),
            ("_link_4", ["NAM-005"]),
            ("WRIST", ["NAM-006"]),
            ("link_3_", []),
            ("link_33", []),
        ],
    )
    def test_of_names(self, name, expected):
        robot = kt.load(ARM.replace('"link_4"', f'"{name}"'), format="urdf")
        assert [finding.code for finding in found(robot)] == expected

    @each(
        "multiplier, offset, expected",
        [
            (1, 0, []),
            (3.1, 0, []),
            (3.12, 0, []),
            (3.2, 0, ["MIM-001"]),
            (-3.1, 0, []),
            (1, 4.5, ["MIM-001"]),
            (0, 9, []),
        ],
    )
    def test_of_mimics(self, multiplier, offset, expected):
        mimic = f'<mimic joint="joint_5" multiplier="{multiplier}" offset="{offset}"/>'  # -2 to 2; its own are ±6.2
        assert codes(('effort="33"/>', f'effort="33"/>{mimic}')) == expected

    @each(
        "shape, expected",
        [
            ('<sphere radius="0"/>', ["GEO-002"]),
            ('<cylinder radius="0.1" length="-0.1"/>', ["GEO-002"]),
            ('<mesh filename="x.stl" scale="1 0 1"/>', ["GEO-002"]),
            ('<mesh filename="x.stl" scale="1 -1 1"/>', []),
            ('<box size="0.1 0.1 101"/>', ["GEO-005", "GEO-003"]),
            ('<box size="0.1 0.5 1e-5"/>', []),
        ],
    )
    def test_of_sizes(self, shape, expected):
        box = '<box size="0.02 0.08 0.08"/></geometry></collision>'
        assert codes((box, f"{shape}</geometry></collision>")) == expected

    def test_a_visual_without_size_is_no_error(self):
        box = '<visual><origin xyz="0.08 0 0"/><geometry><box size="0.02 0.08 0.08"/>'
        (zero,) = found(arm((box, '<visual><geometry><box size="0 1 0"/>')))
        (negative,) = found(arm((box, '<visual><geometry><box size="0 -1 0"/>')))
        assert (zero.severity, negative.severity) == ("warning", "error")

    def test_the_root_of_other_formats_may_have_mass(self):
        bad = kt.load(RULES["TRE-001"].base.replace(RULES["TRE-001"].good, RULES["TRE-001"].bad), format="urdf")
        assert [f.code for f in found(bad)] == ["TRE-001"]
        assert "TRE-001" not in {f.code for f in found(kt.load(write(bad, ()), format="sdf"))}


MODELS = (
    ("dexsuite+dex-urdf", "robots/arms/ur10e/ur10e_glb.urdf"),
    ("dexsuite+dex-urdf", "robots/arms/xarm7/xarm7_glb.urdf"),
    ("dexsuite+dex-urdf", "robots/arms/iiwa7/iiwa7_glb.urdf"),
    ("dexsuite+dex-urdf", "robots/hands/dclaw_gripper/dclaw_gripper_glb.urdf"),
    ("dexsuite+dex-urdf", "robots/hands/leap_hand/leap_hand_left_glb.urdf"),
    ("dexsuite+dex-urdf", "robots/hands/shadow_hand/bimanual.urdf"),
    ("doosan-robotics+doosan-robot2", "dsr_description2/urdf/a0912.white.urdf"),
    ("dexsuite+dex-urdf", "robots/hands/shadow_hand/shadow_hand_right_glb.urdf"),
    ("RethinkRobotics+baxter_common", "baxter_description/urdf/baxter.urdf"),
    ("upkie+upkie_description", "urdf/upkie.urdf"),
)
EXAMPLES = (
    "a1.urdf",
    "borinot_flying_arm_2.urdf",
    "g1_29dof_rev_1_0.urdf",
    "so101.urdf",
    "talos_reduced.urdf",
    "talos_full_v2.urdf",
    "tiago_pro.urdf",
    "ur3_robot.urdf",
    "ur5_robot.urdf",
)
ICUB = "iCubGazeboV2_5"


def texts() -> dict[str, str]:
    """Twenty real robots that have nothing wrong, or little."""
    paths = [shared("corpus", *parts) for parts in MODELS]
    paths += [path for path in example_robot_urdfs() if path.name in EXAMPLES]
    paths += [path for path in icub_urdfs() if path.parent.name == ICUB]
    return {str(path): path.read_text("utf-8") for path in paths}


def wrong(text: str) -> list[str]:
    """Where planting one defect at a time in a robot is not found by exactly its rule and what it implies."""

    def found(robot: kt.Robot) -> list[kt.Finding]:
        return [f for f in check(robot, profile="sim", packages=PACKAGES) if f.code.isupper()]

    model = Model(text)
    before = found(model.robot)
    said, count = {(f.code, f.element, f.message) for f in before}, Counter(f.code for f in before)
    faults = []
    for defect in (*DEFECTS, *OF_REPS, *OF_CONTROL):
        changed = defect.plant(model)
        if changed in (None, text) or (defect.code == "NAM-006" and count["NAM-006"]):
            continue
        after = found(kt.load(changed, format="urdf"))
        more = set(Counter(f.code for f in after) - count) - {defect.code, *defect.implied, "NAM-010"}  # on one side
        new = {f.code for f in after if (f.code, f.element, f.message) not in said}
        if more or defect.code not in new:
            faults.append(f"{defect.code}: {sorted(new)}")
    return faults


class TestPlanted:
    def test_every_rule_has_its_defect(self):
        """All but LIM-012, of MJCF, and those of files beside the URDF and of contact, which have their own."""
        lacking = RULES.keys() - {"LIM-012"} - {defect.code for defect in DEFECTS}
        assert not lacking, f"add {', '.join(sorted(lacking))} to DEFECTS in tests/planting.py"
        others = {rule.code for rule in rules_of("sim") if rule.code not in RULES}
        of_files = {code for code in others if code.startswith(("XAC", "MVT", "SRD", "CON"))}
        assert {defect.code for defect in (*OF_REPS, *OF_CONTROL)} == others - of_files - {"R105-004"}

    @pytest.mark.slow
    def test_in_the_example_every_defect_has_its_place_and_is_found(self):
        model = Model(ARM)
        assert [defect.code for defect in DEFECTS if defect.plant(model) is None] == []
        assert wrong(ARM) == []

    @pytest.mark.slow
    def test_in_real_robots(self):
        robots = texts()
        assert len(robots) == 20
        names = sample(robots, 6)
        assert {name: wrong(robots[name]) for name in names} == {name: [] for name in names}

    @pytest.mark.slow
    def test_the_real_robots_are_nearly_clean_and_every_defect_has_its_place_in_some(self):
        robots = [Model(text) for text in texts().values()]
        errors = [f for model in robots for f in found(model.robot, "ros") if f.severity == "error"]
        assert errors == []
        places = Counter(defect.code for model in robots for defect in DEFECTS if defect.plant(model))
        assert [code for code in RULES if places[code] < 2] == ["JNT-005", "LIM-012"]  # meshes; MJCF


def test_profiles_name_rules_that_exist():
    for name, profile in PROFILES.items():
        known = {rule.code for rule in rules_of(name)} | set(profile.without)
        assert all(any(code.startswith(letters) for code in known) for letters in profile.codes)


@pytest.mark.parametrize("mass", ["1e-320", "1e-300", "5e-324"])
def test_ratios_to_the_smallest_masses_give_no_warnings_of_numpy(mass):
    links = "".join(
        f'<link name="{name}"><inertial><mass value="{value}"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for name, value in (("l", mass), ("k", "1"))
    )
    joint = '<joint name="j" type="continuous"><parent link="l"/><child link="k"/><axis xyz="0 0 1"/></joint>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = kt.check(f'<robot name="a">{links}{joint}</robot>', format="urdf")
    assert {one.code for one in found if one.code.startswith("INR")}
