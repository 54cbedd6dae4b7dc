"""The tables at the end."""

import pytest

from pytest_tau.metrics.totals import UNKNOWN, Costs, Totals, TrialFacts
from pytest_tau.reports.terminal import duration, first_notes, money, notes, summary_table, task_table


def totals(*trials: tuple[str, str, str], planned: int = 0) -> Totals:
    made = Totals()
    for domain, task_id, outcome in trials:
        if planned and (domain, task_id) not in made.tasks:
            made.plan(domain, task_id, planned)
        made.add(TrialFacts(domain, task_id, outcome, steps=5, costs=Costs(0.25)))
    return made


def test_faults_are_counted_in_one_line() -> None:
    made = totals(("mock", "a", "passed"))
    assert not [line for line in notes(made) if line.startswith("Faults")]
    for fault in ("wrong_tool", "premature_end", "premature_end"):
        made.add(TrialFacts("mock", "a", "missed", fault=fault))
    assert "Faults: 2 premature end, 1 wrong tool." in notes(made)


def test_unclear_agreements_are_counted_in_one_line() -> None:
    made = totals(("mock", "a", "passed"))
    assert not [line for line in notes(made) if line.startswith("Agreement")]
    checks = [{"name": "confirmed", "met": True, "unclear": 2}]
    reward = {"value": 1.0, "results": [{"criterion": "TRAJECTORY", "value": 1.0, "checks": checks}]}
    content = {"domain": "mock", "task_id": "a", "outcome": "passed", "reward": reward}
    made.add(TrialFacts.of(content))
    expected = "Agreement unclear before 2 writes in 1 trial; a judge would decide (--tau-judge-llm)."
    assert expected in notes(made)


def test_counts_say_whose_they_are_where_the_table_has_fewer() -> None:
    made = Totals()
    for end, fault in (("infra_error", "provider_fault"), ("missed", "wrong_tool"), ("missed", "policy_breach")):
        made.add(TrialFacts("mock, typos", "a", end, fault=fault, variant={"label": "typos"}, costs=Costs(1.0, 0.5)))
    made.add(TrialFacts("mock", "a", "passed", costs=Costs(1.0, 0.5)))
    told = notes(made)
    assert "The numbers of the variants leave out 1 infra." in told
    assert not [line for line in told if line.startswith("(!)")]
    assert "Faults (with the variants): 1 policy breach, 1 provider fault, 1 wrong tool." in told
    assert "Cost (with the variants): agent $4.00, user $2.00." in told


def test_trials_with_an_unclear_reason_are_counted_in_another() -> None:
    made = totals(("mock", "a", "passed"))
    checks = [{"name": "reason: late", "kind": "reason", "met": True, "unclear": 1}]
    reward = {"value": 1.0, "results": [{"criterion": "TRAJECTORY", "value": 1.0, "checks": checks * 2}]}
    made.add(TrialFacts.of({"domain": "mock", "task_id": "a", "outcome": "passed", "reward": reward}))
    assert "Unclear in 1 trial whether the reason was given; it counts as given." in notes(made)
    assert not [line for line in notes(made) if line.startswith("Agreement")]


