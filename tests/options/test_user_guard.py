"""``--tau-user-guard``: a model that falls out of the customer's role is asked again."""

import pytest

from tests.llm.server import Answer, Request, by_model, says
from tests.options.models import AGENT, COMPETENT, ONE, USER, Serve, simulations
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal, mock_run, rows
from tests.plugin.parts import mock_play

GREETS = says("Hi! How can I help you today?")


def mends(request: Request) -> Answer:
    """A customer who says the right thing once it has been told that it did not."""
    told = "Not from the agent" in str(request.messages[-1]["content"])
    said = [one for one in request.messages if one["role"] == "assistant"]
    if said:
        return says("Thanks a lot! [STOP]")
    return says("I have watered the plants; tick off task_1.") if told else GREETS


def leaves(request: Request) -> Answer:
    """A customer who says what it wants, and is gone."""
    has_asked = any(one["role"] == "assistant" for one in request.messages)
    return says("###STOP###" if has_asked else "I have watered the plants; tick off task_1.")


def test_it_is_asked_again_with_a_hint_and_that_is_counted(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_model({"agent": COMPETENT, "user": mends}))
    result = mock_run(pytester, ONE, AGENT, USER)
    result.assert_outcomes(passed=1)
    [simulation] = simulations(pytester)
    counted = {"user: asked again (repeated the agent)": 1, "user: end mark in another form": 1}
    assert simulation.incidents == counted
    first = simulation.messages[1]
    assert first.role == "user"
    assert first.usage is not None
    assert (first.usage.prompt_tokens, first.asked_again) == (20, ["repeated the agent"])  # both requests are paid for
    asked = [one.messages for one in server.requests if one.model == "user"]
    assert len(asked) == 3
    assert asked[1][:-1] == asked[0], "what asks again stands behind all that the server has read already"
    result.stdout.fnmatch_lines(
        ["Asked again: the customer once, as it repeated the agent (1).", "End marks in another form: 1, understood."]
    )


def test_one_that_never_mends_loses_the_trial_itself(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_model({"agent": COMPETENT, "user": GREETS}))
    result = mock_run(pytester, ONE, AGENT, USER, "--tau-max-steps=4")
    assert (rows(result)["mock"]["invalid"], rows(result)["mock"]["missed"]) == ("1", "0")
    asked = [one for one in server.requests if one.model == "user"]
    assert len(asked) % 3 == 0  # each reply was asked for three times
    result.stdout.fnmatch_lines(
        [
            "*fault: user fault: fell out of its role: repeated the agent: *(turn 1)",
            "user audit: 1 trial was lost by the customer and says nothing about the agent (--tau-invalid).*",
        ]
    )
    [simulation] = simulations(pytester)
    assert len(simulation.discarded or []) == 2


def test_a_trial_that_is_kept_is_the_customers_fault(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": says("What can I do?"), "user": GREETS}))
    result = mock_run(pytester, ONE, AGENT, USER, "--tau-max-steps=4", "--tau-invalid=keep")
    result.stdout.fnmatch_lines(["  fault: user fault: fell out of its role: repeated the agent: *"])


def test_what_the_agent_could_have_done_is_no_matter_then(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": says("What can I do?"), "user": leaves}))
    result = mock_run(pytester, ONE, AGENT, USER, "--tau-invalid=keep")
    result.stdout.fnmatch_lines(["  fault: user fault: stopped early*"])
    [record] = journal(pytester.path)
    assert record.fault is not None
    assert (record.fault.no_return, record.fault.repair) == (None, None)


@pytest.mark.parametrize("how", ["--tau-user-guard=off", "--tau-parity=on"])
def test_not_where_it_is_off(pytester: pytest.Pytester, serve: Serve, how: str) -> None:
    serve(by_model({"agent": COMPETENT, "user": mends}))
    mock_play(pytester, ONE, AGENT, USER, how, "--tau-max-steps=6")
    [simulation] = simulations(pytester)
    assert simulation.messages[1].content == "Hi! How can I help you today?"
    assert not simulation.incidents


def test_without_a_model_that_plays_the_customer_there_is_nothing_to_guard(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-user-guard=on").fnmatch_lines(
        ["*--tau-user-guard: no model uses this; name one with --tau-user-llm*"]
    )


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("user_guard", "maybe", "must be one of on, off, not 'maybe'")
