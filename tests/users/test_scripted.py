"""The customer with a script."""

from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.evaluation.language.dialogue import says_yes
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.users.names import named_user
from pytest_tau.users.scripted import CONFIRM_CUE, NOTHING_LEFT, PATIENCE, WAITS, Scripted, instruct
from tests.builders import asks, result_of, says, task, u_call, user_context

INSTRUCTIONS = {
    "domain": "mock",
    "reason_for_call": "I need a task.",
    "known_info": "I am user_1.",
    "task_instructions": "Be brief.",
}


def opened(*tools: str, instructions: Any = None) -> Scripted:
    scenario = {"instructions": INSTRUCTIONS if instructions is None else instructions}
    user = Scripted(user_context(task(user_scenario=scenario), *tools))
    user.reply([says("Hi!")])
    return user


def line(user: Scripted, text: str, *before: AnyMessage) -> str:
    return user.reply([*before, says(text)]).content or ""


def test_it_opens_with_its_reason_whatever_the_greeting() -> None:
    for scenario, reason in ((INSTRUCTIONS, "I need a task."), ("Just a text", "Just a text")):
        user = Scripted(user_context(task(user_scenario={"instructions": scenario})))
        assert user.reply([says(f"Transferring? {CONFIRM_CUE}")]).content == reason
        assert Scripted(user_context(task(user_scenario={"instructions": scenario}))).reply([]).content == reason


def test_it_tells_what_it_knows_once() -> None:
    user = opened()
    assert line(user, "Who are you?") == "I am user_1."
    assert line(user, "And who are you?") == NOTHING_LEFT


def test_it_has_patience_for_some_questions() -> None:
    user = opened()
    answers = [line(user, "Well?") for _ in range(PATIENCE + 1)]
    assert ["###STOP###" in answer for answer in answers] == [False] * PATIENCE + [True]


def test_a_statement_ends_it() -> None:
    assert line(opened(), "All done.") == "Thank you, that is all. ###STOP###"


@pytest.mark.parametrize("text", ["A task.", "You need a task.", "Hello!", "OK.", "Thank you for telling me."])
def test_an_echo_or_a_kind_word_does_not_end_it_before_the_third(text: str) -> None:
    user = opened()
    said: list[AnyMessage] = [says("Hi!"), asks("I need a task.")]
    assert [line(user, text, *said) for _ in range(WAITS)] == ["OK."] * WAITS
    assert "###STOP###" in line(user, text, *said)


NARRATION = "Sure, one moment please while I look that up."


def test_it_waits_twice_for_an_agent_that_only_says_what_it_is_about_to_do() -> None:
    user = opened()
    assert [line(user, NARRATION) for _ in range(WAITS + 1)] == ["OK.", "OK.", "Thank you, that is all. ###STOP###"]


def test_what_the_agent_asks_between_makes_it_wait_again() -> None:
    user = opened()
    said = [line(user, text) for text in (NARRATION, NARRATION, "Who are you?", NARRATION, "That is done.")]
    assert said == ["OK.", "OK.", "I am user_1.", "OK.", "Thank you, that is all. ###STOP###"]


def test_the_text_of_a_call_is_no_answer() -> None:
    user = opened()
    assert line(user, '{"name": "get_users", "arguments": {}}') == "Sorry, I do not understand what that means."
    assert line(user, "<tool_call>get_users</tool_call>") == "Sorry, I do not understand what that means."
    assert "###STOP###" in line(user, "get_users(name='x')")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("I cannot do that. Is there anything else I can help you with?", True),
        ("That is done. Do you need further assistance today?", True),
        ("That is done. What else can I help you with?", True),
        ("Next?", True),
        ("What is your number? And is there anything else?", False),
        ("Which one do you mean?", False),
    ],
)
def test_a_question_for_more_asks_for_nothing(text: str, ends: bool) -> None:
    assert ("###STOP###" in line(opened(), text)) is ends


@pytest.mark.parametrize("text", ["I cannot have you transferred for that.", "Nobody is being transferred by origin."])
def test_who_is_not_handed_over_does_not_hold(text: str) -> None:
    assert "###TRANSFER###" not in line(opened(), text)


