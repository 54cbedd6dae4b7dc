"""Nothing that tells of people is left, and a replay of what is left gives the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pytest_tau.environment.domain import load_domain
from pytest_tau.recordings import read_conversations
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.reproducing import reproduce
from pytest_tau.schema.messages import AssistantMessage, ToolMessage, UserMessage
from tau_workshop.import_.domains import world_of
from tau_workshop.import_.personal import KINDS, as_date, by_field, in_text, in_the_form_of
from tau_workshop.import_.redact import Redactor
from tau_workshop.scaffold import write
from tau_workshop.scaffold.code import files_of
from tests.steps import calls_during
from tests.workshop.import_.logs import log
from tests.workshop.import_.people import WORDS, planted


def text_of(conversation: LoggedConversation) -> str:
    said = [conversation.id, json.dumps(dict(conversation.meta), default=str)]
    for message in conversation.messages:
        said.append(message.content or "")
        if not isinstance(message, ToolMessage):
            said += [json.dumps(call.arguments) for call in message.tool_calls or []]
    return "\n".join(said)


class Text:
    """A text, and the same without what stands between its letters and digits, and with digits for words."""

    def __init__(self, text: str) -> None:
        self.plain = text
        for digit, word in enumerate(WORDS):
            text = re.sub(rf"\b{word}\b", str(digit), text)
        self.squeezed = squeezed(re.sub(r"\s+(?:at|dot)\s+", "", text))

    def has(self, value: str) -> bool:
        """Whether a value stands there in any way: other separators, words for digits, letter by letter, in pieces."""
        bare = squeezed(value)
        names = value.split() if value.replace(" ", "").isalpha() else []
        halves = [bare[:8], bare[-8:]] if bare.isdigit() and len(bare) >= 14 else []
        if len(bare) <= 5:
            return value in self.plain and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.plain) is not None
        return any(squeezed(part) in self.squeezed for part in [bare, *names, *halves])


def squeezed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def check(folder: Path, number: int, key: bytes | None = None) -> int:
    """Redact so many conversations; returns how many values were planted."""
    made = [planted(one) for one in range(number)]
    found = read_conversations(log(folder / "log.jsonl", *(one.conversation for one in made)))
    redactor = Redactor(key=key)
    redacted = [redactor.redact(one) for one in found]
    everything = Text("\n".join(map(text_of, redacted)))
    assert [(kind, value) for one in made for kind, value in one.values.items() if everything.has(value)] == []
    world = world_of("people", redacted)
    write(files_of(world), folder)
    domain = load_domain(folder / "domains" / "people")
    for one in redacted:
        again = reproduce(one.messages, domain)
        assert again.share == 1.0, [check for check in again.checks if not check.holds]
    files = [file for kind in ("py", "json", "md") for file in (folder / "domains").rglob(f"*.{kind}")]
    written = Text("\n".join(file.read_text(encoding="utf-8") for file in files))
    assert [value for one in made for value in one.values.values() if written.has(value)] == []
    return sum(len(one.values) for one in made)


def test_planted_values(tmp_path: Path) -> None:
    assert check(tmp_path, 12) >= 90


@pytest.mark.slow
def test_four_hundred_planted_values(tmp_path: Path) -> None:
    assert check(tmp_path, 60) >= 400


def test_what_only_the_system_prompt_tells_is_replaced(tmp_path: Path) -> None:
    prompt = {"role": "system", "content": "Her phone is 415-555-0199, her mail ann.lee@corp.org. Be nice."}
    said = [prompt, {"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}]
    [one] = read_conversations(log(tmp_path / "log.jsonl", {"conversation": said}))
    assert Redactor().redact(one).meta["system"] == "Her phone is 900-000-0001, her mail person1@example.com. Be nice."
    found = Redactor(find=lambda text: [("mood", "nice")] if "nice" in text else []).redact(one)
    assert "nice" not in found.meta["system"]


def test_fields_keep_their_names_though_a_customer_is_called_so(tmp_path: Path) -> None:
    row = {"price": 5, "customer_name": "Ann Price", "seen": {"jane": 1}, "user_name": "jane"}
    call = {"call": "offer", "arguments": {"price": 5, "Price": "Price"}, "result": row}
    said = [{"role": "user", "content": "Hello"}, call, {"role": "assistant", "content": "Yes?"}]
    [one] = read_conversations(log(tmp_path / "log.jsonl", {"conversation": said}))
    _, asked, result, _ = Redactor().redact(one).messages
    assert isinstance(asked, AssistantMessage)
    [given] = [one.arguments for one in asked.tool_calls or []]
    assert [*given] == ["price", "Price"]
    assert given["Price"] != "Price"
    data = json.loads(result.content or "")
    assert data["price"] == 5
    assert "Price" not in data["customer_name"]
    assert "jane" not in data["seen"]


def test_one_value_has_one_replacement(tmp_path: Path) -> None:
    [one] = read_conversations(log(tmp_path / "log.jsonl", planted(3).conversation))
    redactor = Redactor()
    first, second = redactor.redact(one), redactor.redact(one)
    assert [m.content for m in first.messages] == [m.content for m in second.messages]
    assert first.hash == one.hash
    assert set(redactor.table) <= set(KINDS)


KEY = bytes(range(32))


def test_with_a_key_a_value_has_one_replacement_in_all_logs(tmp_path: Path) -> None:
    conversations = [planted(number).conversation for number in range(6)]
    found = read_conversations(log(tmp_path / "log.jsonl", *conversations))
    first, second = Redactor(key=KEY), Redactor(key=KEY)
    forwards = [text_of(first.redact(one)) for one in found]
    backwards = [text_of(second.redact(one)) for one in reversed(found)]
    assert forwards == backwards[::-1]
    other = Redactor(key=KEY[::-1])
    assert not {text_of(other.redact(one)) for one in found} & set(forwards)


def test_planted_values_with_a_key(tmp_path: Path) -> None:
    assert check(tmp_path, 12, KEY) >= 90


def test_what_is_the_domain_s_own_stays(tmp_path: Path) -> None:
    [one] = read_conversations(log(tmp_path / "log.jsonl", planted(0).conversation))
    number = planted(0).values["order"]
    assert number in text_of(Redactor(keep=[number]).redact(one))


def test_records_that_are_kept_by_a_name_in_small_letters_are_found_by_its_stand_in(tmp_path: Path) -> None:
    call = {"call": "get_account", "arguments": {"login": "alice"}, "result": {"name": "Alice Smith", "orders": 2}}
    said = [{"role": "user", "content": "My name is Alice Smith."}, call]
    state = {"accounts": {"alice": {"name": "Alice Smith", "orders": {"first": 1}}}}
    [one] = read_conversations(log(tmp_path / "log.jsonl", {"conversation": said}))
    found = Redactor().redact(replace(one, meta={**one.meta, "initial_state": state}))
    asked = found.messages[1]
    assert isinstance(asked, AssistantMessage)
    [given] = [one.arguments for one in asked.tool_calls or []]
    [(key, record)] = found.meta["initial_state"]["accounts"].items()
    assert key == given["login"] != "alice"
    assert [*record, *record["orders"]] == ["name", "orders", "first"]


@pytest.mark.parametrize(
    ("field", "kind"),
    [("first_name", "name"), ("email_address", "email"), ("zip", "postal"), ("dob", "birth"), ("order_id", "order"),
     ("user_id", "account"), ("born", "birth"), ("user_dob", "birth"), ("patient_name", "name"),
     ("cardHolder_name", "name"), ("home_tel", "phone"), ("user_password", "secret"),
     ("apiKey", "secret"), ("sim_pin", "secret"), ("shipping", None), ("max_tokens", None),
     ("borne_by", None), ("hotel", None),
     ("product_id", None), ("product_name", None), ("status", None), ("date", None)],
)  # fmt: skip
def test_fields(field: str, kind: str | None) -> None:
    assert by_field(field) == kind


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("my mail is ann at example dot com", [("email", "ann@example.com")]),
        ("I'm sorry, I am calling about it", []),
        ("I was born on 5 April 1990", [("birth", "5 April 1990")]),
        ("The flight is on 2024-05-20 at 10:30 for $1,200.50", []),
        ("It is 2024-05-20 10:30:00, and 2024-05-20 10:30 there", []),
        ("It was 12-15-2024 10:30, and 15.12.2024 10.30 there", []),
        ("Between 2024-12-15 10.30 and 10:45 on 12-16-2024, or 10:45 16-12-2024", []),
        ("I was born on 12-15-1984", [("birth", "12-15-1984")]),
        ("Ring 212-555-0147 10:30 or 12-15-2044-77", [("phone", "212-555-0147"), ("phone", "12-15-2044-77")]),
        ("order number #W2378156", [("order", "#W2378156")]),
        ("+436601234567 or 0660 1234567", [("phone", "+436601234567"), ("phone", "0660 1234567")]),
        ("Ring me: +43 660 1234567", [("phone", "+43 660 1234567")]),
        ("Call me at 5551234567.", [("phone", "5551234567")]),
        ("My password is wrong, basic economy is +100 points", []),
        ("My password is hunter2, the PIN is 4711.", [("secret", "hunter2"), ("secret", "4711")]),
        ("sk-proj-abcdefgh1234567890 is my key", [("secret", "sk-proj-abcdefgh1234567890")]),
    ],
)
def test_texts(text: str, values: list[tuple[str, str]]) -> None:
    assert list(in_text(text)) == values


@pytest.mark.parametrize("key", [None, KEY])
def test_secrets_have_no_letter_left(tmp_path: Path, key: bytes | None) -> None:
    said = "My key is AKIAIOSFODNN7EXAMPLE and my password: hunter2, the PIN is 4711."
    look = {"call": "log_in", "arguments": {"password": "hunter2", "pin": 4711}, "result": {"api_key": "k-opensesame"}}
    whole = {"conversation": [{"role": "user", "content": said}, look, {"role": "assistant", "content": "Hi."}]}
    [one] = read_conversations(log(tmp_path / "log.jsonl", whole))
    redacted = Redactor(key=key).redact(one)
    text = text_of(redacted)
    assert not [part for part in ("AKIA", "hunter", "4711", "sesame") if part in text]
    [call] = [call for message in redacted.messages for call in getattr(message, "tool_calls", None) or []]
    assert call.arguments["password"] in (redacted.messages[0].content or "")
    assert str(call.arguments["pin"]) in (redacted.messages[0].content or "")


@pytest.mark.parametrize("key", [None, KEY])
def test_raised_digits_are_signs(tmp_path: Path, key: bytes | None) -> None:
    look = {"call": "get_order", "arguments": {"order_id": "A12²456"}, "result": {"zip": "1²"}}
    said = [
        {"role": "user", "content": "It is one two three four five."},
        look,
        {"role": "assistant", "content": "Ok."},
    ]
    [one] = read_conversations(log(tmp_path / "log.jsonl", {"conversation": said}))
    assert "A12²456" not in text_of(Redactor(key=key).redact(one))


def test_dates() -> None:
    assert as_date("April 5, 1990") == as_date("5 April 1990") == as_date("1990-04-05") == as_date("04/05/1990")
    assert as_date("04-05-1990") == as_date("1990-04-05")
    assert as_date("1990-13-05") is as_date("12-10-4567") is None
    assert in_the_form_of(date(1991, 7, 9), "04-05-1990") == "07-09-1991"


def test_a_conversation_costs_the_same_however_many_came_before() -> None:
    def one(number: int) -> LoggedConversation:
        return LoggedConversation(f"c{number}", [UserMessage(content=f"My order is O{number:05}.")], {})

    early, late = Redactor(), Redactor()
    for number in range(800):
        late.redact(one(number))
    assert calls_during(lambda: late.redact(one(801))) < 1.2 * calls_during(lambda: early.redact(one(802)))
