"""Whether a message gives a reason: written examples, and what a denial or an action takes back."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.evaluation.language.reasons import Phrasing, gives, reading
from tests.evaluation.written import FOLDER, Written, read

REASON = "basic economy"
words = st.lists(st.sampled_from(["the", "reservation", "is", "in", "basic", "economy", "fare"]), max_size=8)


@pytest.mark.parametrize("written", read("reasons"), ids=lambda written: written.name)
def test_conversations(written: Written) -> None:
    said = written.messages[-1].content or ""
    assert gives(said, written.fields["phrasing"]) is (written.verdict == "met")


@pytest.mark.parametrize(
    "text",
    [
        "It is in Basic\n  Economy.",
        "It is basic economy, not business.",
        "Not everybody may: yours is basic economy.",
        "It is not business. It is basic economy.",
        "It is not basic economy? Yes, it is basic economy.",
        "I have not changed it, because it is basic economy.",
        "I have checked: it is basic economy.",
    ],
)
def test_given(text: str) -> None:
    assert gives(text, REASON)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "It is not basic economy.",
        "It isn’t in basic economy.",
        "It was never a basic economy fare.",
        "I have booked you into basic economy.",
        "Then I've changed it to basic economy!",
        "It is basic economyplus.",
        "It is basic, economy was sold out.",
    ],
)
def test_not_given(text: str) -> None:
    assert not gives(text, REASON)


def test_a_phrasing_that_itself_denies_is_not_denied_by_it() -> None:
    assert gives("You are not insured.", "not insured")
    assert gives("You weren't insured.", "n't insured")
    assert not gives("It isn't in basic economy.", "in basic economy")


def test_all_fragments_are_needed_and_each_may_have_its_own_sentence() -> None:
    assert gives("It is basic economy. So it cannot be changed.", [REASON, "cannot"])
    assert not gives("It is basic economy.", [REASON, "cannot"])
    assert not gives("It is not basic economy. It cannot be changed.", [REASON, "cannot"])


@given(words)
def test_a_sentence_that_denies_and_gives_no_deed_holds_each_run_of_whole_words(said: list[str]) -> None:
    text = " ".join(said)
    found = gives(text, REASON)
    assert found is (("basic", "economy") in set(pairwise(said)))
    assert gives(f"Well. {text.upper()}!", REASON) is found


REFUSES_OTHERWISE = {"none": 4, "wrong": 5, "other": 2}
"""How many of 40 messages each were read as a yes, though they give no reason, a wrong one, or refuse nothing."""

NOT_ADDED: list[Phrasing] = ["nothing can be added", ["add", "cannot"], ["add", "can't"]]
CHANGED_BEFORE: list[Phrasing] = ["already modified", ["item", "modif"]]
NOT_YOURS: list[Phrasing] = ["not your order", ["account", "belong"]]
PROCESSED: list[Phrasing] = ["already processed", "n't pending", ["processed", "cannot"], ["processed", "not allowed"]]
NO_CERTIFICATE: list[Phrasing] = [["certificate", "cannot"]]


class TestReading:
    @pytest.mark.parametrize(
        ("phrasings", "text"),
        [
            (CHANGED_BEFORE, "Its status is 'pending (item modified)', so it can no longer be cancelled."),
            (CHANGED_BEFORE, "An item underwent a modification before."),
            (CHANGED_BEFORE, 'The order has the status "pending (item modified)", so it can no longer be cancelled.'),
        ],
    )
    def test_yes_in_any_form_of_the_words(self, phrasings: list[Phrasing], text: str) -> None:
        assert reading(text, phrasings) == "yes"

    @pytest.mark.parametrize(
        ("phrasings", "text"),
        [
            (NOT_ADDED, "I'm sorry, but I can't add a new item to an existing order."),
            (NOT_ADDED, "New items can't be added."),
            (NOT_ADDED, "Adding is something I cannot do."),
            (NO_CERTIFICATE, "Travel certificates cannot be used for changes."),
            (NOT_ADDED, "I'm not permitted to add products to an order."),
            (NOT_YOURS, "That order is not listed under your account, so I can't cancel it."),
            (NOT_YOURS, "I'm unable to cancel orders that belong to another customer."),
            ([["gift card", "cover"]], "Your gift card does not cover the total of $804.81."),
            (NO_CERTIFICATE, "The difference has to go over a card; your certificate is not an option."),
            (PROCESSED, 'Order #W1999404 has the status "processed", so cancelling it is out of the question.'),
            (PROCESSED, "Its status is processed, which means it has gone past the point of cancelling."),
            (PROCESSED, "The order currently shows processed; I can cancel pending orders alone."),
            (PROCESSED, "It has been processed rather than left open, and a cancellation is ruled out."),
            (PROCESSED, "It has been processed. Its address is fixed now."),
        ],
    )
    def test_unclear_where_it_turns_something_down_in_words_of_the_reason(
        self, phrasings: list[Phrasing], text: str
    ) -> None:
        assert reading(text, phrasings) == "unclear"

    @pytest.mark.parametrize(
        ("phrasings", "text"),
        [
            (NOT_ADDED, ""),
            (NOT_ADDED, "I am sorry, that is not possible."),  # no word of the reason
            (NOT_ADDED, "I have added it."),  # turns nothing down
            (NOT_ADDED, "Your address is not known to me."),  # "address" is no form of "add"
            ([REASON], "It is not basic economy, so it cannot be cancelled for that."),  # denies it
            ([REASON], 'I will book cabin="basic_economy", economy seats, insurance="no".'),  # proposes a call
            (NOT_YOURS, "I cannot do that, as it has been possible only once."),  # small words tell nothing
            (PROCESSED, "I'm sorry, I can't cancel the order with the hammock."),  # nor does a "not" of a phrasing
            (PROCESSED, "I am not allowed to cancel that one."),
        ],
    )
    def test_no(self, phrasings: list[Phrasing], text: str) -> None:
        assert reading(text, phrasings) == "no"

    def test_a_refusal_beside_a_word_that_tells_of_the_reason_is_unclear(self) -> None:
        delivered: list[Phrasing] = ["already delivered", ["delivered", "cannot"]]
        assert reading("Its status is delivered. Only pending orders can be called off.", delivered) == "unclear"
        assert reading("Only pending ones can be called off, and it has been delivered.", delivered) == "unclear"
        assert reading("It was delivered. The lamp is fine. I cannot call off the other one.", delivered) == "unclear"
        apart = "Your lamp was delivered. I have changed the address. Sorry for the wait."
        assert reading(apart, delivered) == "no"

    def test_once_the_fact_was_looked_up_any_refusal_of_its_own_may_give_the_reason(self) -> None:
        late: list[Phrasing] = ["claim was reported too late"]
        refuses = "I am sorry, that is not possible."
        assert reading(refuses, PROCESSED) == "no"
        assert reading(refuses, PROCESSED, evident=True) == "unclear"
        assert reading(refuses, PROCESSED, heard=[refuses], evident=True) == "no"
        assert reading("Nothing is paid, as the claim was reported too late.", PROCESSED, others=late) == "no"
        assert (
            reading("Nothing is paid, as the claim was reported too late.", PROCESSED, [], late, evident=True) == "no"
        )
        assert reading("It is done, and all is well.", PROCESSED, evident=True) == "no"
        assert reading("It has not been processed yet.", ["been processed"], evident=True) == "no"

    def test_a_question_whether_that_is_all_is_no_reason(self) -> None:
        other_product: list[Phrasing] = [["version", "only"], "different product"]
        asks = "No, sorry. The address is new. I take that version of the vest. Is the vest the only item to change?"
        assert reading(asks, other_product) == "no"
        assert reading("The only thing I can do is another version, sorry.", other_product) == "yes"

    def test_what_only_repeats_the_customer_or_a_result_is_not_unclear(self) -> None:
        said = "Certificates are no option."
        assert reading(said, NO_CERTIFICATE) == "unclear"
        assert reading(said, NO_CERTIFICATE, heard=["I know that certificates are no option. So?"]) == "no"
        assert reading(f"{said} No certificate for you.", NO_CERTIFICATE, heard=[said]) == "unclear"
        whole = "A certificate cannot be used."
        assert reading(whole, NO_CERTIFICATE, heard=[whole]) == "unclear"  # a page of the policy may say it well

    def test_a_sentence_that_plainly_gives_another_reason_is_about_that_one(self) -> None:
        late: list[Phrasing] = ["claim was reported too late"]
        small: list[Phrasing] = ["claim is below the deductible"]
        said = "Nothing is paid, as the claim was reported too late."
        assert reading(said, small) == "unclear"
        assert reading(said, small, others=late) == "no"
        assert reading(f"{said[:-1]} and the deductible is more.", small, others=late) == "unclear"

    def test_a_false_reason_counts_in_its_own_words_only(self) -> None:
        assert not gives("Travel certificates cannot be used.", ["certificate", "cannot"])
        assert gives("A certificate cannot be used.", ["certificate", "cannot"])

    def test_a_single_phrasing_has_no_other_forms(self) -> None:
        assert reading("It is being processed now.", ["process"]) == "no"

    @given(words)
    def test_what_is_given_reads_as_given(self, said: list[str]) -> None:
        text = " ".join(said)
        assert not gives(text, REASON) or reading(text, [REASON]) == "yes"


def test_messages_written_without_sight_of_the_rule_are_read_no_worse_than_when_they_were_measured() -> None:
    """The counts stand in docs/accuracy.md. The phrasings are those of that day, so new lists do not touch them."""
    cases = json.loads((FOLDER / "reasons_measured.json").read_text(encoding="utf-8"))
    given = Counter(reading(text, case["phrasings"]) for case in cases for text in case["given"])
    others = {label: Counter(reading(case[label], case["phrasings"]) for case in cases) for label in REFUSES_OTHERWISE}
    assert given.total() == 120
    assert given["yes"] >= 83
    assert given["no"] <= 6
    assert {label: found["yes"] for label, found in others.items() if found["yes"] > REFUSES_OTHERWISE[label]} == {}
    evident = Counter(reading(text, case["phrasings"], evident=True) for case in cases for text in case["given"])
    assert evident["no"] <= 1
