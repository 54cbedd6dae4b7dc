"""What a model call costs while others wait for the same limit: processor time, and how long a place stays empty."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from pytest_tau.llm.limits import LimitSettings, RunLimits

from .measuring import Result

SECONDS = 0.1  # each call
LIMIT_MS = 1.0
PROCESSES = 8
RELEASED_WITHIN = 2.0


async def play(limits: RunLimits, calls: int) -> None:
    """So many calls, all asked for at once."""

    async def call() -> None:
        lease = await limits.acquire()
        await asyncio.sleep(SECONDS)
        limits.settle(lease, tokens=1)

    await asyncio.gather(*(call() for _ in range(calls)))


def in_one_process(calls: int) -> None:
    """Print a line for calls of which one in sixteen is in flight."""
    inflight = calls // 16
    with TemporaryDirectory() as folder:
        limits = RunLimits(Path(folder), LimitSettings(max_inflight=inflight))
        began, used = time.perf_counter(), time.process_time()
        asyncio.run(play(limits, calls))
        used, took = time.process_time() - used, time.perf_counter() - began
    note = f"{inflight} in flight; {took:.2f} s, the ideal is {16 * SECONDS:.2f}"
    print(Result(f"CPU of a call, {calls} wait", 1000 * used / calls, LIMIT_MS, "ms", note))


def child(folder: str, calls: int) -> None:
    """One of several processes; prints its processor time."""
    limits = RunLimits(Path(folder), LimitSettings(max_inflight=64))
    used = time.process_time()
    asyncio.run(play(limits, calls))
    print(time.process_time() - used)


def in_processes(calls: int) -> None:
    """Print a line for calls of eight processes under one limit."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.limits", "child", folder, str(calls // PROCESSES)]
        children = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(PROCESSES)]
        used = sum(float(one.communicate()[0]) for one in children)
        counted = RunLimits(Path(folder), LimitSettings()).spending().calls
    assert counted == calls, f"{counted} of {calls} calls were counted"
    note = f"{PROCESSES} processes, 64 in flight"
    print(Result(f"CPU of a call, {calls} wait", 1000 * used / calls, LIMIT_MS, "ms", note))


def after_a_kill() -> None:
    """Print how long the place of a killed process stays empty for one that waits."""
    code = (
        "import asyncio, pathlib, sys; from pytest_tau.llm.limits import *;"
        "limits = RunLimits(pathlib.Path(sys.argv[1]), LimitSettings(max_inflight=1));"
        "asyncio.run(limits.acquire()); print(flush=True); sys.stdin.read()"
    )
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-c", code, folder]
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert holder.stdout is not None
        holder.stdout.readline()
        limits = RunLimits(Path(folder), LimitSettings(max_inflight=1))

        async def wait() -> float:
            waiting = asyncio.create_task(limits.acquire())
            await asyncio.sleep(0.3)
            os.kill(holder.pid, signal.SIGKILL)
            holder.wait()
            killed = time.perf_counter()
            await waiting
            return time.perf_counter() - killed

        print(Result("a killed holder's place is free after", asyncio.run(wait()), RELEASED_WITHIN, "s"))


def main() -> None:
    """Print the lines."""
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2], int(sys.argv[3]))
        return
    for calls in (64, 256, 1024):
        in_one_process(calls)
    in_processes(1024)
    after_a_kill()


if __name__ == "__main__":
    main()
