"""The naming conventions of the iCub, against the wiki's page, and their corrections against real models."""

import json
import re
from collections import Counter
from math import degrees, radians

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.robots.icub.board_limits import board_limits
from kinetree.robots.icub.naming import AxisRow, FixedJointRow, FrameRow, JointRow, LinkRow, SkinRow, corrected, naming
from kinetree.robots.icub.skin import skin
from support import all_frames, icub_urdfs, shared

HEADERS = {
    "joints": "Yarp ControlBoard name Joint name",
    "fixed_joints": "Yarp AnalogSensor name Fixed joint name",
    "links": "Link Name Parent Joint Parent Link",
    "axes": "Joint name Joint type Axis (x) Axis (y) Axis (z) Min Max",
    "frames": "Frame Name Link Explanation",
    "skin": "Frame Name Link Explanation",  # the second table of this header
}
TABLES = tuple(HEADERS)
ABOUT_NO_ROW = {15}  # how many force/torque sensors there are is said in a sentence only
LEANING = radians(15.1)  # arms, and the later feet, lean by 15 degrees
EYES = {"l_eye", "r_eye"}  # links that these tables leave out (deviation 18)


def robots() -> dict[str, kt.Robot]:
    """The whole robots of icub-models."""
    loaded = {path.parent.name: kt.load(path) for path in icub_urdfs()}
    return {name: robot for name, robot in loaded.items() if name.startswith("iCub")}


@pytest.fixture(scope="module")
def models() -> dict[str, kt.Robot]:
    found = robots()
    assert len(found) == 14
    return found


def printed_tables() -> dict[str, list]:
    """The rows of the page's tables, read from its text."""
    text = shared("seeds", "icub-model-naming-conventions.txt").read_text("utf-8")
    parse = {
        "joints": lambda line: JointRow(*line.split()),
        "fixed_joints": lambda line: FixedJointRow(*line.split()),
        "links": lambda line: LinkRow(*line.split()),
        "axes": printed_axis,
        "frames": printed_frame,
        "skin": printed_skin,
    }
    tables = {}
    for name, header in HEADERS.items():
        body = text.split(f"{header}\n")[-1 if name == "skin" else 1].split("\n\n")[0]
        tables[name] = [parse[name](line) for line in body.splitlines()]
    return tables


def printed_axis(line: str) -> AxisRow:
    joint, kind, *cells = line.split()
    if kind == "Fixed":
        assert cells == ["*"] * 5
        return AxisRow(joint, kind, None, None, None)
    x, y, z = (float(cell.strip("()")) for cell in cells)  # Min and Max are empty
    return AxisRow(joint, kind, (x, y, z), None, None)


def printed_frame(line: str) -> FrameRow:
    frame, links, explanation = re.fullmatch(r"(\S+) (— \(missing at the moment\)|\S+) (.*)", line).groups()
    return FrameRow(frame, () if links.startswith("—") else tuple(links.split(",")), explanation)


def printed_skin(line: str) -> SkinRow:
    return SkinRow(*re.fullmatch(r"(\S+) (\S+) Frame of (\S+) SkinPart", line).groups())


@each("table", TABLES)
def test_every_row_of_the_page_is_there_as_printed_and_in_order(table):
    rows = printed_tables()[table]
    assert [entry.printed for entry in getattr(naming(), table) if entry.printed] == rows


def test_the_page_has_the_rows_that_we_think():
    counts = {"joints": 32, "fixed_joints": 6, "links": 35, "axes": 35, "frames": 14, "skin": 8}
    assert {table: len(rows) for table, rows in printed_tables().items()} == counts


def test_all_18_deviations_are_recorded_and_referred_to():
    deviations = naming().deviations
    assert list(deviations) == list(range(1, 19))
    for deviation in deviations.values():
        assert deviation.printed
        assert deviation.correction
        assert deviation.why
    referred = {number for table in TABLES for entry in getattr(naming(), table) for number in entry.deviations}
    assert set(deviations) - referred == ABOUT_NO_ROW
    assert referred <= set(deviations)


@each("table", TABLES)
def test_no_row_is_corrected_without_a_reason(table):
    for entry in getattr(naming(), table):
        assert entry.deviations or entry.correct == entry.printed, entry


