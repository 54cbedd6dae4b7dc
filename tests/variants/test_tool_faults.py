"""Faults at the boundary: what the agent reads, what really happened, and that grading goes by the latter."""

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_tau import Attachment, Task, ToolCall, grade, load_domain, load_tasks, simulate
from pytest_tau.conversation.turns import Conversation
from pytest_tau.environment.environment import ToolResult
from pytest_tau.errors import SettingsError
from pytest_tau.schema.messages import AnyMessage, InjectedFault, ToolMessage
from pytest_tau.variants import tool_faults
from pytest_tau.variants.tool_faults import IN_A_ROW, KINDS, FaultDose, FaultPlan, ToolFaults, read_faults
from tests.builders import CREATE, asks, mock, result_of, says
from tests.pictures import strip

CREATED = ("create_task", CREATE)


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("timeout", FaultPlan((FaultDose("timeout"),))),
        ("timeout:0.3", FaultPlan((FaultDose("timeout", 0.3),))),
        ("timeout:0.3:persistent", FaultPlan((FaultDose("timeout", 0.3, persistent=True),))),
        ("stale:transient", FaultPlan((FaultDose("stale"),))),
        ("slow:90", FaultPlan((FaultDose("slow", seconds=90.0),))),
        ("slow:90:0.5", FaultPlan((FaultDose("slow", 0.5, seconds=90.0),))),
        ("timeout:0.1+rate_limit:0.4", FaultPlan((FaultDose("timeout", 0.1), FaultDose("rate_limit", 0.4)))),
    ],
)
def test_plans_are_read_and_named_so_that_they_read_the_same(text: str, plan: FaultPlan) -> None:
    assert read_faults(text) == [plan]
    assert read_faults(str(plan)) == [plan]


