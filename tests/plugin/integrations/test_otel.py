"""Trials as traces: whose provider they go to, what a span bears, and when they are sent."""

import itertools
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from pytest_tau import grade, simulate
from pytest_tau.errors import SettingsError
from pytest_tau.plugin.integrations import otel
from pytest_tau.plugin.integrations.otel import INSTALL, OtelTrials
from pytest_tau.reports.run_facts import Fact
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import core, mock
from tests.plugin.inner import apart

trace = pytest.importorskip("opentelemetry.trace", reason="pytest-tau[otel] is not installed")
sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="pytest-tau[otel] is not installed")
export = pytest.importorskip("opentelemetry.sdk.trace.export", reason="pytest-tau[otel] is not installed")
memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
TASK = next(task for task in core("mock") if task.id == "count_my_tasks")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def record(**fields: Any) -> TrialRecord:
    simulation = simulate(TASK, mock())
    known = {"reward": grade(TASK, simulation, mock()), "simulation": simulation, "outcome": Outcome.PASSED}
    return TrialRecord(nodeid="x", domain="mock", task_id=TASK.id, trial=1, **{**known, **fields})


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a project's own provider has been sent."""
    exporter, provider = memory.InMemorySpanExporter(), sdk.TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.delenv(CONTENT, raising=False)
    return exporter


def trials(facts: Sequence[Fact] = ()) -> OtelTrials:
    sender = OtelTrials(lambda: facts)
    sender.pytest_sessionstart()
    return sender


def spans(sent: Any) -> dict[str, Any]:
    """The last of each name."""
    return {span.name: span for span in sent.get_finished_spans()}


def test_trials_go_to_the_provider_that_the_project_has_set_up_and_which_stays_open(sent: Any) -> None:
    sender = trials()
    sender.pytest_tau_trial_finished(record())
    sender.pytest_unconfigure()
    sender.pytest_tau_trial_finished(record())
    roots = [span for span in sent.get_finished_spans() if span.parent is None]
    assert [root.name for root in roots] == ["tau trial mock/count_my_tasks"] * 2
    assert len({root.context.trace_id for root in roots}) == 2


def test_where_the_sdk_is_switched_off_nothing_is_sent(sent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    off = sdk.TracerProvider(shutdown_on_exit=False)
    off.add_span_processor(export.SimpleSpanProcessor(sent))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: off)
    trials().pytest_tau_trial_finished(record())
    assert not sent.get_finished_spans()


