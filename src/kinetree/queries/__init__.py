"""Functions on a robot: kinematics, statics, limits and controllers, with the algorithms compiled for the robot.

Most return a callable on arrays. It is made once per robot and arguments and kept as long as the robot lives, so that
`fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""
