"""An agent that knows the answers: it walks the gold actions as a polite agent would.

It asks what the customer wants and knows until all of it is told, looks things up, proposes every change and waits
for the yes, acts, asks the customer for what has to be done on their side, and tells what must be told. Where it
misses, the task is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, groupby
from typing import Any

from ..conversation.protocols import AgentContext
from ..conversation.turns import DONE_TOOL
from ..environment.customer_side import DeskTools
from ..environment.toolkit import tools_of
from ..errors import AgentFault
from ..evaluation.language.reasons import reading
from ..schema.calls import Action, render_call
from ..schema.checks import Reason
from ..schema.messages import AGENT_STOP_TOKEN, AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from ..schema.scenario import Instructions, Later
from ..schema.task import EvaluationCriteria, Task
from ..users.scripted import CONFIRM_CUE, instruct
from .hearing import Hearing
from .sight import Sight

# What only asks the customer for something takes no agreement.
ASKING = frozenset(tools_of(DeskTools))
TRANSFER_TOOL = "transfer_to_human_agents"
# The ready-made tool of a domain with documents.
READ_TOOL, DOCUMENT = "read_document", "document_id"
MORE = (
    "Thank you. What else can you tell me?",
    "I see. Is more to be said about this?",
    "Please go on: how does it continue?",
)
TRANSFER_SENTENCE = "YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."


class Oracle:
    """Plays a task's gold actions, one move a turn; ``knows_the_task``, and so the true names of its tools.

    ``strict``: a gold action that fails loses the trial, because the task is wrong. Off on public data, whose reference
    passes such tasks, and where the plan has mistakes on purpose. ``sight``: of the task's pictures; without it the
    oracle knows what they show. ``asks``: it proposes its changes and waits for the yes, as the policies demand.
    """

    knows_the_task = True

    def __init__(
        self, task: Task, context: AgentContext, *, strict: bool = False, sight: Sight | None = None, asks: bool = True
    ) -> None:
        task = task.in_episode(context.episode)
        self._strict = strict
        self._sight = sight
        writes = {tool.name for tool in context.tools if tool.writes and tool.name not in ASKING}
        self._solo = context.ticket is not None or any(tool.name == DONE_TOOL for tool in context.tools)
        self._hears = Hearing(task)
        moves = _solo_moves(task) if self._solo else _moves(task, writes, sight, self._hears, asks=asks)
        self._moves = chain(_reading(task, {tool.name for tool in context.tools}), moves)

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next move; once all are made, a closing word. Raises AgentFault where ``strict`` says so."""
        self._hears.messages = messages
        if self._sight is not None:
            self._sight.look(messages)
        if self._strict:
            _refuse_failure(messages)
        closing = AGENT_STOP_TOKEN if self._solo else "Everything is taken care of. Thank you for your patience."
        return next(self._moves, None) or say(closing)


def _refuse_failure(messages: list[AnyMessage]) -> None:
    """Raise AgentFault when the agent's latest call failed."""
    last = messages[-1] if messages else None
    if not isinstance(last, ToolMessage) or not last.error:
        return
    calls = [call for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls or []]
    made = next((call for call in reversed(calls) if call.id == last.id), None)
    name = render_call(made.name, made.arguments) if made else "a gold action"
    raise AgentFault(f"the gold action {name} failed: {last.content}; correct the task or the database")