def test_other_spans_have_the_ids_that_the_project_gives_out(sent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = itertools.count(1)
    monkeypatch.setattr(trace.get_tracer_provider().id_generator, "generate_span_id", lambda: next(numbers))
    made = record()
    trials().pytest_tau_trial_finished(made)
    (root,) = [span for span in sent.get_finished_spans() if span.parent is None]
    others = sorted(span.context.span_id for span in sent.get_finished_spans() if span is not root)
    assert others == list(range(1, len(others) + 1))
    assert made.simulation is not None
    assert f"{root.context.trace_id:032x}" == made.simulation.id.replace("-", "")


def test_a_trial_says_how_the_runs_numbers_come_about(sent: Any) -> None:
    trials([("agent", "mine:Agent"), ("user seeds", "2")]).pytest_tau_trial_finished(record())
    (root,) = [span for span in sent.get_finished_spans() if span.parent is None]
    assert (root.attributes["tau.run.agent"], root.attributes["tau.run.user_seeds"]) == ("mine:Agent", "2")


def test_each_trial_is_a_trace_of_its_own_though_a_span_is_open_around_it(sent: Any) -> None:
    around = trace.get_tracer_provider().get_tracer("the test's own")
    with around.start_as_current_span("session"):
        trials().pytest_tau_trial_finished(record())
    found = spans(sent)
    assert found["tau trial mock/count_my_tasks"].parent is None


def test_spans_lie_in_one_another_with_their_own_times(sent: Any) -> None:
    trials().pytest_tau_trial_finished(record())
    by_id = {span.context.span_id: span for span in sent.get_finished_spans()}
    call = spans(sent)["execute_tool get_users"]
    turn = by_id[call.parent.span_id]
    root = by_id[turn.parent.span_id]
    assert (turn.name, root.name) == ("invoke_agent oracle", "tau trial mock/count_my_tasks")
    assert root.start_time <= turn.start_time <= call.start_time <= call.end_time <= turn.end_time <= root.end_time


def test_a_grade_has_an_event_for_each_criterion(sent: Any) -> None:
    made = record()
    trials().pytest_tau_trial_finished(made)
    assert made.reward is not None
    grading = spans(sent)["tau grade"]
    assert len(grading.events) == len(made.reward.results)
    assert all(event.timestamp == grading.end_time for event in grading.events)


def test_what_was_said_is_sent_only_when_it_is_asked_for(sent: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def words() -> str:
        return "".join(span.to_json() for span in sent.get_finished_spans())

    trials().pytest_tau_trial_finished(record())
    assert "Nadia Brandt" not in words()
    monkeypatch.setenv(CONTENT, "SPAN_ONLY")
    trials().pytest_tau_trial_finished(record())
    assert "Nadia Brandt" in words()


def test_an_error_is_a_status_in_which_nothing_is_hidden(sent: Any) -> None:
    trials().pytest_tau_trial_finished(record(reward=None, outcome=Outcome.ERROR, note="no \x1b[31mred\x1b[0m idea"))
    failed = [span for span in sent.get_finished_spans() if span.status.status_code is trace.StatusCode.ERROR]
    assert [span.name for span in failed] == ["tau trial mock/count_my_tasks"]
    assert "red" in str(failed[0].status.description)
    assert "\x1b" not in str(failed[0].status.description)


def test_one_that_was_not_played_is_nothing_to_send(sent: Any) -> None:
    trials().pytest_tau_trial_finished(record(simulation=None, reward=None, outcome=Outcome.INFRA_ERROR))
    assert sent.get_finished_spans() == ()


def test_without_a_provider_it_sends_where_the_environment_says_and_ends_with_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    monkeypatch.setattr(trace, "get_tracer_provider", trace.ProxyTracerProvider)
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    before = {*threading.enumerate()}
    sender = trials()
    assert sender._own is not None
    assert sender._own.resource.attributes["service.name"] == "pytest-tau"
    sender.pytest_unconfigure()
    assert before.issuperset(threading.enumerate())
    monkeypatch.setenv("OTEL_SERVICE_NAME", "ours")
    named = trials()
    assert named._own is not None
    assert named._own.resource.attributes["service.name"] == "ours"
    named.pytest_unconfigure()


@pytest.mark.parametrize("missing", ["opentelemetry", "opentelemetry.sdk"])
def test_without_opentelemetry_it_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otel, "find_spec", lambda name: None if name == missing else "found")
    with pytest.raises(SettingsError) as refused:
        OtelTrials()
    assert str(refused.value) == INSTALL


TRACED = {
    "conftest": """
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

        def pytest_configure():
            provider = TracerProvider(shutdown_on_exit=False)
            line = lambda span: span.to_json(indent=None) + "\\n"
            out = open("spans.jsonl", "a", buffering=1)
            provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=out, formatter=line)))
            trace.set_tracer_provider(provider)
    """,
    "agents": """
        from opentelemetry import trace

        class Plain:
            def __init__(self, context):
                self.session = context.session_id
                self.traced("is made")

            def traced(self, name):
                with trace.get_tracer("framework").start_as_current_span(name) as span:
                    span.set_attribute("session", self.session)

            def reply(self, messages):
                self.traced("answers")
                return "Goodbye."

        class Async(Plain):
            async def reply(self, messages):
                return super().reply(messages)
    """,
}


@pytest.mark.parametrize(
    "options", [["Plain", "--tau-concurrency=1"], ["Async"], pytest.param(["Plain", "-n2"], marks=pytest.mark.slow)]
)
def test_what_an_agents_framework_traces_is_part_of_its_trial(pytester: pytest.Pytester, options: list[str]) -> None:
    pytester.makeconftest(TRACED["conftest"])
    pytester.makepyfile(agents=TRACED["agents"])
    agent, *more = options
    apart(pytester, "--tau-domain=mock", "--tau-otel", f"--tau-agent=agents:{agent}", *more)
    found = [json.loads(line) for line in (pytester.path / "spans.jsonl").read_text(encoding="utf-8").splitlines()]
    roots = {span["context"]["trace_id"]: span["context"]["span_id"] for span in found if span["parent_id"] is None}
    theirs = [span for span in found if "session" in span["attributes"]]
    assert {span["name"] for span in theirs} == {"is made", "answers"}
    assert len(roots) == 6
    assert {span["context"]["trace_id"]: span["parent_id"] for span in theirs} == roots
    assert all(span["context"]["trace_id"] == "0x" + span["attributes"]["session"] for span in theirs)


def test_of_a_record_of_other_programs_the_ids_are_made_by_chance(sent: Any) -> None:
    simulation = simulate(TASK, mock()).model_copy(update={"id": "17"})
    for _ in range(2):
        trials().pytest_tau_trial_finished(record(simulation=simulation))
    roots = [span for span in sent.get_finished_spans() if span.parent is None]
    assert len({root.context.trace_id for root in roots}) == len({root.context.span_id for root in roots}) == 2
