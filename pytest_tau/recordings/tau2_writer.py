"""Writes a run as a τ² results file, for the reference's own tools.

The reference knows five criteria. Others are left out of an exported task's basis and reward, so that the file is
consistent in itself; with the full reward they stand in the ``info`` of the trial's reward.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..environment.toolkit import tools_of
from ..errors import RecordingError
from ..files import replacing
from ..schema.messages import in_words
from ..schema.simulation import Termination

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.messages import AnyMessage
    from ..schema.record import TrialRecord
    from ..schema.reward import CriterionResult, Reward
    from ..schema.simulation import Simulation
    from ..schema.task import Task

_KNOWN = ("DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE")
_CUSTOMERS = {"attachments", "attach", "interrupts", "patience"}
_OF_EACH_TASK = "(Policy is task-specific - see 'policy' field in each simulation)"
_OURS = (Termination.TEST_ENDED, Termination.USER_LEFT)
_NOTES = {"env": "DB", "nl": "NL_ASSERTION", "communicate": "COMMUNICATE", "action": "ACTION"}


def write_tau2(
    records: Iterable[TrialRecord],
    path: str | Path,
    *,
    domain: Domain,
    tasks: Mapping[str, Task],
    max_steps: int = 200,
    max_errors: int = 10,
    seed: int | None = None,
    facts: Mapping[str, str] | None = None,
) -> int:
    """Write the trials of one domain: a τ² results file holds no more than one.

    Args:
        records: the trials; those of other domains are passed over. They are read once and not kept.
        path: the file to write.
        domain: the domain they ran in.
        tasks: its tasks by id; the file embeds those that were played.
        max_steps: the run's limit of steps.
        max_errors: the run's limit of tool errors.
        seed: the run's seed.
        facts: how the numbers came about; they stand in ``info`` under our name, which readers of the format pass over.

    Returns:
        The number of trials written.

    Raises:
        RecordingError: a trial's task is not among ``tasks``.
    """
    kinds = _kinds(domain)
    trials: dict[str, int] = {}
    first: Simulation | None = None
    written = 0
    with replacing(path) as file:
        # The trials come first because the rest is known only after them; readers of JSON do not mind.
        file.write('{\n"simulations": [')
        for record in records:
            if record.domain != domain.name:
                continue
            if record.task_id not in tasks:
                raise RecordingError(f"{record.nodeid}: its task '{record.task_id}' is not among the tasks to export")
            content = _simulation(record, tasks[record.task_id], domain, kinds)
            file.write(("," if written else "") + "\n" + json.dumps(content))
            written += 1
            trials[record.task_id] = max(trials.get(record.task_id, 0), record.trial)
            first = first or record.simulation
        rest = {
            "simulation_index": None,
            "tasks": [_task(tasks[task_id]) for task_id in trials],
            "info": {
                "git_commit": "unknown",
                "num_trials": max(trials.values(), default=1),
                "max_steps": max_steps,
                "max_errors": max_errors,
                "seed": seed,
                **_players(domain, first),
                **({"pytest_tau": dict(facts)} if facts else {}),
            },
            "timestamp": datetime.now().isoformat(),
        }
        file.write("\n],\n" + json.dumps(rest, indent=2).removeprefix("{\n") + "\n")
    return written


def _kinds(domain: Domain) -> dict[str, str]:
    toolkits = [domain.spec.tools, domain.spec.user_tools]
    return {name: spec.kind for toolkit in toolkits if toolkit for name, spec in tools_of(toolkit).items()}


def _players(domain: Domain, played: Simulation | None) -> dict[str, Any]:
    """Who played.

    Readers tell solo runs by the name of the reference's own implementation. Besides, only an agent that calls tools
    on a model, as the reference's does, has its name; every other has its own.
    """
    solo = played is not None and played.solo
    policy = _OF_EACH_TASK if domain.task_specific_policy else domain.policy_for(solo=solo)
    agent, user = (played.agent, played.user) if played else ("", "")
    return {
        "agent_info": {
            "implementation": "llm_agent_solo" if solo else _implementation(agent),
            "llm": model_of(agent) or None,
            "llm_args": played.agent_parameters if played else {},
        },
        "user_info": {
            "implementation": "dummy_user" if solo else "user_simulator",
            "llm": model_of(user) or None,
            "llm_args": played.user_parameters if played else {},
            "global_simulation_guidelines": None,
        },
        "environment_info": {"domain_name": domain.name, "policy": policy, "tool_defs": None},
        **retrieval_info(domain),
    }


def model_of(player: str) -> str:
    """The model in a player's name: "openai/gpt-4.1" for "react openai/gpt-4.1"; names of others stay as they are."""
    kind, _, model = player.partition(" ")
    return model if kind.isidentifier() and model and " " not in model else player


