"""What runs ahead and what by itself, the sentence that says so, and what a worker knows of its next tests."""

from textwrap import dedent
from typing import Any

import pytest

from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.plugin.playing.upcoming import request_ahead
from pytest_tau.plugin.reporting.header import about_concurrency
from pytest_tau.plugin.run import run_of
from tests.plugin.inner import apart, journal, mock_run, workers, write
from tests.plugin.players import begun, make_players
from tests.plugin.trials import Trial, items

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


def said(found: list[pytest.Item]) -> list[str]:
    """What the header of a run of these tests says of how they are played."""
    return about_concurrency(run_of(found[0].config), found)


def ahead(found: list[pytest.Item]) -> TrialRequest | None:
    """What is known of the second test's trial while the first one runs."""
    return request_ahead(found[1], Trial(found[0]).request())


@pytest.mark.parametrize("how", ["command line", "hook", "ini", "user"])
def test_what_runs_ahead(pytester: pytest.Pytester, how: str) -> None:
    args = ["--tau-agent=players:Meets"] if how == "command line" else []
    if how == "hook":
        pytester.makeconftest(HOOK)
    if how == "ini":
        pytester.makeini("[pytest]\ntau_agent = players:Meets")
    if how == "user":
        pytester.makeconftest(HOOK.replace("agent", "user"))
    found = items(pytester, "--tau-domain=mock", *THREE, *args)
    assert said(found) == [AHEAD]
    request = ahead(found)
    assert request is not None
    assert request.item is found[1]
    assert (request.user_name if how == "user" else request.agent_name) == "players:Meets"


def test_what_raises_runs_ahead_of_nothing(pytester: pytest.Pytester) -> None:
    """It will raise again where it belongs."""
    pytester.makeconftest("def pytest_tau_make_agent(item):\n    raise ValueError(item.name)")
    first, second, _ = items(pytester, "--tau-domain=mock", *THREE)
    assert request_ahead(second, Trial(first).request(agent=lambda context: None)) is None


def test_an_override_of_session_scope_runs_ahead(pytester: pytest.Pytester) -> None:
    """The first test sets it up."""
    pytester.makeconftest(FIXTURE.format(scope="session", asks="", agent="Meets"))
    result = mock_run(pytester, *THREE)
    result.stdout.fnmatch_lines([AHEAD])
    result.stdout.no_fnmatch_line("*by themselves*")
    result.stdout.no_fnmatch_line("*BrokenBarrier*")
    ran_ahead(pytester)


@pytest.mark.parametrize("scope", ["function", "module"])
def test_a_narrower_fixture_runs_by_itself_and_the_header_says_how_to_change_that(
    pytester: pytest.Pytester, scope: str
) -> None:
    pytester.makeconftest(FIXTURE.format(scope=scope, asks="", agent="Agent"))
    assert said(items(pytester, "--tau-domain=mock", *THREE)) == [
        f"tau: 3 trials run by themselves: the fixture tau_agent in conftest.py has {scope} scope; "
        "session scope would let them run ahead"
    ]


@pytest.mark.parametrize(
    ("scope", "line"),
    [
        ("function", "tau: 6 trials run by themselves: the parameter tau_agent of the tests has function scope; *"),
        ("session", AHEAD),
    ],
)
def test_a_parameter_of_the_test_is_called_so_and_is_an_override_too(
    pytester: pytest.Pytester, scope: str, line: str
) -> None:
    other = "class Other(players.Agent): ..."
    mark = f'@pytest.mark.parametrize("tau_agent", [players.Agent, Other], scope="{scope}")'
    pytester.makepyfile(PYTHON.format(fixture=f"{other}\n\n    {mark}"))
    result = pytester.runpytest("--tau-concurrency=3", "-v")
    result.stdout.fnmatch_lines([line])
    agents = {record.nodeid: record.simulation.agent for record in journal(pytester.path) if record.simulation}
    assert len(agents) == 6
    for nodeid, agent in agents.items():
        assert agent.endswith("Agent" if "[Agent-" in nodeid else "Other"), (nodeid, agent)


def test_of_a_test_module_too_where_nothing_else_names_an_agent(pytester: pytest.Pytester) -> None:
    fixture = '@pytest.fixture(scope="session")\n    def tau_agent():\n        return players.Meets'
    pytester.makepyfile(PYTHON.format(fixture=fixture))
    found = items(pytester, "--tau-concurrency=3")
    assert said(found) == [AHEAD]
    request = request_ahead(found[1], Trial(found[0]).request(agent=made))
    assert request is not None
    assert request.agent is made  # what the fixture gave to the first
    assert said(items(pytester)) == ["tau: 8 conversations at once"]


