"""Pairs that need not be tested, and what shows it (`Collisions.semantic`)."""

import re
from functools import partial

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact import semantic
from kinetree.contact.make import coarse
from kinetree.contact.never import parts_of_proof
from kinetree.contact.rows import Rows
from kinetree.contact.semantic import ALWAYS
from kinetree.progress import reporting

BALL = "<collision><geometry><sphere radius='{}'/></geometry></collision>"


def chain(*joints, radius=0.1, srdf=None):
    """A chain of balls a, b, c, …; each joint is its type, axis, limits and more, 0.3 m along x behind the last."""
    names = "abcdefgh"[: len(joints) + 1]
    text = "".join(f"<link name='{name}'>{BALL.format(radius)}</link>" for name in names)
    for a, b, (kind, axis, low, high, *more) in zip(names, names[1:], joints, strict=False):
        limit = "" if kind == "continuous" else f"<limit lower='{low}' upper='{high}' effort='1' velocity='1'/>"
        text += (
            f"<joint name='j{b}' type='{kind}'><parent link='{a}'/><child link='{b}'/><origin xyz='0.3 0 0'/>"
            f"<axis xyz='{axis}'/>{limit}{''.join(more)}</joint>"
        )
    return kt.load(f"<robot name='chain'>{text}</robot>", format="urdf", **({"srdf": srdf} if srdf else {}))


def reasons(robot):
    """Reason and evidence by pair."""
    return {(one.link1, one.link2): (one.reason, one.evidence) for one in robot.semantic.disabled_collisions}


def found(robot):
    """What `semantic` says of a robot, with both kinds of covers."""
    said = reasons(coarse(robot).semantic())
    if coarse(robot).pairs:
        assert reasons(kt.collisions(robot).semantic()).keys() == said.keys()
    return said


def bent(high):
    return "revolute", "0 0 1", -high, high


def test_reasons():
    """Balls of 0.1 m at 0.3 m: folded by more than 2 acos(1/3) = 141 degrees, a and c touch."""
    said = found(chain(bent(2.0), bent(2.0)))
    assert {pair: reason for pair, (reason, _) in said.items()} == {
        ("a", "b"): "Adjacent",
        ("b", "c"): "Adjacent",
        ("a", "c"): "Never",
    }
    assert re.fullmatch(r"proved: apart in \d+ parts? of the ranges, which are all", said["a", "c"][1])
    assert ("a", "c") not in found(chain(bent(2.5), bent(2.0)))


def test_a_pair_that_just_touches_is_found_and_one_just_apart_is_proved():
    """a and c are 0.6 cos(t / 2) apart, t the angle of the joint between: they touch from t = 2.46192."""
    touches = 2 * np.arccos(0.2 / 0.6)
    assert ("a", "c") not in found(chain(bent(touches + 1e-4), bent(1.0)))
    assert found(chain(bent(touches - 1e-4), bent(1.0)))["a", "c"][0] == "Never"


@pytest.mark.slow
def test_always_default_and_links_that_do_not_move():
    """The hand d is fixed to c; fat balls always touch."""
    robot = chain(bent(1.0), ("fixed", "0 0 1", 0, 0), bent(1.0), radius=0.2)
    said = found(robot)
    assert said["b", "c"] == ("Always", "the links do not move against each other")
    assert said["a", "b"][0] == said["c", "d"][0] == "Adjacent"
    assert said["a", "d"][0] == "Never"
    assert found(chain(bent(0.1), bent(0.1), radius=0.4))["a", "c"][0] == "Always"
    fixed = found(chain(bent(1.0), ("fixed", "0 0 1", 0, 0), radius=0.1))
    assert fixed["b", "c"] == ("Never", "the links do not move against each other")


def fingers(upper, gap, radius=0.01):
    """A palm with two sliding fingers, which are a gap apart at 0."""
    text = f"<link name='palm'>{BALL.format(0.01)}</link>"
    for name, sign in (("left", 1), ("right", -1)):
        text += (
            f"<link name='{name}'>{BALL.format(radius)}</link><joint name='{name}_joint' type='prismatic'>"
            f"<parent link='palm'/><child link='{name}'/><origin xyz='{sign * (radius + gap / 2)} 0 0.1'/>"
            f"<axis xyz='{sign} 0 0'/><limit lower='0' upper='{upper}' effort='1' velocity='1'/></joint>"
        )
    return kt.load(f"<robot name='hand'>{text}</robot>", format="urdf")


@pytest.mark.slow
def test_default_is_for_contact_that_only_grazes():
    """Closed fingers touch. Links that reach into each other in the neutral configuration are named, and stay in."""
    assert found(fingers(0.04, 0.0))["left", "right"] == ("Default", "in contact in the neutral configuration")
    deep = coarse(fingers(0.1, -0.05, 0.05)).semantic()
    assert ("left", "right") not in reasons(deep)
    (note,) = [note for note in deep.notes if note.code == "srdf-contact"]
    assert note.element == "links 'left' and 'right'"
    assert note.message == "they are in contact in the neutral configuration, but not always; the pair is not disabled"


