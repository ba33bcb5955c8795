"""MJCF, read: what the numbers of a file mean."""

from math import degrees, inf, pi

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import kinetree as kt
from each import each
from kinetree.formats.mjcf import read
from kinetree.model.robot import Robot
from kinetree.spatial import se3
from support import all_frames


def robot_of(text: str, files: dict[str, str] | None = None) -> Robot:
    found = {name: content.encode() for name, content in (files or {}).items()}
    robot, findings = read(text, "main.xml", lambda wanted, _: (found[wanted], wanted) if wanted in found else None)
    assert robot is not None, [str(f) for f in findings]
    return robot


def bodies(inner: str, head: str = "") -> Robot:
    return robot_of(f"<mujoco model='m'>{head}<worldbody>{inner}</worldbody></mujoco>")


def body_pose(attributes: str, compiler: str = "") -> np.ndarray:
    head = f"<compiler {compiler}/>" if compiler else ""
    robot = bodies(f"<body name='b' {attributes}/>", head)
    return all_frames(robot, robot.q())["b"]


def codes(robot: Robot) -> list[str]:
    return [note.code for note in robot.notes]


class TestOrientation:
    def test_quat_is_wxyz_and_is_normalised(self):
        assert_allclose(body_pose("quat='2 0 0 2'")[:3, :3], se3.rotation((0, 0, 1), pi / 2), atol=1e-15)

    def test_angles_are_degrees_unless_the_compiler_says_radian(self):
        turned = se3.rotation((0, 1, 0), 0.5)
        assert_allclose(body_pose("axisangle='0 3 0 0.5'", "angle='radian'")[:3, :3], turned, atol=1e-15)
        assert_allclose(body_pose(f"axisangle='0 3 0 {degrees(0.5)}'")[:3, :3], turned, atol=1e-15)

    def test_small_letters_of_eulerseq_turn_about_turned_axes(self):
        Rx, Ry, Rz = (se3.rotation(axis, angle) for axis, angle in zip(np.eye(3), (0.1, 0.2, 0.3), strict=True))
        radian = "angle='radian' eulerseq="
        assert_allclose(body_pose("euler='0.1 0.2 0.3'", radian + "'xyz'")[:3, :3], Rx @ Ry @ Rz, atol=1e-15)
        assert_allclose(body_pose("euler='0.1 0.2 0.3'", radian + "'XYZ'")[:3, :3], Rz @ Ry @ Rx, atol=1e-15)
        assert_allclose(body_pose("euler='0.1 0.2 0.3'", radian + "'xYz'")[:3, :3], Ry @ Rx @ Rz, atol=1e-15)

    def test_xyaxes_are_made_orthogonal(self):
        assert_allclose(body_pose("xyaxes='0 2 0 -1 1 0'")[:3, :3], se3.rotation((0, 0, 1), pi / 2), atol=1e-15)

    def test_zaxis_turns_the_shortest_way_and_about_x_when_it_is_opposite(self):
        assert_allclose(body_pose("zaxis='1 0 0'")[:3, :3], se3.rotation((0, 1, 0), pi / 2), atol=1e-15)
        assert_allclose(body_pose("zaxis='0 0 -1'")[:3, :3], np.diag([1.0, -1.0, -1.0]), atol=1e-15)

    def test_several_compilers_add_up(self):
        robot = bodies("<body name='b' euler='0 0 1'/>", "<compiler angle='radian'/><compiler eulerseq='ZYX'/>")
        assert_allclose(all_frames(robot, robot.q())["b"][:3, :3], se3.rotation((1, 0, 0), 1.0), atol=1e-15)


