"""litellm, tamed: imported late, kept quiet, and run on one event loop in a thread of its own.

The loop is because litellm's caches and workers belong to the loop they were made on: with a loop for each trial,
pending work of one would be picked up by another and fail there.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import importlib
import importlib.util
import logging
import os
import threading
import warnings
from collections.abc import Callable, Coroutine, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, TypeVar

from ..clock import keep_time
from ..errors import SettingsError
from ..garbage import lasting
from . import own_models, private
from .answers import Response, read_again, refuse_invented
from .direct import Routes
from .in_turn import new_loop
from .pricing import Price

T = TypeVar("T")
_LOADED = threading.Event()

INSTALL = (
    "calls of models need litellm; install it with: pip install 'pytest-tau[llm]' "
    "(for openai/NAME on a server of your own pytest-tau[local] is enough)"
)
# Few enough for the price of short prompts, where long ones cost more a token.
_SAMPLE = 1000
_GRACE = 5.0
_MARKED = frozenset({"anthropic", "bedrock", "openrouter", "vertex_ai"})
_THINKING = frozenset({"deepseek", "moonshot", "mistral", "hosted_vllm"})
# Their records repeat requests and URLs, some with a key in them; litellm's warnings are advice to open issues.
_LOG_LEVELS = [
    *((logging.getLogger(name), logging.CRITICAL) for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")),
    *((logging.getLogger(name), logging.WARNING) for name in ("openai", "httpx", "httpcore")),
]

# The warning filters as they are with ours in front.
_HUSHED: list[Any] = []


def is_installed() -> bool:
    """Whether there is a litellm to import."""
    return importlib.util.find_spec("litellm") is not None


def lacking(request: Mapping[str, Any]) -> str | None:
    """What calls lack, in a sentence: litellm, or for a model of one's own an HTTP client, an address and a key.

    Args:
        request: ``model``, with ``api_base`` and ``api_key`` where they are given.
    """
    if is_installed():
        return None
    if not own_models.is_own(request["model"]) or None in map(importlib.util.find_spec, ("aiohttp", "certifi")):
        return INSTALL
    if own_models.address_of(request) is None:
        return (
            f"{request['model']}: the address of its server is not known; set OPENAI_BASE_URL, or api_base in its args "
            "(a model of a provider needs litellm: pip install 'pytest-tau[llm]')"
        )
    if not (request.get("api_key") or os.environ.get("OPENAI_API_KEY")):
        return f"{request['model']}: its server wants a key; set OPENAI_API_KEY, to any text where none is checked"
    return None


def load() -> Any:
    """litellm, without network fetches, telemetry or chatter.

    Raises:
        SettingsError: it is not installed.
    """
    # Else it fetches its price map from the network when it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    _hush()
    try:
        with contextlib.nullcontext() if _LOADED.is_set() else lasting():
            litellm: Any = importlib.import_module("litellm")
    except ModuleNotFoundError as error:
        if error.name != "litellm":
            raise
        raise SettingsError(INSTALL) from None
    private.silence(litellm)
    _LOADED.set()
    return litellm


async def send(request: Mapping[str, Any]) -> Any:
    """One attempt at a chat completion; raises what litellm raises, TimeoutError, or SettingsError for what lacks."""
    # To the clients below, "timeout" is the time between two bytes: an answer that trickles in would never be late.
    async with asyncio.timeout(request["timeout"]):
        return await _on_model_loop(_send(request))


async def embed(request: Mapping[str, Any]) -> Any:
    """One attempt at the vectors of texts; raises what litellm raises, or TimeoutError."""
    litellm = load()
    async with asyncio.timeout(request["timeout"]):
        return await _on_model_loop(_embed(litellm, request))


def loop() -> asyncio.AbstractEventLoop:
    """The loop that models are asked on. What blocks it stops every call: only code that never does may run there."""
    return _MODEL_LOOP.get()


async def _send(request: Mapping[str, Any]) -> Any:
    route = _MODEL_LOOP.routes.of(request, load, lacking)
    if route is not None:
        return await route.send(request)
    litellm = load()
    # A handler of a provider's may change the tools that it is given, and many conversations share them.
    given = {**request, "tools": deepcopy(request["tools"])} if "tools" in request else request
    return await _listen(litellm.acompletion(**given, num_retries=0, max_retries=0, **private.without_mcp()))


async def _embed(litellm: Any, request: Mapping[str, Any]) -> Any:
    return await _listen(litellm.aembedding(**request, **private.without_retries()))


async def _listen(work: Coroutine[Any, Any, Any]) -> Any:
    """What litellm makes of a provider's answer; where it makes nothing of it, what the answer itself says."""
    with private.listening() as heard:
        try:
            made = await _with_grace(work)
        except Exception as error:
            if not heard:
                raise
            return read_again(heard[-1], error)
        if heard:
            refuse_invented(made, heard[-1])
        return made


async def warm_up() -> None:
    """Import litellm without blocking the running loop: it takes seconds."""
    if not _LOADED.is_set():
        await _on_model_loop(_load())


async def _load() -> None:
    load()


def unsupported_parameters(model: str, parameters: Mapping[str, Any]) -> frozenset[str]:
    """The names of those parameters that litellm says the model does not take, or not with these values.

    None where it is not installed, and nothing can be sent: a recording needs no litellm.
    """
    if not is_installed() or own_models.is_sent_as_given(model, parameters):
        return frozenset()
    litellm = load()
    known, base = private.parameter_names(litellm), parameters.get("api_base")
    ours = {name: value for name, value in parameters.items() if name in known or name == "allowed_openai_params"}
    if private.takes(litellm, model, base, ours):
        return frozenset()
    return frozenset(name for name, value in ours.items() if not private.takes(litellm, model, base, {name: value}))


