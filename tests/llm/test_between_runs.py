"""Rates shared between runs, with a clock that only waits move."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pytest_tau.llm.between_runs import SharedRates, folder_of_key
from pytest_tau.llm.limits import BudgetReached, LimitSettings, Need, RunLimits


class Clock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def shared(folder: Path, name: str, clock: Clock, *, rpm: int, budget: float | None = None) -> SharedRates:
    def limits(of: str, settings: LimitSettings) -> RunLimits:
        return RunLimits(folder / of, settings, clock=clock, sleep=clock.sleep)

    return SharedRates(limits(name, LimitSettings(budget_usd=budget)), limits("key", LimitSettings(rpm=rpm)))


async def call(limits: SharedRates, usd: float = 0.0) -> None:
    limits.settle(await limits.acquire(Need(10, usd)), tokens=10, usd=usd)


def test_two_runs_make_no_more_calls_together_than_one_may(tmp_path: Path) -> None:
    clock = Clock()
    runs = [shared(tmp_path, name, clock, rpm=2) for name in ("a", "b")]
    times = []
    for turn in range(6):
        asyncio.run(call(runs[turn % 2]))
        times.append(clock.now)
    assert all(later - earlier >= 60.0 for earlier, later in zip(times, times[2:], strict=False))


def test_a_budget_stays_the_runs_own(tmp_path: Path) -> None:
    clock = Clock()
    rich, poor = (shared(tmp_path, name, clock, rpm=100, budget=usd) for name, usd in (("rich", 5.0), ("poor", 1.0)))
    asyncio.run(call(rich, usd=2.0))
    asyncio.run(call(poor, usd=1.0))
    with pytest.raises(BudgetReached):
        asyncio.run(call(poor, usd=0.5))
    asyncio.run(call(rich, usd=2.0))


def test_a_call_that_is_cancelled_while_it_waits_gives_its_place_back(tmp_path: Path) -> None:
    clock = Clock()
    own = RunLimits(tmp_path / "own", LimitSettings(max_inflight=1), clock=clock, sleep=clock.sleep)

    async def cancelled(_: float) -> None:
        raise asyncio.CancelledError

    between = RunLimits(tmp_path / "key", LimitSettings(rpm=1), clock=clock, sleep=cancelled)
    limits = SharedRates(own, between)
    asyncio.run(call(limits))
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(call(limits))
    assert own.spending().calls == 2
    asyncio.run(own.acquire(Need()))  # the only slot is free


def test_each_key_has_a_folder_of_its_own_that_does_not_tell_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    made = [
        folder_of_key("openai/a", {}, tmp_path),
        folder_of_key("openai/a", {"api_key": "sk-another-one"}, tmp_path),
        folder_of_key("openai/a", {"api_base": "http://127.0.0.1:1"}, tmp_path),
        folder_of_key("anthropic/a", {}, tmp_path),
    ]
    assert len(set(made)) == 4
    assert folder_of_key("openai/b", {}, tmp_path) == made[0]
    assert not any("sk-" in str(folder) for folder in made)


@pytest.mark.parametrize("name", ["api_base", "base_url", "OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_each_server_has_a_folder_of_its_own_wherever_its_address_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(variable, raising=False)

    def folder(address: str) -> Path:
        if not name.isupper():
            return folder_of_key("openai/local", {name: address}, tmp_path)
        monkeypatch.setenv(name, address)
        return folder_of_key("openai/local", {}, tmp_path)

    assert folder("http://a:1/v1") != folder("http://b:2/v1")
    assert folder("http://a:1/v1") == folder("http://a:1/v1/")