def test_the_corrections_by_number():
    """What each deviation changes, row by row, as (printed, correct) of the cells that differ."""
    changes = Counter()
    for table in TABLES:
        for entry in getattr(naming(), table):
            if entry.printed is None:
                changes[table, "added"] += 1
            else:
                names = [
                    name
                    for name in entry.printed._fields
                    if getattr(entry.printed, name) != getattr(entry.correct, name)
                ]
                changes.update((table, name) for name in names)
    assert changes == {
        ("joints", "joint"): 2,  # the order of the torso
        ("fixed_joints", "sensor"): 6,
        ("links", "added"): 4,  # root and neck
        ("links", "parent"): 2,  # the elbows
        ("axes", "added"): 3,  # neck
        ("axes", "axis"): 1,  # torso_roll
        ("axes", "lower"): 29,
        ("axes", "upper"): 29,
        ("frames", "added"): 4,  # skin of the arms
        ("frames", "links"): 6,  # eyes, arm and foot sensors
        ("frames", "explanation"): 14,
        ("skin", "added"): 5,  # torso and legs
        ("skin", "part"): 2,  # feet
    }


def test_corrected_links_form_a_tree_over_exactly_the_joints():
    links = {row.link: row for row in corrected(naming().links)}
    assert len(links) == len(naming().links) == 39
    assert [row.link for row in links.values() if not row.parent] == ["root_link"]
    for row in links.values():
        seen = {row.link}
        while row.parent:
            row = links[row.parent]
            assert row.link not in seen, f"a cycle through {row.link}"
            seen.add(row.link)
        assert row.link == "root_link"
    carried = [row.joint for row in links.values() if row.joint]
    joints = [row.joint for row in (*corrected(naming().joints), *corrected(naming().fixed_joints))]
    assert sorted(carried) == sorted(joints)


def test_every_joint_has_one_axis_row_and_every_axis_row_a_joint():
    moving = {row.joint for row in corrected(naming().joints)}
    fixed = {row.joint for row in corrected(naming().fixed_joints)}
    rows = corrected(naming().axes)
    assert Counter(row.joint for row in rows) == Counter(moving | fixed)
    for row in rows:
        assert row.type == ("Revolute" if row.joint in moving else "Fixed")
        assert (row.axis is None) == (row.joint in fixed)
        assert (row.lower is None) == (row.upper is None) == (row.joint in fixed)


def test_limits_are_those_of_the_robot_that_the_page_names():
    limits = board_limits("iCubGenova02")
    rows = {row.joint: row for row in corrected(naming().axes) if row.axis}
    assert len(rows) == 32
    for joint, row in rows.items():
        assert (row.lower, row.upper) == limits[joint]
    # as robots-configuration prints them, in degrees
    assert degrees(rows["l_shoulder_roll"].lower) == pytest.approx(9)
    assert degrees(rows["r_knee"].lower) == pytest.approx(-100)
    assert degrees(rows["torso_pitch"].upper) == pytest.approx(70)


def test_left_mirrors_right():
    """In the mirror an axis along y keeps its direction, those along x and z turn round."""
    axes = {row.joint: np.array(row.axis) for row in corrected(naming().axes) if row.axis}
    pairs = [(axes[name], axes["r" + name[1:]]) for name in axes if name.startswith("l_")]
    assert len(pairs) == 13
    for left, right in pairs:
        assert np.array_equal(left * (-1, 1, -1), right)
    for table in (naming().links, naming().frames, naming().skin):
        rows = {tuple(mirrored(row)) for row in corrected(table)}
        assert rows == {tuple(mirrored(row, swap=False)) for row in corrected(table)}


def mirrored(row: tuple, swap: bool = True) -> list[str]:
    """The names of a row, left and right exchanged; explanations are no names."""
    cells = [str(cell) for cell in (row[:2] if isinstance(row, FrameRow) else row)]
    swapped = {"l_": "r_", "r_": "l_", "LEFT": "RIGHT", "RIGHT": "LEFT"}
    return [re.sub(r"\b[lr]_|LEFT|RIGHT", lambda m: swapped[m[0]], cell) if swap else cell for cell in cells]


def test_frames_sit_on_links_and_skin_on_frames():
    links = {row.link for row in corrected(naming().links)}
    frames = {row.frame: row for row in corrected(naming().frames)}
    for row in frames.values():
        assert row.links
        assert set(row.links) <= links | EYES
    for row in corrected(naming().skin):
        assert row.link in links
        assert not row.frame or frames[row.frame].links == (row.link,)
    parents = {row.link: row.parent for row in corrected(naming().links)}
    sensors = {row.sensor: row.joint for row in corrected(naming().fixed_joints)}
    carried = {row.joint: row.link for row in corrected(naming().links)}
    for entry in naming().frames:
        if "_ft_" in entry.correct.frame:  # the sensor's frame sits where the sensor's joint is
            (sensor,) = entry.known_as
            below = carried[sensors[sensor]]
            assert entry.correct.links == (parents[below], below)


