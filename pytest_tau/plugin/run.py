"""One run of pytest as this plugin knows it; made when pytest is configured, and handed on instead of pytest's Config.

It holds what was asked for (``settings``), where (``root``, ``here``), what the processes of a run share (``told``,
``folder``, ``shared``, ``done``), and keeps what exists once a run (:meth:`Run.one`). It is made before anybody knows
what the run will need, so nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from .private import parameters_of
from .settings.options import names_trials
from .settings.reading import Settings, read_settings

if TYPE_CHECKING:
    from ..environment.documents.vectors import RetrievalModels
    from .worker_messages import ToWorker

T = TypeVar("T")
BUILTIN, PUBLIC = "tau", "tau2"
"""How the node IDs of suites begin that are not the project's."""
RECEIVER = "tau-receiver"
"""The plugin that takes trials off reports, once there are trials."""
CORE, BASE = "core", "base"
"""What is played where no split is named: of own suites, of the public data."""


def below_root(arg: str) -> str:
    """An argument without the way up: in a folder below the root, pytest prints ``../tau/retail/…`` for an ID."""
    while arg.startswith("../"):
        arg = arg[3:]
    return arg


class Run:
    """A session of pytest with this plugin.

    Attributes:
        config: pytest's own, for what only pytest has: plugins, hooks, arguments.
        settings: what the user asked for.
        here: the folder that pytest was started in.
        told: what the controlling process has told this one, where it is a worker of xdist; else None.
        done: node IDs of the trials that a resumed run has results of.
        recorded: the file whose conversations are graded again.
        recorded_with: under which settings they were played, as far as the file says.
        searching: the models that an agent's searching asks.
        begins: is told the node ID of a test that is about to look at its trial.
        ending: what is to be done when the session ends, the latest first.
    """

    def __init__(self, config: pytest.Config, told: ToWorker | None = None) -> None:
        self.config = config
        self.told = told
        self.settings: Settings = read_settings(config)
        self.here = config.invocation_params.dir
        self.done: frozenset[str] = frozenset(told.done if told else ())
        self.recorded: Path | None = None
        self.recorded_with = ""
        self.searching: RetrievalModels | None = None
        self.begins: Callable[[str], None] = lambda nodeid: None
        self.ending = ExitStack()
        self._made: dict[Any, Any] = {}
        self._lock = RLock()

    def one(self, make: Callable[[Run], T]) -> T:
        """What ``make`` makes of this run: the same object whenever it is asked for, made the first time."""
        with self._lock:  # trials ask in threads of their own
            if make not in self._made:
                self._made[make] = make(self)
        made: T = self._made[make]
        return made

    def existing(self, make: Callable[[Run], T]) -> T | None:
        """What :meth:`one` has made with ``make``, None when it was never asked to."""
        return self._made.get(make)

    @property
    def session(self) -> pytest.Session:
        """pytest's session, once there is one."""
        session: pytest.Session = self.config.pluginmanager.getplugin("session")
        return session

    @property
    def is_asked(self) -> bool:
        """Whether the command line or the ini file asks for something of this plugin."""
        return names_trials(self.config) or bool(self.settings.given) or self.names_suites

    @cached_property
    def names_suites(self) -> bool:
        """Whether a domain, a recording or an argument such as ``tau/retail`` names what is played.

        First asked before the arguments are replaced by real paths, which are all that a worker gets.
        """
        if self.told is not None and self.told.names_suites:
            return True
        named = any(below_root(arg).partition("/")[0] in (BUILTIN, PUBLIC) for arg in self.config.args)
        return bool(self.settings.domain or self.settings.rescore) or named

    @cached_property
    def root(self) -> Path:
        """The folder that holds the project's ``tasks/`` and ``domains/``.

        pytest's root directory, unless one of our options has misled it: it looks for its root before it knows them,
        and so takes the folder in ``--tau-data FOLDER`` for an argument. Where it has found an ini file above the
        folder it was started in, it was not misled.
        """
        args = [str(arg) for arg in self.config.invocation_params.args]
        explicit = self.config.args_source is pytest.Config.ArgsSource.ARGS or any(
            arg.startswith(("--rootdir", "-c", "--config-file")) for arg in args
        )
        values = (value for flag, value in pairwise(args) if flag.startswith("--tau-") and "=" not in flag)
        inipath = self.config.inipath
        found = inipath is not None and inipath.parent in (self.here, *self.here.parents)
        misled = not explicit and not found and any((self.here / value).exists() for value in values)
        return self.here if misled else self.config.rootpath

    @cached_property
    def results(self) -> Path:
        """Where journals go: relative to the root directory, so that every run of a project shares one place.

        For a file elsewhere, such as one of the public data, pytest takes its folder for the root. It is nobody's
        project without an ini file, and nothing is written there.
        """
        chosen = self.config.inipath is not None or self.config.getoption("rootdir") is not None
        ours = chosen or self.root in (self.here, *self.here.parents)
        return (self.root if ours else self.here) / self.settings.results

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains whose suites are played: named on the command line, or by the ini file for want of paths."""
        if self.told is not None:
            return self.told.domains
        explicit = self.config.args_source is pytest.Config.ArgsSource.ARGS
        # Paths on the command line come before the domains of the ini file, as they come before its testpaths.
        wanted = ("domain" in self.settings.given or not explicit) and not self.settings.rescore
        return self.settings.domain if wanted else ()

    @property
    def is_worker(self) -> bool:
        """Whether this process runs tests for another one, as a worker of xdist."""
        return self.told is not None

    @cached_property
    def folder(self) -> Path:
        """The folder of this run, the same in all its processes; made by whoever writes there first."""
        if self.told is not None:
            return self.told.run_folder
        from ..journal import new_run

        return new_run(self.results)

    @cached_property
    def shared_folder(self) -> Path:
        """A temporary folder that all processes of the run on this host share."""
        if self.told is not None and self.told.shared_folder is not None:
            return self.told.shared_folder
        import shutil

        from .parent import temporary_folder

        made = temporary_folder()
        self.config.add_cleanup(partial(shutil.rmtree, made, ignore_errors=True))
        return made


_RUN = pytest.StashKey[Run]()


def begin(config: pytest.Config, told: ToWorker | None = None) -> Run:
    """Make the run of a session that is being configured; raises UsageError for a setting that cannot be."""
    run = config.stash[_RUN] = Run(config, told)
    return run


def run_of(config: pytest.Config) -> Run:
    """The run of a session that has been configured; of one that asks for nothing, made the first time."""
    return config.stash.get(_RUN, None) or begin(config)


def uses_debugger(config: pytest.Config) -> bool:
    """Whether ``--pdb`` is given; pytest's part that knows it can be switched off."""
    return bool(getattr(config.option, "usepdb", False))


def is_trial(item: pytest.Item) -> bool:
    """Whether a test is about one trial of a task; one that pytest gives no parameters, as of unittest, is not."""
    return "tau_slot" in parameters_of(item)


def is_played(item: pytest.Item) -> bool:
    """Whether a test's trial is played, and not one of a recording."""
    return is_trial(item) and "tau_trial" in getattr(item, "fixturenames", ())
