"""The pairs of links that touch by how a robot is built: those that a simulator must not test."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kinetree.model.robot import Robot
from kinetree.model.semantic import CollisionPair, Semantic

if TYPE_CHECKING:
    from kinetree.contact.collisions import Collisions

REASONS = {"neighbours": "Adjacent", "always in contact": "Always"}


def with_touching(contact: Collisions) -> Robot:
    """Return the robot with these pairs. See `Collisions.touching`."""
    robot = contact.robot
    found = [CollisionPair(a, b, REASONS[why]) for a, b, why in contact.left_out if why in REASONS]
    neutral = contact.where(np.stack([robot.q(), robot.zero])).any(axis=0)
    evidence = "in contact in the neutral configuration, or with all joints at zero"
    pairs = (pair for pair, touches in zip(contact.pairs, neutral, strict=True) if touches)
    found += [CollisionPair(*pair, "Default", evidence) for pair in pairs]
    semantic = robot.semantic or Semantic(robot.name)
    decided = {p.links for p in (*semantic.disabled_collisions, *semantic.enabled_collisions)}
    new = [one for one in found if one.links not in decided]
    return replace(robot, semantic=replace(semantic, disabled_collisions=(*semantic.disabled_collisions, *new)))
