"""What stands below the table."""

import pytest

from pytest_tau.metrics.judge_errors import JudgeErrors
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import UNKNOWN, Costs, TrialFacts
from pytest_tau.reports.notes import first_notes, notes
from pytest_tau.reports.terminal import summary_table
from pytest_tau.schema.reward import NO_ANSWER, NO_VERDICT
from tests.reports.test_terminal import rows, totals


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
    expected = (
        "Agreement unclear before 2 writes in 1 trial; a judge would decide (--tau-judge-llm and --tau-review=unclear)."
    )
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


def test_what_is_unclear_in_a_lost_trial_is_not_counted() -> None:
    made = totals(("mock", "a", "passed"))
    before = notes(made)
    checks = [{"name": kind, "kind": kind, "met": True, "unclear": 1} for kind in ("confirmed", "reason", "claims")]
    results = [{"criterion": "DB", "value": 0.0}, {"criterion": "TRAJECTORY", "value": 1.0, "checks": checks}]
    reward = {"value": 0.0, "results": results}
    made.add(TrialFacts.of({"domain": "mock", "task_id": "a", "outcome": "missed", "reward": reward}))
    assert notes(made) == before


class TestNotes:
    def test_the_brackets(self) -> None:
        assert notes(totals(("mock", "a", "passed"))) == [
            "[ ]: 95 % interval for tasks like these; steps: mean per trial."
        ]
        assert notes(totals(("mock", "a", "error")))[0] == "No trial has a verdict, so there is no pass^k."

    def test_three_plain_lines_at_most_and_what_the_score_leaves_out_is_never_cut(self) -> None:
        made = totals(("mock", "a", "missed"), ("mock", "b", "error"), ("mock", "c", "ungraded"))
        made.faults.update({"premature_end": 1, "context_overflow": 1})
        made.overflown["infra_error"] += 1
        made.incidents.update({"agent: empty answer": 2, "user: empty answer": 1})
        shown = first_notes(made, more="More with -v.")
        assert [line[:12] for line in shown] == ["[ ]: 95 % in", "(!) The tabl", "Context over", "1 trial wait"]
        assert shown[0].endswith(" More with -v.")
        assert set(first_notes(made)) < set(notes(made))
        few = totals(("mock", "a", "missed"))
        few.faults.update({"premature_end": 1})
        few.incidents.update({"agent: tool call as text": 2})
        assert [line.partition(":")[0] for line in first_notes(few)] == ["[ ]", "Tool call as text", "Faults"]
        few.unexplained = 1
        assert first_notes(few, more="More with -v.")[2:] == ["Faults: 1 premature end."]

    def test_that_a_judges_errors_are_taken_out_is_never_cut(self) -> None:
        made = totals(("mock", "a", "missed"))
        made.faults.update({"premature_end": 1})
        made.incidents.update({"agent: tool call as text": 2})
        answers = [{"kind": "claims", "verdict": "fine"}]
        reward = {"value": 1.0, "violated": [], "review": {"clean_before": True, "answers": answers}}
        made.add(TrialFacts.of({"domain": "mock", "task_id": "a", "outcome": "passed", "reward": reward}))
        assert not any(line.startswith("A judge") for line in first_notes(made))
        made.judge = JudgeErrors(19, 20, 19, 20)
        assert "A judge read 1 trial: its errors are taken out, as its passport has them." in first_notes(made)

    @pytest.mark.parametrize(("number", "named"), [(1, "1 error;"), (2, "2 errors;")])
    def test_one_error_and_several(self, number: int, named: str) -> None:
        assert f"leaves out {named}" in notes(totals(*[("mock", "a", "error")] * number))[1]

    def test_the_denominators(self) -> None:
        made = totals(("mock", "a", "passed"), ("mock", "a", "infra_error"), ("mock", "b", "passed"), planned=2)
        assert notes(made)[1] == (
            "(!) The table leaves out 1 infra, 1 not run; had they all missed … passed: "
            "pass^1 50.0 … 100.0 %  pass^2 0.0 … 100.0 %."
        )

    def test_each_of_several_agents_has_bounds_of_its_own(self) -> None:
        made = Totals()
        for label, outcome in (("a", "passed"), ("b", "passed"), ("b", "infra_error"), ("c", "error")):
            made.add(TrialFacts(f"mock, {label}", "t", outcome, label=label))
        assert next(line for line in notes(made) if "leaves out" in line) == (
            "(!) The table leaves out 1 infra, 1 error; had they all missed … passed: "
            "b pass^1 50.0 … 100.0 %  pass^2 0.0 … 100.0 %; c pass^1 0.0 … 100.0 %."
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

    @pytest.mark.parametrize("kind", ["confirmed", "claims", "reason"])
    def test_what_a_judge_could_not_tell_is_nothing_that_one_would_decide(self, kind: str) -> None:
        made = Totals()
        for votes in (1, None):
            checks = [{"name": "it", "kind": kind, "met": True, "unclear": 1}]
            review = {} if votes is None else {"review": {"judgement": {"votes": votes}}}
            reward = {"value": 1.0, "results": [{"criterion": "TRAJECTORY", "value": 1.0, "checks": checks}], **review}
            made.add(TrialFacts.of({"domain": "mock", "task_id": "a", "outcome": "passed", "reward": reward}))
        assert "In 1 trial the judge could not tell, and something stays unclear." in notes(made)
        assert len([line for line in notes(made) if "1 trial" in line]) == 2

    @pytest.mark.parametrize("said", ["", "2 of 3 votes: "])
    def test_a_judge_whose_answers_cannot_be_read_loses_no_trial_in_silence(self, said: str) -> None:
        checks = [{"name": "it is polite", "met": False, "explanation": f"{said}{NO_VERDICT}"}]
        reward = {"value": 0.0, "results": [{"criterion": "NL_ASSERTION", "value": 0.0, "checks": checks}]}
        made = Totals()
        made.add(TrialFacts.of({"domain": "mock", "task_id": "a", "outcome": "missed", "reward": reward}))
        line = "In 1 trial nothing that the judge said of an assertion could be read: it counts as not met."
        assert line in first_notes(made)

    def test_why_the_judge_has_not_read(self) -> None:
        made = Totals()
        for why in ("it had not answered within 5 s", "it had not answered within 5 s", "it is down"):
            review = {"answers": [{"kind": "claims", "why": NO_ANSWER + why}], "judgement": {"votes": 0}}
            record = {"domain": "mock", "task_id": "a", "outcome": "passed", "reward": {"review": review}}
            made.add(TrialFacts.of(record))
        assert first_notes(made)[1] == (
            "The judge has not read 3 trials, in which what is unclear stays so: it had not answered within 5 s; "
            "the others for other reasons."
        )

    def test_the_judge_is_for_the_criteria_that_wait(self) -> None:
        made = Totals()
        for criterion in ("POLITE", "NL_ASSERTION", "POLITE"):
            results = [{"criterion": "DB", "value": 1.0}, {"criterion": criterion}]
            results.append({"criterion": "TIDY", "in_basis": False})
            record = {"domain": "mock", "task_id": "a", "outcome": "ungraded"}
            made.add(TrialFacts.of({**record, "reward": {"value": None, "results": results}}))
        assert "3 trials wait for a judge (POLITE, NL_ASSERTION): neither passed nor missed." in notes(made)
