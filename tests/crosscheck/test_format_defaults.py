"""The table of defaults against the programs of each format: Drake (libsdformat), MuJoCo, Pinocchio (urdfdom)."""

import logging
import re

import numpy as np
import pytest

from kinetree.formats.defaults import DEFAULTS

pytestmark = pytest.mark.crosscheck

BOX = '<collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>'


def plant(inside, version='version="1.11"'):
    logging.getLogger("drake").setLevel(logging.CRITICAL)
    made = pytest.importorskip("pydrake.multibody.plant").MultibodyPlant(0.0)
    parser = pytest.importorskip("pydrake.multibody.parsing").Parser(made)
    parser.AddModelsFromString(f'<sdf {version}><model name="m">{inside}</model></sdf>', "sdf")
    made.Finalize()
    return made


class TestSdf:
    ROW = DEFAULTS["sdf"]
    LINKS = '<link name="a"/><link name="b"/><link name="c"/><link name="d"/>'
    JOINT = '<joint name="{0}" type="revolute"><parent>{1}</parent><child>{2}</child><axis>{3}</axis></joint>'

    @pytest.mark.parametrize("static", ["", "<static>true</static>"])
    def test_mass_and_inertia(self, static):
        inertia = plant(f'{static}<link name="a"/>').GetBodyByName("a").default_spatial_inertia()
        assert inertia.get_mass() == self.ROW.mass
        assert np.array_equal(inertia.CalcRotationalInertia().CopyToFullMatrix3(), self.ROW.inertia * np.eye(3))

    def test_density(self):
        body = plant(f'<link name="a"><inertial auto="true"/>{BOX}</link>').GetBodyByName("a")
        assert body.default_mass() == pytest.approx(self.ROW.density, rel=1e-15)
        assert plant(f'<link name="a">{BOX}</link>').GetBodyByName("a").default_mass() == self.ROW.mass
        assert not self.ROW.by_shapes

    @pytest.mark.parametrize("limit", ["", "<limit/>"])
    def test_a_joint(self, limit):
        made = plant(self.LINKS + self.JOINT.format("j", "a", "b", limit))
        joint = made.GetJointByName("j")
        bounds = joint.position_lower_limit(), joint.position_upper_limit(), joint.velocity_upper_limit()
        assert bounds == (self.ROW.lower, self.ROW.upper, self.ROW.velocity)
        assert made.GetJointActuatorByName("j").effort_limit() == self.ROW.effort
        assert joint.default_damping() == self.ROW.damping
        assert joint.revolute_axis().tolist() == [*self.ROW.axis]
        T = joint.frame_on_parent().GetFixedPoseInBodyFrame()
        assert np.array_equal(T.GetAsMatrix4(), np.eye(4))
        assert not any(self.ROW.pose)

    def test_the_version_is_required(self):
        with pytest.raises(RuntimeError, match="Unable to read"):
            plant('<link name="a"/>', "")
        assert self.ROW.required == ("version",)

    def test_angles(self):
        made = plant('<link name="a"><pose>0 0 0 0 0 1</pose></link>')
        R = made.GetBodyByName("a").EvalPoseInWorld(made.CreateDefaultContext()).rotation().matrix()
        assert R[0, 0] == pytest.approx(np.cos(1.0))
        assert self.ROW.angle == "rad"

    def test_the_order_of_joints_is_that_of_the_file(self):
        order = [("z", "c", "d"), ("y", "a", "b"), ("x", "b", "c")]
        made = plant(self.LINKS + "".join(self.JOINT.format(*joint, "") for joint in order))
        assert [made.get_joint(i).name() for i in made.GetJointIndices()][:3] == ["z", "y", "x"]
        assert self.ROW.order == "file"


