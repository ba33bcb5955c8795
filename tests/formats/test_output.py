"""`write_whole` and `write_all`: rights, owners, links, devices, and several files all or none."""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kinetree.errors import KinetreeError
from kinetree.files.output import write_all, write_whole
from support import full_disk

posix = pytest.mark.skipif(sys.platform == "win32", reason="rights and links of POSIX")
root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be several users")
NOBODY = 65534


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def status_as_nobody(action) -> int:
    """How a process ends that does something as another user: 0, or 1 with a KinetreeError."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    try:
        action()
        os._exit(0)
    except KinetreeError as error:
        print(error, file=sys.stderr, flush=True)
        os._exit(1)
    except BaseException:
        os._exit(2)


@posix
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_new_files_obey_the_umask(umask, count, tmp_path):
    paths = [tmp_path / f"{i}.urdf" for i in range(count)]
    before = os.umask(umask)
    try:
        write_all(dict.fromkeys(paths, "new"))
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in paths} == {0o666 & ~umask}
    assert names(tmp_path) == [path.name for path in paths]


@posix
@pytest.mark.parametrize("others", [{}, {"other.urdf": "new"}])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_rights_stay(mode, others, tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text("old")
    path.chmod(mode)
    write_all({path: "new", **{tmp_path / name: text for name, text in others.items()}})
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", mode)


@root
def test_owner_and_group_stay(tmp_path):
    paths = [tmp_path / "a.urdf", tmp_path / "b.urdf"]
    for path in paths:
        path.write_text("old")
        os.chown(path, 12345, 23456)
    write_all(dict.fromkeys(paths, "new"))
    assert [(p.read_text(), p.stat().st_uid, p.stat().st_gid) for p in paths] == [("new", 12345, 23456)] * 2


@pytest.fixture
def shared():
    """A folder that every user can reach."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        yield Path(name).resolve()


@root
def test_a_group_that_cannot_be_kept_gives_no_other_group_more_than_everybody(shared):
    """The owner is not in the group of the file."""
    shared.chmod(0o777)
    path = shared / "arm.urdf"
    path.write_text("old")
    os.chown(path, NOBODY, 23456)
    path.chmod(0o664)
    assert status_as_nobody(lambda: write_whole(path, "new")) == 0
    assert (path.read_text(), path.stat().st_gid, path.stat().st_mode & 0o777) == ("new", NOBODY, 0o644)


@root
def test_in_a_sticky_folder_a_file_of_another_owner_keeps_all_others(shared, capfd):
    shared.chmod(0o1777)
    mine, foreign = shared / "mine.urdf", shared / "theirs.urdf"
    for path in (mine, foreign):
        path.write_text("old")
        path.chmod(0o666)
    os.chown(mine, NOBODY, NOBODY)
    for contents in ({mine: "new", foreign: "new"}, {foreign: "new", mine: "new"}, {foreign: "new"}):
        assert status_as_nobody(lambda written=contents: write_all(written)) == 1
        assert "theirs.urdf: error: belongs to another user, and its folder" in capfd.readouterr().err
        assert (mine.read_text(), foreign.read_text()) == ("old", "old")
        assert names(shared) == ["mine.urdf", "theirs.urdf"]
    assert status_as_nobody(lambda: write_all({mine: "new"})) == 0
    assert mine.read_text() == "new"


@posix
def test_links_stay_and_their_targets_are_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    targets = [tmp_path / "real" / f"{i}.urdf" for i in range(2)]
    targets[0].write_text("old")
    links = [tmp_path / f"{i}.urdf" for i in range(2)]
    for link, target in zip(links, targets, strict=True):
        link.symlink_to(target)  # the second leads nowhere yet
    write_all(dict.fromkeys(links, "new"))
    assert all(link.is_symlink() for link in links)
    assert [target.read_text() for target in targets] == ["new", "new"]
    assert (names(tmp_path), names(tmp_path / "real")) == (["0.urdf", "1.urdf", "real"], ["0.urdf", "1.urdf"])


@posix
def test_a_link_to_itself_is_refused(tmp_path):
    loop = tmp_path / "loop.urdf"
    loop.symlink_to(loop)
    with pytest.raises(KinetreeError, match=r"loop.urdf: error: cannot be written: Too many levels"):
        write_whole(loop, "new")
    assert loop.is_symlink()


