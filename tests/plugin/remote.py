"""Hosts to run workers on: execnet's socket servers, each with a working and a temporary directory of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Host:
    """A machine, as far as the run can tell.

    Attributes:
        address: where its server listens.
        project: the working directory of its workers.
        temporary: its directory for temporary files.
    """

    address: str
    project: Path
    temporary: Path

    @property
    def option(self) -> str:
        """What puts a worker there."""
        return f"--tx=socket={self.address}//chdir={self.project}"

    def left(self) -> list[str]:
        """The files that runs have left among the temporary ones."""
        files = [path for path in self.temporary.rglob("*") if path.is_file()]
        return sorted(path.name for path in files if path.name != ".gitignore")


@contextmanager
def hosts(folder: Path, number: int = 2) -> Iterator[list[Host]]:
    """So many hosts that are up; their directories are below ``folder``."""
    with ExitStack() as servers:
        yield [servers.enter_context(_host(folder / f"host{place}")) for place in range(1, number + 1)]


@contextmanager
def _host(folder: Path) -> Iterator[Host]:
    project, temporary = folder / "project", folder / "temporary"
    project.mkdir(parents=True)
    temporary.mkdir()
    (project / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-u", "-m", "execnet.script.socketserver", "127.0.0.1:0"]
    environment = {**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)}
    with (folder / "output").open("w+", encoding="utf-8") as output:
        server = subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=output)
        try:
            assert server.stdout is not None
            found = re.search(r"\('([\d.]+)', (\d+)\)", server.stdout.readline().decode())
            assert found, "the server did not say where it listens"
            yield Host(f"{found[1]}:{found[2]}", project, temporary)
        finally:
            server.kill()
            server.communicate()
