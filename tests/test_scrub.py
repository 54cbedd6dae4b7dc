"""Keys stay out of everything that leaves the process."""

import json
import os
import re
import threading
from typing import Any
from urllib.parse import quote

import pytest

from pytest_tau import scrub as module
from pytest_tau.scrub import conceal, conceal_json, known_secrets, mark_secrets, public, remember, scrub, secrets_in


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_remembered", set())
    monkeypatch.setattr(module, "_of_the_environment", set())


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Incorrect API key provided: sk-abc***xyz. Sorry.", "Incorrect API key provided: [key]. Sorry."),
        ("key sk-ant-api03-abc_DEF-1 and sk-proj-xyz123456", "key [key] and [key]"),
        ("Authorization: Bearer abcdef", "Authorization: Bearer [key]"),
        ("{'authorization': 'Basic dXNlcjpw', 'a': 1}", "{'authorization': 'Basic [key] 'a': 1}"),
        ("x-api-key: abc123", "x-api-key: [key]"),
        ('"api_key": "abc123", "n": 1', '"api_key": "[key]", "n": 1'),
        ("https://x.example/v1?key=abc123&alt=json", "https://x.example/v1?key=[key]&alt=json"),
        ("https://user:pw@x.example/v1", "https://[key]@x.example/v1"),
        ("AIzaSyA1234567890abc", "[key]"),
        ("AKIAIOSFODNN7EXAMPLE, ghp_abcdefghijklmnop0123456789", "[key], [key]"),
        ("a token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.dozjgNryP4J3jVmN", "a token [key]"),
        ("no /v1?code=a; ask", "no /v1?code=[key]; ask"),
        ("http://x/v1?access_token=a&code=b&n=1&sig=c", "http://x/v1?access_token=[key]&code=[key]&n=1&sig=[key]"),
        ("http://x/v1?token=a#frag", "http://x/v1?token=[key]#frag"),
        ("http://x/v1?design=a&author=b&max_tokens=5", "http://x/v1?design=a&author=b&max_tokens=5"),
        ("The task-related risk-averse desk-12345678", "The task-related risk-averse desk-12345678"),
        ("max_tokens: 5 is too few tokens", "max_tokens: 5 is too few tokens"),
    ],
)
def test_what_looks_like_a_key_is_hidden(text: str, clean: str) -> None:
    assert scrub(text) == clean


def test_given_secrets_and_those_of_the_environment_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_PROVIDER_TOKEN", "from-environment")
    monkeypatch.setenv("SHORT_KEY", "true")
    monkeypatch.setenv("MAX_OUTPUT_TOKENS", "12345678")
    text = "from-environment given-secret given-secret-2 true 12345678"
    assert scrub(text, ["given-secret", "given-secret-2"]) == "[key] [key] [key] true 12345678"


def test_parameters_are_shown_without_keys() -> None:
    parameters: dict[str, Any] = {
        "temperature": 0.5,
        "max_tokens": 100,
        "api_key": "k1",
        "api_base": "https://user:pw@x.example/v1",
        "extra_headers": {"X-Custom": "k2"},
        "extra_body": {"top_k": 3, "token": "k3", "list": [{"secret": "k4"}, 5]},
        "aws_secret_access_key": "k5",
        "vertex_credentials": {"a": ["k6"]},
    }
    assert public(parameters) == {
        "temperature": 0.5,
        "max_tokens": 100,
        "api_base": "https://[key]@x.example/v1",
        "extra_body": {"top_k": 3, "list": [{}, 5]},
    }
    assert secrets_in(parameters) == {"k1", "k2", "k3", "k4", "k5", "k6"}


def test_addresses_and_bodies_keep_keys_in_many_places() -> None:
    parameters = {
        "api_base": "https://x.example/v1?access_token=in-the-query&n=1",
        "extra_query": {"sig": "signed-request", "design": "plain"},
        "extra_body": {"auth": "in-the-body", "author": "plain"},
    }
    assert secrets_in(parameters) == {"in-the-query", "signed-request", "in-the-body"}
    assert public(parameters) == {
        "api_base": "https://x.example/v1?access_token=[key]&n=1",
        "extra_query": {"design": "plain"},
        "extra_body": {"author": "plain"},
    }


def test_what_is_remembered_is_kept_out_of_everything() -> None:
    remember(["hunter2-and-more", "short"])
    assert conceal("It is hunter2-and-more, in short.") == "It is [key], in short."


