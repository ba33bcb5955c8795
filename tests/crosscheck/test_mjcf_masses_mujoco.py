"""Masses that follow from meshes and other shapes against MuJoCo's compiled model, to 1e-6."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import kinetree as kt
import mesh_files
from kinetree.spatial import se3

mujoco = pytest.importorskip("mujoco")
pytestmark = [pytest.mark.crosscheck, pytest.mark.filterwarnings("ignore:compiler attribute 'settotalmass'")]

RULES = ("convex", "exact", "legacy", "shell")
TEXT = """<mujoco><compiler {compiler}/><asset><mesh name="m" file="m.{ending}" {mesh}/>
<hfield name="h" nrow="2" ncol="2" size="0.5 0.4 0.3 0.2"/></asset><worldbody>
<body name="b" pos="1 2 3"><joint name="j"/>{body}</body></worldbody></mujoco>"""


def blob(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return a closed surface that is not convex: the vertices of a convex hull moved along their rays."""
    points = rng.normal(size=(60, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = hull.simplices.astype(int)
    a, b, c = np.moveaxis(points[faces], 1, 0)
    inwards = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    return points * rng.uniform(0.5, 1.5, (60, 1)) * (0.3, 0.2, 0.1) + (0.1, 0.05, 0), faces


def write_mesh(folder: Path, ending: str, rng: np.random.Generator) -> None:
    corners, faces = blob(rng)
    lines = [*("v {} {} {}".format(*corner) for corner in corners), *("f {} {} {}".format(*face) for face in faces + 1)]
    content = mesh_files.stl(corners, faces) if ending == "stl" else "\n".join(lines).encode()
    (folder / f"m.{ending}").write_bytes(content)


def worst(robot: kt.Robot, model: mujoco.MjModel) -> float:
    """Return the largest relative error of a mass, a centre of mass or an inertia."""
    found = []
    for i in range(1, model.nbody):
        inertial = robot.links[model.body(i).name].inertial
        mass, com, I = (
            (inertial.mass, inertial.origin[:3, 3], inertial.inertia)
            if inertial
            else (0, np.zeros(3), np.zeros((3, 3)))
        )
        R = inertial.origin[:3, :3] if inertial else np.eye(3)
        w, x, y, z = model.body_iquat[i]
        R_mujoco = se3.rotation_from_quaternion((x, y, z, w))
        theirs = R_mujoco @ np.diag(model.body_inertia[i]) @ R_mujoco.T
        found.append(abs(mass / model.body_mass[i] - 1) if model.body_mass[i] else mass)
        found.append(np.abs(com - model.body_ipos[i]).max() if mass else 0)
        found.append(np.abs(R @ I @ R.T - theirs).max() / max(np.abs(theirs).max(), 1e-12))
    return max(found)


def compare(folder: Path, body: str, mesh: str = "", compiler: str = "", ending: str = "stl") -> None:
    file = folder / "m.xml"
    file.write_text(TEXT.format(body=body, mesh=mesh, compiler=compiler, ending=ending))
    spec = mujoco.MjSpec.from_file(str(file))
    assert worst(kt.load(file), spec.compile()) < 1e-6


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ending", ["stl", "obj"])
def test_meshes(rule, ending, tmp_path):
    rng = np.random.default_rng(RULES.index(rule))
    write_mesh(tmp_path, ending, rng)
    for more in (
        "",
        'scale="2 2 2"',
        'scale="1 -3 2"',
        'refpos="1 2 3"',
        'refpos="1 2 3" refquat="1 2 3 4" scale="2 2 2"',
    ):
        for geom in ("", 'mass="3"', 'density="20"'):
            body = f'<geom type="mesh" mesh="m" pos="1 2 3" euler="10 20 30" {geom}/>'
            compare(tmp_path, body, f'inertia="{rule}" {more}', ending=ending)
            compare(
                tmp_path,
                body + '<geom size="0.2"/><geom type="mesh" mesh="m"/>',
                f'inertia="{rule}" {more}',
                ending=ending,
            )


@pytest.mark.parametrize("most", [4, 10, 30])
def test_convex_hulls_of_few_vertices(most, tmp_path):
    write_mesh(tmp_path, "stl", np.random.default_rng(most))
    compare(tmp_path, '<geom type="mesh" mesh="m"/>', f'inertia="convex" maxhullvert="{most}"')


@pytest.mark.parametrize("kind", ["box", "sphere", "cylinder", "capsule", "ellipsoid"])
@pytest.mark.parametrize("compiler", ["", 'fitaabb="true"'])
def test_fitted_primitives(kind, compiler, tmp_path):
    write_mesh(tmp_path, "stl", np.random.default_rng(1))
    for rule in RULES:
        for more in ("", 'fitscale="2"', 'shellinertia="true"'):
            compare(tmp_path, f'<geom type="{kind}" mesh="m" pos="1 2 3" {more}/>', f'inertia="{rule}"', compiler)


@pytest.mark.parametrize(
    "compiler",
    [
        'boundmass="1"',
        'boundinertia="0.01"',
        'boundmass="1" boundinertia="1"',
        'balanceinertia="true"',
        'settotalmass="7" boundmass="1"',
        'inertiafromgeom="true"',
        'inertiafromgeom="false" boundmass="1" boundinertia="1"',
        'inertiagrouprange="1 3" boundmass="1" boundinertia="1"',
    ],
)
def test_settings_of_the_compiler(compiler, tmp_path):
    write_mesh(tmp_path, "stl", np.random.default_rng(1))
    ball, mesh = '<geom size="0.1" mass="0.5"/>', '<geom type="mesh" mesh="m" group="1"/>'
    written = '<inertial pos="1 2 3" mass="2" diaginertia="1 2 3" euler="10 20 30"/>'
    odd = written.replace('1 2 3" euler', '1 2 6" euler') if "balance" in compiler else written
    child = '<body name="c" pos="1 1 1"><geom size="0.1"/></body>'
    for body in (ball, mesh, ball + mesh, written + ball, odd, ball + child, mesh + '<body name="c" pos="1 2 3"/>'):
        compare(tmp_path, body, compiler=compiler)


@pytest.mark.parametrize("size", ["0.1 0.2 0.3", "1 1 1", "0.01 0.5 0.2"])
def test_shells_of_ellipsoids_and_blocks_of_height_fields(size, tmp_path):
    write_mesh(tmp_path, "stl", np.random.default_rng(1))
    compare(tmp_path, f'<geom type="ellipsoid" size="{size}" shellinertia="true"/>')
    compare(tmp_path, f'<geom type="ellipsoid" size="{size}" shellinertia="true" mass="2"/>')
    compare(tmp_path, '<geom type="hfield" hfield="h" pos="1 2 3"/>')
