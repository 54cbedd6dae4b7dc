"""``--tau-gate``: what the exit status is with it, what is shown, and what is refused before anything is played."""

import textwrap
from collections.abc import Callable

import pytest

from pytest_tau.plugin.settings.reading import read_settings
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, make_shop, mock_run, outcomes, rows, workers, write
from tests.plugin.parts import Parts, collect, mock_play, play

OK, FAILED, INTERRUPTED, USAGE = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.INTERRUPTED,
    pytest.ExitCode.USAGE_ERROR,
)
TWO = "--tau-tasks=complete_a_task,count_my_tasks"
HALF = (TWO, "--tau-agent=agents:Completes")  # passes the first and misses the second
HELD, BROKEN = "pass^1 >= 50 %", "pass^1 > 50 %"
IN_DOUBT = "cost <= 5"  # the agent does not say what its texts cost
ORACLE = "ERROR: gates and baselines need an agent, and the oracle that plays by default knows the answers: *"

# What besides the misses goes wrong in a run, as an agent that takes the place of Completes for count_my_tasks.
ELSEWHERE = """

def unlucky(error):
    class Agent(Completes):
        def reply(self, messages):
            if self.context.task_id == "count_my_tasks":
                raise error
            return super().reply(messages)

    return Agent


Buggy = unlucky(ValueError("a bug"))
Down = unlucky(InfraError("down"))
Stopped = unlucky(KeyboardInterrupt())
"""


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=textwrap.dedent(AGENTS) + ELSEWHERE)


def gated(pytester: pytest.Pytester, gate: str, *args: str) -> pytest.RunResult:
    return mock_run(pytester, f"--tau-gate={gate}", *args)


def test_several_gates_all_hold_or_the_run_fails(pytester: pytest.Pytester) -> None:
    result = gated(pytester, HELD, *HALF, f"--tau-gate={BROKEN}", "--tau-gate=every task: pass^1 > 0", "-v")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        [
            "tau/mock/count_my_tasks.json::test_task[[]trial1] MISSED*",
            "*__ MISSED tau/mock/count_my_tasks.json::test_task[[]trial1] __*",
            "missed DB, COMMUNICATE*(reward 0, *",
            "*Run exactly this trial again: *",
            f"gate {HELD}: HELD: pass^1 is 50.0 %: 1 of 2 tasks solved; 50.0 % required",
            f"gate {BROKEN}: FAILED: *",
            "gate every task: *: FAILED: 1 of 2 tasks break it: *",
            "*1 passed, 1 missed*",
        ]
    )


def test_misses_are_shown_as_such(pytester: pytest.Pytester) -> None:
    result = gated(pytester, HELD, *HALF, "--color=yes")
    assert result.ret == OK
    assert outcomes(pytester.path)["count_my_tasks"] == "missed"
    text = result.stdout.str()
    assert "\x1b[33m1 missed\x1b[0m" in text.replace("\x1b[33m\x1b[1m", "\x1b[33m")
    assert "failed" not in text


# What could make it good at the most: one that holds, and one in doubt that may pass.
BOTH = (f"--tau-gate={HELD}", f"--tau-gate={IN_DOUBT}", "--tau-inconclusive=pass", "--tau-min-coverage=0")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((*HALF, "test_teardown.py"), FAILED),
        ((*HALF, "test_broken.py"), INTERRUPTED),
        ((*HALF, "test_broken.py", "--continue-on-collection-errors"), FAILED),
    ],
    ids=["teardown", "collect", "collect-on"],
)
def test_no_gate_makes_good_what_is_no_miss(pytester: pytest.Pytester, args: tuple[str, ...], expected: int) -> None:
    pytester.makepyfile(
        test_broken="import no_such_module",
        test_teardown="""
            import pytest

            @pytest.fixture
            def breaks():
                yield
                raise ValueError

            def test_it(breaks): pass
        """,
    )
    result = mock_run(pytester, TWO, *BOTH, *args)
    assert result.ret == expected
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_no_gate_makes_good_a_bug(pytester: pytest.Pytester) -> None:
    assert mock_play(pytester, TWO, *BOTH, "--tau-agent=agents:Buggy").ret == FAILED


def test_a_run_that_was_stopped_holds_no_gate(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_passes="def test_passes(): pass")
    result = gated(pytester, "pass^1 >= 0", *HALF, "test_passes.py", "-x", "--tau-min-coverage=0")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(
        ["gate *: FAILED: no gate holds: the run was stopped early (stopping after 1 failures)"]
    )


