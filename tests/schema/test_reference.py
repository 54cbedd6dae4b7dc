"""The JSON Schema of a task file and the page made from it."""

from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.schema.reference import described_schema, markdown

PAGE = Path(__file__).parent.parent.parent / "docs" / "task_file.md"
DEFS = described_schema()["$defs"]


@pytest.mark.parametrize("name", DEFS)
def test_every_key_of_a_task_file_is_described(name: str) -> None:
    properties = DEFS[name]["properties"]
    assert [key for key, prop in properties.items() if not (prop.get("description") or "const" in prop)] == []
    assert DEFS[name]["description"]


def test_the_page_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "--markdown"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(encoding="utf-8")


def test_a_field_of_a_shared_base_is_described_in_each_model() -> None:
    assert DEFS["NotCalled"]["properties"]["arguments"]["description"].startswith("The arguments that must be among")


def test_the_page_leads_with_the_task_and_names_what_it_refers_to() -> None:
    page = markdown()
    assert page.index("## Task\n") < page.index("## UserScenario\n") < page.index("## Action\n")
    assert "| `reward_basis` | list of " in page
    assert all(f"## {name}\n" in page for name in DEFS)
