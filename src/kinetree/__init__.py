"""Robot descriptions loaded right, or refused with the reason; any frame against any other.

Robots
    load            read a robot from a file, a text, or by its name in Kinetree or in a package of models
    chain           build a robot in Python from ETS, DH parameters or joints
    save            write a robot to a file
    text            return a robot as the text of a file
    show            show a robot in the browser or a notebook, or save it as a page
    edit            module: cut, attach, rename, lock, merge; add frames, groups and limits
    compare         find the differences between two robots
    Robot           links, joints, frames, groups, sensors and limits, by name

Checks
    check           check a model against its format, conventions and physics
    Finding         one defect: code, severity, message, place, fix
    Source          file, line and column of an element
    KinetreeError   error with findings, which say what is wrong and where

Kinematics
    fk              forward kinematics: poses of frames
    jacobian        Jacobian of a frame
    jacobian_dot    time derivative of the Jacobian
    hessian         derivatives of the Jacobian with respect to q
    velocity        twist of a frame
    transforms      poses of all frames in their parents, as in ROS
    manipulability  distance from singular configurations
    ik              inverse kinematics inside all limits
    goal            module: goals of ik, hard or with a weight
    reach_map       capability map: which poses a frame reaches inside all limits
    IKResult        result of inverse kinematics
    vjp             derivative of a kernel in reverse mode: gradients
    jvp             derivative of a kernel in forward mode
    Kernel          compiled function of arrays, which fk and the like return
    kinematics      module: all of these, analytical Jacobians and points

Forces
    inverse_dynamics  joint torques of a motion
    forward_dynamics  accelerations that torques cause
    mass_matrix     mass matrix
    gravity_torques  torques that balance weight
    center_of_mass  centre of mass of all links
    dynamics        module: all of these, energy, momentum, derivatives, sensors, simulation

Contact
    collisions      which links are in contact, exactly; how far apart they are, and where
    clearance       lower bound of the least distance of links, with derivatives

Motion
    motion          module: paths, and the fastest motions along them

Limits, controllers
    margin          distance to each limit, negative outside
    guard           change commands so that joints stay inside all limits
    limits          module: limits and files of them, guards, which limits to widen
    controllers     poses and joints in a controller's own numbers: controllers["fanuc"], controllers.pose(…)
    calibrate       compare a model with the poses that its controller shows, and name the cause of differences
    verify          what is wrong with a model, by measured poses, sensors or torques: zeros, lengths, masses, …
    tcp_from_points     tip of a tool from poses that touch one point
    frame_from_points   frame from three points
    icub            module: control boards, limits, names and fingers of the iCub
"""

from kinetree import _start

if _start.is_command():  # before anything that takes time
    _start.on_interrupt(end=True)

# isort: split

from typing import TYPE_CHECKING

from kinetree.errors import Finding as Finding, KinetreeError as KinetreeError, Source as Source
from kinetree.load import load as load
from kinetree.model import edit as edit
from kinetree.model.robot import Robot as Robot
from kinetree.saving import save as save, text as text

__version__ = "0.2.0"

if TYPE_CHECKING:
    from kinetree import (
        dynamics as dynamics,
        goal as goal,
        icub as icub,
        kinematics as kinematics,
        limits as limits,
        motion as motion,
    )
    from kinetree.building import chain as chain
    from kinetree.checker.check import check as check
    from kinetree.compiler.kernel import Kernel as Kernel
    from kinetree.contact.make import clearance as clearance, collisions as collisions
    from kinetree.lab.calibrate.calibration import calibrate as calibrate
    from kinetree.lab.frames_from_points import (
        frame_from_points as frame_from_points,
        tcp_from_points as tcp_from_points,
    )
    from kinetree.lab.identify.verification import verify as verify
    from kinetree.lab.reach.run import reach_map as reach_map
    from kinetree.queries.controllers import Registered
    from kinetree.queries.dynamics import (
        forward_dynamics as forward_dynamics,
        gravity_torques as gravity_torques,
        inverse_dynamics as inverse_dynamics,
        mass_matrix as mass_matrix,
    )
    from kinetree.queries.gradients import jvp as jvp, vjp as vjp
    from kinetree.queries.margin import margin as margin
    from kinetree.queries.momentum import center_of_mass as center_of_mass
    from kinetree.queries.motion import (
        fk as fk,
        hessian as hessian,
        jacobian as jacobian,
        jacobian_dot as jacobian_dot,
        manipulability as manipulability,
        velocity as velocity,
    )
    from kinetree.queries.transforms import transforms as transforms
    from kinetree.solvers.compare.comparison import compare as compare
    from kinetree.solvers.guard.make import guard as guard
    from kinetree.solvers.ik.make import ik as ik
    from kinetree.solvers.ik.result import IKResult as IKResult
    from kinetree.viewing.show import show as show

    controllers: Registered
else:
    from kinetree.controllers import controllers, register
    from kinetree.display import register as register_html

    _LATER = {  # imported when they are first used, each alone
        **dict.fromkeys(("fk", "hessian", "jacobian", "jacobian_dot", "manipulability", "velocity"), "queries.motion"),
        **dict.fromkeys(("forward_dynamics", "gravity_torques", "inverse_dynamics", "mass_matrix"), "queries.dynamics"),
        "IKResult": "solvers.ik.result",
        "Kernel": "compiler.kernel",
        "calibrate": "lab.calibrate.calibration",
        "center_of_mass": "queries.momentum",
        "chain": "building",
        **dict.fromkeys(("clearance", "collisions"), "contact.make"),
        "check": "checker.check",
        "compare": "solvers.compare.comparison",
        "guard": "solvers.guard.make",
        **dict.fromkeys(("jvp", "vjp"), "queries.gradients"),
        "frame_from_points": "lab.frames_from_points",
        "ik": "solvers.ik.make",
        "margin": "queries.margin",
        "reach_map": "lab.reach.run",
        "show": "viewing.show",
        "tcp_from_points": "lab.frames_from_points",
        "transforms": "queries.transforms",
        "verify": "lab.identify.verification",
    }
    _MODULES = ("dynamics", "goal", "icub", "kinematics", "limits", "motion")
    __all__ = ["Finding", "KinetreeError", "Robot", "Source", "controllers", "edit", "load", "save", "text"]
    __all__ += [*_LATER, *_MODULES]
    register("kinetree.queries.controllers", ("pose", "to_pose", "joints", "to_q", "limit_joints"))
    register("kinetree.queries.configuration", ("configuration", "has_configuration"))
    register_html("kinetree.viewing.html")
    del register, register_html

    def __getattr__(name: str) -> object:
        """Return a public name, or a module of the package, imported when it is first used."""
        from importlib import import_module
        from importlib.util import find_spec

        if name in _LATER:
            globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
            return globals()[name]
        if name.startswith("__") or not name.isidentifier() or not find_spec(f"{__name__}.{name}"):
            from kinetree.other_names import no_attribute

            raise AttributeError(no_attribute(f"module {__name__!r}", name))
        return import_module(f"{__name__}.{name}")

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]