def made(context: Any) -> Any:
    """A factory of a fixture."""
    raise AssertionError(context)


PARAMETRIZED = """
    import pytest

    class One:
        def __init__(self, context):
            pass

        def reply(self, messages):
            return "Goodbye."

    class Two(One):
        pass

    @pytest.fixture(scope="session", params=[One, Two], ids=["one", "two"])
    def tau_agent(request):
        return request.param
"""


def test_of_a_sub_folder_for_its_own_tests_only_and_each_value_for_those_that_have_it(
    pytester: pytest.Pytester,
) -> None:
    """The first test of the folder sets its fixture up; the others of it run ahead with that."""
    pytester.syspathinsert()
    write(pytester.path, "below/conftest.py", FIXTURE.format(scope="session", asks="", agent="Agent"))
    write(pytester.path, "below/test_below.py", PYTHON.format(fixture=""))
    write(pytester.path, "each/conftest.py", PARAMETRIZED)
    write(pytester.path, "each/test_each.py", PYTHON.format(fixture=""))
    write(pytester.path, "test_above.py", PYTHON.format(fixture=""))
    result = pytester.runpytest("--tau-concurrency=3", "-v")
    result.assert_outcomes(passed=12)
    result.stdout.fnmatch_lines([AHEAD])
    result.stdout.no_fnmatch_line("*by themselves*")
    ran_ahead(pytester)
    agents = {record.nodeid: record.simulation.agent for record in journal(pytester.path) if record.simulation}
    each = {nodeid: agent for nodeid, agent in agents.items() if nodeid.startswith("each/")}
    others = [agent for nodeid, agent in agents.items() if nodeid not in each]
    assert sorted(others) == ["oracle"] * 3 + ["players:Agent"] * 3
    assert len(each) == 6
    for nodeid, agent in each.items():
        assert agent.endswith("One" if "[one-" in nodeid else "Two"), (nodeid, agent)


AUTOUSE = """
    import pytest

    @pytest.fixture(autouse=True{scope})
    def cleans_up():
        yield
"""
DATABASE = "\n    @pytest.fixture\n    def database():\n        pass"
WORDS = """
    @pytest.fixture
    def words(tau_simulation):
        return tau_simulation.messages[-1].content
"""
VALUES = "\n    pytestmark = pytest.mark.parametrize('value', [1])"
SKIPPED = ("skip", "skipif(False, reason='')", "xfail(strict=False)")
# What may happen before a test, by folder: its files, and the reason why nothing of it runs ahead.
SET_UPS: dict[str, tuple[dict[str, str], str | None]] = {
    "every": (
        {"conftest.py": AUTOUSE.format(scope=""), "test_every.py": PYTHON.format(fixture="")},
        "the fixture cleans_up in every/conftest.py has function scope",
    ),
    "own": (
        {
            "test_own.py": PYTHON.format(
                fixture="\n    @pytest.fixture(autouse=True)\n    def cleans_up():\n        pass"
            )
        },
        "the fixture cleans_up in own/test_own.py has function scope",
    ),
    "xunit": (
        {"test_xunit.py": PYTHON.format(fixture="\n    def setup_function():\n        pass")},
        "setup_function() or setup_method() is called before each of them",
    ),
    "asked": (
        {"test_asked.py": PYTHON.format(fixture=DATABASE).replace("test_it(", "test_it(database, ")},
        "the fixture database in asked/test_asked.py has function scope",
    ),
    "used": (
        {"test_used.py": PYTHON.format(fixture=f"{DATABASE}\n    pytestmark = pytest.mark.usefixtures('database')")},
        "the fixture database in used/test_used.py has function scope",
    ),
    "classless": (
        {
            "conftest.py": AUTOUSE.format(scope=', scope="class"'),
            "test_classless.py": PYTHON.format(fixture=""),
        },
        "the fixture cleans_up in classless/conftest.py has class scope",
    ),
    "read": (
        {
            "test_read.py": PYTHON.format(fixture=WORDS).replace("test_it(", "test_it(words, tmp_path, "),
            "test_values.py": PYTHON.format(fixture=VALUES).replace("test_it(", "test_it(value, "),
        },
        None,
    ),
    "marked": (
        {
            f"test_marked_{number}.py": PYTHON.format(fixture=f"\n    pytestmark = pytest.mark.{mark}")
            for number, mark in enumerate(SKIPPED)
        },
        "marked skip, skipif or xfail",
    ),
    "module": ({"conftest.py": AUTOUSE.format(scope=', scope="module"'), "test_m.py": PYTHON.format(fixture="")}, None),
    "session": (
        {"conftest.py": AUTOUSE.format(scope=', scope="session"'), "test_s.py": PYTHON.format(fixture="")},
        None,
    ),
}


