"""Codes of Inverse kinematics, reach, guards and calibration: what each means, and what to do."""

TITLE = "Inverse kinematics, reach, guards and calibration"

ERRORS = {
    "apart": (
        "The distance between solutions is not a finite number above zero.",
        "Pass a number in rad or m.",
    ),
    "axis": (
        "An axis is not three finite numbers, or is zero.",
        "Pass a direction, such as (0, 0, 1).",
    ),
    "guard": (
        "A guard cannot be made for these joints or limits.",
        "Use joints of one coordinate, and limits that a configuration fulfils.",
    ),
    "ik": (
        "No joint moves the frame as seen from the base.",
        "Choose another frame or base, or more joints.",
    ),
    "period": (
        "The period of a control loop is not a finite number above zero.",
        "Pass seconds.",
    ),
    "point": (
        "The point is outside of the map.",
        "Pass a point inside of the grid of the message.",
    ),
    "poses": (
        "The rows of joints and poses do not fit, or are too few.",
        "Pass as many poses as rows of joints, three or more, that turn about several axes.",
    ),
    "prefer": (
        "The preferred configuration is wrong.",
        "Pass one configuration, or as many as there are targets.",
    ),
    "reach": (
        "A reach map cannot be computed or compared.",
        "Use maps with the same grid, and limits on the way to the frame.",
    ),
    "samples": (
        "The number of samples is wrong.",
        "Pass a whole number in the range of the message.",
    ),
    "share": (
        "A share is not between 0 and 1.",
        "Pass a number from 0 to 1.",
    ),
    "store": (
        "The folder of a reach map has another map, or cannot be used.",
        "Choose another folder, or install `kinetree[reach]`.",
    ),
    "sweeps": (
        "The number of sweeps is wrong.",
        "Pass a whole number from 1 to 1000.",
    ),
    "voxel": (
        "The size of a voxel is not a finite length above zero.",
        "Pass it in metres.",
    ),
    "widen": (
        "The widening of limits cannot be computed.",
        "Use fewer coupled joints, and the arguments in the message.",
    ),
}

EITHER = {
    "frame-points": (
        "The points that define a frame are too close to each other, or on one line.",
        "Touch points that are farther apart.",
    ),
    "tcp-poses": (
        "Poses that touch a point leave the tip of the tool uncertain, or one of them does not fit.",
        "Touch the point from more directions, and record the pose again that does not fit.",
    ),
}

FAULTS = {
    "base-frame": (
        "The poses refer to another base frame than the model's.",
        "Check the user frame or base of the controller when the poses were recorded.",
    ),
    "joint-sign": (
        "A joint turns the other way than in the model.",
        "Check the sign of the joint in the model or in the controller.",
    ),
    "joint-unit": (
        "The joints are in another unit than the controller's.",
        "Convert them; controllers show degrees and millimetres.",
    ),
    "joint-zero": (
        "The zero of a joint differs between the model and the controller.",
        "Correct the offset of the joint, or calibrate the robot's zero.",
    ),
    "no-fit": (
        "No explanation fits the poses.",
        "Check the joints and poses of the rows; the message names the nearest explanation.",
    ),
    "pose-angle-unit": (
        "The angles of the poses are in another unit.",
        "Convert them, or name the unit of the file.",
    ),
    "pose-columns": (
        "Two columns of the poses are exchanged.",
        "Exchange them in the file.",
    ),
    "pose-unit": (
        "The positions of the poses are in another unit.",
        "Convert them, or name the unit of the file.",
    ),
    "pose-wrong": (
        "A single pose does not fit the others.",
        "Record this pose again, or remove it.",
    ),
    "rotation-order": (
        "The angles of the poses are applied in another order.",
        "Check the convention of the controller's angles.",
    ),
    "tool0-frame": (
        "The poses refer to another tool than tool0.",
        "Check the active tool of the controller when the poses were recorded.",
    ),
}
