"""The part of ``pytest-tau doctor`` that is played within pytest, which knows the options, the ini file and the suite.

Loaded by ``-p`` for that command alone. After collection it looks the models over, and writes each finding as a line of
JSON behind :data:`MARK`, for the command to show; the last one says that it is the last.
"""

from __future__ import annotations

import asyncio
import json
import sys
from argparse import SUPPRESS
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from ..agents.names import named_agent
from ..agents.prompts import ACT_FORM, REACT_FORM, oracle_plan, system_prompt
from ..conversation.limits import Limits
from ..conversation.protocols import AgentContext
from ..diagnosis.user_audit import user_audit
from ..doctor.agent import LongestPrompt
from ..doctor.examination import Case, examine
from ..doctor.findings import DoctorFinding
from ..doctor.forecast import CountedClient, Rehearsal, experience, forecast, rehearsal_findings
from ..doctor.line import ModelLine
from ..errors import TauError
from ..printable import count_of
from ..reports.forecast import Expected, Load
from ..schema.simulation import Simulation, Termination
from ..simulating import simulate
from ..users.names import named_user
from .collecting.collection import slot_for
from .collecting.slot import Slot
from .playing.invalid_trials import broken_rules
from .playing.models import models
from .playing.players import brings_an_agent, models_in_use
from .playing.requesting import limits_of
from .private import parameters_of
from .reporting.experiences import keep_measured
from .reporting.forecast_lines import load_of
from .run import Run, is_played, run_of
from .settings.agents import ChosenAgent

MARK = "tau doctor: "
_REHEARSALS = "doctor_trials"
_SECONDS = 300.0  # that a rehearsal may take
_NO_MODEL = "no model is named, so there is nothing to look over: give a run's options, such as --tau-agent-llm MODEL"
_NO_SUITE = "no task is named, so prompts and forecast are not looked at: add --tau-domain NAME"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what the command tells this part of it."""
    parser.addoption("--doctor-trials", dest=_REHEARSALS, type=int, default=0, help=SUPPRESS)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Look the run's models over."""
    run = run_of(session.config)
    slots = [slot_for(run, parameters_of(item)["tau_slot"]) for item in session.items if is_played(item)]
    try:
        for finding in _findings(run, slots, session.config.getoption(_REHEARSALS)):
            _write(finding.data)
        _write({"over": True})
    except TauError as error:
        _write({"error": str(error)})


def _write(data: dict[str, Any]) -> None:
    sys.stdout.write(f"\n{MARK}{json.dumps(data)}\n")
    sys.stdout.flush()


def _findings(run: Run, slots: Sequence[Slot], rehearsals: int) -> Iterator[DoctorFinding]:
    used = models_in_use(run)
    if not used:
        raise TauError(_NO_MODEL)
    found: list[DoctorFinding] = []
    for case in _cases(run, used, slots):
        for finding in _examine(case):
            found.append(finding)
            yield finding
    if not slots:
        yield DoctorFinding("suite", "forecast", "warning", _NO_SUITE)
        return
    unreached = any(one.status == "failed" and one.check in _UNREACHABLE for one in found)
    if rehearsals and not unreached:
        _write({"doing": f"{count_of(rehearsals, 'trials')} for the forecast"})
    played = [] if unreached else _rehearse(run, slots, used, rehearsals)
    yield from rehearsal_findings(played)
    expected = _expected_load(run, slots, used)
    prices = {side: used[side].price() for side in expected}
    keep_measured(run, {slot.domain.name for slot in slots}, experience(played))
    yield forecast(len(slots), expected, prices, played)


_UNREACHABLE = ("answers", "address", "key", "model", "rate limit", "account", "context window")


def _examine(case: Case) -> Iterator[DoctorFinding]:
    """The findings of a model, each as soon as it is there."""
    with asyncio.Runner() as runner:
        findings = examine(case, lambda check: _write({"doing": f"{check} ({case.line.side})"}))
        while (finding := runner.run(anext(findings, None))) is not None:
            yield finding


def _cases(run: Run, used: Iterable[str], slots: Sequence[Slot]) -> list[Case]:
    """Each model once, though it plays several parts."""
    chosen, made = run.settings, models(run)
    arguments = {"agent": chosen.agent_llm_args, "user": chosen.user_llm_args, "judge": chosen.judge_llm_args}
    agents = {f"agent {agent.label}".rstrip(): agent for agent in run.settings.agents}
    sides: dict[tuple[str, str], list[str]] = {}
    for side in used:
        given = arguments[side.partition(" ")[0]] or "{}"
        sides.setdefault((made.clients[side].model, given), []).append(side)
    cases = []
    for (model, given), whose in sides.items():
        parameters: dict[str, Any] = json.loads(given)
        its = [agents[side] for side in whose if side in agents]
        cases.append(
            Case(
                ModelLine(tuple(whose), model, parameters, made.maker(model, parameters)),
                agent=its[0].name if its else "llm",
                longest=_longest(run, slots, its[0]) if its and slots else None,
                guidelines=made.user.guidelines if made.user and "user" in whose else None,
            )
        )
    return cases


