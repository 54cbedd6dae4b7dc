"""What a run prints: the tables and the verdict on a trial that missed."""

import shlex
import textwrap

import pytest

from tests.plugin.inner import AGENTS, mock_run, rows

WRONG = '''
from pytest_tau import AssistantMessage, ToolCall


class Wrong:
    """Completes the wrong task, and tells nothing."""

    def __init__(self, context):
        self.asked = 0

    def reply(self, messages):
        self.asked += 1
        if self.asked > 1:
            return "Done and dusted."
        call = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_3", "status": "completed"})
        return AssistantMessage(tool_calls=[call])
'''


@pytest.mark.parametrize("verbosity", ["-q", "-qq", "-v", None])
def test_the_table_is_printed_at_every_verbosity(pytester: pytest.Pytester, verbosity: str | None) -> None:
    result = mock_run(pytester, "--tau-k=2", "--tau-tasks=2", *filter(None, [verbosity]))
    row = rows(result)["mock"]
    assert row == {
        "domain": "mock",
        "tasks": "2",
        "trials": "4",
        "pass^1": "100.0 % [0–100]",
        "pass^2": "100.0 % [0–100]",
        "under policy": "100.0 %",
        "progress": "100.0 %",
        "missed": "0",
        "infra": "0",
        "steps": row["steps"],
        "cost": "$0.00",
    }
    assert bool(rows(result, "task")) == (verbosity == "-v")
    assert any(line.startswith("tau: mock") for line in result.outlines) == (verbosity in ("-v", None))


def test_the_table_of_tasks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, "--tau-agent=agents:Completes", "--tau-tasks=add_*,complete_*", "--tau-k=2", "-v")
    table = rows(result, "task")
    assert table["mock/complete_a_task"]["passed"] == "2/2"
    assert table["mock/add_a_task"]["passed"] == "0/2"
    assert "2 missed" in table["mock/add_a_task"].values()


def test_a_verdict_says_what_is_wrong_and_how_to_run_it_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=WRONG)
    result = mock_run(pytester, "--tau-agent=agents:Wrong", "--tau-tasks=complete_a_task,count_my_tasks")
    result.stdout.fnmatch_lines(
        [
            "missed DB, ENV_ASSERTION (reward 0, ended by user_stop)",
            "  mock/complete_a_task, trial 1",
            "  purpose: One write on an existing record.",
            "  DB: MISSED",
            "    agent database, tasks[[]task_1]",
            "      status",
            '        expected: "completed"',
            '        actual:   "pending"',
            "    agent database, tasks[[]task_3]",
            "      status",
            '        expected: "pending"',
            '        actual:   "completed"',
            "  ENV_ASSERTION: MISSED (0 of 1 met)",
            "    - *assert_task_status(*) is True: does not hold",
            "  ACTION: MISSED (0 of 2 met), not part of the reward",
            "Last turns of *:",
            '*assistant calls update_task_status(task_id="task_3", status="completed")',
            "*assistant: Done and dusted.",
            "Run exactly this trial again:  pytest *",
        ]
    )
    result.stdout.fnmatch_lines(["  mock/count_my_tasks, trial 1", "  COMMUNICATE: MISSED (0 of 1 met)", "    - 2*"])


def test_the_command_of_a_verdict_runs_exactly_that_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=WRONG)
    args = ("--tau-agent", "agents:Wrong", "--tau-k=3", "--tau-seed=5", "--tau-tasks=count_my_tasks")
    result = mock_run(pytester, *args, "-k", "trial2")
    line = next(line for line in result.outlines if line.startswith("Run exactly this trial again:"))
    program, *command = shlex.split(line.split(":", 1)[1])
    assert program == "pytest"
    assert "--tau-seed=5" in command
    again = pytester.runpytest(*command)
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["  mock/count_my_tasks, trial 2"])


def test_the_command_works_from_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    suite = pytester.mkdir("tasks")
    (suite / "mock").mkdir()
    code = '{"id": "one", "domain": "mock", "user_scenario": {"instructions": "Hello."}, "evaluation_criteria": %s}'
    criteria = '{"communicate_info": ["nobody says this"], "actions": []}'
    (suite / "mock" / "one.json").write_text(code % criteria)
    monkeypatch.chdir(suite)
    result = pytester.runpytest("mock/one.json", "--tau-agent=noop")
    line = next(line for line in result.outlines if line.startswith("Run exactly this trial again:"))
    pytester.runpytest(*shlex.split(line.split(":", 1)[1])[1:]).assert_outcomes(failed=1)


def test_control_characters_of_a_model_are_shown_not_obeyed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, "--tau-agent=agents:Escapes", "--tau-tasks=count_my_tasks")
    result.stdout.fnmatch_lines(["*assistant: \\x1b[[]2J\\x1b]0;owned\\x07 \\x202e Goodbye."])
    assert not set("\x1b\x07\u202e") & set(result.stdout.str())


def test_an_exceptions_text_is_safe_in_the_journal_and_on_the_terminal(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=textwrap.dedent(AGENTS).replace("the provider is down", "\\x1b[31mdown"))
    result = mock_run(pytester, "--tau-agent=agents:Provider", "--tau-tasks=count_my_tasks")
    assert "\x1b" not in result.stdout.str()


def test_trials_that_never_ran_are_told(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=noop", "-x", "--tau-k=2")
    assert rows(result)["mock"]["trials"] == "1 of 12 (!)"
    result.stdout.fnmatch_lines(["(!) The table leaves out 11 not run; had they all missed … passed: pass^1 0.0 …*"])
