"""Addresses: health, who is let in, what is the provider's fault, time, limits and budgets."""

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import simulate
from pytest_tau.adapters import http
from pytest_tau.adapters.address import PROTOCOLS
from pytest_tau.adapters.service import SECRET, Service, ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.conversation.limits import Limits
from pytest_tau.errors import PlayerError, SettingsError
from pytest_tau.llm.limits import LimitSettings, RunLimits
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.llm.retry import RetryPolicy
from pytest_tau.schema.simulation import Simulation, Termination
from tests.adapters.server import Answer, Asked, competent, complete_a_task, serving
from tests.builders import mock

AT_ONCE = RetryPolicy(attempts=2, base=0.0)


def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as held:
        return f"http://127.0.0.1:{held.getsockname()[1]}/agent"


def trial(made: Service, **options: Any) -> Simulation:
    return simulate(complete_a_task(), mock(), made.agent, **options)


def test_a_look_at_it_finds_it_whatever_it_answers_to_a_get() -> None:
    for status in (200, 404, 405, 501):
        with serving(lambda asked, status=status: Answer("no", status)) as server:  # type: ignore[misc]
            service(f"{server.url}/agent").check()
            assert [one.path for one in server.looked] == ["/agent"]


def test_one_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "COMES_UP", 0.0)
    with pytest.raises(SettingsError, match=r"no agent answers at http://127.0.0.1:\d+/agent: .*; start it before the"):
        service(f"{closed_port()}?token=abc").check()
    starting = Answer({"error": "starting"}, 503)
    told = r"cannot be reached \(HTTP 503: starting\); start it first"
    with serving(lambda asked: starting) as server, pytest.raises(SettingsError, match=told):
        service(server.url).check()
    with serving(lambda asked: Answer({}, 404)) as server, pytest.raises(SettingsError, match="cannot be reached"):
        service(f"a2a+{server.url}").check()


def test_one_that_comes_up_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    address, looks = closed_port(), []
    made = service(address)
    monkeypatch.setattr("time.sleep", lambda seconds: looks.append(seconds))
    monkeypatch.setattr(made, "_open", lambda *args: None if len(looks) > 1 else _refused())
    made.check()
    assert looks == [http.LOOK] * 2


def _refused() -> None:
    raise ConnectionError("Connection error: refused")


def test_the_header_comes_from_the_environment_and_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def behaviour(asked: Asked) -> Answer:
        known = asked.headers.get("authorization") == "Bearer hush-hush-1"
        return competent(asked) if known else Answer({"error": {"message": "who?"}}, 401)

    with serving(behaviour) as server:
        with pytest.raises(SettingsError, match=rf"refused access \(HTTP 401\): put .* variable {SECRET}$"):
            service(server.url).check()
        monkeypatch.setenv(SECRET, "Bearer hush-hush-1")
        made = service(server.url)
        made.check()
        simulation = trial(made)
        assert simulation.termination_reason is Termination.USER_STOP
        assert "hush" not in simulation.model_dump_json()
        monkeypatch.setenv("OTHER", "X-Api-Key: hush-hush-2")
        with pytest.raises(SettingsError, match="OTHER"):
            service(server.url, ServiceSettings(secret="OTHER")).check()  # noqa: S106 (a variable's name)
        assert server.looked[-1].headers["x-api-key"] == "hush-hush-2"
        assert "authorization" not in server.looked[-1].headers


@pytest.mark.parametrize("status", [302, 307])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_redirect_is_followed(protocol: str, status: int) -> None:
    with serving(competent) as elsewhere:
        moved = Answer({}, status, {"Location": f"{elsewhere.url}/there?key=x"})
        with serving(lambda asked: moved) as server:
            simulation = trial(service(server.url, ServiceSettings(protocol=protocol, retry=AT_ONCE)))
        assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
        told = f"redirects to {elsewhere.url}/there, and no redirect is followed: name that address"
        assert f"HTTP {status}" in str(simulation.note)
        assert told in str(simulation.note)
        assert not elsewhere.asked
        assert not elsewhere.looked