def test_a_sensor_has_the_name_of_the_page_and_that_of_today():
    icub = kt.load("icub")
    for name in ("left_arm", "l_arm_ft"):
        assert kt.icub.sensor(icub, name) is icub.sensors["l_arm_ft"]
    assert kt.icub.sensor(icub, "right_foot").joint == "r_foot_ft_sensor"
    with pytest.raises(kt.KinetreeError, match="no sensor 'left_arn'; did you mean 'left_arm'"):
        kt.icub.sensor(icub, "left_arn")
    other = kt.load('<robot name="r"><link name="a"/></robot>', format="urdf")
    with pytest.raises(kt.KinetreeError, match="no sensor 'left_arm'"):
        kt.icub.sensor(other, "left_arm")


def test_boards_and_sensors():
    boards: dict[str, list[str]] = {}
    for row in corrected(naming().joints):
        boards.setdefault(row.board, []).append(row.joint)
    assert {board: len(joints) for board, joints in boards.items()} == {
        "left_leg": 6,
        "right_leg": 6,
        "torso": 3,
        "head": 3,
        "left_arm": 7,
        "right_arm": 7,
    }
    assert boards["torso"] == ["torso_yaw", "torso_roll", "torso_pitch"]
    assert set(naming().force_torque.servers) == {row.sensor for row in corrected(naming().fixed_joints)}
    for sensor, port in naming().force_torque.servers.items():
        side, limb, _ = sensor.split("_")
        assert port == f"/icub/{'left' if side == 'l' else 'right'}_{limb.replace('foot', 'leg')}/FT"


def test_boards_are_the_groups_of_the_robot_of_the_package():
    """Joint by joint; those of the eyes and the hands stand behind the page's."""
    icub = kt.load("icub")
    boards: dict[str, list[str]] = {}
    for row in corrected(naming().joints):
        boards.setdefault(row.board, []).append(row.joint)
    for board, joints in boards.items():
        assert list(icub.groups[board][: len(joints)]) == joints
        assert set(icub.groups[board][len(joints) :]) <= {"eyes_tilt", "l_eye_pan_joint", "r_eye_pan_joint"}


def test_parts_of_the_skin_are_on_the_frames_of_the_page():
    """The parts as skinDynLib has them, by their body and number, are on the frames and links that the page names."""
    own = {part.name: part for part in skin().parts}
    rows = corrected(naming().skin)
    assert len(rows) == 13
    frames = kt.load("icub").frames
    for row in rows:
        part = own[row.part]
        frame = skin().bodies[part.body][part.number]
        assert frame == row.frame or not row.frame, row
        assert frames[frame].link == row.link, row
        assert part.file == row.link, row


def test_boards_sensors_and_skin_are_those_of_the_robots_own_files():
    """Order of the boards, names and servers of the sensors, parts of the skin: as gathered from upstream's sources."""
    known = json.loads(shared("facts", "icub", "control_boards.json").read_text())
    for board, order in known["boards_icub_v1_v2"].items():
        joints = [row.joint for row in corrected(naming().joints) if row.board == board]
        assert joints == order[: len(joints)]
    for row in corrected(naming().fixed_joints):
        server = naming().force_torque.servers[row.sensor]
        assert {"sensor": row.sensor, "server": server} == known["ft"][row.joint]
    skin = {part: (facts["frame"] or "", facts["link"]) for part, facts in known["skin"].items()}
    assert {row.part: (row.frame, row.link) for row in corrected(naming().skin)} == skin


@pytest.mark.slow
def test_names_and_parents_in_every_published_model(models):
    """All tables hold in all models of version 2; the feet of version 1 differ as deviation 14 says."""
    for name, robot in models.items():
        for entry in naming().links:
            row = entry.correct
            if name == "iCubLisboa01" and 14 in entry.deviations:
                assert row.link.endswith("_foot") or row.link not in robot.links
                assert row.joint.endswith("_roll") or row.joint not in robot.joints
            elif row.joint:
                joint = robot.joints[row.joint]
                assert (joint.parent, joint.child) == (row.parent, row.link), name
    foot = models["iCubLisboa01"].joints["l_ankle_roll"]
    assert (foot.parent, foot.child) == ("l_ankle_1", "l_foot")


