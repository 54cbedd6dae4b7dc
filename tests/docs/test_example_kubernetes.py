"""``examples/kubernetes``: its scripts run here as they would in pods, and its manifests hold to the schemas."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from pytest_tau import load_journal

from .markdown import ROOT

EXAMPLE = ROOT / "examples" / "kubernetes"
SUITE = "--tau-domain mock --tau-k 2 --tau-agent faulty:rate=0.5"


def script(name: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run one of the scripts with this environment's pytest."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "RESULTS": str(folder / "results"), "SUITE": SUITE, **variables}
    command = ["sh", str(EXAMPLE / name)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the scripts are for a POSIX shell")
def test_parts_are_played_merged_and_judged(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    for index in range(2):
        done = script("shard.sh", tmp_path, SHARDS="2", JOB_COMPLETION_INDEX=str(index))
        assert done.returncode == 0, done.stdout + done.stderr
    again = script("shard.sh", tmp_path, SHARDS="2", JOB_COMPLETION_INDEX="0")
    assert again.returncode == 0
    assert "no task was collected" not in again.stdout
    assert "deselected" in again.stdout  # each trial of its part has a result
    merged = script("merge.sh", tmp_path, GATE="pass^1 >= 0.01")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    assert "gate pass^1 >= 0.01: HELD" in merged.stdout
    assert len(load_journal(tmp_path / "results" / "merged")) == 12
    assert (tmp_path / "results" / "report.html").is_file()
    assert script("merge.sh", tmp_path, GATE="pass^1 >= 1").returncode != 0


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the scripts are for a POSIX shell")
def test_a_part_that_cannot_run_is_failed(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    done = script("shard.sh", tmp_path, SHARDS="2", JOB_COMPLETION_INDEX="0", SUITE="--tau-domain retial")
    assert done.returncode != 0


def manifests() -> dict[str, Any]:
    return {path.name: YAML(typ="safe").load(path) for path in sorted(EXAMPLE.glob("*.yaml"))}


def test_manifests_fit_together() -> None:
    found = manifests()
    job = found["suite.yaml"]["spec"]
    (shard,) = job["template"]["spec"]["containers"]
    (merge,) = found["merge.yaml"]["spec"]["template"]["spec"]["containers"]
    variables = {one["name"]: one.get("value") for one in shard["env"]}
    assert variables["SHARDS"] == str(job["completions"]) == str(job["parallelism"])
    assert str(variables["SUITE"]).startswith(next(one["value"] for one in merge["env"] if one["name"] == "SUITE"))
    assert all((ROOT / container["command"][1]).is_file() for container in (shard, merge))
    claim = found["results.yaml"]["metadata"]["name"]
    for name in ("suite.yaml", "merge.yaml"):
        (volume,) = found[name]["spec"]["template"]["spec"]["volumes"]
        assert volume["persistentVolumeClaim"]["claimName"] == claim


def test_manifests_are_valid() -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    for manifest in manifests().values():
        validate.validate(manifest, "1.31", strict=True)


@pytest.mark.slow
def test_the_image_is_built(tmp_path: Path) -> None:
    docker = shutil.which("docker")
    if docker is None or subprocess.run([docker, "info"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no docker engine runs here")
    command = [docker, "build", "-f", str(EXAMPLE / "Dockerfile"), "-t", "tau-suite", str(ROOT)]
    assert subprocess.run(command, check=False).returncode == 0
