"""Who plays, as far as it is known before collection; what is refused is tested option by option in tests/options."""

import pytest

from pytest_tau.plugin.playing.players import (
    check_players,
    evaluates,
    is_offline,
    judges_customers,
    models_in_use,
)
from pytest_tau.plugin.reporting.header import _models
from pytest_tau.plugin.run import Run

FIXTURE = "import pytest\n\n@pytest.fixture\ndef tau_{}():\n    pass"
HOOK = "def pytest_tau_make_{}(item):\n    pass"


def a_run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


@pytest.mark.parametrize(
    ("agent", "offline"),
    [("oracle", True), ("noop", True), ("faulty:rate=0.5", True), ("llm", False), ("my:Agent", False)],
)
def test_who_asks_no_model(agent: str, offline: bool) -> None:
    assert is_offline(agent) == offline


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), False),
        (("--tau-agent=noop",), False),
        (("--tau-agent=my:Agent",), True),
        (("--tau-agent-llm=openai/a",), True),
    ],
)
def test_whether_a_run_says_something_about_an_agent(
    pytester: pytest.Pytester, args: tuple[str, ...], says: bool
) -> None:
    assert evaluates(a_run(pytester, *args)) == says


@pytest.mark.parametrize(
    ("args", "judged"),
    [
        ((), False),
        (("--tau-user-judge",), False),  # the scripted one keeps to its scenario
        (("--tau-user-judge", "--tau-user-llm=openai/u"), True),
        (("--tau-user-judge", "--tau-user=my:User"), True),
        (("--tau-user-judge", "--tau-user=my:User", "--tau-mode=solo"), False),
        (("--tau-user-judge", "--tau-rescore=run.json"), True),
        (("--tau-user-llm=openai/u",), False),
    ],
)
def test_whether_the_judge_looks_at_customers(pytester: pytest.Pytester, args: tuple[str, ...], judged: bool) -> None:
    assert judges_customers(a_run(pytester, *args)) == judged


@pytest.mark.parametrize(
    ("args", "used"),
    [
        ((), []),
        (("--tau-agent-llm=openai/a",), ["agent"]),
        (
            ("--tau-agent-llm=openai/a", "--tau-user-llm=openai/u", "--tau-judge-llm=openai/j"),
            ["agent", "user", "judge"],
        ),
        (("--tau-agent=my:Agent", "--tau-agent-llm=openai/a"), []),  # for its endpoint
        (
            ("--tau-agent=act", "--tau-agent-llm=openai/a", "--tau-user=react", "--tau-user-llm=openai/u"),
            ["agent", "user"],
        ),
    ],
)
def test_which_models_are_called(pytester: pytest.Pytester, args: tuple[str, ...], used: list[str]) -> None:
    assert list(models_in_use(a_run(pytester, *args))) == used


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--tau-agent=orakel",), "there is no agent 'orakel': use *"),
        (("--tau-user=skripted",), "there is no user 'skripted': use *"),
        (("--tau-agent=oracle", "--tau-agent-llm=openai/a"), "--tau-agent-llm: the agent 'oracle' plays no model; *"),
        (("--tau-explain",), "--tau-explain: no model uses this; name one with --tau-judge-llm"),
        (("--tau-rpm=3",), "--tau-rpm: no model is called, so it has no effect; *"),
        (("--tau-few-shot=x",), "--tau-few-shot: these transcripts are for the agent few-shot; *"),
    ],
)
def test_what_nothing_would_follow_is_refused(pytester: pytest.Pytester, args: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        check_players(a_run(pytester, *args))
    pytest.LineMatcher([str(refused.value)]).fnmatch_lines([sentence])


def test_limits_hold_for_what_an_own_agent_asks_at_its_endpoint(pytester: pytest.Pytester) -> None:
    run = a_run(pytester, "--tau-rpm=3", "--tau-budget=5", "--tau-agent=types:SimpleNamespace")
    check_players(run)
    lines = list(_models(run))
    assert lines == ["limits over all workers: rpm 3, budget $5; for models that the agent asks at context.endpoint"]


def test_an_idle_ini_value_is_not_refused(pytester: pytest.Pytester) -> None:
    """It is for the runs that it fits."""
    pytester.makeini("[pytest]\ntau_rpm = 3\ntau_explain = on\ntau_agent_llm = openai/a")
    check_players(a_run(pytester, "--tau-agent=oracle"))
