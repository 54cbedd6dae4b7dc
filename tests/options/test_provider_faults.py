"""What a provider does wrong, in whole runs: told once, paid once, and never a green run that was not judged."""

import threading

import pytest

from pytest_tau.llm.probe import PROMPT
from tests.llm.server import Answer, Behaviour, by_model, fails, held, says
from tests.options.models import AGENT, COMPETENT, CUSTOMER, ONE, USER, Serve, simulations
from tests.plugin.inner import apart, journal, mock_run, write
from tests.plugin.parts import mock_play

JUDGE = "--tau-judge-llm=openai/judge"
USER_JUDGE = (ONE, AGENT, USER, JUDGE, "--tau-user-judge")
WRONG_KEY = fails(401, "Incorrect API key provided: sk-abcdefgh12345678")


def judging(answer: Behaviour) -> Behaviour:
    return by_model({"agent": COMPETENT, "user": CUSTOMER, "judge": answer})


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (WRONG_KEY, "refused (HTTP 401): Incorrect API key provided: [[]key]; check the API key"),
        (
            fails(404, "The model `agent` does not exist"),
            "unknown model (HTTP 404): *; check the model's name and api_base",
        ),
        (fails(402, "Insufficient credits"), "quota (HTTP 402): Insufficient credits; the account has no credit left"),
    ],
)
def test_what_fails_for_good_ends_the_run(
    pytester: pytest.Pytester, serve: Serve, answer: Answer, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_tau.llm.client.REFUSED_WITHIN", float("inf"))  # however busy this machine is
    server = serve(answer)
    run = mock_run if answer is WRONG_KEY else mock_play
    result = run(pytester, ONE, AGENT, "--tau-k=24", "--tau-concurrency=4")
    assert len(server.requests) == 1
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    # One shows it; the others that waited for the first answer count as not run.
    result.assert_outcomes(failed=1, skipped=23)
    result.stdout.fnmatch_lines([f"23 trials not run: a call of openai/agent failed: {sentence}."])


@pytest.mark.parametrize("workers", [(), pytest.param(("-n1",), marks=pytest.mark.slow)], ids=["alone", "workers"])
def test_a_judge_without_a_key_ends_the_run_before_anything_is_paid_for(
    pytester: pytest.Pytester, serve: Serve, workers: tuple[str, ...]
) -> None:
    server = serve(judging(WRONG_KEY))
    result = (apart if workers else mock_run)(pytester, "--tau-domain=mock", *USER_JUDGE, "--tau-k=12", *workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    sentence = "ERROR: --tau-judge-llm: a call of openai/judge failed: refused (HTTP 401): *; check the API key. *"
    result.stderr.fnmatch_lines([sentence])
    assert [request.model for request in server.requests] == ["judge"]


@pytest.mark.parametrize("beside", ["--tau-k=1", "--collect-only", "--tau-cassette=replay"])
def test_the_judge_is_asked_a_word_only_where_conversations_could_be_lost(
    pytester: pytest.Pytester, serve: Serve, beside: str
) -> None:
    server = serve(judging(WRONG_KEY))
    trials = () if "k=1" in beside else ("--tau-k=2",)
    mock_play(pytester, *USER_JUDGE, *trials, beside)
    words = [request for request in server.requests if request.body["messages"][-1]["content"] == PROMPT]
    assert words == []


def test_a_judge_that_loses_its_key_ends_the_run_and_what_was_played_is_judged_later(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    server = serve(judging([says("ready"), WRONG_KEY]))
    result = mock_play(pytester, *USER_JUDGE, "--tau-k=12", "--tau-concurrency=1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["11 trials not run: a call of openai/judge failed: refused (HTTP 401): *"])
    assert [request.model for request in server.requests].count("judge") == 2


def test_a_judge_that_never_answers_has_its_time(pytester: pytest.Pytester, serve: Serve) -> None:
    never = threading.Event()
    serve(judging(held(never, says("{}"))))
    result = mock_play(pytester, *USER_JUDGE, "--tau-timeout=2")
    never.set()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["user audit: the judge did not answer on 1 of them, *"])
    assert len(simulations(pytester)) == 1


def test_a_report_that_cannot_be_written_is_no_success(pytester: pytest.Pytester) -> None:
    write(pytester.path, "file", "x")
    result = mock_play(pytester, ONE, "--tau-html=file/report.html")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["not written: *report.html: *"])


def test_an_agent_that_loses_its_turn_says_to_what(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(says(None, finish="content_filter"))
    result = mock_play(pytester, ONE, AGENT)
    result.stdout.fnmatch_lines(["*3 times in a row: the provider's content filter withheld the reply*"])
    [record] = journal(pytester.path)
    assert record.fault is not None
    assert "the provider's content filter withheld the reply" in record.fault.evidence


KEY = "planted-K3Y-0123456789"
ECHO = f"""
from pytest_tau import AssistantMessage, ToolCall


class Echo:
    parameters = {{"temperature": 1, "note": "{KEY}", "api_key": "{KEY}", "base": "http://x/v1?token=abc&n=1"}}

    def __init__(self, context):
        self.context = context
        self.asked = 0

    def reply(self, messages):
        self.asked += 1
        if self.context.task_id == "add_a_task":
            raise ValueError("my key is {KEY}")
        if self.context.task_id == "delete_a_task":
            raise ConnectionError("refused: {KEY}")
        if self.asked == 1:
            return AssistantMessage(tool_calls=[ToolCall(id="1", name="get_users", arguments={{"note": "{KEY}"}})])
        return "Your key is {KEY}, and \\ud800."
"""


def test_a_planted_key_is_found_in_no_output(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    pytester.makepyfile(echo=ECHO)
    files = ("--tau-html=out/r.html", "--tau-markdown=out/r.md", "--junitxml=out/j.xml", "--tau-export=tau2:out/t.json")
    result = mock_run(pytester, "--tau-agent=echo:Echo", *files, "-o", "junit_logging=all", "-v")
    assert KEY not in result.stdout.str() + result.stderr.str()
    assert "[key]" in result.stdout.str()
    files_read = 0
    for path in pytester.path.rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            files_read += 1
            assert KEY.encode() not in path.read_bytes(), path
    assert files_read > 5
    parameters = journal(pytester.path)[1].simulation.agent_parameters  # type: ignore[union-attr]
    assert parameters == {"temperature": 1, "note": "[key]", "base": "http://x/v1?token=[key]&n=1"}
