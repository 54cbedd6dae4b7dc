"""What models were asked, added up."""

from pytest_tau.llm.meter import CallTotals, Meter
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.schema.spending import Usage


def reply(cost: float | None) -> ModelReply:
    return ModelReply("Hello.", None, cost, Usage(prompt_tokens=5, completion_tokens=2), 0.1)


def test_a_meter_adds_up() -> None:
    meter = Meter()
    with meter.waiting():
        assert meter.asked.waiting == 1
        meter.count_answer(reply(0.5))
    assert meter.asked == CallTotals(1, 7, 0.5)
    meter.count_answer(reply(None))
    assert meter.asked == CallTotals(2, 14, None)
