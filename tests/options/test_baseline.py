"""``--tau-baseline``: an earlier run that ``no regression`` compares with, and what makes it one of the past."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from pytest_tau.environment.domain import _load
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, make_shop, mock_run, workers, write
from tests.plugin.parts import mock_play, play

FILE = "evals/mock.json"
BASELINE, BLESS, GATE = f"--tau-baseline={FILE}", "--tau-bless", "--tau-gate=no regression"
LOOSE = "--tau-gate=no regression within 0.9"  # six tasks of one trial can tell that much
OK, FAILED, USAGE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR
SELL = ("--tau-domain=shop", "--tau-agent=oracle", BASELINE)


_BLESSED: dict[tuple[str, ...], str] = {}


def blessed(pytester: pytest.Pytester, *args: str) -> None:
    """A project with the baseline of the oracle, which is played once for all tests."""
    if args not in _BLESSED:
        assert mock_play(pytester, "--tau-agent=oracle", BASELINE, BLESS, *args).ret == OK
        _BLESSED[args] = (pytester.path / FILE).read_text(encoding="utf-8")
    write(pytester.path, FILE, _BLESSED[args])


def test_the_same_results_again_hold(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    result = mock_play(pytester, BASELINE, "--tau-agent=oracle", GATE)
    assert result.ret == pytest.ExitCode.OK
    said = "unchanged: pass^1 100.0 % → 100.0 % over 6 common tasks, *passed as often as before"
    result.stdout.fnmatch_lines([f"gate no regression: HELD: {said}"])


def test_too_few_trials_to_tell(pytester: pytest.Pytester) -> None:
    """How many would do, and what is said of them: tests/metrics/test_baseline.py."""
    blessed(pytester)
    result = mock_play(pytester, BASELINE, "--tau-agent=oracle", "--tau-k=2", GATE, LOOSE)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "gate no regression: INCONCLUSIVE: *trials a task in both runs would settle it",
            "gate no regression within 0.9: HELD: *pass^1 100.0 % → 100.0 % over 6 common tasks*",
        ]
    )


def test_a_worse_run_fails_and_the_lost_tasks_are_named(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    result = mock_run(pytester, "--tau-agent=noop", BASELINE, GATE)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate no regression: FAILED: *from always to never: mock/add_a_task, * and 3 more*"])


def test_a_part_is_compared_on_that_part(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    part = ("-k", "complete_a_task or count_my_tasks", "--tau-agent=noop", BASELINE, GATE)
    result = mock_play(pytester, *part)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate no regression: *over 2 common tasks*; 4 tasks are in one run only*"])


def test_without_a_gate_on_it_misses_decide(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    for agent, status in (("oracle", OK), ("noop", FAILED)):
        assert mock_play(pytester, BASELINE, f"--tau-agent={agent}", "-k", "complete_a_task").ret == status


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", BASELINE, "--tau-agent=oracle")
    assert workers(pytester, *args, BLESS).ret == OK
    result = workers(pytester, *args, LOOSE)
    assert result.ret == OK
    result.stdout.fnmatch_lines(["gate no regression within 0.9: HELD: *over 6 common tasks*"])


@pytest.mark.parametrize(
    ("edit", "args", "change"),
    [
        ("tasks/shop/sell_one.json", (), "1 task has changed (shop/sell_one)"),
        ("domains/shop/policy.md", (), "the policy.md of shop has changed"),
        ("domains/shop/db.json", (), "the db.json of shop has changed"),
        (None, ("--tau-user=agents:Leaves",), 'user was "scripted" and is "agents:Leaves"'),
        (None, ("--tau-max-steps=150",), "max_steps was 200 and is 150"),
    ],
)
def test_a_stale_one_is_refused_by_name(
    pytester: pytest.Pytester, edit: str | None, args: tuple[str, ...], change: str
) -> None:
    make_shop(pytester.path)
    pytester.makepyfile(agents=AGENTS)
    run = partial(play, pytester)
    assert run(*SELL, BLESS).ret == OK
    if edit:
        path = pytester.path / edit
        changes: dict[str, Callable[[str], str]] = {
            ".md": lambda text: text + "Be kind.\n",
            ".json": lambda text: text.replace("Done!", "Hm?").replace('"stock": 3', '"stock": 4'),
        }
        path.write_text(changes[path.suffix](path.read_text(encoding="utf-8")), encoding="utf-8")
        _load.cache_clear()  # a process reads a domain once
    result = run(*SELL, GATE, *args)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines([f"*mock.json: this baseline is stale: {change}; write a new one with --tau-bless"])
    if "user" in change:  # another gate makes it no fresher, a new one is
        assert run(*SELL, "--tau-gate=pass^1 >= 0", *args).ret == FAILED
        assert run(*SELL, GATE, *args, BLESS).ret == OK
        run(*SELL, LOOSE, *args).stdout.no_fnmatch_line("*this baseline is stale*")


def test_another_agent_is_what_baselines_are_for(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    result = mock_play(pytester, BASELINE, "--tau-agent=faulty:rate=0", LOOSE)
    assert result.ret == OK


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no baseline; write one with --tau-bless"),
        ("{", "the baseline is not valid JSON: *; write a new one with --tau-bless"),
        ("[]", "this is not a baseline, which --tau-bless writes; results of *--tau-rescore"),
        ({"format": "pytest-tau baseline", "version": 7}, "written in version 7, and this reads 1; *"),
        ({"format": "pytest-tau baseline", "version": 1}, "created: Field required; *"),
    ],
)
def test_a_file_that_is_none_is_refused_before_any_trial(
    pytester: pytest.Pytester, content: Any, sentence: str
) -> None:
    if content is not None:
        write(pytester.path, FILE, content)
    refused(pytester, "--tau-domain=mock", "--tau-agent=oracle", BASELINE).fnmatch_lines(
        [f"ERROR: *mock.json: {sentence}"]
    )
    assert not (pytester.path / ".tau").exists()
    pytester.parseconfigure("--tau-domain=mock", "--tau-agent=oracle", BASELINE, BLESS)


def test_an_empty_value_is_a_usage_error() -> None:
    assert_refused("baseline", "", "must not be empty")


def test_the_ini_twin_lies_in_the_root_directory(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makeini(f"[pytest]\ntau_baseline = {FILE}")
    monkeypatch.chdir(pytester.mkdir("below"))
    assert mock_play(pytester, "--tau-agent=oracle", BLESS).ret == OK
    assert len(json.loads((pytester.path / FILE).read_text(encoding="utf-8"))["tasks"]) == 6
    mock_play(pytester, "--tau-agent=noop", GATE).stdout.fnmatch_lines(["gate no regression: FAILED: *"])
    refused(pytester, "--tau-domain=mock", "--tau-agent=oracle", "--tau-baseline=other.json").fnmatch_lines(
        ["ERROR: *other.json: there is no baseline; *"]
    )
