"""What several commands take, and how they print."""

from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.plugin.inner import make_shop, shop_task, write

RED = "\x1b[31m"


@pytest.mark.parametrize(
    "command", ["check domains/shop", "audit domains/shop", "stats tasks/shop", "show domains/shop"]
)
def test_what_stands_in_a_task_does_nothing_to_the_terminal(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_shop(tmp_path)
    task = shop_task(f"sell_one{RED}")
    task["evaluation_criteria"]["actions"][0]["arguments"]["item_id"] = f"{RED}lamp"
    write(tmp_path, "tasks/shop/sell_one.json", task)
    monkeypatch.chdir(tmp_path)
    main(command.split())
    told = capsys.readouterr()
    assert told.out
    assert RED not in told.out + told.err
