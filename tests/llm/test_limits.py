"""Limits with a clock that only waits move, and over processes that share nothing but a folder."""

import asyncio
import os
import random
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_tau.clock import Clock as TrialClock
from pytest_tau.clock import limited, monotonic
from pytest_tau.conversation.faults import is_infra
from pytest_tau.llm.ledger import ARRIVAL, FILE_NAME, WINDOW
from pytest_tau.llm.limits import BudgetReached, LimitSettings, Need, RunLimits, Spent

MINUTE = 60.0


class Clock:
    """Time that passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def limits(folder: Path, clock: Clock | None = None, **given: Any) -> RunLimits:
    clock = clock or Clock()
    return RunLimits(folder, LimitSettings(**given), clock=clock, sleep=clock.sleep)


def one(run: RunLimits, *, uses: int = 0, costs: float = 0.0, **reserves: Any) -> None:
    """A call from its start to its end."""
    run.settle(asyncio.run(run.acquire(Need(**reserves))), tokens=uses, usd=costs)


def most_in_a_minute(times: list[float], weights: list[int] | None = None) -> int:
    """The most that starts in any window of 60 seconds."""
    weights = weights or [1] * len(times)
    pairs = list(zip(times, weights, strict=True))
    return max(sum(weight for at, weight in pairs if start <= at < start + MINUTE) for start in times)


# Rates


def test_what_a_call_waits_is_no_time_of_the_trial(tmp_path: Path) -> None:
    now, trial, stood_still = Clock(), TrialClock(600.0), []

    async def sleep(seconds: float) -> None:
        before, began = trial.seconds, monotonic()
        while monotonic() == began:
            pass
        stood_still.append(trial.seconds == before)
        await now.sleep(seconds)

    async def two_calls() -> None:
        run = RunLimits(tmp_path, LimitSettings(rpm=1), clock=now, sleep=sleep)
        async with limited(trial):
            for _ in range(2):
                run.settle(await run.acquire())

    asyncio.run(two_calls())
    assert stood_still
    assert all(stood_still)


def test_requests_of_a_minute_are_limited_however_the_minute_is_cut(tmp_path: Path) -> None:
    clock = Clock()
    workers = [limits(tmp_path, clock, rpm=5) for _ in range(2)]
    times = []
    for number in range(23):
        one(workers[number % 2])
        times.append(clock.now)
        clock.now += 3.0
    assert most_in_a_minute(times) == 5
    assert times[-1] - times[0] < 5 * (WINDOW + 1)  # and no longer than needed


def test_requests_that_are_long_on_their_way_do_not_meet_the_next_ones(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, rpm=1)
    call = asyncio.run(run.acquire())
    clock.now += 20.0  # the first call of a process: it arrives, and is answered at once
    arrived = clock.now
    run.settle(call)
    one(run)
    assert arrived + MINUTE <= clock.now < arrived + MINUTE + 6


def test_slow_answers_do_not_make_the_limit_smaller(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, rpm=1)
    one(run)
    call = asyncio.run(run.acquire())
    began = clock.now
    clock.now += 50.0
    run.settle(call)
    one(run)
    assert MINUTE <= clock.now - began < MINUTE + ARRIVAL + 6
    asyncio.run(run.acquire())  # and not answered at all
    began = clock.now
    one(run)
    assert MINUTE <= clock.now - began < MINUTE + ARRIVAL + 6


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rpm=st.integers(1, 6),
    tpm=st.integers(50, 300),
    calls=st.lists(st.tuples(st.floats(0, 40), st.integers(1, 200)), min_size=1, max_size=15),
)
def test_no_window_ever_holds_more_than_its_limits(
    tmp_path_factory: pytest.TempPathFactory, rpm: int, tpm: int, calls: list[tuple[float, int]]
) -> None:
    clock = Clock()
    run = limits(tmp_path_factory.mktemp("run"), clock, rpm=rpm, tpm=tpm)
    times, tokens = [], []
    for pause, wanted in calls:
        clock.now += pause
        one(run, tokens=wanted, uses=wanted)
        times.append(clock.now)
        tokens.append(wanted)
    assert most_in_a_minute(times) <= rpm
    assert most_in_a_minute(times, tokens) <= max(tpm, *tokens)  # a call larger than the limit goes alone


def test_a_call_larger_than_the_token_rate_waits_for_an_empty_window_and_goes_alone(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, tpm=100)
    one(run, tokens=10, uses=10)
    one(run, tokens=500, uses=500)
    assert clock.now >= 1000 + WINDOW
    started = clock.now
    one(run, tokens=1, uses=1)
    assert clock.now >= started + WINDOW


def test_tokens_that_were_reserved_and_not_used_are_given_back(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, tpm=100)
    for _ in range(5):
        one(run, tokens=60, uses=10)
    assert clock.now == 1000.0


# In flight


def test_calls_in_flight_are_limited_over_event_loops_and_threads(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, max_inflight=2)
    first = asyncio.run(run.acquire())
    asyncio.run(run.acquire())
    waiting, let_go, started = threading.Event(), threading.Event(), threading.Event()

    async def wait(seconds: float) -> None:
        waiting.set()
        await asyncio.to_thread(let_go.wait, 10)

    other = RunLimits(tmp_path, run.settings, clock=clock, sleep=wait)

    def start() -> None:
        asyncio.run(other.acquire())
        started.set()

    thread = threading.Thread(target=start)
    thread.start()
    assert waiting.wait(10)
    assert not started.is_set()
    run.settle(first)
    let_go.set()
    thread.join(10)
    assert started.is_set()


def test_the_slots_of_a_killed_process_are_free_again_and_its_reservation_is_spent(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("on Windows a killed process's slots are free when their time is over")
    run = limits(tmp_path, max_inflight=1, budget_usd=1.0)
    script = (
        "import asyncio, os, pathlib, sys;"
        "from pytest_tau.llm.limits import *;"
        "run = RunLimits(pathlib.Path(sys.argv[1]), LimitSettings(max_inflight=1), clock=lambda: 1000.0);"
        "asyncio.run(run.acquire(Need(tokens=70, usd=0.25)));"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False, timeout=30)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as db:
        assert db.execute("SELECT COUNT(*) FROM calls WHERE open").fetchone() == (1,)
    asyncio.run(run.acquire())
    assert run.spending() == Spent(calls=1, tokens=70, usd=0.25)


def test_a_call_that_outlives_its_time_is_lost_and_cannot_be_settled_twice(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, max_inflight=1)
    late = asyncio.run(run.acquire(Need(tokens=7), seconds=30.0))
    one(run, tokens=1, uses=1)
    assert clock.now >= 1030
    run.settle(late, tokens=1000)
    assert run.spending() == Spent(calls=2, tokens=8, usd=0.0)


def test_calls_from_before_a_restart_of_the_machine_do_not_count_for_the_rate(tmp_path: Path) -> None:
    before = Clock()
    before.now = 1e6
    one(limits(tmp_path, before, rpm=1), uses=5)
    after = Clock()
    one(limits(tmp_path, after, rpm=1), uses=5)
    assert after.now == 1000.0


# Budgets


@pytest.mark.parametrize(
    ("budget", "call", "sentence"),
    [
        ({"budget_usd": 1.0}, {"usd": 0.4, "costs": 0.4}, "the budget of 1 USD is reached: 0.8 used, and a call may"),
        ({"budget_tokens": 100}, {"tokens": 40, "uses": 40}, "the budget of 100 tokens is reached: 80 used"),
        (
            {"budget_tokens": 12_345_678},
            {"tokens": 5_000_001, "uses": 5_000_001},
            "the budget of 12345678 tokens is reached: 10000002 used, and a call may take 5000001",
        ),
    ],
)
def test_a_budget_is_never_overspent(tmp_path: Path, budget: Any, call: Any, sentence: str) -> None:
    run = limits(tmp_path, **budget)
    one(run, **call)
    one(run, **call)
    assert not run.exhausted
    with pytest.raises(BudgetReached, match=sentence) as caught:
        one(run, **call)
    assert run.exhausted
    assert run.spending().refused == 1
    assert is_infra(caught.value)
    assert caught.value.permanent


def test_calls_wait_for_what_those_in_flight_leave_of_the_budget(tmp_path: Path) -> None:
    clock = Clock()
    run = limits(tmp_path, clock, budget_usd=1.0)
    running = asyncio.run(run.acquire(Need(usd=0.7)))
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        run.settle(running, usd=0.1)

    second = RunLimits(tmp_path, run.settings, clock=clock, sleep=wait)
    second.settle(asyncio.run(second.acquire(Need(usd=0.7))), usd=0.7)
    assert len(waits) == 1
    assert run.spending().usd == pytest.approx(0.8)


def test_what_was_used_is_counted_and_not_what_was_reserved(tmp_path: Path) -> None:
    run = limits(tmp_path, budget_tokens=1000)
    one(run, tokens=900, uses=100, usd=5.0, costs=0.5)
    run.settle(asyncio.run(run.acquire(Need(tokens=300, usd=0.25))))
    assert run.spending() == Spent(calls=2, tokens=400, usd=0.75)


def test_a_budget_that_is_spent_to_the_cent_is_exhausted(tmp_path: Path) -> None:
    run = limits(tmp_path, budget_tokens=100)
    one(run, tokens=50, uses=100)
    assert run.exhausted
    with pytest.raises(BudgetReached):
        one(run, tokens=0)


# Processes

_WORKER = """
import asyncio, pathlib, sys
from pytest_tau.llm.limits import BudgetReached, LimitSettings, Need, RunLimits

