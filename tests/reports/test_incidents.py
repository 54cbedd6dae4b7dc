"""What went wrong with replies, in sentences."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import ReplyFacts, TrialFacts
from pytest_tau.reports.incidents import incident_lines, incidents_told


def test_what_one_trial_counts() -> None:
    counted = {
        "agent: tool call as text": 3,
        "agent: output cut by length": 2,
        "agent: refusal": 1,
        "user: asked again (repeated the agent)": 2,
        "user: asked again (invented an id)": 1,
        "user: fell out of its role (invented an id)": 1,
        "user: end mark in another form": 1,
    }
    told = incidents_told(counted)
    assert told[0].startswith("Tool call as text: the agent wrote 3 calls as text, not run: start the server")
    assert told[1] == (
        "Replies of the agent: 2 output cut by length (raise max_tokens in --tau-agent-llm-args, or the server's "
        "context window), 1 refusal (the model's own: another one, or another prompt)."
    )
    assert told[2:] == [
        "Asked again: the customer 3 times, as it repeated the agent (2), invented an id (1).",
        "Out of its role: the customer once all the same; it invented an id (1).",
        "End marks in another form: 1, understood.",
    ]
    assert incidents_told({}) == []


def test_calls_that_were_run() -> None:
    [line] = incidents_told({"agent: tool call as text, run": 1})
    assert line == "Tool call as text: the agent wrote 1 call as text, run (--tau-text-calls run)."


def test_what_a_run_counts() -> None:
    totals = Totals()
    totals.add(TrialFacts("mock", "a", "missed", replies=ReplyFacts({"steps spared": 180}), ended="stalled"))
    totals.add(TrialFacts("mock", "b", "infra_error", fault="context_overflow"))
    totals.add(TrialFacts("mock", "c", "infra_error", fault="time_out", ended="timeout"))
    stalled, late, overflown = incident_lines(totals)
    assert late.startswith("Time-outs: 1 trial took longer than --tau-timeout allows;")
    assert "If a server of yours is slow, set --tau-max-inflight, or lower it" in late
    assert stalled.startswith("Stalled: 1 trial went round in circles")
    assert "up to 180 steps were not played" in stalled
    assert overflown == (
        "Context overflow: 1 trial outgrew a model's context window, counted as infra errors, which a score leaves out "
        "(--tau-overflow-as miss counts the agent's as misses)."
    )
    missed = Totals()
    missed.add(TrialFacts("mock", "a", "missed", fault="context_overflow"))
    [overflown] = incident_lines(missed)
    assert overflown.endswith("counted as misses of the agent (--tau-overflow-as miss).")
    missed.add(TrialFacts("mock", "b", "infra_error", fault="rate_limit"))  # which has nothing to do with it
    assert incident_lines(missed) == [overflown]
    missed.add(TrialFacts("mock", "c", "infra_error", fault="context_overflow"))
    [overflown] = incident_lines(missed)
    assert overflown == (
        "Context overflow: 2 trials outgrew a model's context window, 1 counted as a miss of the agent "
        "(--tau-overflow-as miss) and 1 as an infra error, which a score leaves out."
    )


def test_a_journal_of_another_shape_counts_what_it_can() -> None:
    content = {"domain": "mock", "task_id": "a", "outcome": "missed"}
    simulation = {"incidents": {"agent: refusal": 2, "agent: empty answer": "many"}, "termination_reason": "stalled"}
    facts = TrialFacts.of({**content, "simulation": simulation})
    assert (facts.replies.incidents, facts.ended) == ({"agent: refusal": 2}, "stalled")
