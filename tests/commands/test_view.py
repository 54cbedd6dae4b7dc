"""``pytest-tau view``: says where it serves, and ends with Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from pytest_tau.cli import main


@pytest.mark.slow
@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN,
    reason="interrupts are ignored here, as in a shell's background job",
)
def test_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest_tau.cli", "view", "--port=0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(".tau at http://127.0.0.1:")
        assert line.endswith("/, which waits for it: there is no such file or folder yet (Ctrl-C ends it)\n")
        with urlopen(line.split()[2].rstrip(",")) as answer:  # noqa: S310 (our own server)
            assert b"No trial has ended yet" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


def test_a_port_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", "--port", "99999"]) == 2
    assert "port 99999 cannot be used" in capsys.readouterr().err
