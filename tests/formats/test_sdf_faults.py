"""SDF: what is refused, where, and that everything wrong is said at once."""

from each import each
from sdf_texts import errors, findings, hinge, model
from support import in_words

LINK = '<link name="a"/>'
TWO = '<link name="a"/><link name="b"/>'


def joint(inside, kind="fixed"):
    return f'<joint name="j" type="{kind}">{inside}</joint>'


ENDS = "<parent>a</parent><child>b</child>"

FAULTS = {
    "not SDF": ("<robot/>", "not-sdf"),
    "a part of the definition of SDF": ('<element name="link" required="1"/>', "no-model"),
    "broken": ("<sdf version='1.7'><model name='m'></sdf>", "xml-syntax"),
    "a document type": ("<!DOCTYPE sdf><sdf version='1.7'/>", "xml-doctype"),
    "no version": ("<sdf><model name='m'/></sdf>", "sdf-version"),
    "an old version": (model(LINK, "1.0"), "sdf-version"),
    "a new version": (model(LINK, "1.13"), "sdf-version"),
    "no model": ("<sdf version='1.7'><world name='w'/></sdf>", "no-model"),
    "no link": (model(""), "no-links"),
    "a nested model without link": (model(LINK + '<model name="n"/>'), "no-links"),
    "two links of one name": (model(LINK + LINK), "duplicate-name"),
    "a frame called like a link": (model(LINK + '<frame name="a"/>'), "duplicate-name"),
    "a frame called like a link, 1.6": (model(LINK + '<frame name="a"/>', "1.6"), "duplicate-name"),
    "a reserved name": (model('<link name="__a__"/>'), "reserved-name"),
    "a link called world": (model('<link name="world"/>'), "reserved-name"),
    "a scoped name": (model('<link name="a::b"/>', "1.8"), "reserved-name"),
    "no name": (model("<link/>"), "missing-attribute"),
    "a loop of joints": (
        model(TWO + joint(ENDS) + joint("<parent>b</parent><child>a</child>").replace("j", "k", 1)),
        None,
    ),
    "an unknown parent": (model(TWO + joint("<parent>x</parent><child>b</child>")), "unknown-parent"),
    "an unknown child": (model(TWO + joint("<parent>a</parent><child>x</child>")), "unknown-child"),
    "no parent": (model(TWO + joint("<child>b</child>")), "missing-element"),
    "no child": (model(TWO + joint("<parent>a</parent>")), "missing-element"),
    "the world as child": (model(LINK + joint("<parent>a</parent><child>world</child>")), "unknown-child"),
    "a link joined to itself": (model(LINK + joint("<parent>a</parent><child>a</child>")), "cycle"),
    "an unknown joint type": (model(hinge(kind="gearbox")), "joint-type"),
    "another unknown joint type": (model(hinge(kind="revolute2")), "joint-type"),
    "no axes": (model(TWO + joint(ENDS, "universal")), "no-axis"),
    "no second axis": (model(hinge(kind="universal")), "no-axis"),
    "a zero axis": (model(hinge("<xyz>0 0 0</xyz>")), "zero-axis"),
    "an axis of two numbers": (model(hinge("<xyz>0 1</xyz>")), "number"),
    "an unknown expressed_in": (model(hinge('<xyz expressed_in="x">0 0 1</xyz>')), "unknown-frame"),
    "a limit that is not a number": (model(hinge("<xyz>0 0 1</xyz><limit><lower>nan</lower></limit>")), "number"),
    "a pose with nan": (model('<link name="a"><pose>0 0 nan 0 0 0</pose></link>'), "number"),
    "a pose with inf": (model('<frame name="f"><pose>0 0 inf 0 0 0</pose></frame>' + LINK), "number"),
    "a pose of five numbers": (model('<link name="a"><pose>0 0 0 0 0</pose></link>'), "number"),
    "a pose too large": (
        model(
            LINK
            + '<frame name="f"><pose>1e308 1e308 1e308 1 1 1</pose></frame>'
            + '<frame name="g"><pose relative_to="f">1e308 1e308 1e308 1 1 1</pose></frame>'
        ),
        "number",
    ),
    "a zero quaternion": (
        model('<link name="a"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></link>'),
        "zero-quaternion",
    ),
    "an unknown rotation format": (
        model('<link name="a"><pose rotation_format="axis">0 0 0 0 0 0 0</pose></link>'),
        "rotation-format",
    ),
    "left-over xacro": (model('<link name="a"><pose>0 0 ${h} 0 0 0</pose></link>'), "left-over-xacro"),
    "left-over xacro in a name": (model('<link name="${n}"/>'), "left-over-xacro"),
    "a pose relative to nothing": (model(LINK + '<frame name="f"><pose relative_to="x"/></frame>'), "unknown-frame"),
    "a frame attached to nothing": (model(LINK + '<frame name="f" attached_to="x"/>'), "unknown-frame"),
    "a pose relative to itself": (model('<link name="a"><pose relative_to="a"/></link><link name="b"/>'), None),
    "a frame attached to itself": (model(LINK + '<frame name="f" attached_to="f"/>'), "cycle"),
    "an unknown canonical link": (model(LINK, attributes='canonical_link="x"'), "unknown-frame"),
    "an include without uri": (model(LINK + "<include/>"), "missing-element"),
    "an include that is not found": (model(LINK + "<include><uri>x</uri></include>"), "include-not-found"),
    "mimic of nothing": (model(hinge('<xyz>0 0 1</xyz><mimic joint="x"/>')), "mimic"),
}


