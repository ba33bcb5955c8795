"""Names of models that Gazebo brings along or downloads by itself, which therefore lie beside no world."""

import re

NAMES = frozenset(
    """
    sun ground_plane asphalt_plane checkerboard_plane calibration_plane heightmap mud_plane sand_plane
    ambulance apartment beer bookshelf bowl brick_box_3x1x3 bus bus_stop cabinet cafe cafe_table camera cardboard_box
    cart_front_steer cart_rigid_suspension cart_soft_suspension cessna cinder_block cinder_block_2 cinder_block_wide
    coke_can collapsed_fire_station collapsed_house collapsed_police_station construction_barrel construction_cone
    control_console cordless_drill create cricket_ball cube_20k demo_joint_damping demo_joint_types depth_camera
    dining_room door_handle doorway double_pendulum_with_base dumpster fast_food fire_hydrant fire_station fountain
    gas_station gazebo gimbal_small_2d gray_wall grey_tote grey_wall hammer hoop_red hokuyo house_1 house_2 house_3
    hatchback hatchback_blue hatchback_red husky iris_with_standoffs iris_with_ardupilot irobot_hand jersey_barrier
    kinect kitchen_dining lamp_post law_office mailbox marble_1_5cm marble_2cm monkey_wrench mud_box oak_tree
    office_building osrf_first_office parrot_bebop_2 person_standing person_walking pickup pine_tree pioneer2dx
    pioneer3at plastic_cup playground police_station polaris_ranger_ev polaris_ranger_xp900 post_office postbox
    powerplant pr2 prius_hybrid quadrotor radio_tower rubble_1 rubble_2 rubble_3 ragdoll robonaut salon school
    shelves_high short_brick simple_arm simple_arm_gripper speed_limit_sign starting_pen stereo_camera stop_light_post
    stop_sign submarine suv table table_marble telephone_pole thrift_shop trisphere_cycle truss_bridge turtlebot
    utility_cart warehouse_robot water_tower willowgarage wood_cube_2_5cm wood_cube_5cm wood_cube_7_5cm
    wood_cube_10cm youbot
    """.split()  # noqa: SIM905
)
"""Models of github.com/osrf/gazebo_models that worlds use, sun and ground_plane first."""
FAMILIES = ("drc_practice_", "robocup", "nist_", "vrc_", "apollo15_landing_site_")
"""Beginnings of the names of more of them."""
FUEL = re.compile(r"https?://(?:fuel\.(?:gazebosim|ignitionrobotics)\.org|app\.gazebosim\.org)/[^/]+/[^/]+/models/.+")
"""Addresses of models that the new Gazebo downloads."""


def is_of_gazebo(uri: str) -> bool:
    """Return whether a uri is that of a model which Gazebo finds by itself: model://sun, or an address of Fuel."""
    if FUEL.fullmatch(uri):
        return True
    name = uri.removeprefix("model://").removesuffix("/model.sdf").rstrip("/")
    return "/" not in name and (name in NAMES or name.startswith(FAMILIES))
