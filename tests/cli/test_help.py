"""The help of every command: sentences that a newcomer understands, in groups, at 80 columns, with an example."""

import re
import shlex
from pathlib import Path

import click
import pytest

import kinetree.cli
import kinetree.viewing
from each import each
from kinetree.cli import group
from kinetree.cli._help import READING, SECTIONS, Command, Commands
from kinetree.cli._queries import ARGUMENTS, QUERIES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "command-line.md"
FRAGMENT = re.compile(
    r"(And|As|At|Below|Beside|By|From|How|If|In|Of|On|Or|That|The|To|What|When|Where|Which|Who|Whose|With|Without)\b"
)
PRIVATE = re.compile(
    r"\b(asked|holds?|legal|mend(?:ed|s)?|nobody|room|said|says?|somebody|stands?|told)\b", re.IGNORECASE
)
EXTRA = re.compile(r"  \[[^\]]*\]$")
"""What click or the text adds behind the sentences: [default: …; required]."""
UNITS = re.compile(r"\b(m|mm|rad|deg|degrees|s|Hz|no unit|unit|kg)\b|--unit")


def commands(found=None, path=()):
    """Every command with its words."""
    found = group if found is None else found
    context = click.Context(found)
    if isinstance(found, click.Group):
        for name in found.list_commands(context):
            yield from commands(found.get_command(context, name), (*path, name))
    else:
        yield path, found


ALL = dict(commands())
HELP = pytest.mark.parametrize("path", ALL, ids=" ".join)


def options(command):
    return [param for param in command.params if isinstance(param, click.Option) and not param.hidden]


def faults(text):
    """What is wrong with a help text."""
    sentences = EXTRA.sub("", text)
    return [
        *(["it is a fragment"] if FRAGMENT.match(text) or not re.match(r"[A-Z]", text) else []),
        *(["it does not end with a full stop"] if not sentences.endswith((".", "…")) else []),
        *(f"it says {word!r}" for word in PRIVATE.findall(text)),
    ]


@HELP
def test_every_text_is_a_sentence(path):
    command = ALL[path]
    for param in command.params:
        if not getattr(param, "hidden", False):
            assert not faults(param.help), (param.name, param.help)
    assert not faults(command.short_help)
    assert not PRIVATE.search(command.help)


@each("text", ["Of angles.", "What reaches.", "To read.", "lower.", "No stop", "It is told."])
def test_fragments_are_noticed(text):
    assert faults(text)


def test_functions_of_codegen_are_described():
    for text in (*ARGUMENTS.values(), *(row.gives for row in QUERIES.values())):
        assert not faults(text)


@HELP
def test_units_and_defaults(path):
    context = click.Context(ALL[path])
    for option in options(ALL[path]):
        term, text = option.get_help_record(context)
        number = option.type.name.startswith("float") or re.search(r" (RAD|MM|M|X|DEG)\b(?!\.)", term)
        if number and option.name not in ("base", "flange", "tool0"):
            assert UNITS.search(text), (term, text)
        if option.default not in (None, False, (), "") and "Sentinel" not in str(type(option.default)):
            assert "[default: " in text, (term, text)
        assert "by default" not in text
        assert text.count("default: ") <= 1
        assert option.multiple == ("Repeatable." in text)


@HELP
def test_the_help_is_plain_and_80_columns_wide(run, path):
    text = run(*path, "--help").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert text.splitlines()[-1].startswith("Example: kinetree " + " ".join(path))


@pytest.mark.slow
@HELP
def test_arguments_first_and_reading_last(run, path):
    command = ALL[path]
    titles = re.findall(r"^([A-Z].*):$", run(*path, "--help").stdout, re.MULTILINE)
    order = ["Arguments", "Options", "Conventions", "Functions of --write", "Arguments of these functions", READING]
    assert titles == sorted(titles, key=order.index)
    reads = [option for option in options(command) if getattr(option, "section", "") == READING]
    if reads:
        assert titles[-1] == READING
        assert {"format", "packages"} <= {option.name for option in reads}
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    assert bool(arguments) == ("Arguments" in titles)
    words = " ".join(run(*path, "--help").stdout.split())
    for param in arguments:
        assert f"{param.make_metavar(click.Context(command))} {' '.join(param.help[:20].split())}" in words


def test_the_list_of_commands(run):
    lines = run("--help").stdout.splitlines()
    assert [line[:-1] for line in lines if line[:-1] in SECTIONS] == list(SECTIONS)
    for (name, *rest), command in ALL.items():
        if not rest:
            assert f"  {name:9}  {command.short_help}" in lines
            assert command.section in SECTIONS
    assert not [line for line in lines[1:] if line.endswith("...")]
    assert "  limits     Print what limits over several joints forbid; check a motion." in lines
    names = {path.stem for path in Path(kinetree.cli.__file__).parent.glob("*.py") if not path.stem.startswith("_")}
    assert names == {path[0] for path in ALL}


