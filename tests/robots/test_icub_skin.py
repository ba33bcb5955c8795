"""The iCub's skin: frames of its parts, taxels, contacts, their wrenches and joint torques."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.robots.icub.naming import naming
from kinetree.robots.icub.skin import contact_frame, skin
from support import icub_urdfs, random_q

EXAMPLE = Path(__file__).with_name("skin_example.txt")
LISTS = """((7 3 4 2) (0.01 0.02 0.03) (0.0 1.0 5.0) (0.0 0.0 0.1) (0.01 0.02 0.04) (0.0 0.0 1.0) (3 4 5) 12.5)
 ((8 5 -1 9) (0.0 0.0 0.1) (1 0 0) (0 0 0) (0 0 0) (0 0 1) () 0.0)"""


@pytest.fixture(scope="module")
def icub() -> kt.Robot:
    return kt.load("icub")


def model(name: str) -> kt.Robot:
    return kt.load(next(path for path in icub_urdfs() if path.parent.name == name))


# parts and frames


def test_parts_of_the_skin_are_on_the_pages_frames_and_links(icub):
    assert [entry.correct.part for entry in naming().skin if entry.printed] == [
        *("SKIN_LEFT_FOOT", "SKIN_RIGHT_FOOT", "SKIN_LEFT_UPPER_ARM", "SKIN_LEFT_FOREARM", "SKIN_LEFT_HAND"),
        *("SKIN_RIGHT_UPPER_ARM", "SKIN_RIGHT_FOREARM", "SKIN_RIGHT_HAND"),
    ]
    for entry in naming().skin:
        row = entry.correct
        frame = kt.icub.skin_frame(icub, row.part)
        assert frame.link == row.link
        assert frame.name == (row.frame or frame.name)
        for name in (row.part.removeprefix("SKIN_"), row.link, entry.printed.part if entry.printed else row.part):
            assert kt.icub.skin_frame(icub, name) is frame
    assert {part.name for part in skin().parts} == {entry.correct.part for entry in naming().skin}
    assert [part.code for part in skin().parts] == list(range(1, 14))
    assert kt.icub.skin_frame(icub, 2) is icub.frames["l_forearm_dh_frame"]


def test_link_n_of_a_part_of_the_body_is_moved_by_joint_n_of_its_chain(icub):
    """In the order of the page's table of joints, which is that of iKin's chains."""
    for body, frames in skin().bodies.items():
        joints = [entry.printed.joint for entry in naming().joints if entry.printed.board == body]
        assert len(frames) == len(joints)
        for n, joint in enumerate(joints):
            frame = kt.icub.skin_frame(icub, body, n)
            way = [one.name for one in icub.joints_to(frame.link) if one.coordinated]
            assert way[-1] == joint, (body, n)
    assert list(skin().codes.values()) == ["torso", "head", "left_arm", "right_arm", "left_leg", "right_leg"]
    assert kt.icub.skin_frame(icub, 4, 6) is icub.frames["r_hand_dh_frame"]


def test_published_models_have_the_frames_that_the_page_says_or_none():
    lisboa, cad = model("iCubLisboa01"), model("iCubGazeboV2_7")
    for part in ("LEFT_UPPER_ARM", "RIGHT_FOREARM", "LEFT_HAND", "RIGHT_FOOT"):
        assert kt.icub.skin_frame(lisboa, part).name.endswith("_dh_frame")
    assert kt.icub.skin_frame(cad, "SKIN_LEFT_LEG_UPPER").name == "l_upper_leg_dh_frame"
    with pytest.raises(kt.KinetreeError, match=r"'SKIN_LEFT_UPPER_ARM': .* does not have its frame 'l_upper_arm_dh_f"):
        kt.icub.skin_frame(cad, "SKIN_LEFT_UPPER_ARM")


@pytest.mark.slow
def test_the_upper_legs_frame_is_ikins_in_models_from_cad(icub):
    """Turned alike, and as far from the built-in robot's as the whole leg, up to 7 mm."""
    cad = model("iCubGazeboV2_7")
    for part in ("SKIN_LEFT_LEG_UPPER", "SKIN_RIGHT_LEG_UPPER"):
        poses = [kt.fk(r, kt.icub.skin_frame(r, part).name, "root_link").interpret(r.q()) for r in (icub, cad)]
        np.testing.assert_allclose(poses[0][:3, :3], poses[1][:3, :3], rtol=0, atol=1e-9)
        assert np.linalg.norm(poses[0][:3, 3] - poses[1][:3, 3]) < 7e-3


