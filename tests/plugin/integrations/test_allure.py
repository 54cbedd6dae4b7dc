"""Trials in the results folder of allure-pytest, read as the Allure report reads it: JSON files and attachments."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.plugin.integrations.allure import write_environment
from tests.conftest import PLUGINS, Shared
from tests.plugin.inner import AGENTS, apart, mock_run, task, workers, write
from tests.reports.runs import HOSTILE
from tests.reports.test_html import Elements

RUN = ("--tau-tasks=complete_a_task,add_a_task", "--tau-k=2", "--tau-agent=agents:Completes")
THEIRS = "Browser=none\ntau.k=7\n"
HARM = '''
from pytest_tau import AssistantMessage, ToolCall


class Harm:
    """Says and calls a hostile text, another one in each trial."""

    def __init__(self, context):
        self.text = TEXTS[context.trial - 1]
        self.asked = 0

    def reply(self, messages):
        self.asked += 1
        if self.asked > 1:
            return self.text
        return AssistantMessage(
            content=self.text, tool_calls=[ToolCall(id="1", name=self.text, arguments={self.text: self.text})]
        )
'''


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    return (*PLUGINS, "allure_pytest")


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)


def results(folder: Path) -> list[dict[str, Any]]:
    """The results of a run by name."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*-result.json")]
    return sorted(found, key=lambda result: str(result["name"]))


def test_what_no_file_holds_is_spelled_out(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        surrogates="import logging\n\n\ndef agent(context):\n    def reply(messages):\n"
        "        logging.getLogger('a').warning('\\ud800')\n        raise ValueError('lone \\ud800')\n"
        "    return reply\n",
        test_own="import pytest\n\n\n@pytest.fixture\ndef broken():\n    raise ValueError('own \\ud800')\n\n\n"
        "def test_own(broken):\n    pass\n",
    )
    run = ("--tau-domain=mock", "--tau-tasks=1", "--tau-agent=surrogates:agent", "--alluredir=out", "test_own.py")
    result = apart(pytester, *run)  # what it logs would be in the report of this test, which a worker has to send
    result.assert_outcomes(failed=1, errors=1)
    messages = [one["statusDetails"]["message"] for one in results(pytester.path / "out")]
    assert sorted(message.rpartition("ValueError: ")[2] for message in messages) == [r"lone \ud800", r"own \ud800"]


def test_a_tag_that_is_called_as_a_marker_of_allure_is_a_tag(pytester: pytest.Pytester) -> None:
    names = ("label", "link", "description", "description_html")
    write(pytester.path, "tasks/one.json", task("one", tags=[f"allure_{name}" for name in names]))
    result = pytester.runpytest("--tau-agent=oracle", "--alluredir=out", "tasks", "-m", "tag_allure_label")
    result.assert_outcomes(passed=1)
    [one] = results(pytester.path / "out")
    assert "tag_allure_link" in labels(one, "tag")


def labels(result: dict[str, Any], name: str) -> list[str]:
    return [label["value"] for label in result["labels"] if label["name"] == name]


def attachment(folder: Path, result: dict[str, Any], name: str) -> str:
    (source,) = [one["source"] for one in result["attachments"] if one["name"] == name]
    return (folder / str(source)).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def out(shared_run: Shared) -> Path:
    """What a run left for allure."""
    with shared_run() as pytester:
        pytester.makepyfile(agents=AGENTS)
        write(pytester.path, "out/environment.properties", THEIRS)
        mock_run(pytester, *RUN, "--alluredir=out", "-pallure_pytest")
        return pytester.path / "out"


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_four_trials_have_four_histories_that_go_on_in_the_next_run(
    pytester: pytest.Pytester, out: Path, run: Callable[..., pytest.RunResult]
) -> None:
    run(pytester, "--tau-domain=mock", *RUN, "--alluredir=two")
    others = [option for option in RUN if not option.startswith("--tau-agent")]  # given twice, both would play
    mock_run(pytester, *others, "--alluredir=three", "--tau-agent=noop", "--tau-seed=7")
    runs = [results(folder) for folder in (out, pytester.path / "two", pytester.path / "three")]
    names = [f"mock/{task}, trial {trial}" for task in ("add_a_task", "complete_a_task") for trial in (1, 2)]
    assert [[result["name"] for result in run] for run in runs] == [names] * 3
    histories = [result["historyId"] for result in runs[0]]
    assert len(set(histories)) == 4
    assert [[result["historyId"] for result in run] for run in runs[1:]] == [histories] * 2
    assert [[result["status"] for result in run] for run in runs] == [
        ["failed", "failed", "passed", "passed"],
        ["failed", "failed", "passed", "passed"],
        ["failed"] * 4,
    ]


