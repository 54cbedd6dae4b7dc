"""Which tests come next in this process, and whether their trials may be played ahead of them.

A trial may, when it would go the same way in its own place. So agent and customer are known before: they come from the
settings, from a hook, or from an override of session scope that has been set up for the test that runs now. And of
what the project's fixtures set up, which an agent may come upon, all that is there for its own test is there now, and
nothing else is.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..collecting.collection import slot_for
from ..private import (
    fixture_of,
    is_parameter,
    is_set_up,
    one_of_each_function,
    parameters_of,
    queued_tests,
    worker_plugin,
)
from ..run import Run, is_played
from ..workers.spool import spool
from .requesting import agent_for, models_for, trial_request, user_for
from .trial import TrialRequest

_PLAYERS = ("tau_agent", "tau_user")
_OURS = "pytest_tau.plugin.fixtures"
_XUNIT = ("_xunit_", "_unittest_")  # how pytest calls its fixtures for them
_PLAYED = {"tau_simulation", "tau_reward"}
_NODES: dict[str, Any] = {
    "class": pytest.Class,
    "module": pytest.Module,
    "package": pytest.Directory,  # the one that holds the test, at the most
    "session": pytest.Session,
}
_SUSPECT = "a worker died while it was playing them, among others"
STEERING = "tau_conversation"
_SKIPPING = ("skip", "skipif", "xfail")


class Upcoming:
    """The tests that this process is going to run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._items: list[pytest.Item] = []
        self._places: dict[str, int] = {}
        self._reasons: dict[str, str | None] = {}
        self._fixtures: dict[str, list[Any]] = {}
        self._furnished: set[pytest.Item | pytest.Collector] = set()
        # xdist tells a worker what to run in chunks; only its own object knows what has come in by now.
        self._xdist = worker_plugin(run.config) if run.is_worker else None

    def why_alone(self, item: pytest.Item) -> str | None:
        """Why a test's trial cannot be played ahead of it; None when it can."""
        return _SUSPECT if item.nodeid in spool(self._run).suspects() else self._why(item)

    def _why(self, item: pytest.Item) -> str | None:
        if item.nodeid not in self._reasons:
            self._reasons[item.nodeid] = _why_alone(self._run, item)
        return self._reasons[item.nodeid]

    def after(self, item: pytest.Item, most: int) -> Iterator[pytest.Item]:
        """The tests after this one whose trials may be played ahead, the next first, among so many.

        None that comes after a suspect: beside that one nothing is played, or another trial could kill the worker. And
        none that comes after a test for which something is set up or torn down first.
        """
        suspects = spool(self._run).suspects()
        for coming in self._after(item, most):
            if coming.nodeid in suspects or not self._finds_the_same(coming, item):
                return
            if is_played(coming) and self._why(coming) is None:
                yield coming

    def _finds_the_same(self, coming: pytest.Item, item: pytest.Item) -> bool:
        """Whether what fixtures have set up now, while a test runs, is what is there for a coming one."""
        if self._rooms(coming) != self._rooms(item):
            return False
        return all(is_set_up(fixture, coming) for fixture in self._fixtures_of(coming))

    def _rooms(self, item: pytest.Item) -> set[pytest.Item | pytest.Collector]:
        """The class, the module and the folders of a test for which something is set up; the test, if it is for it."""
        self._known_places(item.session)
        own = {_room(item, fixture) for fixture in self._fixtures_of(item)}
        return own | self._furnished.intersection(item.listchain())

    def _fixtures_of(self, item: pytest.Item) -> list[Any]:
        if item.nodeid not in self._fixtures:
            self._fixtures[item.nodeid] = _foreign_fixtures(self._run, item)
        return self._fixtures[item.nodeid]

    def given_away(self, item: pytest.Item, nodeids: Iterable[str]) -> list[str]:
        """Those of these tests that this process does not run any more from this one on: xdist gave them to others."""
        if not self._run.is_worker:
            return []
        kept, places = {*queued_tests(self._xdist)}, self._known_places(item.session)
        return [nodeid for nodeid in nodeids if nodeid != item.nodeid and places.get(nodeid) not in kept]

    def _after(self, item: pytest.Item, most: int) -> list[pytest.Item]:
        if self._run.is_worker:
            return [item.session.items[index] for index in queued_tests(self._xdist)[:most]]
        place = self._known_places(item.session).get(item.nodeid, len(self._items))
        return self._items[place + 1 : place + 1 + most]

    def _known_places(self, session: pytest.Session) -> dict[str, int]:
        if not self._places:
            self._items = session.items
            self._places = {each.nodeid: place for place, each in enumerate(self._items)}
            for each in one_of_each_function(self._items):
                self._furnished.update(_room(each, fixture) for fixture in _foreign_fixtures(self._run, each))
        return self._places


