"""Processor time of one model call in this process, through the client, to a server on loopback that answers at once.

The server has a process of its own, so that its time is not counted.

    python benchmarks/run.py model_calls
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

from benchmarks.measuring import Result

CALLS, AT_ONCE, TURNS = 300, 32, 20
SERVER = """
import asyncio, json
body = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "One moment."}}],
    "usage": {"prompt_tokens": 900, "completion_tokens": 9, "total_tokens": 909}}).encode()
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
async def answer(reader, writer):
    try:
        while True:
            asked = await reader.readuntil(b"\\r\\n\\r\\n")
            length = next(line for line in asked.lower().split(b"\\r\\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            writer.write(head + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionResetError):
        writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def measure() -> float:
    """Milliseconds of processor time a call: retail's tools, its policy and ``TURNS`` messages."""
    from pytest_tau import load_domain
    from pytest_tau.llm.client import LiteLLMClient

    domain = load_domain("retail")
    tools = [tool.schema for tool in domain.environment().tool_specs()]
    said = "This is about order #W5305577 and the things in it, and about what may still be changed. " * 2
    chat = [{"role": "system", "content": domain.policy}]
    chat += [{"role": "user" if n % 2 else "assistant", "content": said} for n in range(TURNS)]
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        base = f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        client = LiteLLMClient("openai/gpt-4.1-mini", {"api_base": base, "api_key": "sk-benchmark"})

        async def many(number: int) -> None:
            slots = asyncio.Semaphore(AT_ONCE)

            async def one() -> None:
                async with slots:
                    await client.complete(chat, tools=tools, seed=1)

            await asyncio.gather(*(one() for _ in range(number)))

        asyncio.run(many(AT_ONCE))  # the first calls import and connect
        began = time.process_time()
        asyncio.run(many(CALLS))
        spent = time.process_time() - began
        server.terminate()
    return 1000 * spent / CALLS


def main() -> None:
    """Print the number and its limit."""
    print(Result("one model call, CPU", measure(), 5.0, "ms"))


if __name__ == "__main__":
    main()