@pytest.mark.parametrize(
    "text",
    [
        "I could not help, so I am transferring you.",
        "This needs a colleague, so I'll transfer you now.",
        "Let me transfer you to a human agent.",
        "You will be transferred in a moment.",
        "I am transferring you?",
        "Connecting you to a colleague.",
    ],
)
def test_who_is_about_to_be_handed_over_lets_the_call_come_first(text: str) -> None:
    """The policies want the reason first and then the call; a customer who hangs up takes the trial away."""
    user = opened()
    assert line(user, text) == "All right, please do."
    assert line(user, text) == "All right, I will hold. ###TRANSFER###"


def test_who_is_handed_over_to_one_desk_after_the_other_stays() -> None:
    user = opened()
    for desk in ("orders", "refunds"):
        assert line(user, f"I will hand you over to {desk}.") == "All right, please do."
        assert line(user, "Shall I go ahead? (yes/no)") == "Yes, please go ahead."


def test_who_has_been_handed_over_after_all_holds() -> None:
    assert "###TRANSFER###" in line(opened(), "I could not help, so you have been transferred.")


def test_it_agrees_to_what_is_proposed_as_often_as_asked() -> None:
    user = opened()
    assert {line(user, f"Shall I? {CONFIRM_CUE}") for _ in range(PATIENCE + 3)} == {"Yes, please go ahead."}


@pytest.mark.parametrize("text", ["You are being TRANSFERRED", "I have transferred you."])
def test_a_transfer_ends_it(text: str) -> None:
    assert line(opened(), text) == "All right, I will hold. ###TRANSFER###"


@pytest.mark.parametrize(
    "text",
    [
        "One bag on ABC123, $0. Shall I add it?",
        "I would cancel the order. Would you like me to proceed?",
        "That is 3 dollars. Do you confirm? (yes or no)",
        'Please reply "yes" to confirm the return.',
        "Once you confirm, I'll process the return.",
        "Let me know if you'd like me to cancel it.",
    ],
)
def test_a_proposal_in_other_words_is_one_too(text: str) -> None:
    later = [{"when": "proposed", "say": "Wait, make it three."}]
    user = opened(instructions={**INSTRUCTIONS, "later": later})
    assert line(user, text) == "Wait, make it three."
    assert line(user, text) == "Yes, please go ahead."


@pytest.mark.parametrize("text", ["Shall I look that up?", "May I have your name?", "Could you confirm your name?"])
def test_a_look_is_no_proposal(text: str) -> None:
    later = [{"when": "proposed", "say": "Wait, make it three."}]
    assert line(opened(instructions={**INSTRUCTIONS, "later": later}), text) == "I am user_1."


@pytest.mark.parametrize(
    "text",
    ["Please provide your email address.", "To get started, I'll need your user id.", "Let's start with your name."],
)
def test_who_is_told_to_say_who_they_are_says_it(text: str) -> None:
    user = opened()
    assert line(user, text) == "I am user_1."
    assert [line(user, text) for _ in range(WAITS)] == [NOTHING_LEFT] * WAITS
    assert "###STOP###" in line(user, text)  # who has said all has nothing to add


def test_it_does_its_part() -> None:
    user = opened("dismiss_notification")
    arguments = {"notification_id": "n (1) {x}", "deep": {"a": [1, None]}}
    message = user.reply([says("Hi"), says(instruct("dismiss_notification", arguments))])
    assert message.tool_calls is not None
    (call,) = message.tool_calls
    assert (call.name, call.arguments, call.requestor) == ("dismiss_notification", arguments, "user")
    told = user.reply([asks(None, u_call()), result_of(u_call(), "Dismissed")]).content
    assert told == "I have done that. It says: Dismissed"


@pytest.mark.parametrize(
    "text",
    [
        "Could you run `check_status_bar`?",
        "Please check the status bar of your phone.",
        "Let's see. Check your status bar, please, and tell me what it says.",
        "Could you check what the bar with the status says?",
    ],
)
def test_it_does_what_is_named_in_words(text: str) -> None:
    user = opened("check_status_bar", "other")
    message = user.reply([says("Hi"), says(text)])
    assert message.tool_calls is not None
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("check_status_bar", {})]