def changed_rewards(records: Iterable[TrialRecord]) -> int:
    """How many of some trials have another reward in the file, for want of a criterion that only we know."""
    rewards = (record.reward for record in records if record.reward is not None)
    return sum(reward.value is not None and _value(reward) != reward.value for reward in rewards)


def repeated_trials(records: Iterable[TrialRecord]) -> int:
    """How many of some trials are others' repetitions in the file, as several tests have played their task."""
    found = Counter((record.domain, record.label, record.task_id, record.trial) for record in records)
    return found.total() - len(found)


def _implementation(agent: str) -> str:
    kind, _, model = agent.partition(" ")
    return "llm_agent" if kind == "llm" and model else kind or "unknown"


def retrieval_info(domain: Domain) -> dict[str, Any]:
    """How the agent got at the documents, in the reference's words; nothing for a domain without any."""
    if domain.knowledge is None:
        return {}
    chosen = domain.knowledge.chosen_options
    return {"retrieval_config": domain.knowledge.name, "retrieval_config_kwargs": dict(chosen) or None}


def _message(message: AnyMessage) -> dict[str, Any]:
    """A message in the reference's fields; its pictures are named in the text."""
    content: dict[str, Any] = in_words(message).model_dump(mode="json", exclude={"attachments"})
    return content


def _task(task: Task) -> dict[str, Any]:
    """A task without what only we know."""
    content = task.model_dump(
        mode="json", exclude={"domain": True, "tags": True, "episodes": True, "user_scenario": _CUSTOMERS}
    )
    if content["initial_state"] is not None and task.history:
        content["initial_state"]["message_history"] = [_message(message) for message in task.history]
    criteria = content["evaluation_criteria"]
    if criteria is not None:
        for ours in ("trajectory", "without", "milestones", "minefields"):
            del criteria[ours]
        criteria["reward_basis"] = [name for name in criteria["reward_basis"] if name in _KNOWN]
    return content


def _simulation(record: TrialRecord, task: Task, domain: Domain, kinds: Mapping[str, str]) -> dict[str, Any]:
    played = record.simulation
    content: dict[str, Any] = {
        "id": played.id if played else record.nodeid,
        "task_id": record.task_id,
        "trial": record.trial - 1,  # τ² counts trials from 0
        "timestamp": played.end_time if played else "",
        "start_time": played.start_time if played else "",
        "end_time": played.end_time if played else "",
        "duration": played.duration if played else 0.0,
        "termination_reason": _termination_word(played.termination_reason) if played else "infrastructure_error",
        "agent_cost": played.agent_cost if played else None,
        "user_cost": played.user_cost if played else None,
        "reward_info": _reward(record.reward, task, kinds) if record.reward else None,
        "messages": [_message(message) for message in played.messages] if played else [],
        "seed": played.seed if played else None,
        "mode": "half_duplex",
        "info": {"note": note} if (note := record.note or (played.note if played else None)) else None,
    }
    if played and domain.task_specific_policy:
        content["policy"] = domain.policy_for(solo=played.solo, task=task)
    return content


