"""The processes of an isolated agent from within: what a trial's asks and answers, and how one is begun and ended."""

import base64
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import AgentFault, AssistantMessage, InfraError, ToolCall
from pytest_tau.adapters.seat import _end, _Seat, main
from pytest_tau.errors import ConversationOver, TauError
from tests.builders import whole

HI: dict[str, Any] = {"role": "user", "content": "Hi"}
CONTEXT: dict[str, Any] = {"task_id": "t", "trial": 1, "seed": 1, "policy": "Be kind.", "memory": {}, "roles": {}}
TOOL: dict[str, Any] = {"name": "look", "schema": {}, "writes": False}


class Run:
    """The other end of a seat's line: what asks the agent, and is asked for its tools."""

    def __init__(self, factory: Any, folder: Path) -> None:
        ours, theirs = socket.socketpair()
        ours.settimeout(30)
        self._lines = ours.makefile("rwb")
        self._line = ours
        self._their = _Seat(theirs, factory)
        self._seat = threading.Thread(target=self._their.play, daemon=True)
        theirs.close()
        self.write(folder=str(folder), context={**CONTEXT, "tools": [TOOL]})
        self._seat.start()

    def write(self, **message: Any) -> None:
        """Send a message."""
        self._lines.write(json.dumps(message).encode() + b"\n")
        self._lines.flush()

    def read(self) -> Any:
        """What it sends next."""
        return json.loads(self._lines.readline())

    def ask(self, *messages: dict[str, Any], anew: bool = False, **more: Any) -> Any:
        """What it answers to new messages."""
        self.write(anew=anew, messages=messages, **more)
        return self.read()

    def hang_up(self) -> None:
        """Say that nothing more will come, and wait until it is over."""
        self._line.shutdown(socket.SHUT_WR)
        self._seat.join(30)
        assert not self._seat.is_alive()
        for file in (self._their._lines, self._lines, self._line):
            file.close()  # a seat's own ends with its process


@pytest.fixture
def seated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Run]]:
    """Makes runs, which hang up after the test."""
    monkeypatch.chdir(tmp_path)  # a seat goes into its trial's folder
    runs: list[Run] = []

    def make(factory: Any) -> Run:
        runs.append(Run(factory, tmp_path))
        return runs[-1]

    yield make
    for one in runs:
        one.hang_up()


Seated = Callable[[Any], Run]


class Answers:
    """An agent that answers by a function of its context and the messages."""

    def __init__(self, context: Any, answer: Callable[[Any, list[Any]], Any]) -> None:
        self.context = context
        self._answer = answer
        self.parameters = {"colour": "red"}

    def reply(self, messages: list[Any]) -> Any:
        """What the function says."""
        return self._answer(self.context, messages)


def answering(answer: Callable[[Any, list[Any]], Any]) -> Callable[[Any], Answers]:
    return lambda context: Answers(context, answer)


def raising(error: BaseException) -> Callable[[Any], Answers]:
    def answer(context: Any, messages: list[Any]) -> Any:
        raise error

    return answering(answer)


class TestAReply:
    def test_it_comes_with_the_agents_parameters_and_notes(self, seated: Seated) -> None:
        def answer(context: Any, messages: list[Any]) -> AssistantMessage:
            context.memory["asked"] = len(messages)
            return AssistantMessage(tool_calls=[ToolCall(id="1", name="look", arguments={})], cost=0.25)

        found = seated(answering(answer)).ask(HI)
        assert (found["parameters"], found["memory"]) == ({"colour": "red"}, {"asked": 1})
        assert found["reply"] == {"tool_calls": [{"id": "1", "name": "look", "arguments": {}}], "cost": 0.25}

    def test_messages_are_added_to_those_before_unless_all_come_anew(self, seated: Seated) -> None:
        run = seated(answering(lambda context, messages: " ".join(message.content for message in messages)))
        assert run.ask(HI)["reply"]["content"] == "Hi"
        assert run.ask({**HI, "content": "there"})["reply"]["content"] == "Hi there"
        assert run.ask({**HI, "content": "Bye"}, anew=True)["reply"]["content"] == "Bye"

    def test_what_the_agent_does_to_its_list_of_messages_is_its_own_affair(self, seated: Seated) -> None:
        def answer(context: Any, messages: list[Any]) -> str:
            found = str(len(messages))
            messages.clear()
            return found

        run = seated(answering(answer))
        assert [run.ask(HI)["reply"]["content"] for _ in range(3)] == ["1", "2", "3"]

    def test_an_asynchronous_one_is_waited_for(self, seated: Seated) -> None:
        async def answer(context: Any, messages: list[Any]) -> str:
            return "Hello"

        assert seated(answering(answer)).ask(HI)["reply"]["content"] == "Hello"

    def test_the_agent_is_made_once_and_when_it_is_first_asked(self, seated: Seated) -> None:
        made: list[Any] = []

        def factory(context: Any) -> Any:
            made.append(context)
            return Answers(context, lambda context, messages: "Hello")

        run = seated(factory)
        assert made == []
        run.ask(HI)
        run.ask(HI)
        (context,) = made
        assert (context.policy, [tool.name for tool in context.tools]) == ("Be kind.", ["look"])

    def test_pictures_have_their_bytes(self, seated: Seated) -> None:
        (picture,) = [one for task in whole("retail_images") for one in task.user_scenario.attachments or ()][:1]
        told = {**picture.model_dump(mode="json"), "data": base64.b64encode(picture.content).decode()}
        run = seated(answering(lambda context, messages: str(len(messages[-1].attachments[0].content))))
        assert run.ask({**HI, "attachments": [told]})["reply"]["content"] == str(len(picture.content))


