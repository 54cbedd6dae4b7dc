"""How a customer of a log writes, and what they tell."""

import pytest

from pytest_tau.schema.messages import UserMessage
from tau_workshop.import_.customer import persona, turns_of, values_in


@pytest.mark.parametrize(
    ("said", "upset"),
    [
        ("Move my card to another address please.", False),
        ("I need to see MY order.", False),
        ("This is RIDICULOUS AND WRONG", True),
        ("Where is it!!", True),
        ("WHERE IS IT", True),
        ("I am fed up.", True),
    ],
)
def test_who_is_upset_says_so_or_shouts(said: str, upset: bool) -> None:
    assert ("You are upset." in persona(turns_of([UserMessage(content=said)]))) is upset


def test_a_name_ends_where_its_capitals_end() -> None:
    assert values_in("Hi, i am locked out. I am Ada Young and want to cancel.") == ["Ada Young"]
