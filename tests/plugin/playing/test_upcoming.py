"""What runs ahead and what by itself, the sentence that says so, and what a worker knows of its next tests."""

from typing import Any

import pytest

from tests.plugin.inner import apart, mock_run, workers, write
from tests.plugin.players import begun, make_players

AHEAD = "tau: 3 conversations at once"
THREE = ("--tau-tasks=3", "--tau-concurrency=3")
FIXTURE = """
    import players
    import pytest

    @pytest.fixture(scope="{scope}")
    def tau_agent({asks}):
        return players.{agent}
"""
HOOK = """
    import players

    def pytest_tau_make_agent(item):
        return players.Meets
"""
PYTHON = """
    import players
    import pytest
    {fixture}

    @pytest.mark.tau(domain="mock", tasks=3)
    def test_it(tau_simulation):
        pass
"""


@pytest.fixture(autouse=True)
def _players(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    make_players(pytester)
    monkeypatch.setenv("MEETING", "3")


def ran_ahead(pytester: pytest.Pytester, number: int = 3) -> None:
    threads = begun(pytester)
    assert len(threads) == number
    assert all(thread.startswith("tau-") for thread in threads.values()), threads


def ran_alone(pytester: pytest.Pytester, number: int = 3) -> None:
    threads = begun(pytester)
    assert len(threads) == number
    assert set(threads.values()) == {"MainThread"}


@pytest.mark.parametrize("how", ["command line", "hook", "ini", "session fixture"])
def test_what_runs_ahead(pytester: pytest.Pytester, how: str) -> None:
    args = ["--tau-agent=players:Meets"] if how == "command line" else []
    if how == "hook":
        pytester.makeconftest(HOOK)
    if how == "ini":
        pytester.makeini("[pytest]\ntau_agent = players:Meets")
    if how == "session fixture":
        pytester.makeconftest(FIXTURE.format(scope="session", asks="", agent="MeetsAfterTheFirst"))
        with (pytester.path / "players.py").open("a", encoding="utf-8") as file:
            file.write(AFTER_THE_FIRST)
    result = mock_run(pytester, *THREE, *args)
    result.stdout.fnmatch_lines([AHEAD])
    result.stdout.no_fnmatch_line("*by themselves*")
    result.stdout.no_fnmatch_line("*BrokenBarrier*")
    ran_ahead(pytester)


AFTER_THE_FIRST = "\n\nclass MeetsAfterTheFirst(Meets):\n    pass\n"


@pytest.mark.parametrize("scope", ["function", "module"])
def test_a_narrower_fixture_runs_by_itself_and_the_header_says_how_to_change_that(
    pytester: pytest.Pytester, scope: str
) -> None:
    pytester.makeconftest(FIXTURE.format(scope=scope, asks="", agent="Agent"))
    result = mock_run(pytester, *THREE)
    result.stdout.fnmatch_lines(
        [
            f"tau: 3 trials run by themselves: the fixture tau_agent in conftest.py has {scope} scope; "
            "session scope would let them run ahead"
        ]
    )
    result.stdout.no_fnmatch_line(AHEAD)
    ran_alone(pytester)


def test_of_a_test_module_too_where_nothing_else_names_an_agent(pytester: pytest.Pytester) -> None:
    fixture = '@pytest.fixture(scope="session")\n    def tau_agent():\n        return players.Meets'
    pytester.makepyfile(PYTHON.format(fixture=fixture))
    pytester.runpytest("--tau-concurrency=3").stdout.fnmatch_lines([AHEAD])
    ran_ahead(pytester)
    (pytester.path / "begun.txt").unlink()
    pytester.runpytest().stdout.fnmatch_lines(["tau: 8 conversations at once"])
    ran_ahead(pytester)


def test_of_a_sub_folder_for_its_own_tests_only(pytester: pytest.Pytester) -> None:
    """The first test of the folder sets its fixture up; the others of it run ahead with that."""
    pytester.syspathinsert()
    write(pytester.path, "below/conftest.py", FIXTURE.format(scope="session", asks="", agent="Agent"))
    write(pytester.path, "below/test_below.py", PYTHON.format(fixture=""))
    write(pytester.path, "test_above.py", PYTHON.format(fixture=""))
    result = pytester.runpytest("--tau-concurrency=3", "-v")
    result.assert_outcomes(passed=6)
    ran_ahead(pytester)
    assert sorted(record.agent for record in _simulations(pytester)) == ["oracle"] * 3 + ["players:Agent"] * 3


def _simulations(pytester: pytest.Pytester) -> list[Any]:
    from tests.plugin.inner import journal

    return [record.simulation for record in journal(pytester.path)]


def test_of_a_parametrized_fixture_each_value_for_its_own_tests(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
        import players
        import pytest

        class One(players.Agent):
            pass

        class Two(players.Agent):
            pass

        @pytest.fixture(scope="session", params=[One, Two], ids=["one", "two"])
        def tau_agent(request):
            return request.param
    """)
    result = mock_run(pytester, *THREE)
    result.stdout.fnmatch_lines([AHEAD])
    from tests.plugin.inner import journal

    found = [(record.nodeid, record.simulation.agent) for record in journal(pytester.path) if record.simulation]
    assert len(found) == 6
    for nodeid, agent in found:
        assert agent.endswith("One" if "[one-" in nodeid else "Two"), (nodeid, agent)


AUTOUSE = """
    import pytest

    @pytest.fixture(autouse=True{scope})
    def cleans_up():
        yield
"""
SKIPPED = ("skip", "skipif(False, reason='')", "xfail(strict=False)")
# What may happen before a test, by folder: its files, and the reason why nothing of it runs ahead.
SET_UPS: dict[str, tuple[dict[str, str], str | None]] = {
    "every": (
        {"conftest.py": AUTOUSE.format(scope=""), "test_every.py": PYTHON.format(fixture="")},
        "the autouse fixture cleans_up in every/conftest.py has function scope",
    ),
    "own": (
        {
            "test_own.py": PYTHON.format(
                fixture="\n    @pytest.fixture(autouse=True)\n    def cleans_up():\n        pass"
            )
        },
        "the autouse fixture cleans_up in own/test_own.py has function scope",
    ),
    "xunit": (
        {"test_xunit.py": PYTHON.format(fixture="\n    def setup_function():\n        pass")},
        "setup_function() or setup_method() is called before each of them",
    ),
    "marked": (
        {
            f"test_marked_{number}.py": PYTHON.format(fixture=f"\n    pytestmark = pytest.mark.{mark}")
            for number, mark in enumerate(SKIPPED)
        },
        "they may be skipped",
    ),
    "module": ({"conftest.py": AUTOUSE.format(scope=', scope="module"'), "test_m.py": PYTHON.format(fixture="")}, None),
    "session": (
        {"conftest.py": AUTOUSE.format(scope=', scope="session"'), "test_s.py": PYTHON.format(fixture="")},
        None,
    ),
}


def test_what_a_tests_own_set_up_may_do(pytester: pytest.Pytester) -> None:
    """Three trials a file; what runs ahead and what does not is seen in a run of two of them."""
    pytester.syspathinsert()
    pytester.makeini("[pytest]")
    reasons = []
    for folder, (files, reason) in SET_UPS.items():
        for name, text in files.items():
            write(pytester.path, f"{folder}/{name}", text)
        reasons += (
            []
            if reason is None
            else [f"tau: {3 * len(files.keys() - {'conftest.py'})} trials run by themselves: {reason}"]
        )
    options = ("--tau-agent=players:Agent", "--tau-concurrency=3")
    result = pytester.runpytest(*options, "--setup-plan")
    said = [line for line in result.outlines if "by themselves" in line]
    assert sorted(said) == sorted(reasons)
    result.stdout.fnmatch_lines([AHEAD])
    alone = pytester.runpytest(*options, "xunit")
    alone.stdout.no_fnmatch_line(AHEAD)
    ran_alone(pytester)
    (pytester.path / "begun.txt").unlink()
    pytester.runpytest(*options, "module").stdout.no_fnmatch_line("*by themselves*")
    ran_ahead(pytester)


@pytest.mark.slow
def test_under_workers_the_summary_says_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(FIXTURE.format(scope="module", asks="", agent="Agent"))
    result = workers(pytester, "--tau-domain=mock", *THREE)
    result.stdout.fnmatch_lines(
        ["3 trials run by themselves: the fixture tau_agent in conftest.py has module scope; *"]
    )
    ran_alone(pytester)


# What a worker is going to run.


@pytest.mark.slow
@pytest.mark.parametrize("known", ["nextitem only", "nothing"])
def test_the_run_works_without_the_queue(pytester: pytest.Pytester, known: str) -> None:
    found = 'getattr(worker, "nextitem_index", None)' if known == "nextitem only" else "None"
    pytester.makeconftest(f"""
        import pytest_tau.plugin.playing.upcoming as upcoming

        def queued(worker):
            place = {found}
            return [place] if isinstance(place, int) else []

        upcoming.queued = queued
    """)
    result = apart(pytester, "--tau-domain=mock", "--tau-agent=players:Agent", "-n1")
    assert sum(result.parseoutcomes()[key] for key in ("passed", "failed") if key in result.parseoutcomes()) == 6
    assert len(begun(pytester)) == 6
