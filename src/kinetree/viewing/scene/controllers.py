"""Pose formats of controllers as the page reads them."""

from typing import Any

from kinetree.controllers import controllers
from kinetree.controllers.controller import METRES, Controller
from kinetree.controllers.rotation import RADIANS


def described_controllers() -> list[dict[str, Any]]:
    """Return what the page needs to write poses as each controller does."""
    return [_described(controller) for controller in controllers.values()]


def _described(controller: Controller) -> dict[str, Any]:
    rotation = controller.rotation
    turns = rotation.turns
    places = [place for _, place in turns]
    return {
        "key": controller.key,
        "name": controller.name,
        "components": list(controller.components),
        "digits": list(controller.digits),
        "metre": 1 / METRES[controller.position],
        "radian": 1 / RADIANS.get(rotation.unit, 1.0),
        "mirrored": controller.mirrored,
        "kind": rotation.kind,
        "axes": "".join(axis for axis, _ in turns),
        "places": places,
        "zero": places.index(rotation.names.index(rotation.zero)) if turns else 0,
    }