def test_options_without_effect_are_taken_but_not_listed(run, arm):
    assert "--inertias" not in run("fk", "--help").stdout
    assert "--inertias" in run("dynamics", "--help").stdout
    assert run("fk", arm, "tool0", "--srdf", "nowhere.srdf").exit_code == 2
    assert "--srdf" not in run("dh", "--help").stdout
    assert "nowhere.srdf: error" in run("dh", arm, "--tip", "tool0", "--srdf", "nowhere.srdf").stderr
    listed = {option.name for option in options(ALL["codegen",])}
    assert listed >= {"write", "joints", "at", "single", "language", "out", "force", "as_json"}
    assert not listed & {"fk", "guard", "base", "gravity", "names"}


def test_a_command_and_a_group_of_your_own():
    @click.command(cls=Command, example="try this", section=SECTIONS[0], hides=("old",))
    @click.option("--old", help="Old.")
    @click.option("--kind", type=click.Choice(["x" * 30, "y" * 30, "z" * 30]), help="Kind.")
    def one():
        """Do one thing."""

    listed = Commands(commands={"one": one})
    text = one.get_help(click.Context(one))
    assert "--old" not in text
    assert f"  --kind [{'x' * 30}|{'y' * 30}|\n      {'z' * 30}]\n" in text
    assert text.endswith("\nExample: try this")
    assert f"{SECTIONS[0]}:\n  one  Do one thing." in listed.get_help(click.Context(listed))


FILES = {
    match[1]: match[2]
    for match in re.finditer(r'title="(\w+\.(?:urdf|csv))"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
}
GRIPPER = '<robot name="gripper"><link name="palm"/></robot>'
EXAMPLES = [path for path in ALL if path[0] not in ("serve", "lsp", "calibrate", "verify")]


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=" ".join)
def test_the_example_works(run, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    for name, text in {**FILES, "gripper.urdf": GRIPPER}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    if path == ("compare",):
        run("convert", "arm.urdf", "arm.sdf")
    if path == ("motion", "convert"):
        run("tf", "arm.urdf", "motion.csv", "--deg", "-o", "run.mcap")
    if path == ("show",) and not (Path(kinetree.viewing.__file__).parent / "bundle" / "viewer.js").exists():
        pytest.skip("the viewer is not built here")
    if path in (("contact",), ("srdf",)):
        ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>"
        text = FILES["arm.urdf"].replace('name="base_link"/>', f'name="base_link">{ball}')
        text = text.replace('<link name="upper_arm">', f'<link name="upper_arm">{ball.removesuffix("</link>")}')
        (tmp_path / "arm.urdf").write_text(text.replace('name="tool0"/>', f'name="tool0">{ball}'), encoding="utf-8")
    result = run(*shlex.split(ALL[path].epilog.removeprefix("Example: kinetree ")))
    assert result.exit_code in ((0, 1) if path[0] in ("check", "fix") or path[-1] == "check" else (0,)), result.stderr
    assert "error" not in result.stderr


def test_the_options_of_every_command(golden):
    """Each with its words, its type, its default and whether it may be hidden or repeated: read the difference."""
    lines = []
    for path, command in ALL.items():
        lines.append(" ".join(path))
        for param in command.params:
            words = " ".join([*param.opts, *param.secondary_opts])
            kind = param.type.choices if isinstance(param.type, click.Choice) else param.type.name
            marks = [mark for mark in ("required", "multiple", "hidden", "is_flag") if getattr(param, mark, False)]
            default = f" = {param.default!r}" if isinstance(param.default, str | int | float | bool) else ""
            lines.append(f"  {words}: {kind}{default}{''.join(f' [{mark}]' for mark in marks)}")
    golden("options.txt", "\n".join(lines) + "\n")


def test_least_and_largest_numbers_of_options():
    """A change of one is a change for users."""
    ranges = {
        f"{' '.join(path)} {option.opts[-1]}": (option.type.min, option.type.max, option.type.min_open)
        for path, command in ALL.items()
        for option in command.params
        if isinstance(option.type, (click.IntRange, click.FloatRange))
    }
    assert ranges == {
        "compare --tolerance": (0, None, True),
        "compare --relative": (0, None, True),
        "compare --faces": (1, None, False),
        "move --speed": (0, None, True),
        "serve --rate": (0.1, 1000, False),
        "serve --speed": (0.001, 1000, False),
        "serve --port": (0, 65535, False),
        "show --faces": (1, None, False),
        "show --size": (16, 8192, False),
    }
