"""What a call is about, and whether a text names it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.evaluation.language.naming import Subject, _whole, subject_of, telling
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, result_of, says


def of(**arguments: Any) -> Subject:
    return subject_of(a_call("change", **arguments), ())


class TestTheSubjectOfACall:
    def test_its_ids_are_keys_and_its_telling_values_facts(self) -> None:
        found = of(order_id="#W1234567", reason="no longer needed", amount=54.5, cabin="economy")
        assert found == Subject(frozenset({"#W1234567"}), frozenset({"no longer needed", "54.5"}))

    def test_the_customer_is_no_subject(self) -> None:
        assert of(user_id="jo_lee_1234", customer_name="Jo Lee 12") == Subject()

    def test_a_payment_method_is_a_fact_and_goes_by_its_kind(self) -> None:
        assert of(payment_method_id="credit_card_123").facts == {"credit_card_123", "credit card"}

    def test_ids_in_lists_and_objects_count(self) -> None:
        found = of(item_ids=["111", "222"], legs=[{"flight_number": "HAT001"}])
        assert found.keys == {"111", "222", "HAT001"}

    @pytest.mark.parametrize(
        ("value", "is_key"), [("L1", True), ("AB", False), ("12", False), ("x", False), (7, False)]
    )
    def test_what_is_too_short_to_be_found_is_no_key(self, value: Any, is_key: bool) -> None:
        assert (of(line_id=value).keys == {value}) is is_key


class TestNamedInAText:
    @pytest.mark.parametrize(
        ("fact", "text"),
        [
            ("2024-05-04", "on 2024-05-04"),
            ("2024-05-04", "on May 4th"),
            ("2024-05-04", "the 04 of May"),
            ("2024-03-04", "March 4 or Mar. 4"),
            ("2024-09-04", "Sept 4"),
            ("1234", "$1,234.00"),
            ("1234567", "1,234,567"),
            ("54.5", "54.50"),
            ("54.50", "$54.5"),
            ("54.0", "54"),
            ("#W12", "order w12."),
            ("1 Oak Street", "to 1 oak street"),
        ],
    )
    def test_named(self, fact: str, text: str) -> None:
        assert Subject(facts=frozenset({fact})).named_in(text)

    @pytest.mark.parametrize(
        ("fact", "text"),
        [
            ("2024-05-04", "on May 14"),
            ("2024-05-04", "on June 4"),
            ("2024-99-04", "- 4"),
            ("2024-03-04", "market 4"),
            ("2024-03-04", "4 markets"),
            ("1234", "12,345"),
            ("1234", "1234.50"),
            ("54.5", "54"),
            ("54.5", "54.05"),
            ("12", "v12"),
            ("#W12", "W123"),
            ("1 Oak Street", "11 Oak Street"),
        ],
    )
    def test_not_named(self, fact: str, text: str) -> None:
        assert not Subject(facts=frozenset({fact})).named_in(text)

    def test_ids_are_whole_words(self) -> None:
        subject = Subject(frozenset({"#W12"}))
        assert subject.keys_in("Order #W12!")
        assert not subject.keys_in("#W121")
        assert not Subject().keys_in("#W12")

    @pytest.mark.parametrize(
        ("key", "others"),
        [
            ("#W123", {"#W124"}),
            ("AB12CD", {"XY34ZA"}),
            ("L1", {"L2"}),
            ("user_1", {"task_2", "user_2"}),
        ],
    )
    def test_others_of_the_same_make(self, key: str, others: set[str]) -> None:
        text = f"{key} #W124 XY34ZA ABCDEF 123456 L2 L12 task_2 user_2 user_12"
        assert Subject(frozenset({key})).others_in(text) == others


ITEM = {"item_id": "111", "name": "Desk Chair", "options": {"color": "red"}}


class TestWhatAnIdStandsFor:
    def subject(self, content: str, *, error: bool = False) -> Subject:
        look = a_call("get_order")
        messages: list[AnyMessage] = [says(None, look), result_of(look, content, error=error)]
        return subject_of(a_call("exchange", item_id="111"), messages)

    @pytest.mark.parametrize("text", ["the Desk Chair", "your desk chairs", "both chairs"])
    def test_its_name_or_the_last_word_of_it(self, text: str) -> None:
        subject = self.subject(json.dumps({"order_id": "#W1", "items": [ITEM]}))
        assert subject.objects == {"Desk Chair"}
        assert subject.objects_in(text)
        assert subject.named_in(text)
        assert not subject.keys_in(text)

    @pytest.mark.parametrize("text", ["the desk", "a chairman", "armchair"])
    def test_other_words(self, text: str) -> None:
        assert not self.subject(json.dumps([ITEM])).objects_in(text)

    def test_codes_of_places_only_as_they_are_written(self) -> None:
        subject = self.subject(json.dumps({"item_id": "111", "origin": "LAS"}))
        assert subject.objects_in("from LAS")
        assert not subject.objects_in("las nubes")
        assert not subject.objects_in("LASO")

    @pytest.mark.parametrize(
        "content",
        ["no JSON with 111", '"111"', '{"item_id": "112", "name": "Lamp", "was": 111}', "[" * 100_000 + "111"],
        ids=["text", "no record", "another record", "too deep"],
    )
    def test_nothing_is_found(self, content: str) -> None:
        assert self.subject(content).objects == frozenset()

    def test_an_error_shows_nothing(self) -> None:
        assert self.subject(json.dumps(ITEM), error=True).objects == frozenset()

    def test_what_is_long_is_no_name(self) -> None:
        record = {"item_id": "111", "name": "ab", "description": "x" * 61, "title": "x" * 60}
        assert self.subject(json.dumps(record)).objects == {"x" * 60}


class TestIdsOfOtherThings:
    """A flight number may look like the number of a reservation; what results call a flight is none."""

    def others(self, content: str, *, error: bool = False) -> set[str]:
        look = a_call("search")
        messages: list[AnyMessage] = [says(None, look), result_of(look, content, error=error)]
        call = a_call("cancel", reservation_id="7HYCVL")
        return subject_of(call, messages).others_in("TAU162 and JDUL9Y")

    def test_what_was_shown_as_another_kind_is_left_out(self) -> None:
        assert self.others(json.dumps([{"flight_number": "TAU162"}])) == {"JDUL9Y"}

    @pytest.mark.parametrize(
        "content",
        [
            "{}",
            "TAU162",
            json.dumps({"reservation_id": "TAU162"}),
            json.dumps({"reservations": ["TAU162"]}),
            "[" * 100_000,
        ],
        ids=["nothing", "text", "the same kind", "no kind", "too deep"],
    )
    def test_what_may_be_of_the_same_kind_counts(self, content: str) -> None:
        assert self.others(content) == {"TAU162", "JDUL9Y"}

    def test_an_error_shows_nothing(self) -> None:
        assert self.others(json.dumps({"flight_number": "TAU162"}), error=True) == {"TAU162", "JDUL9Y"}


@pytest.mark.parametrize("value", [10, -10.5, "1234", "Oak Street", "AB12"])
def test_telling(value: Any) -> None:
    assert telling(value)


@pytest.mark.parametrize("value", [None, True, 9, -9.5, "economy", "123", "    ", "a b"])
def test_not_telling(value: Any) -> None:
    assert not telling(value)


WORDS = (
    *("#W1234567", "#w1234567", "HAT001", "hat001x", "54.5", "1,200", "1200", "1,200,000", "31200", "$1200.00"),
    *("20.", "20x", "2024-05-04", "May 4th", "’", "é"),
)
VALUES = ("#W1234567", "HAT001", "54.5", "1200", "1200000", "20", "2024-05-04", "é1é", "#")


@given(st.lists(st.sampled_from(WORDS), max_size=4), st.sampled_from(VALUES))
def test_whether_a_text_holds_a_value_is_what_its_pattern_says(words: list[str], value: str) -> None:
    text = " ".join(words)
    assert Subject(frozenset({value})).keys_in(text) is (_whole(value).search(text) is not None)
