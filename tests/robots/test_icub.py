"""The iCub that comes with the package, against the tables that it is built from."""

import json
import tomllib
from importlib.resources import files
from math import radians

import numpy as np
import pytest

import kinetree as kt
from kinetree.formats.dh.rows import Place, read_row
from kinetree.formats.dh.values import Units
from kinetree.formats.text import TextReport
from support import all_frames, shared

CHAINS = {
    ("iCubTorso", "v2"): ("torso_tip", 3),
    ("iCubArm", "left_v2"): ("l_hand_dh_frame", 10),
    ("iCubArm", "right_v2"): ("r_hand_dh_frame", 10),
    ("iCubLeg", "left_v2"): ("l_foot_dh_frame", 6),
    ("iCubLeg", "right_v2"): ("r_foot_dh_frame", 6),
    ("iCubEye", "left_v2"): ("l_eye_frame", 8),
    ("iCubEye", "right_v2"): ("r_eye_frame", 8),
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


def tables() -> dict[str, dict]:
    data = tomllib.loads((files("kinetree.robots") / "icub" / "robot.toml").read_text())
    return {chain["name"]: chain for chain in data["chain"]}


def test_names(icub):
    assert icub.root == "root_link"
    assert icub.nq == 35
    assert not icub.notes
    assert icub.groups["torso"] == ("torso_pitch", "torso_roll", "torso_yaw")
    assert icub.groups["head"] == ("neck_pitch", "neck_roll", "neck_yaw")
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


def test_every_published_end(icub):
    truth = json.loads(shared("facts", "truth", "icub_dh_chains_fk.json").read_text())["chains"]
    published = json.loads(shared("facts", "icub", "dh_chains.json").read_text())["chains"]
    compared = set()
    for chain in published:
        key = (chain["class"].split("::")[-1], chain["type"])
        if key not in CHAINS:
            continue
        frame, count = CHAINS[key]
        names = [link["joint"].split(" ")[0] for link in chain["links"]]
        assert len(names) == count
        for link, name in zip(chain["links"], names, strict=True):
            limit = icub.joints[name].limit
            assert abs(limit.lower - link["min_rad"]) < 1e-12
            assert abs(limit.upper - link["max_rad"]) < 1e-12
        rng = np.random.default_rng(12)
        for q in rng.uniform(-2, 2, (5, count)):
            pose = all_frames(icub, icub.q(dict(zip(names, q, strict=True))))[frame]
            assert np.abs(pose - closed_form(chain, q)).max() < 1e-12, key
        for case in next((c["fk"] for c in truth if (c["class"], c["type"]) == key), ()):
            pose = all_frames(icub, icub.q(dict(zip(names, case["q"], strict=True))))[frame]
            assert np.abs(pose - case["H"]).max() < 1e-12, key
            compared.add(key)
    assert len(compared) >= 4


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


def test_the_axes_of_shared_joints_coincide_in_every_chains_own_table():
    """The axis of each shared joint as a directed line, from the root through the rows of each table alone."""
    lines: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    units = Units({"a": "mm", "d": "mm", "alpha": "deg", "theta": "deg"}, "mm", "deg")
    for chain in tables().values():
        report = TextReport("icub.toml", "")
        T = np.array(chain["base"]["matrix"], dtype=float)
        T[:3, 3] /= 1000
        for cells in chain["rows"]:
            row = read_row(cells, units, report, Place(None, ""))
            if row.joint:
                moment = np.cross(T[:3, 3], T[:3, 2])
                lines.setdefault(row.joint, []).append((T[:3, 2], moment))
            T = T @ row.transform("dh")
        assert not report.findings
    shared_by = {name: len(found) for name, found in lines.items() if len(found) > 1}
    assert shared_by == {
        "torso_pitch": 6,
        "torso_roll": 6,
        "torso_yaw": 6,
        "neck_pitch": 3,
        "neck_roll": 3,
        "neck_yaw": 3,
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
