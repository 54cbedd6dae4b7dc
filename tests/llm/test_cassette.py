"""Recordings of model calls: what is stored, what is found again, and what a difference looks like."""

import asyncio
import json
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.conversation.protocols import UserContext
from pytest_tau.errors import CassetteError
from pytest_tau.llm.cassette import Cassette, Mode
from pytest_tau.llm.protocol import ModelReply, Role
from pytest_tau.llm.tape import Tape, TrialKey
from pytest_tau.schema.messages import ToolCall, UserMessage
from pytest_tau.schema.scenario import UserScenario
from pytest_tau.schema.spending import Usage
from pytest_tau.users.verify import verify_user
from tests.fake_model import FakeModel

KEY = TrialKey("shop", "sell_one", 1)
POLICY = "Sell what is asked for. Be polite at all times.\n" + "Never tell who else has bought it.\n" * 20
CHAT = [
    {"role": "system", "content": f"You sell kettles.\n{POLICY}"},
    {"role": "user", "content": "One kettle, please."},
]
TOOLS = [{"type": "function", "function": {"name": "sell", "parameters": {"type": "object"}}}]
SELL = ToolCall(id="call_1", name="sell", arguments={"item_id": "kettle", "note": "é ☕"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cassettes"


def cassette(root: Path, mode: Mode, key: TrialKey = KEY, policy: str = POLICY) -> Cassette:
    return Cassette(root, key, mode, texts=[policy], secrets=["my-very-own-secret"])


def asked(client: Any, chat: Sequence[Mapping[str, Any]] = CHAT, **options: Any) -> ModelReply:
    answer: ModelReply = asyncio.run(client.complete(chat, **options))
    return answer


def record(root: Path, *told: Any, chats: Sequence[Any] = (CHAT,), key: TrialKey = KEY, **options: Any) -> FakeModel:
    model = FakeModel(*told)
    client = cassette(root, "record", key).client(model, "agent")
    for chat in chats:
        asked(client, chat, **options)
    return model


def silent() -> FakeModel:
    return FakeModel(AssertionError("nobody asks the model"))


def test_a_reply_comes_back_whole_without_the_model(root: Path) -> None:
    told = ModelReply(
        content="Sold.",
        tool_calls=[SELL],
        cost=0.1 + 0.2,
        usage=Usage(prompt_tokens=11, completion_tokens=7),
        seconds=1.23456789,
        finish_reason="tool_calls",
        problem="odd",
        thinking={"thinking_blocks": [{"type": "thinking", "thinking": "A sale.", "signature": "c2lnbmVk"}]},
        parameters={"temperature": 0.0, "seed": 3},
    )
    record(root, told, tools=TOOLS, seed=3)
    assert asked(cassette(root, "replay").client(silent(), "agent"), tools=TOOLS, seed=3) == told


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ({"seed": 4}, "+seed: 4"),
        ({"tools": []}, '"name": "sell"'),
        ({"tool_choice": "required"}, "+tool_choice: required"),
        ({"response_format": {"type": "json_object"}}, "+type: json_object"),
        ({"chat": [CHAT[0], {"role": "user", "content": "Two kettles, please."}]}, "+Two kettles, please."),
        ({"chat": CHAT[:1]}, "-One kettle, please."),
        ({"role": "user"}, "ends before request 1 of the user"),
    ],
)
def test_any_other_request_is_refused_with_the_difference(root: Path, change: dict[str, Any], shown: str) -> None:
    record(root, "Sold.", tools=TOOLS, seed=3)
    role: Role = change.pop("role", "agent")
    client = cassette(root, "replay").client(silent(), role)
    with pytest.raises(CassetteError) as caught:
        asked(client, **{"chat": CHAT, "tools": TOOLS, "seed": 3, **change})
    assert shown in str(caught.value)


def test_equal_requests_get_their_replies_in_order_and_each_once(root: Path) -> None:
    record(root, "first", "second", chats=[CHAT, CHAT])
    client = cassette(root, "replay").client(silent(), "agent")
    assert [asked(client).content for _ in range(2)] == ["first", "second"]
    with pytest.raises(CassetteError, match=r"sell_one.trial1.jsonl ends before request 3 of the agent; record"):
        asked(client)


def test_trials_never_share_an_answer(root: Path) -> None:
    for trial in (1, 2):
        record(root, f"trial {trial}", key=replace(KEY, trial=trial))
    said = [asked(cassette(root, "replay", replace(KEY, trial=n)).client(silent(), "agent")).content for n in (1, 2)]
    assert said == ["trial 1", "trial 2"]
    with pytest.raises(CassetteError, match="there is no recording of trial 3 of the task 'sell_one', cassettes/shop/"):
        asked(cassette(root, "replay", replace(KEY, trial=3)).client(silent(), "agent"))