class TestMjcf:
    ROW = DEFAULTS["mjcf"]

    def model(self, inside, head=""):
        mujoco = pytest.importorskip("mujoco")
        return mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{inside}</worldbody></mujoco>")

    def test_masses_follow_from_geoms(self):
        made = self.model('<body name="a"><body name="b"><geom type="box" size=".5 .5 .5"/></body></body>')
        assert made.body_mass.tolist() == pytest.approx([0, self.ROW.mass, self.ROW.density])
        assert made.body_inertia[1].tolist() == [self.ROW.inertia] * 3
        assert self.ROW.by_shapes

    def test_a_joint(self):
        made = self.model('<body><joint/><geom size="1"/></body>')
        assert made.jnt_axis[0].tolist() == [*self.ROW.axis]
        assert not made.jnt_limited[0]
        assert not made.jnt_actfrclimited[0]
        assert (self.ROW.lower, self.ROW.upper, self.ROW.effort) == (-np.inf, np.inf, np.inf)
        assert made.dof_damping[0] == self.ROW.damping
        assert made.body_pos[1].tolist() == [*self.ROW.pose[:3]]
        assert made.body_quat[1].tolist() == [1, 0, 0, 0]

    def test_angles_and_gravity(self):
        made = self.model('<body><joint range="-90 90"/><geom size="1"/></body>')
        assert made.jnt_range[0, 1] == pytest.approx(np.pi / 2)
        assert self.ROW.angle == "deg"
        assert made.opt.gravity.tolist() == [*self.ROW.gravity]

    def test_the_order_of_joints_is_depth_first(self):
        leaf = '<body><joint name="{}"/><geom size="1"/>{}</body>'
        made = self.model(leaf.format("z", leaf.format("a", "")) + leaf.format("y", ""))
        assert [made.joint(i).name for i in range(3)] == ["z", "a", "y"]
        assert self.ROW.order == "depth first"


class TestUrdf:
    ROW = DEFAULTS["urdf"]
    LIMIT = '<limit lower="-1" upper="1" effort="2" velocity="3"/>'
    BOX = '<collision><geometry><box size="1 1 1"/></geometry></collision>'

    def joint(self, name, parent, child, more):
        ends = f'<parent link="{parent}"/><child link="{child}"/>'
        return f'<joint name="{name}" type="revolute">{ends}{more}</joint>'

    def model(self, *joints, version=""):
        pinocchio = pytest.importorskip("pinocchio")
        names = sorted({*re.findall(r'link="(\w)"', "".join(joints))})
        links = "".join(f'<link name="{name}">{self.BOX if name == "d" else ""}</link>' for name in names)
        return pinocchio.buildModelFromXML(f'<robot name="r" {version}>{links}{"".join(joints)}</robot>')

    def test_masses(self):
        made = self.model(self.joint("j", "a", "b", self.LIMIT), self.joint("k", "b", "d", self.LIMIT))
        assert sum(inertia.mass for inertia in made.inertias) == self.ROW.mass == self.ROW.density == 0

    def test_a_joint(self):
        made = self.model(self.joint("j", "a", "b", '<limit effort="2" velocity="3"/><dynamics friction="1"/>'))
        assert (made.lowerPositionLimit[0], made.upperPositionLimit[0]) == (self.ROW.lower, self.ROW.upper)
        assert made.damping[0] == self.ROW.damping
        assert made.joints[1].shortname() == "JointModelRX"
        assert self.ROW.axis == (1.0, 0.0, 0.0)
        assert np.array_equal(made.jointPlacements[1].homogeneous, np.eye(4))

    @pytest.mark.parametrize("lacks", ["effort", "velocity"])
    def test_what_is_required(self, lacks):
        assert self.model(self.joint("j", "a", "b", self.LIMIT)).nq == 1
        with pytest.raises(ValueError, match="valid URDF"):
            self.model(self.joint("j", "a", "b", self.LIMIT.replace(lacks, "unknown")))
        assert self.ROW.required == ("effort", "velocity")

    def test_a_file_without_version_is_of_1_0(self):
        joint = self.joint("j", "a", "b", self.LIMIT)
        assert self.model(joint).nq == self.model(joint, version='version="1.0"').nq
        assert self.ROW.version == "1.0"

    def test_the_order_of_joints_is_depth_first_by_name(self):
        joints = [("z", "a", "b"), ("c", "b", "c"), ("y", "a", "d")]
        made = self.model(*(self.joint(*joint, self.LIMIT) for joint in joints))
        assert [*made.names][1:] == ["y", "z", "c"]
        assert self.ROW.order == "names"
