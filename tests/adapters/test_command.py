"""A program as an agent: lines in and out, its environment, its end, and one in Node that calls tools over MCP."""

import io
import json
import os
import shlex
import signal
import sys
import threading
from contextlib import redirect_stdout, suppress
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Simulation, grade, simulate
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.errors import PlayerError, SettingsError
from pytest_tau.schema.simulation import Termination
from tests.adapters.server import complete_a_task, node
from tests.builders import mock

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents" / "node"
LOOP = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    last = asked["messages"][-1]
"""


def command(tmp_path: Path, code: str) -> str:
    file = tmp_path / "agent program.py"
    file.write_text(LOOP + code, encoding="utf-8")
    return f"command:{shlex.join([sys.executable, '-S', str(file)])}"


def played(name: str, **settings: Any) -> Simulation:
    return simulate(complete_a_task(), mock(), service(name, ServiceSettings(**settings)).agent)


def test_it_is_asked_a_line_a_turn_and_its_calls_are_carried_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = """
    print("thinking about", asked["trial"])
    print(json.dumps({"level": "info", "msg": "got a turn"}))
    call = {"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}
    done = {"content": os.environ["TAU_TASK_ID"] + " is done.", "author": "keeper"}
    answer = done if last["role"] == "tool" else {"tool_calls": [call], "cost": 0.5}
    print(json.dumps(answer), flush=True)
    print("thought", file=sys.stderr, flush=True)
"""
    simulation = played(command(tmp_path, code), model="m", parameters={"colour": "red"})
    assert grade(complete_a_task(), simulation, mock()).value == 1.0
    assert "complete_a_task is done." in [message.content for message in simulation.messages]
    assert simulation.messages[2].cost == 0.5  # type: ignore[union-attr]
    assert [getattr(message, "author", None) for message in simulation.messages[2:5]] == [None, None, "keeper"]
    assert simulation.agent_parameters["colour"] == "red"
    printed = capsys.readouterr()
    assert printed.out.startswith('thinking about 1\n{"level": "info", "msg": "got a turn"}\n')
    assert printed.err.startswith("thought\n")


def test_what_it_prints_is_output_of_its_trial_also_after_its_last_answer(tmp_path: Path) -> None:
    code = """
    os.write(1, ("thinking\\n" + json.dumps({"content": "Hm"}) + "\\ndone\\n").encode())
"""
    printed: list[str] = []
    trial: ContextVar[bool] = ContextVar("trial", default=False)

    class Router(io.StringIO):
        def write(self, text: str) -> int:
            printed.append(f"{trial.get()}: {text}")
            return len(text)

    def play() -> None:
        trial.set(True)
        with redirect_stdout(Router()):
            simulate(complete_a_task(), mock(), service(command(tmp_path, code)).agent, limits=Limits(max_steps=3))

    copy_context().run(play)
    assert printed == ["True: thinking\n", "True: done\n"]


def test_what_it_is_told_stands_in_its_environment_and_it_ends_with_its_trial(tmp_path: Path) -> None:
    code = """
    told = {name: os.environ.get(name) for name in ("TAU_POLICY", "TAU_MODEL", "TAU_TRIAL", "TAU_SEED")}
    print(json.dumps({"content": json.dumps({**told, "pid": os.getpid()})}), flush=True)
"""
    simulation = played(command(tmp_path, code), model="m")
    told = json.loads(str(simulation.messages[2].content))
    assert (told["TAU_POLICY"], told["TAU_MODEL"]) == (mock().environment().policy, "m")
    assert (told["TAU_TRIAL"], told["TAU_SEED"]) == ("1", str(simulation.seed))
    assert not Path(f"/proc/{told['pid']}").exists()


def test_one_that_ends_or_answers_nonsense_is_a_bug_that_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlayerError, match=r"has ended with exit status 3 instead of answering: .*no such model"):
        played(command(tmp_path, "    print('no such model', file=sys.stderr); sys.exit(3)"))
    with pytest.raises(PlayerError, match=r'answered \{"content": 1\}; it must be'):
        played(command(tmp_path, "    print(json.dumps({'content': 1}), flush=True)"))


def test_one_that_answers_twice_in_a_turn_is_told_so(tmp_path: Path) -> None:
    """The second answer would be taken for one to what is asked next."""
    code = """
    call = {"name": "get_users", "arguments": {}}
    os.write(1, (2 * (json.dumps({"tool_calls": [call]}) + "\\n")).encode())
"""
    with pytest.raises(
        PlayerError, match=r'an answer that nobody asked for, \{"tool_calls": .*: write one for each line'
    ):
        played(command(tmp_path, code))


def test_one_that_does_not_answer_runs_out_of_time(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    simulation = played(command(tmp_path, "    pass"), parameters={"timeout": 0.02})
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    told = "has not answered in 0.02 s: an answer is one line of JSON with content or tool_calls, and is flushed"
    assert told in str(simulation.note)
    for waiting in set(threading.enumerate()) - before:  # whoever asked it stays no longer than it does
        waiting.join(5)
        assert not waiting.is_alive()


def test_one_that_reads_nothing_of_a_long_request_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "deaf.py"
    file.write_text("import time; time.sleep(600)", encoding="utf-8")
    name = f"command:{shlex.join([sys.executable, '-S', str(file)])}"
    simulation = played(name, parameters={"timeout": 0.5, "notes": "x" * 1_000_000})
    assert "has not answered in 0.5 s" in str(simulation.note)


def test_its_end_waits_for_nobody_who_holds_its_output_in_a_session_of_its_own(tmp_path: Path) -> None:
    code = """
    Popen = __import__("subprocess").Popen
    child = Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True)
    print(json.dumps({"content": str(child.pid)}), flush=True)
