"""``pytest-tau judge``: makes a passport, and says whether gates take the judge."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.evaluation.judges.labels import write_labels
from pytest_tau.llm.client import MAX_TOKENS
from pytest_tau.metrics.passport import load_passport
from tests.llm.server import ChatServer, says
from tests.options.models import KEY
from tests.workshop.judging.test_measuring import conversation

if find_spec("litellm") is None:  # importing it takes seconds, in each worker that collects
    pytest.skip("litellm is not installed: pytest-tau[llm]", allow_module_level=True)


def args(server: ChatServer) -> str:
    return json.dumps({"api_base": server.url, "api_key": KEY, "temperature": 0})


def test_makes_a_passport_of_labels_and_planted_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_labels([conversation(number) for number in range(4)], tmp_path / "mine.jsonl")
    with ChatServer(says('{"answers": []}')) as server:
        given = ["--args", args(server), "--labels", "mine.jsonl", "--planted", "2", "--domains", "mock"]
        assert main(["judge", "openai/weak", *given, "--repeats", "1"]) == 1
    out = capsys.readouterr().out
    assert "2 planted conversations, " in out
    assert "Gates refuse this judge: the judge has decided no labelled breach: its passport has none, or" in out
    found = load_passport(tmp_path / "judge.json")
    assert found is not None
    assert (found.model, found.conversations.cannot_tell.of, found.repeats) == ("openai/weak", 6, 1)
    assert KEY not in (tmp_path / "judge.json").read_text(encoding="utf-8")
    assert not (tmp_path / "judge.json.readings").exists()
    assert {request.body["max_tokens"] for request in server.requests} == {MAX_TOKENS}  # as a run asks it


def test_readings_outlive_a_passport_that_cannot_be_written(tmp_path: Path) -> None:
    write_labels([conversation(0)], tmp_path / "mine.jsonl")
    (tmp_path / "deep" / "taken").mkdir(parents=True)
    with ChatServer(says('{"answers": []}')) as server:
        given = ["--args", args(server), "--labels", str(tmp_path / "mine.jsonl"), "--repeats", "1"]
        assert main(["judge", "openai/weak", *given, "-o", str(tmp_path / "deep" / "taken")]) == 2
    assert '"of"' in (tmp_path / "deep" / "taken.readings").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "name the judge's model"),
        (["openai/x", "--label", ".tau"], "--label RUN asks a person and no model: leave out MODEL"),
        (["openai/x", "--args", "["], "--args must be a JSON object"),
        (["openai/x", "--args", "3"], "--args must be a JSON object, not 3"),
        (["openai/x", "-o", "."], "-o .: this is a folder; name a file in it, such as judge.json"),
        (["openai/x", "--repeats", "0"], "--repeats must be at least 1, and is 0"),
        (["openai/x", "--labels", "none.jsonl"], "the labels cannot be read"),
        (["openai/x", "--votes", "2", "--planted", "2", "--domains", "mock"], "an odd number, not 2"),
    ],
)
def test_what_is_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge", *given]) == 2
    assert said in capsys.readouterr().err
