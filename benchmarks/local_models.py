"""What the benchmarks with models share: our own example server, and a run of pytest against it in two processes."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "local_model" / "serve.py"
KEY = "sk-benchmark-0123456789abcdef"


@contextmanager
def serving(*options: str) -> Iterator[Any]:
    """The example server on a free port, with the retail tasks."""
    spec = importlib.util.spec_from_file_location("local_model_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with example.make_server([str(ROOT / "tasks" / "retail"), "--port", "0", *options]) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def play(server: Any, folder: Path, options: Sequence[str]) -> str:
    """Two workers play retail with both models of the server, from a folder of their own; what they printed."""
    models = ["--tau-agent-llm", "openai/agent", "--tau-user-llm", "openai/user"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--tau-domain", "retail", *models, "-n", "2", "-q", *options],
        cwd=folder,
        env={**os.environ, "OPENAI_API_BASE": server.url, "OPENAI_API_KEY": KEY},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr
