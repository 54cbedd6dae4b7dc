"""The simulated customer: what it is told, what it sees, and what it says."""

from pathlib import Path

import pytest

from pytest_tau import load_tasks, simulate
from pytest_tau.errors import SettingsError
from pytest_tau.users.llm import llm_user
from pytest_tau.users.prompts import STYLES, Guidelines
from tests.builders import Lines, asks, mock, result_of, says, task, u_call, user_context
from tests.fake_model import FakeModel, ask, reply
from tests.pictures import picture_task
from tests.shared import shared

GIVEN = Guidelines("Play.\n", "Play with tools.\n")
SCENARIO = "<scenario>\nInstructions:\n\tPlease help me.\n</scenario>"


def prompt(guidelines: Guidelines | None = GIVEN, style: str | None = None, tools: tuple[str, ...] = ()) -> str:
    model = FakeModel("Hello")
    ask(llm_user(model, guidelines, style)(user_context(task(), *tools)), [says("Hi!")])
    return str(model.chats[0][0]["content"])


class TestPrompt:
    def test_guidelines_and_scenario(self) -> None:
        assert prompt() == f"Play.\n\n\n{SCENARIO}"
        assert prompt(tools=("look",)) == f"Play with tools.\n\n\n{SCENARIO}"

    def test_ours_by_default(self) -> None:
        text = prompt(None)
        assert all(token in text for token in ("###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"))
        assert "tools" not in text
        assert "tools" in prompt(None, tools=("look",))

    @pytest.mark.parametrize("style", STYLES)
    def test_a_style_adds_a_section(self, style: str) -> None:
        assert prompt(style=style) == f"Play.\n\n## Your manner\n{STYLES[style]}\n\n\n{SCENARIO}"

    def test_a_place_for_the_style(self) -> None:
        guidelines = Guidelines("A\n<PERSONA_GUIDELINES>\nB\n", "")
        assert prompt(guidelines) == f"A\n\nB\n\n\n{SCENARIO}"
        assert prompt(guidelines, "minimal") == f"A\n## Your manner\n{STYLES['minimal']}\nB\n\n\n{SCENARIO}"

    def test_a_style_that_there_is_not(self) -> None:
        with pytest.raises(SettingsError, match="there is no user style 'rude': use minimal, "):
            llm_user(FakeModel("Hello"), style="rude")


class TestGuidelines:
    def test_of_a_folder(self, tmp_path: Path) -> None:
        (tmp_path / "simulation_guidelines.md").write_text("one")
        (tmp_path / "simulation_guidelines_tools.md").write_text("two")
        assert Guidelines.read(tmp_path) == Guidelines("one", "two")

    def test_one_is_missing(self, tmp_path: Path) -> None:
        (tmp_path / "simulation_guidelines.md").write_text("one")
        with pytest.raises(SettingsError, match=r"simulation_guidelines_tools\.md: No such file"):
            Guidelines.read(tmp_path)

    def test_of_the_public_data(self) -> None:
        read = Guidelines.read(shared("tau2", "user_simulator"))
        assert "###TRANSFER###" in read.text
        assert read.text != read.with_tools

    def test_the_version_names_the_texts(self) -> None:
        assert len({GIVEN.version, Guidelines().version, Guidelines("Play.\n", "").version}) == 3


class TestReplies:
    def test_the_roles_are_flipped_and_the_tools_are_there(self) -> None:
        model = FakeModel("It says so.")
        call = u_call()
        context = user_context(task(), "check_notifications")
        message = ask(llm_user(model)(context), [says("Hi!"), asks(None, call), result_of(call, "nothing")])
        ((chat, options),) = model.asked
        assert [entry["role"] for entry in chat] == ["system", "user", "assistant", "tool"]
        assert options["tools"] == list(context.tools)
        assert (message.content, message.cost) == ("It says so.", 0.25)

    def test_calls_are_on_its_own_side(self) -> None:
        call = u_call().model_copy(update={"requestor": "assistant"})
        model = FakeModel("Look.", call, "Bye ###STOP###")
        sim = simulate(task(), mock(), Lines([says("Yes?"), says("Done")]), llm_user(model))
        assert [m.role for m in sim.messages] == ["assistant", "user", "assistant", "user", "tool", "user"]
        assert (sim.user_cost, sim.errors) == (0.75, 0)
        assert sim.user_parameters["model"] == "fake/model"

    def test_a_problem_is_asked_for_again(self) -> None:
        model = FakeModel(reply(None, problem="empty"), "###STOP###")
        sim = simulate(task(), mock(), Lines(["Yes?"]), llm_user(model))
        assert (sim.termination_reason.value, sim.user_cost) == ("user_stop", 0.5)

    def test_it_never_says_anything(self) -> None:
        sim = simulate(task(), mock(), Lines(["Yes?"]), llm_user(FakeModel(reply(None, problem="empty"))))
        assert (sim.termination_reason.value, sim.user_cost) == ("user_error", 0.75)


def test_who_has_pictures_knows_their_marks_and_not_what_they_show(tmp_path: Path) -> None:
    (shown,) = load_tasks(picture_task(tmp_path, words=["ONE", "TWO"], when="asked_for"))
    model = FakeModel("Here it is. [attach: note2]")
    ask(llm_user(model)(user_context(shown)), [says("Hi!")])
    prompt = model.chats[0][0]["content"]
    assert "[attach: note1], when the agent asks to see it" in prompt
    assert "[attach: note2], when the agent asks to see it" in prompt
    assert "A note that says" not in prompt
    # A task without pictures says nothing of them.
    ask(llm_user(plain := FakeModel("Hi."))(user_context(task())), [says("Hi!")])
    assert "attach" not in plain.chats[0][0]["content"]
