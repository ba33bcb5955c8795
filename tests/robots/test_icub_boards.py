"""What the control boards of the iCub family say, and q."""

import json
import re

import numpy as np
import pytest

import kinetree as kt
from kinetree.robots.icub.boards import board_joints, boards, families, groups, with_groups
from support import icub_urdfs, shared

HAND = ("hand_finger", "thumb_oppose", "thumb_proximal", "thumb_distal", "index_proximal", "index_distal")
HAND = (*HAND, "middle_proximal", "middle_distal", "pinky")
BOARDS = {"head": 6, "torso": 3, "left_arm": 16, "right_arm": 16, "left_leg": 6, "right_leg": 6, "all_joints": 32}


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def chain(*joints: str, more: str = "") -> kt.Robot:
    """Links one behind the other, by turning joints of these names."""
    links = "".join(f'<link name="link{i}"/>' for i in range(len(joints) + 1))
    text = "".join(
        f'<joint name="{name}" type="revolute"><parent link="link{i}"/><child link="link{i + 1}"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/></joint>'
        for i, name in enumerate(joints)
    )
    return kt.load(f'<robot name="chain">{links}{text}{more}</robot>', format="urdf")


def reads(robot: kt.Robot, q: np.ndarray) -> dict[str, float]:
    return dict(zip(robot.joint_names, np.rad2deg(q).tolist(), strict=True))


def test_the_board_of_the_torso_runs_against_its_chain(icub):
    assert board_joints(icub, "torso") == ("torso_yaw", "torso_roll", "torso_pitch")
    said = reads(icub, kt.icub.from_board(icub, "torso", [10, 20, 30], unit="deg", q=icub.zero).q)
    assert {name: round(x, 9) for name, x in said.items() if x} == {
        "torso_yaw": 10,
        "torso_roll": 20,
        "torso_pitch": 30,
    }
    icub3 = chain("torso_roll", "torso_pitch", "torso_yaw", "l_wrist_prosup")
    assert board_joints(icub3, "torso") == ("torso_roll", "torso_pitch", "torso_yaw")
    assert kt.icub.to_board(icub3, "torso", [0.1, 0.2, 0.3, 0], unit="rad").values.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.slow
def test_there_and_back_on_every_model(icub):
    rng = np.random.default_rng(4)
    for robot in (icub, *map(kt.load, (p for p in icub_urdfs() if p.parent.name.startswith("iCub")))):
        assert families(robot) == ("icub",)
        q = rng.uniform(-1, 1, (2, 5, robot.nq))
        back = np.zeros_like(q)
        for board, count in BOARDS.items():
            values, absent = kt.icub.to_board(robot, board, q, unit="deg")
            assert values.shape == (2, 5, count)
            places = [board_joints(robot, board).index(name) for name in absent]
            assert np.isnan(values).any(axis=(0, 1)).nonzero()[0].tolist() == places
            if board == "all_joints":
                assert not absent
                whole = kt.icub.from_board(robot, board, values, unit="deg", q=q * 0 if robot.nq == 32 else q).q
                assert np.abs(whole - q).max() < 1e-14
            back, missing = kt.icub.from_board(robot, board, values, unit="deg", q=back)
            assert missing == absent
        assert np.abs(back - q).max() < 1e-14


def test_all_of_an_arm_and_its_first_seven(icub):
    hand = tuple(f"l_{name}" for name in HAND)
    short = kt.icub.from_board(icub, "left_arm", np.arange(7.0), unit="deg")
    long = kt.icub.from_board(icub, "left_arm", np.arange(16.0), unit="deg")
    assert short.absent == ()
    assert long.absent == hand
    assert (short.q == long.q).all()
    assert (short.q == icub.q(dict(zip(board_joints(icub, "left_arm")[:7], range(7), strict=True)), unit="deg")).all()
    assert kt.icub.to_board(icub, "left_arm", short.q, unit="deg", count=7).values.shape == (7,)
    assert kt.icub.to_board(icub, "left_arm", short.q, unit="deg").absent == hand
    with_nan = kt.icub.from_board(icub, "left_arm", [*range(7), *[np.nan] * 9], unit="deg")
    assert (with_nan.q == short.q).all()


def test_they_show_themselves_on_a_line(icub):
    reading = kt.icub.from_board(icub, "torso", [10, 20, 30], unit="deg")
    assert repr(reading) == "BoardReading(q=array (35,), absent=())"
    values = kt.icub.to_board(icub, "left_arm", icub.q(), unit="deg")
    assert repr(values) == "BoardValues(values=array (16,), absent=<9 entries>)"


