"""Codes of parts that a format cannot express: what each means, and what to do."""

TITLE = "Parts that a format cannot express"

PARTS = {
    "calibration": "a joint with a calibration",
    "coupled_limit": "a limit over several joints",
    "dynamics": "a joint with damping, friction, stiffness or armature",
    "extension": "an element for other programs",
    "force_torque": "a force/torque sensor with a frame and a direction",
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
        f"The robot has {words}, which the format to write cannot express.",
        f"Leave out such parts with --without {part} or without=({part!r},), or choose another format.",
    )
    for part, words in PARTS.items()
} | {
    "cannot-say-joint": (
        "The robot has a joint of a type that the format to write does not have.",
        "Choose another format, or replace the joint: lock it, or write joints with one coordinate.",
    ),
    "cannot-say-link": (
        "The robot has a link that the format to write cannot express.",
        "Choose another format, or rename or merge the link as the message describes.",
    ),
}
