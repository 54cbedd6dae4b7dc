"""The trace of a trial, as an agent elsewhere is told of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from pytest_tau import simulate
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.adapters.tracing import trace_headers
from tests.adapters.server import competent, complete_a_task, serving
from tests.builders import mock

trace = pytest.importorskip("opentelemetry.trace", reason="pytest-tau[otel] is not installed")
context = pytest.importorskip("opentelemetry.context", reason="pytest-tau[otel] is not installed")
PARENT = f"00-{7:032x}-{9:016x}-01"


@pytest.fixture
def _traced() -> Iterator[None]:
    around = trace.SpanContext(7, 9, is_remote=True, trace_flags=trace.TraceFlags(1))
    token = context.attach(trace.set_span_in_context(trace.NonRecordingSpan(around)))
    yield
    context.detach(token)


@pytest.mark.usefixtures("_traced")
def test_an_agent_at_an_address_is_told_with_each_turn() -> None:
    asked: list[Any] = []

    def answer(request: Any) -> Any:
        asked.append(request)
        return competent(request)

    with serving(answer) as server:
        made = service(f"{server.url}/agent", ServiceSettings())
        simulate(complete_a_task(), mock(), made.agent)
    assert len(asked) > 1
    assert {one.headers["traceparent"] for one in asked} == {PARENT}


def test_where_nobody_traces_nothing_is_sent() -> None:
    assert trace_headers() == {}
