"""Processes of one run share the assertions that pytest rewrites, which is most of the time before the first test."""

import marshal
import sys
from pathlib import Path
from zlib import crc32

import pytest
from _pytest.assertion import rewrite


class Shared:
    """What the processes of a run have rewritten: in a file each, below the temporary folder of the run."""

    def __init__(self, folder, worker):
        self.folder, self.worker, self.rewrite = folder, worker, rewrite._rewrite_test
        folder.mkdir(exist_ok=True)

    def __call__(self, path, config):
        kept = self.folder / f"{crc32(bytes(path)):08x}"
        if kept.exists():
            mark, code = marshal.loads(kept.read_bytes())
            return mark or path.stat(), code
        mark, code = self.rewrite(path, config)
        own = kept.with_suffix(f".{self.worker}")
        own.write_bytes(marshal.dumps((mark if isinstance(mark, bytes) else None, code)))
        own.replace(kept)
        return mark, code


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session):
    """Rewrite an equal part of the files first; the other parts are ready when the collection comes to them."""
    config, own = session.config, getattr(session.config, "workerinput", None)
    tests = Path(__file__).parent
    kept = not sys.dont_write_bytecode and any((tests / "__pycache__").glob(f"test_*{rewrite.PYC_TAIL}"))
    if own is None or kept or config.option.assertmode != "rewrite" or not config.option.basetemp:
        return
    if not hasattr(rewrite, "_rewrite_test"):  # a private name of pytest; without it, each process rewrites all
        return
    shared = rewrite._rewrite_test = Shared(Path(config.option.basetemp).parent / "rewritten", own["workerid"])
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        ignored = config.hook.pytest_ignore_collect
        paths = [path for path in sorted(tests.rglob("test_*.py")) if not ignored(collection_path=path, config=config)]
        for path in paths[int(own["workerid"].removeprefix("gw")) :: own["workercount"]]:
            shared(path, config)


def pytest_collection_finish():
    """Rewrite as ever what is imported later."""
    if isinstance(shared := getattr(rewrite, "_rewrite_test", None), Shared):
        rewrite._rewrite_test = shared.rewrite
