"""The models of a session: clients for agent, customer and judge, under one set of limits over all workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ...agents.names import AgentModel, is_elsewhere
from ...users.names import UserModel
from ..collecting.domains import user_guidelines
from ..run import Run
from ..settings.agents import ChosenAgent
from ..settings.reading import Settings
from ..workers.activity import monitor
from ..workers.hosts import number_of_hosts
from .apart import is_apart, isolated_service
from .model_refusals import Refusals

if TYPE_CHECKING:
    from ...adapters.service import Service
    from ...environment.domain import Domain
    from ...evaluation.judges.nl_assertions import Judge
    from ...evaluation.judges.review import Reviewer
    from ...llm.cassette import Cassette, Mode
    from ...llm.client import LiteLLMClient
    from ...llm.embedding import EmbeddingClient
    from ...llm.endpoint.serving import Proxy
    from ...llm.endpoint.trial import TrialEndpoint
    from ...llm.limits import CallLimits, RunLimits
    from ...llm.pricing import Prices
    from ...llm.protocol import ModelClient, Role
    from ...llm.retry import RetryPolicy
    from ...schema.record import Fault
    from ...schema.reward import Judgement, Reward, Satisfaction
    from ...schema.simulation import Simulation, UserFinding
    from ...schema.task import Task
    from ..collecting.slot import Slot


@dataclass(frozen=True)
class TrialModels:
    """The models as one trial asks them, so that every call is recorded as a call of this trial."""

    agent: AgentModel | None
    user: UserModel | None
    endpoint: TrialEndpoint
    cassette: Cassette | None = None
    judge: Judge | None = None
    reviewer: Reviewer | None = None
    judge_user: Callable[[Task, Simulation], Coroutine[Any, Any, tuple[list[UserFinding], Judgement]]] | None = None
    explain: Callable[[Task, Simulation, Reward, Fault, Domain], Coroutine[Any, Any, Fault]] | None = None
    rate: Callable[[Simulation], Coroutine[Any, Any, Satisfaction]] | None = None


class Models:
    """The models that the settings name, each made once a process; raises SettingsError for what cannot be."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._chosen = run.settings
        self.limits = _limits(run)
        self.clients: dict[str, LiteLLMClient] = {}
        self.agents = {agent.label: self._agent(agent) for agent in run.settings.agents if agent.model is not None}
        self._services: dict[ChosenAgent, Service] = {}
        self.user = self._user()
        self.judge = self._judge()
        self._proxied: dict[str, LiteLLMClient] = {}
        self._embedders: dict[str, ModelClient] = {}
        self._searching: list[LiteLLMClient | EmbeddingClient] = []
        self._proxy: Proxy | None = None

    def _agent(self, agent: ChosenAgent) -> AgentModel:
        from ...agents.few_shot import read_displays

        shots = self._chosen.few_shot
        displays = read_displays(self._run.root / shots) if shots else []
        side = f"agent {agent.label}" if agent.label else "agent"
        return AgentModel(self._client(side, str(agent.model), self._chosen.agent_llm_args), displays)

    def service(self, agent: ChosenAgent) -> Service:
        """What stands behind an agent's address or command; raises SettingsError."""
        if agent not in self._services:
            if not is_elsewhere(agent.name):
                self._services[agent] = isolated_service(self._run, agent)
                return self._services[agent]
            from ...adapters.nursery import environment
            from ...adapters.service import SECRET, ServiceSettings
            from ...adapters.services import service  # with HTTP, which other agents do not need

            chosen, given = self._chosen, self._chosen.agent_llm_args
            settings = ServiceSettings(
                protocol=None if agent.name.startswith("command:") else chosen.agent_protocol,
                model=agent.model,
                parameters=json.loads(given) if given else {},
                secret=f"{SECRET}_{_variable(agent.label)}" if agent.label else SECRET,
                retry=self._retry(),
                limits=self.limits,
                prices=self._prices(),
                environment=environment(chosen.isolate_env or ()) if chosen.isolate else None,
            )
            self._services[agent] = service(agent.name, settings)
        return self._services[agent]

    def services(self) -> dict[str, Service]:
        """The agents of the run that are not Python, by label; raises SettingsError."""
        return {agent.label: self.service(agent) for agent in self._run.settings.agents if is_apart(self._run, agent)}

    def _user(self) -> UserModel | None:
        if self._chosen.user_llm is None:
            return None
        from ...users.prompts import Guidelines, check_style

        check_style(self._chosen.user_style)
        folder = user_guidelines(self._run)
        guidelines = Guidelines.read(folder) if folder else Guidelines()
        client = self._client("user", self._chosen.user_llm, self._chosen.user_llm_args)
        return UserModel(client, guidelines, self._chosen.user_style, self._chosen.guards_user)

    def _judge(self) -> LiteLLMClient | None:
        if self._chosen.judge_llm is None:
            return None
        from ...evaluation.judges.nl_assertions import Judge

        client = self._client("judge", self._chosen.judge_llm, self._chosen.judge_llm_args)
        Judge(client, self._chosen.judge_votes)  # refuses votes that decide nothing, before any trial is played
        return client

    def _client(self, side: str, model: str, arguments: str | None) -> LiteLLMClient:
        self.clients[side] = self._make_client(model, json.loads(arguments) if arguments else {})
        return self.clients[side]

    def search_client(self, model: str) -> LiteLLMClient:
        """The client of a model that rates what an agent's search has found."""
        made = self._make_client(model, {"reasoning_effort": "low"})
        self._searching.append(made)
        return made

    def embedding_client(self, model: str) -> EmbeddingClient:
        """The client of a model that an agent's search has its vectors from."""
        from ...llm.embedding import EmbeddingClient

        limits = self._limits_of(model, {})
        made = EmbeddingClient(model, retry=self._retry(), limits=limits, prices=self._prices())
        self._searching.append(made)
        return made

    def _embedder(self, model: str) -> ModelClient:
        """The client of an embedding model that somebody's own agent asks."""
        from ...llm.endpoint.embeddings import EmbeddingAsChat

        if model not in self._embedders:
            self._embedders[model] = EmbeddingAsChat(self.embedding_client(model))
        return self._embedders[model]

    async def why_no_judge(self) -> str | None:
        """Why the judge would fail every call, in a sentence; None where it answers, or nobody can tell."""
        from ...llm.probe import why_not

        chosen = self._chosen
        if chosen.judge_llm is None:
            return None
        parameters = json.loads(chosen.judge_llm_args) if chosen.judge_llm_args else {}
        limits = self._limits_of(chosen.judge_llm, parameters)
        return await why_not(chosen.judge_llm, parameters, limits=limits, prices=self._prices())

    def maker(self, model: str, parameters: Mapping[str, Any]) -> Callable[..., LiteLLMClient]:
        """What makes clients of a model of the run with some parameters changed, under its limits and prices."""
        from ...llm.client import MAX_TOKENS, LiteLLMClient

        limits, prices, usual = self._limits_of(model, parameters), self._prices(), self._retry()
        bound = None if self._chosen.is_parity else MAX_TOKENS

        def make(
            changed: Mapping[str, Any],
            *,
            retry: RetryPolicy | None = None,
            watch: Callable[[Any], None] | None = None,
        ) -> LiteLLMClient:
            given = {name: value for name, value in {**parameters, **changed}.items() if value is not None}
            return LiteLLMClient(
                model, given, retry=retry or usual, limits=limits, prices=prices, max_tokens=bound, watch=watch
            )

        return make

    def _make_client(self, model: str, parameters: Mapping[str, Any], *, keeps_schema: bool = False) -> LiteLLMClient:
        from ...llm.client import MAX_TOKENS, LiteLLMClient

        return LiteLLMClient(
            model,
            parameters,
            retry=self._retry(),
            limits=self._limits_of(model, parameters),
            prices=self._prices(),
            meter=monitor(self._run).meter,
            max_tokens=None if self._chosen.is_parity else MAX_TOKENS,
            keeps_schema=keeps_schema,
        )

    def _limits_of(self, model: str, parameters: Mapping[str, Any]) -> CallLimits | None:
        """The run's limits, with the rates that all runs with this model's key share."""
        shared = {name: rate for name, (rate, with_others) in rates(self._run).items() if with_others}
        if self.limits is None or not shared:
            return self.limits
        from ...llm.between_runs import SharedRates, folder_of_key
        from ...llm.limits import LimitSettings, RunLimits

        settings = LimitSettings(rpm=shared.get("rpm"), tpm=shared.get("tpm")).part(number_of_hosts(self._run))
        return SharedRates(self.limits, RunLimits(folder_of_key(model, parameters), settings))

    def _retry(self) -> RetryPolicy:
        from ...llm.retry import RetryPolicy

        return RetryPolicy(attempts=self._chosen.retries + 1)

    def _prices(self) -> Prices | None:
        from ...llm.pricing import Prices

        return Prices.load(self._run.root / self._chosen.prices) if self._chosen.prices else None

    def of_trial(self, slot: Slot, variant: str = "") -> TrialModels:
        """The models for one run of a trial; ``variant`` tells tests apart that play the same one."""
        from ...llm.endpoint.trial import TrialEndpoint

        cassette = self._cassette(slot, variant)

        def with_cassette(client: ModelClient, role: Role) -> ModelClient:
            return client if cassette is None else cassette.client(client, role)

        agent, user = self.agents.get(slot.agent), self.user
        return TrialModels(
            agent=agent and replace(agent, client=with_cassette(agent.client, "agent")),
            user=user and replace(user, client=with_cassette(user.client, "user")),
            endpoint=TrialEndpoint(
                self._open_proxy,
                lambda model, given: with_cassette(self._behind_the_endpoint(slot.agent, model, given), "agent"),
                embeddings_for=lambda model: with_cassette(self._embedder(model), "agent"),
                models=[named] if (named := self._run.settings.agent_called[slot.agent].model) else [],
            ),
            cassette=cassette,
            **({} if self.judge is None else self._judges(with_cassette(self.judge, "judge"))),
        )

    def _judges(self, client: ModelClient) -> dict[str, Any]:
        """What the judge is asked of a trial, by the fields of :class:`TrialModels`."""
        from ...evaluation.explain import explain_fault
        from ...evaluation.judges.nl_assertions import Judge
        from ...evaluation.judges.review import Reviewer
        from ...evaluation.judges.user_judge import judge_user
        from ...evaluation.progress.satisfaction import rate_satisfaction

        chosen = self._chosen
        votes, seconds, how = chosen.judge_votes, chosen.timeout, chosen.review
        return {
            "judge": Judge(client, votes, seconds),
            "reviewer": None if how == "off" else Reviewer(client, votes, seconds, everything=how == "all"),
            "judge_user": partial(judge_user, client, votes, seconds) if chosen.user_judge else None,
            "rate": partial(rate_satisfaction, client, seconds) if chosen.satisfaction else None,
            "explain": partial(explain_fault, client, seconds) if chosen.explain else None,
        }

    def _cassette(self, slot: Slot, variant: str) -> Cassette | None:
        if self._chosen.cassette == "off":
            return None
        from ...llm.cassette import Cassette
        from ...llm.tape import TrialKey
        from ...scrub import secrets_in

        chosen, domain = self._chosen, slot.domain
        given = (chosen.agent_llm_args, chosen.user_llm_args, chosen.judge_llm_args)
        return Cassette(
            cassettes_folder(self._run),
            TrialKey(domain.name, slot.task.id, slot.trial, variant),
            cast("Mode", chosen.cassette),
            texts=[domain.policy_for(solo=chosen.mode == "solo")],
            secrets={secret for text in given if text for secret in secrets_in(json.loads(text))},
        )

    def _behind_the_endpoint(self, label: str, model: str, given: Mapping[str, Any]) -> LiteLLMClient:
        """The client for a request of somebody's own agent: --tau-agent-llm and its parameters come first."""
        chosen = self._chosen
        named = json.loads(chosen.agent_llm_args) if chosen.agent_llm and chosen.agent_llm_args else {}
        model, parameters = self._run.settings.agent_called[label].model or model, {**given, **named}
        key = json.dumps([model, parameters], sort_keys=True, default=str)
        if key not in self._proxied:
            # Our own prompts say what is wanted, schema or not; the agent's may say so by the schema alone.
            self._proxied[key] = self._make_client(model, parameters, keeps_schema=True)
        return self._proxied[key]

    def _open_proxy(self) -> Proxy:
        from ...llm.endpoint.serving import Proxy

        if self._proxy is None:
            self._proxy = Proxy()
            self._run.config.add_cleanup(self._proxy.close)
        return self._proxy

    def refuse(self) -> None:
        """Start no trial when the budget is used up, or a model has refused for good; raises NotRun."""
        from .outcomes import NotRun

        if self.limits is not None and self.limits.exhausted:
            raise NotRun(f"the budget of {shown_budget(self._chosen)} is used up")
        if (sentence := self._refusal()) is not None:
            raise NotRun(sentence)

    def spare(self, simulation: Simulation) -> None:
        """Raise NotRun where a model's refusal ended a conversation before any model answered, as it did another one.

        Several are played at once, and all of them hear it: one of the run shows it, the others have not been run.
        """
        from .outcomes import NotRun

        if any(message.role != "tool" and message.usage for message in simulation.messages):
            return
        sentence = self._refusal()
        if sentence is not None and sentence in (simulation.note or "") and not self._refusals.is_first_to_show():
            raise NotRun(sentence)

    @cached_property
    def _refusals(self) -> Refusals:
        return Refusals(self._run.folder)  # which who only collects does not need

    def _refusal(self) -> str | None:
        clients: list[LiteLLMClient | EmbeddingClient | Service] = [*self.clients.values(), *self._proxied.values()]
        clients += [*self._searching, *self._services.values()]
        return self._refusals.first(client.refusal for client in clients)