def test_names_and_parents_in_the_robot_of_the_package():
    icub = kt.load("icub")
    for row in corrected(naming().links):
        if row.joint:
            joint = icub.joints[row.joint]
            assert (joint.parent, joint.child) == (row.parent, row.link)
    assert icub.root == "root_link"
    for row in corrected(naming().frames):
        assert icub.frames[row.frame].link in row.links
    for row in corrected(naming().fixed_joints):
        assert icub.sensors[row.sensor].joint == row.joint
    assert set(icub.links) >= EYES


@pytest.mark.slow
def test_frames_of_the_models_carry_the_names_that_we_know_them_by(models):
    """Names of the page that no model has are known under others, and sit where the corrected row says."""
    missing = Counter()
    for robot in models.values():
        for entry in naming().frames:
            row = entry.correct
            names = [name for name in (row.frame, *entry.known_as) if name in robot.frames]
            if not names:
                missing[row.frame] += 1
                continue
            assert (names[0] == row.frame) == (not entry.known_as)
            above = {joint.parent for joint in robot.joints.values() if joint.child == names[0]}
            assert set(row.links) & {robot.frames[names[0]].link, *above}, (robot.name, names[0])
    assert missing == {
        "l_eye_frame": 14,
        "r_eye_frame": 14,
        "l_foot_ft_frame": 3,  # the models made from DH tables: Genova03, Lisboa01, Nancy01
        "r_foot_ft_frame": 3,
        "l_upper_arm_dh_frame": 11,  # the models made from CAD
        "r_upper_arm_dh_frame": 11,
    }


@pytest.mark.parametrize("name", ["icub", "iCubGazeboV2_7", "iCubGenova02", "iCubGenova03"])
@pytest.mark.slow
def test_axes_point_as_corrected(name, models):
    robot = kt.load("icub") if name == "icub" else models[name]
    frames = all_frames(robot, np.zeros(robot.nq))
    R_zero_root = frames["root_link"][:3, :3]
    for entry in naming().axes:
        if entry.correct.axis is None:
            continue
        joint = robot.joints[entry.correct.joint]
        axis = R_zero_root.T @ frames[joint.child][:3, :3] @ joint.axes[0]
        assert angle(axis, entry.correct.axis) < LEANING, joint.name
        if joint.name.startswith(("torso", "neck", "l_hip", "r_hip")):
            assert angle(axis, entry.correct.axis) < 1e-3, joint.name
        if joint.name == "torso_roll":
            assert angle(axis, entry.printed.axis) > radians(179.9)


def test_axes_depend_on_the_joints_before_them():
    """Which is why the page sets all joints to zero: in the root's axes the elbow's turns with the shoulder."""
    icub = kt.load("icub")
    joint = icub.joints["l_elbow"]
    at_zero, raised = (
        all_frames(icub, icub.q(l_shoulder_roll=roll))[joint.child][:3, :3] @ joint.axes[0] for roll in (0.0, 1.0)
    )
    assert angle(at_zero, (0, 1, 0)) < 1e-3
    assert angle(at_zero, raised) > 0.2


def test_large_links_have_plain_names_and_small_ones_those_of_their_articulation():
    """The links that the page's text names are links of the robot; all others are an articulation and a number."""
    plain = {"root_link", "chest", "head"}
    plain |= {f"{s}_{n}" for s in "lr" for n in ("upper_arm", "forearm", "hand", "upper_leg", "lower_leg", "foot")}
    links = {row.link for row in corrected(naming().links)}
    assert plain < links < set(kt.load("icub").links)
    joints = {row.joint for row in (*corrected(naming().joints), *corrected(naming().fixed_joints))}
    for link in links - plain:
        articulation, number = re.fullmatch(r"(\w+)_(\d)", link).groups()
        assert number in "123"
        assert any(joint.startswith(articulation) for joint in joints), link


def angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b)))


@pytest.mark.slow
def test_force_torque_sensors_read_what_the_child_does_to_the_parent(models):
    """The plate out of which z points acts on the other: z points down the limb, so below acts on above."""
    assert naming().force_torque.measures == "child_on_parent"
    for robot in models.values():
        frames = all_frames(robot, np.zeros(robot.nq))
        for row in corrected(naming().fixed_joints):
            if row.sensor in frames:
                z = frames["root_link"][:3, :3].T @ frames[row.sensor][:3, 2]
                assert angle(z, (0, 0, -1)) < LEANING, (robot.name, row.sensor)
    for path in icub_urdfs():
        said = re.findall(r"<measure_direction>(\w+)<", path.read_text("utf-8"))
        assert set(said) <= {"child_to_parent"}
        assert said or path.parent.name.startswith("left_")
