"""Questions that a robot answers: where robot and algorithms meet.

An answer is a callable on arrays, made once for a robot and its arguments and then remembered for as long as the robot
lives: `fk(robot, "tool0")(q)` in a loop prepares nothing twice.
"""
