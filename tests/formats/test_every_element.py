"""Each element and attribute of a whole file of each format: what is unknown in it, what is empty, what comes back."""

import re
from dataclasses import replace

import pytest

import kinetree as kt
from carried_robots import differences, unlike
from each import each
from kinetree.formats import mjcf, sdf
from kinetree.formats.mjcf.known import ATTRIBUTES
from kinetree.formats.srdf.read import read as srdf_reader
from kinetree.model.assemble import build, parts_of
from kinetree.syntax.xml.element import attribute_spans
from rich_texts import MJCF, RICH, SDF, SDF_OLD, URDF, asked, edited, elements_of, findings, inside, read

TEXTS = [*RICH.items(), ("sdf", SDF_OLD)]
STRICT = ("kinetree_coupled_limit", "kinetree:coupled_limit", "fixed")
"""Elements in which an unknown child is an error, for it could change the limit."""
FOREIGN = {("collision", "verbose"), ("sensor", "jointpos"), ("tendon", "spatial"), ("robot", "sensor")}
FOREIGN |= {("link", "sensor"), ("joint", "sensor"), ("sensor", "force_torque")}
"""(outer, tag) of elements that are for other programs, or may have elements for them: these come back in silence."""


def again(robot, format):
    """Return the robot as it comes back from a file of a format, and the file."""
    text = kt.text(build(parts_of(robot)), format)
    return read(text, format), text


def line_of(text, part):
    return text.count("\n", 0, text.index(part)) + 1


def differ(one, other):
    """Return the paths at which two robots differ, also in their loops and semantic descriptions."""
    semantic = [robot.semantic and replace(robot.semantic, source=None) for robot in (one, other)]
    loops = [{name: undrawn(loop) for name, loop in robot.loops.items()} for robot in (one, other)]
    return [*differences(one, other), *unlike(*loops), *unlike(*semantic)]


def undrawn(loop):
    """A loop without the posture in which the file draws the robot: a written file draws it with all joints at zero."""
    return replace(loop, extensions=tuple(own for own in loop.extensions if own.tag != "drawn"))


@pytest.mark.slow
@each("format, text", TEXTS)
def test_what_is_unknown_comes_back_or_its_loss_is_reported(format, text):
    """An attribute, a child and a text in every element, all at once."""
    places = elements_of(text)
    edits = []
    for i, (_, element) in enumerate(places):
        child = "" if element.tag in STRICT else f"<odd{i}>1</odd{i}>"
        stray = "" if element.text.strip() or element.tag in STRICT else f"stray{i}."
        edits += inside(element, f' odd{i}="1"', child + stray)
    planted = edited(text, edits)
    robot = read(planted, format)
    _, written = again(robot, format)
    for i, (outer, element) in enumerate(places):
        child, stray = f"<odd{i}>1</odd{i}>", f"stray{i}."
        for part, mark, back in (
            (f'odd{i}="1"', f"'odd{i}'", f'odd{i}="1"'),
            (child, f"<odd{i}>", child),
            (stray, stray, stray),
        ):
            if part not in planted:
                assert part != f'odd{i}="1"'
                continue
            said = [note for note in robot.notes if mark in note.message]
            where = f"{part} in <{element.tag}> in <{outer}>"
            if said:
                assert len(said) == 1, where
                assert part == stray or said[0].source.line == line_of(planted, part), where
                assert part == stray or ("kept" in said[0].message) == (back in written), where
            else:
                assert (outer, element.tag) in FOREIGN, f"{where} is not reported"
                assert back in written, f"{where} is lost in silence"


@each("format, text", [("urdf", URDF), ("sdf", SDF)])
def test_an_unknown_child_of_a_limit_over_joints_is_an_error(format, text):
    (limit,) = [element for _, element in elements_of(text) if element.tag.endswith("coupled_limit")]
    said = findings(edited(text, inside(limit, content="<odd/>")), format)
    assert any("<odd> is not part of it" in finding.message and finding.severity == "error" for finding in said)


