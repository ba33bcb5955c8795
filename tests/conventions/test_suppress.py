"""Comments that excuse findings: where they hold, what they must say, what is said of those that do not."""

import re
import shutil

import pytest

import kinetree as kt
from each import each
from kinetree.checker.excuses import _behind, excuse, suppressions
from kinetree.checker.job import CheckReport, Job, check_job, justifications
from kinetree.checker.per_file import Pattern, PerFile
from kinetree.codes import REMARKS
from kinetree.errors import Source
from kinetree.formats.registry import ReadOptions
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from kinetree.rules.profiles import family, nearest_codes, rule_of, rules_of
from kinetree.rules.suppressions import ASKEW, EXCUSED
from kinetree.syntax.xml.reader import Report, parse
from support import shared

FLANGE = '<link name="flange"/>'
WRONG = ASKEW.replace(EXCUSED, FLANGE)
CODE = "R199-403"
BECAUSE = f"<!-- kinetree: ignore {CODE} because the maker mounts it so -->"


@pytest.fixture
def checked(tmp_path):
    """Check a text as a file."""

    def checked(text, name="arm.urdf", per_file=(), **options) -> CheckReport:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return check_job(Job(str(path), CheckOptions("industrial", **options), per_file=per_file))

    return checked


def codes(found: CheckReport) -> list[str]:
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("rule", family("SUP"), ids=lambda rule: rule.code)
class TestEveryRule:
    def test_it_fires_on_its_bad_example_and_not_on_its_good_one(self, rule, checked):
        assert codes(checked(rule.base)) == []
        bad = checked(rule.base.replace(rule.good, rule.bad))
        (found,) = [finding for finding in bad.findings if finding.code == rule.code]
        assert (found.severity, found.element) == (rule.severity(), "link 'flange'")
        line = rule.base.replace(rule.good, rule.bad).splitlines()[found.source.line - 1]
        assert line[found.source.column - 1 :].startswith("<!-- kinetree")

    def test_it_explains_itself(self, rule):
        assert re.fullmatch(r"SUP-\d{3}", rule.code)
        assert rule.title().endswith(".")
        assert rule.clause
        assert rule.code not in {other.code for other in rules_of("industrial")}