def what_to_tell(task: Task) -> list[str]:
    """What the agent has to say at some point: the reasons for what it does not do, and the facts asked for."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    reasons = [_spoken_reason(check) for check in criteria.trajectory or [] if isinstance(check, Reason)]
    return reasons + list(criteria.communicate_info or [])


def _spoken_reason(check: Reason) -> str:
    """The first phrasing that plainly gives the reason: "insolvency, not" alone may say anything."""
    texts = [phrasing if isinstance(phrasing, str) else ", ".join(phrasing) for phrasing in check.any_of]
    return next((text for text in texts if reading(text, check.any_of) == "yes"), texts[0])


def rest_of(task: Task, messages: Sequence[AnyMessage], steps: list[Action]) -> Task:
    """The task as it stands in the middle of a conversation, for an oracle that takes it up.

    Args:
        task: the task.
        messages: the conversation so far.
        steps: what is still to be done of the gold path.
    """
    criteria = task.evaluation_criteria or EvaluationCriteria()
    update: dict[str, Any] = {"evaluation_criteria": criteria.model_copy(update={"actions": steps})}
    instructions = task.user_scenario.instructions
    if isinstance(instructions, Instructions):
        told = "\n".join(m.content or "" for m in messages if isinstance(m, UserMessage)).casefold()
        later = [moment for moment in instructions.later or [] if moment.say.casefold() not in told]
        known = instructions.known_info if (instructions.known_info or "").casefold() not in told else None
        left = instructions.model_copy(update={"later": later, "known_info": known})
        update["user_scenario"] = task.user_scenario.model_copy(update={"instructions": left})
    return task.model_copy(update=update)


def _reading(task: Task, tools: set[str]) -> Iterator[AssistantMessage]:
    """Reads the required documents that the gold path does not, where there is a tool for that."""
    gold = [action.arguments.get(DOCUMENT) for action in task.gold_actions if action.name == READ_TOOL]
    for one in task.required_documents or [] if READ_TOOL in tools else []:
        if one not in gold:
            yield _call(Action(action_id=f"read_{one}", name=READ_TOOL, arguments={DOCUMENT: one}))


def _moves(
    task: Task, writes: set[str], sight: Sight | None, hears: Hearing, *, asks: bool
) -> Iterator[AssistantMessage]:
    instructions = task.user_scenario.instructions
    if isinstance(instructions, Instructions) and instructions.known_info:
        yield say("I am glad to help. What details can you give me, so that I can look this up?")
        for _ in instructions.known_info.splitlines()[1:] if instructions.piecemeal else ():
            yield say(MORE[0])
    more = cycle(MORE)
    while hears.expects_more():
        yield say(next(more))
    for one in task.user_scenario.attach or []:
        if one.when == "asked_for":
            yield say(f"Could you send me your picture, {_spoken_name(one.image)}, please?")
    told = transferred = False

    def telling() -> list[str]:
        # Pictures may come in the middle of the path: only now is it known what can be told.
        return [] if told else what_to_tell(sight.known_task() if sight else task)

    for moments, actions in _stages(task):
        for moment in moments:
            yield from _until_heard(_moment(moment), hears)
        for kind, group in groupby(actions, key=lambda action: _kind(action, writes)):
            steps = list(group)
            if kind == "transfer" and (known := telling()):
                offer = f"I will hand you over to a colleague. Is that all right? {CONFIRM_CUE}"
                yield say(f"{_account(known)} {offer}")
                told = True
            if kind == "write" and asks:
                proposal = proposal_of([sight.believed_action(action) if sight else action for action in steps])
                yield from _until_heard(proposal, hears)
            for step in steps:
                action = sight.believed_action(step) if sight else step
                yield say(instruct(action.name, action.arguments)) if kind == "user" else _call(action)
            transferred = transferred or kind == "transfer"
    account = [_account(known)] if (known := telling()) else []
    if transferred or account:
        yield say(" ".join([*account, *[TRANSFER_SENTENCE] * transferred]))


def _until_heard(line: AssistantMessage, hears: Hearing) -> Iterator[AssistantMessage]:
    """A line, again for as long as the customer answers with more of what they want."""
    yield line
    while hears.put_off(1 if CONFIRM_CUE in line.text else 2):
        yield line


def _spoken_name(name: str) -> str:
    """The name of a picture as one says it."""
    return re.sub(r"[_.-]", " ", name)


def _stages(task: Task) -> Iterator[tuple[list[Later], list[Action]]]:
    """The gold path in pieces: what the customer says before each piece, and its steps."""
    later = task.user_scenario.later
    ids = {action.action_id for action in task.gold_actions}
    moments: list[Later] = []
    steps: list[Action] = []
    for action in task.gold_actions:
        due = [moment for moment in later if moment.before == action.action_id]
        if due and (moments or steps):
            yield moments, steps
            moments, steps = [], []
        moments += due
        steps.append(action)
    yield moments, steps
    # Also those whose step a mutant has left out, so that it ends like everybody else.
    yield [moment for moment in later if moment.before not in ids], []


def _moment(moment: Later) -> AssistantMessage:
    """What lets the customer say their line."""
    return say("That much is settled.") if moment.proposal is None else proposal_of([moment.proposal])


def proposal_of(actions: list[Action]) -> AssistantMessage:
    """The question for leave to make these calls."""
    steps = "; ".join(str(action) for action in actions)
    return say(f"With your agreement I will make these changes: {steps}. Shall I go ahead? {CONFIRM_CUE}")


def _kind(action: Action, writes: set[str]) -> str:
    if action.requestor == "user":
        return "user"
    if action.name == TRANSFER_TOOL:
        return "transfer"
    return "write" if action.name in writes else "read"


def _solo_moves(task: Task) -> Iterator[AssistantMessage]:
    """Calls only; what must be told goes along with the last of them, when everything has been looked up."""
    note = _account(telling) if (telling := what_to_tell(task)) else None
    for action in task.gold_actions[:-1]:
        yield _call(action)
    for action in task.gold_actions[-1:]:
        yield _call(action, note)
        note = None
    yield _call(Action(action_id=DONE_TOOL, name=DONE_TOOL, arguments={}), note)


def _account(telling: list[str]) -> str:
    return "Here is what you should know: " + "; ".join(telling) + "."


def say(text: str) -> AssistantMessage:
    """A text of an agent that costs nothing."""
    return AssistantMessage(content=text, cost=0.0)


def _call(action: Action, note: str | None = None) -> AssistantMessage:
    call = ToolCall(id=f"oracle_{action.action_id}", name=action.name, arguments=action.arguments)
    return AssistantMessage(content=note, tool_calls=[call], cost=0.0)
