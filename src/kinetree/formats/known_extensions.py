"""Elements and attributes in URDF that belong to known programs."""

ATTRIBUTES = {
    ("joint", "dont_collapse"): "Isaac Gym",
    ("collision", "group"): "Bullet and Drake",
    **{("collision", name): "Bullet" for name in ("mask", "concave")},
    **{("dynamics", name): "franka_description" for name in ("D", "K", "mu_coulomb", "mu_viscous")},
}
"""Programs that read an attribute, by the tag of its element and its name."""
ELEMENTS = {
    ("robot", "mujoco"): "MuJoCo",
    **{("robot", name): "Drake" for name in ("frame", "force_element", "collision_filter_group")},
    **{("robot", name): "Bullet" for name in ("deformable", "reduced_deformable")},
    ("robot", "webots"): "Webots",
    ("robot", "loop_joint"): "Drake and Isaac Sim",
    ("robot", "fixed_frame"): "Isaac Sim",
    **{("link", name): "Bullet" for name in ("contact", "audio_source")},
}
"""Programs that read an element, by the tags of its owner and its own."""