def test_an_attribute_of_another_name_space_is_noted():
    text = '<robot name="r" xmlns:x="urn:x"><link name="a" x:b="1" xmlns:y="urn:y"/></robot>'
    (note,) = read(text, "urdf").notes
    assert (note.severity, note.message) == ("info", "attribute 'x:b' of <link> is not understood and has no effect")


def test_what_belongs_to_a_known_program_is_noted_by_its_name():
    link = (
        '<contact><lateral_friction value="1"/></contact><collision group="1"><geometry><sphere radius="1"/></geometry>'
    )
    joint = '<parent link="a"/><child link="b"/><dynamics K="1"/>'
    text = f"""<robot name="r" xmlns:x="urn:x"><link name="a">{link}</collision></link><link name="b"><x:y/></link>
        <joint name="j" type="fixed" dont_collapse="true">{joint}</joint><mujoco/><webots/></robot>"""
    robot = read(text, "urdf")
    assert {note.severity for note in robot.notes} == {"info"}
    said = " ".join(note.message for note in robot.notes)
    names = (
        "Bullet and Drake and",
        "Bullet;",
        "Isaac Gym and",
        "franka_description",
        "MuJoCo; it is kept",
        "Webots; it is kept",
    )
    for name in names:
        assert f"belongs to {name}" in said
    assert {"mujoco", "webots"} == {e.tag for e in robot.extensions}
    others = '<link name="a" dont_collapse="1" group="1"><mujoco/></link><contact/><joint_x/>'
    notes = read(f'<robot name="r">{others}</robot>', "urdf").notes
    assert ({note.severity for note in notes}, len(notes)) == ({"warning"}, 5)


@each("text", ["<odd/>", "<odd>1</odd>", "<odd a='1'/>", "<odd><even>1</even></odd>"])
def test_an_unknown_section_of_mjcf_is_written_again(text):
    robot = read(f"<mujoco><worldbody><body name='b'/></worldbody>{text}</mujoco>", "mjcf")
    (note,) = robot.notes
    assert note.message == "<odd> is not understood; it is kept unchanged"
    assert re.sub(r"\s", "", text.replace("'", '"')) in re.sub(r"\s", "", again(robot, "mjcf")[1])


def test_what_is_in_a_class_of_mjcf_is_reported_once_where_it_is():
    """Not at each element of the class, and also if no element has it."""
    for bodies in ("", "<geom size='1'/><geom size='1'/>"):
        text = (
            f"<mujoco><default><geom odd='1'/></default><worldbody><body name='b'>{bodies}</body></worldbody></mujoco>"
        )
        (note,) = [note for note in read(text, "mjcf").notes if note.code == "not-understood"]
        assert (note.message, note.source.column) == (
            "attribute 'odd' of <geom> is not understood and has no effect",
            29,
        )


def test_the_type_of_a_link_of_urdf_is_noted():
    (note,) = [note for note in read(URDF, "urdf").notes if note.code == "no-effect"]
    assert (note.severity, note.element) == ("info", "link 'base'")
    assert note.message == "type=… of a link has no effect, in no program; it is not kept"


def test_what_stands_beside_a_world_is_noted():
    model = '<model name="m"><link name="a"/></model>'
    notes = read(
        f'<sdf version="1.9" odd="1"><world name="w" even="2">{model}</world><light name="l"/></sdf>', "sdf"
    ).notes
    assert [(note.severity, note.message) for note in notes if note.code != "no-inertial"] == [
        ("warning", "attribute 'odd' of <sdf> is not understood and has no effect"),
        ("info", "<light> stands outside of the model: it is not read, and not written again"),
        ("warning", "attribute 'even' of <world> is not understood and has no effect"),
    ]


# empty


