"""Who plays a test's trial: the command line, a fixture, a hook, an ini value, the oracle, in this order."""

from collections.abc import Callable
from typing import Any

import pytest

from pytest_tau.agents.prompts import oracle_plan
from pytest_tau.conversation.faults import Verdict
from pytest_tau.conversation.replies import player
from pytest_tau.errors import InfraError, PlayerError, SettingsError, TauError
from pytest_tau.plugin.playing.requesting import criteria, name_factory
from pytest_tau.schema.reward import CriterionResult
from tests.plugin.inner import AGENTS, example
from tests.plugin.trials import Trial, items

ONE = "tau/mock/complete_a_task.json"
HOOKS = """
    from agents import Completes, Leaves

    def pytest_tau_make_agent(item):
        return Completes

    def pytest_tau_make_user(item):
        return Leaves
"""


@pytest.fixture
def trial(pytester: pytest.Pytester) -> Callable[..., Trial]:
    """Collects the trial of a task."""
    pytester.makepyfile(agents=AGENTS)

    def made(*args: str) -> Trial:
        return Trial(items(pytester, ONE, *args)[0])

    return made


Make = Callable[..., Trial]


def test_the_oracle_and_the_scripted_customer_play_where_nobody_is_named(trial: Make) -> None:
    request = trial().request()
    assert (request.agent_name, request.user_name) == ("oracle", "scripted")
    assert (request.solo, request.plan, request.models.judge, request.limits.timeout) == (False, None, None, 600.0)


def test_an_ini_value_is_played_then(pytester: pytest.Pytester, trial: Make) -> None:
    pytester.makeini("[pytest]\ntau_agent = noop\ntau_user = agents:Leaves")
    assert trial().players == ("noop", "agents:Leaves")


def test_a_hook_comes_before_an_ini_value_and_the_command_line_before_both(
    pytester: pytest.Pytester, trial: Make
) -> None:
    pytester.makeini("[pytest]\ntau_agent = noop\ntau_user = agents:Silent")
    pytester.makeconftest(HOOKS)
    assert trial().players == ("agents:Completes", "agents:Leaves")
    assert trial("--tau-agent=faulty", "--tau-user=scripted").players == ("faulty", "scripted")


def test_the_command_line_comes_before_a_fixture(trial: Make) -> None:
    def of_a_fixture(context: Any) -> Any:
        raise AssertionError

    fixtures = name_factory(of_a_fixture, "mine"), name_factory(of_a_fixture, "hers")
    request = trial("--tau-agent=noop", "--tau-user=agents:Leaves").request(*fixtures)
    assert (request.agent_name, request.user_name) == ("noop", "agents:Leaves")
    request = trial().request(*fixtures)
    assert (request.agent, request.user) == fixtures
    assert (request.agent_name, request.user_name) == ("mine", "hers")


def test_a_hook_may_name_an_agent_by_a_text(pytester: pytest.Pytester, trial: Make) -> None:
    pytester.makeconftest("def pytest_tau_make_agent(item): return 'faulty:rate=0.5'")
    assert trial().players[0] == "faulty:rate=0.5"


@pytest.mark.parametrize("side", ["agent", "user"])
def test_what_is_no_factory_is_refused(pytester: pytest.Pytester, trial: Make, side: str) -> None:
    pytester.makeconftest(f"def pytest_tau_make_{side}(item): return 3")
    sentence = f"the {side} from pytest_tau_make_{side} is 3: it must be a callable that returns an object"
    with pytest.raises(TauError, match=sentence):
        trial().request()


def test_an_agent_of_the_project_beside_several_of_the_ini_file_is_refused(
    pytester: pytest.Pytester, trial: Make
) -> None:
    pytester.makeini("[pytest]\ntau_agent =\n    noop\n    oracle")
    pytester.makeconftest(HOOKS)
    with pytest.raises(SettingsError, match="the ini file names several agents, and a fixture or hook"):
        trial().request()


class QuotaExceeded(Exception):
    """As the example has it."""


class OutOfIdeas(Exception):
    """Likewise."""


def test_what_is_a_providers_fault_a_hook_may_say(pytester: pytest.Pytester, trial: Make) -> None:
    def faults() -> list[Verdict]:
        classify = trial().request().classify
        return [classify(error) for error in (QuotaExceeded(), InfraError("down"), ValueError(), OutOfIdeas())]

    assert faults() == [False, True, False, False]
    pytester.makeconftest(example("pytest_tau_classify_error"))
    assert faults() == [True, True, False, "miss"]
    pytester.makeconftest("def pytest_tau_classify_error(exception): return False")
    assert faults() == [False, False, False, False]
    pytester.makeconftest("def pytest_tau_classify_error(exception): return 'bug'")
    with pytest.raises(TauError, match="pytest_tau_classify_error returned 'bug'; return True"):
        faults()


def test_the_limits_stand_in_the_request(trial: Make) -> None:
    limits = trial("--tau-max-steps=7", "--tau-max-errors=3", "--tau-timeout=9").request().limits
    assert (limits.max_steps, limits.max_errors, limits.timeout) == (7, 3, 9.0)


def test_a_plan_is_given_in_the_mode_for_it(trial: Make) -> None:
    assert trial("--tau-mode=oracle-plan").request().plan is oracle_plan
    assert trial().request().plan is None


def test_what_hooks_grade_becomes_one_list() -> None:
    assert criteria([]) == []
    one, two, three, four = (CriterionResult(criterion=name, value=1.0) for name in ("A", "B", "C", "D"))
    assert criteria([one, [two, three], (four,)]) == [one, two, three, four]


@pytest.mark.parametrize(
    ("returned", "shown"), [(5, "5"), (True, "True"), ([None], "None"), ({"value": 1}, "{'value': 1}")]
)
def test_what_is_no_criterion_is_told_with_its_hook(returned: Any, shown: str) -> None:
    told = f"the hook pytest_tau_grade returned {shown}; return a CriterionResult or a list of them"
    with pytest.raises(TauError) as raised:
        criteria([returned])
    assert str(raised.value) == told


@pytest.mark.parametrize("value", [2.0, -0.1])
def test_a_value_that_is_no_share_is_told_with_its_criterion(value: float) -> None:
    with pytest.raises(
        TauError, match=f"pytest_tau_grade returned the value {value:g} for SHORT; give one from 0 to 1"
    ):
        criteria([CriterionResult(criterion="SHORT", value=value)])


def test_a_factory_that_does_not_take_the_context_is_told_so_by_its_name() -> None:
    class Bare:
        pass

    bare: Any = Bare
    told = r"the agent factory agents:Bare cannot be called with the trial's context: Bare\(\) takes no arguments$"
    with pytest.raises(PlayerError, match=told):
        player(name_factory(bare, "agents:Bare"), "context", "agent")
