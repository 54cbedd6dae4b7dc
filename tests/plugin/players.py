"""Agents for the tests of look-ahead: they meet each other, wait for ever, or kill; none of them counts seconds.

A trial is recognised by its task; the mock suite has six, run in the order of their names.
"""

import pytest

TASKS = (
    "add_a_task",
    "complete_a_task",
    "count_my_tasks",
    "delete_a_task",
    "read_and_dismiss",
    "task_for_a_stranger",
)

PLAYERS = '''
import asyncio
import os
import signal
import sys
import threading

import pytest

MEETING = int(os.environ.get("MEETING", "6"))
barrier = threading.Barrier(MEETING)
async_barrier = asyncio.Barrier(MEETING)
loops = set()
others_begun = threading.Event()
never = threading.Event()


def note(name, text):
    with open(name, "a") as file:
        file.write(text + "\\n")


class Agent:
    def __init__(self, context):
        self.context = context
        note("begun.txt", f"{context.task_id} {context.trial} {threading.current_thread().name}")

    @property
    def task(self):
        return self.context.task_id

    def reply(self, messages):
        return "Goodbye."


class Meets(Agent):
    """All trials have to be under way at once."""

    def reply(self, messages):
        barrier.wait(timeout=30)
        return "Goodbye."


class MeetsAsync(Agent):
    async def reply(self, messages):
        loops.add(asyncio.get_running_loop())
        assert len(loops) == 1
        async with asyncio.timeout(30):
            await async_barrier.wait()
        return "Goodbye."


class Bug(Agent):
    """A bug shows on one trial."""

    def reply(self, messages):
        if self.task == "count_my_tasks":
            return self.broken()
        return super().reply(messages)

    def broken(self):
        raise ValueError("a bug in the agent")


class Skips(Agent):
    def reply(self, messages):
        if self.task == "count_my_tasks":
            pytest.skip("not today")
        return super().reply(messages)


class SkipsAsync(Skips):
    async def reply(self, messages):
        return super().reply(messages)


class Exits(Agent):
    def reply(self, messages):
        if self.task == "count_my_tasks":
            sys.exit("enough")
        return super().reply(messages)


class ExitsAsync(Exits):
    async def reply(self, messages):
        return super().reply(messages)


class FirstFails(Agent):
    """The first trial has a bug, and shows it when the fourth has begun; that one and those after it wait for ever.

    With two at once, the second and the third were over before the fourth began. The fifth may begin before anybody
    has looked at the first.
    """

    def reply(self, messages):
        if self.task == "add_a_task":
            assert others_begun.wait(timeout=30)
            raise ValueError("a bug in the agent")
        if self.task >= "delete_a_task":
            others_begun.set()
            never.wait()
        return super().reply(messages)


class FirstFailsAsync(FirstFails):
    async def reply(self, messages):
        if self.task >= "delete_a_task":
            others_begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                note("cancelled.txt", self.task)
                raise
        if self.task == "add_a_task":
            assert await asyncio.to_thread(others_begun.wait, 30)
            raise ValueError("a bug in the agent")
        return "Goodbye."


class Interrupts(Agent):
    """Somebody presses Ctrl-C while the first trial goes on for ever and the fourth begins."""

    async def reply(self, messages):
        if self.task == "add_a_task":
            await asyncio.Event().wait()
        if self.task == "delete_a_task":
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        return "Goodbye."


class Stuck(Agent):
    """One trial never ends by itself."""

    async def reply(self, messages):
        if self.task == "count_my_tasks":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                note("cancelled.txt", self.task)
                raise
        return "Goodbye."
'''


def make_players(pytester: pytest.Pytester) -> None:
    """Put the agents into a project, as the module ``players``."""
    pytester.makepyfile(players=PLAYERS)


def begun(pytester: pytest.Pytester) -> dict[str, str]:
    """Which trials the agents saw begin: the thread, by "task trial"."""
    file = pytester.path / "begun.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    split = [line.rpartition(" ") for line in lines]
    assert len({key for key, _, _ in split}) == len(split), "a trial began twice"
    return {key: thread for key, _, thread in split}


def noted(pytester: pytest.Pytester, name: str) -> list[str]:
    """The lines that agents left in a file."""
    file = pytester.path / name
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []
