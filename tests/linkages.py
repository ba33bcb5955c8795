"""Robots with closed loops, drawn closed, and what is known of them by hand."""

import numpy as np

A, B, C, D = 0.1, 0.3, 0.25, 0.32
"""Lengths of the crank, coupler, rocker and ground of a four-bar whose crank turns: A + D < B + C."""
DRAWN = np.pi / 2


def rocker_angle(phi, branch=1.0, crank=A):
    """The angle of the rocker at a crank angle (Freudenstein's equation), both from the line of the ground."""
    k1, k2, k3 = D / crank, D / C, (crank**2 - B**2 + C**2 + D**2) / (2 * crank * C)
    a, b, c = np.cos(phi) - k1 - k2 * np.cos(phi) + k3, -2 * np.sin(phi), k1 - (k2 + 1) * np.cos(phi) + k3
    return 2 * np.arctan((-b - branch * np.sqrt(b * b - 4 * a * c)) / (2 * a))


def closed(phi, branch=1.0):
    """q (…, 3) of the four-bar at crank angles, each joint counted from where it is drawn, without whole turns."""

    def angles(phi, branch):
        psi = rocker_angle(phi, branch)
        theta = np.arctan2(C * np.sin(psi) - A * np.sin(phi), D + C * np.cos(psi) - A * np.cos(phi))
        return np.stack([phi, theta - phi, psi], axis=-1)

    return angles(phi, branch) - angles(DRAWN, 1.0)


def body(name, pos, joint, mass, com, inside="", more=""):
    """A body of MJCF with one hinge about z."""
    inertial = f'<inertial pos="{com}" mass="{mass}" diaginertia="{mass * 1e-3} {mass * 2e-3} {mass * 2.5e-3}"/>'
    return f'<body name="{name}" pos="{pos}"><joint name="{joint}" axis="0 0 1" {more}/>{inertial}{inside}</body>'


def fourbar(more="", hand="", length=A):
    """MJCF of the four-bar in the plane z = 0, drawn with its crank along y; crank, coupler and rocker turn about z."""
    psi = rocker_angle(DRAWN, crank=length)
    end = np.array([D + C * np.cos(psi), C * np.sin(psi)])
    way = end - (0, length)
    coupler = body("coupler", f"0 {length} 0", "coupler", 0.5, f"{way[0] / 2} {way[1] / 2} 0.01", hand)
    crank = body("crank", "0 0 0", "crank", 0.3, "0 0.04 0", coupler, more)
    rocker = body("rocker", f"{D} 0 0", "rocker", 0.4, f"{(end[0] - D) / 2} {end[1] / 2} 0")
    pin = f'<connect name="pin" body1="coupler" body2="rocker" anchor="{float(way[0])!r} {float(way[1])!r} 0"/>'
    return (
        f'<mujoco><compiler angle="radian"/><worldbody>{crank}{rocker}</worldbody><equality>{pin}</equality></mujoco>'
    )


def slider():
    """SDF of a slider-crank: a crank of 1 m, drawn along y, a rod, and a piston, whose slide along x closes it."""
    mass = "<inertial><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.3</izz></inertia></inertial>"
    places = {"ground": "0 0", "crank": "0 0", "rod": "0 1", "piston": "2 0"}
    links = "".join(f'<link name="{n}"><pose>{p} 0 0 0 0</pose>{mass}</link>' for n, p in places.items())
    rows = (("turn", "ground", "crank"), ("big", "crank", "rod"), ("small", "rod", "piston"))
    joints = "".join(
        f'<joint name="{n}" type="revolute"><parent>{a}</parent><child>{b}</child><axis><xyz>0 0 1</xyz></axis></joint>'
        for n, a, b in rows
    )
    slide = '<joint name="slide" type="prismatic"><parent>ground</parent><child>piston</child>'
    slide += "<axis><xyz>1 0 0</xyz></axis></joint>"
    return f'<sdf version="1.7"><model name="slider">{links}{joints}{slide}</model></sdf>'


ARM, ROD, BASE, PLATE, WIDTH = 0.2, 0.45, 0.12, 0.05, 0.03


def delta():
    """MJCF of a delta robot: three arms arm0 … on a circle, two rods of two balls each on an arm, and a free plate."""
    dx, bodies, pins = PLATE - BASE - ARM, "", ""
    dz = -np.sqrt(ROD**2 - dx**2)
    for i, angle in enumerate((0.0, 2 * np.pi / 3, 4 * np.pi / 3)):
        place = f'pos="{BASE * np.cos(angle)} {BASE * np.sin(angle)} 0" euler="0 0 {angle}"'
        rods = ""
        for k, y in enumerate((-WIDTH, WIDTH)):
            inertial = f'<inertial pos="{dx / 2} 0 {dz / 2}" mass="0.05" diaginertia="8e-4 8e-4 8e-4"/>'
            rods += f'<body name="rod{i}{k}" pos="{ARM} {y} 0"><joint name="rod{i}{k}" type="ball"/>{inertial}</body>'
            pins += f'<connect name="pin{i}{k}" body1="rod{i}{k}" body2="plate" anchor="{dx} 0 {dz}"/>'
        inertial = f'<inertial pos="{ARM / 2} 0 0" mass="0.3" diaginertia="1e-4 1e-3 1e-3"/>'
        bodies += f'<body name="arm{i}" {place}><joint name="arm{i}" axis="0 1 0"/>{inertial}{rods}</body>'
    bodies += f'<body name="plate" pos="0 0 {dz}"><freejoint name="plate"/>'
    bodies += '<inertial pos="0 0 0" mass="0.4" diaginertia="1e-3 1e-3 2e-3"/></body>'
    head = '<mujoco><compiler angle="radian"/><worldbody>'
    return f"{head}{bodies}</worldbody><equality>{pins}</equality></mujoco>"


