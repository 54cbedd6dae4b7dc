"""``--tau-otel``: spans arrive at a collector on loopback, nested, one trace a trial."""

import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.options.usage import refused
from tests.plugin.inner import mock_run


def test_trials_are_traces_at_a_collector(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol: Any = pytest.importorskip(
        "opentelemetry.proto.collector.trace.v1.trace_service_pb2", reason="pytest-tau[otel] is not installed"
    )
    for name in ("opentelemetry.exporter.otlp.proto.http.trace_exporter", "opentelemetry.sdk.trace.export"):
        pytest.importorskip(name)
    received: list[Any] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            import gzip

            body = self.rfile.read(int(self.headers["Content-Length"]))
            body = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
            received.append(protocol.ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    try:
        mock_run(pytester, "--tau-tasks=complete_a_task", "--tau-k=2", "--tau-otel").assert_outcomes(passed=2)
    finally:
        server.shutdown()
        server.server_close()
    resources = [one for request in received for one in request.resource_spans]
    spans = [span for one in resources for scope in one.scope_spans for span in scope.spans]
    assert {a.value.string_value for one in resources for a in one.resource.attributes if a.key == "service.name"} == {
        "pytest-tau"
    }
    by_id = {span.span_id: span for span in spans}
    roots = [span for span in spans if not span.parent_span_id]
    assert [root.name for root in roots] == ["tau trial mock/complete_a_task"] * 2
    assert len({span.trace_id for span in spans}) == 2
    for span in spans:
        if span.parent_span_id:
            parent = by_id[span.parent_span_id]
            assert parent.trace_id == span.trace_id
            assert parent.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= parent.end_time_unix_nano
    names = Counter(span.name for span in spans)
    assert names["execute_tool update_task_status"] == 2
    assert names["tau grade"] == 2
    [tool] = {by_id[span.parent_span_id].name for span in spans if span.name.startswith("execute_tool")}
    assert tool == "invoke_agent oracle"


def test_without_opentelemetry_it_is_refused(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.plugin.integrations.otel.find_spec", lambda name: None)
    told = refused(pytester, "--tau-domain=mock", "--tau-otel")
    told.fnmatch_lines(["ERROR: --tau-otel: needs OpenTelemetry: pip install 'pytest-tau[[]otel]'"])
