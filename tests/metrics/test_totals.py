"""Running totals: what counts as graded, as planned and as a failure."""

from typing import Any

import pytest

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts


def totals(planned: int, **outcomes: list[str]) -> Totals:
    """Totals of one domain, from task ids with their trials' outcomes."""
    made = Totals()
    for task_id, ends in outcomes.items():
        made.plan("mock", task_id, planned)
        for end in ends:
            made.add(TrialFacts("mock", task_id, end, steps=4, costs=Costs(0.5)))
    return made


def curve(made: Totals, **options: Any) -> list[tuple[int, float, int]]:
    return [(p.k, round(p.value, 6), p.tasks) for p in made.pass_hat(**options)]


def test_passed_and_missed_are_graded() -> None:
    made = totals(2, a=["passed", "passed"], b=["passed", "missed"])
    assert curve(made) == curve(made, missing="miss") == [(1, 0.75, 2), (2, 0.5, 2)]
    (first, _) = made.pass_hat()
    assert (first.low, first.high) == (0.0, 1.0)  # two tasks say next to nothing


@pytest.mark.parametrize("end", ["infra_error", "invalid", "error"])
def test_others_are_left_out_or_failures(end: str) -> None:
    made = totals(2, a=["passed", end], b=["passed", "passed"])
    assert curve(made) == [(1, 1.0, 2), (2, 1.0, 1)]
    assert curve(made, missing="miss") == [(1, 0.75, 2), (2, 0.5, 2)]


def test_missing_trials_may_count_as_missed_or_passed() -> None:
    made = totals(2, a=["passed"], b=[])
    assert (made.done(), made.planned()) == (1, 4)
    assert curve(made) == [(1, 1.0, 1)]
    assert curve(made, missing="miss") == [(1, 0.25, 2), (2, 0.0, 2)]
    assert curve(made, missing="pass") == [(1, 1.0, 2), (2, 1.0, 2)]


def test_spared_trials_are_not_missing() -> None:
    made = totals(3, a=["passed"], b=["missed"])
    for task in made.of():
        task.spared = 2
    assert (made.planned(), made.done(), made.spared()) == (2, 2, 4)
    assert curve(made) == curve(made, missing="miss") == [(1, 0.5, 2)]


def test_replays_and_the_dearest_trial() -> None:
    made = Totals()
    made.add(TrialFacts("mock", "a", "passed", costs=Costs(0.5), replays=2))
    made.add(TrialFacts("mock", "a", "passed", costs=Costs(0.25)))
    assert (made.replays(), made.of()[0].dearest) == (2, 0.5)
    made.add(TrialFacts("mock", "a", "infra_error"))
    assert made.of()[0].dearest is None


def test_ungraded_ones_are_neither() -> None:
    made = totals(2, a=["ungraded", "passed"], b=["ungraded", "ungraded"])
    assert curve(made) == curve(made, missing="miss") == [(1, 1.0, 1)]


def test_more_trials_than_planned_count() -> None:
    made = totals(1, a=["passed", "missed"])
    assert (made.planned(), made.done()) == (2, 2)
    assert curve(made, missing="miss") == [(1, 0.5, 1), (2, 0.0, 1)]


def test_nothing_is_nothing() -> None:
    assert Totals().pass_hat() == []
    assert totals(1, a=["error"]).pass_hat() == []
    assert (Totals().mean_steps(), Totals().cost()) == (None, 0.0)


def test_costs_and_steps() -> None:
    made = totals(2, a=["passed", "missed"])
    assert (made.cost(), made.mean_steps()) == (1.0, 4.0)
    made.add(TrialFacts("mock", "a", "passed", steps=1))
    assert (made.cost(), made.mean_steps()) == (None, 3.0)
    made.add(TrialFacts("mock", "a", "error", costs=Costs(1.0)))
    assert (made.cost(), made.mean_steps()) == (None, 3.0)  # of a conversation that did not end no steps are known


def test_domains_are_apart() -> None:
    made = totals(1, a=["passed"])
    made.add(TrialFacts("retail", "a", "missed", agent="bot", user="scripted"))
    made.add(TrialFacts("retail", "b", "missed", agent="bot"))
    assert made.domains() == ["mock", "retail"]
    assert [len(made.of(domain)) for domain in (None, "mock", "retail", "x")] == [3, 1, 2, 0]
    assert made.outcomes("retail") == {"missed": 2}
    assert made.outcomes() == {"passed": 1, "missed": 2}
    assert curve(made, domain="mock") == [(1, 1.0, 1)]
    assert (made.agents, made.users) == ({"bot"}, {"scripted"})


def test_a_task_is_one_whoever_played_it_and_however_it_was_told() -> None:
    made = Totals()
    made.add(TrialFacts("m", "x", "passed"))
    made.add(TrialFacts("m, typos", "x", "passed", variant={"label": "typos"}))
    assert made.number_of_tasks() == 1
    several = Totals()
    for label in ("a", "b"):
        several.add(TrialFacts(f"m, {label}", "x", "passed", label=label))
        several.add(TrialFacts(f"m, {label}-typos", "x", "passed", label=label, variant={"label": "typos"}))
    assert several.number_of_tasks() == 1


def test_tasks_rows_and_agents_are_put_into_an_order() -> None:
    made = Totals()
    for row, label, task in (("m, b", "b", "x"), ("m, a", "a", "y"), ("m, a", "a", "x"), ("m, c", "c", "z")):
        made.add(TrialFacts(row, task, "passed", label=label))
    made.arrange([("m, a", "x"), ("m, b", "x"), ("m, a", "y"), ("m, a", "never played")])
    assert list(made.tasks) == [("m, a", "x"), ("m, b", "x"), ("m, a", "y"), ("m, c", "z")]
    assert made.domains() == ["m, a", "m, b", "m, c"]
    assert list(made.by_agent()) == ["a", "b", "c"]


def test_a_trial_may_come_in_while_totals_are_read() -> None:
    class Meanwhile(str):
        """A row's name; another task is counted whenever somebody compares it, as another thread may do."""

        def __eq__(self, other: object) -> bool:
            made.add(TrialFacts("mock", f"t{len(made.tasks)}", "passed"))
            return str(self) == other

        __hash__ = str.__hash__

    made = totals(1, a=["passed"])
    assert made.done(Meanwhile("mock")) == 1
    assert made.done() > 1
