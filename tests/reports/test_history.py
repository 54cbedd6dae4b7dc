"""Earlier runs of a suite, as their manifests tell them."""

from pathlib import Path

import pytest

from pytest_tau.manifest import Manifest
from pytest_tau.metrics.totals import Totals, TrialFacts
from pytest_tau.reports.history import RESULT, SHOWN, history, past, result_of


def totals(domain: str = "mock", passed: int = 3) -> Totals:
    made = Totals()
    for n in range(4):
        outcome = "passed" if n < passed else "missed"
        made.add(TrialFacts(domain, f"t{n}", outcome, agent="mine"))
    return made


def run(results: Path, name: str, result: str, commit: str = "abcdef1234567890") -> None:
    folder = results / name
    folder.mkdir(parents=True)
    Manifest(about={RESULT: result, "commit": commit, "began": f"2025-01-01T00:00:{name}"}).save(folder)


def test_runs_of_the_same_domains_come_in_order(tmp_path: Path) -> None:
    for name, passed in (("01", 1), ("02", 3)):
        run(tmp_path, name, result_of(totals(passed=passed)))
    run(tmp_path, "03", result_of(totals("shop")))
    (tmp_path / "latest").symlink_to("02")
    found = history(tmp_path, ["mock"])
    assert [(one.value, one.tasks, one.agent) for one in found] == [(0.25, 4, "mine"), (0.75, 4, "mine")]
    picture = past(found)
    assert picture is not None
    assert picture["points"][1]["told"] == "2025-01-01 00:00:02: 75.0 % of 4 tasks, mine, commit abcdef1234"
    assert picture["points"][0]["y"] > picture["points"][1]["y"]


def of_mock(rates: str, tasks: str) -> str:
    return f'{{"domains": ["mock"], "agent": "mine", "pass^1": {rates}, "tasks": {tasks}}}'


SOUND = of_mock("[0.5, 0.1, 0.9]", "4")
BROKEN = ["", "no JSON", "[]", "{}", '{"pass^1": [1], "domains": ["mock"]}', "null", "[" * 100_000]
WILD = [of_mock("[0.5, 0.1, 0.9]", "1e400"), of_mock("[NaN, 0, 1]", "4"), of_mock("[0.5, 0.1, 1e400]", "4")]


def test_what_the_wild_ones_are_made_of_is_sound(tmp_path: Path) -> None:
    run(tmp_path, "01", SOUND)
    assert len(history(tmp_path, ["mock"])) == 1


@pytest.mark.parametrize("result", [*BROKEN, *WILD])
def test_a_run_that_says_nothing_of_itself_is_left_out(tmp_path: Path, result: str) -> None:
    run(tmp_path, "01", result)
    (tmp_path / "02").mkdir()
    assert history(tmp_path, ["mock"]) == []
    assert history(tmp_path / "missing", ["mock"]) == []


def test_one_run_is_no_trend_and_old_ones_are_dropped(tmp_path: Path) -> None:
    for n in range(SHOWN + 3):
        run(tmp_path, f"{n:02}", result_of(totals()))
    found = history(tmp_path, ["mock"])
    assert len(found) == SHOWN
    assert found[-1].began.endswith("22")
    assert past(found[:1]) is None


def test_a_run_without_verdicts_has_no_result() -> None:
    assert result_of(Totals()) == ""
