"""The tables at the end."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.printable import columns_of, printable
from pytest_tau.reports.notes import notes
from pytest_tau.reports.terminal import align_table, duration, money, summary_table, task_table


def totals(*trials: tuple[str, str, str], planned: int = 0) -> Totals:
    made = Totals()
    for domain, task_id, outcome in trials:
        if planned and (domain, task_id) not in made.tasks:
            made.plan(domain, task_id, planned)
        made.add(TrialFacts(domain, task_id, outcome, steps=5, costs=Costs(0.25)))
    return made


def rows(lines: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_table_lines_up_whatever_letters_are_in_it() -> None:
    table = [
        ["task", "n"],
        ["plain", "1"],
        ["返品する", "2"],
        ["e\u0301te\u0301", "３"],
        ["a\x1bb", "4"],
        ["two\nlines", "5"],
    ]
    lines = [printable(line) for line in align_table(table)]
    assert {columns_of(line) for line in lines} == {len(lines[0])}
    assert lines[4:6] == ["| e\u0301te\u0301       |  ３ |", "| a\\x1bb    |   4 |"]


class TestSummary:
    def test_one_domain(self) -> None:
        made = totals(
            ("mock", "a", "passed"), ("mock", "a", "passed"), ("mock", "b", "passed"), ("mock", "b", "missed")
        )
        head, rule, row = rows(summary_table(made))
        assert head == ["domain", "tasks", "trials", "pass^1", "pass^2", "missed", "infra", "steps", "cost"]
        assert set("".join(rule)) <= set(":-")
        assert row == ["mock", "2", "4", "75.0 % [0–100]", "50.0 % [0–100]", "1", "0", "5.0", "$1.00"]

    def test_a_task_of_several_tests_is_all_of_the_tasks(self) -> None:
        *_, row = rows(summary_table(totals(("mock, test_it, a", "a", "passed"), ("mock, test_it, b", "a", "missed"))))
        assert row[:4] == ["all", "1", "2", "50.0 % [0–100]"]

    def test_many_trials_show_every_other_of_the_curve(self) -> None:
        def shown(trials: int) -> tuple[list[str], list[str]]:
            made = totals(*[("mock", "a", "passed")] * trials)
            head, _, _ = rows(summary_table(made))
            lines = [line.partition(":")[0] for line in notes(made)]
            return tuple(  # type: ignore[return-value]
                [name.removeprefix("pass^") for name in names if name.startswith("pass^")] for names in (head, lines)
            )

        assert shown(8) == (["1", "8"], ["2", "3", "4", "5", "6", "7"])
        assert shown(9) == (["1", "9"], ["2", "4", "8"])
        assert shown(20) == (["1", "20"], ["2", "4", "8", "16"])
        missing = next(line for line in notes(totals(*[("mock", "a", "passed")] * 8, planned=9)) if "leaves" in line)
        assert [part.split()[0] for part in missing.split("passed: ")[1].split("  ")] == [
            f"pass^{k}" for k in (1, 2, 4, 8, 9)
        ]

    def test_it_fits_a_pull_request_and_what_gives_way_is_told(self) -> None:
        ends = [("retail", str(task), "passed") for task in range(114)] * 4 + [("airline", "a", "missed")] * 4
        made = totals(*ends)
        kept = {"violated": [], "conduct": {"completed": True, "unclear": 1}, "progress": 0.5}
        for domain in ("retail", "airline"):
            content = {"domain": domain, "task_id": "0", "outcome": "passed", "reward": kept}
            made.add(TrialFacts.of(content))
        table = summary_table(made)
        assert max(map(len, table)) <= 100
        head, _, *found = rows(table)
        assert {"pass^1", "pass^5", "under policy", "missed", "cost"} <= set(head)
        assert [row[head.index("under policy")] for row in found] == ["0.0–100.0 %"] * 3
        told = notes(made)
        assert "progress: retail 50.0 %, airline 50.0 %, all 50.0 %" in told
        assert any(line.startswith("pass^2: retail 100.0 % [") for line in told)
        assert "under policy 0.0–100.0 %: the first if all that is unclear is a breach, the second if none is." in told

    def test_it_lines_up(self) -> None:
        made = totals(("mock", "a", "passed"), ("a-long-name", "b", "ungraded"))
        assert len({len(line) for line in summary_table(made)}) == 1

    def test_several_domains_and_all(self) -> None:
        made = totals(("mock", "a", "passed"), ("retail", "a", "infra_error"), ("retail", "b", "missed"))
        assert [(row[0], row[3]) for row in rows(summary_table(made))[2:]] == [
            ("mock", "100.0 % [0–100]"),
            ("retail", "0.0 % [0–100] over 1"),
            ("all", "50.0 % [0–100] over 2"),
        ]

    def test_what_is_not_there_is_a_dash(self) -> None:
        made = totals(
            ("mock", "a", "passed"), ("mock", "a", "passed"), ("retail", "b", "missed"), ("shop", "c", "error")
        )
        head, *others = rows(summary_table(made))
        at = head.index("pass^1")
        found = {row[0]: row[at : at + 2] for row in others}
        assert found["retail"][1] == "–"
        assert found["shop"] == ["–", "–"]

    def test_trials_that_were_not_run(self) -> None:
        assert rows(summary_table(totals(("mock", "a", "passed"), planned=4)))[2][2] == "1 of 4 (!)"

    def test_columns_for_what_happened(self) -> None:
        head = rows(summary_table(totals(("mock", "a", "invalid"), ("mock", "a", "ungraded"))))[0]
        assert [name for name in head if name in ("missed", "infra", "invalid", "errors", "ungraded")] == [
            "missed",
            "infra",
            "invalid",
            "ungraded",
        ]

    def test_a_name_cannot_break_the_table(self) -> None:
        assert r"a\|b" in summary_table(totals(("a|b", "t", "passed")))[2]


def test_tasks() -> None:
    made = totals(("mock", "a", "passed"), ("mock", "a", "missed"), ("mock", "b", "infra_error"), planned=3)
    made.add(TrialFacts("mock", "a", "error", costs=Costs(0.0, 0.0, 0.0)))  # of one that did not end no steps are known
    assert rows(task_table(made))[2:] == [
        ["mock/a", "1/3", "1 missed, 1 error", "5.0", "$0.50"],
        ["mock/b", "0/3", "1 infra", "5.0", "$0.25"],
    ]
    made.of()[1].spared = 2
    assert rows(task_table(made))[3][1] == "0/1"


def test_units() -> None:
    assert [duration(s) for s in (0.4, 89, 90, 5399, 5400)] == ["0 s", "89 s", "2 min", "90 min", "1.5 h"]
    assert [money(v) for v in (None, 0.0, 0.00123, 1.005e3)] == ["unknown", "$0.00", "$0.00123", "$1005.00"]
