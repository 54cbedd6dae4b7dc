"""``--tau-user-judge``: the judge looks at the customer, for what no rule sees."""

import pytest

from pytest_tau.evaluation.judges.nl_assertions import PROMPT_VERSION
from pytest_tau.evaluation.judges.review import review_version
from pytest_tau.evaluation.judges.user_judge import PROMPT_VERSION as USER_PROMPTS
from pytest_tau.schema.simulation import Simulation, UserFinding
from tests.llm.server import Answer, Behaviour, by_model, fails, says
from tests.options.models import A_REPLY, AGENT, BOTH, COMPETENT, CUSTOMER, ONE, PRICES, USER, Serve, simulations
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run, rows, write
from tests.plugin.parts import Parts, mock_play, play

JUDGE = "--tau-judge-llm=openai/judge"
ARGUMENTS = (ONE, AGENT, USER, JUDGE, "--tau-invalid=keep", "--tau-user-judge")
KEPT = says('{"reasoning": "All as it should be.", "kept": true, "turn": null}')
BROKE = says('{"reasoning": "It wants another task.", "kept": false, "turn": 1}')
FINDING = UserFinding(rule="off scenario", turn=1, text="It wants another task.")


def judging(answer: Behaviour) -> Behaviour:
    return by_model({"agent": COMPETENT, "user": CUSTOMER, "judge": answer})


def conversation(pytester: pytest.Pytester) -> Simulation:
    [found] = simulations(pytester)
    return found


@pytest.mark.parametrize(("answer", "findings", "number"), [(KEPT, [], 0), (BROKE, [FINDING], 1)])
def test_its_finding_is_reported_beside_those_of_the_rules(
    pytester: pytest.Pytester, serve: Serve, answer: Answer, findings: list[UserFinding], number: int
) -> None:
    serve(judging(answer))
    result = mock_play(pytester, *ARGUMENTS, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "tau: judge model openai/judge, 1 vote, on the customer, too, "
            f"prompts {PROMPT_VERSION} {review_version()} {USER_PROMPTS}",
            f"user audit: the customer broke rules in {number} of 1 simulations*",
        ]
    )
    assert conversation(pytester).user_findings == findings


