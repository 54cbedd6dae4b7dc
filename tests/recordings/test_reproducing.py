"""The world of a logged conversation: the smallest from which its results follow, and what does not follow."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from pytest_tau import Domain, load_domain
from pytest_tau.errors import DomainError
from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.reproducing import CallCheck, follows, refuse_unfit, reproduce, world_in
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from tests.shared import shared


def called(name: str, arguments: dict[str, Any], result: Any, *, error: bool = False) -> list[AnyMessage]:
    text = result if isinstance(result, str) else json.dumps(result)
    call = ToolCall(id=f"{name}{len(text)}", name=name, arguments=arguments)
    return [AssistantMessage(tool_calls=[call]), ToolMessage(id=call.id, content=text, error=error)]


@pytest.fixture(scope="module")
def retail() -> Domain:
    return load_domain("retail")


@pytest.fixture(scope="module")
def order(retail: Domain) -> dict[str, Any]:
    """A pending order of the domain."""
    env = retail.environment()
    found = next(key for key, raw in retail.base.tables["orders"].raw.items() if raw["status"] == "pending")
    value: dict[str, Any] = json.loads(env.execute("get_order_details", {"order_id": found}).content)
    return value


class TestTheWorld:
    def test_what_the_domain_has_needs_nothing(self, retail: Domain, order: dict[str, Any]) -> None:
        found = reproduce(called("get_order_details", {"order_id": order["order_id"]}, order), retail)
        assert (found.share, found.patch, found.initial_state, found.problems) == (1.0, {}, None, [])

    def test_a_record_of_their_own(self, retail: Domain, order: dict[str, Any]) -> None:
        own = {**order, "order_id": "#W0000001"}
        found = reproduce(called("get_order_details", {"order_id": "#W0000001"}, own), retail)
        assert found.share == 1.0
        assert found.patch == {"agent": {"orders": {"#W0000001": own}}}
        env = world_in(retail, found.initial_state)
        assert json.loads(env.execute("get_order_details", {"order_id": "#W0000001"}).content) == own

    def test_one_field_of_a_record(self, retail: Domain, order: dict[str, Any]) -> None:
        shown = {**order, "status": "delivered"}
        found = reproduce(called("get_order_details", {"order_id": order["order_id"]}, shown), retail)
        assert found.patch == {"agent": {"orders": {order["order_id"]: {"status": "delivered"}}}}

    def test_what_a_write_has_changed_is_not_the_state_before(self, retail: Domain, order: dict[str, Any]) -> None:
        """The first result shows it as it was; the later one follows from that."""
        number = order["order_id"]
        gone = retail.environment()
        cancel = {"order_id": number, "reason": "no longer needed"}
        result = gone.execute("cancel_pending_order", cancel)
        after = json.loads(gone.execute("get_order_details", {"order_id": number}).content)
        messages = [
            *called("get_order_details", {"order_id": number}, order),
            *called("cancel_pending_order", cancel, result.content),
            *called("get_order_details", {"order_id": number}, after),
        ]
        found = reproduce(messages, retail)
        assert (found.share, found.patch) == (1.0, {})

    def test_records_that_nothing_needs_are_left_out(self, retail: Domain, order: dict[str, Any]) -> None:
        odd = {"order_id": order["order_id"], "status": "delivered"}
        messages = called("calculate", {"expression": "1 + 1"}, odd)
        assert reproduce(messages, retail).patch == {}


class TestWhatDoesNotFollow:
    def test_is_named(self, retail: Domain, order: dict[str, Any]) -> None:
        messages = [
            *called("think", {"thought": "hm"}, ""),
            *called("get_order_details", {"order_id": order["order_id"]}, {**order, "status": 7}),
        ]
        found = reproduce(messages, retail)
        assert [check.how for check in found.checks] == ["unknown tool", "differs"]
        assert found.share == 0.0
        assert any("status" in problem for problem in found.problems)
        assert "the domain has no tool 'think'" in found.problems

    def test_a_failure_in_the_same_words_follows_whoever_calls_it_an_error(self, retail: Domain) -> None:
        """Other programs' logs have the text alone; and a text is no failure only because it has the same words."""
        look = {"user_id": "x"}
        failed = reproduce(called("get_user_details", look, "User not found", error=True), retail)
        answered = reproduce(called("get_user_details", look, "User not found"), retail)
        assert ([one.how for one in failed.checks], [one.how for one in answered.checks]) == (["same"], ["differs"])

    def test_another_domain(self, retail: Domain) -> None:
        found = reproduce(called("launch", {"pad": 1}, "gone"), retail)
        with pytest.raises(DomainError, match="none of the tools that the log calls"):
            refuse_unfit(retail, found)

    def test_another_domain_that_shares_a_tool(self, retail: Domain) -> None:
        shared_tool = called("get_user_details", {"user_id": "x"}, "Error: User not found")
        found = reproduce([*shared_tool, *called("launch", {"pad": 1}, "gone")], retail)
        refuse_unfit(retail, found, "retail")
        refuse_unfit(retail, reproduce(shared_tool, retail), "copy_of_retail")
        with pytest.raises(DomainError, match="the log is of the domain 'space', and 'retail' has no tool 'launch'"):
            refuse_unfit(retail, found, "space")


