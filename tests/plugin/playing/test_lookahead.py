"""Look-ahead: trials run at once, each belongs to its own test, and nothing of them outlives who asked for them."""

import itertools
import json
import signal
import threading
from collections import Counter
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.playing.lookahead import look_ahead
from pytest_tau.plugin.playing.upcoming import Upcoming
from pytest_tau.plugin.reporting.header import about_concurrency
from pytest_tau.plugin.run import run_of
from pytest_tau.plugin.workers.spool import TrialSpool
from tests.conftest import Shared
from tests.plugin.inner import apart, journal, mock_run, outcomes, rows, workers
from tests.plugin.parts import mock_play
from tests.plugin.players import TASKS, begun, make_players, noted
from tests.plugin.trials import items

OVER = {"missed", "passed"}


@pytest.fixture(autouse=True)
def _players(pytester: pytest.Pytester) -> None:
    make_players(pytester)


EACH = """
    import players

    def pytest_tau_make_agent(item):
        return getattr(players, {agents}[int(item.name.rpartition("trial")[2].removesuffix("]")) - 1])
"""


def test_so_many_at_once(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(EACH.format(agents=["Meets", "MeetsAsync"]))
    result = mock_run(pytester, "--tau-k=2", "--tau-concurrency=12")
    # Were one missing, the others would wait in vain, and end with a bug.
    found = journal(pytester.path)
    assert {record.outcome.value for record in found} <= OVER
    assert len(found) == 12
    result.stdout.fnmatch_lines(["tau: 12 conversations at once"])


def test_the_first_trials_begin_one_by_one(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.plugin.playing.lookahead.PACE", 60.0)
    pytester.makepyfile(
        slow="""
        import time
        from pathlib import Path

        class Agent:
            def __init__(self, context):
                self.note("set up")
                time.sleep(0)  # let others go on

            def reply(self, messages):
                self.note("waits")
                return self.answer()

            async def answer(self):
                return "Goodbye."

            def note(self, what):
                with Path("order").open("a") as order:
                    order.write(what + "\\n")
        """
    )
    mock_run(pytester, "--tau-agent=slow:Agent", "--tau-concurrency=6")
    assert (pytester.path / "order").read_text().splitlines()[:12] == ["set up", "waits"] * 6


def test_trials_are_noted_in_their_order(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.plugin.playing.lookahead.PACE", 0.0)
    begin = TrialSpool.begin
    asked: list[str] = []
    written: list[str] = []
    other_asked = threading.Event()

    def begin_first_last(spool: TrialSpool, nodeid: str, crashed: str) -> str | None:
        asked.append(nodeid)
        if len(asked) == 1:
            other_asked.wait(0.2)  # as where the processors are busy; the others would overtake it here
        else:
            other_asked.set()
        written.append(nodeid)
        return begin(spool, nodeid, crashed)

    monkeypatch.setattr(TrialSpool, "begin", begin_first_last)
    mock_run(pytester, "--tau-agent=players:Agent", "--tau-concurrency=6")
    assert written == sorted(written)  # as the tests come
    assert len(written) == 6


def test_tests_that_are_known_late_are_played_ahead_too(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, calls = Upcoming.after, itertools.count()
    monkeypatch.setattr("pytest_tau.plugin.playing.lookahead.LOOK", 0.05)
    # A worker knows nothing of its next tests when its first one begins.
    monkeypatch.setattr(Upcoming, "after", lambda self, item, most: after(self, item, most) if next(calls) else [])
    mock_run(pytester, "--tau-agent=players:Meets", "--tau-concurrency=6")
    assert {record.outcome.value for record in journal(pytester.path)} <= OVER


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["Meets", "MeetsAsync"])
def test_so_many_in_each_worker(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, agent: str) -> None:
    monkeypatch.setenv("MEETING", "3")
    args = ("--tau-domain=mock", f"--tau-agent=players:{agent}", "--tau-concurrency=3")
    result = workers(pytester, *args, "-v", number=2)
    assert set(outcomes(pytester.path).values()) <= OVER
    assert len(outcomes(pytester.path)) == 6
    result.stdout.fnmatch_lines(["3 conversations at once"])


@pytest.mark.parametrize(
    ("args", "number"),
    [
        (("--tau-agent=players:Agent",), 8),
        (("--tau-user=players:Agent",), 8),
        (("--tau-concurrency=2",), 2),
        ((), None),
        (("--tau-agent=faulty:rate=0.5",), None),
        (("--tau-agent=players:Agent", "--tau-concurrency=1"), None),
    ],
)
def test_about_eight_in_all_by_default_and_none_where_nobody_waits(
    pytester: pytest.Pytester, args: tuple[str, ...], number: int | None
) -> None:
    found = items(pytester, "--tau-domain=mock", "--tau-tasks=2", *args)
    run = run_of(found[0].config)
    assert about_concurrency(run, found) == ([] if number is None else [f"tau: {number} conversations at once"])
    ahead = run.one(look_ahead)
    assert (ahead and ahead.concurrency) == number


@pytest.mark.slow
def test_workers_say_it_at_the_end_where_there_is_something_to_report(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-tasks=2", "--tau-agent=players:Agent", "-n2", "-v")
    result.stdout.fnmatch_lines(["4 conversations at once"])


def test_the_same_as_one_after_the_other(pytester: pytest.Pytester) -> None:
    options = ("--tau-agent=faulty:rate=0.5", "--tau-k=2", "-v")
    found = []
    for play in (mock_play, mock_run):  # only in a run does anything run ahead
        result: Any = play(pytester, *options, "--tau-concurrency=5")
        found.append((rows(result), rows(result, "task"), result.ret, played(pytester)))
    assert found[0] == found[1]
    assert len(found[0][3]) == 12


def played(pytester: pytest.Pytester) -> list[Any]:
    """What a run's journal says of its trials, but for the clock and random ids."""

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            clock = ("timestamp", "start_time", "end_time", "duration", "generation_time_seconds")
            return {key: timeless(inner) for key, inner in value.items() if key not in clock}
        return [timeless(inner) for inner in value] if isinstance(value, list) else value

    found = []
    for record in journal(pytester.path):
        content = timeless(json.loads(record.model_dump_json()))
        del content["simulation"]["id"]
        found.append(content)
    return found


@dataclass(frozen=True)
class Ran:
    """What a run said and kept in which each of some agents does its worst in one of its two trials."""

    result: pytest.RunResult
    outcomes: dict[str, str]


@pytest.fixture(scope="module")
def ran(shared_run: Shared) -> Ran:
    """As many at once as there are agents."""
    with shared_run() as pytester:
        make_players(pytester)
        pytester.makeconftest(EACH.format(agents=WORST))
        tasks = "--tau-tasks=add_a_task,count_my_tasks"
        result = mock_run(pytester, tasks, f"--tau-k={len(WORST)}", "--tau-concurrency=5", "-v", "-rsfE")
        kept = {f"{record.task_id} {record.trial}": record.outcome.value for record in journal(pytester.path)}
        return Ran(result, kept)


WORST = ["Bug", "Skips", "SkipsAsync", "Exits", "ExitsAsync"]


def test_a_bug_shows_on_its_own_test_as_a_failure_with_the_agents_frames(ran: Ran) -> None:
    assert ran.result.parseoutcomes().get("errors") is None
    assert ran.outcomes["count_my_tasks 1"] == "error"
    ran.result.stdout.fnmatch_lines(
        [
            "> *return self.broken()",
            "players.py:*",
            "> *raise ValueError(*",
            "E *ValueError: a bug in the agent",
            "players.py:*: ValueError",
        ]
    )
    ran.result.stdout.fnmatch_lines(["FAILED *count_my_tasks*[[]trial1]*ValueError: a bug*"])
    for hidden in ("*lookahead.py*", "*concurrent*futures*", "*threading.py*"):
        ran.result.stdout.no_fnmatch_line(hidden)


@pytest.mark.parametrize("agent", ["Skips", "SkipsAsync"])
def test_a_skip_in_an_agent_is_an_error_of_its_own_trial(ran: Ran, agent: str) -> None:
    trial = WORST.index(agent) + 1
    ran.result.stdout.fnmatch_lines(["pytest.skip() was called in the middle of a trial: not today; *"])
    assert "skipped" not in ran.result.parseoutcomes()
    assert ran.outcomes[f"count_my_tasks {trial}"] == "error"


@pytest.mark.parametrize("agent", ["Exits", "ExitsAsync"])
def test_an_exit_in_an_agent_ends_its_own_trial_only(ran: Ran, agent: str) -> None:
    assert ran.outcomes[f"count_my_tasks {WORST.index(agent) + 1}"] == "error"


def test_the_other_trials_of_such_agents_are_played(ran: Ran) -> None:
    assert {ran.outcomes[f"add_a_task {trial}"] for trial in range(1, len(WORST) + 1)} <= OVER


def test_the_first_failure_cancels_the_rest_and_what_was_over_is_kept(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-agent=players:FirstFailsAsync", "--tau-concurrency=2", "-x")
    result.assert_outcomes(failed=1)
    assert "delete_a_task" in noted(pytester, "cancelled.txt")
    assert set(outcomes(pytester.path)) == {"add_a_task", "complete_a_task", "count_my_tasks"}
    assert {f"{task} 1" for task in TASKS[:4]} <= set(begun(pytester)) <= {f"{task} 1" for task in TASKS[:5]}


@pytest.mark.slow
def test_a_synchronous_agent_that_waits_for_ever_keeps_nobody(pytester: pytest.Pytester) -> None:
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=players:FirstFails", "--tau-concurrency=2", "-x")
    result.assert_outcomes(failed=1)
    assert set(outcomes(pytester.path)) == {"add_a_task", "complete_a_task", "count_my_tasks"}


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN, reason="interrupts are ignored here, as in a background job"
)
def test_after_ctrl_c_the_journal_has_what_was_over(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", "--tau-agent=players:Interrupts", "--tau-concurrency=2")
    result = pytester.runpytest_inprocess(*args, no_reraise_ctrlc=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert set(outcomes(pytester.path)) == {"complete_a_task", "count_my_tasks"}
    assert not list((pytester.path / ".tau" / "latest").glob("spool*"))


def test_a_time_out_of_pytest_cancels_the_trial_and_the_rest_goes_on(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import pytest

        def pytest_collection_modifyitems(items):
            for item in items:
                if "count_my_tasks" in item.nodeid:
                    item.add_marker(pytest.mark.timeout(1, method="signal"))
    """)
    result = mock_run(pytester, "--tau-agent=players:Stuck", "--tau-concurrency=2", "-ptimeout")
    result.stdout.fnmatch_lines(["*Timeout (>1.0s)*"])
    assert noted(pytester, "cancelled.txt") == ["count_my_tasks"]
    found = outcomes(pytester.path)
    assert found.pop("count_my_tasks") == "error"
    assert set(found.values()) <= OVER
    assert len(found) == 5


def test_what_is_interrupted_while_it_begins_trials_leaves_none_waiting(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = itertools.count(1)

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            if next(waits) == 2:  # of the trials that are begun ahead, the first is in the queue and the others are not
                raise SystemExit
            return super().wait(timeout)

    seen = SimpleNamespace(Event=Interrupted, Thread=threading.Thread, current_thread=threading.current_thread)
    monkeypatch.setattr("pytest_tau.plugin.playing.lookahead.threading", seen)
    mock_run(pytester, "--tau-agent=noop", "--tau-concurrency=6")
    assert Counter(outcomes(pytester.path).values())["error"] == 1
    assert len(outcomes(pytester.path)) == 6


def test_with_a_debugger_one_after_the_other_in_the_main_thread(pytester: pytest.Pytester) -> None:
    # Misses would open the debugger: an agent that passes.
    with (pytester.path / "players.py").open("a", encoding="utf-8") as file:
        file.write(COMPLETES)
    args = ("--tau-agent=players:Completes", "--tau-concurrency=4", "--tau-tasks=complete_a_task", "--tau-k=3")
    mock_run(pytester, *args, "--pdb").assert_outcomes(passed=3)
    assert set(begun(pytester).values()) == {"MainThread"}


COMPLETES = """

from pytest_tau import AssistantMessage, ToolCall


class Completes(Agent):
    def reply(self, messages):
        if len(messages) > 3:
            return "Goodbye."
        call = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"})
        return AssistantMessage(tool_calls=[call])
"""


def test_a_test_that_never_asks_leaves_no_trial_behind(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import asyncio
        import threading

        import pytest

        b_begun, b_cancelled = asyncio.Event(), threading.Event()

        class Agent:
            def __init__(self, context):
                self.task = context.task_id

            async def reply(self, messages):
                if self.task == "add_a_task":
                    async with asyncio.timeout(30):
                        await b_begun.wait()
                if self.task == "complete_a_task":
                    b_begun.set()
                    try:
                        await asyncio.Event().wait()
                    finally:
                        b_cancelled.set()
                if self.task == "count_my_tasks":
                    assert await asyncio.to_thread(b_cancelled.wait, 30)
                return "Goodbye."

        @pytest.fixture(scope="session")
        def tau_agent():
            return Agent

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        def test_a(tau_simulation):
            pass

        @pytest.mark.tau(domain="mock", tasks="complete_a_task")
        def test_b(tau_trial):
            pass

        @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
        def test_c(tau_simulation):
            pass
    """)
    result = pytester.runpytest("--tau-concurrency=2")
    result.assert_outcomes(passed=3)
    assert set(outcomes(pytester.path)) == {"add_a_task", "count_my_tasks"}


def test_no_trial_begins_where_no_test_runs(pytester: pytest.Pytester) -> None:
    mock_run(pytester, "--tau-agent=players:Agent", "--setup-only")
    items(pytester, "--tau-domain=mock", "--tau-agent=players:Agent")
    assert begun(pytester) == {}


@pytest.mark.slow
def test_a_finished_conversation_is_not_held_when_its_test_is_over(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import gc

        def pytest_sessionfinish(session):
            from pytest_tau.schema.simulation import Simulation

            gc.collect()
            print("conversations held:", sum(type(each) is Simulation for each in gc.get_objects()))
    """)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=players:Agent", "--tau-concurrency=2", "-s")
    # A thread may still hold its last.
    [line] = [line for line in result.outlines if "conversations held:" in line]
    assert int(line.rpartition(" ")[2]) <= 2
