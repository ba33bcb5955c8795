"""Masses of MJCF that follow from meshes, and bounds on masses. Numbers are those of a tetrahedron with corners on the
axes: its volume is abc/6, its moments 3 m (b² + c²)/80, its products -m ab/80."""

import struct
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import kinetree as kt
import mesh_files
from kinetree.shapes.as_mujoco import read_as_mujoco
from kinetree.viewing.tables import robot_page

COM = np.array([0.25, 0.5, 0.75])
INERTIA = 1000 * np.array([[39, 2, 3], [2, 30, 6], [3, 6, 15]]) / 80
FILES = {"m.stl": mesh_files.stl(), "m.obj": mesh_files.obj()}
FILES["m.msh"] = (
    struct.pack("<4i", 4, 0, 0, 4)
    + mesh_files.CORNERS.astype("<f4").tobytes()
    + mesh_files.FACES.astype("<i4").tobytes()
)
FILES["points.msh"] = struct.pack("<4i", 4, 0, 0, 0) + mesh_files.CORNERS.astype("<f4").tobytes()
FILES["points.obj"] = b"\n".join(b"v %g %g %g" % tuple(corner) for corner in mesh_files.CORNERS)
CUBE = b"\n".join(b"v %d %d %d" % (x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1))
CUBE += b"\ng one\nf 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf -6 -5 -1 -2\nf 1/1 3/1 7/1 5/1\nf 2 6 8 4\ng other\nf 8 7 6\n"
TEXT = """<mujoco><compiler {compiler}/><asset><mesh name="m" {mesh}/></asset>
<worldbody><body name="b" pos="1 0 0"><joint name="j"/>{body}</body></worldbody></mujoco>"""
GEOM = '<geom type="mesh" mesh="m"/>'


def load(folder: Path, mesh: str = 'file="m.stl"', body: str = GEOM, compiler: str = "", **options) -> kt.Robot:
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    file = folder / "m.xml"
    file.write_text(TEXT.format(mesh=mesh, body=body, compiler=compiler))
    return kt.load(file, **options)


