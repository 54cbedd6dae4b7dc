"""``--tau-cassette``: model calls recorded against a server, and played again without it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_tau.environment.domain import _load
from tests.llm.server import Answer, Request, by_model, fails, says
from tests.options.models import (
    AGENT,
    BOTH,
    COMPETENT,
    KEY,
    NOBODY,
    ONE,
    PRICES,
    USER,
    Serve,
    never_wait,
    simulations,
    written,
)
from tests.options.usage import assert_refused
from tests.plugin.inner import journal, make_shop, mock_run, shop_task, task, what_counts, write
from tests.plugin.parts import mock_play, play

RECORD, REPLAY, AUTO = "--tau-cassette=record", "--tau-cassette=replay", "--tau-cassette=auto"


def files(root: Path) -> list[Path]:
    return sorted((root / "cassettes").rglob("*.jsonl"))


def each_trial_differs(request: Request) -> Answer:
    """The seed is the trial's: what is said says which trial it is."""
    reply = COMPETENT(request) if request.model == "agent" else BOTH(request)  # type: ignore[operator]
    text = json.dumps(reply.body).replace("It is done.", f"Done, number {request.body['seed']}.")
    return Answer(json.loads(text))


def test_a_replay_is_the_run_again_without_server_and_key(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    write(pytester.path, "prices.json", {**PRICES, "user": {"input": 1000, "output": 1000}})
    arguments = [ONE, AGENT, USER, "--tau-k=2", "--tau-prices=prices.json", "--tau-budget=500"]
    server = serve(each_trial_differs)
    recorded = mock_play(pytester, *arguments, RECORD)
    recorded.assert_outcomes(passed=2)
    recorded.stdout.fnmatch_lines(["tau: cassettes: model calls are recorded in cassettes/"])
    live, asked = journal(pytester.path), len(server.requests)
    gone()
    result = mock_run(pytester, *arguments, REPLAY)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["tau: cassettes: model calls are answered from cassettes/, no model is called"])
    assert what_counts(journal(pytester.path)) == what_counts(live)
    assert len(server.requests) == asked
    said = [
        "".join(str(message.content) for message in record.simulation.messages) for record in live if record.simulation
    ]
    assert len({text.partition("number")[2] for text in said}) == 2
    assert [record.simulation.agent_cost for record in live if record.simulation] == pytest.approx([0.2, 0.2])


def test_files_are_per_trial_small_and_hold_no_key(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    place = '{"api_key": "secret-of-the-arguments", "extra_headers": {"X-Org": "our-own-header"}, "temperature": 0}'
    mock_play(pytester, ONE, AGENT, USER, "--tau-k=2", f"--tau-agent-llm-args={place}", RECORD).assert_outcomes(
        passed=2
    )
    assert [path.name for path in files(pytester.path)] == [f"complete_a_task.trial{n}.jsonl" for n in (1, 2)]
    assert all(path.stat().st_size < 20_000 for path in files(pytester.path))
    text = written(pytester.path)
    assert '"temperature": 0' in text
    for secret in (KEY, "secret-of-the-arguments", "our-own-header", "127.0.0.1"):
        assert secret not in text


@pytest.mark.slow
def test_without_litellm_nothing_is_missing(pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]) -> None:
    serve(BOTH)
    mock_run(pytester, ONE, AGENT, USER, RECORD).assert_outcomes(passed=1)
    gone()
    pytester.makepyfile(
        sitecustomize="""
        import importlib.abc
        import sys

        class Blocked(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in ("litellm", "openai", "httpx"):
                    raise ModuleNotFoundError(f"{name} is blocked", name=name)

        sys.meta_path.insert(0, Blocked())
        """
    )
    pytester.makepyfile(test_blocked="def test_it():\n    import pytest\n    pytest.importorskip('litellm')")
    pytester.syspathinsert()
    result = pytester.runpytest_subprocess("--tau-domain=mock", ONE, AGENT, USER, REPLAY, "test_blocked.py")
    result.assert_outcomes(passed=1, skipped=1)