def test_roles_have_turns_of_their_own(root: Path) -> None:
    roles: list[Role] = ["agent", "user", "judge"]
    tape = cassette(root, "record")
    for role in roles:
        asked(tape.client(FakeModel(f"the {role}"), role))
    tape = cassette(root, "replay")
    for role in reversed(roles):
        assert asked(tape.client(silent(), role)).content == f"the {role}"


def test_auto_keeps_what_fits_and_records_the_rest(root: Path) -> None:
    longer = [*CHAT, {"role": "assistant", "content": "first"}, {"role": "user", "content": "And a pan."}]
    other = [*CHAT, {"role": "assistant", "content": "first"}, {"role": "user", "content": "And a pot."}]
    record(root, "first", "pan", "never again", chats=[CHAT, longer, CHAT])
    model = FakeModel("pot", "anew")
    client = cassette(root, "auto").client(model, "agent")
    assert [asked(client, chat).content for chat in (CHAT, other, CHAT)] == ["first", "pot", "anew"]
    assert model.chats == [other, CHAT]
    client = cassette(root, "replay").client(silent(), "agent")
    assert [asked(client, chat).content for chat in (CHAT, other, CHAT)] == ["first", "pot", "anew"]
    with pytest.raises(CassetteError):
        asked(client, longer)


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_of_a_conversation_that_is_over_only_what_is_missing_is_recorded(root: Path, mode: Mode) -> None:
    record(root, "first", "second", chats=[CHAT, CHAT])
    votes = [[{"role": "user", "content": f"Was it polite? ({number})"}] for number in range(3)]
    for chats, missing in (([votes[0], votes[2]], ["yes", "yes"]), (votes, ["no"])):
        tape = cassette(root, mode)
        tape.go_on()
        judge = FakeModel(*missing)
        client = tape.client(judge, "judge")
        said = [asked(client, chat).content for chat in chats]
        assert len(judge.chats) == len(missing)
    assert said == ["yes", "no", "yes"]
    replay = cassette(root, "replay")
    agent, client = replay.client(silent(), "agent"), replay.client(silent(), "judge")
    assert [asked(agent).content for _ in range(2)] == ["first", "second"]
    assert [asked(client, chat).content for chat in votes] == said


def test_what_trials_share_is_stored_once(root: Path) -> None:
    for trial in (1, 2, 3):
        record(root, "Sold.", key=replace(KEY, trial=trial), tools=TOOLS)
    texts = {path.read_text(encoding="utf-8") for path in (root / "shop" / "shared").iterdir()}
    assert POLICY in texts
    assert [json.loads(text) for text in texts if text.startswith("[")] == [TOOLS]
    assert len(texts) == 2
    assert "Be polite" not in KEY.file(root).read_text(encoding="utf-8")


def test_a_changed_sentence_of_a_shared_text_is_shown_by_itself(root: Path) -> None:
    record(root, "Sold.")
    other = POLICY.replace("Be polite", "Be brief")
    client = cassette(root, "replay", policy=other).client(silent(), "agent")
    with pytest.raises(CassetteError) as caught:
        asked(client, [{"role": "system", "content": f"You sell kettles.\n{other}"}, CHAT[1]])
    changed = [line for line in str(caught.value).splitlines() if line[:1] in "+-"]
    assert changed == ["--- recorded", "+++ now", "-Be polite at all times.", "+Be brief at all times."]


def test_no_secret_is_written_and_nothing_is_taken_for_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "key-in-the-environment")
    model = FakeModel("A basic economy ticket, key-in-the-environment.")
    model.parameters = {
        "temperature": 0,
        "api_key": "another-key-1",
        "api_base": "http://somewhere:1234",
        "extra_headers": {"Authorization": "Bearer abcdefgh"},
    }
    client = cassette(root, "record").client(model, "agent")
    asked(client, [{"role": "user", "content": "Tell nobody my-very-own-secret, and book basic economy!"}])
    text = "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.*"))
    for secret in ("key-in-the-environment", "another-key-1", "somewhere", "abcdefgh", "my-very-own-secret"):
        assert secret not in text
    assert "book basic economy!" in text
    assert "A basic economy ticket" in text


