"""What a run prints: the tables and the verdict on a trial that missed."""

import shlex

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


def shows_header(result: pytest.RunResult) -> bool:
    """Whether the lines above the tests are there."""
    return any(line.startswith("tau: mock") for line in result.outlines)


def test_the_table_is_printed_if_nothing_else_is(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-k=2", "--tau-tasks=2", "-qq")
    row = rows(result)["mock"]
    assert row == {
        "domain": "mock",
        "trials": "4",
        "pass^1": "100.0 % [0–100]",
        "pass^2": "100.0 % [0–100]",
        "under policy": "100.0 %",
        "missed": "0",
        "infra": "0",
        "cost": "$0.00",
    }
    assert not rows(result, "task")
    assert not shows_header(result)


def test_more_verbose_the_tasks_have_a_table_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, "--tau-agent=agents:Completes", "--tau-tasks=add_*,complete_*", "--tau-k=2", "-v")
    table = rows(result, "task")
    assert table["mock/complete_a_task"]["passed"] == "2/2"
    assert table["mock/add_a_task"]["passed"] == "0/2"
    assert "2 missed" in table["mock/add_a_task"].values()
    assert rows(result)["mock"]["trials"] == "4"
    assert shows_header(result)


def test_a_verdict_says_what_is_wrong_and_how_to_run_exactly_this_trial_again(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=WRONG)
    args = ("--tau-agent", "agents:Wrong", "--tau-k=3", "--tau-seed=5", "--tau-tasks=complete_a_task,count_my_tasks")
    result = mock_run(pytester, *args, "-k", "trial2")
    result.stdout.fnmatch_lines(
        [
            "missed DB, ENV_ASSERTION (reward 0, ended by user_stop)",
            "  mock/complete_a_task, trial 2",
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
    result.stdout.fnmatch_lines(["  mock/count_my_tasks, trial 2", "  COMMUNICATE: MISSED (0 of 1 met)", "    - 2*"])
    assert shows_header(result)
    assert rows(result)["mock"]["trials"] == "2"
    assert not rows(result, "task")

    *_, line = (line for line in result.outlines if line.startswith("Run exactly this trial again:"))
    program, *command = shlex.split(line.split(":", 1)[1])
    assert program == "pytest"
    assert "--tau-seed=5" in command
    again = pytester.runpytest(*command, "-q")
    again.assert_outcomes(failed=1)
    again.stdout.fnmatch_lines(["  mock/count_my_tasks, trial 2"])
    assert rows(again)["mock"]["trials"] == "1"
    assert not rows(again, "task")
    assert not shows_header(again)


def test_control_characters_are_shown_not_obeyed_and_trials_that_never_ran_are_told(pytester: pytest.Pytester) -> None:
    """Those of a model, and those in an exception's text."""
    pytester.makepyfile(agents=AGENTS.replace("the provider is down", "\\x1b[31mdown"))
    pytester.makeconftest("""
        import agents

        def pytest_tau_make_agent(item):
            return agents.Escapes if "trial1]" in item.name else agents.Provider
    """)
    result = mock_run(pytester, "--tau-tasks=count_my_tasks", "--tau-k=12", "--maxfail=2")
    result.stdout.fnmatch_lines(["*assistant: \\x1b[[]2J\\x1b]0;owned\\x07 \\x202e Goodbye."])
    result.stdout.fnmatch_lines(["InfraError: \\x1b[[]31mdown"])
    assert not set("\x1b\x07\u202e") & set(result.stdout.str())
    assert rows(result)["mock"]["trials"] == "2 of 12 (!)"
    result.stdout.fnmatch_lines(
        ["(!) The table leaves out 1 infra, 10 not run; had they all missed … passed: pass^1 0.0 …*"]
    )


def test_of_many_misses_the_first_of_each_task_is_shown_and_the_table_comes_last(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=noop", "--tau-k=2", "--tau-tasks=2")
    text = result.stdout.str()
    assert text.count("Last turns of") == 2
    assert text.count("(All of it with -v.)") == 2
    assert text.index("short test summary info") < text.index("tau: pass^k")
    assert (
        mock_run(pytester, "-v", "--tau-agent=noop", "--tau-k=2", "--tau-tasks=2").stdout.str().count("Last turns") == 4
    )