def test_links_in_contact_in_seven_of_ten_postures_are_tested():
    """The fingers touch where x + y < 0.1225 m, of up to 0.1 m each: in 70 % of postures, and in the neutral one."""
    assert ("left", "right") not in reasons(coarse(fingers(0.1, -0.1225, 0.2)).semantic())


KINDS = [
    [("prismatic", "1 0 0", -0.15, 0.3), ("prismatic", "1 0 0", -0.15, 0.2)],
    [("revolute", "0 1 0", -1, 1), ("prismatic", "0 0 1", -0.5, 0.5)],
    [("continuous", "0 0 1", 0, 0), ("revolute", "0 1 0", -1, 1), ("revolute", "0 0 1", -1, 1)],
    [("revolute", "1 0 0", -1, 1), ("revolute", "0 1 0", -1.5, 2), ("prismatic", "1 0 0", -0.2, 0.1)],
    [bent(1.0), ("revolute", "0 0 1", -2, 2, "<mimic joint='jb' multiplier='-1.2' offset='0.3'/>"), bent(1.0)],
]


@pytest.mark.slow
@pytest.mark.nightly
def test_proofs_hold_and_are_tight():
    """What is proved never touches in more samples; and with radii just below half of the least distance it is proved,
    just above it is not."""
    for joints in KINDS:
        robot = chain(*joints, radius=0.01)
        last = list(robot.links)[-1]
        rng = np.random.default_rng(1)
        low, high = robot.limits.lower, robot.limits.upper
        finite = np.isfinite(low) & np.isfinite(high)
        low, high = np.where(finite, low, -np.pi), np.where(finite, high, np.pi)
        q = rng.uniform(0, 1, (20_000, robot.nq))
        q = low + (high - low) * np.clip(1.2 * q - 0.1, 0, 1)
        least = np.linalg.norm(kt.fk(robot, last)(q)[:, :3, 3], axis=1).min()
        for radius, proved in ((least / 2 - (2e-2 if robot.nq > 2 else 2e-3), True), (least / 2 + 1e-3, False)):
            contact = coarse(chain(*joints, radius=radius), [("a", last)])
            parts = parts_of_proof(contact.robot, "a", last, contact.radii(), partial(Rows(contact).may_be_near, 0))
            assert bool(parts) is proved, (joints, radius)


@pytest.mark.slow
def test_more_joints_are_searched():
    """With four joints there is no proof; but contact in a corner of their ranges is found."""
    said = found(chain(*[bent(0.3)] * 5))
    text = said["a", "f"][1]
    least = float(re.fullmatch(r"not in 10000 samples; the least distance found is (.*) mm", text)[1]) / 1e3
    robot = chain(*[bent(0.3)] * 5)
    q = np.full(5, 0.3)
    nearest = np.linalg.norm(kt.fk(robot, "f")(q)[:3, 3]) - 0.2
    assert nearest - 1e-3 <= least <= nearest + 2e-3
    corner = chain(*[bent(0.9)] * 5, radius=nearest_radius(0.9) + 2e-4)
    assert ("a", "f") not in found(corner)
    assert found(chain(*[bent(0.9)] * 5, radius=nearest_radius(0.9) - 1e-3))["a", "f"][0] == "Never"


def nearest_radius(most):
    """Radius of balls at which a and f of a chain of five joints touch where they come nearest."""
    robot = chain(*[bent(most)] * 5)
    signs = np.array(np.meshgrid(*[np.linspace(-most, most, 9)] * 5)).reshape(5, -1).T
    return np.linalg.norm(kt.fk(robot, "f")(signs)[:, :3, 3], axis=1).min() / 2


SRDF = """<robot name='chain'>{}</robot>"""
PAIR = "<disable_collisions link1='{}' link2='{}'{}/>"


@pytest.mark.slow
def test_what_the_srdf_has_stays_and_is_judged():
    """Wrong ones are named with a configuration in contact, as options of commands; User and Adjacent are not."""
    for reason, wrong in (
        ("Never", True),
        (None, True),
        ("Default", True),
        ("Always", True),
        ("User", False),
        ("Adjacent", False),
    ):
        own = PAIR.format("c", "a", f" reason='{reason}'" if reason else "")
        robot = chain(bent(2.6), bent(1.0), srdf=SRDF.format(own))
        made = coarse(robot).semantic() if reason != "User" else coarse(robot, [("a", "c")]).semantic()
        assert (made.semantic.disabled_collisions[0].link1, made.semantic.disabled_collisions[0].reason) == (
            "c",
            reason or "",
        )
        notes = [note for note in made.notes if note.code == "srdf-contact"]
        assert bool(notes) is wrong, reason
        if notes:
            said = f"disabled as {reason}" if reason else "disabled without a reason"
            match = re.fullmatch(
                rf"the pair is {said}, but in contact at --deg --q jb=(\S+) --q jc=(\S+)", notes[0].message
            )
            assert kt.collisions(robot, [("a", "c")])(np.deg2rad([float(match[1]), float(match[2])]))
            assert notes[0].source.line == 1


