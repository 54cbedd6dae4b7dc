"""Paraphrases by a model: what is taken, what is refused and why, and the file they are kept in."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau.errors import InfraError
from pytest_tau.schema.scenario import Rewording
from pytest_tau.schema.task import Task
from tau_workshop.perturb.paraphrase import (
    PROMPT_VERSION,
    TRIES,
    Paraphrased,
    as_json,
    paraphrase_all,
    paraphrase_task,
    problem,
)
from tests.builders import action, mock, task
from tests.fake_model import FakeModel
from tests.variants.telling import customer

GOLD = {"actions": [action("create_task", user_id="user_1", title="Water the plants", description="twice a week")]}
ORIGINAL = customer("Please add 'Water the plants' for user_1.", "You live in Bern.", criteria=GOLD)
GOOD, BETTER = (f"{word} user_1 needs a task 'Water the plants'." for word in ("So", "Well,"))
SAME = '{"difference": "none", "same": true}'


def words(reason: str, **fields: Any) -> Rewording:
    return Rewording(reason_for_call=reason, **fields)


def text(reason: str, **fields: Any) -> str:
    return json.dumps({"reason_for_call": reason, **fields})


def asked(writer: FakeModel, reader: FakeModel, number: int = 1, played: Any = ORIGINAL) -> Paraphrased:
    return asyncio.run(paraphrase_task(played, mock(), writer, reader, number=number))


class TestRules:
    def test_a_good_one(self) -> None:
        assert problem(ORIGINAL, words(GOOD), mock()) is None

    @pytest.mark.parametrize(
        ("reason", "why"),
        [
            ("Please  add 'Water the plants'\nfor user_1.", "it is the original"),
            ("Please water something.", "it has lost user_1, water the plants"),
            (f"{GOOD} Before 17:00.", "it has 17:00, which the original has not"),
            (f"{GOOD} Use get_users.", "it has get_users, which the original has not"),
            (f"{GOOD} Twice a week.", "it tells 'twice a week' of the gold path"),
        ],
    )
    def test_what_is_wrong(self, reason: str, why: str) -> None:
        assert problem(ORIGINAL, words(reason), mock()) == why

    def test_what_the_customer_knows_counts_as_well(self) -> None:
        assert problem(ORIGINAL, words(GOOD, known_info="You live in town."), mock()) == "it has lost bern"

    def test_five_lost_values_are_enough_to_be_told(self) -> None:
        many = customer("Take " + ", ".join(f"#A{number}" for number in range(9)))
        assert str(problem(many, words("Take all."), mock())).count("#a") == 5


class TestAsking:
    def test_it_is_taken_when_who_reads_both_finds_the_same(self) -> None:
        writer, reader = FakeModel(text(GOOD)), FakeModel(SAME)
        found = asked(writer, reader)
        assert (found.taken, found.refused) == ([words(GOOD)], [])
        shown = json.loads(str(writer.chats[0][-1]["content"]))
        assert shown == {
            "reason_for_call": "Please add 'Water the plants' for user_1.",
            "known_info": "You live in Bern.",
        }
        read = json.loads(str(reader.chats[0][-1]["content"]))
        assert (read["first"], read["second"]["reason_for_call"]) == (shown, GOOD)

    @pytest.mark.parametrize(
        ("written", "read", "why"),
        [
            ("nothing", SAME, "the answer is not a JSON object"),
            ("[1]", SAME, "the answer is not a JSON object"),
            (None, SAME, "the answer is not a JSON object"),
            ("{}", SAME, "reason_for_call: Field required"),
            (text(GOOD, later=["x"]), SAME, "later has 1 texts, and the original 0"),
            (text(GOOD), '{"difference": "a cat", "same": false}', "read back it says something else: a cat"),
            (text(GOOD), '{"same": "true"}', "who read it back gave no verdict"),
            (text(GOOD), "yes", "who read it back gave no verdict"),
        ],
    )
    def test_it_is_refused_with_the_reason(self, written: str | None, read: str, why: str) -> None:
        found = asked(FakeModel(written), FakeModel(read))
        assert found.taken == []
        assert found.refused == [why] * TRIES

    def test_the_same_one_is_not_taken_twice(self) -> None:
        found = asked(FakeModel(text(GOOD), text(GOOD), text(BETTER)), FakeModel(SAME), 2)
        assert found.taken == [words(GOOD), words(BETTER)]
        assert found.refused == ["it is one that was taken before"]

    def test_nobody_reads_what_the_rules_refuse_and_each_try_has_a_seed(self) -> None:
        writer, reader = FakeModel("no"), FakeModel(SAME)
        asked(writer, reader, 2)
        assert reader.chats == []
        assert writer.seeds == [*range(300, 300 + 2 * TRIES)]

    def test_instructions_that_are_one_text_can_be_put_otherwise(self) -> None:
        found = asked(FakeModel(text("Help me, would you?")), FakeModel(SAME), played=task())
        assert found.taken == [words("Help me, would you?")]

    def test_many_tasks_at_a_time_come_back_in_their_order(self) -> None:
        tasks = [customer(f"Take #A{number} away.").model_copy(update={"id": f"t{number}"}) for number in range(5)]
        found = paraphrase_all(tasks, mock(), FakeModel("no"), FakeModel(SAME), number=1, at_once=2)
        assert [one.task_id for one in found] == ["t0", "t1", "t2", "t3", "t4"]


def several(number: int) -> list[Task]:
    return [ORIGINAL.model_copy(update={"id": f"t{one}"}) for one in range(number)]


class TestAModelThatFails:
    def test_what_was_taken_before_is_kept(self) -> None:
        error = InfraError("no credit left")
        writer, reader = FakeModel(text(GOOD), error, text(BETTER)), FakeModel(SAME)
        found = paraphrase_all(several(3), mock(), writer, reader, number=1, at_once=1)
        # One failure in a row is as many as are asked at once: nobody asks for the third.
        assert [(one.taken, one.failed) for one in found] == [([words(GOOD)], None), ([], error), ([], error)]
        assert len(writer.chats) == 2

    def test_a_failure_among_others_costs_one_task(self) -> None:
        error = InfraError("try again later")
        writer, reader = FakeModel(error, text(GOOD)), FakeModel(SAME)
        found = paraphrase_all(several(4), mock(), writer, reader, number=1, at_once=2)
        assert [one.failed for one in found] == [error, None, None, None]

    def test_that_nothing_was_taken_is_its_error(self) -> None:
        with pytest.raises(InfraError, match="no credit left"):
            paraphrase_all(several(2), mock(), FakeModel(InfraError("no credit left")), FakeModel(SAME), number=1)


class TestTheFile:
    def test_new_ones_come_after_those_it_had_and_none_twice(self) -> None:
        before = {"old": [{"reason_for_call": "x"}], "t": [{"reason_for_call": "a"}]}
        found = [Paraphrased("t", [words("a"), words("ä")]), Paraphrased("none", refused=["no"])]
        assert json.loads(as_json(found, before)) == {
            "old": [{"reason_for_call": "x"}],
            "t": [{"reason_for_call": "a"}, {"reason_for_call": "ä"}],
        }
        assert "ä" in as_json(found, before)
        assert before["t"] == [{"reason_for_call": "a"}]

    def test_what_is_written_twice_stays_as_it_is(self) -> None:
        found = [Paraphrased("t", [words("a", later=["b"])])]
        once = as_json(found, {})
        assert as_json(found, json.loads(once)) == once


def test_the_version_of_the_prompts_is_part_of_what_is_recorded() -> None:
    assert len(PROMPT_VERSION) >= 8
