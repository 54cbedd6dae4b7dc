"""Pictures on their way to models: the right ones, once, in order, through both ways to a provider and recordings."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Attachment
from pytest_tau.agents.act import act_agent
from pytest_tau.agents.few_shot import few_shot_agent
from pytest_tau.agents.llm import llm_agent
from pytest_tau.agents.react import react_agent
from pytest_tau.conversation.protocols import AgentFactory
from pytest_tau.llm import backend, direct
from pytest_tau.llm.backend import sees
from pytest_tau.llm.cassette import Cassette
from pytest_tau.llm.chat import to_chat
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.llm.pictures import hash_picture, picture_tokens, split_pictures
from pytest_tau.llm.tape import TrialKey
from pytest_tau.schema.messages import AnyMessage, ToolMessage, UserMessage
from tests.builders import a_call, agent_context, asks, result_of, says, u_call
from tests.fake_model import FakeModel, ask
from tests.llm.server import ChatServer
from tests.llm.server import says as told
from tests.pictures import strip, words_in

HELLO = says("Hi! How can I help you today?")


def picture(word: str) -> Attachment:
    return Attachment.of(strip(word), word.lower())


def sends(text: str | None, *words: str) -> UserMessage:
    return UserMessage(content=text, attachments=[picture(word) for word in words])


def shows(call: Any, *words: str) -> ToolMessage:
    return result_of(call).model_copy(update={"attachments": [picture(word) for word in words]})


LOOK, LOOK_AGAIN = a_call("look", id="c1"), a_call("look", id="c2")
CONVERSATION: list[AnyMessage] = [
    HELLO,
    sends("Two of them.", "ONE", "TWO"),
    says(None, LOOK, LOOK_AGAIN),
    shows(LOOK, "THREE"),
    result_of(LOOK_AGAIN),
    says("And?"),
    sends(None, "FOUR"),
]


def test_a_conversation_is_told_in_parts() -> None:
    chat = to_chat(CONVERSATION, "assistant")
    assert words_in(chat) == ["ONE", "TWO", "THREE", "FOUR"]
    # Results hold texts only, and follow their calls at once: pictures of theirs come after the last of them.
    roles = [entry["role"] for entry in chat]
    assert roles == ["assistant", "user", "assistant", "tool", "tool", "user", "assistant", "user"]
    assert [part["type"] for part in chat[1]["content"]] == ["text", "image_url", "image_url"]
    assert chat[5]["content"][0]["text"] == "The pictures of the results above: three.png"
    assert [part["type"] for part in chat[7]["content"]] == ["image_url"]
    assert all(isinstance(entry["content"], str | None) for entry in to_chat([HELLO, asks("Hi.")], "assistant"))


def test_the_customers_model_reads_its_own_marks() -> None:
    chat = to_chat([HELLO, sends("Here.", "ONE"), says("Thanks.")], "user")
    assert [entry["content"] for entry in chat] == [HELLO.content, "Here. [attach: one]", "Thanks."]
    own = u_call("photograph")
    phone: list[AnyMessage] = [HELLO, asks(None, own), shows(own, "ONE")]
    assert words_in(to_chat(phone, "user")) == ["ONE"]
    assert words_in(to_chat([HELLO, sends("Look.", "ONE")], "assistant")) == ["ONE"]


@pytest.mark.parametrize(
    "agent",
    [llm_agent, act_agent, react_agent, lambda model: few_shot_agent(model, ["A transcript."])],
    ids=["llm", "act", "react", "few-shot"],
)
def test_every_agent_on_a_model_shows_them_in_order_at_every_turn(agent: Any) -> None:
    model = FakeModel("Hm.")
    made: AgentFactory = agent(model)
    player = made(agent_context())
    for end in (2, 5, len(CONVERSATION)):
        ask(player, CONVERSATION[:end])
    seen = [words_in(chat) for chat in model.chats]  # type: ignore[arg-type]
    assert seen == [["ONE", "TWO"], ["ONE", "TWO", "THREE"], ["ONE", "TWO", "THREE", "FOUR"]]


@pytest.mark.parametrize("way", ["direct", "litellm"])
def test_both_ways_to_a_provider_send_the_same_pixels(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm", reason="litellm is not installed: pytest-tau[llm]")
    if way == "litellm":
        monkeypatch.setattr(direct, "_PROVIDER", "nobody's")
        monkeypatch.setattr(backend._MODEL_LOOP.routes, "_found", {})
    with ChatServer(told("I see.")) as server:
        client = LiteLLMClient("openai/test", {"api_base": server.url, "api_key": "sk-test-picture"})
        asyncio.run(client.complete(to_chat(CONVERSATION, "assistant")))
        (request,) = server.requests
    assert words_in(request.messages) == ["ONE", "TWO", "THREE", "FOUR"]


def test_a_recording_knows_pictures_by_their_hash(tmp_path: Path) -> None:
    key, chat = TrialKey("shop", "look", 1), to_chat(CONVERSATION, "assistant")

    def asked(mode: Any, chat: Any, *replies: Any) -> Any:
        client = Cassette(tmp_path, key, mode).client(FakeModel(*replies), "agent")
        return asyncio.run(client.complete(chat))

    asked("record", chat, "I see.")
    assert asked("replay", chat, AssertionError("nobody asks the model")).content == "I see."
    (file,) = tmp_path.rglob("*.jsonl")
    text = file.read_text()
    assert "base64" not in text
    sha256 = picture("ONE").sha256
    assert text.count(f"data:image/png;sha256,{sha256}") == 1
    other = [*CONVERSATION[:-1], sends(None, "FIVE")]
    with pytest.raises(Exception, match="request 1 of the agent is not the recorded one") as caught:
        asked("replay", to_chat(other, "assistant"), AssertionError("nobody asks the model"))
    assert f"sha256,{picture('FIVE').sha256}" in str(caught.value)


@pytest.mark.parametrize(
    ("size", "tokens"),
    [((512, 512), 255), ((640, 480), 425), ((1024, 1024), 765), ((2048, 4096), 1105), ((1, 1), 255)],
)
def test_tokens_of_a_picture(size: tuple[int, int], tokens: int) -> None:
    """The provider's own examples are 1024×1024 (765) and 2048×4096 (1105), at high detail."""
    assert picture_tokens(*size) == tokens


def test_a_picture_is_limited_by_its_size_and_not_by_its_base64() -> None:
    chat = to_chat([HELLO, sends("Look.", "A" * 60)], "assistant")
    light, tokens = split_pictures(chat)
    assert tokens == picture_tokens(480, 64)
    assert "base64" not in json.dumps(light)
    elsewhere = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/a.png"}}]}
    assert split_pictures([elsewhere])[1] == 765  # nobody knows how large it is
    assert split_pictures([{"role": "user", "content": "text"}]) == ([{"role": "user", "content": "text"}], 0)


@pytest.mark.parametrize("text", ["", "data:image", "see data:image/png;base64,AAAA", "data:text/plain;base64,AAAA"])
def test_texts_are_recorded_as_they_are(text: str) -> None:
    assert hash_picture(text) == text


def test_what_only_claims_to_be_a_picture_has_a_hash_as_well() -> None:
    assert hash_picture("data:image/png;base64,%%").startswith("data:image/png;sha256,")


def test_what_is_known_of_a_models_eyes() -> None:
    pytest.importorskip("litellm", reason="litellm is not installed: pytest-tau[llm]")
    assert (sees("openai/gpt-4.1"), sees("openai/gpt-3.5-turbo"), sees("openai/of-our-own")) == (True, False, None)
