"""What a suite is made of, counted: changes, length, intents, options, words; and another suite beside it.

print("\n".join(render({"ours": stats(tasks, domain), "public": stats(public, public_domain)})))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from pytest_tau.agents.plausible import writes_of
from pytest_tau.diagnosis.reach import said_by_customer
from pytest_tau.environment.domain import Domain
from pytest_tau.printable import columns_of, padding
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.checks import Reason
from pytest_tau.schema.messages import ToolMessage
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import Task
from pytest_tau.schema.transcript import calls_done, calls_made
from pytest_tau.simulating import simulate

OPTIONS = (
    "refusal", "mixed", "transfer", "information", "ids_hidden", "in_turn", "withdrawn", "revised", "false_belief",
    "abstract", "superlative", "fallback", "same_record", "dual",
)  # fmt: skip


@dataclass(frozen=True)
class SuiteStats:
    """The counts of a suite.

    Attributes:
        tasks: how many there are.
        writes: how many tasks have so many changes in their gold path.
        turns: messages of the oracle's conversations, tool results not counted, a task.
        calls: calls in the oracle's conversations, a task.
        intents: how many tasks have this set of changing tools in their gold path.
        tags: how many tasks have a tag.
        personas: different persona texts.
        openings: different reasons for the call.
        patterns: the same with numbers and names of things left out: what is left is the wording.
        words: words of the customer's scenario, a task.
        vocabulary: different words in all scenarios.
        reasons: tasks in which a reason has to be told.
    """

    tasks: int
    writes: Counter[int]
    turns: list[int]
    calls: list[int]
    intents: Counter[tuple[str, ...]]
    tags: Counter[str]
    personas: int
    openings: int
    patterns: int
    words: list[int]
    vocabulary: int
    reasons: int

    def share(self, least: int) -> float:
        """The share of tasks with at least so many changes."""
        return sum(count for number, count in self.writes.items() if number >= least) / max(1, self.tasks)


def stats(tasks: Sequence[Task], domain: Domain) -> SuiteStats:
    """Count a suite; the oracle plays each task once."""
    writes, intents, tags = Counter[int](), Counter[tuple[str, ...]](), Counter[str]()
    turns, calls, words = [], [], []
    openings, patterns, personas, vocabulary = set(), set(), set(), set[str]()
    reasons = 0
    for task in tasks:
        changing = writes_of(task, domain)
        writes[len(changing)] += 1
        intents[tuple(sorted({task.gold_actions[position].name for position in changing}))] += 1
        tags.update(task.tags)
        messages = simulate(task, domain).messages
        turns.append(sum(not isinstance(message, ToolMessage) for message in messages))
        calls.append(len(calls_made(messages)))
        said = said_by_customer(task)
        found = re.findall(r"(?:[^\W\d_]|')+", said.lower())
        words.append(len(found))
        vocabulary.update(found)
        instructions = task.user_scenario.instructions
        opening = instructions.reason_for_call if isinstance(instructions, Instructions) else instructions
        openings.add(opening)
        patterns.add(_pattern(opening))
        personas.add(task.user_scenario.persona)
        reasons += any(isinstance(check, Reason) for check in task.own_checks)
    return SuiteStats(
        tasks=len(tasks),
        writes=writes,
        turns=turns,
        calls=calls,
        intents=intents,
        tags=tags,
        personas=len(personas - {None}),
        openings=len(openings),
        patterns=len(patterns),
        words=words,
        vocabulary=len(vocabulary),
        reasons=reasons,
    )


def lacking(suite: SuiteStats, conversations: Sequence[LoggedConversation], domain: Domain) -> Counter[tuple[str, ...]]:
    """The wishes of real traffic that a suite has no task for: sets of changing tools, and how often they were made."""
    env = domain.environment()
    wishes = Counter[tuple[str, ...]]()
    for one in conversations:
        made = [call for _, call, _ in calls_done(one.messages)]
        wishes[tuple(sorted({call.name for call in made if env.writes(call.name, call.requestor)}))] += 1
    return Counter({wish: number for wish, number in wishes.items() if wish not in suite.intents})


def strange_calls(conversations: Sequence[LoggedConversation], domain: Domain) -> Counter[str]:
    """The calls of tools that the domain does not have, by tool: what they change nobody knows."""
    env = domain.environment()
    made = (call for one in conversations for _, call, _ in calls_made(one.messages))
    return Counter(call.name for call in made if env.tool_named(call.name, call.requestor) is None)


def _pattern(text: str) -> str:
    """A text without numbers, names and addresses, so that what is equal is the wording."""
    # Word by word: looking for a digit from each letter of a long word on takes minutes.
    bare = re.sub(r"\S+", lambda word: "#" if re.search(r"\d", word[0]) else word[0], text)
    return re.sub(r"\s+", " ", re.sub(r"\b[A-Z]\w+(?: [A-Z]\w+)+", "N", bare)).strip().casefold()


def render(suites: Mapping[str, SuiteStats]) -> Iterator[str]:
    """The suites side by side, then what each is made of."""
    names, found = list(suites), list(suites.values())
    rows = [[label, *values] for label, *values in _rows(found)]
    widths = [max(columns_of(row[column]) for row in [["", *names], *rows]) for column in range(len(names) + 1)]
    for head, *values in [["", *names], *rows]:
        aligned = (padding(value, width + 2) + value for value, width in zip(values, widths[1:], strict=True))
        yield " ".join([head + padding(head, widths[0]), *aligned]).rstrip()
    for name, one in suites.items():
        yield ""
        yield f"{name}: changes made by"
        for tools, count in sorted(one.intents.items(), key=lambda item: (-item[1], item[0]))[:_MOST]:
            yield f"  {count:>4}  {' + '.join(tools) or 'none'}"


_MOST = 12


def _rows(found: Sequence[SuiteStats]) -> Iterator[list[str]]:
    yield ["tasks", *(str(one.tasks) for one in found)]
    yield ["changes a task, mean", *(f"{_mean(list(one.writes.elements())):.2f}" for one in found)]
    for number in range(max((max(one.writes, default=0) for one in found), default=0) + 1):
        yield [f"  with {number}", *(_part(one.writes[number], one.tasks) for one in found)]
    yield ["  with three or more", *(f"{one.share(3):.0%}" for one in found)]
    yield ["turns of the oracle, median", *(f"{median(one.turns or [0]):g}" for one in found)]
    yield ["turns of the oracle, most", *(str(max(one.turns, default=0)) for one in found)]
    yield ["calls of the oracle, mean", *(f"{_mean(one.calls):.1f}" for one in found)]
    yield ["sets of changing tools", *(str(len(one.intents)) for one in found)]
    yield ["a reason to be told", *(_part(one.reasons, one.tasks) for one in found)]
    for option in OPTIONS:
        if any(one.tags[option] for one in found):
            yield [f"  {option}", *(_part(one.tags[option], one.tasks) for one in found)]
    yield ["personas", *(str(one.personas) for one in found)]
    yield ["different openings", *(str(one.openings) for one in found)]
    yield ["  without numbers and names", *(str(one.patterns) for one in found)]
    yield ["words of a scenario, mean", *(f"{_mean(one.words):.0f}" for one in found)]
    yield ["different words", *(str(one.vocabulary) for one in found)]


def _mean(values: Sequence[int]) -> float:
    return mean(values) if values else 0.0


def _part(count: int, total: int) -> str:
    return f"{count} ({count / max(1, total):.0%})" if count else "-"
