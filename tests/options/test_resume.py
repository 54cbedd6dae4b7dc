"""``--tau-resume``: plays what is missing and nothing else."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_tau import load_journal
from pytest_tau.journal import JournalWriter
from tests.options.models import ONE
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, journal, outcomes, rows, workers, write
from tests.plugin.parts import mock_play, play
from tests.plugin.players import begun, make_players

RESUME = "--tau-resume"
FAULTY = ("--tau-agent=faulty:rate=0.5", "--tau-k=2")


def assert_no_trial_twice(pytester: pytest.Pytester) -> None:
    """Not even in the file, where the last of a trial counts."""
    lines = (pytester.path / ".tau/latest/journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert max(Counter(json.loads(line)["nodeid"] for line in lines).values()) == 1


RUNS = pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
Run = Callable[..., pytest.RunResult]


@RUNS
def test_exactly_what_is_missing_with_the_table_of_an_undisturbed_run(pytester: pytest.Pytester, run: Run) -> None:
    arguments = ("--tau-domain=mock", *FAULTY, "--tau-tasks=3", "-v")
    undisturbed = play(pytester, *arguments, "--tau-results=other")
    mock_play(pytester, *FAULTY, "--tau-tasks=1")
    before = journal(pytester.path)
    resumed = run(pytester, *arguments, RESUME)
    resumed.stdout.fnmatch_lines(["tau: going on with *: 2 trials are done"])
    counts = resumed.parseoutcomes()
    assert counts.get("passed", 0) + counts.get("failed", 0) == 4
    assert rows(resumed) == rows(undisturbed)
    assert rows(resumed, "task") == rows(undisturbed, "task")
    assert resumed.ret == undisturbed.ret == pytest.ExitCode.TESTS_FAILED
    assert len(list((pytester.path / ".tau").glob("2*"))) == 1
    assert journal(pytester.path)[:2] == before
    verdicts = [
        {record.nodeid: record.outcome for record in load_journal(pytester.path / name)} for name in (".tau", "other")
    ]
    assert verdicts[0] == verdicts[1]
    assert_no_trial_twice(pytester)


def test_k_grows(pytester: pytest.Pytester) -> None:
    make_players(pytester)
    two = ("--tau-agent=players:Agent", "--tau-tasks=2")
    mock_play(pytester, *two, "--tau-k=1")
    result = mock_play(pytester, *two, "--tau-k=3", RESUME)
    assert len(begun(pytester)) == 6
    assert rows(result)["mock"]["trials"] == "6"
    assert "pass^3" in rows(result)["mock"]
    # The manifest has grown with it.
    refused(pytester, "--tau-domain=mock", *two, "--tau-k=2", RESUME).fnmatch_lines(["*: --tau-k was 3 and is 2; *"])


@pytest.mark.parametrize(("agent", "status"), [("oracle", pytest.ExitCode.OK), ("noop", pytest.ExitCode.TESTS_FAILED)])
def test_all_done_is_the_same_table_and_exit_status(
    pytester: pytest.Pytester, agent: str, status: pytest.ExitCode
) -> None:
    arguments = ("--tau-domain=mock", f"--tau-agent={agent}", "--tau-tasks=2")
    first = play(pytester, *arguments)
    again = play(pytester, *arguments, RESUME)
    assert first.ret == again.ret == status
    assert rows(first) == rows(again) != {}
    assert len(journal(pytester.path)) == 2


def test_all_done_without_a_domain_on_the_command_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks=2)
        def test_it(tau_reward):
            assert tau_reward.passed
    """)
    first = play(pytester)
    again = play(pytester, RESUME)
    assert first.ret == again.ret == pytest.ExitCode.OK
    assert rows(first) == rows(again) != {}


