"""Real robots with changed meaning, against Pinocchio and MuJoCo: a short part of what `python -m fuzz.differential`
does for hours."""

from pathlib import Path

import pytest

from support import example_robot_urdfs, icub_urdfs

pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")
pytestmark = pytest.mark.crosscheck


def folders() -> list[Path]:
    return [icub_urdfs()[0].parents[2], example_robot_urdfs()[0].parents[2]]


def test_all_differences_are_excused(tmp_path, monkeypatch):
    from fuzz.differential import compare, excuse

    monkeypatch.chdir(tmp_path)  # MuJoCo writes a log
    counts = compare(range(400), folders())
    assert {difference: n for difference, n in counts.items() if excuse(difference) is None} == {}
    agreed = {
        peer: sum(n for (of, kind, _), n in counts.items() if (of, kind) == (peer, "agree")) for peer, *_ in counts
    }
    assert agreed["pinocchio"] > 150
    assert agreed["mujoco-urdf"] > 150


def test_a_frame_that_moves_is_a_difference():
    from fuzz.differential import differences, excuse
    from fuzz.peers import PEERS
    from kinetree.rules.examples import ARM

    text = ARM.encode()
    assert {kind for _, kind, _ in differences(0, "urdf", text, "")} == {"agree"}
    moved = text.replace(b'xyz="0.15 0 0.2"', b'xyz="0.15 0 0.200001"')
    pinocchio = PEERS[0].load(moved)
    import fuzz.differential as differential

    found = differential._compare(
        differential.read(text, "urdf")[0], pinocchio, differential.np.random.default_rng(0), text, "x"
    )
    assert found == ("poses differ", "x")
    assert excuse(("pinocchio", *found)) is None
