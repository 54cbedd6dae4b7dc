"""A trial against a server that speaks a protocol: what was asked, what became of the answers, what they cost."""

from pathlib import Path
from typing import Any

from pytest_tau import Simulation, grade, load_domain, load_tasks, simulate
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.conversation.limits import Limits
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.llm.retry import RetryPolicy
from tests.adapters.server import Asked, Behaviour, complete_a_task, serving
from tests.builders import mock
from tests.pictures import picture_task

AT_ONCE = RetryPolicy(attempts=3, base=0.0)
PRICES = Prices({"m": Price(input=1_000_000, output=2_000_000)})


def played(
    behaviour: Behaviour, path: str = "", *, solo: bool = False, **settings: Any
) -> tuple[Simulation, list[Asked], list[Asked]]:
    with serving(behaviour) as server:
        agent = service(server.url + path, ServiceSettings(retry=AT_ONCE, **settings)).agent
        return simulate(complete_a_task(), mock(), agent, solo=solo), server.asked, server.looked


def earned(simulation: Simulation) -> float | None:
    return grade(complete_a_task(), simulation, mock()).value


def costs(simulation: Simulation) -> list[float | None]:
    return [m.cost for m in simulation.messages[1:] if m.role == "assistant"]


def with_a_picture(behaviour: Behaviour, folder: Path, path: str, **settings: Any) -> list[Asked]:
    (shown,) = load_tasks(picture_task(folder))
    with serving(behaviour) as server:
        agent = service(server.url + path, ServiceSettings(retry=AT_ONCE, **settings)).agent
        simulate(shown, mock(), agent, limits=Limits(max_steps=2))
        return server.asked


def asked_in_roles(behaviour: Behaviour, **settings: Any) -> list[Asked]:
    """What is asked for one answer in a domain that has roles."""
    with serving(behaviour) as server:
        agent = service(server.url, ServiceSettings(retry=AT_ONCE, **settings)).agent
        simulate(load_tasks("retail_desk")[0], load_domain("retail_desk"), agent, limits=Limits(max_steps=2))
        return server.asked
