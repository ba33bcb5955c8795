"""Limits that leave a point, a line, almost nothing or almost everything: an answer, or a KinetreeError."""

import numpy as np
import pytest

import kinetree as kt
from each import each
from kinetree.errors import KinetreeError
from kinetree.model.limits import Limits
from kinetree.solvers.limits.report import report
from kinetree.spatial import polytope
from support import at_length

WIDTHS = (0, 1e-320, 1e-300, 1e-13, 1e-10, 1e-9, 2e-9, 1e-8, 1e-6, 1e-3, 0.1, 1, 1, 3, 10, 1e8, 1e30, 1e300, 1.7e308)
COEFFICIENTS = (0, 0, 1, -1, 0.5, 2, 1e-8, 1e-100, 1e100)
ROOM = (0, 0, 1e-12, 1e-9, 1e-6, 0.1, 1, 1e300, -1e-9, -0.1)


def hostile(seed: int) -> Limits:
    """Limits of up to four coordinates, with ranges and rows of all sizes and rows that contradict each other."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 5), rng.integers(1, 5)
    center = rng.choice([0, 1, -0.5, 1e3], n) * rng.random(n)
    width = rng.choice(WIDTHS, (2, n))
    G = rng.choice(COEFFICIENTS, (m, n))
    G[~G.any(axis=1)] = 1.0
    G = np.vstack([G, -G]) if rng.random() < 0.5 else G
    h = G @ center + rng.choice(ROOM, len(G))
    return Limits(
        tuple(f"q{i}" for i in range(n)), center - width[0], center + width[1], G, h, tuple(map(str, range(len(G))))
    )


def answers(limits: Limits) -> int:
    """Ask everything about them, and return how many questions have an answer; others end in a KinetreeError."""
    n = len(limits.lower)
    blocks = [] if limits.impossible else [(block.A, block.b) for block in limits.blocks]
    questions = [
        lambda: limits.sample(5),
        limits.volume,
        limits.forbidden_share,
        lambda: limits.project(np.zeros(n)),
        lambda: limits.project(np.full(n, 1e300)),
        *(lambda ask=ask, of=of: ask(*of) for of in blocks for ask in (polytope.vertices, polytope.facet_areas)),
        *(lambda ask=ask, of=of: ask(*of) for of in blocks for ask in (polytope.largest_box, polytope.is_flat)),
    ]
    answered = 0
    for question in questions:
        try:
            question()
        except KinetreeError:
            continue
        answered += 1
    return answered


@pytest.mark.slow
def test_they_answer_or_say_why_not():
    assert sum(answers(hostile(seed)) for seed in range(6)) > 6


@pytest.mark.slow
@pytest.mark.nightly
def test_many_answer_or_say_why_not():
    count = at_length(100, 300)
    assert sum(answers(hostile(seed)) for seed in range(100, 100 + count)) > count


ARM = """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="x" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
  <limit lower="{0}" upper="{1}" velocity="1" effort="1"/></joint>
<joint name="y" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
  <limit lower="{0}" upper="{1}" velocity="1" effort="1"/></joint>
<kinetree_coupled_limit name="both" lower="{2}" upper="{3}"><joint name="x" coefficient="{4}"/>
  <joint name="y" coefficient="1"/></kinetree_coupled_limit></robot>"""


@each(
    "numbers, of_sample, of_report",
    [
        ((-1, 1, 0, 0, 1), "empty", None),  # a line
        ((-1, 1, 2, 2, 1), "empty", None),  # a corner
        ((-1, 1, 2.000001, 3, 1), "empty", "empty"),
        ((-1, 1, 0, 1e-8, 1), None, "no-solution"),  # a strip, too thin for its largest box
        ((-1e300, 1e300, -1, 1, 1), "unbounded", "no-solution"),
        ((-1e308, 1e308, -1, 1, 1), "unbounded", "unbounded"),
        ((-1e-300, 1e-300, -1, 1, 1e-100), "zero-row", "no-solution"),
    ],
)
def test_samples_and_the_report_of_sets_without_room(numbers, of_sample, of_report):
    robot = kt.load(ARM.format(*numbers), format="urdf")
    for ask, expected in ((lambda: robot.limits.sample(3), of_sample), (lambda: report(robot), of_report)):
        if expected is None:
            assert len(ask()) > 0
            continue
        with pytest.raises(KinetreeError) as caught:
            ask()
        assert caught.value.findings[0].code == expected


def test_the_command_says_why_there_is_no_report(tmp_path):
    from click.testing import CliRunner

    from kinetree.cli import group

    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(-1e308, 1e308, -1, 1, 1))
    result = CliRunner().invoke(group, ["limits", str(path)])
    assert result.exit_code == 2
    assert "there is no box without ranges; without one are x, y" in result.stderr
