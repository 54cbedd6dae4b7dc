"""The limits of a run, kept by the client that asks a server on loopback."""

import asyncio
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.llm.limits import BudgetReached, LimitSettings, RunLimits, Spent
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.retry import RetryPolicy

from .asking import HELLO, PRICES, ask, client, fail
from .server import (
    Answer,
    ChatServer,
    Request,
    fails,
    held,
    rate_limited,
    says,
)

pytestmark = pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")


def limits(folder: Path, **settings: Any) -> RunLimits:
    return RunLimits(folder, LimitSettings(**settings))


def test_the_calls_of_a_client_keep_to_the_limits_and_are_settled_as_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_tau.llm.client.REFUSED_WITHIN", float("inf"))
    release = threading.Event()

    def answer(request: Request) -> Answer:
        if len(server.requests) >= 3:
            release.set()
        reply = says("x", prompt_tokens=100, completion_tokens=20)
        return reply if len(server.requests) == 1 else held(release, reply)  # the first one goes alone

    run = limits(tmp_path, max_inflight=2)
    with ChatServer(answer) as server:
        model = client(server, limits=run)

        async def many() -> None:
            await asyncio.gather(*(model.complete(HELLO) for _ in range(6)))

        asyncio.run(many())
    assert server.peak == 2
    assert run.spending() == Spent(calls=6, tokens=720, usd=0.0)


def unreadable(prompt: int, completion: int) -> Answer:
    """A completion whose content is no text, and that is billed like any other."""
    return says({"no": "text"}, prompt_tokens=prompt, completion_tokens=completion)  # type: ignore[arg-type]


def test_an_answer_that_nobody_can_read_is_paid_for_like_any_other(tmp_path: Path) -> None:
    run = limits(tmp_path, budget_usd=1.0)
    reply = ask([unreadable(100, 20), says("x", prompt_tokens=100, completion_tokens=20)], limits=run, prices=PRICES)
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (200, 40)
    spent = run.spending()
    assert spent.tokens == 240
    assert reply.cost == pytest.approx(spent.usd)
    assert spent.usd > 0


def test_what_failed_for_good_says_what_it_was_billed(tmp_path: Path) -> None:
    run = limits(tmp_path, budget_usd=1.0)
    error = fail([unreadable(100, 20)] * 3, limits=run, prices=PRICES, retry=RetryPolicy(base=0.0))
    assert [part.usage.completion_tokens for part in error.spent if part.usage] == [20, 20, 20]
    assert sum(part.cost or 0.0 for part in error.spent) == pytest.approx(run.spending().usd)


def test_refused_attempts_count_as_calls_and_use_nothing(tmp_path: Path) -> None:
    run = limits(tmp_path, rpm=100)
    ask([rate_limited(), fails(500), says("x")], limits=run)
    assert run.spending() == Spent(calls=3, tokens=15, usd=0.0)


def test_a_call_that_is_repeated_without_the_bound_counts_twice(tmp_path: Path) -> None:
    def small(request: Request) -> Answer:
        if "max_tokens" in request.body:
            return fails(400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens")
        return says("x")

    run = limits(tmp_path, rpm=100)
    reply = ask(small, limits=run, max_tokens=4096)
    assert "max_tokens" not in reply.parameters
    assert run.spending() == Spent(calls=2, tokens=15, usd=0.0)


def test_a_time_out_is_paid_for_as_reserved(tmp_path: Path) -> None:
    run = limits(tmp_path, rpm=100)
    never = threading.Event()
    fail(held(never, says("late")), limits=run, timeout=0.05, retry=RetryPolicy(attempts=1))
    never.set()
    assert run.spending().tokens > 1000


@pytest.mark.parametrize("answer", [20_000, 5_000])
def test_a_budget_is_kept_however_long_the_answers_are(tmp_path: Path, answer: int) -> None:
    """Nobody said how long they can get, and all want to go at once."""
    run = limits(tmp_path, budget_usd=2.0)
    with ChatServer(says("x", prompt_tokens=10, completion_tokens=answer)) as server:
        model = client(server, limits=run, prices=PRICES)

        async def many() -> list[Any]:
            return await asyncio.gather(*(model.complete(HELLO) for _ in range(64)), return_exceptions=True)

        results = asyncio.run(many())
    assert {type(result) for result in results} == {ModelReply, BudgetReached}
    assert 2.0 - 3 * answer / 100_000 <= run.spending().usd <= 2.0


def test_a_budget_in_usd_is_kept(tmp_path: Path) -> None:
    run = limits(tmp_path, budget_usd=0.05)
    with ChatServer(says("x", prompt_tokens=10_000, completion_tokens=0)) as server:
        model = client(server, limits=run, prices=PRICES)

        def complete() -> None:
            asyncio.run(model.complete(HELLO))

        complete()
        complete()
        with pytest.raises(BudgetReached, match=r"the budget of 0\.05 USD is reached: 0\.04 used"):
            complete()
    assert len(server.requests) == 2
    assert run.exhausted


def test_a_budget_in_usd_is_refused_when_nobody_knows_the_price(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="price of openai/test is unknown, so a budget in USD cannot be enforced"):
        ask(says("x"), limits=limits(tmp_path, budget_usd=1.0))
