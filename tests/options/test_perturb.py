"""``--tau-perturb``: each task as it is and once more under each kind, as tests of their own."""

import json
from collections.abc import Callable

import pytest

from pytest_tau import load_domain
from pytest_tau.journal import read_trials
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.record import Variant
from tests.llm.server import says as model_says
from tests.options.models import Serve
from tests.options.usage import refused
from tests.plugin.inner import example, journal, mock_run
from tests.plugin.parts import mock_play, play


def test_variants_are_tests_rows_and_records_of_their_own(pytester: pytest.Pytester) -> None:
    result = mock_run(
        pytester,
        "--tau-tasks=add_a_task,delete_a_task",
        "--tau-k=2",
        "--tau-agent=oracle",
        "--tau-perturb=typos:0.8,tool_names",
        "--tau-gate=robust(typos) >= 0.95",
        "--tau-gate=flip <= 0.05",
        "--tau-gate=pass^2 >= 1",
        "--tau-gate=mock, tool_names: pass^1 >= 1",
        "--tau-export=stats:stats.json",
        "--tau-html=report.html",
        "--tau-markdown=report.md",
        "-v",
    )
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines(
        [
            "*::test_task?typos:0.8-trial2? PASSED*",
            "| mock *|*4 |*100.0 %*",
            "| variant *| tasks |*pass^1 |*pass^2 |*difference*",
            "| tool_names *",
            "| typos:0.8 *100.0 → 100.0 %*",
            "No variant is shown to do worse than its tasks as they are.",
            "gate robust(typos) >= 0.95: HELD: robust(typos) is 100.0 % over 2 tasks*",
            "gate flip <= 0.05: HELD: flip is 0.0 % over 2 variants of 2 tasks*",
            "gate pass^2 >= 1: HELD: *2 of 2 tasks solved in both conversations*",
            "gate mock, tool_names: pass^1 >= 1: HELD: *",
        ]
    )
    labels = [record.variant.label if record.variant else "" for record in journal(pytester.path)]
    assert sorted(set(labels)) == ["", "tool_names", "typos:0.8"]
    told = next(record.variant for record in journal(pytester.path) if record.variant)
    assert told == Variant(label="typos:0.8", told="typos:0.8", strength=0.8, seed=300)
    assert "### Robustness" in (pytester.path / "report.md").read_text(encoding="utf-8")
    assert "Robustness" in (pytester.path / "report.html").read_text(encoding="utf-8")
    stats = json.loads((pytester.path / "stats.json").read_text(encoding="utf-8"))
    assert [one["label"] for one in stats["robustness"]["variants"]] == ["tool_names", "typos:0.8"]
    assert stats["rows"]["all"]["tasks"] == 2
    true = {tool.name for tool in load_domain("mock").environment().tool_specs()}
    for record in journal(pytester.path):
        if record.variant is not None and record.variant.label == "tool_names" and record.simulation is not None:
            said = [m for m in record.simulation.messages if isinstance(m, AssistantMessage)]
            calls = {call.name for message in said for call in message.tool_calls or []}
            assert calls <= true

    again = mock_play(
        pytester,
        "--tau-tasks=add_a_task,delete_a_task",
        "--tau-k=2",
        "--tau-agent=oracle",
        "--tau-perturb=typos:0.8,tool_names",
        "--tau-resume",
    )
    again.stdout.fnmatch_lines(["*12 trials are done*", "| typos:0.8 *"])
    again.assert_outcomes(deselected=12)


def test_a_test_of_a_variant_runs_alone_and_a_weakness_shows(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_perturbations"))
    result = play(
        pytester, "tau/mock/add_a_task.json::test_task[shouted-trial1]", "--tau-perturb=shouted", "-p", "no:randomly"
    )
    result.assert_outcomes(passed=1)
    (record,) = read_trials(pytester.path / ".tau" / "latest")
    assert "PLEASE HURRY!" in record["simulation"]["messages"][1]["content"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--tau-perturb=typo"], "there is no perturbation 'typo': use all, or some of reworded, *"),
        (["--tau-perturb=typos:7"], "perturbation 'typos:7': its strength must be a number from 0 to 1, *"),
        (
            ["--tau-perturb=typos,told"],
            "--tau-perturb told: the tasks of this run have nothing that it changes; leave it out, or name other tasks",
        ),
    ],
)
def test_what_cannot_be_is_refused(pytester: pytest.Pytester, arguments: list[str], said: str) -> None:
    refused(pytester, "--tau-domain=mock", *arguments).fnmatch_lines([f"ERROR: {said}"])


def test_baselines_exports_and_rescoring_know_variants(pytester: pytest.Pytester) -> None:
    arguments = (
        "--tau-tasks=complete_a_task,delete_a_task",
        "--tau-k=2",
        "--tau-agent=oracle",
        "--tau-baseline=b.json",
    )
    mock_play(pytester, *arguments, "--tau-perturb=typos,rude", "--tau-bless", "--tau-export=tau2:runs.json")
    baseline = json.loads((pytester.path / "b.json").read_text(encoding="utf-8"))
    assert baseline["kinds"] == ["typos", "rude"]
    assert len(baseline["tasks"]) == 6
    assert len(json.loads((pytester.path / "runs.json").read_text(encoding="utf-8"))["simulations"]) == 4

    gates = ("--tau-gate=no regression within 0.9", "--tau-gate=mock, typos: no regression within 0.9")
    again = mock_play(pytester, *arguments, "--tau-perturb=typos", *gates)
    again.stdout.fnmatch_lines(
        ["gate no regression *: *over 2 common tasks*", "gate mock, typos: *over 2 common tasks*"]
    )
    unknown = ("--tau-perturb=chatter", "--tau-gate=mock, chatter: no regression")
    refused(pytester, "--tau-domain=mock", *arguments, *unknown).fnmatch_lines(
        ["ERROR: gate *: *b.json has no chatter: it has typos, rude; *"]
    )

    graded = play(pytester, "--tau-rescore=.tau", "-p", "no:randomly")
    graded.stdout.fnmatch_lines(["tau: rewards graded again: 8 as recorded, 0 differ"])


def test_variants_have_recordings_of_their_own_and_count_in_the_forecast(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    server = serve(model_says("I am sorry, no."))
    arguments = ("--tau-agent-llm=openai/agent", "--tau-tasks=1", "--tau-perturb=typos,tool_names")
    first = mock_play(pytester, *arguments, "--tau-cassette=record", "--tau-budget=1000000 tokens")
    first.stdout.fnmatch_lines(["tau: forecast: 3 trials, about * model calls*"])
    asked = len(server.requests)
    assert len({str(request.tools) for request in server.requests}) == 2  # one of them under other names
    assert len(list((pytester.path / "cassettes" / "mock").glob("*.jsonl"))) == 3
    gone()
    again = mock_play(pytester, *arguments, "--tau-cassette=replay")
    assert again.parseoutcomes() == first.parseoutcomes()
    assert len(server.requests) == asked


def test_a_language_in_which_no_task_is_written_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-perturb=language:de").fnmatch_lines(
        ["ERROR: --tau-perturb language:de: *no task has such words; let a model play the customer*"]
    )
