"""The models of a run: clients for the sides that have one, under one set of limits, and when no trial may begin."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.llm.limits import Need
from pytest_tau.llm.pricing import Price
from pytest_tau.llm.retry import ProviderError
from pytest_tau.plugin.collecting.slot import Slot
from pytest_tau.plugin.playing.model_refusals import REFUSED, forget_refusals
from pytest_tau.plugin.playing.models import cassettes_folder, models, rates, shown_budget
from pytest_tau.plugin.playing.outcomes import NotRun
from pytest_tau.plugin.settings.reading import Settings
from pytest_tau.plugin.worker_messages import ToWorker
from pytest_tau.schema.simulation import Termination
from pytest_tau.schema.spending import Usage
from tests.builders import asks, core, finished, mock, says
from tests.llm.server import fails
from tests.llm.server import says as answers
from tests.options.models import Serve
from tests.plugin.conftest import MakeRun
from tests.plugin.inner import write

SLOT = Slot(core("mock")[0], mock(), 1)
ALL: dict[str, Any] = {"agent_llm": ("openai/a",), "user_llm": "openai/u", "judge_llm": "openai/j"}


def test_a_run_without_models_has_none(make_run: MakeRun) -> None:
    run = make_run()
    made = models(run)
    assert models(run) is made
    assert (made.clients, made.agents, made.user, made.judge, made.limits) == ({}, {}, None, None, None)
    assert made.services() == {}
    made.refuse()
    trial = made.of_trial(SLOT)
    assert (trial.agent, trial.user, trial.judge, trial.explain, trial.judge_user) == (None,) * 5
    trial.endpoint.close()


def test_each_side_has_the_model_and_the_parameters_it_was_given(make_run: MakeRun) -> None:
    arguments = {
        f"{side}_llm_args": f'{{"temperature": {number}}}' for number, side in enumerate(("agent", "user", "judge"))
    }
    made = models(make_run(**ALL, **arguments, user_style="minimal"))
    shown = {side: (client.model, dict(client.parameters)) for side, client in made.clients.items()}
    assert shown == {
        "agent": ("openai/a", {"temperature": 0}),
        "user": ("openai/u", {"temperature": 1}),
        "judge": ("openai/j", {"temperature": 2}),
    }
    assert made.user is not None
    assert made.user.style == "minimal"
    trial = made.of_trial(SLOT)
    assert trial.agent is not None
    assert trial.agent.client is made.clients["agent"]
    assert trial.judge is not None
    assert (trial.judge_user, trial.explain, trial.rate) == (None, None, None)
    trial.endpoint.close()


def test_the_judge_does_what_else_it_is_asked_for(make_run: MakeRun) -> None:
    trial = models(make_run(**ALL, user_judge=True, explain=True, satisfaction=True)).of_trial(SLOT)
    assert None not in (trial.judge_user, trial.explain, trial.rate)
    trial.endpoint.close()


def test_each_of_several_agents_has_its_own(make_run: MakeRun) -> None:
    made = models(make_run(agent=("llm", "react"), agent_llm=("openai/a", "openai/b")))
    labels = ["llm-a", "llm-b", "react-a", "react-b"]
    assert list(made.agents) == labels
    assert list(made.clients) == [f"agent {label}" for label in labels]
    trial = made.of_trial(Slot(SLOT.task, SLOT.domain, 1, agent="react-b"))
    assert trial.agent is not None
    assert trial.agent.client.model == "openai/b"
    trial.endpoint.close()


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"user_llm": "openai/u", "user_style": "nosuch"}, "nosuch"),
        ({"judge_llm": "openai/j", "judge_votes": 2}, "votes"),
        ({"agent_llm": ("openai/a",), "few_shot": "nosuch.jsonl"}, r"nosuch\.jsonl"),
        ({"agent_llm": ("openai/a",), "prices": "nosuch.json"}, r"nosuch\.json"),
    ],
)
def test_what_cannot_be_is_refused_before_any_trial(make_run: MakeRun, chosen: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        models(make_run(**chosen))


def test_an_agent_behind_an_address_is_made_once(make_run: MakeRun) -> None:
    run = make_run(agent=("one=http://127.0.0.1:9/a", "two=http://127.0.0.1:9/b", "oracle"))
    made = models(run)
    services = made.services()
    assert list(services) == ["one", "two"]
    assert made.service(run.settings.agent_called["one"]) is services["one"]
    assert services["one"] is not services["two"]


def test_the_schema_that_an_agent_of_ones_own_asks_for_reaches_the_model(make_run: MakeRun, serve: Serve) -> None:
    server = serve(answers('{"mood": "good"}'))
    wanted = {"type": "json_schema", "json_schema": {"name": "mood", "schema": {"type": "object"}}}
    endpoint = models(make_run(agent=("my_agent:Agent",))).of_trial(SLOT).endpoint
    asked = {"model": "openai/test", "messages": [{"role": "user", "content": "Hello"}], "response_format": wanted}
    endpoint.complete(asked)
    assert server.requests[0].body["response_format"] == wanted


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        ({"rpm": 7}, (7, None, None, None, None)),
        ({"tpm": 9000, "max_inflight": 4}, (None, 9000, 4, None, None)),
        ({"budget": "$2.50"}, (None, None, None, 2.5, None)),
        ({"budget": "3"}, (None, None, None, 3.0, None)),
        ({"budget": "200000 tokens"}, (None, None, None, None, 200_000)),
        ({"rpm": "500 shared", "tpm": 100}, (None, 100, None, None, None)),  # that one holds for each key
    ],
)
def test_all_processes_keep_to_one_set_of_limits(
    make_run: MakeRun, chosen: dict[str, Any], kept: tuple[float | None, ...]
) -> None:
    made = models(make_run(**chosen))
    assert made.limits is not None
    found = made.limits.settings
    assert (found.rpm, found.tpm, found.max_inflight, found.budget_usd, found.budget_tokens) == kept


def test_each_of_several_hosts_keeps_to_its_part(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run(rpm=7, budget="5")
    run.told = ToWorker(hosts=2, shared=str(tmp_path))
    made = models(run)
    assert made.limits is not None
    assert (made.limits.settings.rpm, made.limits.settings.budget_usd) == (3, 2.5)


def test_a_rate_says_whether_it_is_shared_with_other_runs(make_run: MakeRun) -> None:
    assert rates(make_run(rpm="500 shared", tpm=100)) == {"rpm": (500, True), "tpm": (100, False)}
    assert rates(make_run()) == {}


@pytest.mark.parametrize(
    ("budget", "shown"), [("5", "$5"), ("$2.50", "$2.50"), ("200000 tokens", "200000 tokens"), (None, "$")]
)
def test_a_budget_is_shown_as_people_write_it(budget: str | None, shown: str) -> None:
    assert shown_budget(Settings(budget=budget)) == shown


def test_no_trial_begins_when_the_budget_is_used_up(make_run: MakeRun) -> None:
    made = models(make_run(agent_llm=("openai/a",), budget="10 tokens"))
    made.refuse()
    limits = made.limits
    assert limits is not None
    limits.settle(asyncio.run(limits.acquire(Need())), tokens=10, usd=0.0)
    with pytest.raises(NotRun, match="the budget of 10 tokens is used up"):
        made.refuse()


def test_no_trial_begins_when_a_model_fails_every_call_and_other_processes_are_told(
    make_run: MakeRun, serve: Serve
) -> None:
    serve(fails(401, "Incorrect API key"))
    run = make_run(agent_llm=("openai/a",), retries=0)
    run.folder.mkdir(parents=True)
    made = models(run)
    with pytest.raises(Exception, match="Incorrect API key"):
        asyncio.run(made.clients["agent"].complete([{"role": "user", "content": "Hello"}]))
    with pytest.raises(NotRun, match="Incorrect API key"):
        made.refuse()
    assert "Incorrect API key" in (run.folder / REFUSED).read_text(encoding="utf-8")
    other = make_run(agent_llm=("openai/a",))
    other.__dict__["folder"] = run.folder
    with pytest.raises(NotRun, match="Incorrect API key"):
        models(other).refuse()


def test_of_several_conversations_that_a_refusal_ended_one_shows_it(make_run: MakeRun, serve: Serve) -> None:
    serve(fails(401, "Incorrect API key"))
    run = make_run(agent_llm=("openai/a",), retries=0)
    run.folder.mkdir(parents=True)
    made = models(run)
    with pytest.raises(ProviderError) as refused:
        asyncio.run(made.clients["agent"].complete([{"role": "user", "content": "Hello"}]))
    infra = Termination.INFRASTRUCTURE_ERROR
    unpaid = finished([says("Hi!"), asks("Help.")], infra, note=f"ProviderError: {refused.value}")
    made.spare(unpaid)
    with pytest.raises(NotRun, match="Incorrect API key"):
        made.spare(unpaid)
    paid = asks("Help.").model_copy(update={"usage": Usage(completion_tokens=1, prompt_tokens=1)})
    made.spare(unpaid.model_copy(update={"messages": [*unpaid.messages, paid]}))
    made.spare(unpaid.model_copy(update={"note": "the network is gone"}))
    forget_refusals(run.folder)
    assert list(run.folder.iterdir()) == []


def test_with_cassettes_every_client_answers_from_those_of_its_trial(make_run: MakeRun) -> None:
    run = make_run(**ALL, cassette="replay")
    assert cassettes_folder(run) == run.root / "cassettes"
    made = models(run)
    one, other = made.of_trial(SLOT), made.of_trial(Slot(SLOT.task, SLOT.domain, 2))
    assert one.agent is not None
    assert other.agent is not None
    assert one.agent.client is not other.agent.client is not made.clients["agent"]
    with pytest.raises(Exception, match=SLOT.task.id):
        asyncio.run(one.agent.client.complete([{"role": "user", "content": "Hello"}]))
    for trial in (one, other):
        trial.endpoint.close()


def test_prices_of_a_file_are_used(make_run: MakeRun) -> None:
    run = make_run(agent_llm=("openai/a",), prices="prices.json")
    write(run.root, "prices.json", {"a": {"input": 4000, "output": 12000}})
    assert models(run).clients["agent"].price() == Price(4000.0, 12000.0)


def test_nobody_can_tell_of_a_judge_that_there_is_not(make_run: MakeRun) -> None:
    assert asyncio.run(models(make_run()).why_no_judge()) is None
