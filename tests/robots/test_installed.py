"""Models by name from packages of models: files that are there, no module of a name, nothing fetched unless asked."""

import itertools
import json
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from click.testing import CliRunner

import kinetree as kt
from kinetree.cli import group
from kinetree.robots import installed
from kinetree.robots.installed import PACKAGES, SHORT_NAMES, fetch, located
from support import REFUSED, example_robot_urdfs, icub_urdfs, put

ARM = '<robot name="arm"><link name="base"/>{}</robot>'
XACRO = '<robot name="$(arg name)" xmlns:xacro="http://wiki.ros.org/xacro"><xacro:arg name="ur_type" default=""/>'
XACRO += '<xacro:arg name="name" default="none"/><link name="$(arg ur_type)"/></robot>'
MESH = (
    '<link name="tip"><visual><geometry><mesh filename="package://a1_description/meshes/{}.stl"/></geometry></visual>'
)
MESH += '</link><joint name="j" type="fixed"><parent link="base"/><child link="tip"/></joint>'
UR5E, UR3E = "robot_descriptions:ur5e_description", "robot_descriptions:ur3e_description"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A folder of clones with two models, in a process that neither imports the package nor starts git."""
    popen = subprocess.Popen

    class Refusing:
        def find_spec(self, name, path=None, target=None):
            assert name.partition(".")[0] not in ("robot_descriptions", "git"), name

    def no_git(command, *args, **kwargs):
        assert command[0] == sys.executable  # a check of xacro
        return popen(command, *args, **kwargs)

    folder = tmp_path / "cache"
    put(folder / "ur_description/urdf/ur.urdf.xacro", XACRO)
    put(folder / "unitree_ros/robots/a1_description/urdf/a1.urdf", ARM.format(MESH.format("tip")))
    put(folder / "unitree_ros/robots/a1_description/meshes/tip.stl", "solid tip\nendsolid tip\n")
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(folder))
    monkeypatch.setattr(sys, "meta_path", [Refusing(), *sys.meta_path])
    monkeypatch.setattr(subprocess, "Popen", no_git)
    return folder


def run(*arguments: str):
    return CliRunner().invoke(group, arguments)


def refusal(source: str) -> kt.Finding:
    with pytest.raises(kt.KinetreeError) as caught:
        kt.load(source)
    return caught.value.findings[0]


@pytest.mark.parametrize("folder", ["", "Library"])
def test_models_of_a_package_of_conda(folder, tmp_path, monkeypatch):
    """Which has no metadata of Python; on Windows its files are in Library."""

    def missing(name):
        raise PackageNotFoundError(name)

    put(tmp_path / folder / "share/example-robot-data/robots/arm_description/urdf/arm.urdf", ARM.format(""))
    monkeypatch.setattr(installed, "distribution", missing)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert list(PACKAGES["example-robot-data"]()) == ["arm"]


def test_short_names_are_of_files_that_are_called_alike(tmp_path, monkeypatch):
    """A file with a short name has no other name; others are called as their files are."""
    for name, path in SHORT_NAMES.items():
        _, kind, file = path.split("/")
        assert name.split("_")[0][:4] in path.casefold()
        assert (kind in ("urdf", "robots"), Path(file).suffix) == (True, ".urdf")
    monkeypatch.setattr(installed, "distribution", lambda name: Installed(tmp_path))
    models = {name: tmp_path / path for name, path in SHORT_NAMES.items()}
    models |= {"arm": tmp_path / "a/urdf/arm.urdf", "robot": tmp_path / "a/sdf/robot.sdf"}
    for file in (
        *models.values(),
        tmp_path / "b/urdf/arm.urdf",
        tmp_path / "a/urdf/deep/no.urdf",
        tmp_path / "no.urdf",
    ):
        put(file, "")
    assert {name: model.file for name, model in PACKAGES["example-robot-data"]().items()} == models
    assert [*PACKAGES["example-robot-data"]()] == sorted(models)


class Installed:
    """Stands in for what Python knows of an installed package."""

    def __init__(self, folder):
        self.folder = folder

    def locate_file(self, name):
        assert name == "cmeel.prefix/share/example-robot-data/robots"
        return self.folder


@pytest.mark.slow
def test_models_of_icub_models_load_by_name():
    models = PACKAGES["icub-models"]()
    assert [model.file for model in models.values()] == icub_urdfs()
    robot = kt.load("icub-models:iCubGazeboV2_7")
    assert (robot.name, robot.source.file) == ("iCub", str(models["iCubGazeboV2_7"].file))
    codes = {finding.code[:3] for finding in kt.check("icub-models:left_hand_mk3")}
    assert codes.isdisjoint({"MSH", "con"})  # its meshes are found
    result = run("fk", "icub-models:iCubGazeboV2_7", "l_hand", "--json")
    assert result.exit_code == 0, result.stderr


def test_fetched_models_load_without_an_import(cache):
    robot = kt.load("robot_descriptions:a1_description")
    assert robot.source.file == str(cache / "unitree_ros/robots/a1_description/urdf/a1.urdf")
    missing = cache / "unitree_ros/robots/a1_description/meshes/tip.stl"
    before = {finding.code for finding in kt.check("robot_descriptions:a1_description")}
    missing.unlink()
    after = {finding.code for finding in kt.check("robot_descriptions:a1_description")}
    assert {code for code in after - before if code.startswith("MSH")}
    assert "robot_descriptions" not in sys.modules


@pytest.mark.slow
def test_arguments_of_xacro_are_those_of_the_table_unless_given(cache):
    assert (kt.load(UR5E).name, kt.load(UR5E).root) == ("ur5e", "ur5e")
    assert kt.load(UR5E, args={"name": "mine"}).name == "mine"
    assert run("inspect", UR5E, "--arg", "name=mine").stdout.startswith("Robot mine\n")
    assert run("check", UR5E, "--arg", "name=mine").exit_code == 0
    result = run("check", UR5E, UR3E)
    assert (result.exit_code, "name one at a time" in result.stderr) == (2, True)


def test_a_check_of_a_model_has_its_arguments_and_those_that_are_given(cache):
    found = [[(f.code, f.element) for f in kt.check(UR5E, args=given)] for given in (None, {"ur_type": "x y"})]
    assert found == [[], [("NAM-002", "link 'x y'")]]
    given = {"name": "mine"}
    file, arguments = located(UR5E, None, given)
    assert (file, arguments) == (cache / "ur_description/urdf/ur.urdf.xacro", {"ur_type": "ur5e", "name": "mine"})
    assert given == {"name": "mine"}
    assert located("arm.urdf", None, given) == ("arm.urdf", given)
    assert located(UR5E, "urdf", given) == (UR5E, given)


def test_what_has_not_been_fetched_says_how(cache):
    finding = refusal("robot_descriptions:panda_description")
    assert finding.message.startswith("model 'robot_descriptions:panda_description' has not been fetched: there is no")
    assert finding.fix == "`kinetree models --fetch robot_descriptions:panda_description` clones its repository"


@pytest.mark.parametrize("name", ["os", "_cache", "loaders.pinocchio", "a1_description.x", "..", "A1_description", ""])
def test_only_names_of_the_table_are_taken(cache, name):
    assert refusal(f"robot_descriptions:{name}").code == "unknown-name"
    with pytest.raises(kt.KinetreeError, match="has no model"):
        fetch(f"robot_descriptions:{name}")


def test_the_list_has_what_is_there(cache):
    text = run("models").stdout
    assert "robot_descriptions:NAME\n  a1_description  ur10_official_description" in text
    assert "not fetched: 167 of robot_descriptions; " in text
    listed = json.loads(run("models", "--json").stdout)
    assert set(listed) == {"kinetree", *PACKAGES}
    assert listed["kinetree"][0] == "icub:2.0"
    assert listed["robot_descriptions"]["panda_description"] is None
    assert Path(listed["robot_descriptions"]["a1_description"]).is_file()


def test_fetching_imports_the_module_of_the_table_and_no_other(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(folder))
    monkeypatch.setattr(sys, "modules", {k: v for k, v in sys.modules.items() if "robot_descriptions" not in k})
    code = "from pathlib import Path\nprint('Cloning')\nfile = Path({!r})\nfile.parent.mkdir(parents=True)\n"
    code += "file.write_text({!r})"
    a1 = str(folder / "unitree_ros/robots/a1_description/urdf/a1.urdf")
    put(tmp_path / "robot_descriptions/__init__.py", "")
    put(tmp_path / "robot_descriptions/a1_description.py", code.format(a1, ARM.format("")))
    put(tmp_path / "robot_descriptions/a1_mj_description.py", "raise OSError('no network')")
    put(tmp_path / "robot_descriptions/a2_description.py", "raise AssertionError")
    monkeypatch.syspath_prepend(tmp_path)
    result = run("models", "--fetch", "robot_descriptions:a1_description", "--json")
    assert result.exit_code == 0
    assert result.stderr == f"Cloning\nrobot_descriptions:a1_description is {a1}\n"
    assert json.loads(result.stdout)["robot_descriptions"]["a1_description"] == a1
    assert kt.load("robot_descriptions:a1_description").name == "arm"
    for name, said in (
        ("robot_descriptions:a1_mj_description", "cannot be fetched: no network"),
        ("robot_descriptions:a2_description", "has no model 'a2_description'"),
        ("icub-models:x", "cannot be fetched; expected robot_descriptions:NAME"),
    ):
        result = run("models", "--fetch", name)
        assert (result.exit_code, said in result.stderr) == (2, True), result.stderr


def test_what_has_been_fetched_is_not_fetched_again(cache, monkeypatch):
    file = cache / "unitree_ros/robots/a1_description/urdf/a1.urdf"
    assert fetch("robot_descriptions:a1_description") == file
    file.unlink()
    monkeypatch.setattr(installed, "find_spec", lambda package: None)
    with pytest.raises(kt.KinetreeError) as caught:
        fetch("robot_descriptions:a1_description")
    (finding,) = caught.value.findings
    assert (finding.code, finding.fix) == ("package", "pip install robot_descriptions")
    assert finding.message == "fetching 'robot_descriptions:a1_description' needs the package robot_descriptions"


def test_a_package_of_another_version_that_fetches_another_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path))
    asked = []
    monkeypatch.setattr(installed, "find_spec", lambda package: package)
    monkeypatch.setattr(installed, "import_module", asked.append)
    with pytest.raises(kt.KinetreeError) as caught:
        fetch("robot_descriptions:a1_description")
    assert asked == ["robot_descriptions.a1_description"]
    (finding,) = caught.value.findings
    said = finding.message.partition(str(tmp_path))
    assert said[0] == "'robot_descriptions:a1_description' was fetched, but there is no file "
    assert said[2].endswith("a1.urdf; expected robot_descriptions 2.0.0")
    assert finding.code == "fetch"


def test_a_package_that_is_not_installed_says_how(monkeypatch):
    monkeypatch.setitem(PACKAGES, "example-robot-data", dict)
    finding = refusal("example-robot-data:panda")
    assert (finding.code, finding.fix) == ("package", "pip install example-robot-data")
    assert "not installed: pip install example-robot-data\n" in run("models").stdout


@pytest.mark.parametrize("folder", ["~nosuchuser/x", "x" * 5000, "no/\udcff"])
def test_a_strange_folder_of_clones_is_no_traceback(monkeypatch, folder):
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", folder)
    assert refusal(UR5E).code == "file"
    for arguments in (("models",), ("models", "--json"), ("inspect", UR5E)):
        result = run(*arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)


def test_a_folder_of_clones_that_cannot_be_read_says_why(monkeypatch):
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", "x" * 5000)
    for arguments in (("models",), ("models", "--fetch", UR5E), ("inspect", UR5E)):
        result = run(*arguments)
        assert (result.exit_code, "model's file, File name too long: x" in result.stderr) == (2, True)


def test_a_package_that_cannot_be_imported_counts_as_absent(tmp_path, monkeypatch):
    put(tmp_path / "icub_models.py", "raise RuntimeError('broken')")
    monkeypatch.delitem(sys.modules, "icub_models", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    assert PACKAGES["icub-models"]() == {}
    assert run("models").exit_code == 0


def test_the_list_fits_into_the_terminal(monkeypatch):
    """A line has 20 to 120 characters; names are never parted at their hyphens."""
    listed = {"a-b": 3, "a-name-of-a-model-that-is-longer-than-a-line": 1, "c": 9, "d_e-f": 12}
    models = {name * count: installed.Model(Path(__file__)) for name, count in listed.items()}
    for name in [*PACKAGES]:
        monkeypatch.setitem(PACKAGES, name, lambda: models)
    for columns, width in (("1", 20), ("20", 20), ("60", 60), ("120", 120), ("300", 120)):
        monkeypatch.setenv("COLUMNS", columns)
        lines = run("models").stdout.splitlines()
        start = lines.index("icub-models:NAME")
        block = lines[start + 1 : lines.index("", start)]
        assert " ".join(block).split() == [*models]
        assert all(line.startswith("  ") and (len(line) <= width or len(line.split()) == 1) for line in block)
        for one, other in itertools.pairwise(block):
            assert len(f"{one}  {other.split()[0]}") > width
    assert lines[0] == "Kinetree"
    assert "not installed" not in "".join(lines)
    assert lines[-1] == (
        "not fetched: 0 of robot_descriptions; --json lists them, --fetch robot_descriptions:NAME clones one"
    )


def test_names_are_suggested():
    assert "did you mean 'icub-models:iCubGazeboV2_7'" in refusal("iCubGazeboV2_7").message
    assert "did you mean 'icub-models'?" in refusal("icub_models:iCubGazeboV2_7").message
    assert "did you mean 'iCubGazeboV2_7'" in refusal("icub-models:iCubGazeboV27").message


def test_files_keep_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a:b.urdf", "icub-models:x"):
        Path(name).write_text(ARM.format(""))
    assert kt.load("a:b.urdf").name == kt.load("./a:b.urdf").name == "arm"
    assert kt.load(Path("icub-models:x"), format="urdf").name == "arm"
    assert refusal("icub-models:x").code == "unknown-name"
    assert kt.load("./icub-models:x").name == "arm"
    for path in ("C:\\x.urdf", "C:x.urdf", "C:/x.urdf"):
        assert (refusal(path).code, refusal(path).source.file) == ("file", path)


def test_models_of_packages_are_not_repaired():
    result = run("fix", "icub-models:iCubGazeboV2_7")
    assert (result.exit_code, "only files and folders can be repaired" in result.stderr) == (2, True)


@pytest.mark.crosscheck
def test_every_file_of_example_robot_data_has_one_name():
    models = PACKAGES["example-robot-data"]()
    files = [model.file for model in models.values()]
    hidden = {"ur3.urdf", "iris.urdf"}  # a robot without links, and the loader's iris is another file
    assert {f for f in files if f.suffix == ".urdf"} == {f for f in example_robot_urdfs() if f.name not in hidden}
    assert len(set(files)) == len(files) > 70
    assert set(SHORT_NAMES) < set(models)
    assert {"panda", "ur5", "talos", "solo12", "anymal", "anymal_c"} < set(models)
    assert models["anymal"].file.parts[-3] == "anymal_b_simple_description"
    for name, model in models.items():
        if model.file.suffix == ".urdf" and model.file.name not in REFUSED:
            robot = kt.load(f"example-robot-data:{name}")
            assert robot.source.file == str(model.file)


@pytest.mark.crosscheck
def test_the_table_is_that_of_robot_descriptions():
    pytest.importorskip("robot_descriptions")
    described = pytest.importorskip("described")
    table = Path(kt.__file__).parent / "robots" / "descriptions.csv"
    assert table.read_text() == described.table()
    assert located(UR5E.replace("robot_", "./robot_"), None, None) == (UR5E.replace("robot_", "./robot_"), None)
