"""Spheres for planners: what they contain, how far they reach, and which pairs are ignored for them."""

from dataclasses import replace

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.contact.covers import cover
from kinetree.contact.ways import samples
from kinetree.model.semantic import Sphere


def shape(kind, pose="", **sizes):
    """A collision shape of URDF."""
    given = " ".join(f"{key}='{value}'" for key, value in sizes.items())
    return f"<collision>{pose}<geometry><{kind} {given}/></geometry></collision>"


BALL = shape("sphere", radius=0.01)
CUBE = shape("box", size="0.06 0.06 0.06")
BOX = shape("box", "<origin xyz='0.03 0 0.01' rpy='0.3 0.2 0.1'/>", size="0.1 0.06 0.04")


def sliding(*shapes, gap=1.0, low=0.0, high=1.0, text=""):
    """Links in a row, `gap` apart (dm), of which each slides along the row against the one before."""
    links = "".join(f"<link name='l{i}'>{own}</link>" for i, own in enumerate(shapes))
    joints = "".join(
        f"<joint name='j{i}' type='prismatic'><parent link='l{i - 1}'/><child link='l{i}'/><axis xyz='1 0 0'/>"
        f"<origin xyz='{gap / 10} 0 0'/><limit lower='{low / 10}' upper='{high / 10}' effort='1' velocity='1'/></joint>"
        for i in range(1, len(shapes))
    )
    srdf = f"<robot name='row'>{text}</robot>" if text else None
    return kt.load(f"<robot name='row'>{links}{joints}</robot>", format="urdf", srdf=srdf)


def reasons(robot):
    return {(p.link1, p.link2): p.reason for p in robot.semantic.disabled_collisions}


@pytest.mark.slow
@each("slack", [0.02, 0.005])
def test_spheres_contain_a_box_and_reach_no_farther_than_the_file_says(slack):
    robot = kt.collisions(sliding(BOX, BALL, gap=5)).spheres(slack)
    own, ball = robot.semantic.sphere_approximations
    assert [(one.center, one.radius) for one in ball.spheres] == [((0, 0, 0), 0.01)]
    middles, radii = np.array([one.center for one in own.spheres]), np.array([one.radius for one in own.spheres])
    T, rng = robot.links["l0"].collisions[0].origin, np.random.default_rng(0)
    half = np.array([0.05, 0.03, 0.02])
    inside = rng.uniform(-half, half, (4000, 3)) @ T[:3, :3].T + T[:3, 3]
    assert (np.linalg.norm(inside[:, None] - middles, axis=2) <= radii).any(axis=1).all()
    around = rng.normal(size=(4000, 3))
    points = middles[:, None] + radii[:, None, None] * around / np.linalg.norm(around, axis=1)[:, None]
    local = (points.reshape(-1, 3) - T[:3, 3]) @ T[:3, :3]
    far = np.linalg.norm(np.maximum(np.abs(local) - half, 0), axis=1).max()
    said = float(own.evidence.split()[3]) / 1000
    assert far <= said + 5e-5  # a tenth of a millimetre is printed
    assert said <= 1.5 * slack
    assert f"reach at most {1000 * said:.1f} mm beyond them (proved)" in robot.semantic.evidence
    assert all(round(x, 6) == x for one in own.spheres for x in (*one.center, one.radius))


def test_a_pair_that_is_proved_never_to_touch_is_ignored_if_its_spheres_overlap():
    """l0 and l2 are 2 to 4 cm apart; spheres of 2 cm around both overlap in some configurations."""
    robot = kt.collisions(sliding(CUBE, BALL, CUBE, gap=0.4, low=0, high=0.4)).spheres()
    (pair,) = [p for p in robot.semantic.disabled_collisions if {p.link1, p.link2} == {"l0", "l2"}]
    assert pair.reason == "Never"
    assert "; proved" in pair.evidence
    said = pair.evidence.removeprefix("of 4000 samples, the spheres overlap in ")
    assert 1 < float(said.split()[0]) < 60  # %
    far = kt.collisions(sliding(CUBE, BALL, CUBE, gap=1, low=0, high=1)).spheres()
    assert ("l0", "l2") not in reasons(far)  # no sphere overlaps, so that nothing is to be ignored


@pytest.mark.slow
@pytest.mark.nightly
def test_a_pair_whose_spheres_always_overlap_is_ignored_with_a_warning():
    """l0 and l2 touch in part of their range, and are at most 1 cm apart."""
    robot = sliding(CUBE, BALL, CUBE, gap=0.3, low=-0.05, high=0.05)
    made = kt.collisions(robot).spheres()
    assert reasons(made)["l0", "l2"] == "Spheres"
    (note,) = [note for note in made.notes if note.code == "spheres"]
    assert note.element == "link l0-l2"
    assert "planners ignore the pair, and do not see its contacts" in note.message
    touching = int(made.semantic.evidence.splitlines()[1].split()[4])
    assert 1000 < touching < 3000
    assert made.semantic.evidence.splitlines()[1].endswith(f"that are not ignored miss {touching}.")
    finer = kt.collisions(robot).spheres(0.003)
    assert ("l0", "l2") not in reasons(finer)
    assert not [note for note in finer.notes if note.code == "spheres"]
    assert finer.semantic.evidence.splitlines()[1].endswith("miss 0.")
    user = "<disable_collisions link1='l2' link2='l0' reason='User'/>"
    described = sliding(CUBE, BALL, CUBE, gap=0.3, low=-0.05, high=0.05, text=user)
    kept = kt.collisions(described, [("l0", "l2")]).spheres()
    assert reasons(kept)["l2", "l0"] == "User"
    assert ("l0", "l2") not in reasons(kept)


