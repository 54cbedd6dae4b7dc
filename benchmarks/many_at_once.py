"""Many conversations at once in one process, with an agent whose model answers in half a second, over HTTP on loopback.

64 conversations of ten calls, of which 5.0 s would be ideal; and 256, which could make 512 calls a second: of mock, and
of public retail, whose requests have 23 kB and more. The time is the server's: from the first call to the last answer.
Processor time is that of the whole process, less that of one conversation by itself, in which all is that is done once:
to start, to collect, to import. It is told by a call, with tools, grading and the journal in it.

    python benchmarks/run.py many_at_once
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.measuring import COMPILED, Result, bare, public_data
from pytest_tau import load_domain, load_tasks

REPLY, CALLS = 0.5, 10
LIMIT_MS, LIMIT_S, SHARE = 2.0, 5.3, 0.92
DONE: dict[str, object] = {"task_id": "task_1", "status": "completed"}
Steps = list[tuple[str, dict[str, object]]]
SERVER = f"""
import asyncio, json, resource, sys, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
def body(message):
    choice = {{"index": 0, "finish_reason": "stop", "message": {{"role": "assistant", **message}}}}
    usage = {{"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}}
    return json.dumps({{"id": "x", "object": "chat.completion", "created": 1, "model": "m",
                        "choices": [choice], "usage": usage}}).encode()
def call(name, arguments):
    function = {{"name": name, "arguments": json.dumps(arguments)}}
    return body({{"content": None, "tool_calls": [{{"id": "c", "type": "function", "function": function}}]}})
STEPS = [call(name, arguments) for name, arguments in json.loads(sys.argv[1])]
SAY = body({{"content": "It is done."}})
first, last, calls = 0.0, 0.0, 0
async def answer(reader, writer):
    global first, last, calls
    try:
        while True:
            asked = await reader.readuntil(b"\\r\\n\\r\\n")
            length = next(line for line in asked.lower().split(b"\\r\\n") if line.startswith(b"content-length:"))
            chat = json.loads(await reader.readexactly(int(length.split(b":")[1])))["messages"]
            first = first or time.monotonic()
            calls += 1
            await asyncio.sleep({REPLY})
            said = sum(message["role"] == "assistant" for message in chat) % (len(STEPS) + 1)
            reply = STEPS[said] if said < len(STEPS) else SAY
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n")
            writer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(reply) + reply)
            await writer.drain()
            last = time.monotonic()
    except (asyncio.IncompleteReadError, ConnectionResetError):
        writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    print(last - first, calls, flush=True)
asyncio.run(main())
"""


def mock() -> tuple[list[str], Steps]:
    """What is played, and the calls of the agent: one record again and again, then the change."""
    look: Steps = [("get_user", {"user_id": "user_1"})] * (CALLS - 1)
    return ["--tau-domain=mock", "--tau-tasks=complete_a_task"], [*look, ("update_task_status", DONE)]


def retail(data: Path) -> tuple[list[str], Steps]:
    """The same of public retail: products, then what the task wants."""
    domain, task = load_domain("retail", data=data), load_tasks("retail", data=data)[0]
    assert task.evaluation_criteria is not None
    wanted: Steps = [(one.name, one.arguments) for one in task.evaluation_criteria.actions or []]
    products = domain.environment(task).dump()["agent"]["products"]
    looks: Steps = [("get_product_details", {"product_id": id}) for id in products]
    played = [f"--tau-data={data}", "--tau-domain=retail", f"--tau-tasks=id:{task.id}"]
    return played, [*looks[: CALLS - len(wanted)], *wanted]


class Run(NamedTuple):
    """Seconds from the first call to the last answer, how many calls there were, and seconds of processor time."""

    seconds: float
    calls: int
    cpu: float


def cpu(folder: Path, base: str, played: list[str], at_once: int) -> float:
    """Seconds of processor time that a run of so many trials takes."""
    command = [sys.executable, "-m", "pytest", *bare(), "-q", *played, "--tau-agent-llm=openai/agent"]
    command += [f"--tau-concurrency={at_once}", f"--tau-k={at_once}"]
    known = {**COMPILED, "OPENAI_API_BASE": base, "OPENAI_API_KEY": "sk-benchmark"}
    with (folder / "output").open("w") as output:
        child = subprocess.Popen(command, cwd=folder, env=known, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError((folder / "output").read_text()[-2000:])
    return usage.ru_utime + usage.ru_stime


def measure(at_once: int, played: list[str], steps: Steps) -> Run:
    """Play so many trials side by side."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        command = [sys.executable, "-c", SERVER, json.dumps(steps)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            spent = cpu(folder, f"http://127.0.0.1:{int(server.stdout.readline())}/v1", played, at_once)
            server.stdin.close()
            seconds, calls = server.stdout.read().split()
        return Run(float(seconds), int(calls), spent)


def each_call(run: Run, alone: Run) -> tuple[float, str]:
    """Milliseconds of processor time that a call takes beyond one conversation alone, and what was measured."""
    calls = run.calls - alone.calls
    return 1000 * (run.cpu - alone.cpu) / calls, f"{calls} calls, {json.dumps(os.getloadavg())} load"


def main() -> None:
    """Print the lines."""
    data, alone = public_data(), measure(1, *mock())
    run = measure(64, *mock())
    each, note = each_call(run, alone)
    print(Result("64 at once, CPU a call", each, LIMIT_MS, "ms", note))
    print(Result("64 at once, ten calls of 0.5 s", run.seconds, LIMIT_S, "s"))
    for what, (played, steps) in {"mock": mock(), **({"retail": retail(data)} if data else {})}.items():
        run = measure(256, played, steps)
        each, note = each_call(run, alone if what == "mock" else measure(1, played, steps))
        print(Result(f"256 at once, {what}, CPU a call", each, LIMIT_MS, "ms", note))
        share = run.calls / run.seconds / (256 / REPLY)
        print(Result(f"256 at once, {what}, ideal ÷ calls a second", 1 / share, 1 / SHARE, "×", f"{run.seconds:.2f} s"))


if __name__ == "__main__":
    main()
