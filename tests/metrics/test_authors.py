"""What each of several agents inside an agent has called, cost and lost."""

from typing import Any

from pytest_tau.metrics.authors import AuthorShare, shares
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.incidents import incident_lines

CALL = {"name": "look", "arguments": {}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "assistant", "content": "Hi."},
    {"role": "user", "content": "A refund."},
    {"role": "assistant", "author": "triage", "tool_calls": [CALL], "cost": 0.25},
    {"role": "tool", "content": "paid"},
    {
        "role": "assistant",
        "author": "refunds",
        "tool_calls": [CALL, CALL],
        "cost": 0.75,
        "handoffs": [{"from": "triage", "to": "refunds", "cost": 0.5}],
    },
    {"role": "assistant", "author": "refunds", "content": "Done.", "cost": None},
]


def record(**fields: Any) -> dict[str, Any]:
    simulation = {"messages": MESSAGES, "steps": 6}
    return {"domain": "shop", "task_id": "t", "outcome": "missed", "simulation": simulation, **fields}


def test_calls_and_costs_by_author() -> None:
    assert shares(record(outcome="passed")) == {
        "triage": AuthorShare(1, 0.75, 1, 0),
        "refunds": AuthorShare(2, None, 0, 0),
    }
    assert shares(record(simulation={"messages": MESSAGES[:2]})) == {}


def test_a_miss_counts_for_who_lost_it() -> None:
    def lost(**fault: Any) -> list[str]:
        return [author for author, share in shares(record(fault=fault)).items() if share.misses]

    assert lost() == ["refunds"]
    assert lost(turn=3) == ["triage"]
    assert lost(turn=3, no_return={"turn": 4}) == ["refunds"]
    assert lost(turn=1) == []


def test_a_run_tells_the_sum_and_nothing_of_agents_without_names() -> None:
    totals = Totals()
    totals.add(TrialFacts.of(record()))
    totals.add(TrialFacts.of(record()))
    assert incident_lines(totals) == [
        "By author: refunds: 4 calls, lost 2 trials; triage: 2 calls, 2 hand-overs, $1.5000."
    ]
    plain = Totals()
    plain.add(TrialFacts.of(record(simulation={"messages": MESSAGES[:2]})))
    assert incident_lines(plain) == []