class TestWhatAnAgentRaises:
    @pytest.mark.parametrize(
        ("error", "kind", "text"),
        [
            (AgentFault("gave up"), "AgentFault", "gave up"),
            (InfraError("down"), "InfraError", "down"),
            (ConnectionError("no way there"), "InfraError", "ConnectionError: no way there (test_seat.py:"),
            (ValueError("a bug"), "", "ValueError: a bug (test_seat.py:"),
            (SystemExit(3), "", "SystemExit: 3 (test_seat.py:"),
        ],
        ids=["a fault", "its provider's", "a connection's", "a bug", "an exit"],
    )
    def test_it_is_told_as_what_it_is_and_the_agent_is_asked_again(
        self, seated: Seated, error: BaseException, kind: str, text: str
    ) -> None:
        run = seated(raising(error))
        for _ in range(2):
            told = run.ask(HI)["error"]
            assert told["kind"] == kind
            assert told["text"].startswith(text)

    def test_a_factory_that_fails_is_told_as_well(self, seated: Seated) -> None:
        def factory(context: Any) -> Any:
            raise KeyError("policy")

        assert seated(factory).ask(HI)["error"]["text"].startswith("KeyError: ")

    def test_its_traceback_is_output_but_a_fault_has_none(
        self, seated: Seated, capsys: pytest.CaptureFixture[str]
    ) -> None:
        seated(raising(AgentFault("gave up"))).ask(HI)
        assert capsys.readouterr().err == ""
        seated(raising(ValueError("a bug"))).ask(HI)
        assert "Traceback" in capsys.readouterr().err


class TestWhatAnAgentAsksFor:
    def test_a_tool_runs_at_the_other_end(self, seated: Seated) -> None:
        run = seated(answering(lambda context, messages: context.tools[0](order_id="O1")))
        assert run.ask(HI) == {"id": 1, "call": "look", "arguments": {"order_id": "O1"}}
        run.write(id=1, result="pending")
        assert run.read()["reply"]["content"] == "pending"

    @pytest.mark.parametrize(
        ("kind", "error"), [("ConversationOver", ConversationOver), ("AgentFault", AgentFault), ("OSError", TauError)]
    )
    def test_what_is_raised_there_is_raised_here(self, seated: Seated, kind: str, error: type[Exception]) -> None:
        raised: list[Exception] = []

        def answer(context: Any, messages: list[Any]) -> str:
            try:
                return str(context.tools[0]())
            except Exception as error:
                raised.append(error)
                return "Hello"

        run = seated(answering(answer))
        run.ask(HI)
        run.write(id=1, error=[kind, "it is over"])
        run.read()
        assert [(type(one), str(one)) for one in raised] == [(error, "it is over")]

    def test_arguments_that_json_cannot_hold_are_the_agents_fault(self, seated: Seated) -> None:
        endless: list[Any] = []
        endless.append(endless)
        told = seated(answering(lambda context, messages: context.tools[0](ids=endless))).ask(HI)["error"]
        assert (told["kind"], told["text"][:41]) == ("AgentFault", "look was called with arguments that JSON ")

    def test_the_addresses_and_who_speaks_are_asked_for_when_they_are_needed(self, seated: Seated) -> None:
        def answer(context: Any, messages: list[Any]) -> str:
            context.speaks_as("triage", "a change")
            return f"{context.endpoint} {context.mcp}"

        run = seated(answering(answer))
        assert run.ask(HI) == {"id": 1, "speaks": ["triage", "a change"]}
        for number, question, result in ((2, "endpoint", None), (3, "mcp", "http://a")):
            run.write(id=number - 1, result=result)
            assert run.read() == {"id": number, "need": question}
        run.write(id=3, result="http://b")
        assert run.read()["reply"]["content"] == "http://a http://b"

    def test_who_waits_for_a_run_that_is_gone_is_told_that_it_is_over(self, seated: Seated) -> None:
        run = seated(answering(lambda context, messages: context.tools[0]()))
        run.ask(HI)
        run._line.shutdown(socket.SHUT_WR)
        assert run.read()["error"] == {"kind": "ConversationOver", "text": "the trial is over"}


