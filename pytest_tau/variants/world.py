"""Kinds that change how the agent's world is shown to it: policy, tools and results. The world itself stays.

Each is a view (``conversation/view.py``): the agent sees the tools' names, documents and results as the view has them,
and the record of the trial has the true ones.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from datetime import date, datetime
from functools import cached_property
from random import Random
from typing import Any

from ..conversation.view import AgentView, ShownTool
from ..environment.domain import Domain
from ..environment.toolkit import tools_of
from ..schema.task import Task
from ..users.pieces import sentences
from .kinds import Dose, Kind, draws

# ---- the policy

_BULLET = re.compile(r"[-*+] ")
# An item that leans on its neighbours, or on its place.
_PLACED = re.compile(
    r"\b(?:above|below|following|previous|next|former|latter|otherwise|then|afterwards|finally|first(?!-| name)|second"
    r"|last(?!-| name)|again|these|those|this|that case|such|same|instead|however|else|also|both|in that)\b",
    re.IGNORECASE,
)


class _PolicyOrder(AgentView):
    def __init__(self, dose: Dose, seed: int) -> None:
        self._dose, self._seed = dose, seed

    def text(self, text: str) -> str:
        rng = draws(self._dose, self._seed)
        return "\n".join(_shuffled_lists(_shuffled_sections(text, rng, self._dose.strength), rng, self._dose.strength))


def _shuffled_sections(text: str, rng: Random, strength: float) -> str:
    """Sections of the second level in another order, where none of them speaks of another's place; the first stays."""
    parts = _sections(text)
    movable = [place for place in range(2, len(parts)) if not re.search(r"\b(?:above|below|previous)\b", parts[place])]
    if len(movable) < 2 or strength < 0.5:
        return text
    order = movable[:]
    while order == movable:
        rng.shuffle(order)
    moved = list(parts)
    for place, source in zip(movable, order, strict=True):
        moved[place] = parts[source].rstrip("\n") + "\n\n"
    return "".join(moved)


def _sections(text: str) -> list[str]:
    """What comes before the first section of the second level, and the sections; blocks of code stay whole."""
    parts: list[str] = []
    for part in re.split(r"(?m)^(?=## )", text):
        if parts and len(re.findall(r"(?m)^```", parts[-1])) % 2:
            parts[-1] += part
        else:
            parts.append(part)
    return parts


def _shuffled_lists(text: str, rng: Random, strength: float) -> list[str]:
    """The lines, with the items of unnumbered lists in another order where no item leans on its place."""
    lines, done, fenced = text.split("\n"), [], False
    while lines:
        line = lines.pop(0)
        fenced ^= line.startswith("```")
        if fenced or not _BULLET.match(line):
            done.append(line)
            continue
        items = [[line]]
        while lines and (_BULLET.match(lines[0]) or lines[0].startswith((" ", "\t"))):
            following = lines.pop(0)
            if _BULLET.match(following):
                items.append([following])
            else:
                items[-1].append(following)
        free = not any(_PLACED.search(one) for item in items for one in item)
        if free and len(items) > 1 and rng.random() < strength * 2:
            before = items[:]
            while items == before and any(item != before[0] for item in before):
                rng.shuffle(items)
        done += [one for item in items for one in item]
    return done


# ---- the tools


class _ToolsOrder(AgentView):
    def __init__(self, dose: Dose, seed: int) -> None:
        self._dose, self._seed = dose, seed

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        rng, shuffled = draws(self._dose, self._seed), list(tools)
        while len(tools) > 1 and shuffled == list(tools):
            rng.shuffle(shuffled)
        return shuffled


_UNKNOWN = " (unknown)"  # what the record has behind a true name that is not shown, when it is called


