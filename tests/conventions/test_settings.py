"""Settings: where they are found, what is legal in them, and the jobs that they make."""

import os
from dataclasses import replace

import pytest

import kinetree as kt
from kinetree.checker.in_child import check_alone
from kinetree.checker.job import Job, check_job
from kinetree.checker.per_file import Pattern, PerFile
from kinetree.checker.plan import jobs
from kinetree.checker.settings import Settings, find_settings, read_settings
from kinetree.errors import Source
from kinetree.formats.registry import ReadOptions
from kinetree.rules.examples import ARM
from kinetree.rules.options import CheckOptions
from kinetree.rules.suppressions import ASKEW, EXCUSED
from support import shared

ALL = """
profile = "industrial"
select = ["R199-4", "not-understood"]
ignore = ["R199-408"]
controller = "ur"
baseline = "known.json"
per-file-ignores = { "legacy/**" = ["R199-403"] }

[[models]]
file = "ur.urdf.xacro"
args = { ur_type = "ur5e", name = "UR", scale = 2, safety = true }
packages = { ur_description = "src/ur" }

[[models]]
file = "icub.urdf"
name = "grown"
profile = "icub"
"""
WRONG = ASKEW.replace(EXCUSED, '<link name="flange"/>')


def write(folder, text, name="kinetree.toml"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / name)


def read_of(job: Job) -> ReadOptions:
    """How a job reads its file, without its confinement."""
    return replace(job.options.read, confined=False)


def in_pyproject(text):
    """The same settings in a file of others."""
    head, *rows = text.split("[[models]]")
    others = '[project]\nname = "x"\n[tool.isort]\nprofile = "black"\n'
    return others + "[tool.kinetree]\n" + head + "".join(f"[[tool.kinetree.models]]{row}" for row in rows)


