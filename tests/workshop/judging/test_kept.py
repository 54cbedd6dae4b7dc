"""Readings that outlive a measurement that was broken off."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import InfraError
from pytest_tau.llm.protocol import ChatMessage, ModelReply
from tau_workshop.judging.measuring import make_passport
from tests.workshop.judging.scripted import ScriptedJudge
from tests.workshop.judging.test_measuring import conversation

KNOWN = [conversation(number) for number in range(6)]


class Stopped(ScriptedJudge):
    """A judge whose measurement somebody breaks off at its fifth call, after an outage at its second."""

    async def complete(self, messages: Sequence[ChatMessage], **options: Any) -> ModelReply:
        if self.calls == 4:
            raise KeyboardInterrupt
        answer = await super().complete(messages, **options)
        if self.calls == 2:
            raise InfraError("down")
        return answer


class Failing(ScriptedJudge):
    """A judge whose provider fails at its second call."""

    async def complete(self, messages: Sequence[ChatMessage], **options: Any) -> ModelReply:
        answer = await super().complete(messages, **options)
        if self.calls == 2:
            raise InfraError("no credit")
        return answer


def stopped_at(path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make_passport(Stopped(KNOWN), KNOWN, parameters={}, at_once=1, keep=path)


def test_a_broken_measurement_goes_on_and_asks_only_for_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "judge.json.readings"
    stopped_at(path)
    assert path.read_text().count('"of"') == 3
    path.write_text(path.read_text() + '\n{"of": "cut o')  # as a kill leaves it
    judge = ScriptedJudge(KNOWN)
    found = make_passport(judge, KNOWN, parameters={}, at_once=1, keep=path)
    assert judge.calls == 2 * len(KNOWN) - 3
    assert found == make_passport(ScriptedJudge(KNOWN), KNOWN, parameters={})


def test_a_provider_that_fails_midway_gives_no_passport_and_costs_no_reading(tmp_path: Path) -> None:
    path = tmp_path / "judge.json.readings"
    said = r"the judge scripted/judge made 11 of 12 readings; conversation '0': .* no credit; start again with"
    with pytest.raises(InfraError, match=said):
        make_passport(Failing(KNOWN), KNOWN, parameters={}, at_once=1, keep=path)
    judge = ScriptedJudge(KNOWN)
    found = make_passport(judge, KNOWN, parameters={}, at_once=1, keep=path)
    assert judge.calls == 1
    assert found == make_passport(ScriptedJudge(KNOWN), KNOWN, parameters={})


def test_a_folder_that_is_missing_is_made_and_a_file_that_cannot_be_written_costs_no_call(tmp_path: Path) -> None:
    make_passport(ScriptedJudge(KNOWN), KNOWN, parameters={}, keep=tmp_path / "deep" / "readings")
    assert (tmp_path / "deep" / "readings").read_text().count('"of"') == 2 * len(KNOWN)
    judge = ScriptedJudge(KNOWN)
    with pytest.raises(OSError, match=tmp_path.name):
        make_passport(judge, KNOWN, parameters={}, keep=tmp_path)
    assert judge.calls == 0


def test_readings_of_another_judge_or_of_another_question_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "judge.json.readings"
    stopped_at(path)
    kept = path.read_text()
    judge = ScriptedJudge(KNOWN)
    make_passport(judge, KNOWN, parameters={"temperature": 1}, keep=path)
    assert judge.calls == 2 * len(KNOWN)
    path.write_text(kept.replace(json.loads(kept.splitlines()[1])["of"], "0" * 32))
    judge = ScriptedJudge(KNOWN)
    make_passport(judge, KNOWN, parameters={}, keep=path)
    assert judge.calls == 2 * len(KNOWN) - 2