def test_what_a_tests_own_set_up_may_do(pytester: pytest.Pytester) -> None:
    """Three trials a file; that what is said is done is seen in a run of two of them."""
    pytester.syspathinsert()
    pytester.makeini("[pytest]")
    reasons = []
    for folder, (files, reason) in SET_UPS.items():
        for name, text in files.items():
            write(pytester.path, f"{folder}/{name}", text)
        number = 3 * len(files.keys() - {"conftest.py"})
        run = "trial runs by itself" if number == 1 else "trials run by themselves"
        reasons += [] if reason is None else [f"tau: {number} {run}: {reason}"]
    options = ("--tau-agent=players:Agent", "--tau-concurrency=3")
    assert sorted(said(items(pytester, *options))) == sorted([AHEAD, *reasons])
    alone = pytester.runpytest(*options, "xunit")
    alone.stdout.no_fnmatch_line(AHEAD)
    ran_alone(pytester)
    (pytester.path / "begun.txt").unlink()
    pytester.runpytest(*options, "module").stdout.no_fnmatch_line("*by themselves*")
    ran_ahead(pytester)


LOOKS = """
    import os

    class Agent:
        def __init__(self, context):
            self.database = os.environ.get("DATABASE")

        def reply(self, messages):
            return f"I look into {self.database}."
"""
SETS = """
    import pytest

    def use(name):
        patch = pytest.MonkeyPatch()
        patch.setenv("DATABASE", name)
        yield name
        patch.undo()

    @pytest.fixture
    def own(request):
        yield from use(request.node.name)

    @pytest.fixture(scope="session")
    def late():
        yield from use("late")

    def looks_into(database, simulation):
        assert f"I look into {database}." in [message.content for message in simulation.messages]
"""
# Its module's, its own and then its module's again; left behind in the next module; and one of all that comes late.
FURNISHED = {
    "test_1.py": """
        @pytest.fixture(scope="module", autouse=True)
        def database():
            yield from use("first")

        @mark
        def test_module(tau_simulation):
            looks_into("first", tau_simulation)

        @mark
        def test_own(own, tau_simulation):
            looks_into(own, tau_simulation)

        @mark
        def test_module_again(tau_simulation):
            looks_into("first", tau_simulation)
    """,
    "test_2.py": """
        @pytest.fixture(scope="module", autouse=True)
        def database():
            yield from use("second")

        @mark
        def test_module(tau_simulation):
            looks_into("second", tau_simulation)
    """,
    "test_3.py": """
        @mark
        def test_none(tau_simulation):
            looks_into(None, tau_simulation)

        def test_ordinary(own):
            pass

        @mark
        def test_patches(tau_simulation, monkeypatch):
            monkeypatch.setenv("DATABASE", "patched")

        @mark
        def test_none_again(tau_simulation, capsys):
            looks_into(None, tau_simulation)

        @mark
        def test_late(late, tau_simulation):
            looks_into("late", tau_simulation)

        @mark
        def test_late_stays(tau_simulation):
            looks_into("late", tau_simulation)
    """,
}


def test_each_trial_finds_what_fixtures_have_set_up_for_it_and_nothing_else(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(looks=LOOKS, sets=SETS)
    pytester.makeconftest("from sets import own, late")
    for name, text in FURNISHED.items():
        head = "import pytest\nfrom sets import looks_into, use\nmark = pytest.mark.tau(domain='mock', tasks=2)\n"
        write(pytester.path, name, head + dedent(text))
    result = pytester.runpytest("--tau-agent=looks:Agent", "--tau-concurrency=4")
    result.assert_outcomes(passed=19)
    result.stdout.fnmatch_lines(
        [
            "tau: 2 trials run by themselves: the fixture own in sets.py has function scope",
            "tau: 2 trials run by themselves: what the fixture monkeypatch changes *",
        ]
    )
    result.stdout.no_fnmatch_line("*capsys*")


def test_what_is_set_up_already_is_no_hindrance(pytester: pytest.Pytester) -> None:
    """The first test of the session sets it up."""
    pytester.makepyfile(sets=SETS)
    pytester.makeconftest("from sets import late")
    pytester.makepyfile(PYTHON.format(fixture="").replace("test_it(", "test_it(late, "))
    pytester.runpytest("--tau-agent=players:Meets", "--tau-concurrency=3").assert_outcomes(passed=3)
    ran_ahead(pytester)


@pytest.mark.slow
def test_under_workers_the_summary_says_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(FIXTURE.format(scope="module", asks="", agent="Agent"))
    result = workers(pytester, "--tau-domain=mock", *THREE, "-v")
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
