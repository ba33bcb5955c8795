"""What a model may read: its workspace, the packages found or named for it, and variables that somebody names."""

import re
from pathlib import Path

import pytest

import kinetree as kt
from each import each
from kinetree.checker.job import check_job
from kinetree.checker.plan import jobs
from kinetree.confine import Confinement, workspace_of
from support import put

XACRO = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{}<link name="base"/></robot>'
PART = '<robot name="part"/>'
SDF = '<sdf version="1.9"><model name="m"><include><uri>{}</uri></include></model></sdf>'
MODEL = '<sdf version="1.9"><model name="n"><link name="base"/></model></sdf>'
MJCF = '<mujoco><worldbody><body name="b"/></worldbody><include file="{}"/></mujoco>'
PACKAGE = "<package><name>{}</name></package>"


@pytest.fixture
def world(tmp_path):
    """A workspace `far/home/ws`, and beside it what is none of its business; the disk around `far` is not searched."""
    far = tmp_path / "far"
    put(far / "kinetree-test-root/x", "")
    ws = far / "home/ws"
    put(ws / "kinetree.toml", "")
    put(ws / "macros/part.xacro", PART)
    put(far / "home/secret.xacro", PART)
    put(far / "home/secret.yaml", "base: 1")
    put(far / "home/secret.sdf", MODEL)
    put(far / "home/secret.xml", '<mujocoinclude><worldbody><body name="c"/></worldbody></mujocoinclude>')
    put(far / "home/model/model.sdf", MODEL)
    (ws / "link").symlink_to(far / "home")
    (ws / "link.yaml").symlink_to(far / "home/secret.yaml")
    return ws


def included(name):
    return XACRO.format(f'<xacro:include filename="{name}"/>')


def loaded(name):
    return XACRO.format(f'<xacro:property name="p" value="${{xacro.load_yaml({name!r})}}"/><xacro:if value="${{p}}"/>')


WAYS_OUT = {
    "include": ("a.xacro", included("../secret.xacro")),
    "optional": ("a.xacro", XACRO.format('<xacro:include filename="../secret.xacro" optional="true"/>')),
    "absolute": ("a.xacro", included("{home}/secret.xacro")),
    "link of a folder": ("a.xacro", included("link/secret.xacro")),
    "dots behind a link": ("a.xacro", included("macros/../../secret.xacro")),
    "wildcard": ("a.xacro", included("../*.xacro")),
    "wildcard that finds nothing": ("a.xacro", included("../nothing*.xacro")),
    "wildcard behind a link": ("a.xacro", included("l*nk/secret.xacro")),
    "package without package.xml": ("a.xacro", included("$(find model)/../secret.xacro")),
    "package of dots": ("a.xacro", included("$(find ..)/secret.xacro")),
    "yaml": ("a.xacro", loaded("../secret.yaml")),
    "yaml, absolute": ("a.xacro", loaded("{home}/secret.yaml")),
    "yaml behind a link": ("a.xacro", loaded("link.yaml")),
    "SDF": ("a.sdf", SDF.format("../secret.sdf")),
    "SDF, file": ("a.sdf", SDF.format("file://{home}/secret.sdf")),
    "SDF, absolute": ("a.sdf", SDF.format("{home}/secret.sdf")),
    "SDF, folder": ("a.sdf", SDF.format("../model")),
    "SDF, model": ("a.sdf", SDF.format("model://model")),
    "SDF, package": ("a.sdf", SDF.format("package://home/secret.sdf")),
    "SDF, link": ("a.sdf", SDF.format("link/secret.sdf")),
    "MJCF": ("a.xml", MJCF.format("../secret.xml")),
    "MJCF, absolute": ("a.xml", MJCF.format("{home}/secret.xml")),
    "MJCF, link": ("a.xml", MJCF.format("link/secret.xml")),
}
OPEN = [way for way in WAYS_OUT if way not in ("wildcard that finds nothing", "package of dots")]
"""Ways that lead somewhere where nothing is confined."""


def model(world, way):
    name, text = WAYS_OUT[way]
    return put(world / name, text.replace("{home}", str(world.parent)))


@each("way", WAYS_OUT)
def test_no_reader_leaves_the_workspace(world, way):
    file = model(world, way)
    with pytest.raises(kt.KinetreeError) as refused:
        kt.load(file, confined=True)
    finding = refused.value.findings[0]
    if way != "package of dots":
        assert finding.code == "confined"
        assert "outside of the workspace" in finding.message
        assert "kinetree.toml" in finding.fix
    assert finding.source.file == str(file)
    for one in refused.value.findings:
        assert "mujocoinclude" not in str(one)


@each("way", OPEN)
def test_without_it_a_model_may_read_all(world, way):
    assert kt.load(model(world, way)).links


