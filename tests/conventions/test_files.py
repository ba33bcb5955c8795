"""Which files of a folder are checked."""

import os
from dataclasses import replace

import pytest

from kinetree.checker.check import is_error_of_reader
from kinetree.checker.files import files_of, folders_of, is_model, is_part, models_in, once_in_all, without_parts
from kinetree.checker.job import CheckReport, Job, check_job
from kinetree.errors import Finding, KinetreeError
from kinetree.files.opener import files_below
from kinetree.rules.options import CheckOptions
from kinetree.xacro_text.package import package_of
from support import put


@pytest.fixture
def folder(tmp_path):
    texts = {
        "b.urdf": "<robot/>",
        "a/c.xacro": "",
        "a/b.SDF": "",
        "a/w.world": "",
        "x.mjcf": "",
        "robot.xml": '<?xml version="1.0"?>\n<!-- a --><robot name="r"/>',
        "scene.xml": "<mujoco/>",
        "package.xml": "<package/>",
        "broken.xml": "<<",
        "motion.csv": "",
        "settings.toml": "",
        ".git/d.urdf": "",
        ".hidden.urdf": "",
        "c.urdf.orig": "",
        "groups.SRDF.xacro": "<robot/>",
    }
    for name, text in texts.items():
        put(tmp_path / name, text)
    (tmp_path / "folder.urdf").mkdir()
    return tmp_path


def test_endings_and_root_elements_tell_and_hidden_folders_are_left_out(folder):
    found = [path.relative_to(folder).as_posix() for path in models_in(folder)]
    assert found == ["a/b.SDF", "a/c.xacro", "a/w.world", "b.urdf", "robot.xml", "scene.xml", "x.mjcf"]
    assert is_model(folder / ".hidden.urdf")  # who names it means it
    assert not is_model(folder / "groups.srdf")
    assert not is_model(folder / "groups.SRDF.xacro", "<robot/>")


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
def test_no_link_leads_out_or_round_and_no_pipe_is_read(folder):
    (folder / "a" / "again").symlink_to(folder)
    os.mkfifo(folder / "pipe.urdf")
    assert len(list(models_in(folder))) == 7
    (folder / "gone.urdf").symlink_to(folder / "away.urdf")
    (folder / "gone.stl").symlink_to(folder / "away.stl")
    assert [path.name for path in models_in(folder)].count("gone.urdf") == 1
    assert len(list(models_in(folder))) == 8


def test_a_folder_with_the_name_of_a_robot_is_meant_where_it_exists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert files_of(["panda", "icub:2.5"]) == {"panda": True, "icub:2.5": True}
    put(tmp_path / "panda" / "arm.urdf", "<robot/>")
    assert files_of(["panda"]) == {os.path.join("panda", "arm.urdf"): False}
    assert folders_of(["panda", "ur5e"]) == ["panda"]