def test_all_are_all_kinds_one_by_one() -> None:
    assert [str(plan) for plan in read_faults("all")] == list(KINDS)
    assert {plan.rate for plan in read_faults("all:0.4")} == {0.4}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no fault is named: write all, or some of timeout, "),
        ("time", "there is no fault 'time': use timeout, "),
        ("timeout:2", "'2' is not a rate from 0 to 1"),
        ("slow:soon", "'soon' is not seconds"),
        ("timeout:0.1:0.2", "'0.2' is one part too many"),
        ("timeout:0.6+stale:0.6", "their rates add up to 1.2"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_faults(text)
    assert said in str(refused.value)


def test_the_same_seed_meets_the_same_faults_and_the_rate_is_that_of_the_calls() -> None:
    def kinds(seed: int) -> list[str | None]:
        faults = ToolFaults("timeout:0.3", seed)
        return [
            found.fault.kind if found.fault else None
            for found in (faults.answer("look", {"n": n}, lambda: ToolResult("{}"), writes=False) for n in range(400))
        ]

    assert kinds(1) == kinds(1) != kinds(2)
    assert 0.22 < sum(kind is not None for kind in kinds(1)) / 400 < 0.38


def test_a_transient_fault_lets_the_same_call_through_and_a_persistent_one_never() -> None:
    passing, stuck = ToolFaults("rate_limit:1", 1), ToolFaults("rate_limit:1:persistent", 1)
    calls = [
        [f.answer("look", {}, lambda: ToolResult("{}"), writes=False).error for _ in range(6)] for f in (passing, stuck)
    ]
    assert calls == [[True] * IN_A_ROW + [False] + [True] * IN_A_ROW + [False], [True] * 6]


def test_a_write_that_times_out_has_happened_or_not() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(40):
        env = mock().environment(faults=ToolFaults("timeout:1", seed))
        before = env.dump()
        found = env.call(*CREATED)
        assert found.fault is not None
        assert found.error
        assert (env.dump() != before) is found.fault.happened
        seen[found.fault.happened] += 1
    assert min(seen.values()) >= 10


def test_what_each_kind_shows() -> None:
    env = mock().environment()
    truth = json.loads(env.call("get_users", {}).content)

    def shown(kind: str) -> ToolResult:
        return mock().environment(faults=ToolFaults(f"{kind}:1", 3)).call("get_users", {})

    assert shown("schema_drift").content.startswith('{"apiVersion": "2"')
    assert len(shown("partial").content) < len(json.dumps(truth))
    slow = mock().environment(faults=ToolFaults("slow:90:1", 3)).call("get_users", {})
    assert slow.fault is not None
    assert (json.loads(slow.content), slow.fault.seconds) == (truth, 90.0)
    domain = load_domain("retail")
    order = next(iter(domain.base.tables["orders"].raw))
    wrong = domain.environment(faults=ToolFaults("misleading:1", 3)).call("get_order_details", {"order_id": order})
    assert wrong.fault is not None
    assert wrong.fault.detail
    assert json.loads(wrong.content) != json.loads(wrong.fault.result or "")
    assert not any(shown(kind).error for kind in ("partial", "schema_drift", "stale", "slow:1"))


def test_a_late_result_shows_the_same_pictures() -> None:
    picture = Attachment.of(strip("OK"), "photo")
    found = ToolFaults("slow:30:1", 3).answer("look", {}, lambda: ToolResult("{}", pictures=(picture,)), writes=False)
    assert (found.content, found.pictures) == ("{}", (picture,))


def test_a_stale_read_shows_what_it_showed_before_a_change() -> None:
    env = mock().environment(faults=ToolFaults("stale:1", 3))
    first = env.call("get_users", {})
    env.call(*CREATED)
    again = env.call("get_users", {})
    assert again.fault is not None
    assert again.content == first.content != again.fault.result


def test_a_domain_error_stays_one_and_the_customers_calls_meet_no_faults() -> None:
    env = mock().environment(faults=ToolFaults("partial:1", 1))
    assert env.call("get_users", {"no": 1}).fault is None
    assert env.call("check_notifications", {}, "user").fault is None
    assert env.copy().faults is not env.faults


def test_an_injected_error_does_not_count_as_the_agents() -> None:
    conversation = Conversation([says("Hi!")], max_errors=1)
    call = ToolCall(id="c", name="get_users", arguments={})
    conversation.receive(asks("Hello"))
    conversation.receive(says(None, call))
    lost = result_of(call, "Error", error=True).model_copy(
        update={"fault": InjectedFault(kind="timeout", happened=False)}
    )
    conversation.receive_results([lost])
    assert (conversation.errors, conversation.over) == (0, False)
    seen = [m for m in conversation.turn.messages if isinstance(m, ToolMessage)]  # type: ignore[union-attr]
    assert seen[0].fault is None  # that is the record's


class RepeatsWrites:
    """Makes a change that got lost again, without looking."""

    knows_the_task = True

    def __init__(self, task: Task, context: object) -> None:
        from pytest_tau.agents.oracle import Oracle

        self._oracle = Oracle(task, context)  # type: ignore[arg-type]
        self._number = 0

    def reply(self, messages: list[AnyMessage]) -> object:
        last = messages[-1]
        if isinstance(last, ToolMessage) and last.error and "timed out" in (last.content or ""):
            made = next(m for m in reversed(messages) if getattr(m, "tool_calls", None))
            self._number += 1
            (call,) = made.tool_calls  # type: ignore[union-attr, misc]
            return says(None, call.model_copy(update={"id": f"again_{self._number}"}))
        return self._oracle.reply(messages)


def test_a_repeated_write_that_had_happened_is_graded_as_made_twice() -> None:
    domain, task = mock(), next(task for task in load_tasks("mock") if task.id == "add_a_task")

    def passes(seed: int) -> bool:
        faults = ToolFaults("timeout:0.5", seed)
        played = simulate(task, domain, lambda context: RepeatsWrites(task, context), faults=faults)
        return grade(task, played, domain).passed

    passed = [passes(seed) for seed in range(12)]
    assert 0 < sum(passed) < 12


@given(st.integers() | st.floats() | st.decimals(0, 10**6, places=2).map(str), st.integers())
@example(-10.0, 0)
@example(float("inf"), 0)
@example(1e308, 0)
def test_a_misleading_value_is_never_the_true_one(value: Any, seed: int) -> None:
    found = tool_faults._mislead(json.dumps({"value": value}), Random(seed))
    if found is not None:
        assert found[0] != json.dumps({"value": value})


def test_all_kinds_at_one_rate() -> None:
    assert {plan.rate for plan in read_faults("all:0.5")} == {0.5}
    assert "slow:30:0.5" in map(str, read_faults("all:0.5"))
    assert "slow:30:0.5:persistent" in map(str, read_faults("all:0.5:persistent"))


def test_only_a_call_that_a_fault_has_met_fails_every_time() -> None:
    seeds = range(400)

    def meets_one(kind: str, seed: int, *results: ToolResult) -> bool:
        faults, left = ToolFaults(f"{kind}:0.2:persistent", seed), list(results)
        *_, last = [faults.answer("get", {}, lambda: left.pop(0), writes=False) for _ in results]
        return last.fault is not None

    first_of_its_kind = [meets_one("stale", seed, ToolResult("a"), ToolResult("b")) for seed in seeds]
    failed_by_itself = [meets_one("partial", seed, ToolResult("no", error=True), ToolResult("abcd")) for seed in seeds]
    for met in (first_of_its_kind, failed_by_itself):
        assert sum(met) / len(seeds) == pytest.approx(0.2, abs=0.05)
