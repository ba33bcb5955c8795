"""SRDF and YAML files that go with a model: what they must be, and where it is not plain what they name."""

import os

import pytest

from kinetree.errors import KinetreeError
from kinetree.fixer.fix import FixResult, fix
from kinetree.fixer.related_files import MAX_BYTES, YAML, _kind_of_text
from kinetree.rules.examples import ARM

MODEL = ARM.replace('"link_3"', '"elbow"').replace('"joint_3"', '"bend"')
"""R199-301 calls elbow link_3."""
XACRO = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


@pytest.fixture
def renamed(arm, tmp_path):
    """Repair the model with one file that goes with it, and return what becomes of it."""

    def renamed(content: str | bytes, name: str = "also.srdf", model: str = MODEL) -> FixResult:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return fix(arm(model), profile="industrial", select="R199-301", unsafe=True, also=[path])

    return renamed


def srdf(inner: str, name: str = "arm", more: str = "") -> str:
    return f'<?xml version="1.0"?>\n<robot name="{name}" {more}>\n{inner}</robot>'


class TestWhatIsRefused:
    """Before anything is repaired, with the file and the line."""

    @pytest.mark.parametrize(
        ("content", "line", "why"),
        [
            (srdf("", name="other"), 2, "is of robot 'other', and the model is of 'arm'"),
            ('<robot><group name="g"/></robot>', 1, "names no robot, and the model is of 'arm'"),
            (srdf('<link name="elbow"/>'), 3, "is another robot description, with link 'elbow'"),
            ('<robot name="arm">\n<group', 2, "not well-formed XML"),
            ("a: [elbow, link_2\nb: }", 2, "not well-formed YAML"),
            ("a: \t- elbow\n  b: x", 1, "not well-formed YAML"),
            ("a: \x01", None, "not well-formed YAML: special characters are not allowed"),
            (b"a: elbow\nb: caf\xe9", 2, "is not a text in UTF-8"),
            ("a: " + "x" * MAX_BYTES, None, "the most that is read"),
        ],
    )
    def test_what_is_neither_the_srdf_of_the_model_nor_yaml(self, content, line, why, renamed, tmp_path):
        with pytest.raises(KinetreeError) as caught:
            renamed(content)
        (finding,) = caught.value.findings
        assert why in finding.message
        assert (finding.source.file, finding.source.line) == (str(tmp_path / "also.srdf"), line)

    @pytest.mark.parametrize(
        ("content", "after"),
        [
            ('<launch><param name="x" value="elbow"/></launch>', '<launch><param name="x" value="link_3"/></launch>'),
            ('frame = "elbow"', 'frame = "link_3"'),
            ("f'{prefix}elbow', \"$(arg p)elbow\"", "f'{prefix}link_3', \"$(arg p)link_3\""),
            (srdf('<xacro:m tip="${p}elbow"/>', more=XACRO), srdf('<xacro:m tip="${p}link_3"/>', more=XACRO)),
        ],
    )
    def test_in_other_texts_a_name_alone_in_quotes_is_changed(self, content, after, renamed, tmp_path):
        assert renamed(content).after[tmp_path / "also.srdf"].decode() == after

    def test_files_that_are_no_yaml_are_texts_unless_they_end_as_yaml(self):
        for text, plain, as_yaml in (
            ("a: elbow", "text", "yaml"),
            ("", "text", "yaml"),
            ("--- elbow", "text", "text"),
            ("'elbow' is a joint", "text", "text"),
            ("a: [elbow", "text", None),
            ("def f():\n\treturn {'elbow': }", "text", None),
            ("frame = 'elbow'", "text", "text"),
        ):
            assert [_kind_of_text(text, f"a{end}") for end in (".py", ".txt", "", ".md")] == [plain] * 4, text
            for end in (*YAML, ".YAML"):
                try:
                    assert _kind_of_text(text, f"a{end}") == as_yaml, text
                except KinetreeError as error:
                    assert (error.findings[0].code, as_yaml) == ("also", None), text

    @pytest.mark.parametrize(
        "content", ["frame = elbow", 'frame = "the elbow"', "x = 1  # elbow", "<launch>elbow</launch>"]
    )
    def test_in_other_texts_any_other_place_is_refused(self, content, renamed, tmp_path):
        ((_, said),) = renamed(content).unrepaired
        assert "'elbow' does not stand alone in quotes" in said

    def test_they_are_refused_though_nothing_is_renamed(self, renamed):
        with pytest.raises(KinetreeError, match="not well-formed"):
            renamed("a: [", model=ARM)

    def test_what_is_not_there(self, arm, tmp_path):
        with pytest.raises(KinetreeError, match=r"nope\.yaml: error: cannot be read"):
            fix(arm(ARM), profile="industrial", unsafe=True, also=[tmp_path / "nope.yaml"])

    def test_what_the_new_names_do_not_fit(self, renamed, tmp_path):
        ((finding, said),) = renamed("a: >-\n  elbow\n").unrepaired
        assert finding.code == "R199-301"
        assert said.startswith(f"{tmp_path / 'also.srdf'}: the new names cannot stand there as the old ones do")

    @pytest.mark.skipif(os.name != "posix", reason="pipes of POSIX")
    def test_a_pipe(self, arm, tmp_path):
        os.mkfifo(tmp_path / "pipe.yaml")
        with pytest.raises(KinetreeError, match=r"pipe\.yaml: error: is no file; expected"):
            fix(arm(MODEL), profile="industrial", unsafe=True, also=[tmp_path / "pipe.yaml"])

    def test_the_model_itself(self, arm):
        with pytest.raises(KinetreeError, match="is the model itself, which needs no --also"):
            fix(arm(MODEL), profile="industrial", unsafe=True, also=[arm(MODEL)])

    def test_without_new_names_they_have_no_effect(self, arm, tmp_path):
        with pytest.raises(KinetreeError, match="only --unsafe renames"):
            fix(arm(MODEL), profile="industrial", also=[tmp_path / "arm.yaml"])


