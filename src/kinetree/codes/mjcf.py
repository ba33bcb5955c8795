"""Codes of MJCF (MuJoCo): what each means, and what to do."""

TITLE = "MJCF (MuJoCo)"

ERRORS = {
    "autolimits": (
        "A range is given without its switch, while autolimits is off.",
        'Add limited="true", or remove autolimits="false".',
    ),
    "coordinate": (
        "The model uses global coordinates, which MuJoCo has removed.",
        "Convert the model with MuJoCo before 2.3.4, or write local coordinates.",
    ),
    "default-class": (
        "A class of defaults is named wrongly.",
        "Give each nested <default> a class, and leave the outermost one as main.",
    ),
    "eulerseq": (
        "The sequence of Euler angles is not three letters of x, y, z, X, Y and Z.",
        "Write a sequence such as xyz.",
    ),
    "expand": (
        "MuJoCo cannot expand the model, or is not installed.",
        "Install MuJoCo with `pip install 'kinetree[mujoco]'`, or correct the fault that it names.",
    ),
    "fromto": (
        "This kind of shape cannot be placed by its two ends.",
        "Use pos and a rotation, or a capsule, cylinder, box or ellipsoid.",
    ),
    "include-twice": (
        "A file is included twice, which MuJoCo refuses.",
        "Include it once, or copy it under another name.",
    ),
    "joint-order": (
        "The joints of one body cannot follow each other in this way.",
        "Put another body between them; a body has at most 6 degrees of freedom.",
    ),
    "keyword": (
        "A keyword has a value that MuJoCo does not know.",
        "Use one of the values in the message.",
    ),
    "mesh-scale": (
        "A mesh is scaled by axis after a rotation, which shears it.",
        "Scale the mesh in its file.",
    ),
    "negative-mass": (
        "A geom has a negative mass or density.",
        "Write a mass or density of zero or more.",
    ),
    "not-mjcf": (
        "The root element of an MJCF file is not <mujoco>.",
        "Check the format of the file; the root of MJCF is <mujoco>.",
    ),
    "not-supported": (
        "The element makes parts that the file does not contain, and Kinetree does not expand it itself.",
        "Load the model with expand='mujoco', or --expand mujoco.",
    ),
    "two-inertias": (
        "An inertia is given in two ways.",
        "Keep fullinertia, or diaginertia with its rotation.",
    ),
    "two-positions": (
        "A shape has a position and two ends.",
        "Keep pos, or fromto.",
    ),
    "unknown-class": (
        "A class of defaults does not exist.",
        "Correct the name, or add the class to <default>.",
    ),
    "world": (
        "The world has a joint or an inertial, which it cannot have.",
        "Move it into a body.",
    ),
    "zero-vector": (
        "A direction has length zero.",
        "Write any other vector.",
    ),
}

REMARKS = {
    "ball-limit": (
        "The limit of a ball joint is kept as written, but has no effect.",
        "No action is needed: Kinetree's limits are about joints with one coordinate.",
    ),
    "camera-mode": (
        "A camera that turns by itself is kept as written; it is not a sensor on a frame.",
        'Use mode="fixed" to have it as a sensor.',
    ),
    "compiler-setting": (
        "A setting of MuJoCo's compiler has no effect.",
        "Write the result of the setting into the file, or save the model with MuJoCo first.",
    ),
    "equality": (
        "A constraint of MuJoCo is switched off or not supported; it is kept, but has no effect.",
        'Switch it on with active="true" if Kinetree shall use it, too.',
    ),
    "expanded": (
        "MuJoCo has expanded elements that make bodies; the bodies have the place of these elements.",
        "No action is needed; to edit single bodies, save the expanded model.",
    ),
    "force-limit": (
        "A limit of the force that differs by direction is kept as written, but has no effect.",
        "Use the same limit in both directions, if it matters for Kinetree.",
    ),
    "held-joint": (
        "A constraint fixes a joint, which is a fixed joint here.",
        "Remove the constraint if the joint shall move.",
    ),
    "mocap": (
        "A body that is moved from outside is fixed at its place in the file.",
        "No action is needed; move it in your own code.",
    ),
    "opposite": (
        "MuJoCo reads the opposite of what a force/torque sensor measures.",
        "Change the sign in your own code, or exchange parent and child of the measurement.",
    ),
    "renamed": (
        "A name occurs twice, which MuJoCo allows; one of them is changed.",
        "Use different names.",
    ),
    "unknown-inertia": (
        "A mass follows from a mesh, which is not read.",
        "Write <inertial>, or load the model with expand='mujoco'.",
    ),
}

EITHER = {
    "tendon": (
        "A tendon is not linear in the joints, or a fixed tendon has wrong parts.",
        "Use a fixed tendon with each joint once; other tendons are kept, but have no effect.",
    ),
}
