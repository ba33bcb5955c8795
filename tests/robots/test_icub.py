"""The iCub that comes with the package, against the tables that it is built from."""

import csv
import json
from functools import cache
from math import radians
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.algorithms.kinematics import forward_kinematics
from kinetree.formats.dh.rows import Place, read_row
from kinetree.formats.dh.values import Units
from kinetree.queries.query import tree
from kinetree.robots.packaged import packaged, versions
from kinetree.syntax.text import TextReport
from support import all_frames, contact_reading, shared

ENDS = {
    "iCubTorso": "torso_tip",
    "iCubArm left": "l_hand_dh_frame",
    "iCubArm right": "r_hand_dh_frame",
    "iCubLeg left": "l_foot_dh_frame",
    "iCubLeg right": "r_foot_dh_frame",
    "iCubEye left": "l_eye_frame",
    "iCubEye right": "r_eye_frame",
    "iCubInertialSensor": "imu_frame",
    "iCubInertialSensorWaist": "root_link_imu_frame",
}

GOLDEN = [
    ("zero", "torso_tip", (-0.00781, 0.0, 0.2253)),
    ("zero", "imu_frame", (0.013, 0.0066, 0.3756)),
    ("zero", "l_hand_dh_frame", (-0.010816596765849, -0.084136077867491, -0.18078)),
    ("zero", "r_hand_dh_frame", (-0.010816596765849, 0.084136077867491, -0.18078)),
    ("zero", "l_foot_dh_frame", (0.0044175, -0.0681, -0.622995)),
    ("zero", "r_foot_dh_frame", (0.0044175, 0.0681, -0.622995)),
    ("zero", "l_eye_frame", (-0.0564, -0.034, 0.34685)),
    ("zero", "r_eye_frame", (-0.0564, 0.034, 0.34685)),
    ("steps", "torso_tip", (-0.029789662444942, -0.03773373754937, 0.219706103044208)),
    ("steps", "imu_frame", (0.026525509913968, -0.013069820656431, 0.350152814924043)),
    ("steps", "l_hand_dh_frame", (-0.08154638625468, -0.27182669277637, -0.10373671311141)),
    ("steps", "r_hand_dh_frame", (0.126042243713556, 0.187025270469108, 0.129048941267177)),
    ("steps", "l_foot_dh_frame", (0.010061563370195, -0.044701019899868, -0.261719398126209)),
    ("steps", "r_foot_dh_frame", (-0.037308958073893, 0.046866936653977, -0.108447300330495)),
    ("steps", "l_eye_frame", (-0.02367194203282, -0.082045765802173, 0.35386997907183)),
    ("steps", "r_eye_frame", (-0.053006081024956, -0.020700586494763, 0.353343419168425)),
]


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def tables(version: str) -> list[dict]:
    """The chains of a version as its file has them; those that stand on another's frame are left out."""
    chains = [chain for chain in packaged(f"icub:{version}").data["chain"] if chain and "on" not in chain]
    return [{**chain, "rows": [row for row in chain["rows"] if row]} for chain in chains]


def test_names(icub):
    assert icub.root == "root_link"
    assert icub.nq == 35
    assert len(icub.frames) - len(icub.links) == 61
    assert [(note.code, note.severity) for note in icub.notes] == [
        ("unplaced", "info"),
        ("published-limits", "info"),
        ("other-source", "info"),
        ("simple-shapes", "info"),
    ]
    assert icub.groups["torso"] == ("torso_yaw", "torso_roll", "torso_pitch")
    assert icub.groups["head"] == (
        "neck_pitch",
        "neck_roll",
        "neck_yaw",
        "eyes_tilt",
        "l_eye_pan_joint",
        "r_eye_pan_joint",
    )
    assert len(icub.groups["all_joints"]) == 32
    assert kt.load("icub:3").groups["torso"] == ("torso_roll", "torso_pitch", "torso_yaw")
    assert [len(icub.groups[f"{side}_{limb}"]) for limb in ("arm", "leg") for side in ("left", "right")] == [7, 7, 6, 6]
    for frame, link in {
        "imu_frame": "head",
        "l_hand_dh_frame": "l_hand",
        "r_foot_dh_frame": "r_foot",
        "l_forearm_dh_frame": "l_forearm",
        "r_upper_arm_dh_frame": "r_upper_arm",
        "root_frame": "root_link",
        "l_eye_frame": "l_eye",
    }.items():
        assert icub.frames[frame].link == link
    assert icub.sensors["head_imu"].frame == "imu_frame"
    assert icub.joints["l_shoulder_pitch"].parent == "chest"
    assert icub.joints["neck_pitch"].parent == "chest"


