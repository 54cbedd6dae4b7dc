"""``--tau-explain``: the judge says why a trial missed."""

import pytest

from pytest_tau.evaluation.explain import PROMPT_VERSION
from tests.llm.server import Behaviour, by_model, fails, says
from tests.options.models import A_REPLY, AGENT, BOTH, CUSTOMER, ONE, PRICES, USER, Serve
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run, rows, write
from tests.plugin.parts import mock_play, play
from tests.reports.blocks import readable

JUDGE = "--tau-judge-llm=openai/judge"
ARGUMENTS = (ONE, AGENT, USER, JUDGE, "--tau-explain")
WORDS = "It <b>said no</b> in turn 2."


def refusing(judge: Behaviour) -> Behaviour:
    return by_model({"agent": says("No."), "user": CUSTOMER, "judge": judge})


def explanation(pytester: pytest.Pytester) -> str | None:
    [record] = journal(pytester.path)
    assert record.fault is not None
    return record.fault.explanation


def test_stands_with_the_miss_in_every_report(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(refusing(says(WORDS)))
    result = mock_run(pytester, *ARGUMENTS, "--tau-markdown=run.md", "--tau-html=run.html")
    result.assert_outcomes(failed=1)
    said = f"openai/judge explains: {WORDS}"
    result.stdout.fnmatch_lines(
        [
            f"tau: judge model openai/judge, 1 vote, explains misses by prompts {PROMPT_VERSION}, prompts *",
            f"  fault: premature end: *; {said}",
        ]
    )
    assert explanation(pytester) == WORDS
    assert "openai/judge explains: It " in (pytester.path / "run.md").read_text(encoding="utf-8")
    html = readable(pytester.path / "run.html")
    assert "openai/judge explains: It " in html
    assert "<b>said no</b>" not in html


def test_what_passed_is_not_explained(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    mock_play(pytester, *ARGUMENTS).assert_outcomes(passed=1)
    assert "judge" not in {request.model for request in server.requests}


def test_nor_is_anything_unless_asked(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(refusing(says(WORDS)))
    mock_play(pytester, *ARGUMENTS[:-1]).assert_outcomes(failed=1)
    assert "judge" not in {request.model for request in server.requests}


def test_its_cost_is_the_judges(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(refusing(says(WORDS)))
    write(pytester.path, "prices.json", dict.fromkeys(("agent", "user", "judge"), PRICES["agent"]))
    result = mock_play(pytester, *ARGUMENTS, "--tau-prices=prices.json", "-v")
    result.stdout.fnmatch_lines([f"*judge ${A_REPLY:.2f}*"])
    assert rows(result)["mock"]["cost"] == f"${4 * A_REPLY:.2f}"  # one of the agent, two of the customer


def test_a_provider_that_fails_takes_no_verdict_away(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(refusing(fails(401, "No such key.")))
    result = mock_play(pytester, *ARGUMENTS)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["1 miss without an explanation: the judge gave no answer."])
    assert explanation(pytester) is None
    assert [record.outcome for record in journal(pytester.path)] == ["missed"]


def test_a_recorded_run_is_explained_later(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(refusing(says(WORDS)))
    mock_play(pytester, ONE, AGENT, USER).assert_outcomes(failed=1)
    play(pytester, "--tau-rescore=.tau", JUDGE, "--tau-explain").assert_outcomes(failed=1)
    assert explanation(pytester) == WORDS


def test_a_cassette_has_its_words(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(refusing(says(WORDS)))
    mock_play(pytester, *ARGUMENTS, "--tau-cassette=record").assert_outcomes(failed=1)
    asked = len(server.requests)
    mock_play(pytester, *ARGUMENTS, "--tau-cassette=replay").assert_outcomes(failed=1)
    assert (explanation(pytester), len(server.requests)) == (WORDS, asked)


def test_the_forecast_says_that_it_counts_every_trial(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    result = mock_play(pytester, *ARGUMENTS, "--collect-only")
    result.stdout.fnmatch_lines(["tau: forecast: a guess: *, every trial explained as a miss"])


def test_without_a_judge_it_is_a_usage_error(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    refused(pytester, "--tau-domain=mock", ONE, AGENT, USER, "--tau-explain").fnmatch_lines(
        ["ERROR: --tau-explain: no model uses this; *--tau-judge-llm"]
    )


def test_a_resumed_run_asks_again_where_nobody_answered(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(refusing(fails(500)))
    mock_play(pytester, *ARGUMENTS, "--tau-retries=0").assert_outcomes(failed=1)
    server = serve(refusing(says(WORDS)))
    mock_play(pytester, *ARGUMENTS, "--tau-retries=0", "--tau-resume").assert_outcomes(failed=1)
    assert (explanation(pytester), len(server.requests)) == (WORDS, 1)