def _longest(run: Run, slots: Sequence[Slot], agent: ChosenAgent) -> LongestPrompt:
    """What an agent reads at the start of the suite's longest task."""
    tasks = {(slot.domain.name, slot.task.id): slot for slot in slots}
    solo = run.settings.mode == "solo"
    expected = {key: Expected(slot.task, slot.domain, solo=solo) for key, slot in tasks.items()}
    longest = max(expected, key=lambda key: expected[key].agent().tokens)
    slot, contexts = tasks[longest], list[AgentContext]()

    class Reader:
        def __init__(self, context: AgentContext) -> None:
            contexts.append(context)

        def reply(self, messages: Sequence[Any]) -> str:
            return "Goodbye."

    plan = oracle_plan if run.settings.mode == "oracle-plan" else None
    simulate(slot.task, slot.domain, agent=Reader, solo=solo, plan=plan, limits=Limits(max_steps=1))
    form = {"act": ACT_FORM, "react": REACT_FORM}.get(agent.name)
    schemas = () if form else tuple(tool.schema for tool in contexts[0].tools)
    return LongestPrompt(
        slot.task.id, system_prompt(contexts[0], form=form), schemas, expected[longest].grown("assistant")
    )


def _expected_load(run: Run, slots: Sequence[Slot], used: Iterable[str]) -> dict[str, Load]:
    """What all trials take of each side's model, by the forecast of a run."""
    loads = dict.fromkeys(used, Load())
    for slot in slots:
        trial = Expected(slot.task, slot.domain, solo=run.settings.mode == "solo")
        for side in loads:
            who, _, label = side.partition(" ")
            if who != "agent" or label == slot.agent:
                loads[side] += load_of(run, side, trial)
    return loads


def _rehearse(run: Run, slots: Sequence[Slot], used: Iterable[str], number: int) -> list[Rehearsal]:
    """Play a few trials of middling length, to learn what trials take of these models."""
    if not number or brings_an_agent(run):
        return []
    found = sorted(
        slots, key=lambda slot: (sum(_expected_load(run, [slot], used).values(), Load()).tokens, slot.task.id)
    )
    distinct = list({(slot.task.id, slot.agent): slot for slot in found}.values())
    # From the middle outwards, so that the ones chosen are as long as most.
    middle = sorted(range(len(distinct)), key=lambda place: abs(place - len(distinct) // 2))
    return [_play_sample(run, distinct[place], used) for place in middle[:number]]


def _play_sample(run: Run, slot: Slot, used: Iterable[str]) -> Rehearsal:
    chosen, made = run.settings, models(run)
    side = f"agent {slot.agent}".rstrip()
    counted = {name: CountedClient(made.clients[name]) for name in used if name in (side, "user")}
    agent = next(one for one in run.settings.agents if one.label == slot.agent)
    agent_model, user_model = made.agents.get(slot.agent), made.user
    if side in counted and agent_model is not None:
        agent_model = replace(agent_model, client=counted[side])
    if "user" in counted and user_model is not None:
        user_model = replace(user_model, client=counted["user"])
    simulation = simulate(
        slot.task,
        slot.domain,
        agent=named_agent(agent.name, agent_model)(slot.task, slot.domain),
        user=named_user(chosen.user_name, user_model),
        trial=slot.trial,
        seed=chosen.seed,
        solo=chosen.mode == "solo",
        plan=oracle_plan if chosen.mode == "oracle-plan" else None,
        limits=replace(limits_of(chosen), timeout=min(chosen.timeout, _SECONDS)),
        images=chosen.images or "send",
        view=slot.view,
    )
    broken = simulation.termination_reason == Termination.INFRASTRUCTURE_ERROR
    return Rehearsal(
        slot.task.id,
        str(simulation.termination_reason.value),
        _expected_load(run, [slot], counted),
        {name: client.load for name, client in counted.items()},
        {name: client.seconds for name, client in counted.items()},
        all(client.counted for client in counted.values()),
        (simulation.note or "") if broken else "",
        spoiled="user" in counted and chosen.invalid_as == "rerun" and _is_spoiled(slot, simulation),
    )


def _is_spoiled(slot: Slot, simulation: Simulation) -> bool:
    found = user_audit(slot.task, simulation, slot.domain)
    return bool(broken_rules(simulation.model_copy(update={"user_findings": found})))