def test_golden_poses(icub):
    # computed from the published tables by another implementation of them, all joints at 0 and at 0.1, 0.2, … 3.5 rad
    for q, name, position in GOLDEN:
        pose = all_frames(icub, np.zeros(35) if q == "zero" else 0.1 * np.arange(1, 36))[name]
        assert np.abs(pose[:3, 3] - position).max() < 1e-12, name


@pytest.mark.slow
def test_golden_points_of_every_version():
    lines = Path(__file__).with_name("icub_golden.csv").read_text().splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert {row["version"] for row in rows} == set(versions("icub"))
    for row in rows:
        robot = loaded(row["version"])
        values = {name: 0.1 * k * (-1) ** (k + 1) for k, name in enumerate(way_to(robot, row["frame"]), 1)}
        point = pose_of(robot, values, row["frame"]) @ (0.1, 0.2, 0.3, 1.0)
        assert np.abs(point[:3] - [float(row[x]) for x in "xyz"]).max() < 1e-12, (row["version"], row["frame"])


@pytest.mark.slow
@each("version", versions("icub"))
@each("limits", [None, "dh"])
def test_the_text_has_the_tables_and_the_limits(version, limits):
    robot = kt.load(f"icub:{version}", limits=limits)
    assert "versions" not in robot.text.text
    again = kt.load(robot.text.text, format="dh")
    assert (again.joint_names, again.groups, list(again.frames)) == (
        robot.joint_names,
        robot.groups,
        list(robot.frames),
    )
    for part in ("lower", "upper", "G", "h", "row_names"):
        np.testing.assert_array_equal(getattr(again.limits, part), getattr(robot.limits, part))
    q = np.linspace(-1, 1, robot.nq)
    mine, other = all_frames(robot, q), all_frames(again, q)
    assert max(np.abs(mine[name] - other[name]).max() for name in mine) < 1e-14


def way_to(robot: kt.Robot, frame: str) -> list[str]:
    """The joints that move a frame, from the root outwards; a follower is its leader."""
    above = {joint.child: joint for joint in robot.joints.values()}
    link, names = robot.frames[frame].link, []
    while link in above:
        joint = above[link]
        names += [joint.mimic.joint if joint.mimic else joint.name] if joint.kind.nq else []
        link = joint.parent
    return names[::-1]


def test_axes_of_the_naming_page(icub):
    # the page's table at q = 0; its arms lean by 15 degrees, and its torso_roll has the wrong sign
    expected = {
        "torso_pitch": (0, -1, 0),
        "torso_roll": (1, 0, 0),
        "torso_yaw": (0, 0, -1),
        "neck_pitch": (0, 1, 0),
        "neck_roll": (-1, 0, 0),
        "neck_yaw": (0, 0, 1),
        "l_elbow": (0, 1, 0),
        "l_hip_pitch": (0, 1, 0),
        "l_hip_roll": (-1, 0, 0),
        "r_hip_roll": (1, 0, 0),
        "l_knee": (0, 1, 0),
        "l_ankle_pitch": (0, -1, 0),
        "r_ankle_roll": (1, 0, 0),
    }
    frames = all_frames(icub, np.zeros(35))
    for name, axis in expected.items():
        joint = icub.joints[name]
        direction = frames[joint.child][:3, :3] @ joint.axes[0]
        assert np.abs(direction - axis).max() < 1e-12, name
    roll = icub.joints["l_shoulder_roll"]
    assert abs(frames[roll.child][:3, :3] @ roll.axes[0] @ (-1, 0, 0) - np.cos(radians(15))) < 1e-12


