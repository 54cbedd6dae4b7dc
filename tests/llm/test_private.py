"""Canaries: a test that fails here names what of litellm a release has moved, and what is lost until it is found."""

import asyncio
import inspect
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.llm import backend, private
from pytest_tau.llm.replies import ProviderAnswered
from tests.llm.asking import KEY
from tests.llm.server import ChatServer, rate_limited

if not backend.is_installed():
    pytest.skip("litellm is not installed: pytest-tau[llm]", allow_module_level=True)


@pytest.fixture(scope="module")
def litellm() -> Any:
    return backend.load()


def test_litellm_has_its_switches_for_silence(litellm: Any) -> None:
    source = inspect.getsource(litellm)
    assert "\nsuppress_debug_info" in source, "litellm prints advice"  # some releases have no statistics to switch off


def test_litellm_has_the_switch_that_keeps_it_from_looking_for_mcp_servers() -> None:
    main = pytest.importorskip("litellm.main")
    for switch in private.without_mcp():
        assert switch in inspect.getsource(main), "calls with tools may need a package that nobody has installed"


@pytest.mark.parametrize("model", ["openai/tiny", "hosted_vllm/tiny"])
def test_the_client_below_litellm_sends_nothing_twice(litellm: Any, model: str) -> None:
    with ChatServer(rate_limited("0")) as server:
        about = {"model": model, "api_base": server.url, "api_key": KEY, "timeout": 30.0}
        chat = {"messages": [{"role": "user", "content": "Hello"}], "extra_body": {"only": "litellm knows this"}}
        for call in (backend.send({**about, **chat}), backend.embed({**about, "input": ["Hello"]})):
            with pytest.raises(ProviderAnswered):
                asyncio.run(call)
        assert len(server.requests) == 2, "attempts are made that no limit knows of"


def test_litellm_names_the_parameters_of_a_chat_completion(litellm: Any) -> None:
    assert {"temperature", "max_tokens", "seed", "top_p"} <= private.parameter_names(litellm)


def test_litellm_says_which_parameters_a_model_takes(litellm: Any) -> None:
    assert private.takes(litellm, "openai/gpt-4.1", None, {"temperature": 0.5})
    assert not private.takes(litellm, "openai/o1", None, {"temperature": 0.5})


def test_litellm_prices_what_it_knows() -> None:
    price = backend.known_price("openai/gpt-4.1")
    assert price is not None
    assert price.input > 0
    assert backend.known_price("nobody/knows-this") is None


@pytest.mark.parametrize("other", [SimpleNamespace(), SimpleNamespace(get_llm_provider=None, utils=None)])
def test_of_another_litellm_nothing_is_said_of_parameters(other: Any) -> None:
    assert private.parameter_names(other) == frozenset()
    assert private.takes(other, "openai/o1", None, {"temperature": 0.5})


def test_litellm_says_what_it_would_send(litellm: Any) -> None:
    given = {"seed": 1, "max_tokens": 5}
    assert private.as_sent(litellm, "gpt-4.1", "openai", given) == given
    assert private.as_sent(litellm, "o3-mini", "openai", given) != given


def test_litellm_has_the_settings_that_keep_calls_with_it(litellm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not private.is_configured(litellm)
    for name in ("success_callback", "client_session", "ssl_verify"):
        assert hasattr(litellm, name), "a user's setting may be passed over"
    monkeypatch.setattr(litellm, "success_callback", ["langfuse"])
    assert private.is_configured(litellm)


def test_the_client_below_litellm_can_be_listened_to() -> None:
    httpx = pytest.importorskip("httpx")
    with private.listening() as heard:
        assert heard == []
    for client in (httpx.Client, httpx.AsyncClient):
        send = inspect.unwrap(client.send)
        assert send.__closure__ is not None, "redirects are followed, and faults of providers told as litellm does"
        [original] = [cell.cell_contents for cell in send.__closure__ if callable(cell.cell_contents)]
        assert "follow_redirects" in inspect.signature(original).parameters
