"""Names of models that Gazebo brings along or downloads by itself, which therefore lie beside no world."""

import re

_NAMES = (
    "sun|ground_plane|(asphalt|checkerboard|calibration|mud|sand)_plane|heightmap|mud_box|brick_box_3x1x3|truss_bridge|"
    "ambulance|apartment|baylands|beer|bookshelf|bowl|bus(_stop)?|cabinet|cafe(_table)?|(depth_|stereo_)?camera|cessna|"
    "cardboard_box|cart_(front_steer|rigid_suspension|soft_suspension)|cinder_block(_2|_wide)?|coke_can|collapsed_\\w+|"
    "construction_(barrel|cone)|control_console|cordless_drill|create|cricket_ball|cube_20k|demo_joint_\\w+|dumpster|"
    "dining_room|door_handle|doorway|double_pendulum_with_base|fast_food|(fire|gas|police)_station|fire_hydrant|"
    "fountain|gazebo|gimbal_small_2d|gr[ae]y_(tote|wall)|hammer|hatchback\\w*|hokuyo|hoop_red|house_[123]|husky|kinect|"
    "iris_with_\\w+|irobot_hand|jersey_barrier|kitchen_dining|lamp_post|law_office|mailbox|marble_\\w+|monkey_wrench|"
    "(oak|pine)_tree|office_building|osrf_first_office|parrot_bebop_2|person_(standing|walking)|pickup|plastic_cup|"
    "pioneer(2dx|3at)|playground|polaris_ranger_\\w+|post_?(office|box)|powerplant|pr2|prius_hybrid|quadrotor|ragdoll|"
    "radio_tower|robonaut|rubble_\\d|salon|school|shelves_high|short_brick|simple_arm(_gripper)?|speed_limit_sign|suv|"
    "starting_pen|stop_(light_post|sign)|submarine|table(_marble)?|telephone_pole|thrift_shop|trisphere_cycle|turtlebot|"
    "utility_cart|warehouse_robot|water_tower|willowgarage|wood_cube_\\w+|youbot|(drc_practice_|robocup|nist_|vrc_)\\w+"
)  # of github.com/osrf/gazebo_models
_FUEL = r"https?://(fuel\.(gazebosim|ignitionrobotics)\.org|app\.gazebosim\.org)/[^/]+/[^/]+/models/.+"
OF_GAZEBO = re.compile(rf"(model://)?({_NAMES})(/model\.sdf)?/?|{_FUEL}")
"""Uri of a model that Gazebo finds by itself: model://sun, or an address of Fuel."""