def published() -> list[tuple[str, str, dict]]:
    """(version, frame, chain) of every chain that is no finger's."""
    found = []
    for chain in json.loads(shared("facts", "icub", "dh_chains.json").read_text())["chains"]:
        name, said = chain["class"].split("::")[-1], chain["type"].replace("_", " ").split()
        if name == "iCubFinger":
            continue
        side = next((word for word in said if word in ("left", "right")), "")
        version = next((word for word in said if word.startswith("v")), "v1").removeprefix("v")
        frame = ENDS[f"{name} {side}".strip()]
        if (name, version) in (("iCubInertialSensor", "2"), ("iCubInertialSensor", "2.0")):
            frame = "imu_ikin_2_5_frame"  # where iKin has it today; the page for version 2 is the imu_frame
        found.append((version, frame, chain))
    return found


loaded = cache(lambda version: kt.load(f"icub:{version}", limits="dh"))


def pose_of(robot: kt.Robot, values: dict[str, float], frame: str) -> np.ndarray:
    return forward_kinematics(tree(robot), robot.q(values), [frame])[0]


def test_frames_of_the_skin_are_those_behind_rows_5_7_and_9_of_ikins_arm(icub):
    """Counted from 0 and with the torso's three; the hand's is the end of the chain."""
    rows = {"upper_arm": 6, "forearm": 8, "hand": 10}
    chains = {frame: chain for version, frame, chain in published() if version == "2" and "hand" in frame}
    assert len(chains) == 2
    rng = np.random.default_rng(13)
    for frame, chain in chains.items():
        q = rng.uniform(-1, 1, len(chain["links"]))
        values = dict(zip(joint_names(chain), q, strict=True))
        for part, n in rows.items():
            ended = {**chain, "links": chain["links"][:n], "HN": chain["HN"] if n == 10 else np.eye(4)}
            pose = pose_of(icub, values, f"{frame[0]}_{part}_dh_frame")
            assert np.abs(pose - closed_form(ended, q[:n])).max() < 1e-12, (frame, part)


def joint_names(chain: dict) -> list[str]:
    """Its joints; those of the eyes are published with a remark, and models call them otherwise."""
    names = [link["joint"].split(" ")[0] for link in chain["links"]]
    return [f"{name}_joint" if name.endswith("_eye_pan") else name for name in names]


def test_every_published_chain_of_every_version():
    assert len(published()) == 52
    rng = np.random.default_rng(12)
    for version, frame, chain in published():
        robot, names = loaded(version), joint_names(chain)
        for link, name in zip(chain["links"], names, strict=True):
            limit = robot.joints[name].limit
            assert abs(limit.lower - link["min_rad"]) < 1e-12
            assert abs(limit.upper - link["max_rad"]) < 1e-12
        rounded = 1e-6 if frame == "root_link_imu_frame" else 1e-12  # its rotation is printed with six digits
        for q in rng.uniform(-2, 2, (3, len(names))):
            pose = pose_of(robot, dict(zip(names, q, strict=True)), frame)
            assert np.abs(pose - closed_form(chain, q)).max() < rounded, (version, frame)


def test_every_published_chain_computed_elsewhere():
    truth = {}
    for case in json.loads(shared("facts", "truth", "icub_dh_chains_fk.json").read_text())["chains"]:
        truth[case["class"], case["type"]] = case["fk"]
    compared = set()
    for version, frame, chain in published():
        key = (chain["class"].split("::")[-1], chain["type"])
        names = joint_names(chain)
        for case in truth.get(key, ()):
            pose = pose_of(loaded(version), dict(zip(names, case["q"], strict=True)), frame)
            assert np.abs(pose - case["H"]).max() < 1e-12, key
            compared.add(key)
    assert compared == {key for key in truth if key[0] != "iCubFinger"}
    assert len(compared) == 26