class TestDoubt:
    """Where something else may be meant nothing is renamed, and the place is said."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("content", "line", "why"),
        [
            (srdf('<chain base_link="base_link"\n tip_link="${p}elbow"/>'), 3, "tip_link='${p}elbow' is worked out"),
            (srdf('<chain base_link="$(arg b)" tip_link="elbow"/>'), 3, "base_link='$(arg b)' is worked out"),
            (srdf('\n<passive_joint name="elbow/a"/>'), 4, "'elbow/a' has the name 'elbow' in it"),
            (srdf('<virtual_joint name="v" parent_frame="elbow"/>'), 3, "'elbow' has the name 'elbow' in it"),
            (srdf("<note>elbow</note>"), 3, "'elbow' has the name 'elbow' in it"),
            (srdf('<chain base_link="arm::elbow"/>'), 3, "'arm::elbow' has the name 'elbow' in it"),
            ("a: elbow_collision", 1, "'elbow_collision' has the name 'elbow' in it"),
            ("link_3/position: 1", 1, "'link_3' stands there already"),
            (srdf("<note>the elbow</note>"), 3, "'the elbow' has the name 'elbow' in it"),
            ("a: 1\nb: shoulder.elbow", 2, "'shoulder.elbow' has the name 'elbow' in it"),
            ("a: ${p}elbow", 1, "'${p}elbow' has the name 'elbow' in it"),
            ("a: ${p}elbow/position", 1, "has the name 'elbow' in it"),
            ("a: the elbow is it", 1, "has the name 'elbow' in it"),
            ("a: |\n  elbow\n  hand\n", 1, "has the name 'elbow' in it"),
            ("elbow: 1\nlink_3: 2", 2, "'link_3' stands there already"),
            (srdf('<link name="elbow"/>\n<chain tip_link="link_3"/>').replace("<link", "<group"), 4, "'link_3' stands"),
        ],
    )
    def test_nothing_is_renamed(self, content, line, why, renamed, tmp_path):
        result = renamed(content)
        ((finding, said),) = result.unrepaired
        assert (finding.code, result.after) == ("R199-301", {})
        assert why in said
        assert said.startswith(f"{tmp_path / 'also.srdf'}:{line}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (srdf('<group name="elbow"><link name="elbow"/></group>'),
         srdf('<group name="elbow"><link name="link_3"/></group>')),
        (srdf('<chain tip_link="&#101;lbow"/>'), srdf('<chain tip_link="link_3"/>')),
        (srdf('<disable_collisions link1="elbow" link2="x" reason="elbow"/>'),
         srdf('<disable_collisions link1="link_3" link2="x" reason="elbow"/>')),
        ('# elbow\na: "elb\\u006fw" # elbow\n', '# elbow\na: "link_3" # elbow\n'),
        ("a: &elbow elbow\r\nb: *elbow\r\n", "a: &elbow link_3\r\nb: *elbow\r\n"),
        ("\ufeff---\n'elbow' : !!str elbow\n---\n- {elbow: elbow_2}",
         "\ufeff---\n'link_3' : !!str link_3\n---\n- {link_3: elbow_2}"),
        ("joints: [bend, elbow_x, é, elbow]", "joints: [bend, elbow_x, é, link_3]"),
        ('{"elbow": ["elbow"]}', '{"link_3": ["link_3"]}'),
    ],
)  # fmt: skip
def test_names_are_followed_and_all_else_stays(content, expected, renamed, tmp_path):
    result = renamed(content)
    path = tmp_path / "also.srdf"
    assert result.unrepaired == ()
    assert result.after[path].decode() == expected
    assert result.before[path].decode() == content


@pytest.mark.parametrize("text", ['tip: "arm::el-bow"', 'list: "el-bow link_2"', "tip: x/el-bow"])
def test_names_with_a_hyphen_are_seen_within_others(text, renamed):
    result = renamed(text, "also.yaml", MODEL.replace('"elbow"', '"el-bow"'))
    assert result.after == {}
    assert all("has the name 'el-bow' in it" in why for _, why in result.unrepaired)
    assert result.unrepaired


def test_a_file_without_the_names_stays(renamed):
    assert [path.name for path in renamed("").after] == ["arm.urdf"]
    assert [path.name for path in renamed(srdf("<group name='g'/>")).after] == ["arm.urdf"]


def test_an_attribute_called_like_a_link_and_a_joint_with_it_in_its_name_stay(renamed, tmp_path):
    """SRDF of xacro has an attribute `link1`, which many arms have as a link."""
    model = MODEL.replace('"elbow"', '"link1"').replace('"bend"', '"link1-to-link_4"')
    text = '<xacro:m link1="${p}link1" link2="${p}link_2"/><group><joint name="link1-to-link_4"/></group>'
    result = renamed(srdf(text, more=XACRO), model=model)
    assert result.after[tmp_path / "also.srdf"].decode() == srdf(text.replace("}link1", "}link_3"), more=XACRO)


def test_what_is_asked_of_a_repair_is_looked_at_before_the_file(tmp_path):
    file, folder = tmp_path / "arm.urdf", tmp_path / "folder.urdf"
    folder.mkdir()
    for path, options, code, said in (
        (
            *(file, {"also": ["a.srdf"]}, "option"),
            "--also names files that follow new names; only --unsafe renames links and joints",
        ),
        (file, {"profile": "nothing"}, "profile", None),
        (folder, {}, "file", "is no file that can be edited in place"),
        (file, {}, "file", None),
    ):
        with pytest.raises(KinetreeError) as caught:
            fix(path, **{"profile": "ros"} | options)
        (finding,) = caught.value.findings
        assert finding.code == code
        assert said in (None, finding.message)
