"""The JSON Schema of a task file and the page made from it."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau.cli import main
from pytest_tau.schema.reference import described_schema

PAGE = Path(__file__).parent.parent.parent / "docs" / "task_file.md"


@pytest.fixture(scope="module")
def defs() -> dict[str, Any]:
    found: dict[str, Any] = described_schema()["$defs"]
    return found


def test_every_key_of_a_task_file_is_described(defs: dict[str, Any]) -> None:
    for name, model in defs.items():
        bare = [key for key, prop in model["properties"].items() if not (prop.get("description") or "const" in prop)]
        assert (name, bare) == (name, [])
        assert model["description"], name


def test_the_page_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--markdown"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8")


def test_a_field_of_a_shared_base_is_described_in_each_model(defs: dict[str, Any]) -> None:
    assert defs["NotCalled"]["properties"]["arguments"]["description"].startswith("Arguments that the call must have")


def test_the_page_leads_with_the_task_and_names_what_it_refers_to(defs: dict[str, Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.index("## Task\n") < page.index("## UserScenario\n") < page.index("## Action\n")
    assert "| `reward_basis` | list of " in page
    assert all(f"## {name}\n" in page for name in defs)