def closed_form(chain: dict, q: np.ndarray) -> np.ndarray:
    """The published chain by the textbook's single matrix of a row (Spong, Robot Modeling and Control, eq. 3.10)."""
    H = np.array(chain["H0"], dtype=float)
    for link, number in zip(chain["links"], q, strict=True):
        c, s = np.cos(link["offset_rad"] + number), np.sin(link["offset_rad"] + number)
        ca, sa = np.cos(link["alpha_rad"]), np.sin(link["alpha_rad"])
        a, d = link["a_m"], link["d_m"]
        H = H @ [[c, -s * ca, s * sa, c * a], [s, c * ca, -c * sa, s * a], [0, sa, ca, d], [0, 0, 0, 1]]
    return H @ np.array(chain["HN"], dtype=float)


def test_the_inertial_sensor(icub):
    truth = json.loads(shared("facts", "truth", "icub_inertial_sensor_v2.json").read_text())
    assert len(truth["configs"]) >= 9
    for case in truth["configs"]:
        q = icub.q(dict(zip(truth["joint_order"], case["q_rad"], strict=True)))
        assert np.abs(all_frames(icub, q)["imu_frame"] - case["T_root_imu"]).max() < 1e-12
    at_zero = kt.fk(icub, "imu_frame")(icub.q())
    assert np.abs(at_zero[:3, :3] - np.eye(3)).max() < 1e-12
    assert np.abs(at_zero[:3, 3] - (0.013, 0.0066, 0.3756)).max() < 1e-12


@pytest.mark.slow
def test_the_places_of_the_inertial_sensor_against_each_other(icub):
    def away(robot: kt.Robot, frame: str) -> float:
        return 1000 * float(np.linalg.norm(kt.fk(robot, frame, base="imu_page_frame")(robot.q())[:3, 3]))

    assert away(icub, "imu_frame") == 0
    virtual_link = kt.fk(icub, "imu_virtual_link_frame", base="imu_page_frame")(icub.q())
    assert np.abs(virtual_link - np.eye(4)).max() < 1e-15
    assert away(icub, "imu_ikin_2_5_frame") == pytest.approx(22.54, abs=0.005)
    for version, frame in {
        "2.0": "imu_page_frame",
        "2.1": "imu_ikin_2_5_frame",
        "2.5": "imu_ikin_2_5_frame",
        "2.6": "imu_ikin_2_6_frame",
        "2.9": "imu_ikin_2_6_frame",
        "3.0": "imu_ikin_2_6_frame",
    }.items():
        robot = kt.load(f"icub:{version}")
        assert np.array_equal(kt.fk(robot, "imu_frame", base=frame)(robot.q()), np.eye(4)), version


def test_force_torque_joints_cut_links_where_the_tables_know_none(icub):
    for side in "lr":
        for part, parent, child in (
            ("arm", "shoulder_3", "upper_arm"),
            ("leg", "hip_2", "hip_3"),
            ("foot", "ankle_2", "foot"),
        ):
            joint = icub.joints[f"{side}_{part}_ft_sensor"]
            assert (joint.type, joint.parent, joint.child) == ("fixed", f"{side}_{parent}", f"{side}_{child}")
            assert np.array_equal(joint.origin, np.eye(4))
            assert icub.sensors[f"{side}_{part}_ft"].joint == joint.name
            assert icub.frames[f"{side}_{part}_ft_frame"].link == joint.child


@pytest.mark.slow
def test_its_sensors_read_what_the_link_below_applies_to_the_link_above():
    icub, w = kt.load("icub:2.5"), [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]
    there = kt.dynamics.wrench(icub, "l_hand_dh_frame", base="l_arm_ft_frame")(icub.q(), w)
    reading = contact_reading(icub, "l_arm_ft", "l_hand_dh_frame")(icub.q(), w)
    np.testing.assert_allclose(reading, there, rtol=0, atol=1e-14)
    with pytest.raises(kt.KinetreeError, match="does not say what it measures"):
        contact_reading(kt.load("icub:3"), "l_arm_ft", "l_hand_dh_frame")  # whose own sensors are others


