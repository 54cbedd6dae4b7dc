import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_tau import Attachment, Task
from pytest_tau.environment.domain import Domain
from pytest_tau.reports.chat_rows import Row
from pytest_tau.reports.telling import Teller
from pytest_tau.reports.training import preference_rows, sft_rows, write_rows
from pytest_tau.schema.messages import AnyMessage, UserMessage
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import a_call, asks, mock, result_of, says, task, u_call
from tests.pictures import strip
from tests.reports.runs import record, simulation

DOMAINS = {"mock": mock()}


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def trial(*messages: AnyMessage, outcome: Outcome = Outcome.PASSED, number: int = 1, solo: bool = False) -> TrialRecord:
    played = simulation(trial=number, messages=list(messages), solo=solo)
    return record(trial=number, outcome=outcome, simulation=played)


def sft(tmp_path: Path, *records: TrialRecord, tasks: Mapping[tuple[str, str], Task] | None = None) -> list[Row]:
    write_rows(sft_rows(records, Teller(DOMAINS, tasks or {})), tmp_path / "sft.jsonl")
    return lines(tmp_path / "sft.jsonl")


def preferences(tmp_path: Path, *records: TrialRecord) -> list[Row]:
    write_rows(preference_rows(records, Teller(DOMAINS, {})), tmp_path / "pairs.jsonl")
    return lines(tmp_path / "pairs.jsonl")


class TestSft:
    def test_a_conversation_as_the_agent_saw_it(self, tmp_path: Path) -> None:
        call, theirs = a_call("get_users", id="provider-1", where="é"), u_call()
        [line] = sft(
            tmp_path,
            trial(
                says("Hi!"),
                asks("Who is there?"),
                says("Looking.", call),
                result_of(call, "[]"),
                says("Nobody. Look yourself."),
                asks(None, theirs),
                result_of(theirs, "a secret of the customer"),
                asks("I did."),
                says("Good."),
                asks("###STOP###"),
            ),
        )
        assert line["messages"] == [
            {"role": "system", "content": mock().policy},
            {"role": "assistant", "content": "Hi!"},
            {"role": "user", "content": "Who is there?"},
            {
                "role": "assistant",
                "content": "Looking.",
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "get_users", "arguments": '{"where": "é"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "call_1", "content": "[]"},
            {"role": "assistant", "content": "Nobody. Look yourself."},
            {"role": "user", "content": "I did."},
            {"role": "assistant", "content": "Good."},
        ]

    def test_the_tools_are_those_of_the_agent(self, tmp_path: Path) -> None:
        [line] = sft(tmp_path, trial(says("Hi!")))
        assert line["tools"] == [tool.schema for tool in mock().environment().tool_specs()]

    def test_only_what_passed(self, tmp_path: Path) -> None:
        broken = record(outcome=Outcome.INFRA_ERROR, simulation=None, reward=None)
        assert sft(tmp_path, trial(says("no"), outcome=Outcome.MISSED), broken) == []

    def test_two_calls_of_one_message_keep_their_results(self, tmp_path: Path) -> None:
        first, second = a_call("get_users", id=""), a_call("get_users", id="")
        spoken: list[AnyMessage] = [
            says(None, first, second),
            result_of(first, "one"),
            result_of(second, "two"),
            says("So."),
        ]
        [line] = sft(tmp_path, trial(*spoken))
        calls = [call["id"] for call in line["messages"][1]["tool_calls"]]
        results = {message["tool_call_id"]: message["content"] for message in line["messages"][2:4]}
        assert calls == ["call_1", "call_2"]
        assert results == {"call_1": "one", "call_2": "two"}

    def test_a_solo_run_starts_with_its_ticket(self, tmp_path: Path) -> None:
        tasks: dict[tuple[str, str], Task] = {("mock", "t"): task(ticket="Do this.")}
        theirs = u_call()
        spoken = says(None, theirs), result_of(theirs, "none"), says("Done.")
        [line] = sft(tmp_path, trial(*spoken, solo=True), tasks=tasks)
        assert line["messages"][0]["content"] == solo_policy(mock())
        assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant", "tool", "assistant"]
        assert line["messages"][1]["content"] == "Do this."


def solo_policy(domain: Domain) -> str:
    return domain.policy_for(solo=True)


class TestPreferences:
    def test_a_passed_and_a_missed_trial_part_where_they_differ(self, tmp_path: Path) -> None:
        call = a_call("get_users", id="a")
        again = a_call("get_users", id="b")  # providers never give the same id twice
        good = trial(says("Hi!"), asks("Help"), says(None, call), result_of(call, "[]"), says("Done."))
        bad = trial(
            says("Hi!"), asks("Help"), says(None, again), result_of(again, "[]"), says("No."), outcome=Outcome.MISSED
        )
        [pair] = preferences(tmp_path, bad, good)
        assert [message["role"] for message in pair["prompt"]] == ["system", "assistant", "user", "assistant", "tool"]
        assert pair["chosen"] == [{"role": "assistant", "content": "Done."}]
        assert pair["rejected"] == [{"role": "assistant", "content": "No."}]
        assert pair["tools"] == [tool.schema for tool in mock().environment().tool_specs()]

    def test_each_conversation_stands_in_one_pair_at_most(self, tmp_path: Path) -> None:
        run = [trial(says(f"good {n}")) for n in (1, 2)]
        run += [trial(says(f"bad {n}"), outcome=Outcome.MISSED) for n in (1, 2, 3)]
        pairs = [(p["chosen"][0]["content"], p["rejected"][0]["content"]) for p in preferences(tmp_path, *run)]
        assert pairs == [("good 1", "bad 1"), ("good 2", "bad 2")]

    def test_trials_of_different_tasks_make_no_pair(self, tmp_path: Path) -> None:
        assert preferences(tmp_path, record("one"), record("two", outcome=Outcome.MISSED)) == []

    def test_trials_that_say_the_same_make_no_pair(self, tmp_path: Path) -> None:
        assert preferences(tmp_path, trial(says("Hi!")), trial(says("Hi!"), outcome=Outcome.MISSED)) == []

    def test_trials_without_a_verdict_on_the_agent_make_no_pair(self, tmp_path: Path) -> None:
        assert preferences(tmp_path, trial(says("a")), trial(says("b"), outcome=Outcome.INVALID)) == []


def test_pictures_are_named_in_the_text(tmp_path: Path) -> None:
    shown = UserMessage(content="See.", attachments=[Attachment.of(strip("NOTE"), "note")])
    [line] = sft(tmp_path, trial(says("Hi."), shown, says("I see.")))
    assert line["messages"][-2] == {"role": "user", "content": "See. [photo: note.png, 32×64]"}
