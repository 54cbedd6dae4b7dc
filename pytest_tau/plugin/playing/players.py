"""Who plays in a run, as far as it is known before tests are collected; what cannot be is refused here, free."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ...agents.names import MODEL_AGENTS, is_builtin, is_elsewhere, named_agent
from ...errors import SettingsError
from ...users.names import MODEL_USERS, SCRIPTED, is_attacker, named_user, plays_a_model
from ..collecting.domains import searches_ask_models
from ..run import Run
from .apart import is_apart
from .models import models
from .sources import from_project

if TYPE_CHECKING:
    from ...llm.client import LiteLLMClient

# What says something about a model, and the option that names the model.
_ABOUT_A_MODEL = {
    "agent_llm_args": "agent_llm",
    "user_llm_args": "user_llm",
    "user_style": "user_llm",
    "user_guard": "user_llm",
    "judge_llm_args": "judge_llm",
    "judge_votes": "judge_llm",
    "review": "judge_llm",
    "user_judge": "judge_llm",
    "explain": "judge_llm",
    "satisfaction": "judge_llm",
}
# Not who plays the customer: one command line may be for several modes.
_ABOUT_CUSTOMERS = ("user_style", "user_guard", "user_seeds", "satisfaction")
_OFFLINE = ("oracle", "noop", "faulty")
_NO_MODEL = (
    "no model is called, so it has no effect; it applies to models named with --tau-agent-llm, --tau-user-llm or "
    "--tau-judge-llm"
)
_ABOUT_ALL_MODELS = ("prices", "retries", "rpm", "tpm", "max_inflight", "budget")


def is_offline(agent: str) -> bool:
    """Whether an agent of this name is one of ours that asks no model: it knows the answers, or ignores them."""
    return agent.partition(":")[0] in _OFFLINE


def evaluates(run: Run) -> bool:
    """Whether the run says something about somebody's agent."""
    return bool(from_project(run, "agent")) or not all(is_offline(agent.name) for agent in run.settings.agents)


def judges_customers(run: Run) -> bool:
    """Whether the judge looks at the customers: it is asked to, and they could leave their scenario."""
    chosen = run.settings
    played = chosen.mode != "solo" and (chosen.user_name != "scripted" or bool(from_project(run, "user")))
    return chosen.user_judge and (chosen.rescore is not None or played)


def models_in_use(run: Run) -> dict[str, LiteLLMClient]:
    """The models that this run calls, by what they are for: agent, user, judge. Raises SettingsError."""
    chosen, made = run.settings, models(run)
    played = {"user": plays_a_model(chosen.user_name) and not from_project(run, "user")}
    for agent in run.settings.agents:
        side = f"agent {agent.label}".rstrip()
        played[side] = agent.name in MODEL_AGENTS and not from_project(run, "agent")
    return {side: client for side, client in made.clients.items() if played.get(side, True)}


def prompts_of(run: Run, side: str) -> str:
    """The prompts of a side that plays a model, by the name that stands on records."""
    from ...agents.prompts import PROMPT_VERSION as AGENT_PROMPTS
    from ...evaluation.judges.nl_assertions import PROMPT_VERSION as JUDGE_PROMPTS
    from ...evaluation.judges.review import review_version
    from ...evaluation.judges.user_judge import PROMPT_VERSION as USER_JUDGE_PROMPTS

    user = models(run).user
    judge = " ".join(
        [
            JUDGE_PROMPTS,
            *([review_version()] if run.settings.review != "off" else []),
            *([USER_JUDGE_PROMPTS] if judges_customers(run) else []),
        ]
    )
    versions = {"agent": AGENT_PROMPTS, "judge": judge, "user": user.guidelines.version if user else ""}
    return versions[side.partition(" ")[0]]


def brings_an_agent(run: Run) -> bool:
    """Whether an agent is somebody's own, which may call models through its endpoint."""
    return bool(from_project(run, "agent")) or any(not is_builtin(agent.name) for agent in run.settings.agents)


def check_services(run: Run) -> None:
    """See that agents behind an address or a command are there; raises UsageError."""
    if run.config.option.collectonly or run.settings.rescore or from_project(run, "agent"):
        return
    try:
        for service in models(run).services().values():
            service.check()
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None


