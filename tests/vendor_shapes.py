"""Small repositories of makers' arms, in the shapes that public ones have: xacro macros, without frames of REP-199."""

from __future__ import annotations

from pathlib import Path

BOX = "<{0}><geometry><box size='0.1 0.1 0.1'/></geometry></{0}>"
HEAD = '<?xml version="1.0"?>\n<robot xmlns:xacro="http://www.ros.org/wiki/xacro"{}>\n'
SIZES = {"small": 0.3, "medium": 0.4, "large": 0.5, "long": 0.6, "wide": 0.7, "heavy": 0.8, "huge": 0.9}
"""Seven arms, and the length of the upper arm of each, m."""
UPRIGHT = (("0 0 0.3", "0 0 1"), ("0 0 0", "0 1 0"), ("0 0 {l}", "0 1 0"), ("0 0 0.1", "0 0 1"), ("0 0 0.3", "0 1 0"))
"""Origins and axes of joints 1 to 5; the sixth goes on along z."""


def solid(name: str) -> str:
    """A link with shapes and a mass."""
    inertia = '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
    shapes = BOX.format("visual") + BOX.format("collision").replace("><geo", "><origin xyz='0 0 0.05'/><geo", 1)
    return f'    <link name="{name}">{shapes}<inertial><mass value="2"/>{inertia}</inertial></link>\n'


def joint(name: str, parent: str, child: str, xyz: str, axis: str) -> str:
    limit = '<limit lower="-2" upper="2" effort="10" velocity="2"/>'
    return (
        f'    <joint name="{name}" type="revolute">\n      <origin xyz="{xyz}" rpy="0 0 0"/>\n'
        f'      <parent link="{parent}"/>\n      <child link="{child}"/>\n'
        f'      <axis xyz="{axis}"/>\n      {limit}\n    </joint>\n'
    )


def fixed(name: str, parent: str, child: str, xyz: str = "0 0 0", rpy: str = "0 0 0") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'    <joint name="{name}" type="fixed"><origin xyz="{xyz}" rpy="{rpy}"/>{ends}</joint>\n'


def chain(names: list[str], joints: str, length: object, last: str = "0 0 0.08") -> str:
    """The links of an arm and the joints between them. joints: pattern of their names."""
    rows = [(xyz.replace("{l}", str(length)), axis) for xyz, axis in (*UPRIGHT, (last, "0 0 1"))]
    made = [
        joint(joints.replace("{}", str(i + 1)), names[i], names[i + 1], xyz, axis) for i, (xyz, axis) in enumerate(rows)
    ]
    return "".join([*map(solid, names), *made])


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


FLANGE = "0 0 0.05 0 -pi/2 0"
"""A flange whose X is the z of the last link."""
TOOL0 = "0 0 0 0 pi/2 0"


def rows(files: dict[str, str], more: str = "", flange: str = FLANGE) -> str:
    """Settings with a row for each model."""
    places = f'base = "0 0 0.3 0 0 0"\nflange = "{flange}"\ntool0 = "{TOOL0}"\n'
    said = "".join(f'[[models]]\nfile = "{file}"\n{args}{places}{more}\n' for file, args in files.items())
    return f'profile = "industrial"\n{said}'


def kawasaki(folder: Path) -> Path:
    """One file for seven arms, chosen by an argument; links called link1 to link6, a parallel arm in a branch."""
    names = ["${prefix}base_link", *(f"${{prefix}}link{i}" for i in range(1, 7))]
    lengths = "dict(" + ", ".join(f"{name}={length}" for name, length in SIZES.items()) + ")"
    branch = (
        '    <xacro:if value="${parallel}">\n'
        + solid("${prefix}arm2")
        + fixed("${prefix}parallel", "${prefix}link2", "${prefix}arm2")
        + "    </xacro:if>\n"
    )
    macro = (
        HEAD.format("") + f'  <xacro:property name="lengths" value="${{{lengths}}}"/>\n'
        '  <xacro:macro name="arm" params="prefix size parallel">\n    <link name="world"/>\n'
        + fixed("${prefix}world2base", "world", "${prefix}base_link")
        + chain(names, "${prefix}joint{}", "${lengths[size]}")
        + branch
        + "  </xacro:macro>\n</robot>\n"
    )
    top = (
        HEAD.format(' name="$(arg size)"') + '  <xacro:arg name="size" default="small"/>\n'
        '  <xacro:include filename="arm_macro.xacro"/>\n'
        '  <xacro:arm prefix="" size="$(arg size)" parallel="${\'$(arg size)\' == \'huge\'}"/>\n</robot>\n'
    )
    settings = 'profile = "industrial"\n' + "".join(
        rows({"urdf/arm.urdf.xacro": f'args = {{ size = "{size}" }}\n'}).partition("\n")[2] for size in SIZES
    )
    return write(folder, {"urdf/arm_macro.xacro": macro, "urdf/arm.urdf.xacro": top, "kinetree.toml": settings})


