"""A robot to MJCF text."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from kinetree.display import some
from kinetree.errors import Finding
from kinetree.formats.losses.grains import MASS, MOMENT, with_grain
from kinetree.formats.losses.losses import Losses
from kinetree.formats.losses.sidecar import LegalNames, Record, written
from kinetree.formats.mjcf.check import check, is_several, opposite_readings
from kinetree.formats.mjcf.context import EQUALITY, FORMAT, WORLD, free
from kinetree.formats.mjcf.gains import chosen_gains, completed, with_option
from kinetree.formats.mjcf.kept_keys import reorder
from kinetree.formats.mjcf.keyframes import write_keys
from kinetree.formats.mjcf.order import write_texts
from kinetree.formats.mjcf.pairs import write_pairs
from kinetree.formats.mjcf.read import read
from kinetree.formats.mjcf.sensors import AT_SITE, KEPT
from kinetree.formats.mjcf.unknown_names import unknown_names
from kinetree.formats.mjcf.write_actuators import write_actuators
from kinetree.formats.mjcf.write_bodies import write_worldbody
from kinetree.formats.mjcf.write_geoms import Assets
from kinetree.formats.mjcf.write_loops import write_loops
from kinetree.formats.mjcf.writing import Job, attributes_of, range_of, weightless
from kinetree.model.assemble import build, parts_of
from kinetree.model.names import NamedValues
from kinetree.model.reshape import plain_joints, single_joints
from kinetree.model.robot import CoupledLimit, Robot, Sensor
from kinetree.spatial import se3
from kinetree.syntax.numbers import format_number, format_numbers
from kinetree.syntax.xml.reader import Element, Report, parse
from kinetree.syntax.xml.writer import XmlWriter, element_text

SENSOR_TAGS = {tag: (tag,) for tag in AT_SITE} | {
    "gyroscope": ("gyro",),
    "imu": ("accelerometer", "gyro"),
    "force_torque": ("force", "torque"),
}
"""Types of sensors to MuJoCo's, each of which measures one quantity."""
BEFORE = ("option", "size", "visual", "statistic", "extension", "custom", "default")  # sections that come first


def write(robot: Robot, without: Collection[str] = (), notes: list[Finding] | None = None) -> str:
    """Return the robot as MJCF, in radians. A robot that was read from MJCF and not edited gives the same text.

    Every link is a body, every extra frame a site. What MJCF lacks and MuJoCo does not need is kept in <custom> texts.
    A moving body without mass gets that of a grain, so that MuJoCo loads the file. notes: a list that gets remarks on
    what other programs do not see. Raises KinetreeError for a part that MJCF cannot represent and that `without` does
    not name.
    """
    losses = Losses(FORMAT, without)
    if robot.text and robot.text.format == FORMAT and not without:
        return robot.text.text
    robot = losses.without_parts(robot)
    several = [joint.name for joint in robot.joints.values() if is_several(robot, joint)]
    robot, rows = single_joints(robot, several) if several else (robot, {})
    if any(j.type == "ball" and not np.array_equal(j.child_origin[:3, :3], np.eye(3)) for j in robot.joints.values()):
        robot = plain_joints(robot)  # a body has no place for a rotation behind a ball joint
    renamed = LegalNames.of(robot, _names(robot), FORMAT)
    job = Job(renamed.robot, losses)
    check(job)
    losses.check()
    heavy, grains, remarks = _with_grains(job)
    if notes is not None:
        notes += [*opposite_readings(robot, without), *remarks, *chosen_gains(robot)]
        notes += [
            Finding(
                "single-joints",
                "warning",
                f"is written as {', '.join(row)}, and read back as these",
                element=f"joint {name!r}",
            )
            for name, row in rows.items()
        ]
    return written(replace(renamed, robot=heavy), FORMAT, partial(_text, losses), read, notes, grains)


def _names(robot: Robot) -> dict[tuple[str, str], str]:
    """Return another name for a link called "world" that cannot be MuJoCo's world, which is the root without mass."""
    world = robot.links.get(WORLD)
    if world is None or (robot.root == WORLD and world.inertial is None):
        return {}
    return {("link", WORLD): free("world_link", {*robot.frames})}


def _text(losses: Losses, robot: Robot, records: Sequence[Record]) -> str:
    job = Job(replace(robot, actuators=NamedValues("actuator", completed(robot).values())), losses)
    xml = XmlWriter()
    with xml.open("mujoco", model=robot.name):
        kept = {} if "extension" in losses.without else _sections(with_option(robot))
        has_defaults = "default" in kept
        _compiler(xml, kept.pop("compiler", []))
        for element in (e for tag in BEFORE for e in kept.pop(tag, [])):
            _raw(xml, element)
        write_texts(xml, job.in_file(), records)
        actuators, keys = kept.pop("actuator", []), kept.pop("keyframe", [])
        for section in keys:
            reorder(section, job, actuators)
        assets = Assets(job, kept.pop("asset", []))
        sites = _sensor_sites(job)
        body = XmlWriter()
        write_worldbody(body, job, assets, sites)
        assets.write(xml)
        xml.raw(*body.text().splitlines()[1:])
        _equalities(xml, job)
        _tendons(xml, job, kept)
        write_actuators(xml, job, actuators, has_defaults)
        _sensors(xml, job, sites)
        kept.setdefault("contact", [])
        for tag, elements in kept.items():
            if tag == "contact":
                write_pairs(xml, job, elements)
            else:
                xml.raw(*(line for element in elements for line in element_text(element).splitlines()))
        write_keys(xml, job, keys, actuators)
    if not records:
        _lose_references(losses, robot, xml.text())
        losses.check()
    return xml.text()


