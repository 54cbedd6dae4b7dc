"""``--tau-export``: τ² results files, read back and graded again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import rescore
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, journal, mock_run, workers, write
from tests.plugin.parts import mock_play, play
from tests.shared import shared

FAULTY = ("--tau-agent=faulty:rate=0.5", "--tau-k=2")


def graded_again(path: Path, *, data: Path | None = None) -> list[float | None]:
    """The rewards of an exported run, which must be those that stand in the file."""
    found = list(rescore(path, data=data))
    assert [reward.value for _, _, reward, _ in found] == [recorded for *_, recorded in found]
    return [reward.value for _, _, reward, _ in found]


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_reads_back_with_equal_rewards(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    args = ("--tau-domain=mock", *FAULTY, "--tau-export=out/run.json", "--tau-max-steps=150")
    result = run(pytester, *args)
    path = pytester.path / "out" / "run.json"
    result.stdout.fnmatch_lines([f"written: {path}"])
    rewards = graded_again(path)
    assert len(rewards) == 12
    assert set(rewards) == {0.0, 1.0}
    info = json.loads(path.read_text(encoding="utf-8"))["info"]
    assert (info["num_trials"], info["max_steps"], info["seed"]) == (2, 150, 300)
    played = [(record.task_id, record.trial - 1) for record in journal(pytester.path)]
    content = json.loads(path.read_text(encoding="utf-8"))["simulations"]
    assert [(simulation["task_id"], simulation["trial"]) for simulation in content] == played


def test_a_file_for_each_of_several_domains(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock,retail", "--tau-tasks=1", *FAULTY, "--tau-export=run.json")
    result = play(pytester, *args)
    names = ["run.mock.json", "run.retail.json"]
    result.stdout.fnmatch_lines([f"written: {pytester.path / name}" for name in names])
    assert sorted(path.name for path in pytester.path.glob("run*")) == names
    assert [len(graded_again(pytester.path / name)) for name in names] == [2, 2]


def test_a_file_for_each_of_several_agents(pytester: pytest.Pytester) -> None:
    agents = ("--tau-agent=a=oracle", "--tau-agent=b=noop")
    result = play(pytester, "--tau-domain=mock", "--tau-tasks=2", *agents, "--tau-export=run.json")
    names = ["run.a.json", "run.b.json"]
    result.stdout.fnmatch_lines([f"written: {pytester.path / name}" for name in names])
    assert [graded_again(pytester.path / name) for name in names] == [[1.0, 1.0], [0.0, 0.0]]
    refused(pytester, "--tau-rescore=.tau").fnmatch_lines(["ERROR: --tau-rescore: *: a, b played in it, and their *"])


def test_what_the_format_cannot_say_is_told(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=retail", "--tau-tasks=bring_back_a_cancelled_order", "--tau-export=run.json")
    result = play(pytester, *args, "--tau-export=csv:run.csv", "--tau-agent=noop")
    said = "τ² knows neither TRAJECTORY nor criteria of your own: of 1 reward 1 is not this run's"
    assert result.outlines.count(said) == 1  # and not of the other file
    result = play(pytester, *args, "--tau-agent=oracle")
    result.stdout.no_fnmatch_line("τ² knows neither *")


def test_the_public_data(pytester: pytest.Pytester) -> None:
    data = shared("tau2")
    args = ("--tau-domain=retail,airline", f"--tau-data={data}", "--tau-tasks=2", *FAULTY, "--tau-export=run.json")
    play(pytester, *args)
    for name in ("retail", "airline"):
        assert len(graded_again(pytester.path / f"run.{name}.json", data=data)) == 4


def test_trials_without_a_reward_have_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_play(pytester, "--tau-agent=agents:Provider", "--tau-tasks=1", "--tau-export=run.json")
    [simulation] = json.loads((pytester.path / "run.json").read_text(encoding="utf-8"))["simulations"]
    assert simulation["reward_info"] is None
    assert simulation["termination_reason"] == "infrastructure_error"


def test_tests_of_a_project_are_exported_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="c*")
        def test_it(tau_reward):
            assert tau_reward.passed
    """)
    play(pytester, "--tau-export=run.json").assert_outcomes(passed=2)
    assert graded_again(pytester.path / "run.json") == [1.0, 1.0]


