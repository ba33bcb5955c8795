"""The examples of the page on gradients that need PyTorch or JAX."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "gradients.md"


@pytest.mark.filterwarnings("ignore")
def test_examples_run(capsys):
    for name in ("torch", "jax"):
        pytest.importorskip(name, reason="the bridges have an environment of their own")
    variables = {}
    for code in re.findall(r"^```(?:py|python)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        exec(compile(code, str(PAGE), "exec"), variables)
    assert variables["q"].shape == (1000, 35)
    assert variables["slope"].shape == (1000, 35)
    shapes = "'l_hand': (35, 3), 'posture': (35, 35), 'weight of l_hand': (35,), 'weight of posture': (35,)"
    assert capsys.readouterr().out.endswith(f"True\n{{{shapes}}}\n")
