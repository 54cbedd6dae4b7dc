"""``--tau-policy-mutants``: which sentences an agent goes by, with trials that nobody needs left out."""

import json
import shlex
from collections.abc import Callable

import pytest

from pytest_tau.cli import main
from pytest_tau.journal import read_trials
from pytest_tau.metrics.mutant_totals import policy_readings
from pytest_tau.metrics.tally import tally
from tests.llm.server import says as model_says
from tests.options.models import Serve
from tests.options.usage import refused
from tests.plugin.inner import workers
from tests.plugin.parts import mock_play, play

AGENTS = '''
from pytest_tau import load_tasks
from pytest_tau.agents.oracle import Oracle

TASKS = {task.id: task for task in load_tasks("mock")}
RULES = {"delete_a_task": "Tasks are never deleted", "task_for_a_stranger": "You cannot add people"}


class Easygoing:
    """Says that all is done, whatever is asked for."""

    def reply(self, messages):
        return "That is done. Is there anything else?"


def mixed(context):
    """Obeys that tasks are never deleted, and ignores that nobody may be added."""
    rule = RULES.get(context.task_id, "")
    obeys = rule in context.policy if context.task_id == "delete_a_task" else not rule
    return Oracle(TASKS[context.task_id], context) if obeys else Easygoing()


def learned(context):
    """Knows it all by heart."""
    return Oracle(TASKS[context.task_id], context)
'''
BREAKS = '''

def breaks(context):
    """Has a bug that shows where a rule is missing."""
    assert context.task_id != "delete_a_task" or RULES["delete_a_task"] in context.policy
    return Oracle(TASKS[context.task_id], context)
'''
TASKS = ("--tau-domain=mock", "--tau-tasks=delete_a_task,task_for_a_stranger", "--tau-k=14")


def written(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents_here=AGENTS)
    pytester.syspathinsert()


def trials(pytester: pytest.Pytester) -> list[str]:
    return [str(content["nodeid"]) for content in read_trials(pytester.path / ".tau" / "latest")]


def test_an_agent_is_read(pytester: pytest.Pytester) -> None:
    written(pytester)
    options = (*TASKS, "--tau-agent=agents_here:mixed", "--tau-policy-mutants=all")
    result = play(pytester, *options, "--tau-html=r.html", "--tau-markdown=r.md", "--tau-export=stats:s.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # the agent misses a task as it is
    result.stdout.fnmatch_lines([
        "What the agent makes of the policy:",
        "| known-users * ignores | delete | * of 14 | * lost |*",
        "| never-deleted * obeys | delete | 100 % * of 14 | 0 % * killed |*",
        "Of 2 rules: ignores 1, obeys 1. *",
        "* trials under changed policies were not needed, because their rule was decided.",
    ])  # fmt: skip
    found = json.loads((pytester.path / "s.json").read_text(encoding="utf-8"))["policy"]
    assert {one["rule"]: one["reading"] for one in found[0]["rules"]} == {
        "known-users": "ignores",
        "never-deleted": "obeys",
    }
    for name in ("r.html", "r.md"):
        assert "never-deleted" in (pytester.path / name).read_text(encoding="utf-8")
    before = trials(pytester)
    assert len(before) < 4 * 14
    records = list(read_trials(pytester.path / ".tau" / "latest"))
    [changed, *_] = [one["variant"] for one in records if one.get("variant") and one["task_id"] == "delete_a_task"]
    assert changed["sentence"].startswith("Tasks are never deleted.")
    assert changed["rests_on"] == ["never-deleted"]
    again = play(pytester, *options, "--tau-resume")
    assert trials(pytester) == before
    again.stdout.fnmatch_lines(["Of 2 rules: ignores 1, obeys 1. *"])


def test_what_an_agent_knows_survives_and_no_miss_fails_the_run(pytester: pytest.Pytester) -> None:
    written(pytester)
    result = play(
        pytester, *TASKS, "--tau-agent=agents_here:learned", "--tau-policy-mutants=never-deleted=delete,invert"
    )
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines([
        "| never-deleted * knows anyway | delete | 100 % * survived |*",
        "|  * invert | 100 % * survived |*",
        "Without 1 rule that this agent knows anyway each request has about * tokens less, *",
    ])  # fmt: skip


def test_a_miss_under_a_changed_policy_is_what_it_should_be(pytester: pytest.Pytester) -> None:
    written(pytester)
    options = ("--tau-domain=mock", "--tau-tasks=delete_a_task", "--tau-agent=agents_here:mixed")
    result = play(pytester, *options, "--tau-policy-mutants=never-deleted")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, xfailed=1)


def test_the_line_to_run_a_trial_again_names_its_rule_however_many_were_asked_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents_here=AGENTS + BREAKS)
    pytester.syspathinsert()
    options = ("--tau-domain=mock", "--tau-agent=agents_here:breaks")
    result = pytester.runpytest(*options, "--tau-policy-mutants=2", "--tau-tasks=delete_a_task,task_for_a_stranger")
    [line] = [line for line in result.outlines if line.startswith("pytest ") and "delete_a_task" in line]
    again = shlex.split(line)[1:]
    assert again[-2:] == [options[1], "--tau-policy-mutants=never-deleted=delete"]
    pytester.runpytest(*again).assert_outcomes(failed=1)