class _ToolNames(AgentView):
    """Other names for a share of the tools: in camel case, or with nothing in them that tells what a tool does."""

    def __init__(self, domain: Domain, dose: Dose, seed: int) -> None:
        rng = draws(dose, seed)
        names = [name for name, spec in _specs(domain).items() if not spec.hidden]
        count = math.ceil(len(names) * min(1.0, dose.strength * 2))
        how = dose.choice or "camel"
        chosen = sorted(rng.sample(names, count))
        numbers = rng.sample(range(100, 1000), len(chosen))
        self._shown: dict[str, str] = {}
        taken = set(names)
        for name, number in zip(chosen, numbers, strict=True):
            new = _camel(name) if how == "camel" else f"fn_{number}"
            if new not in taken:
                self._shown[name] = new
                taken.add(new)
        self._true = {new: name for name, new in self._shown.items()}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(rf"\b({'|'.join(map(re.escape, self._shown))})\b({re.escape(_UNKNOWN)})?")

    def text(self, text: str) -> str:
        # Who called by a name that is not shown reads that name.
        said = self._shown
        return self._pattern.sub(lambda found: found[1] if found[2] else said[found[1]], text) if said else text

    def error(self, content: str) -> str:
        return self.text(content)

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        return [self._rename_tool(tool) for tool in tools]

    def _rename_tool(self, tool: ShownTool) -> ShownTool:
        schema = _texts_changed(deepcopy(dict(tool.schema)), self.text)
        name = self.name(tool.name)
        schema["function"]["name"] = name
        return replace(tool, name=name, schema=schema)

    def name(self, true_name: str) -> str:
        return self._shown.get(true_name, true_name.removesuffix(_UNKNOWN))

    def true_name(self, name: str) -> str:
        # A name that is not shown is none of the agent's tools, though it may be true.
        return self._true.get(name, f"{name}{_UNKNOWN}" if name in self._shown else name)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _specs(domain: Domain) -> Mapping[str, Any]:
    return tools_of(domain.spec.tools)


def _texts_changed(value: Any, change: Any) -> Any:
    """A schema whose descriptions are changed."""
    if isinstance(value, dict):
        return {
            name: change(one) if name == "description" and isinstance(one, str) else _texts_changed(one, change)
            for name, one in value.items()
        }
    return [_texts_changed(one, change) for one in value] if isinstance(value, list) else value


class _ToolDocs(AgentView):
    """Descriptions cut to their first sentence; above a strength of one half, half of that again."""

    def __init__(self, dose: Dose) -> None:
        self._strength = dose.strength

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        return [replace(tool, schema=_texts_changed(deepcopy(dict(tool.schema)), self._short)) for tool in tools]

    def _short(self, text: str) -> str:
        first = (sentences(text) or [text])[0]
        if self._strength <= 0.5:
            return first
        begin = re.split(r"[,;:(]| such as | which ", first)[0].strip().rstrip(".")
        return f"{begin}." if begin else first


_HARMLESS: tuple[tuple[str, str, dict[str, str], str], ...] = (
    ("get_opening_hours", "Tells when the service desk is open.", {}, "Monday to Saturday, 8:00 to 20:00."),
    ("get_weather", "Tells the weather in a city.", {"city": "The city."}, "Cloudy, light wind, no rain expected."),
    (
        "list_public_holidays",
        "Lists public holidays of a country.",
        {"country": "The country."},
        "No holidays this week.",
    ),
    (
        "translate_phrase",
        "Translates a phrase.",
        {"phrase": "The phrase.", "language": "Into which."},
        "Not available now.",
    ),
    ("get_company_address", "Tells where the head office is.", {}, "1 Exchange Square, 4th floor."),
    ("search_press_releases", "Searches press releases.", {"query": "Words to look for."}, "No press release found."),
    ("get_survey_results", "Shows how satisfied customers were last quarter.", {}, "4.2 of 5 on average."),
    ("convert_units", "Converts a measure.", {"value": "The measure.", "unit": "The new unit."}, "Unit not supported."),
    ("get_tip_of_the_day", "Gives the tip of the day for agents.", {}, "Smile: it can be heard."),
    ("check_service_status", "Tells whether the website is up.", {}, "All systems work."),
)


