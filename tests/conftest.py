"""For property tests, and for runs of pytest within a test, also when the test itself is run by a worker."""

import gc
import importlib.metadata
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import _pytest.fixtures
import _pytest.pytester
import pluggy._manager
import pytest
from _pytest.config import default_plugins
from _pytest.fixtures import FixtureManager

# Else litellm asks the network for its prices when a test imports it, three times over where there is none.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

# A run of the project's own suites loads this file, too, and needs nothing but what the project itself depends on.
with suppress(ImportError):
    from hypothesis import HealthCheck, settings
    from hypothesis.internal.conjecture import providers

    # The same examples everywhere, and nothing that depends on how fast a machine is.
    slow = [HealthCheck.too_slow]
    settings.register_profile(
        "tau", max_examples=30, deadline=None, derandomize=True, database=None, suppress_health_check=slow
    )
    settings.load_profile("tau")
    # They would also depend on the constants in whatever modules are loaded, which take each worker seconds to read.
    vars(providers)["is_local_module_file"] = lambda path: False

# What a run of pytest within a test loads besides pytest itself, by entry point: not every plugin that happens to be
# installed. A module whose runs need another overrides the fixture `inner_plugins`.
PLUGINS = ("tau", "xdist")
# Of pytest's own, what no such run uses: setting up a plugin takes as long as playing a trial.
UNUSED = ("doctest", "faulthandler", "legacypath", "pastebin", "stepwise", "subtests", "unittest")


# Workers, and the processes that tests start, find compiled what another has compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


class _Modules:
    """The modules as they are now, for an inner run, or the test that has it, to leave as they were found.

    pytester's own takes all out before it puts them back; what a thread of an earlier run imports in between is loaded
    a second time, package and all.
    """

    def __init__(self, preserve: Callable[[str], bool] = lambda name: False) -> None:
        self._preserve = preserve
        self._before = dict(sys.modules)

    def restore(self) -> None:
        """Take out what is new, and put back what was replaced."""
        for name in [name for name in list(sys.modules) if name not in self._before and not self._preserve(name)]:
            sys.modules.pop(name, None)
        sys.modules.update(self._before)


vars(_pytest.pytester)["SysModulesSnapshot"] = _Modules


