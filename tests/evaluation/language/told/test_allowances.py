"""What the agent tells of a figure that the policy has in a table."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.allowances import told_of_allowances, told_of_groups
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import asks, result_of, says

LISTS = """# Bags
- If the user is a silver member:
  - 1 free checked bag for each basic economy passenger
  - 2 free checked bags for each economy passenger
- If the user is a gold member:
  - 2 free checked bags for each basic economy passenger
  - 3 free checked bags for each economy passenger
- Each further bag is $50.
"""
TABLE = """Free checked bags for each passenger:

| | basic economy | economy |
|---|---|---|
| silver | 1 | 2 |
| gold | 2 | 3 |
"""
LOOK = ToolCall(id="u", name="get_user_details", arguments={"user_id": "ann_lee_1"})


def told(text: str, policy: str = LISTS, membership: str = "gold") -> list[str]:
    shown = result_of(LOOK, f'{{"user_id": "ann_lee_1", "membership": "{membership}"}}')
    messages: list[AnyMessage] = [asks("How many bags?"), says(None, LOOK), shown, says(text)]
    return [one.why for one in told_of_allowances(messages, policy)]


@pytest.mark.parametrize("policy", [LISTS, TABLE], ids=["lists", "table"])
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("As a gold member you get 2 free checked bags in economy.", "the policy says 3 for gold, economy"),
        ("Gold members are entitled to one free bag.", "the policy says 2 or 3 for gold"),
        ("You fly economy. Of your bags, 2 are free and 1 is paid.", "the policy says 3 for gold, economy"),
        ("In basic economy you are allowed 3 free bags per passenger.", "the policy says 2 for gold, basic economy"),
    ],
)
def test_another_figure(text: str, why: str, policy: str) -> None:
    assert told(text, policy) == [why]


@pytest.mark.parametrize(
    "text",
    [
        "As a gold member you get 3 free checked bags in economy.",
        "With two passengers in economy you get 6 free bags.",
        "In economy, your 2 bags are free.",
        "If you were in basic economy, you would get 1 free bag as a gold member.",
        "Silver members get 2 free bags in economy.",
        "I have added 2 more free bags in economy.",
        "A bag costs $50.",
        "As a gold member you get " + 5000 * "9" + " free bags.",
        "Silver members receive 1 free checked bag per passenger, and gold members receive 9.",
        "One free checked bag is left for each passenger.",
    ],
)
def test_the_same_figure_or_none(text: str) -> None:
    assert told(text) == []


def test_who_is_of_no_known_group() -> None:
    assert told("You get 9 free bags in economy.", membership="none") == []


def test_our_own_policy_has_such_a_table() -> None:
    policy = load_domain("airline").environment().policy
    assert told("As a gold member you get 7 free checked bags in economy.", policy)


def group(text: str) -> list[str]:
    shown = result_of(LOOK, '{"user_id": "ann_lee_1", "membership": "silver", "member_since": {"year": 2020}}')
    return [one.why for one in told_of_groups([asks("Hello"), says(None, LOOK), shown, says(text)], LISTS)]


@pytest.mark.parametrize(
    "text", ["Since you are a Gold member, I can offer you $50.", "As a gold member you fly free."]
)
def test_a_group_that_the_record_does_not_show(text: str) -> None:
    assert group(text) == ["the record shows 'silver'"]


@pytest.mark.parametrize(
    "text",
    [
        "As a silver member you have 2 free bags.",
        "As a gold member, you would have 3.",
        "If you are a gold member, tell me.",
        "Are you a gold member?",
        "You are a valued member.",
        "You'd get 1 free bag as a gold member.",
        "As a gold member your friend gets 2 free bags.",
        "You are a kind person.",
    ],
)
def test_the_group_it_shows_or_none_of_the_policy(text: str) -> None:
    assert group(text) == []


@pytest.mark.parametrize(
    ("record", "policy"),
    [
        ('{"customer_id": "C1001"}', "A senior customer pays nothing."),
        ('{"customer_id": "C1001", "customer_type": "Senior"}', "A senior customer pays nothing."),
        ('{"customer_type": "active"}', "A senior customer pays nothing."),
    ],
)
def test_a_field_with_no_group_of_the_policy(record: str, policy: str) -> None:
    messages: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, record), says("You are a senior customer.")]
    assert not list(told_of_groups(messages, policy))
