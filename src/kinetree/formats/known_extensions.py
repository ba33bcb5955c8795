"""Elements and attributes in URDF that belong to known programs."""

_PROGRAMS = {
    "MuJoCo": "robot/mujoco",
    "Drake": "robot/frame robot/force_element robot/collision_filter_group",
    "Drake and Isaac Sim": "robot/loop_joint",
    "Isaac Sim": "robot/fixed_frame",
    "Isaac Gym": "joint/dont_collapse",
    "Bullet": "link/contact link/audio_source robot/deformable collision/mask collision/concave material/specular",
    "Bullet and Drake": "collision/group",
    "Webots": "robot/webots",
    "val_description": "joint/controller_gains",
    "franka_description": "dynamics/D dynamics/K dynamics/mu_coulomb dynamics/mu_viscous",
}
PROGRAMS = {place: program for program, places in _PROGRAMS.items() for place in places.split()}
"""Programs that read an element or attribute, by the tag around it and its own name."""
