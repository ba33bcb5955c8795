"""Codes of URDF and SRDF: what each means, and what to do."""

TITLE = "URDF and SRDF"

ERRORS = {
    "chain": (
        "A chain of an SRDF group does not lead from its base link to its tip link.",
        "Choose a tip link below the base link.",
    ),
    "depth": (
        "Groups of an SRDF are nested deeper than Kinetree reads.",
        "Flatten the groups.",
    ),
    "not-srdf": (
        "The root element of an SRDF is not <robot>.",
        'Check that the file is an SRDF; its root is <robot name="…">.',
    ),
    "not-urdf": (
        "The root element of a URDF is not <robot>.",
        'Check the format of the file; the root of a URDF is <robot name="…">.',
    ),
    "srdf-size": (
        "The groups of an SRDF have more members than Kinetree reads.",
        "Shorten the groups.",
    ),
    "unknown-group": (
        "A group of an SRDF contains a group that does not exist.",
        "Correct the name, or add the group.",
    ),
}

REMARKS = {
    "default-inertia": (
        "A mass or moments of inertia are missing; they are zero.",
        "Write <mass> and all six moments of <inertia>.",
    ),
    "default-limit": (
        "A part of a limit is missing; the format's default is used.",
        "Write lower, upper, velocity and effort.",
    ),
    "no-limit": (
        "A joint that must have a limit has none; it is taken as unlimited.",
        "Add <limit>, or make the joint continuous.",
    ),
    "no-texture": (
        "A texture has no file name.",
        "Write its file name, or remove <texture>.",
    ),
    "semantic": (
        "The semantic description (SRDF) of a robot cannot be written in a file of this format.",
        "Save it beside the file, as SRDF.",
    ),
    "srdf-robot": (
        "The SRDF is written for a robot of another name.",
        "Write the robot's name in `<robot name=…>`.",
    ),
}

EITHER = {
    "srdf-alone": (
        "No model is known to which an SRDF belongs.",
        "Name the model together with --also, or in the settings.",
    ),
    "urdf-version": (
        "The version of the URDF is unknown, or an element or attribute belongs to another version.",
        'Write version="1.1" (or 1.2 with its elements) in <robot>, or use what the older version has.',
    ),
}
