"""Codes of DH tables, elementary transforms and robots made of rows: what each means, and what to do."""

TITLE = "DH tables, elementary transforms and robots made of rows"

ERRORS = {
    "argument": (
        "An argument of a function has a wrong type or value.",
        "Pass what the message lists as legal.",
    ),
    "box": (
        "A box has wrong corners, or rows of several joints, or no end in some direction.",
        "Write one joint in each row, or pass two corners, the lower one first.",
    ),
    "cells": (
        "A row has more or fewer cells than there are headings.",
        "Write one cell under each heading; an empty cell is a zero or has no value.",
    ),
    "convention": (
        "The convention of the DH parameters is missing or unknown.",
        "Write dh for standard (distal), or mdh for modified (proximal) parameters.",
    ),
    "ets-argument": (
        "The argument of an elementary transform is wrong.",
        "Write a number with its unit, or the name of a joint, as the message shows.",
    ),
    "ets-empty": (
        "The sequence of elementary transforms has no term.",
        "Write at least one, such as tz(0.3).",
    ),
    "ets-joint": (
        "A joint occurs twice in a sequence of elementary transforms.",
        "Give each joint one transform; several joints have several names.",
    ),
    "ets-link": (
        "The term link(…) stands where no link begins.",
        "Write link(NAME) behind a joint, or behind constants that follow one.",
    ),
    "ets-mass": (
        "A link has two masses.",
        "Keep one mass(…) in each link.",
    ),
    "ets-syntax": (
        "A part of the text is not an elementary transform.",
        "Write transforms as tz(0.3) or Rz(q1), separated by spaces.",
    ),
    "ets-term": (
        "The name of an elementary transform is unknown.",
        "Use tx, ty, tz, Rx, Ry, Rz or SE3.",
    ),
    "fixed-mass": (
        "A fixed row has a mass, but no link.",
        "Give the mass to the row of a joint.",
    ),
    "flag": (
        "A value is neither true nor false.",
        "Write true or false.",
    ),
    "groups": (
        "The groups of a table are not lists of joint names.",
        'Write each group as name = ["joint", …].',
    ),
    "joint-twice": (
        "A joint occurs twice in its chain.",
        "Give the second joint another name.",
    ),
    "limits-twice": (
        "The limits of a joint are given twice.",
        "Keep the range, or the separate limits.",
    ),
    "mass": (
        "The mass, the centre or the inertia of a row is wrong.",
        "Write the mass in kg, the centre as three numbers in m, and the inertia as three or six numbers or a matrix.",
    ),
    "missing-column": (
        "A column that the convention needs is missing.",
        "Add the column; the message shows an example.",
    ),
    "missing-key": (
        "A key that is needed is missing.",
        "Add the key.",
    ),
    "missing-parameter": (
        "A row lacks one of its DH parameters.",
        "Write it, also if it is zero.",
    ),
    "motor": (
        "A parameter of a motor is wrong, or given twice.",
        "Write each parameter once, as the message describes it.",
    ),
    "name": (
        "A name is not a text.",
        "Write the name between quotation marks.",
    ),
    "no-heading": (
        "The table has no line with the names of its columns.",
        "Write the headings in the first line.",
    ),
    "not-a-rotation": (
        "A matrix is not a rotation: its columns are not orthogonal, not of length one, or left-handed.",
        "Correct the matrix, or write roll, pitch and yaw.",
    ),
    "order": (
        "The order of the joints does not name every moving joint once.",
        "Name each moving joint once, and leave out fixed joints and followers.",
    ),
    "pose": (
        "A pose has the wrong numbers or shape, or is not a rigid transform.",
        "Write the numbers that the message lists; a matrix is [[R, p], [0, 0, 0, 1]] with a rotation R.",
    ),
    "row-type": (
        "The type of a row is unknown, or does not fit its entries.",
        "Use one of the types in the message; a fixed row has no joint, range or axis.",
    ),
    "rows": (
        "Rows are missing, have a wrong form, or do not belong together.",
        "Write the rows in the form that the message shows.",
    ),
    "setting-twice": (
        "A setting occurs twice.",
        "Keep one.",
    ),
    "shape": (
        "A shape of a table is wrong.",
        "Write it in the form that the message shows, with sizes above zero.",
    ),
    "shared-axis": (
        "A joint that two chains share has two different axes.",
        "Correct the rows, or give the joints different names.",
    ),
    "shared-joint": (
        "A joint that two chains share has different limits, types or other values in each.",
        "Write the same values in both chains.",
    ),
    "text": (
        "A value is not a text, or its quotation marks do not fit.",
        "Write the text between quotation marks.",
    ),
    "unknown-column": (
        "A column has an unknown heading.",
        "Correct the heading; the message lists similar ones.",
    ),
}

REMARKS = {
    "ets-angle": (
        "An angle without a unit is more than a whole turn in rad; degrees may be meant.",
        "Add deg to the angle if it is in degrees.",
    ),
    "ets-end": (
        "A constant ends a branch of an elementary-transform sequence, and no link or frame uses it.",
        "Add link(NAME) or frame(NAME) behind it, or remove it.",
    ),
    "rounded-rotation": (
        "The digits of a rotation are not enough; the nearest rotation is used.",
        "Write more digits, or roll, pitch and yaw.",
    ),
}

EITHER = {
    "unit": (
        "A unit is unknown, missing, or does not fit the numbers.",
        "Use one of the units in the message; angles are in rad unless a unit is given.",
    ),
    "base": (
        "The base of a robot, a goal or a recording is another frame than expected.",
        "Name a base that the message lists, or transform the poses into the base of the model.",
    ),
}
