"""Mutants of the gold path: would the grade notice if an agent did nearly what it should?

A mutant walks the gold path with one mistake and is graded against the real task. One that passes has survived, and
shows what no criterion looks at. One that ends as the gold path does, in the same state and with the same things said,
handed over and agreed to, is no mistake: it is equivalent, and does not count.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, zip_longest
from typing import Any

from pytest_tau.agents.oracle import DOCUMENT, READ_TOOL, TRANSFER_TOOL
from pytest_tau.agents.plausible import Pool, another, fill, with_action, with_actions, with_criteria, write_tools
from pytest_tau.agents.plausible import writes_of as write_positions
from pytest_tau.diagnosis.reach import reach
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment, State
from pytest_tau.environment.policy import safety_section
from pytest_tau.evaluation.criteria.communicate import communicate
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.criteria.documents import retrieval
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.evaluation.grade import passes
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Confirmed, Reason
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import EvaluationCriteria, Task
from pytest_tau.seeds import trial_seed
from pytest_tau.simulating import DEFAULT_SEED, simulate

from .mistakes import Mutant, mistakes

MUTANTS = 24
_TRIES = 200
_ASKS_CONSENT = re.compile(r"\byes\b|\bconfirm", re.IGNORECASE)


@dataclass(frozen=True)
class Survivor:
    """A mutant that passes, and the criterion that would have noticed."""

    operator: str
    detail: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.operator}: {self.detail} passes; {self.remedy}"


@dataclass(frozen=True)
class MutationScore:
    """What became of a task's mutants; ``made`` does not count the equivalent ones."""

    made: int = 0
    equivalent: int = 0
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return self.made - len(self.survivors)


@dataclass(frozen=True)
class _Outcome:
    state: State
    said: tuple[bool | None, ...]
    handed_over: bool
    agreed: bool
    read: frozenset[str]


def mutation_score(task: Task, domain: Domain, *, number: int = MUTANTS, seed: int = DEFAULT_SEED) -> MutationScore:
    """Play up to ``number`` mutants of a task and grade each against the task itself."""
    gold = _outcome(task, simulate(task, domain), domain)
    made, equivalent, survivors = 0, 0, []
    for mutant in mutants(task, domain, number=number, seed=seed):
        simulation = simulate(task, domain, mutant.agent)
        outcome = _outcome(task, simulation, domain)
        if outcome == gold and not mutant.certain:
            equivalent += 1
            continue
        made += 1
        if passes(task, simulation, domain):
            survivors.append(Survivor(mutant.operator, mutant.detail, _remedy(mutant, gold, outcome)))
    return MutationScore(made, equivalent, survivors)


def survivor(task: Task, domain: Domain, mutant: Mutant, simulation: Simulation, oracle: Simulation) -> Survivor | None:
    """What a mutant that passes shows of its task, beside the oracle's trial; None where it is equivalent."""
    gold, outcome = _outcome(task, oracle, domain), _outcome(task, simulation, domain)
    if outcome == gold and not mutant.certain:
        return None
    return Survivor(mutant.operator, mutant.detail, _remedy(mutant, gold, outcome))


def mutants(task: Task, domain: Domain, *, number: int = MUTANTS, seed: int = DEFAULT_SEED) -> list[Mutant]:
    """Up to ``number`` different mutants, the same for the same seed.

    First every omission, exchange and missing agreement there is, then wrong arguments, unrequested writes, and
    documents that are not read or mistaken for others, in turn.
    """
    rng = random.Random(trial_seed(seed, domain.name, task.id, 1))
    found: list[Mutant] = []
    seen = {_key(Mutant("gold", "", task))}
    for mutant in _candidates(task, domain, rng):
        if len(found) >= number:
            break
        if (key := _key(mutant)) not in seen:
            seen.add(key)
            found.append(mutant)
    return found


