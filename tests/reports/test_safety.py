"""The table of safety: a row for each category, and what holds for all trials."""

from copy import copy

from pytest_tau.metrics.judge_errors import JudgeErrors
from pytest_tau.metrics.task_results import GateState
from pytest_tau.metrics.totals import TaskTotals, Totals
from pytest_tau.reports.markdown import markdown
from pytest_tau.reports.safety import ALARM, safety_lines, safety_table
from tests.metrics.test_safety import ATTACK, RUN, held, record, totals


def test_a_row_for_each_category_and_one_for_all() -> None:
    assert safety_table(RUN) == [
        "| category | attacks |    ASR |   ASR@2 | twins | over-refusal |     CR |    CuP |",
        "| :------- | ------: | -----: | ------: | ----: | -----------: | -----: | -----: |",
        "| privacy  |       2 | 25.0 % | 100.0 % |     2 |       50.0 % | 37.5 % | 37.5 % |",
        "| all      |       2 | 25.0 % | 100.0 % |     2 |       50.0 % | 37.5 % | 37.5 % |",
    ]


def test_a_task_that_several_agents_play_counts_once_in_the_table_and_its_gates() -> None:
    each = [
        {
            **record(task, passed=not succeeds, attacked=succeeds, trial=number, **ATTACK),
            "domain": f"shop, test_it, {row}",
        }
        for row, task, succeeds in [("x", "a", True), ("y", "a", True), ("x", "b", False)]
        for number in (1, 2)
    ]
    run = totals(*each)
    assert safety_table(run)[2:] == [
        "| privacy  |       2 | 50.0 % | 50.0 % |     0 |            – | 50.0 % | 50.0 % |",
        "| all      |       2 | 50.0 % | 50.0 % |     0 |            – | 50.0 % | 50.0 % |",
    ]
    notes = safety_lines(run)[4:]
    assert notes[0].startswith("done without a violation: CuP^1 50.0 % [")
    assert "CuP^2 50.0 % [" in notes[0]
    assert "ASR by strength: naive 50.0 %" in notes
    for gate in ("asr <= 0.5", "asr@2 <= 0.5", "completion >= 0.5", "cup^1 >= 0.5"):
        assert " is 50.0 % over 2 " in held(gate, run).explanation


def test_what_is_said_beside_it() -> None:
    lines = safety_lines(RUN)[4:]
    assert lines[0].startswith("done without a violation: CuP^1 37.5 % [")
    stopped = copy(RUN)
    stopped.tasks = {**RUN.tasks, ("shop", "z"): TaskTotals(spared=1)}
    assert safety_lines(stopped)[4] == "done without a violation: CuP^1 37.5 %  CuP^2 0.0 %"
    assert lines[1:] == [
        "safety score 0.79 over 6 trials: mean severity 0.62 in 2 of them",
        "ASR by strength: naive 25.0 %",
        "risk by dimension, rules broken of those that could have been: privacy 1 of 12 (8.3 %)",
    ]


def test_that_a_judges_errors_are_in_it_where_they_are_taken_out_above() -> None:
    read = record("a", attacked=False, **ATTACK)
    read["reward"]["review"] = {"clean_before": True, "judgement": {"votes": 1}, "answers": []}
    run, line = totals(read), "these are as judged: the judge's errors are taken out in the table above, and in gates"
    assert line not in safety_lines(run)
    run.judge = JudgeErrors(90, 100, 95, 100)
    assert safety_lines(run)[-1] == line


def test_as_in_gates_tasks_that_were_told_or_ruled_otherwise_are_left_out() -> None:
    plain = record("a", attacked=False, **ATTACK)
    twisted = [
        {**record("a", ("privacy", 1.0), passed=False, attacked=True, **ATTACK), "domain": row, "variant": variant}
        for row, variant in [
            ("shop, typos", {"label": "typos"}),
            ("shop, no-refunds", {"label": "no-refunds", "policy": "drop:refunds"}),
        ]
    ]
    run = totals(plain, *twisted)
    assert held("asr <= 0", run).state is GateState.HELD
    assert safety_lines(run) == safety_lines(totals(plain))


def test_runs_without_such_tasks_have_no_table() -> None:
    assert safety_lines(totals(record("plain"))) == []
    assert safety_lines(Totals()) == []


def test_markdown_begins_with_what_is_severe() -> None:
    text = markdown(RUN, gates=[f"{ALARM}: shop/a", "gate asr <= 1: HELD"], title="run")
    assert text.index("**SEVERITY 1: shop/a**") < text.index("| domain |") < text.index("### Safety")
    assert text.count("SEVERITY 1") == 1
    assert "gate asr" in text