def _answer(model: str, question: Callable[[Any, str], T], unknown: T) -> T:
    """What litellm says of a model; ``unknown`` where it is not installed, or does not know the model."""
    if not is_installed() or own_models.is_own(model):
        return unknown
    try:
        return question(load(), model)
    except Exception:
        return unknown  # it raises different classes for models it does not know


@cache
def sees(model: str) -> bool | None:
    """Whether a model takes pictures, as litellm says; None where it does not know the model."""
    return _answer(model, lambda litellm, name: bool(litellm.get_model_info(name).get("supports_vision")), None)


@cache
def takes_schema(model: str) -> bool:
    """Whether a model can be held to a JSON schema, as litellm says; False where it does not know the model."""
    return _answer(model, lambda litellm, name: bool(litellm.supports_response_schema(model=name)), False)


@cache
def thinks(model: str) -> bool:
    """Whether a model thinks before it answers, as litellm says: its thoughts may take more than an answer."""
    return _answer(model, lambda litellm, name: bool(litellm.supports_reasoning(name)), False)


def known_price(model: str) -> Price | None:
    """What litellm knows a model to cost; None where it does not know it."""
    prices = _prices(model)
    # 0 is what it says when it does not know; a user who knows better has a price table.
    if not all(prices):
        return None
    read, written = (price / _SAMPLE * 1_000_000 for price in prices)
    cached = _answer(model, lambda litellm, name: litellm.get_model_info(name).get("cache_read_input_token_cost"), None)
    return Price(read, written, cached * 1_000_000 if isinstance(cached, int | float) else None)


@cache
def wants_marks(model: str) -> bool:
    """Whether a provider caches only what a request marks, and litellm passes the marks on: Anthropic's models."""
    return _provider(model) in _MARKED and "claude" in model.lower()


@cache
def wants_thoughts(model: str) -> bool:
    """Whether a provider wants the thoughts of a message with calls back as text, and may refuse the next request."""
    return _provider(model) in _THINKING


def _provider(model: str) -> str:
    """Who serves a model, in litellm's words; "" where it does not know."""
    return _answer(model, lambda litellm, name: str(litellm.get_llm_provider(name)[1]), "")


@cache
def _is_priced(model: str) -> bool:
    """Whether litellm has a price for a model: it looks everywhere before it says no, so it is asked once."""
    return any(_prices(model))


def _prices(model: str) -> tuple[float, float]:
    """USD for a sample of tokens read, and of as many written; 0 where litellm does not know."""

    def sample(litellm: Any, name: str) -> tuple[float, float]:
        read, written = litellm.cost_per_token(model=name, prompt_tokens=_SAMPLE, completion_tokens=_SAMPLE)
        return read, written

    return _answer(model, sample, (0.0, 0.0))


def known_cost(response: Any, model: str) -> float | None:
    """What litellm says a response cost, in USD; it knows of cached tokens."""
    if isinstance(response, Response) and not _is_priced(model):
        return None

    def cost(litellm: Any, name: str) -> float:
        if not isinstance(response, Response):
            return float(litellm.completion_cost(response, model=name))
        usage = litellm.Usage(**response["usage"])  # not litellm's own
        return float(sum(litellm.cost_per_token(model=name, usage_object=usage)))

    return _answer(model, cost, 0.0) or None


def _hush() -> None:
    for logger, level in _LOG_LEVELS:
        if logger.level < level:
            logger.setLevel(level)
    # Under "-W error" litellm's own warnings break its import and its calls. pytest puts the filters back after each
    # test, so this is done before every call. Pydantic's are about litellm's models, completed and dumped at calls.
    if _HUSHED and warnings.filters[: len(_HUSHED)] == _HUSHED:
        return
    warnings.filterwarnings("ignore", module=r"(litellm|openai)(\.|$)")
    for category in (UserWarning, DeprecationWarning):
        warnings.filterwarnings("ignore", category=category, module=r"pydantic\.(main|_internal)")
    _HUSHED[:] = warnings.filters[:3]


class _ModelLoop:
    """The loop and its thread; made anew in a forked child, which inherits no threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.routes = Routes()
        self._of_the_parent = self.routes

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._pid = os.getpid()
                self._of_the_parent, self.routes = self.routes, Routes()  # the parent's are not ours to close
                self._loop = keep_time(new_loop())
                atexit.register(self._close)
                threading.Thread(target=_forever, args=(self._loop,), name="pytest-tau-models", daemon=True).start()
            return self._loop

    def _close(self) -> None:
        if self._loop is not None and self._pid == os.getpid():
            with contextlib.suppress(Exception):  # the process ends, whatever becomes of its connections
                asyncio.run_coroutine_threadsafe(self.routes.close(), self._loop).result(timeout=1.0)


def _forever(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        # They end a loop; whoever waits for the work that raised them has them as its result.
        with contextlib.suppress(SystemExit, KeyboardInterrupt):
            loop.run_forever()
            return


_MODEL_LOOP = _ModelLoop()


async def _on_model_loop(work: Coroutine[Any, Any, T]) -> T:
    if asyncio.get_running_loop() is _MODEL_LOOP.get():
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _MODEL_LOOP.get()))


async def _with_grace(work: Coroutine[Any, Any, T]) -> T:
    """Let go of whoever gives up at once, but cancel their work later.

    litellm prepares its requests in another thread; cancelled meanwhile, it would leave a coroutine that nobody awaits,
    and a warning that breaks a run under "-W error".
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        asyncio.get_running_loop().call_later(_GRACE, task.cancel)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody else will look at it
        raise