def test_ctrl_c_is_an_interrupt_whatever_the_gates(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", TWO, "--tau-agent=agents:Stopped", *BOTH, f"--tau-gate={BROKEN}")
    result = pytester.runpytest_inprocess(*args, no_reraise_ctrlc=True)
    assert result.ret == INTERRUPTED
    said = "FAILED: no gate holds: the run was interrupted"
    result.stdout.fnmatch_lines([f"gate {gate}: {said}" for gate in (HELD, IN_DOUBT, BROKEN)])


def test_a_selection_that_leaves_nothing_was_not_interrupted(pytester: pytest.Pytester) -> None:
    result = gated(pytester, HELD, *HALF, "-k", "no_such_task")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result.stdout.fnmatch_lines(["gate *: FAILED: no gate holds: nothing was played"])


@pytest.mark.parametrize("asked", [("--tau-gate=pass^1 >= 0",), ("--tau-bless", "--tau-baseline=base.json")])
def test_a_command_whose_gate_has_no_trial_to_decide_on_is_red(
    pytester: pytest.Pytester, asked: tuple[str, ...]
) -> None:
    pytester.makepyfile(test_it="def test_it(): pass")
    result = pytester.runpytest("--tau-agent=noop", *asked)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["*nothing was played: name a domain with --tau-domain, *", "*1 passed*"])