def test_another_text_is_the_policy_and_a_fixture_reads_it(pytester: pytest.Pytester) -> None:
    pytester.makefile(".md", prompt="# Me\n\n<!-- rule: never-deleted --> Delete no task. Be brief.\n")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.tau(domain="mock", tasks=["delete_a_task"])
        def test_prompt(tau_policy, tau_slot):
            print("READ", tau_slot.variant and tau_slot.variant.label, repr(tau_policy))
        """
    )
    result = pytester.runpytest("--tau-policy=prompt.md", "--tau-policy-mutants=never-deleted=delete,invert", "-s")
    result.stdout.fnmatch_lines_random([
        "*READ None '# Me\\n\\nDelete no task. Be brief.'",
        "*READ delete:never-deleted '# Me\\n\\n'",
        "*READ invert:never-deleted '# Me\\n\\nDelete any task. It is not so that be brief.'",
    ])  # fmt: skip


def test_a_changed_policy_is_another_prompt_with_a_recording_of_its_own(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    server = serve(model_says("I am sorry, no."))
    arguments = ("--tau-agent-llm=openai/agent", "--tau-tasks=delete_a_task", "--tau-policy-mutants=never-deleted")
    first = mock_play(pytester, *arguments, "--tau-cassette=record", "--tau-budget=1000000 tokens")
    first.stdout.fnmatch_lines(["tau: forecast: 2 trials, about * model calls*"])
    asked = len(server.requests)
    prompts = {str(request.messages[0]["content"]) for request in server.requests}
    assert sorted("Tasks are never deleted" in prompt for prompt in prompts) == [False, True]
    assert len(list((pytester.path / "cassettes" / "mock").glob("*.jsonl"))) == 2
    gone()
    again = mock_play(pytester, *arguments, "--tau-cassette=replay")
    assert again.parseoutcomes() == first.parseoutcomes()
    assert len(server.requests) == asked


@pytest.mark.slow
def test_parts_of_a_run_are_joined(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    written(pytester)
    options = (*TASKS, "--tau-agent=agents_here:mixed", "--tau-policy-mutants=all")
    for part in (1, 2):
        play(pytester, *options, f"--tau-shard={part}/2", f"--tau-results=part{part}")
    assert main(["merge", "part1", "part2", "-o", "joined"]) == 0
    capsys.readouterr()
    [found] = policy_readings(tally(read_trials(pytester.path / "joined" / "latest"), 14))
    assert {one.rule: one.reading for one in found.rules} == {"known-users": "ignores", "never-deleted": "obeys"}


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    written(pytester)
    result = workers(pytester, *TASKS, "--tau-agent=agents_here:mixed", "--tau-policy-mutants=2")
    result.stdout.fnmatch_lines(["Of 2 rules: ignores 1, obeys 1. *"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            "never-deleted=forget",
            "'never-deleted=forget' names no edit; write a rule and some of delete, invert, rescale",
        ),
        (";", "nothing is named; write"),
        ("0", "no task of this run says which rules it rests on"),
        ("never-delted=delete", "no policy of this run has this rule (did you mean 'never-deleted'?)"),
        ("²", "'²': no policy of this run has this rule"),
        ("9" * 5000, "no policy of this run has this rule"),
        ("say-hello=delete; known-users=delete", "'say-hello': no policy of this run has this rule"),
    ],
)
def test_what_cannot_be_is_refused(pytester: pytest.Pytester, asked: str, said: str) -> None:
    refused(pytester, "--tau-domain=mock", f"--tau-policy-mutants={asked}").fnmatch_lines([f"ERROR: *{said}*"])


MARKED = """
    import pytest

    @pytest.mark.tau(domain="mock")
    def test_it(tau_task):
        pass
"""


def test_the_first_tasks_are_the_ones_whose_rules_are_changed(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-tasks=6", "--tau-policy-mutants=all").assert_outcomes(passed=8)
    first = ("--tau-domain=mock", "--tau-tasks=1")
    refused(pytester, *first, "--tau-policy-mutants=all").fnmatch_lines(["*no task of this run says which rules*"])
    said = refused(pytester, *first, "--tau-policy-mutants=never-deleted")
    said.fnmatch_lines(["*'never-deleted': no task of this run rests on this rule*"])
    said = refused(pytester, *first, "--tau-policy-mutants=nonsense")
    said.fnmatch_lines(["*'nonsense': no policy of this run has this rule*"])


def test_an_edit_that_changes_no_test_with_a_marker_is_refused_before_any_is_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED)
    refused(pytester, "--tau-policy-mutants=all").fnmatch_lines(["*a marker, *not known yet; name rules*"])
    pytester.runpytest("--tau-policy-mutants=never-deleted").assert_outcomes(passed=7)
    edits = {"nonsense": "nonsense=delete", "never-deleted=delete,rescale": "never-deleted=rescale"}
    for asked, idle in edits.items():
        result = pytester.runpytest(f"--tau-policy-mutants={asked}")
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([f"ERROR: --tau-policy-mutants: '{idle}' has nothing to change in this run: *"])


def test_an_edit_that_changes_no_test_of_workers_is_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(MARKED)
    result = workers(pytester, "--tau-policy-mutants=nonsense")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --tau-policy-mutants: 'nonsense=delete' has nothing to change in this run: *"])
