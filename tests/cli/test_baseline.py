"""``--tau-baseline``: an earlier run that ``no regression`` compares with, and what makes it one of the past."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_tau.environment.domain import _load
from tests.cli.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, make_shop, mock_run, workers, write

FILE = "evals/mock.json"
BASELINE, BLESS, GATE = f"--tau-baseline={FILE}", "--tau-bless", "--tau-gate=no regression"
MANY = "--tau-k=8"  # six tasks of eight trials can rule out a drop of ten points
OK, FAILED, USAGE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR
SELL = ("--tau-domain=shop", "--tau-agent=oracle", BASELINE)


_BLESSED: dict[tuple[str, ...], str] = {}


def blessed(pytester: pytest.Pytester, *args: str) -> None:
    """A project with the baseline of the oracle, which is played once for all tests."""
    if args not in _BLESSED:
        assert mock_run(pytester, "--tau-agent=oracle", BASELINE, BLESS, *args).ret == OK
        _BLESSED[args] = (pytester.path / FILE).read_text(encoding="utf-8")
    write(pytester.path, FILE, _BLESSED[args])


def test_a_run_against_itself_holds(pytester: pytest.Pytester) -> None:
    blessed(pytester, MANY)
    result = mock_run(pytester, "--tau-agent=oracle", BASELINE, GATE, MANY)
    assert result.ret == OK
    result.stdout.fnmatch_lines(["gate no regression: HELD: *pass^1 100.0 % → 100.0 % over 6 common tasks*"])


def test_a_worse_run_fails_and_the_lost_tasks_are_named(pytester: pytest.Pytester) -> None:
    blessed(pytester, MANY)
    result = mock_run(pytester, "--tau-agent=noop", BASELINE, GATE, MANY)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate no regression: FAILED: *from always to never: mock/add_a_task, * and 3 more*"])


def test_too_few_trials_are_inconclusive(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    few = (BASELINE, GATE, "--tau-agent=oracle")
    result = mock_run(pytester, *few)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate no regression: INCONCLUSIVE: *trials a task in both runs would settle it"])
    assert mock_run(pytester, *few, "--tau-inconclusive=pass").ret == OK
    assert mock_run(pytester, *few[:1], "--tau-agent=oracle", "--tau-gate=no regression within 0.9").ret == OK


def test_a_part_is_compared_on_that_part(pytester: pytest.Pytester) -> None:
    blessed(pytester, MANY)
    part = ("-k", "complete_a_task or count_my_tasks", "--tau-agent=noop", BASELINE, GATE, MANY)
    result = mock_run(pytester, *part)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate no regression: *over 2 common tasks*; 4 tasks are in one run only*"])


def test_without_a_gate_on_it_misses_decide(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    assert mock_run(pytester, BASELINE, "--tau-agent=oracle").ret == OK
    assert mock_run(pytester, BASELINE, "--tau-agent=noop").ret == FAILED


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", MANY, BASELINE, "--tau-agent=oracle")
    assert workers(pytester, *args, BLESS).ret == OK
    result = workers(pytester, *args, GATE)
    assert result.ret == OK
    result.stdout.fnmatch_lines(["gate no regression: HELD: *over 6 common tasks*"])


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
    run = pytester.runpytest
    assert run(*SELL, BLESS).ret == OK
    if edit:
        path = pytester.path / edit
        changes: dict[str, Callable[[str], str]] = {
            ".md": lambda text: text + "Be kind.\n",
            ".json": lambda text: text.replace("Done!", "Hm?").replace('"stock": 3', '"stock": 4'),
        }
        path.write_text(changes[path.suffix](path.read_text(encoding="utf-8")), encoding="utf-8")
        _load.cache_clear()  # a process reads a domain once
    for gate in (GATE, "--tau-gate=pass^1 >= 0") if edit is None else (GATE,):
        result = run(*SELL, gate, *args)
        assert result.ret == FAILED
        result.stdout.fnmatch_lines([f"*mock.json: this baseline is stale: {change}; write a new one with --tau-bless"])
    if edit is None:
        assert run(*SELL, GATE, *args, BLESS).ret == OK
        result = run(*SELL, "--tau-gate=no regression within 0.9", *args)
        result.stdout.no_fnmatch_line("*this baseline is stale*")


def test_another_agent_is_what_baselines_are_for(pytester: pytest.Pytester) -> None:
    blessed(pytester)
    result = mock_run(pytester, BASELINE, "--tau-agent=faulty:rate=0", "--tau-gate=no regression within 0.9")
    assert result.ret == OK


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no baseline; write one with --tau-bless"),
        ("{", "the baseline is not valid JSON: *; write a new one with --tau-bless"),
        ("[]", "this is not a baseline; --tau-bless writes one"),
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
    if content == "{":
        assert mock_run(pytester, "--tau-agent=oracle", "--tau-tasks=1", BASELINE, BLESS).ret == OK


def test_an_empty_value_is_a_usage_error() -> None:
    assert_refused("baseline", "", "must not be empty")


def test_the_ini_twin_lies_in_the_root_directory(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makeini(f"[pytest]\ntau_baseline = {FILE}")
    monkeypatch.chdir(pytester.mkdir("below"))
    assert mock_run(pytester, "--tau-agent=oracle", BLESS).ret == OK
    assert len(json.loads((pytester.path / FILE).read_text(encoding="utf-8"))["tasks"]) == 6
    mock_run(pytester, "--tau-agent=noop", GATE).stdout.fnmatch_lines(["gate no regression: FAILED: *"])
    other = mock_run(pytester, "--tau-agent=oracle", "--tau-baseline=other.json")
    other.stderr.fnmatch_lines(["ERROR: *other.json: there is no baseline; *"])
