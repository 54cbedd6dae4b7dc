"""The pytest plugin: the part that every session loads.

Most sessions that have pytest-tau installed do not use it, so this package does only what pytest must know in advance.

- The fixtures and the hook specifications are always there.
- The options are there where the command line or the ini file may name one, and are added late where a test asks for
  trials. Adding them all takes longer than everything else in an idle session. A conftest.py that reads an option
  finds None if nobody was given one; and so for the ini twins.
- :mod:`.hooks` does the rest. It is registered when pytest is configured, if an option or an ini value asks for
  something. Otherwise it is registered when a test with trials turns up, a JSON file (it may hold tasks), or a worker
  of xdist.
"""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

_HOOKS = "tau-hooks"
_PARSER = pytest.StashKey[pytest.Parser]()
"""Pytest's parser, as long as the options were not added to it."""
_MARKER = "tau(*, domain, tasks=None, k=None): run this test for each trial of these tasks; it uses the tau_* fixtures"


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the ``pytest_tau_*`` hooks and the fixtures known."""
    import_unchanged(pluginmanager)
    from . import fixtures, hookspecs

    pluginmanager.add_hookspecs(hookspecs)
    pluginmanager.register(fixtures, "tau-fixtures")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Add the ``--tau-*`` options and their ini twins, where somebody may name one."""
    config: Any = pluginmanager.get_plugin("pytestconfig")
    config.stash[_PARSER] = parser
    if _may_name_options(config):
        _add_options(config)


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Add the options where another plugin has put one into the arguments."""
    if _name_options(args):
        _add_options(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Begin a tau run, if this session asks for one."""
    config.addinivalue_line("markers", _MARKER)
    if _asks(config):
        _begin(config)
    elif _PARSER in config.stash:
        config.option.__class__ = _Unasked
        _answer_ini_values(config.stash[_PARSER])


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


class _Unasked(Namespace):
    """The options of a session to which ours were not added: whoever reads one of them finds that it was not given."""

    def __getattr__(self, name: str) -> None:
        if name.startswith(("tau_", "--tau-")):
            from .settings.options import ACTIONS, OPTIONS

            if any(name in (option.dest, option.flag) for option in (*OPTIONS, *ACTIONS)):
                return
        raise AttributeError(name)


class _Unread(dict[str, Any]):
    """What pytest knows of ini values, of a session to which ours were not added: whoever reads one has its default."""

    def __missing__(self, name: str) -> Any:
        if name.startswith("tau_"):
            from .settings.options import OPTIONS, TASK_DIRS

            if name == TASK_DIRS:
                return "", "linelist", []
            if any(name == option.dest for option in OPTIONS):
                return "", None, None
        raise KeyError(name)


def _answer_ini_values(parser: Any) -> None:
    """Answer who reads an ini value of ours. Needs the parser's ``_inidict``. Without: it is unknown to pytest."""
    with suppress(AttributeError):
        parser._inidict = _Unread(parser._inidict)


def _may_name_options(config: pytest.Config) -> bool:
    """Whether the command line, PYTEST_ADDOPTS or the ini file may name an option of ours, or asks which there are."""
    given = [*config.invocation_params.args, *config.getini("addopts"), *os.environ.get("PYTEST_ADDOPTS", "").split()]
    return (
        _name_options([str(one) for one in given])
        or "_ARGCOMPLETE" in os.environ
        or (config.inipath is not None and b"tau_" in config.inipath.read_bytes())
    )


def _name_options(args: list[str]) -> bool:
    """Whether these arguments may name an option of ours, be it in a file of arguments, or ask for help."""
    return any(
        "tau-" in arg or "tau_" in arg or arg[:1] == "@" or arg == "--help" or arg.strip("-lqsvx") == "h"
        for arg in args
    )


def _add_options(config: pytest.Config) -> None:
    """Add the options and their ini twins, unless that was done."""
    parser = config.stash.get(_PARSER, None)
    if parser is not None:
        from .settings.options import add_options

        del config.stash[_PARSER]
        add_options(parser)


def import_unchanged(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let Python import our modules itself: pytest rewrites the asserts of plugins, and ours assert nothing.

    Its import hook takes several times as long a module, and every worker imports hundreds. Needs the hook's
    ``_must_rewrite`` and ``_marked_for_rewrite_cache``. Without: modules are imported more slowly.
    """
    hook: Any = getattr(pluginmanager, "rewrite_hook", None)
    with suppress(AttributeError):
        hook._must_rewrite.discard("pytest_tau")
        hook._marked_for_rewrite_cache.clear()


def _asks(config: pytest.Config) -> bool:
    """Whether anything but a test or a task file asks for something of this plugin."""
    options = vars(config.option)
    return (
        any(name.startswith("tau_") and value is not None for name, value in options.items())
        or any(arg.startswith("tau") for arg in config.args)  # such as tau/retail: a built-in suite, or a public one
        or options.get("allure_report_dir") is not None
        or hasattr(config, "workerinput")
        or _has_ini_values(config)
    )


def _has_ini_values(config: pytest.Config) -> bool:
    """Whether the ini file, or ``-o``, has a value of this plugin."""
    if _PARSER in config.stash:
        return False
    from .settings.options import has_ini_values

    return has_ini_values(config)


def _begin(config: pytest.Config) -> None:
    """Register what a tau run does at each hook, unless somebody has; which begins the run."""
    if not config.pluginmanager.hasplugin(_HOOKS):
        stands_in = isinstance(config.option, _Unasked)
        if stands_in:
            config.option.__class__ = Namespace
        _add_options(config)
        from . import hooks

        config.pluginmanager.register(hooks, _HOOKS)