def rows(lines: list[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


class TestSummary:
    def test_one_domain(self) -> None:
        made = totals(
            ("mock", "a", "passed"), ("mock", "a", "passed"), ("mock", "b", "passed"), ("mock", "b", "missed")
        )
        head, rule, row = rows(summary_table(made))
        assert head == ["domain", "tasks", "trials", "pass^1", "pass^2", "missed", "infra", "steps", "cost"]
        assert set("".join(rule)) <= set(":-")
        assert row == ["mock", "2", "4", "75.0 % [0–100]", "50.0 % [0–100]", "1", "0", "5.0", "$1.00"]

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
        assert "under policy 0.0–100.0 %: all that is unclear counted as a breach … as none." in told

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


class TestNotes:
    def test_the_brackets(self) -> None:
        assert notes(totals(("mock", "a", "passed"))) == [
            "[ ]: 95 % interval for tasks like these; steps: mean per trial."
        ]
        assert notes(totals(("mock", "a", "error")))[0] == "No trial has a verdict, so there is no pass^k."

    def test_three_plain_lines_at_most_and_what_the_score_leaves_out_is_never_cut(self) -> None:
        made = totals(("mock", "a", "missed"), ("mock", "b", "error"), ("mock", "c", "ungraded"))
        made.faults.update({"premature_end": 1, "context_overflow": 1})
        made.incidents.update({"agent: empty answer": 2, "user: empty answer": 1})
        shown = first_notes(made, more="More with -v.")
        assert [line[:12] for line in shown] == ["[ ]: 95 % in", "(!) The tabl", "Context over", "1 trial wait"]
        assert shown[-1].endswith("neither passed nor missed. More with -v.")
        assert set(first_notes(made)) < set(notes(made))
        few = totals(("mock", "a", "missed"))
        few.faults.update({"premature_end": 1})
        few.incidents.update({"agent: tool call as text": 2})
        assert [line.partition(":")[0] for line in first_notes(few)] == ["[ ]", "Tool call as text", "Faults"]
        few.unexplained = 1
        assert first_notes(few, more="More with -v.")[2:] == ["Faults: 1 premature end. More with -v."]

    @pytest.mark.parametrize(("number", "named"), [(1, "1 error;"), (2, "2 errors;")])
    def test_one_error_and_several(self, number: int, named: str) -> None:
        assert f"leaves out {named}" in notes(totals(*[("mock", "a", "error")] * number))[1]

    def test_the_denominators(self) -> None:
        made = totals(("mock", "a", "passed"), ("mock", "a", "infra_error"), ("mock", "b", "passed"), planned=2)
        assert notes(made)[1] == (
            "(!) The table leaves out 1 infra, 1 not run; had they all missed … passed: "
            "pass^1 50.0 … 100.0 %  pass^2 0.0 … 100.0 %."
        )

    def test_tasks_with_too_few_trials_do_not_raise_pass_k_unseen(self) -> None:
        """pass^2 over the one task that has two verdicts stands above pass^1; the row and the bounds say why."""
        made = totals(
            ("mock", "a", "passed"), ("mock", "a", "passed"), ("mock", "b", "missed"), ("mock", "b", "error"), planned=2
        )
        head, _, row = rows(summary_table(made))
        at = head.index("trials")
        assert row[at : at + 3] == ["4 (!)", "50.0 % [0–100]", "100.0 % [0–100] over 1"]
        assert any("pass^1 50.0 … 75.0 %  pass^2 50.0 … 50.0 %." in line for line in notes(made))

    def test_replays(self) -> None:
        made = totals(*[("mock", "a", "passed")] * 4)
        made.of()[0].replays = 1
        assert notes(made)[-1] == (
            "1 replay: trials without a verdict that were played again, 25.0 % of 4; "
            "costs include what is known of these. A gate can limit them (replays <= 2 %)."
        )

    def test_a_run_that_was_stopped_has_estimates_without_intervals(self) -> None:
        made = totals(("mock", "a", "passed"), planned=4)
        made.of()[0].spared = 3
        assert rows(summary_table(made))[2][2:4] == ["1", "100.0 %"]
        assert notes(made)[0].startswith("Estimates of a run that was stopped, without intervals;")

    @pytest.mark.parametrize(
        ("costs", "line"),
        [
            (Costs(1.5, 0.5), "Cost: agent $1.50, user $0.50."),
            (Costs(1.5, 0.0, None), "Cost: agent $1.50, user $0.00, judge unknown."),
        ],
    )
    def test_costs_of_the_sides(self, costs: Costs, line: str) -> None:
        made = Totals()
        made.add(TrialFacts("mock", "a", "passed", costs=costs))
        assert notes(made)[-1] == line

    def test_what_nobody_knows_of_any_side_is_the_column(self) -> None:
        made = totals(("mock", "a", "passed"))
        made.add(TrialFacts("mock", "a", "error", costs=UNKNOWN))
        assert not [line for line in notes(made) if line.startswith("Cost")]

    def test_an_agent_alone_is_the_column(self) -> None:
        assert len(notes(totals(("mock", "a", "passed")))) == 1

    def test_trials_that_were_not_begun(self) -> None:
        made = totals(("mock", "a", "passed"), planned=2)
        made.not_run["the budget of $5 is used up"] += 1
        assert notes(made)[-1] == "1 trial not run: the budget of $5 is used up."

    @pytest.mark.parametrize(("number", "words"), [(1, "1 trial waits"), (2, "2 trials wait")])
    def test_the_judge(self, number: int, words: str) -> None:
        assert notes(totals(*[("mock", "a", "ungraded")] * number))[-1].startswith(f"{words} for a judge")


def test_tasks() -> None:
    made = totals(("mock", "a", "passed"), ("mock", "a", "missed"), ("mock", "b", "infra_error"), planned=3)
    assert rows(task_table(made))[2:] == [
        ["mock/a", "1/3", "1 missed", "5.0", "$0.50"],
        ["mock/b", "0/3", "1 infra", "5.0", "$0.25"],
    ]


def test_units() -> None:
    assert [duration(s) for s in (0.4, 89, 90, 5399, 5400)] == ["0 s", "89 s", "2 min", "90 min", "1.5 h"]
    assert [money(v) for v in (None, 0.0, 1.005e3)] == ["unknown", "$0.00", "$1005.00"]