class TestWhere:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (FLANGE, f"{BECAUSE}\n{FLANGE}"),
            (FLANGE, f"{BECAUSE}<!-- a flange --> {FLANGE.replace('/>', '></link>')}"),
            ("<robot", f"{BECAUSE}\n<robot"),
            (FLANGE, f"{BECAUSE.replace('R199-403', 'no-texture ,R199-403')}{FLANGE}"),
            (FLANGE, f"{BECAUSE.replace(' ', chr(10))}{FLANGE}"),
            (FLANGE, f"{BECAUSE.replace('kinetree', 'Kinetree')}{FLANGE}"),
        ],
        ids=["before it", "other comments between", "before the root", "several codes", "on several lines", "capital"],
    )
    def test_it_holds(self, before, after, checked):
        found = checked(WRONG.replace(before, after, 1))
        (excused,) = found.excused
        assert (excused.finding.code, excused.finding.element) == (CODE, "link 'flange'")
        assert excused.reason == "the maker mounts it so"
        assert CODE not in codes(found)

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (FLANGE, f"{FLANGE}{BECAUSE}"),
            ('<link name="base"/>', f'{BECAUSE}<link name="base"/>'),
            ("</robot>", f"{BECAUSE}</robot>"),
            ("</robot>", f"</robot>{BECAUSE}"),
            (FLANGE, f'<link name="flange">{BECAUSE}</link>'),
            (FLANGE, f"{BECAUSE.replace(CODE, 'R199-404')}{FLANGE}"),
        ],
        ids=["behind it", "before another", "last of all", "behind the root", "inside", "another code"],
    )
    def test_it_holds_nowhere_else(self, before, after, checked):
        found = checked(WRONG.replace(before, after, 1))
        assert found.excused == ()
        assert CODE in codes(found)
        assert {code[:4] for code in codes(found)} <= {"R199", "SUP-"}
        assert any(code.startswith("SUP-") for code in codes(found)) or "R199-404" in after

    def test_what_is_inside_the_element_is_meant_too(self, checked):
        texture = '<link name="base"><visual><geometry><mesh/></geometry></visual></link>'
        text = ARM.replace('<link name="base"/>', texture)
        inside = next(f for f in checked(text).findings if f.code == "left-out")
        assert inside.source.column > text.splitlines()[inside.source.line - 1].index("<visual>")
        warned = ARM.replace('<link name="base"/>', '<link name="base"><odd/></link>')
        (odd,) = checked(warned).findings
        said = warned.replace(
            '<link name="base">', f'<!-- kinetree: ignore {odd.code} because so -->\n<link name="base">'
        )
        assert checked(said).findings == ()
        assert [e.finding.code for e in checked(said).excused] == [odd.code]

    def test_the_inner_one_wins(self, checked):
        outer = f"<!-- kinetree: ignore {CODE} because of the whole -->\n<robot"
        found = checked(WRONG.replace("<robot", outer).replace(FLANGE, BECAUSE + FLANGE))
        assert [excused.reason for excused in found.excused] == ["the maker mounts it so"]
        assert codes(found) == []  # the outer one would have excused it too

    def test_in_other_encodings(self, checked):
        text = WRONG.replace(FLANGE, BECAUSE + FLANGE)
        assert codes(checked(text.encode("utf-16"))) == []
        assert codes(checked(text.replace("<robot", "<!-- ä€𝄞 --><robot"))) == []

    def test_errors_of_the_reader_are_never_excused(self, checked):
        broken = ARM.replace("<robot", "<!-- kinetree: ignore missing-attribute because I say so --><robot")
        found = checked(broken.replace('<link name="base"/>', "<link/>"))
        assert codes(found) == ["missing-attribute", "unknown-child", "SUP-001", "not-asked"]
        assert "errors of readers have no rule, and are always reported" in found.findings[2].message
        assert found.excused == ()

    def test_an_error_that_has_the_code_of_a_remark_is_not_excused_either(self, checked):
        because = "<!-- kinetree: ignore range because I say so -->"
        body = '<body name="b"><joint name="j" limited="true"/><geom size="1"/></body>'
        found = checked(f"{because}<mujoco><worldbody>{body}</worldbody></mujoco>", "arm.xml")
        assert "range" in codes(found)
        assert found.excused == ()

    @each("code", REMARKS)
    def test_of_every_code_of_a_reader_only_the_remark_is_excused(self, code, tmp_path):
        path = tmp_path / "arm.xml"
        path.write_text(f"<!-- kinetree: ignore {code} because I say so --><robot/>")
        grave, slight = (kt.Finding(code, level, "", Source(str(path), 1, 1)) for level in ("error", "warning"))
        judged = excuse([grave, slight], str(path), lambda code: True)
        assert judged.findings == [grave]
        assert [finding for finding, _ in judged.excused] == [slight]

    def test_a_robot_without_a_file_and_a_table_have_none(self, tmp_path):
        robot = kt.load(WRONG.replace(FLANGE, BECAUSE + FLANGE), format="urdf")
        assert CODE in [finding.code for finding in kt.check(robot, profile="industrial")]
        table = tmp_path / "arm.toml"
        table.write_text(f"# {BECAUSE}\n")
        assert suppressions(str(table)) == []


XACRO = '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">'


