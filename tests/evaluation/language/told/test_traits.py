"""What the agent says that an option is like, beside the list that a result showed: unclear where two are mixed."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.traits import mixed_traits
from pytest_tau.evaluation.language.told.unseen import unseen_claims
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says
from tests.evaluation.language.told.test_options import lamp

LOOK = a_call("get_product_details", product_id="7")
LAMPS = [
    lamp("4001", 20.5, colour="bronze", motor="single", width="55 in"),
    lamp("4002", 18.25, colour="bronze", motor="dual", width="55 in"),
    lamp("4003", 12.99, colour="walnut", motor="single", width="60 in"),
    lamp("4004", 31.75, colour="walnut", motor="dual", width="60 in"),
]


WORLD = load_domain("retail").environment()


def told(text: str, options: list[dict[str, object]] = LAMPS) -> list[AnyMessage]:
    content = json.dumps({"variants": {str(one["item_id"]): one for one in options}})
    return [asks("Which are there?"), says(None, LOOK), result_of(LOOK, content), says(text)]


@pytest.mark.parametrize(
    "text",
    [
        "The one in bronze, 55 in, has a single motor and costs $18.25.",
        "| Desk | **walnut**, dual motor, $12.99 |",
        "Yours is bronze; the other one (walnut, 55 in, dual) would be $31.75.",
    ],
)
def test_a_trait_of_another_option_beside_a_price(text: str) -> None:
    assert [one.turn for one in mixed_traits(told(text), WORLD)] == [3]
    assert [one.turn for one in unseen_claims(told(text), WORLD)] == [3]


@pytest.mark.parametrize(
    "text",
    [
        "The one in bronze, 55 in, has a dual motor and costs $18.25.",
        "From single motor to dual motor in bronze, $18.25.",
        "In bronze, 55 in, it is $18.25, unlike the single ones.",
        "In bronze and not with a single motor it is $18.25.",
        "With a single motor it is $18.25.",
        "Bronze with a single motor: $20.50, or walnut: $12.99.",
        "Bronze with a single motor is about $18.",
        "Bronze with a single motor for $18.25?",
        "The single bronze one is for all who have less than $18.25 to spend.",
    ],
    ids=[
        *("as it is", "from one to the other", "compared", "denied", "nothing right", "two options"),
        *("no price of an option", "a question", "of all"),
    ],
)
def test_what_mixes_nothing(text: str) -> None:
    assert not [*mixed_traits(told(text), WORLD)]


def test_of_two_options_nobody_knows_which_trait_tells_them_apart() -> None:
    assert not [*mixed_traits(told("Bronze, 55 in, single motor: $18.25.", LAMPS[1:3]), WORLD)]


ORDERED = [
    lamp("4001", 215.32, name="Pocket Watch", movement="quartz", case="silver", dial="Roman"),
    lamp("4002", 134.21, name="Ice Cream Maker", color="red", capacity="2 qt"),
]


@pytest.mark.parametrize("text", ["It's the mechanical one, in silver, at $215.32.", "2 qt, mint: $134.21."])
def test_a_trait_that_nothing_shown_has_and_other_records_have(text: str) -> None:
    assert [one.turn for one in mixed_traits(told(text, ORDERED), WORLD)] == [3]


@pytest.mark.parametrize("text", ["The quartz one, in silver, at $215.32.", "Ice Cream Maker, 2 qt, $134.21."])
def test_what_the_record_says_itself_in_another_field(text: str) -> None:
    assert not [*mixed_traits(told(text, ORDERED), WORLD)]


def test_what_another_result_has_shown_may_be_said_of_that() -> None:
    text = "The silver watch, Roman dial, $215.32, replaces the mechanical one."
    assert [one.turn for one in mixed_traits(told(text, ORDERED), WORLD)] == [3]
    returned = lamp("5001", 300.0, name="Pocket Watch", movement="mechanical")
    messages = told(text, ORDERED)
    messages[1:1] = [says(None, LOOK), result_of(LOOK, json.dumps(returned))]
    assert not [*mixed_traits(messages, WORLD)]


def test_what_is_shown_may_be_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(WORLD.domain.base), "texts_of_fields", {"color": frozenset({"rosé"})})
    ordered = [lamp("4001", 215.32, color="red", case="silver"), lamp("4002", 134.21, color="rosé", case="gold")]
    assert not [*mixed_traits(told("In silver, beside the rosé one, at $215.32.", ordered), WORLD)]
