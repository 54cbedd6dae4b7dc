"""Chat completions sent straight to providers that speak exactly them.

litellm translates between providers. Where the provider speaks OpenAI's chat completions there is nothing to translate,
and its work around a call (walking messages and tools by their types, logging, pricing) takes most of the call's
processor time. So for such a model litellm is asked once what it would do: which provider, which address, which
parameters. Where its answer is "send what was given", the calls go to that address as a plain body, by the HTTP client
that litellm brings with it. Of models of one's own (:mod:`.own_models`) that is known without importing it. Everything
else goes through litellm: other providers, models whose parameters it rewrites, unusual parameters, and every call of a
user who has put callbacks or connection settings into litellm.
"""

from __future__ import annotations

import importlib
import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.request import getproxies_environment

from ..errors import SettingsError
from . import own_models, private
from .answers import Response, no_answer_error, no_completion, read_answer
from .encoding import encode_json
from .replies import UnreadableAnswer

_PROVIDER = "openai"
_LONGEST = 64_000_000  # bytes of an answer
# Sent as they are; "model" and "messages" besides. What is not here has a meaning of its own to litellm.
_PLAIN = {*own_models.PLAIN, "reasoning_effort", "user"}
# Connection settings that litellm reads by itself.
_VARIABLES = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "SSL_VERIFY", "SSL_CERTIFICATE")


@dataclass(frozen=True)
class _Route:
    """Where the calls of a model go, and by which session."""

    session: Any
    url: str
    headers: Mapping[str, str]
    model: str
    failure: type[Exception]
    """What the session raises where there is no answer."""

    async def send(self, request: Mapping[str, Any]) -> Response:
        """One chat completion.

        Raises:
            ProviderAnswered: the provider refused.
            UnreadableAnswer: it answered with something that is no completion.
            ConnectionError: there was no answer.
        """
        body = {name: value for name, value in request.items() if name in _PLAIN and value is not None}
        body |= {"model": self.model, "messages": request["messages"]}
        try:
            sent = self.session.post(self.url, data=encode_json(body), headers=self.headers, allow_redirects=False)
            async with sent as answer:
                content = await _read(answer)
                status, headers = answer.status, answer.headers
        except self.failure as error:
            raise no_answer_error(error) from None
        found = read_answer(self.url, status, headers, content)
        if not found.get("choices") and not found.get("usage"):
            raise no_completion(content)
        return found


async def _read(answer: Any) -> bytes:
    """The whole answer; raises UnreadableAnswer for one that has no end."""
    parts, size = [], 0
    async for part in answer.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > _LONGEST:
            raise UnreadableAnswer(f"the answer is longer than {_LONGEST // 1_000_000} MB")
    return b"".join(parts)


class Routes:
    """The routes that have been found, over one session; for one event loop, whose connections it holds."""

    def __init__(self) -> None:
        self._found: dict[Any, _Route | None] = {}
        self._session: Any = None

    def of(
        self,
        request: Mapping[str, Any],
        load: Callable[[], Any],
        lacking: Callable[[Mapping[str, Any]], str | None],
    ) -> _Route | None:
        """The route of a call, None where it is litellm's; ``load`` imports that where it has to be asked.

        Raises SettingsError with what calls lack (``lacking``), which is asked once for each route.
        """
        if set(request) - _PLAIN - own_models.ABOUT_THE_CALL or private.is_configured(own_models.imported_litellm()):
            return None
        if any(map(os.environ.get, _VARIABLES)):
            return None
        base = request.get("api_base") or request.get("base_url")
        names = frozenset(name for name in request if name in _PLAIN)
        # The environment decides the address as well, and may change between two runs in one process.
        environment = tuple(os.environ.get(name) for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY"))
        key = (request["model"], base, request.get("api_key"), names, environment)
        if key not in self._found:
            if (reason := lacking(request)) is not None:
                raise SettingsError(reason)
            self._found[key] = _route(request, base, self._open, load)
        return self._found[key]

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> Any:
        """The session, made on the running loop when first needed."""
        if self._session is None:
            aiohttp: Any = importlib.import_module("aiohttp")
            certifi: Any = importlib.import_module("certifi")
            trusted = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
            # How many calls are open at once is decided elsewhere, and so is how long one may take.
            connector = aiohttp.TCPConnector(limit=0, ssl=trusted)
            unlimited = aiohttp.ClientTimeout(total=None)
            # Told to trust the environment, it reads ~/.netrc for each call, in another thread: all of it for a proxy.
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=unlimited, trust_env=bool(getproxies_environment())
            )
        return self._session


def _route(
    request: Mapping[str, Any], base: str | None, open_session: Callable[[], Any], load: Callable[[], Any]
) -> _Route | None:
    given = {name: value for name, value in request.items() if name in _PLAIN and value is not None}
    environment, model, key, litellm = os.environ.get, request["model"], None, own_models.imported_litellm()
    address = base
    try:
        if own_models.is_sent_as_given(model, given):
            model = model.removeprefix(own_models.PREFIX)
        else:
            litellm = load()
            model, provider, key, address = litellm.get_llm_provider(model, api_base=base)
            if provider != _PROVIDER or _mode(litellm, model) != "chat":
                return None
            if private.as_sent(litellm, model, provider, given) != given:
                return None
    except Exception:
        return None  # litellm says what is wrong, when the call goes through it
    address = base or address or own_models.address_of({})
    told = getattr(litellm, "api_key", None) or getattr(litellm, "openai_key", None)
    secret = request.get("api_key") or key or told or environment("OPENAI_API_KEY")
    if not address or not secret:
        return None
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    failure = importlib.import_module("aiohttp").ClientError
    return _Route(open_session(), f"{address.rstrip('/')}/chat/completions", headers, model, failure)


def _mode(litellm: Any, model: str) -> str:
    """What litellm takes the model for; one that it does not know is asked to chat."""
    try:
        return litellm.get_model_info(model).get("mode") or "chat"
    except Exception:
        return "chat"