def test_files_are_each_once_and_a_folder_without_any_is_an_error(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert files_of(["a", "b.urdf", "./a/b.SDF", str(folder / "b.urdf")]) == {
        os.path.join("a", "b.SDF"): True,
        os.path.join("a", "c.xacro"): False,
        os.path.join("a", "w.world"): False,
        "b.urdf": True,
    }
    (folder / "empty").mkdir()
    for path, said in (("empty", "no robot descriptions in this folder"), ("", "an empty path names no file")):
        with pytest.raises(KinetreeError, match=said):
            files_of([path])


def test_an_empty_folder_hides_no_other_path(folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir()
    assert files_of(["empty", "b.urdf", "empty/"]) == {os.path.join("empty", ""): True, "b.urdf": True}
    with pytest.raises(KinetreeError, match="no robot descriptions in this folder"):
        files_of(["empty", "empty"])


def test_a_folder_may_have_srdf_files_alone(tmp_path, monkeypatch):
    (tmp_path / "cell.srdf").write_text('<robot name="cell"/>')
    monkeypatch.chdir(tmp_path)
    assert files_of(["."], srdf=True) == {"cell.srdf": False}
    with pytest.raises(KinetreeError, match="no robot descriptions in this folder"):
        files_of(["."])


def test_a_part_that_nobody_named_is_no_fault():
    part = CheckReport("m.xacro", (Finding("xacro-macros-only", "error", "only macros"),))
    wrong = CheckReport("m.xacro", (Finding("xacro-expression", "error", "1/0"),))
    assert without_parts(part) == CheckReport("m.xacro", ())
    assert without_parts(wrong) == wrong


def test_robots_of_openusd_are_found(tmp_path, monkeypatch):
    """Without usd-core: a flat text is checked, a file without bodies left out, and a binary one a remark."""
    monkeypatch.setattr("kinetree.formats.usd.source._is_installed", lambda: False)
    (tmp_path / "arm.usda").write_text(
        '#usda 1.0\ndef Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
    )
    (tmp_path / "look.USDA").write_text('#usda 1.0\ndef Xform "a"\n{\n}\n')
    (tmp_path / "binary.usd").write_bytes(b"PXR-USDC")
    files = files_of([str(tmp_path)])
    results = [without_parts(check_job(Job(file)), [*files]) for file in files]
    found = {os.path.basename(one.file): [(f.code, f.severity) for f in one.findings] for one in results}
    assert ("usd-mass", "info") in found.pop("arm.usda")
    assert found == {"look.USDA": [], "binary.usd": [("usd-core", "info")]}


def test_a_part_to_attach_is_an_error_by_name_and_a_remark_in_a_folder(tmp_path):
    gripper = tmp_path / "gripper.urdf"
    joint = '<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{2}"/></joint>'
    fixed = joint.format("mount", "hand", "palm") + joint.format("tip", "palm", "finger")
    gripper.write_text(f'<robot name="g"><link name="palm"/><link name="finger"/>{fixed}</robot>', "utf-8")
    result = check_job(Job(str(gripper)))
    assert [f.code for f in result.findings if f.severity == "error"] == ["unknown-root"]
    (remark,) = (f for f in without_parts(result).findings if f.code == "unknown-root")
    assert remark.severity == "info"
    assert "its parent link 'hand' does not exist, and all other links hang below it" in remark.message
    gripper.write_text(gripper.read_text("utf-8").replace('"palm"/><link', '"palm"/><link name="rest"/><link'), "utf-8")
    assert "unknown-parent" in {f.code for f in without_parts(check_job(Job(str(gripper)))).findings}


def test_a_folder_that_cannot_be_read_is_said(folder, monkeypatch):
    (folder / "a" / "locked").mkdir()
    held = folder / "a" / "locked"
    monkeypatch.setattr(os, "scandir", lambda asked, real=os.scandir: real(asked) if asked != held else denied())
    assert held in models_in(folder)
    assert len(list(models_in(folder))) == 8


OF_WHOLE = ["xacro-argument", "xacro-expression", "xacro-macro", "xacro-substitution", "xacro-scope"]
OF_WHOLE += ["unknown-parent", "unknown-child", "several-roots"]
"""What the files around a part may give it: arguments, macros, links."""


def denied():
    raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize("include", ["parts/arm.xacro", "$(find p)/parts/${kind}.xacro", "../p/parts/arm.xacro"])
def test_a_part_that_another_file_includes_may_fail_alone(tmp_path, include):
    texts = {
        "p/package.xml": "<package><name>p</name></package>",
        "p/parts/arm.xacro": "<robot/>",
        "p/r.xacro": f'<robot><xacro:include filename="{include}"/></robot>',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    for code, name, count in (
        *((code, "p/parts/arm.xacro", 0) for code in OF_WHOLE),
        ("xml-syntax", "p/parts/arm.xacro", 1),
        ("xacro-argument", "p/r.xacro", 1),
    ):
        failed = CheckReport(str(tmp_path / name), (Finding(code, "error", "fails"),))
        assert len(without_parts(failed).findings) == count
    for name, left in (("p/parts/arm.xacro", ["empty-value"]), ("p/r.xacro", ["no-name", "empty-value"])):
        lacks = [Finding(code, "warning", "lacks") for code in ("no-name", "empty-value")]
        assert [f.code for f in without_parts(CheckReport(str(tmp_path / name), tuple(lacks))).findings] == left
        lost = CheckReport(str(tmp_path / name), (Finding("unknown-root", "error", "hangs on what"), *lacks))
        assert [f.code for f in without_parts(lost).findings] == ["unknown-root", "empty-value"]


def test_what_a_build_makes_is_a_remark_in_a_folder(tmp_path):
    """A model without the one that a build makes is no fault of the file; another fault remains one."""
    put(tmp_path / "base" / "model.config", '<model><name>base</name><sdf version="1.6">base.sdf</sdf></model>')
    put(tmp_path / "base" / "base.sdf.jinja", "<sdf/>")
    joint = "<joint name='j' type='fixed'><parent>base::a</parent><child>{}</child></joint>"
    model = (
        "<sdf version='1.6'><model name='top'>{}<include><uri>model://base</uri></include>"
        "<link name='b'/></model></sdf>"
    )
    for child, wrong, severities in (("b", "", {"info"}), ("lost::b", "", {"info"}), ("b", "<link/>", {"error"})):
        file = put(tmp_path / "top" / "model.sdf", model.format(joint.format(child) + wrong))
        result = check_job(Job(str(file)))
        left = {f.severity for f in without_parts(result).findings if f.code in ("model-not-built", "unknown-parent")}
        assert left == severities
        assert any(f.code == "model-not-built" and f.severity == "error" for f in result.findings)


TEMPLATES = {
    "jinja.urdf": "<robot name='r'>\n{% for k in x %}<link name='a'/>{% endfor %}</robot>",
    "jinja.sdf": "<sdf version='1.9'>\n<model name='{{ name }}'><link name='a'/></model></sdf>",
    "python.urdf": "<!-- {a}\n--><robot name='r'><link name='a'><visual><origin xyz='{x}'/></visual></link></robot>",
    "text.world": "<sdf version='1.9'>\n<model name='m'><link name='a'><pose>{pose}</pose></link></model></sdf>",
    "cmake.sdf": "<sdf version='1.9'>\n<model name='@NAME@'><link name='a'/></model></sdf>",
    "shell.xml": "<mujoco>\n<worldbody><body name='b'><geom size='${SIZE}'/></body></worldbody></mujoco>",
    "launch.urdf": "<robot name='r'>\n<link name='$(find-pkg-share x)'/></robot>",
    "erb.sdf": "<sdf version='1.9'>\n<model name='m'><link name='<%= name %>'/></model></sdf>",
}
PLAIN = {
    "comment.urdf": "<robot name='r'><!-- {mass} @A@ --><link><!-- ${x} --></link></robot>",
    "json.urdf": """<robot name='r'><link/><gazebo><a>{"k": 1}, {a: b}, k{a}, a@b.c</a></gazebo></robot>""",
    "xacro.urdf": "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'><link name='${a}'/></robot>",
    "r.xacro": "<robot name='r'><link name='{a}'/><link/></robot>",
}


@pytest.mark.parametrize("name", [*TEMPLATES, *PLAIN])
def test_a_template_of_a_folder_is_one_remark(tmp_path, name):
    """A program writes what is wrong with it. The line is that of the first place, not counting comments."""
    result = check_job(Job(str(put(tmp_path / name, (TEMPLATES | PLAIN)[name]))))
    found = [(f.code, f.severity, f.place[1]) for f in without_parts(result).findings]
    if name in TEMPLATES:
        assert found[-1] == ("template", "info", 2)
        is_certain = name.startswith(("jinja", "launch", "erb"))
        assert (len(found) == 1) >= is_certain
        assert "template" not in {f.code for f in result.findings}  # if it is named
    else:
        assert found
        assert "template" not in {code for code, _, _ in found}


def test_a_robot_that_reads_like_a_template_keeps_its_findings(tmp_path):
    """As where xacro lost a $. With an error of the reader, what else is found would be about a stand-in."""
    text = "<robot name='r'><link name='a'/><gazebo reference='{name}_hip'><mu1>1</mu1></gazebo>{}</robot>"
    for more, alone in (("", False), ("<link name='a'/>", True)):
        result = check_job(Job(str(put(tmp_path / "robot.urdf", text.replace("{}", more)))))
        found = [f.code for f in without_parts(result).findings]
        assert found[-1] == "template"
        assert ("XML-001" not in found) == alone
        assert (len(found) == 1) == alone


def test_what_others_find_is_a_remark_in_a_folder(tmp_path):
    """A joint to a model that is not found, bodies that only MuJoCo makes, and arguments that a launch file gives."""
    inside = "<include><uri>model://{}</uri></include><link name='a'/><joint name='j' type='fixed'><parent>a</parent>"
    sdf = f"<sdf version='1.6'><model name='m'>{inside}<child>{{}}</child></joint></model></sdf>"
    mjcf = "<mujoco><worldbody><flexcomp name='f' type='grid' count='2 2 2'/></worldbody></mujoco>"
    xacro = "<robot xmlns:xacro='http://ros.org/wiki/xacro' name='$(arg {})'><link name='a'/></robot>"
    include = (
        "<robot xmlns:xacro='http://ros.org/wiki/xacro' name='r'><xacro:include filename='$(find {})/a.xacro'/></robot>"
    )
    heavy = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='9'/></inertial>"
    part = f"""<robot name='r'><link name='a'>{heavy}</link><link name='b'/>
      <joint name='j' type='fixed'><parent link='c'/><child link='a'/></joint>
      <joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint></robot>"""
    for name, text in (
        ("p/package.xml", "<package><name>p</name><depend>needed</depend></package>"),
        ("p/launch/a.launch", "xacro given:=1"),
        ("q/launch/b.launch.py", "Command(['xacro ', path, ' beside:=', x])\nmappings={'in_python': y}"),
    ):
        put(tmp_path / name, text)
    tmp_path /= "p"
    for name, text, severities in (
        ("m.sdf", sdf.format("x", "x::b"), {"include-not-found": "warning", "missing-model": "info"}),
        ("m.sdf", sdf.format("table", "table::b"), {"missing-model": "info"}),
        ("m.sdf", sdf.format("x", "b"), {"include-not-found": "error", "unknown-child": "error"}),
        ("m.xml", mjcf, {"not-supported": "info"}),
        ("urdf/r.urdf.xacro", xacro.format("given"), {"xacro-argument": "info"}),
        ("urdf/r.urdf.xacro", xacro.format("giv"), {"xacro-argument": "error"}),
        ("urdf/r.urdf.xacro", xacro.format("beside"), {"xacro-argument": "info"}),
        ("urdf/r.urdf.xacro", xacro.format("in_python"), {"xacro-argument": "info"}),
        ("urdf/r.urdf.xacro", include.format("needed"), {"package": "info"}),
        ("urdf/r.urdf.xacro", include.format("other"), {"package": "error"}),
        ("part.urdf", part, {"unknown-root": "info"}),
        ("materials.xml", "<robot name='r'><material name='k'/></robot>", {}),
    ):
        result = check_job(Job(str(put(tmp_path / name, text))))
        assert any(f.severity == "error" for f in result.findings)
        left = {f.code: f.severity for f in without_parts(result).findings if f.code.islower()}
        assert left.items() - {("not-asked", "info"), ("no-inertial", "warning")} == severities.items()


def test_parts_of_mjcf_files_are_no_faults_of_a_folder(tmp_path):
    """A file that another one includes may fail alone; one that fails and that nothing includes is reported."""
    texts = {
        "scene.xml": '<mujoco><include file="parts/classes.xml"/><include file="parts/arm.xml"/></mujoco>',
        "parts/classes.xml": '<mujoco><default><default class="c"/></default></mujoco>',
        "parts/arm.xml": '<mujoco><include file="parts/tree.xml"/></mujoco>',
        "parts/tree.xml": '<mujoco><worldbody><include file="parts/body.xml"/>'
        '<body childclass="c"/></worldbody></mujoco>',
        "parts/body.xml": '<mujocoinclude><body childclass="c"><geom size=".1"/></body></mujocoinclude>',
        "other/classes.xml": '<mujoco><default><default class="c"/></default></mujoco>',
        "other/arm.xml": '<mujoco><worldbody><body childclass="c"/></worldbody></mujoco>',
        "other/lone.xml": '<mujocoinclude><body childclass="c"/></mujocoinclude>',
    }
    for name, text in texts.items():
        put(tmp_path / name, text)
    files = [str(tmp_path / name) for name in texts]
    results = {name: check_job(Job(file)) for name, file in zip(texts, files, strict=True)}
    failed = {name for name, result in results.items() if any(map(is_error_of_reader, result.findings))}
    assert failed == {*texts} - {"scene.xml"}  # if they are named
    left = {name: without_parts(result, files) for name, result in results.items()}
    assert [n for n, result in left.items() if any(map(is_error_of_reader, result.findings))] == ["other/arm.xml"]
    without_scene = without_parts(results["parts/arm.xml"], files[1:])
    assert "include-not-found" in {f.code for f in without_scene.findings}


def test_what_the_files_show_that_include_a_part(tmp_path):
    """Findings about a part alone go where the whole shows them to be wrong; the others stay, once."""
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    plugin = '<gazebo><plugin name="p" filename="f"><joint_name>{}</joint_name></plugin></gazebo>'
    joint = '<joint name="{0}" type="fixed"><parent link="base"/><child link="{0}_l"/></joint>'
    links = '<link name="base"/><link name="j1_l"/><link name="j2_l"/>'
    bar = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="5"/></inertial>'
    actuators = '<position joint="j" ctrlrange="-0.5 0.5"/><position joint="j" ctrlrange="-9 9"/>'
    body = '<body name="b"><joint name="j" range="-0.5 0.5"/><geom size="300"/></body>'
    inside = {
        "part": f'<link name="cam_l">{bar}</link>{plugin.format("j1")}{plugin.format("j22")}',
        "whole": links + "".join(map(joint.format, ("j1", "j2", "cam"))) + '<xacro:include filename="part.xacro"/>',
    }
    inside["seat"] = '<link name="cam"/>' + joint.format("cam").replace("cam_l", "cam")
    inside["seated"] = '<link name="base"/><xacro:include filename="seat.xacro"/>'
    texts = {f"{name}.xacro": f'<robot name="r" {space}>{text}</robot>' for name, text in inside.items()} | {
        "other.xml": '<mujoco><compiler angle="radian"/><include file="hand.xml"/></mujoco>',
        "scene.xml": '<mujoco><compiler angle="radian"/><include file="hand.xml"/></mujoco>',
        "hand.xml": f"<mujoco><worldbody>{body}</worldbody><actuator>{actuators}</actuator></mujoco>",
    }
    for name, text in texts.items():
        put(tmp_path / name, text)
    results = {name: check_job(Job(str(tmp_path / name), CheckOptions(profile="sim"))) for name in texts}

    def found(some):
        lines = [(f.code, os.path.basename(f.place[0]), f.message) for result in some for f in result.findings]
        return sorted(line for line in lines if line[0] in ("XML-004", "INR-002", "LIM-012"))

    alone = found(results.values())
    assert [code for code, _, _ in alone].count("XML-004") == 3
    assert [code for code, _, _ in alone].count("LIM-012") == 4
    inertia, limit, same, plug_in = found(once_in_all([*results.values()]))
    assert same == limit  # of the two files that include it
    assert (inertia[0], plug_in[0], "did you mean 'j2'" in plug_in[2], plug_in[1]) == (
        "INR-002",
        "XML-004",
        True,
        "part.xacro",
    )
    assert (limit[1], "-9 to 9; the joint allows -0.5 to 0.5" in limit[2]) == ("hand.xml", True)

    def sizes(*names):
        some = once_in_all([results[name] for name in names])
        return [f.code for result in some for f in result.findings if f.code == "GEO-003"]

    assert (sizes("hand.xml"), sizes("scene.xml", "other.xml", "hand.xml")) == (["GEO-003"], ["GEO-003"])
    seat = once_in_all([results["seat.xacro"], results["seated.xacro"]])
    assert "unknown-root" in {finding.code for finding in seat[0].findings}  # the file itself was named
    broken = replace(results["whole.xacro"], parts=frozenset())
    assert len(found(once_in_all([results["part.xacro"], broken]))) == 4
    assert len(found(once_in_all([results["part.xacro"]]))) == 3
    put(tmp_path / "whole.xacro", texts["whole.xacro"].replace("base", "bse", 1))
    assert check_job(Job(str(tmp_path / "whole.xacro"))).parts == frozenset()


def test_a_file_that_another_composes_is_a_part(monkeypatch):
    result = CheckReport("/a/leg.usda", (Finding("no-links", "error", "has no links"),))
    asked = []
    monkeypatch.setattr("kinetree.formats.usd.source.parts_of", lambda files: asked.append(files) or {"/a/leg.usda"})
    assert is_part(replace(result, findings=()), ["/a/leg.usda", "/a/robot.USD", "/a/b.urdf"])
    assert asked == [("/a/leg.usda", "/a/robot.USD")]
    assert not is_part(CheckReport("/a/robot.usda", ()), ["/a/leg.usda"])
    assert is_part(replace(result, file="/a/b.urdf"))
    assert not is_part(CheckReport("/a/b.urdf", ()))


def test_a_part_that_is_checked_alone_misses_no_name_of_its_package(tmp_path):
    space = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
    plugin = '<gazebo><plugin name="p" filename="f"><joint_name>{}</joint_name></plugin></gazebo>'
    whole = '<robot name="r" {}><link name="base"/><joint name="j" type="fixed"/>{}<x y="k"/></robot>'  # has errors
    part = f'<robot name="p" {space}><link name="a"/>{plugin.format("j")}{plugin.format("k")}</robot>'
    include = '<xacro:include filename="part.xacro"/>'
    for package, inside, count in (("mine", include, 1), ("other", "", 2)):
        put(tmp_path / package / "package.xml", f"<package><name>{package}</name></package>")
        put(tmp_path / package / "part.xacro", part)
        put(tmp_path / package / "whole.xacro", whole.format(space, inside))
        (result,) = once_in_all([check_job(Job(str(tmp_path / package / "part.xacro")))])
        assert [finding.code for finding in result.findings].count("XML-004") == count
        whole_too = once_in_all([check_job(Job(str(tmp_path / package / f"{n}.xacro"))) for n in ("part", "whole")])
        assert [finding.code for finding in whole_too[0].findings].count("XML-004") == count
    good = f'<robot name="r" {space}>{include}<link name="k"/><joint name="i" type="fixed"><parent link="a"/>'
    put(tmp_path / "mine/good.xacro", f'{good}<child link="k"/></joint></robot>')
    (result,) = once_in_all([check_job(Job(str(tmp_path / "mine/good.xacro")))])
    assert [finding.code for finding in result.findings].count("XML-004") == 2  # in the part, and it is whole


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_to_itself_is_a_broken_link(tmp_path):
    (tmp_path / "loop.urdf").symlink_to("loop.urdf")
    assert list(files_below(tmp_path, lambda name: name.endswith(".urdf"))) == [tmp_path / "loop.urdf"]


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_out_of_a_package_is_no_file_of_it(tmp_path):
    package = tmp_path / "arm"
    package.mkdir()
    (package / "package.xml").write_text("<package/>")
    (package / "arm.urdf").write_text("<robot/>")
    (tmp_path / "away.urdf").write_text("<robot/>")
    (package / "link.urdf").symlink_to("../away.urdf")
    (package / "inside.urdf").symlink_to("arm.urdf")
    found = package_of(package / "arm.urdf")
    assert {path.name for path in found.texts} == {"package.xml", "arm.urdf", "inside.urdf"}
    assert not found.whole