@pytest.mark.parametrize(
    ("recorded", "returned", "how"),
    [
        ('{"a": 1}', '{ "a": 1 }', "same"),
        ("Error: No such order.", "Error: no such order", "same"),
        ('{"a": {"b": 1}}', '{"a": {"b": 1, "c": null}, "d": 2}', "covered"),
        ('[{"a": 1}]', '[{"a": 1, "b": 2}]', "covered"),
        ('[{"a": 1}]', '[{"a": 1}, {"a": 2}]', "differs"),
        ('{"a": 1, "b": 2}', '{"a": 1}', "differs"),
        ("12.50", "12.5", "same"),
        ("Error: no", '{"a": 1}', "differs"),
    ],
)
def test_follows(recorded: str, returned: str, how: str) -> None:
    assert follows(recorded, returned) == how


@pytest.mark.parametrize(
    ("file", "domain"),
    [("tau2_retail_gpt41", "retail"), ("tau2_airline_gpt41", "airline"), ("tau2_telecom_gpt41", "telecom")],
)
def test_public_recordings_in_the_public_domains(file: str, domain: str) -> None:
    loaded = load_domain(domain, data=shared("tau2"))
    for one in read_conversations(shared("recordings", f"{file}.json")):
        found = reproduce(one.messages, loaded, one.initial_state)
        assert (found.share, found.patch) == (1.0, {}), one.id


def test_what_the_first_version_recorded_differs_where_its_tools_and_records_did() -> None:
    """Each has one reason, and would follow without it: the counts of docs/from_conversations.md."""
    loaded = load_domain("airline", data=shared("tau2"))
    causes: Counter[str] = Counter()
    for one in read_conversations(shared("recordings", "tau1_airline_gpt4o.json")):
        for check in reproduce(one.messages, loaded).checks:
            causes["none" if check.holds else _cause(check)] += 1
    assert causes == {
        "none": 430,
        "province for state": 61,
        "cabin of a changed flight": 43,
        "no such tool now": 41,
        "airports in a mapping": 1,
        "seats of the next day": 1,
    }


def _cause(check: CallCheck) -> str:
    """The one thing without which a result is as it was recorded."""
    if check.how == "unknown tool":
        return "no such tool now"
    if follows(check.recorded.replace('"province":', '"state":'), check.returned) != "differs":
        return "province for state"
    before, now = json.loads(check.recorded), json.loads(check.returned)
    if check.call.name == "list_all_airports":
        return "airports in a mapping" if before == {one["iata"]: one["city"] for one in now} else "?"
    if check.call.name == "search_onestop_flight":
        # The second flight of the next day had the seats and prices of the first day.
        shown = [{**late, "available_seats": 0, "prices": 0} for trip in (*before, *now) for late in trip[1:]]
        return "seats of the next day" if shown[: len(before)] == shown[len(before) :] else "?"
    same = follows(json.dumps({**before, "cabin": now["cabin"]}), check.returned) != "differs"
    return "cabin of a changed flight" if same else "?"


def test_a_log_of_a_telecom_that_does_not_say_how_it_began() -> None:
    """Tables that are lists are patched as a whole; what only texts show of the phone is named as not following."""
    loaded = load_domain("telecom", data=shared("tau2"))
    for one in read_conversations(shared("recordings", "tau2_telecom_gpt41.json"))[:4]:
        before = reproduce(one.messages, loaded)
        assert all(check.how in ("same", "covered", "differs") for check in before.checks)
        assert before.share < reproduce(one.messages, loaded, one.initial_state).share
