"""What readers remark: the codes of their warnings and remarks, which can be left out and excused as those of rules.

Their errors have no row. Such a file makes no robot, so they are always reported, and each says itself what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping

REMARKS: Mapping[str, str] = {
    "auto-inertia": "An inertia is left to the simulator to compute; here there is none.",
    "ball-limit": "The limit of a ball joint is kept as it is written, and not obeyed.",
    "board-limits": "Which files the position limits are from.",
    "camera-mode": "A camera that turns by itself is kept as it is written; it is no sensor on a frame.",
    "compiler-setting": "A setting of MuJoCo's compiler is not obeyed.",
    "default-axis": "No axis is given; the format's default holds, which is seldom meant.",
    "default-inertia": "A mass or moments are not given; they are taken as zero.",
    "default-inertial": "A mass or moments are not given; SDF's defaults hold.",
    "default-limit": "A part of a limit is not given; the format's default holds.",
    "default-pitch": "The pitch of a screw is not given; SDF's default holds.",
    "default-size": "A size of a shape is not given; SDF's default holds.",
    "dropped": "What an edit of the robot cannot keep is left out.",
    "duplicate-element": "An element that may stand once stands twice and says the same, or only the look is in doubt.",
    "empty": "Limits over several joints leave no place where all of them hold.",
    "empty-group": "A group has no joint that moves by itself.",
    "equality": "A constraint of MuJoCo closes a loop or is switched off; it is kept, not obeyed.",
    "force-limit": "A limit of the force that differs by direction is kept as it is written, and not obeyed.",
    "geometry": "A geometry holds no shape; it is taken as empty.",
    "held-joint": "A constraint holds a joint, which is fixed here.",
    "inertial-pose": "The pose of a link's inertial says another frame than the link's, which has no effect.",
    "limit": "The bounds of a continuous joint have no effect.",
    "locked": "An edit of the robot has locked a joint.",
    "merged": "An edit has merged links that fixed joints held together.",
    "mimic": "A joint that has not one coordinate cannot follow another.",
    "missing-element": "A visual or collision has no geometry; it is taken as empty.",
    "mocap": "A body that is moved from outside is fixed where the file puts it.",
    "model-pose": "Where the model stands in its world is left out, for no joint holds it there.",
    "moved-reading": "An edit has moved the frame in which a sensor measures.",
    "no-effect": "Something stands where it means nothing.",
    "no-limit": "A joint that must have a limit has none; it is taken as unlimited.",
    "no-name": "Something has no name; it gets one.",
    "no-texture": "A texture names no file.",
    "not-of-the-model": "Something belongs to the world or to another model, and is not read.",
    "not-understood": "Something is kept as it is written or left out, for its format does not define it.",
    "other-source": "A part of a robot that comes with the package is from another source than the others.",
    "polynomial": "A stiffness or damping is not linear; its linear part is read.",
    "published-limits": "Published limits that are in doubt.",
    "range": "A range says something that has no effect, or means no limit.",
    "renamed": "A name stands twice, which MuJoCo allows; one gets another.",
    "reversed-joint": "An edit has turned a joint round, and what a sensor in it measures with it.",
    "rounded-rotation": "The digits of a rotation are not enough; the nearest rotation is used.",
    "sdf-version": "Something belongs to another version of SDF than the file says.",
    "sources-differ": "The sources of a number of a robot that comes with the package contradict each other.",
    "srdf-robot": "The SRDF file is written for a robot of another name.",
    "stale-extension": "A block of another tool still uses a name that an edit has changed.",
    "static": "The model is static; its joints are read all the same.",
    "tendon": "A tendon that is not linear in the joints is kept, not obeyed.",
    "unknown-inertia": "A mass follows from a mesh, which is not read.",
    "unknown-material": "A material that is named is defined nowhere.",
    "unplaced": "A part of a robot that comes with the package has no published place, or none on this version.",
    "urdf-version": "Something belongs to another version of URDF than the file says.",
    "xacro": "What xacro itself says.",
}
"""Code to what it means."""
