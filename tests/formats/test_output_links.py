"""Files beside the one that the user named are never written through links."""

import os

import pytest

import kinetree as kt
import mesh_files
from kinetree.files.output import check_no_links

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")


@pytest.fixture
def robot(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "a.stl").write_bytes(mesh_files.stl())
    text = (
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="a.stl"/></geometry></visual></link></robot>'
    )
    (tmp_path / "in" / "r.urdf").write_text(text)
    return kt.load(tmp_path / "in" / "r.urdf")


@pytest.mark.parametrize("link", ["assets", "assets/in", "assets/in/a.stl"])
def test_assets(robot, link, tmp_path):
    out = tmp_path / "out" / "r.urdf"
    (tmp_path / "out" / link).parent.mkdir(parents=True, exist_ok=True)
    target = tmp_path / "elsewhere" / ("a.stl" if link.endswith(".stl") else "")
    if link.endswith(".stl"):
        target.write_bytes((tmp_path / "in" / "a.stl").read_bytes())
    (tmp_path / "out" / link).symlink_to(target)
    with pytest.raises(kt.KinetreeError, match="follows no links") as error:
        kt.save(robot, out)
    assert error.value.findings[0].source.file == str(tmp_path / "out" / link)
    assert not out.exists()
    assert link.endswith(".stl") or not [*(tmp_path / "elsewhere").iterdir()]


def test_links_that_the_user_named_are_followed(robot, tmp_path):
    (tmp_path / "linked").symlink_to(tmp_path / "out")
    kt.save(robot, tmp_path / "linked" / "r.urdf")
    assert (tmp_path / "out" / "r.urdf").exists()
    assert (tmp_path / "out" / "assets" / "in" / "a.stl").exists()
    (tmp_path / "out" / "named.urdf").symlink_to(tmp_path / "elsewhere" / "b.urdf")
    kt.save(robot, tmp_path / "out" / "named.urdf")
    assert (tmp_path / "elsewhere" / "b.urdf").exists()


def test_relative_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "r_models").symlink_to("elsewhere")
    named = tmp_path.__class__("r.html")
    check_no_links([named, named.with_name("other")], named)
    with pytest.raises(kt.KinetreeError):
        check_no_links([named.with_name("r_models") / "1.html"], named)
