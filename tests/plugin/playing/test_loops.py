"""One event loop for all trials of a process: what an async agent opened in one trial, it can use in the next."""

import asyncio
import contextvars
import threading

import pytest

from pytest_tau.plugin.playing.loops import CallersLoop, ModelLoop, ThreadLoop, run_to_end
from pytest_tau.plugin.run import Run
from tests.plugin.inner import apart, mock_run, rows

CLIENT = '''
import asyncio


class Client:
    """As an HTTP client does, it keeps something on the loop that it was first used on."""

    def __init__(self):
        self.asked = None

    async def _serve(self):
        while True:
            answer = await self.asked.get()
            answer.set_result("Goodbye.")

    async def ask(self):
        if self.asked is None:
            self.asked = asyncio.Queue()
            self.task = asyncio.create_task(self._serve())
        answer = asyncio.get_running_loop().create_future()
        await self.asked.put(answer)
        return await asyncio.wait_for(answer, 20)


client = Client()


class Agent:
    def __init__(self, context):
        pass

    async def reply(self, messages):
        return await client.ask()
'''


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_client_of_a_module_lives_as_long_as_the_session(pytester: pytest.Pytester, concurrency: int) -> None:
    """Also where some trials are played by themselves."""
    pytester.makepyfile(mine=CLIENT)
    pytester.makepyfile(
        test_alone="""
        import pytest

        @pytest.fixture(autouse=True)
        def mine(): pass

        @pytest.mark.tau(domain="mock", tasks=2)
        def test_it(tau_simulation):
            assert tau_simulation.messages
        """
    )
    args = ("--tau-agent=mine:Agent", f"--tau-concurrency={concurrency}", ".")
    result = mock_run(pytester, *args)
    assert (rows(result)["mock"]["trials"], rows(result)["mock"]["infra"]) == ("6", "0")
    assert {name: result.parseoutcomes()[name] for name in ("passed", "failed")} == {"passed": 2, "failed": 6}


@pytest.mark.slow
def test_in_workers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(mine=CLIENT)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=mine:Agent", "--tau-concurrency=1", "-n2")
    assert result.parseoutcomes()["failed"] == 6
    assert rows(result)["mock"]["missed"] == "6"


MARK: contextvars.ContextVar[str] = contextvars.ContextVar("mark", default="")


async def _marked(text: str) -> str:
    before = MARK.get()
    MARK.set(text)
    return before


def test_a_trial_finds_what_it_has_set_and_another_does_not(pytester: pytest.Pytester) -> None:
    run = Run(pytester.parseconfig())
    loop = run.one(CallersLoop)
    one, other = loop.for_a_trial(), loop.for_a_trial()
    assert [one(_marked("a")), one(_marked("b")), other(_marked("c"))] == ["", "a", ""]
    assert MARK.get() == ""
    run.ending.close()
    late = _marked("d")
    with pytest.raises(RuntimeError, match="closed"):
        one(late)
    late.close()


def test_a_loop_that_nobody_needed_is_not_made_to_be_closed(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(pytester.parseconfig())
    run.one(CallersLoop)
    monkeypatch.setattr("pytest_tau.plugin.playing.loops._loop", lambda: pytest.fail("made"))
    run.ending.close()


def test_a_thread_loop_ends_what_nobody_waits_for() -> None:
    loop, begun, ended = ThreadLoop(), threading.Event(), threading.Event()

    async def forever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asked = loop.submit(forever())
    assert begun.wait(20)
    assert not asked.done()
    loop.close()
    assert ended.wait(20)


def test_a_thread_loop_raises_what_was_raised() -> None:
    async def broken() -> None:
        raise ValueError("a bug")

    loop = ThreadLoop()
    with pytest.raises(ValueError, match="a bug"):
        run_to_end(loop, broken())
    loop.close()
    ThreadLoop().close()  # never used


def test_a_loop_that_is_held_is_left_to_what_holds_it() -> None:
    loop, begun, let_go = ThreadLoop(), threading.Event(), threading.Event()

    async def holds() -> str:
        begun.set()
        let_go.wait(20)
        return "back"

    held = loop.submit(holds())
    assert begun.wait(20)
    loop.leave_if_held(0.0)
    assert loop.submit(_marked("a")).result(10) == ""
    let_go.set()
    assert held.result(20) == "back"
    loop.close()


def test_a_loop_that_is_left_while_a_trial_asks_for_it_may_take_that_up() -> None:
    loop = ThreadLoop()
    run_to_end(loop, _marked("a"))

    class LeftAtOnce:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None:
            loop._loop = None

    kept, loop._lock = loop._loop, LeftAtOnce()  # type: ignore[assignment]
    assert run_to_end(loop, _marked("b")) == ""
    loop._loop = kept
    loop.close()


def test_the_loop_of_the_models_ends_what_nobody_waits_for_and_goes_on() -> None:
    loop, begun, ended = ModelLoop(), threading.Event(), threading.Event()

    async def forever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    asked = loop.submit(forever())
    assert begun.wait(20)
    loop.close()
    assert ended.is_set()  # what a call has to settle at its end is settled before the session goes on to end
    assert asked.cancelled()
    other = ModelLoop()
    assert run_to_end(other, _marked("a")) == ""
    other.close()


@pytest.mark.parametrize("kind", [ModelLoop, ThreadLoop])
def test_no_loop_ends_with_what_wants_to_exit(kind: type[ModelLoop] | type[ThreadLoop]) -> None:
    async def leaving() -> None:
        raise SystemExit(3)

    loop = kind()
    with pytest.raises(SystemExit):
        run_to_end(loop, leaving())
    assert run_to_end(loop, _marked("a")) == ""
    loop.close()


def test_what_async_players_hand_to_threads_waits_for_no_other() -> None:
    """As LangGraph does with the functions of a graph; the loop's own threads are at most 32, on two cores six."""
    loop, all_of_them = ThreadLoop(), threading.Barrier(33)

    async def handed_over() -> None:
        await asyncio.to_thread(all_of_them.wait, 20)

    asked = [loop.submit(handed_over()) for _ in range(all_of_them.parties)]
    for work in asked:
        work.result(20)
    loop.close()