class TestReading:
    @pytest.mark.parametrize("name", ["kinetree.toml", "pyproject.toml"])
    def test_every_key(self, tmp_path, name):
        file = write(tmp_path, ALL if name == "kinetree.toml" else in_pyproject(ALL), name)
        settings = read_settings(file)
        assert (settings.file, settings.options.profile) == (file, "industrial")
        assert (settings.options.select, settings.options.ignore) == (("R199-4", "not-understood"), ("R199-408",))
        assert (settings.options.controller, settings.baseline) == ("universal_robots", str(tmp_path / "known.json"))
        assert settings.per_file == (PerFile(Pattern("legacy/**", str(tmp_path)), ("R199-403",)),)
        ur, icub = settings.models
        assert ur.file == str(tmp_path / "ur.urdf.xacro")
        assert ur.options.read.args == {"ur_type": "ur5e", "name": "UR", "scale": "2", "safety": "true"}
        assert ur.name == ""  # there is no other row of its file to tell it from
        assert ur.options.read.packages == {"ur_description": str(tmp_path / "src/ur")}
        assert (icub.name, icub.options) == (
            "grown",
            CheckOptions("icub"),
        )

    def test_nothing_is_legal(self, tmp_path):
        file = write(tmp_path, "")
        assert read_settings(file) == Settings(file)

    @pytest.mark.parametrize(
        ("text", "line", "said"),
        [
            ('\nprofil = "icub"', 2, "the key 'profil' is unknown; did you mean 'profile'"),
            ('exclude = "legacy"', 1, "exclude: 'legacy' is no list of patterns; expected for example"),
            ('exclude = ["a", ""]', 1, "exclude: ['a', ''] is no list of patterns"),
            ('\nprofile = "icubb"', 2, "profile is 'icubb'; expected one of ros, sim, "),
            ("profile = 3", 1, "profile is 3; expected a text that is not empty"),
            ('profile = ""', 1, "profile is ''; expected a text"),
            ('select = "R199"', 1, "select: 'R199' is no list of codes; expected for example "),
            ("\n\nignore = [1]", 3, "ignore: [1] is no list of codes"),
            ('ignore = ["R198"]', 1, "ignore: no rule's code begins with 'R198'; did you mean "),
            ('ignore = ["icub"]', 1, "ignore: no rule's code begins with 'icub'"),
            ('controller = "acme"', 1, "controller is 'acme'; expected one of abb, comau, "),
            ('vendor = "kuka"', 1, "the key 'vendor' is unknown; write 'controller'"),
            ('[[models]]\nfile = "a"\nvendor = "ur"', 3, "models 1: the key 'vendor' is unknown; write 'controller'"),
            ("baseline = false", 1, "baseline is False; expected a text"),
            ("per-file-ignores = []", 1, "per-file-ignores is no table; expected "),
            ('per-file-ignores = { "a" = "R199" }', 1, "per-file-ignores: 'R199' is no list of codes"),
            ('per-file-ignores = { "" = [] }', 1, "per-file-ignores has an empty pattern"),
            ("models = 3", 1, "models is no list of tables; expected [[models]]"),
            ("\nmodels = [3]", 2, "models 1: 3 is no table; expected one of file, args"),
            ("[[models]]", 1, "models 1: there is no file; expected one"),
            ('[[models]]\nfile = "a"\n[[models]]\nfile = 3', 4, "models 2: file is 3; expected a text"),
            ('[[models]]\nfile = "a\\u0000"', 2, "models 1: file is 'a\\x00'; expected a text"),
            ('[[models]]\nfile = "a"\narg = {}', 3, "models 1: the key 'arg' is unknown; did you mean 'args'"),
            (
                '[[models]]\nfile = "a"\nargs = { n = [1] }',
                3,
                "models 1: args is {'n': [1]}; expected a table of texts,",
            ),
            (
                '[[models]]\nfile = "a"\npackages = { n = 1 }',
                3,
                "models 1: packages is {'n': 1}; expected a table of t",
            ),
            ('[[models]]\nfile = "a"\nprofile = "x"', 3, "models 1: profile is 'x'; expected "),
            ('[[models]]\nfile = "a"\n[[models]]\nfile = "a"', 3, "models 2: its file stands there already"),
        ],
    )
    def test_what_is_not_legal_is_said_with_its_line(self, tmp_path, text, line, said):
        head = "\n[tool.isort]\nprofile = 'black'\nselect = 3\n[tool.kinetree]\n"
        own, shared = (
            write(tmp_path, text),
            write(tmp_path, head + text.replace("[[", "[[tool.kinetree."), "pyproject.toml"),
        )
        for file, before in ((own, 0), (shared, head.count("\n"))):
            with pytest.raises(kt.KinetreeError, match=r"\[settings\]") as refused:
                read_settings(file)
            (finding,) = refused.value.findings
            assert (finding.source.file, finding.source.line) == (file, before + line)
            assert said in str(finding)

    def test_a_row_of_per_file_ignores_has_its_own_line(self, tmp_path):
        rows = 'per-file-ignores]\n"a/**" = ["R199"]\n"b/**" = ["R777"]\n'
        for name, head in (("kinetree.toml", "["), ("pyproject.toml", "[tool.kinetree.")):
            with pytest.raises(
                kt.KinetreeError, match="per-file-ignores: no rule's code begins with 'R777'"
            ) as refused:
                read_settings(write(tmp_path, head + rows, name))
            assert [finding.source.line for finding in refused.value.findings] == [3]

    def test_every_fault_is_said(self, tmp_path):
        file = write(tmp_path, 'profile = 1\ncontroller = 2\nselekt = []\n[[models]]\nname = "x"')
        with pytest.raises(kt.KinetreeError) as refused:
            read_settings(file)
        assert [finding.source.line for finding in refused.value.findings] == [3, 1, 2, 4]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (b"\xff\xfe\x00", "the text is not UTF-8"),
            ("a = ", "this is not TOML"),
            ("a = " + "[" * 5000, "a value is nested too deep"),
            ("models = " + "[" * 90 + "]" * 90, "models 1: ["),
            ("a = 1" + "0" * 5000, "too many digits"),
            ("#" * 5_000_000, "at most 2000000 are read"),
            ('profile = "\\u001b[31m"', r"profile is '\x1b[31m'"),
            ('"\\u001b[31m" = 1', r"the key '\x1b[31m' is unknown"),
            (f'profile = "{"x" * 100_000}"', "x…; expected"),
        ],
        ids=lambda value: None if len(value) > 60 else str(value),
    )
    def test_hostile_files_are_refused(self, tmp_path, text, said):
        with pytest.raises(kt.KinetreeError) as refused:
            read_settings(write(tmp_path, text))
        assert said in str(refused.value)
        assert len(str(refused.value)) < 2000
        assert "\x1b" not in str(refused.value)

    @pytest.mark.slow
    def test_thousands_of_faults_are_cut_short(self, tmp_path):
        text = "".join(f"k{i} = 1\n" for i in range(2000)) + f"ignore = {['X'] * 2000}\n" + "[[models]]\n" * 2000
        with pytest.raises(kt.KinetreeError) as refused:
            read_settings(write(tmp_path, text))
        assert len(refused.value.findings) == 100

    def test_no_file_and_no_table(self, tmp_path):
        with pytest.raises(kt.KinetreeError, match="cannot be read"):
            read_settings(str(tmp_path / "kinetree.toml"))
        for text in ("[tool.ruff]", "tool = 3"):
            with pytest.raises(kt.KinetreeError, match=r"there is no \[tool.kinetree\] in it"):
                read_settings(write(tmp_path, text, "pyproject.toml"))
        with pytest.raises(kt.KinetreeError, match="3 is no table; expected one of profile, "):
            read_settings(write(tmp_path, "[tool]\nkinetree = 3", "pyproject.toml"))


