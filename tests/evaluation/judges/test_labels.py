"""The format of labelled conversations, and what verdicts on questions make of one."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.judge_labels import of_the_ratings, of_the_recordings
from pytest_tau.errors import RecordingError
from pytest_tau.evaluation.judges.labels import (
    Label,
    LabelledConversation,
    append_label,
    of_the_agent,
    read_labels,
    write_labels,
)
from pytest_tau.evaluation.judges.questions import consent_question
from tests.builders import a_call, asks, says
from tests.full_disk import at_most
from tests.shared import shared

ONE = LabelledConversation(
    id="a",
    policy="Be kind.",
    messages=[says("Hi!"), asks("Yes."), says(None, a_call())],
    labels=[Label(kind="consent", verdict="breach", about="get_users()", turn=2), Label(kind="claims", verdict="fine")],
    rater="me",
)


def test_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "labels.jsonl"
    write_labels([ONE, ONE], path)
    assert read_labels(path) == [ONE, ONE]


def test_a_line_is_added_to_those_that_are_there(tmp_path: Path) -> None:
    path, other = tmp_path / "deep" / "labels.jsonl", ONE.model_copy(update={"id": "ä\u2028"})
    append_label(ONE, path)
    append_label(other, path)
    path.write_bytes(path.read_bytes().rstrip())  # as some editors leave it
    append_label(ONE, path)
    assert read_labels(path) == [ONE, other, ONE]
    assert path.read_bytes().count(b"\n") == 3


def test_a_label_that_there_is_no_room_for_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    append_label(ONE, path)
    with (
        at_most(path.stat().st_size + 100),
        pytest.raises(RecordingError, match="the label cannot be written there"),
    ):
        append_label(ONE, path)
    assert read_labels(path) == [ONE]


def test_separators_in_what_was_said_end_no_line(tmp_path: Path) -> None:
    said = ONE.model_copy(update={"messages": [says("Hi!\u2028\u2029\x85\x0c"), *ONE.messages[1:]]})
    write_labels([said, ONE], tmp_path / "labels.jsonl")
    assert read_labels(tmp_path / "labels.jsonl") == [said, ONE]


def test_a_label_asks_what_grading_asks() -> None:
    assert ONE.labels[0].to_question() == consent_question(2, a_call())
    assert ONE.labels[1].to_question().text == "Did the agent tell the customer something that is not so?"
    assert Label(kind="reason", verdict="fine", question="Why?").to_question().text == "Why?"


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        ([("consent", "fine"), ("claims", "fine")], "fine"),
        ([("consent", "cannot tell"), ("claims", "breach")], "breach"),
        ([("consent", "cannot tell"), ("claims", "fine")], "cannot tell"),
        ([("reason", "fine"), ("claims", "cannot tell")], "fine"),
        ([("consent", "fine"), ("customer", "breach")], "fine"),
    ],
)
def test_one_breach_of_the_agents_is_a_breach_and_the_customers_errors_are_its_own(verdicts: Any, whole: str) -> None:
    assert of_the_agent(verdicts) == whole


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "the labels cannot be read: the file is empty"),
        ("{", "line 1: not a JSON object"),
        ("[" * 5000, "line 1: not a JSON object"),
        ("3", "line 1: "),
        ('{"id": "a", "messages": [], "labels": []}', "line 1: labels: "),
        (ONE.model_dump_json().replace('"turn":2', '"turn":9'), "line 1: the conversation has no turn 9"),
        (ONE.model_dump_json().replace('"consent"', '"manners"'), "line 1: labels.0.kind: "),
    ],
)
def test_what_is_none_is_told_with_its_line(tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(RecordingError, match=said):
        read_labels(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="the labels cannot be read: No such file"):
        read_labels(tmp_path / "none.jsonl")


@pytest.mark.slow
def test_peoples_labels_of_the_reference_material_fit_the_format(tmp_path: Path) -> None:
    ratings = shared("judge_labels", "eva_faithfulness.jsonl")
    found = [*of_the_recordings(shared("recordings", "labels.json").parent), *of_the_ratings(ratings)]
    write_labels(found, tmp_path / "people.jsonl")
    assert read_labels(tmp_path / "people.jsonl") == found
    consents = [label.verdict for one in found for label in one.labels if label.kind == "consent"]
    assert {"fine", "breach"} <= set(consents)
    assert "cannot tell" in {one.verdict for one in found}