def _lose_references(losses: Losses, robot: Robot, text: str) -> None:
    """Note kept elements that refer to parts that the robot no longer has; MuJoCo refuses such a file."""
    root = parse(text, "", Report())
    assert root is not None
    for element, attribute, _, message in unknown_names(root):
        what = f"{attribute}={element.get(attribute)!r} of {element.label}: {message}"
        losses.note_loss("extension", f"robot {robot.name!r}", what)


def _with_grains(job: Job) -> tuple[Robot, list[Record], list[Finding]]:
    """Return a robot whose moving bodies all have mass, how to put its links back, and a warning about them."""
    if not (light := weightless(job)):
        return job.robot, [], []
    parts = parts_of(job.robot)
    made = {name: with_grain(job.robot.links[name], job.inertial(job.robot.links[name])) for name in light}
    parts.links[:] = [made[link.name][0] if link.name in made else link for link in parts.links]
    message = f"MuJoCo gets {MASS:g} kg and {MOMENT:g} kg m² for moving bodies without mass or inertia: {some(light)}"
    note = Finding("bounds", "warning", message, job.robot.source, fix="give these links inertias")
    return build(parts), [record for _, record in made.values()], [note]


def _compiler(xml: XmlWriter, kept: list[Element]) -> None:
    more: dict[str, str | None] = {name: value for element in kept for name, value in element.attributes.items()}
    inner = [element_text(child) for element in kept for child in element.children]
    xml.around("compiler", inner, angle="radian", autolimits="true", inertiafromgeom="false", **more)


def _sections(robot: Robot) -> dict[str, list[Element]]:
    found: dict[str, list[Element]] = {}
    for extension in robot.extensions:
        if extension.format == FORMAT and (element := parse(extension.text, "", Report())) is not None:
            found.setdefault(element.tag, []).append(element)
    return found


def _raw(xml: XmlWriter, element: Element) -> None:
    xml.raw(*element_text(element).splitlines())


# constraints


def _equalities(xml: XmlWriter, job: Job) -> None:
    followers = {joint.name: joint.mimic for joint in job.robot.joints.values() if joint.mimic}
    if not followers and not job.robot.loops:
        return
    with xml.open("equality"):
        write_loops(xml, job)
        for name, mimic in followers.items():
            polynomial = format_numbers([mimic.offset, mimic.multiplier, *mimic.higher, 0, 0, 0][:5])
            more = attributes_of(job.robot.joints[name].extensions, job, EQUALITY)
            xml.leaf("joint", **{**more, "joint1": name, "joint2": mimic.joint, "polycoef": polynomial})


def _tendons(xml: XmlWriter, job: Job, kept: dict[str, list[Element]]) -> None:
    """Write coupled limits, with the other attributes of a kept tendon of that name; then the other tendons."""
    sections = kept.pop("tendon", [])
    more = {e.get("name"): e for section in sections for e in section.children if e.tag == "fixed"}
    limits = () if "coupled_limit" in job.losses.without else job.robot.coupled_limits
    named = {limit.name for limit in limits}
    others = [e for s in sections for e in s.children if e.tag != "fixed" or e.get("name") not in named]
    if not limits and not others:
        return
    with xml.open("tendon"):
        for limit in limits:
            _tendon(xml, limit, more.get(limit.name))
        for element in others:
            _raw(xml, element)


def _tendon(xml: XmlWriter, limit: CoupledLimit, more: Element | None) -> None:
    attributes: dict[str, str | None] = {} if more is None else dict(more.attributes)
    attributes |= {"name": limit.name, "range": format_numbers(range_of(limit)), "limited": "true"}
    with xml.open("fixed", **attributes):
        for name, coefficient in limit.coefficients.items():
            xml.leaf("joint", joint=name, coef=format_number(coefficient))


# sensors


def _sensor_sites(job: Job) -> dict[str, tuple[str, Sensor | None]]:
    """Return {sensor: (its site, the sensor if the site is made for it, else None)} for every sensor at a site."""
    sites: dict[str, tuple[str, Sensor | None]] = {}
    if "sensor" in job.losses.without:
        return sites
    taken = set(job.robot.frames)
    for sensor in job.robot.sensors.values():
        if sensor.type not in SENSOR_TAGS:
            continue
        if np.array_equal(sensor.origin, se3.IDENTITY) and sensor.frame not in job.robot.links:
            sites[sensor.name] = (sensor.frame, None)
        else:
            sites[sensor.name] = (free(f"{sensor.name}_site", taken), sensor)
    return sites


def _sensors(xml: XmlWriter, job: Job, sites: dict[str, tuple[str, Sensor | None]]) -> None:
    if not sites:
        return
    with xml.open("sensor"):
        for name, (site, _) in sites.items():
            sensor = job.robot.sensors[name]
            tags = SENSOR_TAGS[sensor.type]
            more = {k: v for k, v in attributes_of(sensor.extensions, job).items() if k in KEPT}
            for tag in tags:
                xml.leaf(tag, name=name if len(tags) == 1 else f"{name}_{tag}", site=site, **more)