folder, counter = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
run = RunLimits(folder, LimitSettings(max_inflight=3, budget_tokens=400))
done = most = 0

async def call():
    global done, most
    lease = await run.acquire(Need(tokens=10))
    mark = counter / f"{sys.argv[3]}-{lease}"
    mark.touch()
    most = max(most, len(list(counter.iterdir())))
    await asyncio.sleep(0)
    mark.unlink()
    run.settle(lease, tokens=10)
    done += 1

async def main():
    print(flush=True)
    sys.stdin.readline()
    await asyncio.gather(*(call() for _ in range(30)), return_exceptions=True)

asyncio.run(main())
print(done, most)
"""


def test_two_processes_of_a_run_share_its_limits(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(tmp_path), str(marks), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    for worker in workers:  # both are up before either begins
        assert worker.stdout is not None
        worker.stdout.readline()
    results = [worker.communicate("go\n", timeout=60)[0].split() for worker in workers]
    done, most = (list(map(int, column)) for column in zip(*results, strict=True))
    assert sum(done) == 40  # of 60 calls of 10 tokens, with a budget of 400
    assert max(most) <= 3
    spent = RunLimits(tmp_path, LimitSettings()).spending()
    assert (spent.calls, spent.tokens, spent.refused) == (40, 400, 20)


@pytest.mark.parametrize("seed", range(4))
def test_a_budget_is_exceeded_by_at_most_one_call_however_uneven_the_answers(tmp_path: Path, seed: int) -> None:
    """Eight callers, answers from nothing to twenty times what a first one is taken to have."""
    rng = random.Random(seed)

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    limits = RunLimits(tmp_path, LimitSettings(budget_tokens=120_000), sleep=at_once)
    largest = 0

    async def caller() -> None:
        nonlocal largest
        with suppress(BudgetReached):
            while True:
                call = await limits.acquire(Need(prompt := rng.randint(100, 3000), model="m"))
                for _ in range(rng.randint(0, 6)):
                    await asyncio.sleep(0)
                answer = rng.choice([rng.randint(1, 500), rng.randint(1, 20_000)])
                largest = max(largest, prompt + answer)
                limits.settle(call, tokens=prompt + answer, answer=("m", answer))

    async def all_callers() -> None:
        await asyncio.gather(*(caller() for _ in range(8)))

    asyncio.run(all_callers())
    assert limits.spending().tokens <= 120_000 + largest