def test_trials_of_several_agents_and_of_variants_are_told_apart(pytester: pytest.Pytester) -> None:
    both = ("--tau-agent=a=agents:Completes", "--tau-agent=b=agents:Completes", "--tau-perturb=typos")
    mock_run(pytester, "--tau-tasks=complete_a_task", *both, "--alluredir=out")
    found = results(pytester.path / "out")
    assert [one["name"].removeprefix("mock/complete_a_task, ") for one in found] == [
        "a, trial 1",
        "a, typos, trial 1",
        "b, trial 1",
        "b, typos, trial 1",
    ]
    shown = {one["name"]: (one["value"], one["excluded"]) for one in found[-1]["parameters"] if "excluded" in one}
    assert (shown["label"], shown["variant"]) == (("'b'", True), ("'typos'", True))


def test_the_environment_says_how_the_numbers_came_about(out: Path) -> None:
    check_environment(out)


@pytest.mark.slow
def test_the_environment_of_workers(pytester: pytest.Pytester) -> None:
    write(pytester.path, "one/environment.properties", THEIRS)
    workers(pytester, "--tau-domain=mock", *RUN, "--alluredir=one")
    check_environment(pytester.path / "one")


def check_environment(folder: Path) -> None:
    browser, *ours = (folder / "environment.properties").read_text(encoding="ascii").splitlines()
    assert browser == "Browser=none"
    found = dict(line.split("=", 1) for line in ours)
    assert all(name.startswith("tau.") for name in found)
    assert (found["tau.agent"], found["tau.user"], found["tau.k"]) == ("agents:Completes", "scripted", "2")
    assert found["tau.pytest-tau"]


def test_the_environment_is_written_as_such_a_file_is(tmp_path: Path) -> None:
    write_environment(tmp_path, [("agent", "C:\\x é\nnext"), ("graded again", "a=b")])
    written = (tmp_path / "environment.properties").read_text(encoding="ascii")
    assert written == "tau.agent=C:\\\\x \\u00e9\\nnext\ntau.graded_again=a=b\n"


def test_says_what_a_trial_was_about_and_who_played(out: Path) -> None:
    result = results(out)[2]
    assert [labels(result, name) for name in ("epic", "feature", "story", "tag")] == [
        ["tau"],
        ["mock"],
        ["One write on an existing record."],
        ["write"],
    ]
    shown = {one["name"]: (one["value"], one.get("excluded", False)) for one in result["parameters"]}
    assert shown.pop("seed")[1]
    assert shown == {
        "tau_slot": ("'mock/complete_a_task'", False),
        "trial": ("1", True),
        "agent": ("'agents:Completes'", True),
        "user": ("'scripted'", True),
    }


