"""Codes of Links, joints and frames in all formats: what each means, and what to do."""

TITLE = "Links, joints and frames in all formats"

ERRORS = {
    "count": (
        "The number of values does not fit a joint, a limit or a sequence.",
        "Give as many numbers as the message names.",
    ),
    "coupled-limit": (
        "A limit over several joints names a joint that is missing or repeated, or has wrong coefficients or bounds.",
        "Name each joint once, with one finite coefficient, and the lower bound below the upper one.",
    ),
    "cycle": (
        "Links, frames, models or groups depend on each other in a circle.",
        "Break the circle at one of the places in the message; one joint of a closed mechanism must be a loop.",
    ),
    "duplicate-name": (
        "Two parts of the same kind have the same name.",
        "Rename one of them.",
    ),
    "force-torque": (
        "The description of the reading of a force/torque sensor is wrong.",
        "Use one of the frames and directions in the message.",
    ),
    "frame": (
        "The frame of a force/torque sensor is wrong, or a frame is not given by its name.",
        "Use one of the values in the message.",
    ),
    "joint-type": (
        "The type of a joint is unknown, or not supported here.",
        "Use one of the types in the message.",
    ),
    "limits": (
        "The limits of a joint are wrong: not two numbers, not one pair for each coordinate, or of a continuous joint.",
        "Write the lower and the upper limit; use a continuous joint for unlimited rotation.",
    ),
    "measure-direction": (
        "The direction of a force/torque sensor is wrong.",
        "Use one of the directions in the message.",
    ),
    "no-links": (
        "The robot has no links.",
        "Add at least one link; in xacro, check that the macro is called.",
    ),
    "number": (
        "A text is not a number, or not as many numbers as expected, or out of range.",
        "Write finite decimal numbers, such as 0.5 or 1e-3, separated by spaces.",
    ),
    "size": (
        "A size of a shape, or of a table, is not what the format allows.",
        "Write the sizes in the message, or split the table.",
    ),
    "too-large": (
        "A length, a mass or an angle is so large that numbers overflow.",
        "Check the unit: lengths are in metres, masses in kilograms.",
    ),
    "too-many": (
        "The file has more faults than Kinetree lists.",
        "Correct the listed ones, then read the file again.",
    ),
    "two-parents": (
        "A link is the child of two joints, but can have only one parent.",
        "Remove one of the joints, or give its child another link.",
    ),
    "two-rotations": (
        "A rotation is given in two ways.",
        "Keep one of them.",
    ),
    "unknown-child": (
        "A joint names a child link that does not exist.",
        "Correct the name, or add the link.",
    ),
    "unknown-frame": (
        "A part is placed relative to a link or frame that does not exist.",
        "Correct the name, or add the link or frame.",
    ),
    "unknown-joint": (
        "A part names a joint that does not exist.",
        "Correct the name, or add the joint.",
    ),
    "unknown-link": (
        "A part names a link that does not exist.",
        "Correct the name, or add the link.",
    ),
    "unknown-parent": (
        "A joint names a parent link that does not exist.",
        "Correct the name, or add the link.",
    ),
    "unknown-root": (
        "The link on which all others hang does not exist.",
        "Add this link, or load the robot to which the links belong.",
    ),
    "zero-axis": (
        "The axis of a joint has no direction, because all of its numbers are zero.",
        "Write a vector such as 0 0 1.",
    ),
    "zero-quaternion": (
        "A quaternion has length zero, so it is not a rotation.",
        "Write a quaternion of length one; the identity is w = 1, x = y = z = 0.",
    ),
}

REMARKS = {
    "carried": (
        "Data that only Kinetree reads are broken, or do not fit the rest of the file; they are left out.",
        "Save the robot again with Kinetree after you have edited the file by hand.",
    ),
    "default-axis": (
        "No axis is given; the format's default is used, which is rarely intended.",
        "Write the axis.",
    ),
    "left-out": (
        "A shape, a material, a sensor or the like cannot be read, and is left out.",
        "Correct the part; the message names the fault.",
    ),
    "limit": (
        "The bounds of a continuous joint have no effect.",
        "Make the joint revolute, or remove the bounds.",
    ),
    "not-computed": (
        "The dynamics functions do not compute a force that the file defines, or do not use its gravity.",
        "Add its effect yourself, as with `wrenches=`; pass the gravity of the file as `gravity=`.",
    ),
    "unknown-material": (
        "A material is used but not defined.",
        "Define the material, or correct its name.",
    ),
}

EITHER = {
    "geometry": (
        "A geometry has no shape that the format defines.",
        "Add a box, a cylinder, a sphere or a mesh.",
    ),
    "left-over-xacro": (
        "A part contains an expression of xacro that is not replaced.",
        "Expand the file with xacro first, or name it .xacro.",
    ),
    "loop": (
        "A joint closes a loop.",
        "Poses and Jacobians are those of the tree without it. Inverse kinematics and dynamics need loops='ignore'.",
    ),
    "mimic": (
        "A joint cannot follow another joint as the file describes.",
        "Name another joint, with one coordinate, that does not follow this one; --without mimic makes it independent.",
    ),
    "no-name": (
        "An element has no name, or an empty one.",
        "Give it a name that no other part of its kind has.",
    ),
    "range": (
        "A range is missing, is the wrong way round, or stands where it has no effect.",
        "Write the lower end first, and only for the joint's variable; leave it out for an unlimited joint.",
    ),
    "several-roots": (
        "No joint connects some of the links, so there is more than one root.",
        "Connect them with joints.",
    ),
    "unknown-name": (
        "A name of a link, joint, frame, rule or other part does not exist.",
        "Correct the name; the message lists the nearest ones.",
    ),
    "unplaced": (
        "A part has no known place, so it has no pose and no reading.",
        "Give its frame a place with `kt.edit.move_frame`.",
    ),
    "without": (
        "A part was left out because the caller requested it, or `without=` names an unknown part.",
        "No action is needed if this was intended; legal parts are listed in the message.",
    ),
}
