"""Bodies with their joints, inertials and sites, as MJCF."""

from math import inf

import numpy as np

from kinetree.formats.mjcf.bodies import T_CAMERA_SENSOR
from kinetree.formats.mjcf.context import WORLD
from kinetree.formats.mjcf.poses import pose_attributes
from kinetree.formats.mjcf.write_geoms import Assets
from kinetree.formats.mjcf.write_loops import made_sites
from kinetree.formats.mjcf.writing import ROUNDING, Job, attributes_of, elements_of, moments, range_of, site_looks
from kinetree.model.force_torque import reading_place
from kinetree.model.robot import Inertial, Joint, Link, Robot, Sensor
from kinetree.spatial import se3
from kinetree.spatial.se3 import Array
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.writer import XmlWriter

Sites = dict[str, tuple[str, Sensor | None]]


def write_worldbody(xml: XmlWriter, job: Job, assets: Assets, sites: Sites) -> None:
    """Write the tree. A root link called "world" is the world; any other is a body that is fixed to it."""
    writer = _Bodies(xml, job, assets, sites)
    with xml.open("worldbody"):
        root = job.robot.links[job.robot.root]
        if root.name == WORLD:
            writer.contents(root)
        else:
            writer.body(root, [], se3.IDENTITY)


class _Bodies:
    def __init__(self, xml: XmlWriter, job: Job, assets: Assets, sites: Sites) -> None:
        self.xml, self.job, self.assets = xml, job, assets
        robot = job.robot
        self.sites: dict[str, list[tuple[str, Array]]] = {}
        self.looks = site_looks(job)
        self.cameras: dict[str, list[tuple[Sensor, Array]]] = {}
        for frame in robot.frames.values() if "frame" not in job.losses.without else ():
            if frame.name not in robot.links:
                self.sites.setdefault(frame.link, []).append((frame.name, frame.origin))
        for name, sensor in sites.values():
            if sensor:
                link, T = site_of(robot, sensor)
                self.sites.setdefault(link, []).append((name, T))
        for name, link, T in made_sites(job):
            self.sites.setdefault(link, []).append((name, T))
        for camera in robot.sensors.values() if "sensor" not in job.losses.without else ():
            if camera.type == "camera":
                frame = robot.frames[camera.frame]
                T = frame.origin @ camera.origin @ T_CAMERA_SENSOR.T
                self.cameras.setdefault(frame.link, []).append((camera, T))

    def body(self, link: Link, row: list[Joint], T_parent_body: Array) -> None:
        """Write a body; row are its joints, from the parent to the link."""
        job, xml = self.job, self.xml
        drawn = bool(row) and row[0].type == "floating"
        pose = pose_attributes(job.initial(row[0]) @ row[0].child_origin if drawn else T_parent_body)
        with xml.open("body", name=link.name, **{**pose, **attributes_of(link.extensions, job)}):
            if inertial := job.inertial(link):
                _inertial(xml, inertial)
            S = se3.IDENTITY
            placed = []
            for joint in reversed(row):
                S = joint.child_origin @ S  # from after this joint's motion to the body
                placed.append((joint, S))
                S = joint.origin @ S
            for joint, T_joint_body in reversed(placed):
                self.joint(joint, T_joint_body)
            self.contents(link)

    def contents(self, link: Link) -> None:
        xml, job = self.xml, self.job
        self.assets.geoms(xml, link)
        for name, T in self.sites.get(link.name, ()):
            xml.leaf("site", name=name, **pose_attributes(T), **self.looks.get(name, {}))
        for camera, T in self.cameras.get(link.name, ()):
            xml.leaf("camera", name=camera.name, **pose_attributes(T), **attributes_of(camera.extensions, job))
        xml.raw(*elements_of(link.extensions, job))
        for first in job.robot.child_joints(link.name):
            row = job.row(first)
            T = se3.IDENTITY
            for joint in row:
                T = T @ joint.origin @ joint.child_origin
            moving = [joint for joint in row if joint.type != "fixed"]
            self.body(job.robot.links[row[-1].child], moving, T)

    def joint(self, joint: Joint, T_joint_body: Array) -> None:
        """Write a joint; T_joint_body (4, 4) is its body's pose, at rest, in the joint's frame after the motion."""
        if joint.type == "floating":
            self.xml.leaf("joint", **_joint_attributes(self.job, joint))
            return
        p = -T_joint_body[:3, :3].T @ T_joint_body[:3, 3]
        axis = None if joint.axis is None else format_numbers(T_joint_body[:3, :3].T @ joint.axis)
        pos = format_numbers(p) if p.any() and joint.type != "prismatic" else None
        attributes = _joint_attributes(self.job, joint)
        name, kind = attributes.pop("name"), attributes.pop("type")
        self.xml.leaf("joint", name=name, type=kind, pos=pos, axis=axis, **attributes)