@each("format, blank", [("urdf", ""), ("urdf", " "), ("mjcf", ""), ("mjcf", " ")])
def test_an_empty_attribute_of_numbers_is_reported_by_name(format, blank):
    """All at once, but for the number of copies, without which there is nothing to read."""
    text = RICH[format]
    places = [one for one in re.finditer(r' (\w+)="(-?\d[^"]*)"', text) if one[1] not in ("version", "user", "count")]
    said = findings(edited(text, [(one.start(2), len(one[2]), blank) for one in places]), format)
    for one in places:
        line = text.count("\n", 0, one.start()) + 1
        named = [note for note in said if f"{one[1]}={blank!r}" in note.message]
        in_class = "<default" in text.splitlines()[line - 1]  # which is reported at the elements of the class
        is_verbose = text[: one.start()].endswith("<verbose")
        assert is_verbose or any(note.source.line == line or in_class for note in named), f"{one[0]} on line {line}"


@each("end", ["lower", "upper"])
@each("start", ["<kinetree_coupled_limit", '<limit lower="-1" upper="2" velocity="3"'])
def test_an_empty_limit_is_no_missing_limit(start, end):
    """A missing one is no limit, or zero; an empty one is a mistake, and the robot would move further than it may."""
    at = URDF.index(start)
    text = URDF[:at] + re.sub(rf'{end}="[-\d]+"', f'{end}=""', URDF[at:], count=1)
    with pytest.raises(kt.KinetreeError, match=f"{end}=''.*expected one finite number"):
        kt.load(text, format="urdf")


DEFAULTED = (
    "pose",
    "mass",
    "scale",
    "update_rate",
    "frame",
    "measure_direction",
    "velocity",
    "effort",
    "damping",
    "friction",
)
DEFAULTED += ("screw_thread_pitch", "thread_pitch", "use_parent_model_frame", "diffuse", "center")
"""Elements of SDF that libsdformat 16 reads as missing if they are empty; it refuses all others."""


def leaves(text):
    """Return the elements of SDF with a value, each with the edit that empties it."""
    found = [one for _, one in elements_of(text) if one.text.strip() and one.tag != "kinetree:carried"]
    return [(one, (one.tag_stop, one.end - one.tag_stop, "")) for one in found]


@each("text", [SDF, SDF_OLD])
def test_an_empty_element_of_sdf_is_an_error_or_has_its_default_as_in_libsdformat(text):
    ends = ("parent", "child", "name")  # without which there is no tree, and whose findings hide others
    said = findings(edited(text, [edit for one, edit in leaves(text) if one.tag not in ends]), "sdf")
    for element, edit in leaves(text):
        notes = findings(edited(text, [edit]), "sdf") if element.tag in ends else said
        where = f"<{element.tag}> on line {element.source.line}"
        here = [one for one in notes if one.source.line == element.source.line]
        here = [one for one in here if f"<{element.tag}>" in one.message and "is empty" in one.message]
        if element.tag == "pose" and (element.get("relative_to") or element.get("frame")):
            assert not here, where
        elif element.tag in DEFAULTED:
            assert {(one.code, one.severity) for one in here} == {("empty-value", "warning")}, where
            assert {one.message for one in here} == {f"<{element.tag}> is empty; its default is used"}, where
        else:
            assert here, where
            assert {one.code for one in here} <= {"number", "missing-element", "left-out"}, where


@pytest.mark.slow
@each("text", [SDF, SDF_OLD])
def test_an_empty_element_of_sdf_with_a_default_is_as_if_it_were_missing(text):
    for element, edit in leaves(text):
        if element.tag in DEFAULTED and element.tag != "thread_pitch":  # without which the pitch is another
            without = (element.start, element.stop - element.start, "")
            if not (element.get("relative_to") or element.get("frame")):
                assert not differ(read(edited(text, [edit]), "sdf"), read(edited(text, [without]), "sdf")), element.tag