def test_the_story_without_a_purpose_is_why_the_customer_calls(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/one.json", task())
    mock_run(pytester, "--alluredir=out")
    (result,) = results(pytester.path / "out")
    assert labels(result, "story") == ["Done!"]


def test_attaches_conversation_difference_and_reward(out: Path) -> None:
    missed, _, passed, _ = results(out)
    assert "I have watered the plants." in attachment(out, passed, "conversation")
    assert attachment(out, passed, "database difference") == (
        'Changed by the trial:\n\nagent: tasks[task_1]\n    status: "pending" -> "completed"\n'
    )
    assert json.loads(attachment(out, passed, "reward"))["value"] == 1.0
    difference = attachment(out, missed, "database difference")
    assert 'status: "pending" -> "completed"' in difference
    assert "Not as expected:\n\nagent database, tasks[task_4]\n" in difference
    assert json.loads(attachment(out, missed, "reward"))["value"] == 0.0


def test_a_step_for_each_turn_with_its_calls(out: Path) -> None:
    steps = results(out)[2]["steps"]
    assert [step["name"] for step in steps] == [
        "assistant: Hi! How can I help you today?",
        "user: I have watered the plants. Please tick that off.",
        "assistant: update_task_status",
        "assistant: Goodbye.",
        "user: Thank you, that is all. ###STOP###",
    ]
    (call,) = steps[2]["steps"]
    assert call["name"] == 'update_task_status(task_id="task_1", status="completed")'
    assert "completed" in attachment(out, call, "result")


def test_every_attachment_is_there(out: Path) -> None:
    def sources(one: dict[str, Any]) -> list[str]:
        own = [attached["source"] for attached in one.get("attachments", [])]
        return own + [source for step in one.get("steps", []) for source in sources(step)]

    named = [source for result in results(out) for source in sources(result)]
    assert len(named) > 4 * 3
    assert [name for name in named if not (out / name).is_file()] == []


def test_a_trial_that_went_wrong_is_told_as_far_as_it_went(pytester: pytest.Pytester) -> None:
    agents = [f"--tau-agent={name}=agents:{name}" for name in ("Provider", "Raises", "Errs")]
    result = mock_run(pytester, "--tau-tasks=complete_a_task", *agents, "--alluredir=out")
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    found = {
        str(result["statusDetails"]["message"]).partition("\n")[0].partition(" (")[0].rpartition(": ")[2]: (
            result["status"],
            [one["name"] for one in result.get("attachments", [])],
        )
        for result in results(pytester.path / "out")
    }
    assert found == {
        "the provider is down": ("broken", ["conversation", "database difference"]),
        "a bug in the agent": ("broken", ["conversation", "database difference"]),
        "not finished": ("failed", ["conversation", "database difference", "reward"]),
    }
    names = [result["name"] for result in results(pytester.path / "out")]
    assert names == [f"mock/complete_a_task, {agent}, trial 1" for agent in ("Errs", "Provider", "Raises")]


def test_hostile_text_runs_nowhere(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(harm=f"TEXTS = {HOSTILE!r}\n{HARM}")
    each = f"--tau-k={len(HOSTILE)}"
    result = mock_run(pytester, "--tau-tasks=complete_a_task", "--tau-agent=harm:Harm", "--alluredir=out", each)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    folder = pytester.path / "out"
    found = results(folder)
    assert len(found) == len(HOSTILE)
    for one in found:
        elements = Elements(attachment(folder, one, "conversation"))
        assert {"script", "img", "svg"}.isdisjoint(tag for tag, _ in elements.found)
        assert not [
            name for _, attributes in elements.found for name in attributes if name.startswith(("on", "src", "href"))
        ]
        assert all(len(step["name"]) <= 121 for step in one["steps"])


def test_other_peoples_tests_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_it(): pass")
    pytester.runpytest("--alluredir=out").assert_outcomes(passed=1)
    (found,) = results(pytester.path / "out")
    assert (found["name"], labels(found, "epic")) == ("test_it", [])


def test_a_key_in_an_exception_stands_in_no_result(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "planted-K3Y-0123456789")
    agent = "def raises(context):\n    raise ValueError('my key is planted-K3Y-0123456789')\n"
    pytester.makepyfile(leaking=agent)
    mock_run(pytester, "--tau-tasks=add_a_task", "--tau-agent=leaking:raises", "--alluredir=out", "-pallure_pytest")
    [result] = results(pytester.path / "out")
    assert "my key is [key]" in result["statusDetails"]["message"]
    assert not any("planted-K3Y" in path.read_text("utf-8") for path in (pytester.path / "out").iterdir())