def overrides_players(run: Run, item: pytest.Item) -> bool:
    """Whether a test's trial is played with an agent or a customer from a fixture of the project."""
    return is_played(item) and not all(_is_ours(run, item, name) for name in _PLAYERS)


def request_ahead(item: pytest.Item, current: TrialRequest) -> TrialRequest | None:
    """The request that a coming test's own fixtures would make; None where that is not known yet."""
    run = current.run
    known = {"tau_agent": current.agent, "tau_user": current.user}
    players: dict[str, Any] = {}
    slot = slot_for(run, parameters_of(item)["tau_slot"])
    models = models_for(run, item, slot)
    # What this raises, it will raise again where it belongs, in the set-up of the test itself.
    try:
        for name in _PLAYERS:
            if _is_ours(run, item, name):
                players[name] = (
                    agent_for(run, item, slot, models) if name == "tau_agent" else user_for(run, item, models)
                )
            elif _same_override(item, current.item, name):
                players[name] = known[name]
            else:
                return None
        return trial_request(run, item, slot, models, players["tau_agent"], players["tau_user"])
    except (Exception, pytest.fail.Exception, pytest.skip.Exception):
        return None


def _why_alone(run: Run, item: pytest.Item) -> str | None:
    for name in _PLAYERS:
        fixture = fixture_of(item, name)
        if fixture is None:
            return "this version of pytest does not say which fixtures a test has"
        if not (_is_ours(run, item, name) or fixture.scope == "session"):
            what = "parameter" if is_parameter(fixture) else "fixture"
            place = "of the tests" if is_parameter(fixture) else f"in {_place(item, fixture)}"
            return f"the {what} {name} {place} has {fixture.scope} scope; session scope would let them run ahead"
    if STEERING in getattr(item, "fixturenames", ()):
        return f"the fixture {STEERING} plays them step by step"
    if any(item.get_closest_marker(name) for name in _SKIPPING):
        return "marked skip, skipif or xfail"
    for fixture in _foreign_fixtures(run, item):
        if _room(item, fixture) is item:
            if fixture.argname.startswith(_XUNIT):
                return "setup_function() or setup_method() is called before each of them"
            if fixture.argname == "monkeypatch":
                return "what the fixture monkeypatch changes is changed for the trials beside it too"
            return f"the fixture {fixture.argname} in {_place(item, fixture)} has {fixture.scope} scope"
    return None


def _foreign_fixtures(run: Run, item: pytest.Item) -> list[Any]:
    """What defines the fixtures of a test, asked for or autouse, that may set up what an agent comes upon.

    Not ours and not pytest's own, but for monkeypatch; nor those that read the trial when it is over.
    """
    found = []
    for name in getattr(item, "fixturenames", ()):
        fixture = fixture_of(item, name)
        if fixture is None or (name in _PLAYERS and _is_ours(run, item, name)):
            continue
        func, changes = fixture.func, name == "monkeypatch" or name.startswith(_XUNIT)
        is_known = func.__module__ == _OURS or (func.__module__.startswith("_pytest.") and not changes)
        tears_down = inspect.isgeneratorfunction(func) or inspect.isasyncgenfunction(func)
        if not (is_known or (not tears_down and _PLAYED.intersection(fixture.argnames))):
            found.append(fixture)
    return found


def _room(item: pytest.Item, fixture: Any) -> pytest.Item | pytest.Collector:
    """For what a fixture is set up: the test's class, module, folder or session, or the test itself."""
    node = _NODES.get(fixture.scope)
    return (None if node is None else item.getparent(node)) or item


def _place(item: pytest.Item, fixture: Any) -> str:
    """The file that defines a fixture, as short as a reader needs it."""
    file = Path(inspect.getfile(fixture.func))
    root = item.config.rootpath
    return file.relative_to(root).as_posix() if root in file.parents else file.name


def _is_ours(run: Run, item: pytest.Item, name: str) -> bool:
    chosen = run.settings
    if chosen.agent_from_command_line if name == "tau_agent" else chosen.user_from_command_line:
        return True
    fixture = fixture_of(item, name)
    return fixture is not None and fixture.func.__module__ == _OURS


def _same_override(item: pytest.Item, current: pytest.Item, name: str) -> bool:
    """Whether an override of session scope has the value that it has for the current test."""
    others = [{**parameters_of(each), "tau_slot": None} for each in (item, current)]
    return fixture_of(item, name) is fixture_of(current, name) and others[0] == others[1]