@pytest.fixture(scope="session", autouse=True)
def _nobodys_models() -> Iterator[None]:
    """Tests name their servers, or mean to have none: not those of whoever runs the tests.

    A fixture, because a run of the project's own suites on somebody's models loads this file, too.
    """
    with pytest.MonkeyPatch.context() as patch:
        for address in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
            patch.delenv(address, raising=False)
        yield


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one test keeps in the environment is no secret of the next one's, in the same process."""
    # By its dotted name it would be imported for tests that need nothing of it.
    if (scrub := sys.modules.get("pytest_tau.scrub")) is not None:
        monkeypatch.setattr(scrub, "_of_the_environment", set())


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Of n workers, each begins with every n-th of the test modules, and then finds the others compiled.

    To rewrite all asserts takes longer than all else in collecting, and every worker collects everything.
    """
    here = Path(__file__).parent
    given: dict[str, Any] = getattr(session.config, "workerinput", {})
    if given and here in [(session.config.rootpath / one).resolve() for one in session.config.args]:
        for path in sorted(here.rglob("test_*.py"))[int(given["workerid"][2:]) :: given["workercount"]]:
            # One that cannot be imported says so when it is collected.
            with suppress(Exception, pytest.skip.Exception):
                importlib.import_module(".".join(path.relative_to(here.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of each task file that is played beside the tests, a dozen by default, spread over it; the others are slow."""
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        if item.path.suffix == ".json":
            files.setdefault(item.path, []).append(item)
    for tasks in files.values():
        chosen = tasks[:: -(-len(tasks) // 12)]
        for item in tasks:
            if item not in chosen:
                item.add_marker(pytest.mark.slow)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """The tests collected live as long as the process; the garbage collector need not go through them again."""
    gc.collect()
    gc.freeze()


@cache
def _with_plugins() -> list[Any]:
    """The installed distributions that have plugins of pytest, read once a process and not in every run."""
    found = importlib.metadata.distributions()
    return [
        SimpleNamespace(
            metadata=one.metadata,
            version=one.version,
            entry_points=one.entry_points,
            files=one.files,
            _normalized_name=one.name.lower(),  # by which entry_points() tells them apart
        )
        for one in found
        if one.entry_points.select(group="pytest11")
    ]


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    """The plugins that a run of pytest within the test loads."""
    return PLUGINS


@pytest.fixture(autouse=True)
def _inner_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pytester" not in request.fixturenames:
        return
    request.getfixturevalue("pytester")  # first, because it clears a variable of these
    _prepare(monkeypatch, request.getfixturevalue("inner_plugins"))


Shared = Callable[[], AbstractContextManager[pytest.Pytester]]


@pytest.fixture(scope="module")
def shared_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """A pytester for a fixture of a module, whose run several tests read: left again when the run is over."""

    @contextmanager
    def opened() -> Iterator[pytest.Pytester]:
        with ExitStack() as ending, pytest.MonkeyPatch.context() as patch:
            function = SimpleNamespace(__name__=request.module.__name__.rpartition(".")[2])
            asks: Any = SimpleNamespace(function=function, config=request.config, addfinalizer=ending.callback)
            made = pytest.Pytester(asks, tmp_path_factory, patch, _ispytest=True)
            _prepare(patch, PLUGINS)
            yield made

    return opened


# Not in the oldest versions of pluggy and pytest that are supported, whose runs are looked at as they are.
_FIND_HOOK: Any = getattr(pluggy._manager, "_static_hook_attr", None)
_FIXTURE: Any = getattr(_pytest.fixtures, "FixtureFunctionDefinition", None)


def _names_of_hooks(plugin: object) -> list[str]:
    """Those of pytest; what is no module may have some for another's plugin manager, such as Allure's."""
    return [name for name in dir(plugin) if name.startswith("pytest_") or not isinstance(plugin, ModuleType)]


def _hook_of(plugin: Any, name: str) -> tuple[object, Callable[..., object]] | None:
    """What pluggy finds by way of ``getattr_static``, which takes long: of a module the function itself."""
    if isinstance(plugin, ModuleType) and isinstance(found := vars(plugin).get(name), FunctionType):
        return found, found
    hook: tuple[object, Callable[..., object]] | None = _FIND_HOOK(plugin, name)
    return hook


def _names_of_fixtures(holder: object) -> list[str]:
    kind = holder if isinstance(holder, type) else type(holder)
    spaces = [vars(holder)] if isinstance(holder, ModuleType) else [vars(base) for base in kind.__mro__]
    wanted = (_FIXTURE, staticmethod, classmethod)
    return sorted({name for space in spaces for name, value in space.items() if isinstance(value, wanted)})


def _prepare(monkeypatch: pytest.MonkeyPatch, plugins: tuple[str, ...]) -> None:
    """Make runs of pytest within this process, and in others, as plain and as cheap as can be."""
    # An inner run has not the workers of the outer one: syrupy would take it for one, and report nothing.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    named = [f"-p {name}" for name in plugins]  # apart, else argparse tries it as the beginning of every option
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join([*named, *(f"-p no:{name}" for name in UNUSED)]))
    # A quarter of a short run: reading what is installed, and looking for fixtures that a decorator hides.
    installed = _with_plugins()
    monkeypatch.setattr(importlib.metadata, "distributions", lambda: installed)
    monkeypatch.setattr(FixtureManager, "_check_for_wrapped_fixture", lambda *args: None, raising=False)
    # A fifth of any run: looking at all names of all plugins for hooks and fixtures, again each time.
    monkeypatch.setattr("pluggy._manager.dir", _names_of_hooks, raising=False)
    if _FIND_HOOK is not None:
        monkeypatch.setattr("pluggy._manager._static_hook_attr", _hook_of)
    if _FIXTURE is not None:
        monkeypatch.setattr("_pytest.fixtures.dir", _names_of_fixtures, raising=False)
    monkeypatch.setattr("_pytest.config.default_plugins", [one for one in default_plugins if one not in UNUSED])
    # pytester spares its runs this, and not what it only configures: as much again as configuring.
    monkeypatch.setattr("_pytest.unraisableexception.gc_collect_harder", lambda *args: None, raising=False)
