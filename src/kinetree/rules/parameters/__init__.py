"""Rules about the YAML of MoveIt and of controllers, against the robot."""