class TestFinding:
    def test_the_nearest_wins(self, tmp_path, monkeypatch):
        far = write(tmp_path / "a", 'profile = "icub"')
        near = write(tmp_path / "a/b/c", in_pyproject('profile = "industrial"'), "pyproject.toml")
        write(tmp_path / "a/b/c/d", "[project]\n", "pyproject.toml")  # says nothing to us
        write(tmp_path / "a/b/c/d/e", "this is not TOML", "pyproject.toml")  # and need not be TOML
        for folder, file in (("a", far), ("a/b", far), ("a/b/c", near), ("a/b/c/d/e", near)):
            assert find_settings(str(tmp_path / folder / "arm.urdf")).file == file
        monkeypatch.chdir(tmp_path / "a/b/c/d")
        assert find_settings().file == find_settings("arm.urdf").file == near
        assert find_settings("../../arm.urdf").file == far

    def test_without_any_nothing_is_set(self, tmp_path):
        assert find_settings(str(tmp_path / "arm.urdf")) == Settings()

    def test_a_folder_with_two_is_an_error(self, tmp_path):
        write(tmp_path, "")
        write(tmp_path, "[tool.kinetree]", "pyproject.toml")
        with pytest.raises(kt.KinetreeError, match=r"there are settings in .*pyproject.toml too; expected one"):
            find_settings(str(tmp_path / "arm.urdf"))

    def test_a_broken_file_that_names_us_is_an_error(self, tmp_path):
        write(tmp_path, "[tool.kinetree]\nprofile = ", "pyproject.toml")
        with pytest.raises(kt.KinetreeError, match=r"pyproject.toml:2:\d+: error: this is not TOML"):
            find_settings(str(tmp_path / "arm.urdf"))

    def test_what_is_no_plain_file_is_passed_over(self, tmp_path):
        (tmp_path / "a/kinetree.toml").mkdir(parents=True)
        (tmp_path / "a/pyproject.toml").symlink_to("pyproject.toml")
        if hasattr(os, "mkfifo"):
            (tmp_path / "a/b").mkdir()
            os.mkfifo(tmp_path / "a/b/kinetree.toml")
        assert find_settings(str(tmp_path / "a/b/arm.urdf")) == Settings()

    def test_a_change_is_seen(self, tmp_path):
        file = write(tmp_path, 'profile = "icub"')
        assert read_settings(file).options.profile == "icub"
        write(tmp_path, 'profile = "industrial"')
        assert read_settings(file).options.profile == "industrial"

    def test_a_relative_name_means_the_file_of_the_working_folder(self, tmp_path, monkeypatch):
        """Also where another folder has one of the same size and time."""
        for name, profile in (("a", "sim"), ("b", "ros")):
            os.utime(write(tmp_path / name, f'profile = "{profile}"\nbaseline = "known.json"'), ns=(10**18, 10**18))
            monkeypatch.chdir(tmp_path / name)
            settings = read_settings("kinetree.toml")
            assert (settings.options.profile, settings.baseline) == (profile, str(tmp_path / name / "known.json"))