class TestTheEnd:
    def test_an_agent_that_can_be_closed_is(self, seated: Seated) -> None:
        closed: list[str] = []

        class Closes(Answers):
            def close(self) -> None:
                closed.append("closed")

        run = seated(lambda context: Closes(context, lambda context, messages: "Hello"))
        run.ask(HI)
        assert run.ask(close=True) == {"closed": True}
        assert closed == ["closed"]
        assert seated(answering(lambda context, messages: "Hello")).ask(close=True) == {"closed": True}

    def test_one_that_can_take_up_a_conversation_does(self, seated: Seated) -> None:
        resumed: list[tuple[int, int]] = []

        class Resumes(Answers):
            def resume(self, messages: list[Any], begin: int) -> None:
                resumed.append((len(messages), begin))

        run = seated(lambda context: Resumes(context, lambda context, messages: str(len(messages))))
        assert run.ask(HI, HI, resume=1) == {"resumed": True}
        assert resumed == [(2, 1)]
        assert run.ask(HI)["reply"]["content"] == "3"


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # it ends with its process
class TestTheProcessThatForks:
    def begun(self, name: str, home: Path) -> Any:
        """What it says first to somebody who asks for nothing."""
        ours, theirs = socket.socketpair()
        with ours:
            ours.shutdown(socket.SHUT_WR)
            main(theirs.detach(), name, [], str(home))
            gc.unfreeze()
            return json.loads(ours.makefile("rb").readline())

    @pytest.mark.parametrize(
        ("code", "told"),
        [
            ("", "AttributeError: module 'seat_agent' has no attribute 'Agent'"),
            ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
            ("raise SystemExit(0)", "SystemExit: 0"),
            ("class One:\n    reply = print\nAgent = One()", "is one object for all trials"),
        ],
        ids=["no such name", "no such module", "an exit", "no factory"],
    )
    def test_what_cannot_be_imported_is_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, told: str
    ) -> None:
        (tmp_path / "seat_agent.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        refused = self.begun("seat_agent:Agent", tmp_path / "home")["refused"]
        sys.modules.pop("seat_agent", None)
        assert "the agent 'seat_agent:Agent'" in refused
        assert told in refused

    def test_when_nobody_asks_any_more_its_folder_goes(self, tmp_path: Path) -> None:
        home = tmp_path / "home"
        (home / "trial").mkdir(parents=True)
        told = self.begun("tests.builders:agent_context", home)
        assert told == {"forks": threading.active_count() == 1}
        assert not home.exists()


class TestEndingAProcess:
    def begun(self, command: str) -> int:
        return os.posix_spawn("/bin/sh", ["sh", "-c", command], os.environ, setsid=True)

    def test_one_that_is_about_to_end_is_left_to_it(self) -> None:
        assert _end(self.begun("exit 3"), 30.0) == 3

    def test_one_that_goes_on_is_killed(self) -> None:
        assert _end(self.begun("sleep 1000")) == -signal.SIGKILL

    def test_what_it_has_started_ends_with_it(self) -> None:
        read, write = os.pipe()
        pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", "sleep 1000 & echo on >&3; exit 0"],
            os.environ,
            setsid=True,
            file_actions=[(os.POSIX_SPAWN_DUP2, write, 3)],
        )
        os.close(write)
        with os.fdopen(read) as stream:
            assert stream.readline() == "on\n"
            assert _end(pid, 30.0) == 0
            # It ends as soon as nobody is left who could write.
            assert select.select([stream], [], [], 30)[0] == [stream]
            assert stream.read() == ""
