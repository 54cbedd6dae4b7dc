"""What is found out about a task beside its first trial; what is printed of it is in tests/options/test_audit.py."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.conversation.limits import Limits
from pytest_tau.environment.domain import Domain
from pytest_tau.plugin.collecting.slot import Slot
from pytest_tau.plugin.playing.auditing import task_worth
from pytest_tau.plugin.run import Run
from tau_workshop.audit import suite
from tests.builders import core, mock

MINE = "--tau-agent=mine:Agent"


@pytest.fixture
def domain() -> Iterator[Domain]:
    """The to-do list, of which nothing is known yet."""
    found = mock()
    before = dict(found.memo)
    found.memo.clear()
    yield found
    found.memo.clear()
    found.memo.update(before)


def worth(pytester: pytest.Pytester, slot: Slot, *args: str) -> Any:
    run = Run(pytester.parseconfig(*args))
    return task_worth(SimpleNamespace(run=run, slot=slot, limits=Limits()))  # type: ignore[arg-type]


def test_an_agent_that_is_evaluated_is_told_the_floor_once_a_task(pytester: pytest.Pytester, domain: Domain) -> None:
    slot = Slot(core("mock")[0], domain, 1)
    found = worth(pytester, slot, MINE)
    assert (found.trivial, found.floor_only, found.mutants) == ([], True, 0)
    assert worth(pytester, slot, MINE) is None  # it stands on the first trial


@pytest.mark.parametrize("args", [(), ("--tau-agent=noop",), (MINE, "--tau-mode=solo")])
def test_of_nobody_who_is_evaluated_there_is_none(
    pytester: pytest.Pytester, domain: Domain, args: tuple[str, ...]
) -> None:
    assert worth(pytester, Slot(core("mock")[0], domain, 1), *args) is None


def test_it_can_be_left_out(pytester: pytest.Pytester, domain: Domain) -> None:
    pytester.makeini("[pytest]\ntau_audit = off")
    assert worth(pytester, Slot(core("mock")[0], domain, 1), MINE) is None


def test_an_audit_tells_of_mutants_too(pytester: pytest.Pytester, domain: Domain) -> None:
    found = worth(pytester, Slot(core("mock")[0], domain, 1), "--tau-audit")
    assert (found.trivial, found.floor_only) == ([], False)
    assert found.mutants >= found.noticed > 0


def test_an_audit_that_breaks_off_says_so(
    pytester: pytest.Pytester, domain: Domain, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*args: Any) -> Any:
        raise SystemError("no such thing")

    slot = Slot(core("mock")[0], domain, 1)
    monkeypatch.setattr(suite, "audit_task", breaks)
    assert worth(pytester, slot, "--tau-audit").findings == ["the audit broke off: SystemError: no such thing"]
    domain.memo.clear()
    monkeypatch.setattr("pytest_tau.diagnosis.trivial.trivial_passes", breaks)
    assert worth(pytester, slot, MINE) is None