@each("way", WAYS_OUT)
def test_a_folder_that_holds_both_may_be_named(world, way):
    file = model(world, way)
    if way in OPEN:
        assert kt.load(file, confined=Confinement([world.parent])).links


@each(
    "name, text",
    [
        ("urdf/a.xacro", included("../macros/part.xacro")),
        ("urdf/a.xacro", included("../macros/*.xacro")),
        ("urdf/a.sdf", SDF.format("../other.sdf")),
        ("urdf/a.xml", MJCF.format("../other.xml")),
    ],
)
def test_the_workspace_is_read(world, name, text):
    put(world / "other.sdf", MODEL)
    put(world / "other.xml", "<mujocoinclude><worldbody><body name='c'/></worldbody></mujocoinclude>")
    assert kt.load(put(world / name, text), confined=True).links


class TestPackages:
    def found(self, file, **options):
        return kt.load(file, confined=True, **options).links

    @pytest.fixture
    def asking(self, world):
        put(world / "package.xml", PACKAGE.format("mine"))
        return put(world / "a.xacro", included("$(find other)/part.xacro"))

    def test_one_that_lies_beside_the_workspace(self, world, asking):
        put(world.parent / "other/part.xacro", PART)
        with pytest.raises(kt.KinetreeError, match=r"package 'other', which is .*outside") as refused:
            self.found(asking)
        assert "--package other=FOLDER" in refused.value.findings[0].fix
        put(world.parent / "other/package.xml", PACKAGE.format("other"))
        assert self.found(asking)

    def test_one_that_is_named(self, world, tmp_path, asking):
        put(tmp_path / "away/part.xacro", PART)
        with pytest.raises(kt.KinetreeError, match="cannot be found"):
            self.found(asking)
        assert self.found(asking, packages={"other": tmp_path / "away"})

    @pytest.mark.parametrize(
        ("variable", "inner"), [("ROS_PACKAGE_PATH", "other"), ("AMENT_PREFIX_PATH", "share/other")]
    )
    def test_one_of_the_environment(self, tmp_path, asking, monkeypatch, variable, inner):
        put(tmp_path / "ros" / inner / "part.xacro", PART)
        put(tmp_path / "ros" / inner / "package.xml", PACKAGE.format("other"))
        monkeypatch.setenv(variable, str(tmp_path / "ros"))
        assert self.found(asking)

    def test_one_that_is_installed_as_links(self, tmp_path_factory, asking, monkeypatch):
        tmp_path = tmp_path_factory.mktemp("ros")
        for name, text in {"part.xacro": PART, "package.xml": PACKAGE.format("other")}.items():
            source = put(tmp_path / "src/other" / name, text)
            (tmp_path / "ros/share/other").mkdir(parents=True, exist_ok=True)
            (tmp_path / "ros/share/other" / name).symlink_to(source)
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
        assert self.found(asking)

    def test_a_way_out_of_one(self, world, asking):
        put(world.parent / "other/package.xml", PACKAGE.format("other"))
        asking.write_text(included("$(find other)/../secret.xacro"))
        with pytest.raises(kt.KinetreeError, match=r"secret\.xacro.*outside of the workspace"):
            self.found(asking)

    def test_a_link_of_the_workspace_is_none(self, world, tmp_path, asking):
        put(tmp_path / "victim/part.xacro", PART)
        put(tmp_path / "victim/package.xml", PACKAGE.format("other"))
        (world / "inner").mkdir()
        (world / "package.xml").rename(world / "inner/package.xml")
        (world / "other").symlink_to(tmp_path / "victim")
        asking = put(world / "inner/a.xacro", asking.read_text())
        assert kt.load(asking).links
        with pytest.raises(kt.KinetreeError, match=r"package 'other', which is .*victim.*outside"):
            self.found(asking)

    def test_a_model_with_its_config(self, world):
        file = put(world / "a.sdf", SDF.format("model://model"))
        with pytest.raises(kt.KinetreeError, match=r"model 'model', which is .*outside"):
            self.found(file)
        put(world.parent / "model/model.config", "<model><sdf version='1.9'>model.sdf</sdf></model>")
        assert self.found(file)

    def test_a_config_that_is_a_link(self, world):
        put(world / "inner.sdf/model.sdf", MODEL)
        put(world.parent / "secret.config", "<model><sdf version='1.9'>model.sdf</sdf></model>")
        (world / "inner.sdf/model.config").symlink_to(world.parent / "secret.config")
        file = put(world / "a.sdf", SDF.format("inner.sdf"))
        assert kt.load(file).links
        with pytest.raises(kt.KinetreeError, match="outside of the workspace"):
            self.found(file)

    def test_a_config_that_leads_out(self, world):
        put(world / "inner/model.config", "<model><sdf version='1.9'>../../secret.sdf</sdf></model>")
        file = put(world / "a.sdf", SDF.format("inner"))
        assert kt.load(file).links
        with pytest.raises(kt.KinetreeError, match="outside of the workspace"):
            self.found(file)


