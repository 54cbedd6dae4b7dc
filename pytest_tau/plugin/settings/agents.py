"""Who is evaluated in a run: one agent, or several that play the same trials.

``--tau-agent`` may be repeated and ``--tau-agent-llm`` may list models. An agent that plays a model, or asks one
through its endpoint, is played on each of them. With more than one agent each has a label, which stands in node IDs
(``…::test_task[gpt-trial2]``) and in the rows of the tables.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from ...agents.names import MODEL_AGENTS, is_builtin
from ...errors import SettingsError

_NAMED = re.compile(r"(?P<label>[A-Za-z0-9_.-]+)=(?P<agent>.+)")
_MISNAMED = re.compile(r"(?P<label>[^=:/]*)=(?P<agent>.+)")
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class ChosenAgent:
    """An agent as the settings have it.

    Attributes:
        name: what named it: ``llm``, ``module:factory``, an address, a command.
        model: the model it plays, or that stands behind its endpoint; None without one.
        label: what tells it apart from the others of the run; "" where it is the only one.
    """

    name: str
    model: str | None = None
    label: str = ""

    @cached_property
    def shown_name(self) -> str:
        """What records call it."""
        name = public_name(self.name)
        return f"{name} {self.model}" if self.model is not None and self.name in MODEL_AGENTS else name


def public_name(name: str) -> str:
    """An agent's name without the query of its address, which may hold a key."""
    return name.partition("?")[0] if "://" in name else name


def chosen_agents(names: tuple[str, ...], models: tuple[str, ...]) -> tuple[ChosenAgent, ...]:
    """Each named agent, on each model where it has to do with models; raises SettingsError for labels that clash."""
    given = [(found["label"], found["agent"]) if (found := _NAMED.fullmatch(name)) else ("", name) for name in names]
    for label, name in given:
        if not label and (found := _MISNAMED.fullmatch(name)):
            raise SettingsError(
                f"--tau-agent {name}: a name has letters from a to z, digits, '_', '.' and '-' only; "
                f"write such as mine={found['agent']}"
            )
    made: list[ChosenAgent] = []
    longer: list[str] = []
    for label, name in given:
        on = models if name in MODEL_AGENTS or not is_builtin(name) else ()
        for model in on or (None,):
            parts = [label or (_short(name) if len(names) > 1 else ""), _short(model) if len(on) > 1 and model else ""]
            made.append(ChosenAgent(name, model, "-".join(part for part in parts if part)))
            longer.append(_long(label or public_name(name), model))
    if len(made) == 1:
        return (replace(made[0], label=""),)
    times = Counter(agent.label for agent in made)
    made = [replace(a, label=long) if times[a.label] > 1 else a for a, long in zip(made, longer, strict=True)]
    for label, number in Counter(agent.label for agent in made).items():
        if number > 1:
            raise SettingsError(f"two agents are called '{label}': name them apart, as in --tau-agent NAME=AGENT")
    return tuple(made)


def _short(name: str) -> str:
    """A label made of a model's or an agent's name: its last part, of an address all of it."""
    if "://" in name:
        tail = public_name(name).partition("://")[2]
    else:
        tail = name.partition(":")[0] if is_builtin(name) and ":" in name else re.split(r"[/:]", name)[-1]
    return _UNFIT.sub("-", tail).strip("-")


def _long(name: str, model: str | None) -> str:
    return _UNFIT.sub("-", f"{name}-{model or ''}").strip("-")
