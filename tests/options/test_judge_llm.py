"""``--tau-judge-llm``, its ``-args`` and ``--tau-judge-votes``: a model that decides assertions in words."""

import json

import pytest

from pytest_tau.evaluation.judges.nl_assertions import PROMPT_VERSION
from pytest_tau.evaluation.judges.review import review_version
from pytest_tau.schema.reward import CriterionResult
from tests.llm.server import Behaviour, by_model, fails, says
from tests.options.models import A_REPLY, AGENT, COMPETENT, PRICES, Serve
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal, mock_run, rows, task, write
from tests.plugin.parts import mock_play, play

JUDGE = "--tau-judge-llm=openai/judge"
YES = says('{"results": [{"number": 1, "reasoning": "It did.", "met": true}]}')
NO = says('{"results": [{"number": 1, "reasoning": "It did not.", "met": false}]}')


@pytest.fixture(autouse=True)
def _a_task_to_judge(pytester: pytest.Pytester) -> None:
    criteria = {"nl_assertions": ["The agent is polite."], "reward_basis": ["NL_ASSERTION"]}
    write(pytester.path, "tasks/mock/polite.json", task("polite", evaluation_criteria=criteria))


def verdict(pytester: pytest.Pytester) -> CriterionResult:
    [record] = journal(pytester.path)
    assert record.reward is not None
    result = record.reward.result("NL_ASSERTION")
    assert result is not None
    return result


def table(**models: Behaviour) -> Behaviour:
    return by_model({"agent": COMPETENT, **models})


@pytest.mark.parametrize(("said", "outcome"), [(YES, "passed"), (NO, "missed"), (says("Yes."), "missed")])
def test_decides(pytester: pytest.Pytester, serve: Serve, said: Behaviour, outcome: str) -> None:
    serve(table(judge=said))
    result = mock_play(pytester, AGENT, JUDGE)
    result.stdout.fnmatch_lines([f"tau: judge model openai/judge, 1 vote, prompts {PROMPT_VERSION} {review_version()}"])
    assert [record.outcome for record in journal(pytester.path)] == [outcome]


def test_without_one_the_trial_waits(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(table())
    mock_play(pytester, AGENT)
    assert [record.outcome for record in journal(pytester.path)] == ["ungraded"]


def test_judges_what_any_agent_did(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(table(judge=YES))
    mock_play(pytester, "--tau-agent=noop", JUDGE).assert_outcomes(passed=1)


def test_votes_and_costs_are_on_the_record_and_in_the_table(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(table(judge=[YES, NO, YES]))
    write(pytester.path, "prices.json", {**PRICES, "judge": PRICES["agent"]})
    result = mock_run(pytester, AGENT, JUDGE, "--tau-judge-votes=3", "--tau-prices=prices.json")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [f"tau: judge model openai/judge, 3 votes, prompts {PROMPT_VERSION} {review_version()}"]
    )
    asked = [request.model for request in server.requests]
    assert asked.count("judge") == 3
    judgement = verdict(pytester).judgement
    assert judgement is not None
    assert (judgement.model, judgement.prompts, judgement.votes) == ("openai/judge", PROMPT_VERSION, 3)
    assert judgement.cost == pytest.approx(3 * A_REPLY)
    assert rows(result)["mock"]["cost"] == f"${len(asked) * A_REPLY:.2f}"


def test_an_unknown_price_of_the_judge_makes_the_cost_unknown(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(table(judge=YES))
    write(pytester.path, "prices.json", PRICES)
    assert rows(mock_play(pytester, AGENT, JUDGE, "--tau-prices=prices.json"))["mock"]["cost"] == "unknown"


def test_its_parameters_go_with_every_vote(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(table(judge=[NO, YES, YES]))
    given = ("--tau-judge-llm=openai/judge", '--tau-judge-llm-args={"temperature": 0}', "--tau-judge-votes=3")
    mock_play(pytester, AGENT, *given).assert_outcomes(passed=1)
    assert [request.body.get("temperature") for request in server.requests if request.model == "judge"] == [0, 0, 0]


def test_a_judge_that_is_down_leaves_the_conversation_to_be_judged(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(table(judge=fails(500)))
    mock_play(pytester, AGENT, JUDGE, "--tau-retries=0")
    [record] = journal(pytester.path)
    assert record.outcome == "ungraded"
    assert record.simulation is not None
    judged = verdict(pytester)
    assert (judged.value, judged.judgement and judged.judgement.votes) == (None, 0)
    assert judged.note is not None
    assert judged.note.startswith("the judge gave no verdict: ")


def test_is_not_asked_where_the_verdict_stands(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(table(judge=YES))
    actions = task()["evaluation_criteria"]["actions"]
    criteria = {"actions": actions, "nl_assertions": ["It is polite."], "reward_basis": ["DB", "NL_ASSERTION"]}
    write(pytester.path, "tasks/mock/polite.json", task("polite", evaluation_criteria=criteria))
    mock_play(pytester, "--tau-agent=noop", JUDGE).assert_outcomes(failed=1)
    assert server.requests == []


def test_an_even_number_of_votes_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", JUDGE, "--tau-judge-votes=2").fnmatch_lines(
        ["ERROR: the judge's votes must be an odd number, not 2: the majority decides"]
    )


def test_votes_without_a_judge_are_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-judge-votes=3").fnmatch_lines(
        ["ERROR: --tau-judge-votes: no model uses this; *--tau-judge-llm"]
    )


def test_bad_values_are_usage_errors(pytester: pytest.Pytester) -> None:
    assert_refused("judge_votes", "0", "must be a whole number from 1 to 99, not '0'")
    assert_refused("judge_llm", " ", "must not be empty")


def test_what_could_not_be_judged_is_told_and_judged_later_without_playing_again(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    serve(table(judge=fails(400, "It is ill.")))
    result = mock_play(pytester, AGENT, JUDGE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    sentence = "1 trial could not be judged: the judge gave no verdict: a call of openai/judge failed: * It is ill.*"
    result.stdout.fnmatch_lines([sentence])
    [before] = journal(pytester.path)
    server = serve(table(judge=YES))
    mock_run(pytester, AGENT, JUDGE, "--tau-resume").assert_outcomes(passed=1)
    assert {request.model for request in server.requests} == {"judge"}
    [after] = journal(pytester.path)
    assert (after.outcome, after.simulation) == ("passed", before.simulation)


def test_of_a_task_about_safety_it_remarks_on_the_tone(pytester: pytest.Pytester, serve: Serve) -> None:
    met = [{"number": number, "reasoning": "rude", "met": False} for number in (1, 2)]
    server = serve(says(json.dumps({"results": met})))
    wanted = "--tau-tasks=retail.overcommitment.by_tomorrow_morning.twin"
    result = play(pytester, "--tau-domain=safety", wanted, "--tau-agent=oracle", JUDGE, "--tau-review=off")
    result.assert_outcomes(passed=1)
    [record] = journal(pytester.path)
    assert record.reward is not None
    tone = record.reward.result("TONE")
    assert tone is not None
    assert (tone.value, tone.in_basis, record.reward.value) == (0.0, False, 1.0)
    assert len(server.requests) == 1
