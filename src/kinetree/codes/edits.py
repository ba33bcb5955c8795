"""Codes of Edits and packaged robots: what each means, and what to do."""

TITLE = "Edits and packaged robots"

ERRORS = {
    "ambiguous": (
        "A name is that of a frame and of a sensor at different places.",
        "Rename one of them with `kt.edit.rename`.",
    ),
    "ambiguous-name": (
        "A name belongs to several parts, and it is unclear which is meant.",
        "Name the kind of part, as in joints={…} or frames={…}.",
    ),
    "axes": (
        "The axes of a joint have the wrong shape or no direction.",
        "Pass one unit vector for each axis.",
    ),
    "contacts": (
        "The contacts of the skin, or the frames of contacts, do not fit the robot.",
        "Correct the contact that the message names; put a sensor between two contacts.",
    ),
    "coupling": (
        "Joints are coupled in another way than expected, or the robot lacks a joint of a coupling.",
        "Check whether the controller shows coupled or uncoupled joints; of the iCub, use the whole model.",
    ),
    "family": (
        "The family or version of the iCub does not fit this model.",
        "Pass one of the families in the message.",
    ),
    "fetch": (
        "A model of another package cannot be fetched.",
        "Check the name and the network, and the version of robot_descriptions.",
    ),
    "irreversible": (
        "The robot cannot get this root, because a joint on the way cannot be reversed.",
        "Lock the joint first.",
    ),
    "kind": (
        "The kind of robot or of limits is unknown.",
        "Use one of the kinds in the message.",
    ),
    "link-number": (
        "The body part has no link of this number.",
        "Use a number in the range of the message.",
    ),
    "lost-leader": (
        "A joint follows one that the edit removes.",
        "Lock the leader first.",
    ),
    "measures": (
        "The model does not describe what a force/torque sensor measures.",
        "Pass `measures=`.",
    ),
    "no-frame": (
        "The robot lacks a frame that this needs.",
        "Add the frame with `kt.edit.add_frame`.",
    ),
    "no-limits": (
        "The robot, or these joints, have no limits.",
        "Add limits to the model, or pass others.",
    ),
    "no-mass": (
        "The robot lacks masses that this needs.",
        "Add <inertial> to the links; for the iCub pass inertias=…",
    ),
    "not-an-icub": (
        "The robot is not an iCub.",
        'Load an iCub, such as `kt.load("icub")`.',
    ),
    "not-fixed": (
        "A frame is placed relative to a frame on another link.",
        "Use a frame of the same link.",
    ),
    "overlay": (
        "The overlay of a left-handed frame is wrong.",
        "Pass one axis, x, y or z, and finite numbers; for right-handed axes use `add_frame`.",
    ),
    "pitch": (
        "The pitch of a joint is wrong.",
        "Pass a finite number in m/rad for a screw joint, and none for others.",
    ),
    "quantity": (
        "The quantity of coupled joints is unknown.",
        "Use one of the quantities in the message.",
    ),
    "root": (
        "The root link cannot be cut off.",
        "Choose another root first with `kt.edit.reroot`.",
    ),
    "sensor": (
        "A sensor is missing, or not of the kind that this needs.",
        "Use a sensor of the kind in the message.",
    ),
    "sensors": (
        "The sensors do not fit: none is given, or two measure the same joint.",
        "Pass each force/torque sensor once.",
    ),
    "support": (
        "The contact is on the part of the robot whose support is unknown.",
        "Choose a frame behind a force/torque sensor.",
    ),
    "taxels": (
        "A file of the iCub's taxels is damaged.",
        "Correct the line, or use a later release of the file.",
    ),
    "version": (
        "There is no such version of this robot.",
        "Use one of the versions in the message.",
    ),
}

REMARKS = {
    "board-limits": (
        "The position limits are from the files of a robot's control boards, which the message names.",
        "No action is needed; use other limits with `limits=`.",
    ),
    "dropped": (
        "A part that an edit of the robot cannot keep is left out.",
        "No action is needed if the part is not needed; otherwise edit it first.",
    ),
    "locked": (
        "An edit of the robot has locked a joint.",
        "No action is needed if this was intended.",
    ),
    "merged": (
        "An edit has merged links that were connected by fixed joints.",
        "No action is needed; the merged links are frames now.",
    ),
    "moved-reading": (
        "An edit has moved the frame in which a sensor measures.",
        "Transform its readings, or leave the frame where it was.",
    ),
    "other-source": (
        "A part of a robot that comes with the package is from another source than the rest.",
        "Check the source before you rely on it; the message names it.",
    ),
    "published-limits": (
        "Limits are as published, but probably wrong.",
        "Check them on your robot before you rely on them.",
    ),
    "reversed-joint": (
        "A joint is reversed: its child link carries its parent. So is what a sensor in it measures.",
        "Check signs of the joint and its sensor; positions keep their meaning.",
    ),
    "sources-differ": (
        "The sources of a number of a robot that comes with the package contradict each other.",
        "Check the number on your robot before you rely on it.",
    ),
    "stale-extension": (
        "A block of another tool still uses a name that an edit has changed.",
        "Change the name there by hand.",
    ),
}

EITHER = {
    "empty": (
        "No configuration fulfils all limits over several joints.",
        "Widen one of the limits that the message names.",
    ),
    "joints": (
        "The names or values of joints do not fit the robot.",
        "Use names of `robot.joint_names`, each once, or a group.",
    ),
}