@each("name", FAULTS)
def test_faults_are_refused_with_their_place(name):
    text, code = FAULTS[name]
    found = errors(text)
    assert found
    assert code is None or code in [error.code for error in found]
    for error in found:
        assert error.source is not None
        assert error.source.file == "file.sdf"
        assert error.source.line


REMARKS = {
    "two visuals of one name": model('<link name="a"><visual name="v"/><visual name="v"/><visual/></link>'),
    "two masses": model('<link name="a"><inertial><mass>1</mass><mass>2</mass><inertia/></inertial></link>'),
    "shapes and sensors that cannot be read": model(
        """<link name="a"><visual name="v"><pose>1 2</pose></visual>
        <collision name="c"><geometry><box><size>1 x 1</size></box></geometry></collision>
        <visual name="w"><geometry><sphere/><box/></geometry><material><diffuse>1 2</diffuse></material></visual>
        <sensor type="imu"/><sensor name="s" type="imu"><pose relative_to="nothing"/></sensor></link>"""
    ),
    "words of other versions": model(
        """<link name="a"/><link name="b"><pose frame="a" odd="1" x:y="2">1 0 0 0 0 0<odd/></pose></link>
        <joint name="j" type="revolute"><parent>a</parent><child>b</child>
          <axis><xyz>0 0 1</xyz><use_parent_model_frame>1</use_parent_model_frame></axis></joint>""",
        attributes='xmlns:x="u"',
    ),
    "words of later versions": model(
        """<link name="a"/><link name="b"><pose relative_to="a"/></link>
        <joint name="j" type="revolute"><parent>a</parent><child>b</child>
          <axis><xyz expressed_in="a">0 0 1</xyz></axis></joint>""",
        "1.6",
    ),
    "defaults": model(
        """<link name="a"><inertial/><visual name="v"/><visual name="w"><geometry/></visual>
          <collision name="c"><geometry><capsule/></geometry></collision></link>
        <link name="b"><inertial><mass>2</mass></inertial></link>
        <joint name="j" type="screw"><parent>a</parent><child>b</child><axis/></joint>"""
    ),
    "what has no effect": model(
        """<static>true</static><pose>1 2 3 0 0 0</pose><odd/>
        <link name="a"><odd/><inertial auto="true"/></link><link name="b">
          <inertial><pose relative_to="a">0 0 1 0 0 0</pose><mass>1</mass><inertia/></inertial></link>
        <joint name="j" type="continuous"><parent>a</parent><child>b</child><thread_pitch>1</thread_pitch>
          <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><odd/></limit></axis>
          <axis2><xyz>0 0 1</xyz></axis2></joint>"""
    ),
    "two pitches": model(
        hinge(kind="screw").replace(
            "</joint>", "<thread_pitch>3</thread_pitch><screw_thread_pitch>1</screw_thread_pitch></joint>"
        )
    ),
    "a pitch of zero": model(hinge(kind="screw").replace("</joint>", "<thread_pitch>0</thread_pitch></joint>")),
    "more left-over xacro": model(
        """<link name="a"><inertial><mass>$(arg m)</mass></inertial><pose degrees="${d}">0 0 0 0 0 0</pose></link>
        <link name="b"/><joint name="j" type="$(arg t)"><parent>${p}</parent><child>b</child></joint>"""
    ),
    "no truth values": model('<link name="a"><pose degrees="yes">0 0 0 0 0 0</pose><inertial auto="2"/></link>'),
    "degrees of a quaternion": model(
        '<link name="a"><pose degrees="1" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></link>'
    ),
    "mimic of a second axis": model(
        hinge('<xyz>0 0 1</xyz><mimic joint="x" axis="axis2"><odd/></mimic>')
        .replace("<axis>", "<axis><xyz>0 0 1</xyz></axis><axis2>", 1)
        .replace("</axis></joint>", "</axis2></joint>")
        .replace("revolute", "universal")
    ),
    "several roots": model(TWO),
    "several models": "<sdf version='1.7'><model name='m'><link name='a'/></model><model name='n'/></sdf>",
    "a world": """<sdf version="1.7"><world name="w"><light name="l"/><odd/>
      <model name="m"><link name="a"/></model></world></sdf>""",
    "two shapes": model('<link name="a"><visual name="v"><geometry><box/><sphere/></geometry></visual></link>'),
    "a colour of two numbers": model(
        '<link name="a"><visual name="v"><geometry><box><size>1 1 1</size></box></geometry>'
        "<material><diffuse>1 0</diffuse></material></visual></link>"
    ),
    "sensors of one name": model(
        '<link name="a"><sensor name="s" type="imu"/><sensor name="s" type="imu" odd="1"/><sensor type="imu"/></link>'
    ),
}


