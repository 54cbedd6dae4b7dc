"""One process at a time, by either way."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_tau import locking
from pytest_tau.locking import Lock

# What a file system without locks answers.
NO_LOCKS = """
import fcntl, sys
from pathlib import Path
from pytest_tau.locking import Lock

def flock(*args):
    raise OSError(95, "Operation not supported")

fcntl.flock = flock
lock = Lock(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.readline()
"""


@pytest.fixture(params=["flock", "no flock", "no fcntl"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def refuse(*args: object) -> None:
        raise OSError(95, "Operation not supported")

    if request.param == "no flock":
        monkeypatch.setattr(locking, "fcntl", SimpleNamespace(flock=refuse, LOCK_EX=2, LOCK_NB=4))
    elif request.param == "no fcntl":
        monkeypatch.setattr(locking, "fcntl", None)
    return str(request.param)


def test_one_has_it_until_it_lets_go(tmp_path: Path, way: str) -> None:
    first, second = Lock(tmp_path / "f"), Lock(tmp_path / "f")
    assert first.take() is None
    assert first.take() is None  # it is its own
    assert (second.take() is None) is False
    second.release()
    first.release()
    assert second.take() is None
    second.release()
    assert sorted(os.listdir(tmp_path)) in ([], ["f"])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
@pytest.mark.parametrize("lets_go", [True, False])
def test_a_forked_process_keeps_nobody_from_it(tmp_path: Path, way: str, lets_go: bool) -> None:
    first, second = Lock(tmp_path / "f"), Lock(tmp_path / "f")
    assert first.take() is None
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(theirs)
        if lets_go:
            first.release()
        os.read(ours, 1)  # until the other end is closed
        os._exit(0)
    os.close(ours)
    assert (second.take() is None) is False
    first.release()
    assert second.take() is None
    second.release()
    os.close(theirs)
    os.waitpid(child, 0)


def started(path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", NO_LOCKS, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_without_locks_another_process_is_named_and_a_killed_one_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    with started(tmp_path / "f") as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "None\n"
        lock = Lock(tmp_path / "f")
        refusal = lock.take()
        assert refusal is not None
        assert f"process {other.pid} on " in refusal
        assert "if that one is over, remove " in refusal
        other.kill()
        other.wait()
        assert lock.take() is None
        lock.release()


def test_another_machine_is_believed_to_live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    (tmp_path / ".f.process").write_text(json.dumps({"host": "elsewhere", "pid": 1, "began": "1"}))
    assert (
        Lock(tmp_path / "f").take()
        == f" (process 1 on elsewhere; if that one is over, remove {tmp_path / '.f.process'})"
    )


def test_a_number_that_another_process_has_now_is_no_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    mine = locking._process(os.getpid())
    (tmp_path / ".f.process").write_text(json.dumps({**mine, "began": "long ago"}))
    lock = Lock(tmp_path / "f")
    assert lock.take() is None
    lock.release()


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"host": 1, "pid": "x"}', "[" * 500])
def test_a_claim_that_cannot_be_read_says_what_to_remove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    (tmp_path / ".f.process").write_text(content)
    assert Lock(tmp_path / "f").take() == f"; if that one is over, remove {tmp_path / '.f.process'}"