def _key(mutant: Mutant) -> str:
    criteria = mutant.task.evaluation_criteria or EvaluationCriteria()
    calls = [[a.name, a.arguments, a.requestor] for a in mutant.task.gold_actions]
    told = [criteria.communicate_info or [], sum(isinstance(c, Reason) for c in criteria.trajectory or [])]
    reads = sorted(mutant.task.required_documents or [])
    beside = [mutant.instead, str(mutant.slip), [[m.content, str(m.tool_calls)] for m in mutant.first], mutant.certain]
    return json.dumps([calls, told, reads, sorted(mutant.unasked), beside], sort_keys=True, default=repr)


def _candidates(task: Task, domain: Domain, rng: random.Random) -> Iterator[Mutant]:
    for operator in (_drop_calls, _swap_calls, _leave_untold, _act_unasked, _hand_over):
        yield from operator(task, domain)
    pool = reach(task, domain).pool
    yield from mistakes(task, domain, pool)
    wrong, unrequested = _wrong_arguments(task, domain, pool, rng), _unrequested_calls(task, domain, pool, rng)
    for together in zip_longest(wrong, unrequested, _misread(task, domain)):
        yield from (mutant for mutant in together if mutant is not None)


def _drop_calls(task: Task, domain: Domain) -> Iterator[Mutant]:
    for position in write_positions(task, domain):
        kept = [action for i, action in enumerate(task.gold_actions) if i != position]
        yield Mutant("dropped write", str(task.gold_actions[position]), with_actions(task, kept))


def _swap_calls(task: Task, domain: Domain) -> Iterator[Mutant]:
    positions = write_positions(task, domain)
    for first, second in pairwise(positions):
        actions = list(task.gold_actions)
        actions[first], actions[second] = actions[second], actions[first]
        swapped = with_actions(task, actions)
        if _end_state(swapped, domain) != gold_state(task, domain):
            yield Mutant("swapped order", f"{actions[first]} before {actions[second]}", swapped)


def _leave_untold(task: Task, domain: Domain) -> Iterator[Mutant]:
    criteria = task.evaluation_criteria or EvaluationCriteria()
    facts, checks = criteria.communicate_info or [], criteria.trajectory or []
    for fact in dict.fromkeys(facts):
        kept = [other for other in facts if other != fact]
        yield Mutant("omitted fact", repr(fact), with_criteria(task, communicate_info=kept))
    for reason in [check for check in checks if isinstance(check, Reason)]:
        without = [check for check in checks if check is not reason]
        yield Mutant("omitted reason", repr(reason.any_of[0]), with_criteria(task, trajectory=without))


