"""What stands beside the pass^k table."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.breakdowns import group_table, scatter, trial_spread
from pytest_tau.schema.record import Outcome, Variant
from tests.builders import task
from tests.reports.runs import record


def totals(**outcomes: str) -> Totals:
    """Trials of tasks of the mock domain: p for passed, m for missed."""
    made = Totals()
    for task_id, ends in outcomes.items():
        for end in ends:
            made.add(TrialFacts("mock", task_id, {"p": "passed", "m": "missed"}[end]))
    return made


def test_how_a_run_scatters() -> None:
    assert scatter(totals(a="pp", b="pm", c="mm")) == [
        "pass@1 50.0 %  pass@2 66.7 %",
        "G-Pass@2_0.5 66.7 %  G-Pass@2_0.75 33.3 %",
        "pass^1, 95 % interval: tasks like these [0.0–100.0], these tasks, played for ever [15.4–84.6]",
        "tasks' pass rates: standard deviation 50.0 points, quartiles 25.0 % / 50.0 % / 75.0 %",
        "variance of a trial: 0.167 between tasks, 0.167 within a task; ICC (the share between tasks) 0.50",
        "outcome consistency: two trials of a task end alike in 66.7 % of cases",
        "noise floor: pass^1 of two runs of the same agent differs by up to 46.2 points",
    ]


def of_two_agents() -> Totals:
    made = Totals()
    for label, end in (("gpt", "passed"), ("claude", "missed")):
        for task_id in ("a", "b"):
            made.add(TrialFacts(f"mock, {label}", task_id, end, label=label))
    return made


def test_several_agents_are_no_whole() -> None:
    both = scatter(of_two_agents())
    assert both
    assert [line.partition(": ")[0] for line in both] == ["gpt", "claude"] * (len(both) // 2)
    assert "quartiles 100.0 % / 100.0 % / 100.0 %" in both[0]


def of_two_tests() -> Totals:
    """One passes all trials of both tasks, the other none of the second."""
    made = Totals()
    for test, task_id, end in (("a", "a", "passed"), ("a", "b", "passed"), ("b", "a", "passed"), ("b", "b", "missed")):
        for _ in range(2):
            made.add(TrialFacts(f"mock, test_{test}", task_id, end))
    return made


def test_tests_of_the_same_task_say_it_once_of_tasks_like_these() -> None:
    made = of_two_tests()
    (first,) = made.pass_hat()[:1]
    said = "\n".join(scatter(made))
    assert f"tasks like these [{100 * first.low:.1f}–{100 * first.high:.1f}]" in said
    assert "standard deviation 35.4 points, quartiles 62.5 % / 75.0 % / 87.5 %" in said


def test_the_rates_of_trials_are_those_of_all_tests() -> None:
    trials = [
        record("t", trial, outcome).model_copy(update={"nodeid": f"test_x.py::{test}[t-trial{trial}]"})
        for test, outcome in (("test_a", Outcome.MISSED), ("test_b", Outcome.PASSED))
        for trial in (1, 2)
    ]
    (line,) = trial_spread(trials)
    assert line.startswith("pass rate of each trial over the tasks: 50.0 %, 50.0 %;")


def test_groups_of_tests_of_the_same_task_and_of_several_agents() -> None:
    tasks = {("mock", name): task(id=name, tags=["easy"]) for name in "ab"}

    def easy(made: Totals) -> list[list[str]]:
        rows = group_table(made, tasks, lambda domain, tool: False)
        return [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in rows if "easy" in row]

    made = of_two_tests()
    made.add(TrialFacts("mock, typos", "a", "missed", variant={"label": "typos"}))
    ((name, number, value),) = easy(made)
    assert (name, number, value.partition(" [")[0]) == ("tag: easy", "2", "75.0 %")
    assert [(name, value.partition(" [")[0]) for name, _, value in easy(of_two_agents())] == [
        ("gpt: tag: easy", "100.0 %"),
        ("claude: tag: easy", "0.0 %"),
    ]


def test_the_rates_of_trials_are_each_agents_own_and_of_tasks_as_they_are() -> None:
    first = [record("a", trial, label="gpt") for trial in (1, 2)]
    second = [record("a", trial, Outcome.MISSED, label="claude") for trial in (1, 2)]
    varied = [record("a", trial, Outcome.MISSED, label="gpt", variant=Variant(label="typos")) for trial in (1, 2)]
    assert trial_spread([*first, *second, *varied]) == [
        "gpt: pass rate of each trial over the tasks: 100.0 %, 100.0 %; standard deviation 0.0 points",
        "claude: pass rate of each trial over the tasks: 0.0 %, 0.0 %; standard deviation 0.0 points",
    ]


def test_one_trial_says_nothing_about_chance() -> None:
    assert scatter(Totals()) == []
    assert scatter(totals(a="p")) == []
    assert [line.partition(":")[0] for line in scatter(totals(a="p", b="m"))] == ["tasks' pass rates"]


def test_the_rates_of_trials() -> None:
    run = [record("a", 1), record("a", 2, Outcome.MISSED), record("b", 1), record("b", 2)]
    broken = record("a", 3, Outcome.INFRA_ERROR, reward=None)
    assert trial_spread([*run, broken]) == [
        "pass rate of each trial over the tasks: 100.0 %, 50.0 %; standard deviation 35.4 points"
    ]
    assert trial_spread(run[:1]) == trial_spread([]) == []
    assert trial_spread([*run[::2], record("a", 10**9, Outcome.MISSED), record("b", 10**9)]) == trial_spread(run)


def test_groups_of_tasks() -> None:
    look = {"action_id": "1", "name": "look", "arguments": {}}
    change = {**look, "action_id": "2", "name": "change"}
    theirs = {**change, "action_id": "3", "name": "restart", "requestor": "user"}
    tasks = {
        ("mock", "a"): task(
            id="a",
            tags=["easy"],
            user_scenario={"persona": "Calm\nand | kind", "instructions": "x"},
            evaluation_criteria={"actions": [look, change, theirs, change, change]},
        ),
        ("mock", "b"): task(id="b", tags=["easy", "short"], evaluation_criteria={"actions": [look, theirs]}),
    }
    table = group_table(totals(a="pp", b="pm", c="mm"), tasks, lambda domain, tool: tool != "look")
    stopped = totals(a="pp", b="pm", c="mm")
    stopped.of()[0].spared = 1
    assert "[" in "".join(table)
    assert "[" not in "".join(group_table(stopped, tasks, lambda domain, tool: tool != "look"))
    cells = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table]
    assert cells[0] == ["group", "tasks", "pass^1"]
    assert [row[:2] for row in cells[2:]] == [
        ["gold path: 1 write", "1"],
        ["gold path: 4+ writes", "1"],
        ["intent: change", "1"],
        ["intent: nothing for the agent to change", "1"],
        ["persona: Calm and \\| kind", "1"],
        ["tag: easy", "2"],
        ["tag: short", "1"],
    ]
    assert cells[7][2].startswith("75.0 % [")
    assert group_table(totals(a="p"), {}, lambda domain, tool: False) == []