def gripper():
    """MJCF of a parallel gripper: two parallelograms, of which the left one follows the right by a joint equality."""
    fingers, pins = "", ""
    for name, side in (("right", 1), ("left", -1)):
        tip = '<inertial pos="0 0 0.02" mass="0.02" diaginertia="1e-5 1e-5 1e-5"/>'
        finger = f'<body name="{name}_finger" pos="{side * 0.03} 0 0.05"><joint name="{name}_wrist" axis="0 1 0"/>'
        finger += f"{tip}</body>"
        for where, inside in ((0.02, finger), (0.04, "")):
            link = f'<inertial pos="{side * 0.015} 0 0.025" mass="0.05" diaginertia="2e-5 2e-5 1e-5"/>'
            joint = f'<joint name="{name}_{"drive" if inside else "bar"}" axis="0 {side} 0"/>'
            fingers += f'<body name="{name}_{where}" pos="{side * where} 0 0.1">{joint}{link}{inside}</body>'
        pins += f'<connect name="{name}_pin" body1="{name}_0.04" body2="{name}_finger" anchor="{side * 0.03} 0 0.05"/>'
    pins += '<joint joint1="left_drive" joint2="right_drive" polycoef="0 1 0 0 0"/>'
    return f"<mujoco><worldbody>{fingers}</worldbody><equality>{pins}</equality></mujoco>"


LEG = (
    # body, parent, place, x and y axes, joint, its value as drawn in degrees, mass, centre of mass
    ("pitch", "pelvis", "0 0 -0.09", "0 0 -1 1 0 0", "hip", 0, 5.5, "0.06 0 -0.036"),
    ("rod", "pitch", "0 0 0.045", "0.7922 -0.60599 -0.072096 0.60349 0.79547 -0.054922", "ball", 0, 0.157, "0.247 0 0"),
    ("knee", "pitch", "0.12 0 0.0045", "0.70711 -0.70711 0 0.70711 0.70711 0", "knee", -45, 0.76, "0.023 0.032 -0.002"),
    ("shin", "knee", "0.06068 0.04741 0", "1 0 0 0 1 0", "shin", 0, 0.58, "0.183 0.001 0"),
    (
        "tarsus",
        "shin",
        "0.43476 0.02 0",
        "0.52992 0.84805 0 -0.84805 0.52992 0",
        "tarsus",
        58,
        0.78,
        "0.11 -0.03 -0.001",
    ),
    (
        "heel",
        "tarsus",
        "-0.01269 -0.03059 0.00092",
        "-0.91211 0.40829 0.036948 -0.40992 -0.90952 -0.068841",
        "heel",
        0,
        0.126,
        "0.081 0.002 0",
    ),
    ("crank", "tarsus", "0.058 -0.034 0.02275", "1 0 0 0 1 0", "crank", 0, 0.126, "0.005 0 -0.002"),
    ("plantar", "crank", "0.055 0 -0.00791", "1 0 0 0 1 0", "plantar", 0, 0.119, "0.178 0 0"),
    ("foot", "tarsus", "0.408 -0.04 0", "1 0 0 0 1 0", "foot", 0, 0.15, "0.005 0.027 0"),
)
"""Dimensions of a leg of Cassie (Agility Robotics): two loops, of which one has a rod between balls, and joints that
are not drawn at zero."""


def cassie_leg():
    """MJCF of a leg of Cassie below a free pelvis; hip, knee and foot have motors, shin and heel are springs."""

    def written(name):
        rows = [row for row in LEG if row[1] == name]
        text = ""
        for body, _, pos, axes, joint, ref, mass, com in rows:
            ends = ' range="-140 -30" limited="true"' if joint in ("crank", "foot") else ""
            kind = 'type="ball"' if joint == "ball" else f'axis="0 0 1" ref="{ref}"{ends}'
            inertial = f'<inertial pos="{com}" mass="{mass}" diaginertia="{mass / 200} {mass / 40} {mass / 40}"/>'
            own = f'<joint name="{joint}" {kind}/>{inertial}{written(body)}'
            text += f'<body name="{body}" pos="{pos}" xyaxes="{axes}">{own}</body>'
        return text

    pelvis = '<freejoint name="base"/><inertial pos="0.05 0 0.03" mass="10" diaginertia="0.09 0.05 0.09"/>'
    pins = '<connect name="plantar_pin" body1="plantar" body2="foot" anchor="0.35012 0 0"/>'
    pins += '<connect name="rod_pin" body1="rod" body2="heel" anchor="0.5012 0 0"/>'
    body = f'<body name="pelvis" pos="0 0 1.1">{pelvis}{written("pelvis")}</body>'
    return f"<mujoco><worldbody>{body}</worldbody><equality>{pins}</equality></mujoco>"


LEG_DRIVEN = ["base", "hip", "knee", "shin", "heel", "foot"]
