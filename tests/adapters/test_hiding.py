"""What a process can open no more, and what it still can; in a process of its own, as nobody takes it back."""

import subprocess
import sys
from pathlib import Path

import pytest

from pytest_tau.adapters.hiding import can_hide, hide

CODE = """
import os, sys
from pathlib import Path
from pytest_tau.adapters.hiding import hide

root = Path(sys.argv[1])
print(hide([root / "tasks", root / "not there yet", root / "one.json"]))
for name in ("tasks/below/t.json", "one.json", "link/below/t.json", "beside/b.txt", "agent.py"):
    for how in ("r", "a"):
        try:
            open(root / name, how).close()
            print("opens")
        except PermissionError:
            print("refused")
os.rename(root / "beside/b.txt", root / "beside/deep/c.txt")
print(sorted(os.listdir(root)))
"""


@pytest.mark.skipif(not can_hide(), reason="this system has no Landlock")
def test_what_is_hidden_and_what_is_not(tmp_path: Path) -> None:
    for name in ("tasks/below/t.json", "one.json", "beside/b.txt", "beside/deep/d.txt", "agent.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "tasks")
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, check=True)
    told = done.stdout.split("\n")
    assert told[:11] == ["True", *["refused"] * 6, *["opens"] * 4]
    assert told[11] == "['agent.py', 'beside', 'link', 'one.json', 'tasks']"


def test_nothing_to_hide_is_nothing_done() -> None:
    assert not hide([])