@pytest.mark.parametrize(
    ("answer", "times", "told"),
    [
        (Answer({"detail": "overloaded"}, 503), 2, "server (HTTP 503): overloaded"),
        (Answer({}, 429), 2, "rate limit (HTTP 429)"),
        (Answer(b"<html>oops</html>", 500), 2, "server (HTTP 500): <html>oops</html>"),
        (Answer(b"5\r\noops", 503, {"Transfer-Encoding": "chunked"}), 2, "server (HTTP 503): without a word"),
        (Answer(b"<html>oops</html>", 200), 2, "unreadable answer: the answer is not JSON: <html>oops</html>"),
        (Answer(b"", 204), 2, "unreadable answer: the answer is not JSON: it is empty"),
        (Answer(b"[" * 100_000, 200), 2, "unreadable answer: the answer is not JSON: [[["),
        (Answer({"error": "bad"}, 400), 1, "refused (HTTP 400): bad"),
        (Answer({}, 401), 1, "; set its Authorization header in the environment variable TAU_AGENT_AUTHORIZATION"),
        (Answer({"error": "no"}, 404), 1, "refused (HTTP 404): no; check the address"),
    ],
)
def test_what_goes_wrong_on_the_way_is_no_miss(answer: Answer, times: int, told: str) -> None:
    with serving(lambda asked: answer) as server:
        simulation = trial(service(server.url, ServiceSettings(retry=AT_ONCE)))
        assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
        assert told in str(simulation.note)
        assert len(server.asked) == times


def test_an_answer_that_is_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_tau.adapters.http._LONGEST", 10)
    with serving(lambda asked: Answer({"content": "Hello."})) as server:
        note = str(trial(service(server.url, ServiceSettings(retry=AT_ONCE))).note)
    assert "unreadable answer: the answer is longer than 10 bytes" in note


@pytest.mark.parametrize("body", [{"content": 5, "why": "sk-abcdefghijklmnop"}, "Bearer abcdefghijkl", None])
def test_an_answer_of_another_shape_is_a_bug_and_shows_no_key(body: Any) -> None:
    with (
        serving(lambda asked: Answer(body)) as server,
        pytest.raises(PlayerError, match=r"answered .*; it must be") as told,
    ):
        trial(service(server.url, ServiceSettings(retry=AT_ONCE)))
    assert len(server.asked) == 1
    assert "abcdefghijkl" not in str(told.value)


def test_a_bad_moment_is_got_over() -> None:
    broken = iter([Answer({}, 502)])
    with serving(lambda asked: next(broken, None) or competent(asked)) as server:
        assert trial(service(server.url, ServiceSettings(retry=AT_ONCE))).termination_reason is Termination.USER_STOP
        assert len(server.asked) == 3
        assert len({one.body["conversation_id"] for one in server.asked}) == 1


def test_what_fails_for_all_fails_once() -> None:
    with serving(lambda asked: Answer({"error": "no such agent"}, 404)) as server:
        made = service(server.url, ServiceSettings(retry=AT_ONCE))
        assert made.refusal is None
        for _ in range(3):
            assert trial(made).termination_reason is Termination.INFRASTRUCTURE_ERROR
        assert len(server.asked) == 1
        assert "no such agent" in str(made.refusal)


def test_a_connection_that_ends_and_an_answer_that_never_comes_are_infra() -> None:
    simulation = trial(service(closed_port(), ServiceSettings(retry=AT_ONCE)))
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert "nothing has ever answered there" in str(simulation.note) or "connection" in str(simulation.note)
    over = threading.Event()
    with serving(lambda asked: Answer({"content": "late"}, hold=over)) as server:
        made = service(server.url, ServiceSettings(retry=AT_ONCE, parameters={"timeout": 0.02}))
        assert (
            'time-out: TimeoutError; a call may take 0.02 s: for more, give {"timeout": 0.04} in its parameters'
            in str(trial(made).note)
        )
        ended = trial(service(server.url), limits=Limits(timeout=0.02))
        assert ended.termination_reason is Termination.TIMEOUT
        over.set()


