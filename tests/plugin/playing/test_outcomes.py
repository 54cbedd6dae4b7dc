"""What becomes of a trial, and what a reader is shown of it."""

from dataclasses import dataclass

import pytest

from pytest_tau import grade, simulate
from pytest_tau.environment.tasks import read_task
from pytest_tau.plugin.playing.outcomes import NotRun, TauInfra, TauInvalid, TauMiss, Ungraded, ending, outcome_of
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.simulation import Termination
from tests.builders import core, finished, mock
from tests.conftest import Shared
from tests.plugin.inner import AGENTS, Found, journal, mock_run, outcomes, rows, task, write

ONE = "--tau-tasks=complete_a_task"
TASK = core("mock")[0]
JUDGED = read_task(
    task(
        evaluation_criteria={
            **task()["evaluation_criteria"],
            "nl_assertions": ["It was kind."],
            "reward_basis": ["DB", "NL_ASSERTION"],
        }
    ),
    "here",
)


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        (Termination.INFRASTRUCTURE_ERROR, TauInfra),
        (Termination.TIMEOUT, TauInfra),
        (Termination.USER_ERROR, TauInvalid),
        (Termination.USER_STOP, Ungraded),
    ],
)
def test_how_a_trial_without_a_grade_ends_its_test(reason: Termination, error: type[BaseException]) -> None:
    assert ending(finished(reason=reason), None) is error


def test_how_a_graded_trial_ends_its_test() -> None:
    for agent, error in (("oracle", None), ("noop", TauMiss)):
        simulation = simulate(TASK, mock(), agent)
        assert ending(simulation, grade(TASK, simulation, mock())) is error
    late = simulate(TASK, mock(), "noop").model_copy(update={"termination_reason": Termination.TIMEOUT})
    assert ending(late, grade(TASK, late, mock())) is TauMiss  # as --tau-timeout-as has it


def test_what_is_missed_needs_no_judge() -> None:
    for agent, error in (("oracle", Ungraded), ("noop", TauMiss)):
        simulation = simulate(JUDGED, mock(), agent)
        assert ending(simulation, grade(JUDGED, simulation, mock())) is error


@pytest.mark.parametrize(
    ("error", "played", "not_played"),
    [
        (None, Outcome.PASSED, None),
        (TauMiss(), Outcome.MISSED, Outcome.ERROR),
        (AssertionError(), Outcome.MISSED, Outcome.ERROR),
        (pytest.fail.Exception("no"), Outcome.MISSED, Outcome.ERROR),
        (AttributeError(), Outcome.ERROR, Outcome.ERROR),
        (TauInfra(), Outcome.INFRA_ERROR, Outcome.INFRA_ERROR),
        (TauInvalid(), Outcome.INVALID, Outcome.INVALID),
        (Ungraded("waits"), Outcome.UNGRADED, Outcome.UNGRADED),
        (NotRun("no budget"), None, None),
        (pytest.skip.Exception("not today"), None, None),
    ],
)
def test_what_a_tests_end_says_of_its_trial(
    error: BaseException | None, played: Outcome | None, not_played: Outcome | None
) -> None:
    assert outcome_of(error, played=True) == played
    assert outcome_of(error, played=False) == not_played


AGENT = [
    ("Completes", "passed", "*11 failed, 1 passed*"),
    ("Polite", "missed", "missed DB, ENV_ASSERTION (reward 0, ended by user_stop)"),
    ("Faults", "missed", "*the agent gave up*"),
    ("Provider", "infra_error", "InfraError: the provider is down"),
    ("Raises", "error", "agents.py:*: ValueError"),
    ("Asserts", "error", "agents.py:*: AssertionError"),
    ("Broken", "error", "agents.py:*: ValueError"),
    ("Numbers", "error", "Numbers.reply() returned int; return AssistantMessage or str"),
    ("nothing", "error", "the agent factory *nothing returned 3; it must return an object with reply*"),
    ("RaisesLater", "error", ">       raise ValueError(*"),
    ("Strange", "missed", '*get_users(x="<object object at *>")*'),
]


@dataclass(frozen=True)
class Ran:
    """What a run with a trial for each of the agents said and left; a customer spoils the last."""

    result: pytest.RunResult
    records: list[TrialRecord]
    row: dict[str, str]


@pytest.fixture(scope="module")
def ran(shared_run: Shared) -> Ran:
    """One after the other in one process."""
    with shared_run() as pytester:
        later = "class RaisesLater(Polite):\n    async def reply(self, messages):\n        raise ValueError('late')\n"
        pytester.makepyfile(agents=f"{AGENTS}\n\n{later}")
        pytester.makeconftest(f"""
            import agents

            AGENTS = {[name for name, *_ in AGENT]!r}

            def trial_of(item):
                return int(item.name.rpartition("trial")[2].removesuffix("]"))

            def pytest_tau_make_agent(item):
                return getattr(agents, [*AGENTS, "Polite"][trial_of(item) - 1])

            def pytest_tau_make_user(item):
                return agents.Silent if trial_of(item) > len(AGENTS) else None
        """)
        result = mock_run(pytester, ONE, f"--tau-k={len(AGENT) + 1}", "-v")
        return Ran(result, journal(pytester.path), rows(result)["mock"])