def test_a_reply_that_quotes_what_is_shared_comes_back_whole(root: Path) -> None:
    call = ToolCall(id="call_1", name="sell", arguments={"note": [POLICY]})
    record(root, ModelReply(POLICY, [call], cost=None, usage=None, seconds=0.1))
    told = asked(cassette(root, "replay").client(silent(), "agent"))
    assert (told.content, told.tool_calls) == (POLICY, [call])


def test_where_a_model_runs_is_as_the_run_says(root: Path) -> None:
    def at(place: str) -> FakeModel:
        told = {"temperature": 0.0, "api_base": place}
        model = FakeModel(ModelReply("Hi.", None, cost=None, usage=None, seconds=0.1, parameters=told))
        model.parameters = told
        return model

    asked(cassette(root, "record").client(at("http://here"), "agent"))
    again = asked(cassette(root, "replay").client(at("http://there"), "agent"))
    assert again.parameters == {"temperature": 0.0, "api_base": "http://there"}


def test_lone_surrogates_of_a_model_are_no_obstacle(root: Path) -> None:
    chat = [{"role": "user", "content": "\ude00?", "\ude00": 1}]
    record(root, "half a \ud83d face", chats=[chat])
    assert asked(cassette(root, "replay").client(silent(), "agent"), chat).content == "half a ? face"


def test_the_chats_of_a_supervised_customer_do_not_add_up(root: Path) -> None:
    words = random.Random(0)
    said = [" ".join(words.choice(["kettle", "pan", "refund", "order"]) for _ in range(40)) for _ in range(25)]
    model = FakeModel(*(told for text in said for told in (text, "true")))
    scenario = UserScenario.model_validate({"instructions": "Buy a kettle."})
    factory = verify_user(cassette(root, "record").client(model, "user"))
    user = factory(UserContext(task_id="sell_one", trial=1, seed=1, scenario=scenario))
    conversation: list[Any] = []
    for _ in said:
        conversation.append(asyncio.run(user.reply(list(conversation))))
    assert isinstance(conversation[-1], UserMessage)
    assert len(model.asked) == 50
    assert KEY.file(root).stat().st_size < 60_000
    replayed = verify_user(cassette(root, "replay").client(silent(), "user"))(
        UserContext(task_id="sell_one", trial=1, seed=1, scenario=scenario)
    )
    again: list[Any] = []
    for _ in said:
        again.append(asyncio.run(replayed.reply(list(again))))
    assert [message.content for message in again] == said


def test_calls_from_several_threads_are_all_kept(root: Path) -> None:
    tape = cassette(root, "record")
    chats = [[{"role": "user", "content": f"question {number}"}] for number in range(20)]
    threads = [
        threading.Thread(target=asked, args=(tape.client(FakeModel(f"answer {number}"), "agent"), chat))
        for number, chat in enumerate(chats)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client = cassette(root, "replay").client(silent(), "agent")
    assert [asked(client, chat).content for chat in chats] == [f"answer {number}" for number in range(20)]


def test_a_recording_of_another_trial_is_refused(root: Path) -> None:
    record(root, "Sold.")
    other = replace(KEY, trial=2)
    KEY.file(root).rename(other.file(root))
    with pytest.raises(CassetteError, match=r"trial2.jsonl: this is not a recording of trial 2 of the task 'sell_one'"):
        Tape(root, other).read()


def test_a_key_in_the_name_of_a_tool_is_not_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "key-in-the-environment")
    call = ToolCall(id="1", name="ask_key-in-the-environment", arguments={"key-in-the-environment": 1})
    client = cassette(root, "record").client(FakeModel(ModelReply(None, [call], 0.0, None, 1.0)), "agent")
    asked(client, [{"role": "user", "content": "Hello"}])
    text = "".join(path.read_text(encoding="utf-8") for path in root.rglob("*.*"))
    assert "ask_[key]" in text
    assert "key-in-the-environment" not in text


def test_a_key_in_what_a_model_thought_is_not_written(root: Path) -> None:
    thinking = {"reasoning_content": "It is my-very-own-secret, \ud83d."}
    call = SELL.model_copy(update={"id": "half \ud83d"})
    told = ModelReply(None, [call], 0.0, None, 1.0, finish_reason="odd \ud83d", thinking=thinking)
    record(root, told)
    again = asked(cassette(root, "replay").client(silent(), "agent"))
    assert again.thinking == {"reasoning_content": "It is [key], ?."}
    assert again.finish_reason == "odd ?"
    assert again.tool_calls == [SELL.model_copy(update={"id": "half ?"})]
