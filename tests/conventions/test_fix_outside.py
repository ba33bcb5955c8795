"""Files that other models include, too, when one model is repaired."""

from kinetree.fixer.related_files import outside

XACRO = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">{}</robot>'


def test_models_that_were_not_read_are_named(tmp_path):
    """Of a file that a model includes through another; not of one that only the models of the run include."""
    include = '<xacro:include filename="$(find arms)/{}"/>'
    texts = {
        "package.xml": "<package/>",
        "joints.xacro": XACRO.format(""),
        "limits.xacro": XACRO.format(""),
        "arm.xacro": XACRO.format(include.format("joints.xacro")),
        "white.urdf.xacro": XACRO.format(include.format("arm.xacro") + include.format("limits.xacro")),
        "blue.urdf.xacro": XACRO.format(include.format("sub/arm.xacro")),
        "other.urdf.xacro": XACRO.format(""),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    path = {name: (tmp_path / name).resolve() for name in texts}
    read = {path[name] for name in ("white.urdf.xacro", "arm.xacro", "joints.xacro", "limits.xacro")}
    (found,) = outside({path["joints.xacro"], path["limits.xacro"]}, read)
    assert found.severity == "warning"
    assert found.source.file.endswith("joints.xacro")
    assert found.message.endswith("it is included by blue.urdf.xacro")
    assert list(outside({path["joints.xacro"]}, {*read, path["blue.urdf.xacro"]})) == []


def test_without_a_package_nothing_is_searched(tmp_path):
    (tmp_path / "a.xacro").write_text(XACRO.format(""))
    assert list(outside({tmp_path / "a.xacro"}, set())) == []
