"""The figure of a tree: every link once, below its parent, with the joint that carries it and its range."""

import numpy as np
import pytest

import kinetree as kt
from kinetree.viewing.tables import _joints
from kinetree.viewing.tree import FEW, tree_rows
from kinetree.viewing.tree_figure import _value, tree_figure
from physics import everything
from support import icub_urdfs
from svg_figures import NS, parsed, points_of, words_of

HOSTILE = "<&\"'>]]>\x1b\u202e" + "long " * 60


def dots(root):
    return np.array([[float(c.attrib["cx"]), float(c.attrib["cy"])] for c in root.iter(f"{NS}circle")])


def texts(root):
    """The words at each height."""
    found = {}
    for text in root.iter(f"{NS}text"):
        found.setdefault(float(text.attrib["y"]), []).append(text.text)
    return found


@pytest.mark.parametrize("robot", [kt.load("icub"), everything()], ids=["icub", "every joint type"])
def test_with_all_every_link_has_a_row_below_its_parent(robot):
    root = parsed(tree_figure(robot, everything=True))
    places = dots(root)
    assert len(places) == len(robot.links)
    rows = {words[0]: (y, words) for y, words in texts(root).items() if words[0] in robot.links and len(words) > 1}
    assert {*rows} == {*robot.links}
    for joint in robot.joints.values():
        (y, words), (above, _) = rows[joint.child], rows[joint.parent]
        assert y > above
        assert words[1:3] == [joint.name, joint.type]
    assert [root.attrib["width"], len(set(places[:, 1]))] == [root.attrib["viewBox"].split()[2], len(robot.links)]
    bends = [points_of(e) for e in root.iter(f"{NS}polyline") if e.attrib["stroke"] == "#b0b0b0"]
    assert len(bends) == len(robot.joints)
    for bend in bends:  # from the dot of the parent, down, to the dot of the child
        assert {tuple(bend[0]), tuple(bend[-1])} <= {tuple(place) for place in places}
        assert bend[1] == pytest.approx((bend[0][0], bend[-1][1]))
    names = {frame.name for frame in robot.frames.values() if frame.name not in robot.links}
    listed = {name for words in words_of(root) for name in words.removeprefix("frames: ").strip().split(", ")}
    assert names <= listed


def test_ranges_are_words_and_bars():
    root = parsed(tree_figure(kt.load("icub")))
    row = next(words for words in texts(root).values() if "l_elbow" in words)
    assert row == ["l_elbow_1", "l_elbow", "revolute", "5.5° … 106°"]
    y = next(y for y, words in texts(root).items() if "l_elbow" in words) - 5.0
    bars = [points_of(e) for e in root.iter(f"{NS}polyline")]
    track, moves = (b for b in bars if len(b) == 2 and (b[:, 1] == y).all() and b[0, 0] > 300)
    angles = 360.0 * (moves[:, 0] - track[0, 0]) / np.ptp(track[:, 0]) - 180.0
    assert angles == pytest.approx((5.5, 106.0), abs=0.01)


def test_a_bar_reaches_two_turns_where_a_joint_does():
    text = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>'
    text += '<child link="b"/><axis xyz="0 0 1"/><limit lower="{}" upper="3" velocity="1" effort="1"/></joint></robot>'
    for lower, ends in ((-3, "−180° to 180°"), (-4, "−360° to 360°")):
        assert any(ends in words for words in words_of(parsed(tree_figure(kt.load(text.format(lower), format="urdf")))))


def test_followers_slides_and_what_has_no_range():
    words = words_of(parsed(tree_figure(everything(), everything=True)))
    assert "= 2 m/rad × revolute_0" not in words
    rows = texts(parsed(tree_figure(everything(), everything=True)))
    by_joint = {row[1]: row for row in rows.values() if len(row) > 2}
    thumb = everything().joints["thumb"]
    assert by_joint["thumb"][3].startswith(f"= {thumb.mimic.multiplier:.4g}")
    assert thumb.mimic.joint in by_joint["thumb"][3]
    floating = next(joint.name for joint in everything().joints.values() if joint.type == "floating")
    assert by_joint[floating][2:] == ["floating"]