@each("attribute, value", [("auto", "false"), ("degrees", "true")])
@each("blank", ["", " "])
def test_an_empty_truth_value_of_sdf_is_reported(attribute, value, blank):
    said = findings(SDF.replace(f'{attribute}="{value}"', f'{attribute}="{blank}"'), "sdf")
    assert [one.message for one in said if one.code == "empty-value"] == [
        f"{attribute}='' is empty; its default is used"
    ]


NUMBER = re.compile(r"-?[\d.]+")
UNBOUNDED = ("lower", "upper", "velocity", "effort")
"""Elements of SDF that may be infinite."""
KEPT_AS_TEXT = {"group", "user", "texcoord", "vertex", "face", "normal", "elevation", "size", "rgba"}
"""Attributes of MJCF that the reader keeps as they stand."""


@pytest.mark.slow
@each("format, text", TEXTS)
@each("value", ["nan", "1e400", "-1"])
def test_every_number_at_its_limits(format, text, value):
    """What is no finite number is reported; what is one comes back, unless a finding says that it cannot."""
    usual = {note.message for note in read(text, format).notes}
    for outer, element in elements_of(text):
        spots = [(name, start, stop) for name, (_, start, stop, _) in attribute_spans(element).items()]
        if element.text.strip() and not element.children:
            spots.append(("", element.tag_stop, element.end))
        for name, start, stop in spots:
            words = text.encode()[start:stop].decode().split()
            if not words or not all(map(NUMBER.fullmatch, words)) or (element.tag, name) in NO_NUMBER:
                continue
            changed = edited(text, [(start, stop - start, " ".join([value, *words[1:]]))])
            try:
                robot = read(changed, format)
            except kt.KinetreeError:
                continue
            said = {note.message for note in robot.notes} - usual
            legal = value == "-1" or (value == "1e400" and element.tag in UNBOUNDED)
            assert said or legal or name in KEPT_AS_TEXT, f"{name}={value} of <{element.tag}> in <{outer}>"
            if value == "-1":
                try:
                    back, _ = again(robot, format)
                except kt.KinetreeError:
                    continue
                assert not differ(robot, back), f"{name}={value} of <{element.tag}> in <{outer}>"


NO_NUMBER = {("verbose", "value"), ("robot", "version"), ("joint_property", "value")}
"""(tag, attribute) with any text."""


# round trips

NO_TRACE = {
    *(("sdf", "xmlns:kinetree"), ("sdf", "xmlns:gz"), ("inertial", "auto"), ("mimic", "axis")),
    *(("compiler", name) for name in ("coordinate", "alignfree", "autolimits", "inertiafromgeom", "inertiagrouprange")),
    *(("compiler", name) for name in ("boundmass", "boundinertia", "balanceinertia", "fitaabb", "strippath")),
    *(("geom", name) for name in ("type", "mass", "density", "shellinertia", "class")),
    *(("compiler", "assetdir"), ("frame", "name"), ("joint/axis", "xyz"), ("sensor", "type"), ("camera", "fovy")),
    *(("default/equality", "solref"), ("connect", "active"), ("model", "placement_frame"), ("model/pose", "")),
    *(("link/pose", "rotation_format"), ("robot", "version")),
}
"""(tag, attribute) that this text has with the default, that other numbers of it override, or that have no effect."""


@each("format, text", TEXTS)
def test_a_whole_file_comes_back(format, text):
    robot = read(text, format)
    back, _ = again(robot, format)
    assert not differ(robot, back)
    assert not [note for note in back.notes if note.code in ("not-understood", "left-out", "carried", "no-effect")]