def test_trials_that_were_never_run_fail_the_gate(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(skips="import pytest\n\ndef pytest_runtest_setup(item):\n    pytest.skip('not today')")
    pytester.syspathinsert()
    result = gated(pytester, HELD, *HALF, "-p", "skips")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate *: FAILED: no gate holds: 0 of 2 planned trials have a verdict *"])


def test_reruns_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--reruns', type=int, default=0)")
    refused(pytester, "--tau-domain=mock", *HALF, f"--tau-gate={HELD}", "--reruns=2").fnmatch_lines(
        ["ERROR: --reruns plays missed trials again until they pass, so no rate is right*"]
    )
    with pytest.raises(pytest.UsageError, match="--reruns plays missed trials again"):  # once there are trials
        collect(pytester, "--tau-domain=mock", "--tau-tasks=1", "--reruns=2")
    pytester.parseconfigure("--tau-domain=mock", *HALF, f"--tau-gate={HELD}", "--reruns=0")
    assert not (pytester.path / ".tau").exists()


@pytest.mark.parametrize("args", [("--tau-gate=pass^1 >= 0",), ("--tau-baseline=b.json", "--tau-bless")])
def test_the_oracle_by_default_is_refused(pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
    refused(pytester, "--tau-domain=mock", *args).fnmatch_lines([ORACLE])
    pytester.parseconfigure("--tau-domain=mock", *args, "--tau-agent=oracle")
    assert not (pytester.path / ".tau").exists()


FIXTURE = """
    import agents
    import pytest

    @pytest.fixture
    def tau_agent():
        return agents.Completes
"""
HOOK = """
    import agents

    def pytest_tau_make_agent(item):
        return agents.Completes
"""


@pytest.mark.parametrize(
    ("conftest", "folder", "run"),
    [(FIXTURE, "tasks/shop", pytest.Pytester.runpytest), (HOOK, ".", play)],
    ids=["fixture in a folder", "hook"],
)
def test_a_conftest_names_the_agent(
    pytester: pytest.Pytester, conftest: str, folder: str, run: Callable[..., Parts | pytest.RunResult]
) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]")
    pytester.syspathinsert()
    write(pytester.path, f"{folder}/conftest.py", conftest)
    # It sells nothing, as the oracle would.
    assert run(pytester, "--tau-domain=shop", "--tau-gate=pass^1 <= 0").ret == OK


def test_a_conftest_below_that_leaves_it_to_the_oracle_is_found_out(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]")
    write(pytester.path, "tasks/shop/conftest.py", "")
    result = play(pytester, "--tau-domain=shop", "--tau-gate=pass^1 >= 0")
    assert result.ret == USAGE
    result.stdout.fnmatch_lines(["gates and baselines need an agent, and the oracle*"])


def test_a_module_with_an_agent_of_its_own(pytester: pytest.Pytester) -> None:
    test = """
    @pytest.mark.tau(domain="mock", tasks="c*")
    def test_it(tau_reward):
        assert tau_reward.passed
    """
    pytester.makepyfile(test_it=textwrap.dedent(FIXTURE) + textwrap.dedent(test))
    result = pytester.runpytest(f"--tau-gate={HELD}", f"--tau-gate={BROKEN}")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines([f"gate {HELD}: HELD: *", f"gate {BROKEN}: FAILED: *"])


def test_ini_twin(pytester: pytest.Pytester) -> None:
    pytester.makeini(f"[pytest]\ntau_gate =\n    {HELD}\n    {BROKEN}\ntau_agent = agents:Completes")
    pytester.makepyfile(test_it="def test_it(): pass")
    result = mock_play(pytester, TWO)
    assert result.ret == FAILED
    result.stdout.fnmatch_lines([f"gate {HELD}: HELD: *", f"gate {BROKEN}: FAILED: *"])
    assert read_settings(pytester.parseconfig(f"--tau-gate={HELD}")).gate == (HELD,)  # in place of all of them
    assert pytester.runpytest().ret == OK  # the gates are about tau runs only


def test_ini_gates_hold_for_paths_too(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]\ntau_gate = pass^1 >= 0")
    result = play(pytester, "tasks")
    assert result.ret == USAGE
    result.stdout.fnmatch_lines(["gates and baselines need an agent, and the oracle that plays by default *"])
    assert collect(pytester, "tasks", "--collect-only").ret == OK
    pytester.parseconfigure("--tau-domain=mock", "--collect-only")


def test_a_gate_that_cannot_be_decided_is_refused_when_the_trials_are_known(pytester: pytest.Pytester) -> None:
    """Others sooner: tests/plugin/reporting/test_gates.py."""
    result = gated(pytester, "pass^3 >= 0", "--tau-agent=noop", "--tau-k=2")
    assert result.ret == USAGE
    result.stderr.fnmatch_lines(
        ["ERROR: gate 'pass^3 >= 0': needs 3 trials of a task, and this run has 2; run with --tau-k 3"]
    )
    assert "missed" not in result.stdout.str()
    assert "FAILED" not in result.stdout.str()  # the sentence is all there is to say


# With workers; one whose gate holds: tests/plugin/workers/test_xdist.py.


@pytest.mark.slow
def test_with_workers_no_gate_makes_good_what_is_no_miss(pytester: pytest.Pytester) -> None:
    assert workers(pytester, "--tau-domain=mock", TWO, *BOTH, "--tau-agent=agents:Buggy").ret == FAILED


@pytest.mark.slow
@pytest.mark.parametrize("agent", [(), ("--tau-agent=noop",)])
def test_with_workers_what_can_be_known_before_is_refused_before(
    pytester: pytest.Pytester, agent: tuple[str, ...]
) -> None:
    """Without an agent the session is refused, with one what its workers have collected."""
    make_shop(pytester.path)
    pytester.makeini("[pytest]\ntau_gate = pass^3 >= 0")
    result = workers(pytester, "tasks", *agent)
    assert result.ret == USAGE
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


@pytest.mark.slow
def test_with_workers_a_stopped_run_holds_no_gate(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", "--tau-gate=pass^1 >= 0", "--tau-agent=noop", "--tau-k=4", "-x")
    result = workers(pytester, *args)
    assert result.ret in (FAILED, INTERRUPTED)
    result.stdout.fnmatch_lines(["gate *: FAILED: no gate holds: the run was stopped early *"])


ROWS = """
import pytest

@pytest.mark.tau(domain="mock", tasks="c*")
def test_it(tau_reward):
    assert tau_reward.passed

class TestIt:
    @pytest.mark.tau(domain="mock", tasks="c*")
    @pytest.mark.parametrize("tone", ["a:b", "loud"])
    def test_tone(self, tone, tau_reward):
        assert tau_reward.passed
"""


def test_every_row_of_the_table_can_be_named(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=ROWS)
    names = ["mock", "mock, test_it", "mock, TestIt::test_tone, a:b", "mock, TestIt::test_tone, loud", "all"]
    gates = [f"{name}: {gate}" for name in names[:4] for gate in (HELD, "every task: pass^1 >= 0.5")]
    args = ("--tau-domain=mock", "test_it.py", "--tau-agent=agents:Completes", TWO)
    result = play(pytester, *args, *(f"--tau-gate={gate}" for gate in gates))
    assert set(rows(result)) == set(names)
    result.stdout.fnmatch_lines_random(
        [f"gate {gate.replace('[', '[[]')}: {'HELD' if 'every' not in gate else 'FAILED'}: *" for gate in gates]
    )


def test_a_row_that_is_not_there_is_named_with_those_that_are(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=ROWS)
    result = play(pytester, "--tau-agent=agents:Completes", "--tau-gate=mock: pass^1 >= 0")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines(["gate 'mock: *': the run has no domain 'mock'; it has mock, TestIt::test_tone, a:b*"])


def test_no_word_is_said_twice(pytester: pytest.Pytester) -> None:
    args = (*HALF, "--tau-baseline=b.json")
    assert mock_play(pytester, *args, "--tau-bless").ret == FAILED  # a miss is one without a gate
    result = mock_play(pytester, "--tau-gate=no regression", *args)
    result.stdout.fnmatch_lines(["gate no regression: HELD: unchanged: pass^1 50.0 % → 50.0 % over 2 common tasks, *"])
