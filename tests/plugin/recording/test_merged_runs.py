"""Shards of a suite, merged: resumed, the merged run plays nothing more and is reported and judged as a whole."""

import json
from collections.abc import Callable

import pytest

from pytest_tau import load_journal
from pytest_tau.cli import main
from tests.cli.usage import refused
from tests.plugin.inner import AGENTS, rows, workers

FAULTY = ("--tau-domain=mock", "--tau-agent=faulty:rate=0.5", "--tau-k=2", "-v")


def shards(pytester: pytest.Pytester, *parts: str, options: tuple[str, ...] = FAULTY) -> list[str]:
    """The results folders of runs with these parts."""
    folders = [f"shard-{part.replace('/', '-of-')}" for part in parts]
    for part, folder in zip(parts, folders, strict=True):
        pytester.runpytest(*options, f"--tau-shard={part}", f"--tau-results={folder}")
    return folders


def test_a_merged_run_is_reported_as_an_undivided_one(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    undivided = pytester.runpytest(*FAULTY)
    folders = shards(pytester, "1/2", "2/2")
    assert main(["merge", *folders, "-o", "merged"]) == 0
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| mock")]
    assert table[-1].split() == next(line for line in undivided.outlines if line.startswith("| mock ")).split()

    before = (pytester.path / "merged/latest/journal.jsonl").read_bytes()
    resumed = pytester.runpytest(*FAULTY, "--tau-resume", "--tau-results=merged")
    assert rows(resumed) == rows(undivided) != {}
    assert sorted(rows(resumed, "task").items()) == sorted(rows(undivided, "task").items())
    resumed.assert_outcomes(deselected=12)
    assert resumed.ret == undivided.ret == pytest.ExitCode.TESTS_FAILED
    assert (pytester.path / "merged/latest/journal.jsonl").read_bytes() == before
    assert_gates_baseline_and_report_are_about_the_whole(pytester)
    # Nor can another agent take it over.
    options = [option for option in FAULTY if "agent" not in option]
    refused(pytester, *options, "--tau-agent=noop", "--tau-resume", "--tau-results=merged").fnmatch_lines(
        ['*--tau-agent was "faulty:rate=0.5" and is "noop"*']
    )


def assert_gates_baseline_and_report_are_about_the_whole(pytester: pytest.Pytester) -> None:
    options = (*FAULTY, "--tau-resume", "--tau-results=merged", "--tau-baseline=baseline.json")
    held = pytester.runpytest(*options, "--tau-gate=pass^1 >= 0.3", "--tau-bless", "--tau-html=report.html")
    assert held.ret == pytest.ExitCode.OK
    held.stdout.fnmatch_lines(["gate pass^1 >= 0.3: HELD*over 6 tasks*", "baseline written: *"])
    baseline = json.loads((pytester.path / "baseline.json").read_text(encoding="utf-8"))
    assert [task["trials"] for task in baseline["tasks"].values()] == [2] * 6
    assert (pytester.path / "report.html").read_text(encoding="utf-8").count("count_my_tasks") > 0
    failed = pytester.runpytest(*options, "--tau-gate=pass^1 >= 0.9", "--tau-gate=no regression")
    assert failed.ret == pytest.ExitCode.TESTS_FAILED
    failed.stdout.fnmatch_lines(
        [
            "gate pass^1 >= 0.9: FAILED*over 6 tasks*",
            "gate no regression: INCONCLUSIVE*over 6 common tasks, +0.0 points*",
        ]
    )


def test_a_missing_shard_is_named_and_resuming_plays_it(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (*FAULTY, "--tau-tasks=3")
    assert main(["merge", *shards(pytester, "1/3", "3/3", options=options), "-o", "merged"]) == 1
    out = capsys.readouterr().out
    assert "shard 2/3 is missing" in out
    assert "| mock   |     3 | 4 of 6 (!) |" in out
    assert "The table leaves out 2 not run" in out
    resumed = pytester.runpytest(*options, "--tau-resume", "--tau-results=merged")
    assert rows(resumed)["mock"]["trials"] == "6"
    assert len({record.nodeid for record in load_journal(pytester.path / "merged")}) == 6
    assert main(["merge", "merged", "-o", "again"]) == 0


def test_an_infra_error_in_a_shard_is_played_again(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(agents=AGENTS + "Agent = Provider if os.environ.get('DOWN') else Polite")
    options = ("--tau-domain=mock", "--tau-agent=agents:Agent", "--tau-tasks=2")
    monkeypatch.setenv("DOWN", "1")
    folders = shards(pytester, "1/2", options=options)
    monkeypatch.delenv("DOWN")
    folders += shards(pytester, "2/2", options=options)
    assert main(["merge", *folders, "-o", "merged"]) == 0
    resumed = pytester.runpytest(*options, "--tau-resume", "--tau-results=merged")
    resumed.assert_outcomes(failed=1, deselected=1)
    assert {record.outcome for record in load_journal(pytester.path / "merged")} == {"missed"}


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_a_test_of_a_project_too(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.tau(domain="mock", tasks=2, k=2)
        def test_passes(tau_reward):
            assert tau_reward.passed
        """
    )
    assert main(["merge", *shards(pytester, "1/2", "2/2", options=()), "-o", "merged"]) == 0
    resumed = run(pytester, "--tau-resume", "--tau-results=merged", "--tau-html=report.html")
    assert rows(resumed) == {"mock, test_passes": rows(resumed)["mock, test_passes"]}
    assert rows(resumed)["mock, test_passes"]["trials"] == "4"
    assert resumed.ret == pytest.ExitCode.OK
    assert (pytester.path / "report.html").is_file()