def test_what_follows_the_scheme_of_a_header_is_secret_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAU_AGENT_AUTHORIZATION", "Bearer abc-123-def-456")
    assert conceal("My token is abc-123-def-456.") == "My token is [key]."


def test_a_word_under_a_secret_name_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYBOARD", "standard")
    monkeypatch.setenv("TOKEN_VERSION", "20250101")
    monkeypatch.setenv("API_KEY", "standard-1")
    assert conceal("standard 20250101 standard-1") == "standard 20250101 [key]"


@pytest.mark.parametrize("secret", ['with "quotes" and \\', "Grüße-und-Küsse", "tab\tand\nline"])
def test_json_is_searched_for_a_secret_as_it_stands_there(secret: str) -> None:
    remember([secret])
    for ascii in (True, False):
        line = json.dumps({"said": f"My key is {secret}!"}, ensure_ascii=ascii)
        assert json.loads(conceal_json(line)) == {"said": "My key is [key]!"}


def test_an_environment_that_changes_meanwhile_raises_nothing() -> None:
    """pytest sets and removes PYTEST_CURRENT_TEST between two tests, while trials run in threads."""
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            os.environ["TAU_TEST_KEY_COMES_AND_GOES"] = "a-secret-for-a-moment"
            os.environ.pop("TAU_TEST_KEY_COMES_AND_GOES", None)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(3000):
            known_secrets()
    finally:
        over.set()
        thread.join()


def test_where_a_shell_stands_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PWD", "/home/somebody/project")
    monkeypatch.setenv("MY_PWD", "correct-horse-battery")
    assert conceal("node /home/somebody/project/agent.js correct-horse-battery") == (
        "node /home/somebody/project/agent.js [key]"
    )


def test_a_mark_stands_where_a_secret_was() -> None:
    given = {
        "api_key": "sk-12345678",
        "seed": 1,
        "extra_headers": {"x-a": "b-secret-of-some-length", "x-b": "none", "n": 2},
        "stop": ["a"],
        "base": "http://u:p@h",
    }
    marks = {
        "api_key": "[key]",
        "seed": 1,
        "extra_headers": {"x-a": "[key]", "x-b": "none", "n": 2},
        "stop": ["a"],
        "base": "http://[key]@h",
    }
    assert mark_secrets(given) == marks
    assert mark_secrets({"headers": [["x-name", "a-long-value"]]}) == {"headers": [["x-name", "[key]"]]}


@pytest.mark.parametrize(
    "key",
    ["Zq93\\secretTail77", 'Zq93"secretTail77', "Zq93+secret/Tail77==", "Zq93sécretTail77", "Zq93abcd1\nsecretTail77"],
)
def test_a_key_is_hidden_however_it_is_spelled(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SHOP_API_KEY", key)
    for text in (
        key,
        repr({"password": key}),
        ascii({"password": key}),
        json.dumps({"a": key}),
        repr(f"{json.dumps({'a': key})} 'quoted'"),
        json.dumps(key, ensure_ascii=False),
        quote(key, ""),
    ):
        assert "secretTail" not in conceal(text), text
        assert not re.search(r"s(é|\\xe9)cretTail", conceal(text)), text
        assert "secretTail" not in json.loads(conceal_json(json.dumps(text)))
    for line in key.splitlines():
        assert line not in conceal(f"    {line}")


def test_a_key_that_was_taken_out_of_the_environment_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "Zq93popped-secret")
    assert "Zq93popped-secret" in known_secrets()
    monkeypatch.delenv("SHOP_API_KEY")
    assert conceal("it was Zq93popped-secret") == "it was [key]"


@pytest.mark.parametrize("key", ['pa"ss\\w\u00f6rd-12345', "it's\"\\\\x-\u00e9-\u00fc12345"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_key_in_json_within_json_within_json(key: str, ascii_only: bool) -> None:
    remember([key])
    written = key
    for _ in range(3):
        written = json.dumps({"said": written}, ensure_ascii=ascii_only)
        assert "12345" not in conceal(written)
        assert "12345" not in conceal_json(written)


@pytest.mark.parametrize("cut", ["…", " … (399 characters)"])
def test_the_beginning_of_a_key_that_was_cut_short(cut: str) -> None:
    key = 'Zq93"cut-short-secret'
    remember([key])
    for end in range(8, len(key)):
        said = f"note {key[:end]}{cut}"
        assert conceal(said) == f"note [key]{cut}"
        assert json.loads(conceal_json(json.dumps(said, ensure_ascii=False))) == f"note [key]{cut}"
    assert conceal(f"Zq93 is a word{cut}") == f"Zq93 is a word{cut}"