class _ExtraTools(AgentView):
    """Tools that have nothing to do with the task and change nothing, among the others."""

    def __init__(self, domain: Domain, dose: Dose, seed: int) -> None:
        rng = draws(dose, seed)
        taken = _specs(domain)
        free = [one for one in _HARMLESS if one[0] not in taken]
        self._tools = rng.sample(free, min(len(free), math.ceil(len(free) * dose.strength)))
        self._places = [rng.random() for _ in self._tools]
        self.extra = {name: answer for name, _, _, answer in self._tools}

    def tools(self, tools: Sequence[ShownTool]) -> Sequence[ShownTool]:
        shown = list(tools)
        for (name, about, arguments, _), place in zip(self._tools, self._places, strict=True):
            properties = {key: {"type": "string", "description": text} for key, text in arguments.items()}
            parameters = {
                "type": "object",
                "title": "parameters",
                "properties": properties,
                "required": list(arguments),
            }
            function = {"name": name, "description": about, "parameters": parameters}
            tool = ShownTool(name, name, {"type": "function", "function": function})
            shown.insert(round(place * len(shown)), tool)
        return shown


# ---- the results

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class _ResultFormat(AgentView):
    """JSON in a wrapper, its keys in another order; above one half also dates and amounts in another form."""

    def __init__(self, dose: Dose, seed: int) -> None:
        self._strength = dose.strength
        rng = draws(dose, seed)
        self._wrapper = rng.choice(("data", "result", "payload", "response"))
        self._descending = rng.random() < 0.5

    def result(self, content: str) -> str:
        try:
            return self._wrap_result(json.loads(content))
        except (ValueError, RecursionError):
            return self._wrap_result(content)

    def _wrap_result(self, value: Any) -> str:
        shown = {"status": "ok", self._wrapper: self._put(value)}
        return json.dumps(shown, ensure_ascii=False, indent=2 if self._strength > 0.5 else None)

    def _put(self, value: Any) -> Any:
        if isinstance(value, dict):
            names = sorted(value, reverse=self._descending)
            return {name: self._put(value[name]) for name in names}
        if isinstance(value, list):
            return [self._put(one) for one in value]
        if self._strength <= 0.5:
            return value
        if isinstance(value, float):
            return f"{value:.2f}" if round(value, 2) == value else value
        return _date(value) if isinstance(value, str) else value


def _date(text: str) -> str:
    """``2024-05-09`` as ``9 May 2024``."""
    try:
        if _DATE.fullmatch(text):
            day = date.fromisoformat(text)
            return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
        if _TIME.fullmatch(text):
            time = datetime.fromisoformat(text)
            return f"{time.day} {_MONTHS[time.month - 1]} {time.year}, {time:%H:%M:%S}"
    except ValueError:
        pass
    return text


# ---- as kinds


def _policy_order(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _PolicyOrder(dose, seed)


def _has_policy_order(task: Task, domain: Domain) -> bool:
    """Whether the policy has parts whose order may change; some shuffles leave a short one as it is."""
    memo, policy = domain.memo, domain.policy_for(task=task)
    if ("policy order", policy) not in memo:
        shuffled = (_PolicyOrder(Dose("policy_order", 1.0), seed).text(policy) for seed in range(8))
        memo["policy order", policy] = any(text != policy for text in shuffled)
    found: bool = memo["policy order", policy]
    return found


def _tools_order(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _ToolsOrder(dose, seed)


def _tool_names(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _ToolNames(domain, dose, seed)


def _tool_docs(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _ToolDocs(dose)


def _extra_tools(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _ExtraTools(domain, dose, seed)


def _result_format(task: Task, domain: Domain, dose: Dose, seed: int) -> AgentView:
    return _ResultFormat(dose, seed)


WORLD = (
    Kind(
        "policy_order",
        "world",
        "sections and lists of the policy in another order, where it allows it",
        _policy_order,
        applies=_has_policy_order,
    ),
    Kind("tools_order", "world", "the tools in another order", _tools_order),
    Kind("tool_names", "world", "tools under other names", _tool_names, choices=("camel", "scrambled")),
    Kind("tool_docs", "world", "shorter descriptions of tools", _tool_docs),
    Kind("extra_tools", "world", "harmless tools besides", _extra_tools),
    Kind("result_format", "world", "results in another form", _result_format),
)