def test_what_is_no_part_of_the_skin(icub):
    for ask, said in (
        (lambda: kt.icub.skin_frame(icub, "SKIN_LEFT_FORARM"), "no skin part 'SKIN_LEFT_FORARM'; did you mean 'SKIN_L"),
        (lambda: kt.icub.skin_frame(icub, 14), "no skin part 14"),
        (lambda: kt.icub.skin_frame(icub, True), "no skin part True"),
        (lambda: kt.icub.skin_frame(icub, "left_arm", 7), r"link 7 of 'left_arm': is no link; expected 0 to 6"),
        (lambda: kt.icub.skin_frame(icub, "left_wing", 0), "no body part 'left_wing'"),
        (lambda: kt.icub.skin_frame(icub, 0, 0), "no body part 0"),
    ):
        with pytest.raises(kt.KinetreeError, match=said):
            ask()


# taxels


@each("source", [EXAMPLE, str(EXAMPLE), EXAMPLE.read_text()])
def test_taxels_are_read_with_their_places(source, icub):
    taxels = kt.icub.taxels(source)
    assert (taxels.part, taxels.sampling) == ("SKIN_LEFT_FOREARM", "taxel")
    assert taxels.known.tolist() == [True, True, False, True]
    assert taxels.position[:2].tolist() == [[0.03, -0.06, 0.012], [0.032, -0.065, 0.01]]
    assert taxels.normal[0].tolist() == [0.8, 0, 0.6]
    assert taxels.representative.tolist() == [1, 1, -2, 1]
    frame = kt.icub.skin_frame(icub, taxels.part).name
    placed = kt.kinematics.point(icub, frame).interpret(icub.q(), taxels.position[0])
    T = kt.fk(icub, frame).interpret(icub.q())
    np.testing.assert_allclose(placed, (T @ (*taxels.position[0], 1))[:3], rtol=0, atol=1e-15)


def test_older_files_have_rows_alone():
    rows = "0.1 0 0.2 0 0 1\n\n0 0 0 0 0 0\r\n"
    taxels = kt.icub.taxels(rows, part="LEFT_HAND")
    assert (taxels.part, taxels.position.tolist()) == ("SKIN_LEFT_HAND", [[0.1, 0, 0.2], [0, 0, 0]])
    with pytest.raises(kt.KinetreeError, match="does not name its part of the skin; pass part="):
        kt.icub.taxels(rows)


def test_a_list_of_another_length_than_the_table_is_left_out():
    """As in the published files of feet and legs."""
    text = EXAMPLE.read_text().replace("(1 1 -2 1)", "(1 1 -2 1 1 1)")
    assert kt.icub.taxels(text).representative is None
    assert kt.icub.taxels(text).known.sum() == 3


@each(
    "old, new, said",
    [
        ("0.030  -0.060   0.012", "0.030  -0.060", r"text:5: error: '0.030  -0.060   0.8   0.0   0.6' is not a taxel"),
        ("0.030", "0,030", r"text:5.*is not a taxel; expected 6 numbers"),
        ("0.030", "nan", r"text:5.*is not a taxel"),
        ("l_forearm", "l_tail", "no skin part 'l_tail'"),
        ("(1 1 -2 1)", "(1 1 x 1)", "taxel2Repr is not a list of whole numbers"),
    ],
)
def test_files_that_cannot_be_read(old, new, said):
    with pytest.raises(kt.KinetreeError, match=said):
        kt.icub.taxels(EXAMPLE.read_text().replace(old, new, 1))


