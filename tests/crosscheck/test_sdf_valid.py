"""SDF files that sdformat's own tests call valid (its `src/*_TEST.cc` and `test/integration/*.cc`) are robots here."""

from __future__ import annotations

import shutil

import pytest

import kinetree as kt
from kinetree.errors import KinetreeError
from support import shared

pytestmark = pytest.mark.crosscheck

FILES = """
    integration/custom_elems_attrs.sdf integration/model/box/model.sdf
    integration/partially_flattened.sdf sdf/basic_shapes.sdf
    sdf/double_pendulum.sdf sdf/empty.sdf
    sdf/ignore_sdf_in_namespaced_elements.sdf sdf/ignore_sdf_in_plugin.sdf
    sdf/inertial_complete.sdf sdf/inertial_stats_auto.sdf sdf/inertial_stats_auto_mass.sdf
    sdf/joint_axis_in_rotated_frame.sdf sdf/joint_axis_infinite_limits.sdf sdf/joint_child_frame.sdf
    sdf/joint_nested_parent_child.sdf sdf/joint_parent_frame.sdf sdf/joint_parent_world.sdf
    sdf/joint_sensors.sdf sdf/lights.sdf sdf/link_duplicate_cousin_collisions.sdf
    sdf/link_duplicate_cousin_visuals.sdf sdf/material.sdf sdf/material_pbr.sdf
    sdf/model_canonical_link.sdf sdf/model_duplicate_plugins.sdf sdf/model_frame_attached_to.sdf
    sdf/model_frame_attached_to_joint.sdf sdf/model_frame_attached_to_nested_model.sdf
    sdf/model_frame_relative_to.sdf sdf/model_frame_relative_to_joint.sdf sdf/model_joint_relative_to.sdf
    sdf/model_link_joint_same_name.sdf sdf/model_link_relative_to.sdf sdf/model_multi_nested_model.sdf
    sdf/model_nested_model_relative_to.sdf sdf/model_nested_static_model.sdf
    sdf/model_relative_to_nested_reference.sdf
    sdf/nested_canonical_link.sdf sdf/nested_explicit_canonical_link.sdf sdf/nested_model.sdf
    sdf/nested_model_cross_references.sdf sdf/pose_1_9.sdf sdf/resolve_relative_uris.sdf
    sdf/resolve_uris.sdf sdf/sensors.sdf sdf/shapes.sdf sdf/shapes_world.sdf
    sdf/unrecognized_elements_with_namespace.sdf sdf/world_complete.sdf sdf/world_duplicate_plugins.sdf
    sdf/world_frame_attached_to.sdf sdf/world_frame_relative_to.sdf sdf/world_joint_child_frame.sdf
    sdf/world_model_frame_same_name_1_6.sdf sdf/world_nested_frame.sdf
    sdf/world_nested_model.sdf sdf/world_relative_to_nested_reference.sdf sdf/world_sibling_same_names.sdf
    sdf/world_valid_root_reference.sdf
"""
VALID = FILES.split()
"""Those of which the reference data have all parts."""
REFUSED = {
    "integration/merge_include_model.sdf": "include-not-found",  # The test itself finds `merge_robot`, by a function.
}
"""Valid files that are refused, with the code of the error."""


def load(name):
    tests = shared("corpus", "gazebosim+sdformat", "test")
    models = {path.parent.name: path.parent for path in sorted(tests.rglob("model.config"), reverse=True)}
    return kt.load(tests / name, packages=models)


@pytest.mark.parametrize("name", VALID)
def test_valid_files_are_robots(name):
    robot = load(name)
    assert len(robot.links) > 0
    held = any(joint.parent == "world" for joint in robot.joints.values())
    assert (robot.root == "world") == (held or "nested_static" in name)  # that has no link, which a static model may


def test_a_world_takes_what_it_merges(tmp_path):
    tests = shared("corpus", "gazebosim+sdformat", "test")
    for name in ("sdf/world_merge_include.sdf", "integration/model/model_for_world_merge_include.sdf"):
        shutil.copy(tests / name, tmp_path)  # sdformat's own test adds the folder to those where models are looked for
    shutil.copytree(tests / "integration" / "model" / "test_model", tmp_path / "test_model")
    robot = kt.load(tmp_path / "world_merge_include.sdf")
    assert {joint.name: joint.parent for joint in robot.joints.values()} == {"M1": "world", "J1": "M1::link"}
    poses = kt.fk(robot, ["M1::link", "M2::link"])(robot.q())
    assert poses[:, :3, 3].tolist() == [[100, 0, 0], [100, 10, 0]]


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name):
    with pytest.raises(KinetreeError) as caught:
        load(name)
    assert {finding.code for finding in caught.value.findings} == {REFUSED[name]}
