"""The README's first command starts from a fresh clone with `pip install .`: with what the project needs, no more."""

import importlib.metadata
import os
import re
import shlex
import subprocess
import sys

from tests.docs.markdown import ROOT

README = (ROOT / "README.md").read_text()
# What the project depends on, by the names that Python imports them by, with what pytest itself needs.
NEEDED = {"pytest", "pytest-xdist", "pluggy", "pydantic", "jinja2"}

# Runs pytest where every top-level module of another distribution is missing, and prints those that were asked for.
WITHOUT = """
import sys
from importlib.machinery import PathFinder

missing = set()

class Installed:
    # No function, which pytest's own finder would take for a method.
    there, find = set(sys.argv[1].split(",")), PathFinder.find_spec

    def __call__(self, name, *rest):
        found = type(self).find(name, *rest)
        if found is None or name.partition(".")[0] in self.there:
            return found
        files = [found.origin or "", *(found.submodule_search_locations or ())]
        if not any("site-packages" in file for file in files):
            return found
        missing.add(name)

PathFinder.find_spec = Installed()
import pytest

ended = pytest.main(sys.argv[2:])
print("missing:", *missing)
sys.exit(ended)
"""


def _main_job() -> str:
    """The command of the README that plays the main job: the last of the chain, without setting up."""
    (command,) = re.findall(r"^python3 -m venv .* pip install -q \. && (.*)$", README, re.MULTILINE)
    return str(command)


def _modules() -> set[str]:
    """The modules that the project needs."""
    wanted, names, files = list(NEEDED), set[str](), list[importlib.metadata.PackagePath]()
    while wanted:
        name = wanted.pop().lower().replace("_", "-")
        if name in names:
            continue
        names.add(name)
        try:
            needs = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        wanted += [re.split(r"[^\w.-]", need)[0] for need in needs if "extra ==" not in need]
        files += importlib.metadata.files(name) or []
    return {file.parts[0].partition(".")[0] for file in files if file.suffix in (".py", ".so")}


def test_the_main_job_runs_with_the_projects_dependencies_alone() -> None:
    needed = _modules()
    assert not {"hypothesis", "litellm", "syrupy"} & needed
    _, *arguments = shlex.split(_main_job())
    command = [*arguments, "--tau-tasks=1", "--tau-k=1", "-n0", "-pno:cacheprovider"]
    ours = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_tau.plugin,xdist.plugin"}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT, ",".join(needed), *command],
        cwd=ROOT, env={**os.environ, **ours}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout
    assert "hypothesis" in run.stdout.rpartition("missing:")[2].split()  # which a conftest.py asks for


def test_it_can_be_read_in_three_minutes_and_begins_with_the_demo() -> None:
    assert len(README.splitlines()) <= 150
    spoken = re.sub(r"```.*?```|<picture>.*?</picture>|<!--.*?-->|\]\(.*?\)|^\|.*?$", " ", README, flags=re.M | re.S)
    assert len(re.findall(r"\S*\w\S*", spoken)) <= 3 * 150  # what is neither code nor a table nor an address
    commands = re.findall(r"^\.venv/bin/(.*)$", README, re.MULTILINE)
    assert commands[0] == "pytest-tau demo"
    assert README.index("pytest-tau demo") < README.index(_main_job()) < README.index("<!-- test command -->")