def test_a_z_that_is_a_copy_of_x_is_refused():
    """Commit 7d81dedf of icub-main published left_forearm_V2.txt so, and ab19cf6a corrected it."""
    rows = "".join(f"{x} -0.06 {x} 1 0 0\n" for x in (-0.03, 0.02, 0.01))
    with pytest.raises(kt.KinetreeError, match="z is a copy of x in all rows"):
        kt.icub.taxels(rows, part="SKIN_LEFT_FOREARM")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(kt.KinetreeError, match=r"none\.txt.*cannot be read"):
        kt.icub.taxels(tmp_path / "none.txt")
    (tmp_path / "long.txt").write_bytes(b"0" * 4_000_001)
    with pytest.raises(kt.KinetreeError, match="at most 4000000"):
        kt.icub.taxels(tmp_path / "long.txt")


# contacts


def test_a_list_of_contacts_as_yarp_prints_it():
    first, second = kt.icub.contacts(LISTS)
    assert (first.id, first.body_part, first.link_number, first.skin_part) == (7, "left_arm", 4, "SKIN_LEFT_FOREARM")
    assert first.center_of_pressure == (0.01, 0.02, 0.03)
    assert (first.force, first.moment) == ((0, 1, 5), (0, 0, 0.1))
    assert (first.geometric_center, first.normal) == ((0.01, 0.02, 0.04), (0, 0, 1))
    assert (first.taxels, first.pressure) == ((3, 4, 5), 12.5)
    assert (second.skin_part, second.link_number, second.taxels) == ("SKIN_LEFT_LEG_LOWER", -1, ())
    assert kt.icub.contacts("") == kt.icub.contacts("()") == ()
    assert [c.id for c in kt.icub.contacts(f"({LISTS})")] == [7, 8]


def test_contacts_without_skin_and_those_of_other_releases():
    (plain,) = kt.icub.contacts("((1 6 5) (0 0 0) (1 2 3) (0 0 0))")
    assert (plain.body_part, plain.link_number, plain.skin_part, plain.force) == ("right_leg", 5, "", (1, 2, 3))
    longer = LISTS.splitlines()[0][:-1] + ' ("l forearm" l_forearm_dh_frame) 3)'
    assert kt.icub.contacts(longer)[0].pressure == 12.5


@each(
    "text, said",
    [
        ("((1 3 4 2) (0 0 0)", "1 parentheses are not closed"),
        ("(1 2))", "closes that was not opened"),
        ("((1 3 4 2) (0 0) (0 0 0) (0 0 0))", "item 1: is not a contact; expected"),
        ("((1 3 4) (0 0 0) (0 nan 0) (0 0 0))", "is not a contact"),
        ("7 8", "item 1: is not a contact"),
        (LISTS.replace("7 3 4 2", "7 3 4 99"), "no skin part 99"),
        (LISTS.replace("7 3 4 2", "7 9 4 2"), "no body part 9; there are '1 torso', '2 head'"),
        (LISTS.replace("(3 4 5)", "(3 4.5)"), "item 1: is not a contact"),
    ],
)
def test_what_is_no_list_of_contacts(text, said):
    with pytest.raises(kt.KinetreeError, match=said):
        kt.icub.contacts(text)


def test_a_contact_without_a_part_of_the_skin_is_on_the_frame_of_its_link(icub):
    (plain,) = kt.icub.contacts("((1 6 5) (0 0 0) (1 2 3) (0 0 0))")
    assert contact_frame(icub, plain) is kt.icub.skin_frame(icub, "right_leg", 5)
    (part,) = kt.icub.contacts(LISTS.splitlines()[0])
    assert contact_frame(icub, part) is kt.icub.skin_frame(icub, "SKIN_LEFT_FOREARM")


def test_a_contact_whose_part_and_link_disagree(icub):
    (contact,) = kt.icub.contacts(LISTS.splitlines()[0].replace("7 3 4 2", "7 3 6 2"))
    with pytest.raises(kt.KinetreeError, match="is on SKIN_LEFT_FOREARM, which is left_arm, link 4, but says left_arm"):
        kt.icub.contact_torques(icub, icub.q(), [contact])


