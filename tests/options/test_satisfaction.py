"""``--tau-satisfaction``: the judge rates how content the customer was, beside the reward."""

import pytest

from tests.llm.server import by_model, fails, says
from tests.options.models import AGENT, COMPETENT, ONE, Serve
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run

RATED = says('{"reasons": "It was done, but after one needless question.", "score": 4}')


def test_rates_a_trial_beside_its_reward(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_model({"agent": COMPETENT, "judge": RATED}))
    result = mock_run(pytester, AGENT, ONE, "--tau-judge-llm=openai/judge", "--tau-satisfaction")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial."])
    [record] = journal(pytester.path)
    assert record.reward is not None
    assert record.reward.satisfaction is not None
    assert (record.reward.value, record.reward.satisfaction.score) == (1.0, 4)
    assert "one needless question" in record.reward.satisfaction.reasons
    [asked] = [request for request in server.requests if request.model == "judge"]
    told = "\n".join(str(message["content"]) for message in asked.body["messages"])
    assert "It is done." in told
    assert "update_task_status" not in told  # the customer sees no calls


def test_who_gets_no_answer_is_told_so(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": COMPETENT, "judge": fails(500)}))
    given = ("--tau-judge-llm=openai/judge", "--tau-satisfaction", "--tau-retries=0")
    result = mock_run(pytester, AGENT, ONE, *given)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: unknown; it gave no answer on 1 trial."])


def test_a_resumed_run_asks_again_what_nobody_answered_and_nothing_else(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    given = ("--tau-judge-llm=openai/judge", "--tau-satisfaction", "--tau-retries=0")
    serve(by_model({"agent": COMPETENT, "judge": fails(500)}))
    mock_run(pytester, AGENT, ONE, *given)
    server = serve(by_model({"agent": COMPETENT, "judge": RATED}))
    for _ in range(2):
        result = mock_run(pytester, AGENT, ONE, *given, "--tau-resume")
        result.stdout.fnmatch_lines(["Satisfaction, as the judge rates it: 4.00 of 5 over 1 trial."])
    assert [request.model for request in server.requests] == ["judge"]


def test_needs_a_judge(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-satisfaction").fnmatch_lines(["ERROR:*--tau-judge-llm*"])
