"""Worlds are apart, and no call can break one."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_tau import Domain, load_domain
from pytest_tau.environment.domain import load_base, load_spec
from pytest_tau.environment.environment import ToolResult
from pytest_tau.environment.folders import builtin_folder, builtin_names
from pytest_tau.schema.values import canonical
from tests.laws.strategies import calls
from tests.shared import shared

# One that has only code is looked at on the public data, where that is there.
PUBLIC = [name for name in builtin_names("domains") if load_spec(builtin_folder("domains", name)).public_only]
OWN = [name for name in builtin_names("domains") if name not in PUBLIC]
# The other worlds are the same with parity; only answers of tools differ.
PARITY = [pytest.param((name, True), marks=() if name == "mock" else pytest.mark.slow) for name in OWN]
DOMAINS = [*((name, False) for name in OWN), *PARITY, *((name, True) for name in PUBLIC)]
# Of each domain so many: a call that breaks a world breaks it in nearly every example.
few = settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(params=DOMAINS, ids=lambda param: f"{param[0]}-{'parity' if param[1] else 'ours'}")
def domain(request: pytest.FixtureRequest) -> Domain:
    name, parity = request.param
    return load_domain(name, data=shared("tau2")) if name in PUBLIC else load_domain(name, parity=parity)


@few
@given(st.data())
def test_a_fresh_world_equals_its_base_whatever_was_done_in_another(domain: Domain, data: st.DataObject) -> None:
    before = domain.environment().state()
    touched = domain.environment()
    for name, arguments, requestor in data.draw(st.lists(calls(domain), min_size=1, max_size=6)):
        result = touched.call(name, arguments, requestor)  # type: ignore[arg-type]
        assert isinstance(result, ToolResult)
        assert isinstance(result.content, str)
        assert result.content.startswith("Error: ") or not result.error
    fresh = domain.environment()
    assert fresh.state() == before
    assert fresh.changes() == []
    # What was changed can be said, field by field, exactly when there is a difference.
    assert bool(touched.changes()) == (touched.state() != before)


@few
@given(st.data())
def test_the_same_calls_lead_to_the_same_world(domain: Domain, data: st.DataObject) -> None:
    made = data.draw(st.lists(calls(domain), min_size=1, max_size=4))
    one, two = domain.environment(), domain.environment()
    results: list[list[Any]] = [[env.call(n, a, r) for n, a, r in made] for env in (one, two)]  # type: ignore[arg-type]
    assert results[0] == results[1]
    assert one.state() == two.state()


def test_the_base_is_still_its_file(domain: Domain) -> None:
    """After the laws above: nothing has written into what all worlds share."""
    parsed = load_base(domain.spec.tools, domain.texts, "db")
    assert canonical(domain.environment().dump()["agent"]) == canonical(parsed.fresh().state())


@settings(few, max_examples=3)  # each makes four worlds
@given(st.data())
def test_a_copy_goes_its_own_way(domain: Domain, data: st.DataObject) -> None:
    before, one, other = (data.draw(st.lists(calls(domain), max_size=4)) for _ in range(3))

    def run(env: Any, made: list[Any]) -> list[ToolResult]:
        return [env.call(name, arguments, side) for name, arguments, side in made]

    world = domain.environment()
    run(world, before)
    twin = world.copy()
    assert twin.state() == world.state()
    expected = []
    for branch in (one, other):
        alone = domain.environment()
        run(alone, before)
        expected.append((run(alone, branch), alone.changes()))
    assert [(run(env, branch), env.changes()) for env, branch in ((world, one), (twin, other))] == expected