def limited(tmp_path: Path, **limits: Any) -> RunLimits:
    return RunLimits(tmp_path, LimitSettings(**limits))


def priced(asked: Asked) -> Answer:
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    return Answer({**competent(asked).body, "model": "m", "usage": usage})


def test_limits_count_its_requests(tmp_path: Path) -> None:
    limits = limited(tmp_path, rpm=1000, max_inflight=1)
    prices = Prices({"m": Price(input=10_000, output=10_000)})
    with serving(priced) as server:
        trial(service(server.url, ServiceSettings(limits=limits, prices=prices)))
    spent = limits.spending()
    assert (spent.calls, spent.tokens, round(spent.usd, 6)) == (2, 220, 2.2)


@pytest.mark.parametrize(
    ("told", "cost"),
    [({"usage": {"prompt_tokens": 10, "completion_tokens": 5}}, 0.15), ({"cost": 0.5}, 0.5), ({}, 0.0)],
)
def test_an_answer_that_nobody_can_read_is_paid_for(tmp_path: Path, told: dict[str, Any], cost: float) -> None:
    limits = limited(tmp_path, rpm=1000)
    prices = Prices({"m": Price(input=10_000, output=10_000)})
    with serving(lambda asked: Answer({"choices": [], "model": "m", **told})) as server:
        made = service(server.url + "/v1", ServiceSettings(retry=AT_ONCE, prices=prices, limits=limits))
        simulation = trial(made)
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert simulation.agent_cost == limits.spending().usd == 2 * cost


@pytest.mark.parametrize(
    ("budget", "behaviour", "told"),
    [
        ({"budget_tokens": 100_000}, competent, "does not say how many tokens an answer"),
        ({"budget_usd": 5.0}, priced, "does not say how many USD an answer"),
        ({"budget_tokens": 5000}, priced, None),
        ({"budget_tokens": 200}, priced, "the budget of 200 tokens is reached"),
    ],
)
def test_a_budget_holds_or_says_why_it_cannot(
    tmp_path: Path, budget: dict[str, Any], behaviour: Callable[[Asked], Answer], told: str | None
) -> None:
    limits = limited(tmp_path, **budget)
    with serving(behaviour) as server:
        simulation = trial(service(server.url, ServiceSettings(limits=limits, retry=AT_ONCE)))
    if told is None:
        assert simulation.termination_reason is Termination.USER_STOP
    else:
        assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
        assert told in str(simulation.note)


def test_a_request_that_was_refused_uses_nothing_of_a_budget(tmp_path: Path) -> None:
    limits = limited(tmp_path, budget_tokens=5000)
    turned_away = iter([Answer({}, 429)] * 8)
    with serving(lambda asked: next(turned_away, None) or priced(asked)) as server:
        simulation = trial(service(server.url, ServiceSettings(limits=limits, retry=RetryPolicy(base=0.0))))
    assert simulation.termination_reason is Termination.USER_STOP
    assert (limits.spending().calls, limits.spending().tokens) == (10, 220)


def test_trials_side_by_side_are_not_mixed() -> None:
    from pytest_tau import asimulate

    def behaviour(asked: Asked) -> Answer:
        return Answer({"content": asked.body["conversation_id"]})

    async def both() -> list[Simulation]:
        made = service(server.url)
        return list(
            await asyncio.gather(*(asimulate(complete_a_task(), mock(), made.agent, trial=n) for n in range(1, 4)))
        )

    with serving(behaviour) as server:
        simulations = asyncio.run(both())
    said = [{m.content for m in one.messages[1:] if m.role == "assistant"} for one in simulations]
    assert [len(one) for one in said] == [1, 1, 1]
    assert len(set.union(*said)) == 3