"""
    simulation = simulate(complete_a_task(), mock(), service(command(tmp_path, code)).agent, limits=Limits(max_steps=2))
    os.kill(int(str(simulation.messages[2].content)), signal.SIGKILL)  # which nobody has ended
    assert simulation.termination_reason is Termination.MAX_STEPS


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("os.close(1); __import__('time').sleep(600)", "has closed its output instead of answering"),
        ("os.kill(os.getpid(), 15)", "has ended by the signal SIGTERM instead of answering"),
    ],
)
def test_how_one_has_failed_to_answer_is_told(tmp_path: Path, code: str, told: str) -> None:
    with pytest.raises(PlayerError, match=told):
        played(command(tmp_path, f"    {code}"))


def test_a_byte_order_mark_in_front_of_an_answer_is_no_part_of_it(tmp_path: Path) -> None:
    code = """
    os.write(1, b"\\xef\\xbb\\xbf" + json.dumps({"content": "Hm"}).encode() + b"\\r\\n")
"""
    assert played(command(tmp_path, code), parameters={"timeout": 20}).messages[2].content == "Hm"


def test_what_it_has_started_ends_with_it(tmp_path: Path) -> None:
    """As under ``npx`` or ``uv run``: what still runs would hold its output open, and each trial's end would wait."""
    code = """
    child = __import__("subprocess").Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    print(json.dumps({"content": str(child.pid)}), flush=True)
"""
    child = Path(f"/proc/{played(command(tmp_path, code)).messages[2].content}/status")
    with suppress(OSError):  # it is gone
        while "Z (zombie)" not in child.read_text():  # it is killed, and may wait for a processor
            pass


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("command:", "names no program"),
        ("command:'", "No closing quotation"),
        ("command:no-such-program --x", "there is no program 'no-such-program' here"),
    ],
)
def test_what_is_no_command(name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        service(name).check()
    with pytest.raises(SettingsError, match="--tau-agent-protocol: is for an agent behind an address"):
        service(name, ServiceSettings(protocol="simple"))


def test_the_example_in_node_calls_tools_over_mcp() -> None:
    pytest.importorskip("mcp", reason="mcp is not installed: pytest-tau[mcp]")
    simulation = played(f"command:{shlex.join([node(), str(EXAMPLES / 'command_agent.mjs')])}")
    assert grade(complete_a_task(), simulation, mock()).value == 1.0
    assert [message.role for message in simulation.messages].count("tool") == 1
    assert "It is completed" in str(simulation.messages[4].content)


@pytest.mark.parametrize("told", ["a\0b", "a\ud800"])
def test_what_no_environment_holds_is_left_out_of_it(told: str) -> None:
    context = AgentContext(task_id="$(touch pwned)", trial=1, seed=1, policy=told, tools=())
    agent = service(f"command:{shlex.join([sys.executable, '-c', 'input()'])}").agent(context)
    agent.close()
    with pytest.raises(SettingsError, match="names no program"):
        service("command:cat\0x")


def test_one_that_writes_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.adapters.command.LONGEST_OUTPUT", 10_000)
    with pytest.raises(PlayerError, match=r"has written [\d,]+ characters and no answer"):
        played(command(tmp_path, "    while True: sys.stdout.write('x' * 1000)"))
    with pytest.raises(PlayerError, match=r"has written [\d,]+ characters and no answer"):
        played(command(tmp_path, "    while True: print('thinking')"))
    with pytest.raises(PlayerError, match=r"has written [\d,]+ characters and no answer"):
        played(command(tmp_path, "    while True: print('thinking', file=sys.stderr)"))
