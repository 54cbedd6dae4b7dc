"""``--tau-overflow-as``: what a trial is whose conversation outgrew a context window; and ``max_tokens``."""

import pytest

from tests.llm.server import Answer, Request, fails
from tests.options.models import AGENT, COMPETENT, ONE, Serve, simulations
from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run, rows
from tests.plugin.parts import mock_play

SAYS = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9012 tokens."


def test_a_fault_of_its_own_with_the_two_numbers(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(fails(400, SAYS))
    result = mock_run(pytester, ONE, AGENT)
    assert rows(result)["mock"]["infra"] == "1"
    result.stdout.fnmatch_lines(
        [
            "  fault: context overflow: *9,012 tokens needed, 8,192 allowed*",
            "Context overflow: 1 trial outgrew a model's context window, *--tau-overflow-as miss*",
        ]
    )


def test_a_miss_where_that_is_asked_for(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(fails(400, SAYS))
    result = mock_run(pytester, ONE, AGENT, "--tau-overflow-as=miss")
    assert (rows(result)["mock"]["infra"], rows(result)["mock"]["missed"]) == ("0", "1")
    [record] = journal(pytester.path)
    assert record.reward is not None
    assert record.reward.value == 0.0
    assert record.fault is not None
    assert record.fault.kind == "context_overflow"


def test_calls_are_bounded_unless_told_otherwise(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    mock_play(pytester, ONE, AGENT).assert_outcomes(passed=1)
    mock_play(pytester, ONE, AGENT, '--tau-agent-llm-args={"max_tokens": 99}')
    mock_play(pytester, ONE, AGENT, "--tau-parity=on")
    assert [*dict.fromkeys(one.body.get("max_tokens") for one in server.requests)] == [4096, 99, None]


def test_without_the_bound_where_the_window_has_no_room_for_it(pytester: pytest.Pytester, serve: Serve) -> None:
    def small(request: Request) -> Answer:
        return fails(400, SAYS) if "max_tokens" in request.body else COMPETENT(request)  # type: ignore[operator]

    serve(small)
    mock_play(pytester, ONE, AGENT).assert_outcomes(passed=1)
    [simulation] = simulations(pytester)
    assert "max_tokens" not in simulation.agent_parameters


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("overflow_as", "pass", "must be one of infra, miss, not 'pass'")
