"""The workflows in examples/ci: valid by GitHub's schema, safe, and made of commands that pytest understands."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.options.models import Serve

from .markdown import ROOT, blocks
from .test_models import short

FOLDER = ROOT / "examples" / "ci"
REPLAY, NIGHTLY = WORKFLOWS = [FOLDER / "replay.yml", FOLDER / "nightly.yml"]
SECRET = re.compile(r"\$\{\{ secrets\.[A-Z_]+ \}\}")


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = YAML(typ="safe").load(path)  # YAML 1.2, as on GitHub: "on" is a string
    return content


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in read(path)["jobs"].values() for step in job["steps"]]


def commands(path: Path) -> list[list[str]]:
    """The arguments of each pytest command in a workflow, or in the page beside them."""
    if path.suffix == ".md":
        scripts = blocks(path.read_text(encoding="utf-8"), "console")
    else:
        scripts = [step.get("run", "") for step in steps(path)]
    lines = [shlex.split(line) for script in scripts for line in script.splitlines()]
    return [line[1:] for line in lines if line[:1] == ["pytest"]]


def test_they_are_workflows_by_their_schema_which_finds_a_fault(tmp_path: Path) -> None:
    spoilt = tmp_path / "spoilt.yml"
    spoilt.write_text(REPLAY.read_text(encoding="utf-8").replace("runs-on", "run-on"), encoding="utf-8")
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", "-o", "json"]
    result = subprocess.run([*check, *map(str, WORKFLOWS), str(spoilt)], capture_output=True, text=True, check=False)
    found = json.loads(result.stdout)
    assert result.returncode == 1, result.stderr
    assert {one["filename"] for one in found["errors"]} == {str(spoilt)}
    assert "run-on" in result.stdout
    assert not found["parse_errors"]


def test_when_they_run() -> None:
    assert set(read(REPLAY)["on"]) == {"push", "pull_request"}
    assert set(read(NIGHTLY)["on"]) == {"schedule", "workflow_dispatch"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_is_safe(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert read(path)["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] for job in read(path)["jobs"].values())
    # What GitHub puts into a script is run: a branch's name, a title. Secrets stand in the environment of one step.
    assert not [step for step in steps(path) if "${{" in step.get("run", "")]
    given = [value for step in steps(path) for value in step.get("env", {}).values()]
    assert all(SECRET.fullmatch(value) for value in given)
    assert text.count("secrets.") == len(given) == (path == NIGHTLY)
    assert "://" not in text
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]) for step in steps(path) if "uses" in step)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_keeps_the_report_also_of_a_run_that_failed(path: Path) -> None:
    (arguments,) = commands(path)
    report = arguments[arguments.index("--tau-html") + 1]
    (keep,) = [step for step in steps(path) if "upload-artifact" in step.get("uses", "")]
    assert report in keep["with"]["path"].split()
    assert keep["if"] == "${{ !cancelled() }}"


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    """The example updates snapshots."""
    return ("tau", "xdist", "syrupy")


@pytest.mark.parametrize("path", [*WORKFLOWS, FOLDER / "README.md"], ids=lambda path: path.name)
def test_pytest_understands_every_command(pytester: pytest.Pytester, path: Path) -> None:
    found = commands(path)
    assert found
    for arguments in found:
        config = pytester.parseconfig(*arguments)
        assert config.option.tau_domain == ("retail",)
        assert config.option.file_or_dir == []


def test_the_night_is_held_against_its_baseline(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(short)
    (bless,) = [arguments for arguments in commands(FOLDER / "README.md") if "--tau-bless" in arguments]
    (night,) = commands(NIGHTLY)
    less = ("-n0", "--tau-tasks=2", "--tau-k=2", "--tau-invalid=keep")  # a customer who always leaves early
    pytester.runpytest(*bless, *less)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    result = pytester.runpytest(*night, *less)
    result.stdout.fnmatch_lines(["tau: limits over all workers: budget $20", "gate no regression: *"])
    assert "pass^1" in (pytester.path / "summary.md").read_text(encoding="utf-8")
    assert (pytester.path / "report.html").is_file()
