"""Installed and not used, the plugin costs and does next to nothing."""

import re

import pytest

from tests.plugin.inner import task, write

PROBE = """
    import sys

    def test_it():
        assert {"pydantic", "litellm", "asyncio", "jinja2"}.isdisjoint(sys.modules)
        ours = {name.removeprefix("pytest_tau.plugin.") for name in sys.modules if name.startswith("pytest_tau.")}
        assert ours == {"pytest_tau.plugin", "fixtures", "hookspecs", "settings", "settings.option", "settings.options"}
"""
# Other plugins of this environment import what they like.
OURS_ALONE = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:timeout", "-p", "no:cacheprovider")


def test_a_plain_run_imports_prints_and_writes_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=PROBE)
    result = pytester.runpytest_subprocess(*OURS_ALONE)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("tau:*")
    result.stdout.no_fnmatch_line("*pass^k*")
    made = {path.name for path in pytester.path.iterdir() if not path.name.startswith("runpytest-")}
    assert made - {"__pycache__", "stdout", "stderr"} == {"test_it.py"}


@pytest.mark.parametrize(
    ("args", "asks"),
    [
        ((), False),
        (("tests", "-k", "tau"), False),
        (("--tau-k=2",), True),
        (("-o", "tau_seed=7"), True),
        (("-o", "tau_task_dirs=evals"), True),
        (("tau/mock/add_a_task.json",), True),
        (("restaurant",), False),
    ],
)
def test_what_a_run_does_is_loaded_where_something_is_asked_for(
    pytester: pytest.Pytester, args: tuple[str, ...], asks: bool
) -> None:
    pytester.mkdir("evals")
    assert pytester.parseconfigure(*args).pluginmanager.hasplugin("tau-hooks") is asks


@pytest.mark.parametrize(
    ("file", "text", "asks"),
    [
        ("pytest.ini", "[pytest]\ntau_k = 3", True),
        ("pytest.ini", "[pytest]\ntau_k =", False),
        ("pyproject.toml", "[tool.pytest.ini_options]\ntau_k = 3\ntau_gate = ['pass^1 > 0']", True),
        ("pyproject.toml", "[tool.pytest.ini_options]\nminversion = '8.0'", False),
    ],
)
def test_so_it_is_where_the_ini_file_asks(pytester: pytest.Pytester, file: str, text: str, asks: bool) -> None:
    (pytester.path / file).write_text(text, encoding="utf-8")
    assert pytester.parseconfigure().pluginmanager.hasplugin("tau-hooks") is asks


