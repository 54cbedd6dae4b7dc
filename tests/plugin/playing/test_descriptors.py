"""Room for the connections of many conversations, in a process of its own: nobody can take a limit back up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

resource = pytest.importorskip("resource", reason="there is no such limit here")

SCRIPT = """
import resource
from pytest_tau.plugin.playing.descriptors import make_room
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {most}))
make_room({conversations})
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""


@pytest.mark.parametrize(
    ("soft", "most", "conversations", "after"),
    [
        (64, 900, 100, "656 900"),
        (64, 300, 100, "300 300"),
        (800, 900, 100, "800 900"),
        (64, 64, 4096, "64 64"),
    ],
)
def test_as_many_files_as_are_needed_and_no_more_than_are_allowed(
    soft: int, most: int, conversations: int, after: str
) -> None:
    script = SCRIPT.format(soft=soft, most=most, conversations=conversations)
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == after


RUN = """
import resource, sys
import pytest
resource.setrlimit(resource.RLIMIT_NOFILE, (400, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
sys.exit(pytest.main(sys.argv[1:]))
"""
AGENT = """
import resource
class Agent:
    def reply(self, messages):
        with open("room", "w") as file:
            print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], file=file)
        return "Goodbye."
def make(context):
    return Agent()
"""


@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 2000, reason="this system gives no more files")
def test_a_run_has_the_room_while_trials_are_played(tmp_path: Path) -> None:
    """Not only before: a part of what a process had is held back for its own files, and was once all there was."""
    (tmp_path / "room_agent.py").write_text(AGENT, encoding="utf-8")
    chosen = ["--tau-domain=mock", "--tau-tasks=add_a_task", "--tau-agent=room_agent:make", "--tau-concurrency=200"]
    command = [sys.executable, "-c", RUN, "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), *chosen]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert int((tmp_path / "room").read_text(encoding="utf-8")) > 200 * 4