@posix
def test_of_hard_links_one_becomes_a_file_of_its_own_and_none_if_it_fails(tmp_path):
    path, other, second = (tmp_path / name for name in ("arm.urdf", "same.urdf", "z.urdf"))
    path.write_text("old")
    second.write_text("old")
    os.link(path, other)
    with full_disk(second), pytest.raises(KinetreeError, match="No space left"):
        write_all({path: "new", second: "new"})
    assert (path.read_text(), path.samefile(other), path.stat().st_nlink) == ("old", True, 2)
    write_all({path: "new", second: "new"})
    assert (path.read_text(), other.read_text()) == ("new", "old")


def test_where_hard_links_cannot_be_made_old_files_are_copied(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in "ab"]
    for path in paths:
        path.write_text("old")

    def has_no_links(*_):
        raise PermissionError("no links")

    monkeypatch.setattr(os, "link", has_no_links)
    with full_disk(paths[1]), pytest.raises(KinetreeError, match="No space left"):
        write_all(dict.fromkeys(paths, "new"))
    assert [path.read_text() for path in paths] == ["old", "old"]
    assert names(tmp_path) == ["a", "b"]


@posix
@pytest.mark.slow
def test_the_standard_output_is_written_into(tmp_path):
    """Be it a pipe, whose name leads nowhere, or a file."""
    code = "from kinetree.files.output import write_whole; from pathlib import Path; write_whole(Path(%r), 'new')"
    command = [sys.executable, "-c", code % "/dev/stdout"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout == "new"
    with open(tmp_path / "out.urdf", "w") as file:
        subprocess.run(command, env=environment, stdout=file, check=True)
    assert (tmp_path / "out.urdf").read_text() == "new"


def written_often(path: Path, text: str) -> None:
    for _ in range(50):
        write_whole(path, text)


@posix
def test_processes_that_write_one_file_do_not_meet(tmp_path):
    path = tmp_path / "arm.urdf"
    texts = [character * 10_000 for character in "abcd"]
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=written_often, args=(path, text)) for text in texts]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert path.read_text() in texts
    assert names(tmp_path) == ["arm.urdf"]


@pytest.mark.parametrize("name", ["nowhere/arm.urdf", "null\0.urdf", "folder"])
@pytest.mark.parametrize("others", [{}, {"a.urdf": "new"}])
def test_what_cannot_be_written_is_named_and_keeps_all_others(name, others, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.urdf").write_text("old")
    with pytest.raises(KinetreeError, match="cannot be written"):
        write_all({**{tmp_path / other: text for other, text in others.items()}, tmp_path / name: "new"})
    assert (tmp_path / "a.urdf").read_text() == "old"
    assert names(tmp_path) == ["a.urdf", "folder"]


@posix
@pytest.mark.parametrize(("files", "pipes"), [(0, 1), (1, 1), (3, 1), (0, 2), (2, 2)])
def test_each_pipe_among_several_files_gets_its_content(files, pipes, tmp_path):
    paths = [tmp_path / f"{i}.urdf" for i in range(files)]
    ends = []
    for i in range(pipes):
        os.mkfifo(tmp_path / f"pipe{i}")
        ends.append(os.open(tmp_path / f"pipe{i}", os.O_RDONLY | os.O_NONBLOCK))
    try:
        write_all({path: path.name for path in [*paths, *tmp_path.glob("pipe*")]})
        assert [os.read(end, 100).decode() for end in ends] == [f"pipe{i}" for i in range(pipes)]
    finally:
        for end in ends:
            os.close(end)
    assert [path.read_text() for path in paths] == [path.name for path in paths]
    assert all((tmp_path / f"pipe{i}").is_fifo() for i in range(pipes))


@posix
@pytest.mark.parametrize("count", [1, 3])
def test_contents_are_flushed_before_they_take_their_places(count, tmp_path, monkeypatch):
    paths = [tmp_path / f"{i}.urdf" for i in range(count)]
    for path in paths:
        path.write_text("old")
    events: list[object] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(handle):
        events.append(os.fstat(handle).st_ino)
        fsync(handle)

    def noted_replace(source, target):
        events.append(Path(target))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_all(dict.fromkeys(paths, "new"))
    for path in paths:
        assert events.index(path.stat().st_ino) < min(events.index(other) for other in paths)
