"""Rules about the blocks of Gazebo, ros2_control and transmissions in a robot description."""