def test_a_mark_that_is_a_link_opens_no_other_folder(tmp_path):
    secret = put(tmp_path / "secret/s.yaml", "a: 1")
    put(tmp_path / "arm/evil/package.xml", "<package><name>evil</name></package>")
    (tmp_path / "arm/evil/model.config").symlink_to(secret)
    text = f"<link name=\"$(find evil)${{xacro.load_yaml('{secret}').a}}\"/>"
    path = put(
        tmp_path / "arm/urdf/arm.urdf.xacro",
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{text}</robot>',
    )
    assert kt.load(path).links
    with pytest.raises(kt.KinetreeError) as refused:
        kt.load(path, confined=True)
    assert "confined" in {finding.code for finding in refused.value.findings}


class TestEnvironment:
    TEXT = '<robot name="r"><link name="{}"/></robot>'

    @pytest.fixture(autouse=True)
    def _set(self, monkeypatch):
        monkeypatch.setenv("OF_OURS", "seen")

    def test_it_is_not_seen(self):
        text = self.TEXT.format("$(env OF_OURS)")
        assert "seen" in kt.load(text, format="xacro").links
        with pytest.raises(kt.KinetreeError, match="'OF_OURS' is not set, or the settings") as refused:
            kt.load(text, format="xacro", confined=True)
        assert refused.value.findings[0].code == "confined"
        seen = Confinement([], {"OF_OURS": "given"})
        assert "given" in kt.load(text, format="xacro", confined=seen).links

    def test_a_default_holds(self):
        text = self.TEXT.format("$(optenv OF_OURS other)")
        assert "seen" in kt.load(text, format="xacro").links
        robot = kt.load(text, format="xacro", confined=True)
        assert "other" in robot.links
        (note,) = (note for note in robot.notes if note.code == "confined")
        assert "takes its default 'other'" in note.message

    def test_no_variable_is_set(self):
        with pytest.raises(kt.KinetreeError, match="'NOT_OF_OURS' is not set"):
            kt.load(self.TEXT.format("$(env NOT_OF_OURS)"), format="xacro")
        assert "a" in kt.load(self.TEXT.format("a$(optenv NOT_OF_OURS)"), format="xacro").links


class TestWorkspace:
    @pytest.mark.parametrize("mark", [".git", "kinetree.toml", "pyproject.toml", "package.xml"])
    def test_marks(self, tmp_path, mark):
        put(tmp_path / "top/a/b/arm.urdf", "")
        before = workspace_of(tmp_path / "top/a/b/arm.urdf")
        put(tmp_path / "top" / mark, "")
        assert workspace_of(tmp_path / "top/a/b/arm.urdf") == [*before, str(tmp_path / "top")]

    def test_the_nearest_of_each(self, tmp_path):
        for mark in ("a/.git", ".git", "a/b/package.xml", "kinetree.toml"):
            put(tmp_path / mark, "")
        found = workspace_of(tmp_path / "a/b/c/arm.urdf")
        assert found == [str(tmp_path / inner) for inner in ("a/b/c", "a/b", "a", "")]

    @pytest.mark.parametrize("which", ["HOME", "TMPDIR"])
    def test_home_and_temporary_files_are_none(self, tmp_path, monkeypatch, which):
        put(tmp_path / ".git/config", "")
        monkeypatch.setenv("HOME", str(tmp_path))
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        assert workspace_of(tmp_path / "a/arm.urdf") == [str(tmp_path / "a")]

    def test_folders_of_other_tests_are_none(self, tmp_path):
        put(tmp_path.parent / "nowhere_else/package.xml", "<package><name>nowhere_else</name></package>")
        file = put(tmp_path / "arm.xacro", included("$(find nowhere_else)/package.xml"))
        with pytest.raises(kt.KinetreeError, match="'nowhere_else' cannot be found"):
            kt.load(file)

    def test_a_home_that_is_a_link_is_none(self, tmp_path, monkeypatch):
        put(tmp_path / "data/user/.git/config", "")
        (tmp_path / "home").symlink_to(tmp_path / "data/user")
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        folder = tmp_path / "data/user/project"
        assert workspace_of(folder / "arm.urdf") == [str(folder)]

    def test_a_link_that_is_named(self, tmp_path):
        real = put(tmp_path / "real/arm.urdf", "")
        (tmp_path / "link.urdf").symlink_to(real)
        assert workspace_of(tmp_path / "link.urdf")[:2] == [str(tmp_path), str(tmp_path / "real")]
        assert str(tmp_path / "real") not in workspace_of(tmp_path / "link.urdf", follow=False)

    def test_a_tilde_is_the_home_folder_for_people_and_not_for_models(self, tmp_path, monkeypatch):
        put(tmp_path / "home/part.sdf", MODEL)
        put(tmp_path / "ws/~/part.sdf", MODEL)
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.chdir(tmp_path / "ws")
        file = put(Path("a.sdf"), SDF.format("~/part.sdf"))
        assert kt.load(file, confined=True).source.file == "a.sdf"
        assert Confinement(["~"]).folders == (tmp_path / "home",)

    def test_neighbours_of_like_names_are_outside(self, tmp_path):
        put(tmp_path / "ws-secret/part.xacro", PART)
        file = put(tmp_path / "ws/a.xacro", included("../ws-secret/part.xacro"))
        with pytest.raises(kt.KinetreeError, match="outside of the workspace"):
            kt.load(file, confined=Confinement([tmp_path / "ws"]))