class TestXacro:
    def parts(self, tmp_path, head="", inside="", row=""):
        body = WRONG.partition(">\n")[2].partition(">\n")[2].replace(FLANGE, inside + FLANGE)
        macro = f'{head}{XACRO}<xacro:macro name="arm">{body.replace("</robot>", "</xacro:macro></robot>")}'
        (tmp_path / "macro.xacro").write_text(macro)
        path = tmp_path / "arm.urdf.xacro"
        path.write_text(f'{row}{XACRO}<xacro:include filename="macro.xacro"/>\n<xacro:arm/></robot>')
        return check_job(Job(str(path), CheckOptions("industrial")))

    @pytest.mark.slow
    def test_it_is_read_from_the_file_that_has_the_element(self, tmp_path):
        assert CODE in codes(self.parts(tmp_path))
        for place in ("head", "inside", "row"):
            found = self.parts(tmp_path, **{place: BECAUSE})
            assert codes(found) == []
            (excused,) = found.excused
            assert excused.source.file == str(tmp_path / ("arm.urdf.xacro" if place == "row" else "macro.xacro"))
            assert excused.finding.source.file == str(tmp_path / "macro.xacro")

    def test_before_a_call_it_says_where_it_belongs(self, tmp_path):
        path = tmp_path / "arm.urdf.xacro"
        self.parts(tmp_path)
        path.write_text(path.read_text().replace("<xacro:arm/>", f"{BECAUSE}<xacro:arm/>"))
        found = check_job(Job(str(path), CheckOptions("industrial")))
        assert sorted(codes(found)) == [CODE, "SUP-004"]
        assert "for the parts that a macro makes, write it in the macro or before the root" in found.findings[1].message

    def test_what_an_included_file_suppresses_another_model_may_need(self, tmp_path):
        idle = "<!-- kinetree: ignore no-texture because of other models -->"
        assert "SUP-004" not in codes(self.parts(tmp_path, inside=idle))
        assert "SUP-004" in codes(self.parts(tmp_path, row=idle))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "entry", "element", "excuses"),
    [
        (
            "Yaskawa-Global+motoman_ros2_support_packages/motoman_gp165r_support",
            ("urdf/gp165r.xacro", "urdf/gp165r_macro.xacro", {}),
            '<link name="${prefix}flange',
            {"R199-403"},
        ),
        (
            "ros-industrial+fanuc/fanuc_m430ia_support",
            ("urdf/m430ia2f.xacro", "urdf/m430ia2f_macro.xacro", {}),
            '<link name="${prefix}tool0',
            {"R199-501", "R199-505"},
        ),
        (
            "UniversalRobots+Universal_Robots_ROS2_Description",
            ("urdf/ur.urdf.xacro", "urdf/ur_macro.xacro", {"ur_type": "ur5e", "name": "ur"}),
            '<link name="${tf_prefix}shoulder_link',
            {"R199-301", "R199-303"},
        ),
    ],
    ids=["Yaskawa", "FANUC", "UR"],
)
def test_real_models_are_excused_at_the_line_that_is_printed(folder, entry, element, excuses, tmp_path):
    copy = tmp_path / "package"
    shutil.copytree(shared("corpus", *folder.split("/")), copy, ignore=shutil.ignore_patterns("meshes"))
    own = copy.rename(tmp_path / folder.rpartition("/")[2])
    packages = {package.parent.name: package.parent for package in shared("corpus").rglob("package.xml")}
    file, macro, args = entry
    read = ReadOptions(args=args, packages=packages | {"ur_description": own, own.name: own})
    job = Job(str(own / file), CheckOptions("industrial-strict", ("R199",), read=read))
    before = check_job(job)
    assert excuses == {finding.code for finding in before.findings}
    (line,) = {finding.source.line for finding in before.findings}
    text = (own / macro).read_text()
    assert element in text.splitlines()[line - 1]
    comment = f"<!-- kinetree: ignore {', '.join(sorted(excuses))} because the maker ships it so -->"
    (own / macro).write_text(text.replace(element, f"{comment}\n{element}", 1))
    after = check_job(job)
    assert after.findings == ()
    assert {excused.finding.code for excused in after.excused} == excuses
    assert justifications([after]).count("the maker ships it so") == len(excuses)


class TestWhatIsWrong:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("said", "why"),
        [
            ("ignore R199 because x", "several codes begin with R199"),
            ("ignore R199-999 because x", "'R199-999' does not exist; "),
            ("ignore XYZ-001 because x", "'XYZ-001' does not exist"),
            ("ignore R199-403 R199-404 because x", "'R199-403 R199-404' does not exist"),
            ("ignore because x", "'because x' does not exist"),
            ("ignore R199-403: it hangs", "'R199-403: it hangs' does not exist"),
            ("ignore R199-403,", "'' does not exist"),
            ("ignore SUP-004 because x", "SUP-004 is about suppressions"),
            ("disable R199-403", "the comment is not understood; write 'kinetree: ignore CODE because …'"),
            ("", "the comment is not understood"),
            (f"ignore R199-403 because {'x' * 3000}", "in at most 2000 characters"),
        ],
    )
    def test_what_is_not_understood_is_an_error(self, said, why, checked):
        found = checked(WRONG.replace(FLANGE, f"<!-- kinetree: {said} -->{FLANGE}"))
        fault = next(finding for finding in found.findings if finding.code == "SUP-001")
        assert fault.severity == "error"
        assert why in fault.message

    @pytest.mark.parametrize("between", [" ", ", ", "; ", "-"])
    def test_a_colon_that_is_forgotten(self, between, checked):
        found = checked(WRONG.replace(FLANGE, f"<!-- kinetree{between}ignore {CODE} because x -->{FLANGE}"))
        assert {CODE, "SUP-001"} <= set(codes(found))
        assert not checked(WRONG.replace(FLANGE, f"<!-- kinetree ignore it because x -->{FLANGE}")).excused

    def test_comments_of_others_are_left_alone(self, checked):
        for text in ("kinetree ignores this", "see kinetree: ignore X", "noqa", "kinetree ignore files: none"):
            assert codes(checked(ARM.replace(FLANGE, f"<!-- {text} -->{FLANGE}"))) == []

    @pytest.mark.parametrize("reason", ["", " because", " because …"])
    def test_what_must_be_is_not_excused_without_a_reason(self, reason, checked):
        found = checked(WRONG.replace(FLANGE, f"<!-- kinetree: ignore {CODE}{reason} -->{FLANGE}"))
        assert sorted(codes(found)) == [CODE, "SUP-002"]
        assert found.excused == ()

    def test_anything_else_is_excused_with_a_remark(self, checked):
        found = checked(
            ARM.replace(FLANGE, '<!-- kinetree: ignore not-understood --><link name="flange"><odd/></link>')
        )
        assert [(finding.code, finding.severity) for finding in found.findings] == [("SUP-003", "info")]
        assert [excused.reason for excused in found.excused] == [""]

    def test_what_is_said_twice_is_superfluous(self, checked):
        assert codes(checked(WRONG.replace(FLANGE, BECAUSE + BECAUSE + FLANGE))) == ["SUP-004"]

    def test_what_was_not_asked_is_not_called_superfluous(self, checked):
        text = ARM.replace(FLANGE, f"<!-- kinetree: ignore ICUB-101, {CODE} because so -->{FLANGE}")
        (idle,) = checked(text).findings
        assert idle.message.startswith(CODE)
        here = PerFile(Pattern("*.urdf", "."), (CODE,))
        for leave_out in ({"ignore": (CODE,)}, {"select": ("R199-1", "SUP")}, {"per_file": (here,)}):
            assert codes(checked(text, **leave_out)) == []

    def test_findings_about_suppressions_are_selected_like_others(self, checked):
        text = ARM.replace(FLANGE, BECAUSE + FLANGE)
        assert codes(checked(text)) == ["SUP-004"]
        assert codes(checked(text, ignore=("SUP",))) == codes(checked(text, select=("R199",))) == []

    def test_many_are_no_trouble(self, checked):
        odd = "<!-- kinetree: ignore not-understood because so --><odd/>"
        text = ARM.replace("</robot>", f"{BECAUSE * 300}{odd * 300}</robot>")
        found = checked(text)
        assert (len(found.excused), codes(found)) == (300, ["SUP-004"] * 300)