@pytest.mark.slow
def test_a_plane_has_no_spheres_and_a_warning_says_so():
    text = """<mujoco><worldbody><geom type='plane' size='0 0 1'/><body name='b' pos='0 0 .1'>
    <joint type='slide' axis='0 0 1' range='-1 1'/><geom size='.02'/></body></worldbody></mujoco>"""
    made = kt.collisions(kt.load(text, format="mjcf"), [("world", "b")]).spheres()
    assert [len(one.spheres) for one in made.semantic.sphere_approximations] == [0, 1]
    assert [note.element for note in made.notes if note.code == "spheres"] == ["link world"]


@pytest.mark.slow
@each("slack", [0, -1.0, np.nan, np.inf, True])
def test_a_slack_is_a_distance(slack):
    with pytest.raises(kt.KinetreeError, match="expected a distance above 0, m"):
        kt.collisions(sliding(BALL, BALL, BALL)).spheres(slack)


@each("of", ["spheres", "touching"])
def test_links_that_move_by_themselves_are_refused(of):
    contact = kt.collisions(sliding(BALL, BALL, BALL), moving=["l2"])
    with pytest.raises(kt.KinetreeError, match="links l2 move by themselves"):
        getattr(contact, of)()


@pytest.mark.slow
def test_spheres_overlap_as_far_as_they_reach():
    """The share that the file has, of a sphere that is one itself and a cube whose spheres reach far."""
    robot = sliding(BALL, BALL, CUBE, gap=0.3, low=0, high=0.5)
    contact = kt.collisions(robot, [("l0", "l2")])
    made = contact.spheres(0.05)
    balls = {one.link: one.spheres for one in made.semantic.sphere_approximations}
    q = samples(robot)[:4000]
    far = [
        np.abs(q.sum(axis=1) + 0.06 + np.array(b.center)[0]) ** 2 + np.square(b.center[1:]).sum()
        < (b.radius + balls["l0"][0].radius) ** 2
        for b in balls["l2"]
    ]
    share = np.any(far, axis=0).sum()
    assert 100 < share < 4000
    assert not contact.where(q).any()
    (pair,) = [p for p in made.semantic.disabled_collisions if {p.link1, p.link2} == {"l0", "l2"}]
    assert pair.evidence.startswith(
        f"of 4000 samples, the spheres overlap in {share / 40:.3g} %, the links in 0 %; proved"
    )


@pytest.mark.slow
def test_radii_are_rounded_upwards():
    contact = kt.collisions(sliding(BOX, BALL, BOX, gap=5))
    for one in contact.solids():
        if one.kind == "box" and one.link == "l0":
            outer = cover(one, 0.02).outer
            middles = outer[:, :3] @ one.T[:3, :3].T + one.T[:3, 3]
            (own,) = [a for a in contact.spheres().semantic.sphere_approximations if a.link == "l0"]
            for middle, radius, ball in zip(middles, outer[:, 3], own.spheres, strict=True):
                assert ball.radius >= radius + np.linalg.norm(middle - ball.center) - 1e-12
                assert ball.radius < radius + 3e-6


@pytest.mark.slow
def test_pairs_that_touch_by_how_a_robot_is_built():
    robot = sliding(BALL, BALL, CUBE, gap=0.19, low=-0.05, high=0.05)  # l0 and l2 touch at zero alone
    made = kt.collisions(robot).touching()
    assert reasons(made) == {("l0", "l1"): "Adjacent", ("l1", "l2"): "Adjacent", ("l0", "l2"): "Default"}
    assert "<exclude" in kt.text(made, "mjcf")
    away = sliding(BALL, BALL, CUBE, gap=0.19, low=0.2, high=1)  # zero is outside of the limits
    assert not kt.collisions(away)(away.q())
    assert reasons(kt.collisions(away).touching())["l0", "l2"] == "Default"
    user = "<disable_collisions link1='l1' link2='l0' reason='User'/>"
    own = kt.collisions(sliding(BALL, BALL, CUBE, BALL, gap=0.19, low=-0.05, high=0.05, text=user)).touching()
    assert [p.reason for p in own.semantic.disabled_collisions if {p.link1, p.link2} == {"l0", "l1"}] == ["User"]
    assert "<exclude" not in kt.text(robot, "mjcf")
    again = kt.load(kt.text(made, "mjcf"), format="mjcf")
    assert {frozenset(pair) for pair in reasons(again)} == {frozenset(pair) for pair in reasons(made)}


def test_spheres_as_collision_shapes():
    made = kt.collisions(sliding(BOX, BALL, BOX, gap=5)).spheres()
    robot = kt.edit.as_spheres(made)
    for link in robot.links.values():
        own = next(one for one in made.semantic.sphere_approximations if one.link == link.name)
        assert [(g.shape.kind, g.shape.parameters["radius"], tuple(g.origin[:3, 3])) for g in link.collisions] == [
            ("sphere", one.radius, one.center) for one in own.spheres
        ]
    off = replace(made.semantic.sphere_approximations[1], spheres=(Sphere((0.0, 0.0, 0.0), -0.01),))
    off = kt.edit.as_spheres(replace(made, semantic=replace(made.semantic, sphere_approximations=(off,))))
    assert [len(link.collisions) for link in off.links.values()] == [1, 0, 1]
    back = kt.load(kt.text(robot, "urdf"), format="urdf")
    assert [len(link.collisions) for link in back.links.values()] == [len(a.collisions) for a in robot.links.values()]
    with pytest.raises(kt.KinetreeError, match="it has no spheres"):
        kt.edit.as_spheres(sliding(BALL, BALL))
