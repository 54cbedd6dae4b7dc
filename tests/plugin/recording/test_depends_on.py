"""What a result depends on: found by everything that compares results, and nothing of it forgotten."""

import json
from pathlib import Path

import pytest

from pytest_tau.manifest import Manifest
from pytest_tau.metrics.baseline import Baseline, stale
from pytest_tau.plugin.recording.depends_on import (
    for_baselines,
    look_up,
    of_a_file,
    of_a_trial,
    of_the_run,
    settings_of,
)
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.settings.options import OPTIONS, deciding
from tests.pictures import picture_task, strip
from tests.plugin.inner import make_shop

TEST = "tasks/shop/sell_one.json::test_task[trial1]"


def run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


def content(pytester: pytest.Pytester, *args: str) -> dict[str, str]:
    this = run(pytester, *args)
    return of_the_run(this) | look_up(this, of_a_trial(TEST, "shop"))


@pytest.mark.parametrize(
    "name", ["domain.py", "policy.md", "db.json", "policy_solo.md", "helpers.py", "documents/a.md"]
)
def test_every_file_of_a_domain_counts(pytester: pytest.Pytester, name: str) -> None:
    make_shop(pytester.path)
    file = pytester.path / "domains/shop" / name
    file.parent.mkdir(exist_ok=True)
    if not file.exists():
        file.write_text("before")
    before = content(pytester)
    file.write_text(file.read_text() + "\n")
    after = content(pytester)
    part = f"{Path(name).parts[0]} of shop"
    assert {key for key in before if before[key] != after[key]} == {part}
    assert Manifest(content=before).differences(Manifest(content=after)) == [f"{part} changed"]
    old = Baseline(created="2025-06-01", parts=for_baselines(before), tasks={})
    assert stale(old, tasks={}, parts=for_baselines(after), options={}) == [f"the {part} has changed"]


def test_a_file_more_or_less_counts(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    before = content(pytester)
    (pytester.path / "domains/shop/policy_solo.md").write_text("Work alone.")
    after = content(pytester)
    for one, other in ((before, after), (after, before)):
        assert Manifest(content=one).differences(Manifest(content=other)) == ["list of files of shop changed"]
    (pytester.path / "domains/shop/__pycache__").mkdir()
    (pytester.path / "domains/shop/__pycache__/domain.pyc").write_text("compiled")
    assert content(pytester) == after


def test_a_task_file_counts_and_a_baseline_compares_its_tasks_one_by_one(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    before = content(pytester)
    file = pytester.path / "tasks/shop/sell_one.json"
    file.write_text(file.read_text() + "\n")
    after = content(pytester)
    assert Manifest(content=before).differences(Manifest(content=after)) == [
        "tasks in tasks/shop/sell_one.json changed"
    ]
    assert for_baselines(before) == for_baselines(after)


def test_tests_in_python_depend_on_the_suite_of_their_marker(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    test = "test_it.py::test_sells[sell_one-trial1]"
    assert of_a_file(test) is None
    names = of_a_trial(test, "shop")
    assert names[1] == "tasks of shop"
    assert look_up(run(pytester), names)["tasks of shop"]


def test_what_is_gone_is_empty(pytester: pytest.Pytester) -> None:
    found = look_up(run(pytester), [*of_a_trial("gone.json::test_task[trial1]", "nowhere"), "version of pytest-tau"])
    assert found == {"list of files of nowhere": "", "tasks in gone.json": ""}


@pytest.mark.parametrize(
    ("args", "name"),
    [
        ("--tau-max-errors=3", "max_errors"),
        ("--tau-max-steps=3", "max_steps"),
        ("--tau-timeout=3", "timeout"),
        ("--tau-seed=3", "seed"),
        ("--tau-invalid=drop", "invalid"),
        ("--tau-judge-llm=openai/j", "judge_llm"),
        ("--tau-user-style=minimal", "user_style"),
        ("--tau-criteria=DB", "criteria"),
        ("--tau-split=test", "split"),
    ],
)
def test_every_setting_that_decides_a_result_counts(pytester: pytest.Pytester, args: str, name: str) -> None:
    before, after = (settings_of(run(pytester, *given), agent=False) for given in ((), (args,)))
    assert {key for key in before | after if before.get(key) != after.get(key)} == {name}
    old = Baseline(created="2025-06-01", options=before, tasks={})
    assert [change.partition(" was")[0] for change in stale(old, tasks={}, parts={}, options=after)] == [name]


def test_who_is_evaluated_counts_for_a_run_and_not_for_a_baseline(pytester: pytest.Pytester) -> None:
    this = run(pytester, "--tau-agent=act", "--tau-agent-llm=openai/a", '--tau-agent-llm-args={"api_key": "sk-1"}')
    whole = settings_of(this)
    assert whole.keys() - settings_of(this, agent=False).keys() == {"agent", "agent_llm", "agent_llm_args", "stop"}
    assert "sk-1" not in str(whole)


def test_how_it_is_played_does_not_count() -> None:
    free = {option.name for option in OPTIONS} - {*deciding("agent", "result", "suite")}
    assert {"concurrency", "rpm", "budget", "retries", "cassette", "html", "gate", "results", "k"} <= free


def test_another_picture_under_the_same_name_counts(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("tasks") / "mock"
    folder.mkdir()
    picture_task(folder)
    name = ("tasks in tasks/mock/from_a_picture.json",)
    before = look_up(run(pytester), name)
    (folder / "note1.png").write_bytes(strip("OTHERS"))
    assert look_up(run(pytester), name) != before


def test_settings_are_what_one_reads_back_from_a_journal(pytester: pytest.Pytester) -> None:
    """A list that comes back as another kind of list would be another setting, and no run could be resumed."""
    isolated = ("--tau-agent=agents:Mine", "--tau-isolate", "--tau-isolate-env=ONE,TWO")
    for args in ((), isolated):
        found = settings_of(run(pytester, *args))
        assert json.loads(json.dumps(found)) == found