@pytest.mark.slow
@each("format, text", TEXTS)
def test_every_attribute_and_text_leaves_a_trace_in_the_robot(format, text):
    """So that the test above is about it: without it, the robot is another, or none."""
    robot = read(text, format)
    for outer, element in elements_of(text):
        parts = {name: (start, stop - start) for name, (start, _, _, stop) in attribute_spans(element).items()}
        if element.text.strip():
            parts[""] = element.start, element.stop - element.start
        for name, (start, count) in parts.items():
            try:
                other = read(edited(text, [(start, count, "")]), format)
            except kt.KinetreeError:
                continue
            if not differ(robot, other):
                noted = {one.message for one in robot.notes} - {one.message for one in other.notes}
                keys = {(element.tag, name), (f"{outer}/{element.tag}", name)}
                assert noted or keys & NO_TRACE, f"{name} of <{element.tag}>"


LACKING = {
    *(
        ("axis2", "<dynamics>"),
        ("axis2", "<mimic>"),
        ("axis2", "<use_parent_model_frame>"),
        ("collision", "<material>"),
    ),
    *(("collision", "<pose>"), ("collision", "<origin>"), ("model", "version"), ("visual", "<kinetree:material>")),
}
"""What the texts have in another element alone, and the version of a model, which files have without reason."""


@each("format", ["urdf", "sdf", "srdf"])
def test_the_texts_have_every_attribute_and_child_that_the_readers_know(format):
    found = set()
    with asked() as known:
        for one, text in TEXTS:
            if one == format:
                srdf_reader(text, "") if format == "srdf" else read(text, format)
                found |= {(e.tag, name) for _, e in elements_of(text) for name in e.attributes}
                found |= {(outer, f"<{e.tag}>") for outer, e in elements_of(text)}
    assert known - found <= LACKING, "add it to tests/rich_texts.py"


ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler", "fromto")
CALCULATED = {
    *(("compiler", name) for name in ATTRIBUTES["compiler"]),  # the settings that are kept are in the text
    *((tag, name) for tag in ATTRIBUTES for name in (*ORIENTATIONS, "class", "childclass")),
    *(("geom", name) for name in ("mesh", "hfield", "fitscale", "shellinertia", "density", "material")),
    *(("mesh", name) for name in ("refpos", "refquat", "params", "builtin", "vertex", "face")),
    *(("inertial", "fullinertia"), ("joint", "type"), ("equality/joint", "active"), ("light", "target")),
    *(("spatial", name) for name in ("limited", "range", "material")),
    *(("connect", name) for name in ("site1", "site2")),
    *(("weld", name) for name in ("site1", "site2", "anchor", "active")),
    *(("camera", "mode"), ("camera", "target"), ("body", "mocap"), ("site", "mesh"), ("rangefinder", "camera")),
    *(("freejoint", "align"), ("replicate", "sep"), ("replicate", "childclass")),
}
"""(tag, attribute) that the reader computes with, or that change what the element is; other tests are about them."""


def test_every_attribute_of_mjcf_that_is_for_simulation_comes_back():
    """All that the table of MJCF has and the text lacks, each with a number of its own."""
    first, edits, planted = {}, [], {}
    for outer, element in sorted(elements_of(MJCF), key=lambda row: -len(row[1].attributes)):
        first.setdefault(f"{outer}/{element.tag}" if f"{outer}/{element.tag}" in ATTRIBUTES else element.tag, element)
    for path, names in ATTRIBUTES.items():
        if path not in first or path.startswith(("default/", "spatial/")):
            continue
        more = sorted(n for n in names if n not in first[path].attributes and (path, n) not in CALCULATED)
        planted |= {(path, name): f'{name}="0.{len(planted) + i:03}5"' for i, name in enumerate(more)}
        edits += inside(first[path], "".join(f" {planted[path, name]}" for name in more))
    robot = read(edited(MJCF, edits), "mjcf")
    _, written = again(robot, "mjcf")
    lost = [key for key, part in planted.items() if part.split('"')[1] not in written]
    assert not lost
    assert len(planted) > 100
    meshes = [
        ["mesh" in [e.tag for e in shape.extensions]]
        for shape in robot.links["b"].collisions
        if "mesh" in shape.shape.kind
    ]
    assert meshes == [[True], [False]]  # an inline mesh is kept as a whole


