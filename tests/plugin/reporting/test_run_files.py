"""What stands in a run's files; which are written, and what is told of each, is in test_written_files.py."""

import pytest

from tests.plugin.conftest import MakeRun
from tests.plugin.reporting.outputs import FACTS, TASKS, TRIALS, written
from tests.reports.runs import record


def test_a_title_says_what_was_tested_and_what_was_unusual(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FACTS, "mode", "oracle-plan")
    monkeypatch.setitem(FACTS, "criteria", "DB")
    run = make_run(domain=("mock",), markdown="run.md")
    written(run)
    title = (run.root / "run.md").read_text(encoding="utf-8").splitlines()[0]
    assert title == "## mock: mine:Agent, k 2, oracle-plan, graded by DB alone"


def test_trials_stand_in_the_order_of_the_suite(make_run: MakeRun) -> None:
    run = make_run(export=(("csv", "t.csv"),))
    order = [trial.nodeid.removesuffix("trial1]") for trial in TRIALS[::-2]]
    shuffled = [TRIALS[number] for number in (3, 0, 2, 1)]
    written(run, shuffled, [nodeid.replace("trial2]", "") for nodeid in order])
    _, *lines = (run.root / "t.csv").read_text(encoding="utf-8").splitlines()
    found = [task for line in lines for task in TASKS if task in line]
    assert found == [TASKS[1], TASKS[1], TASKS[0], TASKS[0]]


@pytest.mark.parametrize("row", ["mock", "mock, tests/shop/test_it.py::test_it"])
def test_the_page_has_the_curve_of_the_baseline_whatever_stands_in_a_row(make_run: MakeRun, row: str) -> None:
    run = make_run(html="run.html")
    written(run, row=row, baseline={f"{row}/{task}": (2, 2) for task in TASKS})
    assert '<polyline class="before"' in (run.root / "run.html").read_text(encoding="utf-8")


def test_of_tasks_that_are_gone_the_page_and_the_tables_are_written_and_the_rest_is_told(make_run: MakeRun) -> None:
    gone = [record("gone", 1, domain="nosuch")]
    run = make_run(html="run.html", markdown="run.md", export=(("tau2", "t.json"),))
    html, markdown, export = written(run, gone)
    assert (html, markdown) == (f"written: {run.root / 'run.html'}", f"written: {run.root / 'run.md'}")
    assert export.startswith(f"not written: {run.root / 't.json'}: there is no ")


def test_trials_of_several_tests_that_stand_together_in_a_tau2_file_are_told(make_run: MakeRun) -> None:
    run = make_run(domain=("mock",), export=(("tau2", "t.json"),))
    others = [one.model_copy(update={"nodeid": f"test_it.py::test_it[{one.task_id}-trial1]"}) for one in TRIALS[::2]]
    assert written(run, TRIALS)[1:] == []
    told = "τ² knows no tests: of 6 trials 2 are of a task that another test has played as well"
    assert written(run, [*TRIALS, *others])[1:] == [told]