def _termination_word(reason: Termination) -> str:
    """Why a conversation ended, in the reference's words, which knows no test and no impatience."""
    if reason is Termination.STALLED:
        return Termination.MAX_STEPS.value
    return (Termination.AGENT_ERROR if reason in _OURS else reason).value


def _reward(reward: Reward, task: Task, kinds: Mapping[str, str]) -> dict[str, Any] | None:
    """A reward in the reference's words; None where it is open, which the reference cannot say."""
    known = _known_results(reward)
    ours = [result for result in reward.results if result.criterion not in _KNOWN]
    value = _value(reward)
    if value is None:
        return None
    basis = None if reward.basis is None else [name for name in reward.basis if name in _KNOWN]
    found = {result.criterion: result for result in known}
    return {
        "reward": value,
        "db_check": _db(found.get("DB")),
        "env_assertions": _env_assertions(found.get("ENV_ASSERTION"), task),
        "action_checks": _actions(found.get("ACTION"), task, kinds),
        "nl_assertions": _check_entries(found.get("NL_ASSERTION"), "nl_assertion"),
        "communicate_checks": _check_entries(found.get("COMMUNICATE"), "info"),
        "reward_basis": basis,
        "reward_breakdown": None if basis is None else {name: found[name].value for name in basis if name in found},
        "info": _info(reward, found, ours),
    }


def _known_results(reward: Reward) -> list[CriterionResult]:
    return [result for result in reward.results if result.criterion in _KNOWN]


def _value(reward: Reward) -> float | None:
    """The reward by the criteria that the reference knows."""
    known = _known_results(reward)
    return _product(known) if reward.basis and len(known) < len(reward.results) else reward.value


def _product(results: Sequence[CriterionResult]) -> float | None:
    values = [result.value for result in results if result.in_basis]
    if 0.0 in values:
        return 0.0
    return None if None in values else 1.0


def _db(result: CriterionResult | None) -> dict[str, Any] | None:
    return None if result is None else {"db_match": result.value == 1.0, "db_reward": result.value}


def _env_assertions(result: CriterionResult | None, task: Task) -> list[dict[str, Any]] | None:
    if result is None or task.evaluation_criteria is None:
        return None
    pairs = zip(task.evaluation_criteria.env_assertions or [], result.checks, strict=False)
    return [
        {"env_assertion": assertion.model_dump(mode="json"), "met": check.met, "reward": float(bool(check.met))}
        for assertion, check in pairs
    ]


def _actions(result: CriterionResult | None, task: Task, kinds: Mapping[str, str]) -> list[dict[str, Any]] | None:
    if result is None:
        return None
    return [
        {
            "action": action.model_dump(mode="json"),
            "action_match": check.met,
            "action_reward": float(bool(check.met)),
            "tool_type": kinds.get(action.name),
        }
        for action, check in zip(task.gold_actions, result.checks, strict=False)
    ]


def _check_entries(result: CriterionResult | None, key: str) -> list[dict[str, Any]] | None:
    if result is None:
        return None
    return [{key: check.name, "met": bool(check.met), "justification": check.explanation} for check in result.checks]


def _info(reward: Reward, found: Mapping[str, CriterionResult], ours: Sequence[CriterionResult]) -> dict[str, Any]:
    info: dict[str, Any] = {"note": reward.note}
    if reward.results or not reward.note:
        notes = {part: result.note for part, name in _NOTES.items() if (result := found.get(name)) and result.note}
        info = {part: {"note": notes[part]} if part in notes else None for part in _NOTES}
    told: dict[str, Any] = {}
    if ours:
        told = {"reward": reward.value, "results": [result.model_dump(mode="json") for result in ours]}
    if reward.stations:
        told |= {"progress": reward.progress, "stations": [one.model_dump(mode="json") for one in reward.stations]}
    return {**info, "pytest_tau": told} if told else info