@pytest.mark.parametrize("trial", range(1, len(AGENT) + 1))
def test_of_an_agent(ran: Ran, trial: int) -> None:
    _, outcome, shown = AGENT[trial - 1]
    assert ran.records[trial - 1].outcome.value == outcome
    heading = [f"*_ mock/complete_a_task, trial {trial} _*"] if outcome != "passed" else []
    ran.result.stdout.fnmatch_lines([*heading, shown])


def test_a_traceback_is_of_the_agents_code(ran: Ran) -> None:
    text = ran.result.stdout.str().replace("\\", "/")
    assert "pytest_tau/" not in text  # no frame of ours
    assert "asyncio" not in text


def test_invalid_when_the_customer_breaks_the_rules(ran: Ran) -> None:
    assert ran.records[-1].outcome == "invalid"
    assert ran.row["invalid"] == "1"


def test_the_denominator_is_told(ran: Ran) -> None:
    assert ran.row["infra"] == "1"
    ran.result.stdout.fnmatch_lines(["(!) The table leaves out 1 infra, 1 invalid, 6 errors; had they all missed … *"])


def test_what_could_not_be_put_into_json_is_kept_as_text(ran: Ran) -> None:
    (record,) = (found for found, (name, *_) in zip(ran.records, AGENT, strict=False) if name == "Strange")
    assert record.simulation is not None
    calls = [call for message in record.simulation.messages for call in getattr(message, "tool_calls", None) or []]
    assert calls[0].arguments["x"].startswith("<object object")


def test_a_trial_that_broke_says_why(ran: Ran) -> None:
    record = ran.records[[name for name, *_ in AGENT].index("Raises")]
    assert (record.outcome, record.note) == ("error", "ValueError: a bug in the agent")
    assert record.simulation is not None  # as far as it came
    assert record.simulation.termination_reason == "test_ended"


def test_ungraded_is_neither_passed_nor_missed(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/one.json", JUDGED.model_dump(mode="json", exclude_defaults=True))
    result = mock_run(pytester, "-v")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*UNGRADED*", "*1 trial waits for a judge (NL_ASSERTION)*", "*1 ungraded*"])
    assert outcomes(pytester.path) == {"one": "ungraded"}


BODIES = {
    "assert tau_simulation.steps == 0": "missed",
    "pytest.fail('not like this') if tau_simulation.steps else None": "missed",
    "tau_simulation.nosuch": "error",
    "assert tau_simulation.steps > 0": "passed",
}


def test_of_a_test_of_yours(pytester: pytest.Pytester) -> None:
    mark = "@pytest.mark.tau(domain='mock', tasks='add_a_task')\n"
    tests = [f"{mark}def test_{number}(tau_simulation):\n    {body}\n" for number, body in enumerate(BODIES)]
    tests += [f"{mark}def test_skips(tau_simulation):\n    pytest.skip('not today')\n"]
    tests += ["@pytest.fixture\ndef strict(tau_trial):\n    assert tau_trial.simulation.steps == 0\n"]
    tests += [f"{mark}def test_strict(strict):\n    pass\n"]
    pytester.makepyfile(test_it="import pytest\n\n" + "\n".join(tests))
    found = Found()
    result = pytester.runpytest(plugins=[found])
    kept = {record.nodeid.partition("::test_")[2].partition("[")[0]: record for record in journal(pytester.path)}
    names = [str(number) for number in range(len(BODIES))]
    assert [kept[name].outcome.value for name in names] == list(BODIES.values())
    assert {name for name in rows(result) if name != "all"} == {f"mock, test_{name}" for name in (*names, "strict")}
    assert all(rows(result)[f"mock, test_{name}"]["trials"][0] == "1" for name in names)
    # A test without verdict counts for none; what was played and perhaps paid for is kept all the same.
    assert kept["skips"].simulation is not None
    assert found.outcomes["test_it.py::test_skips[add_a_task-trial1]"] == "skipped"
    # An assertion that fails in a fixture is an error and no miss.
    assert kept["strict"].outcome == "error"
    assert result.parseoutcomes() == {"passed": 1, "failed": 3, "skipped": 1, "errors": 1}


def test_what_was_played_for_tests_that_were_skipped_is_told_with_its_cost(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="complete_a_task", k=2)
        def test_it(tau_reward):
            pytest.skip("flaky")
    """)
    told = "[(]!) 2 conversations had ended and their tests were skipped, *(cost: $0.00); let a test fail *"
    for again in ((), ("--tau-resume",)):
        result = pytester.runpytest("--tau-export=csv:trials.csv", *again)
        assert result.ret == pytest.ExitCode.OK
        result.stdout.fnmatch_lines(["*tau: pass^k*", "*written: *trials.csv", told])
        result.stdout.no_fnmatch_line("*more conversation*")


def test_a_trial_that_nobody_looks_at_is_not_played(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        def test_it(tau_trial, tau_task):
            pass
    """)
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.OK
    assert rows(result) == {}
    assert not (pytester.path / ".tau").exists()