# wrenches and torques


def test_the_wrench_of_a_contact_by_hand(icub):
    """5 N along z, 20 mm along y: 0.1 N m about x, and the contact's own 0.1 N m about z, in the frame of the skin."""
    contact = kt.icub.SkinContact(
        skin_part="SKIN_LEFT_FOREARM", center_of_pressure=[0, 0.02, 0], force=[0, 0, 5], moment=[0, 0, 0.1]
    )
    found = kt.icub.contact_torques(icub, icub.q(), [contact])
    assert list(found.wrenches) == ["l_forearm"]
    w = kt.dynamics.wrench(icub, "l_forearm", "l_forearm_dh_frame").interpret(icub.q(), found.wrenches["l_forearm"])
    np.testing.assert_allclose(w, [0, 0, 5, 0.1, 0, 0.1], rtol=0, atol=1e-15)


@pytest.mark.slow
def test_the_torques_do_the_work_of_the_contacts(icub):
    """Virtual work: tau · qd is the power of the forces at their points and of the moments, by finite differences."""
    rng, h = np.random.default_rng(3), 1e-6
    contacts = [
        kt.icub.SkinContact(
            skin_part=part,
            center_of_pressure=rng.normal(size=3) / 10,
            force=rng.normal(size=3),
            moment=rng.normal(size=3),
        )
        for part in (
            "LEFT_HAND",
            "LEFT_FOREARM",
            "RIGHT_UPPER_ARM",
            "FRONT_TORSO",
            "RIGHT_LEG_UPPER",
            "LEFT_FOOT",
            "l_hand",
        )
    ]
    q, qd = random_q(icub, rng), rng.normal(size=icub.nq)
    power = 0.0
    for contact in contacts:
        fk = kt.fk(icub, kt.icub.skin_frame(icub, contact.skin_part).name).interpret
        before, here, after = (fk(q + step * qd) for step in (-h, 0.0, h))
        Td = (after - before) / (2 * h)
        power += (here[:3, :3] @ contact.force) @ (Td @ (*contact.center_of_pressure, 1))[:3]
        W = Td[:3, :3] @ here[:3, :3].T
        power += (here[:3, :3] @ contact.moment) @ (W[2, 1], W[0, 2], W[1, 0])
    found = kt.icub.contact_torques(icub, q, contacts)
    assert found.tau @ qd == pytest.approx(power, abs=1e-7)
    assert len(found.wrenches) == 6


@pytest.mark.slow
def test_batches_of_configurations_and_forces(icub):
    rng = np.random.default_rng(4)
    q, forces = np.stack([random_q(icub, rng) for _ in range(5)]), rng.normal(size=(5, 3))

    def of(force):
        contact = kt.icub.SkinContact(skin_part="LEFT_HAND", center_of_pressure=[0.01, 0, 0.02], force=force)
        return [contact, *kt.icub.contacts(LISTS)]

    tau = kt.icub.contact_torques(icub, q, of(forces)).tau
    each = [kt.icub.contact_torques(icub, one, of(force)).tau for one, force in zip(q, forces, strict=True)]
    np.testing.assert_allclose(tau, each, rtol=0, atol=1e-14)
    assert kt.icub.contact_torques(icub, icub.q(), of(forces)).tau.shape == (5, icub.nv)
    assert kt.icub.contact_torques(icub, q, []).tau.tolist() == np.zeros((5, icub.nv)).tolist()


def test_contacts_with_wrong_numbers(icub):
    bad = kt.icub.SkinContact(skin_part="LEFT_HAND", center_of_pressure=[0, 0], force=[0, 0, 1], id=9)
    with pytest.raises(kt.KinetreeError, match="center_of_pressure has shape"):
        kt.icub.contact_torques(icub, icub.q(), [bad])
    with pytest.raises(kt.KinetreeError, match="q has shape"):
        kt.icub.contact_torques(icub, [0.0], [])
