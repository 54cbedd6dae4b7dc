"""Shards of a suite, merged: resumed, the merged run plays nothing more and is reported and judged as a whole."""

import json

import pytest

from pytest_tau import load_journal
from pytest_tau.cli import main
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, rows, workers
from tests.plugin.parts import play

FAULTY = ("--tau-domain=mock", "--tau-agent=faulty:rate=0.5", "--tau-k=2", "-v")


def shards(pytester: pytest.Pytester, *parts: str, options: tuple[str, ...] = FAULTY) -> list[str]:
    """The results folders of runs with these parts."""
    folders = [f"shard-{part.replace('/', '-of-')}" for part in parts]
    for part, folder in zip(parts, folders, strict=True):
        play(pytester, *options, f"--tau-shard={part}", f"--tau-results={folder}")
    return folders


PASSES = """
    import pytest

    @pytest.mark.tau(domain="mock", tasks=2, k=2)
    def test_passes(tau_reward):
        assert tau_reward.passed
"""


def test_a_merged_run_is_reported_as_an_undivided_one(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    """A suite, and a test of the project's own."""
    pytester.makepyfile(PASSES)
    options = (*FAULTY, ".")
    undivided = play(pytester, *options)
    assert undivided.ret == pytest.ExitCode.TESTS_FAILED
    assert rows(undivided)["mock, test_passes"]["trials"] == "4"
    folders = shards(pytester, "1/2", "2/2", options=options)
    assert main(["merge", *folders, "-o", "merged"]) == 0
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| mock ")]
    assert table[-1].split() == next(line for line in undivided.outlines if line.startswith("| mock ")).split()

    before = (pytester.path / "merged/latest/journal.jsonl").read_bytes()
    again = (*options, "--tau-resume", "--tau-results=merged", "--tau-baseline=baseline.json")
    resumed = play(pytester, *again, "--tau-gate=pass^1 >= 0.3", "--tau-bless", "--tau-html=report.html")
    assert rows(resumed) == rows(undivided) != {}
    assert sorted(rows(resumed, "task").items()) == sorted(rows(undivided, "task").items())
    resumed.assert_outcomes(deselected=16)
    assert (pytester.path / "merged/latest/journal.jsonl").read_bytes() == before
    # Gates, baseline and report are about the whole.
    assert resumed.ret == pytest.ExitCode.OK
    resumed.stdout.fnmatch_lines(["gate pass^1 >= 0.3: HELD*6 tasks*", "baseline written: *"])
    baseline = json.loads((pytester.path / "baseline.json").read_text(encoding="utf-8"))
    assert [task["trials"] for task in baseline["tasks"].values()] == [2] * 8
    assert (pytester.path / "report.html").read_text(encoding="utf-8").count("count_my_tasks") > 0
    failed = play(pytester, *again, "--tau-gate=pass^1 >= 0.9", "--tau-gate=no regression")
    assert failed.ret == pytest.ExitCode.TESTS_FAILED
    failed.stdout.fnmatch_lines(
        [
            "gate pass^1 >= 0.9: FAILED*6 tasks*",
            "gate no regression: HELD: unchanged: *over 6 common tasks, +0.0 points*",
        ]
    )
    # Nor can another agent take it over.
    others = [option for option in options if "agent" not in option]
    refused(pytester, *others, "--tau-agent=noop", "--tau-resume", "--tau-results=merged").fnmatch_lines(
        ['*--tau-agent was "faulty:rate=0.5" and is "noop"*']
    )


DOWN = """

def Agent(context):
    return (Provider if os.environ.get("DOWN") else Polite)(context)
"""


def test_resuming_plays_a_missing_shard_and_what_was_an_infra_error(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytester.makepyfile(agents=AGENTS + DOWN)
    options = ("--tau-domain=mock", "--tau-agent=agents:Agent", "--tau-tasks=3", "--tau-k=2")
    monkeypatch.setenv("DOWN", "1")
    folders = shards(pytester, "1/3", options=options)
    monkeypatch.delenv("DOWN")
    folders += shards(pytester, "3/3", options=options)
    assert main(["merge", *folders, "-o", "merged"]) == 1
    out = capsys.readouterr().out
    assert "shard 2/3 is missing" in out
    assert "| mock   |     3 | 4 of 6 (!) |" in out
    assert "The table leaves out 2 infra, 2 not run" in out
    resumed = play(pytester, *options, "--tau-resume", "--tau-results=merged")
    resumed.assert_outcomes(failed=4, deselected=2)
    assert rows(resumed)["mock"]["trials"] == "6"
    played = load_journal(pytester.path / "merged")
    assert len({record.nodeid for record in played}) == 6
    assert {record.outcome for record in played} == {"missed"}
    assert main(["merge", "merged", "-o", "again"]) == 0


@pytest.mark.slow
def test_a_test_of_a_project_is_taken_over_in_workers_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(PASSES)
    assert main(["merge", *shards(pytester, "1/2", "2/2", options=()), "-o", "merged"]) == 0
    resumed = workers(pytester, "--tau-resume", "--tau-results=merged", "--tau-html=report.html")
    assert rows(resumed) == {"mock, test_passes": rows(resumed)["mock, test_passes"]}
    assert rows(resumed)["mock, test_passes"]["trials"] == "4"
    assert resumed.ret == pytest.ExitCode.OK
    assert (pytester.path / "report.html").is_file()
