"""The oracle with seeded mistakes, of the kinds that real agents' failures fall into.

A mistake is made in the plan, not in the playing: the gold path of a copy of the task is changed, and the oracle walks
that. The same seed makes the same mistake.
"""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..conversation.protocols import AgentContext
from ..environment.domain import Domain
from ..schema.task import Action, EvaluationCriteria, Task
from .oracle import Oracle

Pool = dict[str, list[Any]]


def faulty_agent(task: Task, domain: Domain, context: AgentContext, *, rate: float, kinds: Sequence[str]) -> Oracle:
    """An oracle that makes one mistake, with probability ``rate``; the context's seed decides whether and which."""
    rng = random.Random(context.seed)
    if rng.random() >= rate:
        return Oracle(task, context)
    for kind in rng.sample(list(kinds), len(kinds)):
        mistaken = _KINDS[kind](task, domain, rng)
        if mistaken is not None:
            return Oracle(mistaken, context)
    return Oracle(task, context)


def _wrong_argument(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One argument of one change gets another value that could be meant."""
    choices = [(i, name) for i in _writes(task, domain) for name in task.gold_actions[i].arguments]
    if not choices:
        return None
    position, name = rng.choice(choices)
    action = task.gold_actions[position]
    value = _another(name, action.arguments[name], _pool(task, domain), rng)
    return _with_action(task, position, action.model_copy(update={"arguments": {**action.arguments, name: value}}))


def _wrong_tool(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One change is attempted with another tool."""
    writes = _writes(task, domain)
    if not writes:
        return None
    position = rng.choice(writes)
    action = task.gold_actions[position]
    others = [name for name in _write_tools(domain) if name != action.name]
    if not others:
        return _partly_done(task, domain, rng)
    name = rng.choice(others)
    arguments = _fill(domain, name, {**_pool(task, domain), **{k: [v] for k, v in action.arguments.items()}}, rng)
    return _with_action(task, position, action.model_copy(update={"name": name, "arguments": arguments}))


def _partly_done(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """One change is left out, or one look-up where nothing is to be changed."""
    droppable = _writes(task, domain) or list(range(len(task.gold_actions)))
    if not droppable:
        return None
    position = rng.choice(droppable)
    return _with_actions(task, [a for i, a in enumerate(task.gold_actions) if i != position])


def _unintended_action(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A change nobody asked for, made up of values from the conversation."""
    tools = _write_tools(domain)
    if not tools:
        return None
    name = rng.choice(tools)
    extra = Action(action_id="unintended", name=name, arguments=_fill(domain, name, _pool(task, domain), rng))
    # Before the agreed changes: what they do to the world may leave nothing for another tool to change.
    return _with_actions(task, [extra, *task.gold_actions] if rng.random() < 0.5 else [*task.gold_actions, extra])


def _wrong_information(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A fact is told wrongly."""
    facts = list((task.evaluation_criteria or EvaluationCriteria()).communicate_info or [])
    if not facts:
        return None
    position = rng.randrange(len(facts))
    facts[position] = str(_changed_text(facts[position]))
    return _with_criteria(task, communicate_info=facts)


def _missing_information(task: Task, domain: Domain, rng: random.Random) -> Task | None:
    """A fact or a reason is not told."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    facts = list(criteria.communicate_info or [])
    if facts:
        facts.pop(rng.randrange(len(facts)))
        return _with_criteria(task, communicate_info=facts)
    kept = [check for check in criteria.trajectory or [] if check.check != "reason"]
    return _with_criteria(task, trajectory=kept) if len(kept) < len(criteria.trajectory or []) else None


_KINDS: dict[str, Callable[[Task, Domain, random.Random], Task | None]] = {
    "wrong_argument": _wrong_argument,
    "wrong_tool": _wrong_tool,
    "partly_done": _partly_done,
    "unintended_action": _unintended_action,
    "wrong_information": _wrong_information,
    "missing_information": _missing_information,
}
KINDS = tuple(_KINDS)


def _writes(task: Task, domain: Domain) -> list[int]:
    names = set(_write_tools(domain)) | set(_write_tools(domain, "user"))
    return [i for i, action in enumerate(task.gold_actions) if action.name in names]


def _write_tools(domain: Domain, side: Any = "assistant") -> list[str]:
    return [tool.name for tool in domain.environment().tool_specs(side) if tool.writes]


def _pool(task: Task, domain: Domain) -> Pool:
    """Values by the name of the argument or field they stand in: from the gold path and what its calls return."""
    pool: Pool = defaultdict(list)
    env = domain.environment(task)
    for action in task.gold_actions:
        result = env.call(action.name, action.arguments, action.requestor)
        for name, value in [*action.arguments.items(), *_fields(result.content)]:
            if value not in pool[name]:
                pool[name].append(value)
    return pool


def _fields(content: str) -> Iterator[tuple[str, Any]]:
    try:
        waiting = [json.loads(content)]
    except ValueError:
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, (dict, list)):
                    waiting.append(inner)
                else:
                    yield name, inner


def _fill(domain: Domain, tool: str, pool: Pool, rng: random.Random) -> dict[str, Any]:
    """Arguments for a tool: values seen under the argument's name where there are any, else something of its type."""
    spec = next(spec for spec in domain.environment().tool_specs() if spec.name == tool)
    properties = spec.schema["function"]["parameters"]["properties"]
    return {name: _value(name, prop, pool, rng) for name, prop in properties.items() if "default" not in prop}


def _value(name: str, prop: dict[str, Any], pool: Pool, rng: random.Random) -> Any:
    if "enum" in prop:
        return rng.choice(prop["enum"])
    if name in pool:
        return rng.choice(pool[name])
    if prop.get("type") == "array":
        singular = pool.get(name.removesuffix("s").removeprefix("new_"), [])
        return [rng.choice(singular)] if singular else []
    return {"integer": 1, "number": 1.0, "boolean": True, "object": {}}.get(prop.get("type", ""), "unknown")


def _another(name: str, value: Any, pool: Pool, rng: random.Random) -> Any:
    """A different value that could stand in the same place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list) and value:
        position = rng.randrange(len(value))
        singular = name.removesuffix("s").removeprefix("new_")
        return [_another(singular, v, pool, rng) if i == position else v for i, v in enumerate(value)]
    if isinstance(value, str):
        alike = [v for values in pool.values() for v in values if isinstance(v, str) and _shape(v) == _shape(value)]
        others = [v for v in alike if v != value]
        return rng.choice(others) if others else _changed_text(value)
    return None if value else "unknown"


def _shape(text: str) -> str:
    """What kind of thing a text is: an id like another id, a name like another name."""
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", text))


def _changed_text(text: str) -> str:
    """The text with its last digit counted up, or with a word more."""
    found = re.search(r"\d(?=\D*$)", text)
    if found is None:
        return f"not {text}"
    return f"{text[: found.start()]}{(int(found[0]) + 1) % 10}{text[found.end() :]}"


def _with_action(task: Task, position: int, action: Action) -> Task:
    return _with_actions(task, [action if i == position else a for i, a in enumerate(task.gold_actions)])


def _with_actions(task: Task, actions: list[Action]) -> Task:
    return _with_criteria(task, actions=actions)


def _with_criteria(task: Task, **changes: Any) -> Task:
    criteria = task.evaluation_criteria or EvaluationCriteria()
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update=changes)})
