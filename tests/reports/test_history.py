"""Earlier runs of a suite, as their manifests tell them."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau.manifest import RESULT, Manifest
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.history import SHOWN, history, past, result_of


def totals(domain: str = "mock", passed: int = 3, tasks: str = "abcd", **who: str) -> Totals:
    made = Totals()
    for n, task in enumerate(tasks):
        outcome = "passed" if n < passed else "missed"
        made.add(TrialFacts(domain, task, outcome, agent=who.get("agent", "mine"), user=who.get("user", "scripted")))
    return made


def run(results: Path, name: str, result: str, commit: str = "abcdef1234567890", **options: Any) -> Path:
    folder = results / name
    folder.mkdir(parents=True)
    about = {RESULT: result, "commit": commit, "began": f"2025-01-01T00:00:{name}"}
    Manifest(options=options, about=about).save(folder)
    return folder


def test_runs_of_the_same_tasks_come_in_order(tmp_path: Path) -> None:
    for name, passed in (("01", 1), ("02", 3)):
        last = run(tmp_path, name, result_of(totals(passed=passed)))
    (tmp_path / "latest").symlink_to("02")
    found = history(last)
    assert [(one.value, one.tasks, one.agent) for one in found] == [(0.25, 4, "mine"), (0.75, 4, "mine")]
    picture = past(found)
    assert picture is not None
    assert picture["points"][1]["told"] == "2025-01-01 00:00:02: 75.0 % of 4 tasks, mine, commit abcdef1234"
    assert picture["points"][0]["y"] > picture["points"][1]["y"]


@pytest.mark.parametrize(
    "other",
    [
        totals("shop"),
        totals(tasks="abcde"),
        totals(tasks="bcde"),
        totals(agent="another"),
        totals(user="llm gpt"),
    ],
)
def test_other_tasks_and_players_have_no_part_in_it(tmp_path: Path, other: Totals) -> None:
    run(tmp_path, "01", result_of(other))
    assert len(history(run(tmp_path, "02", result_of(totals())))) == 1


def test_neither_have_other_settings_but_seeds_and_what_is_played_besides(tmp_path: Path) -> None:
    result = result_of(totals())
    run(tmp_path, "01", result, mode="solo", seed=1)
    run(tmp_path, "02", result, mode="default", seed=2, perturb="typos", split="core")
    assert len(history(run(tmp_path, "03", result, mode="default", seed=3))) == 2


def of_mock(rates: str, tasks: str) -> str:
    return f'{{"domains": ["mock"], "agent": "mine", "pass^1": {rates}, "tasks": {tasks}}}'


SOUND = of_mock("[0.5, 0.1, 0.9]", "4")
BROKEN = ["", "no JSON", "[]", "{}", '{"pass^1": [1], "domains": ["mock"]}', "null", "[" * 100_000]
WILD = [of_mock("[0.5, 0.1, 0.9]", "1e400"), of_mock("[NaN, 0, 1]", "4"), of_mock("[0.5, 0.1, 1e400]", "4")]


def test_what_the_wild_ones_are_made_of_is_sound(tmp_path: Path) -> None:
    assert len(history(run(tmp_path, "01", SOUND))) == 1


@pytest.mark.parametrize("result", [*BROKEN, *WILD])
def test_a_run_that_says_nothing_of_itself_is_left_out(tmp_path: Path, result: str) -> None:
    (tmp_path / "02").mkdir()
    assert history(run(tmp_path, "01", result)) == []
    assert history(tmp_path / "missing") == []


def test_one_run_is_no_trend_and_old_ones_are_dropped(tmp_path: Path) -> None:
    for n in range(SHOWN + 3):
        last = run(tmp_path, f"{n:02}", result_of(totals()))
    found = history(last)
    assert len(found) == SHOWN
    assert found[-1].began.endswith("22")
    assert past(found[:1]) is None


def test_a_run_without_verdicts_has_no_result() -> None:
    assert result_of(Totals()) == ""
