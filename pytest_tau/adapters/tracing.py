"""The OpenTelemetry trace of a trial, for what its players trace themselves.

The trial's own spans are made when it is over. The ids of its trace follow from the id of its record, which is known
from the beginning. So a player's spans can join the trace while it is played, in this process or elsewhere.
"""

from __future__ import annotations

import sys
from uuid import UUID


def trace_ids(simulation: str) -> tuple[int, int] | None:
    """The ids of the trace of a trial and of its first span; None where the id of the record is no UUID."""
    try:
        number = UUID(simulation).int
    except ValueError:
        return None
    return (number, number >> 64) if number >> 64 else None


def join_trace(session_id: str) -> None:
    """Let what is traced in this context from here on be part of a trial's trace; nothing without OpenTelemetry."""
    try:
        from opentelemetry import context, trace
    except ImportError:  # in a worker, which sends nothing itself
        return
    if (ids := trace_ids(session_id)) is not None:
        around = trace.SpanContext(*ids, is_remote=True, trace_flags=trace.TraceFlags(trace.TraceFlags.SAMPLED))
        context.attach(trace.set_span_in_context(trace.NonRecordingSpan(around)))


def trace_headers() -> dict[str, str]:
    """The headers that hand on the present trace, such as ``traceparent``; none where nobody traces."""
    headers: dict[str, str] = {}
    if "opentelemetry" in sys.modules:
        from opentelemetry import propagate

        propagate.inject(headers)
    return headers
