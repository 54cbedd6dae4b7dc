"""TRAJECTORY: calls in order, a yes before every write, the customer known first, nothing told that is not theirs."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau import grade, simulate
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_task
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage
from tests.builders import CREATE, a_call, action, asks, mock, result_of, says, task, u_call

GREETING = says("Hi! How can I help you today?")
WRITE = a_call("create_task", **CREATE)
WRITTEN: list[AnyMessage] = [says(None, WRITE), result_of(WRITE)]
LOOK = a_call("get_users")
LOOKED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "user_1")]
FAILED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "Error: x", error=True)]
CONFIRMED = {"check": "confirmed"}


def found(user: str) -> list[AnyMessage]:
    """A search for the customer that finds this one."""
    search = a_call("find", id=user)
    return [says(None, search), result_of(search, user)]


def run(messages: list[AnyMessage], check: dict[str, Any], *, solo: bool = False) -> tuple[Any, str]:
    played = task(criteria={"trajectory": [check]})
    found, *_ = trajectory(played, messages, in_basis=True, solo=solo, env=mock().environment(solo=solo)).checks
    return found.met, found.explanation


class TestOrder:
    CHECK: dict[str, Any] = {"check": "order", "calls": [{"name": "get_users"}, {"name": "create_task"}]}  # noqa: RUF012

    def test_in_order(self) -> None:
        assert run(LOOKED + WRITTEN, self.CHECK) == (True, "")

    def test_the_wrong_way_round(self) -> None:
        why = "create_task() in turn 0 came before get_users() in turn 2"
        assert run(WRITTEN + LOOKED + WRITTEN, self.CHECK) == (False, why)

    def test_a_call_that_failed_does_not_count(self) -> None:
        assert run(FAILED + WRITTEN, self.CHECK) == (False, "no call of get_users() succeeded")
        assert run(FAILED + WRITTEN + LOOKED, self.CHECK)[0] is False

    def test_one_message_with_both(self) -> None:
        other = a_call("create_task", id="c2")
        assert run([says(None, LOOK, other), result_of(LOOK), result_of(other)], self.CHECK)[0]
        assert not run([says(None, other, LOOK), result_of(other), result_of(LOOK)], self.CHECK)[0]

    def test_arguments_and_sides(self) -> None:
        check = {
            "check": "order",
            "calls": [{"name": "look", "requestor": "user"}, {"name": "create_task", "arguments": {"title": "x"}}],
        }
        call = u_call("look")
        looked: list[AnyMessage] = [asks(None, call), result_of(call)]
        assert run(looked + WRITTEN, check) == (False, 'no call of create_task(title="x") succeeded')
        other = a_call("create_task", title="X")
        assert run([*looked, says(None, other), result_of(other)], check)[0]


class TestConfirmed:
    ASKED: list[AnyMessage] = [GREETING, asks("Add a task."), says("I will add 'Buy stamps'. Shall I?")]  # noqa: RUF012

    def test_a_yes_between_proposal_and_call(self) -> None:
        assert run([*self.ASKED, asks("Yes, please."), *LOOKED, *WRITTEN, *WRITTEN], CONFIRMED) == (True, "")

    def test_reads_need_none(self) -> None:
        assert run([GREETING, asks("Add a task."), *LOOKED], CONFIRMED)[0]

    @pytest.mark.parametrize(
        ("messages", "why"),
        [
            ([GREETING, asks("Add a task.")], "nothing like it was proposed to the customer"),
            ([GREETING, asks("Yes! Add a task.")], "nothing like it was proposed to the customer"),
            ([*ASKED, asks("No, leave it.")], "the customer said no in turn 3"),
            ([*ASKED, asks("What does it cost?")], "the customer only asks in turn 3"),
            ([*ASKED, asks("Yes."), says("Shall I add another?"), asks("Stop.")], "the customer put it off in turn 5"),
            ([], "nothing like it was proposed to the customer"),
        ],
    )
    def test_without_one(self, messages: list[AnyMessage], why: str) -> None:
        met, explanation = run([*messages, *WRITTEN], CONFIRMED)
        assert not met
        assert f"create_task in turn {len(messages)} without a yes" in explanation
        assert why in explanation

    @pytest.mark.parametrize(
        "messages",
        [
            [*ASKED, asks("If it costs nothing.")],
            [*ASKED, asks("Yes."), says("That is 40 in all. Please confirm."), asks("Could you use the other card?")],
            [GREETING, asks("Bitte trage die Aufgabe Buy stamps ein."), says("Soll ich das tun?"), asks("Nein.")],
        ],
    )
    def test_what_is_unclear_is_no_miss_but_said(self, messages: list[AnyMessage]) -> None:
        met, explanation = run([*messages, *WRITTEN], CONFIRMED)
        assert met
        assert explanation.startswith(f"agreement unclear: create_task in turn {len(messages)}")

    def test_a_yes_lasts_over_what_needs_no_answer(self) -> None:
        said = [*self.ASKED, asks("Yes."), *WRITTEN, says("The first is in."), asks("Thank you.")]
        assert run([*said, *WRITTEN], CONFIRMED)[0]

    def test_a_failed_attempt_needs_a_yes_too(self) -> None:
        assert not run([says(None, WRITE), result_of(WRITE, error=True)], CONFIRMED)[0]

    def test_only_the_named_tools(self) -> None:
        assert run(WRITTEN, {"check": "confirmed", "names": ["update_task_status"]})[0]
        assert not run(WRITTEN, {"check": "confirmed", "names": ["create_task"]})[0]

    def test_what_the_customer_does_and_solo(self) -> None:
        call = u_call("dismiss_notification")
        assert run([asks(None, call), result_of(call)], CONFIRMED)[0]
        assert run(WRITTEN, CONFIRMED, solo=True) == (True, "solo mode has no customer to ask")

    def test_words_beside_a_call_are_no_question(self) -> None:
        messages: list[AnyMessage] = [GREETING, asks("Add a task."), says("Shall I?", LOOK), result_of(LOOK)]
        assert "nothing like it was proposed" in run([*messages, *WRITTEN], CONFIRMED)[1]


class TestIdentified:
    CHECK: dict[str, Any] = {"check": "identified", "by": ["get_users"], "needed_for": ["create_task"]}  # noqa: RUF012

    def test_before(self) -> None:
        assert run(LOOKED + WRITTEN, self.CHECK) == (True, "")

    def test_after(self) -> None:
        why = "create_task was called in turn 0, before the customer was identified"
        assert run(WRITTEN + LOOKED, self.CHECK) == (False, why)
        assert not run(FAILED + WRITTEN, self.CHECK)[0]

    def test_never(self) -> None:
        assert run([], self.CHECK) == (False, "the customer was never identified")

    def test_as_somebody_else(self) -> None:
        assert run(LOOKED + WRITTEN, {**self.CHECK, "shows": "user_1"})[0]
        assert not run(LOOKED + WRITTEN, {**self.CHECK, "shows": "user_2"})[0]

    def test_who_gave_anothers_name_by_mistake_is_looked_up_as_that_person(self) -> None:
        check = {"check": "identified", "by": ["find"], "needed_for": ["get_users", "create_task"], "shows": "user_1"}
        slip, corrected = found("user_2"), found("user_1")
        assert run([*slip, *LOOKED, *corrected, *WRITTEN], check)[0]
        assert not run([*LOOKED, *slip, *corrected, *WRITTEN], check)[0]
        assert not run([*slip, *WRITTEN, *corrected], check)[0]
        assert run([*slip, *LOOKED], check) == (False, "the customer was never identified")

    def test_every_other_tool_needs_it(self) -> None:
        everything = {"check": "identified", "by": ["get_users"]}
        transfer = a_call("transfer_to_human_agents")
        assert not run(WRITTEN + LOOKED, everything)[0]
        assert run([says(None, transfer), result_of(transfer), *LOOKED], everything)[0]


@pytest.mark.parametrize(
    "check",
    [
        {"check": "order", "calls": [{"name": "a"}]},
        {"check": "confirmed", "names": []},
        {"check": "identified", "by": []},
        {"check": "not_said", "texts": [""]},
    ],
)
def test_what_could_never_fail_is_refused(check: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        task(criteria={"trajectory": [check]})


@pytest.mark.parametrize(
    "check",
    [
        {"check": "order", "calls": [{"name": "get_users"}, {"name": "get_user"}]},
        {"check": "confirmed", "names": ["get_user"]},
        {"check": "identified", "by": ["get_users"], "needed_for": ["get_user"]},
        {"check": "not_said", "texts": ["x"], "until": ["get_user"]},
    ],
)
def test_a_misspelt_tool_is_named(check: dict[str, Any]) -> None:
    item = task(criteria={"trajectory": [check]}).model_dump(mode="json")
    (problem,) = task_problems(read_task(item, "here.json"), mock())
    assert problem.startswith("evaluation_criteria.trajectory[0]: there is no assistant tool 'get_user' (did you mean")


@pytest.mark.parametrize("solo", [False, True])
def test_the_oracle_and_the_scripted_customer_keep_to_them(solo: bool) -> None:
    checks = [
        {"check": "order", "calls": [{"name": "get_users"}, {"name": "create_task"}]},
        CONFIRMED,
        {"check": "identified", "by": ["get_users"]},
        {"check": "not_said", "texts": ["Tomas Okoye"]},
    ]
    gold = [action("get_users"), action("create_task", **CREATE)]
    played = task(ticket="Add it.", criteria={"actions": gold, "trajectory": checks, "reward_basis": ["TRAJECTORY"]})
    reward = grade(played, simulate(played, mock(), solo=solo), mock())
    assert reward.passed, reward
