"""<force_torque>, as SDF, iDynTree's URDF and our DH tables have it.

They differ in the point about which the moment is taken. SDF: "for each option the point with respect to which the
torque component of the wrench is expressed is the joint origin" (forcetorque.sdf, 1.5 to 1.12), so its <frame> gives
the axes alone. In URDF the element is an extension of iDynTree, whose code takes the origin of the frame in whose axes
it reads: its second link's sensor transform is the identity for "child", the inverse of the joint's for "parent", and
the <origin> for "sensor" (ForceTorqueSensorElement.cpp). Its documentation (doc/model_loading.md) says "child frame
origin" for all three. Kinetree follows the code, because it makes the numbers that users of iDynTree get.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from kinetree.formats.fields import check_text, single_children, warn_empty
from kinetree.model.force_torque import Place, reading_place, same_place
from kinetree.model.robot import Extension, ForceTorque, Robot, Sensor
from kinetree.model.tree import Tree, build_tree
from kinetree.syntax.xml.reader import Element, Report

if TYPE_CHECKING:
    from kinetree.formats.losses.losses import Losses

TAG = "force_torque"

DIRECTIONS: dict[str, Any] = {"parent_to_child": "parent_on_child", "child_to_parent": "child_on_parent"}
"""Values of <measure_direction> to those of `ForceTorque.measures`."""

LEGAL: dict[str, tuple[Any, ...]] = {"frame": ("child", "parent", "sensor"), "measure_direction": tuple(DIRECTIONS)}

DEFAULTS = {"frame": "child", "measure_direction": "child_to_parent"}
"""SDF's defaults for missing elements of <force_torque>. The page of SDF 1.4 has "parent", but readers of SDF
convert such files to the new defaults. iDynTree has no default, and leaves such a sensor out."""


def force_torque_of(said: dict[str, str], point: Literal["joint", "frame"]) -> ForceTorque:
    """Return what a sensor reads, from legal values of <frame> and <measure_direction>."""
    words: dict[str, Any] = dict(said)
    return ForceTorque(DIRECTIONS[words["measure_direction"]], words["frame"], point)


def words_of(said: ForceTorque) -> dict[str, str]:
    """Return the values of <frame> and <measure_direction> of a sensor."""
    (direction,) = (word for word, measures in DIRECTIONS.items() if measures == said.measures)
    return {"frame": said.axes, "measure_direction": direction}


def read_force_torque(
    report: Report, format: str, element: Element, owner: Element, point: Literal["joint", "frame"]
) -> tuple[ForceTorque, list[Extension]]:
    """Return what <force_torque> describes, and its other elements, such as noise, as extensions "force_torque/…"."""
    once, others = single_children(report, element, tuple(LEGAL))
    said = {tag: _word(report, once.get(tag), tag, owner) for tag in LEGAL}
    return force_torque_of(said, point), [Extension(format, f"{TAG}/{e.tag}", e.kept, e.source) for e in others]


def _word(report: Report, element: Element | None, tag: str, owner: Element) -> str:
    word = element.text.strip() if element is not None else ""
    if element is not None:
        check_text(report, element, (), owner)
    if element is not None and not word:
        warn_empty(report, element, owner)
    elif element is not None and word not in LEGAL[tag]:
        message = f"<{tag}> is {word!r}; expected {', '.join(map(repr, LEGAL[tag]))}"
        report.error(tag.replace("_", "-"), message, element, owner=owner)
    return word if word in LEGAL[tag] else DEFAULTS[tag]


def written_sensors(robot: Robot, without: Collection[str]) -> list[Sensor]:
    """Return the sensors to write; one without a reading has no <force_torque>: an empty one has defaults."""
    if "sensor" in without:
        return []
    return [
        without_reading(sensor) if TAG in without or sensor.force_torque is None else sensor
        for sensor in robot.sensors.values()
    ]


def without_reading(sensor: Sensor) -> Sensor:
    """Return a sensor without its reading."""
    rest = tuple(e for e in sensor.extensions if not e.tag.startswith(f"{TAG}/"))
    return replace(sensor, force_torque=None, extensions=rest)


def check_reading(losses: Losses, sensor: Sensor, tree: Tree, place: Place, written: Place) -> None:
    """Note a sensor that would read in other axes or about another point once written.

    tree: of a robot that has all frames of the two places.
    """
    if sensor.force_torque is not None and not same_place(tree, place, written):
        lose_reading(losses, sensor)


def check_readings(losses: Losses, robot: Robot, read_back: Callable[[Sensor], Sensor]) -> None:
    """Note all sensors that would read in another place; read_back: the sensor as it would be read back."""
    tree = build_tree(robot)
    for sensor in written_sensors(robot, losses.without):
        if sensor.force_torque:
            check_reading(losses, sensor, tree, reading_place(robot, sensor), reading_place(robot, read_back(sensor)))


def lose_reading(losses: Losses, sensor: Sensor) -> None:
    """Note a sensor whose reading cannot be written."""
    said = sensor.force_torque
    assert said is not None
    axes = {"child": "of the child link", "parent": "of the parent link", "sensor": "of the sensor"}[said.axes]
    about = {"joint": "the joint's origin", "frame": "the origin of these"}[said.point]
    what = f"a reading of {said.measures} in the axes {axes}, its moment about {about}"
    losses.note_loss(TAG, f"sensor {sensor.name!r}", what, sensor.source)