def test_one_sentence_of_the_policy_fails_every_trial_with_the_difference(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    serve(says("I am sorry, I cannot do that."))
    make_shop(pytester.path)
    policy = "Sell what is asked for. Be polite at all times. " + "Never tell who else has bought it. " * 10 + "\n"
    write(pytester.path, "domains/shop/policy.md", policy)
    write(pytester.path, "tasks/shop/sell_two.json", shop_task("sell_two"))
    arguments = ["--tau-domain=shop", AGENT, "--tau-k=2"]
    assert play(pytester, *arguments, RECORD).ret == pytest.ExitCode.TESTS_FAILED
    gone()
    write(pytester.path, "domains/shop/policy.md", policy.replace("Be polite", "Be brief"))
    _load.cache_clear()  # a process reads a domain once
    result = play(pytester, *arguments, REPLAY)
    result.assert_outcomes(failed=4)
    assert {record.outcome.value for record in journal(pytester.path)} == {"error"}
    result.stdout.fnmatch_lines(
        [
            "request 1 of the agent is not the recorded one in cassettes/shop/sell_one.trial1.jsonl; if it is meant *",
            "--- recorded",
            "+++ now",
            "-Be polite at all times.",
            "+Be brief at all times.",
        ],
        consecutive=False,
    )
    assert result.stdout.str().count("\n+Be brief at all times.\n") == 4
    result.stdout.no_fnmatch_line("*Traceback*")


def test_model_and_parameters_are_part_of_a_request_and_a_host_is_not(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    arguments = [ONE, AGENT, '--tau-agent-llm-args={"temperature": 0}']
    mock_play(pytester, *arguments, RECORD).assert_outcomes(passed=1)
    asked = len(server.requests)
    for changed, shown in (
        ('--tau-agent-llm-args={"temperature": 1}', ["-temperature: 0", "+temperature: 1"]),
        ("--tau-seed=7", ["-seed: *", "+seed: *"]),
        ("--tau-agent-llm=openai/other", ["-model: openai/agent", "+model: openai/other"]),
    ):
        result = mock_play(pytester, *arguments, changed, REPLAY)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(shown)
    elsewhere = f'--tau-agent-llm-args={{"api_base": "{NOBODY}", "api_key": "another-key", "temperature": 0}}'
    mock_play(pytester, ONE, AGENT, elsewhere, REPLAY).assert_outcomes(passed=1)
    assert len(server.requests) == asked


def test_what_was_not_recorded_says_how_to_record_it(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    mock_play(pytester, ONE, AGENT, RECORD).assert_outcomes(passed=1)
    result = mock_play(pytester, ONE, AGENT, "--tau-k=2", REPLAY)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "there is no recording of trial 2 of the task 'complete_a_task', "
            "cassettes/mock/complete_a_task.trial2.jsonl: run the same command with --tau-cassette record to make it"
        ]
    )


def cut(path: Path, exchanges: int, *, torn: str = "") -> None:
    """Leave so many exchanges of a recording, and the beginning of a line."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    ends = [number for number, line in enumerate(lines) if line.startswith('{"took"')]
    path.write_text("".join(lines[: ends[exchanges - 1] + 1]) + torn, encoding="utf-8")


def test_an_interrupted_recording_goes_as_far_as_it_goes_and_is_finished(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    server = serve(BOTH)
    mock_play(pytester, ONE, AGENT, USER, RECORD).assert_outcomes(passed=1)
    live, (file,) = journal(pytester.path), files(pytester.path)
    whole, asked = file.read_text(encoding="utf-8"), len(server.requests)
    cut(file, 2, torn='{"ask": "agent", "mod')
    result = mock_play(pytester, ONE, AGENT, USER, REPLAY)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*complete_a_task.trial1.jsonl ends before request 2 of the agent; *--tau-cassette auto"]
    )
    assert len(server.requests) == asked
    result = mock_play(pytester, ONE, AGENT, USER, AUTO)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: cassettes: *, and recorded from where a trial differs"])
    assert len(server.requests) == asked + 2
    without_times = [
        [line for line in text.splitlines() if not line.startswith('{"took"')] for text in (whole, file.read_text())
    ]
    assert without_times[0] == without_times[1]
    mock_play(pytester, ONE, AGENT, USER, REPLAY).assert_outcomes(passed=1)
    assert [record.outcome for record in journal(pytester.path)] == [record.outcome for record in live]


def test_auto_records_from_the_first_difference_on(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    mock_play(pytester, ONE, AGENT, USER, AUTO).assert_outcomes(passed=1)
    assert len(server.requests) == 4
    mock_play(pytester, ONE, AGENT, USER, AUTO).assert_outcomes(passed=1)
    assert len(server.requests) == 4
    hotter = '--tau-agent-llm-args={"temperature": 1}'
    mock_play(pytester, ONE, AGENT, USER, hotter, AUTO).assert_outcomes(passed=1)
    assert [request.model for request in server.requests[4:]] == ["agent", "agent", "user"]
    mock_play(pytester, ONE, AGENT, USER, hotter, REPLAY).assert_outcomes(passed=1)
    assert len(server.requests) == 7


def test_a_new_recording_replaces_the_old_one(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    mock_play(pytester, ONE, AGENT, RECORD).assert_outcomes(passed=1)
    serve(says("Goodbye."))
    mock_play(pytester, ONE, AGENT, RECORD).assert_outcomes(failed=1)
    assert "update_task_status" not in files(pytester.path)[0].read_text(encoding="utf-8")


def test_a_provider_that_is_down_leaves_the_old_recording(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    mock_play(pytester, ONE, AGENT, RECORD).assert_outcomes(passed=1)
    before = files(pytester.path)[0].read_text(encoding="utf-8")
    serve(fails(500))
    mock_play(pytester, ONE, AGENT, RECORD, "--tau-retries=0").assert_outcomes(failed=1)
    assert files(pytester.path)[0].read_text(encoding="utf-8") == before


def test_limits_do_not_count_what_is_replayed(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(COMPETENT)
    mock_play(pytester, ONE, AGENT, "--tau-k=2", RECORD).assert_outcomes(passed=2)
    never_wait(monkeypatch)
    limits = ["--tau-rpm=1", "--tau-budget=1 tokens"]
    mock_play(pytester, ONE, AGENT, "--tau-k=2", *limits, REPLAY).assert_outcomes(passed=2)


def test_every_vote_of_a_judge_is_recorded(pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]) -> None:
    task = json.loads((Path(__file__).parents[2] / "tasks/mock/complete_a_task.json").read_text(encoding="utf-8"))
    task["evaluation_criteria"]["nl_assertions"] = ["The agent is kind."]
    task["evaluation_criteria"]["reward_basis"].append("NL_ASSERTION")
    write(pytester.path, "tasks/mock/complete_a_task.json", task)
    verdicts = iter([True, False, True])

    def verdict(request: Request) -> Answer:
        return says(json.dumps({"results": [{"number": 1, "reasoning": "So it is.", "met": next(verdicts)}]}))

    server = serve(by_model({"agent": COMPETENT, "judge": verdict}))
    arguments = ["--tau-domain=mock", ONE, AGENT, "--tau-judge-llm=openai/judge", "--tau-judge-votes=3"]
    play(pytester, *arguments, RECORD).assert_outcomes(passed=1)
    live, asked = journal(pytester.path), len(server.requests)
    gone()
    play(pytester, *arguments, REPLAY).assert_outcomes(passed=1)
    assert what_counts(journal(pytester.path)) == what_counts(live)
    assert len(server.requests) == asked
    assert "2 of 3 votes" in journal(pytester.path)[0].model_dump_json()


@pytest.mark.parametrize("how", [RECORD, AUTO])
def test_a_trial_that_is_judged_later_keeps_the_recording_of_its_conversation(
    pytester: pytest.Pytester, serve: Serve, how: str
) -> None:
    criteria = {"nl_assertions": ["The agent is polite."], "reward_basis": ["NL_ASSERTION"]}
    write(pytester.path, "tasks/mock/polite.json", task("polite", evaluation_criteria=criteria))
    met = says('{"results": [{"number": 1, "reasoning": "It is.", "met": true}]}')
    arguments = [AGENT, "--tau-judge-llm=openai/judge", "--tau-retries=0"]
    serve(by_model({"agent": COMPETENT, "judge": fails(500)}))
    mock_play(pytester, *arguments, RECORD)
    server = serve(by_model({"agent": COMPETENT, "judge": met}))
    mock_play(pytester, *arguments, how, "--tau-resume").assert_outcomes(passed=1)
    assert [request.model for request in server.requests] == ["judge"]
    mock_play(pytester, *arguments, REPLAY).assert_outcomes(passed=1)
    assert len(server.requests) == 1


MALFORMED = {
    "no JSON\n": "*{}: this is not a recording of trial ? of the task 'complete_a_task' of mock; record *",
    '{"cassette": 99}\n': "*{}: recorded in version 99, and this reads 1; record the trial again *",
    "HEADER<<<<<<< HEAD\n": "*{}:2: this is not a line of a recording; record the trial again *",
    'HEADER{"took": {"seconds": 1}}\n': "*{}:2: this is not a line of a recording; *",
    "": "*{} ends before request 1 of the agent; record *",
}


def test_a_malformed_file_is_one_sentence(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    trials = f"--tau-k={len(MALFORMED)}"
    mock_play(pytester, ONE, AGENT, RECORD, trials).assert_outcomes(passed=len(MALFORMED))
    for file, content in zip(files(pytester.path), MALFORMED, strict=True):
        header = file.read_text(encoding="utf-8").partition("\n")[0] + "\n"
        file.write_text(content.replace("HEADER", header), encoding="utf-8")
    result = mock_play(pytester, ONE, AGENT, REPLAY, trials)
    result.assert_outcomes(failed=len(MALFORMED))
    names = [file.name for file in files(pytester.path)]
    result.stdout.fnmatch_lines([said.format(name) for name, said in zip(names, MALFORMED.values(), strict=True)])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_folder_that_cannot_be_written_is_one_sentence(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "cassettes", "a file")
    result = mock_play(pytester, ONE, AGENT, RECORD)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*complete_a_task.trial1.jsonl: the recording cannot be written: *"])


def test_two_tests_of_the_same_trial_have_recordings_of_their_own(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    server = serve(COMPETENT)
    pytester.makepyfile(
        test_two="""
        import pytest

        pytestmark = pytest.mark.tau(domain="mock", tasks="complete_a_task")

        def test_one(tau_reward):
            assert tau_reward.passed

        def test_other(tau_reward):
            assert tau_reward.passed
        """
    )
    play(pytester, "test_two.py", AGENT, RECORD).assert_outcomes(passed=2)
    assert len(files(pytester.path)) == 2
    gone()
    play(pytester, "test_two.py", AGENT, REPLAY).assert_outcomes(passed=2)
    assert len(server.requests) == 4


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("cassette", "rewind", "must be one of record, replay, auto, off, not 'rewind'")


def test_off_is_the_default_and_keeps_nothing(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    mock_play(pytester, ONE, AGENT).assert_outcomes(passed=1)
    assert len(simulations(pytester)) == 1
    assert not (pytester.path / "cassettes").exists()
