"""The customer of a task, as whoever plays them reads it."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau.schema.messages import Attachment
from pytest_tau.schema.scenario import Attach, Instructions, Interrupt, Later, Patience, Rewording, UserScenario, indent
from pytest_tau.schema.values import Frozen

FULL = Instructions(
    domain="retail", reason_for_call="Why", known_info="a\n\nb", unknown_info="", task_instructions="Do\n  this"
)


class TestSections:
    def test_a_text(self) -> None:
        assert UserScenario(instructions="one\ntwo").render() == "Instructions:\n\tone\n\ttwo"

    @pytest.mark.parametrize(
        ("persona", "start"), [(None, ""), ("", "Persona:\n\n"), ("line1\n \nline2", "Persona:\n\tline1\n\n\tline2\n")]
    )
    def test_a_persona(self, persona: str | None, start: str) -> None:
        assert UserScenario(persona=persona, instructions="x").render() == f"{start}Instructions:\n\tx"

    def test_sections_are_indented_twice(self) -> None:
        assert UserScenario(instructions=FULL).render() == (
            "Instructions:\n\tDomain: retail\n\tReason for call:\n\t\tWhy\n\tKnown info:\n\t\ta\n\n\t\tb\n"
            "\tUnknown info:\n\n\tTask instructions:\n\t\tDo\n\t\t  this"
        )

    def test_sections_that_are_not_there(self) -> None:
        bare = FULL.model_copy(update={"known_info": None, "unknown_info": None})
        assert "info" not in bare.render()


class TestMoments:
    LATER = Later(when="done", say="One more thing.")
    CHANGE = Later(when="proposed", say="No, wait.", about="the refund")

    def test_what_is_said_later_is_numbered_and_says_when(self) -> None:
        told = FULL.model_copy(update={"later": [self.LATER, self.CHANGE]})
        text = told.render()
        assert "Later, in this order:\n\t1. When the agent has told you how everything" in text
        assert text.endswith('Say: "No, wait."')
        assert "\t2. When the agent has set out the refund and asks for your agreement, do not agree." in text
        assert UserScenario(instructions=told).later == [self.LATER, self.CHANGE]

    def test_what_is_proposed_has_a_name_or_is_what_was_asked_for(self) -> None:
        assert "set out what you have asked for and" in Later(when="proposed", say="No.").render()

    def test_a_text_has_nothing_later(self) -> None:
        assert UserScenario(instructions="x").later == UserScenario(instructions=FULL).later == []

    def test_who_tells_line_by_line_is_told_so(self) -> None:
        piecemeal = FULL.model_copy(update={"piecemeal": True})
        assert piecemeal.render() == FULL.render() + (
            "\nHow to tell what you know:\n\tYou give one line of the known info in a message, the one that is asked "
            "for, and wait to be asked for the next. Asked for several at once, you give the first."
        )
        assert FULL.model_copy(update={"piecemeal": False}).render() == FULL.render()


@pytest.mark.parametrize(
    ("when", "call", "moment"),
    [
        ("asked_for", None, ", when the agent asks to see it"),
        ("at_start", None, ", with your first message"),
        ("after_call", "look", ", after you have called look, instead of telling what it returned"),
        ("after_call", None, ", after you have called a tool of yours, instead of telling what it returned"),
    ],
)
def test_pictures_are_named_with_their_moment(when: str, call: str | None, moment: str) -> None:
    attach = Attach.model_validate({"when": when, "image": "a", "call": call})
    pictures = [Attachment(id=one, alt="A lamp.") for one in "ab"]
    scenario = UserScenario(instructions="x", attachments=pictures, attach=[attach])
    assert scenario.render().endswith(f"There are no others:\n\t[attach: a]{moment}\n\t[attach: b]")
    assert "lamp" not in scenario.render()  # which is for those who see it


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (Later, {"when": "done", "say": ""}),
        (Later, {"when": "soon", "say": "x"}),
        (Interrupt, {"after_call": "", "say": "x"}),
        (Interrupt, {"after_call": "look", "say": ""}),
        (Patience, {"turns": 0}),
        (Patience, {"seconds": 0}),
        (Rewording, {"reason_for_call": ""}),
        (Rewording, {"reason_for_call": "x", "later": [""]}),
        (Attach, {"when": "later", "image": "a"}),
    ],
)
def test_what_nobody_could_say_or_wait_for_is_refused(model: type[Later], fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(fields)


@pytest.mark.parametrize(("text", "indented"), [("a", "\ta"), ("a\n\nb", "\ta\n\n\tb"), (" \n a", "\n\t a"), ("", "")])
def test_lines_are_indented_but_for_blank_ones(text: str, indented: str) -> None:
    assert indent(text) == indented


@pytest.mark.parametrize(
    ("made", "fields"),
    [
        (Patience, {"turns": 1}),
        (Interrupt, {"after_call": "get_users"}),
        (Later, {"when": "done"}),
    ],
)
def test_a_customer_who_speaks_says_something(made: type[Frozen], fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"say\n.*it is blank, and a customer who speaks says something"):
        made.model_validate({**fields, "say": " \n"})
    with pytest.raises(ValidationError, match="say\n"):
        made.model_validate({**fields, "say": ""})
