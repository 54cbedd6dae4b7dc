"""Whether a message gives a reason: written examples, and what a denial or a deed takes back."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.evaluation.reasons import gives
from tests.evaluation.written import Written, read

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
