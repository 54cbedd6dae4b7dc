"""The pytest plugin: the part that every session loads.

Most sessions that have pytest-tau installed do not use it, so this package does only what pytest must know in advance.

- The fixtures, the hook specifications and the options are always there.
- :mod:`.hooks` does the rest. It is registered when pytest is configured, if an option or an ini value asks for
  something. Otherwise it is registered when a test with trials turns up, a JSON file (it may hold tasks), or a worker
  of xdist.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

_HOOKS = "tau-hooks"
_MARKER = "tau(*, domain, tasks=None, k=None): run this test for each trial of these tasks; it uses the tau_* fixtures"


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the ``pytest_tau_*`` hooks and the fixtures known."""
    from . import fixtures, hookspecs

    pluginmanager.add_hookspecs(hookspecs)
    pluginmanager.register(fixtures, "tau-fixtures")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ``--tau-*`` options and their ini twins."""
    from .settings.options import add_options

    add_options(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """Show all options, if that is asked for; ``pytest --help`` has the first of them, and not their ini twins."""
    if vars(config.option).get("help"):
        from .private import leave_out_of_help
        from .settings.options import OPTIONS

        leave_out_of_help(config, (option.dest for option in OPTIONS))
    if not vars(config.option).get("show_tau_help"):
        return None
    from .settings.all_help import all_help

    print(all_help(), end="")  # noqa: T201
    return 0


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Begin a tau run, if this session asks for one."""
    config.addinivalue_line("markers", _MARKER)
    if _asks(config):
        _begin(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a task file that was asked for, be it by its path alone."""
    if file_path.suffix != ".json":
        return None
    _begin(parent.config)
    from .hooks import collect

    return collect(file_path, parent)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each trial; last, so that ids end with the trial whatever else parametrizes the test."""
    if "tau_slot" in metafunc.fixturenames:
        _begin(metafunc.config)
        from .hooks import make_trials

        make_trials(metafunc)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """See that workers are told what they are part of: which tests there are, they find out."""
    _begin(config)
    from .hooks import begin_workers

    begin_workers(config, specs)


def _asks(config: pytest.Config) -> bool:
    """Whether anything but a test or a task file asks for something of this plugin."""
    from .settings.options import has_ini_values, names_trials

    options = vars(config.option)
    return (
        any(name.startswith("tau_") and value is not None for name, value in options.items())
        or any(arg.lstrip("./").startswith("tau") for arg in config.args)  # such as tau/retail: a built-in suite
        or names_trials(config)
        or options.get("allure_report_dir") is not None
        or hasattr(config, "workerinput")
        or has_ini_values(config)
    )


def _begin(config: pytest.Config) -> None:
    """Register what a tau run does at each hook, unless somebody has; which begins the run."""
    if not config.pluginmanager.hasplugin(_HOOKS):
        from . import private

        private.import_unchanged(config.pluginmanager)
        from . import hooks

        config.pluginmanager.register(hooks, _HOOKS)
