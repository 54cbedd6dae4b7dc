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


def test_a_call_that_failed_is_told_until_it_is_over() -> None:
    meter = Meter()
    with meter.trying() as failed:
        assert meter.asked == CallTotals()
        failed("judge: server (HTTP 503): Overloaded")
        failed("judge: server (HTTP 502): Bad gateway")
        assert meter.asked == CallTotals(failing=1, failure="judge: server (HTTP 502): Bad gateway")
        both = meter.asked + CallTotals(failing=1, failure="agent: rate limit")
    assert (both.failing, both.failure) == (2, "judge: server (HTTP 502): Bad gateway")
    assert meter.asked == CallTotals()