def test_a_follower_by_a_polynomial_has_all_of_it():
    text = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/><body name="b"><joint name="k"/>
      <geom size=".1"/></body></body></worldbody>
      <equality><joint joint1="k" joint2="j" polycoef="0.5 1 2 0 0"/></equality></mujoco>"""
    rows = texts(parsed(tree_figure(kt.load(text, format="mjcf"), everything=True)))
    assert [row[3] for row in rows.values() if row[1:2] == ["k"]] == ["= 1 x + 2 x^2 + 0.5 of j, in rad and m"]


def test_links_that_only_sensors_hang_on_are_small_text_unless_all_is_drawn():
    robot = kt.load(next(path for path in icub_urdfs() if "iCubGazeboV2_7/" in path.as_posix()))
    short, long = (parsed(tree_figure(robot, everything=everything)) for everything in (False, True))
    assert len(dots(long)) == len(robot.links)
    assert len(dots(short)) < 50
    assert float(short.attrib["height"]) < 2500
    assert any(words.startswith("fixed: ") and " more" not in words for words in words_of(short))
    assert any(words.endswith(" more") for words in words_of(short))
    assert max(float(text.attrib["x"]) for text in short.iter(f"{NS}text")) < float(short.attrib["width"]) - 100


def test_hostile_names_and_a_lonely_link():
    from kinetree.model.assemble import Parts, build
    from kinetree.model.robot import Joint, Link

    joint = Joint(HOSTILE, "revolute", "base", f"{HOSTILE}!", axes=np.eye(3)[2:])
    robot = build(Parts(HOSTILE, [Link("base"), Link(f"{HOSTILE}!")], [joint]))
    root = parsed(tree_figure(robot))
    assert {element.tag.removeprefix(NS) for element in root.iter()} <= {
        *("svg", "title", "rect", "polyline", "circle", "text")
    }
    assert max(map(len, words_of(root))) < 130
    lonely = kt.load('<robot name="r"><link name="base"/></robot>', format="urdf")
    assert "Tree of r: 1 link, 0 moving joints" in words_of(parsed(tree_figure(lonely)))


@pytest.mark.slow
def test_a_deep_and_wide_tree_stays_in_the_picture():
    links = "".join(f'<link name="l{i}"/><link name="m{i}"/>' for i in range(200))
    joint = (
        '<joint name="{0}{1}" type="continuous"><parent link="l{2}"/><child link="{0}{1}"/><axis xyz="1 0 0"/></joint>'
    )
    joints = "".join(joint.format(kind, i, i - 1) for i in range(1, 200) for kind in "lm")
    joints += joint.format("m", 0, 0)
    root = parsed(tree_figure(kt.load(f'<robot name="deep">{links}{joints}</robot>', format="urdf")))
    assert len(dots(root)) == 400
    assert dots(root)[:, 0].max() < float(root.attrib["width"]) / 2
    assert len({tuple(place) for place in dots(root)}) == 400


@pytest.mark.parametrize(("branches", "width"), [(4, 24.0), (12, 24.0), (13, 300 / 13), (40, 7.5)])
def test_levels_are_narrower_where_the_deepest_would_be_too_far_right(branches, width):
    """Every link has two children, of which one goes on."""
    joint = '<joint name="{0}{1}" type="fixed"><parent link="l{2}"/><child link="{0}{1}"/></joint>'
    moves = joint.replace('type="fixed"', 'type="continuous"').replace("</joint>", '<axis xyz="1 0 0"/></joint>')
    names = [(kind, i) for i in range(1, branches + 1) for kind in "lm"]
    links = "".join(f'<link name="{kind}{i}"/>' for kind, i in [("l", 0), *names])
    joints = "".join(moves.format(kind, i, i - 1) for kind, i in names)
    x = dots(parsed(tree_figure(kt.load(f'<robot name="r">{links}{joints}</robot>', format="urdf"))))[:, 0]
    assert np.unique(np.diff(np.unique(x))) == pytest.approx(width, abs=0.06)
    assert np.ptp(x) == pytest.approx(width * branches, abs=0.06)


@pytest.mark.parametrize(("number", "left"), [(FEW, 0), (FEW + 2, 2)])
def test_of_many_things_that_float_the_rest_is_counted(number, left):
    links = "".join(f'<link name="thing_{i}"/>' for i in range(number))
    joints = "".join(
        f'<joint name="j{i}" type="floating"><parent link="world"/><child link="thing_{i}"/></joint>'
        for i in range(number)
    )
    robot = kt.load(f'<robot name="r"><link name="world"/>{links}{joints}</robot>', format="urdf")
    words = words_of(parsed(tree_figure(robot)))
    rows = [row for row, _ in tree_rows(robot)]
    table = [row[:2] for row in _joints(robot, False).rows]
    assert (f"~ {left} more that float" in words) == (f"|  ~ {left} more float (--all)" in rows) == bool(left)
    assert (table[-1] == ("", f"and {left} more that float (--all)")) == bool(left)
    for found in (words, [row.removeprefix("|- ").removeprefix("`- ") for row in rows]):
        assert f"thing_{FEW - 1}" in found
        assert f"thing_{FEW}" not in found
    assert len(tree_rows(robot, everything=True)) == number + 1
    assert len(_joints(robot, True).rows) >= number


def test_a_range_that_is_open_at_one_end():
    joint = kt.chain("Rz(q1) tx(0.4)").joints["q1"]
    assert [_value(joint, x) for x in (-np.inf, np.inf, np.pi / 2)] == ["−∞", "∞", "90°"]