def test_units(icub):
    q = kt.icub.from_board(icub, "left_leg", [90, 0, 0, 0, 0, 45], unit="deg").q
    assert (q == icub.q(l_hip_pitch=np.pi / 2, l_ankle_roll=np.pi / 4)).all()
    assert (q == kt.icub.from_board(icub, "left_leg", [np.pi / 2, 0, 0, 0, 0, np.pi / 4], unit="rad").q).all()
    assert np.allclose(
        kt.icub.to_board(icub, "left_leg", q, unit="deg").values, [90, 0, 0, 0, 0, 45], rtol=0, atol=1e-13
    )
    for say in (
        lambda **unit: kt.icub.from_board(icub, "torso", [0, 0, 0], **unit),
        lambda **unit: kt.icub.to_board(icub, "torso", icub.q(), **unit),
    ):
        with pytest.raises(kt.KinetreeError, match="unit is missing; expected 'deg', as control boards speak, or"):
            say()
        with pytest.raises(kt.KinetreeError, match="unit is 'degrees'; expected 'deg'"):
            say(unit="degrees")


def test_the_other_joints_stay_and_batches_broadcast(icub):
    q = icub.q(l_elbow=0.5, torso_yaw=0.1)
    values = np.array([[[1.0, 2, 3]], [[4, 5, 6]]])  # (2, 1, 3)
    many = np.stack([q, 2 * q, 3 * q])
    full, absent = kt.icub.from_board(icub, "torso", values, unit="rad", q=many)
    assert (full.shape, absent) == ((2, 3, 35), ())
    where = icub.q_slices
    assert (full[:, :, where["l_elbow"]][..., 0] == [[0.5, 1, 1.5]] * 2).all()
    assert (full[:, :, where["torso_yaw"]][..., 0] == [[1] * 3, [4] * 3]).all()
    assert (many[0] == q).all()  # what was given is not written into
    assert kt.icub.from_board(icub, "torso", np.zeros((0, 3)), unit="deg").q.shape == (0, 35)


def test_version_and_vergence_are_those_of_the_page():
    for names in (("l_eye_pan", "r_eye_pan"), ("l_eye_pan_joint", "r_eye_pan_joint")):
        robot = chain("eyes_tilt", *names)
        values = [0, 0, 0, 1, 8, 6]
        q, absent = kt.icub.from_board(robot, "head", values, unit="deg")
        assert absent == ("neck_pitch", "neck_roll", "neck_yaw")
        assert np.allclose(np.rad2deg(q), [1, 8 + 6 / 2, 8 - 6 / 2], rtol=0, atol=1e-14)
        assert np.allclose(kt.icub.to_board(robot, "head", q, unit="deg").values[-2:], [8, 6], rtol=0, atol=1e-14)


def test_vergence_makes_the_eyes_converge_in_front_of_the_robot(icub):
    gaze = kt.fk(icub, ["l_eye_frame", "r_eye_frame"])
    for version in (-10, 0, 10):
        q = kt.icub.from_board(icub, "head", [0, 0, 0, 0, version, 12], unit="deg").q
        (p_l, p_r), (z_l, z_r) = (lambda T: (T[:, :3, 3], T[:, :3, 2]))(gaze(q))
        assert z_l @ z_r == pytest.approx(np.cos(np.deg2rad(12)), abs=1e-12)
        # where p_l + s z_l = p_r + t z_r
        s, t = np.linalg.lstsq(np.stack([z_l, -z_r], axis=-1), p_r - p_l, rcond=None)[0]
        met = p_l + s * z_l
        assert np.abs(met - (p_r + t * z_r)).max() < 1e-12
        assert min(s, t) > 0.2
        assert met[0] < p_l[0] - 0.2  # x of the root points backwards
        towards_the_right = met[1] - (p_l + p_r)[1] / 2  # y of the root
        assert np.sign(round(towards_the_right, 9)) == np.sign(version)


def test_one_eye_alone_has_no_version(icub):
    for robot in (kt.edit.remove(icub, "r_eye"), kt.edit.lock(icub, {"r_eye_pan_joint": 0.1})):
        q, absent = kt.icub.from_board(robot, "head", [1, 2, 3, 4, 5, 6], unit="deg")
        assert absent == ("eyes_version", "eyes_vergence")
        assert q[robot.q_slices["l_eye_pan_joint"]] == 0
        assert with_groups(robot).groups["head"] == ("neck_pitch", "neck_roll", "neck_yaw", "eyes_tilt")


