"""What simulated customers and their supervisors are told."""

from pathlib import Path

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.scenario import Instructions, Later, UserScenario
from pytest_tau.users.prompts import (
    PEOPLE,
    PROMPT_VERSION,
    REACT,
    STYLES,
    Guidelines,
    check_style,
    guard_hint,
    reflect_prompt,
    system_prompt,
    verify_prompt,
)
from tests.builders import asks, result_of, says, u_call

SCENARIO = UserScenario(instructions="You want a lamp.")
OURS = Guidelines()


def test_the_scenario_stands_at_the_end_after_style_and_form() -> None:
    prompt = system_prompt(SCENARIO, OURS, tools=False, style="unsure", form=REACT)
    parts = [OURS.text, f"## Your manner\n{STYLES['unsure']}", REACT, "<scenario>"]
    assert [prompt.index(part) for part in parts] == sorted(prompt.index(part) for part in parts)
    assert prompt.endswith("<scenario>\nInstructions:\n\tYou want a lamp.\n</scenario>")
    assert system_prompt(SCENARIO, OURS, tools=False) == f"{OURS.text}\n\n<scenario>\n{SCENARIO.render()}\n</scenario>"


def test_only_who_has_tools_is_told_of_them() -> None:
    assert "You have tools" in system_prompt(SCENARIO, OURS, tools=True)
    assert "You have tools" not in system_prompt(SCENARIO, OURS, tools=False)


@pytest.mark.parametrize(("style", "manner"), [("minimal", f"## Your manner\n{STYLES['minimal']}"), (None, "")])
def test_guidelines_with_a_place_for_the_manner_have_it_there_alone(style: str | None, manner: str) -> None:
    theirs = Guidelines("Before. <PERSONA_GUIDELINES> After.", "")
    prompt = system_prompt(SCENARIO, theirs, tools=False, style=style)
    assert prompt.startswith(f"Before. {manner} After.\n\n<scenario>")
    assert prompt.count("Your manner") == bool(manner)


def test_a_style_that_there_is_not_is_refused_with_those_there_are() -> None:
    for style in (None, *STYLES, PEOPLE):
        check_style(style)
    with pytest.raises(
        SettingsError, match="there is no user style 'rude': use minimal, talkative, impatient, unsure, people"
    ):
        check_style("rude")


def test_who_is_asked_again_writes_for_the_customer_what_fits_the_beginning_of_the_scenario() -> None:
    told = Instructions(
        domain="shop",
        reason_for_call="The lamp came broken.",
        known_info="I am Ida.",
        task_instructions="Never take a voucher.",
        later=[Later(when="done", say="And the chair.")],
    )
    hint = guard_hint(UserScenario(instructions=told), [says("Hi!"), says("What is it about?")], "Say no more.")
    assert 'writes to me: "What is it about?"' in hint
    assert "The lamp came broken. I am Ida." in hint
    assert hint.endswith("Only the answer. Say no more.")
    assert not any(words in hint for words in ("Hi!", "voucher", "chair"))
    assert '"You want a lamp."' in guard_hint(SCENARIO, [], "")
    assert len(guard_hint(UserScenario(instructions="x" * 9999), [says("y" * 9999)], "")) < 2000


@pytest.mark.parametrize(
    ("agent", "told", "ends"),
    [
        ("All of it is settled.", "Hello, I want the lamp replaced.", True),
        ("YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON.", "I want the lamp replaced.", True),
        ("All of it is settled.", "Hello.", False),
        ("What is your order number?", "I want the lamp replaced.", False),
        ("One moment, let me look it up.", "I want the lamp replaced.", False),
    ],
)
def test_who_has_nothing_left_to_say_is_shown_how_to_leave(agent: str, told: str, ends: bool) -> None:
    hint = guard_hint(UserScenario(instructions="I want the lamp replaced."), [asks(told), says(agent)], "")
    assert ("###STOP###" in hint) is ends
    assert ('"I want the lamp replaced."' in hint) is not ends


def test_guidelines_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "simulation_guidelines.md").write_text("Without é", "utf-8")
    with pytest.raises(SettingsError, match=r"user guidelines .*simulation_guidelines_tools\.md: No such file"):
        Guidelines.read(tmp_path)
    (tmp_path / "simulation_guidelines_tools.md").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"simulation_guidelines_tools\.md: not UTF-8"):
        Guidelines.read(tmp_path)
    (tmp_path / "simulation_guidelines_tools.md").write_text("With", "utf-8")
    assert Guidelines.read(tmp_path) == Guidelines("Without é", "With")


def test_a_version_names_all_that_customers_are_told() -> None:
    versions = {OURS.version, Guidelines("a", "b").version, Guidelines("a", "c").version, Guidelines("ab", "").version}
    assert len(versions | {PROMPT_VERSION}) == 5
    assert Guidelines("a", "b").version == Guidelines("a", "b").version


def test_the_supervisor_reads_scenario_transcript_and_response() -> None:
    call = u_call("look")
    messages: list[AnyMessage] = [says("Hi!"), asks("A lamp."), asks(None, call), result_of(call, "none")]
    for prompt, ends in ((verify_prompt, "one word, true or false."), (reflect_prompt, "what the customer should say")):
        text = prompt(SCENARIO, messages, "Thanks.")
        assert "<scenario>\nInstructions:\n\tYou want a lamp.\n</scenario>" in text
        assert (
            "<transcript>\nAgent: Hi!\nCustomer: A lamp.\nCustomer calls: look\n"
            "Result on the customer's side: none\n</transcript>"
        ) in text
        assert "<response>\nThanks.\n</response>" in text
        assert text.endswith(ends)