def test_a_task_that_a_hook_made_up_is_told(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        def pytest_tau_modify_tasks(tasks):
            tasks[:] = [task.model_copy(update={"id": "made_up"}) for task in tasks[:1]]
    """)
    result = play(pytester, "tau/mock/add_a_task.json", "--tau-export=run.json", "--tau-html=run.html")
    result.stdout.fnmatch_lines(["written: *run.html", "not written: *run.json: *'made_up' is not among the tasks *"])
    assert not (pytester.path / "run.json").exists()


def test_a_place_that_cannot_be_written_is_told(pytester: pytest.Pytester) -> None:
    write(pytester.path, "file.txt", "not a folder")
    result = mock_play(pytester, "--tau-tasks=1", "--tau-export=file.txt/run.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # who asks for a file relies on it
    result.stdout.fnmatch_lines(["not written: *run.json: *"])


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("export", "", "must not be empty")
    for value in ("tau3:run.json", "sft:"):
        assert_refused("export", value, "must be FILE or one of tau2:FILE, leaderboard:FILE, sft:FILE, *")


def test_several_kinds_at_once(pytester: pytest.Pytester) -> None:
    kinds = ("tau2:t.json", "sft:out/sft.jsonl", "preferences:pairs.jsonl")
    args = ("--tau-agent=faulty:rate=0.5", "--tau-k=4", "--tau-tasks=2")
    result = mock_run(pytester, *args, *(f"--tau-export={kind}" for kind in kinds))
    result.stdout.fnmatch_lines(["written: *t.json", "written: *sft.jsonl", "written: *pairs.jsonl"])
    assert len(graded_again(pytester.path / "t.json")) == 8
    passed = sum(record.outcome == "passed" for record in journal(pytester.path))
    samples = [json.loads(line) for line in (pytester.path / "out/sft.jsonl").read_text("utf-8").splitlines()]
    assert len(samples) == passed
    assert all({"messages", "tools"} == set(sample) for sample in samples)
    pairs = [json.loads(line) for line in (pytester.path / "pairs.jsonl").read_text("utf-8").splitlines()]
    assert pairs
    assert json.loads((pytester.path / "out/sft.jsonl.run.json").read_text("utf-8"))["agent"] == "faulty:rate=0.5"
    assert json.loads((pytester.path / "t.json").read_text("utf-8"))["info"]["pytest_tau"]["k"] == "4"
    assert all({"prompt", "chosen", "rejected", "tools"} == set(pair) for pair in pairs)


class TestLeaderboard:
    def submission(self, pytester: pytest.Pytester, *args: str) -> dict[str, Any]:
        result = play(pytester, f"--tau-data={shared('tau2')}", "--tau-export=leaderboard:out/s.json", *args)
        result.stdout.fnmatch_lines([f"written: {pytester.path / 'out' / 's.json'}"])
        found: dict[str, Any] = json.loads((pytester.path / "out/s.json").read_text(encoding="utf-8"))
        return found

    def test_a_submission_has_the_public_shape(self, pytester: pytest.Pytester) -> None:
        found = self.submission(pytester, "--tau-domain=airline", "--tau-agent=noop")
        required = {"model_name", "model_organization", "submitting_organization", "submission_date", "contact_info"}
        assert required | {"results"} <= set(found)
        assert found["submission_type"] == "custom"
        assert found["methodology"]["verification"]["modified_prompts"] is True
        assert found["methodology"]["verification"]["omitted_questions"] is False
        assert (found["model_name"], found["methodology"]["user_simulator"]) == ("noop", "scripted")
        files = found["trajectory_files"]
        assert files == {"airline": "airline_results.json"}
        rewards = graded_again(pytester.path / "out/trajectories" / files["airline"], data=shared("tau2"))
        results = found["results"]["airline"]
        assert results["pass_1"] == pytest.approx(100 * rewards.count(1.0) / len(rewards))
        assert set(results) == {"pass_1", "cost"}
        assert "domains: airline (public data, split base)." in found["methodology"]["notes"]

    def test_what_is_left_out_is_told(self, pytester: pytest.Pytester) -> None:
        args = ("--tau-domain=airline", "--tau-tasks=3", "--tau-agent=noop", "--tau-k=2")
        found = self.submission(pytester, *args)
        results = found["results"]["airline"]
        assert results["pass_2"] <= results["pass_1"]
        told = found["methodology"]["verification"]
        assert (told["omitted_questions"], told["details"]) == (True, "airline: 47 of 50 tasks left out")

    def test_recorded_runs_can_be_submitted(self, pytester: pytest.Pytester) -> None:
        found = self.submission(pytester, f"--tau-rescore={shared('samples', 'tau2_results_retail.json')}")
        assert found["methodology"]["notes"].startswith("Recorded elsewhere, graded by pytest-tau ")
        assert found["model_name"] == "gpt-4.1-mini-2025-04-14"
        assert found["results"]["retail"]["pass_1"] == 90.0

    def test_other_data_is_refused(self, pytester: pytest.Pytester) -> None:
        told = refused(pytester, "--tau-domain=mock", "--tau-export=leaderboard:s.json")
        told.fnmatch_lines(["ERROR: --tau-export leaderboard: the leaderboard takes runs on the public data only: *"])

    @pytest.mark.parametrize(
        ("args", "why"),
        [
            (("--tau-domain=mock", "--tau-agent=noop"), "the leaderboard has no domain 'mock'; it has retail, *"),
            (("--tau-domain=airline",), "this run cannot be submitted: its agent oracle knows the answers; *"),
            (("--tau-domain=airline", "--tau-agent=noop", "--tau-criteria=DB"), "*it was graded by DB alone*"),
            (("--tau-domain=airline", "--tau-agent=noop", "--tau-mode=oracle-plan"), "*its agent was told the plan*"),
            (("--tau-domain=airline", "--tau-agent=noop", "--tau-parity=off"), "*it did not follow the reference*"),
            (("--tau-domain=airline", "--tau-agent=a=noop", "--tau-agent=b=noop"), "*about one agent*"),
        ],
    )
    def test_what_is_known_before_is_refused_at_the_start(
        self, pytester: pytest.Pytester, args: tuple[str, ...], why: str
    ) -> None:
        told = refused(pytester, f"--tau-data={shared('tau2')}", "--tau-export=leaderboard:s.json", *args)
        told.fnmatch_lines([f"ERROR: --tau-export leaderboard: {why}"])
