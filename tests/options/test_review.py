"""``--tau-review``: which conversations the judge reads for what no rule decides."""

import json

import pytest

from pytest_tau.schema.reward import Reward
from tests.llm.server import Answer, fails, says
from tests.options.models import Serve
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal
from tests.plugin.parts import play

JUDGE = "--tau-judge-llm=openai/judge"
REFUSAL = ("--tau-domain=retail", "--tau-tasks=cyrus_novak_8208.somebody_elses_order+payment")
SAID = {"turn": 20, "quote": "it belongs to another customer"}


def judges(verdict: str) -> Answer:
    reason = {"number": 1, "reasoning": "It is said.", "verdict": verdict, **SAID}
    rest = [{"number": n, "reasoning": "-", "turn": None, "quote": "", "verdict": "fine"} for n in (2, 3, 4)]
    return says(json.dumps({"answers": [reason, *rest]}))


def reward(pytester: pytest.Pytester) -> Reward:
    [record] = journal(pytester.path)
    assert record.reward is not None
    return record.reward


@pytest.mark.parametrize(("verdict", "value"), [("fine", 1.0), ("breach", 0.0), ("cannot tell", 1.0)])
def test_a_refusal_is_read_in_one_call(pytester: pytest.Pytester, serve: Serve, verdict: str, value: float) -> None:
    server = serve(judges(verdict))
    play(pytester, *REFUSAL, "--tau-agent=oracle", JUDGE)
    assert len(server.requests) == 1
    read = reward(pytester)
    assert (read.value, read.review is not None) == (value, True)
    assert read.review is not None
    assert [one.verdict for one in read.review.answers] == [verdict, "fine", "fine", "fine"]


def test_off_reads_nothing(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(judges("breach"))
    play(pytester, *REFUSAL, "--tau-agent=oracle", JUDGE, "--tau-review=off").assert_outcomes(passed=1)
    assert (server.requests, reward(pytester).review) == ([], None)


@pytest.mark.parametrize(("how", "calls"), [("unclear", 0), ("all", 1)])
def test_lost_trials_are_read_when_asked_only(pytester: pytest.Pytester, serve: Serve, how: str, calls: int) -> None:
    server = serve(judges("cannot tell"))
    play(pytester, *REFUSAL, "--tau-agent=noop", JUDGE, f"--tau-review={how}").assert_outcomes(failed=1)
    assert len(server.requests) == calls


def test_a_judge_that_is_down_changes_no_verdict_and_is_told(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(fails(500))
    result = play(pytester, *REFUSAL, "--tau-agent=oracle", JUDGE, "--tau-retries=0")
    result.assert_outcomes(passed=1)
    said = "The judge has not read 1 trial, in which what is unclear stays so: a call of openai/judge failed*."
    result.stdout.fnmatch_lines([said])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    read = reward(pytester)
    assert read.review is not None
    assert {one.verdict for one in read.review.answers} == {"cannot tell"}
    assert read.review.answers[0].why.startswith("the judge did not answer: a call of openai/judge failed")


def test_a_resumed_run_asks_it_again_where_it_was_down(pytester: pytest.Pytester, serve: Serve) -> None:
    """With two trials of a task, whose equal texts a journal holds once."""
    given = (*REFUSAL, "--tau-k=2", "--tau-agent=oracle", JUDGE, "--tau-retries=0", "--tau-cassette=auto")
    serve(fails(500))
    play(pytester, *given).assert_outcomes(passed=2)
    server = serve(judges("breach"))
    play(pytester, *given, "--tau-resume").assert_outcomes(failed=2)
    assert len(server.requests) == 2
    play(pytester, *given, "--tau-resume")
    assert len(server.requests) == 2


def test_a_resumed_run_asks_nobody_twice_and_counts_what_was_spent_in_vain(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    """The first of three votes was paid for, and the rating was given, before the provider failed."""
    rated = says('{"reasons": "Fine.", "score": 4}')
    given = (*REFUSAL, "--tau-agent=oracle", JUDGE, "--tau-judge-votes=3", "--tau-satisfaction", "--tau-retries=0")
    serve([judges("fine"), fails(500), rated])
    play(pytester, *given).assert_outcomes(passed=1)
    server = serve(judges("fine"))
    play(pytester, *given, "--tau-resume").assert_outcomes(passed=1)
    assert len(server.requests) == 3
    found = reward(pytester).model_dump()
    read = found["review"]["judgement"]
    assert (found["satisfaction"]["score"], read["votes"], read["usage"]["completion_tokens"]) == (4, 3, 4 * 5)


def test_a_resumed_run_keeps_what_was_explained(pytester: pytest.Pytester, serve: Serve) -> None:
    given = (*REFUSAL, "--tau-agent=noop", JUDGE, "--tau-review=all", "--tau-explain", "--tau-retries=0")
    serve([fails(500), says("It did nothing.")])
    play(pytester, *given).assert_outcomes(failed=1)
    server = serve(judges("cannot tell"))
    play(pytester, *given, "--tau-resume").assert_outcomes(failed=1)
    [record] = journal(pytester.path)
    assert record.fault is not None
    assert (len(server.requests), record.fault.explanation) == (1, "It did nothing.")


def test_what_it_says_cannot_break_the_run(pytester: pytest.Pytester, serve: Serve) -> None:
    hostile = '"\\ud800 \\u001b[31m</script>"'
    answer = {"number": 1, "reasoning": 0, "verdict": "breach", **SAID}
    serve(says(json.dumps({"answers": [answer]}).replace(": 0", f": {hostile}")))
    play(pytester, *REFUSAL, "--tau-agent=oracle", JUDGE, "--tau-html=r.html").assert_outcomes(failed=1)
    read = reward(pytester)
    assert read.review is not None
    assert read.review.answers[0].verdict == "breach"


def test_its_calls_are_recorded_and_replayed_as_all_calls_are(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(judges("breach"))
    given = (*REFUSAL, "--tau-agent=oracle", JUDGE)
    play(pytester, *given, "--tau-cassette=record").assert_outcomes(failed=1)
    asked = len(server.requests)
    play(pytester, *given, "--tau-cassette=replay").assert_outcomes(failed=1)
    assert len(server.requests) == asked == 1


def test_votes_are_calls_and_the_majority_decides(pytester: pytest.Pytester, serve: Serve) -> None:
    answers = [judges("breach"), judges("fine"), judges("breach")]
    server = serve([one for one in answers if isinstance(one, Answer)])
    play(pytester, *REFUSAL, "--tau-agent=oracle", JUDGE, "--tau-judge-votes=3").assert_outcomes(failed=1)
    assert len(server.requests) == 3


def test_what_is_refused(pytester: pytest.Pytester) -> None:
    assert_refused("review", "some", "must be one of unclear, all, off, not 'some'")
    refused(pytester, "--tau-domain=mock", "--tau-review=all").fnmatch_lines(
        ["ERROR: --tau-review: no model uses this; *--tau-judge-llm"]
    )