def test_and_where_a_file_may_be_one_of_tasks(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/mine.json", task())
    config = pytester.parseconfigure("tasks/mock/mine.json")
    assert not config.pluginmanager.hasplugin("tau-hooks")
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    assert [item.nodeid for item in session.perform_collect()] == ["tasks/mock/mine.json::test_task[trial1]"]
    assert config.pluginmanager.hasplugin("tau-hooks")
    config._ensure_unconfigure()


def test_everything_works_without_xdist_and_loads_no_integration_that_nobody_asked_for(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeconftest("""
        import sys

        def pytest_unconfigure():
            names = ("pytest_tau.plugin.integrations.allure", "allure", "opentelemetry", "litellm", "syrupy")
            print()
            print("loaded:", [name for name in sys.modules if name.startswith(names)])
    """)
    result = pytester.runpytest_subprocess("-p", "no:xdist", "-p", "no:syrupy", "-s", "--tau-domain=mock")
    result.assert_outcomes(passed=6)
    assert "loaded: []" in result.outlines


def test_who_lists_tests_waits_for_nothing_that_plays_decides_or_reports(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/mine.json", task())
    pytester.makeconftest("""
        import sys

        def pytest_unconfigure():
            ours = [name.removeprefix("pytest_tau.") for name in sys.modules if name.startswith("pytest_tau.")]
            unused = ("metrics", "evaluation", "journal", "reports", "users.scripted", "agents.oracle",
                      "environment.sql", "environment.documents",
                      "plugin.recording", "plugin.reporting.gates", "plugin.playing.running")
            print("loaded:", [name for name in ours if name.startswith(unused)])
    """)
    result = pytester.runpytest_subprocess("-p", "no:syrupy", "-s", "--collect-only", "--tau-k=2", "tasks")
    result.stdout.fnmatch_lines(["*2 tests collected*", "loaded: []"])


def test_the_plugin_can_be_switched_off(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_ADDOPTS")  # where the runs of our tests name it
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    config = pytester.parseconfigure("-p", "no:tau")
    assert not hasattr(config.option, "tau_domain")
    plugins = [plugin for name, plugin in config.pluginmanager.list_name_plugin() if plugin is not None]
    assert not [plugin for plugin in plugins if getattr(plugin, "__name__", "").startswith("pytest_tau.")]
    assert hasattr(pytester.parseconfig("--tau-k=1").option, "tau_domain")


@pytest.mark.parametrize("line", ["addopts = --tau-k=4", "tau_k = 4"])
def test_options_may_stand_in_the_ini_file(pytester: pytest.Pytester, line: str) -> None:
    pytester.makeini(f"[pytest]\n{line}")
    config = pytester.parseconfig()
    assert str(config.option.tau_k or config.getini("tau_k")) == "4"


def test_another_plugin_may_put_one_into_the_arguments(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        adding="""
        def pytest_load_initial_conftests(args):
            args.append("--tau-k=5")
        """
    )
    pytester.syspathinsert()
    assert pytester.parseconfig("-p", "adding").option.tau_k == 5


def test_a_conftest_may_read_an_option_that_nobody_was_given(pytester: pytest.Pytester) -> None:
    option = pytester.parseconfigure()
    assert option.getoption("--tau-domain") is None
    assert option.getoption("tau_domain") is None
    assert option.getoption("--tau-resume") is None
    assert option.option.tau_domain is None
    assert option.getoption("--tau-domian", default="a typo") == "a typo"
    with pytest.raises(ValueError, match="no option named 'tau_domian'"):
        option.getoption("tau_domian")


def test_so_it_may_read_an_ini_value(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    assert config.getini("tau_k") is None
    assert config.getini("tau_task_dirs") == []
    with pytest.raises(ValueError, match="unknown configuration value: 'tau_kk'"):
        config.getini("tau_kk")
    assert config.getini("markers")


def test_every_option_has_an_ini_twin_that_strict_config_knows(pytester: pytest.Pytester) -> None:
    whole = pytester.runpytest("--tau-help").stdout.str()
    for name in ("domain", "k", "tasks", "agent", "user", "mode", "data", "split", "parity", "max-steps", "seed"):
        assert f"\n  --tau-{name} " in whole
    flags = set(re.findall(r"^  --tau-([a-z-]+)\b", whole, re.MULTILINE)) - {"bless", "resume"}
    assert {"k", "domain", "max-steps", "gate"} <= flags
    values = "\n".join(f"tau_{flag.replace('-', '_')} =" for flag in sorted(flags))
    pytester.makeini(f"[pytest]\n{values}\ntau_task_dirs = evals")
    pytester.mkdir("evals")
    pytester.makepyfile("def test_it(): pass")
    result = pytester.runpytest("--strict-config", "-W", "error")
    result.assert_outcomes(passed=1)


FOREIGN = """
    import sys
    import pytest

    @pytest.mark.parametrize("one", [1], ids=["trial1"])
    def test_of_a_clinic(one): pass

    def test_trial_by_jury():
        assert {"pydantic", "pytest_tau.journal"}.isdisjoint(sys.modules)
"""
LAST = """
    import sys

    def pytest_sessionfinish(session):
        if not hasattr(session.config, "workerinput"):
            print("loaded:", sorted(name for name in sys.modules if name.startswith("pytest_tau.")))
"""


def test_somebody_elses_trials_in_workers_are_none_of_ours(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=FOREIGN)
    pytester.makeconftest(LAST)
    result = pytester.runpytest_subprocess(*OURS_ALONE, "-n1", "-s")
    result.assert_outcomes(passed=2)
    assert not (pytester.path / ".tau").exists()
    assert "pytest_tau.plugin.reporting" not in result.stdout.str()
    result.stdout.no_fnmatch_line("*pass^k*")
    result.stdout.no_fnmatch_line("*tau:*")


def test_who_prints_what_workers_play_imports_nothing_that_grades(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(LAST)
    result = pytester.runpytest_subprocess(*OURS_ALONE, "-n1", "-s", "--tau-domain=mock", "--tau-tasks=2")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*loaded: *pytest_tau.plugin.reporting.receiver*"])
    result.stdout.no_fnmatch_line("*loaded: *pytest_tau.evaluation*")


@pytest.mark.slow
def test_trials_of_ours_in_python_are_seen_in_workers_without_any_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_it="""
        import pytest

        @pytest.mark.tau(domain="mock", tasks=1, k=2)
        def test_it(tau_reward): assert tau_reward.passed
        """
    )
    result = pytester.runpytest_subprocess(*OURS_ALONE, "-n2")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*tau: pass^k*", "journal: *"])
