"""One trial as plain strings and numbers: turns, calls with their results, notes, facts, criteria."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.reports.evidence import LIMIT, View, embed_json, fault_told, task_view, trial_view, visible_text
from pytest_tau.schema.messages import AnyMessage, InjectedFault
from pytest_tau.schema.record import Fault, FaultKind, NoReturn, Outcome, Repair, RepairKind
from pytest_tau.schema.reward import (
    Check,
    Conduct,
    CriterionResult,
    Difference,
    Effort,
    Forgotten,
    Reading,
    Reward,
    Satisfaction,
    Violation,
)
from pytest_tau.schema.simulation import UserFinding
from pytest_tau.schema.spending import Usage
from tests.builders import a_call, action, asks, result_of, says, task
from tests.laws.strategies import JSON
from tests.reports.runs import record, simulation

BREACH = Violation(dimension="consent", severity=1.0, text="no yes")


def test_a_call_stands_with_its_result() -> None:
    turn = trial_view(record())["messages"][2]
    assert turn["calls"] == [
        {
            "name": "get_users",
            "short": "",
            "arguments": "{}",
            "result": '[\n  {\n    "user_id": "user_1"\n  }\n]',
            "error": False,
        }
    ]
    assert turn["meta"] == "+2.5 s · 1,000 → 20 tokens · $0.01"


def test_the_facts_of_a_trial() -> None:
    facts = dict(trial_view(record())["facts"])
    assert facts["reward"] == "1"
    assert facts["ended by"] == "user stop"
    assert "fault" not in facts
    missed = dict(trial_view(record(outcome=Outcome.MISSED))["facts"])
    assert missed["fault"] == "partly done: 1 of 1 changes not made (turn 4)"
    assert (facts["time"], facts["agent cost"], facts["user cost"]) == ("12.0 s", "$0.01", "$0.00")
    assert facts["tokens"] == "1,000 read, 20 written"


@pytest.mark.parametrize(
    ("violated", "unclear", "told"),
    [([], 0, "yes"), ([], 1, "yes or no: something is unclear"), ([BREACH], 1, "no"), (None, 0, None)],
)
def test_whether_the_policy_was_kept(violated: list[Violation] | None, unclear: int, told: str | None) -> None:
    """Of a trial that has missed as well, so it is not called what the table calls trials that also passed."""
    for value in (1.0, 0.0):
        reward = Reward(value=value, violated=violated, conduct=Conduct(completed=True, unclear=unclear))
        facts = dict(trial_view(record(reward=reward))["facts"])
        assert (facts.get("policy kept"), "under policy" in facts) == (told, False)


def test_what_a_sentence_was_read_as_stands_with_its_turn_and_the_rest_above() -> None:
    read = [
        Reading(kind="yes", turn=1, text="Yes.", about="get_users()"),
        Reading(kind="no", turn=1, text="No.", by="judge", why="breach: it was no yes"),
        Reading(kind="open", turn=None, by="judge", about="claim", why="it cannot tell"),
    ]
    view = trial_view(record(), read)
    at = next(message for message in view["messages"] if message["turn"] == 1)
    assert at["read"] == ["yes, by rule: get_users() “Yes.”", "no, by judge “No.” (breach: it was no yes)"]
    assert ["left open", "open, by judge: claim (it cannot tell)"] in view["facts"]
    assert all("read" not in message for message in view["messages"] if message["turn"] != 1)


def test_an_unknown_cost_is_unknown_and_not_zero() -> None:
    assert dict(trial_view(record(simulation=simulation(agent_cost=None)))["facts"])["agent cost"] == "unknown"


def test_differences_of_one_record_stand_together() -> None:
    fields = {"side": "agent", "table": "tasks", "key": "k"}
    differences = [
        Difference(**fields, path="a", expected=1, actual_absent=True),
        Difference(**{**fields, "key": "other"}, path="", expected_absent=True, actual={}),
        Difference(**fields, path="b", expected=None, actual=2),
    ]
    result = CriterionResult(criterion="DB", value=0.0, differences=differences)
    view = trial_view(record(reward=Reward(value=0.0, basis=["DB"], results=[result])))
    first, second = view["criteria"][0]["records"]
    assert (first["name"], first["fields"]) == ("tasks[k]", [["a", "1", None], ["b", "null", "2"]])
    assert (second["name"], second["fields"]) == ("tasks[other]", [["", None, "{}"]])


def test_a_trial_that_never_began_says_why() -> None:
    broken = record(outcome=Outcome.INFRA_ERROR, reward=None, simulation=None, note="RateLimitError")
    assert trial_view(broken)["notes"] == ["RateLimitError"]


def test_numbers_that_a_browser_would_change_are_text() -> None:
    call = a_call("pay", amount=12345678901234567890, rate=float("nan"))
    view = trial_view(record(simulation=simulation(messages=[says(None, call)])))
    assert view["messages"][0]["calls"][0]["short"] == "amount=12345678901234567890, rate=null"
    assert json.loads(embed_json(view)) == view


def test_endless_text_ends() -> None:
    assert visible_text("x" * (LIMIT + 1)) == "x" * LIMIT + f" … ({LIMIT + 1} characters; the journal has them all)"


@pytest.mark.parametrize("text", ["</script>", "<!--", "&lt;", "\u2028\u2029", "\ud800", "\x00", '"\\'])
def test_embedded_json_has_no_character_that_html_knows(text: str) -> None:
    written = embed_json({text: text})
    assert not set(written) & set("<>&\u2028\u2029\ud800\x00")
    assert json.loads(written) == {text: text}


def test_lists_differ_by_their_elements() -> None:
    differs = Difference(
        side="agent", table="orders", key="1", path="items", expected=["a", "b", "c"], actual=["a", "x", "c", "d"]
    )
    result = CriterionResult(criterion="DB", value=0.0, differences=[differs])
    view = trial_view(record("t", 1, Outcome.MISSED, reward=Reward(value=0.0, basis=["DB"], results=[result])))
    assert view["criteria"][0]["records"][0]["fields"] == [["items[1]", '"b"', '"x"'], ["items[3]", None, '"d"']]


def test_a_recording_without_a_step_count_shows_its_messages() -> None:
    view = trial_view(record(simulation=simulation(steps=0)))
    assert ["steps", "6"] in view["facts"]


JSON_LISTS = st.lists(st.integers(0, 3), max_size=6)


def view(*messages: AnyMessage, reward: Reward | None = None, fault: Fault | None = None, **fields: Any) -> View:
    """What is shown of a trial with these messages."""
    played = simulation(messages=list(messages) or [says("Hi!")], **fields)
    return trial_view(record(simulation=played, reward=reward or Reward(value=1.0), fault=fault))


def facts(found: View) -> dict[str, str]:
    return dict(found["facts"])


@given(JSON)
def test_whatever_is_embedded_comes_out_again(value: Any) -> None:
    written = embed_json(value)
    assert written.isascii()
    assert not set(written) & set("<>&")
    assert json.dumps(json.loads(written)) == json.dumps(value)


def test_text_at_the_limit_is_whole() -> None:
    assert visible_text("x" * LIMIT) == "x" * LIMIT


def test_calls_that_are_made_together_have_each_their_result() -> None:
    first, second = a_call("look", id="1", at="a"), a_call("look", id="2", at="b")
    messages: list[AnyMessage] = [
        says(None, first, second),
        result_of(first, "A"),
        result_of(second, "B", error=True),
        says("Done."),
    ]
    turns = view(*messages)["messages"]
    assert [[(c["short"], c["result"], c["error"]) for c in turn["calls"]] for turn in turns] == [
        [('at="a"', "A", False), ('at="b"', "B", True)],
        [],
    ]
    assert [turn["turn"] for turn in turns] == [0, 3]


def test_a_call_without_a_result_and_a_result_without_a_call_are_no_fault() -> None:
    waiting = view(says(None, a_call("look")))["messages"]
    assert "result" not in waiting[0]["calls"][0]
    assert view(result_of(a_call("look")), says("Hi!"))["messages"][0]["calls"] == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('{"a":[1]}', '{\n  "a": [\n    1\n  ]\n}'),
        ('"text"', '"text"'),
        ("12", "12"),
        ("{", "{"),
        ("[" * 100_000, "[" * 100_000),
        ('{"a": "\u00e9"}', '{\n  "a": "\u00e9"\n}'),
    ],
)
def test_a_result_is_indented_where_it_is_json(content: str, text: str) -> None:
    call = a_call("look")
    assert view(says(None, call), result_of(call, content))["messages"][0]["calls"][0]["result"] == text


@pytest.mark.parametrize(
    ("fields", "meta"),
    [
        ({}, ""),
        ({"timestamp": "2025-01-01T00:01:29"}, "+89.0 s"),
        ({"timestamp": "2025-01-01T00:01:30"}, "+1.5 min"),
        ({"timestamp": "2025-01-01T00:01:30+00:00"}, ""),  # the others say nothing of a zone
        ({"timestamp": "yesterday"}, ""),
        ({"generation_time_seconds": 0.04}, ""),
        ({"generation_time_seconds": 1.25}, "thought 1.2 s"),
        ({"usage": Usage(prompt_tokens=1234, completion_tokens=5), "cost": 0.5}, "1,234 → 5 tokens · $0.50"),
        ({"cost": None}, ""),
        ({"raw_data": {"finish_reason": "length"}}, "cut off at the token limit"),
    ],
)
def test_what_a_turn_took(fields: dict[str, Any], meta: str) -> None:
    began = says("Hi!").model_copy(update={"timestamp": "2025-01-01T00:00:00"})
    assert view(began, says("Yes.").model_copy(update=fields))["messages"][1]["meta"] == meta


def test_a_later_conversation_says_so() -> None:
    turns = view(says("Hi!"), asks("Bye"), says("Hi again!"), episodes=[2])["messages"]
    assert [turn["meta"] for turn in turns] == ["", "", "next conversation"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (InjectedFault(kind="rate_limit", happened=False), "injected rate limit; the call did not reach the tool"),
        (InjectedFault(kind="timeout", result="done"), "injected timeout; the tool had returned: done"),
        (InjectedFault(kind="stale", result="new", detail="yesterday's"), "injected stale; yesterday's"),
        (InjectedFault(kind="slow", seconds=2.5), "injected slow; 2.5 s later, counted and not waited for"),
    ],
)
def test_what_was_injected_and_what_really_happened(fault: InjectedFault, told: str) -> None:
    assert fault_told(fault) == told
    call = a_call("look")
    result = result_of(call).model_copy(update={"fault": fault})
    assert view(says(None, call), result)["messages"][0]["calls"][0]["injected"] == told


@pytest.mark.parametrize(
    ("before", "now", "note"),
    [
        (1.0, 0.0, ["The recorded reward was 1; graded again it is 0."]),
        (0.0, 1.0, ["The recorded reward was 0; graded again it is 1."]),
        (1.0, 1.0, []),
        (None, 1.0, []),
        (1.0, None, []),
    ],
)
def test_a_reward_that_is_another_than_the_recorded_one(
    before: float | None, now: float | None, note: list[str]
) -> None:
    assert trial_view(record(reward=Reward(value=now), recorded_reward=before))["notes"] == note


def test_the_smallest_repair_stands_at_the_turn_and_among_the_facts() -> None:
    change = Repair(turn=1, kind=RepairKind.ARGUMENT, text='card "<1>" → "2"')
    fault = Fault(kind=FaultKind.OTHER, evidence="x", no_return=NoReturn(turn=1, text="paid"), repair=change)
    found = view(says("Hi!"), says(None, a_call("pay")), reward=Reward(value=0.0), fault=fault)
    assert found["messages"][1]["mark"].endswith('could not pass; it would have passed with card "<1>" → "2"')
    assert facts(found)["smallest repair"] == 'it would have passed with this change in turn 1: card "<1>" → "2"'


def test_notes_are_said_once() -> None:
    trial = record(note="it broke", reward=Reward(note="it broke"), simulation=simulation(note="too long"))
    assert trial_view(trial)["notes"] == ["it broke", "too long"]


def test_what_the_customer_did_against_the_rules_is_a_note() -> None:
    finding = UserFinding(rule="invented fact", turn=3, text="nobody told it")
    discarded = [simulation(user_findings=[finding])]
    found = view(user_findings=[finding.model_copy(update={"turn": 1})], discarded=discarded)
    assert found["notes"] == [
        "user audit: invented fact in turn 1: nobody told it",
        "attempt 1 was played again, and stands in the journal: invented fact in turn 3: nobody told it",
    ]


def test_the_turn_that_decided_it_and_the_turns_that_broke_a_rule_are_marked() -> None:
    lost = NoReturn(turn=1, text="paid twice")
    broken = [
        Violation(dimension="consent", severity=1.0, turn=0, text="no yes"),
        Violation(dimension="claims", severity=0.25, turn=0, text="said so"),
        Violation(dimension="procedure", severity=0.5, text="not read"),
    ]
    fault = Fault(kind=FaultKind.OTHER, evidence="x", no_return=lost)
    paid = says(None, a_call("pay"))
    found = view(says("Hi!"), paid, reward=Reward(value=0.0, violated=broken), fault=fault)
    first, second = found["messages"]
    assert first["breach"] == "consent, severity 1: no yes (turn 0); claims, severity 0.25: said so (turn 0)"
    assert second["mark"] == "point of no return: from here on the trial could not pass"
    assert ("mark" in first, "breach" in second) == (False, False)
    assert facts(found)["point of no return"] == "turn 1: paid twice"
    harmless = view(says("Hi!"), says("You are welcome."), reward=Reward(value=0.0, violated=broken), fault=fault)
    assert all("mark" not in message for message in harmless["messages"])
    assert facts(found)["rules broken"].endswith("; procedure, severity 0.5: not read")


def test_what_it_cost_the_customer() -> None:
    effort = Effort(turns=3, asked_twice=2, apologies=1, wait_seconds=30.0, handle_time=125.0)
    forgotten = [Forgotten(value="blue", told=1, turn=6, argument="color", got="red")]
    rated = Satisfaction(score=2, reasons="slow")
    found = facts(view(reward=Reward(value=0.0, effort=effort, forgotten=forgotten, satisfaction=rated)))
    assert found["handle time"] == "2:05 (virtual, not the clock's), waiting 0:30"
    assert found["effort"] == "2 × question asked twice, 1 × apology without a deed"
    assert found["forgotten"] == "blue, told in turn 1: turn 6 has red"
    assert found["satisfaction"] == "2 of 5: slow"
    calm = facts(view(reward=Reward(value=1.0, effort=Effort(turns=1), satisfaction=Satisfaction())))
    assert not {"effort", "forgotten", "satisfaction"} & calm.keys()


@pytest.mark.parametrize(("value", "told"), [(1.0, "1"), (0.0, "0"), (None, "open")])
def test_the_reward(value: float | None, told: str) -> None:
    assert facts(view(reward=Reward(value=value)))["reward"] == told


def test_players_are_named_with_their_settings_and_what_is_not_known_is_left_out() -> None:
    found = facts(view(agent="llm", agent_parameters={"model": "x", "temperature": 0}, user="", seed=None))
    assert found["agent"] == 'llm (model "x", temperature 0)'
    assert not {"user", "seed", "tokens"} & found.keys()


def test_checks_of_a_criterion_are_met_missed_or_open() -> None:
    checks = [Check(name=str(met), met=met, explanation="why") for met in (True, False, None)]
    results = [
        CriterionResult(criterion="ACTION", value=value, checks=checks, in_basis=False, note="a note")
        for value in (1.0, 0.0, None)
    ]
    first, second, third = view(reward=Reward(value=0.0, results=results))["criteria"]
    assert [one["verdict"] for one in (first, second, third)] == ["met", "missed", "open"]
    assert first["checks"] == [["met", "True", "why"], ["missed", "False", "why"], ["open", "None", "why"]]
    assert (first["basis"], first["note"]) == (False, "a note")


@given(before=JSON_LISTS, now=JSON_LISTS)
def test_the_elements_that_are_shown_make_one_list_of_the_other(before: list[int], now: list[int]) -> None:
    differs = Difference(side="agent", table="t", key="k", path="p", expected=before, actual=now)
    result = CriterionResult(criterion="DB", value=0.0, differences=[differs])
    fields = view(reward=Reward(value=0.0, results=[result]))["criteria"][0]["records"][0]["fields"]
    lost = [json.loads(one) for _, one, _ in fields if one is not None]
    gained = [json.loads(one) for _, _, one in fields if one is not None]
    assert sorted([*before, *gained]) == sorted([*now, *lost])
    assert bool(fields) == (before != now)
    for path, old, new in fields:
        place = int(path.removeprefix("p[").removesuffix("]"))
        assert json.loads(old or new) == (before if old else now)[place]


def test_what_the_customer_wants_and_what_should_be_done() -> None:
    criteria = {"actions": [action("get_users"), action("check", requestor="user")], "communicate_info": ["12", "13"]}
    parts = task_view(task(criteria=criteria, description={"purpose": "A lamp."}, ticket="It broke."))["parts"]
    assert [title for title, _ in parts] == ["Purpose", "Scenario", "Ticket", "Gold actions", "To be said"]
    assert dict(parts)["Gold actions"] == "assistant: get_users()\nuser: check()"
    assert dict(parts)["To be said"] == "12\n13"
    assert [title for title, _ in task_view(task())["parts"]] == ["Scenario"]


def test_a_trial_of_which_nothing_is_known_but_its_end() -> None:
    found = trial_view(record(outcome=Outcome.ERROR, reward=None, simulation=None))
    assert {name: value for name, value in found.items() if value} == {"nodeid": "tasks/mock/t.json::test_task[trial1]"}


def test_authors_stand_at_their_turns_and_what_each_has_done_above() -> None:
    over = {"from": "triage", "to": "refunds", "reason": "money"}
    signed = says(None, a_call()).model_copy(update={"author": "refunds", "handoffs": [over]})
    view = trial_view(record(outcome=Outcome.MISSED, simulation=simulation(messages=[signed, result_of(a_call())])))
    assert view["messages"][0]["meta"].startswith("refunds; triage → refunds: money")
    assert ["by author", "refunds: 1 call, lost 1 trial; triage: 0 calls, 1 hand-over"] in view["facts"]
