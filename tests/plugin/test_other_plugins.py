"""Other plugins of pytest beside ours: each row of the table in docs/pytest.md.

Each run has a process of its own, with ours, xdist's and that plugin. Those that are not installed are skipped;
``.ci/frameworks pytest-plugins`` installs them.
"""

import json
from importlib.util import find_spec

import pytest

from pytest_tau import load_journal

from .inner import apart

TASKS = ("--tau-domain=mock", "--tau-tasks=3", "--tau-k=2")
ASYNC = """
import {module}

{mark}
async def test_beside():
    await {module}.sleep(0)
"""


def beside(module: str, *options: str) -> pytest.MarkDecorator:
    """The run that a test looks at."""
    return pytest.mark.parametrize("run", [(module, *options)], indirect=True, ids=[module])


@pytest.fixture
def run(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> pytest.RunResult:
    """A run with another plugin: its module, and options."""
    module, *options = request.param
    if find_spec(module.partition(".")[0]) is None:
        pytest.skip(f"{module} is not installed")
    result = apart(pytester, "-p", module, *TASKS, *options)
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    return result


def trials(pytester: pytest.Pytester) -> list[tuple[str, int, str]]:
    """What the journal has, in order."""
    return [(one.task_id, one.trial, one.outcome.value) for one in load_journal(pytester.path / ".tau")]


def test_anyio_and_an_async_test(pytester: pytest.Pytester) -> None:
    if find_spec("anyio") is None:
        pytest.skip("anyio is not installed")
    made = pytester.makepyfile(ASYNC.format(module="asyncio", mark="import pytest\n@pytest.mark.anyio"))
    pytester.makeconftest("import pytest\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n")
    apart(pytester, "-p", "anyio.pytest_plugin", *TASKS, str(made)).assert_outcomes(passed=7)


def test_pytest_asyncio_in_both_modes(pytester: pytest.Pytester) -> None:
    if find_spec("pytest_asyncio") is None:
        pytest.skip("pytest-asyncio is not installed")
    made = pytester.makepyfile(ASYNC.format(module="asyncio", mark="import pytest\n@pytest.mark.asyncio"))
    for mode in ("auto", "strict"):
        mode_option = f"--asyncio-mode={mode}"
        apart(pytester, "-p", "pytest_asyncio.plugin", mode_option, *TASKS, str(made)).assert_outcomes(passed=7)


@beside("pytest_rerunfailures", "--reruns=1")
def test_pytest_rerunfailures_is_refused(run: pytest.RunResult) -> None:
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["ERROR: --reruns plays missed trials again until they pass*"])


@beside(
    "pytest_html.plugin",
    "-p",
    "pytest_metadata.plugin",
    "--html=page.html",
    "--self-contained-html",
    "--tau-agent=noop",
)
def test_pytest_html_has_a_row_for_each_trial(run: pytest.RunResult, pytester: pytest.Pytester) -> None:
    page = (pytester.path / "page.html").read_text(encoding="utf-8")
    assert all(f"test_task[trial{number}]" in page for number in (1, 2))
    run.assert_outcomes(failed=6)


@beside("pytest_split.plugin", "--splits=2", "--group=1")
def test_pytest_split_gives_each_trial_to_one_group(run: pytest.RunResult, pytester: pytest.Pytester) -> None:
    first = trials(pytester)
    apart(pytester, "-p", "pytest_split.plugin", *TASKS, "--splits=2", "--group=2")
    assert len(first) == 3
    assert len({*first, *trials(pytester)}) == 6


@beside("pytest_randomly", "--randomly-seed=4")
def test_pytest_randomly_shuffles_trials_and_changes_no_verdict(
    run: pytest.RunResult, pytester: pytest.Pytester
) -> None:
    shuffled = trials(pytester)
    seeds = {one.simulation.seed for one in load_journal(pytester.path / ".tau") if one.simulation is not None}
    apart(pytester, *TASKS)
    assert shuffled != trials(pytester)
    assert sorted(shuffled) == sorted(trials(pytester))
    assert seeds == {one.simulation.seed for one in load_journal(pytester.path / ".tau") if one.simulation is not None}


@beside("pytest_cov.plugin", "--cov=pytest_tau.metrics", "--cov-report=json:cover.json")
def test_pytest_cov_measures(run: pytest.RunResult, pytester: pytest.Pytester) -> None:
    run.assert_outcomes(passed=6)
    assert json.loads((pytester.path / "cover.json").read_text(encoding="utf-8"))["files"]


@beside("teamcity.pytest_plugin", "--teamcity")
def test_pycharms_runner_is_told_of_each_trial(run: pytest.RunResult) -> None:
    for message in ("testStarted", "testFinished"):
        assert run.stdout.str().count(f"##teamcity[{message} ") == 6


@beside("pytest_sugar")
def test_pytest_sugar_prints_our_tables(run: pytest.RunResult) -> None:
    assert run.ret == 0
    run.stdout.fnmatch_lines(["*pass^1*"])
