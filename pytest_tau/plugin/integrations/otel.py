"""Trials as OpenTelemetry traces (``--tau-otel``), for Phoenix, Langfuse, Jaeger and the like.

Where the project has set up a tracer provider, in its conftest.py for example, trials go to that one. Else they are
sent over OTLP/HTTP to where the standard variables (``OTEL_EXPORTER_OTLP_ENDPOINT`` and others) say. Only the process
that prints the report sends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...errors import SettingsError
from ...printable import printable
from ...reports.spans import Span, trial_span

if TYPE_CHECKING:
    from ...reports.run_facts import Fact
    from ...schema.record import TrialRecord

INSTALL = "--tau-otel: needs OpenTelemetry: pip install 'pytest-tau[otel]'"
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_NAME = "pytest-tau"


class OtelTrials:
    """Sends each finished trial; raises SettingsError where OpenTelemetry is not installed.

    Args:
        facts: says how the run's numbers come about, as far as is known when a trial is sent.
    """

    def __init__(self, facts: Callable[[], Sequence[Fact]] = tuple) -> None:
        if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
            raise SettingsError(INSTALL)
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        self._facts = facts
        given = trace.get_tracer_provider()
        self._own: TracerProvider | None = None if isinstance(given, TracerProvider) else _exporting()
        self._tracer = (self._own or given).get_tracer(_NAME)
        self._content = os.environ.get(_CONTENT, "").lower() in ("true", "1", "span_only", "span_and_event")

    def pytest_tau_trial_finished(self, trial: TrialRecord) -> None:
        """Send a trial."""
        span = trial_span(trial, content=self._content, facts=self._facts())
        if span is not None:
            self._send(span, None)

    def _send(self, span: Span, parent: Any) -> None:
        from opentelemetry import context, trace
        from opentelemetry.trace import SpanKind, Status, StatusCode

        around = context.Context() if parent is None else trace.set_span_in_context(parent)
        kind = SpanKind.CLIENT if span.is_call else SpanKind.INTERNAL
        made = self._tracer.start_span(
            span.name, around, kind=kind, attributes=dict(span.attributes), start_time=span.start
        )
        for child in span.children:
            self._send(child, made)
        for name, attributes in span.events:
            made.add_event(name, dict(attributes), timestamp=span.end)
        if span.error is not None:
            made.set_status(Status(StatusCode.ERROR, printable(span.error)))
        made.end(end_time=span.end)

    def pytest_unconfigure(self) -> None:
        """Send what is left."""
        if self._own is not None:
            self._own.shutdown()


def _exporting() -> Any:
    """A provider that sends to where the environment says."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError:
        raise SettingsError(INSTALL) from None
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: _NAME}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
