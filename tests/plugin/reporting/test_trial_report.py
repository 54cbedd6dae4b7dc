"""What a test's report says of its trial."""

import json
from typing import Any

import pytest

from pytest_tau import Reward
from pytest_tau.plugin.playing.handle import HANDLE
from pytest_tau.plugin.reporting.trial_report import attach, safety_properties, verdict_on
from pytest_tau.plugin.workers.transport import NOT_RUN, TRIAL, look
from pytest_tau.schema.reward import Conduct, Violation
from tests.plugin.inner import AGENTS
from tests.plugin.parts import collect, handle_of

ONE = ("--tau-domain=mock", "--tau-tasks=complete_a_task")


def reports(pytester: pytest.Pytester, *args: str) -> tuple[pytest.TestReport, pytest.TestReport]:
    """Those of the call and of the tear-down of a test whose trial is played."""
    found = collect(pytester, *ONE, *args)
    (item,) = found.items
    handle = item.stash[HANDLE] = handle_of(found.run, item)
    call = pytest.CallInfo.from_call(handle.verify, "call")
    called = pytest.TestReport.from_item_and_call(item, call)
    attach(found.run, item, call, called)
    ended = pytest.CallInfo.from_call(lambda: None, "teardown")
    torn_down = pytest.TestReport.from_item_and_call(item, ended)
    attach(found.run, item, ended, torn_down)
    assert HANDLE not in item.stash  # nobody has memory for all conversations
    return called, torn_down


def record(report: pytest.TestReport) -> dict[str, Any] | None:
    line = look(report, TRIAL)
    return None if line is None else json.loads(line)


def test_the_call_has_record_heading_and_properties_and_the_tear_down_the_properties_alone(
    pytester: pytest.Pytester,
) -> None:
    called, torn_down = reports(pytester)
    found = record(called)
    assert found is not None
    assert (found["task_id"], found["trial"], found["outcome"]) == ("complete_a_task", 1, "passed")
    assert called.location[2] == "mock/complete_a_task, trial 1"
    assert called.user_properties == torn_down.user_properties
    assert dict(called.user_properties) == {
        "tau_task": "mock/complete_a_task",
        "tau_trial": 1,
        "tau_outcome": "passed",
        "tau_reward": "1",
    }
    assert record(torn_down) is None


@pytest.mark.parametrize("agent", ["Raises", "nothing"])
def test_an_agents_bug_comes_with_the_command_that_runs_its_trial_again(pytester: pytest.Pytester, agent: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    called, torn_down = reports(pytester, f"--tau-agent=agents:{agent}")
    ((title, text),) = called.sections  # and only once
    assert title == ("the conversation so far" if agent == "Raises" else "run exactly this trial again")
    command = text.splitlines()[-1].removeprefix("Run exactly this trial again:  ")
    assert command.startswith("pytest 'tau/mock/complete_a_task.json::test_task[trial1]' ")
    assert command.endswith(f" --tau-agent=agents:{agent}")
    assert not torn_down.sections


@pytest.mark.parametrize(("args", "outcome"), [((), "failed"), (("--tau-miss-as=xfail",), "skipped")])
def test_a_miss_is_told_as_the_verdict_alone(pytester: pytest.Pytester, args: tuple[str, ...], outcome: str) -> None:
    called, _ = reports(pytester, "--tau-agent=noop", *args)
    assert called.outcome == outcome
    assert getattr(called, "wasxfail", None) == ("missed" if args else None)
    assert called.longreprtext.startswith("missed DB, ENV_ASSERTION (reward 0, ended by user_stop)")
    assert dict(called.user_properties)["tau_fault"] == "premature_end"


def test_a_bug_is_told_and_noted_without_keys(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "a bug in the agent")
    pytester.makepyfile(agents=AGENTS)
    called, _ = reports(pytester, "--tau-agent=agents:Raises")
    found = record(called)
    assert found is not None
    assert (found["outcome"], found["note"], found["simulation"]["note"]) == ("error", *["ValueError: [key]"] * 2)
    assert "a bug in the agent" not in str(called.sections)
    assert "[key]" in called.longreprtext
    assert "a bug in the agent" not in called.longreprtext
    assert dict(called.user_properties)["tau_reward"] == ""


def test_what_was_not_begun_has_a_reason_and_no_record(pytester: pytest.Pytester) -> None:
    found = collect(pytester, *ONE, "--tau-stop", "--tau-agent=noop", "--tau-gate=pass^1 >= 0.5")
    (item,) = found.items
    found.run.folder.mkdir(parents=True)
    (found.run.folder / "decided.json").write_text("[]", encoding="utf-8")
    handle = item.stash[HANDLE] = handle_of(found.run, item)
    call = pytest.CallInfo.from_call(handle.verify, "call")
    report = pytest.TestReport.from_item_and_call(item, call)
    attach(found.run, item, call, report)
    assert report.skipped
    assert look(report, NOT_RUN) == "every gate is decided (--tau-stop)"
    assert record(report) is None


ATTACK = Conduct(completed=False, category="third_party", attacked=True)
TWIN = Conduct(completed=True, category="third_party", refused=False)


@pytest.mark.parametrize(
    ("conduct", "words"),
    [
        (ATTACK, "third_party: attack succeeded"),
        (ATTACK.model_copy(update={"attacked": False}), "third_party: attack resisted"),
        (TWIN, "third_party: twin done"),
        (TWIN.model_copy(update={"completed": False}), "third_party: twin missed"),
        (TWIN.model_copy(update={"refused": True}), "third_party: twin refused"),
    ],
)
def test_an_attack_and_its_twin_in_a_few_words(conduct: Conduct, words: str) -> None:
    assert verdict_on(conduct) == words


def test_each_rule_that_was_broken_is_named_once() -> None:
    broken = [
        Violation(dimension="privacy", severity=1.0, text="told a stranger"),
        Violation(dimension="privacy", severity=1.0, text="told another"),
        Violation(dimension="consent", severity=0.5, text="did not ask"),
    ]
    reward = Reward(value=0.0, violated=broken, conduct=ATTACK)
    assert safety_properties(reward) == [
        ("tau_violations", "privacy 1, consent 0.5"),
        ("tau_safety", "third_party: attack succeeded"),
    ]
    assert safety_properties(Reward(value=1.0, violated=[])) == []
