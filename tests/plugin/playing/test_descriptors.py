"""Room for the connections of many conversations, in a process of its own: nobody can take a limit back up."""

import subprocess
import sys

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
