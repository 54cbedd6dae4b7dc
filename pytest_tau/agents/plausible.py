"""Values and changes that could be meant: what players and mutants with mistakes put in the place of the right ones."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..environment.domain import Domain
from ..schema.calls import Action
from ..schema.task import EvaluationCriteria, Task

Pool = dict[str, list[Any]]


def writes_of(task: Task, domain: Domain) -> list[int]:
    """The positions of the gold actions that may change the world."""
    names = set(write_tools(domain)) | set(write_tools(domain, "user"))
    return [i for i, action in enumerate(task.gold_actions) if action.name in names]


def write_tools(domain: Domain, side: Any = "assistant") -> list[str]:
    """The tools of a side that may change the world."""
    return [tool.name for tool in domain.environment().tool_specs(side) if tool.writes]


def pool_of(task: Task, domain: Domain) -> Pool:
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
    except (ValueError, RecursionError):
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


def fill(domain: Domain, tool: str, pool: Pool, rng: random.Random) -> dict[str, Any]:
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


def another(name: str, value: Any, pool: Pool, rng: random.Random) -> Any:
    """A different value that could stand in the same place."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list) and value:
        position = rng.randrange(len(value))
        singular = name.removesuffix("s").removeprefix("new_")
        return [another(singular, v, pool, rng) if i == position else v for i, v in enumerate(value)]
    if isinstance(value, str):
        shape = _shape(value)
        alike = [v for values in pool.values() for v in values if isinstance(v, str) and _shape(v) == shape]
        others = [v for v in alike if v != value]
        return rng.choice(others) if others else changed_text(value)
    return None if value else "unknown"


@lru_cache(maxsize=10_000)
def _shape(text: str) -> str:
    """What kind of thing a text is: an id like another id, a name like another name."""
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", text))


def changed_text(text: str) -> str:
    """The text with its last digit counted up, or with a word more."""
    found = re.search(r"\d(?=\D*$)", text)
    if found is None:
        return f"not {text}"
    return f"{text[: found.start()]}{(int(found[0]) + 1) % 10}{text[found.end() :]}"


def with_action(task: Task, position: int, action: Action) -> Task:
    """The task with another action in one place of its gold path."""
    return with_actions(task, [action if i == position else a for i, a in enumerate(task.gold_actions)])


def with_actions(task: Task, actions: list[Action]) -> Task:
    """The task with another gold path."""
    return with_criteria(task, actions=actions)


def with_criteria(task: Task, **changes: Any) -> Task:
    """The task with other criteria."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update=changes)})
