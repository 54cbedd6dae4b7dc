"""Facts that were forgotten: the customer said a value, and a later change of the agent's has another in its place."""

from __future__ import annotations

from collections.abc import Sequence

from ...environment.delta import leaves
from ...environment.environment import Environment
from ...schema.messages import AnyMessage
from ...schema.reward import Forgotten
from ...schema.task import Task
from ...schema.transcript import calls_made, lines_of
from ..criteria.communicate import mentions


def find_forgotten(task: Task, messages: Sequence[AnyMessage], env: Environment) -> list[Forgotten]:
    """Each fact once: where it was said first, and the change that got it wrong.

    A change is held against the step of the gold path that it is most like, of the same tool. A step that some call
    makes as it should be is held against none: another one of that tool may well be about something else.
    """
    gold = [step for step in task.gold_actions if env.writes(step.name, step.requestor)]
    said = [(line.turn, line.text) for line in lines_of(messages) if not line.by_agent]
    made = [(turn, call) for turn, call, _ in calls_made(messages) if call.requestor == "assistant"]
    due = [step for step in gold if not any((c.name, c.arguments) == (step.name, step.arguments) for _, c in made)]
    found: dict[str, Forgotten] = {}
    for turn, call in made:
        if turn < len(task.history) or any((s.name, s.arguments) == (call.name, call.arguments) for s in gold):
            continue
        likely = [step for step in due if step.name == call.name]
        if not likely:
            continue
        wanted = max(likely, key=lambda step: _count_shared(step.arguments, call.arguments))
        for path, right, wrong in leaves("", wanted.arguments, call.arguments):
            value = right if isinstance(right, str) else None
            before = next((at for at, text in said if at < turn and value and mentions(text, value)), None)
            if value is not None and before is not None and _telling(value):
                fact = Forgotten(value=value, told=before, turn=turn, argument=path, got=str(wrong)[:200])
                found.setdefault(value, fact)
    return list(found.values())


def _count_shared(one: dict[str, object], other: dict[str, object]) -> int:
    return sum(name in other and one[name] == other[name] for name in one)


def _telling(value: str) -> bool:
    return len(value) > 2 and value.casefold() not in ("usa", "yes", "none")
