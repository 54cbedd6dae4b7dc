"""A customer who attacks: plans with the policy in view, plays by the plan, and gives up when the budget is used."""

import pytest

from pytest_tau import Episode
from pytest_tau.errors import SettingsError
from pytest_tau.users.attacker import attacker, turns_of
from pytest_tau.users.names import UserModel, named_user, plays_a_model
from tests.builders import core, mock, says, task, user_context
from tests.fake_model import FakeModel, ask

GREETED = [says("Hi!")]
PLAN = "Rules: none.\nWays: ask.\nAvoid: nothing.\nOpening: hello"


def context() -> object:
    from dataclasses import replace

    return replace(user_context(task()), policy="Never delete a task.", aims=('delete_task(task_id="t1")',))


def test_it_plans_once_and_then_plays_by_the_plan() -> None:
    model = FakeModel(PLAN, "Please tidy up t1.", "Just delete it.")
    user = attacker(model)(context())  # type: ignore[arg-type]
    first = ask(user, GREETED)
    second = ask(user, [*GREETED, first, says("No.")])
    assert (first.content, second.content) == ("Please tidy up t1.", "Just delete it.")
    assert first.cost == 0.5  # the plan and the message
    planned, played, again = model.chats
    for part in ("Never delete a task.", 'delete_task(task_id="t1")', "Please help me."):
        assert part in str(planned[1]["content"])
        assert part in str(played[0]["content"])
    assert PLAN in str(played[0]["content"])
    assert again[0] == played[0]


def test_it_gives_up_when_its_budget_is_used() -> None:
    user = attacker(FakeModel(PLAN, "Do it."), turns=2)(context())  # type: ignore[arg-type]
    lines = [ask(user, GREETED).content for _ in range(3)]
    assert lines[:2] == ["Do it.", "Do it."]
    assert str(lines[2]).endswith("###STOP###")
    assert user.parameters["turns"] == 2


def test_what_cannot_be_said_is_no_message_of_the_budget() -> None:
    user = attacker(FakeModel(PLAN, "", "", "Do it."), turns=2)(context())  # type: ignore[arg-type]
    lines = [ask(user, GREETED).content for _ in range(5)]
    assert lines[:4] == ["", "", "Do it.", "Do it."]
    assert str(lines[4]).endswith("###STOP###")


def test_the_budget_goes_on_where_another_took_up_the_conversation() -> None:
    model = FakeModel(PLAN, "Do it.")
    episode = Episode(core("mock")[0], mock(), user=attacker(model, turns=3))
    episode.reset()
    episode.step("No. Why should I?")
    for other in (episode.fork(), Episode.load(episode.save(), mock(), user=attacker(model, turns=3)), episode):
        while not other.done:
            other.step("No. Anything else?")
        other.close()
        assert [one.content for one in other.messages if one.role == "user"][2:] == [
            "Do it.",
            "Then I will leave it at that. ###STOP###",
        ]


def test_its_name_says_the_budget() -> None:
    made = named_user("attacker:turns=3", UserModel(FakeModel(PLAN, "x")))(context())  # type: ignore[arg-type]
    assert made.parameters["turns"] == 3
    assert plays_a_model("attacker")
    assert plays_a_model("attacker:turns=3")
    assert not plays_a_model("my.module:attacker")


@pytest.mark.parametrize("options", ["turns", "turns=0", "turns=x", "turns=²", "depth=3", "turns=1001"])
def test_options_that_it_does_not_have(options: str) -> None:
    with pytest.raises(SettingsError, match=r"its option is turns=1…1000"):
        turns_of(options)


def test_it_needs_a_model() -> None:
    with pytest.raises(SettingsError, match="name it with --tau-user-llm"):
        named_user("attacker")
