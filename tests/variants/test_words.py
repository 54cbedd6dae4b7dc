"""Kinds that change the customer's words: each does what it is called by, and no more."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Domain, Task
from pytest_tau.schema.scenario import Instructions
from pytest_tau.users.pieces import sentences
from pytest_tau.variants import Dose, Kinds, builtin_kinds
from pytest_tau.variants.texts import free_words, words_of
from tests.builders import mock, task
from tests.variants.telling import customer

KINDS: Kinds = builtin_kinds()
REASON = "Hello, I would like to cancel the order #W1234567 please. The other one is fine. My dog is called Rex."
KNOWN = "My name is Anna Berg and my zip code is 10001. You paid by card."
CUSTOMER = customer(REASON, KNOWN, "Also send me a catalogue.")
seeds = st.integers(0, 10_000)


def change(name: str, told: Task = CUSTOMER, seed: int = 1, domain: Domain | None = None, **dose: object) -> Task:
    found = KINDS[name].change(told, domain or mock(), Dose(name, **dose), seed)  # type: ignore[arg-type]
    assert isinstance(found, Task)
    return found


def instructions(told: Task) -> Instructions:
    found = told.user_scenario.instructions
    assert isinstance(found, Instructions)
    return found


def distance(one: str, other: str) -> int:
    """How many letters must be put in, taken out or changed to make one of the other."""
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (letter != wanted))
    return row[-1]


class TestTypos:
    @given(seeds, st.sampled_from([0.1, 0.5, 1.0]))
    def test_only_free_words_have_a_slip_each_and_keep_their_first_letter(self, seed: int, strength: float) -> None:
        said = words_of(change("typos", seed=seed, strength=strength))
        for before, after in zip(words_of(CUSTOMER), said, strict=True):
            free = {before[start:end] for start, end in free_words(before)}
            slips = [
                (was, now)
                for was, now in zip(before.split(), after.split(), strict=True)
                if was.strip(".,") != now.strip(".,")
            ]
            assert slips, "a text has one slip at least"
            for was, now in slips:
                assert was.strip(".,") in free
                assert now[0] == was[0]
                assert 1 <= distance(was, now) <= 2

    def test_the_stronger_the_more(self) -> None:
        def changed(strength: float) -> int:
            told = words_of(change("typos", strength=strength))[0].split()
            return sum(was != now for was, now in zip(REASON.split(), told, strict=True))

        assert changed(0.01) == 1
        assert changed(1.0) > 2

    def test_a_text_without_free_words_stays(self) -> None:
        told = customer("Anna: #W1234567")
        assert words_of(change("typos", told)) == words_of(told)


class TestOrder:
    @given(seeds)
    def test_the_same_facts_in_another_order(self, seed: int) -> None:
        told = instructions(change("reordered", seed=seed))
        before = ["My name is Anna Berg.", "My zip code is 10001.", "You paid by card."]
        assert Counter(sentences(told.known_info or "")) == Counter(before)
        assert sentences(told.known_info or "") != before
        # What leans on the sentence before it stays behind it.
        assert "#W1234567 please. The other one is fine." in told.reason_for_call
        assert told.reason_for_call.startswith("My dog is called Rex.")
        assert told.later == instructions(CUSTOMER).later

    def test_it_applies_where_there_is_an_order(self) -> None:
        applies = KINDS["reordered"].applies
        assert applies(CUSTOMER, mock())
        assert not applies(customer("One thing."), mock())
        assert not applies(task(), mock())

    def test_facts_one_by_one(self) -> None:
        told = instructions(change("piecemeal"))
        assert told.piecemeal
        assert (told.known_info or "").splitlines() == [
            "My name is Anna Berg.",
            "My zip code is 10001.",
            "You paid by card.",
        ]
        nothing = customer("Hi")
        assert change("piecemeal", nothing) == nothing
        assert not KINDS["piecemeal"].applies(nothing, mock())


@pytest.mark.parametrize("name", ["chatter", "polite", "rude", "verbose"])
@given(seed=seeds)
def test_kinds_that_add_leave_every_sentence_as_it_is(name: str, seed: int) -> None:
    told = change(name, seed=seed)
    for before, said in zip(words_of(CUSTOMER), words_of(told), strict=True):
        after = said
        for sentence in sentences(before):
            at = after.find(sentence)
            assert at >= 0
            after = after[at + len(sentence) :]
    assert len(words_of(told)[0]) > len(REASON)


@given(seeds)
def test_a_remark_never_parts_two_sentences_that_belong_together(seed: int) -> None:
    assert "please. The other one is fine." in words_of(change("chatter", seed=seed, strength=1.0))[0]


@pytest.mark.parametrize("name", ["chatter", "polite", "rude", "verbose", "correction"])
def test_a_ticket_is_written_by_somebody_else(name: str) -> None:
    told = customer(REASON, KNOWN, ticket=REASON)
    assert change(name, told).ticket == REASON


class TestTerse:
    def test_what_politeness_put_into_it_is_gone(self) -> None:
        told = words_of(change("terse", strength=1.0))
        assert told[0] == "Want to cancel the order #W1234567. The other one is fine. My dog is called Rex."

    @pytest.mark.parametrize(
        ("said", "short"),
        [
            ("I'd like the blue one, thanks.", "Want the blue one."),
            ("I need to return it, please.", "Need to return it."),
            ("Thank you very much.", "Thank you very much."),  # nothing else would be left
            ("Good morning, please help.", "Help."),
            ("Can you help, please?", "Can you help?"),
            ("Please, the red, the blue.", "The red, the blue."),
        ],
    )
    def test_sentences(self, said: str, short: str) -> None:
        assert words_of(change("terse", customer(said), strength=1.0)) == [short]

    def test_what_the_gold_path_uses_stays_letter_by_letter(self) -> None:
        title = "Please call"
        gold = {"action_id": "a", "name": "create_task", "arguments": {"user_id": "user_1", "title": title}}
        told = customer(f"Please add {title} for me.", criteria={"actions": [gold]})
        assert title in words_of(change("terse", told, strength=1.0))[0]


class TestCorrection:
    @given(seeds)
    def test_one_number_is_wrong_first_and_then_right(self, seed: int) -> None:
        texts = zip(words_of(CUSTOMER), words_of(change("correction", seed=seed)), strict=True)
        [(before, after)] = [(before, after) for before, after in texts if before != after]
        wrong = after.partition(", no, sorry, I mean ")[0].split()[-1]
        right = after.partition(", no, sorry, I mean ")[2].split()[0].strip(".")
        assert after.replace(f"{wrong}, no, sorry, I mean ", "") == before
        assert wrong != right
        assert distance(wrong, right) == 1
        assert wrong not in str(mock().environment().dump())

    @pytest.mark.parametrize("text", ["It was in 2024.", "On 2024-05-04 or 5/4/2024.", "Ask a1234@b.c.", "It is 12."])
    def test_years_dates_addresses_and_amounts_are_not_corrected(self, text: str) -> None:
        assert not KINDS["correction"].applies(customer(text), mock())
        assert words_of(change("correction", customer(text))) == [text]

    def test_nor_is_a_part_of_a_longer_value(self) -> None:
        gold = {
            "action_id": "a",
            "name": "create_task",
            "arguments": {"user_id": "user_1", "title": "12345 Oak Street"},
        }
        told = customer("Add 12345 Oak Street.", criteria={"actions": [gold]})
        assert words_of(change("correction", told)) == words_of(told)

    def test_a_number_of_which_every_other_one_is_somebodys_is_left_alone(self) -> None:
        from pytest_tau import load_domain

        crowded = load_domain("mock")
        crowded.memo["dumped"] = " ".join(f"{number:04d}" for number in range(10_000))
        try:
            assert words_of(change("correction", customer("My card ends in 5341."), domain=crowded)) == [
                "My card ends in 5341."
            ]
        finally:
            del crowded.memo["dumped"]


def test_another_language_is_for_whoever_plays_the_customer() -> None:
    told = change("language", choice="de")
    assert words_of(told) == words_of(CUSTOMER)
    assert "You write in German" in (told.user_scenario.persona or "")
    assert change("language", seed=3) == change("language", seed=3)
