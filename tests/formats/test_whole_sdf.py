"""SDF files as robots, in full: everything that is read, said and written of small files."""

# ruff: noqa: E501

import pytest

import kinetree as kt
from kinetree.formats import sdf
from kinetree.formats.sdf.read import read_certain
from kinetree.model.assemble import build, parts_of
from sdf_texts import WORLD, hinge, model, opener
from whole import reading, written

ENDS = "<parent>a</parent><child>b</child>"
TWO = '<link name="a"/><link name="b"/>'
BOX = "<geometry><box><size>1 2 3</size></box></geometry>"


def joint(kind: str, inside: str, name: str = "j", ends: str = ENDS) -> str:
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def solid(shapes: str, more: str = "") -> str:
    return model(f'<link name="a"><inertial auto="true">{more}</inertial>{shapes}</link>')


def collision(shape: str, more: str = "", name: str = "c") -> str:
    return f'<collision name="{name}">{more}<geometry>{shape}</geometry></collision>'


def tags(names: str) -> str:
    """Return empty elements of these names."""
    return "".join(f"<{name}/>" for name in names.split())


SIZES = (
    *(("box", "size"), ("sphere", "radius"), ("cylinder", "radius length"), ("capsule", "radius length")),
    *(("cone", "radius length"), ("ellipsoid", "radii"), ("plane", "normal size"), ("mesh", "uri scale")),
)
SENSORS = (
    "air_flow air_pressure air_speed altimeter boundingbox boundingbox_camera camera contact custom depth depth_camera "
    "force_torque gps gpu_lidar gpu_ray imu lidar logical_camera magnetometer multicamera navsat ray rfid rfidtag rgbd "
    "rgbd_camera segmentation segmentation_camera sonar thermal thermal_camera wideanglecamera wireless_receiver "
    "wireless_transmitter sniffer"
)
"""Types of sensors in SDF 1.12, and another one."""
ROBOT = """<?xml version="1.0"?>
<sdf version="1.11" xmlns:x="u">
<model name="m" canonical_link="body" odd="1">
  <pose degrees="true">1 2 3 0 0 90</pose>
  <static>false</static>
  <self_collide>true</self_collide>
  <link name="base"><pose relative_to="body">0 0 -1 0 0 0.5</pose>
    <gravity>0</gravity>
    <inertial><pose>0.1 0.2 0.3 0.4 0 0</pose><mass>2</mass><density>5</density>
      <inertia><ixx>1</ixx><ixy>0.1</ixy><ixz>0.2</ixz><iyy>2</iyy><iyz>0.3</iyz><izz>3</izz></inertia></inertial>
    <visual name="v"><pose>0 0 1 0 0 0</pose><cast_shadows>0</cast_shadows>
      <geometry><cylinder><radius>0.5</radius><length>2</length></cylinder></geometry>
      <material kinetree:name="red" xmlns:kinetree="urn:kinetree"><diffuse>1 0 0</diffuse><ambient>0 1 0 1</ambient></material></visual>
    <visual name="mesh"><geometry><mesh><uri>m.stl</uri><scale>1 2 3</scale>
      <submesh><name>part</name><center>1</center></submesh></mesh></geometry></visual>
    <collision name="c"><pose relative_to="eye">0 1 0 0 0 0</pose><laser_retro>1</laser_retro>
      <geometry><plane><normal>0 1 0</normal><size>2 3</size></plane></geometry></collision>
    <collision name="e"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry></collision>
    <collision name="h"><geometry><heightmap><uri>h.png</uri></heightmap></geometry></collision>
    <sensor name="imu" type="imu"><pose relative_to="eye">0 0 0 1 0 0</pose><update_rate>100</update_rate><imu><odd/></imu></sensor>
    <sensor name="nose" type="custom" gz:type="sniffer" xmlns:gz="http://gazebosim.org/schema"/>
    <plugin name="p" filename="f"/>
  </link>
  <link name="body"><pose rotation_format="quat_xyzw">0 0 2 0 0 0.6 0.8</pose></link>
  <link name="hand"><pose relative_to="wrist">0 0.5 0 0 0 0</pose></link>
  <link name="finger"/>
  <frame name="eye" attached_to="base"><pose>0 0 0.25 0.3 0 0</pose></frame>
  <frame name="mark"/>
  <frame name="far" attached_to="wrist"><pose relative_to="eye">1 0 0 0 0 0</pose></frame>
  <joint name="waist" type="revolute"><pose relative_to="base">0 0 1 0 0 0</pose><parent>base</parent><child>body</child>
    <axis><xyz expressed_in="__model__">0 3 4</xyz><limit><lower>-1</lower><upper>1e16</upper><velocity>2</velocity><effort>3</effort>
      <stiffness>4</stiffness></limit><dynamics><damping>0.1</damping><friction>0.2</friction>
      <spring_reference>0.3</spring_reference><spring_stiffness>0.4</spring_stiffness></dynamics>
      <initial_position>1</initial_position></axis>
    <sensor name="gauge" type="force_torque"><force_torque><frame>sensor</frame>
      <measure_direction>parent_to_child</measure_direction><noise/></force_torque></sensor></joint>
  <joint name="wrist" type="universal"><pose relative_to="mark">0 0 0.75 0 0 0</pose><parent>mark</parent><child>hand</child>
    <axis><xyz>1 0 0</xyz><limit><lower>-0.5</lower><upper>0.5</upper></limit></axis>
    <axis2><xyz>0 1 0</xyz><dynamics><damping>1</damping></dynamics></axis2></joint>
  <joint name="grip" type="prismatic"><parent>hand</parent><child>finger</child>
    <axis><xyz>0 0 1</xyz><mimic joint="waist"><multiplier>2</multiplier><offset>0.1</offset><reference>0.5</reference></mimic>
      <limit><effort>-1</effort><velocity>-1</velocity></limit></axis></joint>
  <kinetree:coupled_limit name="both" lower="-1" upper="2" xmlns:kinetree="urn:kinetree"><joint name="waist" coefficient="3"/></kinetree:coupled_limit>
  <kinetree:material kinetree:name="blue" xmlns:kinetree="urn:kinetree"><diffuse>0 0 1 0.5</diffuse></kinetree:material>
  <plugin name="q" filename="g"/>
</model>
</sdf>"""
PLACED = """<link name="l"><pose>0 0 1 0 0 0</pose></link><link name="k"/><static>false</static>
<frame name="grasp" attached_to="l"><pose>0 1 0 0 0 0.5</pose></frame>"""
FILES = {
    "in.sdf": model(PLACED),
    "folder/model.config": "<model><sdf>old.sdf</sdf><sdf version='1.6'>in.sdf</sdf><sdf version='9.9'>new.sdf</sdf></model>",
    "folder/in.sdf": model(PLACED, "1.6"),
    "lost/model.config": "<model><sdf version='1.x'>a.sdf</sdf><sdf version='1.6'>b.sdf</sdf></model>",
    "none/model.config": "<model><sdf version='9.9'>b.sdf</sdf></model>",
    "broken/model.config": "<model>",
    "plain/model.sdf": model(PLACED),
    "model://known": model(PLACED),
    "light.sdf": "<sdf version='1.7'><light name='l'/></sdf>",
    "urdf.sdf": "<robot/>",
    "empty/model.config": "<model/>",
    "several.sdf": "<sdf version='1.7'><model name='a'/><model name='b'/></sdf>",
    "me.sdf": model('<link name="a"/><include><uri>me.sdf</uri></include>'),
}