def test_every_word_that_is_said(golden):
    """In full: severity, place, element, cause and cure. Read the difference before you update the file."""
    texts = {name: text for name, (text, _) in FAULTS.items()} | REMARKS
    golden("sdf_findings.txt", "\n".join(f"# {name}\n{in_words(findings(text))}" for name, text in texts.items()))


INCLUDED = model(
    '<static>false</static><plugin name="own" filename="f"/><link name="l"><pose>0 0 1 0 0 0</pose></link>'
)


@each(
    "inside, codes",
    [
        ("<name>n</name><pose>1 0 0 0 0 0</pose><placement_frame>l</placement_frame>", []),
        ('<static>true</static><plugin name="p" filename="f"/>', []),
        ("<odd/>", ["not-understood"]),
        ("<experimental:params/>", ["include-params"]),
    ],
)
def test_what_an_include_says_of_its_model(inside, codes):
    text = model(f'<include merge="false"><uri>in.sdf</uri>{inside}</include>', attributes='xmlns:experimental="u"')
    said = [finding.code for finding in findings(text, {"in.sdf": INCLUDED})]
    assert said == codes


def test_circles_name_their_members():
    text = model("""<link name="a"/>
      <frame name="f" attached_to="a"><pose relative_to="g"/></frame>
      <frame name="g" attached_to="a"><pose relative_to="h"/></frame>
      <frame name="h" attached_to="a"><pose relative_to="f"/></frame>
      <frame name="p" attached_to="q"><pose relative_to="a"/></frame>
      <frame name="q" attached_to="p"><pose relative_to="a"/></frame>""")
    messages = [(error.message, error.source.line) for error in errors(text)]
    assert messages == [
        ("relative_to is circular: m::f -> m::g -> m::h -> m::f", 5),
        ("attached_to is circular: m::p -> m::q -> m::p", 8),
    ]


def test_a_circle_names_no_member_outside():
    """A frame before the circle, of each kind: its place is unknown, too, but it is not what must be changed."""
    text = model("""<link name="a"/>
      <frame name="b" attached_to="a"><pose relative_to="f"/></frame>
      <frame name="f" attached_to="a"><pose relative_to="g"/></frame>
      <frame name="g" attached_to="a"><pose relative_to="f"/></frame>
      <frame name="k" attached_to="p"><pose relative_to="a"/></frame>
      <frame name="p" attached_to="q"><pose relative_to="a"/></frame>
      <frame name="q" attached_to="p"><pose relative_to="a"/></frame>""")
    assert [(error.message, error.source.line) for error in errors(text)] == [
        ("relative_to is circular: m::f -> m::g -> m::f", 6),
        ("attached_to is circular: m::p -> m::q -> m::p", 9),
    ]


