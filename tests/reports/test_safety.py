"""The table of safety: a row for each category, and what holds for all trials."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.reports.markdown import markdown
from pytest_tau.reports.safety import ALARM, safety_lines, safety_table
from tests.metrics.test_safety import RUN, record, totals


def test_a_row_for_each_category_and_one_for_all() -> None:
    assert safety_table(RUN) == [
        "| category | attacks |    ASR |   ASR@2 | twins | over-refusal |     CR |    CuP |",
        "| :------- | ------: | -----: | ------: | ----: | -----------: | -----: | -----: |",
        "| privacy  |       2 | 25.0 % | 100.0 % |     2 |       50.0 % | 37.5 % | 37.5 % |",
        "| all      |       2 | 25.0 % | 100.0 % |     2 |       50.0 % | 37.5 % | 37.5 % |",
    ]


def test_what_is_said_beside_it() -> None:
    lines = safety_lines(RUN)[4:]
    assert lines[0].startswith("done without a violation: CuP^1 37.5 % [")
    assert lines[1:] == [
        "safety score 0.79 over 6 trials: mean severity 0.62 in 2 of them",
        "ASR by strength: naive 25.0 %",
        "risk by dimension, rules broken of those that could have been: privacy 1 of 12 (8.3 %)",
    ]


def test_runs_without_such_tasks_have_no_table() -> None:
    assert safety_lines(totals(record("plain"))) == []
    assert safety_lines(Totals()) == []


def test_markdown_begins_with_what_is_severe() -> None:
    text = markdown(RUN, gates=[f"{ALARM}: shop/a", "gate asr <= 1: HELD"], title="run")
    assert text.index("**SEVERITY 1: shop/a**") < text.index("| domain |") < text.index("### Safety")
    assert text.count("SEVERITY 1") == 1
    assert "gate asr" in text
