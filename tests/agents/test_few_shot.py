"""Transcripts in the prompt: which, and from what files."""

import json
from pathlib import Path

import pytest

from pytest_tau.agents.few_shot import SHOWN, few_shot_agent, read_displays
from pytest_tau.errors import SettingsError
from tests.builders import agent_context, asks
from tests.fake_model import FakeModel, ask

DISPLAYS = [f"user: question {n}" for n in range(20)]


def shown(displays: list[str], seed: int) -> str:
    model = FakeModel("Yes")
    ask(few_shot_agent(model, displays)(agent_context(seed=seed)), [asks("Help")])
    return str(model.chats[0][0]["content"])


def test_a_sample_by_the_trials_seed() -> None:
    prompts = {shown(DISPLAYS, seed) for seed in (1, 1, 2)}
    assert len(prompts) == 2
    for prompt in prompts:
        assert sum(display + "\n" in prompt for display in DISPLAYS) == SHOWN
        assert f"\n\nExample {SHOWN}:\nuser: question" in prompt


def test_few_are_all_shown() -> None:
    prompt = shown(["user: a", "user: b"], 1)
    assert "user: a\n" in prompt
    assert "user: b\n" in prompt


def test_none_are_refused() -> None:
    with pytest.raises(SettingsError, match="at least one transcript"):
        few_shot_agent(FakeModel("Yes"), [])


class TestFile:
    def test_a_transcript_a_line(self, tmp_path: Path) -> None:
        lines = [{"messages_display": "user: a\u2028b"}, {"messages_display": "user: c", "reward": 1}]
        file = tmp_path / "shots.jsonl"
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        file.write_text(text + "\n\n", encoding="utf-8")
        assert read_displays(file) == ["user: a\u2028b", "user: c"]
        file.write_text(text, encoding="utf-8-sig")
        assert read_displays(file) == ["user: a\u2028b", "user: c"]

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"", "is empty: give one JSON object a line"),
            (b"\xff", "not UTF-8"),
            (b'{"messages_display": "a"}\n{"messages": []}', "shots.jsonl:2: must be a JSON object with a text"),
            (b"[1]", "shots.jsonl:1: must be"),
            (b"{", "shots.jsonl:1: must be"),
        ],
    )
    def test_what_is_none(self, tmp_path: Path, content: bytes, sentence: str) -> None:
        file = tmp_path / "shots.jsonl"
        file.write_bytes(content)
        with pytest.raises(SettingsError, match=sentence):
            read_displays(file)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"none\.jsonl: No such file"):
            read_displays(tmp_path / "none.jsonl")
