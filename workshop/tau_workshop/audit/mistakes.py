"""Mistakes that leave the end state right: what an agent says, when it asks, and what it does beside the gold path.

Each plays the gold path and adds one thing: a line, a call, a question that is not the one to ask. None of them can be
equivalent to the gold path, so all of them count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from pytest_tau.agents.oracle import Oracle
from pytest_tau.agents.plausible import Pool, write_tools, writes_of
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.toolkit import ToolSpec
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.criteria.records import private_values
from pytest_tau.evaluation.language.actions import participle
from pytest_tau.evaluation.language.told.deeds import verbs
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Confirmed, FalseReason, OwnRecords
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall
from pytest_tau.schema.task import Task
from pytest_tau.users.scripted import CONFIRM_CUE

ANOTHER = f"Would you like me to look up how the weather will be, too? {CONFIRM_CUE}"
BLANK = f"Shall I make whatever changes turn out to be needed? {CONFIRM_CUE}"
_GO_ON = f"Shall I see to what you asked for? {CONFIRM_CUE}"
_STRANGERS, _OTHERS = 40, 3


@dataclass(frozen=True)
class Mutant:
    """One mistake.

    ``task`` has the gold path that it walks; ``unasked`` are the tools it calls without proposing. ``first``: what it
    says and calls before anything else. ``instead``: what it asks before the first of its unasked calls. ``slip``: what
    it calls, unasked, before the first call of that tool. ``certain``: a mistake whatever the conversation ends like.
    """

    operator: str
    detail: str
    task: Task
    unasked: frozenset[str] = frozenset()
    first: tuple[AssistantMessage, ...] = ()
    instead: str | None = None
    slip: Action | None = None
    certain: bool = False

    def agent(self, context: AgentContext) -> Oracle | Mistaken:
        """The player that makes the mistake."""
        # To the oracle, a tool that does not write is a look-up, which needs no agreement.
        tools = tuple(replace(tool, writes=tool.writes and tool.name not in self.unasked) for tool in context.tools)
        oracle = Oracle(self.task, replace(context, tools=tools))
        return Mistaken(oracle, self) if self.first or self.instead or self.slip else oracle


class Mistaken:
    """An oracle that says or calls something more."""

    def __init__(self, oracle: Oracle, mutant: Mutant) -> None:
        self._oracle = oracle
        self._first = list(mutant.first)
        self._instead = mutant.instead
        self._unasked = mutant.unasked
        self._slip = mutant.slip
        self._held: AssistantMessage | None = None

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next move."""
        if self._first:
            return self._first.pop(0)
        if self._held is not None:
            held, self._held = self._held, None
            return held
        move = self._oracle.reply(messages)
        if self._instead and any(call.name in self._unasked for call in move.tool_calls or []):
            question, self._instead, self._held = self._instead, None, move
            return _say(question)
        if self._slip is not None and any(call.name == self._slip.name for call in move.tool_calls or []):
            slip, self._slip, self._held = self._slip, None, move
            call = ToolCall(id="slip", name=slip.name, arguments=slip.arguments)
            return AssistantMessage(tool_calls=[call], cost=0.0)
        return move


def mistakes(task: Task, domain: Domain, pool: Pool) -> Iterator[Mutant]:
    """Every mistake of this kind that a task allows for, one of each."""
    if task.ticket is not None:
        return
    for operator in (_claim_undone_action, _false_reasons, _wrong_yes, _stranger):
        yield from operator(task, domain)
    yield from _correct_afterwards(task, domain, pool)
    yield from _repeat_change(task, domain)


