"""Agents that play outside of this process: which they are, what is hidden from them, and what they are not told."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.adapters.isolated import IsolatedService, opaque
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.environment.folders import builtin_root
from pytest_tau.plugin.playing.apart import factory_of, is_apart, isolated_service
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.settings.agents import ChosenAgent
from tests.builders import agent_context

MINE = ChosenAgent("mine:Agent")
ISOLATED = ("--tau-isolate", "--tau-agent=mine:Agent")
FILES = ("tasks/shop/sell.json", "domains/shop/tools.py", "cassettes/c.json", "more/sell.json", "suites/a/b.json")


class Tells:
    """A service whose agents are the contexts that they were made from."""

    def agent(self, context: AgentContext) -> Any:
        """The context."""
        return context


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """One with an agent of its own, and answers in all places that answers are in."""
    for name in FILES:
        (pytester.path / name).parent.mkdir(parents=True)
        (pytester.path / name).write_text("{}", encoding="utf-8")
    pytester.makepyfile(mine="class Agent: ...")
    return pytester


def hidden(pytester: pytest.Pytester, *args: str) -> set[str]:
    """What of the project an isolated agent is not to open."""
    made = isolated_service(Run(pytester.parseconfig(*ISOLATED, *args)), MINE)
    assert isinstance(made, IsolatedService)
    found = [Path(one) for one in made._hidden]
    return {one.relative_to(pytester.path).as_posix() for one in found if one.is_relative_to(pytester.path)}


@pytest.mark.parametrize(
    ("name", "args", "apart"),
    [
        ("mine:Agent", (), False),
        ("mine:Agent", ISOLATED, True),
        ("oracle", ISOLATED, False),
        ("faulty:seed=1", ISOLATED, False),
        ("http://127.0.0.1:9", (), True),
        ("command:python agent.py", (), True),
    ],
    ids=["here", "isolated", "built-in", "built-in with options", "an address", "a command"],
)
def test_who_plays_outside_of_this_process(
    pytester: pytest.Pytester, name: str, args: tuple[str, ...], apart: bool
) -> None:
    assert is_apart(Run(pytester.parseconfig(*args)), ChosenAgent(name)) is apart


class TestWhatIsHidden:
    USUAL = frozenset({"tasks", "domains", "cassettes", ".tau"})

    def test_where_a_project_has_its_answers(self, project: pytest.Pytester) -> None:
        assert hidden(project) >= self.USUAL
        project.makeini("[pytest]\ntau_task_dirs = suites\ntau_results = kept\n")
        assert hidden(project) >= {"suites", "kept", "tasks"}

    def test_files_of_tasks_that_are_named_and_no_folder_with_code_in_it(self, project: pytest.Pytester) -> None:
        (project.path / "checks").mkdir()
        (project.path / "checks" / "test_it.py").write_text("", encoding="utf-8")
        found = hidden(project, "more/sell.json", "suites/a", "checks", ".")
        assert found >= {*self.USUAL, "more/sell.json", "suites/a"}
        assert not found & {"checks", ".", "mine.py"}

    def test_public_data_and_what_is_graded_again(self, project: pytest.Pytester) -> None:
        (project.path / "data").mkdir()
        assert "data" in hidden(project, "--tau-data=data")
        assert "old/journal.jsonl" in hidden(project, "--tau-rescore=old/journal.jsonl")

    def test_public_data_that_is_named_from_a_folder_below(
        self, project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project.makeini("[pytest]")
        (project.path / "data").mkdir()
        monkeypatch.chdir(project.mkdir("sub"))
        assert "data" in hidden(project, "--tau-data=../data")
        assert "data" in hidden(project, "--tau-data=data")

    def test_the_project_itself_is_not_as_the_agent_is_in_it(self, project: pytest.Pytester) -> None:
        project.makeini("[pytest]\ntau_task_dirs =\n    .\n    suites\n")
        found = hidden(project)
        assert "suites" in found
        assert "." not in found

    def test_our_own_tasks_and_domains(self, project: pytest.Pytester) -> None:
        made: Any = isolated_service(Run(project.parseconfig(*ISOLATED)), MINE)
        assert {os.path.realpath(builtin_root(kind)) for kind in ("tasks", "domains")} <= set(made._hidden)
        assert not {str(one) for one in (project.path, *project.path.parents)} & set(made._hidden)


def test_its_processes_end_with_the_run(project: pytest.Pytester) -> None:
    ended: list[str] = []
    config = project.parseconfig(*ISOLATED)
    made: Any = isolated_service(Run(config), MINE)
    made._nursery = SimpleNamespace(close=lambda: ended.append("nursery"))  # a real one takes half a second
    assert ended == []
    config._ensure_unconfigure()
    assert ended == ["nursery"]


def test_an_isolated_agent_does_not_learn_the_name_of_its_task(pytester: pytest.Pytester) -> None:
    context, tells = agent_context(task_id="exchange_lamp"), Tells()
    service: Any = tells
    there = factory_of(Run(pytester.parseconfig(*ISOLATED)), service)(context)
    here = factory_of(Run(pytester.parseconfig()), service)(context)
    assert there == opaque(context) != context
    assert here is context