class TestDefaults:
    HEAD = """<default>
      <joint axis='1 0 0' damping='1 2'/> <geom size='0.1 0.2'/>
      <default class='arm'> <joint damping='5'/> <default class='hand'> <joint armature='3'/> </default> </default>
    </default>"""

    def test_classes_inherit_and_childclass_reaches_down_until_another(self):
        robot = bodies(
            """<body name='a' childclass='arm'> <joint name='a'/>
              <body name='b'> <joint name='b' class='hand'/>
                <frame childclass='hand'> <body name='c'> <joint name='c'/> </body> </frame>
                <body name='d'> <joint name='d' class='main' axis='0 1 0'/> </body> </body> </body>""",
            self.HEAD,
        )
        assert [robot.joints[n].dynamics[0].damping for n in "abcd"] == [5, 5, 5, 1]
        assert [robot.joints[n].dynamics[0].armature for n in "abcd"] == [0, 3, 3, 0]
        assert robot.joints["a"].axis.tolist() == [1, 0, 0]
        assert robot.joints["d"].axis.tolist() == [0, 1, 0]

    def test_a_vector_given_in_part_keeps_the_rest_of_its_class(self):
        shape = bodies("<geom type='cylinder' size='0.7'/>", self.HEAD).links["world"].collisions[0].shape
        assert shape.parameters == {"radius": 0.7, "length": 0.4}

    def test_an_orientation_of_the_element_replaces_that_of_its_class(self):
        head = "<default><site quat='0 1 0 0'/></default>"
        robot = bodies("<site name='s' zaxis='1 0 0'/>", head)
        assert_allclose(robot.frames["s"].origin[:3, 2], [1, 0, 0], atol=1e-15)

        robot = bodies("<site name='s' quat='0 1 0 0'/>", "<default><site zaxis='1 0 0'/></default>")
        assert_allclose(robot.frames["s"].origin[:3, 2], [0, 0, -1], atol=1e-15)


class TestTree:
    def test_the_world_is_the_root_and_bodies_without_joints_are_fixed(self):
        robot = bodies("<body name='a' pos='1 2 3'><body name='b'/></body>")
        assert robot.root == "world"
        assert [j.name for j in robot.joints.values()] == ["a_fixed_joint", "b_fixed_joint"]
        assert robot.joints["a_fixed_joint"].origin[:3, 3].tolist() == [1, 2, 3]

    def test_frames_nest(self):
        robot = bodies(
            "<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'><site name='s' pos='1 0 0'/></frame></frame>"
        )
        assert_allclose(robot.frames["s"].origin[:3, 3], [1, 2, 0], atol=1e-15)

    def test_several_joints_act_in_turn_about_their_places_in_the_body(self):
        robot = bodies(
            """<body name='b' pos='0 0 1'> <joint name='x' type='slide' axis='1 0 0'/>
               <joint name='turn' pos='0.5 0 0' axis='0 0 2' ref='90'/> <site name='tip' pos='1.5 0 0'/> </body>"""
        )
        assert robot.joint_names == ("x", "turn")
        assert robot.joints["x"].child == robot.joints["turn"].parent == "x_link"
        drawn = all_frames(robot, robot.q(x=2, turn=pi / 2))
        assert_allclose(drawn["tip"][:3, 3], [3.5, 0, 1], atol=1e-15)  # at its ref the body is as it is drawn
        assert_allclose(all_frames(robot, robot.q(x=2, turn=pi))["tip"][:3, 3], [2.5, 1, 1], atol=1e-15)

    def test_free_and_ball_joints(self):
        robot = bodies(
            """<body name='a' pos='5 5 5'> <freejoint name='free'/>
               <body name='b' pos='0 0 1'> <joint name='ball' type='ball' pos='0 0 0.5'/> </body> </body>"""
        )
        assert [robot.joints[n].type for n in robot.joint_names] == ["floating", "ball"]
        q = robot.q(free=[1, 2, 3, 0, 0, 0, 1], ball=[1, 0, 0, 0])
        frames = all_frames(robot, q)
        assert frames["a"][:3, 3].tolist() == [1, 2, 3]  # q is the pose in the world, wherever the body is drawn
        assert_allclose(frames["b"][:3, 3], [1, 2, 5], atol=1e-15)  # half a turn about the point 1.5 above a

    def test_things_without_a_name_get_one_with_a_note(self):
        robot = bodies("<body><joint/><site/><body><joint/></body></body>")
        assert [*robot.links] == ["world", "body_1", "body_2"]
        assert robot.joint_names == ("body_1_joint", "body_2_joint")
        assert "body_1_site" in robot.frames
        assert codes(robot).count("no-name") == 5

    def test_a_site_called_as_a_body_is_called_otherwise_wherever_it_is_named(self):
        robot = robot_of("""<mujoco><worldbody><body name='head'><site name='head' pos='1 0 0'/></body></worldbody>
            <sensor><gyro name='g' site='head'/></sensor>
            <actuator><motor name='m' site='head'/></actuator></mujoco>""")
        assert robot.sensors["g"].frame == "head_site"
        assert robot.frames["head_site"].origin[0, 3] == 1
        assert 'site="head_site"' in robot.extensions[0].text
        assert "renamed" in codes(robot)


