"""Room for the connections of many conversations, in a process of its own: nobody can take a limit back up."""

import subprocess
import sys

import pytest

from tests.plugin.inner import apart

resource = pytest.importorskip("resource", reason="there is no such limit here")

SCRIPT = """
import os, resource, sys
from pytest_tau.plugin.playing.descriptors import make_room
for case in sys.argv[1:]:
    soft, most, conversations = map(int, case.split())
    if os.fork() == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))
        make_room(conversations)
        print(*resource.getrlimit(resource.RLIMIT_NOFILE), flush=True)
        os._exit(0)
    os.wait()
"""


def test_as_many_files_as_are_needed_and_no_more_than_are_allowed() -> None:
    """Soft limit, hard limit and conversations, and the limits afterwards; each in a process of its own."""
    cases = {"64 900 100": "656 900", "64 300 100": "300 300", "800 900 100": "800 900", "64 64 4096": "64 64"}
    shown = subprocess.run([sys.executable, "-c", SCRIPT, *cases], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == [*cases.values()]


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (400, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
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
def test_a_run_has_the_room_while_trials_are_played(pytester: pytest.Pytester) -> None:
    """Not only before: a part of what a process had is held back for its own files, and was once all there was."""
    pytester.makepyfile(limited=LIMITED, room_agent=AGENT)
    chosen = ["--tau-domain=mock", "--tau-tasks=add_a_task", "--tau-agent=room_agent:make", "--tau-concurrency=200"]
    apart(pytester, "-p", "limited", *chosen)
    assert int((pytester.path / "room").read_text(encoding="utf-8")) > 200 * 4