class TestSettings:
    def checked(self, *paths, **options):
        return [check_job(job) for job in jobs(list(map(str, paths)), **options)]

    def codes(self, *paths, **options):
        return [f.code for one in self.checked(*paths, **options) for f in one.findings if f.severity == "error"]

    @pytest.fixture
    def asking(self, world):
        return put(world / "a.xacro", loaded("../secret.yaml"))

    def test_folders(self, world, asking):
        assert self.codes(asking) == ["confined"]
        put(world / "kinetree.toml", 'folders = [".."]')
        assert self.codes(asking) == []

    def test_a_folder_that_is_named_is_part_of_the_workspace(self, world, asking):
        assert self.codes(asking, within=[str(world.parent)]) == []

    def test_environment(self, world, monkeypatch):
        monkeypatch.setenv("OF_OURS", "seen")
        monkeypatch.setenv("NOT_OF_OURS", "seen")
        file = put(world / "a.xacro", TestEnvironment.TEXT.format("$(env OF_OURS)"))
        assert self.codes(file) == ["confined"]
        put(world / "kinetree.toml", 'environment = ["OF_OURS", "NEVER_SET"]')
        assert self.codes(file) == []
        file.write_text(TestEnvironment.TEXT.format("$(env NOT_OF_OURS)"))
        assert self.codes(file) == ["confined"]

    @pytest.mark.parametrize("said", ['folders = "a"', "folders = [1]", 'folders = [""]', "environment = [2]"])
    def test_what_is_not_legal(self, world, asking, said):
        put(world / "kinetree.toml", f"\n{said}")
        with pytest.raises(
            kt.KinetreeError, match=rf"kinetree.toml:2: .*{said.split()[0]} is .*expected a list of texts"
        ):
            jobs([str(asking)])

    def test_a_link_that_was_found_is_not_read(self, world):
        (world / "found.urdf").symlink_to(world.parent / "secret.xacro")
        found = str(world / "found.urdf")
        with pytest.raises(kt.KinetreeError, match="outside of the workspace"):
            self.checked(found, found=[found])
        assert "confined" not in self.codes(found)


class TestMeshes:
    def remarks(self, world, mesh, **options):
        shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
        text = f'<robot name="r"><link name="base">{shape}</link></robot>'
        return [f for f in kt.check(put(world / "a.urdf", text), **options) if f.code.startswith("MSH")]

    @each("mesh", ["../{}", "file://{home}/{}", "{home}/{}", "link/{}", "package://home/{}"])
    def test_it_is_not_said_whether_one_outside_is_there(self, world, mesh):
        mesh = mesh.replace("{home}", str(world.parent))
        said = {self.remarks(world, mesh.format(name), confined=True)[:1] == [] for name in ("secret.sdf", "none.stl")}
        here = [f.message for f in self.remarks(world, mesh.format("secret.sdf"), confined=True)]
        away = [f.message for f in self.remarks(world, mesh.format("none.stl"), confined=True)]
        assert len(said) == 1
        assert [m.replace("secret.sdf", "none.stl") for m in here] == away
        assert all(re.search("outside of|not in the workspace", message) for message in here)
        assert here
        assert any("does not exist" in f.message for f in self.remarks(world, mesh.format("none.stl")))

    def test_one_of_a_package_by_its_whole_path(self, world):
        put(world.parent / "other/package.xml", PACKAGE.format("other"))
        mesh = str(put(world.parent / "other/meshes/a.stl", "solid"))
        put(world / "package.xml", PACKAGE.format("mine"))
        assert self.remarks(world, mesh, confined=True) == []
        assert "does not exist" in str(self.remarks(world, mesh + "x", confined=True)[0])