@pytest.mark.parametrize(("agent", "outcome"), [("Provider", "infra_error"), ("Raises", "error")])
def test_what_became_no_verdict_is_played_again(pytester: pytest.Pytester, agent: str, outcome: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(f"""
        from pathlib import Path

        import agents

        def pytest_tau_make_agent(item):
            return agents.{agent} if Path("broken").exists() and "trial2" in item.name else agents.Completes
    """)
    write(pytester.path, "broken", "")
    options = (ONE, "--tau-k=3")
    mock_play(pytester, *options).assert_outcomes(passed=2, failed=1)
    assert Counter(outcomes_of(pytester)) == {"passed": 2, outcome: 1}
    (pytester.path / "broken").unlink()
    result = mock_play(pytester, *options, RESUME)
    result.assert_outcomes(passed=1, deselected=2)
    assert result.ret == pytest.ExitCode.OK
    assert outcomes_of(pytester) == ["passed"] * 3
    assert rows(result)["mock"]["trials"] == "3"


def outcomes_of(pytester: pytest.Pytester) -> list[str]:
    return [record.outcome.value for record in journal(pytester.path)]


def test_a_test_of_yours_says_its_own_about_a_conversation_that_was_over(pytester: pytest.Pytester) -> None:
    """It ran ahead and its test had not come up: nobody plays it again, and the test has the last word."""
    make_players(pytester)
    pytester.makepyfile("""
        import players
        import pytest

        @pytest.fixture(scope="session")
        def tau_agent():
            return players.FirstFailsAsync

        @pytest.mark.tau(domain="mock", tasks=3)
        def test_it(tau_trial, tau_task):
            steps = tau_trial.simulation.steps
            assert tau_task.id != "complete_a_task" or steps == 0

        @pytest.mark.tau(domain="mock", tasks=["delete_a_task"])
        def test_last(tau_simulation):
            pass
    """)
    pytester.runpytest("--tau-concurrency=2", "-x").assert_outcomes(failed=1)
    trials = begun(pytester)
    assert len(trials) == 4
    (pytester.path / "begun.txt").unlink()
    write(
        pytester.path,
        "players.py",
        (pytester.path / "players.py").read_text().replace("class FirstFailsAsync(FirstFails)", "class Old(FirstFails)")
        + "\n\nFirstFailsAsync = Agent\n",
    )
    result = pytester.runpytest("--tau-concurrency=2", RESUME)
    result.assert_outcomes(passed=3, failed=1)
    assert set(begun(pytester)) == {"add_a_task 1", "delete_a_task 1"}
    found = {record.nodeid.rpartition("[")[2]: record.outcome.value for record in journal(pytester.path)}
    assert found["complete_a_task-trial1]"] == "missed"
    assert found["count_my_tasks-trial1]"] == "passed"
    assert len(found) == 4


# What it refuses.


@RUNS
@pytest.mark.parametrize(("keyword", "over"), [("typo", 2), ("count_my_tasks", 3)])
def test_a_gate_holds_on_no_part_of_the_run_that_is_resumed(
    pytester: pytest.Pytester, run: Run, keyword: str, over: int
) -> None:
    make_players(pytester)
    part = ("--tau-domain=mock", "--tau-agent=players:Agent", "--tau-concurrency=1")
    ended = pytester.runpytest(*part, "--maxfail=2")
    assert rows(ended)["mock"]["trials"] == "2 of 6 (!)"
    for gate in ((), ("--tau-gate=pass^1 >= 0",)):
        fewer = run(pytester, *part, RESUME, "-k", keyword, *gate)
        assert fewer.ret == pytest.ExitCode.TESTS_FAILED
        assert rows(fewer)["mock"]["trials"] == f"{over} of 6 (!)"
        why = "this command selects fewer tests than the run that it resumes"
        fewer.stdout.fnmatch_lines([f"* not run: {why}.", *(["gate *FAILED: no gate holds: " + why] if gate else [])])
    whole = run(pytester, *part, RESUME, "--tau-gate=pass^1 >= 0")
    assert (whole.ret, rows(whole)["mock"]["trials"]) == (pytest.ExitCode.OK, "6")


def test_gates_files_and_blessing_are_about_the_whole_run(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-agent=noop", "--tau-tasks=3")
    files = {name: pytester.path / name for name in ("report.html", "report.md", "run.json", "baseline.json")}
    result = mock_play(
        pytester,
        "--tau-agent=noop",
        RESUME,
        "--tau-gate=pass^1 <= 0.5",
        "--tau-html=report.html",
        "--tau-markdown=report.md",
        "--tau-export=run.json",
        "--tau-baseline=baseline.json",
        "--tau-bless",
    )
    result.stdout.fnmatch_lines(["*pass^1 <= 0.5*"])
    found = outcomes(pytester.path)
    assert len(found) == 6
    texts = {name: path.read_text(encoding="utf-8") for name, path in files.items()}
    for task in found:
        assert all(task in texts[name] for name in ("report.html", "run.json", "baseline.json"))
    assert len(json.loads(texts["run.json"])["simulations"]) == 6


def test_a_broken_end_of_the_journal_costs_its_last_trial_only(pytester: pytest.Pytester) -> None:
    make_players(pytester)
    mock_play(pytester, "--tau-agent=players:Agent", "--tau-tasks=3")
    path = Path(pytester.path / ".tau/latest/journal.jsonl")
    path.write_bytes(path.read_bytes()[:-10])
    (pytester.path / "begun.txt").unlink()
    result = mock_play(pytester, "--tau-agent=players:Agent", "--tau-tasks=3", RESUME)
    assert len(begun(pytester)) == 1
    assert rows(result)["mock"]["trials"] == "3"
    assert_no_trial_twice(pytester)


def test_a_run_that_is_still_going_on_is_not_gone_on_with(pytester: pytest.Pytester) -> None:
    mock_play(pytester, ONE).assert_outcomes(passed=1)
    file = pytester.path / ".tau" / "latest" / "journal.jsonl"
    other = JournalWriter(file.parent)
    other.open()
    before = file.read_bytes()
    refused(pytester, "--tau-domain=mock", ONE, "--tau-resume", "--tau-k=2").fnmatch_lines(
        ["ERROR: --tau-resume: *: another pytest is writing to this run; wait for its end, *"]
    )
    assert file.read_bytes() == before
    other.close()
    mock_play(pytester, ONE, "--tau-resume", "--tau-k=2").assert_outcomes(passed=1)


def test_trials_that_were_played_again_are_counted_and_a_gate_can_forbid_them(pytester: pytest.Pytester) -> None:
    """An agent whose time-outs are drawn again until they pass: the table says how often, and a gate says no."""
    pytester.makepyfile(
        agents="""
        import os

        class Flaky:
            def __init__(self, context):
                self.context = context

            def reply(self, messages):
                if self.context.task_id == "count_my_tasks" and os.environ.get("FAILS"):
                    raise TimeoutError("no answer")
                return "Goodbye."
        """
    )
    arguments = ("--tau-agent=agents:Flaky", "--tau-gate=replays <= 2 %")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAILS", "yes")
        first = mock_play(pytester, *arguments)
        second = mock_play(pytester, *arguments, RESUME)
    third = mock_play(pytester, *arguments, RESUME)
    first.stdout.fnmatch_lines(["gate replays <= 2 %: FAILED: no gate holds: 5 of 6 planned trials have a verdict *"])
    second.stdout.fnmatch_lines(["1 replay: trials without a verdict that were played again, 16.7 % of 6; *"])
    third.stdout.fnmatch_lines(
        [
            "2 replays: *; costs include what is known of these. A gate can limit them (replays <= 2 %).",
            "gate replays <= 2 %: FAILED: 2 of 6 trials were played again (33.3 %); at most 2.0 % allowed",
        ]
    )
    assert third.ret == pytest.ExitCode.TESTS_FAILED


def test_a_changed_commit_is_named(pytester: pytest.Pytester) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *arguments], cwd=pytester.path, check=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "one")
    mock_play(pytester, "--tau-tasks=1")
    same = mock_play(pytester, "--tau-tasks=1", RESUME)
    same.stdout.no_fnmatch_line("*different commits*")
    git("commit", "-q", "--allow-empty", "-m", "two")
    result = mock_play(pytester, "--tau-tasks=2", RESUME)
    result.stdout.re_match_lines([r"The trials were played at different commits of the project: \w{40}, \w{40}\."])