def inertial_of(robot: kt.Robot) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre of mass and inertia in the axes of the body."""
    inertial = robot.links["b"].inertial
    R = inertial.origin[:3, :3]
    return inertial.mass, inertial.origin[:3, 3], R @ inertial.inertia @ R.T


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["", 'inertia="convex"', 'inertia="exact"', 'inertia="legacy"'])
@pytest.mark.parametrize("file", FILES)
def test_a_mesh_has_the_mass_of_its_volume(rule, file, tmp_path):
    robot = load(tmp_path, f'file="{file}" {rule}')
    mass, com, inertia = inertial_of(robot)
    assert not robot.notes
    assert_allclose(mass, 1000, rtol=1e-12)
    assert_allclose(com, COM, rtol=1e-12)
    assert_allclose(inertia, INERTIA, atol=1e-9)


def test_a_geom_that_mujoco_skips_weighs_nothing(tmp_path):
    body = '<geom type="sphere" size="0.1" mass="{}"/>'
    assert load(tmp_path, body=body.format("1e-15")).links["b"].inertial is None
    assert load(tmp_path, body=body.format("1e-13")).links["b"].inertial.mass == 1e-13


def test_an_inline_mesh_has_one_too_and_scale_places_and_mass_count(tmp_path):
    vertices = f'vertex="{mesh_files.NUMBERS}"'
    for mesh in (vertices, vertices + ' face="0 2 1 0 1 3 0 3 2 1 2 3"'):
        assert_allclose(inertial_of(load(tmp_path, mesh))[0], 1000, rtol=1e-12)
    for scale in ("2 2 2", "-2 2 2"):  # a mirrored mesh has a positive volume, too
        mass, com, inertia = inertial_of(load(tmp_path, f'file="m.stl" inertia="exact" scale="{scale}"'))
        assert_allclose(mass, 8000, rtol=1e-12)
        assert_allclose(com, 2 * COM * np.sign([float(scale.split()[0]), 1, 1]), rtol=1e-12)
        assert_allclose(np.diag(inertia), 32 * np.diag(INERTIA), rtol=1e-12)
    place = 'refpos="0.25 0.5 0.75" refquat="0 1 0 0"'  # half a turn about x
    mass, com, inertia = inertial_of(load(tmp_path, f'file="m.stl" {place}', '<geom type="mesh" mesh="m" mass="3"/>'))
    assert_allclose(mass, 3, rtol=1e-12)
    assert_allclose(com, [0, 0, 0], atol=1e-12)
    assert_allclose(inertia, 3e-3 * INERTIA * [[1, -1, -1], [-1, 1, 1], [-1, 1, 1]], atol=1e-12)


def test_a_shell_has_the_mass_of_its_area(tmp_path):
    mass, _, _ = inertial_of(load(tmp_path, 'file="m.stl" inertia="shell"', '<geom type="mesh" mesh="m" density="2"/>'))
    assert_allclose(
        mass, 2 * (1 + 1.5 + 3 + 3.5), rtol=1e-12
    )  # half the products of the edges, and half of |(6, 3, 2)|


DENT = 'vertex="0 0 0 1 0 0 0 1 0 0 0 1 .2 .2 .2" face="0 2 1 0 1 3 0 3 2 1 2 4 2 3 4 3 1 4"'
"""A tetrahedron with a dent, whose fifth vertex is inside."""


@pytest.mark.parametrize(
    ("rule", "mass", "moments"),
    [
        ("convex", 166.66666667, (50 / 3, 125 / 12, 125 / 12)),
        ("exact", 100.00000149, None),
        ("legacy", 137.06868412, None),
        ("shell", 2494.98743172, None),
    ],
)
def test_a_mesh_with_a_dent_has_the_masses_that_mujoco_prints(rule, mass, moments, tmp_path):
    robot = load(tmp_path, f'{DENT} inertia="{rule}"')
    assert_allclose(inertial_of(robot)[0], mass, rtol=1e-9)
    if moments:
        assert_allclose(sorted(np.linalg.eigvalsh(inertial_of(robot)[2])), sorted(moments), rtol=1e-8)


def test_a_shell_of_a_cube_has_its_moments(tmp_path):
    """5/18 of mass times edge squared."""
    block = " ".join(f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    mass, com, inertia = inertial_of(load(tmp_path, f'vertex="{block}" inertia="shell"'))
    assert_allclose(mass, 6000)
    assert_allclose(com, [0.5] * 3)
    assert_allclose(inertia, np.eye(3) * 6000 * 5 / 18, atol=1e-9)


def test_an_obj_file_is_read_as_mujoco_reads_it():
    """Its first shape alone, negative numbers, quads along their shorter diagonal, in single precision."""
    vertices, triangles = read_as_mujoco(CUBE, "a.OBJ")
    a, b, c = np.moveaxis(vertices[triangles], 1, 0)
    assert_allclose(np.einsum("ij,ij->", a, np.cross(b, c)) / 6, 1, rtol=1e-12)
    square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"  # of equal diagonals the second one
    assert [{*row} for row in read_as_mujoco(square, "a.obj")[1].tolist()] == [{1, 2, 3}, {1, 3, 0}]
    bent = b"v 0 0 0\nv 2 0 0\nv 2.1 0.1 1\nv 0 1 0\nf 1 2 3 4\nf 2 3 4 1\nf 1 2 3 4 1\n"
    vertices, triangles = read_as_mujoco(bent, "a.obj")
    assert vertices[2, 0] == np.float32(2.1)
    assert triangles.tolist() == [[1, 2, 3], [1, 3, 0], [1, 2, 3], [1, 3, 0], [0, 1, 2], [0, 2, 3], [0, 3, 0]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mesh", "why"),
    [
        ('file="gone.stl"', "there is no file"),
        ('file="m.dae"', "there is no file"),
        ('file="text.stl"', "STL file of text"),
        ('file="bad.obj"', "damaged"),
        ('file="huge.obj"', "polygon of 1001 corners"),
        ('file="m.ply"', "reads .stl, .obj and .msh"),
        ('builtin="sphere" params="2"', "only MuJoCo can make its triangles"),
        ('vertex="0 0 0 1 0 0 0 1 0"', "3 vertices"),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0"', "lie in a plane"),
        ('vertex="0 0 0 1 0 0 0 1 0 1 1 0" face="0 1 2 1 3 2"', "its volume is 0 m³"),
        ('vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 9"', "does not exist"),
        ('file="m.stl" inertia="exact" scale="1e-8 1e-8 1e-8"', "no area"),
        ('vertex="0 0 0 1 0 0 0 2 0 0 0 3" face="0 2 1 0 1 3 0 3 2 1 3 2" inertia="exact"', "turn the same way"),
        ('vertex="0 0 0 1 0 0 0 2 0 0 0 3" face="0 1 2 0 3 1 0 2 3 1 3 2" inertia="exact"', "not positive"),
        ('file="m.stl" inertia="solid"', "inertia='solid'"),
    ],
)
def test_a_mass_that_does_not_follow_is_unknown_and_everything_that_needs_it_says_so(mesh, why, tmp_path):
    (tmp_path / "text.stl").write_bytes(mesh_files.stl_text())
    (tmp_path / "bad.obj").write_bytes(b"v 0 0 0\nf 1 2 x\n")
    (tmp_path / "m.ply").write_bytes(b"ply\n")
    (tmp_path / "huge.obj").write_bytes(b"v 0 0 0\nf" + b" 1" * 1001)
    robot = load(tmp_path, mesh)
    link = robot.links["b"]
    assert link.inertial is None
    assert why in link.unweighed
    (note,) = [note for note in robot.notes if note.code == "unknown-inertia"]
    assert link.unweighed in note.message
    for ask in (
        kt.dynamics.mass,
        kt.dynamics.inertial_parameters,
        kt.center_of_mass,
        kt.inverse_dynamics,
        kt.mass_matrix,
    ):
        with pytest.raises(kt.KinetreeError, match="its mass is unknown") as error:
            ask(robot)
        assert error.value.findings[0].code == "unknown-mass"
    renamed = kt.edit.rename(robot, links={"b": "c"})
    assert renamed.links["c"].unweighed == link.unweighed
    for format in ("mjcf", "urdf", "sdf"):
        with pytest.raises(kt.KinetreeError) as error:
            kt.text(renamed, format, without=("extension", "geometry"))
        assert [finding.code for finding in error.value.findings] == ["cannot-say-unknown_mass"]
        assert kt.text(renamed, format, without=("extension", "geometry", "unknown_mass"))
    free = load(tmp_path, mesh, without=("unknown_mass",))
    assert not free.links["b"].unweighed
    assert kt.dynamics.mass(free) == 0
    assert "unknown-inertia" not in {note.code for note in free.notes}


def test_a_mass_that_is_written_needs_no_mesh(tmp_path):
    inner = '<inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>' + GEOM
    robot = load(tmp_path, 'file="gone.stl"', inner)
    assert inertial_of(robot)[0] == 2
    assert not robot.notes
    assert load(tmp_path, 'file="gone.stl"', inner, 'inertiafromgeom="true"').links["b"].unweighed
    other = '<geom type="mesh" mesh="m" group="4"/><geom type="mesh" mesh="m" mass="0"/><geom size="1" mass="3"/>'
    assert inertial_of(load(tmp_path, 'file="gone.stl"', other, 'inertiagrouprange="0 3"'))[0] == 3


def test_tables_and_comparisons_say_that_a_mass_is_unknown(tmp_path):
    known, unknown = load(tmp_path), load(tmp_path, 'file="gone.stl"')
    differences = kt.compare(known, unknown).differences
    assert [(d.message, d.counts) for d in differences if d.kind == "inertia"] == [
        ("masses of the second robot are unknown: b", False)
    ]
    shown = "\n".join(str(row) for section in robot_page(unknown, everything=True) for row in section.rows)
    assert "unknown, for that of b is" in shown
    assert "there is no file" in shown


def test_merging_keeps_that_a_mass_is_unknown(tmp_path):
    robot = load(tmp_path, 'file="gone.stl"', '<body name="c"><geom size="1"/></body>' + GEOM)
    assert kt.edit.merge_fixed(robot).links["b"].unweighed


def test_an_edit_loses_no_mass(tmp_path):
    """The case F28 of public reports."""
    robot = load(tmp_path, body=GEOM + '<geom size=".1"/>')
    mass = 1000 + 4000 / 3 * np.pi * 0.1**3
    edited = (kt.edit.rename(robot, links={"b": "c"}), kt.edit.prefix(robot, "p_"), kt.edit.lock(robot, {"j": 0.0}))
    for one in edited:
        assert_allclose(kt.dynamics.mass(one), mass, rtol=1e-12)
        for format in ("mjcf", "urdf", "sdf"):
            target = tmp_path / f"out.{format}"
            kt.save(one, target, format=format, without=("extension",))
            again = kt.load(target, format=format)
            assert_allclose(kt.dynamics.mass(again), mass, rtol=1e-9)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("box", {"size": (0.1, 0.2, 0.3)}),
        ("sphere", {"radius": 0.1}),
        ("cylinder", {"radius": 0.075, "length": 0.3}),
        ("capsule", {"radius": 0.075, "length": 0.225}),
        ("ellipsoid", {"radii": (0.05, 0.1, 0.15)}),
    ],
)
def test_a_primitive_is_fitted_to_a_mesh(kind, size, tmp_path):
    """A block of 0.1 × 0.2 × 0.3 m is its own box of inertia; its long side is along z."""
    block = (np.array([(x, y, z) for x in (0, 0.3) for y in (0, 0.2) for z in (0, 0.1)]) + 1).ravel()
    mesh = f'vertex="{" ".join(map(str, block))}" inertia="convex"'
    for compiler in ("", 'fitaabb="true"'):
        robot = load(tmp_path, mesh, f'<geom type="{kind}" mesh="m"/>', compiler)
        (shape,) = robot.links["b"].collisions
        if compiler and kind in ("sphere", "cylinder", "capsule"):
            size = {"radius": 0.15 if kind == "sphere" else 0.1} | (
                {} if kind == "sphere" else {"length": 0.3 if kind == "cylinder" else 0.1}
            )
        assert shape.shape.kind == kind
        for name, value in size.items():
            assert_allclose(shape.shape.parameters[name], value, rtol=1e-6)
        assert_allclose(shape.origin[:3, 3], [1.15, 1.1, 1.05], rtol=1e-6)
        assert_allclose(np.abs(shape.origin[:3, 2]), [1, 0, 0], atol=1e-6)
        assert robot.links["b"].inertial.mass > 0
    double = load(tmp_path, mesh, f'<geom type="{kind}" mesh="m" fitscale="2"/>').links["b"].inertial.mass
    assert_allclose(double / load(tmp_path, mesh, f'<geom type="{kind}" mesh="m"/>').links["b"].inertial.mass, 8)


class TestCompiler:
    def test_bounds_raise_masses_and_moments(self, tmp_path):
        ball = '<geom size="0.1" mass="1"/>'  # its moments are 0.004 kg m²
        mass, _, inertia = inertial_of(load(tmp_path, body=ball, compiler='boundmass="2" boundinertia="0.005"'))
        assert (mass, np.diag(inertia).tolist()) == (2, [0.005] * 3)
        mass, _, inertia = inertial_of(load(tmp_path, body=ball, compiler='boundmass="0.5" boundinertia="0.003"'))
        assert_allclose([mass, *np.diag(inertia)], [1, 0.004, 0.004, 0.004])

    def test_a_body_without_mass_gets_the_bounds_where_mujoco_puts_them(self, tmp_path):
        """MuJoCo 4.0 puts its centre of mass at the body's place in its parent, seen from the body."""
        mass, com, inertia = inertial_of(load(tmp_path, body="", compiler='boundmass="2" boundinertia="0.005"'))
        assert (mass, com.tolist(), np.diag(inertia).tolist()) == (2, [1, 0, 0], [0.005] * 3)
        small = inertial_of(load(tmp_path, body="", compiler='boundmass="1e-6" boundinertia="1e-9"'))
        assert (small[0], np.diag(small[2]).tolist()) == (1e-6, [1e-9] * 3)
        assert load(tmp_path, body="", compiler='balanceinertia="true"').links["b"].inertial is None

    @pytest.mark.parametrize(("given", "found"), [("1 2 6", [3, 3, 3]), ("1 2 3", [1, 2, 3])])
    def test_moments_are_evened_out(self, given, found, tmp_path):
        inner = f'<inertial pos="0 0 0" mass="1" diaginertia="{given}"/>'
        assert_allclose(np.diag(inertial_of(load(tmp_path, body=inner, compiler='balanceinertia="true"'))[2]), found)
        asked = [float(one) for one in given.split()]
        for compiler in ("", 'balanceinertia="false"', 'boundmass="0.5"'):
            assert_allclose(np.diag(inertial_of(load(tmp_path, body=inner, compiler=compiler))[2]), asked)

    def test_a_height_field_is_a_block(self, tmp_path):
        inner = '<geom type="hfield" hfield="h"/>'
        text = TEXT.format(mesh='file="m.stl"', body=inner, compiler="").replace(
            "<asset>", '<asset><hfield name="h" nrow="2" ncol="2" size="1 2 0.4 0.2"/>'
        )
        assert_allclose(kt.load(text, format="mjcf").links["b"].inertial.mass, 1000 * 8 * 1 * 2 * 0.2)
