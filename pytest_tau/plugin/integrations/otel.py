"""Trials as OpenTelemetry traces (``--tau-otel``), for Phoenix, Langfuse, Jaeger and the like.

Where the project has set up a tracer provider, in its conftest.py for example, trials go to that one. Else they are
sent over OTLP/HTTP to where the standard variables (``OTEL_EXPORTER_OTLP_ENDPOINT`` and others) say. Only the process
that prints the report sends.

The ids of a trial's trace are known while it is played. Its players' own spans, of the framework of an agent or of what
answers at an address, become children of the trial's span.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from ...adapters.tracing import trace_ids
from ...errors import SettingsError
from ...printable import printable
from ...reports.spans import Span, trial_span

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from ...reports.run_facts import Fact
    from ...schema.record import TrialRecord

INSTALL = "--tau-otel: needs OpenTelemetry: pip install 'pytest-tau[otel]'"
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_NAME = "pytest-tau"


class _Ids:
    """Gives out ids: once those that have been set, else those of another generator, such as the project's own."""

    def __init__(self, others: Any) -> None:
        self._others = others
        self.next_trace = self.next_span = 0

    def generate_trace_id(self) -> int:
        """For a span without a parent."""
        given, self.next_trace = self.next_trace, 0
        return given or int(self._others.generate_trace_id())

    def generate_span_id(self) -> int:
        """For any span."""
        given, self.next_span = self.next_span, 0
        return given or int(self._others.generate_span_id())

    def __getattr__(self, name: str) -> Any:
        """What newer releases of the SDK ask besides."""
        return getattr(self._others, name)


class OtelTrials:
    """Sends each finished trial; raises SettingsError where OpenTelemetry is not installed.

    Args:
        facts: says how the run's numbers come about, as far as is known when a trial is sent.
    """

    def __init__(self, facts: Callable[[], Sequence[Fact]] = tuple) -> None:
        if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
            raise SettingsError(INSTALL)
        self._facts = facts
        self._own: TracerProvider | None = None
        self._content = os.environ.get(_CONTENT, "").lower() in ("true", "1", "span_only", "span_and_event")

    def pytest_sessionstart(self) -> None:
        """Find out where to send them, when a conftest.py has set up what it wants; raises UsageError if nowhere."""
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        given: Any = trace.get_tracer_provider()
        if not isinstance(given, TracerProvider):
            given = self._own = _exporting()
        self._tracer = given.get_tracer(_NAME)
        # With OTEL_SDK_DISABLED the tracer does nothing, and has none to give out ids.
        self._ids = self._tracer.id_generator = _Ids(getattr(self._tracer, "id_generator", None))

    def pytest_tau_trial_finished(self, trial: TrialRecord) -> None:
        """Send a trial."""
        span = trial_span(trial, content=self._content, facts=self._facts())
        if span is not None and trial.simulation is not None:
            self._ids.next_trace, self._ids.next_span = trace_ids(trial.simulation.id) or (0, 0)
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
        raise pytest.UsageError(INSTALL) from None
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: _NAME}
    provider = TracerProvider(resource=Resource.create(named), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
