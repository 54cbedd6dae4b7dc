"""What lines of the customer do: how they answer."""

import pytest

from pytest_tau.evaluation.language.dialogue import answer, says_no, says_yes
from pytest_tau.evaluation.language.text import foreign, sentences

YES = [
    "Yes",
    "yes, please go ahead.",
    "Yeah, that works",
    "Sure!",
    "Okay, thank you.",
    "That's correct, please proceed.",
    "No, nothing else. Please go ahead.",
    "No problem, go ahead",
    "I confirm. Don't change anything else.",
    "That is fine with me.",
    "Thanks. Yes, do it, and can you tell me the total?",
    "Yes, please don’t forget the bags.",
    "Return both of them. And yes, please use the card.",
    "I can confirm that, go ahead.",
]
NOT_YES = [
    "",
    "No.",
    "What does that cost?",
    "Okay, but what does it cost?",
    "I don't agree.",
    "Please don't go ahead yet.",
    "Before you proceed, tell me the price.",
    "Of course not!",
    "Yes, no, wait. Wait a moment.",
    "Is that correct?",
    "If it is free, go ahead",
    "That looks good except for the card.",
    "Please take the other card and list it all again. I'll reply yes then, this is fine.",
    "My name is Yesenia and my order is late.",
]


@pytest.mark.parametrize("text", YES)
def test_a_yes(text: str) -> None:
    assert says_yes(text)
    assert not says_no(text)


@pytest.mark.parametrize("text", NOT_YES)
def test_no_yes(text: str) -> None:
    assert not says_yes(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Yes.", "yes"),
        ("1) Yes, cancel it.", "yes"),
        ("Affirmative", "yes"),
        ("Correct.", "yes"),
        ("Perfect!", "casual"),
        ("Yes, if it is free", "conditional"),
        ("The lamp: yes.", "yes"),
        ("That is within my limit, so yes please!", "yes"),
        ("Both, yes sir.", "yes"),
        ("My wife said yes.", ""),
        ("The website told me: yes, refundable.", ""),
        ("Ask my husband, he'd say yes.", ""),
        ("I say yes.", "yes"),
        ("No.", "no"),
        ("Please don't cancel it", "no"),
        ("No problem", "casual"),
        ("Both OK.", "casual"),
        ("Both are right, go on!", "yes"),
        ("All three, go.", "casual"),
        ("All three are broken.", ""),
        ("You may.", "yes"),
        ("You may want to know why.", ""),
        ("$638 on the Visa and $200 as a certificate, agreed.", "yes"),
        ("As agreed.", ""),
        ("Both, thanks!", "casual"),
        ("To both of them, please", "casual"),
        ("Both are broken.", ""),
        ("Keep both.", ""),
        ("Not both!", ""),
        ("Wait a moment.", "wait"),
        ("I'll confirm tomorrow", "wait"),
        ("My zip is 12345", ""),
        ("Right now, there are no bars at all", ""),
    ],
)
def test_what_a_customer_answers(text: str, kind: str) -> None:
    found = answer(text)
    assert found.last_word == kind
    assert all(
        bool(getattr(found, other)) is (other == kind) for other in ("yes", "casual", "conditional", "no", "wait")
    )


@pytest.mark.parametrize(
    "text", ["Sí, adelante.", "Ja, bitte machen Sie das so.", "はい、お願いします", "Oui, merci beaucoup"]
)
def test_another_language(text: str) -> None:
    assert foreign([text])


@pytest.mark.parametrize(
    "text", ["Yes", "Affirmative", "Cancel #W1", "12345", "", "Book them, and use the card on file"]
)
def test_english_however_short(text: str) -> None:
    assert not foreign([text])


def test_sentences_of_agents_that_speak_json() -> None:
    assert sentences('{"message": "One.\\n- Two; three"}') == ('{"message": "One.', "- Two;", 'three"}')
