"""Findings in the editor and of `kinetree check` on real files, and the memory of long sessions."""

import os
import random
from pathlib import Path

import pytest

from kinetree.checker.files import models_in, once_in_all, without_parts
from kinetree.checker.plan import jobs
from kinetree.checker.pool import check_all
from lsp_client import Client
from lsp_texts import ARM
from support import at_length, sample, shared

pytestmark = pytest.mark.slow

COUNT = 200


def real_files():
    """Return COUNT real files of all formats, the same each time."""
    import icub_models

    found = sorted(models_in(shared("corpus").resolve(), srdf=True))
    random.Random(4).shuffle(found)
    icubs = [Path(icub_models.get_model_file(name)) for name in sorted(icub_models.get_robot_names())]
    return [*icubs[:10], *found][:COUNT]


def checked(file):
    results = once_in_all([without_parts(result) for result in check_all(jobs([str(file)]))])
    found = [finding for result in results for finding in result.findings]
    return {
        (
            os.path.realpath(f.source.file if f.source else file),
            (f.source and f.source.line) or 1,
            f.code,
            f"{f.element}: {f.message}" if f.element else f.message,
        )
        for f in found
    }


def test_findings_equal_those_of_the_check_on_real_files():
    files, compared = sample(real_files(), 8), 0
    with Client() as client:
        for file in files:
            try:
                text = file.read_bytes().decode("utf-8-sig")
            except UnicodeDecodeError:
                continue
            client.published.clear()
            client.open(file, text)
            client.diagnostics(file, 90)
            shown = {
                (str(path), d["range"]["start"]["line"] + 1, d["code"], d["message"].partition("\nTo correct it:")[0])
                for path, (_, diagnostics, _) in client.published.items()
                for d in diagnostics
            }
            client.close(file)
            client.wait_for(file, lambda diagnostics: not diagnostics)
            assert shown == checked(file), file
            compared += len(shown)
    assert compared > 3 * len(files)


def resident(process):
    """Return the resident memory of a process and its children, in MB."""
    status = Path(f"/proc/{process}/status").read_text()
    own = int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1000
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    for task in Path(f"/proc/{process}/task").iterdir():
        children += (task / "children").read_text().split()
    return own + sum(resident(int(child)) for child in set(children))


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
@pytest.mark.nightly
def test_memory_stays_level_over_thousands_of_edits(tmp_path):
    edits = at_length(1_500, 10_000)
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    levels = []
    with Client() as client:
        client.open(path)
        for edit in range(edits):
            old, new = ("0 0 2", "0 0 3") if edit % 2 == 0 else ("0 0 3", "0 0 2")
            client.replace(path, old, new)
            if edit % 50 == 49:
                client.diagnostics(path)
                client.request("textDocument/hover", **client.at(path, "<limit", 2))
                client.request("textDocument/completion", **client.at(path, '<child link="', 13))
                client.request("textDocument/documentSymbol", textDocument={"uri": path.as_uri()})
            if edit % (edits // 10) == 0:
                levels.append(resident(client.process.pid))
    assert levels[-1] < 1.05 * levels[1], levels