class TestLimits:
    def test_hinges_in_degrees_slides_in_metres(self):
        robot = bodies(
            "<body name='b'><joint name='h' range='-90 45'/><joint name='s' type='slide' range='-1 2'/></body>"
        )
        assert_allclose([robot.joints["h"].limit.lower, robot.joints["h"].limit.upper], [-pi / 2, pi / 4])
        assert (robot.joints["s"].limit.lower, robot.joints["s"].limit.upper) == (-1, 2)

    def test_without_a_range_or_switched_off_a_hinge_is_continuous(self):
        robot = bodies("<body name='b'><joint name='a'/><joint name='b' range='0 1' limited='false'/></body>")
        assert [robot.joints[n].type for n in "ab"] == ["continuous", "continuous"]

    def test_actuator_forces_damping_and_springs(self):
        joint = bodies(
            """<body name='b'><joint name='a' actuatorfrcrange='-7 7' damping='0.1' stiffness='2' springref='90'
               frictionloss='0.3' armature='0.4' margin='0.01'/></body>"""
        ).joints["a"]
        assert joint.limit.effort == 7
        assert joint.limit.lower == -inf
        d = joint.dynamics[0]
        assert_allclose([d.damping, d.friction, d.stiffness, d.reference, d.armature], [0.1, 0.3, 2, pi / 2, 0.4])
        assert joint.extensions[0].text == 'margin="0.01"'

    def test_a_fixed_tendon_with_a_range_is_a_coupled_limit_never_in_degrees(self):
        robot = robot_of("""<mujoco><worldbody><body name='b'><joint name='x'/><joint name='y'/></body></worldbody>
            <tendon><fixed name='t' range='-1 2'><joint joint='x' coef='1'/>
            <joint joint='y' coef='-2'/></fixed></tendon></mujoco>""")
        limits = robot.limits
        assert limits.row_names == ("t upper", "t lower")
        assert limits.G.tolist() == [[1, -2], [-1, 2]]
        assert limits.h.tolist() == [2, 1]


class TestEquality:
    def model(self, equality: str) -> str:
        return f"""<mujoco><worldbody><body name='b'><joint name='x' ref='90'/><joint name='y' type='slide' ref='0.5'/>
            <joint name='z' axis='1 0 0'/></body></worldbody><equality>{equality}</equality></mujoco>"""

    def test_an_affine_polynomial_is_a_mimic_about_the_reference_positions(self):
        mimic = robot_of(self.model("<joint joint1='x' joint2='y' polycoef='0.1 2'/>")).joints["x"].mimic
        assert (mimic.joint, mimic.multiplier) == ("y", 2)
        assert_allclose(mimic.offset, pi / 2 + 0.1 - 2 * 0.5)  # x - x0 = a0 + a1 (y - y0)

    def test_the_default_polynomial_is_the_identity_of_the_deviations(self):
        mimic = robot_of(self.model("<joint joint1='z' joint2='y'/>")).joints["z"].mimic
        assert (mimic.multiplier, mimic.offset) == (1, -0.5)

    def test_a_second_equality_of_a_follower_is_turned_round(self):
        robot = robot_of(self.model("<joint joint1='x' joint2='y'/><joint joint1='x' joint2='z' polycoef='0 2'/>"))
        assert robot.joints["x"].mimic.joint == "y"
        assert robot.joints["z"].mimic.joint == "x"
        assert robot.joints["z"].mimic.multiplier == 0.5

    def test_without_a_second_joint_it_holds_the_joint(self):
        robot = robot_of(self.model("<joint joint1='x' polycoef='0.2'/>"))
        assert robot.joints["x"].type == "fixed"
        assert_allclose(all_frames(robot, robot.q(y=0.5))["b"][:3, :3], se3.rotation((0, 0, 1), 0.2), atol=1e-15)

    def test_what_is_not_active_makes_nothing_follow(self):
        robot = robot_of(self.model("<joint joint1='x' joint2='y' active='false'/>"))
        assert robot.joints["x"].mimic is None
        assert robot.extensions[0].tag == "equality"

    def test_what_closes_a_loop_is_one_with_a_warning(self):
        robot = robot_of(self.model("<weld body1='b'/>"))
        (loop,) = robot.loops.values()
        assert (loop.name, loop.type, loop.parent, loop.child) == ("b_world_weld", "fixed", "world", "b")
        assert "loop" in codes(robot)