def included(inside: str, uri: str = "in.sdf") -> str:
    return f"<include><uri>{uri}</uri>{inside}</include>"


TEXTS = {
    "a robot": ROBOT,
    "a world": WORLD,
    "a world with static models": f"""<sdf version="1.10"><world name="w">
      <model name="table"><static>1</static><pose>1 0 0 0 0 0</pose><link name="top"/><model name="leg"><link name="l"/></model></model>
      <model name="arm"><pose>0 1 0 0 0 1</pose>{hinge()}<link name="loose"/></model>
      <joint name="hold" type="revolute"><parent>table::top</parent><child>arm::a</child><axis/></joint>
      <plugin name="p" filename="q"/></world></sdf>""",
    "an older model": model(
        f"""<link name="a"><pose frame="b">1 0 0 0 0 0</pose></link><link name="b"><pose>0 0 0 0 0 1.5707963267948966</pose></link>
        <joint name="a" type="prismatic"><parent>b</parent><child>a</child><axis><xyz>1 0 0</xyz><use_parent_model_frame>{1}</use_parent_model_frame></axis></joint>""",
        "1.6",
    ),
    "an old axis": model(hinge("<xyz>1 0 0</xyz>", pose="<pose>0 0 0 0 0 1.5707963267948966</pose>"), "1.4"),
    "a later axis": model(hinge("<xyz>1 0 0</xyz>", pose="<pose>0 0 0 0 0 1.5707963267948966</pose>"), "1.5"),
    "joints of every type": model(
        '<link name="a"/>'
        + "".join(f'<link name="{name}"/>' for name in "bcdefgh")
        + joint("fixed", "<axis><xyz>0 0 1</xyz><dynamics><damping>2</damping></dynamics></axis>", "j1")
        + joint("ball", "<axis><xyz>0 0 1</xyz></axis>", "j2", "<parent>a</parent><child>c</child>")
        + joint(
            "screw",
            "<axis/><screw_thread_pitch>3.141592653589793</screw_thread_pitch>",
            "j3",
            "<parent>a</parent><child>d</child>",
        )
        + joint("screw", "<axis/><thread_pitch>4</thread_pitch>", "j4", "<parent>a</parent><child>e</child>")
        + joint(
            "Continuous", "<axis><limit><upper>1</upper></limit></axis>", "j5", "<parent>a</parent><child>f</child>"
        )
        + joint(
            "fixed",
            "<axis><xyz>0 0 2</xyz><dynamics><damping>2</damping></dynamics></axis>",
            "j6",
            "<parent>a</parent><child>g</child>",
        )
        + joint(
            "revolute",
            "<axis><limit><lower>-inf</lower><upper>-1e15</upper></limit></axis><thread_pitch>1</thread_pitch>",
            "j7",
            "<parent>a</parent><child>h</child>",
        ),
    ),
    "ends of joints": model(
        TWO
        + '<frame name="f" attached_to="b"/><link name="c"/>'
        + joint("fixed", "", "j1", "<parent>world</parent><child>a</child>")
        + joint("revolute", "<axis/>", "j2", "<parent>a</parent><child>f</child>")
        + joint("fixed", "", "j3", "<parent>j2</parent><child>c</child>")
        + joint("fixed", "", "j4", "<parent>b</parent><child>b</child>")
        + '<joint name="j5" type="fixed"/><joint name="j6"/>'
        + joint("fixed", "", "j7", "<parent/><child/>")
    ),
    "a loop": model(
        '<link name="a"/><link name="b"/><link name="c"/>'
        + joint("revolute", "<axis/>")
        + joint("revolute", "<axis/>", "k", "<parent>b</parent><child>c</child>")
        + joint(
            "revolute",
            "<axis/><sensor name='s' type='force_torque'><force_torque/></sensor>",
            "l",
            "<parent>a</parent><child>c</child>",
        )
    ),
    "a joint to the world from below": model(
        TWO
        + joint("revolute", "<axis/><sensor name='s' type='force_torque'><force_torque/></sensor>")
        + joint("fixed", "", "k", "<parent>world</parent><child>b</child>")
    ),
    "colours": model(
        "".join(
            f'<link name="{i}"><visual name="v">{BOX}<material><diffuse>{rgb}</diffuse></material></visual></link>'
            for i, rgb in enumerate(("", "1 0 0 0.5", "0 1 0", "1 0 0 1 1", "1", "x", "${r}"))
        )
    ),
    "shapes": model(
        '<link name="a">'
        + "".join(
            f'<visual name="v{i}"><geometry>{shape}</geometry></visual>'
            for i, shape in enumerate(
                (
                    "<sphere/>",
                    "<cylinder/>",
                    "<capsule><radius>2</radius></capsule>",
                    "<cone/>",
                    "<ellipsoid/>",
                    "<plane/>",
                    "<mesh/>",
                    "<mesh><uri> m.dae </uri></mesh>",
                    "<mesh><filename>m.dae</filename></mesh>",
                    "<empty/>",
                    "<image/><image/>",
                    "<polyline/><box/>",
                    "<box><size>1 1 1</size><odd/></box><odd/>",
                    "<mesh><uri>m</uri><submesh/></mesh>",
                    "<mesh><uri>m</uri><submesh><name>n</name><center>maybe</center></submesh></mesh>",
                )
            )
        )
        + "</link>"
    ),
    "a mesh of an old file": model(
        '<link name="a"><visual name="v"><geometry><mesh><filename>m.dae</filename></mesh></geometry></visual></link>',
        "1.2",
    ),
    "sensors": model(
        """<link name="a"><sensor name="s" type="imu"/><sensor name="t" type="custom"/><sensor name="u" type=""/>
        <sensor name="v" type="imu"><update_rate/><pose relative_to="b">1 0 0 0 0 0</pose></sensor>
        <sensor name="w" type="force_torque"><force_torque><frame>hand</frame><measure_direction>up</measure_direction></force_torque></sensor>
        <sensor name="f" type="force_torque"><force_torque><frame/></force_torque></sensor></link>
        <link name="b"><sensor name="s" type="imu"/></link>"""
        + joint("fixed", "<sensor name='s' type='force_torque'/>")
    ),
    "solids": solid(
        collision("<box><size>1 2 3</size></box>", "<pose>1 0 0 0 0 0</pose><density>10</density>", "a")
        + collision("<sphere><radius>0.5</radius></sphere>", name="b")
        + collision("<cylinder><radius>1</radius><length>2</length></cylinder>", "<density>-1</density>", "c")
        + collision("<capsule/>", "<density>x</density>", "d"),
        "<density>3</density><pose>1 0 0 0 0 0</pose><inertia/>",
    ),
    "solids of a known mass": solid(collision("<box><size>1 2 3</size></box>"), "<mass>12</mass><odd/>"),
    "no solids": solid(""),
    "a plane": solid(collision("<plane/>")),
    "a mesh that is not there": solid(collision("<mesh><uri>m.stl</uri></mesh>")),
    "a part of a mesh": solid(collision("<mesh><uri>m.stl</uri><submesh><name>p</name></submesh></mesh>")),
    "a shape that cannot be read": solid(
        collision("<box><size>1</size></box>") + collision("<box><size>1 1 1</size></box>", name="d")
    ),
    "masses": model(
        """<link name="a"><inertial><mass>2</mass></inertial></link><link name="b"><inertial><inertia><ixx>2</ixx><odd/></inertia></inertial></link>
        <link name="c"><inertial odd="1" auto="yes"><mass/></inertial></link>"""
        + joint("fixed", "")
        + joint("fixed", "", "k", "<parent>a</parent><child>c</child>")
    ),
    "names": model(
        '<link name="____"/><link name="___"/><link name="__x"/><link name="_ _"/><frame name="a::b"/><model name="world"/>',
        "1.7",
    ),
    "coupled limits": model(
        hinge()
        + "".join(
            f"<kinetree:coupled_limit {text}</kinetree:coupled_limit>"
            for text in (
                'name="a" lower="" upper="1"><joint name="j" coefficient="1"/>',
                'name="b" upper="x"><joint name="j"/>',
                'upper="1"><joint coefficient="1"/>',
                'name="c" upper="1">',
                'name="d"><joint name="j" coefficient="1"/><joint name="j" coefficient="2"/>',
                'name="e" odd="1"><odd/><joint name="j" coefficient="1" odd="1"/>',
            )
        ),
        attributes='xmlns:kinetree="urn:kinetree"',
    ),
    "names of joints from the world": model(
        TWO
        + '<kinetree:free joint="fly" link="b"/><kinetree:free joint="x"/><kinetree:free joint="x" link="c" odd="1"/>',
        attributes='xmlns:kinetree="urn:kinetree"',
    ),
    "includes": model(
        '<link name="a"/>'
        + "".join(
            included(f"<name>n{i}</name>{inside}", uri)
            for i, (uri, inside) in enumerate(
                (
                    ("in.sdf", "<pose>1 0 0 0 0 0</pose>"),
                    ("in.sdf", "<pose relative_to='n0::l'/><placement_frame>grasp</placement_frame>"),
                    ("folder/", "<static>true</static>"),
                    ("plain", "<plugin name='p' filename='f'/><odd/>"),
                    ("known", ""),
                )
            )
        )
    ),
    "merged": model(
        '<link name="a"/><include merge="true"><uri>in.sdf</uri><name>n</name><pose>1 0 0 0 0 0</pose></include>'
    ),
    "a model before the first link": model(
        """<model name="n"><link name="l"/></model><link name="a"/><frame name="f"/>"""
        + joint("fixed", "", ends="<parent>a</parent><child>n::l</child>")
    ),
    "merged before the first link": model(
        '<include merge="true"><uri>in.sdf</uri></include><link name="a"/>'
        + joint("fixed", "", ends="<parent>l</parent><child>a</child>")
    ),
    "a model in a model, placed by a frame that is not there": model(
        """<link name="a"/><model name="m" placement_frame="f"><link name="l"/><frame name="f"><pose relative_to="n"/></frame>
        <model name="n" placement_frame="none"><link name="k"/></model></model>"""
    ),
    "placed by a frame": model(
        '<link name="a"/><include merge="1"><uri>in.sdf</uri><pose>1 0 0 0 0 0</pose><placement_frame>grasp</placement_frame></include>'
    ),
    "includes that fail": model(
        '<link name="a"/>'
        + "".join(
            included("", uri)
            for uri in (
                "lost",
                "none",
                "broken",
                "light.sdf",
                "several.sdf",
                "me.sdf",
                "http://x/y",
                "/abs.sdf",
                "file://x.sdf",
                "gone",
                "",
            )
        )
        + "<include><uri>in.sdf</uri><placement_frame>l</placement_frame></include>"
        + '<link name="b"/>'
        + joint("fixed", "", ends="<parent>x</parent><child>b</child>")
    ),
    "a world of includes": "<sdf version='1.10'><world name='w'>"
    + included("", "gone")
    + included("", "light.sdf")
    + included("")
    + "</world></sdf>",
    "a world of nothing": "<sdf version='1.10'><world name='w'>" + included("", "gone") + "</world></sdf>",
    "nested models": model(
        """<link name="a"/><model name="n" placement_frame="f"><pose relative_to="a">0 0 1 0 0 0</pose><link name="l"/><link name="k"/>
        <frame name="f" attached_to="l"><pose>1 0 0 0 0 0.5</pose></frame><plugin name="p" filename="f"/><odd/>
        <joint name="j" type="revolute"><parent>l</parent><child>k</child><axis/></joint></model>"""
        + joint("fixed", "", ends="<parent>a</parent><child>n::l</child>")
        + '<frame name="g" attached_to="n"/>'
    ),
    "poses that stand twice": model(
        "<pose>1 0 0 0 0 0</pose><pose>2 0 0 0 0 0</pose><link name='a'><pose/><pose>1 0 0 0 0 0</pose></link>"
        + included("<merge>1</merge><name>m</name><pose>1 0 0 0 0 0</pose>")
        + included("<merge>1</merge><name>m</name>")
        + included("<name>x</name>", "empty")
    ),
    "joints of the world": "<sdf version='1.10'><world name='w'><model name='m'><link name='a'/></model><model name='n'><link name='a'/></model>"
    + joint("fixed", "", ends="<parent>m::a</parent><child>world</child>")
    + joint("revolute", "<axis/>", "h", "<parent>world</parent><child>n::a</child>")
    + "</world></sdf>",
    "names of free models": "<sdf version='1.7'><world name='w'><model name='m'><link name='a'/><link name='b'/></model><model name='m::a_joint'><link name='c'/></model><model name='m::b_joint'><link name='c'/></model></world></sdf>",
    "joints without an axis": model(
        TWO
        + "<link name='c'/><link name='d'/>"
        + joint("revolute", "")
        + joint("prismatic", "", "k", "<parent>b</parent><child>c</child>")
        + joint("screw", "", "s", "<parent>c</parent><child>d</child>"),
        "1.6",
    ),
    "includes with parameters": model(
        "<link name='a'/>" + included("<experimental:params/>") + included("", "urdf.sdf")
    ),
    "circles of places": model(
        "<link name='a'><pose relative_to='f'/></link><frame name='f'><pose relative_to='g'/></frame><frame name='g'><pose relative_to='a'/></frame><frame name='h' attached_to='h'/>"
    ),
    "empty attributes": model(
        "<link name='a'><pose relative_to='' degrees='' rotation_format=''>1 0 0 0 0 0</pose></link><frame name='f' attached_to=''/>"
        "<link name='b'><sensor name='s' type=''/><sensor name='' type='imu'/><inertial auto=''/></link>"
        + joint(
            "revolute",
            "<axis><xyz expressed_in=''>1 0 0</xyz><limit><lower>1 2</lower><upper>nan</upper></limit></axis>",
        )
    ),
    "static models": "<sdf version='1.10'><world name='w'>"
    + "".join(
        f"<model name='m{i}'><static>{one}</static><link name='a'/></model>"
        for i, one in enumerate(("true", "1", " TRUE ", "0", "yes"))
    )
    + "</world></sdf>",
    **{
        f"{n} links that float": "<sdf version='1.10'><world name='w'><model name='m'>"
        + "".join(f"<link name='l{i}'/>" for i in range(n))
        + "</model></world></sdf>"
        for n in (8, 9)
    },
    "long texts": model(f"{'s' * 50}<link name='a'>{'t' * 41}</link><frame name='f'><pose>{'x' * 90}</pose></frame>"),
    **{
        f"forces of {inside}": model(f"<link name='a'>{inside}</link>")
        for inside in (
            *("<gravity>false</gravity>", "<gravity>0</gravity>", "<gravity>true</gravity>", "<gravity> 1 </gravity>"),
            "<inertial><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>",
            "<inertial><fluid_added_mass><xx>0</xx></fluid_added_mass></inertial>",
        )
    },
    "words of other programs": model(
        tags("static self_collide allow_auto_disable enable_wind plugin gripper no")
        + f"""<link name="a">{tags("gravity enable_wind self_collide kinematic must_be_base_link velocity_decay projector audio_sink audio_source battery light particle_emitter plugin no")}
        <inertial>{tags("density auto_inertia_params fluid_added_mass no")}</inertial>
        <visual name="v">{tags("cast_shadows laser_retro transparency visibility_flags meta plugin no")}{BOX}
        <material>{tags("script shader render_order lighting ambient specular shininess emissive double_sided pbr no")}</material></visual>
        <collision name="c">{BOX}{tags("laser_retro max_contacts surface density auto_inertia_params no")}</collision></link><link name="b"/>"""
        + joint(
            "revolute",
            tags("gearbox_ratio gearbox_reference_body physics plugin no")
            + f"<axis>{tags('initial_position no')}<limit>{tags('stiffness dissipation no')}</limit></axis>",
        )
    ),
    "words of other programs in a world": f"""<sdf version="1.10"><world name="w"><model name="m"><link name="a"/></model>
      {tags("actor atmosphere audio gravity gui light magnetic_field physics plugin population road scene spherical_coordinates state wind no")}</world></sdf>""",
    "empty values": model(
        f"""<link name="a"><inertial><inertia>{tags("ixx ixy ixz iyy iyz izz")}</inertia></inertial>
        {"".join(f'<visual name="{i}"><geometry><{shape}>{tags(sizes)}</{shape}></geometry></visual>' for i, (shape, sizes) in enumerate(SIZES))}</link><link name="b"/>"""
        + joint(
            "revolute",
            f"<axis>{tags('xyz')}<limit>{tags('lower upper effort velocity')}</limit><dynamics>{tags('spring_reference spring_stiffness damping friction')}</dynamics>"
            f"<mimic joint='k'>{tags('multiplier offset reference')}</mimic></axis>",
        )
        + joint("revolute", "<axis/>", "k", "<parent>b</parent><child>c</child>")
        + '<link name="c"/>'
    ),
    "types of sensors": model(
        f"""<link name="a">{"".join(f'<sensor name="{one}" type="{one}"/>' for one in SENSORS.split())}</link>"""
    ),
    "texts that mean nothing": model(
        'stray<link name="a">stray<visual name="v">stray<geometry>stray<box>stray</box></geometry></visual></link>'
    ),
}
MODELS = (
    "<sdf version='1.10'>{}<world name='w'><model name='a'><link name='l'/></model><model name='b'><link name='l'/><link name='k'/></model>"
    "<joint name='h' type='fixed'><parent>{}</parent><child>b::l</child></joint><light name='x'/></world>{}</sdf>"
)
CHOICES = [
    *((MODELS.format("", "world", ""), name) for name in (None, "w", "a", "b", "c")),
    *((MODELS.format("", "a::l", "<model name='b'><link name='m'/></model>"), name) for name in (None, "b")),
    *((MODELS.format("", "a::l", ""), name) for name in ("b",)),
    *((MODELS.format("<world name='v'/>", "a::l", ""), name) for name in (None, "v", "w", "b")),
    *(
        ("<sdf version='1.10'><model name='a'><link name='l'/></model><model name='b'/></sdf>", name)
        for name in (None, "a", "b")
    ),
    *(
        (f"<sdf version='1.10'>{included('', 'gone/x/')}{included('<name>n</name>')}<light name='x'/></sdf>", name)
        for name in (None, "x", "n", "m")
    ),
    *((MODELS.format("", "a::l", "<model name='b'><link name='m'/></model><model name='b'/>"), "b"),),
    *(
        (
            f"<sdf version='1.10'>{''.join(f'<model name={chr(39)}m{i}{chr(39)}><link name={chr(39)}a{chr(39)}/></model>' for i in range(n))}</sdf>",
            None,
        )
        for n in (20, 21)
    ),
    ("<sdf version='1.10'/>", None),
    ("<sdf version='1.10'><model/><model name='b'><link name='b'/></model></sdf>", "b"),
]


