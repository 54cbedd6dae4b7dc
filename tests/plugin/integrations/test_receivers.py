"""Traces in the programs that people look at them with: a real Phoenix and a real MLflow on loopback.

Those that are not installed are skipped; ``.ci/frameworks phoenix mlflow`` installs them.
"""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.plugin.inner import apart, until

AGENT = """
    from opentelemetry import trace

    class Traces:
        def __init__(self, context):
            self.tools = {tool.name: tool for tool in context.tools}

        def reply(self, messages):
            with trace.get_tracer("framework").start_as_current_span("plan the reply"):
                self.tools["get_users"]()
            return "Goodbye."
"""
PROVIDER = """
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    def pytest_configure():
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
        trace.set_tracer_provider(provider)
"""
OURS = {"tau trial mock/count_my_tasks", "invoke_agent agents:Traces", "execute_tool get_users", "tau customer"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port: int = held.getsockname()[1]
        return port


def asked(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


@contextmanager
def served(command: list[str], up: str, folder: Path, **variables: str) -> Iterator[None]:
    """A server in a process of its own, from the line that says that it is up."""
    process = subprocess.Popen(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if up in line:
                break
        else:
            pytest.fail("".join(said))
        yield
    finally:
        process.terminate()
        process.communicate()


def traced(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    """A run of one trial that is sent there."""
    pytester.makepyfile(agents=AGENT)
    pytester.makeconftest(PROVIDER)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    apart(pytester, "--tau-domain=mock", "--tau-tasks=count_my_tasks", "--tau-agent=agents:Traces", "--tau-otel")


def parents(spans: dict[str, tuple[str, str | None]]) -> dict[str, str | None]:
    """The name above each; ``spans``: name and parent by id."""
    return {name: spans[parent][0] if parent in spans else None for name, parent in spans.values()}


def test_phoenix_shows_a_trial_with_what_its_agent_traced(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec("phoenix") is None:
        pytest.skip("Phoenix is not installed")
    port, grpc = free_port(), free_port()
    settings = {"PHOENIX_PORT": str(port), "PHOENIX_GRPC_PORT": str(grpc), "PHOENIX_HOST": "127.0.0.1"}
    settings |= {"PHOENIX_WORKING_DIR": str(pytester.mkdir("kept")), "PHOENIX_TELEMETRY_ENABLED": "false"}
    with served(["phoenix.server.main", "serve"], "Uvicorn running", pytester.path, **settings):
        url = f"http://127.0.0.1:{port}"
        traced(pytester, monkeypatch, OTEL_EXPORTER_OTLP_ENDPOINT=url)
        spans: list[dict[str, Any]] = []

        def are_there() -> bool:  # they are taken in later
            spans[:] = asked(f"{url}/v1/projects/default/spans?limit=100")["data"]
            return {"plan the reply", "tau grade"} <= {one["name"] for one in spans}

        until(are_there)
    found = {one["context"]["span_id"]: (one["name"], one["parent_id"]) for one in spans}
    kinds = {one["name"]: one["span_kind"] for one in spans}
    assert {name for name, _ in found.values()} >= OURS
    assert (kinds["invoke_agent agents:Traces"], kinds["execute_tool get_users"]) == ("AGENT", "TOOL")
    assert parents(found)["plan the reply"] == "tau trial mock/count_my_tasks"
    assert len({one["context"]["trace_id"] for one in spans}) == 1


def test_mlflow_shows_it_too(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("mlflow") is None:
        pytest.skip("MLflow is not installed")
    client = import_module("mlflow").MlflowClient
    port, kept = free_port(), pytester.mkdir("kept")
    command = ["mlflow", "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    with served([*command, "--backend-store-uri", f"sqlite:///{kept}/mlflow.db"], "Uvicorn running", kept):
        url = f"http://127.0.0.1:{port}"
        prefix = "OTEL_EXPORTER_OTLP_TRACES"
        there = {f"{prefix}_ENDPOINT": f"{url}/v1/traces", f"{prefix}_HEADERS": "x-mlflow-experiment-id=0"}
        traced(pytester, monkeypatch, **there)
        (trace,) = client(tracking_uri=url).search_traces(locations=["0"])
    found = {span.span_id: (span.name, span.parent_id) for span in trace.data.spans}
    assert {name for name, _ in found.values()} >= OURS
    assert parents(found)["plan the reply"] == "tau trial mock/count_my_tasks"
