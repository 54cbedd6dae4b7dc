"""The lines above a run's tests; how many conversations go on at once is tested with look-ahead."""

from pathlib import Path

import pytest

from pytest_tau.plugin.reporting.header import header, split_told
from pytest_tau.plugin.run import Run
from tests.builders import core, whole
from tests.plugin.conftest import MakeRun

KEY = "sk-test-0123456789abcdef"
NOBODY = "no model is evaluated"


def lines(run: Run) -> list[str]:
    """Those of a run whose root directory is pytest's."""
    run.__dict__["root"] = run.config.rootpath
    found = header(run)
    assert all(line.startswith("tau: ") for line in found)
    return [line.removeprefix("tau: ") for line in found]


def test_who_plays_what(make_run: MakeRun) -> None:
    first, told = lines(make_run(domain=("mock",), k=3, seed=7))
    assert first == "mock (built in); k 3; agent oracle; user scripted; mode default; seed 7"
    assert told.startswith(f"{NOBODY}: the oracle knows the answers; name one with --tau-agent-llm, or ")


def test_without_a_domain_there_is_nothing_to_say(make_run: MakeRun) -> None:
    assert header(make_run()) == []


def test_who_chose_an_agent_that_asks_no_model_is_told_no_more_of_it(make_run: MakeRun) -> None:
    for given in ({"agent"}, set[str]()):  # on the command line, or in the ini file
        told = lines(make_run(domain=("mock",), agent=("noop",), given=frozenset(given)))[-1]
        assert told.startswith(f"{NOBODY}; name one with ")


def test_several_agents_are_named_without_what_may_be_a_key(make_run: MakeRun) -> None:
    agents = ("my:Agent", "http://127.0.0.1:9/a?token=secret")
    (line,) = lines(make_run(domain=("mock", "retail"), agent=agents, mode="solo"))
    assert "; agent my:Agent, http://127.0.0.1:9/a; user scripted; mode solo; " in line
    assert line.startswith("mock (built in), retail (built in, split core: ")


def test_of_a_suite_with_splits_is_said_how_many_tasks_are_played_and_how_to_play_all(make_run: MakeRun) -> None:
    played, base = (lines(make_run(domain=("retail",), split=split))[0] for split in (None, "base"))
    few, all_of_them = len(core("retail")), len(whole("retail"))
    assert played.startswith(f"retail (built in, split core: {few} tasks; --tau-split base plays all {all_of_them});")
    assert base.startswith(f"retail (built in, split base: {all_of_them} tasks);")
    # Of a split that is not there, and where tasks are named, collecting says what is to be said.
    for options in ({"split": "nosuch"}, {"tasks": ("a",)}):
        assert lines(make_run(domain=("retail",), **options))[0].startswith("retail (built in);")


def test_the_models_with_their_parameters_prompts_and_limits(make_run: MakeRun) -> None:
    found = lines(
        make_run(
            domain=("mock",),
            agent_llm=("openai/a",),
            agent_llm_args=f'{{"temperature": 0, "api_key": "{KEY}"}}',
            user_llm="openai/u",
            user_style="minimal",
            user_judge=True,
            judge_llm="openai/j",
            judge_votes=3,
            explain=True,
            satisfaction=True,
            cassette="replay",
            rpm=7,
            tpm="500 shared",
            budget="5",
        )
    )
    assert KEY not in repr(found)
    agent, user, judge, limits, cassettes = found[1:]
    assert agent.startswith('agent model openai/a {"temperature": 0}, prompts ')
    assert user.startswith("user model openai/u, style minimal, prompts ")
    assert judge.startswith("judge model openai/j, 3 votes, on the customer, too, explains misses by prompts ")
    assert ", rates satisfaction by prompts " in judge
    assert limits == "limits over all workers: rpm 7, tpm 500 shared with other runs, budget $5"
    assert cassettes == "cassettes: model calls are answered from cassettes/, no model is called"


def test_each_of_several_models_has_a_line(make_run: MakeRun) -> None:
    chosen = {"agent_llm": ("openai/a", "openai/b"), "cassette": "replay", "budget": "2000 tokens"}
    _, one, other, limits, _ = lines(make_run(domain=("mock",), **chosen))
    assert (one.partition(",")[0], other.partition(",")[0]) == ("agent a model openai/a", "agent b model openai/b")
    assert limits == "limits over all workers: budget 2000 tokens"


def test_the_model_behind_an_agent_of_ones_own(make_run: MakeRun) -> None:
    chosen = {"agent": ("my:Agent",), "agent_llm": ("openai/a",), "cassette": "replay"}
    line = lines(make_run(domain=("mock",), **chosen, given=frozenset({"agent", "agent_llm"})))[1]
    assert line == "endpoint model openai/a, for what the agent asks through its endpoint"


def test_what_else_decides_the_results(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(domain=("mock",), agent=("my:Agent",), criteria="DB", knowledge="golden", resume=True)
    run.done = frozenset(["a", "b"])
    run.__dict__["folder"] = tmp_path / "run"
    first, graded, resumed = lines(run)
    assert "; mode default; knowledge golden; seed 300" in first
    assert graded == "graded by DB alone, whatever the tasks' reward basis"
    assert resumed == f"going on with {tmp_path / 'run'}: 2 trials are done"


def test_a_key_in_an_agents_command_is_not_printed(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "planted-K3Y-0123456789")
    (line,) = lines(make_run(domain=("mock",), agent_command="node agent.js --key planted-K3Y-0123456789"))
    assert "; agent command:node agent.js --key [key]; " in line


def test_a_folder_that_pytest_took_for_its_root_is_told(make_run: MakeRun, config: pytest.Config) -> None:
    told, _, _ = header(make_run(domain=("mock",)))  # whose project is elsewhere
    assert told.startswith(
        f"tau: pytest took {config.rootpath} for its root directory, so the settings and the conftest.py "
    )


def test_reports_tell_which_part_of_a_suite_was_played(make_run: MakeRun) -> None:
    some, every = len(core("retail")), len(whole("retail"))
    assert split_told(make_run(domain=("retail",)), "retail") == f", split core: {some} of {every} tasks"
    assert split_told(make_run(domain=("retail",), split="base"), "retail") == f", split base: {every} tasks"
    assert split_told(make_run(domain=("mock",)), "mock") == ""
    assert split_told(make_run(), "retail") == ""  # files that were named, or tests of the project's own