def test_without_it_the_judge_is_not_asked(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(judging(BROKE))
    mock_play(pytester, *ARGUMENTS[:-1]).assert_outcomes(passed=1)
    assert "judge" not in {request.model for request in server.requests}
    assert conversation(pytester).user_judgement is None


def test_what_it_finds_can_make_a_trial_invalid(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(judging([BROKE, KEPT]))
    mock_play(pytester, *ARGUMENTS, "--tau-invalid=rerun").assert_outcomes(passed=1)
    [first] = conversation(pytester).discarded or []
    assert first.user_findings == [FINDING]
    serve(judging(BROKE))
    mock_play(pytester, *ARGUMENTS, "--tau-invalid=drop").assert_outcomes(failed=1)
    assert [record.outcome for record in journal(pytester.path)] == ["invalid"]


def test_its_cost_counts_for_every_attempt(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(judging([BROKE, KEPT]))
    write(pytester.path, "prices.json", dict.fromkeys(("agent", "user", "judge"), PRICES["agent"]))
    result = mock_run(pytester, *ARGUMENTS, "--tau-invalid=rerun", "--tau-prices=prices.json", "-v")
    # Two attempts, each of two replies of agent and customer and one of the judge.
    assert rows(result)["mock"]["cost"] == f"${10 * A_REPLY:.2f}"
    result.stdout.fnmatch_lines([f"*judge ${2 * A_REPLY:.2f}*"])


def test_where_its_provider_fails_the_rules_have_the_last_word(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(judging(fails(401, "No such key.")))
    result = mock_play(pytester, *ARGUMENTS, "--tau-invalid=drop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["user audit: the judge did not answer on 1 of them, which only the rules have looked at."]
    )
    assert conversation(pytester).user_findings == []


def test_a_resumed_run_asks_it_again_where_its_provider_failed(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(judging(fails(401, "No such key.")))
    mock_play(pytester, *ARGUMENTS).assert_outcomes(passed=1)
    server = serve(judging(BROKE))
    mock_play(pytester, *ARGUMENTS, "--tau-resume").assert_outcomes(passed=1)
    assert [request.model for request in server.requests] == ["judge"]
    assert conversation(pytester).user_findings == [FINDING]


def test_a_resumed_run_asks_it_no_second_time_where_another_question_failed(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    given = (*ARGUMENTS, "--tau-review=all", "--tau-retries=0")
    serve(judging([BROKE, fails(500)]))
    mock_play(pytester, *given).assert_outcomes(passed=1)
    server = serve(judging(says('{"answers": []}')))
    mock_play(pytester, *given, "--tau-resume").assert_outcomes(passed=1)
    assert server.requests
    assert not [one for one in server.requests if "the simulated customer" in str(one.body["messages"][0]["content"])]
    assert conversation(pytester).user_findings == [FINDING]


def test_a_recorded_customer_is_judged_when_it_is_graded_again(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(judging(BROKE))
    mock_play(pytester, ONE, AGENT, USER).assert_outcomes(passed=1)
    result = play(pytester, "--tau-rescore=.tau", JUDGE, "--tau-user-judge", "--tau-invalid=drop")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["user audit: the customer broke rules in 1 of 1 simulations (off scenario 1)."])


def test_a_cassette_has_its_answers(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(judging(BROKE))
    mock_play(pytester, *ARGUMENTS, "--tau-cassette=record").assert_outcomes(passed=1)
    asked = len(server.requests)
    mock_play(pytester, *ARGUMENTS, "--tau-cassette=replay").assert_outcomes(passed=1)
    assert conversation(pytester).user_findings == [FINDING]
    assert len(server.requests) == asked


@pytest.mark.parametrize(
    ("customer", "why"),
    [
        ("--tau-user=scripted", "the scripted one keeps to it; add --tau-user-llm, or leave the option out"),
        ("--tau-mode=solo", "solo mode has none; leave one of the two out"),
    ],
)
def test_is_refused_where_no_customer_could_leave_its_scenario(
    pytester: pytest.Pytester, serve: Serve, customer: str, why: str
) -> None:
    serve(BOTH)
    refused(pytester, "--tau-domain=mock", ONE, AGENT, JUDGE, "--tau-user-judge", customer).fnmatch_lines(
        [f"ERROR: --tau-user-judge: there is no simulated customer to judge: {why}"]
    )


def test_without_a_judge_it_is_a_usage_error(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    refused(pytester, "--tau-domain=mock", ONE, AGENT, USER, "--tau-user-judge").fnmatch_lines(
        ["ERROR: --tau-user-judge: no model uses this; *--tau-judge-llm"]
    )


def foretold(result: Parts) -> int:
    line = next(line for line in result.outlines if line.startswith("tau: forecast: 1 trial"))
    return int(line.split("about ")[1].split()[0])


def test_the_forecast_counts_it(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    without, judged = (mock_play(pytester, *args, "--collect-only") for args in (ARGUMENTS[:-1], ARGUMENTS))
    assert foretold(judged) == foretold(without) + 1


def test_a_setting_that_finds_no_customer_to_judge_is_neither_told_nor_foretold(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    serve(BOTH)
    without = mock_play(pytester, ONE, AGENT, JUDGE, "--collect-only")
    pytester.makeini("[pytest]\ntau_user_judge = on")
    result = mock_play(pytester, ONE, AGENT, JUDGE, "--collect-only")
    result.stdout.fnmatch_lines([f"tau: judge model openai/judge, 1 vote, prompts {PROMPT_VERSION} {review_version()}"])
    assert foretold(result) == foretold(without)


def test_the_command_that_runs_a_trial_again_has_it_and_what_follows_it(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    serve(judging(KEPT))
    result = mock_play(
        pytester, ONE, AGENT, USER, JUDGE, "--tau-user-judge", "--tau-criteria=ACTION", "--tau-seed", "7"
    )
    result.stdout.fnmatch_lines(["Run exactly this trial again: *--tau-user-judge --tau-criteria=ACTION --tau-seed 7"])
