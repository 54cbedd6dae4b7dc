"""A customer on the telephone, asked about ids."""

import pytest

from pytest_tau.users.names import named_user
from pytest_tau.users.phone import OnThePhone
from pytest_tau.users.scripted import CONFIRM_CUE
from tests.builders import says, task, user_context

TEXTS = ["Please cancel order #W6587265.", "My e-mail address is ann@example.com."]


def test_a_wrong_id_is_spelled_and_a_right_one_confirmed() -> None:
    phone = OnThePhone(TEXTS)
    assert phone.answer("I have order #W6587265. Is that right?") == "Yes, that is right."
    assert phone.answer("I have w 6 5 8 7 2 6 6, is that correct?") == (
        "No, it is W as in whiskey, six, five, eight, seven, two, six, five."
    )


def test_an_id_is_spelled_when_asked_and_never_twice_alike() -> None:
    phone = OnThePhone(TEXTS)
    said = [phone.answer("Sorry, I did not catch the order number. Could you spell it?") or "" for _ in range(2)]
    assert all("W as in whiskey, six" in one and "alpha" not in one for one in said)
    assert said[0] != said[1]


@pytest.mark.parametrize("text", ["Shall I cancel it?", "I found three flights. Is that right?", "All done."])
def test_other_lines_are_the_scripts(text: str) -> None:
    assert OnThePhone(TEXTS).answer(text) is None
    assert OnThePhone(["I want a lamp."]).answer("Could you spell that?") is None


def test_only_who_is_on_the_phone_spells() -> None:
    instructions = {"domain": "mock", "reason_for_call": TEXTS[0], "task_instructions": "Be brief."}
    for line, spells in (("phone", True), (None, False)):
        user = named_user("scripted")(user_context(task(user_scenario={"instructions": instructions, "line": line})))
        user.reply([says("Hi!")])
        assert ("whiskey" in user.reply([says("Could you spell the order number?")]).text) is spells
        assert "Yes, please go ahead." in user.reply([says(f"Is #W6587265 right? {CONFIRM_CUE}")]).text
