"""The card of a data set: where a loader finds its files, what is in it, and what was looked for."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tau_workshop.dataset.card import Summary, card, is_card
from tau_workshop.dataset.formats import FORMATS
from tau_workshop.dataset.splits import Contamination
from tests.fake_model import FakeModel

SPLITS = ("train", "test")


def summary(formats: Any = ("chat", "labels"), **fields: Any) -> Summary:
    rows = Counter({(name, split): 3 if split == "train" else 1 for name in formats for split in SPLITS})
    tasks = {"train": 2, "test": 1}
    outcomes = Counter({("train", "passed"): 2, ("train", "missed"): 1, ("test", "passed"): 1})
    return Summary(**{"rows": rows, "tasks": tasks, "outcomes": outcomes, **fields})


def text(made: Summary, **given: Any) -> str:
    options = {"n": 4, "seed": 7, "command": "", "parquet": False, "writer": None, **given}
    return card("retail", made, **options)


def head(made: Summary, **given: Any) -> list[str]:
    """The part that a loader reads."""
    return text(made, **given).split("---\n")[1].splitlines()


def test_a_loader_finds_each_file() -> None:
    found = head(summary())
    assert [line for line in found if "config_name" in line] == ["- config_name: chat", "- config_name: labels"]
    assert "    path: chat/train.jsonl" in found
    assert "    path: labels/test.jsonl" in head(summary())
    assert "    path: chat/train.parquet" in head(summary(), parquet=True)


def test_no_loader_is_sent_to_a_file_that_was_not_written() -> None:
    made = summary()
    del made.rows["chat", "test"]
    found = head(made)
    assert "    path: chat/test.jsonl" not in found
    assert "    path: labels/test.jsonl" in found
    assert "| `chat` | train 3, test 0 |" in text(made)


def test_how_it_was_made() -> None:
    assert "with seed 7:\n\n    pytest-tau dataset retail --n 4 --seed 7 -o DIR\n" in text(summary())
    assert "\n    made by hand\n" in text(summary(), command="made by hand")


def test_tasks_outcomes_and_rows() -> None:
    made = text(summary())
    assert "| train | 2 | 2 | 1 |" in made
    assert "| test | 1 | 1 | 0 |" in made
    assert "| `chat` | train 3, test 1 | passed conversations" in made


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_explained(name: str) -> None:
    assert f"| `{name}` | train 3, test 1 | " in text(summary([name]))


def test_ways_faults_and_what_was_left_out() -> None:
    made = text(
        summary(variants=Counter({"typos": 2, "plain": 1}), faults=Counter(loop=1), left_out=Counter({"odd": 3}))
    )
    assert "- plain: 1\n- typos: 2\n" in made
    assert "- fault loop: 1\n" in made
    assert "- left out: 3 odd\n" in made


def test_a_model_that_wrote_is_named_with_its_lines() -> None:
    assert "in other words" not in text(summary(reworded=5))
    assert "- lines of the agent in other words, by fake/model: 5" in text(summary(reworded=5), writer=FakeModel())


def test_what_splits_have_in_common() -> None:
    made = text(summary(leaks={"train and test": {"records": 0, "wordings": 2}}))
    assert "- train and test: 0 customers and records, 2 wordings (compared by hash)" in made


def test_contamination_is_told_with_two_examples_at_most() -> None:
    found = Contamination(13, 3, 9, 1, 0.5, ("t", 1.0), ("one two", "three four", "five six"))
    made = text(summary(contamination={"the suite x": {"train": found}}))
    assert f"- train: {found.render('the suite x')}\n  - “one two”\n  - “three four”\n" in made
    assert "five six" not in made
    assert "Contamination" not in text(summary())


def test_a_card_is_told_from_what_somebody_wrote(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    assert not is_card(readme)
    readme.write_text(text(summary()), encoding="utf-8")
    assert is_card(readme)
    readme.write_bytes(b"# My project\n\ncaf\xe9\n")
    assert not is_card(readme)