def read(text: str, wanted: str | None = None) -> str:
    robot, findings = read_certain(text, "file.sdf", opener(FILES), wanted)
    return reading(robot, [finding for finding in findings if finding.code != "no-inertial"])


def test_what_is_read_and_said(golden):
    said = [f"# {name}\n{read(text)}" for name, text in TEXTS.items()]
    golden("whole_sdf.txt", "\n".join(said))


def test_which_model_is_taken(golden):
    golden(
        "whole_sdf_models.txt",
        "\n".join(f"# {text}\n# model={wanted}\n{read(text, wanted)}" for text, wanted in CHOICES),
    )


TEXTS["a robot of simple joints"] = ROBOT.replace('type="universal"', 'type="revolute"')
WRITTEN = (
    "a robot",
    "a robot of simple joints",
    "a world",
    "a world with static models",
    "joints of every type",
    "a loop",
    "nested models",
    "solids",
    "names of joints from the world",
    "types of sensors",
)
LOST = ("loop", "extension", "limit", "dynamics", "frame", "geometry")


@pytest.mark.parametrize("format", ["sdf", "urdf", "mjcf"])
def test_what_is_written(format, golden):
    robots = {name: build(parts_of(sdf.read(TEXTS[name], "file.sdf", opener(FILES))[0])) for name in WRITTEN}
    golden(
        f"written_sdf_to_{format}.txt",
        "\n".join(
            f"# {name} without {', '.join(parts)}\n{written(robot, format, parts)}"
            for name, robot in robots.items()
            for parts in ((), LOST)
        ),
    )


def test_a_text_that_was_not_changed_is_written_as_it_was():
    for text in (ROBOT, TEXTS["a loop"], TEXTS["an older model"]):
        assert kt.text(kt.load(text, format="sdf"), "sdf") == text