def test_what_is_fixed_or_follows_is_absent(icub):
    neck = kt.edit.lock(icub, {"neck_pitch": 0, "neck_roll": 0, "neck_yaw": 0})
    assert kt.icub.from_board(neck, "head", [1, 2, 3], unit="deg").absent == ("neck_pitch", "neck_roll", "neck_yaw")
    follower = (
        '<link name="x"/><joint name="l_elbow" type="revolute"><parent link="link0"/><child link="x"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
        '<mimic joint="l_shoulder_pitch"/></joint>'
    )
    robot = chain("l_shoulder_pitch", "l_shoulder_roll", "l_shoulder_yaw", more=follower)
    q, absent = kt.icub.from_board(robot, "left_arm", np.ones(7), unit="rad", family="icub")
    assert absent == ("l_elbow", "l_wrist_prosup", "l_wrist_pitch", "l_wrist_yaw")
    assert q.tolist() == [1, 1, 1]


def test_the_structure_tells_the_family():
    icub, icub3 = ("torso_pitch", "torso_roll", "torso_yaw"), ("torso_roll", "torso_pitch", "torso_yaw")
    assert families(chain(*icub)) == ("icub",)
    assert families(chain(*icub3, "l_wrist_prosup")) == ("icub3",)
    assert families(chain(*icub3, "l_wrist_roll")) == ("ergocub",)
    assert families(chain(*icub3)) == ("icub3", "ergocub")
    assert families(kt.edit.reroot(chain(*icub), "link3")) == ("icub",)
    # where the root is between them, the order is not that of any chain
    assert families(kt.edit.reroot(chain(*icub, "l_wrist_prosup"), "link1")) == ("icub", "icub3")
    robot = chain("torso_yaw")
    assert kt.icub.from_board(robot, "left_leg", [0] * 6, unit="deg").absent == board_joints(robot, "left_leg")
    with pytest.raises(kt.KinetreeError) as error:
        kt.icub.from_board(robot, "torso", [0, 0, 1], unit="rad")
    assert "fix: say family=…, one of 'icub', 'icub3', 'ergocub'" in str(error.value)
    assert dict(with_groups(robot).groups) == {"torso": ("torso_yaw",), "all_joints": ("torso_yaw",)}
    with pytest.raises(kt.KinetreeError, match="family"):
        with_groups(chain("torso_pitch", "torso_yaw"))
    assert kt.icub.from_board(robot, "torso", [0, 0, 1], unit="rad", family="icub3").q.tolist() == [1]
    assert kt.icub.to_board(robot, "torso", [1], unit="rad", family="icub").values[0] == 1
    with pytest.raises(kt.KinetreeError, match="family is 'icub2'; expected one of 'icub', 'icub3', 'ergocub'"):
        board_joints(robot, "torso", family="icub2")
    with pytest.raises(kt.KinetreeError, match="has no joint of a control board"):
        board_joints(chain("joint1", "joint2"), "torso")


@pytest.mark.slow
def test_models_with_eyes_and_hands_of_their_own():
    corpus = shared("corpus")
    (ergocub,) = map(kt.load, corpus.glob("*/urdf/ergoCub/robots/ergoCubSN000/model.urdf"))
    assert families(ergocub) == ("ergocub",)
    absent = kt.icub.from_board(ergocub, "all_joints", np.ones(45), unit="deg").absent
    driven_by_one_motor = ("thumb_oc", "index_oc", "middle_oc", "ring_pinky_oc")
    assert absent == tuple(f"{side}_{axis}" for side in "lr" for axis in driven_by_one_motor)
    q = kt.icub.from_board(ergocub, "left_arm", range(13), unit="deg").q
    assert {name for name, x in reads(ergocub, q).items() if round(x, 9) in (7, 9)} == {"l_thumb_add", "l_index_add"}
    (creo,) = map(kt.load, corpus.glob("*/iCub_creo2urdf/robots/iCubGazeboV2_10/model.urdf"))
    q, absent = kt.icub.from_board(creo, "head", [0, 0, 0, 0, 0, 20], unit="deg")
    assert not absent
    left, right = kt.fk(creo, ["l_eye", "r_eye"])(q)[:, :3, 0]  # these links look along -x, and x points backwards
    assert left[0] > 0
    assert left[1] < -0.17 < 0.17 < right[1]