def test_a_file_that_is_not_read_excuses_nothing(tmp_path, monkeypatch):
    (tmp_path / "arm.urdf").write_text(WRONG.replace(FLANGE, BECAUSE + FLANGE))
    assert [one.codes for one in suppressions(str(tmp_path / "arm.urdf"))] == [(CODE,)]
    monkeypatch.setattr("kinetree.files.opener.MAX_FILE_BYTES", 100)
    assert suppressions(str(tmp_path / "arm.urdf")) == []
    assert suppressions(str(tmp_path)) == []


def test_parsing_keeps_comments_only_when_asked():
    text = "<a>1<!-- x --> <!-- y -->2<b/></a><!-- z -->"
    plain, full = (parse(text, "", Report(), comments=comments) for comments in (False, True))
    assert plain.document.comments == {}
    assert full.document.comments == {4: " x ", 15: " y ", 34: " z "}
    assert plain.text == "1 2"


class TestReport:
    def test_it_says_where_what_and_why(self, checked):
        text = WRONG.replace(FLANGE, BECAUSE.replace("so", "so | <b>\n ‮ so") + FLANGE)
        found = checked(text)
        table = justifications([found, found]).splitlines()
        assert len({len(line) for line in table}) == 1
        head, _, row = ([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table)
        assert head == ["file", "element", "rule", "clause", "reason"]
        assert row[0] == str(found.excused[0].finding.source)
        assert row[1:3] == ["link 'flange'", "R199-403 (MUST)"]
        assert row[3] == rule_of(CODE).clause
        assert row[4] == "the maker mounts it so \\| &lt;b> \\\\u202e so"

    def test_it_says_that_there_is_nothing(self, checked):
        assert justifications([checked(ARM)]) == "Nothing is excused.\n"


def test_a_comment_is_about_the_element_behind_it_in_the_same_parent():
    """Each comment has the name of its element, and is empty without one."""
    text = """<!--robot--><!--robot--><robot><!--a--><a><!--b--><b/>x<!--c--><!--c--><c><!--d--><d/><!----></c>
      <!----></a>
      <!--e--><e><!----></e><!--f--><f><!--g--><g><!--h--><h/></g><!--i--><i/></f><!--j--><j/><!----></robot><!---->"""
    root = parse(text, "f.xml", Report())
    comments = list(re.finditer("<!--([a-z]*)-->", text))
    behind = [_behind(root, comment.start()) for comment in comments]
    assert [element.tag if element else "" for element in behind] == [comment[1] for comment in comments]
    assert _behind(parse("<robot/><!---->", "f.xml", Report()), 8) is None


@each(
    "code, expected",
    [
        ("TRE-01", "did you mean 'TRE-001'?"),
        ("tre-001", "did you mean 'TRE-001'?"),
        ("JNT-0015", "did you mean 'JNT-001'?"),
        ("carr", "did you mean 'carried'?; errors of readers have no rule, and are always reported"),
    ],
)
def test_codes_like_an_unknown_one(code, expected):
    assert nearest_codes(code, ("TRE-001", "JNT-001", "XML-001")) == expected