def test_what_is_unknown_in_an_include_and_in_included_files_is_reported():
    part = '<sdf version="1.9" odd2="1">stray2<model name="part" odd3="1">stray3<link name="a"/></model></sdf>'
    for merge in ("", 'merge="true"'):
        include = f'<include odd1="1" {merge}>stray1<uri odd4="1">part.sdf</uri><odd5/></include>'
        text = f'<sdf version="1.9"><model name="m"><link name="b"/>{include}</model></sdf>'
        _, said = sdf.read(text, "m.sdf", lambda name, _: (part.encode(), "part.sdf") if name == "part.sdf" else None)
        words = " ".join(one.message for one in said)
        for what in ("'odd1'", "'odd2'", "'odd3'", "'odd4'", "<odd5>", "stray1", "stray2", "stray3"):
            assert words.count(what) == 1, what
    part = "<mujocoinclude odd2='1'>stray2<worldbody><body name='b'/></worldbody></mujocoinclude>"
    text = "<mujoco><include file='part.xml' odd1='1'>stray1</include></mujoco>"
    _, said = mjcf.read(text, "m.xml", lambda *_: (part.encode(), "part.xml"))
    assert [re.findall(r"(odd\d|stray\d)", one.message) for one in said] == [["odd1"], ["stray1"], ["odd2"], ["stray2"]]


def test_a_class_inside_of_a_class_of_mjcf_is_unknown():
    body = '<body name="b"><geom class="main" size="1"/></body>'
    text = f'<mujoco><default><geom class="x"/></default><worldbody>{body}</worldbody></mujoco>'
    (note,) = [note for note in read(text, "mjcf").notes if note.code == "not-understood"]
    assert note.message == "attribute 'class' of <geom> is not understood and has no effect"


@each("inside", ['<axis odd="1"><xyz>0 0 1</xyz>', "<axis><xyz>0 0 1<odd/></xyz>", '<axis><xyz odd="1">0 0 1</xyz>'])
def test_what_is_unknown_in_the_axis_of_a_fixed_joint_comes_back(inside):
    """Which may have an axis for the sake of its damping alone."""
    axis = f"{inside}<dynamics><damping>1</damping></dynamics></axis>"
    ends = "<parent>a</parent><child>b</child>"
    joint = f'<joint name="j" type="fixed">{ends}{axis}</joint>'
    robot = read(f'<sdf version="1.9"><model name="m"><link name="a"/><link name="b"/>{joint}</model></sdf>', "sdf")
    assert axis in again(robot, "sdf")[1]


@each("group", range(6))
@each("masks", ["", 'contype="0" conaffinity="0"'])
def test_the_group_of_a_geom_of_mjcf_comes_back(group, masks):
    text = f'<mujoco><worldbody><body name="b"><geom size="1" group="{group}" {masks}/></body></worldbody></mujoco>'
    robot = read(text, "mjcf")
    back, written = again(robot, "mjcf")
    assert not differ(robot, back)
    assert f'group="{group}"' in written or group == 0
    shapes = [*robot.links["b"].visuals, *robot.links["b"].collisions]
    usual = group == 2 if masks else group in (0, 3)  # what the writer writes by itself
    assert any(shape.extensions for shape in shapes) != usual


@each("group", [1, 4])
def test_a_group_of_a_geom_does_not_bring_back_a_shape_that_was_removed(group):
    text = f'<mujoco><worldbody><body name="b"><geom size="1" group="{group}"/></body></worldbody></mujoco>'
    parts = parts_of(read(text, "mjcf"))
    shape = parts.links[-1].collisions[0]
    parts.links[-1] = replace(parts.links[-1], visuals=(replace(shape, extensions=()),) if group == 4 else ())
    robot = build(parts)
    link = again(robot, "mjcf")[0].links["b"]
    assert (len(link.visuals), len(link.collisions)) == (int(group == 4), 1)