class TestJobs:
    def test_a_path_has_what_its_settings_say(self, tmp_path):
        write(tmp_path, ALL)
        (job,) = jobs([str(tmp_path / "sub" / "arm.urdf")])
        assert (job.file, job.options.profile, job.name) == (str(tmp_path / "sub/arm.urdf"), "industrial", "")
        assert (job.options.select, job.options.ignore) == (("R199-4", "not-understood"), ("R199-408",))
        assert (job.options.controller, job.baseline) == ("universal_robots", str(tmp_path / "known.json"))
        assert read_of(job) == ReadOptions()
        assert [row.pattern.text for row in job.per_file] == ["legacy/**"]

    def test_an_entry_point_has_its_arguments_one_job_for_each_row(self, tmp_path, monkeypatch):
        rows = "".join(f'[[models]]\nfile = "ur.xacro"\nargs = {{ t = "{t}" }}\n' for t in ("ur3", "ur5"))
        write(tmp_path, f'profile = "industrial"\n{rows}[[models]]\nfile = "b.urdf"\nprofile = "icub"')
        (tmp_path / "link").symlink_to(tmp_path)
        monkeypatch.chdir(tmp_path)
        for path in ("ur.xacro", str(tmp_path / "ur.xacro"), "link/ur.xacro"):
            ur3, ur5 = jobs([path])
            assert ur3.file == ur5.file == path
            assert [(job.name, read_of(job)) for job in (ur3, ur5)] == [
                (f"t={t}", ReadOptions(args={"t": t})) for t in ("ur3", "ur5")
            ]
        assert [job.options.profile for job in jobs(["ur.xacro", "b.urdf", "c.urdf"])] == ["industrial"] * 2 + [
            "icub",
            "industrial",
        ]

    def test_rows_of_one_file_are_told_apart_by_their_arguments(self, tmp_path):
        rows = "".join(f'[[models]]\nfile = "{name}"\nargs = {{ t = {t} }}\n' for t, name in enumerate(("ur", "./ur")))
        settings = read_settings(write(tmp_path, f'{rows}[[models]]\nfile = "ur"\nname = "long"'))
        assert [model.name for model in settings.models] == ["t=0", "t=1", "long"]

    def test_one_of_the_models_of_an_sdf_file(self, tmp_path):
        rows = "".join(f'[[models]]\nfile = "two.world"\nmodel = "{name}"\n' for name in ("crate", "arm"))
        write(tmp_path, rows)
        path = str(tmp_path / "two.world")
        assert [(job.name, read_of(job)) for job in jobs([path])] == [
            ("crate", ReadOptions(model="crate")),
            ("arm", ReadOptions(model="arm")),
        ]
        (job,) = jobs([path], read_settings(write(tmp_path, '[[models]]\nfile = "two.world"\nmodel = "arm"')))
        assert (job.name, read_of(job)) == ("", ReadOptions(model="arm"))
        models = "".join(f'<model name="{name}"><link name="{name}_base"/></model>' for name in ("crate", "arm"))
        (tmp_path / "two.world").write_text(f'<sdf version="1.9"><world name="w">{models}</world></sdf>')
        assert not any(finding.severity == "error" for finding in check_job(job).findings)

    def test_what_is_excluded_is_checked_only_where_it_is_named(self, tmp_path):
        write(tmp_path, 'exclude = ["legacy/**", "*.world"]')
        paths = [
            write(tmp_path / folder, "", name)
            for folder, name in (("", "a.urdf"), ("legacy/b", "c.urdf"), ("", "d.world"))
        ]
        assert [job.file for job in jobs(paths, found=paths)] == paths[:1]
        assert [job.file for job in jobs(paths, found=paths[2:])] == paths[:2]
        assert [job.file for job in jobs(paths)] == paths

    def test_faults_of_a_row_are_at_its_line(self, tmp_path):
        (tmp_path / "a.urdf").write_text(ARM)
        text = '[[models]]\nfile = "a.urdf"\npackages = { mine = "no" }\n[[models]]\nfile = "b.urdf"\n'
        settings = read_settings(write(tmp_path, text))
        first, second = map(check_alone, jobs(None, settings))
        assert [(f.code, f.source) for f in first.findings] == [("package", Source(settings.file, 1))]
        assert [f.source.file for f in second.findings] == [str(tmp_path / "b.urdf")]
        assert second.findings[0].fix == f"correct the row of the settings that names the file, at {settings.file}:4"

    def test_without_paths_the_models_are_checked(self, tmp_path, monkeypatch):
        write(tmp_path, ALL)
        (tmp_path / "sub").mkdir()
        monkeypatch.chdir(tmp_path)
        assert [(job.file, job.options.profile) for job in jobs(None)] == [
            ("ur.urdf.xacro", "industrial"),
            ("icub.urdf", "icub"),
        ]
        monkeypatch.chdir(tmp_path / "sub")
        assert [job.file for job in jobs(None)] == [str(tmp_path / name) for name in ("ur.urdf.xacro", "icub.urdf")]

    def test_what_is_said_for_a_run_goes_before_the_settings(self, tmp_path):
        write(tmp_path, ALL)
        read = ReadOptions(args={"name": "other"}, packages={"x": "y"})
        said = CheckOptions("industrial-strict", ("R199-5",), ("R199-509",), "ABB", read=read)
        (job,) = jobs([str(tmp_path / "ur.urdf.xacro")], None, said, "b.json")
        options = job.options
        assert (options.profile, options.select, options.ignore) == ("industrial-strict", ("R199-5",), ("R199-509",))
        assert (options.controller, job.baseline) == ("abb", "b.json")
        assert read_of(job) == ReadOptions(
            args={"ur_type": "ur5e", "name": "other", "scale": "2", "safety": "true"},
            packages={"ur_description": str(tmp_path / "src/ur"), "x": "y"},
        )

    def test_where_no_profile_is_said(self, tmp_path):
        assert [job.options.profile for job in jobs([str(tmp_path / "arm.urdf")])] == ["ros"]

    def test_settings_can_be_given(self, tmp_path):
        write(tmp_path / "near", 'profile = "icub"')
        settings = read_settings(write(tmp_path, 'profile = "industrial"'))
        assert [job.options.profile for job in jobs([str(tmp_path / "near/a.urdf")], settings)] == ["industrial"]

    @pytest.mark.parametrize(
        ("said", "match"),
        [
            (CheckOptions("icubb"), "no profile 'icubb'"),
            (CheckOptions("icub", select=("R199",)), "no rule of profile 'icub' begins with 'R199'"),
            (CheckOptions("icub", ignore=("R199",)), "no rule of profile 'icub' begins with 'R199'"),
            (CheckOptions("icub", controller="acme"), "no controller 'acme'"),
        ],
    )
    def test_what_is_not_legal(self, tmp_path, said, match):
        with pytest.raises(kt.KinetreeError, match=match):
            jobs([str(tmp_path / "arm.urdf")], None, said)

    def test_nothing_to_check_is_an_error(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(kt.KinetreeError, match=r"no file is named, and there are no settings with \[\[models\]\]"):
            jobs(None)
        write(tmp_path, 'profile = "icub"')
        with pytest.raises(kt.KinetreeError, match=r"kinetree.toml has no \[\[models\]\]"):
            jobs(None)


class TestPerFile:
    @pytest.mark.parametrize(
        ("pattern", "fits", "fits_not"),
        [
            ("legacy/**", ["legacy/a.urdf", "legacy/b/c/a.urdf"], ["a.urdf", "b/legacy/a.urdf", "legacy2/a.urdf"]),
            ("legacy/", ["legacy/a.urdf", "legacy/b/c/a.urdf"], ["a.urdf", "legacy2/a.urdf"]),
            ("legacy/*", ["legacy/a.urdf"], ["legacy/b/a.urdf"]),
            ("**/legacy/**/*.urdf", ["legacy/a.urdf", "b/legacy/c/d/a.urdf"], ["legacy/a.xacro", "b/a.urdf"]),
            ("*.urdf", ["a.urdf", "b/c/a.urdf"], ["a.xacro", "d.urdf/b"]),
            ("./a?[bc].urdf", ["aab.urdf", "axc.urdf"], ["aa.urdf", "a/b.urdf", "axd.urdf", "s/aab.urdf"]),
            ("../other/*", ["../other/a.urdf"], ["other/a.urdf"]),
            ("a+(b).urdf", ["a+(b).urdf"], ["aab.urdf"]),
        ],
    )
    def test_patterns(self, tmp_path, pattern, fits, fits_not):
        home = tmp_path / "home"
        row = Pattern(pattern, str(home))
        for name in (*fits, *fits_not):
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text("")
            assert row.fits(str(path)) == (name in fits)

    def test_a_hostile_pattern_takes_no_time(self, tmp_path):
        deep = tmp_path / "/".join(["a"] * 40)
        deep.mkdir(parents=True)
        (deep / ("a" * 200)).write_text("")
        for pattern in ("**/a/" * 200 + "b", "*a" * 100 + "b"):
            assert not Pattern(pattern, str(tmp_path)).fits(str(deep / ("a" * 200)))

    def test_findings_there_are_left_out_but_errors_of_the_reader(self, tmp_path):
        write(tmp_path, 'profile = "industrial"\nper-file-ignores = { "legacy/**" = ["R199-403", "missing"] }')
        for folder in ("legacy", "new"):
            write(tmp_path / folder, WRONG, "arm.urdf")
            write(tmp_path / folder, ARM.replace('<link name="base"/>', "<link/>"), "bad.urdf")

        def codes(name):
            (job,) = jobs([str(tmp_path / name)])
            return [finding.code for finding in check_job(job).findings]

        assert codes("new/arm.urdf") == ["R199-403"]
        assert codes("legacy/arm.urdf") == []
        assert codes("legacy/bad.urdf") == codes("new/bad.urdf")
        assert "missing-attribute" in codes("legacy/bad.urdf")


class TestRealModels:
    @pytest.mark.slow
    def test_ur_is_checked_as_its_settings_say(self, tmp_path):
        folder = shared("corpus", "UniversalRobots+Universal_Robots_ROS2_Description")
        (entry,) = folder.rglob("ur.urdf.xacro")
        write(
            tmp_path,
            "".join(
                f'[[models]]\nfile = "{entry}"\nargs = {{ ur_type = "{kind}", name = "ur" }}\nprofile = "industrial"\n'
                for kind in ("ur5e", "ur20")
            ),
        )
        settings = read_settings(str(tmp_path / "kinetree.toml"))
        for job, kind in zip(jobs(None, settings), ("ur5e", "ur20"), strict=True):
            found = check_job(job)
            assert found.name == f"ur_type={kind}, name=ur"
            assert not [finding for finding in found.findings if finding.code.startswith("xacro")]
            assert any(finding.code.startswith("R199") for finding in found.findings) or found.findings == ()