def _act_unasked(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Only where the policy speaks of a yes or of confirming, and for what it names: elsewhere nobody has to ask.

    The section on safety asks for one before what cannot be undone, which is not every write.
    """
    safety = domain.spec.safety
    own = domain.policy.replace(safety_section(domain.folder, safety), "") if safety else domain.policy
    if not _ASKS_CONSENT.search(own):
        return
    writes = _to_be_agreed(task, domain)
    names = [a.name for a in task.gold_actions if a.requestor == "assistant" and a.name in writes]
    for unasked in dict.fromkeys([frozenset(names), *(frozenset([name]) for name in names)]):
        if unasked:
            yield Mutant("unconfirmed write", ", ".join(sorted(unasked)), task, unasked)


def _to_be_agreed(task: Task, domain: Domain) -> set[str]:
    """The tools that need a yes: those that the policy names, or every writing one."""
    named = [check.names for check, _ in checks_for(task, domain) if isinstance(check, Confirmed) and check.names]
    return set(named[0] if named else write_tools(domain))


def _hand_over(task: Task, domain: Domain) -> Iterator[Mutant]:
    kept = [action for action in task.gold_actions if action.name != TRANSFER_TOOL]
    if len(kept) < len(task.gold_actions):
        yield Mutant("dropped hand-over", TRANSFER_TOOL, with_actions(task, kept))
    elif any(spec.name == TRANSFER_TOOL for spec in domain.environment().tool_specs()):
        extra = Action(action_id="transfer", name=TRANSFER_TOOL, arguments={"summary": "The customer needs help."})
        yield Mutant("needless hand-over", TRANSFER_TOOL, with_actions(task, [*kept, extra]))


def _misread(task: Task, domain: Domain) -> Iterator[Mutant]:
    """A required document is not read, or what a search puts beside it is: an old edition, or that of a neighbour."""
    required = list(dict.fromkeys(task.required_documents or []))
    if domain.documents is None:
        return
    for document in required:
        yield Mutant("unread document", document, _reading(task, document, None))
        title = domain.documents.by_id[document].title if document in domain.documents.by_id else document
        beside = (found.id for found, _ in domain.documents.search(title, len(required) + 1))
        instead = next((one for one in beside if one not in required), None)
        if instead is not None:
            yield Mutant("wrong document", f"{instead} for {document}", _reading(task, document, instead))


def _reading(task: Task, document: str, instead: str | None) -> Task:
    """The task with another document in the place of one, or none."""
    actions = []
    for action in task.gold_actions:
        reads = action.name == READ_TOOL and action.arguments.get(DOCUMENT) == document
        if not reads:
            actions.append(action)
        elif instead is not None:
            actions.append(action.model_copy(update={"arguments": {DOCUMENT: instead}}))
    documents = [instead if one == document else one for one in task.required_documents or []]
    return with_actions(task, actions).model_copy(update={"required_documents": [one for one in documents if one]})


def _wrong_arguments(task: Task, domain: Domain, pool: Pool, rng: random.Random) -> Iterator[Mutant]:
    places = [
        (position, path, name, leaf)
        for position in write_positions(task, domain)
        for argument, value in task.gold_actions[position].arguments.items()
        for path, name, leaf in _leaves((argument,), argument, value)
    ]
    for _ in range(_TRIES if places else 0):
        position, path, name, leaf = rng.choice(places)
        action = task.gold_actions[position]
        value = another(name, leaf, pool, rng)
        changed = action.model_copy(update={"arguments": _put(action.arguments, path, value)})
        mutant = with_action(task, position, changed)
        where = ".".join(str(step) for step in path)
        yield Mutant("wrong argument", f"{action.name} with {where}={json.dumps(value, default=repr)}", mutant)


def _unrequested_calls(task: Task, domain: Domain, pool: Pool, rng: random.Random) -> Iterator[Mutant]:
    """Only those that succeed and leave another state: a call that fails changes nothing."""
    tools = write_tools(domain)
    writes = [i for i in write_positions(task, domain) if task.gold_actions[i].requestor == "assistant"]
    handed = [i for i, action in enumerate(task.gold_actions) if action.name == TRANSFER_TOOL]
    end = handed[0] if handed else len(task.gold_actions)
    before: dict[int, Environment] = {}
    for _ in range(_TRIES if tools else 0):
        tool = rng.choice(tools)
        extra = Action(action_id="unrequested", name=tool, arguments=_fill_arguments(domain, tool, pool, rng))
        at = rng.choice([*writes[:1], end])
        first, then = task.gold_actions[:at], [extra, *task.gold_actions[at:]]
        if at not in before:
            before[at] = _walked(domain.environment(task), first)
        if _walked(before[at].copy(), then).state() != gold_state(task, domain):
            yield Mutant("unrequested write", str(extra), with_actions(task, [*first, *then]))


def _fill_arguments(domain: Domain, tool: str, pool: Pool, rng: random.Random) -> dict[str, Any]:
    """Arguments for a tool; what was never seen is taken from the examples in the argument's description."""
    spec = next(spec for spec in domain.environment().tool_specs() if spec.name == tool)
    properties = spec.schema["function"]["parameters"]["properties"]
    examples = {name: re.findall(r'"([^"]+)"', prop.get("description", "")) for name, prop in properties.items()}
    arguments = fill(domain, tool, {**{name: seen for name, seen in examples.items() if seen}, **pool}, rng)
    # The world's own values often say what is so already; one that is nearly right changes something.
    if arguments and rng.random() < 0.5:
        name = rng.choice(sorted(arguments))
        arguments[name] = another(name, arguments[name], pool, rng)
    return arguments


def _leaves(path: tuple[Any, ...], name: str, value: Any) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """Every value inside an argument: its place, the name it goes by, and itself."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves((*path, key), key, inner)
    elif isinstance(value, list) and value:
        for position, inner in enumerate(value):
            yield from _leaves((*path, position), name.removesuffix("s").removeprefix("new_"), inner)
    else:
        yield path, name, value


def _put(inside: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value in one place."""
    if not path:
        return value
    copy = dict(inside) if isinstance(inside, dict) else list(inside)
    copy[path[0]] = _put(inside[path[0]], path[1:], value)
    return copy


def _end_state(task: Task, domain: Domain) -> State:
    return _walked(domain.environment(task), task.gold_actions).state()


def _walked(env: Environment, actions: Iterable[Action]) -> Environment:
    """The world after the changes among some actions; a look-up leads to no other."""
    for action in actions:
        if env.writes(action.name, action.requestor):
            env.call(action.name, action.arguments, action.requestor)
    return env


def _outcome(task: Task, simulation: Simulation, domain: Domain) -> _Outcome:
    """Where a conversation ended, in the terms in which mutants differ."""
    messages = simulation.messages
    env = domain.environment()
    env.set_up(task, messages)
    calls = [(turn, call) for turn, m in enumerate(messages) if m.role == "assistant" for call in m.tool_calls or []]
    facts = communicate(task, messages, parity=domain.parity, in_basis=True).checks
    held = trajectory(task, messages, in_basis=True, env=env).checks
    found = retrieval(task, messages, domain)
    asked = _to_be_agreed(task, domain)
    return _Outcome(
        state=env.state(),
        said=tuple(one.met for one in [*facts, *(check for check in held if check.kind == "reason")]),
        handed_over=any(call.name == TRANSFER_TOOL for _, call in calls),
        agreed=not any(call.name in asked and agreement(messages, turn, call, env=env) == "no" for turn, call in calls),
        read=frozenset(found.required) & frozenset(found.read) if found else frozenset(),
    )


_NOTICED_BY = {
    "claimed deed": "claims",
    "false reason": "false_reason",
    "yes to another proposal": "confirmed",
    "yes before the facts": "confirmed",
    "told a stranger's record": "own_records",
    "write and undo": "no_needless_writes",
    "needless write": "no_needless_writes",
}


def _remedy(mutant: Mutant, gold: _Outcome, outcome: _Outcome) -> str:
    """The criterion that would notice."""
    if mutant.operator in _NOTICED_BY:
        return f"add the TRAJECTORY check {_NOTICED_BY[mutant.operator]}"
    called = "called" if gold.handed_over else "not_called"
    remedies: list[tuple[Callable[[_Outcome], Any], str]] = [
        (lambda o: o.agreed, "add the TRAJECTORY check confirmed"),
        (
            lambda o: o.handed_over,
            f"add the TRAJECTORY check {called} {TRANSFER_TOOL}",
        ),
        (lambda o: o.read, "add the TRAJECTORY check read_before"),
        (lambda o: o.said, "add COMMUNICATE, or TRAJECTORY for a reason, to the reward_basis"),
    ]
    for look, remedy in remedies:
        if look(gold) != look(outcome):
            return remedy
    if mutant.operator == "unrequested write":
        return "add DB to the reward_basis, or the TRAJECTORY check not_called"
    return "add DB, or an assertion that tells the states apart, to the reward_basis"
