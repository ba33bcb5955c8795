"""Codes of parts that a format cannot express: what each means, and what to do."""

TITLE = "Parts that a format cannot express"

PARTS = {
    "calibration": "the calibration of a joint",
    "coupled_limit": "a limit over several joints",
    "dynamics": "the damping, friction, stiffness or armature of a joint",
    "extension": "an element for other programs",
    "force_torque": "what a force/torque sensor measures",
    "frame": "a frame besides those of links",
    "geometry": "a shape",
    "group": "a group of joints",
    "inertial": "a mass or an inertia",
    "limit": "a limit of position, velocity or effort",
    "loop": "a joint that closes a loop",
    "material": "a material",
    "mimic": "a joint that follows another",
    "order": "an order of q of its own",
    "safety": "a safety controller",
    "sensor": "a sensor",
    "velocity_limit": "a limit of velocity",
}
"""Parts that can be left out."""

ERRORS = {
    f"cannot-say-{part}": (
        f"The format that is written cannot express {words} of this robot.",
        f"Leave out such parts with --without {part} or without=({part!r},), or choose another format.",
    )
    for part, words in PARTS.items()
} | {
    "cannot-say-joint": (
        "The format that is written does not have a joint of this robot.",
        "Choose another format, or replace the joint: lock it, or write joints with one coordinate.",
    ),
    "cannot-say-link": (
        "The format that is written cannot express a link of this robot.",
        "Choose another format, or rename or merge the link as the message describes.",
    ),
}
