"""What calls take is never negative, and can be added up."""

import pytest
from pydantic import ValidationError

from pytest_tau import AssistantMessage
from pytest_tau.schema.spending import Usage, total_spent


@pytest.mark.parametrize("tokens", [-1, 10**25, 10**5000], ids=["negative", "many", "most"])
def test_nobody_reads_less_than_nothing_or_more_than_there_is(tokens: int) -> None:
    for name in ("prompt_tokens", "completion_tokens"):
        with pytest.raises(ValidationError):
            Usage.model_validate({name: tokens})


@pytest.mark.parametrize("cost", [-0.01, 1e308])
def test_a_message_earns_nothing_and_costs_what_can_be_added_up(cost: float) -> None:
    with pytest.raises(ValidationError):
        AssistantMessage(content="a", cost=cost)


def test_the_most_tokens_can_be_added_up() -> None:
    most = AssistantMessage(content="a", cost=1e12, usage=Usage(prompt_tokens=10**12))
    assert total_spent([most, most])["usage"] == most.usage