@pytest.mark.slow
def test_every_version_has_the_same_names_and_order(icub):
    torso = {"torso_pitch", "torso_roll", "torso_yaw"}
    for version in versions("icub"):
        robot = kt.load(f"icub:{version}")
        assert [n for n in robot.joint_names if n not in torso] == [n for n in icub.joint_names if n not in torso]
        extra = {"imu_neck_1", "imu_neck_2", "imu_head"} if version == "2.10" else set()
        assert set(robot.links) - extra == set(icub.links)
        assert len(robot.joints) - len(extra) == 41
        ends = {name for name in icub.frames if "_dh_" not in name or name.endswith("dh_frame")}
        assert {name for name in ends if not name.startswith("imu_")} <= set(robot.frames)
        assert "imu_frame" in robot.frames


def test_the_followers_that_hold_two_tables_in_one_tree():
    robot = kt.load("icub:2.10")
    followers = {joint.name: joint.mimic.joint for joint in robot.joints.values() if joint.mimic}
    assert followers == {f"imu_{name}": name for name in ("neck_pitch", "neck_roll", "neck_yaw")}
    apart = kt.fk(robot, "imu_neck_1", base="neck_1")(robot.q())
    assert np.linalg.norm(apart[:3, 3]) == pytest.approx(0.0053, abs=1e-12)


@pytest.mark.slow
def test_versions_are_two_integers():
    order = sorted(versions("icub"), key=lambda text: versions("icub")[text])
    assert order == ["1.0", "1.7", "2.0", "2.1", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "3.0"]
    for said, meant in {"icub:2": "icub:2.0", "icub:v2.5": "icub:2.5", "icub": "icub:2.0"}.items():
        assert kt.load(said).text.text == kt.load(meant).text.text
    assert kt.load("icub:2.1").text.text != kt.load("icub:2.10").text.text


@each("said", ["2.4", "2.50", "", "two", "2.5.1", "-1", "9999999", "2.05", "٢.٥"])
def test_an_unknown_version_lists_the_versions(said):
    with pytest.raises(kt.KinetreeError, match=r"the versions are 1\.0, 1\.7, 2\.0, .*2\.9, 2\.10, 3\.0") as error:
        kt.load(f"icub:{said}")
    assert repr(said) in str(error.value)


@pytest.mark.slow
@each("version", versions("icub"))
def test_the_axes_of_shared_joints_coincide_in_every_chains_own_table(version):
    """The axis of each shared joint as a directed line, from the root through the rows of each table alone."""
    lines: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    units = Units({"a": "mm", "d": "mm", "alpha": "deg", "theta": "deg"}, "mm", "deg")
    for chain in tables(version):
        report = TextReport("icub.toml", "")
        T = np.array(chain["base"]["matrix"], dtype=float)
        T[:3, 3] /= 1000
        for cells in chain["rows"]:
            row = read_row(cells, units, Place(report, None, ""))
            if row.joint:
                moment = np.cross(T[:3, 3], T[:3, 2])
                lines.setdefault(row.joint, []).append((T[:3, 2], moment))
            T = T @ row.transform("dh")
        assert not report.findings
    shared_by = {name: len(found) for name, found in lines.items() if len(found) > 1}
    torso = 7 if version == "2.10" else 6  # there the neck and its sensor are two chains
    assert shared_by == {
        **dict.fromkeys(("torso_pitch", "torso_roll", "torso_yaw"), torso),
        **dict.fromkeys(("neck_pitch", "neck_roll", "neck_yaw"), 3),
        "eyes_tilt": 2,
    }
    for name in shared_by:
        for direction, moment in lines[name][1:]:
            assert np.abs(direction - lines[name][0][0]).max() < 1e-12, name
            assert np.abs(moment - lines[name][0][1]).max() < 1e-12, name


def test_a_bare_name_is_a_robot_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kt.KinetreeError, match="did you mean 'icub'"):
        kt.load("icubb")
    (tmp_path / "icub").write_text('<robot name="mine"><link name="a"/></robot>')
    assert kt.load("icub").name == "icub"
    assert kt.load("./icub").name == "mine"
