"""Names of models that Gazebo brings along or downloads by itself, which therefore lie beside no world."""

import re

_NAMES = (
    "sun|ground_plane|(asphalt|checkerboard|calibration|mud|sand)_plane|ambulance|apartment|beer|bookshelf|bowl|bus|"
    "bus_stop|cabinet|cafe(_table)?|(depth_|stereo_)?camera|cardboard_box|cinder_block(_2|_wide)?|coke_can|create|"
    "construction_(barrel|cone)|cordless_drill|cricket_ball|cube_20k|dumpster|door_handle|double_pendulum_with_base|"
    "(fire|gas|police)_station|fire_hydrant|fountain|gazebo|gr[ae]y_wall|hammer|hatchback\\w*|hokuyo|house_[123]|kinect|"
    "iris_with_\\w+|jersey_barrier|lamp_post|law_office|mailbox|(oak|pine)_tree|office_building|osrf_first_office|suv|"
    "person_(standing|walking)|pickup|pioneer(2dx|3at)|post_?(office|box)|pr2|prius_hybrid|quadrotor|salon|school|"
    "simple_arm(_gripper)?|stop_sign|table(_marble)?|turtlebot|willowgarage|wood_cube_\\w+|(drc_practice_|robocup)\\w+"
)  # of github.com/osrf/gazebo_models
_FUEL = r"https?://(fuel\.(gazebosim|ignitionrobotics)\.org|app\.gazebosim\.org)/[^/]+/[^/]+/models/.+"
OF_GAZEBO = re.compile(rf"(model://)?({_NAMES})(/model\.sdf)?/?|{_FUEL}")
"""Uri of a model that Gazebo finds by itself: model://sun, or an address of Fuel."""
OF_PLANE = re.compile(r"(ground|asphalt|checkerboard|mud|sand)_plane::")
"""Beginning of the name of a part of such a model that is static ground."""