def _variable(label: str) -> str:
    """A label as part of the name of an environment variable."""
    return "".join(letter if letter.isalnum() else "_" for letter in label.upper())


def shown_budget(chosen: Settings) -> str:
    """The budget as people write it."""
    budget = chosen.budget or ""
    return budget if "tokens" in budget else f"${budget.removeprefix('$')}"


def models(run: Run) -> Models:
    """The models of this session."""
    return run.one(Models)


def cassettes_folder(run: Run) -> Path:
    """Where recordings are: in the project, to be committed with it."""
    return run.root / "cassettes"


def rates(run: Run) -> dict[str, tuple[int, bool]]:
    """The rates that were asked for, and whether each is shared with other runs."""
    given = {"rpm": run.settings.rpm, "tpm": run.settings.tpm}
    written = {name: str(rate).split() for name, rate in given.items() if rate is not None}
    return {name: (int(words[0]), "shared" in words) for name, words in written.items()}


def _limits(run: Run) -> RunLimits | None:
    if not run.settings.limits_calls:
        return None
    from ...llm.limits import LimitSettings, RunLimits

    own = {name: rate for name, (rate, shared) in rates(run).items() if not shared}

    chosen = run.settings
    budget = chosen.budget or ""
    tokens = int(budget.removesuffix("tokens")) if budget.endswith("tokens") else None
    usd = float(budget.removeprefix("$")) if budget and tokens is None else None
    whole = LimitSettings(
        **own,
        max_inflight=chosen.max_inflight,
        budget_usd=usd,
        budget_tokens=tokens,
    )
    return RunLimits(run.shared_folder, whole.part(number_of_hosts(run)))
