"""Planted conversations: the oracle's plays in everyday words, half of them with one breach of a known kind."""

from collections import Counter
from functools import cache

from pytest_tau.environment.domain import load_domain
from pytest_tau.evaluation.judges.labels import LabelledConversation
from tau_workshop.judging import words
from tau_workshop.judging.planted import KINDS, planted_conversations, source_of
from tests.builders import core, mock, whole


@cache
def made(number: int = 20, seed: int = 3) -> list[LabelledConversation]:
    retail = load_domain("retail")
    tasks = [(task, retail) for task in core("retail")[:8]] + [(task, mock()) for task in whole("mock")]
    return list(planted_conversations(tasks, number, seed))


def test_half_of_them_have_a_breach_and_each_kind_has_its_turn() -> None:
    sources = Counter(one.source.partition(": ")[2].partition(",")[0] for one in made())
    assert sources["nothing"] == 10
    assert set(sources) == {"nothing", *KINDS}
    for one in made():
        wrong = {label.kind for label in one.labels if label.verdict == "breach"}
        assert wrong == ({one.source.split()[1].strip(",")} - {"nothing"}), one.id


def test_a_reason_that_was_made_up_is_called_no_true_claim() -> None:
    """By the judge's rubric it is a false one; a judge that says so is right."""
    invented = [
        one
        for one in made()
        for label in one.labels
        if label.kind == "reason" and any(reason in label.note for reason in words.OTHER_REASONS)
    ]
    assert invented
    assert not any(label.kind == "claims" for one in invented for label in one.labels)


def test_a_planted_consent_is_a_call_after_what_is_no_yes() -> None:
    broken = [
        (one, label)
        for one in made()
        for label in one.labels
        if (label.kind, label.verdict) == ("consent", "breach") and label.note.startswith("the customer said")
    ]
    assert broken
    for one, label in broken:
        assert label.turn is not None
        before = [message.content for message in one.messages[: label.turn] if message.role == "user"]
        assert before[-1] in words.DOES_NOT_AGREE


def test_the_words_are_peoples_and_no_marks_of_the_players_are_left() -> None:
    said = [message.content or "" for one in made() for message in one.messages if message.role == "assistant"]
    assert not any("With your agreement" in text or "(yes/no)" in text or "you should know" in text for text in said)
    assert any(message.content in words.AGREES for one in made() for message in one.messages)


def test_the_same_seed_makes_the_same_and_every_call_keeps_its_result() -> None:
    again = made.__wrapped__(6, 3)
    assert [one.model_dump() for one in again] == [one.model_dump() for one in made()[:6]]
    for one in made():
        calls = sum(len(message.tool_calls or []) for message in one.messages if message.role != "tool")
        assert calls == sum(message.role == "tool" for message in one.messages)


def test_what_is_told_of_them_and_none_of_no_task() -> None:
    assert source_of(made()) == "20 planted conversations, 10 with a breach"
    assert list(planted_conversations([], 5, 1)) == []
