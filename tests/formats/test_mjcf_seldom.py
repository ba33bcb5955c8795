"""MJCF: models attached with little or too much in them, masses of odd meshes, and broken answers of MuJoCo."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from each import each
from kinetree.formats import mjcf
from kinetree.formats.mjcf.attach import _Attacher
from kinetree.formats.mjcf.compiler import Compiler
from kinetree.formats.mjcf.inertia import bounded
from kinetree.formats.mjcf.mesh_mass import content_of
from kinetree.model.robot import Inertial
from kinetree.syntax.xml.reader import Report, parse

BODY = '<body name="b"><geom size="1"/></body>'
OUTER = """<mujoco><asset>{}</asset><worldbody>{}</worldbody></mujoco>"""


def opener(file, by):
    """Return the text of a model whose name is that of the file."""
    return f'<mujoco model="{file}"><worldbody>{BODY}</worldbody></mujoco>'.encode(), file


def said(text: str, opener=opener, **options) -> list[tuple[str, str]]:
    return [
        (one.code, one.message) for one in mjcf.read(text, "m.xml", opener, **options)[1] if one.severity == "error"
    ]


class TestAttachedModels:
    def test_without_names_in_asset_are_opened_until_one_has_the_name(self, monkeypatch):
        opened = []
        real = _Attacher.opened

        def counted(self, asset):
            opened.append(asset.get("file"))
            return real(self, asset)

        monkeypatch.setattr(_Attacher, "opened", counted)
        models = "".join(f'<model file="{name}"/>' for name in "xyz")
        text = OUTER.format(models, '<attach model="y" prefix="1_"/><attach model="y" prefix="2_"/>')
        robot, _ = mjcf.read(text, "m.xml", opener)
        assert [*robot.links] == ["world", "1_b", "2_b"]
        assert opened == ["x", "y", "y"]  # not x again, which has another name

    def test_of_no_such_name_are_errors(self):
        text = OUTER.format('<model file="x"/><model name="n" file="y"/>', '<attach model="y" prefix=""/>')
        assert said(text)[0] == ("attach", "model 'y' is not in <asset>; there are 'n', 'x'")

    def test_with_bodies_that_name_nothing_keep_them_and_nothing_else_that_does(self):
        inner = '<geom size="1"/><site name="s"/><camera name="c" mode="targetbody" target="gone"/>'
        sensors = '<sensor><gyro name="good" site="s"/><gyro name="bad" site="gone"/></sensor>'
        child = f'<mujoco><worldbody><body name="b">{inner}</body></worldbody>{sensors}</mujoco>'
        text = OUTER.format('<model name="c" file="c"/>', '<attach model="c" body="b" prefix="p_"/>')
        robot, findings = mjcf.read(text, "m.xml", lambda file, by: (child.encode(), file))
        (message,) = (one.message for one in findings if one.code == "unknown-name")
        assert message == "body 'p_gone' does not exist; there are 'p_b', 'world'; it is kept unchanged"
        assert [*robot.sensors] == ["p_good"]

    @each("many, is_refused", [(12, False), (11, True), (7, True), (3, True)])
    def test_of_too_many_elements_are_refused_once(self, many, is_refused, monkeypatch):
        """A body and a geom with their attributes are four, and there are three more of them."""
        text = OUTER.format("", BODY + "".join(f'<attach body="b" prefix="{i}_"/>' for i in range(3)))
        report = Report()
        parse(text, "m.xml", report)
        limit = report.parts + many
        for module in ("attach", "read"):
            monkeypatch.setattr(sys.modules[f"kinetree.formats.mjcf.{module}"], "MAX_PARTS", limit)
        robot, findings = mjcf.read(text, "m.xml")
        assert (robot is None) == is_refused
        message = f"more than {limit} elements and attributes are attached"
        assert [(f.code, f.message) for f in findings if f.severity == "error"] == [("xml-size", message)] * is_refused


def tetrahedron(scale: float, at: float, inside_out: bool) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) * scale + (at, 0, 0)
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    return corners, faces[:, ::-1] if inside_out else faces


class TestMeshes:
    def test_inside_out_have_no_volume(self):
        vertices, faces = tetrahedron(1.0, 0.0, True)
        for rule, volume in (("convex", 1 / 6), ("legacy", 1 / 6), ("shell", 1.5 + np.sqrt(3) / 2)):
            assert content_of(vertices, faces, rule).amount == pytest.approx(volume)
        with pytest.raises(ValueError, match=r"^its volume is -0\.167 m³, which is not positive$"):
            content_of(vertices, faces, "exact")

    def test_with_a_hole_far_away_have_moments_of_no_body(self):
        (one, faces), (two, more) = tetrahedron(1.0, 0.0, False), tetrahedron(0.5, 9.0, True)
        vertices, both = np.concatenate([one, two]), np.concatenate([faces, more + 4])
        assert content_of(vertices, both, "legacy").amount > 1 / 6
        with pytest.raises(ValueError, match=r"^its moments of inertia are those of no body$"):
            content_of(vertices, both, "exact")

    def test_of_few_vertices_or_no_area_are_none(self):
        with pytest.raises(ValueError, match=r"^it has 3 vertices; expected at least 4$"):
            content_of(np.eye(3), np.array([(0, 1, 2)]), "shell")
        with pytest.raises(ValueError, match=r"^it has no area$"):
            content_of(np.zeros((4, 3)), np.array([(0, 1, 2)]), "shell")


@each("moment, bounded_to", [(1.0, 2e99), (9e99, 9e99), (1.1e100, None), (np.inf, None), (np.nan, None)])
def test_moments_beyond_all_bodies_are_not_bounded(moment, bounded_to):
    given = Inertial(1.0, np.diag([moment, 1.0, 1.0]))
    made = bounded(given, Compiler(boundinertia=2e99), np.eye(4))
    assert (made is given) == (bounded_to is None)
    assert made is given or np.abs(np.linalg.eigvalsh(made.inertia)).max() == pytest.approx(bounded_to)


def test_a_text_of_mujoco_that_cannot_be_read_leaves_the_robot_of_the_file(monkeypatch):
    """Such as one with two bodies of a name, after attach with prefix=""."""
    reader = sys.modules["kinetree.formats.mjcf.read"]
    whole = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"
    answers = {"broken": whole.replace(BODY, 2 * BODY), "whole": whole}
    text = whole.replace(BODY, f'<body name="own"><geom size="1"/></body><replicate count="1">{BODY}</replicate>')
    for kind, names in (("broken", ["world", "own", "b0"]), ("whole", ["world", "b"])):
        made = parse(answers[kind], "made.xml", Report())
        monkeypatch.setattr(reader, "makers", lambda root: True)
        monkeypatch.setattr(reader, "expanded", lambda report, root, confinement, made=made: made)
        robot, findings = mjcf.read(text, "m.xml", by="mujoco")
        assert [*robot.links] == names
        assert not [one for one in findings if one.severity == "error"]
