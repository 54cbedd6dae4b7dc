"""What the totals read off a trial's record, and sums of costs that may be unknown."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts, total_cost


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    assert total_cost([1.0, 0.5]) == 1.5
    assert total_cost([1.0, None]) is None


def test_sides_are_apart_and_what_is_unknown_of_one_leaves_the_others() -> None:
    made = Totals()
    made.add(TrialFacts("mock", "a", "passed", costs=Costs(0.5, 0.25)))
    made.add(TrialFacts("retail", "a", "passed", costs=Costs(0.5, None, 0.125)))
    assert made.costs() == Costs(1.0, None, 0.125)
    assert (made.cost(), made.cost("mock"), made.cost("retail")) == (None, 0.75, None)


def test_facts_of_a_record() -> None:
    simulation = {"steps": 3, "agent_cost": 0.5, "user_cost": 0.0, "agent": "bot", "user": "scripted"}
    judged = [{"judgement": {"cost": 0.25}}, {"criterion": "DB"}, {"judgement": None}]
    record = {"domain": "mock", "task_id": "a", "outcome": "passed", "simulation": simulation}
    facts = TrialFacts.of({**record, "reward": {"results": judged}})
    known = TrialFacts("mock", "a", "passed", "", 3, Costs(0.5, 0.0, 0.25), "bot", "scripted", measures=facts.measures)
    assert facts == known
    unpriced = TrialFacts.of({**record, "reward": {"results": [{"judgement": {"model": "x"}}]}})
    assert unpriced.costs == Costs(0.5, 0.0, None)
    assert TrialFacts.of({**record, "reward": None}).costs == Costs(0.5, 0.0, 0.0)
    assert TrialFacts.of({**record, "simulation": None}).costs == Costs(None, None, None)