def test_it_does_not_do_what_it_is_told_not_to() -> None:
    assert line(opened("check_status_bar"), "You need not check the status bar now.") == "OK."


def test_what_it_cannot_do() -> None:
    user = opened("dismiss_notification")
    assert line(user, instruct("fly", {})) == "I would not know how to do that, as there is no such thing here: fly"
    for unclear in ("{x}", '{"a": ' + "[" * 101 + "]" * 101 + "}"):
        asked = f"Please do this on your side: dismiss_notification {unclear}"
        assert line(user, asked).startswith("I did not understand")


def test_names() -> None:
    assert named_user("scripted") is Scripted
    assert named_user(f"{__name__}:Scripted") is Scripted
    with pytest.raises(
        SettingsError, match=r"there is no user 'robot': use llm, .*scripted, scripted:people, or module:factory"
    ):
        named_user("robot")


class TestResuming:
    def test_its_own_conversation(self) -> None:
        first = opened()
        told: list[AnyMessage] = [says("Hi!"), asks("I need a task.")]
        for text in ("What do you know?", "And what else?", f"Shall I? {CONFIRM_CUE}"):
            told.append(says(text))
            told.append(first.reply(list(told)))
        second = Scripted(user_context(task(user_scenario={"instructions": INSTRUCTIONS})))
        second.resume(told, 1)
        assert line(second, "Anything else?") == line(first, "Anything else?")
        assert vars(second).keys() == vars(first).keys()

    def test_a_conversation_that_another_has_had(self) -> None:
        later = [{"when": "done", "say": "And a second one."}, {"when": "done", "say": "And a third."}]
        user = Scripted(user_context(task(user_scenario={"instructions": {**INSTRUCTIONS, "later": later}})))
        user.resume([says("Hi!"), asks("A task, please"), says("What?"), asks("oh, and a SECOND one."), says("Yes")], 1)
        assert line(user, "Who are you?") == "I am user_1."
        assert line(user, "All done.") == "And a third."


class TestAsAPerson:
    """``scripted:people``: the same script in somebody's own way."""

    WISH = "I want a task. Its title is Lamp. The colour does not matter at all, take the one you like best for it."

    def told(self, seed: int, *lines: str) -> list[str]:
        scenario = {"instructions": {**INSTRUCTIONS, "reason_for_call": self.WISH}}
        context = replace(user_context(task(user_scenario=scenario)), seed=seed)
        user, said = named_user("scripted:people")(context), []
        messages: list[AnyMessage] = [says("Hi!")]
        for text in (None, *lines):
            messages += [] if text is None else [says(text)]
            said.append(user.reply(messages).text)
            messages.append(asks(said[-1]))
        return said

    def test_the_wish_is_told_before_anything_is_agreed_to(self) -> None:
        for seed in range(60):
            said = self.told(seed, f"Shall I go ahead? {CONFIRM_CUE}", f"Shall I go ahead now? {CONFIRM_CUE}")
            agreed = [says_yes(one) for one in said]
            assert any(agreed), said
            before = letters(" ".join(said[: agreed.index(True)]))
            assert all(word in before for word in ("lamp", "colour")), said

    def test_the_wish_is_told_before_they_leave(self) -> None:
        for seed in range(60):
            said = self.told(seed, "All done.", "All done.")
            assert "lamp" in letters(said[0] + said[1])
            assert "###STOP###" in said[-1]

    def test_the_same_seed_says_the_same(self) -> None:
        assert self.told(5, "And?", "Yes?") == self.told(5, "And?", "Yes?")
        assert len({self.told(seed)[0] for seed in range(30)}) > 5

    def test_what_is_asked_for_comes_first(self) -> None:
        scenario = {
            "instructions": {**INSTRUCTIONS, "known_info": "My name is Ann Lee.\nMy e-mail is ann@example.com."}
        }
        for seed in range(20):
            user = named_user("scripted:people")(replace(user_context(task(user_scenario=scenario)), seed=seed))
            said = [user.reply([says("Hi!")]).text]
            while "task" not in said[-1]:
                said.append(user.reply([says("What do you want?")]).text)
            assert "ann@example.com" in user.reply([says("Could you give me your e-mail address?")]).text


def letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
