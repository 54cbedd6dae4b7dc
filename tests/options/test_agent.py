"""``--tau-agent``."""

import pytest

from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, journal, mock_run, outcomes, rows
from tests.plugin.parts import mock_play

ONE = "--tau-tasks=complete_a_task"


def test_the_oracle_is_the_default_and_said_to_be_no_model(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, ONE, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "tau: no model is evaluated: the oracle knows the answers; "
            "name one with --tau-agent-llm, or your agent with --tau-agent module:factory"
        ]
    )
    result.stdout.fnmatch_lines(
        [
            "agent: oracle   user: scripted",
            "No model was evaluated: *; name one with --tau-agent-llm, or your agent with --tau-agent module:factory.",
        ]
    )


def test_noop_passes_nothing_and_every_trial_ends_with_the_users_stop(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, "--tau-agent=noop")
    result.assert_outcomes(failed=6)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert {str(record.simulation.termination_reason) for record in journal(pytester.path) if record.simulation} == {
        "user_stop"
    }
    assert rows(result)["mock"]["missed"] == "6"


def test_faulty_gives_the_same_table_for_the_same_seed(pytester: pytest.Pytester) -> None:
    args = ("--tau-agent=faulty:rate=0.5", "--tau-k=2", "--tau-seed=7", "--tau-tasks=3")
    first, second = (rows(mock_play(pytester, *args))["mock"] for _ in range(2))
    assert first == second
    assert 0.0 < float(first["pass^2"].split(" ")[0]) < float(first["pass^1"].split(" ")[0]) < 100.0


def test_a_factory_of_yours(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_play(pytester, "--tau-agent=agents:Completes", "--tau-tasks=complete_a_task,add_a_task")
    result.assert_outcomes(passed=1, failed=1)
    assert outcomes(pytester.path) == {"complete_a_task": "passed", "add_a_task": "missed"}
    result.stdout.no_fnmatch_line("*o model *s evaluated*")
    result.stdout.fnmatch_lines(["agent: agents:Completes   user: scripted"])
    assert rows(result)["mock"]["cost"] == "unknown"  # "Goodbye." came without a price


BAD = [
    (
        "orakel",
        "there is no agent 'orakel': use llm, *, noop, faulty, or module:factory or http://… for your own *oracle*",
    ),
    (
        "oracle:rate=1",
        "agent 'oracle' has no option 'rate'; it takes careful, where tools may fail, hearsay, which takes ids as it "
        "hears them, and team, in a domain's roles",
    ),
    ("faulty:rate=2", "agent 'faulty': rate must be a number from 0 to 1, not '2'"),
    ("faulty:0.3", "agent 'faulty:0.3': options are key=value, separated by commas, not '0.3'"),
    ("faulty:kind=x", "agent 'faulty': there is no kind 'x'; use *"),
    ("nosuch:Agent", "the agent 'nosuch:Agent' cannot be imported: ModuleNotFoundError: No module named 'nosuch'"),
    ("agents:Missing", "the agent 'agents:Missing' cannot be imported: AttributeError: *"),
    ("broken:Agent", "the agent 'broken:Agent' cannot be imported: SyntaxError: *"),
    ("agents:number", "the agent 'agents:number' is 3: it must be a callable that returns an object with reply*"),
    ("agents:shared", "the agent 'agents:shared' is one object for all trials, which would mix their *"),
]


@pytest.mark.parametrize(("value", "sentence"), BAD)
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, value: str, sentence: str) -> None:
    pytester.makepyfile(agents=AGENTS, broken="def (")
    refused(pytester, "--tau-domain=mock", f"--tau-agent={value}").fnmatch_lines(
        [f"ERROR: {sentence}".replace("[", "[[]")]
    )


def test_an_empty_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    assert_refused("agent", "", "must not be empty")
