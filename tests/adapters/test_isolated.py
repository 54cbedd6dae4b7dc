"""An agent in a process of its own: it plays as it would here, and what it does to itself reaches nobody else."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import AssistantMessage, Simulation, UserMessage, grade, load_domain, simulate
from pytest_tau.adapters.hiding import can_hide
from pytest_tau.adapters.isolated import IsolatedService, opaque
from pytest_tau.clock import monotonic
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import InfraError, PlayerError
from pytest_tau.schema.simulation import Termination
from tests.adapters.server import complete_a_task
from tests.builders import agent_context, mock, whole
from tests.plugin.playing.test_leftovers import is_alive

CODE = """
import asyncio, builtins, ctypes, os, sys, threading, time
from pathlib import Path

from pytest_tau import AgentFault, AssistantMessage, InfraError, ToolCall

COUNT = []


def chosen(context):
    return globals()[context.plan](context)


CALL = {"task_id": "task_1", "status": "completed"}


class Agent:
    parameters = {"colour": "red"}

    def __init__(self, context):
        self.context = context
        self.said = 0

    def reply(self, messages):
        self.said += 1
        return self.first(messages) if self.said == 1 else "Goodbye."

    def first(self, messages):
        return AssistantMessage(tool_calls=[ToolCall(id="1", name="update_task_status", arguments=CALL)], cost=0.25)


class Team(Agent):
    def first(self, messages):
        assert self.context.roles == {}
        self.context.speaks_as("triage")
        self.context.speaks_as("keeper", "a change")
        return super().first(messages)


class Loops(Agent):
    async def first(self, messages):
        tool = {tool.name: tool for tool in self.context.tools}["update_task_status"]
        text = await asyncio.to_thread(tool, **CALL)
        return f"{text} {len(messages)} {messages[-1].role} {self.context.memory} {self.context.task_id}"


class Vandal(Agent):
    def first(self, messages):
        here = [len(COUNT), os.environ.get("LEFT"), os.listdir(), hasattr(builtins, "left"), Path.cwd().parent.name]
        COUNT.append(1)
        os.environ["LEFT"] = "x"
        Path("left").write_text("x")
        builtins.left = 1
        time.monotonic = lambda: 0.0
        sys.setrecursionlimit(200)
        threading.Thread(target=time.sleep, args=(1000,)).start()
        if not os.fork():
            time.sleep(1000)
        return repr(here[:-1])


class Looks(Agent):
    def first(self, messages):
        found = []
        for what in (
            lambda: os.environ["PLANTED_API_KEY"],
            lambda: Path(os.environ["KEPT_API_KEY"]).read_text(),
            lambda: __import__("pytest_tau").load_tasks("mock"),
            lambda: __import__("pytest_tau").load_domain("mock"),
            lambda: Path(os.environ["HIDDEN_FILE"]).read_text(),
            lambda: Path(f"/proc/{Path(f'/proc/{os.getppid()}/stat').read_text().split()[3]}/environ").read_text(),
        ):
            try:
                found.append(what() and "found")
            except Exception as error:
                found.append(type(error).__name__)
        return repr(found)


class Bug(Agent):
    def first(self, messages):
        raise ValueError("a bug in it")


class Leaves(Agent):
    def first(self, messages):
        sys.exit(0)


class Fault(Agent):
    def first(self, messages):
        raise AgentFault("gave up")


class MaxTurnsExceeded(Exception):
    pass


class Framework(Agent):
    def first(self, messages):
        raise MaxTurnsExceeded("10")


class Numbers(Agent):
    def first(self, messages):
        return 3


class Deaf(Agent):
    def first(self, messages):
        os.closerange(1, 256)
        print("Hello?")


class Floods(Agent):
    def first(self, messages):
        while True:
            print("x" * 1000, file=sys.stderr)


class Exits(Agent):
    def first(self, messages):
        print("out of luck", file=sys.stderr)
        os._exit(0)


class Crashes(Agent):
    def first(self, messages):
        ctypes.string_at(0)


class Provider(Agent):
    def first(self, messages):
        raise ConnectionError("no way there")


class Hangs(Agent):
    def first(self, messages):
        while True:
            try:
                time.sleep(1000)
            except BaseException:
                pass


class Nonsense(Agent):
    def first(self, messages):
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, b"[1]\\n")
            except OSError:
                pass
        return "Hello."


class Roles(Agent):
    def first(self, messages):
        return "; ".join(f"{name} {role.tools[0]} {role.policy[:10]}" for name, role in self.context.roles.items())


class Closes(Agent):
    def close(self):
        raise RuntimeError("not closed")


class Abandons(Agent):
    def first(self, messages):
        child = os.fork()
        if not child:
            os.setsid()
            os.closerange(0, 3)
            time.sleep(60)
            os._exit(0)
        print(child)
        os._exit(0)


