"""``pytest-tau schema``; what stands in it is tested in tests/schema/test_reference.py."""

import json
import subprocess
import sys

import pytest

from pytest_tau.cli import main
from pytest_tau.schema.task import Task


def test_accepts_the_built_in_tasks_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(schema["$defs"]["Task"]["properties"]) == set(Task.model_fields)
    assert schema["anyOf"][1] == {"items": {"$ref": "#/$defs/Task"}, "type": "array"}


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{sys.executable} -m pytest_tau.cli schema | head -c 10"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (result.stdout, result.stderr) == ('{\n  "$sche', "")