def test_wrong_use_is_refused(icub):
    def refused(message: str, board: object = "left_arm", values: object = (0,) * 7, **options: object) -> None:
        with pytest.raises(kt.KinetreeError, match=re.escape(message)):
            kt.icub.from_board(icub, board, values, unit="deg", **options)

    refused("no board 'larm'; did you mean 'left_arm'?", "larm")
    refused("no board 'x'; there are 'head', 'torso', 'left_arm', 'right_arm'", "x")
    refused("no board ['x']", ["x"])
    refused("takes 16 numbers or the first 7, got an array of shape (8,); in this order: l_shoulder_pi", values=[0] * 8)
    refused("in this order: torso_yaw, torso_roll, torso_pitch", "torso", [0, 0])
    refused("takes 6 numbers or the first 3", "head", 1)
    refused("values are not all finite", values=[0, 0, 0, np.nan, 0, 0, 0])
    refused("values are not all finite", values=[0] * 15 + [np.inf])
    refused("values: this is no array of numbers", values=["a"] * 7)
    refused("expected (…, 35), in this order: torso_pitch", q=[0] * 32)
    refused("q is not all finite", q=[np.nan] * 35)
    refused("values (2, 7) and q (3, 35) do not broadcast", values=np.zeros((2, 7)), q=np.zeros((3, 35)))
    with pytest.raises(kt.KinetreeError, match="takes 16 numbers or the first 7, got count=5"):
        kt.icub.to_board(icub, "left_arm", icub.q(), unit="deg", count=5)
    sliding = kt.load(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="l_knee" type="prismatic"><parent link="a"/>'
        '<child link="b"/><axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="1"/></joint></robot>',
        format="urdf",
    )
    with pytest.raises(kt.KinetreeError, match="joint 'l_knee': is prismatic; on a control board it is one angle"):
        kt.icub.from_board(sliding, "left_leg", [0] * 6, unit="deg")


def test_groups(icub):
    made = groups("icub")
    assert {name: len(joints) for name, joints in made.items()} == {
        **BOARDS,
        "left_arm": 7,
        "right_arm": 7,
        "all_joints": 32,
    }
    assert made["head"] == ("neck_pitch", "neck_roll", "neck_yaw", "eyes_tilt", "l_eye_pan_joint", "r_eye_pan_joint")
    assert set().union(*made.values()) == set(icub.joint_names)
    order = ["head", "left_arm", "right_arm", "torso", "left_leg", "right_leg"]
    assert made["all_joints"] == sum((made[name][: 3 if name == "head" else None] for name in order), ())
    grouped = with_groups(kt.edit.group(icub, "mine", ["l_knee"]))
    assert {name: grouped.groups[name] for name in made} == made
    assert grouped.groups["mine"] == ("l_knee",)
    assert groups("icub3")["torso"] == ("torso_roll", "torso_pitch", "torso_yaw")
    assert groups("ergocub")["head"] == ("neck_pitch", "neck_roll", "neck_yaw", "camera_tilt")
    urdf = kt.load(next(path for path in icub_urdfs() if path.parent.name == "iCubGazeboV2_5"))
    grouped = with_groups(urdf)
    assert not urdf.groups
    assert dict(grouped.groups) == {**made, "head": made["head"][:3]}
    assert with_groups(chain("l_hip_pitch", "torso_pitch")).groups["left_leg"] == ("l_hip_pitch",)


def test_the_boards_are_those_of_the_robots_and_of_the_models():
    model = json.loads(shared("facts", "icub", "control_boards.json").read_text())
    own = {family: {name: board.axes for name, board in known.items()} for family, known in boards().families.items()}
    assert {name: own["icub"][name] for name in model["boards_icub_v1_v2"]} == {
        name: tuple(axes) for name, axes in model["boards_icub_v1_v2"].items()
    }
    for family in ("icub3", "ergocub"):
        assert own[family]["torso"] == tuple(model["torso_order_icub3_ergocub"])
    parts = [re.fullmatch(r"(\w+)\[0:(\d+)\]", part).groups() for part in model["alljoints_remapper_order_icub_models"]]
    assert own["icub"]["all_joints"] == sum((own["icub"][name][: int(count)] for name, count in parts), ())
    robots = json.loads(shared("facts", "icub", "control_board_limits.json").read_text())["robots"]
    different = set()
    for robot, said in robots.items():
        family = "ergocub" if robot.startswith("ergoCub") else "icub"
        for name, axes in said["boards"].items():
            if name != "face" and own[family][name] != tuple(axes):
                different.add((robot, name))
                # the remapper of an ergoCub's arm has the fingers in another order than the files of the motors
                alike = sorted(own[family][name]) == sorted(axes) and own[family][name][:7] == tuple(axes[:7])
                assert alike if family == "ergocub" else (robot, name) == ("iCubStanford01", "head")
    assert different == {("iCubStanford01", "head")} | {
        (f"ergoCubSN00{i}", f"{side}_arm") for i in range(4) for side in ("left", "right")
    }
    # its eyes are driven by the face's electronics, and join the neck's axes in its remapper
    stanford = robots["iCubStanford01"]["boards"]
    eyes = [boards().other_names.get(axis, axis) for axis in stanford["face"][1:]]
    assert own["icub"]["head"] == (*stanford["head"], *eyes)
