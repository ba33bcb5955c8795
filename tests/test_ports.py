"""What kernels say of their numbers: names, shapes, labels, frames and units, as pages and generated code have them.

The golden file was compared with the docstrings by hand.
"""

from functools import partial

import kinetree as kt

ROBOT = """<mujoco model="robot"><worldbody><body name="trunk"><freejoint name="free"/><geom size="0.1"/>
<body name="upper"><joint name="lift" type="slide" range="0 1"/><geom size="0.1"/>
<body name="fore" pos="0 0 1"><joint name="elbow" axis="1 0 0" range="-90 90"/><geom size="0.1"/>
<site name="hand" pos="0 0 1"/></body></body></body></worldbody>
<sensor><force name="push" site="hand"/><torque name="twist" site="hand"/></sensor></mujoco>"""
LOOP = """<mujoco model="loop"><worldbody><body name="a"><joint name="p"/><geom size="0.1"/><site name="one"/></body>
<body name="b"><joint name="q"/><geom size="0.1"/><site name="two"/></body></worldbody>
<equality><connect name="pin" site1="one" site2="two"/></equality></mujoco>"""
MADE = {
    "fk": partial(kt.fk, frames="hand"),
    "fk of several": partial(kt.fk, frames=["hand", "upper"], base="trunk"),
    **{name: partial(getattr(kt, name), frame="hand") for name in ("jacobian", "jacobian_dot", "hessian", "velocity")},
    "jacobian in the frame": partial(kt.jacobian, frame="hand", base="trunk", expressed_in="frame"),
    "acceleration": partial(kt.dynamics.acceleration, frame="hand", base="upper"),
    "analytical_jacobian": partial(kt.kinematics.analytical_jacobian, frame="hand"),
    "analytical_jacobian by vector": partial(
        kt.kinematics.analytical_jacobian, frame="hand", representation="rotation_vector"
    ),
    **{f"manipulability {rows}": partial(kt.manipulability, frame="hand", rows=rows) for rows in ("all", "linear")},
    "margin": kt.margin,
    "margin and nearest": partial(kt.margin, nearest=True),
    "integrate": kt.dynamics.integrate,
    "difference": kt.dynamics.difference,
    "point": partial(kt.kinematics.point, frame="hand"),
    "wrench": partial(kt.dynamics.wrench, frame="hand"),
    "joint_torques": partial(kt.dynamics.joint_torques, frame="hand", base="upper"),
    "inverse_dynamics": partial(kt.inverse_dynamics, wrenches=["hand", "upper"], parameters=True, gravity=None),
    "forward_dynamics": partial(kt.forward_dynamics, wrenches="hand", friction=True),
    "mass_matrix": kt.mass_matrix,
    "mass_matrix, packed": partial(kt.mass_matrix, packed=True),
    "gravity_torques": kt.gravity_torques,
    "bias_torques": kt.dynamics.bias_torques,
    "step": partial(kt.dynamics.step, dt=0.001),
    "inertial_regressor": kt.dynamics.inertial_regressor,
    "center_of_mass": kt.center_of_mass,
    "center_of_mass_jacobian": kt.dynamics.center_of_mass_jacobian,
    "centroidal_momentum_matrix": kt.dynamics.centroidal_momentum_matrix,
    "centroidal_momentum_matrix_dot": kt.dynamics.centroidal_momentum_matrix_dot,
    "energy": kt.dynamics.energy,
    "coriolis_matrix": kt.dynamics.coriolis_matrix,
    "inverse_dynamics_derivatives": kt.dynamics.inverse_dynamics_derivatives,
    "forward_dynamics_derivatives": kt.dynamics.forward_dynamics_derivatives,
    "imu_reading": partial(kt.dynamics.imu_reading, frame="hand"),
    "imu_reading on a base that moves": partial(kt.dynamics.imu_reading, frame="hand", base="motion"),
    "sensor_reading": partial(kt.dynamics.sensor_reading, sensor="push", wrenches="hand"),
    "sensor_reading at rest": partial(kt.dynamics.sensor_reading, sensor="twist", at_rest=True),
    "external_wrench": partial(kt.dynamics.external_wrench, sensors="push", frame="hand"),
    "external_wrench of several": partial(
        kt.dynamics.external_wrench, sensors=["push"], frame=["hand"], base="acceleration"
    ),
}


def described(title, kernel, known):
    """Lines about a kernel; a port that is the same as an earlier one has its name alone."""
    yield f"{title}: {kernel.name}"
    for sign, ports in (("<", kernel.inputs), (">", kernel.outputs)):
        for port in ports:
            yield f"  {sign} {port.name}" + ("" if port in known else f" {port.shape}: {port.about}")
            for what in ("rows", "labels", "codes") if port not in known else ():
                if words := getattr(port, what):
                    yield f"      {what}: {', '.join(map(str, words))}"
            known.append(port)


def test_what_kernels_say_of_their_numbers(golden):
    robot, loop = kt.load(ROBOT, format="mjcf"), kt.load(LOOP, format="mjcf")
    made = {title: make(robot) for title, make in MADE.items()} | {"loop_error": kt.kinematics.loop_error(loop)}
    known = []
    golden("ports.txt", "".join(f"{line}\n" for one in made.items() for line in described(*one, known)))