def _claim_undone_action(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Tells of an action that is not on the gold path, and does not do it."""
    specs = {spec.name: spec for spec in domain.environment().tool_specs() if spec.kind == "write"}
    done = {verb for action in task.gold_actions if action.name in specs for verb in verbs(specs[action.name])}
    for spec in specs.values():
        verb = next(iter(_own_verbs(spec)), None)
        if verb is not None and not {verb} & done:
            told = f"I have already {_past(verb)} what you have with us."
            yield Mutant("claimed deed", told, task, first=(_say(f"{told} {_GO_ON}"),), certain=True)
            return


def _own_verbs(spec: ToolSpec) -> Iterator[str]:
    """The verb that a tool's name begins with, where an action is told in it."""
    head = spec.name.partition("_")[0]
    if head in ("cancel", "book", "modify", "update", "return", "exchange", "suspend", "enable", "refund", "create"):
        yield head


def _past(verb: str) -> str:
    irregular = {"cancel": "cancelled"}
    return irregular.get(verb) or participle(verb).replace(f"{verb[-1]}?ed", "ed")


def _false_reasons(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Gives a reason that the task names as false, beside the true one."""
    for check, _ in checks_for(task, domain):
        if isinstance(check, FalseReason):
            phrasing = check.any_of[0]
            text = phrasing if isinstance(phrasing, str) else ", ".join(phrasing)
            said = f"The reason is: {text}. {_GO_ON}"
            yield Mutant("false reason", repr(phrasing), task, first=(_say(said),), certain=True)


def _wrong_yes(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Lets the customer agree to something else, or before there is anything to agree to."""
    checks = [check for check, _ in checks_for(task, domain) if isinstance(check, Confirmed)]
    if not checks:
        return
    asked = set(checks[0].names or write_tools(domain))
    names = frozenset(a.name for a in task.gold_actions if a.requestor == "assistant" and a.name in asked)
    if names:
        detail = ", ".join(sorted(names))
        yield Mutant("yes to another proposal", detail, task, names, instead=ANOTHER, certain=True)
        if not _wishes_before(task, names):
            yield Mutant("yes before the facts", detail, task, names, first=(_say(BLANK),), certain=True)


def _wishes_before(task: Task, names: frozenset[str]) -> bool:
    """Whether the customer brings something up before the first such change: then a yes to a blank question is none."""
    first = next(i for i, action in enumerate(task.gold_actions) if action.name in names)
    ids = {action.action_id for action in task.gold_actions[: first + 1]}
    return any(moment.before in ids for moment in task.user_scenario.later)


def _stranger(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Looks up a record of somebody whom the task is not about, and reads it out."""
    if not any(isinstance(check, OwnRecords) for check, _ in checks_for(task, domain)):
        return
    env, owners = domain.environment(task), domain.base.owners
    about = task.model_dump_json()
    known = {owner for text, owner in owners.items() if text in about}
    theirs = ((text, owner) for text, owner in owners.items() if owner not in known)
    readers = [spec for spec in env.tool_specs() if spec.kind == "read" and len(spec.signature.parameters) == 1]
    for text, owner in islice(theirs, _STRANGERS):
        for spec in readers:
            arguments: dict[str, Any] = {next(iter(spec.signature.parameters)): text}
            result = env.call(spec.name, arguments)
            values = [] if result.error else sorted(private_values(result.content, domain), key=len)
            if values:
                call = ToolCall(id="stranger", name=spec.name, arguments=arguments)
                line = _say(f"Others have {values[-1]}. {_GO_ON}")
                look = AssistantMessage(tool_calls=[call], cost=0.0)
                yield Mutant("told a stranger's record", f"{owner}'s", task, first=(look, line), certain=True)
                return


def _correct_afterwards(task: Task, domain: Domain, pool: Pool) -> Iterator[Mutant]:
    """Makes a change of the gold path with another value first, and puts it right by making the right one."""
    for position in writes_of(task, domain):
        right = task.gold_actions[position]
        if not _first_of_its_tool(task, position):
            continue
        # Of the same thing: with another id it would be a change of something else.
        for name, value in [(name, value) for name, value in right.arguments.items() if not name.endswith("id")]:
            others = [other for other in pool.get(name, []) if other != value and type(other) is type(value)]
            for other in [
                *others[:_OTHERS],
                *([f"{value} B"] if isinstance(value, str) else []),
            ]:
                wrong = right.model_copy(update={"arguments": {**right.arguments, name: other}, "action_id": "wrong"})
                if _works(task, domain, position, wrong):
                    calls = _calls(wrong, right)
                    yield Mutant("write and undo", calls, task, slip=wrong, certain=True)
                    return


def _repeat_change(task: Task, domain: Domain) -> Iterator[Mutant]:
    """Makes a change of the gold path twice, where the second changes nothing more."""
    for position in writes_of(task, domain):
        right = task.gold_actions[position]
        if _first_of_its_tool(task, position):
            again = right.model_copy(update={"action_id": "again"})
            if _works(task, domain, position, again):
                yield Mutant("needless write", _calls(again, right), task, slip=again, certain=True)
                return


def _first_of_its_tool(task: Task, position: int) -> bool:
    right = task.gold_actions[position]
    earlier = {action.name for action in task.gold_actions[:position]}
    return right.requestor == "assistant" and right.name not in earlier


def _works(task: Task, domain: Domain, position: int, extra: Action) -> bool:
    """Whether a change before one of the gold path succeeds, as all others do, and the end is the same."""
    env = domain.environment(task)
    actions = [*task.gold_actions[:position], extra, *task.gold_actions[position:]]
    writes = {i for i, action in enumerate(actions) if env.writes(action.name, action.requestor)}
    for i in sorted(writes):  # a look-up leads to no other state
        if env.call(actions[i].name, actions[i].arguments, actions[i].requestor).error:
            return False
    return env.state() == gold_state(task, domain)


def _calls(*actions: Action) -> str:
    return ", then ".join(map(str, actions))


def _say(text: str) -> AssistantMessage:
    return AssistantMessage(content=text, cost=0.0)