def site_of(robot: Robot, sensor: Sensor) -> tuple[str, Array]:
    """Return (link, T_link_site) of the site of a sensor: where a force/torque sensor reads, if that is on its link."""
    place, frame = reading_place(robot, sensor), robot.frames[sensor.frame]
    axes, on = robot.frames[place.frame], robot.frames[place.on]
    if sensor.force_torque is None or {axes.link, on.link} != {frame.link}:
        return frame.link, frame.origin @ sensor.origin
    return frame.link, se3.homogeneous(axes.origin[:3, :3] @ place.R_frame_reading, (on.origin @ (*place.p, 1.0))[:3])


def _joint_attributes(job: Job, joint: Joint) -> dict[str, str | None]:
    attributes: dict[str, str | None] = {"name": joint.name, "type": joint.kind.mjcf}
    limit = joint.limit
    if (limit.lower > -inf or limit.upper < inf) and joint.kind.single:
        attributes["range"] = format_numbers(range_of(limit))
    if 0 < limit.effort < inf:  # one of 0 means no limit to MuJoCo's own reader of URDF
        attributes["actuatorfrcrange"] = format_numbers([-limit.effort, limit.effort])
    if joint.dynamics:
        names = {"damping": "damping", "frictionloss": "friction", "stiffness": "stiffness"}
        names |= {"springref": "reference", "armature": "armature"}
        values = {k: getattr(joint.dynamics[0], v) for k, v in names.items()}
        attributes |= {k: format_number(v) for k, v in values.items() if v}
    return attributes | attributes_of(joint.extensions, job)


def _inertial(xml: XmlWriter, inertial: Inertial) -> None:
    """Write an inertial in its own axes if diagonal, in principal axes if degenerate, else in the body's axes."""
    mass, T, I = format_number(inertial.mass), inertial.origin, inertial.inertia
    pos = format_numbers(T[:3, 3])
    if np.array_equal(I, np.diag(np.diag(I))):
        diagonal = format_numbers(rounded_moments(np.diag(I)))
        xml.leaf("inertial", mass=mass, **{**pose_attributes(T), "pos": pos}, diaginertia=diagonal)
        return
    values = moments(inertial)
    if values[0] > 1e-13 and values[0] + values[1] > values[2] * (1 + ROUNDING):
        J = T[:3, :3] @ I @ T[:3, :3].T
        full = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
        xml.leaf("inertial", mass=mass, pos=pos, fullinertia=format_numbers(full))
        return
    axes = np.linalg.eigh(I)[1]
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    principal = se3.homogeneous(T[:3, :3] @ axes, T[:3, 3])
    diagonal = format_numbers(rounded_moments(values))
    xml.leaf("inertial", mass=mass, **{**pose_attributes(principal), "pos": pos}, diaginertia=diagonal)


def rounded_moments(values: Array) -> Array:
    """Return principal moments none of which is, by rounding, negative or greater than the sum of the others."""
    values = np.where(np.abs(values) < ROUNDING * np.abs(values).max(initial=0.0), 0.0, values)
    largest = int(np.argmax(values))
    others = float(np.delete(values, largest).sum())
    if others < values[largest] <= others * (1 + ROUNDING):
        values[largest] = others
    return np.asarray(values)