@pytest.mark.slow
def test_right_ones_get_their_evidence():
    robot = chain(
        bent(1.0),
        bent(1.0),
        srdf=SRDF.format(PAIR.format("a", "c", " reason='Default'") + PAIR.format("a", "b", "")),
    )
    said = found(robot)
    assert list(said) == [("a", "c"), ("a", "b"), ("b", "c")]
    assert said["a", "c"][0] == "Default"
    assert said["a", "c"][1].startswith("Never: proved: ")
    assert said["a", "b"] == ("", "Adjacent: neighbours")
    enabled = SRDF.format("<enable_collisions link1='a' link2='b'/>")
    assert ("a", "b") not in found(chain(bent(1.0), bent(1.0), srdf=enabled))


def test_the_file_has_the_evidence(tmp_path):
    made = coarse(chain(bent(1.0), bent(1.0))).semantic()
    kt.save(made, tmp_path / "chain.srdf")
    text = (tmp_path / "chain.srdf").read_text()
    assert '  <disable_collisions link1="a" link2="b" reason="Adjacent"/> <!-- neighbours -->\n' in text
    again = kt.load(kt.text(made, "urdf"), format="urdf", srdf=tmp_path / "chain.srdf")
    assert again.semantic.disabled_collisions == made.semantic.disabled_collisions
    assert not [note for note in again.notes if note.severity != "info"]


def test_links_that_move_by_themselves_are_refused():
    with pytest.raises(kt.KinetreeError, match="links c move by themselves; expected links of the robot alone"):
        kt.collisions(chain(bent(1.0), bent(1.0)), moving=["c"]).semantic()


@pytest.mark.slow
def test_a_margin_does_not_count():
    robot = chain(bent(1.0), bent(1.0))
    assert reasons(kt.collisions(robot, margin=0.3).semantic()).keys() == found(robot).keys()


@pytest.mark.slow
def test_progress_is_told_for_each_pair():
    told = []
    with reporting(lambda done, total: told.append((done, total))):
        coarse(chain(bent(2.0), bent(2.0), bent(2.0))).semantic()
    assert told[-3:] == [(i, 3) for i in (1, 2, 3)]  # after the covers


def test_proofs_are_of_three_coordinates_at_most_that_have_ends():
    """Of others nothing is looked at."""
    looked = []

    def may_be_near(q, far):
        looked.append(q)
        return np.zeros(len(q), dtype=bool)

    robot, radii = chain(*[bent(1.0)] * 4), dict.fromkeys("abcde", 0.1)
    assert parts_of_proof(robot, "a", "e", radii, may_be_near) == 0
    assert looked == []
    assert parts_of_proof(robot, "a", "d", radii, may_be_near) == 1
    assert [q.tolist() for q in looked] == [[[0.0] * 4]]
    endless = kt.load(kt.text(robot, "urdf").replace("revolute", "prismatic"), format="urdf")
    endless = kt.edit.clear_limits(endless, "jb")
    assert parts_of_proof(endless, "a", "b", radii, may_be_near) == 0


@pytest.fixture
def few_samples(monkeypatch):
    monkeypatch.setattr(semantic, "samples", lambda robot: robot.limits.sample(300, seed=0))


def test_a_corner_of_many_ranges_in_which_links_touch_is_found(few_samples):
    """Five joints at 0.9 rad make a part of a regular polygon of sides of 0.3 m, at whose ends a and f are."""
    radius = 0.15 * np.sin(2.25) / np.sin(0.45) + 1e-3
    contact = coarse(chain(*[bent(0.9)] * 5, radius=radius), [("a", "f")])
    assert not contact(semantic.samples(contact.robot)).any()
    assert reasons(contact.semantic()) == {}


@each(
    "robot, pair, expected",
    [
        (chain(bent(0.1), bent(0.1), radius=0.4), ("a", "c"), ("Always", ALWAYS)),
        (fingers(0.04, 0.0), ("left", "right"), ("Default", "in contact in the neutral configuration")),
    ],
)
def test_pairs_that_touch_always_or_only_graze(few_samples, robot, pair, expected):
    assert reasons(coarse(robot, [pair]).semantic())[pair] == expected


@each("reason, is_wrong", [("Never", True), ("", True), ("User", False), ("Adjacent", False)])
def test_pairs_of_an_srdf_that_touch_are_wrong_but_for_some_reasons(few_samples, reason, is_wrong):
    own = PAIR.format("c", "a", f" reason='{reason}'" if reason else "")
    made = coarse(chain(bent(2.6), bent(1.0), srdf=SRDF.format(own)), [("a", "c")]).semantic()
    kept = made.semantic.disabled_collisions[0]
    assert (kept.link1, kept.link2, kept.reason, kept.evidence) == ("c", "a", reason, "")
    notes = [note for note in made.notes if note.code == "srdf-contact"]
    assert len(notes) == is_wrong
    if is_wrong:
        said = f"the pair is {f'disabled as {reason}' if reason else 'disabled without a reason'}, but in contact at "
        assert notes[0].message.startswith(f"{said}--deg --q jb=")
        assert (notes[0].severity, notes[0].element) == ("warning", "links 'a' and 'c'")