def check_players(run: Run) -> None:
    """Refuse an agent, a user or a model that cannot be, before any trial is played; raises UsageError."""
    chosen = run.settings
    try:
        made = models(run)
        made.services()
        for agent in run.settings.agents:
            if not is_apart(run, agent):
                named_agent(agent.name, made.agents.get(agent.label))
        if chosen.user_name != SCRIPTED:  # who is there, and is imported when they play
            named_user(chosen.user_name, made.user)
        used = models_in_use(run)
        searches = searches_ask_models(run)
        _refuse_idle_options(run, used, searches=searches)
        _check_models(run, used, searches=searches)
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None


def _refuse_idle_options(run: Run, used: dict[str, LiteLLMClient], *, searches: bool) -> None:
    """Options on the command line that nothing would follow: whoever sets a budget relies on it."""
    chosen = run.settings
    if chosen.text_calls == "run" and chosen.is_parity:
        raise SettingsError(
            "--tau-text-calls run: in parity no call that is written as text is run; add --tau-parity off, or leave it"
        )
    for option in _ABOUT_CUSTOMERS if chosen.mode == "solo" else ():
        if option in chosen.given:
            raise SettingsError(f"{_flag(option)}: solo mode has no customer; leave one of the two out")
    called = {side.partition(" ")[0] for side in used}
    called |= {"agent"} if chosen.agent_llm and brings_an_agent(run) else set()
    elsewhere = any(is_elsewhere(agent.name) for agent in run.settings.agents)
    for side, known in (("agent", MODEL_AGENTS), ("user", MODEL_USERS)):
        if (f"{side}_llm" in run.settings.given) and side not in called:
            name = chosen.agent_names[0] if side == "agent" else chosen.user_name
            raise SettingsError(
                f"--tau-{side}-llm: the {side} '{name}' plays no model; add --tau-{side} with one of {', '.join(known)}"
            )
    for option in ("user_style", "user_guard", "user_judge"):
        if getattr(chosen, option) and option in chosen.given and is_attacker(chosen.user_name):
            raise SettingsError(
                f"{_flag(option)}: the attacker plays by instructions of its own; leave one of the two out"
            )
    for option, model in _ABOUT_A_MODEL.items():
        if option == "agent_llm_args" and elsewhere:
            continue  # fields of its requests
        if (option in run.settings.given) and model.removesuffix("_llm") not in called:
            raise SettingsError(f"{_flag(option)}: no model uses this; name one with {_flag(model)}")
    if "user_judge" in run.settings.given and chosen.user_judge and not judges_customers(run):
        why = (
            "solo mode has none; leave one of the two out"
            if chosen.mode == "solo"
            else "the scripted one keeps to it; add --tau-user-llm, or leave the option out"
        )
        raise SettingsError(f"--tau-user-judge: there is no simulated customer to judge: {why}")
    if "isolate" in run.settings.given and not brings_an_agent(run):
        raise SettingsError("--tau-isolate: is for an agent of your own; name it with --tau-agent module:factory")
    if "isolate_env" in run.settings.given and not chosen.isolate:
        raise SettingsError("--tau-isolate-env: is for an isolated agent; add --tau-isolate")
    if "few_shot" in run.settings.given and all(agent.name != "few-shot" for agent in run.settings.agents):
        raise SettingsError("--tau-few-shot: these transcripts are for the agent few-shot; add --tau-agent few-shot")
    if "agent_protocol" in run.settings.given and not any("://" in agent.name for agent in run.settings.agents):
        raise SettingsError("--tau-agent-protocol: no agent is behind an address; name it with --tau-agent http://…")
    for option in _ABOUT_ALL_MODELS if not (called or searches or brings_an_agent(run)) else ():
        if option in run.settings.given:
            raise SettingsError(f"{_flag(option)}: {_NO_MODEL}")


def _check_models(run: Run, used: dict[str, LiteLLMClient], *, searches: bool) -> None:
    """See that the models can be called, and that a budget in USD can be kept; in a replay none is called."""
    if not (used or searches) or run.settings.cassette == "replay":
        return
    from ...llm.backend import INSTALL, is_installed

    reasons = [INSTALL] if searches and not is_installed() else [one.lacking() for one in used.values()]
    if (reason := next(filter(None, reasons), None)) is not None:
        raise SettingsError(reason)
    limits = models(run).limits
    if limits is not None and limits.settings.budget_usd is not None:
        for client in used.values():
            client.required_price()


def _flag(name: str) -> str:
    return "--tau-" + name.replace("_", "-")
