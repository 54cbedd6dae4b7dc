"""Rows of each format, as trainers read them. All of them tell a conversation from its agent's side.

chat         {"messages", "tools"}: a passed conversation. Each message of the agent has a ``weight``: 1 to learn from,
             0 not to.
preferences  {"prompt", "chosen", "rejected", "tools"}: one message against another after the same prompt. They branch
             at the point of no return: what the oracle does there, and what lost the trial.
stepwise     {"prompt", "completions", "labels"}: texts, one completion a turn of the agent; its label says whether the
             trial could still be passed after it.
rewards      {"prompt", "completion", "label", "reward", "progress", "tools"}: conversations, good and bad.
steps        {"turn", "prompt", "chosen", "rejected", "why", "tools"}: one turn against another, at every step at which
             a worse one is known; see steps.py.
prompts      {"domain", "task_id", "seed", "perturb", "faults"}: what an Episode is made with; the task is in the task
             file beside them.
labels       everything that is known of a conversation and of its turns.

``tools`` is a JSON text: as objects, the schemas of different tools would be merged into one column of nulls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pytest_tau.reports.chat_rows import Row
from pytest_tau.reports.telling import AgentChat, Entry, Teller
from pytest_tau.schema.messages import AssistantMessage

from .labels import Labelled
from .steps import steps


class DatasetRows:
    """Makes the rows of labelled conversations."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._tools: tuple[Any, str] = (None, "")

    def of(self, one: Labelled, formats: Iterable[str]) -> Iterator[tuple[str, Row]]:
        """Each row with its format."""
        told = self._teller.tell(one.simulation, one.view)
        for name in formats:
            made = FORMATS[name](self, one, told)
            for row in made if isinstance(made, Iterator) else [] if made is None else [made]:
                yield name, row

    def tools(self, told: AgentChat) -> str:
        """The definitions as one text, made once for conversations in a row that have the same."""
        if self._tools[0] is not told.tools:
            self._tools = told.tools, json.dumps(told.tools, ensure_ascii=False)
        return self._tools[1]

    def _chat(self, one: Labelled, told: AgentChat) -> Row | None:
        if not one.passed:
            return None
        trainable = {label.turn for label in one.turns if label.trainable}
        messages = [_with_weight(e, t in trainable) for e, t in zip(told.messages, told.turns, strict=True)]
        return {"id": one.id, "messages": messages, "tools": self.tools(told)}

    def _preference(self, one: Labelled, told: AgentChat) -> Row | None:
        if one.no_return is None:
            return None
        turn = one.no_return.turn
        label = next((label for label in one.turns if label.turn == turn), None)
        rejected = one.simulation.messages[turn]
        if label is None or label.gold is None or not isinstance(rejected, AssistantMessage):
            return None
        good, bad = told.entry(label.gold, turn), told.entry(rejected, turn)
        if good == bad:
            return None
        prompt = told.before(turn)
        return {"id": one.id, "prompt": prompt, "chosen": [good], "rejected": [bad], "tools": self.tools(told)}

    def _steps(self, one: Labelled, told: AgentChat) -> Iterator[Row]:
        for step in steps(one, self._teller.domain(one.simulation)):
            good, bad = told.entry(step.better, step.turn), told.entry(step.worse, step.turn)
            row = {"id": f"{one.id}.{step.turn}.{step.why}", "turn": step.turn, "why": step.why}
            pair = {"prompt": told.before(step.turn), "chosen": [good], "rejected": [bad]}
            yield {**row, **pair, "tools": self.tools(told)}

    def _stepwise(self, one: Labelled, told: AgentChat) -> Row | None:
        begin = next((i for i, e in enumerate(told.messages) if e["role"] == "user"), len(told.messages)) + 1
        completions, labels, between = [], [], ""
        lost = one.no_return.turn if one.no_return else None
        if lost is None and not one.passed:
            return None
        for entry, turn in zip(told.messages[begin:], told.turns[begin:], strict=True):
            between += _line(entry)
            if entry["role"] == "assistant":
                completions.append(between)
                labels.append(lost is None or (turn is not None and turn < lost))
                between = ""
        prompt = "".join(map(_line, told.messages[:begin]))
        return {"id": one.id, "prompt": prompt, "completions": completions, "labels": labels}

    def _reward(self, one: Labelled, told: AgentChat) -> Row | None:
        if one.reward.ungraded:
            return None
        begin = next((i for i, e in enumerate(told.messages) if e["role"] == "user"), 0) + 1
        return {
            "id": one.id,
            "prompt": told.messages[:begin],
            "completion": told.messages[begin:],
            "label": one.passed,
            "reward": one.reward.value,
            "progress": one.reward.progress or 0.0,
            "tools": self.tools(told),
        }

    def _prompt(self, one: Labelled, told: AgentChat) -> Row:
        played = {"domain": one.simulation.domain, "task_id": one.task.id, "seed": one.simulation.seed}
        shown = "" if one.view is None else one.perturbation
        return {"id": one.id, **played, "perturb": shown, "faults": one.faults}

    def _label(self, one: Labelled, told: AgentChat) -> Row:
        return {
            "id": one.id,
            "domain": one.simulation.domain,
            "task_id": one.task.id,
            "player": one.player,
            "perturbation": one.perturbation,
            "faults": one.faults,
            "planted": one.planted,
            "outcome": "passed" if one.passed else "missed",
            "fault": one.fault.kind.value if one.fault else None,
            "fault_turn": one.fault.turn if one.fault else None,
            "violations": [v.model_dump(mode="json") for v in one.reward.violations],
            "progress": one.reward.progress or 0.0,
            "no_return": one.no_return.turn if one.no_return else None,
            "no_return_text": one.no_return.text if one.no_return else None,
            "turns": [
                {
                    "turn": label.turn,
                    "entry": told.turns.index(label.turn),
                    "trainable": label.trainable,
                    "progress": label.progress,
                    "gold": None if label.gold is None else told.entry(label.gold, label.turn),
                }
                for label in one.turns
                if label.turn in told.turns
            ],
        }


FORMATS: dict[str, Callable[[DatasetRows, Labelled, AgentChat], Row | Iterator[Row] | None]] = {
    "chat": DatasetRows._chat,
    "preferences": DatasetRows._preference,
    "stepwise": DatasetRows._stepwise,
    "steps": DatasetRows._steps,
    "rewards": DatasetRows._reward,
    "prompts": DatasetRows._prompt,
    "labels": DatasetRows._label,
}


def _with_weight(entry: Entry, learn: bool) -> Entry:
    return {**entry, "weight": int(learn)} if entry["role"] == "assistant" else entry


def _line(entry: Entry) -> str:
    """An entry as text; calls as the JSON that makes them."""
    calls = [f"{call['function']['name']} {call['function']['arguments']}" for call in entry.get("tool_calls") or []]
    return f"{entry['role']}: {' '.join(filter(None, [entry['content'], *calls]))}\n"
