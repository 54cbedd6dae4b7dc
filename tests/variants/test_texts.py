"""The customer's words in a task: their sentences, and what of them must survive another wording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.users.pieces import sentences
from pytest_tau.variants.texts import (
    exact_values,
    fixed_spans,
    free_words,
    is_sectioned,
    missing_parts,
    retold,
    strange,
    telling,
    words_of,
)
from tests import strategies
from tests.builders import action, task
from tests.variants.telling import customer

pieces = st.sampled_from(
    ["I", "want", "it", "Mr.", "Smith", "No.", "5.", "B.", "now!", "why?", '"Buy milk."', "(Really?)", "#W12", "e.g."]
)
texts = st.lists(pieces, max_size=12).map(" ".join) | strategies.text(max_size=40)


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("", []),
            ("  One. Two!  Three? ", ["One.", "Two!", "Three?"]),
            ("It is for Mr. Smith. Thanks.", ["It is for Mr. Smith.", "Thanks."]),
            ("I want plan B. And more.", ["I want plan B. And more."]),
            ("It costs 4.50 today. #W12 is mine.", ["It costs 4.50 today.", "#W12 is mine."]),
            ("It is late. 5 are left.", ["It is late.", "5 are left."]),
            ("and so on. and on.", ["and so on. and on."]),
            ('Call it "Buy milk." Then stop.', ['Call it "Buy milk."', "Then stop."]),
            ("(It is late.) Be quick.", ["(It is late.)", "Be quick."]),
        ],
    )
    def test_they_end_where_a_reader_would_end_them(self, text: str, found: list[str]) -> None:
        assert sentences(text) == found

    @given(texts)
    def test_nothing_is_lost(self, text: str) -> None:
        assert " ".join(sentences(text)).split() == text.split()
        assert all(one == one.strip() != "" for one in sentences(text))


class TestRetold:
    def test_what_the_customer_says_is_said_otherwise_and_nothing_else(self) -> None:
        told = retold(customer("A", "B", "C", ticket="D"), lambda text, part: f"{part}:{text}")
        assert words_of(told) == ["reason:A", "known:B", "later:C"]
        assert told.ticket == "ticket:D"
        assert "Nothing else." in told.user_scenario.render()

    def test_instructions_that_are_one_text_stay(self) -> None:
        plain = task()
        assert retold(plain, lambda text, part: "x") == plain
        assert words_of(plain) == ["Please help me."]
        assert not is_sectioned(plain)
        assert is_sectioned(customer("A"))

    def test_a_note_goes_to_the_persona(self) -> None:
        once = retold(customer("A"), None, "You shout.")
        assert once.user_scenario.persona == "You shout."
        assert retold(once, None, "You whisper.").user_scenario.persona == "You shout.\nYou whisper."
        assert words_of(once) == ["A"]

    def test_every_visit_is_told_otherwise(self) -> None:
        visit = {"user_scenario": customer("Later").user_scenario.model_dump()}
        several = customer("First", episodes=[visit])
        told = retold(several, lambda text, part: text.upper())
        assert [one.user_scenario.instructions.reason_for_call for one in told.episodes or []] == ["LATER"]  # type: ignore[union-attr]


class TestWhatMustSurvive:
    def test_exact_are_the_texts_of_the_gold_path(self) -> None:
        gold = action("create_task", user_id="user_1", title="Buy stamps", when={"day": ["Monday", "x", 5]})
        assert exact_values(task(criteria={"actions": [gold], "communicate_info": ["42"]})) == {
            "user_1", "Buy stamps", "Monday", "42",
        }  # fmt: skip
        assert exact_values(task()) == set()

    def test_ids_numbers_names_and_what_is_quoted_are_not_touched(self) -> None:
        text = "Please ask Anna about #w12 and 'the red one', it costs 5 and goes to mcDonald."
        kept = [text[start:end] for start, end in fixed_spans(text)]
        assert kept == ["'the red one'", "Please", "Anna", "#w12", "5", "mcDonald."]
        free = [text[start:end] for start, end in free_words(text)]
        assert free == ["ask", "about", "and", "it", "costs", "and", "goes", "to"]

    @pytest.mark.parametrize(
        "text", ["take the red lamp away", "die Straße und the Red Lamp", "red lampshade red lamp"]
    )
    def test_an_exact_value_is_not_touched_wherever_it_stands(self, text: str) -> None:
        spans = [text[start:end].casefold() for start, end in fixed_spans(text, ["Red lamp"])]
        assert spans.count("red lamp") == 1
        assert "red" not in [text[start:end] for start, end in free_words(text, ["red lamp", "red"])]

    @given(texts, st.sets(st.sampled_from(["want it", "Smith", "now"])))
    def test_a_free_word_is_never_within_what_is_fixed(self, text: str, exact: set[str]) -> None:
        fixed = fixed_spans(text, exact)
        for start, end in free_words(text, exact):
            assert text[start:end].islower()
            assert not any(start < last and first < end for first, last in fixed)

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("I am Anna.", {"anna"}),
            ("Anna is here.", set()),  # the beginning of a sentence tells nothing
            ("JFK is far.", {"jfk"}),
            ("It was Anna's, PayPal's and mine.", {"anna", "paypal"}),
            ("My mail is a@b.c, 5 times.", {"a@b.c", "5"}),
        ],
    )
    def test_telling(self, text: str, found: set[str]) -> None:
        assert telling(text) == found

    def test_an_exact_value_is_telling_where_it_stands(self) -> None:
        assert telling("take the red lamp", ["Red lamp", "lam"]) == {"red lamp"}

    def test_what_is_lost_and_what_is_new(self) -> None:
        before, after = "I am Anna, order #W12, 5 of them.", "It is about #W13 and 5."
        assert missing_parts(before, after) == ["#w12", "anna"]
        assert strange(before, after) == ["#w13"]
        assert missing_parts("Send 5", "Send 50") == ["5"]

    @given(texts)
    def test_a_text_has_lost_nothing_of_itself_and_nothing_new(self, text: str) -> None:
        assert missing_parts(text, text) == []
        assert strange(text, text) == []

    @given(texts, texts)
    def test_with_more_around_it_nothing_is_lost(self, text: str, more: str) -> None:
        assert missing_parts(text, f"{more} {text} {more}") == []
        assert set(missing_parts(f"{text} {more}", text)) <= telling(f"{text} {more}")