class Notes(Agent):
    def first(self, messages):
        self.context.memory["asked"] = self.context.memory.get("asked", 0) + 1
        pictures = [(one.id, len(one.content)) for one in messages[-1].attachments]
        return f"{self.context.memory['asked']} {pictures}"


class Shouts(Agent):
    def first(self, messages):
        os.write(1, b"by hand\\n")
        print("in Python")
        return super().first(messages)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("agents")
    (made / "isolated_agents.py").write_text(CODE, encoding="utf-8")
    (made / "isolated_threads.py").write_text(
        f"import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n{CODE}", "utf-8"
    )
    return made


@pytest.fixture
def serve(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes services, which are closed after the test."""
    monkeypatch.syspath_prepend(folder)
    made: list[IsolatedService] = []

    def make(name: str, **settings: Any) -> IsolatedService:
        made.append(IsolatedService(name, **settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[IsolatedService]:
    """All agents of the module in one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        made = IsolatedService("isolated_agents:chosen")
        made.check()
    yield made
    made.close()


def played(service: IsolatedService, name: str, **settings: Any) -> Simulation:
    return simulate(complete_a_task(), mock(), service.agent, plan=name, **settings)


def first_words(simulation: Simulation) -> str:
    return next(m.content for m in simulation.messages[1:] if m.role == "assistant" and m.content) or ""


def test_it_plays_as_it_would_here(service: IsolatedService, capfd: pytest.CaptureFixture[str]) -> None:
    simulation = played(service, "Shouts")
    assert grade(complete_a_task(), simulation, mock()).value == 1.0
    assert [m.role for m in simulation.messages] == ["assistant", "user", "assistant", "tool", "assistant", "user"]
    assert (simulation.messages[2].cost, simulation.agent_parameters) == (0.25, {"colour": "red"})  # type: ignore[union-attr]
    assert capfd.readouterr().out == "by hand\nin Python\n"


def test_it_calls_its_tools_itself(service: IsolatedService) -> None:
    simulation = played(service, "Loops")
    assert grade(complete_a_task(), simulation, mock()).value == 1.0
    assert [m.role for m in simulation.messages[1:5]] == ["user", "assistant", "tool", "assistant"]
    assert first_words(simulation).endswith('"status": "completed"} 2 user {} complete_a_task')


def test_it_says_which_of_several_in_it_speaks(service: IsolatedService) -> None:
    spoken = [message for message in played(service, "Team").messages if isinstance(message, AssistantMessage)]
    signed = [message for message in spoken if message.author]
    assert [message.author for message in signed] == ["keeper"] * (len(spoken) - 1)
    assert signed[0].handoffs == [{"from": "triage", "to": "keeper", "reason": "a change"}]


def test_it_reads_the_roles_of_a_team(service: IsolatedService) -> None:
    one = whole("retail_desk")[0]
    simulation = simulate(one, load_domain("retail_desk"), service.agent, plan="Roles")
    assert first_words(simulation).startswith("triage find_user_id_by_email # How we h; orders get_user")


def test_nothing_of_one_trial_reaches_another(service: IsolatedService) -> None:
    assert [first_words(played(service, "Vandal")) for _ in range(3)] == ["[0, None, [], False]"] * 3


@pytest.mark.slow  # each trial imports it anew
def test_a_module_that_begins_threads_is_imported_for_each_trial(serve: Any) -> None:
    threads = serve("isolated_threads:chosen")
    assert [first_words(played(threads, "Vandal")) for _ in range(2)] == ["[0, None, [], False]"] * 2


def test_no_process_is_left_behind(serve: Any) -> None:
    service = serve("isolated_agents:chosen")
    service.check()
    nursery = service.process
    played(service, "Vandal")
    assert Path(f"/proc/{nursery}/task/{nursery}/children").read_text().split() == []
    service.close()
    assert not Path(f"/proc/{nursery}").exists()


def test_it_has_no_keys_and_no_tasks(serve: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept, hidden = tmp_path / "kept", tmp_path / "hidden"
    for file in (kept, hidden):
        file.write_text("x", encoding="utf-8")
    monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
    monkeypatch.setenv("KEPT_API_KEY", str(kept))
    monkeypatch.setenv("HIDDEN_FILE", str(hidden))
    service = serve("isolated_agents:chosen", keeps=["KEPT_API_KEY", "HIDDEN_FILE"], hidden=[hidden])
    told = first_words(played(service, "Looks"))
    refused = ["KeyError", "found", "SettingsError", "SettingsError"]
    assert told == repr([*refused, *(["PermissionError"] * 2 if can_hide() else ["found"] * 2)])


def test_what_it_is_called_there_says_nothing() -> None:
    context = agent_context(task_id="exchange_lamp", seed=7)
    assert opaque(context) == opaque(context)
    assert "lamp" not in opaque(context).task_id
    assert opaque(context).task_id != opaque(agent_context(task_id="exchange_lamp", seed=8)).task_id


@pytest.mark.parametrize(
    ("name", "error", "told"),
    [
        (
            "Bug",
            PlayerError,
            r"the agent 'isolated_agents:chosen' raised ValueError: a bug in it \(isolated_agents.py:\d+",
        ),
        ("Leaves", PlayerError, "raised SystemExit: 0"),
        ("Numbers", PlayerError, r"Numbers.reply\(\) returned int; return AssistantMessage or str"),
        ("Nonsense", PlayerError, "sent something that is not a JSON object"),
        ("Floods", PlayerError, r"has written [\d,]+ characters and no answer$"),
    ],
    ids=["bug", "leaves", "numbers", "nonsense", "floods"],
)
def test_what_it_raises_is_a_bug_that_is_named(
    service: IsolatedService, monkeypatch: pytest.MonkeyPatch, name: str, error: type[Exception], told: str
) -> None:
    monkeypatch.setattr("pytest_tau.adapters.isolated.LONGEST_OUTPUT", 100_000)
    with pytest.raises(error, match=told):
        played(service, name)


@pytest.mark.parametrize(
    ("name", "reason", "told"),
    [
        (
            "Exits",
            Termination.INFRASTRUCTURE_ERROR,
            "AgentEnded: the process of the agent 'isolated_agents:chosen' has ended with exit status 0 instead of",
        ),
        ("Deaf", Termination.INFRASTRUCTURE_ERROR, "has ended with exit status 1 instead of answering"),
        ("Crashes", Termination.INFRASTRUCTURE_ERROR, "has ended by the signal SIGSEGV instead of answering"),
        ("Provider", Termination.INFRASTRUCTURE_ERROR, "InfraError: ConnectionError: no way there"),
        ("Fault", Termination.AGENT_ERROR, "gave up"),
        ("Framework", Termination.AGENT_ERROR, "MaxTurnsExceeded: 10 (isolated_agents.py:"),
        ("Hangs", Termination.TIMEOUT, "the agent was still answering after the time limit"),
    ],
    ids=["exits", "deaf", "crashes", "provider", "fault", "framework", "hangs"],
)
def test_how_it_ends_is_told_and_its_trial_is_kept(
    service: IsolatedService, name: str, reason: Termination, told: str
) -> None:
    simulation = played(service, name, limits=Limits(timeout=1.0 if name == "Hangs" else 600.0))
    assert simulation.termination_reason is reason
    assert told in (simulation.note or "")
    assert len(simulation.messages) == 2


def test_an_agent_that_cannot_be_closed_is_warned_of(service: IsolatedService) -> None:
    with pytest.warns(UserWarning, match=r"close\(\) of the agent raised PlayerError: .* RuntimeError: not closed"):
        played(service, "Closes")


def test_it_is_closed_though_what_it_has_left_holds_its_socket(
    service: IsolatedService, capfd: pytest.CaptureFixture[str]
) -> None:
    agent, told = service.agent(agent_context(plan="Abandons")), ""

    def ask() -> None:
        with suppress(InfraError):
            asyncio.run(agent.reply([UserMessage(content="Hello?")]))

    asking, closing = (threading.Thread(target=work, daemon=True) for work in (ask, agent.close))
    asking.start()
    while "\n" not in told:
        told += capfd.readouterr().out
    try:
        closing.start()
        closing.join(30)
        assert not closing.is_alive()
        asking.join(30)
        assert not asking.is_alive()
    finally:
        os.kill(int(told), signal.SIGKILL)


def test_pictures_and_notes_go_there_and_back(service: IsolatedService) -> None:
    attached = next(one for one in whole("retail_images") if one.user_scenario.attachments)
    picture = (attached.user_scenario.attachments or [])[0]

    def customer(context: Any) -> Any:
        said = iter([UserMessage(content="Look.", attachments=[picture]), UserMessage(content="Bye. ###STOP###")])
        return lambda messages: next(said)

    simulation = simulate(complete_a_task(), mock(), service.agent, customer, plan="Notes")
    assert first_words(simulation) == f"1 {[(picture.id, len(picture.content))]}"


@pytest.mark.slow  # a process of its own
def test_no_process_and_no_folder_outlives_a_run_that_is_killed(folder: Path) -> None:
    code = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "from pytest_tau.adapters.isolated import IsolatedService\n"
        "from tests.builders import agent_context\n"
        "service = IsolatedService('isolated_agents:chosen')\n"
        "agent = service.agent(agent_context(plan='Hangs'))\n"
        "agent._write({'anew': True, 'messages': []})\n"
        "print(service.process, agent._pid, service._nursery.home, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    *processes, home = done.stdout.split()
    assert (len(processes), done.returncode) == (2, -9)
    until = monotonic() + 60
    while any(is_alive(pid) for pid in processes) and monotonic() < until:
        threading.Event().wait(0.02)
    assert not [pid for pid in processes if is_alive(pid)]
    assert not Path(home).exists()