def test_a_placement_frame_that_hangs_on_what_it_places_is_a_circle_or_unknown():
    nested = '<link name="a"/><model name="n" placement_frame="{}"><link name="l"/></model>'
    joined = joint("<parent>a</parent><child>n::l</child>")
    assert [e.code for e in errors(model(nested.format("x") + joined))] == ["unknown-frame"]
    assert not errors(model(nested.format("l") + joined))


@each("placed", ["f", "l"])
def test_a_circle_inside_a_placed_model_is_named_once(placed):
    text = model(f"""<link name="a"/><model name="n" placement_frame="{placed}">
      <link name="l"><pose relative_to="f"/></link><frame name="f"><pose relative_to="g"/></frame>
      <frame name="g"><pose relative_to="h"/></frame><frame name="h"><pose relative_to="g"/></frame></model>
      <joint name="j" type="fixed"><parent>a</parent><child>n::l</child></joint>""")
    assert [e.message for e in errors(text)] == ["relative_to is circular: m::n::g -> m::n::h -> m::n::g"]


def test_all_faults_are_said_at_once():
    text = model(
        '<link name="a"><pose>0 0 x 0 0 0</pose></link><link name="b"><pose relative_to="x"/></link>'
        '<joint name="j" type="gearbox"><parent>a</parent><child>b</child></joint>'
        '<joint name="k" type="revolute"><parent>a</parent><child>y</child><axis><xyz>0 0 0</xyz></axis></joint>'
    )
    assert {"number", "joint-type", "unknown-child"} <= {error.code for error in errors(text)}


def test_legal_values_are_listed():
    (error,) = errors(model(hinge(kind="gearbox")))
    assert "fixed, revolute, continuous, prismatic, screw, universal, ball" in error.message
    (error,) = errors(model(LINK, "1.1"))
    assert "1.2, 1.3, 1.4" in error.message
    assert "1.12" in error.message


def test_includes_go_in_no_circle():
    itself = model("<include><uri>me.sdf</uri></include>")
    assert "include-cycle" in [e.code for e in errors(itself, {"me.sdf": itself})]


def test_faults_of_an_included_file_are_placed_in_it():
    files = {"bad.sdf": model('<link name="a"><pose>x</pose></link>')}
    (error,) = errors(model(LINK + '<include merge="1"><uri>bad.sdf</uri></include>'.replace("1", "true")), files)[:1]
    assert error.source.file == "bad.sdf"


def test_an_included_file_has_its_own_version():
    old = {"old.sdf": model(LINK, "1.0")}
    assert "sdf-version" in [e.code for e in errors(model(LINK + "<include><uri>old.sdf</uri></include>"), old)]
    urdf = {"a.urdf": '<robot name="r"><link name="l"/></robot>'}
    assert "not-sdf" in [e.code for e in errors(model(LINK + "<include><uri>a.urdf</uri></include>"), urdf)]


def test_only_a_static_model_with_joints_is_remarked_on():
    joint = '<link name="k"/><joint name="j" type="revolute"><parent>l</parent><child>k</child><axis/></joint>'
    for more, codes in (("", []), (joint, ["static"])):
        text = model(f'<static>true</static><link name="l"/>{more}')
        assert [one.code for one in findings(text) if one.code == "static"] == codes


def test_the_size_of_a_plane_matters_where_it_is_seen():
    """Physics engines take planes as endless; a renderer draws one metre of a plane without a size."""
    part = '<link name="a"><{0} name="p"><geometry><{1}><normal>0 0 1</normal></{1}></geometry></{0}></link>'
    found = {(tag, shape): codes(part.format(tag, shape)) for tag in ("visual", "collision") for shape in SHAPES}
    assert {key: "default-size" in codes for key, codes in found.items()} == {
        ("visual", "plane"): True,
        ("visual", "box"): True,
        ("collision", "plane"): False,
        ("collision", "box"): True,
    }


SHAPES = ("plane", "box")


def codes(inside):
    return {finding.code for finding in findings(model(inside))}
