"""``--tau-html``; what is on the page is tested with the report itself."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, journal, make_shop, mock_run, workers, write
from tests.plugin.parts import mock_play, play
from tests.reports import blocks

COMPLETES = ("--tau-agent=agents:Completes", "--tau-tasks=complete_a_task,count_my_tasks", "--tau-k=2")


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)


def conversations(path: Path) -> list[str]:
    """The node IDs of the conversations in a report, in their order."""
    return [one["nodeid"] for one in blocks.conversations(path.read_text(encoding="utf-8"))]


def test_says_below_each_message_what_was_read_in_it(pytester: pytest.Pytester) -> None:
    play(pytester, "--tau-domain=retail", "--tau-tasks=1", "--tau-html=report.html")
    [one] = blocks.conversations((pytester.path / "report.html").read_text(encoding="utf-8"))
    told = [line for message in one["messages"] for line in message.get("read", [])]
    assert any(line.startswith("yes, by rule: ") for line in told)
    assert any(line.startswith("proposal, by rule: ") for line in told)


def squeezed(path: Path) -> str:
    """The text of a page."""
    return " ".join(re.sub(r"<[^>]*>", " ", path.read_text(encoding="utf-8")).split())


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_holds_every_trial(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    result = run(pytester, "--tau-domain=mock", *COMPLETES, "--tau-html=out/report.html")
    path = pytester.path / "out" / "report.html"
    result.stdout.fnmatch_lines([f"written: {path}"])
    assert conversations(path) == [record.nodeid for record in journal(pytester.path)]
    assert len(conversations(path)) == 4
    assert "Against the baseline" not in squeezed(path)
    # What the customer wanted is shown, and tags are a filter.
    text = path.read_text(encoding="utf-8")
    assert "One write on an existing record." in text
    assert '<select id="tag"' in text


def test_of_tasks_in_files_outside_any_suite(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    (pytester.path / "tasks/shop/sell_one.json").rename(pytester.path / "tasks/odd.json")
    result = play(pytester, "tasks/odd.json", "--tau-html=report.html", "--tau-export=run.json")
    result.stdout.fnmatch_lines(["written: *report.html", "written: *run.json"])
    assert "Done!" in (pytester.path / "report.html").read_text(encoding="utf-8")


def test_compares_with_the_baseline(pytester: pytest.Pytester) -> None:
    baseline = "--tau-baseline=baseline.json"
    mock_play(pytester, "--tau-agent=oracle", *COMPLETES[1:], baseline, "--tau-bless")
    mock_play(pytester, *COMPLETES, baseline, "--tau-html=report.html")
    text = squeezed(pytester.path / "report.html")
    assert "Against the baseline: 1 worse, 0 better of 2 comparable" in text
    assert "mock/count_my_tasks 2/2 0/2 −100 always → never" in text


def test_is_written_when_gates_fail_and_when_the_run_is_stopped(pytester: pytest.Pytester) -> None:
    failed = mock_play(pytester, *COMPLETES, "--tau-html=failed.html", "--tau-gate=pass^1 > 0.5")
    stopped = mock_run(pytester, *COMPLETES, "--tau-html=stopped.html", "-x")
    assert failed.ret == stopped.ret == pytest.ExitCode.TESTS_FAILED
    assert conversations(pytester.path / "failed.html")
    assert conversations(pytester.path / "stopped.html")


def test_not_without_a_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it="def test_it(): pass")
    assert pytester.runpytest("--tau-html=report.html").ret == pytest.ExitCode.OK
    assert mock_play(pytester, "--tau-tasks=1", "--collect-only", "--tau-html=report.html").ret == pytest.ExitCode.OK
    assert not (pytester.path / "report.html").exists()


def test_a_place_that_cannot_be_written_is_told_and_costs_nothing_else(pytester: pytest.Pytester) -> None:
    write(pytester.path, "file.txt", "not a folder")
    result = mock_play(pytester, *COMPLETES, "--tau-markdown=run.md", "--tau-html=file.txt/report.html")
    result.stdout.fnmatch_lines(["not written: *report.html: *", "written: *run.md"])
    result.assert_outcomes(passed=2, failed=2)


def test_the_ini_twin_lies_in_the_root_directory(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makeini("[pytest]\ntau_html = report.html")
    monkeypatch.chdir(pytester.mkdir("below"))
    mock_play(pytester, "--tau-tasks=1")
    assert len(conversations(pytester.path / "report.html")) == 1


def test_an_empty_value_is_a_usage_error() -> None:
    assert_refused("html", "", "must not be empty")


@pytest.mark.parametrize("args", [("-p", "no:terminal"), ("--no-summary",)])
def test_it_is_written_where_nothing_is_printed(pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
    result = mock_run(pytester, "--tau-tasks=1", "--tau-html=report.html", "--tau-export=run.json", *args)
    assert result.ret == pytest.ExitCode.OK
    assert (pytester.path / "report.html").stat().st_size > 1000
    assert (pytester.path / "run.json").is_file()
    if "--no-summary" in args:
        there = "--tau-html=report.html/below.html"  # a file is no folder
        assert mock_run(pytester, "--tau-tasks=1", there, *args).ret == pytest.ExitCode.TESTS_FAILED
