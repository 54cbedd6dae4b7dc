"""Installed and not used, the plugin costs and does next to nothing."""

import pytest

PROBE = """
    import sys

    def test_it():
        heavy = {"pydantic", "litellm", "asyncio", "jinja2", "pytest_tau.environment", "pytest_tau.journal"}
        assert "pytest_tau.plugin" in sys.modules
        assert heavy.isdisjoint(sys.modules), heavy & set(sys.modules)
"""
# Other plugins of this environment import what they like.
OURS_ALONE = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:timeout", "-p", "no:cacheprovider")


@pytest.mark.parametrize("args", [(), ("-p", "no:xdist")])
def test_a_plain_run_imports_prints_and_writes_nothing(pytester: pytest.Pytester, args: tuple[str, ...]) -> None:
    pytester.makepyfile(test_it=PROBE)
    result = pytester.runpytest_subprocess(*OURS_ALONE, *args)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("tau:*")
    result.stdout.no_fnmatch_line("*pass^k*")
    made = {path.name for path in pytester.path.iterdir() if not path.name.startswith("runpytest-")}
    assert made - {"__pycache__", "stdout", "stderr"} == {"test_it.py"}


def test_everything_works_without_xdist(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("-p", "no:xdist", "--tau-domain=mock")
    result.assert_outcomes(passed=6)


def test_the_plugin_can_be_switched_off(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest_subprocess("-p", "no:tau").assert_outcomes(passed=1)


def test_help_names_every_option_and_its_ini_twin(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest("--help").stdout.str()
    for name in ("domain", "k", "tasks", "agent", "user", "mode", "data", "split", "parity", "max-steps", "seed"):
        assert f"\n  --tau-{name}=" in text
        assert f"\n  tau_{name.replace('-', '_')} (string):" in text