SOLIDS = {  # size, half the box around it, which points belong to it
    "sphere": ("0.5", (0.5,) * 3, lambda x, y, z: x * x + y * y + z * z <= 0.25),
    "box": ("0.1 0.2 0.3", (0.1, 0.2, 0.3), lambda x, y, z: x == x),
    "ellipsoid": ("0.1 0.2 0.3", (0.1, 0.2, 0.3), lambda x, y, z: (10 * x) ** 2 + (5 * y) ** 2 + (z / 0.3) ** 2 <= 1),
    "cylinder": ("0.2 0.5", (0.2, 0.2, 0.5), lambda x, y, z: x * x + y * y <= 0.04),
    "capsule": (
        "0.2 0.5",
        (0.2, 0.2, 0.7),
        lambda x, y, z: x * x + y * y + np.maximum(np.abs(z) - 0.5, 0) ** 2 <= 0.04,
    ),
}


def weighed(geoms):
    """The inertial of a body with these geoms."""
    return bodies(f"<body name='b'>{geoms}</body>").links["b"].inertial


def points_of(mass, inertia):
    """The second moments (4, 4) of the points (x, y, z, 1) of a body about its centre of mass."""
    second = np.zeros((4, 4))
    second[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    second[3, 3] = mass
    return second


class TestMasses:
    def test_an_inertial_as_written(self):
        inertial = (
            bodies("<body name='b'><inertial pos='1 2 3' mass='4' fullinertia='3 2 2.5 0.1 0.2 0.3'/></body>")
            .links["b"]
            .inertial
        )
        assert inertial.inertia.tolist() == [[3, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]
        assert inertial.origin[:3, 3].tolist() == [1, 2, 3]

    def test_a_body_weighs_as_its_geoms_of_water(self):
        inertial = bodies("<body name='b'><geom type='box' size='.1 .2 .3' pos='1 0 0'/></body>").links["b"].inertial
        assert_allclose(inertial.mass, 48.0)
        assert_allclose(np.diag(inertial.inertia), 48 / 12 * np.array([0.52, 0.4, 0.2]))

    @pytest.mark.slow
    @each("kind", list(SOLIDS))
    def test_a_solid_is_the_sum_of_its_points(self, kind):
        size, reach, inside = SOLIDS[kind]
        axes = [np.linspace(-r, r, 81)[:-1] + r / 80 for r in reach]  # the middles of small cells
        points = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
        points, cell = points[inside(*points.T)], np.prod([2 * r / 80 for r in reach])
        inertial = weighed(f"<geom type='{kind}' size='{size}' density='10'/>")
        assert inertial.mass == pytest.approx(10 * cell * len(points), rel=5e-3)
        squares = 10 * cell * (points**2).sum(axis=0)
        expected = np.diag(squares.sum() - squares)
        assert_allclose(inertial.inertia, expected, rtol=1e-2, atol=1e-9)

    @each("kind", ["sphere", "box", "cylinder", "capsule"])
    def test_a_shell_is_what_a_solid_grows_by(self, kind):
        """Its surface and moments are the derivatives of the solid's, as all of it moves outwards."""
        size, thick = np.array([float(x) for x in SOLIDS[kind][0].split()]), 1e-5
        grows = np.array([1.0, 0.0]) if kind == "capsule" else np.ones(len(size))

        def solid(by):
            sizes = " ".join(map(repr, (size + by * grows).tolist()))
            return weighed(f"<geom type='{kind}' size='{sizes}' density='1'/>")

        larger, smaller = solid(thick), solid(-thick)
        shell = weighed(f"<geom type='{kind}' size='{SOLIDS[kind][0]}' density='1' shellinertia='true'/>")
        assert shell.mass == pytest.approx((larger.mass - smaller.mass) / (2 * thick), rel=1e-7)
        assert_allclose(shell.inertia, (larger.inertia - smaller.inertia) / (2 * thick), rtol=1e-7, atol=1e-12)

    def test_several_geoms_weigh_as_the_sum_of_their_points(self):
        """By the second moments of their points (4, 4), which simply add up, however they are turned."""
        parts = [
            ("box", ".1 .2 .3", 2.0, "1 2 3", "10 20 30"),
            ("cylinder", ".2 .5", 3.0, "0 -1 0.5", "0 90 15"),
            ("sphere", ".4", 1.5, "0.3 0 -1", "0 0 0"),
        ]
        text, total = "", np.zeros((4, 4))
        for kind, size, mass, pos, euler in parts:
            text += f"<geom type='{kind}' size='{size}' mass='{mass}' pos='{pos}' euler='{euler}'/>"
            alone = weighed(f"<geom type='{kind}' size='{size}' mass='{mass}'/>").inertia
            T = np.eye(4)
            T[:3, :3] = Rotation.from_euler("XYZ", [float(x) for x in euler.split()], degrees=True).as_matrix()
            T[:3, 3] = [float(x) for x in pos.split()]
            total += T @ points_of(mass, alone) @ T.T
        inertial = weighed(text + "<geom size='1' mass='0'/>")
        T = inertial.origin
        assert_allclose(T @ points_of(inertial.mass, inertial.inertia) @ T.T, total, atol=1e-12)

    def test_geoms_of_other_groups_and_without_density_weigh_nothing(self):
        robot = bodies(
            """<body name='b'><geom size='1' group='4'/><geom size='1' density='0'/><geom size='1' mass='0'/>
               <geom type='sphere' size='1' mass='2'/></body>""",
            "<compiler inertiagrouprange='0 3'/>",
        )
        assert robot.links["b"].inertial.mass == 2

    @each("setting, mass", [("auto", 4), ("false", 4), ("true", 2)])
    def test_inertiafromgeom(self, setting, mass):
        inner = "<inertial pos='0 0 0' mass='4' diaginertia='1 1 1'/><geom size='1' mass='2'/>"
        robot = bodies(f"<body name='b'>{inner}</body>", f"<compiler inertiafromgeom='{setting}'/>")
        assert robot.links["b"].inertial.mass == mass

    def test_the_mass_of_a_mesh_is_unknown_and_a_note_says_so(self):
        robot = bodies("<body name='b'><geom type='mesh' mesh='m'/></body>", "<asset><mesh file='m.stl'/></asset>")
        assert robot.links["b"].inertial is None
        assert "unknown-inertia" in codes(robot)

    def test_settotalmass_scales_all(self):
        inner = "<body name='a'><geom size='1' mass='1'/></body><body name='b'><geom size='1' mass='3'/></body>"
        robot = bodies(inner, "<compiler settotalmass='8'/>")
        assert [robot.links[n].inertial.mass for n in "ab"] == [2, 6]
        assert_allclose(robot.links["b"].inertial.inertia[0, 0], 0.4 * 6)


class TestShapes:
    def test_sizes_are_halves_and_fromto_points_z_at_its_first_point(self):
        geometry = bodies("<geom type='capsule' size='0.1' fromto='0 0 0 2 0 0'/>").links["world"].collisions[0]
        assert geometry.shape.parameters == {"radius": 0.1, "length": 2}
        assert_allclose(geometry.origin[:3, 3], [1, 0, 0])
        assert_allclose(geometry.origin[:3, 2], [-1, 0, 0], atol=1e-15)

    def test_meshes_have_their_folder_scale_and_reference_pose(self):
        robot = bodies(
            "<geom type='mesh' mesh='m' pos='1 0 0'/>",
            """<compiler assetdir='a' meshdir='b'/>
               <asset><mesh name='m' file='c/m.stl' scale='2 2 2' refpos='0 0 3'/></asset>""",
        )
        geometry = robot.links["world"].collisions[0]
        assert geometry.shape.parameters == {"filename": "b/c/m.stl", "scale": (2, 2, 2)}
        assert geometry.origin[:3, 3].tolist() == [1, 0, -6]  # as MuJoCo 4.0 does

    @each("kind", ["", "type='box'", "type='capsule'", "type='ellipsoid' fitscale='2'", "class='c'"])
    def test_a_primitive_that_is_fitted_to_a_mesh_is_left_out_by_name(self, kind):
        head = """<default><default class='c'><geom type='cylinder'/></default></default>
          <asset><mesh name='m' file='m.stl'/></asset>"""
        robot = bodies(f"<body name='b'><joint name='j'/><geom name='g' {kind} mesh='m'/></body>", head)
        assert robot.links["b"].collisions == robot.links["b"].visuals == ()
        assert robot.links["b"].inertial is None
        left, unknown = [note for note in robot.notes if note.severity == "warning"]
        assert (left.code, left.element, unknown.code) == ("left-out", "body 'b'", "unknown-inertia")
        assert "fitted to a mesh" in left.message
        assert "geom 'g' is left out" in left.message

    def test_a_mesh_whose_distance_field_collides_is_a_mesh(self):
        head = "<asset><mesh name='m' file='m.stl'/></asset>"
        (geometry,) = bodies("<geom type='sdf' mesh='m'/>", head).links["world"].collisions
        assert geometry.shape.kind == "mesh"

    def test_a_size_that_is_no_number_is_one_fault(self):
        inner = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='box' size='a'/>"
        robot = bodies(f"<body name='b'>{inner}</body>")
        assert [note.message for note in robot.notes] == [
            "size='a'; expected up to 3 finite numbers; <geom> is left out"
        ]

    def test_what_cannot_touch_is_seen_and_what_is_hidden_is_felt(self):
        world = bodies("<geom size='1' contype='0' conaffinity='0'/><geom size='2' group='3'/><geom size='3'/>").links[
            "world"
        ]
        assert [g.shape.parameters["radius"] for g in world.visuals] == [1, 3]
        assert [g.shape.parameters["radius"] for g in world.collisions] == [2, 3]

    def test_a_geom_has_its_name_in_one_list(self):
        """Of a geom that is seen and felt it is that of the collision, so that it comes back once."""
        for attributes, names in (
            ("contype='0' conaffinity='0'", (["g"], [])),
            ("group='3'", ([], ["g"])),
            ("", ([None], ["g"])),
        ):
            world = bodies(f"<geom name='g' size='1' {attributes}/>").links["world"]
            assert ([g.name for g in world.visuals], [g.name for g in world.collisions]) == names

    def test_several_sections_of_assets_add_up(self):
        robot = robot_of("""<mujoco><asset><material name='a' rgba='1 0 0 1'/></asset><worldbody>
          <geom size='1' material='b'/><geom type='mesh' mesh='s'/></worldbody>
          <asset><mesh name='s' file='s.stl'/></asset><asset><material name='b' rgba='0 1 0 1'/></asset></mujoco>""")
        assert {name: material.rgba for name, material in robot.materials.items()} == {
            "a": (1, 0, 0, 1),
            "b": (0, 1, 0, 1),
        }
        ball, mesh = robot.links["world"].collisions
        assert ball.material.name == "b"
        assert mesh.shape.parameters["filename"] == "s.stl"

    def test_colour_and_material(self):
        robot = bodies(
            "<geom size='1' material='red'/><geom size='1' material='red' rgba='0 0 1 1'/>",
            "<asset><material name='red' rgba='1 0 0 1'/></asset>",
        )
        assert robot.materials["red"].rgba == (1, 0, 0, 1)
        first, second = robot.links["world"].collisions
        assert (first.material.name, second.material.rgba) == ("red", (0, 0, 1, 1))


class TestSensors:
    def test_at_their_sites_force_at_the_joint_to_the_body(self):
        robot = robot_of("""<mujoco><worldbody><body name='b'><joint name='j'/><site name='s'/></body></worldbody>
            <sensor><force name='f' site='s' noise='0.1'/><jointpos name='p' joint='j'/></sensor></mujoco>""")
        force = robot.sensors["f"]
        assert (force.type, force.frame, force.joint) == ("force", "s", "j")
        assert force.extensions[0].text == 'noise="0.1"'
        assert "jointpos" in robot.extensions[0].text

    def test_a_camera_looks_along_x_here(self):
        robot = bodies("<body name='b'><camera name='c' zaxis='-1 0 0' fovy='50'/></body>")  # it looks along its -z
        assert_allclose(robot.sensors["c"].origin[:3, 0], [1, 0, 0], atol=1e-15)


class TestInclude:
    def test_children_of_the_included_root_take_its_place(self):
        main = "<mujoco><include file='a.xml'/><worldbody><include file='b.xml'/></worldbody></mujoco>"
        a = "<mujocoinclude><compiler angle='radian'/></mujocoinclude>"
        b = "<mujoco><body name='b' axisangle='0 0 1 1'><include file='c.xml'/></body></mujoco>"
        robot = robot_of(main, {"a.xml": a, "b.xml": b, "c.xml": "<mujocoinclude><joint name='j'/></mujocoinclude>"})
        assert robot.joint_names == ("j",)
        assert_allclose(robot.joints["j"].origin[:3, :3], se3.rotation((0, 0, 1), 1.0), atol=1e-15)
        assert robot.joints["j"].source.file == "c.xml"

    def test_from_disk(self, tmp_path):
        (tmp_path / "parts").mkdir()
        (tmp_path / "main.xml").write_text("<mujoco><include file='parts/a.xml'/></mujoco>")
        (tmp_path / "parts" / "a.xml").write_text("<mujocoinclude><include file='b.xml'/></mujocoinclude>")
        (tmp_path / "parts" / "b.xml").write_text(
            "<mujocoinclude><worldbody><body name='x'/></worldbody></mujocoinclude>"
        )
        assert "x" in kt.load(tmp_path / "main.xml").links


HELD = """<mujoco><compiler angle="radian"/><worldbody>
<body name="a"><joint name="a" axis="0 0 1" ref="0.1" range="-1 1"/>
<body name="b" pos="1 0 0"><joint name="b" axis="0 0 1"/>
<body name="c" pos="1 0 0"><joint name="c" axis="0 0 1"/></body></body></body></worldbody>
<tendon><fixed name="t" range="-1 2"> <joint joint="a" coef="2"/> <joint joint="c" coef="1"/> </fixed></tendon>
<equality>%s</equality></mujoco>"""


@pytest.mark.parametrize("turned", [False, True])
def test_a_held_joint_and_what_follows_it_are_locked(turned):
    order = ("<joint joint1='a' polycoef='0.3'/>", "<joint joint1='b' joint2='a' polycoef='0.5 2'/>")
    text = HELD % "".join(order[::-1] if turned else order)
    robot, findings = read(text, "held.xml")
    assert robot is not None, findings
    assert robot.joint_names == ("c",)
    assert [robot.joints[name].type for name in "abc"] == ["fixed", "fixed", "continuous"]
    (limit,) = robot.coupled_limits
    assert dict(limit.coefficients) == {"c": 1.0}
    assert_allclose([limit.lower, limit.upper], [-1 - 2 * 0.4, 2 - 2 * 0.4], rtol=0, atol=1e-15)
    # a at ref + 0.3 = 0.4, turned by 0.3 from where it is drawn; b at 0.5 + 2 (0.4 - 0.1) = 1.1
    p = [np.cos(0.3) + np.cos(1.4), np.sin(0.3) + np.sin(1.4), 0]
    assert_allclose(kt.fk(robot, "c")([0.7])[:3, 3], p, rtol=0, atol=1e-12)
    assert "held-joint" in [note.code for note in robot.notes]
    assert robot.text.text == text


def test_a_held_follower_holds_its_leader():
    text = HELD % "<joint joint1='b' joint2='c' polycoef='0.5 2'/><joint joint1='b' polycoef='1.5'/>"
    robot, _ = read(text, "held.xml")
    assert robot.joint_names == ("a",)
    assert_allclose(kt.fk(robot, "c", base="b")([0.0])[:3, :3], se3.rotation((0, 0, 1), 0.5), rtol=0, atol=1e-12)


@each(
    "inner",
    [
        "<joint joint1='a' polycoef='0.3'/><joint joint1='a' polycoef='0.4'/>",
        "<joint joint1='b' joint2='a' polycoef='0.5 0'/><joint joint1='b' polycoef='0.4'/>",
        "<joint joint1='b' joint2='a'/><joint joint1='a' polycoef='0.3'/><joint joint1='b' polycoef='0.4'/>",
    ],
)
def test_a_joint_that_is_held_at_two_values_is_refused(inner):
    robot, findings = read(HELD % inner, "held.xml")
    assert robot is None
    assert [f.code for f in findings if f.severity == "error"] == ["mimic"]
