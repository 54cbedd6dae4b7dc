"""Who plays in a run, as far as it is known before tests are collected; what cannot be is refused here, for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ..settings.options import is_given, settings

if TYPE_CHECKING:
    from ...llm.client import LiteLLMClient

# What says something about a model, and the option that names the model.
_ABOUT_A_MODEL = {
    "agent_llm_args": "agent_llm",
    "user_llm_args": "user_llm",
    "user_style": "user_llm",
    "judge_llm_args": "judge_llm",
    "judge_votes": "judge_llm",
    "user_judge": "judge_llm",
    "explain": "judge_llm",
}
_OFFLINE = ("oracle", "noop", "faulty")
_ABOUT_ALL_MODELS = ("prices", "retries", "rpm", "tpm", "max_inflight", "budget")


def from_project(config: pytest.Config, side: str) -> str | None:
    """What of a conftest.py or plugin gives the agent or the user; None when the settings do."""
    chosen = settings(config)
    if chosen.agent_from_command_line if side == "agent" else chosen.user_from_command_line:
        return None
    if any(hasattr(plugin, f"tau_{side}") and _is_conftest(plugin) for plugin in config.pluginmanager.get_plugins()):
        return f"the fixture tau_{side}"
    hook = getattr(config.hook, f"pytest_tau_make_{side}")
    return f"pytest_tau_make_{side}" if hook.get_hookimpls() else None


def is_offline(agent: str) -> bool:
    """Whether an agent of this name is one of ours that asks no model: it knows the answers, or ignores them."""
    return agent.partition(":")[0] in _OFFLINE


def evaluates(config: pytest.Config) -> bool:
    """Whether the run says something about somebody's agent."""
    return bool(from_project(config, "agent")) or not is_offline(settings(config).agent_name)


def judges_customers(config: pytest.Config) -> bool:
    """Whether the judge looks at the customers: it is asked to, and they could leave their scenario."""
    chosen = settings(config)
    played = chosen.mode != "solo" and (chosen.user_name != "scripted" or bool(from_project(config, "user")))
    return chosen.user_judge and (chosen.rescore is not None or played)


def _is_conftest(plugin: Any) -> bool:
    return str(getattr(plugin, "__file__", "")).endswith("conftest.py")


def models_in_use(config: pytest.Config) -> dict[str, LiteLLMClient]:
    """The models that this run calls, by what they are for: agent, user, judge. Raises SettingsError."""
    from ...agents.names import MODEL_AGENTS
    from ...users.names import MODEL_USERS
    from .models import models

    chosen, made = settings(config), models(config)
    played = {
        "agent": chosen.agent_name in MODEL_AGENTS and not from_project(config, "agent"),
        "user": chosen.user_name in MODEL_USERS and not from_project(config, "user"),
    }
    return {side: client for side, client in made.clients.items() if played.get(side, True)}


def _brings_an_agent(config: pytest.Config) -> bool:
    """Whether the agent is somebody's own, which may call models through its endpoint."""
    from ...agents.names import is_builtin

    return bool(from_project(config, "agent")) or not is_builtin(settings(config).agent_name)


def check_players(config: pytest.Config) -> None:
    """Refuse an agent, a user or a model that cannot be, before any trial is played; raises UsageError."""
    from ...agents.names import named_agent
    from ...errors import SettingsError
    from ...users.names import named_user
    from .models import models

    chosen = settings(config)
    try:
        made = models(config)
        named_agent(chosen.agent_name, made.agent)
        named_user(chosen.user_name, made.user)
        used = models_in_use(config)
        _refuse_idle_options(config, used)
        _check_models(config, used)
    except SettingsError as error:
        raise pytest.UsageError(str(error)) from None


def _refuse_idle_options(config: pytest.Config, used: dict[str, LiteLLMClient]) -> None:
    """Options on the command line that nothing would follow: whoever sets a budget relies on it."""
    from ...agents.names import MODEL_AGENTS
    from ...errors import SettingsError
    from ...users.names import MODEL_USERS

    chosen = settings(config)
    called = {*used, *(["agent"] if chosen.agent_llm and _brings_an_agent(config) else [])}
    for side, known in (("agent", MODEL_AGENTS), ("user", MODEL_USERS)):
        if is_given(config, f"{side}_llm") and side not in called:
            name = chosen.agent_name if side == "agent" else chosen.user_name
            raise SettingsError(
                f"--tau-{side}-llm: the {side} '{name}' plays no model; add --tau-{side} with one of {', '.join(known)}"
            )
    for option, model in _ABOUT_A_MODEL.items():
        if is_given(config, option) and model.removesuffix("_llm") not in called:
            raise SettingsError(f"{_flag(option)}: there is no model that this is for; name it with {_flag(model)}")
    if is_given(config, "user_judge") and chosen.user_judge and not judges_customers(config):
        why = (
            "nobody plays one in solo mode; leave one of the two out"
            if chosen.mode == "solo"
            else "the scripted one keeps to it; add --tau-user-llm, or leave the option out"
        )
        raise SettingsError(f"--tau-user-judge: there is no customer who could leave the scenario: {why}")
    if is_given(config, "few_shot") and chosen.agent_name != "few-shot":
        raise SettingsError("--tau-few-shot: these transcripts are for the agent few-shot; add --tau-agent few-shot")
    for option in _ABOUT_ALL_MODELS if not called else ():
        if is_given(config, option):
            raise SettingsError(
                f"{_flag(option)}: no model is called that it could hold for; it is about those that are named with "
                "--tau-agent-llm, --tau-user-llm or --tau-judge-llm"
            )


def _check_models(config: pytest.Config, used: dict[str, LiteLLMClient]) -> None:
    """See that the models can be called, and that a budget in USD can be kept; in a replay none is called."""
    if not used or settings(config).cassette == "replay":
        return
    from ...errors import SettingsError
    from ...llm.backend import INSTALL, installed
    from .models import models

    if not installed():
        raise SettingsError(INSTALL)
    limits = models(config).limits
    if limits is not None and limits.settings.budget_usd is not None:
        for client in used.values():
            client.required_price()


def _flag(name: str) -> str:
    return "--tau-" + name.replace("_", "-")
