"""Many conversations at once in one process, with an agent whose model answers in half a second, over HTTP on loopback.

64 conversations of ten calls, of which 5.0 s would be ideal; and 256, which could make 512 calls a second. The time is
the server's: from the first call to the last answer. Processor time is that of the whole process, less what it takes to
start and to collect; by a call, with tools, grading and the journal in it.

    python benchmarks/run.py many_at_once
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import COMPILED, Result, bare

REPLY, CALLS = 0.5, 10
LIMIT_MS, LIMIT_S, SHARE = 5.0, 5.3, 0.92
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
LOOK = call("get_user", {{"user_id": "user_1"}})
DO = call("update_task_status", {{"task_id": "task_1", "status": "completed"}})
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
            said = sum(message["role"] == "assistant" for message in chat) % {CALLS + 1}
            reply = SAY if said >= {CALLS} else DO if said == {CALLS - 1} else LOOK
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


def cpu(folder: Path, base: str, at_once: int, *more: str) -> float:
    """Seconds of processor time that a run of so many trials takes."""
    command = [sys.executable, "-m", "pytest", *bare(), "-q", "--tau-domain=mock", "--tau-tasks=complete_a_task"]
    command += ["--tau-agent-llm=openai/agent", f"--tau-concurrency={at_once}", f"--tau-k={at_once}", *more]
    known = {**COMPILED, "OPENAI_API_BASE": base, "OPENAI_API_KEY": "sk-benchmark"}
    with (folder / "output").open("w") as output:
        child = subprocess.Popen(command, cwd=folder, env=known, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError((folder / "output").read_text()[-2000:])
    return usage.ru_utime + usage.ru_stime


def measure(at_once: int) -> tuple[float, int, float]:
    """Seconds from the first call to the last answer, the number of calls, and ms of processor time a call."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with server:
            assert server.stdin is not None
            assert server.stdout is not None
            base = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
            spent = cpu(folder, base, at_once) - cpu(folder, base, at_once, "--collect-only")
            server.stdin.close()
            seconds, calls = server.stdout.read().split()
        return float(seconds), int(calls), 1000 * spent / int(calls)


def main() -> None:
    """Print the lines."""
    for at_once in (64, 256):
        seconds, calls, each = measure(at_once)
        note = f"{calls} calls, {json.dumps(os.getloadavg())} load"
        print(Result(f"{at_once} at once, CPU a call", each, LIMIT_MS, "ms", note))
        if at_once == 64:
            print(Result(f"{at_once} at once, ten calls of 0.5 s", seconds, LIMIT_S, "s"))
        else:
            ideal = min(at_once / REPLY, 1000 / each)
            share = calls / seconds / ideal
            print(Result(f"{at_once} at once, ideal ÷ calls a second", 1 / share, 1 / SHARE, "×", f"of {ideal:.0f}"))


if __name__ == "__main__":
    main()