PAIR = dict(list(SIZES.items())[:2])


def motoman(folder: Path) -> Path:
    """A macro and a top file for each arm; links called link_1_s to link_6_t; tool0, but no flange."""
    files = {}
    names = ["base_link", *(f"link_{i}_{c}" for i, c in enumerate("slurbt", 1))]
    for size, length in PAIR.items():
        tool0 = '    <link name="${prefix}tool0"/>\n' + fixed(
            "${prefix}joint_6_t-tool0", "${prefix}link_6_t", "${prefix}tool0", "0 0 0.05"
        )
        body = chain([f"${{prefix}}{name}" for name in names], "${prefix}joint_{}", length)
        macro = f'  <xacro:macro name="{size}" params="prefix">\n{body}{tool0}  </xacro:macro>\n</robot>\n'
        files[f"{size}/urdf/{size}_macro.xacro"] = HEAD.format("") + macro
        files[f"{size}/urdf/{size}.xacro"] = (
            HEAD.format(f' name="{size}"')
            + f'  <xacro:include filename="{size}_macro.xacro"/>\n  <xacro:{size} prefix=""/>\n</robot>\n'
        )
    return write(folder, {**files, "kinetree.toml": rows({f"{size}/urdf/{size}.xacro": "" for size in PAIR})})


def techman(folder: Path) -> Path:
    """A macro for one link, called with its name; a chain from base, and a gripper on a link given by name."""
    names = ["base", *["shoulder", "upper", "forearm", "wrist1", "wrist2", "wrist3"]]
    link = '  <xacro:macro name="body" params="name">\n' + solid("${name}") + "  </xacro:macro>\n"
    gripper = (
        '  <xacro:macro name="gripper" params="parent *origin">\n'
        + solid("hand")
        + '    <joint name="hand_mount" type="fixed">\n      <xacro:insert_block name="origin"/>\n'
        '      <parent link="${parent}"/>\n      <child link="hand"/>\n    </joint>\n  </xacro:macro>\n'
    )
    joints = chain(names, "joint{}", 0.4).partition("    <joint")
    bodies = "".join(f'  <xacro:body name="{name}"/>\n' for name in names)
    grip = '  <xacro:gripper parent="wrist3"><origin xyz="0 0 0.05" rpy="0 0 0"/></xacro:gripper>\n'
    top = HEAD.format(' name="arm"') + link + gripper + bodies + joints[1] + joints[2] + grip + "</robot>\n"
    srdf = (
        '<?xml version="1.0"?>\n<robot name="arm">\n'
        '  <group name="all"><chain base_link="base" tip_link="wrist3"/></group>\n'
        '  <disable_collisions link1="upper" link2="shoulder" reason="Adjacent"/>\n</robot>\n'
    )
    launch = 'FRAMES = ["base", "wrist3"]\nTIP = "wrist3"\n'
    more = 'also = ["arm.srdf", "view.rviz", "look.py"]\n'
    return write(
        folder,
        {
            "arm.urdf.xacro": top,
            "arm.srdf": srdf,
            "look.py": launch,
            "view.rviz": "Links:\n  wrist3:\n    Alpha: 1\nFixed Frame: base\n",
            "kinetree.toml": rows({"arm.urdf.xacro": ""}, more),
        },
    )


def mitsubishi(folder: Path) -> Path:
    """Arms whose names are written out before every name, on a link that the call names."""
    files = {}
    for size, length in PAIR.items():
        bodies = ["base", "shoulder", "upper_arm", "elbow", "forearm", "wrist", "hand_flange"]
        names = [f"{size}_{name}" for name in bodies]
        tcp = f'    <link name="{size}_default_tcp"/>\n' + fixed(f"{size}_tcp", names[-1], f"{size}_default_tcp")
        body = fixed(f"{size}_world_to_base", "${parent}", names[0]) + chain(names, f"{size}_joint_{{}}", length)
        macro = f'  <xacro:macro name="{size}" params="parent">\n{body}{tcp}  </xacro:macro>\n</robot>\n'
        files[f"{size}/{size}_macro.xacro"] = HEAD.format("") + macro
        files[f"{size}/{size}.urdf.xacro"] = (
            HEAD.format(f' name="{size}"')
            + f'  <xacro:include filename="{size}_macro.xacro"/>\n'
            + f'  <link name="world"/>\n  <xacro:{size} parent="world"/>\n</robot>\n'
        )
    more = {f"{size}/{size}.urdf.xacro": "" for size in PAIR}
    return write(folder, {**files, "kinetree.toml": rows(more)})
